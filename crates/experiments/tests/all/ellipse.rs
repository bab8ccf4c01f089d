//! Impacts that our own law made are explained and learned; the measured ones balance their moments.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction::random::Random;
use stiction_experiments::replications::ellipse::{EllipseImpact, EllipseSet, evaluate};

/// Friction and restitution that the impacts are made with.
const TRUTH: (f64, f64) = (0.15, 0.6);

/// A file as that of the measured impacts, its x axis reversed as there, of impacts that our law makes.
fn made(count: usize) -> EllipseSet {
    let mut random = Random::new(3);
    let mut text = "impact,vx_i,vy_i,w_i,vx_f,vy_f,w_f,n3,d3\n".to_owned();
    for id in 0..count {
        let mut impact = EllipseImpact {
            id: id as u32,
            before: [0.6 * random.signed(), -2.5 + 0.4 * random.signed(), 8.0 * random.signed()],
            after: [0.0; 3],
            levers: [0.03 + 0.004 * random.signed(), 0.01 * random.signed()],
            published: Vec::new(),
        };
        let [pt, pn] = impact.contact(TRUTH.0, TRUTH.1).impulse;
        impact.after = impact.after_impulse([pt, pn, 0.0]);
        let ([vx, vy, w], [ux, uy, uw], [d, n]) = (impact.before, impact.after, impact.levers);
        writeln!(text, "{id},{},{vy},{w},{},{uy},{uw},{n},{d}", -vx, -ux).unwrap();
    }
    let folder = std::env::temp_dir().join(format!("stiction-ellipse-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ellipse_impacts_made.csv"), text).unwrap();
    let set = EllipseSet::read(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    set
}

/// Read back, they are explained by a point impulse to rounding; the fitted law is the one they were made with, and learners
/// on top of it find nothing to add.
#[test]
fn impacts_of_our_law_are_explained() {
    let rows = evaluate(&made(150), 100, 1);
    let error = |name: &str| {
        let row = rows.iter().find(|r| r.model == name).unwrap();
        row.vx.max(row.vy).max(0.0192 * row.w)
    };
    assert!(error("optimal-impulse") < 1e-6, "{}", error("optimal-impulse"));
    assert!(error("law-fit") < 1e-3, "{}", error("law-fit"));
    assert!(error("gp-impulse") < 5e-3, "{}", error("gp-impulse"));
    assert!(error("law-paper") > 0.1, "{}", error("law-paper"));
}

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join("ellipse_impact");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "\n*** NOT TESTED: no measured impacts at {}; STICTION_DATA says where they are ***\n",
        folder.display()
    );
    None
}

/// k² Δω = d Δvx + n Δvy in the frame that impacts are read into: regression finds coefficients near 1, and R² above 0.9.
#[test]
fn measured_impacts_balance_their_moments() {
    let Some(folder) = data() else { return };
    let set = EllipseSet::read(&folder).unwrap();
    let k2 = 0.0192_f64.powi(2);
    // Normal equations of two unknowns.
    let (mut aa, mut ab, mut bb, mut ay, mut by, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for impact in &set.impacts {
        let [dvx, dvy, dw] = impact.change();
        let (a, b, y) = (impact.levers[0] * dvx, impact.levers[1] * dvy, k2 * dw);
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
        (ay, by, yy) = (ay + a * y, by + b * y, yy + y * y);
    }
    let det = aa * bb - ab * ab;
    let (tangent, normal) = ((bb * ay - ab * by) / det, (aa * by - ab * ay) / det);
    let explained = (tangent * ay + normal * by) / yy;
    assert!((0.8..1.1).contains(&tangent) && (0.8..1.1).contains(&normal), "{tangent} {normal}");
    assert!(explained > 0.9, "{explained}");
}
