//! Friction that has a direction: in the frame of another link, as of wheels with rollers, and by the tangents of MuJoCo.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use stiction_lab::{Overrides, RobotOptions, RunOptions, Runner, Scene};

/// Four mecanum wheels, whose rollers let them slide at 45° to the frame that <fdir1> names: with the wheels turning against
/// each other the chassis goes sideways, for ever; turned the other way round they brake it.
#[test]
fn mecanum_wheels_go_sideways() {
    let inertia = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>";
    let wheel = |(name, x, y, along): (&str, f64, f64, f64)| {
        let friction = format!("<mu>1</mu><mu2>0</mu2><fdir1 gz:expressed_in='chassis'>1 {along} 0</fdir1>");
        format!(
            "<link name='{name}'><pose>{x} {y} 0 0 0 0</pose><inertial><mass>0.5</mass>{inertia}</inertial>\
             <collision name='c'><geometry><sphere><radius>0.05</radius></sphere></geometry>\
             <surface><friction><ode>{friction}</ode></friction></surface></collision></link>\
             <joint name='j{name}' type='revolute'><parent>chassis</parent><child>{name}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        )
    };
    let places = [
        ("fl", 0.2, 0.15, -1.0),
        ("fr", 0.2, -0.15, 1.0),
        ("rl", -0.2, 0.15, 1.0),
        ("rr", -0.2, -0.15, -1.0),
    ];
    let plane = "<model name='g'><static>true</static><link name='l'><collision name='c'><geometry><plane/></geometry>\
                 <surface><friction><ode><mu>1</mu><mu2>1</mu2></ode></friction></surface></collision></link></model>";
    let text = format!(
        "<sdf version='1.9' xmlns:gz='gz'><world name='w'>{plane}<model name='m'><pose>0 0 0.05 0 0 0.7</pose>\
         <link name='chassis'><inertial><mass>4</mass>{inertia}</inertial></link>{}</model></world></sdf>",
        places.map(wheel).concat()
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mecanum.sdf");
    std::fs::write(&path, text).unwrap();
    for (sense, goes_on) in [(1.0, true), (-1.0, false)] {
        let mut setup =
            Scene::find(path.to_str().unwrap(), &RobotOptions::default()).unwrap().build().unwrap();
        Overrides { duration: Some(1.0), ..Overrides::default() }.apply(&mut setup);
        // Sideways at 0.5 m/s in the frame of the chassis, which is turned by 0.7 rad.
        let (speed, (sin, cos)) = (0.5, 0.7_f64.sin_cos());
        setup.state.v[..2].copy_from_slice(&[-speed * sin, speed * cos]);
        for (name, _, _, along) in places {
            let joint =
                setup.world.model.joints.iter().find(|j| j.name.ends_with(&format!("j{name}"))).unwrap();
            setup.state.v[joint.idx_v] = sense * along * speed / 0.05;
        }
        let s = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
        let along = -sin * s.end.v[0] + cos * s.end.v[1];
        if goes_on {
            let all = s.end.v[0].hypot(s.end.v[1]);
            assert!((along - speed).abs() < 1e-3 && (all - speed).abs() < 1e-3, "{:?}", s.end.v);
        } else {
            assert!(along < 0.5 * speed, "{:?}", s.end.v);
        }
    }
}

/// A ball and a capsule on a plane that pulls along (3, 4), with coefficients of 0.1 and 0.4, and of 0.2 and 0.6, along
/// MuJoCo's two tangents: where MuJoCo 4.0.0 has them after 0.3 s, under its own law.
#[test]
fn pairs_with_two_coefficients_move_as_in_mujoco() {
    let text = r#"<mujoco><option timestep="0.001" cone="elliptic" gravity="3 4 -9.81"/>
        <worldbody><geom name="floor" type="plane" size="5 5 1"/>
        <body pos="2 0 0.05"><freejoint/><geom name="c" type="capsule" size="0.05 0.2" euler="0 90 0" mass="1"/></body>
        <body pos="0 2 0.1"><freejoint/><geom name="s" type="sphere" size="0.1" mass="1"/></body></worldbody>
        <contact><pair geom1="floor" geom2="c" condim="3" friction="0.2 0.6 0.005 0.0001 0.0001"/>
        <pair geom1="floor" geom2="s" condim="3" friction="0.1 0.4 0.005 0.0001 0.0001"/></contact></mujoco>"#;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pairs.xml");
    std::fs::write(&path, text).unwrap();
    let mut setup = Scene::find(path.to_str().unwrap(), &RobotOptions::default()).unwrap().build().unwrap();
    let contact = Some("mujoco".to_owned());
    Overrides { duration: Some(0.3), contact, ..Overrides::default() }.apply(&mut setup);
    let s = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    for (at, right) in [(0, [2.048_995_7, 0.123_311_5]), (7, [0.097_238_7, 2.137_352_0])] {
        let found = &s.end.q[at..at + 2];
        let off = (found[0] - right[0]).hypot(found[1] - right[1]);
        // Of some 0.13 m; with the coefficients of the other tangent it is by centimetres.
        assert!(off < 2e-4, "{found:?}, not {right:?}");
    }
    assert!(s.notes.iter().all(|n| !n.message.contains("not simulated")), "{:?}", s.notes);
}
