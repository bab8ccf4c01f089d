//! The ground plane, and setting things down on it.
//!
//! ```text
//!     ground frame F:  X_WF = ( R_y(slope), (0, 0, height) ),  plane z_F = 0       (1)
//!     lowest point of a shape over the plane with normal n:  min x·n = −h(−n)       (2)
//! ```

use super::Scene;
use super::spec::{Floor, Frame, GroundSpec, HydroelasticSpec, ShapeKind, SoftSpec};
use stiction::State;
use stiction::collision::Shape;
use stiction::dynamics::Kinematics;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::{
    Compliance, Geometry, Hydroelastic, HydroelasticKind, Material, Mixing, Note, Severity, Softness, World,
};

/// A soft grey that shadows show on.
pub(super) const GROUND_RGBA: [f32; 4] = [0.8, 0.8, 0.78, 1.0];

impl GroundSpec {
    /// Pose of the ground, by (1).
    pub(super) fn pose(&self) -> Pose {
        let tilt = Quat::from_axis_angle(Vec3::Y, self.slope.0.to_radians());
        Pose::new(tilt, vec3(0.0, 0.0, self.height.0))
    }

    pub(super) fn material(&self) -> Material {
        surface(self.friction.map(|f| f.0), self.restitution.map(|r| r.0), self.soft)
    }
}

/// A surface that leaves to its partner what it does not say.
pub(super) fn surface(friction: Option<f64>, restitution: Option<f64>, soft: Option<SoftSpec>) -> Material {
    let soft = soft.unwrap_or_default();
    let default = Softness::default();
    let stated = soft.solref.is_some() || soft.solimp.is_some();
    Material {
        friction: friction.unwrap_or(0.0),
        mixing: if friction.is_some() { Mixing::Larger } else { Mixing::Unsaid },
        restitution: restitution.unwrap_or(0.0),
        softness: Softness {
            reference: soft.solref.map_or(default.reference, |x| x.map(|x| x.0)),
            impedance: soft.solimp.map_or(default.impedance, |x| x.map(|x| x.0)),
            mix: if stated { 1.0 } else { 0.0 },
            impratio: soft.impratio.map_or(default.impratio, |x| x.0),
        },
        compliance: Compliance {
            stiffness: soft.stiffness.map(|x| x.0),
            relaxation: soft.relaxation.map(|x| x.0),
            dissipation: soft.dissipation.map(|x| x.0),
        },
        static_friction: soft.static_friction.map(|x| x.0),
        hydroelastic: hydroelastic(&soft),
        ..Material::default()
    }
}

fn hydroelastic(soft: &SoftSpec) -> Hydroelastic {
    let default = Hydroelastic::default();
    Hydroelastic {
        kind: match soft.hydroelastic {
            None => HydroelasticKind::None,
            Some(HydroelasticSpec::Rigid) => HydroelasticKind::Rigid,
            Some(HydroelasticSpec::Compliant) => HydroelasticKind::Compliant,
        },
        modulus: soft.modulus.map_or(default.modulus, |x| x.0),
        resolution: soft.resolution.map(|x| x.0),
        thickness: soft.thickness.map_or(default.thickness, |x| x.0),
    }
}

impl Scene {
    /// Whether it has something that bodies stand on everywhere: a ground, a fixed plane or a terrain.
    pub(super) fn has_ground(&self) -> bool {
        let terrain = |kind| matches!(kind, ShapeKind::Plane | ShapeKind::HeightField);
        self.ground.is_some() || self.fixed.iter().any(|fixed| terrain(fixed.shape))
    }

    /// The pose of `frame` in the world.
    pub(super) fn frame(&self, frame: Frame) -> Pose {
        match (frame, &self.ground) {
            (Frame::Ground, Some(ground)) => ground.pose(),
            _ => Pose::IDENTITY,
        }
    }
}

/// Where a geometry fixed to the world stands (also one that the file put on a link that cannot move).
pub(super) fn carrier(world: &World, link: Option<usize>) -> Option<usize> {
    link.and_then(|l| world.model.links[l].body)
}

/// Keeps or takes out the planes that the files of `worlds` fix to the world, and says so. Where nothing is asked, the first
/// ground stands: that of the scene, if it `has_ground`, else that of the first model that brings one.
pub(super) fn choose_floors<'w>(
    worlds: impl Iterator<Item = (&'w mut World, Option<Floor>)>,
    mut has_ground: bool,
) {
    let of_scene = has_ground;
    for (world, floor) in worlds {
        let links = &world.model.links;
        let stage =
            |g: &Geometry| g.link.is_none_or(|l| links[l].body.is_none()) && matches!(g.shape, Shape::Plane);
        let planes: Vec<usize> =
            (0..world.geometries.len()).filter(|&g| stage(&world.geometries[g])).collect();
        if planes.is_empty() {
            continue;
        }
        let brings = format!("`{}` brings {} ground plane(s)", world.name, planes.len());
        let left = floor.map_or(has_ground, |floor| floor == Floor::Leave);
        let message = match (left, floor) {
            (true, Some(_)) => format!("{brings}, which are left out (`floor = \"leave\"`)"),
            (true, None) if of_scene => {
                format!("{brings}; the ground of the scene stands instead (`floor = \"keep\"` keeps both)")
            }
            (true, None) => {
                format!("{brings}; that of a model before stands instead (`floor = \"keep\"` keeps both)")
            }
            (false, _) => {
                format!("{brings}, which stand where the model is put (`floor = \"leave\"` leaves them out)")
            }
        };
        if left {
            leave_out(world, |g| planes.contains(&g));
        }
        has_ground |= !left;
        world.ledger.remarks.push(Note::of_scene(Severity::Note, message));
    }
}

/// Takes geometries out of a world, with the pairs that they are part of.
fn leave_out(world: &mut World, out: impl Fn(usize) -> bool) {
    let mut kept = 0;
    let places: Vec<Option<usize>> = (0..world.geometries.len())
        .map(|g| {
            let place = (!out(g)).then_some(kept);
            kept += usize::from(place.is_some());
            place
        })
        .collect();
    world.pairs.retain_mut(|pair| match pair.geometries.map(|g| places[g]) {
        [Some(a), Some(b)] => {
            pair.geometries = [a, b];
            true
        }
        _ => false,
    });
    for drawn in &mut world.extras.drawn {
        drawn.before = places[..drawn.before].iter().flatten().count();
    }
    let mut place = places.iter();
    world.geometries.retain(|_| place.next().is_some_and(Option::is_some));
}

/// Lowest point of everything that moves and can touch, along the z axis of `plane` [m]. (2)
pub(super) fn lowest_point(world: &World, state: &State, plane: &Pose) -> Option<f64> {
    lowest_points(world, state, plane).into_iter().flatten().reduce(f64::min)
}

/// Lowest points of what can touch of every tree. (2)
pub(super) fn lowest_points(world: &World, state: &State, plane: &Pose) -> Vec<Option<f64>> {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, &state.q);
    let up = plane.rotation.rotate(Vec3::Z);
    let mut lows: Vec<Option<f64>> = vec![None; world.model.trees];
    for g in &world.geometries {
        let touches = g.group != 0 || g.mask != 0;
        let Some(body) = carrier(world, g.link).filter(|_| touches && !matches!(g.shape, Shape::Plane))
        else {
            continue;
        };
        let X_BL = g.link.map_or(Pose::IDENTITY, |l| world.model.links[l].X_BL);
        let X_WG = kin.X_WB[body] * X_BL * g.X_LG;
        let down = X_WG.rotation.conjugate().rotate(-up);
        let height = up.dot(X_WG.transform(g.shape.support(down)) - plane.translation);
        let low = &mut lows[world.model.bodies[body].tree];
        *low = Some(low.map_or(height, |l| l.min(height)));
    }
    lows
}
