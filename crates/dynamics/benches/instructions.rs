//! Instructions per call, counted by Valgrind: `cargo xtask bench instructions`, which compiles this
//! with `--cfg gungraun` and compares with the committed counts. Without, there is nothing here, and
//! gungraun is not compiled.

#![allow(non_snake_case)] // capitals carry meaning

#[cfg(gungraun)]
mod counted {
    use gungraun::{library_benchmark, library_benchmark_group};
    use std::hint::black_box;
    use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
    use stiction_dynamics::*;

    /// `legs` chains of `length` hinges, on a free trunk or on the world.
    fn model(free: bool, legs: usize, length: usize) -> Model {
        let mut b = ModelBuilder::new();
        let inertia = Inertia::new(1.3, vec3(0.02, -0.01, -0.15), Sym3::diagonal(0.02, 0.03, 0.01));
        let trunk = free.then(|| {
            let trunk = b.link("trunk", None, Pose::IDENTITY, inertia);
            b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
            trunk
        });
        for leg in 0..legs {
            let mut parent = trunk;
            for k in 0..length {
                let X_PL = Pose::new(Quat::from_rpy(0.1, 0.2, leg as f64), vec3(0.1, 0.05, -0.3));
                let link = b.link(format!("link{leg}.{k}"), parent, X_PL, inertia);
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][k % 3];
                b.joint(link, JointSpec::new(format!("joint{leg}.{k}"), JointKind::Hinge, axis));
                parent = Some(link);
            }
        }
        b.build(Vec3::Z * -9.81).expect("the model is sound")
    }

    /// Everything the algorithms need, each of which has run once.
    struct Robot {
        model: Model,
        q: Vec<f64>,
        v: Vec<f64>,
        out: Vec<f64>,
        poses: Poses,
        kin: Kinematics,
        vel: Velocities,
        rnea: RneaWorkspace,
        crba: CrbaWorkspace,
        aba: AbaWorkspace,
        M: MassMatrix,
        factor: Factor,
    }

    fn ready(name: &str) -> Robot {
        let model = match name {
            "arm" => model(false, 1, 7),
            "quadruped" => model(true, 4, 3),
            _ => model(false, 1, 30),
        };
        let v: Vec<f64> = (0..model.nv()).map(|i| (1.3 * i as f64).sin()).collect();
        let mut q = vec![0.0; model.nq];
        integrate_into(&model, &model.neutral(), &v, 0.7, &mut q);
        let mut robot = Robot {
            out: v.clone(),
            poses: Poses::new(&model),
            kin: Kinematics::new(&model),
            vel: Velocities::new(&model),
            rnea: RneaWorkspace::new(&model),
            crba: CrbaWorkspace::new(&model),
            aba: AbaWorkspace::new(&model),
            M: MassMatrix::new(&model),
            factor: Factor::new(&model),
            model,
            q,
            v,
        };
        robot.kin.update(&robot.model, &robot.q);
        robot.vel.update(&robot.model, &robot.kin, &robot.v);
        crba_into(&robot.model, &robot.kin, &mut robot.crba, &mut robot.M);
        robot.factor.factor(&robot.M).expect("M is positive definite");
        robot
    }

    // Robots are returned so that dropping them is not counted.

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn poses(mut r: Robot) -> Robot {
        r.poses.update(&r.model, black_box(&r.q));
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn kinematics(mut r: Robot) -> Robot {
        r.kin.update(&r.model, black_box(&r.q));
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn velocities(mut r: Robot) -> Robot {
        r.vel.update(&r.model, &r.kin, black_box(&r.v));
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn rnea(mut r: Robot) -> Robot {
        rnea_into(&r.model, &r.kin, &r.vel, black_box(&r.v), &mut r.rnea, &mut r.out);
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn crba(mut r: Robot) -> Robot {
        crba_into(&r.model, black_box(&r.kin), &mut r.crba, &mut r.M);
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn aba(mut r: Robot) -> Robot {
        aba_into(&r.model, &r.kin, &r.vel, black_box(&r.v), &mut r.aba, &mut r.out);
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn factor(mut r: Robot) -> Robot {
        let _sound = black_box(r.factor.factor(black_box(&r.M)));
        r
    }

    #[library_benchmark(setup = ready)]
    #[benches::of(args = ["arm", "quadruped", "chain"])]
    fn solve(mut r: Robot) -> Robot {
        r.factor.solve_in_place(black_box(&mut r.out));
        r
    }

    library_benchmark_group!(
        name = algorithms;
        benchmarks = poses, kinematics, velocities, rnea, crba, aba, factor, solve
    );
}

#[cfg(gungraun)]
use counted::algorithms;

#[cfg(gungraun)]
gungraun::main!(library_benchmark_groups = algorithms);

#[cfg(not(gungraun))]
fn main() {}
