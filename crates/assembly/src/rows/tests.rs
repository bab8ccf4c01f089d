//! Rows that are posed one by one are those of lanes.

use super::*;
use crate::forces::{Effort, actuators, tendons};
use crate::laws::actuator::AffineActuator;
use crate::loops::Loops;
use crate::{BlockKey, Choice, Posed, Posing, RowParams, WarmStart};
use std::path::Path;
use stiction_contact::corpus::Random;
use stiction_dynamics::lanes::{self, F64x4};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Kinematics, lanes::Task};
use stiction_models::{LoadOptions, load_str};

/// A finger of two joints under a tendon, and two sliders that are coupled: every kind of row.
fn world() -> World {
    let text = r#"<mujoco><compiler autolimits="true" angle="radian"/><worldbody>
        <body name="a"><joint name="ja" axis="0 1 0" range="-0.2 0.2" frictionloss="0.3"/><geom size="0.1"/>
        <body name="b" pos="0 0 0.5"><joint name="jb" axis="1 0 0" frictionloss="0.1"/><geom size="0.1"/></body></body>
        <body name="c" pos="1 0 0"><joint name="jc" type="slide" range="-0.1 0.4"/><geom size="0.1"/></body>
        <body name="d" pos="2 0 0"><joint name="jd" type="slide"/><geom size="0.1"/></body></worldbody>
        <tendon><fixed name="t" range="-0.2 0.3" springlength="-0.05 0.05" stiffness="20" damping="3" frictionloss="0.2">
        <joint joint="ja" coef="1"/><joint joint="jb" coef="-0.7"/></fixed></tendon>
        <actuator><position name="pa" joint="ja" kp="5" kv="1" forcerange="-2 3"/><position name="pt" tendon="t" kp="7" kv="1"/>
        </actuator><equality><joint joint1="jc" joint2="jd" polycoef="0.1 0.5 0 0 0"/></equality></mujoco>"#;
    load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

const PARAMS: RowParams = RowParams {
    h: 0.01,
    margin: 1e-3,
    slop: 1e-5,
    correction: 0.2,
    correction_speed: 1.0,
    bouncing_speed: 0.01,
    coarseness: 1.0,
};

/// q, v, v_f and the efforts of actuators that are rows.
struct Case {
    numbers: [Vec<f64>; 3],
    efforts: Vec<Effort>,
}

fn cases(world: &World, n: usize) -> Vec<Case> {
    let mut random = Random(3);
    let mut some = |n: usize, size: f64| (0..n).map(|_| size * random.number()).collect::<Vec<_>>();
    let case = |_| {
        let nv = world.model.nv();
        let numbers = [some(nv, 0.5), some(nv, 3.0), some(nv, 3.0)];
        let efforts = world.actuators.iter().map(|_| some(2, 1.0));
        let effort = |x: Vec<f64>| Effort { start: x[0], implicit: x[1].max(0.0) };
        Case { numbers, efforts: efforts.map(effort).collect() }
    };
    (0..n).map(case).collect()
}

/// The rows that are posed one by one are those that lanes would write.
#[test]
fn rows_are_those_that_are_posed() {
    let world = world();
    let model = &world.model;
    let (q_of_dof, loops) = (actuators::q_of_dofs(&world), Loops::new(&world));
    let laws: Vec<AffineActuator> = world.actuators.iter().map(actuators::law).collect();
    let all = linear(&world);
    let mut seen = vec![0; all.len()];
    for Case { numbers: [q, v, free], efforts } in cases(&world, 200) {
        let mut kin = Kinematics::new(model);
        kin.update(model, &q);
        let actuators = efforts.iter().enumerate().filter(|(_, e)| e.implicit > 0.0);
        let mut implicit_forces: Vec<(ImplicitForce, Effort)> =
            actuators.map(|(i, e)| (ImplicitForce::Actuator(i), *e)).collect();
        implicit_forces.extend(tendons::tendon_forces(&world, [&q, &v], &q_of_dof, PARAMS.h, |_| 1.0));
        let posing = Posing {
            world: &world,
            kin: &kin,
            middle: None,
            rolling: None,
            q: &q,
            v: &v,
            free_velocity: &free,
            free_motions: &vec![Motion::ZERO; model.bodies.len()],
            params: PARAMS,
            implicit_forces: &implicit_forces,
            q_of_dof: &q_of_dof,
            loops: &loops,
            compliance: None,
        };
        let mut posed = Posed::new(model);
        posing.pose_into(&[], &mut WarmStart::default(), &mut posed);
        let at = At {
            params: PARAMS,
            q: &q,
            v: &v,
            free_velocity: &free,
            start: None,
            lasts: false,
            q_of_dof: &q_of_dof,
            model,
            laws: &laws,
            efforts: &efforts,
            tendons: None,
        };
        let mut block = 0;
        for (key, seen) in all.iter().zip(&mut seen) {
            let row = row(&world, *key, &at);
            if !row.there {
                continue;
            }
            *seen += 1;
            assert_eq!(posed.blocks[block].key, BlockKey::Row(*key));
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * (1.0 + a.abs());
            let bias = posed.blocks[block].bias;
            assert!(close(bias.total(Choice::default()), row.g()), "{key:?}: {bias:?}, {row:?}");
            assert!(close(bias.gap, row.gap) && close(bias.correction, row.correction), "{key:?}");
            assert_eq!(posed.problem.cone(block), key.cone(row.bounds), "{key:?}");
            assert_eq!(posed.problem.compliance[block], row.compliance, "{key:?}");
            let along: f64 = terms(&world, *key).along(0.0, |dof| v[dof]);
            assert!(close(posed.jacobian.row_velocity(block, 0, &v), along), "{key:?}");
            block += 1;
        }
        assert_eq!(block, posed.blocks.len());
    }
    // Two dofs have no dry friction.
    let never: Vec<RowKey> = all.iter().zip(&seen).filter(|(_, n)| **n == 0).map(|(k, _)| *k).collect();
    assert_eq!(never, [2, 3].map(|dof| RowKey::DryFriction(DryFrictionRow { dof })));
}

/// Every row of all cases, four at a time: where it is, g, correction, bounds and compliance.
struct InLanes<'a>(&'a World, &'a [Case]);

impl Task for InLanes<'_> {
    type Output = Vec<[f64; 6]>;

    #[inline(always)]
    fn run<T: Real>(self, kind: T) -> Vec<[f64; 6]> {
        let Self(world, cases) = self;
        let (model, q_of_dof) = (world.model.cast(kind), actuators::q_of_dofs(world));
        let laws: Vec<AffineActuator<T>> =
            world.actuators.iter().map(|a| actuators::law(a).cast(kind)).collect();
        let params = PARAMS.cast(kind);
        let mut out = Vec::new();
        for cases in cases.chunks(T::LANES) {
            let all = |x: &dyn Fn(&Case) -> f64| {
                cases.iter().enumerate().fold(kind, |all, (lane, case)| all.with_lane(lane, x(case)))
            };
            let [q, v, free] = [0, 1, 2]
                .map(|k| (0..model.nv()).map(|i| all(&|c: &Case| c.numbers[k][i])).collect::<Vec<T>>());
            let effort = |i: usize| Effort {
                start: all(&|c| c.efforts[i].start),
                implicit: all(&|c| c.efforts[i].implicit),
            };
            let efforts: Vec<Effort<T>> = (0..laws.len()).map(effort).collect();
            let at = At {
                params,
                q: &q,
                v: &v,
                free_velocity: &free,
                start: None,
                lasts: kind.less(kind),
                q_of_dof: &q_of_dof,
                model: &model,
                laws: &laws,
                efforts: &efforts,
                tendons: None,
            };
            let rows: Vec<Row<T>> = linear(world).into_iter().map(|key| row(world, key, &at)).collect();
            for lane in 0..cases.len() {
                for row in &rows {
                    let [lo, hi] = row.bounds;
                    let numbers = [kind.truth(row.there), row.g(), row.correction, lo, hi, row.compliance];
                    out.push(numbers.map(|x| T::select(row.there, x, kind).lane(lane)));
                }
            }
        }
        out
    }
}

#[test]
fn every_lane_has_the_rows_of_its_numbers() {
    let world = world();
    let cases = cases(&world, 200);
    let bits = |rows: Vec<[f64; 6]>| -> Vec<[u64; 6]> { rows.iter().map(|r| r.map(f64::to_bits)).collect() };
    let alone = InLanes(&world, &cases).run(0.0);
    assert_eq!(bits(lanes::run::<F64x4, _>(InLanes(&world, &cases))), bits(alone));
}
