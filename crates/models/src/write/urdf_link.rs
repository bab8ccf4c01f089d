//! Links of URDF: inertia, shapes, drawings and surfaces.

use super::files::triangles_of;
use super::tree::moments;
use super::urdf_writer::Writer;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Vec3};
use stiction_world::Drawing;
use stiction_world::{Dimension, Material};
use stiction_world::{Hydroelastic, HydroelasticKind};

/// Half sides of the box that stands for a plane [m].
const GROUND: [f64; 3] = [500.0, 500.0, 0.5];

/// Everything in the <link> of the model's `link`, or of the world itself.
pub(crate) fn write(w: &mut Writer<'_>, name: &str, link: Option<usize>) {
    let world = w.world;
    w.xml.open("link").attribute("name", name);
    if let Some(link) = link.and_then(|l| world.model.links.get(l)) {
        inertial(w, &link.inertia);
    }
    let of_link: Vec<usize> =
        world.geometries.iter().enumerate().filter(|(_, g)| g.link == link).map(|(i, _)| i).collect();
    for &i in &of_link {
        let g = &world.geometries[i];
        w.xml.open("collision").attribute("name", &w.geoms[i]);
        let sunk = matches!(g.shape, Shape::Plane).then_some(Pose::from_translation(Vec3::Z * -GROUND[2]));
        origin(w, &(g.X_LG * sunk.unwrap_or(Pose::IDENTITY)));
        let after = w.geoms[i].clone();
        geometry(w, &g.shape, &after);
        proximity(w, &g.material);
        w.xml.close();
        if (g.group, g.mask) != (1, 1) {
            w.notes.note("URDF has no groups of shapes: who meets whom follows from links alone", &after);
        }
    }
    for v in world.visuals.iter().filter(|v| v.link == link) {
        w.xml.open("visual");
        origin(w, &v.X_LV);
        match &v.drawing {
            Drawing::Shape(shape) => geometry(w, shape, name),
            Drawing::Mesh { vertices, triangles } => {
                let path = w.meshes.path(&(vertices.clone(), triangles.clone()), name);
                w.xml.open("geometry").open("mesh").attribute("filename", &path).close().close();
            }
        }
        let rgba = v.rgba.map(|x| x.to_string()).join(" ");
        w.xml.open("material").attribute("name", &format!("rgba {rgba}"));
        w.xml.open("color").attribute("rgba", &rgba).close().close();
        w.xml.close();
    }
    if let Some(&first) = of_link.first() {
        let material = world.geometries[first].material;
        surface(w, name, &material);
        if of_link.iter().any(|&i| world.geometries[i].material != material) {
            w.notes.note("URDF knows one surface per link: that of the first shape", name);
        }
    }
    w.xml.close();
}

fn inertial(w: &mut Writer<'_>, inertia: &Inertia) {
    if inertia.mass <= 0.0 {
        return;
    }
    w.xml.open("inertial");
    w.xml.open("origin").numbers("xyz", &inertia.com().to_array()).close();
    w.xml.open("mass").number("value", inertia.mass).close();
    w.xml.open("inertia");
    for (name, moment) in ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].into_iter().zip(moments(inertia)) {
        w.xml.number(name, moment);
    }
    w.xml.close().close();
}

/// <origin>, where it is not that of the element around.
pub(crate) fn origin(w: &mut Writer<'_>, X: &Pose) {
    let (moved, turned) = (X.translation != Vec3::ZERO, X.rotation != Quat::IDENTITY);
    if !moved && !turned {
        return;
    }
    w.xml.open("origin").numbers("xyz", &X.translation.to_array());
    if turned {
        w.xml.numbers("rpy", &rpy(X.rotation));
    }
    w.xml.close();
}

/// Roll, pitch, yaw of a rotation. The roll is what the other two leave, so that their noise near pitch ±π/2,
/// where all turn about few lines, cancels.
pub(crate) fn rpy(q: Quat) -> [f64; 3] {
    let m = q.to_matrix().rows;
    let yaw = m[1].x.atan2(m[0].x);
    let pitch = (-m[2].x).atan2(m[0].x.hypot(m[1].x));
    let rest = (Quat::from_rpy(0.0, pitch, yaw).conjugate() * q).to_matrix().rows;
    [rest[2].y.atan2(rest[1].y), pitch, yaw]
}

fn geometry(w: &mut Writer<'_>, shape: &Shape, after: &str) {
    let twice = |x: &f64| 2.0 * x;
    w.xml.open("geometry");
    match shape {
        Shape::Plane => {
            w.notes.note("planes are boxes of 1 km now", after);
            w.xml.open("box").numbers("size", &GROUND.map(|x| 2.0 * x));
        }
        Shape::Sphere { radius } => {
            w.xml.open("sphere").number("radius", *radius);
        }
        Shape::Box { half } => {
            w.xml.open("box").numbers("size", &half.to_array().map(|x| 2.0 * x));
        }
        Shape::Cylinder { radius, half_length } => {
            w.xml.open("cylinder").number("radius", *radius).number("length", twice(half_length));
        }
        Shape::Capsule { radius, half_length } => {
            w.notes.note("capsules are an extension of URDF that not all programs read", after);
            w.xml.open("capsule").number("radius", *radius).number("length", twice(half_length));
        }
        Shape::Ellipsoid { radii } => {
            w.notes.note("ellipsoids are an extension of URDF that not all programs read", after);
            w.xml.open("drake:ellipsoid").number("a", radii.x).number("b", radii.y).number("c", radii.z);
        }
        Shape::Cone { .. } | Shape::Convex(_) | Shape::HeightField(_) | Shape::Mesh(_) => {
            let note = match shape {
                Shape::Cone { .. } => Some("cones are hulls of 64 sides now"),
                Shape::HeightField(_) | Shape::Mesh(_) => {
                    Some("meshes touch as their hull: hollows are filled")
                }
                _ => None,
            };
            if let Some(note) = note {
                w.notes.note(note, after);
            }
            let triangles = triangles_of(shape).unwrap_or_default();
            let path = w.meshes.path(&triangles, after);
            w.xml.open("mesh").attribute("filename", &path);
        }
    }
    w.xml.close().close();
}

/// Drake's words of what touches by pressure.
fn proximity(w: &mut Writer<'_>, m: &Material) {
    let Hydroelastic { kind, modulus, resolution, thickness: _ } = m.hydroelastic;
    let word = match kind {
        HydroelasticKind::None => return,
        HydroelasticKind::Rigid => "drake:rigid_hydroelastic",
        HydroelasticKind::Compliant => "drake:compliant_hydroelastic",
    };
    w.xml.open("drake:proximity_properties").open(word).close();
    w.xml.open("drake:hydroelastic_modulus").number("value", modulus).close();
    if let Some(edge) = resolution {
        w.xml.open("drake:mesh_resolution_hint").number("value", edge).close();
    }
    if let Some(dissipation) = m.compliance.dissipation {
        w.xml.open("drake:hunt_crossley_dissipation").number("value", dissipation).close();
    }
    w.xml.close();
}

/// Bullet's <contact>.
fn surface(w: &mut Writer<'_>, link: &str, m: &Material) {
    let default = Material::default();
    let frictional = m.dimension != Dimension::Normal;
    w.xml.open("contact");
    let friction = if frictional { m.friction } else { 0.0 };
    w.xml.open("lateral_friction").number("value", friction).close();
    if m.dimension >= Dimension::Spinning {
        w.xml.open("spinning_friction").number("value", m.spinning).close();
    }
    if m.dimension >= Dimension::Rolling {
        w.xml.open("rolling_friction").number("value", m.rolling).close();
    }
    if m.restitution != 0.0 {
        w.xml.open("restitution").number("value", m.restitution).close();
    }
    w.xml.close();
    if m.grain.is_some() {
        w.notes.note("URDF surfaces have no axis along which they slip: the friction along it counts", link);
    }
    if m.mixing > default.mixing {
        w.notes.note("of two surfaces the larger friction counts where a URDF states it like this", link);
    }
    if m.priority != 0
        || m.margin != 0.0
        || m.gap != 0.0
        || m.softness != default.softness
        || m.compliance != default.compliance
    {
        w.notes.note("URDF surfaces have no priority, margin or softness", link);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_give_the_rotation_back_even_at_the_poles() {
        use std::f64::consts::FRAC_PI_2;
        for [r, p, y] in [
            [0.3, -0.7, 2.9],
            [1.0, FRAC_PI_2, -0.4],
            [0.2, -FRAC_PI_2 + 1e-9, 3.0],
            [-3.1, FRAC_PI_2 - 1e-7, 0.0],
            [0.0, 3.0, 0.0],
        ] {
            let q = Quat::from_rpy(r, p, y);
            let [a, b, c] = rpy(q);
            let apart = (q.conjugate() * Quat::from_rpy(a, b, c)).log();
            assert!(apart.norm() < 1e-15, "{r} {p} {y}: {apart:?}");
        }
    }
}
