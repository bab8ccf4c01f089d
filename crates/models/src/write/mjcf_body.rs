//! <asset> and <worldbody>: bodies, joints, inertias, shapes and drawings.

use super::files::triangles_of;
use super::mjcf_writer::Writer;
use super::tree::{Branch, losses, moments};
use stiction_collision::{HeightField, Shape};
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Pose, Vec3, vec3};
use stiction_world::HydroelasticKind;
use stiction_world::{Compliance, Dimension, Material, Mixing, Softness};
use stiction_world::{Drawing, Geometry};

pub(crate) const NO_BOUNCE: &str = "MJCF has no restitution: impacts do not bounce";
/// Stands for no bound, which MJCF cannot say of one side only.
const UNBOUNDED: f64 = 1e10;

/// Assets that geoms need beside the tree: meshes and height fields by name.
#[derive(Default)]
pub(crate) struct Bodies {
    /// Name of the asset of every geometry and visual, if it needs one.
    shapes: Vec<Option<String>>,
    drawings: Vec<Option<String>>,
    /// Meshes by name and file.
    meshes: Vec<(String, String)>,
    /// Height fields by name, with the index of the geometry.
    fields: Vec<(String, usize)>,
    /// Geometries and visuals by link; the last for the world.
    geometries: Vec<Vec<usize>>,
    visuals: Vec<Vec<usize>>,
}

impl Bodies {
    pub(crate) fn new(w: &mut Writer<'_>, branches: &[Branch]) -> Self {
        let world = w.world;
        let links = world.model.links.len();
        let mut b = Self {
            geometries: vec![Vec::new(); links + 1],
            visuals: vec![Vec::new(); links + 1],
            ..Self::default()
        };
        debug_assert_eq!(branches.len(), links);
        for (i, g) in world.geometries.iter().enumerate() {
            b.geometries[g.link.unwrap_or(links)].push(i);
            let asset = match &g.shape {
                Shape::HeightField(_) => {
                    b.fields.push((format!("field{i}"), i));
                    Some(format!("field{i}"))
                }
                shape => triangles_of(shape).map(|t| b.mesh(w.meshes.path(&t, &w.geoms[i]))),
            };
            let note = match g.shape {
                Shape::Cone { .. } => Some("cones are hulls of 64 sides now"),
                Shape::Mesh(_) => Some("MJCF meshes touch as their hull: hollows are filled"),
                _ => None,
            };
            if let Some(note) = note {
                w.notes.note(note, &w.geoms[i]);
            }
            b.shapes.push(asset);
        }
        for (i, v) in world.visuals.iter().enumerate() {
            b.visuals[v.link.unwrap_or(links)].push(i);
            let triangles = match &v.drawing {
                Drawing::Mesh { vertices, triangles } => Some((vertices.clone(), triangles.clone())),
                Drawing::Shape(shape) => triangles_of(shape),
            };
            let after = || v.link.map_or("world", |l| &world.model.links[l].name);
            let drawing = triangles.map(|t| b.mesh(w.meshes.path(&t, after())));
            b.drawings.push(drawing);
        }
        b
    }

    /// The name of the mesh in `file`.
    fn mesh(&mut self, file: String) -> String {
        if let Some((name, _)) = self.meshes.iter().find(|(_, f)| *f == file) {
            return name.clone();
        }
        let stem = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".obj").to_owned();
        self.meshes.push((stem.clone(), file));
        stem
    }

    pub(crate) fn assets(&self, w: &mut Writer<'_>) {
        if self.meshes.is_empty() && self.fields.is_empty() {
            return;
        }
        w.xml.open("asset");
        for (name, file) in &self.meshes {
            // Inertias are stated: a shell is asked for because any surface has one.
            w.xml
                .open("mesh")
                .attribute("name", name)
                .attribute("file", file)
                .attribute("inertia", "shell")
                .close();
        }
        for (name, geometry) in &self.fields {
            let Shape::HeightField(field) = &w.world.geometries[*geometry].shape else { continue };
            let (lowest, range) = range_of(field);
            let [x, y] = field.size();
            let elevation: Vec<f64> = field.heights().iter().map(|h| (h - lowest) / range).collect();
            w.xml.open("hfield").attribute("name", name);
            w.xml.attribute("nrow", &field.rows().to_string()).attribute("ncol", &field.cols().to_string());
            w.xml.numbers("size", &[0.5 * x, 0.5 * y, range, lowest - field.bottom()]);
            w.xml.numbers("elevation", &elevation).close();
        }
        w.xml.close();
    }

    /// Writes everything that is fixed to the world, then all bodies.
    pub(crate) fn tree(&self, w: &mut Writer<'_>, branches: &[Branch]) {
        self.geoms(w, branches.len());
        let mut open = 0;
        for branch in branches {
            while open > branch.depth {
                w.xml.close();
                open -= 1;
            }
            let link = &w.world.model.links[branch.link];
            w.xml.open("body").attribute("name", &w.bodies[branch.link]);
            let carried = w.world.gravity_compensation.iter().filter(|c| c.0 == branch.link);
            w.xml.unless("gravcomp", carried.map(|c| c.1).sum(), 0.0);
            open += 1;
            place(w, &branch.X_PL);
            let inertia = link.inertia;
            if inertia.mass > 0.0 {
                w.xml.open("inertial").numbers("pos", &inertia.com().to_array()).number("mass", inertia.mass);
                match moments(&inertia) {
                    [xx, yy, zz, 0.0, 0.0, 0.0] => w.xml.numbers("diaginertia", &[xx, yy, zz]),
                    full => w.xml.numbers("fullinertia", &full),
                };
                w.xml.close();
            } else if !branch.joints.is_empty() {
                w.notes.note("MuJoCo refuses bodies that move and have no mass", &w.bodies[branch.link]);
            }
            branch.joints.iter().for_each(|&j| joint(w, j));
            self.geoms(w, branch.link);
        }
        for _ in 0..open {
            w.xml.close();
        }
    }

    fn geoms(&self, w: &mut Writer<'_>, link: usize) {
        let world = w.world;
        for &i in &self.geometries[link] {
            let g = &world.geometries[i];
            w.xml.open("geom").attribute("name", &w.geoms[i]);
            let lifted = match &g.shape {
                Shape::HeightField(field) => g.X_LG * Pose::from_translation(Vec3::Z * range_of(field).0),
                _ => g.X_LG,
            };
            shape(w, &g.shape, self.shapes[i].as_deref());
            place(w, &lifted);
            surface(w, g);
            rgba(w, g.rgba);
            w.xml.close();
            if g.group == 0 && g.mask == 0 && !world.pairs.iter().any(|p| p.geometries.contains(&i)) {
                w.notes.note("shapes that touch nothing are only drawn now", &w.geoms[i]);
            }
        }
        for &i in &self.visuals[link] {
            let v = &world.visuals[i];
            w.xml.open("geom");
            match &v.drawing {
                Drawing::Shape(drawn) => shape(w, drawn, self.drawings[i].as_deref()),
                Drawing::Mesh { .. } => {
                    let mesh = self.drawings[i].as_deref().unwrap_or_default();
                    w.xml.attribute("type", "mesh").attribute("mesh", mesh);
                }
            }
            place(w, &v.X_LV);
            w.xml.attribute("contype", "0").attribute("conaffinity", "0").attribute("group", "2");
            rgba(w, v.rgba);
            w.xml.close();
        }
    }
}

/// Lowest height, and how far above it the highest is (1 where all are equal).
fn range_of(field: &HeightField) -> (f64, f64) {
    let lowest = field.heights().iter().copied().fold(f64::INFINITY, f64::min);
    let highest = field.heights().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (lowest, if highest > lowest { highest - lowest } else { 1.0 })
}

/// `pos` and `quat`, where they are not those of the frame around.
fn place(w: &mut Writer<'_>, X: &Pose) {
    if X.translation != Vec3::ZERO {
        w.xml.numbers("pos", &X.translation.to_array());
    }
    let quat = X.rotation.to_array();
    if quat != [1.0, 0.0, 0.0, 0.0] {
        w.xml.numbers("quat", &quat);
    }
}

fn rgba(w: &mut Writer<'_>, rgba: [f32; 4]) {
    // As short as an f32 is, not as long as the f64 beside it.
    w.xml.attribute("rgba", &rgba.map(|x| x.to_string()).join(" "));
}

fn shape(w: &mut Writer<'_>, shape: &Shape, asset: Option<&str>) {
    let xml = &mut w.xml;
    match shape {
        Shape::Plane => xml.attribute("type", "plane").attribute("size", "0 0 1"),
        Shape::Sphere { radius } => xml.attribute("type", "sphere").number("size", *radius),
        Shape::Box { half } => xml.attribute("type", "box").numbers("size", &half.to_array()),
        Shape::Capsule { radius, half_length } => {
            xml.attribute("type", "capsule").numbers("size", &[*radius, *half_length])
        }
        Shape::Cylinder { radius, half_length } => {
            xml.attribute("type", "cylinder").numbers("size", &[*radius, *half_length])
        }
        Shape::Ellipsoid { radii } => xml.attribute("type", "ellipsoid").numbers("size", &radii.to_array()),
        Shape::HeightField(_) => {
            xml.attribute("type", "hfield").attribute("hfield", asset.unwrap_or_default())
        }
        Shape::Cone { .. } | Shape::Convex(_) | Shape::Mesh(_) => {
            xml.attribute("type", "mesh").attribute("mesh", asset.unwrap_or_default())
        }
    };
}

pub(crate) fn condim(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Normal => "1",
        Dimension::Sliding => "3",
        Dimension::Spinning => "4",
        Dimension::Rolling => "6",
    }
}

/// Friction, layers, and who meets whom.
fn surface(w: &mut Writer<'_>, g: &Geometry) {
    // MuJoCo's bits are signed.
    w.xml.attribute("contype", &(g.group as i32).to_string());
    w.xml.attribute("conaffinity", &(g.mask as i32).to_string());
    let Material {
        friction,
        grain,
        mixing,
        spinning,
        rolling,
        restitution,
        priority,
        dimension,
        margin,
        gap,
        softness,
        compliance,
        static_friction,
        hydroelastic,
    } = g.material;
    w.xml.numbers("friction", &[friction, spinning, rolling]).attribute("condim", condim(dimension));
    if priority != 0 {
        w.xml.attribute("priority", &priority.to_string());
    }
    w.xml.unless("margin", margin, 0.0).unless("gap", gap, 0.0);
    if softness != Softness::default() {
        w.xml.numbers("solref", &softness.reference).numbers("solimp", &softness.impedance);
        w.xml.unless("solmix", softness.mix, 1.0);
    }
    if mixing > Mixing::Larger {
        w.notes.note("of two surfaces MuJoCo takes the larger friction", g.name.clone());
    }
    if grain.is_some() {
        w.notes.note(
            "MJCF surfaces have no axis along which they slip: the friction along it counts",
            g.name.clone(),
        );
    }
    if compliance != Compliance::default() {
        w.notes.note("MJCF surfaces have no stiffness in N/m", g.name.clone());
    }
    if hydroelastic.kind != HydroelasticKind::None {
        w.notes.note("MJCF surfaces touch in points, not by pressure", g.name.clone());
    }
    if static_friction.is_some() {
        w.notes.note(
            "MJCF surfaces have one coefficient of friction: that of what slides counts",
            g.name.clone(),
        );
    }
    if restitution != 0.0 {
        w.notes.note(NO_BOUNCE, g.name.clone());
    }
}

fn joint(w: &mut Writer<'_>, j: usize) {
    let (world, name) = (w.world, w.joints[j].clone());
    let joint = &world.model.joints[j];
    let [armature, damping, friction] = losses(&world.model, joint);
    let kind = match joint.kind {
        JointKind::Hinge | JointKind::Screw => "hinge",
        JointKind::Slide => "slide",
        JointKind::Ball => "ball",
        JointKind::Free => "free",
    };
    w.xml.open("joint").attribute("name", &name).attribute("type", kind);
    let scalar = joint.kind.is_scalar();
    if joint.kind != JointKind::Free && joint.anchor != Vec3::ZERO {
        w.xml.numbers("pos", &joint.anchor.to_array());
    }
    if scalar {
        w.xml.numbers("axis", &joint.axis.to_array()).unless("ref", joint.reference, 0.0);
    }
    match joint.limit {
        Some([lo, hi]) => {
            let bounded = |x: f64| x.clamp(-UNBOUNDED, UNBOUNDED);
            if !(lo.is_finite() && hi.is_finite()) {
                w.notes.note("a limit on one side only has 1e10 on the other now", &name);
            }
            w.xml.attribute("limited", "true").numbers("range", &[bounded(lo), bounded(hi)]);
        }
        None if joint.kind != JointKind::Free => {
            w.xml.attribute("limited", "false");
        }
        None => {}
    }
    w.xml.unless("stiffness", joint.stiffness, 0.0);
    if joint.stiffness != 0.0 && scalar {
        w.xml.number("springref", joint.spring_rest);
    }
    w.xml.unless("armature", armature, 0.0).unless("damping", damping, 0.0).unless(
        "frictionloss",
        friction,
        0.0,
    );
    let limit = world.drive_limits.get(joint.idx_v).copied().unwrap_or_default();
    if let Some(range) = limit.effort {
        if scalar && range[0] < range[1] {
            w.xml.attribute("actuatorfrclimited", "true").numbers("actuatorfrcrange", &range);
        } else {
            w.notes.note("a limit of effort that MJCF cannot say is left out", &name);
        }
    }
    if limit.velocity.is_some() {
        w.notes.note("MJCF has no limits of the speed of drives", &name);
    }
    if world.model.dofs[joint.idx_v].rate.is_some() {
        w.notes.note("MJCF has no prescribed rates", &name);
    }
    w.xml.close();
    if joint.kind == JointKind::Screw {
        w.notes.note("screws are a hinge and a slide now, coupled by an equality", &name);
        let travel = joint.axis.normalized().unwrap_or(vec3(0.0, 0.0, 1.0));
        w.xml.open("joint").attribute("name", &format!("{name}_travel")).attribute("type", "slide");
        w.xml.numbers("axis", &travel.to_array()).attribute("limited", "false").close();
    }
}
