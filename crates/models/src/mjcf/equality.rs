//! <equality>: joints and tendons coupled to each other, and loops.
//!
//! ```text
//!     y − y₀ = a₀ + a₁ z + a₂ z² + a₃ z³ + a₄ z⁴,   z = x − x₀,   x₀, y₀ at the joints' reference        (1)
//! ```

use super::Reader;
use super::defaults::{MAIN, Styled};
use super::dofs::{reference, scalar_dof};
use super::geom::softness;
use super::scope::{Kind, Mention};
use crate::error::LoadError;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction_world::Fate;
use stiction_world::Softness;
use stiction_world::TendonPath;
use stiction_world::{Coupling, Curve, Equality, World};
use stiction_world::{Hold, LoopClosure};

type Terms = Vec<(usize, f64)>;

const KINDS: [&str; 7] = ["connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain"];

pub(crate) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), LoadError> {
    let scopes = reader.scopes.clone();
    for mention in reader.section("equality")? {
        let e = mention.element;
        if !KINDS.contains(&e.name()) {
            continue;
        }
        let equality = scopes[mention.scope].defaults.styled(e, "equality", MAIN)?;
        let active = equality.get("active").map_or(Ok(true), |a| a.boolean())?;
        let unsupported = match e.name() {
            "connect" | "weld" => {
                let closure = closure(reader, mention, equality, world, active && reader.settings.equality)?;
                world.extras.equalities.push(Equality::Loop(world.loops.len()));
                world.loops.push(closure);
                None
            }
            "joint" | "tendon" => {
                let coupling = coupling(reader, mention, equality, world)?;
                let unsupported = coupling.is_none().then_some("tendons through sites are not coupled yet");
                let on = active && reader.settings.equality;
                world.extras.equalities.extend(coupling.clone().map(|c| Equality::Coupling(c, on)));
                world.couplings.extend(coupling.filter(|_| on));
                unsupported
            }
            _ => Some("flexible bodies are not simulated yet"),
        };
        match unsupported {
            _ if !active => e.mark(Fate::Kept, "not active"),
            Some(note) => {
                e.mark(Fate::Unsupported, note);
                reader.warn(e.place(), format!("{}: {note}", e.described()));
            }
            None => {}
        }
    }
    Ok(())
}

/// (1), or nothing for a tendon that is no combination of joints.
fn coupling(
    reader: &Reader<'_>,
    mention: Mention<'_>,
    equality: Styled<'_, '_>,
    world: &World,
) -> Result<Option<Coupling>, LoadError> {
    let e = mention.element;
    let (one, two) = if e.name() == "joint" { ("joint1", "joint2") } else { ("tendon1", "tendon2") };
    let y = terms(reader, world, mention, one)?;
    let x = match e.get(two) {
        Some(_) => terms(reader, world, mention, two)?,
        None => Some(Vec::new()),
    };
    let (Some(x), Some(y)) = (x, y) else { return Ok(None) };
    let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
    equality.merge("polycoef", &mut polynomial)?;
    let [a0, a1, a2, a3, a4] = polynomial;
    for a in ["solref", "solimp"].into_iter().filter_map(|name| equality.get(name)) {
        a.mark(Fate::Unsupported, "couplings are rigid here under every law");
    }
    let at_rest = |t: &Terms| -> f64 { t.iter().map(|&(d, c)| c * reference(&world.model, d)).sum() };
    let x0 = at_rest(&x);
    let bent = !x.is_empty() && (a2 != 0.0 || a3 != 0.0 || a4 != 0.0);
    let mut left = y.clone();
    left.extend(x.iter().map(|&(dof, c)| (dof, -a1 * c)));
    Ok(Some(Coupling {
        name: e.get("name").map_or(String::new(), |a| reader.name_in_world(mention.copy, a.value())),
        terms: left,
        offset: at_rest(&y) + a0 - a1 * x0,
        curve: bent.then_some(Curve { terms: x, reference: x0, coefficients: [a2, a3, a4] }),
    }))
}

/// Dofs and coefficients of the joint or tendon that `attribute` names; `None` where there is no
/// linear form.
fn terms(
    reader: &Reader<'_>,
    world: &World,
    Mention { element: e, copy, .. }: Mention<'_>,
    attribute: &str,
) -> Result<Option<Terms>, LoadError> {
    let name = e.require(attribute, "the name of what is coupled")?;
    if e.name() == "joint" {
        return Ok(Some(vec![(scalar_dof(reader, &world.model, copy, name)?, 1.0)]));
    }
    let tendon = world.tendons.get(reader.find(Kind::Tendon, copy, name)?);
    Ok(match tendon.map(|t| &t.path) {
        Some(TendonPath::Fixed(terms)) => Some(terms.clone()),
        _ => None,
    })
}

/// Closure of a <connect> or <weld>: between two sites, or points of two bodies, one of which is stated
/// and the other where it is then in the neutral configuration.
fn closure(
    reader: &Reader<'_>,
    mention: Mention<'_>,
    equality: Styled<'_, '_>,
    world: &World,
    active: bool,
) -> Result<LoopClosure, LoadError> {
    let Mention { element: e, copy, .. } = mention;
    let weld = e.name() == "weld";
    let mut soft = Softness::default();
    softness(equality, &mut soft)?;
    let ends = match e.get("body1") {
        Some(body) => {
            let link = |a| reader.find(Kind::Body, copy, a).map(|i| world.model.links.get(i).map(|_| i));
            let (one, two) = (link(body)?, e.get("body2").map_or(Ok(None), link)?);
            of_bodies(e, world, [one, two], weld)?
        }
        None => {
            let site = |name: &str| {
                let index =
                    reader.find(Kind::Site, copy, e.require(name, "a site, or body1 with an anchor")?)?;
                Ok(world.extras.sites.get(index).map_or((None, Pose::IDENTITY), |s| (s.link, s.X_LS)))
            };
            [site("site1")?, site("site2")?]
        }
    };
    let yields = ends.iter().any(|e| is_moved_by_hand(world, e.0));
    if yields {
        for a in ["solref", "solimp"].into_iter().filter_map(|name| equality.get(name)) {
            a.mark(Fate::Used, "");
        }
    }
    Ok(LoopClosure {
        name: e.get("name").map_or(String::new(), |a| reader.name_in_world(copy, a.value())),
        ends,
        hold: if weld { Hold::Frame } else { Hold::Point },
        torque_scale: e.get("torquescale").map_or(Ok(1.0), |a| a.number())?,
        active,
        softness: soft,
        yields,
    })
}

/// Whether a link is a `mocap` body, or is fixed to one.
fn is_moved_by_hand(world: &World, link: Option<usize>) -> bool {
    let links = &world.model.links;
    std::iter::successors(link, |&l| links.get(l).and_then(|l| l.parent))
        .take_while(|&l| links.get(l).is_some_and(|l| l.body.is_none()))
        .any(|l| world.extras.mocap.contains(&l))
}

fn of_bodies(
    e: crate::xml::Element<'_>,
    world: &World,
    links: [Option<usize>; 2],
    weld: bool,
) -> Result<[(Option<usize>, Pose); 2], LoadError> {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, &world.model.neutral());
    let [X_W1, X_W2] = links.map(|l| {
        let (body, X) = world.mount(l, Pose::IDENTITY);
        body.and_then(|b| kin.X_WB.get(b)).map_or(X, |X_WB| *X_WB * X)
    });
    let [one, two] = links;
    if !weld {
        let anchor = e.require("anchor", "a point of body1, as three numbers [m]")?.vector()?;
        let there = X_W2.inverse_transform(X_W1.transform(anchor));
        return Ok([(one, Pose::from_translation(anchor)), (two, Pose::from_translation(there))]);
    }
    let anchor = Pose::from_translation(e.get("anchor").map_or(Ok(Vec3::ZERO), |a| a.vector())?);
    let relative = match e.get("relpose") {
        Some(a) => {
            let [x, y, z, qw, qx, qy, qz] = a.array::<7>()?;
            let q = Quat::new(qw, qx, qy, qz);
            (q.norm_squared() > 0.0).then(|| Pose::new(q.renormalized(), vec3(x, y, z)))
        }
        None => None,
    };
    let X_12 = relative.unwrap_or_else(|| X_W1.inverse() * X_W2 * anchor);
    Ok([(one, X_12), (two, anchor)])
}
