//! <worldbody> and the tree of bodies, walked in MuJoCo's order: depth first, as written.

use super::compiler::FromGeoms;
use super::flatten::contents;
use super::joint::JointOfBody;
use super::orientation::{orientation, pose};
use super::scope::Item;
use super::scope::{Kind, Scope};
use super::vocabulary::WELDED;
use super::{Reader, camera, geom, joint, site};
use crate::error::LoadError;
use crate::xml::Element;
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3};
use stiction_world::Fate;
use stiction_world::inertia::principal;

/// A body as the file states it.
pub(crate) struct BodyOfFile<'d> {
    pub(crate) name: String,
    pub(crate) element: Element<'d>,
    /// The model it is written in.
    pub(crate) scope: usize,
    /// Index into the bodies; `None`: the world.
    pub(crate) parent: Option<usize>,
    pub(crate) X_PB: Pose,
    /// About its origin.
    pub(crate) inertia: Inertia,
    pub(crate) joints: Vec<JointOfBody<'d>>,
    /// It, or a body that carries it, has a joint.
    pub(crate) moves: bool,
}

/// All bodies; geometries go to the reader, with the index of their body as link.
pub(crate) fn read<'d>(reader: &mut Reader<'d>) -> Result<Vec<BodyOfFile<'d>>, LoadError> {
    let mut bodies: Vec<BodyOfFile<'d>> = Vec::new();
    let root = reader.root();
    reader.names.of_mut(Kind::Body).insert("world", usize::MAX, root)?;
    // What several elements fix to the world is one body, whose geometries come first.
    let mut children = Vec::new();
    for section in root.children_named("worldbody").collect::<Vec<_>>() {
        let class = super::defaults::MAIN;
        let world = Item { element: section, X: Pose::IDENTITY, class, scope: 0, copy: 0 };
        let items = contents(reader, world, class)?;
        children.extend(of_world(reader, items)?);
    }
    let mut stack: Vec<(Item<'d>, Option<usize>)> = children.into_iter().rev().map(|c| (c, None)).collect();
    while let Some((item, parent)) = stack.pop() {
        let index = bodies.len();
        let moves = parent.and_then(|p| bodies.get(p)).is_some_and(|p| p.moves);
        let class = reader.scope(item.scope).defaults.childclass(item.element, item.class)?;
        let items = contents(reader, item, class)?;
        let (body, children) = one(reader, &item, items, index, parent, moves)?;
        bodies.push(body);
        stack.extend(children.into_iter().rev().map(|c| (c, Some(index))));
    }
    Ok(bodies)
}

/// Reads everything that is fixed to the world; returns the bodies in it.
fn of_world<'d>(reader: &mut Reader<'d>, items: Vec<Item<'d>>) -> Result<Vec<Item<'d>>, LoadError> {
    let mut children = Vec::new();
    for item in items {
        match item.element.name() {
            "body" => children.push(item),
            "geom" => {
                geom::read(reader, &item, None, false, false)?;
            }
            "joint" | "freejoint" | "inertial" => {
                let message = format!("the world has no <{}>; put it into a <body>", item.element.name());
                return Err(item.element.structure(message));
            }
            _ => other(reader, &item, None)?,
        }
    }
    Ok(children)
}

fn one<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    items: Vec<Item<'d>>,
    index: usize,
    parent: Option<usize>,
    parent_moves: bool,
) -> Result<(BodyOfFile<'d>, Vec<Item<'d>>), LoadError> {
    let element = item.element;
    element.mark(Fate::Used, "");
    let scopes = reader.scopes.clone();
    let scope = &scopes[item.scope];
    let name = match element.get("name") {
        Some(_) => reader.named(Kind::Body, item, index)?,
        // As MuJoCo counts: the world is body 0.
        None => format!("body#{}", index + 1),
    };
    let X_PB = item.X * pose(std::iter::once(element), &scope.compiler)?;
    let has_joint = items.iter().any(|i| matches!(i.element.name(), "joint" | "freejoint"));
    let moves = parent_moves || has_joint;
    if let Some(mocap) = element.get("mocap")
        && mocap.boolean()?
    {
        mocap.mark(Fate::Unsupported, WELDED);
        reader.warn(mocap.place(), format!("the body `{name}` is {WELDED}"));
        reader.extras.mocap.push(index);
    }
    let carried = element.get("gravcomp").map_or(Ok(0.0), |a| a.number())?;
    if carried != 0.0 {
        reader.gravity_compensation.push((index, carried));
    }
    let stated = match items.iter().find(|i| i.element.name() == "inertial") {
        Some(inertial) => Some((read_inertial(reader, scope, inertial)?, stated_axes(scope, inertial)?)),
        None => None,
    };
    let from_geoms = match scope.compiler.inertia {
        FromGeoms::Auto => stated.is_none(),
        FromGeoms::Always => true,
        FromGeoms::Never => false,
    };
    let (mut joints, mut children, mut of_geoms, mut inertials) = (Vec::new(), Vec::new(), Inertia::ZERO, 0);
    let mut axes_of_geoms = Vec::new();
    for item in items {
        match item.element.name() {
            "body" => children.push(item),
            "geom" => {
                if let Some((inertia, axes)) = geom::read(reader, &item, Some(index), moves, from_geoms)? {
                    of_geoms += inertia;
                    axes_of_geoms.extend((inertia.mass > 0.0).then_some(axes));
                }
            }
            "joint" | "freejoint" => joints.push(joint::read(reader, &item, &name, parent.is_some())?),
            "inertial" => {
                inertials += 1;
                if inertials > 1 {
                    return Err(item.element.structure("a second <inertial>; a body has one"));
                }
            }
            _ => other(reader, &item, Some(index))?,
        }
    }
    if joints.iter().map(|joint| joint.spec.kind.nv()).sum::<usize>() > 6 {
        return Err(
            element.structure("more than six directions in one body; put joints into bodies of their own")
        );
    }
    let (inertia, axes) = match (&axes_of_geoms[..], stated) {
        ([only], _) if from_geoms => (of_geoms, *only),
        _ if from_geoms => (of_geoms, None),
        (_, stated) => stated.unwrap_or((Inertia::ZERO, None)),
    };
    reader.extras.inertial_axes.resize(index, None);
    reader.extras.inertial_axes.push(axes);
    let scope = item.scope;
    Ok((BodyOfFile { name, element, scope, parent, X_PB, inertia, joints, moves }, children))
}

/// Axes of the link along which <inertial> states moments; none where it states a whole matrix.
fn stated_axes(scope: &Scope<'_>, item: &Item<'_>) -> Result<Option<Quat>, LoadError> {
    if item.element.peek("diaginertia").is_none() {
        return Ok(None);
    }
    Ok(Some(item.X.rotation * orientation(std::iter::once(item.element), &scope.compiler)?))
}

/// <inertial>, about the origin of the body and in its axes; as stated, it is in the frame around it.
fn read_inertial(reader: &mut Reader<'_>, scope: &Scope<'_>, item: &Item<'_>) -> Result<Inertia, LoadError> {
    let e = item.element;
    e.mark(Fate::Used, "");
    let mass = e.require("mass", "the mass [kg]")?.not_negative()?;
    let com = e.require("pos", "the centre of mass [m]")?.vector()?;
    let turn = orientation(std::iter::once(e), &scope.compiler)?;
    let moments = match (e.get("diaginertia"), e.get("fullinertia")) {
        (Some(_), Some(full)) => return Err(full.error("either diaginertia or fullinertia")),
        (Some(diagonal), None) => {
            let [x, y, z] = diagonal.array::<3>()?;
            if x < 0.0 || y < 0.0 || z < 0.0 {
                return Err(diagonal.error("three numbers >= 0"));
            }
            Sym3::diagonal(x, y, z)
        }
        (None, Some(full)) => {
            if turn != Quat::IDENTITY {
                return Err(full.error("no orientation beside it: it is stated in the body's axes"));
            }
            let [xx, yy, zz, xy, xz, yz] = full.array::<6>()?;
            let moments = Sym3 { xx, yy, zz, xy, xz, yz };
            let least = principal(&moments).0.to_array().into_iter().fold(f64::INFINITY, f64::min);
            if least < -1e-9 * (xx.abs() + yy.abs() + zz.abs()) {
                return Err(full.error(format!(
                    "a positive semi-definite matrix, as xx yy zz xy xz yz (its least eigenvalue is {least})"
                )));
            }
            moments
        }
        (None, None) if mass > 0.0 => {
            reader.warn(e.place(), "neither diaginertia nor fullinertia: a point mass");
            Sym3::ZERO
        }
        (None, None) => Sym3::ZERO,
    };
    let stated = Inertia::new(mass, com, moments.rotated(&turn.to_matrix()));
    Ok(stated.transformed(&item.X.rotation.to_matrix(), item.X.translation))
}

/// Reads elements that neither move nor touch; bodies that stiction cannot read are named.
fn other<'d>(reader: &mut Reader<'d>, item: &Item<'d>, link: Option<usize>) -> Result<(), LoadError> {
    let what = match item.element.name() {
        "site" => return site::read(reader, item, link),
        "camera" => return camera::read(reader, item, link),
        "composite" => "a composite is not built yet: its bodies are missing",
        "flexcomp" => "a flexible body is not simulated yet: it is missing",
        _ => return Ok(()),
    };
    reader.warn(item.element.place(), what);
    Ok(())
}
