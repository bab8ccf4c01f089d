//! <link>: mass, what can touch, what is drawn.

use super::pose::{not_negative, number, pose, relative_to, switch, truth};
use super::scope::{Base, Part};
use super::{Reader, geometry, material};
use crate::audit::AS_WITHOUT;
use crate::error::LoadError;
use crate::meshes::parts;
use crate::words::shortened;
use crate::xml::Element;
use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3};
use stiction_world::Fate;
use stiction_world::inertia::{scaled, triangle_excess};
use stiction_world::{Geometry, Visual};

/// Water, which the specification takes where no density is stated [kg/m³].
const WATER: f64 = 1000.0;

/// A link as the file states it; geometries and visuals do not know its index yet.
pub(crate) struct SdfLink<'d> {
    pub(crate) name: String,
    pub(crate) element: Element<'d>,
    pub(crate) X_WL: Pose,
    pub(crate) inertia: Inertia,
    pub(crate) geometries: Vec<Geometry>,
    pub(crate) visuals: Vec<Visual>,
    /// It stands still.
    pub(crate) fixed: bool,
    pub(crate) self_collide: bool,
    /// Gravity pulls at it.
    pub(crate) weighs: bool,
    /// The outermost model it belongs to.
    pub(crate) model: usize,
}

pub(crate) fn read<'d>(reader: &mut Reader<'_, 'd>, part: &Part<'d>) -> Result<SdfLink<'d>, LoadError> {
    let (element, scope) = (part.element, reader.scopes.scope(part.site.scope));
    let (model, self_collide) = (scope.top, scope.self_collide);
    let fixed = scope.fixed;
    let self_collide = switch(element, "self_collide")?.unwrap_or(self_collide);
    let weighs = switch(element, "gravity")?.unwrap_or(true);
    let X_WL = reader.places.frame(part.frame);
    let inertial = element.child("inertial")?;
    let auto = inertial.and_then(|i| i.get("auto")).map_or(Ok(false), truth)?;
    let density = inertial.filter(|_| auto).map_or(Ok(WATER), |i| density_of(i, WATER))?;
    // As dense as they are, and all alike.
    let (mut geometries, mut of_shapes) = (Vec::new(), [Inertia::ZERO; 2]);
    for collision in element.children_named("collision") {
        let name = collision.require("name", "the name of the collision")?.value().trim();
        let X_LG = pose_in(reader, part, X_WL, collision)?;
        let Some(solid) = geometry::collision(reader, collision, fixed)? else { continue };
        if auto && let Some(inertia) = solid.inertia {
            let density = density_of(collision, density)?;
            let turn = X_LG.rotation.to_matrix();
            let inertia = inertia.transformed(&turn, X_LG.translation);
            of_shapes[0] += scaled(&inertia, density);
            of_shapes[1] += inertia;
        }
        let surface = material::surface(reader, part, collision, solid.X_CG.rotation)?;
        let rgba = material::GREY;
        let (name, X_LG) = (format!("{}::{name}", part.name), X_LG * solid.X_CG);
        let (group, mask) = (surface.category, surface.collides);
        let material = surface.material;
        let Some(shape) = solid.shapes.first().cloned() else { continue };
        let first =
            Geometry { name, link: None, X_LG, shape, material, group, mask, continuous: false, rgba };
        geometries.extend(parts(first, solid.shapes));
    }
    let inertia = match inertial {
        _ if auto => auto_inertia(reader, inertial, of_shapes, element)?,
        Some(inertial) => inertia(reader, inertial)?,
        // What stands still needs no mass.
        None if fixed => Inertia::ZERO,
        None => {
            let message = format!(
                "the link `{}` states no <inertial>: the specification's 1 kg and 1 kg·m² are taken",
                part.name
            );
            reader.warn(element.place(), message);
            Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0))
        }
    };
    let mut visuals = Vec::new();
    for visual in element.children_named("visual") {
        if visual.get("name").is_none() {
            reader.warn(visual.place(), "a <visual> without a name, which the specification wants");
        }
        let X_LV = pose_in(reader, part, X_WL, visual)?;
        let rgba = material::colour(visual)?;
        if let Some((drawing, X_VG)) = geometry::visual(reader, visual)? {
            visuals.push(Visual { link: None, X_LV: X_LV * X_VG, drawing, rgba });
        }
    }
    warn_of_unsimulated(reader, part)?;
    warn_of_shared_names(reader, element);
    let name = part.name.clone();
    Ok(SdfLink { name, element, X_WL, inertia, geometries, visuals, fixed, self_collide, weighs, model })
}

/// Collisions and visuals of one link have names of their own, by the specification.
fn warn_of_shared_names(reader: &mut Reader<'_, '_>, link: Element<'_>) {
    for kind in ["collision", "visual"] {
        let mut seen = std::collections::BTreeSet::new();
        for name in link.children_named(kind).filter_map(|e| e.peek("name")) {
            if !seen.insert(name.value().trim().to_owned()) {
                let called = shortened(name.value().trim());
                reader.warn(name.place(), format!("a second <{kind}> of this link is called `{called}`"));
            }
        }
    }
}

/// Pose in the link of a <collision> or <visual>, stated in the link or in a frame of its model.
pub(crate) fn pose_in(
    reader: &Reader<'_, '_>,
    part: &Part<'_>,
    X_WL: Pose,
    of: Element<'_>,
) -> Result<Pose, LoadError> {
    let stated = pose(of)?;
    match relative_to(of, part.site.version)? {
        None => Ok(stated),
        Some(named) => {
            let base: Base = reader.scopes.find(part.site, named)?;
            let X_WB = reader.places.spot(&reader.scopes, (part.site.scope, base));
            Ok(X_WL.inverse() * X_WB * stated)
        }
    }
}

fn density_of(of: Element<'_>, default: f64) -> Result<f64, LoadError> {
    super::pose::value(of, "density")?.map_or(Ok(default), |v| v.not_negative())
}

/// Mass, centre and moments of inertia, the last in the axes of <inertial><pose>; what is left out is as the
/// specification says, 1 kg and 1 kg·m².
fn inertia(reader: &mut Reader<'_, '_>, inertial: Element<'_>) -> Result<Inertia, LoadError> {
    let X_LI = pose(inertial)?;
    let mass = not_negative(inertial, "mass", 1.0)?;
    let (diagonal, off) = (1.0, 0.0);
    let about_com = match inertial.child("inertia")? {
        None => {
            let message = "no <inertia>: the specification's 1 kg·m² about every axis is taken";
            reader.warn(inertial.place(), message);
            Sym3::diagonal(diagonal, diagonal, diagonal)
        }
        Some(moments) => Sym3 {
            xx: number(moments, "ixx", diagonal)?,
            yy: number(moments, "iyy", diagonal)?,
            zz: number(moments, "izz", diagonal)?,
            xy: number(moments, "ixy", off)?,
            xz: number(moments, "ixz", off)?,
            yz: number(moments, "iyz", off)?,
        },
    };
    if let Some(added) = inertial.child("fluid_added_mass")? {
        added.mark(Fate::Unsupported, "no fluid surrounds the links");
    }
    let inertia = Inertia::new(mass, X_LI.translation, about_com.rotated(&X_LI.rotation.to_matrix()));
    if triangle_excess(&inertia) > 1e-6 {
        let message = "one principal moment of inertia is larger than the sum of the others: no body \
                       has this inertia";
        reader.warn(inertial.place(), message);
    }
    Ok(inertia)
}

/// The inertia of the shapes, made as heavy as a stated mass.
fn auto_inertia(
    reader: &mut Reader<'_, '_>,
    inertial: Option<Element<'_>>,
    [of_shapes, alike]: [Inertia; 2],
    link: Element<'_>,
) -> Result<Inertia, LoadError> {
    let stated = inertial.map_or(Ok(None), |i| super::pose::value(i, "mass"))?;
    if let (true, Some(mass)) = (of_shapes.mass <= 0.0 && alike.mass > 0.0, stated)
        && mass.not_negative()? > 0.0
    {
        let message = "auto inertia of a density of 0: the stated mass is spread evenly over the collisions";
        reader.warn(mass.place(), message);
        return Ok(scaled(&alike, mass.number()? / alike.mass));
    }
    if of_shapes.mass <= 0.0 {
        let message = if alike.mass > 0.0 {
            "auto inertia of a density of 0, and no <mass>: expected a density > 0, or <mass>"
        } else {
            "auto inertia, but no collision has a volume: expected one, or <mass> and <inertia>"
        };
        return Err(inertial.unwrap_or(link).structure(message));
    }
    match stated {
        Some(mass) if mass.not_negative()? > 0.0 => Ok(scaled(&of_shapes, mass.number()? / of_shapes.mass)),
        Some(mass) => {
            reader.warn(mass.place(), "auto inertia beside a mass of 0: the density counts");
            Ok(of_shapes)
        }
        None => Ok(of_shapes),
    }
}

/// Marks what would change the motion and does not.
fn warn_of_unsimulated(reader: &mut Reader<'_, '_>, part: &Part<'_>) -> Result<(), LoadError> {
    let element = part.element;
    for (name, idle, note) in
        [("kinematic", false, "links are moved by forces only"), ("enable_wind", false, "no wind blows")]
    {
        if switch(element, name)?.is_some_and(|on| on != idle)
            && let Some(stated) = element.child(name)?
        {
            stated.mark(Fate::Unsupported, note);
            reader.warn(stated.place(), format!("<{name}> of the link `{}`: {note}", part.name));
        }
    }
    if let Some(decay) = element.child("velocity_decay")? {
        let rates = [number(decay, "linear", 0.0)?, number(decay, "angular", 0.0)?];
        if rates.iter().any(|r| *r != 0.0) {
            let note = "links do not slow down by themselves";
            decay.mark(Fate::Unsupported, note);
            ["linear", "angular"].into_iter().flat_map(|tag| decay.children_named(tag)).for_each(|rate| {
                rate.mark(Fate::Unsupported, note);
            });
            reader.warn(decay.place(), format!("<velocity_decay> of the link `{}`: {note}", part.name));
        } else {
            decay.mark(Fate::Kept, AS_WITHOUT);
        }
    }
    Ok(())
}
