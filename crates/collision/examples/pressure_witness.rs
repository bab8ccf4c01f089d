//! Random pairs that meet by pressure with the force and moment of our patch, as JSON, for Drake to be asked the same.
//!
//! `cargo run --release -p stiction-collision --example pressure_witness [-- CASES [SEED]]`
//!
//! `cargo xtask verify drake` hands what this prints to `xtask/verify/drake_pressure.py`. Moments are about the origin of W, in which A
//! is at rest; both are of B.

#![allow(non_snake_case)] // X_WB, as in the library
#![allow(clippy::print_stdout)] // a report

use std::time::Instant;
use stiction_collision::{PressureGeometry, PressurePatch, PressureScratch, Shape, pressure_patch};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// Edges of round surfaces as a share of 0.1 m, which the shapes are large.
const EDGE: f64 = 0.003;
/// Moduli of A and B [Pa].
const MODULI: [f64; 2] = [1e6, 2e6];

fn main() {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let cases = words.next().and_then(Result::ok).unwrap_or(10);
    let mut random = Random(words.next().and_then(Result::ok).unwrap_or(1) * 7919);
    let ball = Shape::Sphere { radius: 0.1 };
    let slab = Shape::Box { half: vec3(0.2, 0.15, 0.1) };
    let brick = Shape::Box { half: vec3(0.1, 0.07, 0.05) };
    let egg = Shape::Ellipsoid { radii: vec3(0.1, 0.06, 0.14) };
    let pill = Shape::Capsule { radius: 0.06, half_length: 0.1 };
    let can = Shape::Cylinder { radius: 0.08, half_length: 0.12 };
    let mut all = Vec::new();
    for (name, a, rigid, b) in [
        ("ball on a rigid half-space", &Shape::Plane, true, &ball),
        ("brick on a rigid half-space", &Shape::Plane, true, &brick),
        ("can on a rigid half-space", &Shape::Plane, true, &can),
        ("brick on a slab", &slab, false, &brick),
        ("egg on a slab", &slab, false, &egg),
        ("pill on a slab", &slab, false, &pill),
        ("ball on a rigid slab", &slab, true, &ball),
        ("ball on a ball", &ball, false, &ball),
    ] {
        for _ in 0..cases {
            all.push(case(name, (a, rigid), b, &mut random));
        }
    }
    println!("{{\"edge\":{EDGE},\"cases\":[{}]}}", all.join(","));
}

/// B, turned at random, a little way in the top of A.
fn case(name: &str, (a, rigid): (&Shape, bool), b: &Shape, random: &mut Random) -> String {
    // Corners and edges of boxes are points of the surface of a force; tilts near flat are the common case.
    let R = Quat::from_rpy(0.3 * random.symmetric(), 0.3 * random.symmetric(), 3.0 * random.symmetric());
    let lowest = R.rotate(b.support(R.conjugate().rotate(-Vec3::Z))).z;
    let top = if matches!(a, Shape::Plane) { 0.0 } else { a.support(Vec3::Z).z };
    let depth = 0.01 + 0.005 * random.symmetric();
    let X = Pose::new(R, vec3(0.03 * random.symmetric(), 0.03 * random.symmetric(), top - lowest - depth));
    let [E_A, E_B] = MODULI;
    let made = if rigid {
        PressureGeometry::rigid(a, Some(EDGE))
    } else {
        PressureGeometry::compliant(a, E_A, Some(EDGE), None)
    };
    let pair = made.and_then(|a| Ok((a, PressureGeometry::compliant(b, E_B, Some(EDGE), None)?)));
    let (a_field, b_field) = pair.unwrap_or_else(|error| panic!("{error}"));
    let (mut scratch, mut out) = (PressureScratch::default(), PressurePatch::default());
    let started = Instant::now();
    pressure_patch((&a_field, &Pose::IDENTITY), (&b_field, &X), &mut scratch, &mut out);
    let seconds = started.elapsed().as_secs_f64();
    let wrench = out.wrench(Vec3::ZERO);
    let list = |x: &[f64]| format!("[{}]", x.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    let pose = [&X.translation.to_array()[..], &X.rotation.to_array()].concat();
    format!(
        "{{\"name\":\"{name}\",\"a\":{},\"b\":{},\"moduli\":{},\"pose\":{},\"force\":{},\"moment\":{},\"area\":{},\
         \"polygons\":{},\"seconds\":{seconds}}}",
        described(a),
        described(b),
        list(&[if rigid { 0.0 } else { E_A }, E_B]),
        list(&pose),
        list(&wrench.linear.to_array()),
        list(&wrench.angular.to_array()),
        out.area(),
        out.elements().len(),
    )
}

/// Kind and numbers of a shape.
fn described(shape: &Shape) -> String {
    let (kind, numbers) = match shape {
        Shape::Sphere { radius } => ("sphere", vec![*radius]),
        Shape::Box { half } => ("box", half.to_array().to_vec()),
        Shape::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Shape::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Shape::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec()),
        _ => ("plane", Vec::new()),
    };
    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
    format!("{{\"kind\":\"{kind}\",\"numbers\":[{}]}}", numbers.join(","))
}

/// A linear congruential generator: the same cases on every machine.
struct Random(u64);

impl Random {
    /// Uniform in [−1, 1).
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    }
}
