//! Who moves how: the rule by which the positions of each tree go through a step.
//!
//! | rule | q⁺ | order | who |
//! |---|---|---|---|
//! | [`Quadrature::Held`] | q | – | sleeps |
//! | [`Quadrature::Backward`] | q ⊕ h v⁺ | 1 | what is hit, and all else |
//! | [`Quadrature::Trapezoidal`] | q ⊕ h (v + v⁺)/2 | 2 | robots with servos, and what impulses join to them, where nothing is hit |
//! | [`Quadrature::Midpoint`] | the same, with M, b and J of loops at q ⊕ h v/2 | 2 | linkages that nothing touches, and bound trees that nothing can touch |
//! | [`Quadrature::Rolling`] | half a flight, impulses, half a flight | 2 | free bodies whose contacts last while they move |
//! | [`Quadrature::Middle`] | half a step, impulses in the middle, half a step | 2 | all trees, with [`crate::MotionRule::Middle`] |
//! | [`Quadrature::Ballistic`] | the parabola, before and after bounces | exact | free bodies on which nothing acts but bounces |
//! | [`Quadrature::HigherOrder`] | Runge–Kutta, or Rosenbrock where springs, dampers or servos are stiff, with error estimates | 5, 2 | trees on which no constraint acts |
//!
//! [`choose`] is the whole rule; what it asks of a tree is [`Facts`].

pub(crate) mod ballistic;
pub(crate) mod closing;
pub(crate) mod fast_rotation;
pub(crate) mod free_tree;
mod free_tree_derivative;
pub(crate) mod hits;
mod linkages;
pub(crate) mod midpoint;
pub(crate) mod rolling;
mod rosenbrock;
mod runge_kutta;
mod system;
pub(crate) mod tangent;
pub(crate) mod trapezoidal;

pub(crate) use linkages::Linkages;
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
    /// Second order, by the mean of the velocities at both ends.
    Trapezoidal,
    /// Second order, with inertia and forces of the middle of the step.
    Midpoint,
    /// Second order, impulses between two halves of a flight, of free bodies whose contacts last.
    Rolling,
    /// Second order, impulses in the middle of the step, of all trees ([`crate::MotionRule::Middle`]).
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
    /// It is a free body whose contacts last while it moves, [`rolling`].
    pub(crate) rolls: bool,
    /// The contact law is rigid; compliant laws are written for positions that move by v⁺.
    pub(crate) rigid: bool,
    pub(crate) touch: Touch,
    /// `None`: it is bound, or no rule of higher order is accurate.
    pub(crate) unbound: Option<Unbound>,
    /// It has servos, something with servos is joined to it by impulses, or it has a middle.
    pub(crate) trapezoidal: bool,
    /// Its inertia and forces are those of the middle of the step: nothing touches it.
    pub(crate) swings: bool,
    /// A contact or stop is hit, or it turns too far for its positions to mean something.
    pub(crate) hit: bool,
}

/// The rule.
pub(crate) fn choose(f: &Facts) -> Quadrature {
    match (f.unbound, f.touch) {
        _ if f.asleep => Quadrature::Held,
        _ if f.rolls => Quadrature::Rolling,
        (Some(Unbound::Body), Touch::Nothing | Touch::Bounces) => Quadrature::Ballistic,
        (Some(Unbound::Tree), Touch::Nothing) => Quadrature::HigherOrder,
        _ if !f.rigid || !f.trapezoidal || f.hit => Quadrature::Backward,
        _ if f.swings => Quadrature::Midpoint,
        _ => Quadrature::Trapezoidal,
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

    /// The truth table, row by row: the first that fits holds.
    #[test]
    fn the_table_of_rules() {
        use Quadrature::{Backward, Ballistic, Held, HigherOrder, Midpoint, Rolling, Trapezoidal};
        // [asleep, rolls], rigid, touch, unbound, trapezoidal, swings, hit; `None`: whatever it is.
        type Row = (
            [Option<bool>; 2],
            Option<bool>,
            &'static [Touch],
            &'static [Option<Unbound>],
            [Option<bool>; 3],
        );
        const BODY: Option<Unbound> = Some(Unbound::Body);
        const TREE: Option<Unbound> = Some(Unbound::Tree);
        const ANY: [Touch; 3] = [Touch::Nothing, Touch::Bounces, Touch::Holds];
        let (yes, no, any) = (Some(true), Some(false), None);
        const AWAKE: [Option<bool>; 2] = [Some(false), Some(false)];
        let table: [(Row, Quadrature); 9] = [
            (([yes, any], any, &ANY, &[None, BODY, TREE], [any; 3]), Held),
            (([no, yes], any, &ANY, &[None, BODY, TREE], [any; 3]), Rolling),
            ((AWAKE, any, &[Touch::Nothing, Touch::Bounces], &[BODY], [any; 3]), Ballistic),
            ((AWAKE, any, &[Touch::Nothing], &[TREE], [any; 3]), HigherOrder),
            ((AWAKE, no, &ANY, &[None, BODY, TREE], [any; 3]), Backward),
            ((AWAKE, yes, &ANY, &[None, BODY, TREE], [no, any, any]), Backward),
            ((AWAKE, yes, &ANY, &[None, BODY, TREE], [yes, any, yes]), Backward),
            ((AWAKE, yes, &ANY, &[None, BODY, TREE], [yes, yes, no]), Midpoint),
            ((AWAKE, yes, &ANY, &[None, BODY, TREE], [yes, no, no]), Trapezoidal),
        ];
        let fits = |asked: Option<bool>, is: bool| asked.is_none_or(|a| a == is);
        let mut seen = [0; 9];
        for bits in 0..64_u32 {
            let bit = |k: u32| bits >> k & 1 == 1;
            for touch in ANY {
                for unbound in [None, BODY, TREE] {
                    let f = Facts {
                        asleep: bit(0),
                        rigid: bit(1),
                        touch,
                        unbound,
                        trapezoidal: bit(2),
                        swings: bit(3),
                        hit: bit(4),
                        rolls: bit(5),
                    };
                    let row = table.iter().position(|(([asleep, rolls], rigid, touches, kinds, rest), _)| {
                        let of = [f.trapezoidal, f.swings, f.hit];
                        fits(*asleep, f.asleep)
                            && fits(*rolls, f.rolls)
                            && fits(*rigid, f.rigid)
                            && touches.contains(&touch)
                            && kinds.contains(&unbound)
                            && rest.iter().zip(of).all(|(a, is)| fits(*a, is))
                    });
                    let row = row.expect("every case has a row");
                    seen[row] += 1;
                    assert_eq!(choose(&f), table[row].1, "{f:?}");
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
    }
}
