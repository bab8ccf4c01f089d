//! The contact laws of [`super::theta`]: what g and R of a contact's rows are, and who solves the problem.
//!
//! ```text
//!     moreau             g_N = J_N v_f + e J_N v,   g_T = J_T v_f + e_T J_T v,   where φ + γ h φ̇ ≤ `touch`  (1)
//!     stewart-trinkle    g_N = J_N v_f + φ/h,   by Lemke's pivots                                      (2)
//!     anitescu           the same,   by the convex programme                                          (3)
//!     todorov            g = J v_f − u*,   R = ε diag(J M̂⁻¹ Jᵀ),   over the cone:                      (4)
//!                        u* = (1 − 2 h (1 + ε)/κ) J v − h (1 + ε)/κ² (0, 0, φ)
//! ```
//!
//! Contacts of (1) that last are [`super::theta`]'s: they take part at any gap, and by the midpoint rule g = J v_f + J v − J₀ v. In (2) and (3)
//! gaps count of either sign: what overlaps is pushed apart within the step. (4) is Todorov's regularised dual
//! [Todorov2014] with the constants of its scalar example: critically damped, with the time constant κ.

use crate::canon_params::CanonParams;
use stiction_assembly::{Bias, BlockKey, ContactPoint, Posed};
use stiction_contact::ContactSolver;
use stiction_dynamics::Factor;
use stiction_dynamics::spatial::Vec3;
use stiction_solvers::registry::{Common, SolverError, make_from};
use stiction_solvers::values::Params;

/// One of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContactLaw {
    Moreau,
    StewartTrinkle,
    Anitescu,
    Todorov,
}

/// The velocity of a contact that lasts at the start of the step, and that of its opening [m/s].
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) velocity: Vec3,
    pub(super) opening: f64,
}

impl ContactLaw {
    /// The one that the catalogue calls `name`.
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Moreau, Self::StewartTrinkle, Self::Anitescu, Self::Todorov]
            .into_iter()
            .find(|law| law.name() == name)
    }

    /// In the catalogue.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Moreau => "moreau",
            Self::StewartTrinkle => "stewart-trinkle",
            Self::Anitescu => "anitescu",
            Self::Todorov => "todorov",
        }
    }

    /// The solver that is part of the method; `None`: any of the exact or a relaxed law.
    pub(super) fn solver(self, params: &CanonParams) -> Result<Option<Box<dyn ContactSolver>>, SolverError> {
        let common = Common { tolerance: params.tolerance, max_iterations: 2000 };
        let facets = Params::default().with("facets", params.facets);
        let made = match self {
            Self::Moreau => return Ok(None),
            Self::StewartTrinkle => make_from("lcp-lemke", &common, &facets),
            Self::Anitescu => make_from("anitescu-qp", &common, &facets),
            Self::Todorov => make_from("ccp-ipm", &common, &Params::default()),
        };
        made.map(Some)
    }

    /// True of contacts that take part in a step, where their gap grows at the rate `opening` [m/s].
    pub(super) fn takes(self, params: &CanonParams, c: &ContactPoint, opening: f64, h: f64) -> bool {
        match self {
            Self::Moreau => c.gap + params.moreau.gamma * h * opening <= params.moreau.touch,
            Self::StewartTrinkle | Self::Anitescu => true,
            Self::Todorov => c.gap <= params.todorov.margin,
        }
    }

    /// Writes what the law makes of the contacts that do not yield: g − J v_f of their rows into `offsets`, whose other rows
    /// stay, and R. `before` is J v; `held` is of those that last and are held by their mean velocity.
    pub(super) fn write(
        self,
        params: &CanonParams,
        (posed, points, held): (&mut Posed, &[ContactPoint], &[Option<Held>]),
        before: &[f64],
        (h, factor): (f64, &Factor),
        offsets: &mut [f64],
    ) {
        for block in 0..posed.blocks.len() {
            let BlockKey::Contact(c) = posed.blocks[block].key else { continue };
            let point = &points[c];
            if point.spring.is_some() {
                continue;
            }
            let rows = posed.problem.range(block);
            let normal = posed.normal_row(block);
            let free = posed.blocks[block].bias.free;
            let bias = match self {
                Self::Moreau if let Some(Held { velocity, opening }) = held[c] => {
                    offsets[rows.clone()].fill(0.0);
                    let [along, across, _] = point.axes();
                    for (r, t) in rows.filter(|&r| r != normal).zip([along, across]) {
                        offsets[r] = before[r] - t.dot(velocity);
                    }
                    Bias { free, turn: before[normal] - opening, ..Bias::default() }
                }
                Self::Moreau => {
                    offsets[rows.clone()].fill(0.0);
                    let tangential = params.moreau.tangential_restitution;
                    for r in rows.filter(|&r| r != normal) {
                        offsets[r] = tangential * before[r];
                    }
                    Bias { free, restitution: point.restitution * before[normal], ..Bias::default() }
                }
                Self::StewartTrinkle | Self::Anitescu => {
                    offsets[rows].fill(0.0);
                    Bias { free, gap: point.gap / h, ..Bias::default() }
                }
                Self::Todorov => {
                    let todorov = &params.todorov;
                    let soft = (1.0 + todorov.regularization) / todorov.time_constant;
                    for r in rows {
                        offsets[r] = (2.0 * h * soft - 1.0) * before[r];
                        posed.problem.compliance[r] = todorov.regularization * diagonal(posed, factor, r);
                    }
                    let gap = h * soft / todorov.time_constant * point.gap;
                    Bias { free, gap: gap + offsets[normal], ..Bias::default() }
                }
            };
            offsets[normal] = bias.turn + bias.gap + bias.restitution;
            posed.blocks[block].bias = bias;
        }
    }

    /// Takes back what is not part of the exact law, before the judge sees the problem: R, and all of g but open gaps.
    pub(super) fn undo(self, posed: &mut Posed, points: &[ContactPoint], h: f64, offsets: &mut [f64]) {
        if self != Self::Todorov {
            return;
        }
        for block in 0..posed.blocks.len() {
            let BlockKey::Contact(c) = posed.blocks[block].key else { continue };
            if points[c].spring.is_some() {
                continue;
            }
            let (rows, normal) = (posed.problem.range(block), posed.normal_row(block));
            offsets[rows.clone()].fill(0.0);
            posed.problem.compliance[rows].fill(0.0);
            offsets[normal] = points[c].gap.max(0.0) / h;
            let free = posed.blocks[block].bias.free;
            posed.blocks[block].bias = Bias { free, gap: offsets[normal], ..Bias::default() };
        }
    }
}

/// J_r M̂⁻¹ J_rᵀ of row r.
fn diagonal(posed: &Posed, factor: &Factor, r: usize) -> f64 {
    let mut unit = vec![0.0; posed.problem.rows()];
    unit[r] = 1.0;
    let mut column = vec![0.0; factor.inverse_diagonal().len()];
    posed.jacobian.add_impulses_into(posed.problem.row_start(), &unit, &mut column);
    let row = column.clone();
    factor.solve_in_place(&mut column);
    row.iter().zip(&column).map(|(a, b)| a * b).sum()
}
