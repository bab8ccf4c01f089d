//! Efforts of actuators, springs and dampers at the end of a step, with the derivatives that Newton's method needs.
//!
//! ```text
//!     actuator   e = gain u + bias + b_l l⁺ + b_v l̇⁺ within its limit,   l⁺ = cᵀ q⁺,  l̇⁺ = cᵀ ν       (1)
//!     spring     −k (q⁺ − q₀), of a ball −k r, r its rotation vector                                 (2)
//!     damper     −d ν                                                                                (3)
//! ```
//!
//! A servo is then the stable PD controller [Tan2011]: it pulls towards its target from where the step ends, −k_p (q⁺ − u) −
//! k_d ν, and u is the target at that time. At its limit its derivatives vanish. Units: N, N·m.

use crate::end_of_step::right_jacobian_inverse;
use stiction_assembly::forces::actuators;
use stiction_assembly::forces::tendons::length_and_rate;
use stiction_assembly::laws::spring::{held_damper, held_spring};
use stiction_dynamics::spatial::Mat3;
use stiction_dynamics::{Dual, Model};
use stiction_world::World;

/// Efforts on the joints of a world.
#[derive(Clone, Debug)]
pub struct Efforts {
    /// Index into q of every dof; of scalar joints alone it counts.
    q_of_dof: Vec<usize>,
    /// Per actuator: effort at the trial velocity that was looked at last [N or N·m].
    pub exerted: Vec<f64>,
    /// True if some actuator acts on dofs that are not on one branch: derivatives are then not tree-sparse.
    pub across_branches: bool,
}

impl Efforts {
    /// Lists the actuators, springs and dampers of `world`.
    pub fn new(world: &World) -> Self {
        let model = &world.model;
        let on_branch = |i: usize, j: usize| {
            let mut chain = std::iter::successors(Some(i.max(j)), |&d| model.dofs[d].parent);
            chain.any(|d| d == i.min(j))
        };
        let across = |a: &stiction_world::Actuator| {
            let dofs = a.transmission.iter().map(|t| t.0);
            dofs.clone().any(|i| dofs.clone().any(|j| !on_branch(i, j)))
        };
        Self {
            q_of_dof: actuators::q_of_dofs(world),
            exerted: vec![0.0; world.actuators.len()],
            across_branches: world.actuators.iter().any(across),
        }
    }

    /// Subtracts the efforts from `g`, and their derivatives from `by_q` and `by_v`, nv×nv by rows.
    pub fn subtract(
        &mut self,
        world: &World,
        q: &[f64],
        nu: &[f64],
        control: &[f64],
        g: &mut [f64],
        [by_q, by_v]: [&mut [f64]; 2],
    ) {
        let model = &world.model;
        let nv = model.nv();
        for (k, a) in world.actuators.iter().enumerate() {
            let (length, rate) = length_and_rate(&a.transmission, q, nu, &self.q_of_dof);
            let law = actuators::law(a);
            let effort = actuators::effort_and_slopes(&law, control[k], length, rate);
            let Dual { value: effort, tangent: [by_length, by_rate, _] } = law.cast(effort).limited(effort); // (1)
            self.exerted[k] = effort;
            for &(i, c_i) in &a.transmission {
                g[i] -= c_i * effort;
                for &(j, c_j) in &a.transmission {
                    by_q[i * nv + j] -= c_i * c_j * by_length;
                    by_v[i * nv + j] -= c_i * c_j * by_rate;
                }
            }
        }
        for (i, dof) in model.dofs.iter().enumerate() {
            g[i] -= held_damper(dof.damping, nu[i]); // (3)
            by_v[i * nv + i] += dof.damping;
        }
        springs(model, q, g, by_q);
    }
}

/// Subtracts the efforts of springs and adds their derivatives: (2).
fn springs(model: &Model, q: &[f64], g: &mut [f64], by_q: &mut [f64]) {
    let nv = model.nv();
    for (_, joint) in model.springs() {
        let (i, k, n) = (joint.idx_v, joint.stiffness, joint.kind.nv());
        let stretch = joint.spring_stretch(&q[joint.idx_q..]);
        let slope = if n == 1 { Mat3::IDENTITY } else { right_jacobian_inverse(stretch.into()) };
        for a in 0..n {
            g[i + a] -= held_spring(k, stretch[a]);
            (0..n).for_each(|b| by_q[(i + a) * nv + i + b] += k * slope.rows[a][b]);
        }
    }
}
