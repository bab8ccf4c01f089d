//! Point mass and sliding block, whose steps are solved by hand.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction_dynamics::{JointSpec, ModelBuilder};
use stiction_nmdp::sites::{BodySite, Sites};
use stiction_nmdp::wrench_set::cone::{Cone, Ground, Growth};
use stiction_nmdp::{Acting, Method, Nmdp, NmdpParams, NmdpReport};
use stiction_world::World;

const MASS: f64 = 2.0;
const MU: f64 = 0.3;
const G: f64 = 9.81;
const STEPS: [f64; 4] = [0.001, 0.005, 0.02, 0.05];

/// A body without rotation: a point mass on three slides.
fn point_mass() -> World {
    let mut b = ModelBuilder::new();
    let link = b.link("mass", None, Pose::IDENTITY, Inertia::new(MASS, Vec3::ZERO, Sym3::ZERO));
    b.joints(link, JointSpec::translation("root"));
    World::new("point mass", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

fn growth() -> Growth {
    Growth { stiffness: 1e5, ..Growth::default() }
}

/// The world, and one cone at its mass, with edges along ±x and ±y.
fn sites() -> Sites {
    let ground = Ground { normal: Vec3::Z, offset: 0.0 };
    let set = Box::new(Cone::new(ground, 0.0, growth(), MU, 4));
    Sites::new(vec![BodySite { body: 0, p_BS: Vec3::ZERO, set }], Vec::new())
}

struct Run {
    world: World,
    nmdp: Nmdp,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Run {
    fn new(method: Method, z: f64, speed: f64) -> Self {
        let world = point_mass();
        let nmdp = Nmdp::new(
            &world,
            method,
            NmdpParams { energy_tolerance: 1e-14, ..NmdpParams::default() },
            sites(),
        );
        Self { world, nmdp, q: vec![0.0, 0.0, z], v: vec![speed, 0.0, 0.0] }
    }

    fn step(&mut self, h: f64) -> NmdpReport {
        let acting = Acting { control: &[], generalized: &[0.0; 3] };
        self.nmdp.step(&self.world, (&mut self.q, &mut self.v), &acting, h).unwrap()
    }
}

/// √(m g/k).
fn depth() -> f64 {
    (MASS * G / growth().stiffness).sqrt()
}

const IMPLICIT: [Method; 4] =
    [Method::NeNmdpPgm, Method::NeNmdpZopgm, Method::PbdNmdpPgm, Method::PbdNmdpZopgm];

/// Dropped, a mass comes to rest where the saturated set just bears it, at every step, and stays.
#[test]
fn a_mass_rests_at_the_depth_that_bears_it() {
    for method in IMPLICIT {
        for h in STEPS {
            let mut run = Run::new(method, 0.05, 0.0);
            for _ in 0..(3.0 / h) as usize {
                run.step(h);
            }
            let (z, v) = (run.q[2], run.v[2]);
            assert!(v.abs() < 1e-6, "{} {h}: {v} m/s", method.name());
            // Deeper sets bear it unsaturated: it stops where it is caught.
            assert!(z <= -depth() + 1e-6, "{} {h}: {z} m, {} m", method.name(), depth());
        }
    }
}

/// From the depth that bears it, a block slides with deceleration μ g and stops for good, at every step.
#[test]
fn a_block_slides_with_mu_g_and_stops() {
    for method in IMPLICIT {
        for h in STEPS {
            let mut run = Run::new(method, -depth(), 1.0);
            let mut speed = 1.0;
            while run.v[0] > 1.5 * MU * G * h {
                run.step(h);
                speed -= MU * G * h;
                assert!((run.v[0] - speed).abs() < 1e-3, "{} {h}: {} {speed}", method.name(), run.v[0]);
            }
            for _ in 0..10 {
                run.step(h);
            }
            assert!(run.v[0].abs() < 1e-6, "{} {h}: {}", method.name(), run.v[0]);
        }
    }
}
