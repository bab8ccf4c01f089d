//! Worlds and random states of them.

use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, vec3};
use stiction::models::{LoadOptions, load, load_str};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, State, UNCOLOURED};

/// The laboratory's quadruped on a plane, standing.
pub(crate) fn quadruped() -> (World, State, Vec<f64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/quadruped.xml");
    let world = load(&path, &LoadOptions::default()).unwrap();
    let home = world.keyframes[0].clone();
    (world, State { t: 0.0, q: home.q, v: home.v }, home.control)
}

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Uniform in [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// A box, a capsule and two balls that bounce above a plane, the balls one above the other, else apart: where more
/// bodies meet, an impact has several answers, of which lanes need not find the same.
pub(crate) fn heap() -> (World, State) {
    let mut c = Composer::new("heap", vec3(0.0, 0.0, -9.81)).unwrap();
    let ground = Material { friction: 0.2, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, ground, UNCOLOURED).unwrap();
    let shapes = [
        Shape::Box { half: vec3(0.1, 0.08, 0.06) },
        Shape::Capsule { radius: 0.05, half_length: 0.1 },
        Shape::Sphere { radius: 0.07 },
        Shape::Sphere { radius: 0.06 },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let bouncy = Material { friction: 0.2, restitution: if i >= 2 { 0.6 } else { 0.0 }, ..ground };
        let turn = Quat::from_rpy(0.3 * i as f64, 0.2, 0.1);
        let place = [[0.0, 0.0, 0.16], [1.0, 0.0, 0.16], [2.0, 0.0, 0.16], [2.01, 0.01, 0.32]][i];
        let pose = Pose::new(turn, place.into());
        c.body(FreeBody { material: bouncy, ..FreeBody::new(format!("body {i}"), shape, 1.0, pose) })
            .unwrap();
    }
    c.finish()
}

/// A foot of a capsule and a ball, which land on a plane in three points: with more the answer is not the only one.
pub(crate) fn foot() -> (World, State) {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
      <default><geom friction="0.6"/></default>
      <worldbody><geom name="ground" type="plane" size="0 0 1"/>
        <body pos="0 0 0.05"><freejoint/>
          <geom type="capsule" size="0.03" fromto="0.1 -0.06 0 0.12 0.06 0" mass="0.5"/>
          <geom type="sphere" size="0.03" pos="-0.08 0 0" mass="0.5"/>
        </body></worldbody></mujoco>"#;
    let world = load_str(text, Path::new("foot.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    (world, state)
}

/// Likewise an arm of three joints with limits, dry friction, springs and a weak servo, beside a plane it swings against.
pub(crate) fn arm() -> (World, State) {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
      <worldbody><geom name="ground" type="plane" size="0 0 1" friction="0.2"/>
        <body pos="0 0 0.5">
          <joint name="a" axis="0 1 0" range="-1.2 1.2" limited="true" frictionloss="0.2" damping="0.05"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="1" friction="0.2"/>
          <body pos="0.3 0 0">
            <joint name="b" axis="0 1 0" range="-0.5 2.0" limited="true" stiffness="3" armature="0.01"/>
            <geom type="capsule" size="0.025" fromto="0 0 0 0.3 0 0" mass="0.6" friction="0.2"/>
            <body pos="0.3 0 0">
              <joint name="c" type="slide" axis="1 0 0" range="-0.1 0.1" limited="true" frictionloss="1"/>
              <geom type="sphere" size="0.04" mass="0.4" friction="0.2"/>
      </body></body></body></worldbody>
      <actuator><position joint="a" kp="40" kv="2" forcerange="-3 3"/><velocity joint="b" kv="2"/>
        <motor joint="c" ctrlrange="-5 5"/></actuator></mujoco>"#;
    let options = LoadOptions::default();
    let world = load_str(text, Path::new("arm.xml"), Path::new("."), &options).unwrap();
    let state = State::neutral(&world.model);
    (world, state)
}

/// A gripper, whose fingers are coupled and pulled by one tendon, closing on a ball that hangs on a joint; and beside it a
/// finger of two joints along which tendons spring, drag, stop and pull.
pub(crate) fn tendons() -> (World, State) {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
      <default><geom friction="0.3"/></default>
      <worldbody>
        <body pos="0 0 0.5">
          <joint name="lift" type="slide" axis="0 0 1" damping="2"/>
          <geom type="sphere" size="0.03" mass="0.5" contype="0" conaffinity="0"/>
          <body pos="0 0.1 -0.1"><joint name="left" type="slide" axis="0 -1 0" damping="1"/>
            <geom type="capsule" size="0.01" fromto="0 0 -0.02 0 0 0.02" mass="0.1"/></body>
          <body pos="0 -0.1 -0.1"><joint name="right" type="slide" axis="0 1 0" damping="1"/>
            <geom type="capsule" size="0.01" fromto="0 0 -0.02 0 0 0.02" mass="0.1"/></body>
        </body>
        <body pos="0 0 0.4"><joint name="ball" type="slide" axis="0 1 0" stiffness="20" damping="0.5" frictionloss="0.01"/>
          <geom type="sphere" size="0.04" mass="0.3"/></body>
        <body pos="1 0 0.5"><joint name="first" axis="0 1 0" damping="0.02"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" mass="0.4"/>
          <body pos="0.2 0 0"><joint name="second" axis="0 1 0" damping="0.02"/>
            <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" mass="0.2"/></body></body>
      </worldbody>
      <equality><joint joint1="left" joint2="right"/></equality>
      <tendon>
        <fixed name="close"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed>
        <fixed name="flex" stiffness="2" damping="0.1" springlength="0.2 0.6" frictionloss="0.1">
          <joint joint="first" coef="1"/><joint joint="second" coef="-1"/></fixed>
        <fixed name="stop" limited="true" range="-0.5 1"><joint joint="first" coef="1"/><joint joint="second" coef="1"/></fixed>
      </tendon>
      <actuator>
        <position joint="lift" kp="200" kv="20"/>
        <position tendon="close" kp="300" kv="10" forcerange="-4 4"/>
        <motor tendon="flex" gear="0.5"/>
      </actuator></mujoco>"#;
    let world = load_str(text, Path::new("tendons.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    (world, state)
}

/// Hulls and boxes, none of them straight, on sliders that are driven into each other and into a hull that stands.
pub(crate) fn hulls() -> (World, State) {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
      <default><geom friction="0.3"/><joint type="slide" frictionloss="0.5" damping="1"/></default>
      <asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.1 0  0 0 0.05  0.25 0.08 0.02"/></asset>
      <worldbody>
        <geom type="mesh" mesh="wedge" euler="0.1 -0.2 0.3"/>
        <body pos="0.35 0 0"><joint name="a" axis="1 0 0"/>
          <geom type="mesh" mesh="wedge" euler="1 0.5 2" mass="0.5"/></body>
        <body pos="0 0.25 0.02"><joint name="b" axis="0 1 0"/>
          <geom type="box" size="0.1 0.03 0.05" euler="0.2 0.1 0.5" mass="0.5"/></body>
        <body pos="0.2 -0.25 0"><joint name="c" axis="0 1 0"/>
          <geom type="box" size="0.02 0.12 0.03" euler="0.1 0.3 -0.4" mass="0.5"/></body>
      </worldbody>
      <actuator><position joint="a" kp="100" kv="5"/><position joint="b" kp="100" kv="5"/>
        <position joint="c" kp="100" kv="5"/></actuator></mujoco>"#;
    let world = load_str(text, Path::new("hulls.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    let state = State::neutral(&world.model);
    (world, state)
}
