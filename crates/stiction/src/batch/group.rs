//! One step of one group: as many environments as there are lanes, side by side.

use super::WIDEST;
use super::free::Free;
use super::memory::Memory;
use super::numbers::Numbers;
use super::plan::Plan;
use super::position_correction::PositionCorrection;
use super::rows::{At, MOST_ROWS, Rows};
use super::settings::Precision;
use super::slot::Known;
use super::states::{Inputs, States};
use super::touch::Touch;
use super::witness::Witness;
use crate::stepping::Quadrature;
use crate::stepping::integrate::closing::Closing;
use std::any::Any;
use stiction_dynamics::lanes::Lanes;
use stiction_dynamics::{Kinematics, Model, Real, integrate_into, lanes};
use stiction_solvers::lanes::{LaneSettings, LaneSolver};

/// What the step leads to, environment by environment.
pub(super) struct Next<'a> {
    /// v⁺, of free bodies that are posed in the middle before their flights.
    pub(super) v: &'a mut [f64],
    /// By which everything moves: from the start, or from the middle for half a step. Of free bodies that are posed there what
    /// corrects their positions.
    pub(super) by: &'a mut [f64],
}

/// Verdict of lanes on a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// It counts; otherwise the environment is to be stepped alone.
    pub(super) good: bool,
    pub(super) residual: f64,
    pub(super) natural_map: Option<f64>,
    pub(super) contacts: usize,
    pub(super) penetration: f64,
}

/// Rounds of the solver in which a lane must gain: the step alone goes on from there.
const PATIENCE: f64 = 8.0;
/// Times that a step is solved, at most: again where a servo does not do what it was expected to do, slip ends, or dry friction turns.
const ATTEMPTS: usize = 6;

/// A step of one group, in the lanes of L. In phases, each dispatched for itself: all of a phase is compiled as one
/// function, and a phase that comes twice in a step is compiled once.
pub(super) fn step<L: Lanes>(
    plan: &Plan,
    room: &mut Option<Box<dyn Any + Send>>,
    inputs: &Inputs<'_>,
    memory: &mut Memory,
    next: Next<'_>,
    out: &mut [Outcome; WIDEST],
) {
    let mut work = Work {
        plan,
        room,
        inputs,
        memory,
        next,
        out,
        only: None,
        first: true,
        belied: false,
        positions: false,
    };
    for attempt in 0..ATTEMPTS {
        work.memory.begin();
        work.first = attempt == 0;
        if work.first || work.belied {
            move_freely::<L>(&mut work);
        }
        let mut again = false;
        (work.only, work.belied) = (None, false);
        if lanes::run_wide::<L, _>(Assembling(&mut work)) {
            again = end::<L>(&mut work);
        } else {
            // Together they have too many rows. One after another each does as it would beside any neighbours.
            for lane in 0..L::WIDTH {
                work.only = Some(lane);
                lanes::run_wide::<L, _>(Assembling(&mut work));
                again |= end::<L>(&mut work);
            }
        }
        if !again {
            break;
        }
    }
    work.memory.end(plan);
}

/// The motion without contacts.
fn move_freely<L: Lanes>(work: &mut Work<'_>) {
    lanes::run_wide::<L, _>(FindingForces(work));
    lanes::run_wide::<L, _>(Freeing(work));
    (0..super::free::ROUNDS).all(|_| lanes::run_wide::<L, _>(TurningToMean(work)));
    if lanes::run_wide::<L, _>(Saturating(work)) {
        lanes::run_wide::<L, _>(Freeing(work));
    }
}

/// Solves what was assembled, and goes to the end of the step; true if some environments are to be solved again.
fn end<L: Lanes>(work: &mut Work<'_>) -> bool {
    work.positions = false;
    lanes::run_wide::<L, _>(Solving(work));
    let again = lanes::run_wide::<L, _>(Taking(work));
    work.positions = true;
    if lanes::run_wide::<L, _>(Correcting(work)) {
        lanes::run_wide::<L, _>(Solving(work));
    }
    lanes::run_wide::<L, _>(Advancing(work));
    if work.plan.closes {
        lanes::run_wide::<L, _>(NotingMomentum(work));
        lanes::run_wide::<L, _>(ClosingMomentum(work));
    }
    lanes::run_wide::<L, _>(Telling(work));
    again
}

/// All that the phases of a step read and write.
struct Work<'a> {
    plan: &'a Plan,
    room: &'a mut Option<Box<dyn Any + Send>>,
    inputs: &'a Inputs<'a>,
    memory: &'a mut Memory,
    next: Next<'a>,
    out: &'a mut [Outcome; WIDEST],
    /// This lane alone.
    only: Option<usize>,
    /// The first time in a step: servos are rows as they were after the last.
    first: bool,
    /// Some servo did not do what it was expected to do: v_f is another.
    belied: bool,
    /// The problem of positions is solved, not that of velocities.
    positions: bool,
}

/// A phase of a step, which is a method of the room.
macro_rules! phases {
    ($($name:ident => $method:ident),*) => {$(
        struct $name<'a, 'b>(&'a mut Work<'b>);

        impl lanes::Task for $name<'_, '_> {
            type Output = bool;
            #[inline(always)]
            fn run<T: Real>(self, kind: T) -> bool {
                let Work { plan, room, .. } = self.0;
                let mut own = room.take();
                let answer = enter(kind, plan, &mut own).$method(kind, self.0);
                *self.0.room = own;
                answer
            }
        }
    )*};
}

phases!(
    FindingForces => find_forces,
    Freeing => free,
    TurningToMean => turn_to_mean,
    Saturating => saturate,
    Assembling => assemble,
    Solving => solve,
    Taking => take,
    Correcting => correct,
    Advancing => advance,
    NotingMomentum => note_momentum,
    ClosingMomentum => close_momentum,
    Telling => tell
);

/// The room of these lanes, made when it is first entered.
#[inline(never)]
fn enter<'a, T: Real>(kind: T, plan: &Plan, room: &'a mut Option<Box<dyn Any + Send>>) -> &'a mut Room<T> {
    let room = room.get_or_insert_with(|| Box::new(Room::new(kind, plan)));
    let Some(room) = room.downcast_mut::<Room<T>>() else { unreachable!("a batch has one kind of lanes") };
    room
}

/// All memory that a step of a group needs.
struct Room<T> {
    numbers: Numbers<T>,
    free: Free<T>,
    touch: Touch<T>,
    rows: Rows<T>,
    solver: LaneSolver<T>,
    correction: PositionCorrection<T>,
    state: States<T>,
    constraints: Constraints<T>,
    closing: Option<Box<Closes<T>>>,
    lanes: Verdicts<T>,
    witness: Witness,
    /// The numbers are those of a group, not the world's.
    varied: bool,
}

/// 1 in the lanes that it holds of.
struct Verdicts<T> {
    /// The motion without contacts is one.
    sound: T,
    /// Those of them that are being solved.
    here: T,
    /// The step counts.
    good: T,
    /// Residual of the solver [m/s], and the judge's natural map.
    e: T,
    judged: [f64; WIDEST],
}

/// Memory of the constraints, and their effects in a step.
struct Constraints<T> {
    known: Vec<Known<T>>,
    /// Impulses of the rows of the plan in the last step, and the normal ones that the solver starts from.
    last: Vec<T>,
    start: Vec<T>,
    may_land: T,
    /// Change of v, and mean forces.
    change: Vec<T>,
    forces: Vec<T>,
}

/// For robots whose momentum is closed: kinematics at the start and at the end, and impulses.
struct Closes<T> {
    closing: Closing<T>,
    kin: Kinematics<T>,
    q_next: Vec<T>,
    impulses: Vec<T>,
    rules: Vec<Quadrature>,
}

impl<T: Real> Closes<T> {
    fn new(kind: T, plan: &Plan, model: &Model<T>) -> Self {
        Self {
            closing: Closing::new(model),
            kin: Kinematics::new(model),
            q_next: vec![kind; model.nq],
            impulses: vec![kind; model.nv()],
            rules: vec![Quadrature::Middle; plan.world.model.trees],
        }
    }
}

impl<T: Real> Room<T> {
    fn new(kind: T, plan: &Plan) -> Self {
        let numbers = Numbers::new(kind, plan);
        let nv = plan.world.model.nv();
        Self {
            free: Free::new(kind, plan, &numbers.model),
            touch: Touch::new(kind, plan),
            rows: Rows::new(kind, nv),
            solver: LaneSolver::new(),
            correction: PositionCorrection::new(kind, plan),
            state: States::new(kind, plan),
            constraints: Constraints {
                known: Vec::new(),
                last: Vec::new(),
                start: Vec::new(),
                may_land: kind,
                change: vec![kind; nv],
                forces: vec![kind; nv],
            },
            closing: plan.closes.then(|| Box::new(Closes::new(kind, plan, &numbers.model))),
            numbers,
            lanes: Verdicts { sound: kind, here: kind, good: kind, e: kind, judged: [0.0; WIDEST] },
            witness: Witness::default(),
            varied: false,
        }
    }

    /// Inertia and forces in the middle of the step.
    #[inline(always)]
    fn find_forces(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, rows, state, constraints, closing, lanes, varied, .. } = self;
        let Work { plan, inputs, memory, first, .. } = work;
        if *first {
            rows.slips.begin();
            free.start(plan, memory.promoted());
            state.gather(kind, inputs);
            if inputs.numbers.is_some() || *varied {
                numbers.load(kind, inputs.numbers.unwrap_or(&plan.numbers));
                free.set_inertias(&numbers.model);
                if let Some(closes) = closing {
                    closes.kin.set_inertias(&numbers.model);
                }
                *varied = inputs.numbers.is_some();
            }
            memory.recall_rows(plan, kind, &mut constraints.last);
            let known = memory.forces(kind, &mut state.last_forces);
            // Forces that are not known take a second solve.
            let needs = !plan.joint_dofs.is_empty();
            lanes.sound = if needs { known } else { kind.one() };
            constraints.may_land = memory.may_land(plan, kind);
            state.pose(plan, &numbers.model, kind);
        }
        free.find_forces(plan, numbers, &state.start());
        true
    }

    /// The motion without contacts.
    #[inline(always)]
    fn free(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { free, state, lanes, .. } = self;
        let sound = free.solve(work.plan, &state.v_middle, kind.like(work.plan.h()));
        lanes.sound *= kind.truth(sound);
        true
    }

    /// A round of the mean velocity; false if it was the last.
    #[inline(always)]
    fn turn_to_mean(&mut self, _: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, state, .. } = self;
        free.turn_to_mean(work.plan, &numbers.model, &state.start())
    }

    /// Whether some effort is beyond its limit, where it stays.
    #[inline(always)]
    fn saturate(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, state, .. } = self;
        free.saturate(work.plan, numbers, &state.v_middle, kind.like(work.plan.h()))
    }

    /// The constraint problem, of all sound lanes or of one of them; false if it has too many rows.
    #[inline(always)]
    fn assemble(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, touch, rows, state, constraints, lanes, .. } = self;
        let Work { plan, memory, only, .. } = work;
        lanes.sound *= kind.truth(free.is_sound(plan, &state.v));
        lanes.here = match *only {
            Some(lane) => kind.with_lane(lane, lanes.sound.lane(lane)),
            None => lanes.sound,
        };
        free.look_ahead(&numbers.model);
        touch.find(plan, memory, &free.kin, &free.vel, lanes.here);
        memory.recall(plan, &touch.slots, (&free.kin, &free.vel), &mut constraints.known);
        let at = At {
            q_start: &state.q,
            q: &state.q_middle,
            v: &state.v_middle,
            known: &constraints.known,
            impulses: &constraints.last,
            may_land: constraints.may_land,
        };
        rows.write(plan, numbers, free, at, &touch.slots, lanes.here);
        if rows.rows > 0 && rows.rows <= MOST_ROWS {
            let (lambda, found) = (&mut self.solver.lambda, (&touch.slots[..], &constraints.known[..]));
            memory.guess(plan, found, rows, lambda);
            constraints.start.clear();
            constraints.start.extend(rows.blocks.iter().map(|block| lambda[block.normal()]));
        }
        rows.rows <= MOST_ROWS
    }

    /// Impulses of velocities or positions.
    #[inline(always)]
    fn solve(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { rows, solver, correction, lanes, .. } = self;
        let plan = work.plan;
        lanes.e = if work.positions { lanes.e } else { kind };
        lanes.good = if work.positions { lanes.good } else { lanes.here };
        if rows.rows == 0 || rows.rows > MOST_ROWS {
            return false;
        }
        let (problem, solver, [tolerance, wanted]) = match work.positions {
            true => correction.problem(),
            false => (rows.problem(), solver, [tolerance(plan, rows, kind), lanes.here]),
        };
        let settings = LaneSettings {
            nudge: plan.nudge(),
            newton_nudge: plan.yields(),
            rests: plan.rests(),
            closed: plan.closed(),
            holding_nudge: plan.holding(),
            outside: plan.rounding(),
            patience: PATIENCE,
        };
        let e = solver.solve(&problem, tolerance, wanted, settings);
        let met = T::both(T::not(e.less(tolerance)), wanted.mask());
        lanes.good = T::select(met, kind, lanes.good);
        lanes.e = if work.positions { lanes.e } else { e };
        true
    }

    /// v⁺, and whether it counts. True if some environments are to be solved again.
    #[inline(always)]
    fn take(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, touch, rows, solver, state, constraints, lanes, witness, .. } = self;
        let plan = work.plan;
        let Constraints { may_land, change, forces, .. } = constraints;
        let Verdicts { good, judged, .. } = lanes;
        if rows.rows == 0 || rows.rows > MOST_ROWS {
            change.fill(kind);
        } else {
            rows.change(&free.factor, &solver.lambda, change);
        }
        for ((v, free), change) in state.v_next.iter_mut().zip(&free.v_free).zip(&*change) {
            *v = *free + *change;
        }
        let belied = free.promote(plan, numbers, &state.v_middle, &state.v_next, *good);
        let (mut bad, mut again) = (belied.max(touch.crosses(plan, kind)).max(touch.passes), kind);
        for v in &state.v_next {
            bad = T::select(v.finite(), bad, kind.one());
        }
        bad = bad.max(free.is_lost(plan, &state.v_next, kind));
        if rows.rows > MOST_ROWS {
            bad = kind.one();
        } else {
            free.move_by(&numbers.model, &state.v_next);
            let solved = (&*free, &solver.lambda[..]);
            let valid = *good * (kind.one() - belied);
            let [parts, more] = rows.belied(plan, &touch.slots, solved, &state.v_next, [*may_land, valid]);
            again = more * valid;
            bad = bad.max(parts).max(again);
            bad = bad.max(rows.flies(plan, &solver.lambda, kind)).max(rows.slides_on_many(plan, kind));
            free.forces(plan, change, forces);
        }
        *good = T::select(bad.mask(), kind, *good);
        *judged = [0.0; WIDEST];
        if plan.settings.judge && rows.rows > 0 {
            for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                judged[lane] = witness.natural_map(rows, &solver.lambda, lane);
            }
        }
        work.belied |= T::any(belied.mask());
        T::any(belied.max(again).mask())
    }

    /// Poses the problem of positions; false if nothing is to be corrected.
    #[inline(always)]
    fn correct(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { rows, solver, correction, lanes, .. } = self;
        correction.pose(work.plan, rows, &solver.lambda, lanes.good, kind)
    }

    /// Moves to the end of the step, and remembers what it did.
    #[inline(always)]
    fn advance(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, touch, rows, solver, correction, state, constraints, lanes, .. } = self;
        let (plan, memory) = (work.plan, &mut *work.memory);
        let too_fast = correction.find(plan, &numbers.model, (rows, free), kind);
        lanes.good = T::select(too_fast.mask(), kind, lanes.good);
        state.advance(plan, kind, correction.velocity());
        if rows.rows <= MOST_ROWS {
            let Constraints { known, forces, start, .. } = constraints;
            let (solved, found) = ((&*rows, &solver.lambda[..]), (&touch.slots[..], &known[..]));
            memory.commit(plan, found, solved, [start, forces], (&free.kin, &free.vel), lanes.good);
            free.commit(plan, numbers, &state.v_middle, &state.v_next, lanes.good, memory.promoted_mut());
        }
        true
    }

    /// Momentum at the start of the step.
    #[inline(always)]
    fn note_momentum(&mut self, _: T, _: &mut Work<'_>) -> bool {
        let Self { numbers, state, closing, .. } = self;
        if let Some(closes) = closing {
            closes.kin.update(&numbers.model, &state.q);
            closes.closing.begin(&numbers.model, &closes.kin, &state.v);
        }
        true
    }

    /// Closes the momentum.
    #[inline(always)]
    fn close_momentum(&mut self, kind: T, work: &mut Work<'_>) -> bool {
        let Self { numbers, free, state, constraints, closing, .. } = self;
        let (plan, model) = (work.plan, &numbers.model);
        if let Some(closes) = closing {
            let Closes { closing, kin, q_next, impulses, rules } = &mut **closes;
            let half = kind.like(0.5 * plan.h());
            integrate_into(model, &state.q_middle, &state.v_by, half, q_next);
            free.impulses(plan, model, &state.start(), (&constraints.forces, &state.v_next), impulses);
            kin.update(model, q_next);
            let at = (model, kind.like(plan.h()));
            closing.close(at, [&free.kin, kin], (rules, impulses), &mut state.v_next);
        }
        true
    }

    /// Where the step leads, and what is to be said of it.
    #[inline(always)]
    fn tell(&mut self, _: T, work: &mut Work<'_>) -> bool {
        let Self { state, .. } = self;
        let Next { v, by } = &mut work.next;
        for (all, next) in [(&state.v_next, &mut **v), (&state.v_by, &mut **by)] {
            let n = all.len();
            for (i, x) in all.iter().enumerate() {
                match work.only {
                    Some(lane) if lane < next.len() / n => next[lane * n + i] = x.lane(lane),
                    Some(_) => {}
                    None => lanes::scatter(*x, next, i, n),
                }
            }
        }
        self.say(work.plan.settings.judge, work.out, work.only);
        true
    }

    #[inline(always)]
    fn say(&self, judges: bool, out: &mut [Outcome; WIDEST], only: Option<usize>) {
        let Verdicts { good, e, judged, .. } = &self.lanes;
        let (mut contacts, mut depth) = (good.zero(), good.zero());
        for slot in &self.touch.slots {
            contacts += slot.active;
            depth = depth.max(slot.active * -slot.gap);
        }
        for (lane, out) in out.iter_mut().enumerate().take(T::LANES) {
            if only.is_some_and(|only| only != lane) {
                continue;
            }
            *out = Outcome {
                good: good.lane(lane) == 1.0,
                residual: e.lane(lane),
                natural_map: judges.then_some(judged[lane]),
                contacts: contacts.lane(lane) as usize,
                penetration: depth.lane(lane),
            };
        }
    }
}

/// What contacts are solved to [m/s]. Single precision rounds what is fast.
#[inline(always)]
fn tolerance<T: Real>(plan: &Plan, rows: &Rows<T>, kind: T) -> T {
    let mut fastest = kind.one();
    if plan.settings.precision == Precision::Single {
        for (block, cone) in rows.blocks.iter().zip(&rows.cones) {
            for g in &rows.g[block.row..block.row + block.dim] {
                fastest = fastest.max(g.abs() * cone.active);
            }
        }
    }
    fastest * kind.like(plan.settings.tolerance)
}
