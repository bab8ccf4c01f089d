//! Contact as a field of pressure, beside contact in points.
//!
//! Two boxes overlap at an edge while one slides. In points the normal is the axis of least overlap: where the overlap along x grows past
//! that along z, it turns by a right angle at once, and a spring k times the overlap with it. The force of two pressure fields
//! changes little by little.
//!
//! A ball on a half-space at the depth d has, with p = E (1 − ‖x‖/r) and c = r − d,
//!
//! ```text
//!     F = 2 π E ((r² − c²)/2 − (r³ − c³)/(3 r))                                                (1)
//! ```

mod limit_surface;

use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size};
use std::f64::consts::PI;
use stiction::collision::{
    Manifold, PressureGeometry, PressurePatch, PressureScratch, Shape, ShapeError, collide, pressure_patch,
};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction_plot::Series;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "pressure-fields",
    title: "Normals of boxes in points jump, forces of pressure fields do not; a ball, and a disc that slides and spins",
    source: "The pressure field model of Elandt et al. [Elandt2019]; Farkas' disc [Farkas2003]",
    measure,
};

/// E [Pa].
const MODULUS: f64 = 1e6;
/// Half sides of the boxes, and the radius of the ball [m].
const SIZE: f64 = 0.1;

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    boxes(size, &mut findings)?;
    ball(size, &mut findings)?;
    limit_surface::measure(size, &mut findings)?;
    Ok(findings)
}

/// The contact surface of two geometries.
fn patch(a: (&PressureGeometry, &Pose), b: (&PressureGeometry, &Pose)) -> PressurePatch {
    let mut out = PressurePatch::default();
    pressure_patch(a, b, &mut PressureScratch::default(), &mut out);
    out
}

fn boxes(size: Size, findings: &mut Findings) -> Result<(), ShapeError> {
    let cube = Shape::Box { half: vec3(SIZE, SIZE, SIZE) };
    let field = PressureGeometry::compliant(&cube, MODULUS, None, None)?;
    let steps: u32 = match size {
        Size::Small => 200,
        Size::Full => 1000,
    };
    let angle = |f: Vec3| f.x.atan2(f.z).to_degrees();
    let (mut points, mut pressures, mut jumps) = (Vec::new(), Vec::new(), [Worst::default(); 2]);
    let mut before: Option<(Vec3, Vec3)> = None;
    let mut most = 0.0_f64;
    for k in 0..=steps {
        // Overlap along x from 1 to 3 cm, along z 2 cm.
        let overlap = 0.01 + 0.02 * f64::from(k) / f64::from(steps);
        let pose = Pose::from_translation(vec3(2.0 * SIZE - overlap, 0.0, 2.0 * SIZE - 0.02));
        let mut manifold = Manifold::new(0, 1);
        collide(&cube, &Pose::IDENTITY, &cube, &pose, 0.0, &mut manifold);
        let force = patch((&field, &Pose::IDENTITY), (&field, &pose)).wrench(Vec3::ZERO).linear;
        points.push([100.0 * overlap, angle(manifold.normal)]);
        pressures.push([100.0 * overlap, angle(force)]);
        most = most.max(force.norm());
        if let Some((normal, last)) = before {
            jumps[0].see((manifold.normal - normal).norm());
            jumps[1].see((force - last).norm());
        }
        before = Some((manifold.normal, force));
    }
    findings.claims.push(super::Claim {
        claim: "two boxes: the normal of points turns by a right angle in one step".to_owned(),
        measured: format!("{:.1} degrees", 2.0 * (0.5 * jumps[0].number()).asin().to_degrees()),
        holds: jumps[0].number() > 1.4,
        sample: jumps[0].count(),
    });
    let share = Worst::about(jumps[1].number() / most, jumps[1].count());
    findings.bound(
        "two boxes: largest change of the force of pressures in a step".to_owned(),
        "of it",
        share,
        0.02,
    );
    let middle = pressures.get(steps as usize / 2).map_or(f64::NAN, |p| p[1]);
    let claim = "two boxes: direction of the force of pressures where both overlaps are one".to_owned();
    findings.predict(claim, "degrees from z", 45.0, middle, 1e-9);
    let series = [("contact points", points), ("pressure fields", pressures)];
    let series = series.map(|(label, points)| Series { label: label.to_owned(), points });
    findings.keep_over(
        "two-boxes",
        "Direction of the force of two boxes that overlap by 2 cm along z",
        ["overlap along x [cm]", "angle of the force from z [degrees]"],
        series.into(),
        |figure| figure,
    );
    Ok(())
}

fn ball(size: Size, findings: &mut Findings) -> Result<(), ShapeError> {
    let (edges, turns): (&[f64], u32) = match size {
        Size::Small => (&[5.0, 10.0, 40.0], 3),
        Size::Full => (&[3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0], 20),
    };
    let shape = Shape::Sphere { radius: SIZE };
    let ground = PressureGeometry::rigid(&Shape::Plane, None)?;
    let mut series = Vec::new();
    for share in [0.05, 0.1, 0.2] {
        let c = SIZE * (1.0 - share);
        let exact =
            2.0 * PI * MODULUS * (0.5 * (SIZE * SIZE - c * c) - (SIZE.powi(3) - c.powi(3)) / (3.0 * SIZE)); // (1)
        let (mut points, mut finest) = (Vec::new(), None);
        for &parts in edges {
            let field = PressureGeometry::compliant(&shape, MODULUS, Some(SIZE / parts), None)?;
            let mut worst = Worst::default();
            for k in 0..turns {
                // Orientations that have nothing to do with the mesh.
                let (a, b) = (0.7 + 1.3 * f64::from(k), 0.4 + 0.9 * f64::from(k));
                let pose = Pose::new(Quat::from_rpy(a, b, a - b), vec3(0.0, 0.0, c));
                let force = patch((&ground, &Pose::IDENTITY), (&field, &pose)).wrench(Vec3::ZERO).linear.z;
                worst.see((force / exact - 1.0).abs());
            }
            points.push([parts, worst.number()]);
            finest = Some((parts, worst));
        }
        if let Some((parts, worst)) = finest {
            let claim = format!("ball at the depth {share} r, edges of r/{parts}: error of the force");
            findings.bound(claim, "of it", worst, 1e-3);
        }
        series.push(Series { label: format!("depth {share} r"), points });
    }
    findings.keep_over(
        "ball",
        "Error of the force of a ball on a half-space, worst of all orientations",
        ["radius over edge [-]", "relative error [-]"],
        series,
        |figure| figure.log_x().log_y(),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_claims_hold() {
        let findings = measure(Size::Small).unwrap();
        assert!(findings.claims.len() >= 6 && findings.figures.iter().all(|(_, figure)| figure.shown() > 0));
        for c in &findings.claims {
            assert!(c.holds, "{}: {}", c.claim, c.measured);
        }
    }
}
