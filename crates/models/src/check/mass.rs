//! Masses: none, tiny, beyond any material, and far too unequal along the tree.
//!
//! ```text
//!     density = mass / volume                                                    (1)
//!     ratio   = mass of all that a body carries / its own mass                   (2)
//! ```
//!
//! (1) is judged against the box around everything the link shows, which is more than its volume,
//! for what is too dense; and against the sum of its collision shapes for what is too light.

use super::report::{Findings, Rule, note, number, warning};
use super::subject::{Subject, part};
use stiction_collision::Aabb;
use stiction_world::World;

const ZERO: Rule = warning(
    "mass-zero",
    "a link that moves and has a shape weighs nothing",
    "give it a mass and inertia, or fix it to the link that carries it",
);
const TINY: Rule = warning(
    "mass-tiny",
    "a moving body of less than 10 mg, without armature: a placeholder that makes the mass matrix ill-conditioned",
    "give it its true mass, or fix it to its parent",
);
const DENSE: Rule = warning(
    "density-high",
    "heavier than a solid block of osmium of its size: g instead of kg, or mm instead of m",
    "check the unit of the mass [kg] and of the geometry [m]",
);
const LIGHT: Rule = warning(
    "density-low",
    "lighter than a balloon of its size: a wrong unit of mass or geometry, or a placeholder",
    "check the unit of the mass [kg] and of the geometry [m]",
);
const RATIO: Rule = warning(
    "mass-ratio",
    "a body carries more than 10000 times its own mass: contacts and controllers behind it are ill-conditioned",
    "move mass to the light body, or fix it to one of its neighbours",
);
const HEAVY_LEAF: Rule = note(
    "mass-ratio-leaf",
    "a body at the end of a chain weighs more than 1000 times the body that carries it",
    "check both masses",
);

pub(super) const RULES: &[Rule] = &[ZERO, TINY, DENSE, LIGHT, RATIO, HEAVY_LEAF];

/// Lighter moving bodies are placeholders [kg].
const LEAST: f64 = 1e-5;
/// Density of osmium, the densest element [kg/m³].
const DENSEST: f64 = 22_600.0;
/// Density of aerogel and balloons [kg/m³].
const LIGHTEST: f64 = 1.0;

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    weights(subject, world, out);
    densities(subject, world, out);
    ratios(subject, world, out);
}

fn weights(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let model = &world.model;
    for (b, body) in model.bodies.iter().enumerate() {
        let Some(link) = subject.link_of(b) else { continue };
        let shown = subject.extents.get(link).is_some_and(Option::is_some);
        let geared = body.dofs.clone().all(|d| model.dofs.get(d).is_some_and(|d| d.armature > 0.0));
        let mass = body.inertia.mass;
        if mass == 0.0 && shown {
            out.add(&ZERO, subject.link(link), "0 kg", "it moves, and has a shape, but no mass");
        } else if mass > 0.0 && mass < LEAST && !geared {
            let element = part(subject.link(link), &["inertial", "mass"]);
            let reason = format!("the moving body `{}` weighs {} kg", body.name, number(mass));
            out.add_at(
                &TINY,
                element.place(),
                subject.link(link).described(),
                format!("{} kg", number(mass)),
                reason,
            );
        }
    }
}

fn volume(b: &Aabb) -> f64 {
    let s = b.max - b.min;
    s.x * s.y * s.z
}

fn densities(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let mut solid = vec![0.0; world.model.links.len()];
    for g in &world.geometries {
        if let Some(sum) = g.link.and_then(|l| solid.get_mut(l)) {
            *sum += g.shape.volume();
        }
    }
    for (l, link) in world.model.links.iter().enumerate() {
        let mass = link.inertia.mass;
        let Some(extent) = subject.extents.get(l).copied().flatten().filter(|_| subject.weighs(world, l))
        else {
            continue;
        };
        let (most, solid) = (volume(&extent), solid.get(l).copied().unwrap_or(0.0));
        let element = || part(subject.link(l), &["inertial", "mass"]);
        let mut say = |rule, density: f64, of: &str| {
            let value = format!("{} kg", number(mass));
            let reason = format!("that is {} kg/m³ of {of}", number(density));
            out.add_at(rule, element().place(), subject.link(l).described(), value, reason);
        };
        if most > 0.0 && mass / most > DENSEST {
            say(&DENSE, mass / most, "the box around its geometry");
        } else if solid > 0.0 && solid.is_finite() && mass / solid < LIGHTEST {
            say(&LIGHT, mass / solid, "its collision shapes");
        }
    }
}

fn ratios(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let bodies = &world.model.bodies;
    let mut carried: Vec<f64> = bodies.iter().map(|b| b.inertia.mass).collect();
    for (b, body) in bodies.iter().enumerate().rev() {
        let mass = carried.get(b).copied().unwrap_or(0.0);
        if let Some(sum) = body.parent.and_then(|p| carried.get_mut(p)) {
            *sum += mass;
        }
    }
    for (b, (body, all)) in bodies.iter().zip(&carried).enumerate() {
        let own = body.inertia.mass;
        let geared = body.dofs.clone().all(|d| world.model.dofs.get(d).is_some_and(|d| d.armature > 0.0));
        let ratio = (all - own) / own;
        if own >= LEAST && ratio > 1e4 && !geared {
            let reason = format!("it carries {} kg, {} times its own mass", number(all - own), number(ratio));
            out.add(&RATIO, subject.body(b), format!("{} kg", number(own)), reason);
        }
        let parent = body.parent.and_then(|p| bodies.get(p)).map_or(0.0, |p| p.inertia.mass);
        if parent >= LEAST && own == *all && (1e3..1e4).contains(&(own / parent)) {
            let reason = format!("the body that carries it weighs {} kg", number(parent));
            out.add(&HEAVY_LEAF, subject.body(b), format!("{} kg", number(own)), reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, link, urdf};

    /// A link of `mass` that is a box of 0.1 m.
    fn boxed(mass: &str) -> String {
        let moments = "ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'";
        format!(
            "<inertial><mass value='{mass}'/><inertia {moments}/></inertial>\
             <collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
        )
    }

    #[test]
    fn weightless_and_tiny_bodies() {
        let massless = urdf(
            &(arm("<collision><geometry><sphere radius='1'/></geometry></collision>", "")
                + &link("c", &boxed("1"), "b", "")),
        );
        assert!(codes(&massless).contains(&"mass-zero"), "{:?}", codes(&massless));
        assert!(codes(&urdf(&arm(&boxed("1e-6"), ""))).contains(&"mass-tiny"));
        let fine = codes(&urdf(&arm(&boxed("1"), "")));
        assert!(!fine.iter().any(|c| c.starts_with("mass") || c.starts_with("density")), "{fine:?}");
    }

    #[test]
    fn grams_are_suspicious() {
        assert!(codes(&urdf(&arm(&boxed("1000"), ""))).contains(&"density-high"));
        assert!(codes(&urdf(&arm(&boxed("0.0001"), ""))).contains(&"density-low"));
    }

    #[test]
    fn a_feather_between_two_stones() {
        let light = urdf(&(arm(&boxed("0.001"), "") + &link("c", &boxed("20"), "b", "")));
        assert!(codes(&light).contains(&"mass-ratio"), "{:?}", codes(&light));
        let leaf = urdf(&(arm(&boxed("0.01"), "") + &link("c", &boxed("20"), "b", "")));
        assert!(codes(&leaf).contains(&"mass-ratio-leaf"), "{:?}", codes(&leaf));
        let even = urdf(&(arm(&boxed("1"), "") + &link("c", &boxed("20"), "b", "")));
        assert!(!codes(&even).iter().any(|c| c.starts_with("mass-ratio")));
    }
}
