//! Surfaces: friction that no pair of materials has.

use super::report::{Findings, Rule, note, number, warning};
use super::subject::Subject;
use stiction_world::Dimension;

const ZERO: Rule = note(
    "friction-zero",
    "a surface without friction; of a pair MuJoCo takes the larger coefficient, Gazebo the smaller, Drake a mean that is zero",
    "give it a coefficient, unless it is meant to slip",
);
const HIGH: Rule = warning(
    "friction-high",
    "a friction coefficient above 2: more than rubber on concrete",
    "use 0.5 to 1 for most materials; stiffness of contacts is no matter of friction here",
);
const BOUNCE: Rule = note(
    "restitution-one",
    "a coefficient of restitution of 1: impacts lose no energy, and nothing comes to rest",
    "use a value below 1",
);

pub(super) const RULES: &[Rule] = &[ZERO, HIGH, BOUNCE];

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    for (g, geometry) in world.geometries.iter().enumerate() {
        let m = geometry.material;
        let frictional = m.dimension != Dimension::Normal;
        if geometry.group == 0 && geometry.mask == 0 {
            continue;
        }
        let mut say = |rule, value: String, reason: &str| {
            out.add_at(rule, subject.geometry(g).place(), subject.owner(g), value, reason);
        };
        if m.friction == 0.0 && frictional {
            say(&ZERO, "0".to_owned(), "a surface without friction");
        } else if m.friction > 2.0 && frictional {
            say(&HIGH, number(m.friction), "no pair of materials grips like this");
        }
        if m.restitution >= 1.0 {
            say(&BOUNCE, number(m.restitution), "impacts lose no energy");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{codes, mjcf, urdf};

    #[test]
    fn friction_and_restitution() {
        let geom = |f: &str| codes(&mjcf(&format!("<worldbody><geom size='1' friction='{f}'/></worldbody>")));
        assert_eq!(geom("0"), ["friction-zero"]);
        assert_eq!(geom("5"), ["friction-high"]);
        assert!(geom("0.8").is_empty());
        let bouncy = "<link name='a'><collision><geometry><sphere radius='1'/></geometry></collision>\
                      <contact><restitution value='1'/></contact></link>";
        assert_eq!(codes(&urdf(bouncy)), ["restitution-one"]);
    }
}
