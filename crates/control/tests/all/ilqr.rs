//! Trajectory optimisation beside quadratic programs that an interior-point method solves, and through the contacts of simulations.

// All of this file is a test.
#![allow(clippy::unwrap_used)]
// Capitals carry meaning: A and B are derivatives.
#![allow(non_snake_case)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::NonnegativeConeT;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, State};
use stiction_control::ilqr::{
    Cost, Derivative, End, Expansion, Gradient, IlqrError, IlqrParams, Point, Simulated, Stage, System,
    SystemError, Tracking, differentiable, optimize,
};

/// A mass on a line: v⁺ = v + h u, q⁺ = q + h v⁺.
struct Mass {
    h: f64,
    x: [f64; 2],
}

const MASS_START: [f64; 2] = [1.0, 0.5];

impl System for Mass {
    fn nv(&self) -> usize {
        1
    }

    fn nu(&self) -> usize {
        1
    }

    fn restart(&mut self) -> Result<(), SystemError> {
        self.x = MASS_START;
        Ok(())
    }

    fn point(&self) -> Point {
        Point { q: vec![self.x[0]], v: vec![self.x[1]] }
    }

    fn advance(&mut self, u: &[f64]) -> Result<(), SystemError> {
        self.x[1] += self.h * u[0];
        self.x[0] += self.h * self.x[1];
        Ok(())
    }

    fn differentiate(&mut self, u: &[f64]) -> Result<Derivative, SystemError> {
        self.advance(u)?;
        let h = self.h;
        Ok(Derivative { a: vec![1.0, h, 0.0, 1.0], b: vec![h * h, h] })
    }

    fn difference(&self, from: &Point, to: &Point) -> Vec<f64> {
        vec![to.q[0] - from.q[0], to.v[0] - from.v[0]]
    }
}

const KNOTS: usize = 20;
const WEIGHTS: [f64; 2] = [3.0, 0.2];
const CONTROL_WEIGHT: f64 = 0.05;

/// ½ Σ (3 q² + 0.2 v²) + ½ 0.05 Σ u², the end ten times.
struct ToZero;

impl Cost for ToZero {
    fn knots(&self) -> usize {
        KNOTS
    }

    fn value(&self, k: usize, x: &Point, u: Option<&[f64]>) -> f64 {
        let times = if k == KNOTS { 10.0 } else { 1.0 };
        let of_state = WEIGHTS[0] * x.q[0].powi(2) + WEIGHTS[1] * x.v[0].powi(2);
        0.5 * (times * of_state + CONTROL_WEIGHT * u.map_or(0.0, |u| u[0].powi(2)))
    }

    fn expand(&self, k: usize, x: &Point, u: Option<&[f64]>, out: &mut Expansion) {
        let times = if k == KNOTS { 10.0 } else { 1.0 };
        for (i, x) in [x.q[0], x.v[0]].into_iter().enumerate() {
            out.l_x[i] += times * WEIGHTS[i] * x;
            out.l_xx[(i, i)] += times * WEIGHTS[i];
        }
        if let Some(u) = u {
            out.l_u[0] += CONTROL_WEIGHT * u[0];
            out.l_uu[(0, 0)] += CONTROL_WEIGHT;
        }
    }
}

/// Solves the problem in the controls alone, by an interior-point method.
fn by_clarabel(h: f64, bound: f64) -> Vec<f64> {
    let A = DMatrix::from_row_slice(2, 2, &[1.0, h, 0.0, 1.0]);
    let B = DVector::from_column_slice(&[h * h, h]);
    let mut H = DMatrix::identity(KNOTS, KNOTS) * CONTROL_WEIGHT;
    let mut g = DVector::zeros(KNOTS);
    // x_k = free + S u.
    let mut free = DVector::from_column_slice(&MASS_START);
    let mut S = DMatrix::zeros(2, KNOTS);
    for k in 1..=KNOTS {
        (free, S) = (&A * free, &A * S);
        S.set_column(k - 1, &B);
        let times = if k == KNOTS { 10.0 } else { 1.0 };
        let Q = DMatrix::from_diagonal(&DVector::from_column_slice(&WEIGHTS.map(|w| times * w)));
        H += S.tr_mul(&(&Q * &S));
        g += S.tr_mul(&(&Q * &free));
    }
    let upper: Vec<(usize, usize)> = (0..KNOTS).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
    let starts = (0..=KNOTS).map(|j| j * (j + 1) / 2).collect();
    let (rows, values) = upper.iter().map(|&(i, j)| (i, H[(i, j)])).unzip();
    let P = CscMatrix::new(KNOTS, KNOTS, starts, rows, values);
    let rows = (0..KNOTS).flat_map(|i| [i, KNOTS + i]).collect();
    let C = CscMatrix::new(
        2 * KNOTS,
        KNOTS,
        (0..=KNOTS).map(|i| 2 * i).collect(),
        rows,
        [1.0, -1.0].repeat(KNOTS),
    );
    let (tol_gap_abs, tol_gap_rel, tol_feas) = (1e-12, 1e-12, 1e-12);
    let settings =
        DefaultSettings { verbose: false, tol_gap_abs, tol_gap_rel, tol_feas, ..Default::default() };
    let b = vec![bound; 2 * KNOTS];
    let mut solver =
        DefaultSolver::new(&P, g.as_slice(), &C, &b, &[NonnegativeConeT(2 * KNOTS)], settings).unwrap();
    solver.solve();
    solver.solution.x
}

fn quiet(_: &stiction_control::ilqr::Iteration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn linear_systems_are_solved_as_by_a_quadratic_program_with_and_without_bounds() {
    let h = 0.1;
    let start = vec![vec![0.0]; KNOTS];
    for bound in [1e6, 2.0] {
        let mut mass = Mass { h, x: MASS_START };
        let params =
            IlqrParams { tolerance: 1e-13, regularization: [0.0, 1e-6, 1e8], ..IlqrParams::default() };
        let found = optimize(&mut mass, &ToZero, [&[-bound], &[bound]], &start, &params, &mut quiet).unwrap();
        assert_eq!(found.end, End::Converged, "{:?}", found.history);
        let expected = by_clarabel(h, bound);
        for (u, want) in found.controls.iter().zip(&expected) {
            assert!((u[0] - want).abs() < 2e-5, "{u:?} {want}");
        }
        let at_bound = found.controls.iter().filter(|u| u[0].abs() == bound).count();
        assert_eq!(at_bound > 0, bound < 10.0);
        if bound > 10.0 {
            assert!(found.history.len() <= 2, "one step solves a linear system: {:?}", found.history);
        }
        // What clamped controls do not do, their gains do not either.
        let clamped = found.controls.iter().zip(&found.gains).filter(|(u, _)| u[0].abs() == bound);
        clamped.for_each(|(_, gain)| assert_eq!(gain, &[0.0, 0.0]));
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let mut mass = Mass { h: 0.1, x: MASS_START };
    let mut told = |bounds: [&[f64]; 2], knots: usize, params: IlqrParams| {
        let start = vec![vec![0.0]; knots];
        optimize(&mut mass, &ToZero, bounds, &start, &params, &mut quiet).unwrap_err()
    };
    let params = IlqrParams::default();
    assert_eq!(told([&[1.0], &[-1.0]], KNOTS, params), IlqrError::Bounds { control: 0, lo: 1.0, hi: -1.0 });
    let short = told([&[-1.0], &[1.0]], 3, params).to_string();
    assert_eq!(short, "knots of the controls to start from: 3; expected 20");
    let factor = told([&[-1.0], &[1.0]], KNOTS, IlqrParams { factor: 1.0, ..params }).to_string();
    assert_eq!(factor, "factor is 1; expected a number > 1");
}

fn pusher() -> World {
    let text = include_str!("../../../scene/scenes/push-box.xml");
    load_str(text, Path::new("push-box.xml"), Path::new(""), &LoadOptions::default()).unwrap()
}

fn start_of(world: &World) -> State {
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&world.keyframes[0].q);
    state
}

fn settings(dt: f64) -> Settings {
    let mut settings = differentiable(Settings::default());
    settings.stepper.dt = dt;
    settings
}

/// The cost's derivatives against differences of its values, where orientations are far from their targets.
#[test]
fn expansions_are_the_derivatives_of_the_cost() {
    let world = pusher();
    let (nv, nu) = (world.model.nv(), world.actuators.len());
    let start = start_of(&world);
    let mut e: Vec<f64> = (0..nv).map(|i| 0.4 - 0.13 * i as f64).collect();
    e[3..6].copy_from_slice(&[0.7, -0.9, 1.1]);
    let mut q = start.q.clone();
    stiction_dynamics::integrate_into(&world.model, &start.q, &e, 1.0, &mut q);
    let x = Point { q, v: e.clone() };
    let target = Point { q: start.q.clone(), v: vec![0.1; nv] };
    let weights = (0..2 * nv).map(|i| 1.0 + i as f64).collect();
    let stage = Arc::new(Stage { target, weights });
    let cost = Tracking {
        model: world.model.clone(),
        stages: vec![stage; 2],
        control: vec![0.3; nu],
        control_weights: vec![2.0; nu],
    };
    let u = vec![0.1; nu];
    let mut found = Expansion::zeros(nv, nu);
    cost.expand(0, &x, Some(&u), &mut found);
    let eps = 1e-5;
    let gradient_at = |x: &Point| {
        let mut out = Expansion::zeros(nv, nu);
        cost.expand(0, x, None, &mut out);
        out.l_x
    };
    for i in 0..2 * nv {
        let moved = |by: f64| {
            let mut out = x.clone();
            let mut e = vec![0.0; nv];
            match i < nv {
                true => e[i] = by,
                false => out.v[i - nv] += by,
            }
            stiction_dynamics::integrate_into(&world.model, &x.q, &e, 1.0, &mut out.q);
            out
        };
        let (ahead, back) = (moved(eps), moved(-eps));
        let slope = (cost.value(0, &ahead, Some(&u)) - cost.value(0, &back, Some(&u))) / (2.0 * eps);
        assert!(
            (slope - found.l_x[i]).abs() < 1e-6 * found.l_x[i].abs().max(1.0),
            "{i}: {slope} {}",
            found.l_x[i]
        );
        // Off turns the curvature is exact; the rest is that of Gauss and Newton.
        if !(3..6).contains(&i) {
            let bend = (gradient_at(&ahead) - gradient_at(&back)) / (2.0 * eps);
            assert!((bend - found.l_xx.column(i)).norm() < 1e-5);
        }
    }
    assert!((found.l_u[0] - 2.0 * (0.1 - 0.3)).abs() < 1e-12 && (found.l_uu[(0, 0)] - 2.0).abs() < 1e-12);
}

/// Pushing, the derivative by the law over several steps is that by differences; without contact the box feels nothing, but smoothed it does.
#[test]
fn sources_of_gradients_agree_in_contact_and_differ_away_from_it() {
    // On ice: what slides on four corners leaves open how they share the weight, and its differences start from another answer.
    let mut world = pusher();
    for geometry in world.geometries.iter_mut().filter(|g| g.name != "finger") {
        geometry.material.friction = 0.0;
    }
    let world = Arc::new(world);
    let start = start_of(&world);
    let system = |start: &State, hold: usize, gradient: Gradient| {
        let sim = Simulation::new(world.clone(), start.clone(), settings(0.005)).unwrap();
        Simulated::new(sim, hold, gradient).unwrap()
    };
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let size = |a: &[f64]| a.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [law, differences] =
        [Gradient::Exact { displacement: 1e-6 }, Gradient::Differences { displacement: 1e-5 }];
    let push = [1.2, 0.1];
    // What just touches is at a switch of its gap, but not of the control of one step.
    let under = |gradient: Gradient| {
        let mut system = system(&start, 1, gradient);
        // Pushing, the finger first comes to the box.
        (0..20).for_each(|_| system.advance(&push).unwrap());
        let derivative = system.differentiate(&push).unwrap();
        (derivative, system.tally())
    };
    let (exact, tally) = under(law);
    assert_eq!((tally.linearized, tally.by_differences), (1, 0), "{tally:?}");
    let apart = differ(&exact.b, &under(differences).0.b);
    assert!(apart < 1e-5 * size(&exact.b), "{apart:e} of {:e}", size(&exact.b));
    // The box moves by what the finger is pushed with: along x of its velocity, row nv.
    let (nv, nu) = (world.model.nv(), world.actuators.len());
    assert!(exact.b[nv * nu] > 1e-3, "{}", exact.b[nv * nu]);

    let finger = world.model.nq - 2;
    let mut start = start;
    start.q[finger] -= 0.01;
    let at_rest = |gradient: Gradient| system(&start, 4, gradient).differentiate(&[0.0, 0.0]).unwrap();
    let exact = at_rest(law);
    assert_eq!(exact.b[nv * nu], 0.0);
    // Four steps in one: the finger alone moves.
    let apart = differ(&exact.b, &at_rest(differences).b);
    assert!(size(&exact.b) > 0.1 && apart < 1e-6 * size(&exact.b), "{apart:e} of {:e}", size(&exact.b));
    let smoothed = Gradient::Smoothed { samples: 64, deviations: [0.01, 0.1, 0.5], seed: 1 };
    assert!(at_rest(smoothed).b[nv * nu] > 1e-5);
    assert_eq!(at_rest(smoothed), at_rest(smoothed), "the same seed gives the same numbers");
}

/// A box is pushed 10 cm ahead, between bounds.
#[test]
fn a_box_is_pushed_ahead() {
    let world = Arc::new(pusher());
    let start = start_of(&world);
    let (nv, knots) = (world.model.nv(), 30);
    let mut target = Point { q: start.q.clone(), v: vec![0.0; nv] };
    target.q[0] += 0.1;
    let mut weights = vec![0.0; 2 * nv];
    let free = Arc::new(Stage { target: target.clone(), weights: weights.clone() });
    weights[..6].fill(200.0);
    weights[nv..nv + 6].fill(1.0);
    let mut stages = vec![free; knots];
    stages.push(Arc::new(Stage { target, weights }));
    let cost = Tracking {
        model: world.model.clone(),
        stages,
        control: vec![0.0; 2],
        control_weights: vec![1e-4; 2],
    };
    let sim = Simulation::new(world.clone(), start, settings(0.005)).unwrap();
    let mut system = Simulated::new(sim, 4, Gradient::Exact { displacement: 1e-6 }).unwrap();
    let seed = vec![vec![0.8, 0.0]; knots];
    let params = IlqrParams { iterations: 60, ..IlqrParams::default() };
    let bounds: [&[f64]; 2] = [&[-3.0, -3.0], &[3.0, 3.0]];
    let found = optimize(&mut system, &cost, bounds, &seed, &params, &mut quiet).unwrap();
    let end = &found.states[knots];
    assert!((end.q[0] - cost.stages[knots].target.q[0]).abs() < 3e-3, "{:?}", end.q);
    assert!(found.history.windows(2).all(|w| w[1].cost <= w[0].cost), "the cost never rises");
    // The same controls lead there again, bit for bit, and every step is certified.
    let mut worst = 0.0_f64;
    system
        .replay(&found.controls, |sim, report| {
            assert!(!report.flagged(), "{report:?}");
            worst = worst.max(sim.certificate().natural_map);
        })
        .unwrap();
    assert!(worst < 1e-6, "{worst:e}");
    assert_eq!(&system.point(), end);
}
