//! The two traits of a kind of scalar row.
//!
//! [`RowKind`] is what the rest of the engine must know of every kind: the set of its impulse, the account of its work, the trees
//! on which it acts, its words in a message. [`LinearRow`] is a kind whose direction is constant. Its row is written once, for
//! any scalar: steps, lanes of batches and derivatives (dual numbers) evaluate the same text.

use crate::forces::Effort;
use crate::laws::actuator::AffineActuator;
use crate::laws::row::Row;
use crate::laws::row_params::RowParams;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::RowKey;
use crate::warm_start::WarmStart;
use stiction_contact::Cone;
use stiction_dynamics::{Model, Real};
use stiction_world::World;

/// Admissible impulses of a scalar row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpulseSet {
    /// λ ≥ 0: the row pushes.
    NonNegative,
    /// Any λ: the row is an equation.
    Free,
    /// λ between two bounds.
    Bounded,
}

/// Account of the energy ledger that has the work of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Limits,
    DryFriction,
    /// Loops and couplings.
    Constraints,
    Actuators,
}

/// Feature of a world that a row is of. Steppers say which they support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Limits,
    DryFriction,
    Actuators,
    Couplings,
    Loops,
    Tendons,
}

/// A kind of scalar row, with the numbers that say which row of a world it is.
pub trait RowKind {
    fn key(&self) -> RowKey;

    /// Set of the impulse.
    fn set(&self) -> ImpulseSet;

    /// Account that has the work of the row.
    fn work(&self) -> Work;

    /// Feature of the world that the row is of.
    fn feature(&self) -> Feature;

    /// True where `world` has the row in every step, or can have it; false of what is a row only where a step finds so.
    fn stands(&self, _world: &World) -> bool {
        true
    }

    /// Sort of the constraint, for a message: `loop`, `limit of joint`.
    fn sort(&self) -> &'static str;

    /// Name of the constraint in the world.
    fn name<'a>(&self, world: &'a World) -> &'a str;

    /// The constraint, for a message.
    fn words(&self, world: &World) -> String {
        format!("the {} `{}`", self.sort(), self.name(world))
    }

    /// Calls `tree` with every tree that the row acts on; a tree may come more than once.
    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize));

    /// True where the row acts on a tree for which `tree` is true.
    fn acts_on(&self, world: &World, tree: &dyn Fn(usize) -> bool) -> bool {
        let mut any = false;
        self.for_each_tree(world, &mut |t| any |= tree(t));
        any
    }
}

/// A kind of row whose direction is constant, J = Σ c along the dofs of its terms.
pub trait LinearRow: RowKind + Copy {
    /// Every row of the kind that `world` can have, in the order in which rows are posed.
    fn all(world: &World) -> impl Iterator<Item = Self>;

    /// J.
    fn terms<'a>(&self, world: &'a World) -> Terms<'a>;

    /// Biases, bounds and compliance at the numbers `at`; [`Row::there`] says where the row acts.
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T>;

    /// Writes the material of compliant laws of the row that was pushed last; a row without one yields as its G says.
    fn soften(&self, _posing: &Posing<'_>, _out: &mut Posed) {}

    /// Distance at which compliant laws see the row earlier than the step does [m or rad].
    fn soft_margin(&self, _posing: &Posing<'_>) -> f64 {
        0.0
    }
}

/// Numbers of rows that move, or that environments of a batch have of their own.
#[derive(Clone, Copy, Debug)]
pub struct At<'a, T: Real> {
    pub params: RowParams<T>,
    /// Positions and velocities at which the step is posed, and v_f.
    pub q: &'a [T],
    pub v: &'a [T],
    pub free_velocity: &'a [T],
    /// Positions at the start of a step that is posed in its middle.
    pub start: Option<&'a [T]>,
    /// The row had an impulse in the last step; read where `start` is known.
    pub lasts: T::Mask,
    /// Index into q of every dof of a scalar joint.
    pub q_of_dof: &'a [usize],
    /// Model with the dry friction of its dofs.
    pub model: &'a Model<T>,
    /// Laws of the actuators, and their efforts where they are rows; k = 0 where they are none.
    pub laws: &'a [AffineActuator<T>],
    pub efforts: &'a [Effort<T>],
    /// Efforts of the tendons; `None`: those of the end of the step.
    pub tendons: Option<&'a [Effort<T>]>,
}

impl<'a> Posing<'a> {
    /// Numbers of the rows of a step. Implicit forces of a step come with their efforts ([`Posing::implicit_forces`]).
    pub(crate) fn at(&self) -> At<'a, f64> {
        At {
            params: self.params,
            q: self.q,
            v: self.v,
            free_velocity: self.free_velocity,
            start: None,
            lasts: false,
            q_of_dof: self.q_of_dof,
            model: &self.world.model,
            laws: &[],
            efforts: &[],
            tendons: None,
        }
    }
}

/// Signs of a limit's two sides: the lower one, and the upper one.
pub(crate) const SIDES: [f64; 2] = [1.0, -1.0];

/// Direction of a row: `sign` times a sum over dofs with coefficients.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    sign: f64,
    sum: Sum<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Sum<'a> {
    Dof([(usize, f64); 1]),
    Many(&'a [(usize, f64)]),
}

impl<'a> Terms<'a> {
    /// One dof.
    #[inline(always)]
    pub fn dof(sign: f64, dof: usize) -> Self {
        Self { sign, sum: Sum::Dof([(dof, 1.0)]) }
    }

    /// Pairs of a dof and its coefficient.
    #[inline(always)]
    pub fn sum(sign: f64, terms: &'a [(usize, f64)]) -> Self {
        Self { sign, sum: Sum::Many(terms) }
    }

    /// Pairs of a dof and its coefficient, without the sign.
    #[inline(always)]
    fn unsigned(&self) -> &[(usize, f64)] {
        match &self.sum {
            Sum::Dof(terms) => terms,
            Sum::Many(terms) => terms,
        }
    }

    /// Pairs of a dof and its entry of J.
    #[inline(always)]
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        self.unsigned().iter().map(|&(dof, c)| (dof, self.sign * c))
    }

    /// J x, with `x` by dof.
    #[inline(always)]
    pub fn along<T: Real>(&self, zero: T, x: impl Fn(usize) -> T) -> T {
        let mut sum = zero;
        for &(dof, c) in self.unsigned() {
            sum += zero.like(c) * x(dof);
        }
        zero.like(self.sign) * sum
    }
}

impl<T: Real> At<'_, T> {
    /// 0 in every lane.
    #[inline(always)]
    pub fn zero(&self) -> T {
        self.params.h.zero()
    }

    /// J q of a row [m or rad].
    #[inline(always)]
    pub fn length(&self, terms: &Terms<'_>) -> T {
        terms.along(self.zero(), |dof| self.q[self.q_of_dof[dof]])
    }

    /// J v and J v_f of a row [m/s or rad/s].
    #[inline(always)]
    pub fn rates(&self, terms: &Terms<'_>) -> [T; 2] {
        [self.v, self.free_velocity].map(|v| terms.along(self.zero(), |dof| v[dof]))
    }
}

/// Trees of the dofs of `terms`.
pub(crate) fn trees<'a>(world: &'a World, terms: &'a Terms<'_>) -> impl Iterator<Item = usize> + 'a {
    let model = &world.model;
    terms.unsigned().iter().map(|t| model.bodies[model.dofs[t.0].body].tree)
}

/// Set of the impulse of a row of this kind, between `bounds` [N·s or N·m·s].
#[inline(always)]
pub(crate) fn cone(set: ImpulseSet, [lo, hi]: [f64; 2]) -> Cone {
    match set {
        ImpulseSet::NonNegative => Cone::NonNegative,
        ImpulseSet::Free => Cone::Free,
        ImpulseSet::Bounded => Cone::Box { lo, hi },
    }
}

/// Pushes every row of a kind that acts in this step.
#[inline]
pub(crate) fn push_all<K: LinearRow>(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let at = p.at();
    K::all(p.world).for_each(|kind| push(kind, p, &at, out, warm));
}

/// Pushes a row if it acts in this step.
#[inline(always)]
pub(crate) fn push<K: LinearRow>(
    kind: K,
    p: &Posing<'_>,
    at: &At<'_, f64>,
    out: &mut Posed,
    warm: &mut WarmStart,
) {
    let mut at = *at;
    if p.compliance.is_some() {
        at.params.margin = at.params.margin.max(kind.soft_margin(p));
    }
    let terms = kind.terms(p.world);
    let start = p.rolling.and_then(|_| p.start_of(trees(p.world, &terms).next()?));
    at.start = start.map(|start| start.q);
    let row = kind.row(p.world, &at);
    if !row.there {
        return;
    }
    let Some(start) = start else { return push_row(kind, row, p, out, warm) };
    let key = kind.key();
    if start.left_out.contains(&key) {
        return;
    }
    at.lasts = warm.impulse_of(key) != 0.0;
    let row = if at.lasts { kind.row(p.world, &at) } else { row };
    let block = out.blocks.len();
    push_row(kind, row, p, out, warm);
    if kind.set() == ImpulseSet::NonNegative && out.blocks.len() > block {
        out.note_stop(&p.params, block, at.lasts, row.error, at.rates(&terms));
    }
}

/// Pushes a row that acts.
#[inline(always)]
pub(crate) fn push_row<K: LinearRow>(
    kind: K,
    row: Row<f64>,
    p: &Posing<'_>,
    out: &mut Posed,
    warm: &mut WarmStart,
) {
    let terms = kind.terms(p.world);
    if !trees(p.world, &terms).any(|tree| p.kin.selects(tree)) {
        return;
    }
    let key = kind.key();
    out.jacobian.push_sum(terms.entries(), &p.world.model);
    out.push_scalar(key, cone(kind.set(), row.bounds), row.into(), p.softness_gap(row.error));
    if let Some(r) = out.problem.compliance.last_mut() {
        *r = row.compliance;
    }
    kind.soften(p, out);
    warm.recall(key);
}
