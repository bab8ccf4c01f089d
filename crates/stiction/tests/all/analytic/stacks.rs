//! Stacks of very unequal boxes (scene A14): every interface carries what lies above it.

use super::worlds::{EXACT, G, Run, on_ground, rough};
use stiction::FreeBody;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, vec3};

/// Cubes of edge 0.2 m with the given masses, from the ground up, at rest.
fn stack(masses: &[f64], contact: &str) -> Run {
    let mut c = on_ground(0.5, 0.0);
    for (i, mass) in masses.iter().enumerate() {
        let pose = Pose::from_translation(vec3(0.0, 0.0, 0.1 + 0.2 * i as f64));
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let body = FreeBody::new(format!("cube {i}"), shape, *mass, pose);
        c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
    }
    Run::new(c, contact, 1e-3)
}

/// Normal force of every interface against g Σ m above, relative.
fn assert_carries(masses: &[f64], run: &mut Run) {
    let name = run.sim.solver().name();
    let mut carried = vec![0.0; masses.len()];
    for c in run.contacts() {
        // The interface is named by the upper of its two geometries; geometry 0 is the ground.
        carried[c.geometries[1] - 1] += c.force.z;
    }
    for i in 0..masses.len() {
        let above: f64 = masses[i..].iter().sum();
        let error = (carried[i] / (G * above) - 1.0).abs();
        assert!(
            error < 1e-8,
            "{name}: interface {i} carries {} of {}, off by {error:e}",
            carried[i],
            G * above
        );
    }
}

fn stands(masses: &[f64], steps: usize) {
    for contact in EXACT {
        let mut run = stack(masses, contact);
        run.steps(steps);
        run.assert_exact();
        assert_carries(masses, &mut run);
        for i in 0..masses.len() {
            let sunk = 0.1 + 0.2 * i as f64 - run.position(7 * i).z;
            assert!(sunk.abs() < 1e-6, "{contact}: cube {i} moved {sunk:e} m");
        }
    }
}

#[test]
fn ten_equal_cubes() {
    stands(&[1.0; 10], 20);
}

#[test]
fn ten_cubes_from_a_gram_to_a_tonne() {
    let masses: Vec<f64> = (0..10).map(|i| 10_f64.powf(-3.0 + 6.0 * f64::from(i) / 9.0)).collect();
    stands(&masses, 5);
}

#[test]
fn a_heavy_cube_on_four_light_ones() {
    stands(&[1.0, 1.0, 1.0, 1.0, 1e4], 5);
}

#[test]
fn light_cubes_on_a_heavy_one() {
    stands(&[1e4, 1.0, 1.0, 1.0, 1.0], 5);
}

#[test]
fn a_tonne_on_a_gram() {
    stands(&[1e-3, 1e3], 5);
}
