//! Inertia tensors that no body has, and those that belong to another body or unit.
//!
//! ```text
//!     a principal moment is at most the sum of the other two                     (1)
//!     radius of gyration k = √(I/m) <= the farthest point of the body from its centre of mass  (2)
//!     of a box of sides s: k² = (s_y² + s_z²)/12, …                              (3)
//! ```

use super::report::{Findings, Rule, error, note, number, numbers, warning};
use super::subject::{Subject, part};
use crate::xml::Element;
use stiction_collision::Aabb;
use stiction_dynamics::Link;
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use stiction_world::inertia::principal;

const NEGATIVE: Rule = error(
    "inertia-not-positive",
    "a principal moment of inertia is negative: energy has no lower bound",
    "export the inertia again; check the signs of the products of inertia and the order of the six numbers",
);
const TRIANGLE: Rule = error(
    "inertia-triangle",
    "a principal moment is larger than the sum of the others: no distribution of mass has this inertia",
    "export the inertia again; check the order of the numbers and that it is about the centre of mass",
);
const ROUNDING: Rule = note(
    "inertia-rounding",
    "a principal moment exceeds the sum of the others by less than a percent: flat bodies, rounded",
    "write more digits, or let `stiction check --fix` balance it",
);
const PLACEHOLDER: Rule = warning(
    "inertia-placeholder",
    "a tensor of equal powers of ten that does not fit the geometry: a default that an exporter or a hand left",
    "compute it from mass and geometry",
);
const LARGE: Rule = warning(
    "inertia-large",
    "its radius of gyration reaches beyond the body: a wrong unit, or not about the centre of mass",
    "check the unit of the moments [kg·m²] and that they are about the centre of mass",
);
const SMALL: Rule = warning(
    "inertia-small",
    "less than a hundredth of the inertia of a box of the same size and mass: a wrong unit or a placeholder",
    "check the unit of the moments [kg·m²]",
);
const POINT: Rule = warning(
    "inertia-zero",
    "a moving body with mass but without moments of inertia: it turns at no effort",
    "give it moments of inertia",
);
const LINE: Rule = warning(
    "inertia-singular",
    "no moment of inertia about an axis: with a base that moves freely the model is refused",
    "give it positive moments about all three axes [kg·m²]",
);
const MASSLESS: Rule = warning(
    "inertia-without-mass",
    "moments of inertia without a mass",
    "give the link its mass, or leave its inertia out",
);
const OUTSIDE: Rule = warning(
    "com-outside",
    "the centre of mass lies outside the box around the body's geometry",
    "check its unit [m], its frame (the link's, not the world's), and its signs",
);

pub(super) const RULES: &[Rule] =
    &[NEGATIVE, TRIANGLE, ROUNDING, PLACEHOLDER, LARGE, SMALL, POINT, LINE, MASSLESS, OUTSIDE];

/// Excess over the sum of the others, relative, that is rounding.
pub(super) const ROUNDED: f64 = 0.01;
/// Smaller excess is of no consequence, relative.
pub(super) const EXACT: f64 = 1e-6;

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return negative(subject, out) };
    for (l, link) in world.model.links.iter().enumerate() {
        let element = subject.link(l);
        let at = part(element, &["inertial", "inertia"]);
        let extent = subject.extents.get(l).copied().flatten();
        let moments = moments(&link.inertia);
        let mut say = |rule, reason: String| {
            let value = format!("{} kg·m²", numbers(&moments.to_array()));
            out.add_at(rule, at.place(), element.described(), value, reason);
        };
        let possible = possible(link, moments, &mut say);
        if possible && subject.weighs(world, l) {
            // A link fixed to another adds little to it; what moves alone turns about itself.
            let alone = link
                .body
                .is_some_and(|b| world.model.bodies.get(b).is_some_and(|b| b.inertia == link.inertia));
            fits(link, moments, extent.as_ref(), alone, &mut say);
        }
        // What moves freely is refused before it comes here.
        let object = world.model.bodies.is_empty() && link.parent.is_none();
        let least = moments.x.min(moments.y).min(moments.z);
        if possible && object && subject.weighs(world, l) && least <= 1e-12 * largest(moments) {
            say(&LINE, format!("a principal moment is {}", number(least)));
        }
        if let Some(extent) = extent.filter(|_| subject.weighs(world, l)) {
            let margin = if subject.drawn[l] { 0.1 } else { 1.0 };
            let at = part(element, &["inertial", "origin"]);
            outside(link.inertia.com(), &extent, margin, at, element, out);
        }
    }
}

/// Principal moments; those that are nothing but rounding of the place of the mass are 0.
fn moments(inertia: &Inertia) -> Vec3 {
    let (m, _) = principal(&inertia.about_com());
    let noise = 1e-12 * (inertia.second.xx + inertia.second.yy + inertia.second.zz);
    let clean = |x: f64| if x.abs() <= noise { 0.0 } else { x };
    vec3(clean(m.x), clean(m.y), clean(m.z))
}

/// False, and said, for a tensor that no body has.
fn possible(link: &Link, moments: Vec3, say: &mut impl FnMut(&'static Rule, String)) -> bool {
    let largest = moments.x.max(moments.y).max(moments.z);
    let excess =
        if largest > 0.0 { (2.0 * largest - (moments.x + moments.y + moments.z)) / largest } else { 0.0 };
    let least = moments.x.min(moments.y).min(moments.z);
    if least < -1e-9 * largest.abs() {
        say(&NEGATIVE, format!("a principal moment is {}", number(least)));
        return false;
    }
    if link.inertia.mass == 0.0 && largest > 0.0 {
        say(&MASSLESS, "the mass is 0".to_owned());
    } else if excess > ROUNDED {
        say(&TRIANGLE, format!("{} is larger than the sum of the others", number(largest)));
    } else if excess > EXACT {
        say(
            &ROUNDING,
            format!("{} exceeds the sum of the others by {} %", number(largest), number(100.0 * excess)),
        );
    }
    excess <= ROUNDED
}

/// Radii of gyration squared of a box of sides `s`, (3).
fn of_box(s: Vec3) -> Vec3 {
    let (x, y, z) = (s.x * s.x, s.y * s.y, s.z * s.z);
    vec3(y + z, x + z, x + y) * (1.0 / 12.0)
}

fn largest(v: Vec3) -> f64 {
    v.x.max(v.y).max(v.z)
}

/// Whether the moments fit the geometry, or are a placeholder's.
fn fits(
    link: &Link,
    moments: Vec3,
    extent: Option<&Aabb>,
    alone: bool,
    say: &mut impl FnMut(&'static Rule, String),
) {
    let (mass, I) = (link.inertia.mass, largest(moments));
    if I <= 0.0 {
        if alone {
            say(&POINT, format!("{} kg in one point", number(mass)));
        }
        return;
    }
    let k = (I / mass).sqrt();
    let reach = extent.map(|e| farthest(e, link.inertia.com()));
    let boxed = extent.map(|e| largest(of_box(e.max - e.min)).sqrt());
    let alike = boxed.is_some_and(|b| (0.3..3.0).contains(&(k / b)));
    if equal_powers_of_ten(&link.inertia.about_com()) && !alike {
        say(&PLACEHOLDER, format!("{} kg·m² about every axis, for {} kg", number(I), number(mass)));
    } else if let Some(reach) = reach.filter(|r| k > 1.5 * r) {
        let reason = format!(
            "a radius of gyration of {} m, but the link reaches only {} m from its centre of mass{}",
            number(k),
            number(reach),
            unit(k / boxed.unwrap_or(reach)),
        );
        say(&LARGE, reason);
    } else if let Some(boxed) = boxed.filter(|b| k < 0.1 * b) {
        let reason = format!(
            "a radius of gyration of {} m; a box of its size has {} m{}",
            number(k),
            number(boxed),
            unit(k / boxed),
        );
        say(&SMALL, reason);
    }
}

/// Mistake of units that a ratio of radii of gyration near a power of ten suggests.
fn unit(ratio: f64) -> &'static str {
    let near = |power: f64| (0.2..5.0).contains(&(ratio / power));
    if near(1e3) {
        ": kg·mm² instead of kg·m²?"
    } else if near(1e3_f64.sqrt()) {
        ": g·m² instead of kg·m²?"
    } else if near(1e-3) {
        ": a mass in mg, or geometry in mm?"
    } else {
        ""
    }
}

/// Distance of the farthest corner of the box from `p`.
fn farthest(b: &Aabb, p: Vec3) -> f64 {
    let d = |i: usize| (b.max[i] - p[i]).abs().max((b.min[i] - p[i]).abs());
    vec3(d(0), d(1), d(2)).norm()
}

fn equal_powers_of_ten(s: &Sym3) -> bool {
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
    let diagonal = s.xy.abs() + s.xz.abs() + s.yz.abs() <= 1e-9 * s.xx.abs();
    let power = s.xx.log10();
    diagonal && same(s.xx, s.yy) && same(s.xx, s.zz) && (power - power.round()).abs() < 1e-9
}

/// `margin`: how far outside the box it may be, as a part of its diagonal.
fn outside(com: Vec3, extent: &Aabb, margin: f64, at: Element<'_>, element: Element<'_>, out: &mut Findings) {
    let size = extent.max - extent.min;
    let margin = margin * size.norm() + 5e-3;
    let beyond = (0..3).map(|i| (extent.min[i] - com[i]).max(com[i] - extent.max[i])).fold(0.0, f64::max);
    if beyond > margin {
        let (value, beyond, size) = (numbers(&com.to_array()), number(beyond), numbers(&size.to_array()));
        let reason = format!("{beyond} m outside the box of sides {size} m around the link's geometry");
        out.add_at(&OUTSIDE, at.place(), element.described(), format!("({value}) m"), reason);
    }
}

/// Finds, in a file that the reader refused, tensors stated in URDF's way that have a negative moment.
fn negative(subject: &Subject<'_>, out: &mut Findings) {
    for at in subject.elements().into_iter().filter(|e| e.name() == "inertia") {
        let moment = |name: &str| at.peek(name).and_then(|a| a.number().ok());
        let read = || {
            let (xx, yy, zz) = (moment("ixx")?, moment("iyy")?, moment("izz")?);
            Some(Sym3 { xx, yy, zz, xy: moment("ixy")?, xz: moment("ixz")?, yz: moment("iyz")? })
        };
        let Some(tensor) = read() else { continue };
        let (m, _) = principal(&tensor);
        let (least, most) = (m.x.min(m.y).min(m.z), largest(m));
        if least < -1e-9 * most.abs() - 1e-15 {
            let link = at.parent().and_then(Element::parent).unwrap_or(at);
            let value = format!("{} kg·m²", numbers(&m.to_array()));
            out.add_at(
                &NEGATIVE,
                at.place(),
                link.described(),
                value,
                format!("a principal moment is {}", number(least)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, urdf};

    fn tensor(xx: f64, yy: f64, zz: f64, com: &str) -> Vec<&'static str> {
        codes(&urdf(&arm(
            &format!(
                "<inertial><origin xyz='{com}'/><mass value='3'/><inertia ixx='{xx}' iyy='{yy}' izz='{zz}' ixy='0' \
                 ixz='0' iyz='0'/></inertial><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
            ),
            "",
        )))
        .into_iter()
        .filter(|c| c.starts_with("inertia") || c.starts_with("com"))
        .collect()
    }

    /// A cube of 3 kg and 0.2 m has 0.02 kg·m².
    #[test]
    fn each_wrong_tensor_by_its_name() {
        assert!(tensor(0.02, 0.02, 0.02, "0 0 0").is_empty());
        assert_eq!(tensor(0.02, 0.02, 0.06, "0 0 0"), ["inertia-triangle"]);
        assert_eq!(tensor(0.02, 0.02, 0.0401, "0 0 0"), ["inertia-rounding"]);
        assert_eq!(tensor(1.0, 1.0, 1.0, "0 0 0"), ["inertia-placeholder"]);
        assert_eq!(tensor(2.0, 2.0, 2.5, "0 0 0"), ["inertia-large"]);
        assert_eq!(tensor(2e-5, 2.1e-5, 2e-5, "0 0 0"), ["inertia-small"]);
        assert_eq!(tensor(0.0, 0.0, 0.0, "0 0 0"), ["inertia-zero"]);
        assert_eq!(tensor(0.02, 0.02, 0.02, "0.5 0 0"), ["com-outside"]);
        assert_eq!(tensor(-0.02, 0.02, 0.02, "0 0 0"), ["inertia-not-positive"]);
        let object = |xx: f64, zz: f64| {
            codes(&urdf(&format!(
                "<link name='a'><inertial><mass value='1'/><inertia ixx='{xx}' iyy='1' izz='{zz}' ixy='0' ixz='0' \
                 iyz='0'/></inertial></link>"
            )))
        };
        assert_eq!(object(-1.0, 1.0), ["inertia-not-positive"]);
        assert_eq!(object(1.0, 0.0), ["inertia-singular"]);
        assert!(!object(1.0, 0.1).contains(&"inertia-singular"));
    }

    #[test]
    fn moments_without_mass() {
        let inertial = "<inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
        let text = urdf(&arm(
            "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>",
            "",
        ))
        .replace("<link name='a'/>", &format!("<link name='a'>{inertial}</link>"));
        assert!(codes(&text).contains(&"inertia-without-mass"));
    }

    #[test]
    fn units_are_guessed_from_the_ratio() {
        assert!(super::unit(1000.0).contains("mm²") && super::unit(30.0).contains("g·m²"));
        assert_eq!(super::unit(1.0), "");
    }
}
