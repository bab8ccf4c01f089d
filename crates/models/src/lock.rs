//! A world some of whose joints no longer move.
//!
//! Links keep their frames, so that geometries and drawings follow by the number of their link alone.
//! What is linear in the joints, l = Σ c q, loses the terms of locked joints to a constant:
//!
//! ```text
//!     servo:      bias' = bias + bias_l Σ_locked c q                    (1)
//!     coupling:   offset' = offset − Σ_locked c q                       (2)
//!     tendon:     its slack range and its limits likewise              (3)
//! ```

use crate::grain::Tangents;
use crate::tendon::TendonPath;
use crate::world::{DriveLimit, World};
use stiction_dynamics::{EditError, Edited, lock_joints};

impl World {
    /// The world with `joints` (indices into `model.joints`) locked where `q` (length nq) has them.
    ///
    /// Actuators keep their numbers, and so do keyframes, which lose the coordinates of locked joints;
    /// a coupling of locked joints alone is gone. Links that are welded together exclude contacts as
    /// one: the neighbours of each are those of both.
    pub fn lock_joints(&self, q: &[f64], joints: &[usize]) -> Result<World, EditError> {
        let edited = lock_joints(&self.model, q, joints)?;
        let old = &self.model;
        let link = |l: usize| edited.links.get(l).copied().flatten();
        let kept = kept_dofs(self, &edited);
        // Where a scalar dof is locked.
        let place = |dof: usize| q[old.joints[old.dofs[dof].joint].idx_q];
        let split = |terms: &[(usize, f64)]| {
            let fixed = terms.iter().filter(|t| kept[t.0].is_none()).map(|t| t.1 * place(t.0)).sum::<f64>();
            let terms = terms.iter().filter_map(|t| kept[t.0].map(|dof| (dof, t.1)));
            (terms.collect::<Vec<_>>(), fixed)
        };

        let mut world = World { model: edited.model.clone(), ..self.clone() };
        for g in &mut world.geometries {
            g.link = g.link.and_then(link);
            g.material.grain = g.material.grain.and_then(|grain| grain.follow(link));
        }
        for pair in &mut world.pairs {
            if let Tangents::Along { side, grain } = pair.surface.tangents {
                let kept = grain.follow(link).map(|grain| Tangents::Along { side, grain });
                pair.surface.tangents = kept.unwrap_or_default();
            }
        }
        world.visuals.iter_mut().for_each(|v| v.link = v.link.and_then(link));
        world.excluded = self.excluded.iter().filter_map(|&(a, b)| Some((link(a)?, link(b)?))).collect();
        world.excluded_from_world = self.excluded_from_world.iter().filter_map(|&l| link(l)).collect();
        for actuator in &mut world.actuators {
            let (terms, fixed) = split(&actuator.transmission);
            actuator.transmission = terms;
            actuator.law.bias += actuator.law.bias_length * fixed; // (1)
        }
        for coupling in &mut world.couplings {
            let (terms, fixed) = split(&coupling.terms);
            coupling.terms = terms;
            coupling.offset -= fixed; // (2)
            if let Some(curve) = &mut coupling.curve {
                let (terms, fixed) = split(&curve.terms);
                (curve.terms, curve.reference) = (terms, curve.reference - fixed);
            }
            if let Some(curve) = coupling.curve.take_if(|c| c.terms.is_empty()) {
                coupling.offset += curve.at(-curve.reference).0;
            }
        }
        for tendon in &mut world.tendons {
            let TendonPath::Fixed(terms) = &mut tendon.path else { continue };
            let (left, fixed) = split(terms);
            *terms = left;
            let shorter = |range: [f64; 2]| range.map(|l| l - fixed); // (3)
            (tendon.slack, tendon.limit) = (tendon.slack.map(shorter), tendon.limit.map(shorter));
        }
        world.couplings.retain(|c| !c.terms.is_empty());
        let carried = self.gravity_compensation.iter();
        world.gravity_compensation = carried.filter_map(|&(l, share)| Some((link(l)?, share))).collect();
        world.loops.iter_mut().flat_map(|l| &mut l.ends).for_each(|end| end.0 = end.0.and_then(link));
        world.extras.follow(link, |j| edited.joints.get(j).copied().flatten());
        for key in &mut world.keyframes {
            (key.q, key.v) = edited.carry_state(old, &key.q, &key.v);
        }
        if !self.drive_limits.is_empty() {
            world.drive_limits = vec![DriveLimit::default(); world.model.nv()];
            for (limit, now) in self.drive_limits.iter().zip(&kept) {
                if let Some(now) = now {
                    world.drive_limits[*now] = *limit;
                }
            }
        }
        Ok(world)
    }
}

/// Per dof: its number now; `None`: it is locked.
fn kept_dofs(world: &World, edited: &Edited) -> Vec<Option<usize>> {
    let joint = |j: usize| edited.joints[j].map(|now| edited.model.joints[now].idx_v);
    let dofs = world.model.dofs.iter().enumerate();
    dofs.map(|(i, d)| joint(d.joint).map(|first| first + i - world.model.joints[d.joint].idx_v)).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Geometry, LoadOptions, World, load_str};
    use std::path::Path;
    use stiction_dynamics::spatial::Pose;
    use stiction_dynamics::{Kinematics, Model};

    /// An arm of three hinges with a servo on each, a tendon over two, a coupling and a keyframe.
    fn arm() -> World {
        let text = r#"<mujoco><compiler autolimits="true"/><worldbody>
            <body name="a"><joint name="ja" axis="0 1 0"/><geom name="ga" size="0.1" pos="0 0 0.1"/>
            <body name="b" pos="0 0 0.5"><joint name="jb" axis="1 0 0" actuatorfrcrange="-3 3"/><geom name="gb" size="0.1"/>
            <body name="c" pos="0 0 0.5"><joint name="jc" axis="0 1 0" actuatorfrcrange="-2 2"/><geom name="gc" size="0.1"/>
            </body></body></body></worldbody>
            <tendon><fixed name="t" range="-9 9" springlength="1 2"><joint joint="jb" coef="2"/><joint joint="jc" coef="3"/></fixed></tendon>
            <actuator><position name="pa" joint="ja" kp="5"/><position name="pb" joint="jb" kp="5"/>
            <position name="pt" tendon="t" kp="7"/></actuator>
            <equality><joint joint1="ja" joint2="jb" polycoef="0.1 0.5 0.3 0 0"/></equality>
            <contact><exclude body1="a" body2="c"/></contact>
            <keyframe><key name="home" qpos="0.1 0.2 0.3"/></keyframe></mujoco>"#;
        load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{e}"))
    }

    fn place(world: &World, q: &[f64], g: &Geometry) -> Pose {
        let mut kin = Kinematics::new(&world.model);
        kin.update(&world.model, q);
        let (body, X_BG) = world.mount(g.link, g.X_LG);
        body.map_or(X_BG, |b| kin.X_WB[b] * X_BG)
    }

    fn effort(world: &World, actuator: usize, control: f64, q: &[f64]) -> f64 {
        let a = &world.actuators[actuator];
        let length: f64 = a.transmission.iter().map(|&(dof, c)| c * q[dof]).sum();
        a.law.gain * control + a.law.bias + a.law.bias_length * length
    }

    #[test]
    fn everything_follows_the_links_and_dofs_that_are_left() {
        let world = arm();
        let q = [0.4, -0.7, 0.9];
        let locked = world.lock_joints(&q, &[1]).unwrap();
        let left = [q[0], q[2]];
        assert_eq!((locked.model.nv(), locked.geometries.len()), (2, 3));
        for (was, is) in world.geometries.iter().zip(&locked.geometries) {
            let (was, is) = (place(&world, &q, was), place(&locked, &left, is));
            assert!((was.translation - is.translation).norm() < 1e-14);
        }
        for actuator in [0, 2] {
            let (was, is) = (effort(&world, actuator, 0.3, &q), effort(&locked, actuator, 0.3, &left));
            assert!((was - is).abs() < 1e-14, "{was} is {is}");
        }
        assert!(locked.actuators[1].transmission.is_empty(), "it drives nothing any more");
        let met = |w: &World, q: &[f64]| {
            let along = |terms: &[(usize, f64)]| terms.iter().map(|&(dof, c)| c * q[dof]).sum::<f64>();
            let c = &w.couplings[0];
            let bend = c.curve.as_ref().map_or(0.0, |b| b.at(along(&b.terms) - b.reference).0);
            along(&c.terms) - c.offset - bend
        };
        let room = |w: &World, q: &[f64]| {
            let t = &w.tendons[0];
            let l: f64 = t.terms().iter().map(|&(dof, c)| c * q[dof]).sum();
            [t.limit.unwrap()[1] - l, t.stretch(l)]
        };
        for (was, is) in room(&world, &q).into_iter().zip(room(&locked, &left)) {
            assert!((was - is).abs() < 1e-14, "{was} is {is}");
        }
        assert!((met(&world, &q) - met(&locked, &left)).abs() < 1e-15);
        assert_eq!(locked.keyframes[0].q, [0.1, 0.3]);
        assert_eq!(locked.drive_limits[1].effort, Some([-2.0, 2.0]));
        assert_eq!(locked.excluded.len(), world.excluded.len());
        let same = |a: &Model, b: &Model| (a.nv(), a.bodies.len()) == (b.nv(), b.bodies.len());
        assert!(same(&world.lock_joints(&q, &[]).unwrap().model, &world.model));
        let still = world.lock_joints(&q, &[0, 1, 2]).unwrap();
        assert!(still.model.bodies.is_empty() && still.couplings.is_empty());
        assert!(still.collision().is_ok());
        assert!(world.lock_joints(&q, &[3]).unwrap_err().to_string().contains("joint 3"));
    }
}
