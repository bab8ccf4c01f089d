//! What is said of a joint before a model is built, and the canon of joints by name.
//!
//! A body owns a range of joints, applied in order, so that every lower pair and its usual
//! composites are ranges of hinges, slides, screws and balls, about any axes:
//!
//! ```text
//!     planar(n)          slide t₁, slide t₂, hinge n   (t₁, t₂) = n.tangents()     (1)
//!     universal(a, b)    hinge a, hinge b              also SDF's revolute2
//!     gimbal(a, b, c)    three hinges, such as Z Y X for yaw, pitch and roll
//!     cylindrical(a)     slide a, hinge a
//!     translation        slides x, y, z
//!     fixed              no joint: the link is welded to its parent and stays known as a frame
//! ```
//!
//! Axes are those of the body when all its joints are at reference; a later joint is carried by
//! the earlier ones. The tangents of (1) depend on n alone: x, y for n = z; y, z for x; for any
//! other n, t₁ is the coordinate axis least aligned with it (the first of equals), projected.

use crate::model::JointKind;
use crate::spatial::Vec3;

/// A joint about to be added to a link.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    pub name: String,
    pub kind: JointKind,
    /// In the link frame; made unit by the builder.
    pub axis: Vec3,
    /// In the link frame [m].
    pub anchor: Vec3,
    /// Travel per turning of a screw [m/rad]: positive is right-handed. Zero for the others.
    pub pitch: f64,
    /// q at which the body stands as its pose in the parent says.
    pub reference: f64,
    pub limit: Option<[f64; 2]>,
    pub stiffness: f64,
    pub spring_rest: f64,
    /// Added to the inertia of every dof [kg·m² or kg].
    pub armature: f64,
    /// Moment of inertia of the rotor that drives the joint, about its own axis [kg·m²].
    pub rotor_inertia: f64,
    /// Turns of the rotor per turn of the joint [–], or per travel of a slide [rad/m].
    pub gear_ratio: f64,
    pub damping: f64,
    pub friction: f64,
}

impl JointSpec {
    /// A joint at the link origin, without limit, spring, rotor or losses.
    pub fn new(name: impl Into<String>, kind: JointKind, axis: Vec3) -> Self {
        Self {
            name: name.into(),
            kind,
            axis,
            anchor: Vec3::ZERO,
            pitch: 0.0,
            reference: 0.0,
            limit: None,
            stiffness: 0.0,
            spring_rest: 0.0,
            armature: 0.0,
            rotor_inertia: 0.0,
            gear_ratio: 1.0,
            damping: 0.0,
            friction: 0.0,
        }
    }

    /// Rotation about `axis`; without a limit, SDF's and URDF's continuous joint.
    pub fn hinge(name: impl Into<String>, axis: Vec3) -> Self {
        Self::new(name, JointKind::Hinge, axis)
    }

    /// Translation along `axis`.
    pub fn slide(name: impl Into<String>, axis: Vec3) -> Self {
        Self::new(name, JointKind::Slide, axis)
    }

    /// A nut on a bolt: `pitch` metres along `axis` per radian about it; a thread of lead l per turn
    /// has pitch l/2π.
    pub fn screw(name: impl Into<String>, axis: Vec3, pitch: f64) -> Self {
        Self { pitch, ..Self::new(name, JointKind::Screw, axis) }
    }

    /// Rotation about the anchor in every direction.
    pub fn ball(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Ball, Vec3::Z)
    }

    /// Everything; for a link on the world.
    pub fn free(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Free, Vec3::Z)
    }

    /// (1): motion in the plane normal to `normal`, as `name_x`, `name_y` and `name_turn`.
    pub fn planar(name: &str, normal: Vec3) -> [Self; 3] {
        let (x, y) = normal.normalized().unwrap_or(Vec3::Z).tangents();
        [
            Self::slide(format!("{name}_x"), x),
            Self::slide(format!("{name}_y"), y),
            Self::hinge(format!("{name}_turn"), normal),
        ]
    }

    /// A cross of two hinges, `name_1` about `first`, which stands in the parent, and `name_2` about
    /// `second`, which the first turns.
    #[doc(alias = "revolute2")]
    pub fn universal(name: &str, first: Vec3, second: Vec3) -> [Self; 2] {
        [Self::hinge(format!("{name}_1"), first), Self::hinge(format!("{name}_2"), second)]
    }

    /// Three hinges through one point, `name_1` to `name_3`.
    #[doc(alias = "euler")]
    pub fn gimbal(name: &str, axes: [Vec3; 3]) -> [Self; 3] {
        let mut number = 0;
        axes.map(|axis| {
            number += 1;
            Self::hinge(format!("{name}_{number}"), axis)
        })
    }

    /// Translation along `axis`, `name_slide`, and rotation about it, `name_turn`.
    pub fn cylindrical(name: &str, axis: Vec3) -> [Self; 2] {
        [Self::slide(format!("{name}_slide"), axis), Self::hinge(format!("{name}_turn"), axis)]
    }

    /// Translation along x, y and z of the link: `name_x`, `name_y`, `name_z`.
    pub fn translation(name: &str) -> [Self; 3] {
        [("x", Vec3::X), ("y", Vec3::Y), ("z", Vec3::Z)]
            .map(|(letter, axis)| Self::slide(format!("{name}_{letter}"), axis))
    }

    /// A copy with its axis through `anchor` [m].
    pub fn at(self, anchor: Vec3) -> Self {
        Self { anchor, ..self }
    }

    /// A copy driven by a rotor of `inertia` [kg·m²] about its axis through gears of `ratio`.
    ///
    /// Every dof of the joint gets ratio² · inertia. Nothing else of the rotor is known to the dynamics,
    /// as in MuJoCo's armature and Pinocchio's rotorInertia · rotorGearRatio²: neglected are its reaction
    /// on the link that carries it, inertia · ratio · v̇, and its gyroscopic moment there,
    /// inertia · ratio · v ω, smaller than what is kept by about 1/ratio.
    pub fn with_rotor(self, inertia: f64, ratio: f64) -> Self {
        Self { rotor_inertia: inertia, gear_ratio: ratio, ..self }
    }

    /// Inertia of the rotor as seen at the joint [kg·m² or kg].
    pub(crate) fn reflected_inertia(&self) -> f64 {
        self.gear_ratio * self.gear_ratio * self.rotor_inertia
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Inertia, Pose, vec3};
    use crate::testing::*;
    use crate::{AbaWorkspace, Model, ModelBuilder, ModelError, aba_into, kinetic_energy, potential_energy};

    /// An arm on a turning, tilted base, carrying a hand; all its joints on one body, or each on a
    /// massless body of its own.
    fn arm(joints: &[JointSpec], chained: bool) -> Model {
        let (mut d, mut b) = (Dice::new(7), ModelBuilder::new());
        let base = b.link("base", None, d.pose(), d.inertia());
        b.joint(base, JointSpec::hinge("base", vec3(0.2, -0.3, 1.0)).at(d.vec3()));
        let (mut parent, mut X_PL, inertia) = (base, d.pose(), d.inertia());
        let mut arm = None;
        for (k, joint) in joints.iter().enumerate() {
            let last = k + 1 == joints.len();
            if chained || arm.is_none() {
                let inertia = if last || !chained { inertia } else { Inertia::ZERO };
                parent = b.link(format!("arm{k}"), Some(parent), X_PL, inertia);
                (arm, X_PL) = (Some(parent), Pose::IDENTITY);
            }
            b.joint(parent, joint.clone());
        }
        let hand = b.link("hand", arm, d.pose(), d.inertia());
        b.joint(hand, JointSpec::hinge("wrist", d.vec3()));
        b.build(GRAVITY).unwrap()
    }

    fn canon() -> Vec<Vec<JointSpec>> {
        let (a, b, c) = (vec3(0.3, -0.8, 0.5), vec3(1.0, 0.2, -0.1), vec3(0.1, 0.5, 0.9));
        vec![
            JointSpec::planar("planar", a).to_vec(),
            JointSpec::universal("universal", a, b).map(|j| j.at(c)).to_vec(),
            JointSpec::gimbal("gimbal", [a, b, c]).to_vec(),
            JointSpec::cylindrical("cylindrical", a).map(|j| j.at(c)).to_vec(),
            JointSpec::translation("translation").to_vec(),
            vec![
                JointSpec::ball("ball").at(b),
                JointSpec::slide("reach", a),
                JointSpec::screw("screw", c, 0.2),
            ],
            vec![JointSpec::screw("one", a, -0.4).at(b), JointSpec::screw("other", b, 0.1).at(c)],
        ]
    }

    /// Poses, bias, M, forward dynamics and energies of every composite are those of the chain.
    #[test]
    fn composites_are_chains_of_bodies() {
        for (n, joints) in canon().iter().enumerate() {
            let (one, many) = (arm(joints, false), arm(joints, true));
            let (q, v) = random_state(&one, n as u64);
            let ((kin, vel), (kin2, vel2)) = (at(&one, &q, &v), at(&many, &q, &v));
            let (hand, hand2) = (kin.X_WB[2], kin2.X_WB[many.bodies.len() - 1]);
            assert!((hand.translation - hand2.translation).norm() < 1e-14, "{}", joints[0].name);
            assert_close(&bias(&one, &kin, &vel), &bias(&many, &kin2, &vel2), 1e-13);
            let M = mass_matrix(&one, &kin).to_dense();
            assert_close(&M, &mass_matrix(&many, &kin2).to_dense(), 1e-13);
            let aba = |model, kin, vel| {
                let mut a = vec![0.0; one.nv()];
                aba_into(model, kin, vel, &v, &mut AbaWorkspace::new(model), &mut a);
                a
            };
            assert_close(&aba(&one, &kin, &vel), &aba(&many, &kin2, &vel2), 1e-11);
            let energies =
                |model, kin, vel| [kinetic_energy(model, kin, vel, &v), potential_energy(model, kin)];
            assert_close(&energies(&one, &kin, &vel), &energies(&many, &kin2, &vel2), 1e-13);
        }
    }

    /// A nut of 2 kg and 0.01 kg·m² on a bolt of pitch 5 mm/rad, axis up, eccentric by 0.1 m:
    /// T = ½ (I + m r² + m p²) q̇², U = m g p q.
    #[test]
    fn nut_on_a_bolt() {
        let mut b = ModelBuilder::new();
        let about_com = crate::spatial::Sym3::diagonal(0.02, 0.02, 0.01);
        let nut = b.link("nut", None, Pose::IDENTITY, Inertia::new(2.0, vec3(0.1, 0.0, 0.0), about_com));
        b.joint(nut, JointSpec::screw("thread", Vec3::Z * 3.0, 0.005).with_rotor(1e-5, 50.0));
        let model = b.build(GRAVITY).unwrap();
        let (kin, vel) = at(&model, &[20.0], &[3.0]);
        assert!((kin.X_WB[0].translation - vec3(0.0, 0.0, 0.1)).norm() < 1e-15);
        let inertia = 0.01 + 2.0 * 0.1 * 0.1 + 2.0 * 0.005 * 0.005 + 50.0 * 50.0 * 1e-5;
        assert_close(&mass_matrix(&model, &kin).to_dense(), &[inertia], 1e-15);
        assert_close(&bias(&model, &kin, &vel), &[2.0 * 9.81 * 0.005], 1e-15);
        assert_close(&[kinetic_energy(&model, &kin, &vel, &[3.0])], &[4.5 * inertia], 1e-15);
        assert_close(&[potential_energy(&model, &kin)], &[2.0 * 9.81 * 0.1], 1e-15);
    }

    /// Without pitch a screw is a hinge, to the bit.
    #[test]
    fn a_screw_without_pitch_is_a_hinge() {
        let of = |kind| arm(&[JointSpec::new("joint", kind, vec3(0.3, 0.4, -1.0)).at(Vec3::X)], false);
        let (hinge, screw) = (of(JointKind::Hinge), of(JointKind::Screw));
        let (q, v) = random_state(&hinge, 3);
        let ((kin, vel), (kin2, vel2)) = (at(&hinge, &q, &v), at(&screw, &q, &v));
        assert_eq!(kin.X_WB, kin2.X_WB);
        assert_eq!(bias(&hinge, &kin, &vel), bias(&screw, &kin2, &vel2));
    }

    #[test]
    fn absurd_joints_are_refused_by_name() {
        let refused = |joint: JointSpec| {
            let mut b = ModelBuilder::new();
            let link = b.link("link", None, Pose::IDENTITY, Dice::new(1).inertia());
            b.joint(link, joint);
            match b.build(GRAVITY) {
                Err(ModelError::Value { element, what, .. }) => format!("{element}: {what}"),
                other => format!("{other:?}"),
            }
        };
        let hinge = || JointSpec::hinge("j", Vec3::Z);
        assert_eq!(refused(JointSpec::screw("j", Vec3::Z, f64::NAN)), "joint `j`: pitch");
        assert_eq!(refused(JointSpec { pitch: 0.1, ..hinge() }), "joint `j`: pitch");
        for axis in [Vec3::ZERO, vec3(f64::NAN, 0.0, 1.0), vec3(f64::INFINITY, 0.0, 0.0)] {
            assert_eq!(refused(JointSpec::hinge("j", axis)), "joint `j`: axis");
        }
        assert_eq!(refused(hinge().with_rotor(-1.0, 1.0)), "joint `j`: rotor inertia");
        assert!(refused(hinge().with_rotor(1.0, f64::INFINITY)).contains("gear ratio"));
        assert!(refused(hinge().at(vec3(0.0, f64::NAN, 0.0))).contains("anchor"));
        let [.., turn] = JointSpec::planar("p", Vec3::ZERO);
        assert_eq!(refused(turn), "joint `p_turn`: axis");
    }
}
