//! Energy, centre of mass and momentum of the moving bodies.
//!
//! ```text
//!     T = ½ Σ_b V_b · I_b V_b + ½ Σ_i armature_i v_i²                   (1)
//!     U = −Σ_b m_b gravity · p_b,   zero height at the world origin     (2)
//!     h_O = Σ_b I_b V_b,   h_com = h_O − (p_com − O) × p                (3)
//! ```
//!
//! Links fixed to the world do not move and are left out, as Pinocchio does; MuJoCo's potential
//! energy is U plus [`Model::fixed_potential_energy`] plus [`spring_energy`]. Armature belongs to
//! rotors whose axes are not modelled: it counts in T but not in the momentum.

use crate::kinematics::Kinematics;
use crate::model::{JointKind, Model};
use crate::real::Real;
use crate::spatial::{Force, Vec3};
use crate::velocity::Velocities;

/// Momentum of all moving bodies, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Momentum<T = f64> {
    /// Linear momentum [kg·m/s].
    pub linear: Vec3<T>,
    /// About the centre of mass [kg·m²/s].
    pub angular: Vec3<T>,
}

impl Model<f64> {
    /// Sum of the masses of all links [kg], those fixed to the world included.
    pub fn total_mass(&self) -> f64 {
        self.links.iter().map(|l| l.inertia.mass).sum()
    }

    /// Potential energy of the links fixed to the world [J], a constant.
    pub fn fixed_potential_energy(&self) -> f64 {
        (self.links.iter().filter(|l| l.body.is_none()))
            .map(|l| -l.inertia.mass * self.gravity.dot(l.X_BL.transform(l.inertia.com())))
            .sum()
    }
}

/// (1) = ½ vᵀ M v [J].
#[inline(always)]
pub fn kinetic_energy<T: Real>(model: &Model<T>, kin: &Kinematics<T>, vel: &Velocities<T>, v: &[T]) -> T {
    let mut twice = model.kind();
    for (I, V) in kin.I.iter().zip(&vel.V) {
        twice += V.dot(*I * *V);
    }
    for (dof, v) in model.dofs.iter().zip(v) {
        twice += dof.armature * *v * *v;
    }
    twice * twice.like(0.5)
}

/// (2) [J].
#[inline(always)]
pub fn potential_energy<T: Real>(model: &Model<T>, kin: &Kinematics<T>) -> T {
    -model.gravity.dot(mass_moment(kin, model.kind()).1)
}

/// Energy of the joint springs, ½ k (q − q_rest)², of a ball ½ k angle² [J].
pub fn spring_energy(model: &Model, q: &[f64]) -> f64 {
    let mut energy = 0.0;
    for joint in &model.joints {
        let q = &q[joint.idx_q..];
        let stretch = match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => q[0] - joint.spring_rest,
            JointKind::Ball => crate::spatial::Quat::new(q[0], q[1], q[2], q[3]).renormalized().log().norm(),
            JointKind::Free => 0.0,
        };
        energy += 0.5 * joint.stiffness * stretch * stretch;
    }
    energy
}

/// Centre of mass of the moving bodies in W [m]; NaN when they have no mass.
#[inline(always)]
pub fn centre_of_mass<T: Real>(model: &Model<T>, kin: &Kinematics<T>) -> Vec3<T> {
    let (mass, moment) = mass_moment(kin, model.kind());
    moment * (mass.one() / mass)
}

/// (3), of all trees together.
#[inline(always)]
pub fn momentum<T: Real>(model: &Model<T>, kin: &Kinematics<T>, vel: &Velocities<T>) -> Momentum<T> {
    let com = centre_of_mass(model, kin);
    let zero = Vec3::zero(model.kind());
    let mut sum = Momentum { linear: zero, angular: zero };
    for (b, (I, V)) in kin.I.iter().zip(&vel.V).enumerate() {
        let h: Force<T> = *I * *V;
        let r = kin.reference[kin.topology.tree[b]] - com;
        sum.linear += h.linear;
        sum.angular += h.angular + r.cross(h.linear);
    }
    sum
}

/// Σ m and Σ m p.
#[inline(always)]
pub(crate) fn mass_moment<T: Real>(kin: &Kinematics<T>, kind: T) -> (T, Vec3<T>) {
    let (mut mass, mut moment) = (kind.zero(), Vec3::zero(kind));
    for (b, I) in kin.I.iter().enumerate() {
        mass += I.mass;
        moment += I.first + kin.reference[kin.topology.tree[b]] * I.mass;
    }
    (mass, moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn momentum_moves_the_centre_of_mass() {
        let (model, h) = (random_trees(50, 16), 1e-6);
        let (q, v) = random_state(&model, 50);
        let (kin, vel) = at(&model, &q, &v);
        let com = |h: f64| centre_of_mass(&model, &at(&model, &moved(&model, &q, &v, h), &v).0);
        let rate = (com(h) - com(-h)) * (0.5 / h);
        let p = momentum(&model, &kin, &vel).linear;
        assert!((rate * model.moving_mass() - p).norm() < 1e-7);
    }

    /// Σ (R I_com Rᵀ ω + m (c − c_all) × ċ), body by body.
    #[test]
    fn angular_momentum_is_about_the_centre_of_mass() {
        let model = random_trees(51, 16);
        let (q, v) = random_state(&model, 51);
        let (kin, vel) = at(&model, &q, &v);
        let com = centre_of_mass(&model, &kin);
        let mut L = Vec3::ZERO;
        for (b, body) in model.bodies.iter().enumerate() {
            let (I, V) = (body.inertia, com_motion(&model, &kin, &vel, b));
            let c = kin.X_WB[b].transform(I.com());
            L += I.about_com().rotated(&kin.R_WB[b]) * V.angular + (c - com).cross(V.linear * I.mass);
        }
        assert!((L - momentum(&model, &kin, &vel).angular).norm() < 1e-12);
    }

    /// A 3 kg stand with its centre of mass 2 m up counts in the total only.
    #[test]
    fn fixed_links_count_on_request() {
        let mut b = crate::ModelBuilder::new();
        let at = |z| crate::spatial::Pose::from_translation(Vec3::Z * z);
        let inertia =
            |m| crate::spatial::Inertia::new(m, Vec3::Z, crate::spatial::Sym3::diagonal(1.0, 1.0, 1.0));
        let stand = b.link("stand", None, at(1.0), inertia(3.0));
        let arm = b.link("arm", Some(stand), at(1.0), inertia(2.0));
        b.joint(arm, crate::JointSpec::new("hinge", JointKind::Hinge, Vec3::Y));
        let model = b.build(GRAVITY).unwrap();
        let (kin, _) = at_rest(&model);
        assert_close(&[model.total_mass(), model.moving_mass()], &[5.0, 2.0], 1e-15);
        assert_close(&[model.fixed_potential_energy()], &[3.0 * 9.81 * 2.0], 1e-15);
        assert_close(&[potential_energy(&model, &kin)], &[2.0 * 9.81 * 3.0], 1e-15);
        assert!((centre_of_mass(&model, &kin) - Vec3::Z * 3.0).norm() < 1e-15);
    }

    #[test]
    fn pendulum_energies() {
        let model = pendulum(2.0, 0.5);
        let (kin, vel) = at(&model, &[0.7], &[3.0]);
        assert_close(&[kinetic_energy(&model, &kin, &vel, &[3.0])], &[0.5 * 0.5 * 9.0], 1e-15);
        assert_close(&[potential_energy(&model, &kin)], &[-2.0 * 9.81 * 0.5 * 0.7_f64.cos()], 1e-15);
    }
}
