//! Names and assets: said twice, or never used.

use super::report::{Findings, Rule, note, warning};
use super::subject::Subject;
use crate::xml::Element;
use std::collections::{BTreeMap, BTreeSet};

const DUPLICATE: Rule = warning(
    "name-duplicate",
    "two things of one kind have the same name: which one is meant is chance",
    "rename one of them",
);
const CONFLICT: Rule = note(
    "material-conflict",
    "a material is stated twice with different colours: which one counts depends on the program",
    "give the colours different names",
);
const UNUSED: Rule = note(
    "asset-unused",
    "an asset, material or default class that nothing refers to",
    "remove it, or refer to it",
);

pub(super) const RULES: &[Rule] = &[DUPLICATE, CONFLICT, UNUSED];

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let elements = subject.elements();
    duplicates(subject.document.root().name(), &elements, out);
    match subject.document.root().name() {
        "robot" => materials(&elements, out),
        "mujoco" => unused(&elements, out),
        _ => {}
    }
}

/// Kinds whose names the readers do not insist on.
fn kind(root: &str, element: Element<'_>) -> Option<&'static str> {
    Some(match (root, element.parent_name(), element.name()) {
        ("robot", "robot", "transmission") => "transmission",
        ("mujoco", "sensor", _) => "sensor",
        ("mujoco", "keyframe", "key") => "keyframe",
        ("mujoco", "body" | "worldbody" | "frame", "site") => "site",
        ("mujoco", "asset", "texture") => "texture",
        _ => return None,
    })
}

fn duplicates(root: &str, elements: &[Element<'_>], out: &mut Findings) {
    let mut first: BTreeMap<(&str, &str), Element<'_>> = BTreeMap::new();
    for &element in elements {
        let (Some(kind), Some(name)) = (kind(root, element), element.peek("name")) else { continue };
        match first.get(&(kind, name.value())) {
            Some(one) => {
                let reason = format!("the first {kind} of this name is at {}", one.place());
                out.add_at(&DUPLICATE, name.place(), element.described(), name.value(), reason);
            }
            None => drop(first.insert((kind, name.value()), element)),
        }
    }
}

/// Colours that URDF materials state, and materials that no visual names.
fn materials(elements: &[Element<'_>], out: &mut Findings) {
    let materials = || elements.iter().filter(|e| e.name() == "material" && e.parent_name() != "gazebo");
    let mut colours: BTreeMap<&str, (&str, Element<'_>)> = BTreeMap::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for &material in materials() {
        let Some(name) = material.peek("name") else { continue };
        if material.parent_name() != "robot" {
            used.insert(name.value());
        }
        let colour = material.children().find(|c| c.name() == "color").and_then(|c| c.peek("rgba"));
        let Some(rgba) = colour.filter(|_| !name.value().trim().is_empty()) else { continue };
        match colours.get(name.value()) {
            Some((first, one)) if !same(first, rgba.value()) => {
                let reason = format!("it is `{first}` at {}", one.place());
                out.add_at(&CONFLICT, rgba.place(), material.described(), rgba.value(), reason);
            }
            Some(_) => {}
            None => drop(colours.insert(name.value(), (rgba.value(), material))),
        }
    }
    for &material in materials().filter(|m| m.parent_name() == "robot") {
        if let Some(name) = material.peek("name").filter(|n| !used.contains(n.value())) {
            out.add(&UNUSED, material, name.value(), "no visual names this material");
        }
    }
}

/// True when two texts hold the same numbers, however written.
fn same(a: &str, b: &str) -> bool {
    let numbers = |s: &str| s.split_whitespace().map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
    match (numbers(a), numbers(b)) {
        (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6),
        _ => a == b,
    }
}

/// MJCF assets and classes that nothing names.
fn unused(elements: &[Element<'_>], out: &mut Findings) {
    let mut named: BTreeSet<(&str, &str)> = BTreeSet::new();
    for e in elements {
        for a in e.attributes() {
            let kind = match a.name() {
                "class" if e.name() == "default" => continue,
                "class" | "childclass" => "default",
                "mesh" | "material" | "texture" | "hfield" => a.name(),
                _ => continue,
            };
            named.insert((kind, a.value()));
        }
    }
    for &e in elements {
        let (kind, name) = match (e.parent_name(), e.name()) {
            ("asset", kind @ ("mesh" | "material" | "texture" | "hfield")) => (kind, e.peek("name")),
            // A class with others inside gives them its values.
            ("default", "default") if e.children().all(|c| c.name() != "default") => {
                ("default", e.peek("class"))
            }
            _ => continue,
        };
        let skybox = e.peek("type").is_some_and(|t| t.value() == "skybox");
        if let Some(name) = name.filter(|n| !skybox && !named.contains(&(kind, n.value()))) {
            out.add(&UNUSED, e, name.value(), format!("nothing refers to this {kind}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{codes, mjcf, urdf};

    #[test]
    fn names_said_twice() {
        let clocks = |n: &str| format!("<sensor><clock name='a'/><clock name='{n}'/></sensor>");
        assert_eq!(codes(&mjcf(&clocks("a"))), ["refused", "name-duplicate"]);
        assert!(codes(&mjcf(&clocks("b"))).is_empty());
    }

    #[test]
    fn colours_and_assets() {
        let visual = |m: &str| format!("<visual><geometry><sphere radius='1'/></geometry>{m}</visual>");
        let red = "<material name='m'><color rgba='1 0 0 1'/></material>";
        let one = urdf(&format!("{red}<link name='a'>{}</link>", visual("<material name='m'/>")));
        assert!(codes(&one).is_empty(), "{:?}", codes(&one));
        let blue = red.replace("1 0 0 1", "0 0 1 1");
        let two = urdf(&format!("{red}<link name='a'>{}</link>", visual(&blue)));
        assert_eq!(codes(&two), ["material-conflict"]);
        assert_eq!(codes(&urdf(&format!("{red}<link name='a'/>"))), ["asset-unused"]);
        let asset = |used: &str| {
            mjcf(&format!(
                "<asset><material name='m'/></asset><worldbody><geom size='1' {used}/></worldbody>"
            ))
        };
        assert_eq!(codes(&asset("")), ["asset-unused"]);
        assert!(codes(&asset("material='m'")).is_empty());
    }
}
