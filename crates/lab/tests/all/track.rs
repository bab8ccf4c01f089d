//! Scenes whose controls or positions are read from a file.

use crate::testing::scratch;
use stiction_lab::{RunOptions, Runner};
use stiction_problem_files::numpy::ArchiveWriter;
use stiction_scene::{Scene, SceneError};

const CART: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="rail" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
    <actuator><motor name="pull" joint="rail"/></actuator></mujoco>"#;

fn scene(name: &str, track: &str) -> Scene {
    // A file of its own: tests of one process write at once.
    let cart = format!("{name}-cart.xml");
    scratch(&cart, CART);
    let text =
        format!("duration = 0.4\ngravity = [0, 0, 0]\n[[model]]\nfile = \"{cart}\"\n[track]\n{track}\n");
    Scene::load(&scratch(name, &text)).unwrap()
}

fn speed(scene: &Scene) -> f64 {
    Runner::new(scene.build().unwrap(), RunOptions::default()).unwrap().run_quietly().end.v[0]
}

/// A motor pulls 2 kg with 4 N, then with −2 N from 0.1 s on and nothing from 0.3 s on: v = (0.4 − 0.4)/2 = 0 held, and on
/// straight lines (0.1 − 0.2)/2 less what steps of 1 ms leave of a falling force, h/2 times its fall.
#[test]
fn controls_follow_the_file() {
    scratch("pull.csv", "t,\"pull\"\n0,4\n0.1,-2\n0.3,0\n");
    assert!(speed(&scene("held.toml", "file = \"pull.csv\"")).abs() < 1e-9);
    let linear = speed(&scene("linear.toml", "file = \"pull.csv\"\nbetween = \"linear\""));
    assert!((linear - (0.1 - 0.2 + 0.5e-3 * 4.0) / 2.0).abs() < 1e-9, "{linear}");

    let mut archive = ArchiveWriter::new(Vec::new());
    archive.doubles("t", &[3], &[0.0, 0.1, 0.3]).unwrap();
    archive.doubles("pull", &[3], &[4.0, -2.0, 0.0]).unwrap();
    let folder = scratch("pull.npz", "").parent().unwrap().to_owned();
    std::fs::write(folder.join("pull.npz"), archive.finish().unwrap()).unwrap();
    assert!(speed(&scene("npz.toml", "file = \"pull.npz\"")).abs() < 1e-9);
}

/// Servos go where the columns of their joints say.
#[test]
fn positions_are_reached() {
    scratch("rail.csv", "t,rail\n0,0\n0.2,0.1\n");
    let held = "file = \"track-free.xml\"\nhold = { stiffness = 20000 }\n[track]\nfile = \"rail.csv\"\n\
                columns = \"positions\"\nbetween = \"linear\"\n";
    scratch("track-free.xml", &CART.replace("<motor name=\"pull\" joint=\"rail\"/>", ""));
    let text = format!("duration = 0.5\ngravity = [0, 0, 0]\n[[model]]\n{held}");
    let scene = Scene::load(&scratch("reached.toml", &text)).unwrap();
    let end = Runner::new(scene.build().unwrap(), RunOptions::default()).unwrap().run_quietly().end;
    assert!((end.q[0] - 0.1).abs() < 1e-6, "{} m", end.q[0]);
}

#[test]
fn mistakes_in_columns_are_named() {
    let refused = |csv: &str, more: &str| {
        scratch("wrong.csv", csv);
        let built = scene("wrong-track.toml", &format!("file = \"wrong.csv\"\n{more}")).build();
        built.map(drop).map_err(|e: SceneError| e.to_string()).unwrap_err()
    };
    for (csv, more, words) in [
        ("t,pul\n0,1\n", "", "did you mean `pull`?"),
        ("time,pull\n0,1\n", "", "no column is called `t`"),
        ("t,pull\n1,1\n0,1\n", "", "do not ascend"),
        ("t,pull\n0,x\n", "", "line 2, column `pull`: `x`"),
        ("t,pull\n0,nan\n", "", "row 1 of column `pull`"),
        ("t,pull,pull\n0,1,1\n", "", "two columns"),
        ("t,rail\n0,1\n", "columns = \"positions\"", "no servo drives the joint `rail`"),
    ] {
        let message = refused(csv, more);
        assert!(message.contains(words) && message.contains("wrong.csv"), "{message}");
    }
}
