//! Wheels with rollers: friction that has a direction in the frame of another link.

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
