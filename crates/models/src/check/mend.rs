//! A copy of a file with what is safe to mend mended: edits of the text at the places the document
//! knows, so that comments and formatting stay.
//!
//! Safe is what changes nothing that the reader reads, or less than the file's own rounding:
//!
//! - an axis is made unit (`axis-not-unit`): the reader does the same;
//! - a shape of size 0 is removed with its <collision> or <visual> (`shape-zero`): it is nothing;
//! - moments that miss the triangle inequality by less than a percent are balanced
//!   (`inertia-rounding`): the excess e of the largest is shared, −e/3, +e/3, +e/3, the least change
//!   of the moments that mends them.
//!
//! Nothing else is touched: masses, signs, units, limits and names are for the author to decide.
//! Includes are not written.

use super::geometry::{self, empty};
use super::inertia::{EXACT, ROUNDED};
use super::joints::NOT_ONE;
use super::{Report, check_text};
use crate::options::LoadOptions;
use crate::xml::Attribute;
use crate::xml::{Document, Element};
use std::ops::Range;
use std::path::Path;
use stiction_dynamics::spatial::{Sym3, Vec3, vec3};
use stiction_world::Place;
use stiction_world::inertia::{from_principal, principal};

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The rule that is satisfied now.
    pub code: &'static str,
    /// In the file as it was.
    pub place: Place,
    pub from: String,
    /// Empty for what was removed.
    pub to: String,
}

/// A mended file.
#[derive(Clone, Debug)]
pub struct Mended {
    pub text: String,
    pub changes: Vec<Change>,
    /// Report on the mended text.
    pub left: Report,
}

struct Edit {
    at: Range<usize>,
    change: Change,
}

/// Mends `text`; `None` for what is no XML.
pub fn mend(text: &str, file: &Path, base_dir: &Path, options: &LoadOptions) -> Option<Mended> {
    let document = Document::parse(file, text).ok()?;
    let mut edits = Vec::new();
    let mut stack = vec![document.root()];
    while let Some(element) = stack.pop() {
        match removal(element) {
            Some(edit) => edits.push(edit),
            None => {
                edits.extend(axis(element));
                edits.extend(moments(element));
                stack.extend(element.children());
            }
        }
    }
    edits.sort_by_key(|e| e.at.start);
    let mut mended = text.to_owned();
    for edit in edits.iter().rev() {
        mended.get(edit.at.clone())?;
        mended.replace_range(edit.at.clone(), &edit.change.to);
    }
    let left = check_text(&mended, file, base_dir, options);
    Some(Mended { text: mended, changes: edits.into_iter().map(|e| e.change).collect(), left })
}

fn replaced(attribute: Attribute<'_>, code: &'static str, to: String) -> Option<Edit> {
    let at = attribute.element.value_span(attribute.node)?;
    let change = Change { code, place: attribute.place(), from: attribute.value().to_owned(), to };
    Some(Edit { at, change })
}

/// A <collision> or <visual> whose one shape is empty.
fn removal(element: Element<'_>) -> Option<Edit> {
    if !matches!(element.name(), "collision" | "visual") || element.parent_name() != "link" {
        return None;
    }
    let geometry = element.children().find(|c| c.name() == "geometry")?;
    let shape = geometry.children().next()?;
    let (attribute, value) = empty(shape)?;
    let from = format!("<{}> with <{} {attribute}=\"{value}\">", element.name(), shape.name());
    let change = Change { code: geometry::ZERO.code, place: element.place(), from, to: String::new() };
    Some(Edit { at: element.span()?, change })
}

fn axis(element: Element<'_>) -> Option<Edit> {
    let attribute = match (element.parent_name(), element.name()) {
        ("default", _) => None,
        ("joint", "axis") => element.peek("xyz"),
        (_, "joint") => element.peek("axis"),
        _ => None,
    }?;
    let v = attribute.vector().ok()?;
    let unit = v.normalized().filter(|_| (v.norm() - 1.0).abs() > NOT_ONE)?;
    replaced(attribute, "axis-not-unit", written(&unit.to_array()))
}

fn written(xs: &[f64]) -> String {
    xs.iter().map(|x| digits(*x)).collect::<Vec<_>>().join(" ")
}

/// `x` without the last two digits, which arithmetic has rounded.
fn digits(x: f64) -> String {
    format!("{x:.13e}").parse().unwrap_or(x).to_string()
}

const NAMES: [&str; 6] = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];

fn moments(element: Element<'_>) -> Vec<Edit> {
    let stated = |name: &str| element.peek(name).and_then(|a| a.array::<1>().ok()).map(|[x]| x);
    let several = |name: &str, n: usize| element.peek(name).and_then(|a| a.numbers(n, n).ok());
    let edits = match element.name() {
        "inertia" => balanced(&NAMES.map(|n| stated(n).unwrap_or(f64::NAN))).map(|new| {
            let each = NAMES.iter().zip(new).filter(|(n, x)| stated(n) != Some(*x));
            each.filter_map(|(n, x)| replaced(element.peek(n)?, "inertia-rounding", digits(x))).collect()
        }),
        "inertial" => {
            let full = several("fullinertia", 6).and_then(|m| <[f64; 6]>::try_from(m).ok());
            let diagonal = several("diaginertia", 3).map(|m| [m[0], m[1], m[2], 0.0, 0.0, 0.0]);
            let one = |name: &str, old: [f64; 6], n: usize| {
                let text = written(&balanced(&old)?[..n]);
                replaced(element.peek(name)?, "inertia-rounding", text)
            };
            let full = full.and_then(|old| one("fullinertia", old, 6));
            Some(full.or_else(|| one("diaginertia", diagonal?, 3)).into_iter().collect())
        }
        _ => None,
    };
    edits.unwrap_or_default()
}

/// The moments xx, yy, zz, xy, xz, yz with the excess of the largest principal one shared out, if it
/// is small and there is any.
fn balanced(m: &[f64; 6]) -> Option<[f64; 6]> {
    let [xx, yy, zz, xy, xz, yz] = *m;
    let (p, axes) = principal(&Sym3 { xx, yy, zz, xy, xz, yz });
    let largest = p.x.max(p.y).max(p.z);
    let excess = 2.0 * largest - (p.x + p.y + p.z);
    if !(excess > EXACT * largest && excess <= ROUNDED * largest) {
        return None;
    }
    // A touch more than the excess, so that rounding does not bring it back.
    let e = excess * (1.0 + 1e-9) / 3.0;
    let share = |x: f64| if x == largest { x - e } else { x + e };
    let new: Vec3 = vec3(share(p.x), share(p.y), share(p.z));
    let s = if (xy, xz, yz) == (0.0, 0.0, 0.0) {
        Sym3::diagonal(new.x, new.y, new.z)
    } else {
        from_principal(new, &axes)
    };
    Some([s.xx, s.yy, s.zz, s.xy, s.xz, s.yz])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{arm, solid, urdf};

    fn mended(text: &str) -> Mended {
        mend(text, Path::new("f"), Path::new("."), &LoadOptions::default()).unwrap()
    }

    #[test]
    fn what_is_safe_is_mended_and_the_rest_stays() {
        let text = urdf(&arm(&solid(), "")).replace("xyz='0 0 1'/><limit", "xyz='0 3 4' /><!-- µ --><limit");
        let text = text.replace("izz='0.02'", "izz='0.0401'").replace("effort='10'", "effort='0'");
        let nothing = "<collision>\n<geometry><box size='0 1 1'/></geometry></collision>";
        let text = text.replace("<link name='a'/>", &format!("<link name='a'>{nothing}</link>"));
        let m = mended(&text);
        let codes: Vec<_> = m.changes.iter().map(|c| c.code).collect();
        assert_eq!(
            codes,
            ["shape-zero", "inertia-rounding", "inertia-rounding", "inertia-rounding", "axis-not-unit"]
        );
        assert!(m.text.contains("xyz='0 0.6 0.8' /><!-- µ --><limit"), "{}", m.text);
        assert!(m.text.contains("<link name='a'></link>"), "{}", m.text);
        let left: Vec<_> = m.left.findings.iter().map(|f| f.rule.code).collect();
        assert!(m.left.read && left == ["limit-effort-zero", "speed-free"], "{left:?}");
        assert!(mended(&m.text).changes.is_empty());
    }

    /// Files that use prefixes without declaring them are mended at the right places too.
    #[test]
    fn undeclared_prefixes_shift_nothing() {
        let text = urdf(&arm(&solid(), "")).replace("xyz='0 0 1'/><limit", "xyz='0 3 4'/><limit ef:fort='1'");
        let m = mended(&text);
        assert!(m.left.read && m.text == text.replace("xyz='0 3 4'", "xyz='0 0.6 0.8'"), "{}", m.text);
    }

    #[test]
    fn a_turned_tensor_is_balanced_along_its_own_axes() {
        let turn = stiction_dynamics::spatial::Quat::from_rpy(0.3, -1.2, 2.0).to_matrix();
        let s = from_principal(vec3(1.0, 2.0, 3.015), &turn);
        let new = balanced(&[s.xx, s.yy, s.zz, s.xy, s.xz, s.yz]).unwrap();
        let [xx, yy, zz, xy, xz, yz] = new;
        let mut p = principal(&Sym3 { xx, yy, zz, xy, xz, yz }).0.to_array();
        p.sort_by(f64::total_cmp);
        assert!(
            (p[0] - 1.005).abs() < 1e-8 && (p[1] - 2.005).abs() < 1e-8 && (p[2] - 3.01).abs() < 1e-8,
            "{p:?}"
        );
        assert!(balanced(&new).is_none() && balanced(&[1.0, 2.0, 4.0, 0.0, 0.0, 0.0]).is_none());
    }
}
