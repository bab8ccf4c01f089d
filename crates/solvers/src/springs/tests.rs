//! The answer is a function of the problem: of no order, no unit, no start, no tolerance, no contact found twice.

use crate::auto::{Auto, AutoParams};
use crate::testing::{cube, dragged, grasp};
use stiction_contact::certificate::certify;
use stiction_contact::corpus::Random;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver};
use stiction_dynamics::spatial::{Vec3, vec3};

/// The problem of G by rows, divided by `heavier`, whose contact k is contact `order[k]` of `problem`.
fn reordered(problem: &ConstraintProblem, order: &[usize], heavier: f64) -> ConstraintProblem {
    let n = problem.rows();
    let mut columns = Vec::new();
    for r in 0..n {
        let (mut unit, mut column) = (vec![0.0; n], Vec::new());
        unit[r] = 1.0;
        problem.delassus_mul_into(&unit, &mut column);
        columns.push(column);
    }
    let mut out = ConstraintProblem::default();
    for &i in order {
        out.push(problem.cone(i), &problem.free_velocity[problem.range(i)]);
    }
    let (start, blocks) = out.starts_and_blocks_mut();
    blocks.set_pattern(start, |_, columns| columns.extend(0..order.len()));
    for (k, &i) in order.iter().enumerate() {
        for e in blocks.entries(k) {
            let j = order[blocks.column_of(e)];
            let (rows, width) = (problem.range(i), problem.range(j).len());
            for (place, value) in blocks.entry_mut(e).iter_mut().enumerate() {
                *value =
                    columns[problem.range(j).start + place % width][rows.start + place / width] / heavier;
            }
        }
    }
    out
}

/// Velocities at the contacts under `auto`, from a start.
fn velocities(problem: &ConstraintProblem, params: AutoParams, start: &[f64]) -> Vec<f64> {
    let (mut impulses, mut c) = (start.to_vec(), Vec::new());
    assert!(Auto::new(params).unwrap().solve(problem, &mut impulses).converged());
    assert!(certify(problem, &impulses).natural_map <= params.tolerance);
    problem.velocities_into(&impulses, &mut c);
    c
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// A cube that slides and turns, one that is dragged, one that is hit on its side, a grasp: all slide or
/// stick on more contacts than
/// they need.
fn problems() -> Vec<ConstraintProblem> {
    vec![
        cube(0.5, vec3(1.0, 0.3, -0.1), vec3(0.0, 0.0, 3.0)),
        cube(0.8, vec3(0.4, 0.0, -0.5), vec3(0.5, 2.0, 1.0)),
        dragged(6.0, 0.5),
        grasp(12.0, 0.5),
        grasp(8.0, 0.5),
    ]
}

#[test]
fn order_units_starts_and_tolerances_do_not_matter() {
    let mut random = Random(5);
    for (k, problem) in problems().into_iter().enumerate() {
        let params = AutoParams::default();
        let none = vec![0.0; problem.rows()];
        let c = velocities(&problem, params, &none);
        for tolerance in [1e-6, 1e-10, 1e-11] {
            let other = velocities(&problem, AutoParams { tolerance, ..params }, &none);
            assert!(apart(&c, &other) < 1e-9, "problem {k}, tolerance {tolerance}: {:e}", apart(&c, &other));
        }
        let mut start: Vec<f64> = (0..problem.rows()).map(|_| random.number() - 0.5).collect();
        problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut start[problem.range(i)]));
        assert!(apart(&c, &velocities(&problem, params, &start)) < 1e-9, "problem {k}, another start");
        let order: Vec<usize> = (0..problem.len()).map(|i| (5 * i + 3) % problem.len()).collect();
        let turned = velocities(&reordered(&problem, &order, 1000.0), params, &none);
        for (place, &i) in order.iter().enumerate() {
            let rows = problem.range(i);
            let e = apart(&c[rows.clone()], &turned[3 * place..3 * place + 3]);
            assert!(e < 1e-9, "problem {k}, contact {i}: {e:e}");
        }
    }
}

#[test]
fn a_contact_found_twice_changes_nothing() {
    for (k, problem) in problems().into_iter().enumerate() {
        let params = AutoParams::default();
        let c = velocities(&problem, params, &vec![0.0; problem.rows()]);
        let order: Vec<usize> = (0..problem.len()).chain([1]).collect();
        let twice = reordered(&problem, &order, 1.0);
        let other = velocities(&twice, params, &vec![0.0; twice.rows()]);
        assert!(apart(&c, &other) < 1e-9, "problem {k}: {:e}", apart(&c, &other));
    }
}

/// A body that flies at 10 m/s between two walls that just touch it flies on, though impulses could hold it.
#[test]
fn what_flies_between_walls_is_not_stopped() {
    let axes = [[Vec3::Y, Vec3::Z, Vec3::X], [Vec3::Y, Vec3::Z, -Vec3::X]];
    let v = vec3(0.0, 10.0, 0.0);
    let mut problem = ConstraintProblem::default();
    axes.iter().for_each(|a| problem.push(Cone::Friction { mu: 0.5 }, &a.map(|a| a.dot(v))));
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |_, columns| columns.extend(0..2));
    for i in 0..2 {
        for e in blocks.entries(i) {
            let j = blocks.column_of(e);
            for (place, value) in blocks.entry_mut(e).iter_mut().enumerate() {
                *value = axes[i][place / 3].dot(axes[j][place % 3]);
            }
        }
    }
    let c = velocities(&problem, AutoParams::default(), &[0.0; 6]);
    assert!((c[0] - 10.0).abs() < 1e-12, "{c:?}");
}

/// A grasp that friction can hold is held, whatever share of the load it could hold more; one that it cannot hold slips.
#[test]
fn what_friction_can_hold_is_held() {
    // The pads, as heavy as the cube together, fall with it where they hold it: half of its weight goes through 2 μ F.
    let least = 0.5 * 9.81;
    for (margin, holds) in [(0.99, false), (1.001, true), (1.1, true), (2.0, true)] {
        let problem = grasp(margin * least, 0.5);
        let c = velocities(&problem, AutoParams::default(), &vec![0.0; problem.rows()]);
        let fastest = c.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        assert!((fastest < 1e-9) == holds, "margin {margin}: {fastest:e}");
    }
}

/// Equilibria of the step before say how soon an answer is found, not which: an `auto` that has solved
/// others finds what a new one does,
/// in fewer steps.
#[test]
fn the_step_before_does_not_matter() {
    let params = AutoParams::default();
    let (mut steps, mut fresh_steps) = (0, 0);
    for (k, problem) in problems().into_iter().enumerate() {
        let mut auto = Auto::new(params).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        for step in 0..6 {
            let mut now = problem.clone();
            for (r, g) in now.free_velocity.iter_mut().enumerate() {
                *g *= 1.0 + 1e-3 * f64::from(step) * ((r % 5) as f64 - 2.0);
            }
            let report = auto.solve(&now, &mut impulses);
            assert!(report.converged(), "problem {k}, step {step}");
            let mut alone = vec![0.0; now.rows()];
            fresh_steps += Auto::new(params).unwrap().solve(&now, &mut alone).iterations;
            steps += report.iterations;
            let [mut c, mut other] = [Vec::new(), Vec::new()];
            now.velocities_into(&impulses, &mut c);
            now.velocities_into(&alone, &mut other);
            assert!(apart(&c, &other) < 1e-9, "problem {k}, step {step}: {:e}", apart(&c, &other));
        }
    }
    assert!(steps < fresh_steps, "{steps} of {fresh_steps}");
}
