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
