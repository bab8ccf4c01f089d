use super::*;
use crate::auto::{Auto, AutoParams};
use crate::blocks::blocks_into;
use crate::residual::StoppingResidual;
use crate::testing::{stack, tuning, with_delassus_factor};
use stiction_contact::ContactSolver;
use stiction_contact::corpus::Random;
use stiction_dynamics::spatial::vec3;

/// A pushed stack whose impulses are lost here and there: with sweeps between them ten steps gain a digit
/// more.
#[test]
fn sweeps_between_steps_find_pieces() {
    let problem = with_delassus_factor(stack(&[1.0; 20], vec3(0.5, 0.2, 0.0), 0.4));
    let mut answer = vec![0.0; problem.rows()];
    assert!(Auto::new(AutoParams::default()).unwrap().solve(&problem, &mut answer).converged());
    let (mut stopping, mut blocks, mut c) = (StoppingResidual::default(), Vec::new(), Vec::new());
    stopping.prepare(&problem);
    blocks_into(&problem, &stopping, &mut blocks);
    let mut digits = [0.0; 2];
    for seed in 0..50 {
        let mut random = Random(seed);
        let mut start = answer.clone();
        for i in (0..problem.len()).filter(|_| random.number() > 0.8) {
            start[problem.range(i)].fill(0.0);
        }
        problem.velocities_into(&start, &mut c);
        for (sweeps, digits) in [false, true].into_iter().zip(&mut digits) {
            let view = View {
                problem: &problem,
                blocks: &blocks,
                stopping: &stopping,
                law: Law::Ncp,
                sweeps,
                tuning: tuning(),
            };
            let from = view.residual(&start, &c);
            let reached = Newton::default().solve(&view, &mut start.clone(), from, 1e-9, 10);
            *digits += (from / reached.residual).log10() / 50.0;
        }
    }
    assert!(digits[1] > digits[0] + 1.0, "{digits:?}");
}
