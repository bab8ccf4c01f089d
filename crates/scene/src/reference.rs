//! The page `docs/scenes.md`: every key of a scene file with type, unit and default, made from the structs that read it, their
//! comments and their default values. A test holds the page to them; with `STICTION_WRITE_DOCS=1` it writes the page.

use super::spec::{
    BodySpec, ContactSpec, FixedSpec, ForceSpec, GroundSpec, HoldSpec, JitterSpec, KnifeEdgeSpec, ModelSpec,
    SoftSpec,
};
use super::{MotionSpec, Scene, TrackSpec};
use serde::de::DeserializeOwned;
use serde_json::{Value, to_value};
use stiction::StepperParams;

const SOURCES: [&str; 12] = [
    include_str!("lib.rs"),
    include_str!("spec.rs"),
    include_str!("motion.rs"),
    include_str!("track.rs"),
    include_str!("../../stiction/src/params.rs"),
    include_str!("../../stiction/src/canon_params.rs"),
    include_str!("../../solvers/src/effort.rs"),
    include_str!("../../nmdp/src/params.rs"),
    include_str!("../../nmdp/src/residual.rs"),
    include_str!("../../nmdp/src/wrench_set/cone.rs"),
    include_str!("../../nmdp/src/wrench_set/granular.rs"),
    include_str!("../../nmdp/src/set_kind.rs"),
];

const HEAD: &str = "# Scene files

Made from the code; `STICTION_WRITE_DOCS=1 cargo test -p stiction-scene reference` writes it again.

A scene is a TOML file: `stiction run scene.toml`, and `stiction check scene.toml` checks it with its models. A key that is not
listed here is an error. Units are m, kg, s, N; angles are in degrees where the key says so. `stiction scenes` lists scenes to
start from. Materials meet by the larger friction and the larger restitution of the two; what states none leaves it to the
other.
";

/// The type of a key that has a section of its own.
const TABLE: &str = "table, below";

/// A key of a section.
struct Key {
    name: String,
    kind: String,
    about: String,
    required: bool,
}

/// A struct or enum as its source tells it.
struct Item {
    name: String,
    about: String,
    /// Fields of a struct; variants of an enum, as they are written in files.
    keys: Vec<Key>,
}

/// The structs and enums of a source that rustfmt has been over.
fn items(source: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let (mut about, mut attributes) = (Vec::new(), String::new());
    let (mut inside, mut all_default, mut case) = (false, false, String::new());
    for line in source.lines() {
        let text = line.trim();
        if let Some(doc) = text.strip_prefix("///") {
            about.push(doc.trim().to_owned());
            continue;
        }
        if text.starts_with("#[") {
            attributes.push_str(text);
            continue;
        }
        let words = std::mem::take(&mut about).join(" ");
        let marks = std::mem::take(&mut attributes);
        let opened = ["pub struct ", "pub enum "].iter().find_map(|k| text.strip_prefix(k));
        if let Some(name) = opened.and_then(|rest| rest.strip_suffix(" {")) {
            all_default = marks.contains("serde(default");
            case = marks
                .split("rename_all = \"")
                .nth(1)
                .map_or_else(String::new, |c| c.split('"').next().unwrap().into());
            items.push(Item { name: name.to_owned(), about: words, keys: Vec::new() });
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if let (true, Some(item)) = (inside, items.last_mut()) {
            if marks.contains("serde(skip)") {
                continue;
            }
            if let Some((name, kind)) = text.strip_prefix("pub ").and_then(|f| f.split_once(": ")) {
                let kind = kind.trim_end_matches(',').to_owned();
                let required =
                    !all_default && !marks.contains("serde(default") && !kind.starts_with("Option<");
                item.keys.push(Key { name: name.to_owned(), kind, about: words, required });
            } else if !case.is_empty() && text.ends_with(',') {
                let name = in_case(text.trim_end_matches(','), &case);
                item.keys.push(Key { name, kind: String::new(), about: words, required: false });
            }
        }
    }
    items
}

/// A variant as serde writes it.
fn in_case(variant: &str, case: &str) -> String {
    let mut out = String::new();
    for c in variant.chars() {
        if case == "kebab-case" && c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Words of the page for a Rust type.
fn kind_in_words(kind: &str, all: &[Item]) -> String {
    let kind = kind.strip_prefix("Option<").and_then(|k| k.strip_suffix('>')).unwrap_or(kind);
    let words = match kind.rsplit("::").next().unwrap_or(kind) {
        "Finite" | "f64" => "number",
        "Positive" => "number > 0",
        "NotNegative" => "number ≥ 0",
        "Share" => "number 0 … 1",
        "u32" | "u64" => "whole number",
        "bool" => "`true` or `false`",
        "Vector" => "[x, y, z]",
        "Direction" => "[x, y, z], not zero",
        "Size" => "three numbers > 0",
        "Quaternion" => "[w, x, y, z]",
        "Rgba" => "[r, g, b] or [r, g, b, a], 0 … 1",
        "String" | "StepperName" => "text",
        "PathBuf" => "path",
        "Vec<PathBuf>" => "paths",
        "Vec<Finite>" => "numbers",
        "Vec<Vec<Finite>>" => "rows of numbers",
        "BTreeMap<String, Finite>" => "{ name = number, … }",
        "BTreeMap<String, SetKind>" => "{ name = set, … }",
        "[f64; 3]" => "[x, y, z]",
        "[Finite; 2]" => "two numbers",
        "[Finite; 5]" => "five numbers",
        "[u32; 3]" => "three whole numbers",
        "Params" => "table",
        other => {
            let item = all.iter().find(|i| i.name == other);
            return match item {
                Some(item) if !item.keys.is_empty() && item.keys.iter().all(|k| k.kind.is_empty()) => {
                    item.keys.iter().map(|k| format!("`{}`", k.name)).collect::<Vec<_>>().join(", ")
                }
                _ => TABLE.to_owned(),
            };
        }
    };
    words.to_owned()
}

/// The unit that a comment states in brackets, and the comment without it, links as their words.
fn unit_of(about: &str) -> (String, String) {
    let (mut unit, mut rest, mut words) = (String::new(), about, String::new());
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inside, end)) = after.split_once(']') else { break };
        words.push_str(before);
        let link = inside.starts_with('`') || end.starts_with('(');
        if link
            || inside.contains("::")
            || before.ends_with('`')
            || !unit.is_empty()
            || inside.starts_with('[')
        {
            let path = inside.trim_matches('`');
            let word = path.rsplit("::").next().unwrap_or(path);
            match (inside.starts_with('`'), link) {
                (true, _) => words.push_str(&format!("`{word}`")),
                _ => words.push_str(&format!("[{inside}]")),
            }
        } else {
            unit = inside.to_owned();
            words.truncate(words.trim_end().len());
        }
        rest = end;
    }
    words.push_str(rest);
    (unit, words.replace('|', "\\|"))
}

/// A default as it would be written in a file.
fn written(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".to_owned(),
        Some(Value::Array(list)) if list.is_empty() => "–".to_owned(),
        Some(Value::Object(map)) if map.is_empty() => "–".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "–".to_owned(),
        Some(Value::Object(map)) if map.len() <= 3 && map.values().all(|v| v.is_number()) => {
            let pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            format!("`{{ {} }}`", pairs.join(", "))
        }
        Some(Value::Object(_)) => "below".to_owned(),
        Some(value) => format!("`{value}`"),
    }
}

fn section(out: &mut String, heading: &str, item: &str, defaults: &Value, all: &[Item]) {
    let item = all.iter().find(|i| i.name == item).expect("a struct of the sources");
    let about = unit_of(&item.about).1;
    out.push_str(&format!(
        "\n## {heading}\n\n{about}\n\n| key | type | unit | default | is |\n|---|---|---|---|---|\n"
    ));
    for key in &item.keys {
        let ((unit, words), kind) = (unit_of(&key.about), kind_in_words(&key.kind, all));
        let default = if key.required { "required".to_owned() } else { written(defaults.get(&key.name)) };
        out.push_str(&format!("| `{}` | {kind} | {unit} | {default} | {words} |\n", key.name));
    }
}

/// A section, and one for each type of its keys that are tables.
fn section_with_tables(out: &mut String, heading: &str, item: &str, defaults: &Value, all: &[Item]) {
    section(out, heading, item, defaults, all);
    let item = all.iter().find(|i| i.name == item).expect("a struct of the sources");
    let tables: Vec<&Key> = item.keys.iter().filter(|k| kind_in_words(&k.kind, all) == TABLE).collect();
    for (i, first) in tables.iter().enumerate() {
        if tables[..i].iter().any(|other| other.kind == first.kind) {
            continue;
        }
        let same = tables.iter().filter(|other| other.kind == first.kind);
        let names: Vec<String> = same.map(|key| format!("`{}`", key.name)).collect();
        let heading = format!("{} of {heading}", names.join(" and "));
        section(out, &heading, &first.kind, &defaults[&first.name], all);
    }
}

/// The defaults of a section without those of all its keys: what the least text says.
fn least<T: DeserializeOwned + serde::Serialize>(text: &str) -> Value {
    to_value(toml::from_str::<T>(text).unwrap()).unwrap()
}

fn page() -> String {
    let all: Vec<Item> = SOURCES.iter().flat_map(|s| items(s)).collect();
    let mut out = HEAD.to_owned();
    let shape = "name = \"a\"\nshape = \"sphere\"\n";
    let body = format!("{shape}mass = 1.0\n");
    let scene = to_value(Scene::default()).unwrap();
    let sections: [(&str, &str, &Value); 14] = [
        ("The file", "Scene", &scene),
        ("`[ground]`", "GroundSpec", &to_value(GroundSpec::default()).unwrap()),
        ("`[[fixed]]`", "FixedSpec", &least::<FixedSpec>(shape)),
        ("`[[body]]`", "BodySpec", &least::<BodySpec>(&body)),
        ("`[[model]]`", "ModelSpec", &to_value(ModelSpec::default()).unwrap()),
        ("`[[force]]`", "ForceSpec", &least::<ForceSpec>("body = \"a\"\ndirection = [1, 0, 0]\n")),
        ("`[[knife_edge]]`", "KnifeEdgeSpec", &least::<KnifeEdgeSpec>("body = \"a\"\nacross = [0, 1, 0]\n")),
        ("`[motion]`", "MotionSpec", &least::<MotionSpec>("period = 1.0\ntimes = []\npositions = []\n")),
        ("`[track]`", "TrackSpec", &least::<TrackSpec>("file = \"a.csv\"\n")),
        ("`[contact]`", "ContactSpec", &to_value(ContactSpec::default()).unwrap()),
        ("`[stepper]`", "StepperParams", &to_value(StepperParams::default()).unwrap()),
        ("`soft`", "SoftSpec", &to_value(SoftSpec::default()).unwrap()),
        ("`hold`", "HoldSpec", &to_value(HoldSpec::default()).unwrap()),
        ("`jitter`", "JitterSpec", &to_value(JitterSpec::default()).unwrap()),
    ];
    for (heading, item, defaults) in sections {
        section(&mut out, heading, item, defaults, &all);
        if item == "StepperParams" {
            for (key, item) in [("nmdp", "NmdpParams"), ("canon", "CanonParams")] {
                section_with_tables(&mut out, &format!("`[stepper.{key}]`"), item, &defaults[key], &all);
            }
        }
    }
    out
}

/// The page is what the code says.
#[test]
fn the_reference_of_scenes_is_the_code() {
    let (page, path) = (page(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes.md"));
    if std::env::var_os("STICTION_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let differs = page.lines().zip(kept.lines()).find(|(new, old)| new != old);
    assert!(page == kept, "docs/scenes.md is old ({differs:?}); STICTION_WRITE_DOCS=1 writes it again");
    for key in ["`joint_velocities`", "`mass`", "required", "`hull`, `decompose`, `triangles`", "| m/s² |"] {
        assert!(page.contains(key), "{key}");
    }
}
