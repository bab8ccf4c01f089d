//! Simple shapes fitted to a mesh: `<geom type="box" mesh="…"/>`.
//!
//! With principal moments I₁ ≥ I₂ ≥ I₃ of the mesh at unit density, volume V and axes R, the solid box of the
//! same inertia has half sides
//!
//! ```text
//!     s₁ = ½ √(6 (I₂ + I₃ − I₁)/V)   and so on round                                            (1)
//! ```
//!
//! and a shape takes its sizes from these, or (`fitaabb`) from the bounding box of the mesh in the
//! axes R.

use super::asset::LoadedMesh;
use super::geom_kind::Kind;
use stiction_dynamics::spatial::{Mat3, Pose, Quat, Vec3};
use stiction_world::inertia::principal;

/// Pose in the frame of the mesh and sizes of the shape of `kind`.
pub(crate) fn fit(mesh: &LoadedMesh, kind: Kind, scale: f64, bounding_box: bool) -> (Pose, [f64; 3]) {
    let frame = principal_frame(mesh);
    if bounding_box {
        let (centre, half) = bounds(mesh, &frame.pose);
        let pose = Pose::new(frame.pose.rotation, frame.pose.transform(centre));
        return (pose, around(kind, half).map(|s| s * scale));
    }
    (frame.pose, from_inertia(kind, frame.half_box).map(|s| s * scale))
}

struct Principal {
    /// Centre of mass and axes of the largest, middle and least moment.
    pose: Pose,
    /// Half sides of the fitted box (1) [m].
    half_box: [f64; 3],
}

fn principal_frame(mesh: &LoadedMesh) -> Principal {
    let (moments, axes) = principal(&mesh.inertia.about_com());
    let mut order: Vec<(f64, Vec3)> =
        moments.to_array().into_iter().zip([axes.column(0), axes.column(1), axes.column(2)]).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [x, y] = [0, 1].map(|i| order.get(i).map_or(Vec3::ZERO, |o| o.1));
    let moment = |i: usize| order.get(i % 3).map_or(0.0, |o| o.0);
    let volume = mesh.inertia.mass;
    let half = |i: usize| 0.5 * (6.0 * (moment(i + 1) + moment(i + 2) - moment(i)).max(0.0) / volume).sqrt();
    let rotation = Quat::from_matrix(&Mat3::from_columns(x, y, x.cross(y)));
    Principal { pose: Pose::new(rotation, mesh.inertia.com()), half_box: [half(0), half(1), half(2)] }
}

/// Centre and half sides of the bounding box in the axes of `frame`.
fn bounds(mesh: &LoadedMesh, frame: &Pose) -> (Vec3, [f64; 3]) {
    let inverse = frame.inverse();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in &mesh.mesh.vertices {
        for ((low, high), x) in low.iter_mut().zip(&mut high).zip(inverse.transform(*v).to_array()) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    let each = |f: fn(f64, f64) -> f64| [0, 1, 2].map(|i| f(low[i], high[i]));
    (Vec3::from(each(|a, b| 0.5 * (a + b))), each(|a, b| 0.5 * (b - a)))
}

fn from_inertia(kind: Kind, [x, y, z]: [f64; 3]) -> [f64; 3] {
    match kind {
        Kind::Sphere => [(x + y + z) / 3.0, 0.0, 0.0],
        Kind::Capsule => [0.5 * (x + y), (z - 0.25 * (x + y)).max(0.0), 0.0],
        Kind::Cylinder => [0.5 * (x + y), z, 0.0],
        _ => [x, y, z],
    }
}

/// The smallest of which the bounding box holds that of the mesh.
fn around(kind: Kind, [x, y, z]: [f64; 3]) -> [f64; 3] {
    match kind {
        Kind::Sphere => [x.max(y).max(z), 0.0, 0.0],
        Kind::Capsule => [x.max(y), z - x.max(y), 0.0],
        Kind::Cylinder => [x.max(y), z, 0.0],
        _ => [x, y, z],
    }
}
