//! The contact points and forces at a step of an NMDP stepper, for the problem of the judge
//! ([`crate::stepping::canon::judged`]).
//!
//! J and M are taken where the stepper took its forces: at q⁺, of `ne-mdp` at q; gaps are those at the start
//! of the step; λ is what contacts, stops and dry friction gave over the whole step. A sole is one point, at
//! its centre of pressure; what it resists of spinning is no part of λ, and stays in v_f. c = J v⁺ is then
//! what the step ended with, and the certificate says how far λ and c are from Signorini's and Coulomb's law.
//! It need not be near: sets that are not saturated push bodies off that slide, and all of them let bodies
//! overlap.

use crate::stepping::canon::judged::JointForce;
use stiction_assembly::row_key::DryFrictionRow;
use stiction_assembly::row_key::LimitRow;
use stiction_assembly::{ContactPoint, Face, RowKey};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Vec3;
use stiction_nmdp::sites::Resistance;
use stiction_nmdp::{ContactSite, Nmdp};
use stiction_world::World;

/// Impulses of the last step on bodies and joints.
pub(super) struct Impulses {
    sites: Vec<ContactSite>,
    /// Impulse on B of every contact point, in W [N·s].
    pub(super) contacts: Vec<Vec3>,
    pub(super) joints: Vec<JointForce>,
    start: Kinematics,
}

impl Impulses {
    pub(super) fn new(world: &World, sites: Vec<ContactSite>) -> Self {
        let start = Kinematics::new(&world.model);
        Self { sites, contacts: Vec::new(), joints: Vec::new(), start }
    }

    /// Finds the impulses of a step from q, and the `points` of sites that exerted any, or were nearer to the
    /// plane than `margin` at the start.
    pub(super) fn find(
        &mut self,
        world: &World,
        nmdp: &Nmdp,
        q: &[f64],
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        self.start.update(&world.model, q);
        points.clear();
        self.contacts.clear();
        let kin = nmdp.kinematics();
        for (site, impulse) in self.sites.iter().zip(nmdp.impulses()) {
            let reach = |kin: &Kinematics| match &site.sole {
                Some(sole) => sole.reach(&kin.R_WB[site.body], site.ground.normal),
                None => site.radius,
            };
            let centre = self.start.X_WB[site.body].transform(site.p_BS);
            let gap = site.ground.gap(centre, reach(&self.start));
            if impulse.linear == Vec3::ZERO && gap > margin {
                continue;
            }
            let normal = site.ground.normal;
            let (t1, t2) = normal.tangents();
            let mut p = kin.X_WB[site.body].transform(site.p_BS) - normal * site.radius;
            let pressure = normal.dot(impulse.linear);
            if site.sole.is_some() && pressure > 0.0 {
                p += normal.cross(impulse.angular) * (1.0 / pressure);
            }
            // A is the geometry of the lower index.
            let plane_first = site.plane < site.geometry;
            let sign = if plane_first { 1.0 } else { -1.0 };
            let (mut geometries, mut bodies) = ([site.plane, site.geometry], [None, Some(site.body)]);
            if !plane_first {
                geometries.reverse();
                bodies.reverse();
            }
            points.push(ContactPoint {
                geometries,
                bodies,
                feature: site.feature,
                position: p,
                t1,
                t2: t2 * sign,
                n: normal * sign,
                gap,
                face: Face::of_one(gap),
                friction: site.friction,
                restitution: 0.0,
                bounce_depth: 0.0,
                stretch: [1.0; 2],
                turning: [0.0; 3],
                spring: None,
                patch: None,
                static_friction: None,
                redundant: false,
            });
            self.contacts.push(impulse.linear * sign);
        }
        self.joints.clear();
        for (site, &impulse) in nmdp.sites().dofs.iter().zip(nmdp.dof_impulses()) {
            let (key, sign) = match site.resistance {
                Resistance::Stop { end, .. } => {
                    (RowKey::Limit(LimitRow { joint: end.joint, side: end.side }), end.sign)
                }
                Resistance::DryFriction { .. } => {
                    (RowKey::DryFriction(DryFrictionRow { dof: site.dof }), 1.0)
                }
            };
            self.joints.push(JointForce { key, dof: site.dof, sign, force: sign * impulse });
        }
    }
}
