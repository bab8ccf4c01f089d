//! The house plan. A crate may depend only on the crates named after it; changing this table is an
//! architectural decision and belongs in a commit of its own.
//!
//! Cargo itself forbids circles among ordinary and build dependencies. Development dependencies
//! may look sideways for a witness, but not upward: no crate may be tested with a crate that
//! depends on it, or its tests would need the roof to stand.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::Table;

/// Folder, and the folders it may depend on. Water runs downhill: a crate stands below all it needs.
const PLAN: &[(&str, &str)] = &[
    // Files and folders of results; knows nothing of robots.
    ("store", ""),
    ("dynamics", ""),
    ("collision", "dynamics"),
    ("contact", "dynamics"),
    // Problems as files; what solves and judges them reads no file.
    ("problem-files", "contact dynamics store"),
    ("solvers", "contact dynamics problem-files"),
    // What is simulated; readers of files make it, and know no more of it than its users.
    ("world", "dynamics collision"),
    ("models", "dynamics collision world store"),
    // Posing a problem knows no solver and no stepper.
    ("assembly", "dynamics collision contact world"),
    ("nmdp", "dynamics collision world assembly"),
    ("stiction", "dynamics collision contact solvers world models assembly nmdp"),
    // Optimal control plans through the simulator and its derivatives; feedback controllers know the robot alone.
    ("control", "dynamics stiction"),
    ("viewer", "stiction store"),
    ("camera", "stiction"),
    ("learn", "stiction camera store"),
    // Readings of sensors, for whoever simulates.
    ("sensors", "stiction"),
    // The world of a simulation as a file.
    ("scene", "stiction problem-files"),
    // Runs of scenes: what the command and the Python package share.
    ("lab", "stiction scene problem-files learn viewer camera store"),
    // Figures; a test holds the names of its colours to the registry of solvers.
    ("plot", "store solvers"),
    ("comparisons", "stiction scene lab plot problem-files store"),
    // Linked by the command with its feature `full`, and by nobody else.
    ("experiments", "stiction control scene lab plot comparisons problem-files learn viewer camera store"),
    // Knows nothing of ours: it makes both roofs choose the same features of other people's crates.
    ("features", ""),
    (
        "cli",
        "scene lab plot comparisons experiments learn viewer camera stiction features store problem-files",
    ),
    ("python", "stiction sensors scene lab learn viewer camera control features store problem-files"),
    ("xtask", ""),
];

#[test]
fn crates_follow_the_plan() {
    let house = House::open();
    let objections: Vec<_> =
        house.crates.iter().flat_map(|(name, manifest)| house.objections(name, manifest)).collect();
    assert!(objections.is_empty(), "\n{}\n", objections.join("\n"));
}

/// The plan itself runs downhill.
#[test]
fn the_plan_has_no_circle() {
    for (at, (name, _)) in PLAN.iter().enumerate() {
        for below in allowed(name).expect("named in the plan") {
            assert!(
                PLAN[..at].iter().any(|(n, _)| *n == below),
                "`{name}` stands above `{below}`, which comes later"
            );
        }
    }
}

/// A test that cannot fail proves nothing: every way to write a forbidden edge is found.
#[test]
fn forbidden_edges_are_found_however_they_are_written() {
    let house = House::imagined(&["dynamics", "contact", "solvers", "stiction", "lab"]);
    let told = |name: &str, manifest: &str| house.objections(name, &manifest.parse().unwrap());

    for edge in [
        "[dependencies]\nstiction-solvers.workspace = true",
        "[dependencies]\nstiction-solvers = { workspace = true, features = [] }",
        "[dependencies]\nstiction-solvers = { path = \"../solvers\" }",
        "[dependencies]\nstiction-solvers = \"0.1\"",
        "[dependencies.stiction-solvers]\npath = \"../solvers\"",
        "[dependencies]\nother = { package = \"stiction-solvers\", path = \"../solvers\" }",
        "[dependencies]\nother = { path = \"../../crates/solvers\" }",
        "[dependencies]\nalias.workspace = true",
        "[dependencies]\nstiction-solvers = { workspace = true, optional = true }",
        "[build-dependencies]\nstiction-solvers.workspace = true",
        "[target.'cfg(unix)'.dependencies]\nstiction-solvers.workspace = true",
        "[dev-dependencies]\nstiction-solvers.workspace = true",
        "[target.'cfg(unix)'.dev-dependencies]\nstiction-lab.workspace = true",
    ] {
        let objections = told("contact", edge);
        assert_eq!(objections.len(), 1, "{edge}: {objections:?}");
        assert!(objections[0].contains("contact"), "{objections:?}");
    }

    for edge in [
        "[dependencies]\nstiction-dynamics.workspace = true\nserde = { version = \"1\", features = [\"derive\"] }",
        "[features]\nstiction-solvers = []",
        "[package.metadata.docs.dependencies]\nstiction-solvers = \"1\"",
    ] {
        assert_eq!(told("contact", edge), Vec::<String>::new(), "{edge}");
    }
    // Sideways in tests only: collision and contact do not know each other, neither is above.
    assert_eq!(
        told("contact", "[dev-dependencies]\nstiction-collision.workspace = true"),
        Vec::<String>::new()
    );
    assert!(told("garage", "")[0].contains("no room in the plan"));
}

/// The crates of the workspace.
struct House {
    /// Folder to manifest.
    crates: BTreeMap<String, Table>,
    /// Package name to folder.
    folders: BTreeMap<String, String>,
    /// `[workspace.dependencies]`.
    shared: Table,
}

impl House {
    /// The workspace this test belongs to.
    fn open() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let mut members: Vec<PathBuf> =
            std::fs::read_dir(root.join("crates")).unwrap().map(|e| e.unwrap().path()).collect();
        members.push(root.join("xtask"));
        members.retain(|m| m.join("Cargo.toml").exists());
        let crates = members.iter().map(|m| {
            let folder = m.file_name().unwrap().to_str().unwrap().to_owned();
            (folder, read(&m.join("Cargo.toml")))
        });
        let crates: BTreeMap<_, _> = crates.collect();
        let folders = crates.iter().map(|(folder, manifest)| {
            let name = manifest["package"]["name"].as_str().unwrap().to_owned();
            (name, folder.clone())
        });
        let shared = read(&root.join("Cargo.toml"))["workspace"]["dependencies"].as_table().unwrap().clone();
        Self { folders: folders.collect(), crates, shared }
    }

    /// A house of nothing but names, and one shared dependency under another name.
    fn imagined(names: &[&str]) -> Self {
        let folders = names.iter().map(|n| (format!("stiction-{n}"), (*n).to_owned())).collect();
        let shared = "alias = { package = \"stiction-solvers\", path = \"crates/solvers\" }".parse().unwrap();
        Self { crates: BTreeMap::new(), folders, shared }
    }

    /// What the plan has against the manifest of `name`.
    fn objections(&self, name: &str, manifest: &Table) -> Vec<String> {
        let Some(below) = allowed(name) else {
            return vec![format!("the crate `{name}` has no room in the plan (xtask/tests/plan.rs)")];
        };
        let mut out = Vec::new();
        for dependency in self.edges(manifest, &["dependencies", "build-dependencies"]) {
            if !below.contains(&*dependency) {
                let list = if below.is_empty() { "nothing of ours".into() } else { join(&below) };
                out.push(format!("`{name}` may not depend on `{dependency}`, only on {list}"));
            }
        }
        for dependency in self.edges(manifest, &["dev-dependencies"]) {
            if all_below(&dependency).contains(name) {
                out.push(format!(
                    "the tests of `{name}` may not use `{dependency}`, which stands on `{name}`"
                ));
            }
        }
        out
    }

    /// The crates of ours that the named tables of a manifest mention, per target too.
    fn edges(&self, manifest: &Table, kinds: &[&str]) -> BTreeSet<String> {
        let per_target =
            manifest.get("target").and_then(|t| t.as_table()).into_iter().flat_map(|t| t.values());
        let places = std::iter::once(manifest).chain(per_target.filter_map(|t| t.as_table()));
        let tables = places.flat_map(|p| kinds.iter().filter_map(|k| p.get(*k)?.as_table()));
        tables.flatten().filter_map(|(key, value)| self.folder(key, value)).collect()
    }

    /// The folder of ours behind a dependency, by its path, its package name, or its key.
    fn folder(&self, key: &str, value: &toml::Value) -> Option<String> {
        if value.get("workspace").is_some() {
            return self.folder(key, self.shared.get(key).unwrap_or(&toml::Value::Boolean(false)));
        }
        if let Some(path) = value.get("path").and_then(|p| p.as_str()) {
            return Path::new(path).file_name().map(|f| f.to_string_lossy().into_owned());
        }
        let package = value.get("package").and_then(|p| p.as_str()).unwrap_or(key);
        let by_prefix = || package.strip_prefix("stiction-").filter(|n| allowed(n).is_some());
        self.folders.get(package).map(String::as_str).or_else(by_prefix).map(str::to_owned)
    }
}

fn read(path: &Path) -> Table {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What the plan lets `name` depend on.
fn allowed(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, below) = PLAN.iter().find(|(n, _)| *n == name)?;
    Some(below.split_whitespace().collect())
}

/// Everything `name` may stand on, at any depth.
fn all_below(name: &str) -> BTreeSet<&'static str> {
    let direct = allowed(name).unwrap_or_default();
    direct.iter().flat_map(|n| all_below(n)).chain(direct.iter().copied()).collect()
}

fn join(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}
