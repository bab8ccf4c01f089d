//! Edits are checked by what mechanics says must not change.

use super::*;
use crate::spatial::{Inertia, Motion, Vec3};
use crate::testing::*;
use crate::{AbaWorkspace, JointSpec, ModelBuilder, aba_into, frame_classical_acceleration};
use crate::{kinetic_energy, momentum, potential_energy};

fn aba(model: &Model, kin: &Kinematics, vel: &Velocities, tau: &[f64]) -> Vec<f64> {
    let mut a = vec![0.0; model.nv()];
    aba_into(model, kin, vel, tau, &mut AbaWorkspace::new(model), &mut a);
    a
}

fn near(a: Motion, b: Motion, tolerance: f64) -> bool {
    let scale = 1.0 + b.angular.norm() + b.linear.norm();
    (a - b).angular.norm() + (a - b).linear.norm() < tolerance * scale
}

fn near_pose(a: Pose, b: Pose) -> bool {
    let turn = (a.rotation.conjugate() * b.rotation).log();
    (a.translation - b.translation).norm() + turn.norm() < 1e-12
}

/// Dofs of the old model that are still there, with their place in the new.
fn kept_dofs(old: &Model, edited: &Edited) -> Vec<(usize, usize)> {
    let pairs = old.joints.iter().zip(&edited.joints);
    let both = pairs.filter_map(|(was, now)| now.map(|now| (was, &edited.model.joints[now])));
    both.flat_map(|(was, now)| (0..was.kind.nv()).map(|k| (was.idx_v + k, now.idx_v + k))).collect()
}

/// M is the block of the old M; bias its rows while the locked joints rest; frames stay in place;
/// the bodies' poses are as the map says.
#[test]
fn locked_joints_leave_a_block_of_the_mass_matrix() {
    for seed in 100..106 {
        let model = random_trees(seed, 22);
        let mut dice = Dice::new(seed);
        let locked: Vec<usize> = (0..model.joints.len()).filter(|_| dice.roll() > 0.4).collect();
        let (q, mut v) = random_state(&model, seed);
        for &j in &locked {
            let joint = &model.joints[j];
            v[joint.idx_v..joint.idx_v + joint.kind.nv()].fill(0.0);
        }
        let edited = lock_joints(&model, &q, &locked).unwrap();
        let (q_new, v_new) = edited.carry_state(&model, &q, &v);
        let ((kin, vel), (kin_new, vel_new)) = (at(&model, &q, &v), at(&edited.model, &q_new, &v_new));
        let kept = kept_dofs(&model, &edited);
        assert_eq!(kept.len(), edited.model.nv(), "nothing is there that was not");
        assert!(!locked.is_empty() && !kept.is_empty());

        let (n, n_new) = (model.nv(), edited.model.nv());
        let M = mass_matrix(&model, &kin).to_dense();
        let M_new = mass_matrix(&edited.model, &kin_new).to_dense();
        let (h, h_new) = (bias(&model, &kin, &vel), bias(&edited.model, &kin_new, &vel_new));
        for &(i, i_new) in &kept {
            assert_close(&[h_new[i_new]], &[h[i]], 1e-12);
            for &(j, j_new) in &kept {
                assert_close(&[M_new[i_new * n_new + j_new]], &[M[i * n + j]], 1e-12);
            }
        }
        for (l, now) in edited.links.iter().enumerate() {
            let X = frame_pose(&edited.model, &kin_new, now.unwrap());
            assert!(near_pose(X, frame_pose(&model, &kin, l)), "{}", model.links[l].name);
        }
        for (b, now) in edited.bodies.iter().enumerate() {
            let (carrier, X) = now.unwrap();
            let X = carrier.map_or(X, |c| kin_new.X_WB[c] * X);
            assert!(near_pose(X, kin.X_WB[b]), "{}", model.bodies[b].name);
        }
    }
}

/// A joint locked behind a ball of the same link leaves the ball's coordinates alone.
#[test]
fn a_joint_behind_a_ball_can_be_locked() {
    let (mut d, mut b) = (Dice::new(110), ModelBuilder::new());
    let arm = b.link("arm", None, d.pose(), d.inertia());
    b.joint(arm, JointSpec::ball("shoulder").at(d.vec3()));
    b.joint(arm, JointSpec::hinge("twist", d.vec3()).at(d.vec3()));
    b.joint(arm, JointSpec::screw("reach", d.vec3(), 0.3).at(d.vec3()));
    let hand = b.link("hand", Some(arm), d.pose(), d.inertia());
    b.joint(hand, JointSpec::hinge("wrist", d.vec3()));
    let model = b.build(GRAVITY).unwrap();
    let (q, mut v) = random_state(&model, 110);
    for locked in [vec![1], vec![2], vec![1, 2], vec![0], vec![0, 2]] {
        let edited = lock_joints(&model, &q, &locked).unwrap();
        locked.iter().for_each(|j| v[model.joints[*j].idx_v..][..model.joints[*j].kind.nv()].fill(0.0));
        let (q_new, v_new) = edited.carry_state(&model, &q, &v);
        let ((kin, vel), (kin_new, vel_new)) = (at(&model, &q, &v), at(&edited.model, &q_new, &v_new));
        let (h, h_new) = (bias(&model, &kin, &vel), bias(&edited.model, &kin_new, &vel_new));
        for (i, i_new) in kept_dofs(&model, &edited) {
            assert_close(&[h_new[i_new]], &[h[i]], 1e-12);
        }
        v = random_state(&model, 110).1;
    }
}

/// A walker: a floating trunk, a frame, and limbs of every kind of joint; a welded tool.
fn walker() -> Model {
    let (mut d, mut b) = (Dice::new(120), ModelBuilder::new());
    let trunk = b.link("trunk", None, Pose::IDENTITY, d.inertia());
    b.joint(trunk, JointSpec::free("base"));
    let shoulder = b.link("shoulder", Some(trunk), d.pose(), d.inertia());
    b.joint(shoulder, JointSpec::ball("shoulder").at(d.vec3()));
    b.joint(shoulder, JointSpec::slide("pull", d.vec3()));
    let mount = b.link("mount", Some(shoulder), d.pose(), d.inertia());
    let arm = b.link("arm", Some(mount), d.pose(), d.inertia());
    let spec = JointSpec { reference: 0.4, armature: 0.1, ..JointSpec::hinge("elbow", d.vec3()) };
    b.joints(arm, [spec.at(d.vec3()), JointSpec::screw("thread", d.vec3(), -0.2).at(d.vec3())]);
    b.link("camera", Some(arm), d.pose(), Inertia::ZERO);
    let hand = b.link("hand", Some(arm), d.pose(), d.inertia());
    b.joints(hand, JointSpec::universal("wrist", d.vec3(), d.vec3()));
    let leg = b.link("leg", Some(trunk), d.pose(), d.inertia());
    b.joint(leg, JointSpec::hinge("hip", d.vec3()));
    let other = b.link("other", None, d.pose(), d.inertia());
    b.joint(other, JointSpec::hinge("other", d.vec3()));
    b.build(vec3(0.3, -0.2, -9.81)).unwrap()
}

fn floating(joint: &str) -> Base {
    Base::Floating { joint: joint.into(), X_WL: Pose::IDENTITY }
}

/// An edited model in the corresponding state has the energies and momenta of the original, and under the same
/// efforts
/// the same accelerations of all links.
#[test]
fn a_floating_tree_does_not_know_its_root() {
    let model = walker();
    let (q, v) = random_state(&model, 121);
    let (kin, vel) = at(&model, &q, &v);
    let tau: Vec<f64> = (model.dofs.iter())
        .map(|d| if model.joints[d.joint].kind.is_scalar() { 1.0 + d.joint as f64 } else { 0.0 })
        .collect();
    let a = aba(&model, &kin, &vel, &tau);
    for name in ["hand", "camera", "mount", "leg", "trunk"] {
        let edited = reroot(&model, model.link_named(name).unwrap(), floating("root")).unwrap();
        let new = &edited.model;
        assert_eq!((new.nv(), new.links.len()), (model.nv(), model.links.len()));
        let (q_new, v_new) = edited.carry_state(&model, &q, &v);
        let (kin_new, vel_new) = at(new, &q_new, &v_new);
        let energy = |m, k, w, v| [kinetic_energy(m, k, w, v), potential_energy(m, k)];
        assert_close(
            &energy(new, &kin_new, &vel_new, &v_new[..]),
            &energy(&model, &kin, &vel, &v[..]),
            1e-12,
        );
        let (h, h_new) = (momentum(&model, &kin, &vel), momentum(new, &kin_new, &vel_new));
        assert!((h.linear - h_new.linear).norm() + (h.angular - h_new.angular).norm() < 1e-11);
        let mut tau_new = vec![0.0; new.nv()];
        for (i, i_new) in kept_dofs(&model, &edited) {
            tau_new[i_new] = tau[i];
        }
        let a_new = aba(new, &kin_new, &vel_new, &tau_new);
        for (l, now) in edited.links.iter().enumerate() {
            let now = now.unwrap();
            assert!(near_pose(frame_pose(new, &kin_new, now), frame_pose(&model, &kin, l)), "{name}");
            let acceleration = |m, k, w, a, l| frame_classical_acceleration(m, k, w, a, l, Axes::Aligned);
            let was = acceleration(&model, &kin, &vel, &a[..], l);
            let is = acceleration(new, &kin_new, &vel_new, &a_new[..], now);
            assert!(near(is, was, 1e-10), "{name}: {}: {is:?} was {was:?}", model.links[l].name);
        }
    }
}

/// Re-rooted at the hand and back at the trunk: the same joints, in the same state.
#[test]
fn rerooting_back_gives_the_model_back() {
    let model = walker();
    let away = reroot(&model, model.link_named("hand").unwrap(), floating("away")).unwrap();
    let back = reroot(&away.model, away.links[0].unwrap(), floating("base")).unwrap();
    let (q, v) = random_state(&model, 122);
    let (q1, v1) = away.carry_state(&model, &q, &v);
    let (mut q2, v2) = back.carry_state(&away.model, &q1, &v1);
    crate::normalize(&back.model, &mut q2);
    for joint in &model.joints {
        let now = &back.model.joints[back.model.joint_named(&joint.name).unwrap()];
        assert!((now.axis - joint.axis).norm() + (now.anchor - joint.anchor).norm() < 1e-13);
        let (nq, nv) = (joint.kind.nq(), joint.kind.nv());
        let (is, was) = (&mut q2[now.idx_q..][..nq], &q[joint.idx_q..][..nq]);
        if nq >= 4 && dot(&is[nq - 4..], &was[nq - 4..]) < 0.0 {
            is[nq - 4..].iter_mut().for_each(|x| *x = -*x); // the same turn
        }
        assert_close(is, was, 1e-13);
        assert_close(&v2[now.idx_v..][..nv], &v[joint.idx_v..][..nv], 1e-12);
    }
}

/// An arm on a pedestal, re-rooted at its hand, stands on that; the pedestal moves.
#[test]
fn a_fixed_arm_can_stand_on_its_hand() {
    let (mut d, mut b) = (Dice::new(130), ModelBuilder::new());
    let pedestal = b.link("pedestal", None, d.pose(), d.inertia());
    let arm = b.link("arm", Some(pedestal), d.pose(), d.inertia());
    b.joint(arm, JointSpec::hinge("arm", Vec3::Y));
    let hand = b.link("hand", Some(arm), d.pose(), d.inertia());
    b.joint(hand, JointSpec::hinge("wrist", Vec3::X));
    let model = b.build(GRAVITY).unwrap();
    let (q, v) = ([0.3, -0.7], [0.0; 2]);
    let (kin, _) = at(&model, &q, &v);
    let X = |from: usize, to: usize, m: &Model, k: &Kinematics| {
        frame_pose(m, k, from).inverse() * frame_pose(m, k, to)
    };
    let edited = reroot(&model, hand, Base::Fixed(Pose::IDENTITY)).unwrap();
    let (q_new, v_new) = edited.carry_state(&model, &q, &v);
    let (kin_new, _) = at(&edited.model, &q_new, &v_new);
    let now = |l: usize| edited.links[l].unwrap();
    assert_eq!((edited.model.nv(), edited.model.links[now(hand)].body), (2, None));
    assert!(edited.model.links[now(pedestal)].body.is_some());
    for l in [pedestal, arm] {
        assert!(near_pose(X(now(hand), now(l), &edited.model, &kin_new), X(hand, l, &model, &kin)));
    }
    // A link held by the world through a hinge has nothing that could stand instead.
    let door = extract(&model, arm, Base::Fixed(Pose::IDENTITY)).unwrap();
    let mut b = ModelBuilder::new();
    let door_link = b.link("door", None, Pose::IDENTITY, d.inertia());
    b.joint(door_link, JointSpec::hinge("pin", Vec3::Z));
    let error = reroot(&b.build(GRAVITY).unwrap(), 0, floating("root")).unwrap_err().to_string();
    assert!(error.contains("`door`") && error.contains("`pin`"), "{error}");
    assert_eq!(door.model.nv(), 1);
}

/// A free joint may hang on a link of the world; that link stays where it is.
#[test]
fn a_free_joint_is_where_a_tree_ends() {
    let (mut d, mut b) = (Dice::new(135), ModelBuilder::new());
    let ground = b.link("ground", None, d.pose(), Inertia::ZERO);
    let base = b.link("base", Some(ground), d.pose(), d.inertia());
    b.joint(base, JointSpec::free("float"));
    let arm = b.link("arm", Some(base), d.pose(), d.inertia());
    b.joint(arm, JointSpec::hinge("arm", d.vec3()));
    let model = b.build(GRAVITY).unwrap();
    let (q, v) = random_state(&model, 135);
    let energy = |m: &Model, q: &[f64], v: &[f64]| {
        let (kin, vel) = at(m, q, v);
        [kinetic_energy(m, &kin, &vel, v), potential_energy(m, &kin)]
    };
    let edited = reroot(&model, arm, floating("root")).unwrap();
    let (q_new, v_new) = edited.carry_state(&model, &q, &v);
    assert_close(&energy(&edited.model, &q_new, &v_new), &energy(&model, &q, &v), 1e-13);
    assert!(near_pose(edited.model.links[edited.links[ground].unwrap()].X_BL, model.links[ground].X_BL));
    let still = lock_joints(&model, &q, &[0]).unwrap();
    let (kin, _) = at(&model, &q, &v);
    assert!(near_pose(still.model.links[still.links[base].unwrap()].X_BL, kin.X_WB[0]));
    // On a moving link the floating joint gives way.
    assert_eq!(attach(&model, Some(arm), d.pose(), &[], &model, "b_").unwrap().model.nv(), 8);
}

/// A part that was attached comes off again, and leaves the host as it was.
#[test]
fn attach_then_extract_is_the_identity() {
    let (host, mut d) = (walker(), Dice::new(140));
    let mut b = ModelBuilder::new();
    let palm = b.link("palm", None, d.pose(), d.inertia());
    for k in 0..2 {
        let finger = b.link(format!("finger{k}"), Some(palm), d.pose(), d.inertia());
        b.joint(finger, JointSpec { damping: 0.3, ..JointSpec::hinge(format!("finger{k}"), d.vec3()) });
    }
    let gripper = b.build(host.gravity).unwrap();
    let hand = host.link_named("hand").unwrap();
    let turn = [JointSpec::hinge("turn", d.vec3())];
    for (joints, extra) in [(&[][..], 0), (&turn[..], 1)] {
        let X = d.pose();
        let whole = attach(&host, Some(hand), X, joints, &gripper, "left_").unwrap();
        assert_eq!(whole.model.nv(), host.nv() + gripper.nv() + extra);
        let root = whole.links[palm].unwrap();
        assert_eq!(whole.model.links[root].name, "left_palm");
        // The palm stands in the hand as was said.
        let (q, v) = random_state(&whole.model, 141);
        let q_held: Vec<f64> =
            q[..host.nq].iter().copied().chain(whole.model.neutral()[host.nq..].to_vec()).collect();
        let (kin, _) = at(&whole.model, &q_held, &v);
        let X_hand_palm =
            frame_pose(&whole.model, &kin, hand).inverse() * frame_pose(&whole.model, &kin, root);
        assert!(near_pose(X_hand_palm, X * gripper.links[palm].X_BL));

        let off = extract(&whole.model, root, Base::Fixed(gripper.links[palm].X_BL)).unwrap();
        assert_same(&off.model, &gripper, "left_");
        let left = remove(&whole.model, root).unwrap();
        assert_same(&left.model, &host, "");
        assert_eq!(left.links[root], None);
    }
    // Two of a kind need names of their own; a free root gives way.
    let whole = attach(&host, Some(hand), Pose::IDENTITY, &[], &gripper, "left_").unwrap().model;
    let error = attach(&whole, Some(hand), Pose::IDENTITY, &[], &gripper, "left_").unwrap_err();
    assert!(error.to_string().contains("`left_palm`"), "{error}");
    let error = attach(&whole, Some(hand), Pose::IDENTITY, &turn, &whole, "x_").unwrap_err();
    assert_eq!(error, EditError::Roots { roots: 2 });
    let twin = attach(&host, Some(hand), Pose::IDENTITY, &[], &host, "twin_").unwrap().model;
    assert_eq!(twin.nv(), 2 * host.nv() - 6);
    let pair = attach(&host, None, d.pose(), &[], &host, "twin_").unwrap().model;
    assert_eq!((pair.nv(), pair.trees), (2 * host.nv(), 2 * host.trees));
    assert!(matches!(
        attach(&host, Some(99), Pose::IDENTITY, &[], &host, "t_"),
        Err(EditError::Index { .. })
    ));
}

/// Asserts that two models have the same bodies, joints and links, in the same order.
fn assert_same(a: &Model, b: &Model, prefix: &str) {
    assert_eq!(
        (a.links.len(), a.bodies.len(), a.nq, a.trees),
        (b.links.len(), b.bodies.len(), b.nq, b.trees)
    );
    for (a, b) in a.links.iter().zip(&b.links) {
        assert_eq!(a.name, format!("{prefix}{}", b.name));
        assert_eq!((a.parent, a.body), (b.parent, b.body));
        assert!(near_pose(a.X_BL, b.X_BL));
    }
    for (a, b) in a.bodies.iter().zip(&b.bodies) {
        assert!(near_pose(a.X_PB, b.X_PB) && (a.parent, &a.joints) == (b.parent, &b.joints));
        assert!((a.inertia.first - b.inertia.first).norm() + (a.inertia.mass - b.inertia.mass).abs() < 1e-13);
    }
    for (a, b) in a.joints.iter().zip(&b.joints) {
        assert_eq!((&a.name, a.kind), (&format!("{prefix}{}", b.name), b.kind));
        assert!((a.axis - b.axis).norm() + (a.anchor - b.anchor).norm() < 1e-14);
    }
    for (a, b) in a.dofs.iter().zip(&b.dofs) {
        assert_eq!((a.armature, a.damping, a.friction), (b.armature, b.damping, b.friction));
    }
}

#[test]
fn absurd_configurations_are_refused() {
    let model = walker();
    let error = |q: &[f64], joints: &[usize]| lock_joints(&model, q, joints).unwrap_err().to_string();
    let mut q = model.neutral();
    assert!(error(&q[1..], &[0]).contains("coordinates"));
    assert!(error(&q, &[99]).contains("joint 99"));
    q[7..11].fill(0.0);
    assert!(error(&q, &[1]).contains("`shoulder`"));
    q[11] = f64::NAN;
    assert!(error(&q, &[2]).contains("`pull`"));
}
