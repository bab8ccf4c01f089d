//! What a file says and is not simulated reaches everyone: JSON, stderr of every command that runs, the page.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A falling box held by suction, which is not simulated; over a floor.
const SUCTION: &str = "<mujoco><worldbody><geom type='plane' size='1 1 1'/>
  <body name='b' pos='0 0 0.5'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>
  <actuator><adhesion body='b' gain='9'/></actuator></mujoco>";

/// Bodies that are built by a plugin alone.
const CABLE: &str = "<mujoco><worldbody><composite type='cable' count='9 1 1'/></worldbody></mujoco>";

fn folder(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("notes-{name}"));
    let _ = std::fs::remove_dir_all(&here);
    std::fs::create_dir_all(&here).unwrap();
    here
}

fn stiction(here: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(here).args(line.split(' ')).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn notes_are_in_the_json_of_a_run() {
    let here = folder("json");
    std::fs::write(here.join("f.xml"), SUCTION).unwrap();
    let run = stiction(&here, "run f.xml --duration 0.01 --json");
    let json: Value = serde_json::from_str(&text(&run.stdout)).unwrap();
    let notes = json["notes"].as_array().unwrap();
    let note = notes.iter().find(|n| n["word"] == "adhesion").unwrap();
    assert_eq!((&note["severity"], &note["topic"]), (&Value::from("warning"), &Value::from("not-simulated")));
    assert_eq!((&note["file"], &note["line"]), (&Value::from("f.xml"), &Value::from(3)));
    assert!(note["message"].as_str().unwrap().len() > 5, "{note}");
}

#[test]
fn notes_are_on_the_error_stream_of_every_command_that_runs() {
    let here = folder("streams");
    let file = SUCTION;
    std::fs::write(here.join("f.xml"), file).unwrap();
    for line in [
        "run f.xml --duration 0.01",
        "compare f.xml --contact auto --duration 0.01",
        "render f.xml --frames d --duration 0.01 --size 64x64",
    ] {
        let done = stiction(&here, line);
        assert!(done.status.success(), "{line}: {}", text(&done.stderr));
        assert!(
            text(&done.stderr).contains("f.xml:3:13: warning: not simulated: adhesion"),
            "{line}: {}",
            text(&done.stderr)
        );
    }
    let page = std::fs::read_to_string(here.join("out/f.xml.html")).unwrap();
    assert!(page.contains("notes-part"), "the page shows them");
}

/// A certificate does not speak of what is not simulated, nor of bodies that are in one another: the summary does.
#[test]
fn a_certificate_is_not_the_whole_truth() {
    let here = folder("certificate");
    let file = SUCTION;
    std::fs::write(here.join("f.xml"), file).unwrap();
    let told = text(&stiction(&here, "run f.xml --duration 0.01").stdout);
    assert!(told.contains("BUT 1 word of the file not simulated"), "{told}");
    std::fs::write(
        here.join("deep.xml"),
        file.replace("0 0 0.5", "0 0 0.05").replace("<adhesion body='b' gain='9'/>", ""),
    )
    .unwrap();
    let told = text(&stiction(&here, "run deep.xml --duration 0.01").stdout);
    assert!(told.contains("BUT bodies overlap by up to 0.050 m"), "{told}");
}

#[test]
fn a_run_of_nothing_is_refused() {
    let here = folder("nothing");
    std::fs::write(here.join("f.xml"), CABLE).unwrap();
    for line in ["run f.xml", "run f.xml --json", "compare f.xml"] {
        let done = stiction(&here, line);
        assert_eq!(done.status.code(), Some(2), "{line}: {}", text(&done.stderr));
        let last = text(&done.stderr).lines().last().unwrap().to_owned();
        assert!(last.contains("nothing is left to simulate") && last.contains("composite"), "{line}: {last}");
    }
}
