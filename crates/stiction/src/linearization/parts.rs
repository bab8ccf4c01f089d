//! Derivatives of steps in parts that end at impacts.
//!
//! A part of duration ℓ leads from x = (q, v) to x⁻ = f(x, u, ℓ), where the gap φ of what meets first is
//! closed; the impact leads to x⁺ at the same q; and the last part takes what is left of the step:
//!
//! ```text
//!     δx⁻ = ∂f δ(x, u) + f_ℓ δℓ                                                                     (1)
//!     δℓ = −∇φ · ∂f δ(x, u) / (∇φ · f_ℓ)                                                            (2)
//!     δx⁺ of the impact at q⁻                                                                       ([`super::jump`])
//!     last part:  δℓ = −Σ δℓ of those before                                                        (3)
//! ```
//!
//! This is the saltation of the flow: a part ends where the gap is none. Each part is done again from the memory that
//! it started from, and differentiated as a step is. f_ℓ is a difference of the fourth order of the part at lengths
//! about its own, all on one piece of the step map.

use super::columns::{Columns, Derivative};
use super::jump::Jump;
use super::{Done, Linearization, LinearizationError, LinearizationNote, LinearizationParams, Parameter};
use crate::input::Input;
use crate::report::StepReport;
use crate::simulation::Again;
use crate::state::State;
use crate::stepping::attempt::{Event, Landings, Part, settle};
use crate::stepping::driver::parts::End;
use crate::stepping::{Accepted, BlockMode, Memory, Quadrature};
use nalgebra::DMatrix;
use stiction_assembly::BlockKey;
use stiction_dynamics::difference_into;
use stiction_dynamics::differences::FOURTH_ORDER;

/// By which share of itself a part is longer or shorter in the differences: what is tried, until all are on
/// one piece [–].
const LONGER: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// A step that was done in parts.
pub(super) struct Parted<'a> {
    pub(super) again: Again<'a>,
    pub(super) start: &'a State,
    /// The stepper's memory at the start of the step.
    pub(super) memory: &'a Memory,
    pub(super) input: &'a Input,
    pub(super) h: f64,
    pub(super) report: StepReport,
    pub(super) params: LinearizationParams,
    pub(super) parameters: &'a [Parameter],
    /// Duration of the step where fast bodies are swept [s].
    pub(super) swept: Option<f64>,
}

/// A part, with its derivatives by state and control, by its length, and those of its impulses by that.
struct Flow {
    derivative: Derivative,
    by_length: DMatrix<f64>,
    impulses_by_length: DMatrix<f64>,
}

/// Blocks that are not open, in which modes, and by which rules trees moved.
type Piece = (Vec<(BlockKey, BlockMode)>, Vec<Quadrature>);

/// The end of a part, the event there, and on which piece of the step map it was.
struct Sample {
    state: State,
    event: Option<Event>,
    impulses: Vec<f64>,
    piece: Piece,
}

/// The derivatives so far.
struct Chain {
    columns: Columns,
    /// ∂x, and that of the time that passed.
    change: DMatrix<f64>,
    elapsed: DMatrix<f64>,
    notes: Vec<LinearizationNote>,
}

impl Parted<'_> {
    /// The derivatives of the step to `next`. Stepper and memory are as before.
    pub(super) fn linearize(mut self, next: &State) -> Result<Linearization, LinearizationError> {
        let mut kept = Memory::default();
        self.again.core.memory_into(&mut kept);
        self.again.core.restore(self.memory);
        self.swept = self.again.core.about().may_end.meetings.then_some(self.h);
        let linearization = self.follow(next);
        self.again.core.restore(&kept);
        self.again.solver.forget();
        linearization
    }

    /// (1) to (3), part by part.
    fn follow(&mut self, next: &State) -> Result<Linearization, LinearizationError> {
        let (world, parts) = (self.again.world, self.again.parts);
        if self.params.smoothing > 0.0 {
            return self.in_one_part(next);
        }
        if parts.iter().any(|part| part.end == End::SlipTurns) {
            return match self.swept.is_none() {
                true => self.in_one_part(next),
                false => Err(LinearizationError::Parts { parts: self.report.parts }),
            };
        }
        let Some((last, before)) = parts.split_last().filter(|(last, _)| last.end == End::Step) else {
            return Err(LinearizationError::Impact { why: "it is at the very end of the step" });
        };
        let (nv, nu, np) = (world.model.nv(), world.actuators.len(), self.parameters.len());
        let columns = Columns { nv, nu, np };
        let mut chain = Chain::new(columns);
        let (mut state, mut left) = (self.start.clone(), self.h);
        for part in before {
            if part.length > 0.0 {
                self.find_what_lands(&state, left)?;
                let flow = self.flow(&mut state, part.length, true)?;
                let longer = self.longer_to_landing(&state, &flow, &chain)?;
                chain.follow(&flow);
                chain.lengthen(&flow, longer);
            }
            for number in 0..part.impacts {
                let jump = self.jump(&mut state, number)?;
                // What overlaps at the start is hit there, however deep it is.
                if part.length == 0.0 && number == 0 && jump.gap > -self.params.switch_gap {
                    chain.notes.push(LinearizationNote::AtSwitch { block: jump.block });
                }
                if number > 0 || jump.contacts > 1 {
                    chain.notes.push(LinearizationNote::MeetTogether { contacts: jump.contacts });
                }
                chain.jump(jump);
                // What has landed stays at its gap of none, however the start is displaced.
                self.params.switch_gap = 0.0;
            }
            left -= part.length;
        }
        let flow = self.flow(&mut state, last.length, false)?;
        let dlambda = chain.end(&flow);
        let Chain { change: end, mut notes, .. } = chain;
        for k in (1..notes.len()).rev() {
            if notes[..k].contains(&notes[k]) {
                notes.remove(k);
            }
        }
        Ok(Derivative { columns, end, dlambda, notes }.linearization(self.report.clone(), next.clone()))
    }

    /// The part of `length` from `state`, which moves to its end. One that leads to an impact goes without
    /// what will bounce, which is known then.
    fn flow(&mut self, state: &mut State, length: f64, leads: bool) -> Result<Flow, LinearizationError> {
        let start = state.clone();
        let mut memory = Memory::default();
        self.again.core.memory_into(&mut memory);
        // All of the overlap is an event, which tells the gap.
        let overlap = f64::NEG_INFINITY;
        let landings = if leads { Landings::LeftOut { overlap } } else { Landings::Ignored };
        let mut found = None;
        for share in LONGER {
            let longer = FOURTH_ORDER.map(|(times, _)| length * (1.0 + share * times));
            let mut samples = Vec::with_capacity(FOURTH_ORDER.len());
            for length in longer {
                samples.push(self.sample((&start, &memory), length, landings)?.0);
            }
            let (here, report) = self.sample((&start, &memory), length, landings)?;
            if samples.iter().all(|x| x.piece == here.piece && x.impulses.len() == here.impulses.len()) {
                found = Some((share * length, samples, here, report));
                break;
            }
        }
        let Some((unit, samples, here, report)) = found else {
            return Err(LinearizationError::Impact {
                why: "a part of the step is at a switch of its length",
            });
        };
        *state = here.state;
        let of = self.done((&start, state), (length, report))?;
        let derivative = of.linearize()?;
        let model = &self.again.world.model;
        let nv = model.nv();
        let (mut by_length, mut moved) = (DMatrix::zeros(2 * nv, 1), vec![0.0; nv]);
        let mut impulses_by_length = DMatrix::zeros(here.impulses.len(), 1);
        for (sample, (_, weight)) in samples.iter().zip(FOURTH_ORDER) {
            let weight = weight / unit;
            difference_into(model, &state.q, &sample.state.q, 1.0, &mut moved);
            for i in 0..nv {
                by_length[i] += weight * moved[i];
                by_length[nv + i] += weight * (sample.state.v[i] - state.v[i]);
            }
            for (by, (x, y)) in impulses_by_length.iter_mut().zip(sample.impulses.iter().zip(&here.impulses))
            {
                *by += weight * (x - y);
            }
        }
        Ok(Flow { derivative, by_length, impulses_by_length })
    }

    /// Has the stepper find what lands in what is `left` of the step, which parts that lead to the landing leave out. The
    /// memory is as before.
    fn find_what_lands(&mut self, start: &State, left: f64) -> Result<(), LinearizationError> {
        let mut memory = Memory::default();
        self.again.core.memory_into(&mut memory);
        let (end, _) = self.sample((start, &memory), left, Landings::End)?;
        self.again.core.restore(&memory);
        match end.event {
            Some(Event::Landing(_)) => Ok(()),
            _ => Err(LinearizationError::Impact { why: "what landed does not, when the step is done again" }),
        }
    }

    /// The derivatives of the step in one part, with all that lands in its one problem.
    fn in_one_part(&mut self, next: &State) -> Result<Linearization, LinearizationError> {
        let mut memory = Memory::default();
        self.again.core.memory_into(&mut memory);
        let (start, h) = (self.start.clone(), self.h);
        let (end, report) = self.sample((&start, &memory), h, Landings::AtOnce)?;
        let mut derivative = self.done((&start, &end.state), (h, report))?.linearize()?;
        derivative.notes.push(LinearizationNote::InOnePart);
        Ok(derivative.linearization(self.report.clone(), next.clone()))
    }

    /// (2): δℓ = −δφ/φ̇ of a part that leads to a landing at `end`, where a step ends a part at that instant from
    /// both sides. The memory is as before.
    fn longer_to_landing(
        &mut self,
        end: &State,
        flow: &Flow,
        chain: &Chain,
    ) -> Result<DMatrix<f64>, LinearizationError> {
        let mut memory = Memory::default();
        self.again.core.memory_into(&mut memory);
        let jump = self.jump(&mut end.clone(), 0)?;
        self.again.core.restore(&memory);
        let none = DMatrix::zeros(1, flow.derivative.columns.count());
        let gap = chain.gap_after((flow, &none), &jump);
        let nv = flow.derivative.columns.nv;
        let rate = (jump.gap_change.columns(0, 2 * nv) * &flow.by_length)[(0, 0)];
        if rate >= 0.0 {
            return Err(LinearizationError::Impact {
                why: "what lands does not close, when the step is done again",
            });
        }
        Ok(gap * (-1.0 / rate))
    }

    /// The last step of the stepper, from `start` to `next` in h.
    fn done<'b>(
        &'b self,
        (start, next): (&'b State, &'b State),
        (h, report): (f64, StepReport),
    ) -> Result<Done<'b>, LinearizationError> {
        let Again { world, core, solver, .. } = &self.again;
        let Some(accepted) = core.accepted() else {
            return Err(LinearizationError::Parts { parts: self.report.parts });
        };
        Ok(Done {
            world,
            start,
            input: self.input,
            next,
            h,
            report,
            law: solver.law(),
            solver: solver.name(),
            accepted,
            params: self.params,
            parameters: self.parameters,
        })
    }

    /// The part of `length` from a state with this memory.
    fn sample(
        &mut self,
        (start, memory): (&State, &Memory),
        length: f64,
        landings: Landings,
    ) -> Result<(Sample, StepReport), LinearizationError> {
        let inelastic = landings == Landings::End;
        let Again { world, core, solver, .. } = &mut self.again;
        let mut state = start.clone();
        core.restore(memory);
        solver.forget();
        let part = Part { landings, inelastic, swept: self.swept, ..Part::whole(world, self.input, length) };
        let (event, report) = settle(*core, part, &mut state, *solver)
            .map_err(|cause| LinearizationError::Failed(cause.text))?;
        let piece = core.accepted().map(|accepted: Accepted<'_>| {
            let blocks = accepted.posed.blocks.iter().zip(accepted.active_set());
            let closed = blocks.filter(|(_, mode)| *mode != BlockMode::Open);
            (closed.map(|(block, mode)| (block.key, mode)).collect(), accepted.quadrature.to_vec())
        });
        let piece = piece.unwrap_or_default();
        Ok((Sample { state, event, impulses: core.last().impulses.to_vec(), piece }, report))
    }

    /// The next impact at `state`, whose velocity jumps; `number` came before it at this instant.
    fn jump(&mut self, state: &mut State, number: usize) -> Result<Jump, LinearizationError> {
        let start = state.clone();
        let Again { world, core, solver, .. } = &mut self.again;
        solver.forget();
        let landings = Landings::Strike { done: number };
        let strike = Part { landings, ..Part::whole(world, self.input, self.h) };
        let report = match settle(*core, strike, state, *solver) {
            Ok((None, report)) => report,
            Ok(_) => {
                let why = "what hit does not, when the step is done again";
                return Err(LinearizationError::Impact { why });
            }
            Err(cause) => return Err(LinearizationError::Failed(cause.text)),
        };
        let of = self.done((&start, state), (self.h, report))?;
        let accepted = Accepted { v: &start.v, quadrature: &[], ..of.accepted };
        Done { accepted, ..of }.jump()
    }
}

impl Chain {
    fn new(columns: Columns) -> Self {
        let mut change = columns.zeros(2 * columns.nv);
        change.fill_diagonal(1.0);
        Self { columns, change, elapsed: columns.zeros(1), notes: Vec::new() }
    }

    /// A part, as long as it was.
    fn follow(&mut self, flow: &Flow) {
        self.change = self.by_start(&flow.derivative.end);
        self.notes.extend(flow.derivative.notes.iter().cloned());
    }

    /// The change of numbers that depend on the start of the next part by `rows`.
    fn by_start(&self, rows: &DMatrix<f64>) -> DMatrix<f64> {
        let Columns { nv, nu, np } = self.columns;
        let mut change = rows.columns(0, 2 * nv) * &self.change;
        let mut others = change.columns_mut(2 * nv, nu + np);
        others += rows.columns(2 * nv, nu + np);
        change
    }

    /// δφ after a part that follows, of which δℓ is `longer`.
    fn gap_after(&self, (flow, longer): (&Flow, &DMatrix<f64>), jump: &Jump) -> DMatrix<f64> {
        let mut after = Self::new(self.columns);
        after.change = self.by_start(&flow.derivative.end) + &flow.by_length * longer;
        after.by_start(&jump.gap_change)
    }

    /// The part that was followed last takes longer.
    fn lengthen(&mut self, flow: &Flow, longer: DMatrix<f64>) {
        self.change += &flow.by_length * &longer;
        self.elapsed += longer;
    }

    /// An impact: velocities jump.
    fn jump(&mut self, jump: Jump) {
        let (nv, after) = (self.columns.nv, self.by_start(&jump.v_change));
        self.change.rows_mut(nv, nv).copy_from(&after);
        self.notes.extend(jump.notes);
    }

    /// (3): the last part; ∂λ of it.
    fn end(&mut self, flow: &Flow) -> DMatrix<f64> {
        let mut dlambda = self.by_start(&flow.derivative.dlambda);
        dlambda -= &flow.impulses_by_length * &self.elapsed;
        self.follow(flow);
        self.lengthen(flow, -self.elapsed.clone());
        dlambda
    }
}
