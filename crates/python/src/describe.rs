//! Everything of a world that has a name, for Python to look up.

use crate::fields::full;
use crate::numbers::pose;
use crate::world::World;
use serde_json::{Value, json};
use stiction::collision::Shape;
use stiction::dynamics::JointKind;
use stiction::dynamics::spatial::{Inertia, Quat};
use stiction::world::{Custom, Dimension, Equality, Fate, Hold, TendonPath};

/// Tables by name, each a list of records in the order of their indices.
pub(crate) fn world(of: &World) -> Value {
    let world = &*of.world;
    let model = &world.model;
    let settings = &of.settings;
    json!({
        "name": of.name,
        "nq": model.nq,
        "nv": model.nv(),
        "gravity": model.gravity.to_array(),
        "duration": of.duration,
        "dt": settings.stepper.dt,
        "settings": {
            "contact": settings.contact,
            "contact_params": settings.contact_params,
            "tolerance": settings.tolerance,
            "max_iterations": settings.max_iterations,
            "threads": settings.threads,
            "stepper": settings.stepper,
        },
        "bodies": model.bodies.iter().map(|b| {
            let (position, quaternion) = pose(&b.X_PB);
            json!({
                "name": b.name, "parent": b.parent, "tree": b.tree, "position": position, "quaternion": quaternion,
                "mass": b.inertia.mass, "com": b.inertia.com().to_array(), "inertia": about_com(&b.inertia),
                "joints": [b.joints.start, b.joints.end], "dofs": [b.dofs.start, b.dofs.end],
            })
        }).collect::<Vec<_>>(),
        "links": model.links.iter().map(|l| {
            let (position, quaternion) = pose(&l.X_BL);
            json!({
                "name": l.name, "parent": l.parent, "body": l.body, "position": position, "quaternion": quaternion,
                "mass": l.inertia.mass, "com": l.inertia.com().to_array(), "inertia": about_com(&l.inertia),
            })
        }).collect::<Vec<_>>(),
        "joints": model.joints.iter().map(|j| json!({
            "name": j.name, "kind": kind(j.kind), "body": j.body, "axis": j.axis.to_array(),
            "anchor": j.anchor.to_array(), "pitch": j.pitch, "reference": j.reference, "limit": j.limit,
            "stiffness": j.stiffness, "spring_rest": j.spring_rest,
            "q": [j.idx_q, j.idx_q + j.kind.nq()], "v": [j.idx_v, j.idx_v + j.kind.nv()],
        })).collect::<Vec<_>>(),
        "geometries": world.geometries.iter().map(|g| {
            let (body, X_BG) = world.mount(g.link, g.X_LG);
            let (position, quaternion) = pose(&X_BG);
            json!({
                "name": g.name, "link": g.link, "body": body, "position": position, "quaternion": quaternion,
                "shape": shape(&g.shape), "friction": g.material.friction, "restitution": g.material.restitution,
                "group": g.group, "mask": g.mask, "rgba": g.rgba, "spinning": g.material.spinning,
                "rolling": g.material.rolling, "condim": condim(g.material.dimension), "margin": g.material.margin,
                "solref": g.material.softness.reference, "solimp": g.material.softness.impedance,
            })
        }).collect::<Vec<_>>(),
        "drawn": world.extras.drawn.iter().map(|g| {
            let (body, X_BG) = world.mount(g.link, g.X_LG);
            let (position, quaternion) = pose(&X_BG);
            json!({
                "name": g.name, "link": g.link, "body": body, "position": position, "quaternion": quaternion,
                "shape": g.shape.as_ref().map_or_else(|| json!({ "kind": "mesh" }), shape), "rgba": g.rgba, "before": g.before,
            })
        }).collect::<Vec<_>>(),
        "numeric": world.extras.custom.iter().filter_map(|c| match c {
            Custom::Numeric { name, data } => Some(json!({ "name": name, "data": data })),
            _ => None,
        }).collect::<Vec<_>>(),
        "mocap": world.extras.mocap,
        "inertial_axes": world.extras.inertial_axes.iter().map(|q| q.map(Quat::to_array)).collect::<Vec<_>>(),
        "key_times": world.extras.key_times,
        "equalities": world.equalities().iter().map(|e| match e {
            Equality::Loop(l) => json!({ "name": world.loops[*l].name, "loop": l, "active": world.loops[*l].active }),
            Equality::Coupling(c, active) => json!({ "name": c.name, "loop": null, "active": active }),
        }).collect::<Vec<_>>(),
        "drive_limits": world.drive_limits.iter().map(|l| json!({
            "effort": l.effort.map(|e| e.map(finite)), "velocity": l.velocity,
        })).collect::<Vec<_>>(),
        "actuators": world.actuators.iter().map(|a| json!({
            "name": a.name, "transmission": a.transmission, "gain": a.law.gain, "bias": a.law.bias,
            "bias_length": a.law.bias_length, "bias_velocity": a.law.bias_velocity,
            "effort_limit": a.effort_limit.map(|l| l.map(finite)), "control_limit": a.control_limit.map(|l| l.map(finite)),
        })).collect::<Vec<_>>(),
        "sites": world.extras.sites.iter().map(|s| {
            let (body, X_BS) = world.mount(s.link, s.X_LS);
            let (position, quaternion) = pose(&X_BS);
            json!({ "name": s.name, "link": s.link, "body": body, "position": position, "quaternion": quaternion,
                    "shape": s.shape, "size": s.size })
        }).collect::<Vec<_>>(),
        "cameras": world.extras.cameras.iter().map(|c| {
            let (body, X_BC) = world.mount(c.link, c.X_LC);
            let (position, quaternion) = pose(&X_BC);
            json!({ "name": c.name, "link": c.link, "body": body, "position": position, "quaternion": quaternion,
                    "field_of_view": c.field_of_view, "resolution": c.resolution, "obstacle": c.obstacle })
        }).collect::<Vec<_>>(),
        "sensors": world.extras.sensors.iter().zip(columns(of)).map(|(s, columns)| json!({
            "name": s.name, "kind": s.kind, "of": s.of, "cutoff": s.cutoff, "noise": s.noise, "columns": columns,
        })).collect::<Vec<_>>(),
        "tendons": world.tendons.iter().map(|t| json!({
            "name": t.name, "terms": t.terms(), "spatial": matches!(t.path, TendonPath::Spatial(_)),
            "stiffness": t.stiffness, "damping": t.damping, "limit": t.limit,
        })).collect::<Vec<_>>(),
        "couplings": world.couplings.iter().map(|c| json!({
            "name": c.name, "terms": c.terms, "offset": c.offset,
        })).collect::<Vec<_>>(),
        "loops": world.loops.iter().map(|l| json!({
            "name": l.name, "holds": hold(l.hold), "active": l.active, "links": [l.ends[0].0, l.ends[1].0],
        })).collect::<Vec<_>>(),
        "loop_frames": world.loops.iter().map(|l| json!({
            "poses": l.ends.map(|(_, X)| pose(&X)), "torque_scale": l.torque_scale,
        })).collect::<Vec<_>>(),
        "keyframes": world.keyframes.iter().map(|k| json!({
            "name": k.name, "q": k.q, "v": k.v, "control": k.control,
        })).collect::<Vec<_>>(),
        "ledger": world.ledger.entries.iter().filter(|e| !matches!(e.fate, Fate::Used)).map(|e| json!({
            "fate": format!("{:?}", e.fate).to_lowercase(), "what": e.what, "count": e.count,
            "place": e.first.to_string(), "note": e.note,
        })).collect::<Vec<_>>(),
        "warnings": world.ledger.warnings.iter().map(|(place, text)| format!("{place}: {text}")).collect::<Vec<_>>(),
    })
}

/// Where the numbers of every sensor are, side by side; none of those that are not offered.
fn columns(of: &World) -> Vec<Option<[usize; 2]>> {
    let mut end = 0;
    let mut next = |width: usize| {
        end += width;
        [end - width, end]
    };
    of.readings().iter().map(|r| r.as_ref().ok().map(|r| next(r.kind.width()))).collect()
}

/// JSON has no infinity: nothing there.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn about_com(I: &Inertia) -> [f64; 9] {
    full(&I.about_com())
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Hinge => "hinge",
        JointKind::Slide => "slide",
        JointKind::Screw => "screw",
        JointKind::Ball => "ball",
        JointKind::Free => "free",
    }
}

fn hold(hold: Hold) -> &'static str {
    match hold {
        Hold::Point => "point",
        Hold::Frame => "frame",
        Hold::Hinge => "hinge",
        Hold::Slide => "slide",
        Hold::Distance(_) => "distance",
        Hold::KnifeEdge => "knife edge",
    }
}

/// MuJoCo's number of the directions that a contact resists in.
fn condim(dimension: Dimension) -> i32 {
    match dimension {
        Dimension::Normal => 1,
        Dimension::Sliding => 3,
        Dimension::Spinning => 4,
        Dimension::Rolling => 6,
    }
}

/// Kind and sizes; meshes say how large they are.
fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Plane => json!({ "kind": "plane" }),
        Shape::Sphere { radius } => json!({ "kind": "sphere", "radius": radius }),
        Shape::Box { half } => json!({ "kind": "box", "half": half.to_array() }),
        Shape::Capsule { radius, half_length } => {
            json!({ "kind": "capsule", "radius": radius, "half_length": half_length })
        }
        Shape::Cylinder { radius, half_length } => {
            json!({ "kind": "cylinder", "radius": radius, "half_length": half_length })
        }
        Shape::Ellipsoid { radii } => json!({ "kind": "ellipsoid", "radii": radii.to_array() }),
        Shape::Cone { radius, half_height } => {
            json!({ "kind": "cone", "radius": radius, "half_height": half_height })
        }
        Shape::Convex(mesh) => json!({ "kind": "convex", "faces": mesh.faces().len() }),
        Shape::HeightField(_) => json!({ "kind": "heightfield" }),
        Shape::Mesh(_) => json!({ "kind": "mesh" }),
    }
}
