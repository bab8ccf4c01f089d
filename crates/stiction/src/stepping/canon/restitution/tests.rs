//! Impacts of given G and c⁻ against integrations of another kind.

use super::contacts::Contacts;
use super::{routh, springs};
use nalgebra::{DMatrix, DVector};

/// G of a rod whose tip touches: m = 1, k² = 1/3, the tip at (x, z) = (−cos θ, −sin θ) from the centre and y free.
fn rod(theta: f64) -> DMatrix<f64> {
    let (s, c) = theta.sin_cos();
    DMatrix::from_row_slice(
        3,
        3,
        &[1.0 + 3.0 * s * s, 0.0, -3.0 * s * c, 0.0, 1.5, 0.0, -3.0 * s * c, 0.0, 1.0 + 3.0 * c * c],
    )
}

/// G that couples all directions.
fn coupled() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 3, &[3.0, 0.4, -1.1, 0.4, 2.0, 0.7, -1.1, 0.7, 1.6])
}

/// Routh's equation by Euler's explicit steps, friction a hair short of a jump at zero slip.
fn explicit(g: &DMatrix<f64>, start: &DVector<f64>, [mu, e]: [f64; 2], parts: u32) -> DVector<f64> {
    let mut c = start.clone();
    let length = -c[2] / g[(2, 2)] / f64::from(parts);
    let (mut stored, mut work) = (0.0, 0.0);
    let width = 40.0 * length;
    loop {
        let slip = c[0].hypot(c[1]).max(width * mu);
        let step = DVector::from_vec(vec![-mu * length * c[0] / slip, -mu * length * c[1] / slip, length]);
        let next = &c + g * step;
        work += 0.5 * (c[2] + next[2]) * length;
        stored = work.min(stored);
        c = next;
        if c[2] > 0.0 && work - stored >= -e * e * stored {
            return c;
        }
    }
}

#[test]
fn one_contact_follows_rouths_equation() {
    for (g, slip) in
        [(rod(0.9), [-0.6, 0.0]), (rod(0.9), [0.4, 0.0]), (coupled(), [0.3, -0.5]), (coupled(), [-1.5, 0.8])]
    {
        for (mu, e) in [(0.2, 0.8), (0.5, 0.4), (1.0, 1.0), (0.7, 0.0)] {
            let before = DVector::from_vec(vec![slip[0], slip[1], -1.0]);
            let contacts = Contacts::of(g.clone(), before.clone(), &[[mu, e]]);
            let (impulses, works) = routh::hit(&contacts, 200).unwrap();
            let after = &before + &g * DVector::from_vec(impulses.clone());
            let expected = explicit(&g, &before, [mu, e], 40_000);
            let off = (&after - &expected).amax();
            assert!(off < 1e-3, "{slip:?} {mu} {e}: {after} {expected}");
            assert!(works.friction <= 1e-12 && works.normal <= 1e-12, "{works:?}");
            let gained = DVector::from_vec(impulses).dot(&(&before + &after)) * 0.5;
            assert!((gained - works.normal - works.friction).abs() < 1e-12, "{gained} {works:?}");
            // Twice as many increments change little, also where the slip all but ends and turns.
            let (finer, _) = routh::hit(&contacts, 400).unwrap();
            let change = (&before + &g * DVector::from_vec(finer) - after).amax();
            assert!(change < 1e-4, "{slip:?} {mu} {e}: {change}");
        }
    }
}

/// Springs that relax while one contact stands still are Routh's equation over another variable.
#[test]
fn springs_of_one_contact_are_rouths_equation() {
    for (mu, e) in [(0.2, 0.8), (0.5, 0.4), (1.0, 1.0)] {
        let before = DVector::from_vec(vec![0.3, -0.5, -1.0]);
        let contacts = Contacts::of(coupled(), before, &[[mu, e]]);
        let (one, _) = routh::hit(&contacts, 800).unwrap();
        let (other, _) = springs::hit(&contacts, 800).unwrap();
        let off = one.iter().zip(&other).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(off < 3e-3, "{mu} {e}: {one:?} {other:?}");
    }
}

/// Three balls in a row without friction, the first comes: momentum and energy are kept at e = 1, and the last is not all that leaves,
/// as with springs of one stiffness: the exact motion by their two modes.
#[test]
fn three_balls_in_a_row_share_as_springs_do() {
    let mut g = DMatrix::identity(6, 6);
    (g[(2, 2)], g[(5, 5)], g[(2, 5)], g[(5, 2)]) = (2.0, 2.0, -1.0, -1.0);
    let mut before = DVector::zeros(6);
    before[2] = -1.0;
    let contacts = Contacts::of(g, before, &[[0.0, 1.0], [0.0, 1.0]]);
    let (impulses, works) = springs::hit(&contacts, 2000).unwrap();
    let v = [1.0 - impulses[2], impulses[2] - impulses[5], impulses[5]];
    assert!(works.normal.abs() < 1e-4 && works.friction == 0.0, "{works:?}");
    // Both springs pressed: F₁ ± F₂ swing at 1 and √3, F₁ = ½ (sin t + sin(√3 t)/√3), F₂ = ½ (sin t − sin(√3 t)/√3).
    let third = 3.0_f64.sqrt();
    let force =
        |t: f64| [0.5 * (t.sin() + (third * t).sin() / third), 0.5 * (t.sin() - (third * t).sin() / third)];
    let (mut low, mut high) = (1.0, 3.0);
    for _ in 0..60 {
        let t = 0.5 * (low + high);
        *(if force(t)[0] > 0.0 { &mut low } else { &mut high }) = t;
    }
    // From there on the second spring alone: it gives its energy to the last two.
    let t = low;
    let impulse = |sign: f64| 0.5 * ((1.0 - t.cos()) + sign * (1.0 - (third * t).cos()) / 3.0);
    let (first, second) = (impulse(1.0), impulse(-1.0));
    let parting = second - (first - second);
    let last = (0.5 * parting * parting + force(t)[1].powi(2)) * 2.0;
    let sum = first;
    let expected = [1.0 - first, 0.5 * (sum - last.sqrt()), 0.5 * (sum + last.sqrt())];
    for (v, expected) in v.iter().zip(expected) {
        assert!((v - expected).abs() < 2e-3, "{v:?} {expected:?}");
    }
}
