//! From `[[fixed]]` and `[[body]]` to shapes, poses and free bodies, copies included.

use super::number::{Finite, Positive, Quaternion, Size, Vector};
use super::spec::{BodySpec, FixedSpec, JitterSpec, ShapeKind};
use super::{Scene, SceneError, ground::surface};
use std::sync::Arc;
use stiction::collision::{HeightField, Shape};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::random::Random;
use stiction::world::Material;
use stiction::{Composer, FreeBody, UNCOLOURED};

/// Copies beyond which a file is taken for a mistake.
const MAX_COPIES: u32 = 100_000;
/// Friction where neither body nor ground says any.
const DEFAULT_FRICTION: f64 = 1.0;

/// Where a mistake is: section and index.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) scene: &'a Scene,
    pub(super) section: &'static str,
    pub(super) index: usize,
}

impl At<'_> {
    pub(super) fn mistake(&self, key: &str, message: impl Into<String>) -> SceneError {
        self.scene.mistake(self.section, self.index, key, message)
    }

    /// The shape of the keys `shape`, `size`, `radius`, `length` and `heights`.
    fn shape(
        &self,
        kind: ShapeKind,
        size: Option<Size>,
        radius: Option<Positive>,
        length: Option<Positive>,
        heights: Option<&Vec<Vec<Finite>>>,
    ) -> Result<Shape, SceneError> {
        let (needs_size, needs_radius, needs_length) = match kind {
            ShapeKind::Plane => (false, false, false),
            ShapeKind::Box | ShapeKind::Ellipsoid | ShapeKind::HeightField => (true, false, false),
            ShapeKind::Sphere => (false, true, false),
            ShapeKind::Capsule | ShapeKind::Cylinder | ShapeKind::Cone => (false, true, true),
        };
        let word = format!("{kind:?}").to_lowercase();
        for (key, needed, given) in [
            ("size", needs_size, size.is_some()),
            ("radius", needs_radius, radius.is_some()),
            ("length", needs_length, length.is_some()),
            ("heights", kind == ShapeKind::HeightField, heights.is_some()),
        ] {
            match (needed, given) {
                (true, false) => return Err(self.mistake("shape", format!("a {word} needs the key `{key}`"))),
                (false, true) => return Err(self.mistake(key, format!("a {word} has no `{key}`"))),
                _ => {}
            }
        }
        let [x, y, z] = size.map_or([0.0; 3], |s| s.0);
        let (radius, half_length) = (radius.map_or(0.0, |r| r.0), 0.5 * length.map_or(0.0, |l| l.0));
        Ok(match kind {
            ShapeKind::Plane => Shape::Plane,
            ShapeKind::Sphere => Shape::Sphere { radius },
            ShapeKind::Box => Shape::Box { half: vec3(0.5 * x, 0.5 * y, 0.5 * z) },
            ShapeKind::Capsule => Shape::Capsule { radius, half_length },
            ShapeKind::Cylinder => Shape::Cylinder { radius, half_length },
            ShapeKind::Ellipsoid => Shape::Ellipsoid { radii: vec3(0.5 * x, 0.5 * y, 0.5 * z) },
            ShapeKind::Cone => Shape::Cone { radius, half_height: half_length },
            ShapeKind::HeightField => self.height_field(heights.map_or(&[], |h| h), [x, y], z)?,
        })
    }

    /// The field of the rows of `heights` over a rectangle.
    fn height_field(&self, heights: &[Vec<Finite>], size: [f64; 2], base: f64) -> Result<Shape, SceneError> {
        let cols = heights.first().map_or(0, Vec::len);
        if let Some((row, odd)) = heights.iter().enumerate().find(|(_, row)| row.len() != cols) {
            let found = odd.len();
            let message = format!("row {row} has {found} heights; expected {cols}, as many as row 0");
            return Err(self.mistake("heights", message));
        }
        let all = heights.iter().flatten().map(|h| h.0).collect();
        let field = HeightField::new(heights.len(), cols, size, all, base);
        field.map(|f| Shape::HeightField(Arc::new(f))).map_err(|e| self.mistake("heights", e.to_string()))
    }

    /// The pose of the keys `position`, `rpy` and `quaternion`, in their frame.
    pub(super) fn pose(
        &self,
        position: Vector,
        rpy: Option<Vector>,
        quaternion: Option<Quaternion>,
    ) -> Result<Pose, SceneError> {
        let rotation = match (rpy, quaternion) {
            (Some(_), Some(_)) => return Err(self.mistake("rpy", "give `rpy` or `quaternion`, not both")),
            (None, None) => Quat::IDENTITY,
            (None, Some(Quaternion([w, x, y, z]))) => Quat::new(w, x, y, z).renormalized(),
            (Some(Vector(degrees)), None) => {
                let [roll, pitch, yaw] = degrees.map(f64::to_radians);
                Quat::from_rpy(roll, pitch, yaw)
            }
        };
        Ok(Pose::new(rotation, position.vec3()))
    }
}

impl Scene {
    /// Adds `[[fixed]]` number `index`.
    pub(super) fn add_fixed(
        &self,
        index: usize,
        spec: &FixedSpec,
        composer: &mut Composer,
    ) -> Result<(), SceneError> {
        let at = At { scene: self, section: "fixed", index };
        let shape = at.shape(spec.shape, spec.size, spec.radius, spec.length, spec.heights.as_ref())?;
        let pose = self.frame(spec.frame) * at.pose(spec.position, spec.rpy, spec.quaternion)?;
        let material = surface(spec.friction.map(|f| f.0), spec.restitution.map(|r| r.0), spec.soft);
        let rgba = spec.rgba.map_or(UNCOLOURED, |c| c.0);
        composer
            .fixed(spec.name.clone(), shape, pose, material, rgba)
            .map_err(|e| at.mistake("shape", e.to_string()))
    }

    /// Adds `[[body]]` number `index`, with all its copies.
    pub(super) fn add_bodies(
        &self,
        index: usize,
        spec: &BodySpec,
        composer: &mut Composer,
    ) -> Result<(), SceneError> {
        let at = At { scene: self, section: "body", index };
        let shape = at.shape(spec.shape, spec.size, spec.radius, spec.length, spec.heights.as_ref())?;
        let X_WF = self.frame(spec.frame);
        let first = at.pose(spec.position, spec.rpy, spec.quaternion)?;
        let places = copies(&at, spec)?;
        let single = spec.count.is_none() && spec.grid.is_none();
        let mut disorder = spec.jitter.map(|j| (j, Random::new(j.seed)));
        let mut mass = spec.mass.0;
        for (k, offset) in places.into_iter().enumerate() {
            let mut pose = Pose::new(first.rotation, first.translation + offset);
            if let Some((jitter, random)) = &mut disorder {
                pose = shaken(&pose, jitter, random);
            }
            let name = if single { spec.name.clone() } else { format!("{}{k}", spec.name) };
            let body = FreeBody {
                material: self.body_material(spec),
                velocity: X_WF.rotation.rotate(spec.velocity.vec3()),
                angular_velocity: spec.angular_velocity.vec3(),
                rgba: spec.rgba.map_or(UNCOLOURED, |c| c.0),
                ..FreeBody::new(name, shape.clone(), mass, X_WF * pose)
            };
            composer.body(body).map_err(|e| at.mistake("shape", e.to_string()))?;
            mass *= spec.mass_ratio.map_or(1.0, |r| r.0);
        }
        Ok(())
    }

    /// Material of the body; numbers that it does not state are those of the ground.
    fn body_material(&self, spec: &BodySpec) -> Material {
        let ground = self.ground.as_ref().and_then(|g| g.friction);
        let friction = spec.friction.or(ground).map_or(DEFAULT_FRICTION, |f| f.0);
        surface(Some(friction), spec.restitution.map(|r| r.0), spec.soft)
    }
}

/// How far each copy is from the first.
fn copies(at: &At<'_>, spec: &BodySpec) -> Result<Vec<Vec3>, SceneError> {
    let grid = match (spec.count, spec.grid) {
        (Some(_), Some(_)) => return Err(at.mistake("grid", "give `count` or `grid`, not both")),
        (Some(n), None) => [n, 1, 1],
        (None, Some(grid)) => grid,
        (None, None) => return Ok(vec![Vec3::ZERO]),
    };
    let key = if spec.count.is_some() { "count" } else { "grid" };
    let total = grid.iter().try_fold(1_u32, |product, n| product.checked_mul(*n));
    if !total.is_some_and(|n| (1..=MAX_COPIES).contains(&n)) {
        return Err(at.mistake(key, format!("found {grid:?} copies; expected 1 to {MAX_COPIES} in all")));
    }
    let Some(offset) = spec.offset.map(Vector::vec3) else {
        return Err(at.mistake(key, "copies need an `offset` [m], or they would be in one place"));
    };
    if spec.count.is_some() {
        return Ok((0..grid[0]).map(|i| offset * f64::from(i)).collect());
    }
    let mut places = Vec::new();
    for k in 0..grid[2] {
        for j in 0..grid[1] {
            for i in 0..grid[0] {
                let [i, j, k] = [i, j, k].map(f64::from);
                places.push(vec3(i * offset.x, j * offset.y, k * offset.z));
            }
        }
    }
    Ok(places)
}

fn shaken(pose: &Pose, jitter: &JitterSpec, random: &mut Random) -> Pose {
    let along = vec3(random.signed(), random.signed(), random.signed()) * jitter.position.0;
    let axis = vec3(random.signed(), random.signed(), random.signed()).normalized().unwrap_or(Vec3::Z);
    let turn = Quat::from_axis_angle(axis, random.signed() * jitter.angle.0.to_radians());
    Pose::new(turn * pose.rotation, pose.translation + along)
}
