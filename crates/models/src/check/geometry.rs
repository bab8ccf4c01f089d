//! Shapes: none where one is needed, none that can be, and sizes in another unit.

use super::report::{Findings, Rule, note, number, numbers, warning};
use super::subject::{MARK, Subject};
use crate::xml::Element;
use stiction_dynamics::spatial::Vec3;
use stiction_world::{Drawing, World};

const NONE: Rule = note(
    "shape-none",
    "nothing of a model that moves can touch",
    "give the links <collision> shapes (MJCF: geoms with contype and conaffinity)",
);
const MISSING: Rule = note(
    "shape-missing",
    "a body at the end of a chain is drawn but cannot touch: it passes through everything",
    "give it a collision shape",
);
pub(super) const ZERO: Rule = warning(
    "shape-zero",
    "a shape of size 0: left out here, refused elsewhere",
    "give it a size, or leave it out; `stiction check --fix` removes it",
);
const TINY: Rule = warning(
    "shape-tiny",
    "a collision shape smaller than a tenth of a millimetre",
    "check the unit of its size and scale [m]",
);
const HUGE: Rule = warning(
    "shape-huge",
    "a collision shape on a moving body larger than 100 m: mm instead of m",
    "check the unit of its size and scale [m]",
);
const MISMATCH: Rule = warning(
    "shape-mismatch",
    "what a link shows is a hundred times larger or smaller than what it touches with: a scale was left out",
    "give the collision and the visual mesh the same scale",
);

pub(super) const RULES: &[Rule] = &[NONE, MISSING, ZERO, TINY, HUGE, MISMATCH];

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    for shape in subject.elements().into_iter().filter(|e| e.parent_name() == "geometry") {
        if let Some((attribute, value)) = empty(shape) {
            let around = shape.parent().and_then(Element::parent).unwrap_or(shape);
            let link = around.parent().unwrap_or(around);
            let reason = format!("the {attribute} of its <{}> is 0", shape.name());
            out.add_at(&ZERO, shape.place(), link.described(), value, reason);
        }
    }
    let Some(world) = subject.world else { return };
    missing(subject, world, out);
    sizes(subject, world, out);
}

/// An attribute of a URDF shape, or a child of an SDF one, that makes it empty.
pub(super) fn empty(shape: Element<'_>) -> Option<(&'static str, &str)> {
    let names: &[&'static str] = match shape.name() {
        "box" => &["size"],
        "sphere" => &["radius"],
        "cylinder" | "capsule" => &["radius", "length"],
        _ => return None,
    };
    names.iter().find_map(|&name| {
        let child = || shape.children().find(|c| c.name() == name).map(Element::text);
        let text = shape.peek(name).map(|a| a.value()).or_else(child)?;
        let zero = |word: &str| word.parse::<f64>().is_ok_and(|x| x == 0.0);
        text.split_whitespace().any(zero).then_some((name, text))
    })
}

fn missing(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let model = &world.model;
    let body_of = |link: Option<usize>| link.and_then(|l| model.links.get(l)).and_then(|l| l.body);
    let moving: Vec<usize> = world.geometries.iter().filter_map(|g| body_of(g.link)).collect();
    if moving.is_empty() {
        if !model.bodies.is_empty() && !world.visuals.is_empty() {
            let n = model.bodies.len();
            out.add(
                &NONE,
                subject.document.root(),
                "",
                format!("{n} moving bodies, none with a collision shape"),
            );
        }
        return;
    }
    let mut touches = vec![false; model.bodies.len()];
    let mut drawn = vec![false; model.bodies.len()];
    let mut carries = vec![false; model.bodies.len()];
    moving.iter().for_each(|&b| touches[b] = true);
    world.visuals.iter().filter_map(|v| body_of(v.link)).for_each(|b| drawn[b] = true);
    model.bodies.iter().filter_map(|b| b.parent).for_each(|p| carries[p] = true);
    for b in (0..model.bodies.len()).filter(|&b| drawn[b] && !touches[b] && !carries[b]) {
        out.add(&MISSING, subject.body(b), "", "drawn, at the end of a chain, without a collision shape");
    }
}

fn sizes(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let mut touched: Vec<f64> = vec![0.0; world.model.links.len()];
    let mut shown = touched.clone();
    for (g, geometry) in world.geometries.iter().enumerate() {
        let b = geometry.shape.aabb(&geometry.X_LG, 0.0);
        let size = (b.max - b.min).norm();
        let moves = geometry.link.and_then(|l| world.model.links.get(l)).is_some_and(|l| l.body.is_some());
        let sides = || format!("{} m", numbers(&(b.max - b.min).to_array()));
        let mut say = |rule, value: String, reason: &str| {
            out.add_at(rule, subject.geometry(g).place(), subject.owner(g), value, reason);
        };
        if size < 1e-4 {
            say(&TINY, sides(), "a shape that small has no effect but trouble");
        } else if moves && size.is_finite() && size > 100.0 {
            say(&HUGE, sides(), "no robot is that large");
        }
        if let Some(most) = geometry.link.and_then(|l| touched.get_mut(l)) {
            *most = most.max(size);
        }
    }
    for visual in &world.visuals {
        if let Some(most) = visual.link.and_then(|l| shown.get_mut(l)) {
            *most = most.max(drawn_size(&visual.drawing));
        }
    }
    for (l, (touched, shown)) in touched.iter().zip(&shown).enumerate() {
        let ratio = touched / shown;
        if *touched > MARK && *shown > MARK && ratio.is_finite() && !(0.01..100.0).contains(&ratio) {
            let value = format!("{} m touched, {} m drawn", number(*touched), number(*shown));
            out.add(&MISMATCH, subject.link(l), value, format!("a ratio of {}", number(ratio)));
        }
    }
}

fn drawn_size(drawing: &Drawing) -> f64 {
    match drawing {
        Drawing::Shape(shape) => 2.0 * shape.bounding_radius(),
        Drawing::Mesh { vertices, .. } => {
            let Some(&first) = vertices.first() else { return 0.0 };
            let (min, max) = vertices.iter().fold((first, first), |(a, b), v| (least(a, *v), most(b, *v)));
            (max - min).norm()
        }
    }
}

fn least(a: Vec3, b: Vec3) -> Vec3 {
    Vec3 { x: a.x.min(b.x), y: a.y.min(b.y), z: a.z.min(b.z) }
}

fn most(a: Vec3, b: Vec3) -> Vec3 {
    -least(-a, -b)
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, solid, urdf};

    /// A link with mass and the given geometries.
    fn shaped(inside: &str) -> Vec<&'static str> {
        let inertial = solid().split("<collision>").next().unwrap().to_owned();
        let found = codes(&urdf(&arm(&format!("{inertial}{inside}"), "")));
        found.into_iter().filter(|c| c.starts_with("shape")).collect()
    }

    fn collision(shape: &str) -> String {
        format!("<collision><origin xyz='0 0 0.5'/><geometry>{shape}</geometry></collision>")
    }

    fn visual(shape: &str) -> String {
        format!("<visual><geometry>{shape}</geometry></visual>")
    }

    #[test]
    fn each_wrong_shape_by_its_name() {
        let ball = "<sphere radius='0.1'/>";
        assert!(shaped(&(collision(ball) + &visual(ball))).is_empty());
        assert_eq!(shaped(&visual(ball)), ["shape-none"]);
        assert_eq!(shaped(&collision("<box size='1 1 0'/>")), ["shape-zero"]);
        assert_eq!(shaped(&collision("<sphere radius='1e-5'/>")), ["shape-tiny"]);
        assert_eq!(shaped(&collision("<sphere radius='150'/>")), ["shape-huge"]);
        assert_eq!(shaped(&(collision(ball) + &visual("<sphere radius='50'/>"))), ["shape-mismatch"]);
    }

    #[test]
    fn a_hand_that_cannot_touch() {
        let ball = "<geometry><sphere radius='0.1'/></geometry>";
        let hand = solid().replace("<collision>", "<visual>").replace("</collision>", "</visual>");
        let text = urdf(&(arm(&solid(), "") + &crate::check::testing::link("c", &hand, "b", "")));
        assert!(codes(&text).contains(&"shape-missing"), "{ball} {:?}", codes(&text));
    }
}
