//! Weight that is carried by something not modelled: MJCF `gravcomp`.
//!
//! ```text
//!     τ += J_WCᵀ f,   f = −share · m · gravity at the centre of mass C of a link                 (1)
//! ```

use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_world::World;

/// One link's part of (1).
struct Carried {
    body: usize,
    /// C in the body [m].
    p_BC: Vec3,
    /// f in W [N].
    force: Vec3,
}

/// All links of which weight is carried.
pub struct GravityCompensation(Vec<Carried>);

impl GravityCompensation {
    pub fn new(world: &World) -> Self {
        let of_link = |&(l, share): &(usize, f64)| {
            let inertia = &world.model.links[l].inertia;
            let (body, X_BL) = world.mount(Some(l), Pose::IDENTITY);
            let force = world.model.gravity * (-share * inertia.mass);
            let p_BC = X_BL.transform(inertia.com());
            body.filter(|_| inertia.mass > 0.0).map(|body| Carried { body, p_BC, force })
        };
        Self(world.gravity_compensation.iter().filter_map(of_link).collect())
    }

    /// Body, C in W [m] and f [N] of every link of which weight is carried.
    pub fn forces<'a>(&'a self, kin: &'a Kinematics) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        self.0.iter().map(|c| (c.body, kin.X_WB[c.body].transform(c.p_BC), c.force))
    }

    /// (1)
    pub fn add(&self, world: &World, kin: &Kinematics, tau: &mut [f64]) {
        let model = &world.model;
        for Carried { body, p_BC, force } in &self.0 {
            let arm = kin.X_WB[*body].transform(*p_BC) - kin.reference[model.bodies[*body].tree];
            let last = model.bodies[*body].dofs.clone().next_back();
            for dof in std::iter::successors(last, |&d| model.dofs[d].parent) {
                tau[dof] += kin.S[dof].linear_at(arm).dot(*force);
            }
        }
    }
}
