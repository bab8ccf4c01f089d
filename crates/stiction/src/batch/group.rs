//! One step of one group: as many environments as there are lanes, side by side.

use super::free::Free;
use super::memory::Memory;
use super::numbers::Numbers;
use super::plan::Plan;
use super::rows::{MOST_ROWS, Rows};
use super::settings::Precision;
use super::touch::Touch;
use super::trapezoidal::Trapezoidal;
use super::witness::Witness;
use super::{Numbers64, WIDEST};
use std::any::Any;
use stiction_dynamics::lanes::Lanes;
use stiction_dynamics::{Real, lanes};
use stiction_solvers::lanes::{LaneSettings, LaneSolver};

/// States and inputs of the environments of one group, one after another.
pub(super) struct Inputs<'a> {
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) control: &'a [f64],
    pub(super) force: &'a [f64],
    /// Numbers of their own, if they have any.
    pub(super) numbers: Option<&'a [Numbers64]>,
}

/// What the step leads to, environment by environment.
pub(super) struct Next<'a> {
    /// v⁺.
    pub(super) v: &'a mut [f64],
    /// By which everything moves.
    pub(super) by: &'a mut [f64],
}

/// What lanes say of a step.
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
/// Times that a step is solved, at most: again where a servo does not do what it was expected to do.
const ATTEMPTS: usize = 4;

/// A step of one group, in the lanes of L. In three parts, each dispatched for itself: all of a part is compiled as
/// one function.
pub(super) fn step<L: Lanes>(
    plan: &Plan,
    room: &mut Option<Box<dyn Any + Send>>,
    inputs: &Inputs<'_>,
    memory: &mut Memory,
    mut next: Next<'_>,
    out: &mut [Outcome; WIDEST],
) {
    for attempt in 0..ATTEMPTS {
        memory.begin();
        let start = (attempt == 0).then(|| memory.promoted());
        lanes::run_wide::<L, _>(Moving { plan, room, inputs, start });
        let last = attempt + 1 == ATTEMPTS;
        let mut again = false;
        if lanes::run_wide::<L, _>(Assembling { plan, room, memory, only: None }) <= MOST_ROWS {
            again = lanes::run_wide::<L, _>(Solving { plan, room, memory, next: &mut next, out, only: None });
        } else {
            // Together they have too many rows. One after another each does as it would beside any neighbours.
            for lane in 0..L::WIDTH {
                lanes::run_wide::<L, _>(Assembling { plan, room, memory, only: Some(lane) });
                let next = &mut next;
                again |= lanes::run_wide::<L, _>(Solving { plan, room, memory, next, out, only: Some(lane) });
            }
        }
        if !again || last {
            break;
        }
    }
    memory.end();
}

struct Moving<'a> {
    plan: &'a Plan,
    room: &'a mut Option<Box<dyn Any + Send>>,
    inputs: &'a Inputs<'a>,
    /// The first time in a step: servos that are rows.
    start: Option<&'a [u32]>,
}

struct Assembling<'a> {
    plan: &'a Plan,
    room: &'a mut Option<Box<dyn Any + Send>>,
    memory: &'a Memory,
    /// This lane alone.
    only: Option<usize>,
}

struct Solving<'a, 'b> {
    plan: &'a Plan,
    room: &'a mut Option<Box<dyn Any + Send>>,
    memory: &'a mut Memory,
    next: &'a mut Next<'b>,
    out: &'a mut [Outcome; WIDEST],
    only: Option<usize>,
}

impl lanes::Task for Moving<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Real>(self, kind: T) {
        let room = enter(kind, self.plan, self.room);
        if let Some(promoted) = self.start {
            room.free.start(self.plan, promoted);
        }
        room.move_freely(self.plan, kind, self.inputs);
    }
}

impl lanes::Task for Assembling<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<T: Real>(self, kind: T) -> usize {
        enter(kind, self.plan, self.room).assemble(self.plan, self.memory, self.only)
    }
}

impl lanes::Task for Solving<'_, '_> {
    type Output = bool;
    #[inline(always)]
    fn run<T: Real>(self, kind: T) -> bool {
        let room = enter(kind, self.plan, self.room);
        room.solve(self.plan, self.memory, self.next, self.out, self.only)
    }
}

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
    trapezoidal: Trapezoidal<T>,
    q: Vec<T>,
    v: Vec<T>,
    v_next: Vec<T>,
    /// By which everything moves.
    v_by: Vec<T>,
    control: Vec<T>,
    force: Vec<T>,
    /// 1 in the lanes in which the motion without contacts is one.
    sound: T,
    /// Those of them that are being solved.
    here: T,
    witness: Witness,
    /// The numbers are those of a group, not the world's.
    varied: bool,
}

impl<T: Real> Room<T> {
    fn new(kind: T, plan: &Plan) -> Self {
        let model = &plan.world.model;
        let (nq, nv, nu) = (model.nq, model.nv(), plan.world.actuators.len());
        let numbers = Numbers::new(kind, plan);
        Self {
            free: Free::new(kind, plan, &numbers.model),
            numbers,
            touch: Touch::new(kind, plan),
            rows: Rows::new(kind, nv),
            solver: LaneSolver::new(),
            trapezoidal: Trapezoidal::new(kind, plan),
            q: vec![kind; nq],
            v: vec![kind; nv],
            v_next: vec![kind; nv],
            v_by: vec![kind; nv],
            control: vec![kind; nu],
            force: vec![kind; nv],
            sound: kind,
            here: kind,
            witness: Witness::default(),
            varied: false,
        }
    }

    /// The motion without contacts.
    #[inline(always)]
    fn move_freely(&mut self, plan: &Plan, kind: T, inputs: &Inputs<'_>) {
        self.gather(kind, inputs);
        if inputs.numbers.is_some() || self.varied {
            self.numbers.load(kind, inputs.numbers.unwrap_or(&plan.numbers));
            self.free.set_inertias(&self.numbers.model);
            self.varied = inputs.numbers.is_some();
        }
        let Self { numbers, free, q, v, control, force, .. } = self;
        self.sound = kind.truth(free.update(plan, numbers, q, v, control, force));
    }

    /// The constraint problem, of all sound lanes or of one of them; how many rows it has.
    #[inline(always)]
    fn assemble(&mut self, plan: &Plan, memory: &Memory, only: Option<usize>) -> usize {
        let Self { numbers, free, touch, rows, q, v, sound, here, .. } = self;
        *here = match only {
            Some(lane) => sound.zero().with_lane(lane, sound.lane(lane)),
            None => *sound,
        };
        free.look_ahead(&numbers.model);
        touch.find(plan, memory, &free.kin, &free.vel, *here);
        rows.write(plan, numbers, free, [q, v], &touch.slots, *here);
        rows.rows
    }

    /// Where the step leads, and what is to be said of each; true if some environments are to be solved again.
    #[inline(always)]
    fn solve(
        &mut self,
        plan: &Plan,
        memory: &mut Memory,
        next: &mut Next<'_>,
        out: &mut [Outcome; WIDEST],
        only: Option<usize>,
    ) -> bool {
        let Self { numbers, free, touch, rows, solver, trapezoidal, v, v_next, v_by, here, .. } = self;
        let kind = here.zero();
        let (mut good, mut e) = (*here, kind);
        if rows.rows == 0 || rows.rows > MOST_ROWS {
            v_next.copy_from_slice(&free.v_free);
        } else {
            memory.recall(plan, &touch.slots, rows, &mut solver.lambda, &mut trapezoidal.young);
            trapezoidal.start(rows, &solver.lambda);
            let tolerance = tolerance(plan, rows, kind);
            let (nudge, newton_nudge) = (plan.nudge(), plan.yields());
            let settings = LaneSettings {
                nudge,
                newton_nudge,
                rests: plan.rests(),
                closed: plan.closed(),
                holding_nudge: plan.holding(),
                outside: plan.rounding(),
                patience: PATIENCE,
            };
            e = solver.solve(&rows.problem(), tolerance, *here, settings);
            good = T::select(e.less(tolerance), good, kind);
            good = T::select(rows.deep.mask(), kind, good);
            good = T::select(rows.bounce(&solver.lambda, kind).mask(), kind, good);
            rows.apply(free, &solver.lambda, v_next);
        }
        let belied = free.promote(plan, numbers, v, v_next, good);
        good = T::select(belied.mask(), kind, good);
        good = T::select(touch.crosses(plan, kind).mask(), kind, good);
        for v in v_next.iter() {
            good = T::select(v.finite(), good, kind);
        }
        if rows.rows > MOST_ROWS {
            good = kind;
        } else {
            trapezoidal.take(plan, numbers, (rows, &free.factor, &solver.lambda), [v, v_next], v_by);
            good = T::select(trapezoidal.turns_back(&free.stiff, kind).mask(), kind, good);
            good = T::select(rows.flies(plan, &solver.lambda, kind).mask(), kind, good);
            good = T::select(rows.rolls(plan, &solver.lambda, v, kind).mask(), kind, good);
            free.fly_after_impulses(plan, &numbers.model, v, [&mut *v_next, &mut *v_by]);
            memory.commit(plan, &touch.slots, rows, &solver.lambda, &trapezoidal.start, good);
        }
        free.commit(plan, numbers, v, v_next, good, memory.promoted_mut());
        for (all, next) in [(v_next, &mut *next.v), (v_by, &mut *next.by)] {
            let n = all.len();
            for (i, x) in all.iter().enumerate() {
                match only {
                    Some(lane) if lane < next.len() / n => next[lane * n + i] = x.lane(lane),
                    Some(_) => {}
                    None => lanes::scatter(*x, next, i, n),
                }
            }
        }
        let mut judged = [0.0; WIDEST];
        if plan.settings.judge && rows.rows > 0 {
            for lane in (0..T::LANES).filter(|&lane| good.lane(lane) == 1.0) {
                judged[lane] = self.witness.natural_map(rows, &solver.lambda, lane);
            }
        }
        self.say(good, e, plan.settings.judge.then_some(judged), out, only);
        T::any(belied.mask())
    }

    #[inline(always)]
    fn gather(&mut self, kind: T, inputs: &Inputs<'_>) {
        for (x, all) in [
            (&mut self.q, inputs.q),
            (&mut self.v, inputs.v),
            (&mut self.control, inputs.control),
            (&mut self.force, inputs.force),
        ] {
            let n = x.len();
            for (i, x) in x.iter_mut().enumerate() {
                *x = lanes::gather(kind, all, i, n);
            }
        }
    }

    #[inline(always)]
    fn say(
        &self,
        good: T,
        e: T,
        judged: Option<[f64; WIDEST]>,
        out: &mut [Outcome; WIDEST],
        only: Option<usize>,
    ) {
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
                natural_map: judged.map(|j| j[lane]),
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
