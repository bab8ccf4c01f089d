//! <geom>: mass, what can touch, what is drawn.

use super::Reader;
use super::asset::LoadedMesh;
use super::compiler::Compiler;
use super::defaults::Styled;
use super::flatten::Item;
use super::orientation::pose;
use crate::error::LoadError;
use crate::inertia::scaled;
use crate::ledger::Fate;
use crate::mesh::TriangleMesh;
use crate::shapes::{ellipsoid_inertia, ellipsoid_mesh};
use crate::world::{Drawing, Geometry, Material, Visual};
use std::sync::Arc;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Vec3, vec3};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plane,
    Sphere,
    Capsule,
    Cylinder,
    Box,
    Ellipsoid,
    Mesh,
    HeightField,
    Sdf,
}

const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("cylinder", Kind::Cylinder),
    ("box", Kind::Box),
    ("ellipsoid", Kind::Ellipsoid),
    ("mesh", Kind::Mesh),
    ("hfield", Kind::HeightField),
    ("sdf", Kind::Sdf),
];

const NO_CONTACT: &str = "this type does not touch yet: left out of contact";

/// What a geom is in its own frame.
enum Solid {
    Shape(Shape),
    Ellipsoid(Vec3),
    Mesh(Arc<LoadedMesh>),
    Nothing,
}

impl Solid {
    /// About the origin, at unit density.
    fn inertia(&self) -> Inertia {
        match self {
            Self::Shape(shape) => shape.inertia(1.0).unwrap_or(Inertia::ZERO),
            Self::Ellipsoid(radii) => ellipsoid_inertia(*radii),
            Self::Mesh(mesh) => mesh.inertia,
            Self::Nothing => Inertia::ZERO,
        }
    }

    fn drawing(&self) -> Option<Drawing> {
        let triangles =
            |m: &TriangleMesh| Drawing::Mesh { vertices: m.vertices.clone(), triangles: m.triangles.clone() };
        match self {
            Self::Shape(shape) => Some(Drawing::Shape(shape.clone())),
            Self::Ellipsoid(radii) => Some(triangles(&ellipsoid_mesh(*radii))),
            Self::Mesh(mesh) => Some(triangles(&mesh.mesh)),
            Self::Nothing => None,
        }
    }
}

/// Reads a geom of the body `link` and files it with the reader. Returns the inertia it gives to
/// the body, about the body's origin, if it is asked for any.
pub(crate) fn read<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    link: Option<usize>,
    moves: bool,
    wants_inertia: bool,
) -> Result<Option<Inertia>, LoadError> {
    let element = item.element;
    let name = match element.get("name") {
        Some(name) => {
            let full = format!("{}{}", name.value(), item.suffix);
            reader.geom_names.insert(&full, reader.geometries.len(), element)?;
            if !item.suffix.is_empty() {
                reader.geom_names.insert_replicated(name.value());
            }
            full
        }
        None => String::new(),
    };
    let geom = reader.defaults.styled(element, "geom", item.class)?;
    let kind = geom.get("type").map_or(Ok(Kind::Sphere), |a| a.keyword(&KINDS))?;
    if kind == Kind::Plane && moves {
        return Err(element.structure("a plane on a body that moves; a plane is infinite: use a box"));
    }
    if let (Some(mesh), false) = (geom.get("mesh"), matches!(kind, Kind::Mesh | Kind::Sdf)) {
        mesh.mark(Fate::Unsupported, "no shape is fitted to a mesh yet: left out");
        reader
            .warnings
            .push((mesh.place(), "no shape is fitted to a mesh yet: the geom has no mass".to_owned()));
        return Ok(None);
    }
    let (X_FG, size) = place(geom, kind, &reader.compiler)?;
    let X_BG = item.X * X_FG;
    let rgba = match (geom.get("rgba"), geom.get("material")) {
        (Some(rgba), _) => rgba.rgba()?,
        (None, Some(material)) => reader.assets.rgba(material)?,
        (None, None) => [0.5, 0.5, 0.5, 1.0],
    };
    let mask = |name: &str| geom.get(name).map_or(Ok(1), |a| a.integer().map(|i| i as u32));
    let (group, mask) = (mask("contype")?, mask("conaffinity")?);
    let touches = group != 0 || mask != 0;
    let material = surface(geom)?;
    let solid = match kind {
        Kind::Mesh if touches || wants_inertia || reader.load_visuals => {
            let mesh =
                geom.get("mesh").ok_or_else(|| element.missing("the attribute `mesh`", "a mesh asset"))?;
            let (defaults, compiler, files) = (&reader.defaults, &reader.compiler, &mut reader.files);
            let warnings = &mut reader.warnings;
            match reader.assets.find_mesh(mesh)? {
                Some(i) => Solid::Mesh(reader.assets.mesh(i, defaults, compiler, files, warnings, touches)?),
                None => Solid::Nothing,
            }
        }
        _ => solid(geom, kind, size)?,
    };
    let density = density(geom, &reader.compiler, &solid)?;
    let inertia = wants_inertia
        .then(|| scaled(&solid.inertia(), density).transformed(&X_BG.rotation.to_matrix(), X_BG.translation));

    let contact = touches && reader.settings.contact;
    if contact && matches!(kind, Kind::Ellipsoid | Kind::HeightField | Kind::Sdf) {
        if let Some(a) = geom.get("type") {
            a.mark(Fate::Unsupported, NO_CONTACT);
        }
        let called = if name.is_empty() { String::new() } else { format!(" `{name}`") };
        reader.warnings.push((element.place(), format!("the geom{called}: {NO_CONTACT}")));
    }
    let shape = match &solid {
        Solid::Shape(shape) => Some(shape.clone()),
        Solid::Mesh(mesh) => mesh.hull.clone().map(Shape::Convex),
        Solid::Ellipsoid(_) | Solid::Nothing => None,
    };
    match shape.filter(|_| touches) {
        Some(shape) => {
            let (group, mask) = if contact { (group, mask) } else { (0, 0) };
            reader.geometries.push(Geometry { name, link, X_LG: X_BG, shape, material, group, mask, rgba });
        }
        None if reader.load_visuals => {
            let drawing = solid.drawing();
            reader.visuals.extend(drawing.map(|drawing| Visual { link, X_LV: X_BG, drawing, rgba }));
        }
        None => {}
    }
    Ok(inertia)
}

/// Pose in the frame the geom is stated in, and its sizes; those that are not stated are 0.
fn place(geom: Styled<'_, '_>, kind: Kind, compiler: &Compiler) -> Result<(Pose, [f64; 3]), LoadError> {
    let mut size = [0.0; 3];
    geom.merge("size", &mut size)?;
    let Some(fromto) = geom.get("fromto") else {
        let levels: Vec<_> = geom.levels().collect();
        return Ok((pose(levels.into_iter(), compiler)?, size));
    };
    if !matches!(kind, Kind::Capsule | Kind::Cylinder | Kind::Box | Kind::Ellipsoid) {
        return Err(fromto.error("type capsule, cylinder, box or ellipsoid beside it"));
    }
    let [x0, y0, z0, x1, y1, z1] = fromto.array::<6>()?;
    let (from, to) = (vec3(x0, y0, z0), vec3(x1, y1, z1));
    let along = from - to;
    let z = along.normalized().filter(|_| along.norm() > 1e-14);
    let z = z.ok_or_else(|| fromto.error("two different points"))?;
    let ([radius, ..], half) = (size, 0.5 * along.norm());
    let size = match kind {
        Kind::Capsule | Kind::Cylinder => [radius, half, 0.0],
        _ => [radius, radius, half],
    };
    Ok((Pose::new(Quat::between(Vec3::Z, z), (from + to) * 0.5), size))
}

/// The solid of a geom that is no mesh.
fn solid(geom: Styled<'_, '_>, kind: Kind, size: [f64; 3]) -> Result<Solid, LoadError> {
    let checked = |need: usize, what: &str| {
        if size.iter().take(need).all(|s| *s > 0.0) {
            return Ok(size);
        }
        let expected = format!("{need} number{} > 0: {what}", if need == 1 { "" } else { "s" });
        Err(match geom.get("size") {
            Some(size) => size.error(expected),
            None => geom.element.missing("the attribute `size`", &expected),
        })
    };
    Ok(match kind {
        Kind::Plane => Solid::Shape(Shape::Plane),
        Kind::Sphere => {
            let [radius, ..] = checked(1, "radius")?;
            Solid::Shape(Shape::Sphere { radius })
        }
        Kind::Capsule => {
            let [radius, half_length, _] = checked(2, "radius, half length")?;
            Solid::Shape(Shape::Capsule { radius, half_length })
        }
        Kind::Cylinder => {
            let [radius, half_length, _] = checked(2, "radius, half length")?;
            Solid::Shape(Shape::Cylinder { radius, half_length })
        }
        Kind::Box => Solid::Shape(Shape::Box { half: Vec3::from(checked(3, "half sides")?) }),
        Kind::Ellipsoid => Solid::Ellipsoid(Vec3::from(checked(3, "half axes")?)),
        Kind::Mesh | Kind::HeightField | Kind::Sdf => Solid::Nothing,
    })
}

/// Mass per unit of the solid's volume (of a shell's area): from `mass`, else `density`; 0 for a
/// geom whose group gives no inertia.
fn density(geom: Styled<'_, '_>, compiler: &Compiler, solid: &Solid) -> Result<f64, LoadError> {
    let mass = geom.get("mass").map(|a| a.not_negative()).transpose()?;
    let density = geom.get("density").map_or(Ok(1000.0), |a| a.not_negative())?;
    let group = geom.get("group").map_or(Ok(0), |a| a.integer())?;
    if let Some(a) = geom.get("shellinertia")
        && a.boolean()?
    {
        a.mark(Fate::Unsupported, "the inertia of a solid is taken");
    }
    let [first, last] = compiler.inertia_groups;
    let volume = solid.inertia().mass;
    Ok(match mass {
        _ if !(first..=last).contains(&group) => 0.0,
        Some(mass) if volume > 0.0 => mass / volume,
        Some(_) => 0.0,
        None => density,
    })
}

/// Friction, priority and dimension of contact.
fn surface(geom: Styled<'_, '_>) -> Result<Material, LoadError> {
    let mut friction = [1.0, 0.005, 0.0001];
    geom.merge("friction", &mut friction)?;
    let [slide, ..] = friction;
    if let (true, Some(a)) = (slide < 0.0, geom.get("friction")) {
        return Err(a.error("numbers >= 0"));
    }
    let mut frictional = true;
    if let Some(a) = geom.get("condim") {
        match a.integer()? {
            1 => frictional = false,
            3 => {}
            4 | 6 => a.mark(Fate::Unsupported, "no friction against rolling and spinning yet: taken as 3"),
            _ => return Err(a.error("1, 3, 4 or 6")),
        }
    }
    let priority = geom.get("priority").map_or(Ok(0), |a| a.integer())?;
    if let Some(a) = geom.get("surfacevel")
        && a.numbers(1, 6)?.iter().any(|x| *x != 0.0)
    {
        a.mark(Fate::Unsupported, "surfaces do not move along themselves yet");
    }
    if let Some(a) = geom.get("adhesion")
        && a.numbers(1, 2)?.iter().any(|x| *x != 0.0)
    {
        a.mark(Fate::Unsupported, "nothing sticks yet");
    }
    Ok(Material { friction: slide, restitution: 0.0, priority, frictional })
}
