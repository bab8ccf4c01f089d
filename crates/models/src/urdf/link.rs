//! <link>: mass, what can touch, what is drawn.

use super::gazebo::Gazebo;
use super::{Reader, geometry, material, origin};
use crate::error::LoadError;
use crate::meshes::parts;
use crate::xml::Element;
use stiction_dynamics::spatial::{Inertia, Sym3};
use stiction_world::inertia::triangle_excess;
use stiction_world::{Geometry, Visual};

/// A link as the file states it; geometries and visuals do not know its index yet.
pub(crate) struct UrdfLink<'d> {
    pub(crate) name: String,
    pub(crate) element: Element<'d>,
    pub(crate) inertia: Inertia,
    pub(crate) geometries: Vec<Geometry>,
    pub(crate) visuals: Vec<Visual>,
    /// The world, which joints hang on and no <link> states.
    pub(crate) is_world: bool,
}

impl<'d> UrdfLink<'d> {
    /// The world, for a file whose `joint` hangs on it.
    pub(crate) fn world(joint: Element<'d>) -> Self {
        let (name, geometries, visuals) = ("world".to_owned(), Vec::new(), Vec::new());
        Self { name, element: joint, inertia: Inertia::ZERO, geometries, visuals, is_world: true }
    }
}

pub(crate) fn read<'d>(
    reader: &mut Reader<'_>,
    element: Element<'d>,
    gazebo: &Gazebo<'_>,
) -> Result<UrdfLink<'d>, LoadError> {
    let name = element.require("name", "the name of the link")?.value().trim().to_owned();
    let inertia = match element.child("inertial")? {
        Some(inertial) => inertia(reader, inertial)?,
        None => Inertia::ZERO,
    };
    let surface = material::surface(element, &gazebo.get(name.as_str()).copied().unwrap_or_default())?;
    let mut geometries = Vec::new();
    for (i, collision) in element.children_named("collision").enumerate() {
        let X_LG = origin(collision)?;
        let rgba = reader.materials.colour(collision)?;
        let shapes = geometry::collision(reader, collision)?;
        let Some(shape) = shapes.first().cloned() else { continue };
        let material = material::of_collision(&surface, collision)?;
        let name = match collision.get("name") {
            Some(name) => name.value().to_owned(),
            None if i == 0 => name.clone(),
            None => format!("{name}_{i}"),
        };
        let (group, mask) = (1, 1);
        let first =
            Geometry { name, link: None, X_LG, shape, material, group, mask, continuous: false, rgba };
        geometries.extend(parts(first, shapes));
    }
    let mut visuals = Vec::new();
    for visual in element.children_named("visual") {
        let X_LV = origin(visual)?;
        let rgba = reader.materials.colour(visual)?;
        visual.get("name");
        if let Some(drawing) = geometry::visual(reader, visual)? {
            visuals.push(Visual { link: None, X_LV, drawing, rgba });
        }
    }
    Ok(UrdfLink { name, element, inertia, geometries, visuals, is_world: false })
}

/// Mass, centre and moments of inertia, the last in the axes of <inertial><origin>.
fn inertia(reader: &mut Reader<'_>, inertial: Element<'_>) -> Result<Inertia, LoadError> {
    let X_LI = origin(inertial)?;
    let mass = match inertial.child("mass")? {
        Some(mass) => mass.require("value", "the mass [kg]")?.not_negative()?,
        None => return Err(inertial.missing("<mass>", "<mass value=\"…\"/> [kg]")),
    };
    let Some(moments) = inertial.child("inertia")? else {
        if mass == 0.0 {
            return Ok(Inertia::ZERO);
        }
        return Err(inertial.missing("<inertia>", "<inertia ixx ixy ixz iyy iyz izz/> [kg·m²]"));
    };
    let moment = |name| moments.require(name, "a moment of inertia [kg·m²]")?.number();
    let about_com = Sym3 {
        xx: moment("ixx")?,
        yy: moment("iyy")?,
        zz: moment("izz")?,
        xy: moment("ixy")?,
        xz: moment("ixz")?,
        yz: moment("iyz")?,
    };
    let about_com = about_com.rotated(&X_LI.rotation.to_matrix());
    let inertia = Inertia::new(mass, X_LI.translation, about_com);
    if triangle_excess(&inertia) > 1e-6 {
        let message = "one principal moment of inertia is larger than the sum of the others: no body \
                       has this inertia";
        reader.warn(moments.place(), message);
    }
    Ok(inertia)
}
