//! Rows of one dof or of several whose directions are constant, for any scalar: the list of their kinds, for lanes.
//!
//! A row is known by its [`RowKey`]. What its numbers are made of stands in the world and in what varies, [`At`]; the law in
//! [`crate::laws::row`]. Loops, curved couplings and limits of ball joints are not here: their directions turn.

use crate::block::RowKey;
use crate::forces::{Effort, ImplicitForce, tendons};
use crate::laws::actuator::AffineActuator;
use crate::laws::row::Row;
use crate::laws::row_params::RowParams;
use stiction_dynamics::{Model, Real};
use stiction_world::World;

/// Numbers of rows that move, or that environments may have of their own.
#[derive(Clone, Copy, Debug)]
pub struct At<'a, T: Real> {
    pub params: RowParams<T>,
    /// Generalized positions and velocities at the start of the step, and v_f.
    pub q: &'a [T],
    pub v: &'a [T],
    pub free_velocity: &'a [T],
    /// Index into q of every dof of a scalar joint.
    pub q_of_dof: &'a [usize],
    /// The dry friction of its dofs is read.
    pub model: &'a Model<T>,
    /// Laws of the actuators, and their efforts where they are rows; k = 0 where they are none.
    pub laws: &'a [AffineActuator<T>],
    pub efforts: &'a [Effort<T>],
}

/// Signs of a limit's two sides.
pub(crate) const SIDES: [f64; 2] = [1.0, -1.0];

/// All such rows of a world, in the order in which they are posed.
pub fn keys(world: &World) -> Vec<RowKey> {
    let model = &world.model;
    let limited = model.joints.iter().enumerate().filter(|(_, j)| j.kind.is_scalar() && j.limit.is_some());
    let limits = limited.flat_map(|(joint, _)| [0, 1].map(|side| RowKey::Limit { joint, side }));
    let frictions = (0..model.nv()).map(|dof| RowKey::DryFriction { dof });
    let couplings = (0..world.couplings.len()).map(|index| RowKey::Coupling { index });
    let actuators = (0..world.actuators.len()).map(|i| RowKey::ImplicitForce(ImplicitForce::Actuator(i)));
    let tendons = || world.tendons.iter().enumerate().filter(|(_, t)| !t.terms().is_empty());
    let springs = tendons().filter(|(_, t)| t.stiffness > 0.0 || t.damping > 0.0);
    let springs = springs.map(|(i, _)| RowKey::ImplicitForce(ImplicitForce::Tendon(i)));
    let stops = tendons().filter(|(_, t)| t.limit.is_some());
    let stops = stops.flat_map(|(tendon, _)| [0, 1].map(|side| RowKey::TendonLimit { tendon, side }));
    let drags = tendons().filter(|(_, t)| t.friction > 0.0);
    let drags = drags.map(|(tendon, _)| RowKey::TendonFriction { tendon });
    let joints = limits.chain(frictions).chain(couplings);
    joints.chain(actuators).chain(springs).chain(stops).chain(drags).collect()
}

/// J of a row of [`keys`]: pairs of a dof and its coefficient.
pub fn terms(world: &World, key: RowKey) -> Vec<(usize, f64)> {
    match key {
        RowKey::Limit { joint, side } => vec![(world.model.joints[joint].idx_v, SIDES[side])],
        RowKey::DryFriction { dof } => vec![(dof, 1.0)],
        RowKey::Coupling { index } => world.couplings[index].terms.clone(),
        RowKey::ImplicitForce(ImplicitForce::Actuator(i)) => world.actuators[i].transmission.clone(),
        RowKey::ImplicitForce(ImplicitForce::Tendon(i)) => world.tendons[i].terms().to_vec(),
        RowKey::TendonLimit { tendon, side } => {
            world.tendons[tendon].terms().iter().map(|&(dof, c)| (dof, SIDES[side] * c)).collect()
        }
        RowKey::TendonFriction { tendon } => world.tendons[tendon].terms().to_vec(),
        RowKey::Loop { .. } => Vec::new(),
    }
}

/// Σ c x over terms, x by dof.
#[inline(always)]
fn along<T: Real>(terms: &[(usize, f64)], x: &[T]) -> T {
    let mut sum = x[0].zero();
    for &(dof, c) in terms {
        sum += sum.like(c) * x[dof];
    }
    sum
}

/// Σ c q over terms.
#[inline(always)]
fn length<T: Real>(terms: &[(usize, f64)], at: &At<'_, T>) -> T {
    let mut sum = at.q[0].zero();
    for &(dof, c) in terms {
        sum += sum.like(c) * at.q[at.q_of_dof[dof]];
    }
    sum
}

/// The distance of x to one side of a range.
#[inline(always)]
fn distance<T: Real>(x: T, [low, high]: [f64; 2], side: usize) -> T {
    if side == 0 { x - x.like(low) } else { x.like(high) - x }
}

/// The row `key` of [`keys`]; it is there in no lane if `key` is of another kind.
#[inline(always)]
pub fn row<T: Real>(world: &World, key: RowKey, at: &At<'_, T>) -> Row<T> {
    let (p, zero) = (&at.params, at.params.h.zero());
    let none = Row::new(zero.less(zero), zero, [zero; 2]);
    match key {
        RowKey::Limit { joint, side } => {
            let joint = &world.model.joints[joint];
            let (Some(range), dof, sign) = (joint.limit, joint.idx_v, zero.like(SIDES[side])) else {
                return none;
            };
            let gap = distance(at.q[joint.idx_q], range, side);
            p.limit(gap, sign * at.v[dof], sign * at.free_velocity[dof])
        }
        RowKey::DryFriction { dof } => p.dry_friction(at.model.dofs[dof].friction, at.free_velocity[dof]),
        RowKey::Coupling { index } => {
            let coupling = &world.couplings[index];
            let error = length(&coupling.terms, at) - zero.like(coupling.offset);
            p.coupling(error, along(&coupling.terms, at.free_velocity))
        }
        RowKey::ImplicitForce(ImplicitForce::Actuator(i)) => {
            let terms = &world.actuators[i].transmission;
            let (before, free) = (along(terms, at.v), along(terms, at.free_velocity));
            p.implicit_force(at.efforts[i], at.laws[i].effort_range, free - before, free)
        }
        RowKey::ImplicitForce(ImplicitForce::Tendon(i)) => {
            let terms = world.tendons[i].terms();
            let (rate, free) = (along(terms, at.v), along(terms, at.free_velocity));
            let effort = tendons::law(&world.tendons[i]).cast(zero).effort(length(terms, at), rate, p.h);
            let infinite = zero.like(f64::INFINITY);
            p.implicit_force(effort, [-infinite, infinite], free - rate, free)
        }
        RowKey::TendonLimit { tendon, side } => {
            let tendon = &world.tendons[tendon];
            let (Some(range), terms, sign) = (tendon.limit, tendon.terms(), zero.like(SIDES[side])) else {
                return none;
            };
            let (before, free) = (along(terms, at.v), along(terms, at.free_velocity));
            p.limit(distance(length(terms, at), range, side), sign * before, sign * free)
        }
        RowKey::TendonFriction { tendon } => {
            let tendon = &world.tendons[tendon];
            p.dry_friction(zero.like(tendon.friction), along(tendon.terms(), at.free_velocity))
        }
        RowKey::Loop { .. } => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::actuators;
    use crate::loops::Loops;
    use crate::{BlockKey, Choice, Posed, Posing, WarmStart};
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
        let all = keys(&world);
        let mut seen = vec![0; all.len()];
        for Case { numbers: [q, v, free], efforts } in cases(&world, 200) {
            let mut kin = Kinematics::new(model);
            kin.update(model, &q);
            let actuators = efforts.iter().enumerate().filter(|(_, e)| e.implicit > 0.0);
            let mut implicit_forces: Vec<(ImplicitForce, Effort)> =
                actuators.map(|(i, e)| (ImplicitForce::Actuator(i), *e)).collect();
            implicit_forces.extend(tendons::tendon_forces(&world, &q, &v, &q_of_dof, PARAMS.h));
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
                q_of_dof: &q_of_dof,
                model,
                laws: &laws,
                efforts: &efforts,
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
                let along: f64 = terms(&world, *key).iter().map(|&(dof, c)| c * v[dof]).sum();
                assert!(close(posed.jacobian.row_velocity(block, 0, &v), along), "{key:?}");
                block += 1;
            }
            assert_eq!(block, posed.blocks.len());
        }
        // Two dofs have no dry friction.
        let never: Vec<RowKey> = all.iter().zip(&seen).filter(|(_, n)| **n == 0).map(|(k, _)| *k).collect();
        assert_eq!(never, [RowKey::DryFriction { dof: 2 }, RowKey::DryFriction { dof: 3 }]);
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
                    q_of_dof: &q_of_dof,
                    model: &model,
                    laws: &laws,
                    efforts: &efforts,
                };
                let rows: Vec<Row<T>> = keys(world).into_iter().map(|key| row(world, key, &at)).collect();
                for lane in 0..cases.len() {
                    for row in &rows {
                        let [lo, hi] = row.bounds;
                        let numbers =
                            [kind.truth(row.there), row.g(), row.correction, lo, hi, row.compliance];
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
        let bits =
            |rows: Vec<[f64; 6]>| -> Vec<[u64; 6]> { rows.iter().map(|r| r.map(f64::to_bits)).collect() };
        let alone = InLanes(&world, &cases).run(0.0);
        assert_eq!(bits(lanes::run::<F64x4, _>(InLanes(&world, &cases))), bits(alone));
    }
}
