//! Answers that rounding the impulses to 64 bits keeps from the tolerance.
//!
//! Between bodies of very unequal mass one unit in the last place of an impulse moves the lighter one by more than the
//! solver is asked for: [`stiction_contact::SolveStatus::Rounding`] says that no more than this is left. Nothing would be
//! nearer, so such an answer is applied as one that converged: without an energy guard, without another try. Two things it may
//! not hide:
//!
//! - that it is bad. The judge has the last word, by the law of the solver: above [`crate::CERTIFIED`] the step has not
//!   converged;
//! - that there is no answer. Where contacts cannot bounce as they are asked, impulses grow without end, and what rounding
//!   them leaves with them. Larger ones than stop all bodies many times over are therefore doubted.

use super::mass;
use stiction_contact::ConstraintProblem;
use stiction_world::World;

/// Impulses are doubted that are so many times what stops all bodies at the speed of the fastest constraint [–].
const MANY: f64 = 1e3;

/// Whether the impulses are beyond anything that the problem could ask for.
pub(super) fn press_too_much(world: &World, problem: &ConstraintProblem, impulses: &[f64]) -> bool {
    let fastest = problem.free_velocity.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
    let pressing = impulses.iter().map(|l| l.abs()).sum::<f64>();
    let can_be = pressing <= MANY * mass(world) * fastest; // not what is NaN
    !can_be
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepping::attempt::{Part, whole_step};
    use crate::stepping::{Stepper, TimeStepping};
    use crate::{Composer, FreeBody, Input, State, StepStatus, StepperParams};
    use stiction_collision::Shape;
    use stiction_contact::{ContactSolver, Law, Needs, SolveReport, SolveStatus, Watch};
    use stiction_dynamics::spatial::{Pose, Vec3, vec3};
    use stiction_solvers::registry::{Common, make};
    use stiction_world::Material;

    /// Says that only rounding is left, whatever it has made of an answer.
    struct Says {
        auto: Box<dyn ContactSolver>,
        times: f64,
    }

    impl ContactSolver for Says {
        fn name(&self) -> &'static str {
            "says"
        }

        fn law(&self) -> Law {
            Law::Ncp
        }

        fn needs(&self) -> Needs {
            self.auto.needs()
        }

        fn solve_watched(
            &mut self,
            p: &ConstraintProblem,
            x: &mut [f64],
            watch: &mut Watch<'_>,
        ) -> SolveReport {
            let report = self.auto.solve_watched(p, x, watch);
            x.iter_mut().for_each(|x| *x *= self.times);
            SolveReport { status: SolveStatus::Rounding, ..report }
        }
    }

    /// A cube that lands on the ground at 1 m/s.
    fn landing() -> (World, State) {
        let mut composer = Composer::new("landing", vec3(0.0, 0.0, -9.81)).unwrap();
        let (ground, rough) =
            (Pose::from_translation(Vec3::ZERO), Material { friction: 0.5, ..Material::default() });
        composer.fixed("ground", Shape::Plane, ground, rough, crate::UNCOLOURED).unwrap();
        let (shape, pose) =
            (Shape::Box { half: vec3(0.1, 0.1, 0.1) }, Pose::from_translation(vec3(0.0, 0.0, 0.1)));
        let cube = FreeBody::new("cube".to_owned(), shape, 1.0, pose);
        composer.body(FreeBody { velocity: vec3(0.0, 0.0, -1.0), ..cube }).unwrap();
        composer.finish()
    }

    /// The judge decides what may pass for rounding; what passes is applied as it is, whatever energy it adds.
    #[test]
    fn what_is_called_rounding_is_judged() {
        let step = |times: f64| {
            let (world, mut state) = landing();
            let mut stepper = TimeStepping::new(&world, StepperParams::default()).unwrap();
            let auto = make("auto", &Common { tolerance: 1e-12, max_iterations: 100 }).unwrap();
            let report = whole_step(
                &mut stepper,
                Part::whole(&world, &Input::default(), 1e-3),
                &mut state,
                &mut Says { auto, times },
            );
            (report.status.clone(), report.flagged(), state.v[2])
        };
        for (times, bounce) in [(1.0, 0.0), (1.0 + 2e-7, 2e-7)] {
            let (status, flagged, v) = step(times);
            assert!(status == StepStatus::Rounding && !flagged, "{status:?}");
            assert!((v - bounce).abs() < 1e-8, "{v}");
        }
        for times in [0.0, 0.9, 1.0 + 2e-6, 3.0] {
            let (status, flagged, _) = step(times);
            assert!(status == StepStatus::NotConverged && flagged, "{times}: {status:?}");
        }
        let (status, flagged, v) = step(f64::NAN);
        assert!(flagged && v.is_finite(), "{status:?}");
    }

    #[test]
    fn impulses_beyond_all_that_moves_are_doubted() {
        let (world, mut state) = landing();
        let mut stepper = TimeStepping::new(&world, StepperParams::default()).unwrap();
        let mut auto = make("auto", &Common::default()).unwrap();
        whole_step(&mut stepper, Part::whole(&world, &Input::default(), 1e-3), &mut state, auto.as_mut());
        let press = |impulses: &[f64]| press_too_much(&world, &stepper.last().posed.problem, impulses);
        let mut impulses = stepper.last().impulses.to_vec();
        assert!(!press(&impulses));
        impulses[2] += 1e5;
        assert!(press(&impulses));
        impulses[2] = f64::NAN;
        assert!(press(&impulses));
    }
}
