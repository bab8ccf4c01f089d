//! Files that are wrong or mean harm, through the program: one message that says where and what,
//! exit code 2, no panic, bounded memory and time.
//!
//! The files lie in `malformed/`; `malformed/manifest.toml` says of each what the message must
//! mention. Crowds too large to keep are made here.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use toml::Table;

/// Address space [KiB] and processor time [s] that a file may cost.
const MEMORY: u32 = 2_000_000;
const SECONDS: u32 = 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed")
}

fn manifest() -> Table {
    std::fs::read_to_string(folder().join("manifest.toml")).unwrap().parse().unwrap()
}

/// Runs `stiction` within the limits.
fn limited(here: &Path, args: &[&str]) -> Output {
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limits, env!("CARGO_BIN_EXE_stiction")]).args(args);
    command.current_dir(here).output().unwrap()
}

/// The command for a file, by where it lies.
fn command(file: &str) -> Vec<&str> {
    match file.split('/').next().unwrap() {
        "problem" => vec!["solve", file],
        "scene" => vec!["run", file, "--json"],
        "state" if file.ends_with(".xml") => vec!["inspect", file],
        "state" if file.contains("quaternion") => vec!["inspect", "state/ball.xml", "--state", file],
        "state" => vec!["inspect", "state/pendulum.xml", "--state", file],
        _ => vec!["inspect", file],
    }
}

/// What is wrong with the answer; nothing if it is as it must be.
fn objections(answer: &Output, words: &[&str]) -> Vec<String> {
    let text = String::from_utf8_lossy(&answer.stderr).into_owned();
    let mut wrong: Vec<String> =
        words.iter().filter(|w| !text.contains(**w)).map(|w| format!("no `{w}` in it")).collect();
    let one = text.starts_with("error: ") && text.matches("error: ").count() == 1;
    for (bad, what) in [
        (answer.status.code() != Some(2), format!("exit code {:?}", answer.status.code())),
        (!answer.stdout.is_empty(), "something on stdout".to_owned()),
        (text.contains("panicked") || text.contains("RUST_BACKTRACE"), "a panic".to_owned()),
        (!one || text.len() > 1500, "not one message of a few lines".to_owned()),
    ] {
        wrong.extend(bad.then_some(what));
    }
    if !wrong.is_empty() {
        wrong.push(format!("the message: {}", text.chars().take(600).collect::<String>()));
    }
    wrong
}

/// Every file of a section of the manifest, a few at a time.
fn section(name: &str) {
    let (here, manifest) = (folder(), manifest());
    let cases: Vec<(String, Vec<String>)> = (manifest[name].as_table().unwrap().iter())
        .map(|(file, words)| {
            let words = words.as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_owned());
            (format!("{name}/{file}"), words.collect())
        })
        .collect();
    assert!(cases.len() >= 5, "{name} has {} cases", cases.len());
    let (next, wrong) = (Mutex::new(cases.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((file, words)) = next.lock().unwrap().next() else { break };
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    let found = objections(&limited(&here, &command(file)), &words);
                    wrong.lock().unwrap().extend(found.into_iter().map(|w| format!("{file}: {w}")));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn urdf() {
    section("urdf");
}

#[test]
fn mjcf() {
    section("mjcf");
}

#[test]
fn sdf() {
    section("sdf");
}

#[test]
fn meshes() {
    section("mesh");
}

#[test]
fn problems() {
    section("problem");
}

#[test]
fn scenes_and_states() {
    section("scene");
    section("state");
}

/// What looks malformed and is not, or fails in another way.
#[test]
fn odd_but_in_order() {
    let here = folder();
    for (file, code) in manifest()["odd"].as_table().unwrap() {
        let answer = limited(&here, &command(file));
        let text = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(answer.status.code().map(i64::from), code.as_integer(), "{file}: {text}");
        assert!(!text.contains("panicked"), "{file}: {text}");
    }
}

/// No file without a line in the manifest, and no line without a file; what files refer to aside.
#[test]
fn the_manifest_is_complete() {
    let (here, manifest) = (folder(), manifest());
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (section, files) in &manifest {
        let prefix = if section == "odd" { String::new() } else { format!("{section}/") };
        named.extend(files.as_table().unwrap().keys().map(|f| format!("{prefix}{f}")));
    }
    let mut there: BTreeSet<String> = BTreeSet::new();
    for section in std::fs::read_dir(&here).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        for file in std::fs::read_dir(&section).unwrap().map(|e| e.unwrap().path()) {
            there.insert(file.strip_prefix(&here).unwrap().to_str().unwrap().to_owned());
        }
    }
    let missing: Vec<_> = named.difference(&there).collect();
    assert!(missing.is_empty(), "in the manifest, but not there: {missing:?}");
    let mesh = |f: &&String| f.starts_with("mesh/") && !f.ends_with(".urdf") && !f.ends_with(".xml");
    let silent: Vec<_> = there.difference(&named).filter(|f| !mesh(f)).collect();
    assert!(silent.is_empty(), "there, but not in the manifest: {silent:?}");
    assert!(named.len() >= 200, "{} cases", named.len());
}

/// An empty folder of this test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn refused(here: &Path, file: &str, text: &str, words: &[&str]) {
    std::fs::write(here.join(file), text).unwrap();
    let wrong = objections(&limited(here, &["inspect", file]), words);
    assert!(wrong.is_empty(), "{file}: {}", wrong.join("\n"));
}

#[test]
fn crowds() {
    let here = scratch("malformed-crowds");
    let links: String = (0..1_000_000).map(|i| format!("<link name=\"l{i}\"/>")).collect();
    refused(&here, "links.urdf", &format!("<robot name=\"r\">{links}</robot>"), &["`l1` has no parent"]);
    let copies = "<worldbody><replicate count=\"1000000\" offset=\"1 0 0\"><body><freejoint/><geom size=\"1\"/></body>\
                  </replicate></worldbody>";
    refused(&here, "copies.xml", &format!("<mujoco>{copies}</mujoco>"), &["copies.xml:1:", "at most"]);
    let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"1\"")).collect();
    refused(&here, "attributes.urdf", &format!("<robot{attributes}/>"), &["attributes", "at most 1000"]);
}

#[test]
fn depths() {
    let here = scratch("malformed-depths");
    let n = 200_000;
    let open = "<body><joint/>".repeat(n);
    let deep = format!("<mujoco><worldbody>{open}{}</worldbody></mujoco>", "</body>".repeat(n));
    refused(&here, "bodies.xml", &deep, &["bodies.xml:1:"]);
    let groups = format!("<robot name=\"r\">{}{}</robot>", "<gazebo>".repeat(n), "</gazebo>".repeat(n));
    refused(&here, "groups.urdf", &groups, &["lacks links"]);
    let defaults = "<default class=\"a\">".repeat(n) + &"</default>".repeat(n);
    refused(&here, "defaults.xml", &format!("<mujoco>{defaults}</mujoco>"), &["defaults.xml:1:"]);
}

#[test]
fn lengths() {
    let here = scratch("malformed-lengths");
    let name = "x".repeat(10_000_000);
    let text = format!("<robot name=\"r\"><link name=\"{name}\"/><link name=\"{name}\"/></robot>");
    refused(&here, "name.urdf", &text, &["a second link `xxx", "…"]);
    let numbers = "1 ".repeat(5_000_000);
    let text = format!("<mujoco><worldbody><geom size=\"{numbers}\"/></worldbody></mujoco>");
    refused(&here, "numbers.xml", &text, &["numbers.xml:1:26", "1 to 3 finite numbers"]);
}

/// Things that are no files: a folder, a link to a device, links in a circle, a pipe.
#[test]
fn no_files() {
    let here = scratch("malformed-no-files");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, here.join(name)).unwrap();
    std::fs::create_dir(here.join("folder.urdf")).unwrap();
    link("/dev/zero", "zero.urdf");
    link("b.urdf", "a.urdf");
    link("a.urdf", "b.urdf");
    link("/dev/zero", "zero.stl");
    assert!(Command::new("mkfifo").arg(here.join("pipe.stl")).status().unwrap().success());
    for (file, word) in [
        ("folder.urdf", "not a regular file"),
        ("zero.urdf", "not a regular file"),
        ("a.urdf", "symbolic links"),
        ("none.urdf", "No such file"),
    ] {
        let wrong = objections(&limited(&here, &["inspect", file]), &[file, word]);
        assert!(wrong.is_empty(), "{file}: {}", wrong.join("\n"));
    }
    for mesh in ["zero.stl", "pipe.stl"] {
        let collision = format!("<collision><geometry><mesh filename=\"{mesh}\"/></geometry></collision>");
        let text = format!("<robot name=\"r\"><link name=\"a\">{collision}</link></robot>");
        refused(&here, "mesh.urdf", &text, &["mesh.urdf:1:", mesh]);
    }
}

/// The linter reads the same files, and never falls over either.
#[test]
fn the_linter_survives_all_of_it() {
    let answer = limited(&folder(), &["check", "urdf", "mjcf", "sdf", "mesh", "state", "--json"]);
    let text = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert_eq!(answer.status.code(), Some(2), "{text}");
    let files = String::from_utf8(answer.stdout).unwrap().matches("\"read\": ").count();
    assert!(text.is_empty() && files >= 150, "{files} files: {text}");
}
