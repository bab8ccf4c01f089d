//! Shapes that overlap before anything has moved.

use super::report::{Findings, Rule, note, number, warning};
use super::subject::Subject;
use crate::neighbours::{exclude_base, exclude_neighbours};
use crate::overlap::{IGNORED, MAX_GEOMETRIES, Overlap, message, overlaps};
use std::collections::BTreeSet;
use stiction_world::World;

const OVERLAP: Rule = warning(
    "overlap",
    "two links that may touch overlap at the start: the contact pushes them apart, or locks them",
    "move or shrink their shapes, or exclude the pair",
);
const PENETRATION: Rule = warning(
    "ground-penetration",
    "the robot starts inside the ground or the furniture: the contact throws it out",
    "lift the robot in this posture",
);
const EXCLUDED: Rule = note(
    "overlap-ignored",
    "two links overlap at the reference posture; the format has no word for pairs that never touch, so their contact \
     is ignored for good",
    "shrink their shapes if they are meant to touch",
);
const UNSEARCHED: Rule = note(
    "overlap-unsearched",
    "too many shapes to search for pairs that overlap at the start",
    "look at the first step of a run",
);

pub(super) const RULES: &[Rule] = &[OVERLAP, PENETRATION, EXCLUDED, UNSEARCHED];

/// Soft contacts of other programs leave about as much in their keyframes [m].
const TOLERANCE: f64 = 2e-3;
/// Postures looked at.
const MAX_POSTURES: usize = 20;

/// Whether the reader says of a pair that its contact is ignored.
pub(super) fn is_exclusion(message: &str) -> bool {
    message.ends_with(IGNORED)
}

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    if world.geometries.len() > MAX_GEOMETRIES {
        let n = format!("{} shapes", world.geometries.len());
        return out.add(
            &UNSEARCHED,
            subject.document.root(),
            n,
            format!("at most {MAX_GEOMETRIES} are searched"),
        );
    }
    ignored(subject, world, out);
    if world.keyframes.is_empty() {
        posture(subject, world, None, &world.model.neutral(), out);
    }
    for key in world.keyframes.iter().take(MAX_POSTURES) {
        posture(subject, world, Some(&key.name), &key.q, out);
    }
}

/// The worst overlap of every pair of links, at a keyframe or at the reference.
fn posture(subject: &Subject<'_>, world: &World, key: Option<&str>, q: &[f64], out: &mut Findings) {
    let mut found = overlaps(world, q, TOLERANCE).unwrap_or_default();
    found.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let fixed =
        |link: Option<usize>| link.and_then(|l| world.model.links.get(l)).is_none_or(|l| l.body.is_none());
    let mut seen = BTreeSet::new();
    for Overlap { a, b, depth } in found {
        let links = (world.geometries[a].link, world.geometries[b].link);
        if !seen.insert(links) {
            continue;
        }
        let (ground, moving) = if fixed(links.0) { (a, b) } else { (b, a) };
        // The base that carries a link is no furniture.
        let carried = carries(world, world.geometries[ground].link, world.geometries[moving].link);
        let still = fixed(links.0) || fixed(links.1);
        let rule = if still && !carried { &PENETRATION } else { &OVERLAP };
        let at =
            key.map_or_else(|| "in the reference posture".to_owned(), |k| format!("at the keyframe `{k}`"));
        let reason = format!("it overlaps {} by {} mm {at}", subject.owner(ground), number(1e3 * depth));
        let (place, value) = (subject.geometry(moving).place(), format!("{} mm", number(1e3 * depth)));
        out.add_at(rule, place, subject.owner(moving), value, reason);
    }
}

/// True if `base` is on the way from a link to the world.
fn carries(world: &World, base: Option<usize>, link: Option<usize>) -> bool {
    let mut at = link;
    while let Some(l) = at {
        if at == base {
            return true;
        }
        at = world.model.links.get(l).and_then(|link| link.parent);
    }
    false
}

/// The pairs that the reader excludes because they overlap at the reference.
fn ignored(subject: &Subject<'_>, world: &World, out: &mut Findings) {
    let said: BTreeSet<&str> =
        world.ledger.warnings.iter().map(|(_, m)| m.as_str()).filter(|m| is_exclusion(m)).collect();
    if said.is_empty() {
        return;
    }
    let mut bare = world.clone();
    bare.excluded.clear();
    let root = subject.document.root();
    if exclude_neighbours(&mut bare, root).and_then(|()| exclude_base(&mut bare, root)).is_err() {
        return;
    }
    for Overlap { a, b, depth } in overlaps(&bare, &world.model.neutral(), 0.0).unwrap_or_default() {
        let (Some(one), Some(two)) = (world.geometries[a].link, world.geometries[b].link) else { continue };
        if said.contains(message(world, one, two, depth).as_str()) {
            let (value, other) = (format!("{} mm", number(1e3 * depth)), subject.link_name(Some(two)));
            let reason = format!("it overlaps `{other}` by {value}");
            out.add_at(&EXCLUDED, subject.geometry(a).place(), subject.owner(a), value, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, link, mjcf, solid, urdf};

    fn standing(z: &str, key: &str) -> Vec<&'static str> {
        codes(&mjcf(&format!(
            "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 {z}'><freejoint/><geom size='0.1'/></body>\
             </worldbody>{key}"
        )))
    }

    #[test]
    fn robots_in_the_ground() {
        assert_eq!(standing("0.09", ""), ["ground-penetration"]);
        assert!(standing("0.1", "").is_empty());
        let key = |z: &str| format!("<keyframe><key name='home' qpos='0 0 {z} 1 0 0 0'/></keyframe>");
        assert!(standing("0", &key("0.1")).is_empty());
        assert_eq!(standing("0.1", &key("0")), ["ground-penetration"]);
    }

    /// A folded arm in its own foot: nothing to be lifted out of.
    #[test]
    fn arms_in_their_own_base() {
        let body = |name: &str, z: f64, inside: &str| {
            format!("<body name='{name}' pos='0 0 {z}'><joint/><geom size='0.1'/>{inside}</body>")
        };
        let arm = body("upper", 0.5, &body("lower", -0.4, ""));
        let on_foot = format!("<worldbody><body name='foot'><geom size='0.1'/>{arm}</body></worldbody>");
        assert_eq!(codes(&mjcf(&on_foot)), ["overlap"]);
        let beside = format!("<worldbody><body name='foot'><geom size='0.1'/></body>{arm}</worldbody>");
        assert_eq!(codes(&mjcf(&beside)), ["ground-penetration"]);
    }

    #[test]
    fn links_in_each_other() {
        let pair = |x: &str| {
            mjcf(&format!(
                "<worldbody><body><freejoint/><geom size='0.1'/></body><body pos='{x} 0 0'><freejoint/>\
                 <geom size='0.1'/></body></worldbody>"
            ))
        };
        assert_eq!(codes(&pair("0.15")), ["overlap"]);
        assert!(codes(&pair("0.3")).is_empty());
        let bent = |z: &str| {
            urdf(
                &(arm(&solid(), "")
                    + &link("c", &solid().replace("0 0 0.5", "3 0 0"), "b", "")
                    + &link("d", &solid().replace("0 0 0.5", z), "c", "")),
            )
        };
        assert!(codes(&bent("0 0 0.4")).contains(&"overlap-ignored"), "{:?}", codes(&bent("0 0 0.4")));
        assert!(!codes(&bent("0 0 1")).contains(&"overlap-ignored"));
    }

    #[test]
    fn crowds_are_not_searched() {
        let crowd =
            "<worldbody><replicate count='2001' offset='3 0 0'><geom size='1'/></replicate></worldbody>";
        assert_eq!(codes(&mjcf(crowd)), ["overlap-unsearched"]);
    }
}
