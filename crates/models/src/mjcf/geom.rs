//! <geom>: mass, what can touch, what is drawn.

use super::Reader;
use super::compiler::Compiler;
use super::defaults::Styled;
use super::fit::fit;
use super::geom_kind::{KINDS, Kind};
use super::orientation::pose;
use super::scope::Item;
use super::scope::{Kind as Named, Scope};
use super::solid::Solid;
use super::vocabulary::{DRY, STILL};
use crate::error::LoadError;
use crate::meshes::parts;
use crate::xml::Attribute;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Vec3, vec3};
use stiction_world::Drawn;
use stiction_world::Fate;
use stiction_world::inertia::scaled;
use stiction_world::{Dimension, Material, Softness};
use stiction_world::{Drawing, Geometry, Visual};

const NO_CONTACT: &str = "signed distance fields do not touch yet: left out of contact";

/// Masses and volumes up to here count as none.
const TINY: f64 = 1e-14;

/// Reads a geom of the body `link` and files it with the reader. Returns the inertia it gives to
/// the body, about the body's origin, if it is asked for any, and the axes of a shape that is no mesh.
pub(crate) fn read<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    link: Option<usize>,
    moves: bool,
    wants_inertia: bool,
) -> Result<Option<(Inertia, Option<Quat>)>, LoadError> {
    let element = item.element;
    let name = reader.named(Named::Geom, item, reader.geometries.len())?;
    let scopes = reader.scopes.clone();
    let scope = &scopes[item.scope];
    let geom = scope.defaults.styled(element, "geom", item.class)?;
    let kind = geom.get("type").map_or(Ok(Kind::Sphere), |a| a.keyword(&KINDS))?;
    if kind == Kind::Plane && moves {
        return Err(element.structure("a plane on a body that moves; a plane is infinite: use a box"));
    }
    let rgba = match (geom.get("rgba"), geom.get("material")) {
        (Some(rgba), _) => rgba.rgba()?,
        (None, Some(material)) => scope.assets.rgba(material)?,
        (None, None) => [0.5, 0.5, 0.5, 1.0],
    };
    let mask = |name: &str| geom.get(name).map_or(Ok(1), |a| a.integer().map(|i| i as u32));
    let (group, mask) = (mask("contype")?, mask("conaffinity")?);
    let paired = element.peek("name").is_some_and(|n| scope.paired.contains(n.value().trim()));
    let touches = group != 0 || mask != 0 || paired;
    let material = surface(geom, reader.settings.impratio)?;
    let seen = touches || wants_inertia || reader.load_visuals;
    let (X_FG, solid) = shape(reader, scope, item, geom, kind, (seen, touches))?;
    let X_BG = item.X * X_FG;
    let inertia = if wants_inertia {
        let own = own_inertia(geom, &scope.compiler, &solid)?;
        let axes = (!matches!(solid, Solid::Mesh(_))).then_some(X_BG.rotation);
        Some((own.transformed(&X_BG.rotation.to_matrix(), X_BG.translation), axes))
    } else {
        None
    };

    let contact = touches && reader.settings.contact;
    if contact && kind == Kind::Sdf {
        if let Some(a) = geom.get("type") {
            a.mark(Fate::Unsupported, NO_CONTACT);
        }
        let called = if name.is_empty() { String::new() } else { format!(" `{name}`") };
        reader.warn(element.place(), format!("the geom{called}: {NO_CONTACT}"));
    }
    if element.peek("name").is_some_and(|n| scope.wrapped.contains(n.value().trim()))
        && let Solid::Shape(shape @ (Shape::Sphere { .. } | Shape::Cylinder { .. })) = &solid
    {
        reader.wrapped.insert(name.clone(), (link, X_BG, shape.clone()));
    }
    let shapes = if touches { solid.shapes() } else { Vec::new() };
    match shapes.first().cloned() {
        Some(shape) => {
            let (group, mask) = if contact { (group, mask) } else { (0, 0) };
            reader.parts.insert(reader.geometries.len(), shapes.len());
            let first =
                Geometry { name, link, X_LG: X_BG, shape, material, group, mask, continuous: false, rgba };
            reader.geometries.extend(parts(first, shapes));
        }
        None if reader.load_visuals => {
            let drawing = solid.drawing();
            let shape = match &drawing {
                Some(Drawing::Shape(shape)) => Some(shape.clone()),
                _ => None,
            };
            let before = reader.geometries.len();
            reader.extras.drawn.push(Drawn { name, link, X_LG: X_BG, shape, rgba, before });
            reader.visuals.extend(drawing.map(|drawing| Visual { link, X_LV: X_BG, drawing, rgba }));
        }
        None => {}
    }
    Ok(inertia)
}

/// Pose in the frame the geom is stated in, and what it is; nothing for a mesh that nobody asks for.
fn shape<'d>(
    reader: &mut Reader<'d>,
    scope: &Scope<'d>,
    item: &Item<'d>,
    geom: Styled<'_, 'd>,
    kind: Kind,
    (seen, touches): (bool, bool),
) -> Result<(Pose, Solid), LoadError> {
    let (X_FG, size) = place(geom, kind, &scope.compiler)?;
    match (geom.get("mesh"), kind) {
        (_, Kind::HeightField) if seen => {
            let field = geom.get("hfield");
            let field =
                field.ok_or_else(|| item.element.missing("the attribute `hfield`", "a height field"))?;
            Ok((X_FG, Solid::Ground(reader.ground(item.scope, field)?)))
        }
        (None, Kind::Mesh) => Err(item.element.missing("the attribute `mesh`", "a mesh asset")),
        (Some(mesh), Kind::Mesh | Kind::Sdf) if seen => {
            Ok((X_FG, Solid::Mesh(reader.mesh(item.scope, mesh, touches && kind == Kind::Mesh)?)))
        }
        (None, _) | (_, Kind::Mesh | Kind::Sdf) => Ok((X_FG, Solid::new(geom, kind, size)?)),
        (Some(mesh), Kind::Plane | Kind::HeightField) => {
            Err(mesh.error("no mesh beside this type, or one of the types that can be fitted to one"))
        }
        (Some(mesh), _) => {
            if let Some(fromto) = geom.get("fromto") {
                return Err(fromto.error("no `mesh` beside it, which states the pose"));
            }
            let mesh = reader.mesh(item.scope, mesh, false)?;
            let fit_scale = geom.number("fitscale", 1.0)?;
            let (X_GF, size) = fit(&mesh, kind, fit_scale, scope.compiler.fit_bounding_box);
            Ok((X_FG * X_GF, Solid::new(geom, kind, size)?))
        }
    }
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
    if let Some(pos) = geom.get("pos")
        && pos.vector()? != Vec3::ZERO
    {
        return Err(pos.error("no `pos` beside `fromto`, which states it"));
    }
    let (pose, half) = along(fromto)?;
    let [radius, ..] = size;
    let size = match kind {
        Kind::Capsule | Kind::Cylinder => [radius, half, 0.0],
        _ => [radius, radius, half],
    };
    Ok((pose, size))
}

/// `fromto`: the frame in the middle with z towards the first point, and half the length.
pub(crate) fn along(fromto: Attribute<'_>) -> Result<(Pose, f64), LoadError> {
    let [x0, y0, z0, x1, y1, z1] = fromto.array::<6>()?;
    let (from, to) = (vec3(x0, y0, z0), vec3(x1, y1, z1));
    let along = from - to;
    let z = along.normalized().filter(|_| along.norm() > TINY);
    let z = z.ok_or_else(|| fromto.error("two different points"))?;
    Ok((Pose::new(Quat::between(Vec3::Z, z), (from + to) * 0.5), 0.5 * along.norm()))
}

/// From `mass`, else `density`, about the geom's origin; none from a geom whose group gives none.
fn own_inertia(geom: Styled<'_, '_>, compiler: &Compiler, solid: &Solid) -> Result<Inertia, LoadError> {
    let mass = geom.get("mass").map(|a| a.not_negative()).transpose()?;
    let density = geom.get("density").map_or(Ok(1000.0), |a| a.not_negative())?;
    let group = geom.get("group").map_or(Ok(0), |a| a.integer())?;
    let mut unit = solid.inertia();
    if let Some(a) = geom.get("shellinertia")
        && a.boolean()?
    {
        match solid {
            Solid::Mesh(_) => return Err(a.error("false: a mesh says it itself (inertia=\"shell\")")),
            _ => unit = solid.shell_inertia().unwrap_or(unit),
        }
    }
    let [first, last] = compiler.inertia_groups;
    let factor = match mass {
        _ if !(first..=last).contains(&group) => 0.0,
        Some(mass) if unit.mass > TINY => mass / unit.mass,
        Some(mass)
            if mass > 0.0
                && let (Solid::Mesh(_), Some(mesh)) = (solid, geom.get("mesh")) =>
        {
            return Err(mesh.error(if unit.mass < 0.0 {
                "a mesh whose faces look outward: those of this one look inward, and the stated mass would be lost; turn \
                 them round, or say inertia=\"convex\" of the mesh"
            } else {
                "a mesh with a volume: this one has none, and the stated mass would be lost; say inertia=\"shell\" of the mesh"
            }));
        }
        Some(_) => 0.0,
        None if unit.mass < -TINY && density > 0.0 => {
            let mesh = geom.get("mesh").map(|a| {
                a.error(
                    "a mesh whose faces look outward: turn them round, or say inertia=\"convex\" of the mesh",
                )
            });
            return Err(mesh.unwrap_or_else(|| geom.element.structure("its volume is negative")));
        }
        None => density,
    };
    Ok(if factor * unit.mass > TINY { scaled(&unit, factor) } else { Inertia::ZERO })
}

const DIMENSIONS: [(i32, Dimension); 4] =
    [(1, Dimension::Normal), (3, Dimension::Sliding), (4, Dimension::Spinning), (6, Dimension::Rolling)];

/// `condim` of a geom or pair, if it is stated.
pub(crate) fn dimension(s: Styled<'_, '_>) -> Result<Option<Dimension>, LoadError> {
    let Some(a) = s.get("condim") else { return Ok(None) };
    let n = a.integer()?;
    let found = DIMENSIONS.iter().find(|d| d.0 == n).map(|d| d.1);
    found.map(Some).ok_or_else(|| a.error("1, 3, 4 or 6"))
}

/// `solref` and `solimp`, over `softness`.
pub(crate) fn softness(s: Styled<'_, '_>, softness: &mut Softness) -> Result<(), LoadError> {
    const RIGID: &str = "for the law `mujoco`; under the others contacts, limits and couplings are rigid";
    s.merge("solref", &mut softness.reference)?;
    s.merge("solimp", &mut softness.impedance)?;
    for a in ["solref", "solimp"].into_iter().filter_map(|name| s.get(name)) {
        a.mark(Fate::Softness, RIGID);
    }
    Ok(())
}

/// Material of the surface of a geom.
fn surface(geom: Styled<'_, '_>, impratio: f64) -> Result<Material, LoadError> {
    let mut m = Material::default();
    m.softness.impratio = impratio;
    let mut friction = [m.friction, m.spinning, m.rolling];
    geom.merge("friction", &mut friction)?;
    [m.friction, m.spinning, m.rolling] = friction;
    if let (true, Some(a)) = (friction.iter().any(|f| *f < 0.0), geom.get("friction")) {
        return Err(a.error("numbers >= 0"));
    }
    m.dimension = dimension(geom)?.unwrap_or(m.dimension);
    m.priority = geom.get("priority").map_or(Ok(0), |a| a.integer())?;
    m.margin = geom.not_negative("margin")?;
    m.gap = geom.number("gap", 0.0)?;
    softness(geom, &mut m.softness)?;
    if let Some(a) = geom.get("solmix") {
        m.softness.mix = a.not_negative()?;
        a.mark(Fate::Softness, "weighs how soft contacts are under the law `mujoco`");
    }
    for (name, note) in [("surfacevel", STILL), ("adhesion", DRY)] {
        if let Some(a) = geom.get(name)
            && a.numbers(1, 6)?.iter().any(|x| *x != 0.0)
        {
            a.mark(Fate::Unsupported, note);
        }
    }
    Ok(m)
}
