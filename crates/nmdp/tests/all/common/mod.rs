//! Models and states for the tests of this crate.

#![allow(dead_code)] // each test uses some

use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction_dynamics::{JointSpec, JointStop, ModelBuilder};
use stiction_nmdp::sites::{BodySite, DofSite, Resistance, Sites};
use stiction_nmdp::wrench_set::cone::{Cone, Ground, Growth};
use stiction_world::{Actuator, ActuatorLaw, World};

pub(crate) const GRAVITY: Vec3 = vec3(0.0, 0.0, -9.81);

/// Small reproducible numbers in (−1, 1).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vec3(&mut self) -> Vec3 {
        vec3(self.roll(), self.roll(), self.roll())
    }

    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.roll()).collect()
    }

    pub(crate) fn pose(&mut self) -> Pose {
        Pose::new(Quat::exp(self.vec3()), self.vec3())
    }

    pub(crate) fn inertia(&mut self) -> Inertia {
        let (a, b) = (self.vec3(), self.vec3());
        let about_com = Sym3::point_mass(a, 0.3) + Sym3::point_mass(b, 0.2) + Sym3::diagonal(0.1, 0.1, 0.1);
        Inertia::new(1.0 + 0.5 * self.roll(), self.vec3() * 0.3, about_com)
    }
}

/// One of every joint on a free base, a second tree on a ball, and actuators of every kind; with its coordinates.
pub(crate) fn menagerie() -> (World, Vec<f64>) {
    let mut dice = Dice::new(7);
    let mut b = ModelBuilder::new();
    let base = b.link("base", None, Pose::IDENTITY, dice.inertia());
    b.joint(base, JointSpec::free("root"));
    let mut last = base;
    for k in 0..5 {
        let parent = if k == 3 { base } else { last };
        let link = b.link(format!("link{k}"), Some(parent), dice.pose(), dice.inertia());
        let axis = dice.vec3().normalized().unwrap();
        let name = format!("joint{k}");
        match k {
            0 => b.joint(link, JointSpec::hinge(name, axis).at(dice.vec3())),
            1 => b.joint(link, JointSpec::ball(name).at(dice.vec3())),
            2 => b.joint(link, JointSpec::slide(name, axis)),
            3 => b.joints(link, JointSpec::universal(&name, axis, dice.vec3().normalized().unwrap())),
            _ => b.joint(link, JointSpec::screw(name, axis, 0.1)),
        }
        last = link;
    }
    let other = b.link("other", None, dice.pose(), dice.inertia());
    b.joint(other, JointSpec::ball("pivot").at(dice.vec3()));
    let mut model = b.build(GRAVITY).unwrap();
    for joint in &mut model.joints {
        joint.stiffness = 3.0;
        joint.spring_rest = 0.2;
    }
    for (i, dof) in model.dofs.iter_mut().enumerate() {
        (dof.armature, dof.damping) = (0.01 * i as f64, 0.03 * i as f64);
    }
    let q = model.neutral();
    let mut world = World::new("menagerie", model);
    let scalar = |name: &str| {
        let joint = world.model.joints.iter().find(|j| j.name == name).unwrap();
        joint.idx_v
    };
    let servo = |name: &str, transmission, limit| Actuator {
        name: name.to_owned(),
        transmission,
        law: ActuatorLaw { gain: 40.0, bias: 0.3, bias_length: -40.0, bias_velocity: -2.0 },
        effort_limit: limit,
        control_limit: None,
    };
    let (hinge, slide) = (scalar("joint0"), scalar("joint2"));
    world.actuators = vec![
        servo("one", vec![(hinge, 2.0)], None),
        servo("both", vec![(hinge, 0.5), (slide, 1.5)], None),
        servo("weak", vec![(slide, 1.0)], Some([-1.0, 1.0])),
    ];
    (world, q)
}

/// A cone on every body, some of them with radius, one stop and one dry friction.
pub(crate) fn sites(world: &World, growth: Growth) -> Sites {
    let mut dice = Dice::new(11);
    let ground = Ground { normal: vec3(0.1, -0.2, 1.0).normalized().unwrap(), offset: 2.0 };
    let bodies = (0..world.model.bodies.len()).map(|body| BodySite {
        body,
        p_BS: dice.vec3() * 0.3,
        set: Box::new(Cone::new(ground, 0.1 * (body % 2) as f64, growth, 0.7, 4)),
    });
    let bodies: Vec<_> = bodies.collect();
    let joint = world.model.joints.iter().find(|j| j.name == "joint0").unwrap();
    let end = JointStop { joint: 0, side: 0, idx_q: joint.idx_q, dof: joint.idx_v, at: 2.0, sign: 1.0 };
    let stop = Resistance::Stop { end, growth };
    let dofs = vec![
        DofSite { dof: joint.idx_v, resistance: stop },
        DofSite { dof: joint.idx_v, resistance: Resistance::DryFriction { effort: 0.7 } },
    ];
    Sites::new(bodies, dofs)
}
