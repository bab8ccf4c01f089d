//! Who moves how: the rule by which the positions of each tree go through a step.
//!
//! | rule | q⁺ | order | who |
//! |---|---|---|---|
//! | [`Quadrature::Held`] | q | – | sleeps |
//! | [`Quadrature::Middle`] | half a step, impulses in the middle, half a step | 2 | all others ([`rolling`]) |
//! | [`Quadrature::Backward`] | q ⊕ h v⁺ | 1 | trees that turn too far in a step, or may pass what they meet; all under compliant laws and the conic relaxation |
//! | [`Quadrature::Ballistic`] | the parabola, before and after bounces | exact | those of them that are free bodies on which nothing acts but bounces |
//! | [`Quadrature::HigherOrder`] | Runge–Kutta, or Rosenbrock where springs, dampers or servos are stiff, with error estimates | 5, 2 | trees on which no constraint acts |
//!
//! [`choose`] is the whole rule; what it asks of a tree is [`Facts`].

pub(crate) mod ballistic;
pub(crate) mod closing;
pub(crate) mod fast_rotation;
pub(crate) mod free_tree;
mod free_tree_derivative;
pub(crate) mod rolling;
mod rosenbrock;
mod runge_kutta;
mod system;
pub(crate) mod tangent;

use serde::Serialize;
use std::collections::BTreeSet;
use stiction_assembly::forces::actuators::is_servo;
pub(crate) use stiction_assembly::{RowKey, rows};
use stiction_dynamics::Model;
use stiction_world::World;

/// The rule by which a tree moves in one step; see the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quadrature {
    /// The tree sleeps.
    Held,
    /// First order, by the velocity at the end of the step.
    Backward,
    /// Second order, impulses in the middle of the step.
    Middle,
    /// The exact parabola of a free body, before and after bounces.
    Ballistic,
    /// Fifth order, or second where it is stiff, of a tree that no constraint impulse acts upon.
    HigherOrder,
}

/// The constraint impulses upon a tree in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    /// No constraint impulse.
    Nothing,
    /// Impulses of bounces alone.
    Bounces,
    /// Other constraint impulses, or a correction of its positions.
    Holds,
}

/// The kind of a tree that neither tendons, loops, couplings, dry friction nor carried weight bind, nor servos but as
/// [`crate::HigherOrder`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unbound {
    /// One free body.
    Body,
    /// Joints; where the rule of higher order leads is known.
    Tree,
}

/// All that the rule of a tree depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) asleep: bool,
    /// It is posed in the middle of the step.
    pub(crate) in_middle: bool,
    pub(crate) touch: Touch,
    /// `None`: it is bound, or no rule of higher order is accurate.
    pub(crate) unbound: Option<Unbound>,
}

/// The rule.
pub(crate) fn choose(f: &Facts) -> Quadrature {
    match (f.unbound, f.touch) {
        _ if f.asleep => Quadrature::Held,
        (Some(Unbound::Tree), Touch::Nothing) => Quadrature::HigherOrder,
        _ if f.in_middle => Quadrature::Middle,
        (Some(Unbound::Body), Touch::Nothing | Touch::Bounces) => Quadrature::Ballistic,
        _ => Quadrature::Backward,
    }
}

/// Trees with anything that is taken at the end of the step, or that joins them to others: servos, and those of
/// [`tied_trees`].
pub(crate) fn bound_trees(world: &World) -> BTreeSet<usize> {
    let mut bound = tied_trees(world);
    bound.extend(trees_of_servos(world, 1));
    bound
}

/// Trees of the servos on so many dofs or more.
fn trees_of_servos(world: &World, dofs: usize) -> impl Iterator<Item = usize> {
    let model: &Model = &world.model;
    let servos = world.actuators.iter().filter(move |a| is_servo(a) && a.transmission.len() >= dofs);
    servos.flat_map(|a| &a.transmission).map(|t| model.bodies[model.dofs[t.0].body].tree)
}

/// Trees whose forces are not functions of their single joints: with tendons, servos on several dofs, loops, couplings, dry
/// friction or carried weight.
pub(crate) fn tied_trees(world: &World) -> BTreeSet<usize> {
    let model: &Model = &world.model;
    let of_link = |l: usize| model.links[l].body.map(|b| model.bodies[b].tree);
    let mut bound: BTreeSet<_> = trees_of_servos(world, 2).collect();
    for key in rows::standing(world).iter().filter(|key| !matches!(key, RowKey::Limit(_))) {
        key.kind().for_each_tree(world, &mut |tree| _ = bound.insert(tree));
    }
    bound.extend(world.gravity_compensation.iter().filter_map(|c| of_link(c.0)));
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row that fits holds.
    #[test]
    fn the_table_of_rules() {
        use Quadrature::{Backward, Ballistic, Held, HigherOrder, Middle};
        let of = |asleep, in_middle, touch, unbound| choose(&Facts { asleep, in_middle, touch, unbound });
        for touch in [Touch::Nothing, Touch::Bounces, Touch::Holds] {
            for unbound in [None, Some(Unbound::Body), Some(Unbound::Tree)] {
                let free = touch == Touch::Nothing && unbound == Some(Unbound::Tree);
                let flies = touch != Touch::Holds && unbound == Some(Unbound::Body);
                assert_eq!(of(true, true, touch, unbound), Held);
                assert_eq!(of(true, false, touch, unbound), Held);
                assert_eq!(of(false, true, touch, unbound), if free { HigherOrder } else { Middle });
                let at_start = match (free, flies) {
                    (true, _) => HigherOrder,
                    (_, true) => Ballistic,
                    _ => Backward,
                };
                assert_eq!(of(false, false, touch, unbound), at_start);
            }
        }
    }
}
