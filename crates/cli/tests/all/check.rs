//! `stiction check` as a user calls it: exit codes, text, JSON, folders, mending.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn check(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(folder).arg("check").args(args).output().unwrap()
}

/// A folder with a robot whose shank nobody can build, one that is fine, and a file that is no robot.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    let robot = |izz: &str, axis: &str| {
        format!(
            "<robot name='r'>\n<link name='base'/>\n<link name='shank'><inertial><mass value='1'/>\n\
             <inertia ixx='0.01' iyy='0.01' izz='{izz}' ixy='0' ixz='0' iyz='0'/></inertial></link>\n\
             <joint name='knee' type='continuous'><parent link='base'/><child link='shank'/>\n\
             <axis xyz='{axis}'/></joint>\n</robot>\n"
        )
    };
    std::fs::write(folder.join("wrong.urdf"), robot("0.5", "0 1 0")).unwrap();
    std::fs::write(folder.join("long.urdf"), robot("0.0201", "0 2 0")).unwrap();
    std::fs::write(folder.join("deep/fine.urdf"), robot("0.015", "0 1 0")).unwrap();
    std::fs::write(folder.join("deep/package.xml"), "<package/>").unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn exit_codes_say_how_bad_it_is() {
    let here = folder("check-codes");
    let code = |args: &[&str]| check(&here, args).status.code();
    assert_eq!(code(&["deep/fine.urdf"]), Some(0));
    assert_eq!(code(&["wrong.urdf"]), Some(1));
    assert_eq!(code(&["wrong.urdf", "--allow", "inertia-triangle"]), Some(0));
    assert_eq!(code(&["long.urdf", "--deny", "warnings"]), Some(0));
    assert_eq!(code(&["long.urdf", "--deny", "notes"]), Some(1));
    assert_eq!(code(&["none.urdf"]), Some(2));
    assert_eq!(code(&["."]), Some(1));
    let wrong = check(&here, &["wrong.urdf", "--allow", "inertia-triangel"]);
    assert!(wrong.status.code() == Some(2) && text(&wrong.stderr).contains("`inertia-triangel`"));
}

#[test]
fn findings_read_like_a_compilers() {
    let here = folder("check-text");
    let said = text(&check(&here, &["wrong.urdf"]).stdout);
    assert!(
        said.contains("wrong.urdf:4:1: error[inertia-triangle]: <link> `shank` 0.01, 0.01, 0.5 kg·m²"),
        "{said}"
    );
    assert!(said.contains("remedy: ") && said.contains("1 error, 0 warnings, 0 notes"), "{said}");
    let all = text(&check(&here, &["."]).stdout);
    assert!(
        all.contains("fine.urdf: 0 errors") && all.contains("3 files: 1 error, 0 warnings, 2 notes"),
        "{all}"
    );
    let rules = text(&check(&here, &["--rules"]).stdout);
    assert!(rules.lines().count() > 100 && rules.contains("error    inertia-triangle"), "{rules}");
}

#[test]
fn json_has_a_place_for_everything() {
    let here = folder("check-json");
    let report: Value = serde_json::from_slice(&check(&here, &["wrong.urdf", "--json"]).stdout).unwrap();
    let file = &report["files"][0];
    assert_eq!(
        (&file["read"], &file["errors"], &file["mass_matrix"]["dofs"]),
        (&true.into(), &1.into(), &1.into())
    );
    let finding = &file["findings"][0];
    assert_eq!((&finding["code"], &finding["line"]), (&"inertia-triangle".into(), &4.into()));
    for key in ["severity", "file", "column", "element", "value", "reason", "remedy"] {
        assert!(!finding[key].is_null(), "{key}");
    }
}

#[test]
fn a_mended_copy_is_clean_and_the_original_stays() {
    let here = folder("check-fix");
    let before = std::fs::read_to_string(here.join("long.urdf")).unwrap();
    let fixed = check(&here, &["long.urdf", "--fix", "mended.urdf"]);
    let said = text(&fixed.stderr);
    assert!(said.contains("long.urdf:6:7: mended[axis-not-unit]: 0 2 0: now 0 1 0"), "{said}");
    assert!(said.contains("4 changes") && said.contains("left: 0 errors, 0 warnings, 0 notes"), "{said}");
    assert_eq!(check(&here, &["mended.urdf", "--deny", "notes"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(here.join("long.urdf")).unwrap(), before);
    let over = check(&here, &["long.urdf", "--fix", "long.urdf"]);
    assert!(over.status.code() == Some(2) && text(&over.stderr).contains("name another file"));
    assert_eq!(check(&here, &[".", "--fix", "mended.urdf"]).status.code(), Some(2));
}

/// A scene is checked with the models that it names, read as it reads them; a mistake of its own is named.
#[test]
fn scenes_are_checked_with_their_models() {
    let here = folder("check-scene");
    let scene = |text: &str| std::fs::write(here.join("scene.toml"), text).unwrap();
    scene("[[model]]\nfile = \"wrong.urdf\"\n[[model]]\nfile = \"deep/fine.urdf\"\n");
    let output = check(&here, &["scene.toml"]);
    let told = text(&output.stdout);
    assert_ne!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("wrong.urdf:") && told.contains("deep/fine.urdf: 0 errors"), "{told}");
    scene("[[model]]\nfile = \"deep/fine.urdf\"\njoints = { kne = 1 }\n");
    let output = check(&here, &["scene.toml"]);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("scene.toml:3") && complaint.contains("`knee`"), "{complaint}");
    scene("[ground]\n");
    assert_eq!(check(&here, &["scene.toml"]).status.code(), Some(0));
}
