//! Small models for the tests of the rules.

use super::{Report, check_text};
use crate::options::LoadOptions;
use std::path::Path;

pub(crate) fn report(text: &str) -> Report {
    check_text(text, Path::new("f"), Path::new("."), &LoadOptions::default())
}

/// The codes of all findings but the note on limits of speed, which is made on every joint that has one.
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    report(text).findings.iter().map(|f| f.rule.code).filter(|c| *c != "speed-free").collect()
}

pub(crate) fn urdf(inside: &str) -> String {
    format!("<robot name='r'>{inside}</robot>")
}

pub(crate) fn mjcf(inside: &str) -> String {
    format!("<mujoco>{inside}</mujoco>")
}

/// A link `name` with `inside`, on a hinge `name_joint` about z below `parent`; `more` goes into the
/// joint.
pub(crate) fn link(name: &str, inside: &str, parent: &str, more: &str) -> String {
    format!(
        "<link name='{name}'>{inside}</link>\n<joint name='{name}_joint' type='revolute'><origin xyz='0 0 0'/>\
         <parent link='{parent}'/><child link='{name}'/><axis xyz='0 0 1'/>\
         <limit lower='-1' upper='1' effort='10' velocity='10'/>{more}</joint>\n"
    )
}

/// A base `a`, and on a hinge a link `b` with `inside`.
pub(crate) fn arm(inside: &str, more: &str) -> String {
    format!("<link name='a'/>\n{}", link("b", inside, "a", more))
}

/// A cube of 3 kg and 0.2 m, 0.5 m above its link's origin.
pub(crate) fn solid() -> String {
    "<inertial><origin xyz='0 0 0.5'/><mass value='3'/><inertia ixx='0.02' iyy='0.02' izz='0.02' ixy='0' ixz='0' \
     iyz='0'/></inertial><collision><origin xyz='0 0 0.5'/><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
        .to_owned()
}
