//! What polygons in place of the friction disc do, against closed forms and the exact law.

use super::{GRAVITY, STEP, Scene, Vec3, point, vec3};
use crate::lcp_lemke::{LcpLemke, LcpLemkeParams};
use crate::lcp_pgs::{LcpPgs, LcpPgsParams};
use crate::lcp_qp::{LcpQp, LcpQpParams};
use crate::lcp_staggered::{LcpStaggered, LcpStaggeredParams};
use crate::nsgs::{Nsgs, NsgsParams};
use std::f64::consts::PI;
use stiction_contact::certificate::certify;
use stiction_contact::{ConstraintProblem, ContactSolver};

/// Friction of the scene with three feet.
const MU: f64 = 0.5;

fn solve(mut solver: Box<dyn ContactSolver>, problem: &ConstraintProblem) -> Vec<f64> {
    let mut impulses = vec![0.0; problem.rows()];
    let report = solver.solve(problem, &mut impulses);
    assert!(report.converged(), "{}: {report:?}", solver.name());
    impulses
}

fn polygonal(facets: u32) -> [Box<dyn ContactSolver>; 3] {
    [
        Box::new(LcpLemke::new(LcpLemkeParams { facets, ..Default::default() }).unwrap()),
        Box::new(LcpQp::new(LcpQpParams { facets, ..Default::default() }).unwrap()),
        Box::new(LcpStaggered::new(LcpStaggeredParams { facets, ..Default::default() }).unwrap()),
    ]
}

/// Least and greatest friction against the slip of a fast point, over μ λ_N and all directions; the slip
/// hardly turns within the step.
fn friction_against_slip(make: impl Fn() -> Box<dyn ContactSolver>) -> (f64, f64) {
    let (mu, mut least, mut greatest) = (0.5, f64::INFINITY, 0.0_f64);
    for k in 0..=48 {
        let (sin, cos) = (f64::from(k) * PI / 48.0).sin_cos();
        let l = solve(make(), &point(1.0, mu, [cos, sin, -1e-5]));
        let against = -(l[0] * cos + l[1] * sin) / (mu * l[2]);
        (least, greatest) = (least.min(against), greatest.max(against));
    }
    (least, greatest)
}

/// cos(π/n) … 1 for a polygon of n facets, 1 … √2 for the square.
#[test]
fn friction_depends_on_the_direction_of_slip() {
    for facets in [4, 8, 16] {
        for solver in 0..3 {
            let (least, greatest) = friction_against_slip(|| {
                let [a, b, c] = polygonal(facets);
                [a, b, c].into_iter().nth(solver).unwrap()
            });
            let expected = (PI / f64::from(facets)).cos();
            assert!((least - expected).abs() < 1e-3 && (greatest - 1.0).abs() < 1e-3, "{facets} {least}");
        }
    }
    let (least, greatest) = friction_against_slip(|| Box::new(LcpPgs::new(LcpPgsParams::default()).unwrap()));
    assert!((least - 1.0).abs() < 1e-3 && (greatest - 2_f64.sqrt()).abs() < 1e-3);
}

/// Against the exact law: friction is off by at most π/n in direction, so velocities differ as 1/n and the
/// missing dissipation as 1/n². Three feet, because four would leave the normals, and with spin the
/// velocities, undetermined.
#[test]
fn many_facets_approach_the_exact_law() {
    let mut scene = Scene::default();
    let b = scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(0.0, 0.0, 0.5));
    scene.bodies[b].velocity = vec3(1.0, 0.3, 0.0);
    scene.bodies[b].spin = vec3(0.0, 0.0, 3.0);
    for foot in [vec3(0.5, 0.0, 0.0), vec3(-0.3, 0.4, 0.0), vec3(-0.3, -0.4, 0.0)] {
        scene.touch(None, b, foot, Vec3::Z, MU);
    }
    let problem = scene.problem();
    let velocities = |impulses: &[f64]| {
        let mut c = Vec::new();
        problem.velocities_into(impulses, &mut c);
        c
    };
    let exact = velocities(&solve(Box::new(Nsgs::new(NsgsParams::default()).unwrap()), &problem));
    for facets in [16, 64] {
        let step = PI / f64::from(facets);
        for solver in polygonal(facets) {
            let impulses = solve(solver, &problem);
            let certificate = certify(&problem, &impulses);
            let c = velocities(&impulses);
            let off = c.iter().zip(&exact).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            let slips = c.chunks_exact(3).zip(impulses.chunks_exact(3));
            let power: f64 = slips.map(|(c, l)| MU * l[2] * c[0].hypot(c[1]) / STEP).sum();
            println!("{facets} facets: {off:e} m/s, {:e} of {power} W", certificate.dissipation_gap);
            assert!(certificate.mdp_angle_max < step + 1e-6, "{certificate:?}");
            assert!(certificate.dissipation_gap <= power * (1.0 - step.cos()) + 1e-6);
            // Friction accelerates a foot by no more than a few μ g.
            assert!(off < 4.0 * MU * GRAVITY * STEP * step, "{off}");
        }
    }
}
