//! Laws beside the exact one: the relaxation, the pyramid, and compliant laws.
use super::free::settings;
use super::touching::{above, hold, walker};
use stiction::Settings;

/// A robot on its feet under `contact`, sticking and sliding, solved to `tolerance`.
fn under(contact: &str, tolerance: f64, most: f64) {
    for (speed, friction) in [(0.3, 1.2), (1.0, 0.2)] {
        let world = walker("range='-2 2' damping='0.1'", friction);
        let settings =
            Settings { contact: contact.to_owned(), tolerance, max_iterations: 20_000, ..settings() };
        hold(&world, &settings, (4, most), |dice| above(&world, dice, speed));
    }
}

#[test]
fn the_relaxation() {
    under("ccp-pgs-accelerated", 1e-13, 1e-7);
}

#[test]
fn the_pyramid() {
    under("lcp-pgs-accelerated", 1e-13, 1e-7);
}

#[test]
fn mujoco() {
    under("mujoco", 1e-13, 1e-7);
}

#[test]
fn sap() {
    under("sap", 1e-13, 1e-7);
}

#[test]
fn lagged() {
    under("lagged", 1e-13, 1e-6);
}

#[test]
fn similar() {
    under("similar", 1e-13, 1e-6);
}
