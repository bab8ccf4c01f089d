//! From links and joints, as files state them, to a validated [`Model`].

use crate::joint_spec::JointSpec;
use crate::model::{Body, Dof, Joint, JointKind, Link, Model};
use crate::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};
use std::cmp::Ordering;

/// An error in the description of a model. `element` names the link or joint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    #[error("{element}: {what} is {value}; expected {expected}")]
    Value { element: String, what: &'static str, value: String, expected: &'static str },
    #[error(
        "body `{body}` can move (joint `{joint}`) but nothing on it has inertia along that joint; give \
         it or a child a mass and inertia, or the joint an armature"
    )]
    Massless { body: String, joint: String },
    #[error(
        "link `{link}`: a free joint needs the world as parent and no other joint beside it; make it \
         a top-level body"
    )]
    FreeBelow { link: String },
    #[error("the model has {nv} degrees of freedom; at most {limit} are supported")]
    TooLarge { nv: usize, limit: usize },
    #[error(
        "chains of {nv} degrees of freedom make a mass matrix of {entries} numbers; at most {limit} are \
         supported"
    )]
    TooDeep { nv: usize, entries: usize, limit: usize },
}

/// Degrees of freedom beyond which a file is taken for a mistake or an attack.
pub const MAX_DOFS: usize = 1_000_000;

/// Numbers in the mass matrix (of every dof: itself and its ancestors) beyond which likewise.
pub const MAX_MASS_MATRIX_ENTRIES: usize = 50_000_000;

/// Collects links and joints; [`Self::build`] validates.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    links: Vec<(String, Option<usize>, Pose, Inertia)>,
    joints: Vec<(usize, JointSpec)>,
    unphysical: bool,
}

impl ModelBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a link at `X_PL` in its parent link (or the world) with its inertia about its own
    /// origin. Returns its index.
    pub fn link(
        &mut self,
        name: impl Into<String>,
        parent: Option<usize>,
        X_PL: Pose,
        inertia: Inertia,
    ) -> usize {
        assert!(parent.is_none_or(|p| p < self.links.len()), "a parent link comes before its children");
        self.links.push((name.into(), parent, X_PL, inertia));
        self.links.len() - 1
    }

    /// Adds a joint between `link` and its parent, after those the link already has.
    pub fn joint(&mut self, link: usize, joint: JointSpec) {
        assert!(link < self.links.len(), "a joint belongs to a link already added");
        self.joints.push((link, joint));
    }

    /// [`Self::joint`] for each of several in turn, such as those of [`JointSpec::planar`].
    pub fn joints(&mut self, link: usize, joints: impl IntoIterator<Item = JointSpec>) {
        for joint in joints {
            self.joint(link, joint);
        }
    }

    /// Accepts moving bodies without mass or with an inertia that no body has. Kinematics, M and
    /// bias of such a model are those of the formulas; M need not be positive definite.
    pub fn unphysical(mut self, accepted: bool) -> Self {
        self.unphysical = accepted;
        self
    }

    /// Validates and lays out the model.
    pub fn build(self, gravity: Vec3) -> Result<Model, ModelError> {
        let mut model = Model {
            bodies: Vec::new(),
            joints: Vec::new(),
            dofs: Vec::new(),
            links: Vec::new(),
            gravity,
            trees: 0,
            nq: 0,
        };
        if !gravity.is_finite() {
            return Err(value("model", "gravity", format!("{gravity:?}"), "three finite numbers [m/s²]"));
        }
        let mut joints_of: Vec<Vec<JointSpec>> = vec![Vec::new(); self.links.len()];
        for (link, joint) in self.joints {
            joints_of[link].push(joint);
        }
        let nv = joints_of.iter().flatten().map(|j| j.kind.nv()).sum();
        if nv > MAX_DOFS {
            return Err(ModelError::TooLarge { nv, limit: MAX_DOFS });
        }
        for ((name, parent, X_PL, inertia), joints) in self.links.into_iter().zip(joints_of) {
            validate_link(&name, &X_PL, &inertia)?;
            // The parent link's carrier and the pose of this link in it, joints at reference.
            let (carrier, X_CL) = match parent {
                Some(p) => (model.links[p].body, model.links[p].X_BL * X_PL),
                None => (None, X_PL),
            };
            let (body, X_BL) = if joints.is_empty() {
                (carrier, X_CL)
            } else {
                (Some(model.add_body(&name, carrier, X_CL, joints)?), Pose::IDENTITY)
            };
            if let Some(b) = body {
                let r = X_BL.rotation.to_matrix();
                model.bodies[b].inertia += inertia.transformed(&r, X_BL.translation);
            }
            model.links.push(Link { name, parent, body, X_BL, inertia });
        }
        if !self.unphysical {
            model.check_inertias()?;
            model.check_massless()?;
            model.check_turning()?;
        }
        model.check_depth()?;
        Ok(model)
    }
}

impl Model {
    fn add_body(
        &mut self,
        name: &str,
        parent: Option<usize>,
        X_PB: Pose,
        joints: Vec<JointSpec>,
    ) -> Result<usize, ModelError> {
        let body = self.bodies.len();
        let free = joints.iter().any(|j| j.kind == JointKind::Free);
        if free && (parent.is_some() || joints.len() > 1) {
            return Err(ModelError::FreeBelow { link: name.to_owned() });
        }
        let (first_joint, first_dof) = (self.joints.len(), self.dofs.len());
        let mut dof_parent = parent.and_then(|p| self.bodies[p].dofs.clone().next_back());
        for spec in joints {
            let (axis, joint) = (validate_joint(&spec)?, self.joints.len());
            let armature = spec.armature + spec.reflected_inertia();
            self.joints.push(Joint {
                name: spec.name,
                kind: spec.kind,
                body,
                axis,
                anchor: spec.anchor,
                pitch: spec.pitch,
                idx_q: self.nq,
                idx_v: self.dofs.len(),
                reference: spec.reference,
                limit: spec.limit,
                stiffness: spec.stiffness,
                spring_rest: spec.spring_rest,
            });
            self.nq += spec.kind.nq();
            for _ in 0..spec.kind.nv() {
                self.dofs.push(Dof {
                    body,
                    joint,
                    parent: dof_parent,
                    armature,
                    damping: spec.damping,
                    friction: spec.friction,
                    rate: None,
                });
                dof_parent = Some(self.dofs.len() - 1);
            }
        }
        let tree = match parent {
            Some(p) => self.bodies[p].tree,
            None => {
                self.trees += 1;
                self.trees - 1
            }
        };
        self.bodies.push(Body {
            name: name.to_owned(),
            parent,
            X_PB,
            inertia: Inertia::ZERO,
            joints: first_joint..self.joints.len(),
            dofs: first_dof..self.dofs.len(),
            tree,
        });
        Ok(body)
    }

    /// Checks that every moving body has an inertia that some rigid body can have. A link without one is tolerated
    /// where
    /// the links rigidly joined to it make up for it: only their sum acts.
    fn check_inertias(&self) -> Result<(), ModelError> {
        for link in &self.links {
            let Some(body) = link.body else { continue };
            if !possible(&link.inertia) && !possible(&self.bodies[body].inertia) {
                return Err(value(
                    &format!("link `{}`", link.name),
                    "inertia about the centre of mass",
                    matrix(&link.inertia.about_com()),
                    "positive semi-definite [kg·m²]",
                ));
            }
        }
        Ok(())
    }

    fn check_depth(&self) -> Result<(), ModelError> {
        let mut depth: Vec<usize> = Vec::with_capacity(self.nv());
        for dof in &self.dofs {
            depth.push(1 + dof.parent.map_or(0, |p| depth[p]));
        }
        let (nv, entries, limit) = (self.nv(), depth.iter().sum(), MAX_MASS_MATRIX_ENTRIES);
        if entries > limit { Err(ModelError::TooDeep { nv, entries, limit }) } else { Ok(()) }
    }

    /// A body may be massless only if something it carries is not. (A singular M that this misses
    /// shows as a pivot that is not positive when M is factored.)
    fn check_massless(&self) -> Result<(), ModelError> {
        let mut carried: Vec<f64> = self.bodies.iter().map(|b| b.inertia.mass).collect();
        for b in (0..self.bodies.len()).rev() {
            if let Some(p) = self.bodies[b].parent {
                carried[p] += carried[b];
            }
        }
        for (body, mass) in self.bodies.iter().zip(carried) {
            let geared = body.dofs.clone().all(|d| self.dofs[d].armature > 0.0);
            if mass <= 0.0 && !geared {
                return Err(ModelError::Massless {
                    body: body.name.clone(),
                    joint: self.joints[body.joints.start].name.clone(),
                });
            }
        }
        Ok(())
    }

    /// Checks that a body which turns about every axis, and carries nothing, has a moment of inertia about each:
    /// otherwise M is
    /// singular in every configuration.
    fn check_turning(&self) -> Result<(), ModelError> {
        let mut carries = vec![false; self.bodies.len()];
        self.bodies.iter().filter_map(|b| b.parent).for_each(|p| carries[p] = true);
        for (b, body) in self.bodies.iter().enumerate().filter(|(b, _)| !carries[*b]) {
            let [joint] = &self.joints[body.joints.clone()] else { continue };
            let moments = match joint.kind {
                JointKind::Free => body.inertia.about_com(),
                JointKind::Ball => body.inertia.transformed(&Mat3::IDENTITY, -joint.anchor).second,
                _ => continue,
            };
            let held = joint.stiffness != 0.0
                || self.dofs[body.dofs.clone()].iter().any(|d| d.armature > 0.0 || d.damping > 0.0);
            if !(held || positive_definite(&moments)) {
                let link = self.links.iter().find(|l| l.body == Some(b)).map_or(&body.name, |l| &l.name);
                return Err(value(
                    &format!("link `{link}`"),
                    "moments of inertia",
                    matrix(&moments),
                    "positive about every axis [kg·m²], as the link turns about every axis",
                ));
            }
        }
        Ok(())
    }
}

fn matrix(s: &Sym3) -> String {
    format!("[xx {}, yy {}, zz {}, xy {}, xz {}, yz {}]", s.xx, s.yy, s.zz, s.xy, s.xz, s.yz)
}

fn value(element: &str, what: &'static str, value: String, expected: &'static str) -> ModelError {
    ModelError::Value { element: element.to_owned(), what, value, expected }
}

fn validate_link(name: &str, X_PL: &Pose, inertia: &Inertia) -> Result<(), ModelError> {
    let element = format!("link `{name}`");
    if !X_PL.is_finite() {
        return Err(value(&element, "pose", format!("{X_PL:?}"), "finite numbers"));
    }
    if !(inertia.mass >= 0.0 && inertia.mass.is_finite()) {
        return Err(value(&element, "mass", inertia.mass.to_string(), "a finite number >= 0 [kg]"));
    }
    if !inertia.first.is_finite() {
        return Err(value(&element, "centre of mass", format!("{:?}", inertia.com()), "finite numbers [m]"));
    }
    Ok(())
}

/// Whether the moments about the centre of mass are positive semi-definite, up to rounding: nine
/// digits of them, or those of the mass at a micrometre.
fn possible(inertia: &Inertia) -> bool {
    let c = inertia.about_com();
    let scale = c.xx.abs() + c.yy.abs() + c.zz.abs();
    positive_semidefinite(&c, 1e-9 * scale + 1e-12 * inertia.mass)
}

/// All principal minors of S are at least −tolerance (to the power of their order).
fn positive_semidefinite(s: &Sym3, tolerance: f64) -> bool {
    let t = tolerance.max(f64::MIN_POSITIVE);
    let minor = |a: f64, b: f64, c: f64| (a + t) * (b + t) - c * c >= 0.0;
    let det = s.xx * (s.yy * s.zz - s.yz * s.yz) - s.xy * (s.xy * s.zz - s.yz * s.xz)
        + s.xz * (s.xy * s.yz - s.yy * s.xz);
    let scale = s.xx.abs() + s.yy.abs() + s.zz.abs();
    s.xx >= -t
        && s.yy >= -t
        && s.zz >= -t
        && minor(s.xx, s.yy, s.xy)
        && minor(s.xx, s.zz, s.xz)
        && minor(s.yy, s.zz, s.yz)
        && det >= -t * scale * scale
}

/// All pivots of S are more than rounding makes of them.
fn positive_definite(s: &Sym3) -> bool {
    let least = 1e-12 * (s.xx + s.yy + s.zz);
    let second = s.yy - s.xy * s.xy / s.xx;
    let across = s.yz - s.xy * s.xz / s.xx;
    s.xx > least && second > least && s.zz - s.xz * s.xz / s.xx - across * across / second > least
}

/// Checks the numbers; returns the unit axis.
fn validate_joint(spec: &JointSpec) -> Result<Vec3, ModelError> {
    let element = format!("joint `{}`", spec.name);
    let axis = match spec.axis.normalized() {
        Some(axis) => axis,
        None if !spec.kind.is_scalar() => Vec3::Z,
        None => {
            return Err(value(
                &element,
                "axis",
                format!("{:?}", spec.axis),
                "a finite vector that is not zero",
            ));
        }
    };
    if !spec.anchor.is_finite() {
        return Err(value(&element, "anchor", format!("{:?}", spec.anchor), "finite numbers [m]"));
    }
    for (what, x) in [
        ("armature", spec.armature),
        ("rotor inertia", spec.rotor_inertia),
        ("rotor inertia times the square of the gear ratio", spec.reflected_inertia()),
        ("damping", spec.damping),
        ("friction", spec.friction),
        ("stiffness", spec.stiffness),
    ] {
        if !(x >= 0.0 && x.is_finite()) {
            return Err(value(&element, what, x.to_string(), "a finite number >= 0"));
        }
    }
    for (what, x) in [("reference", spec.reference), ("spring rest position", spec.spring_rest)] {
        if !x.is_finite() {
            return Err(value(&element, what, x.to_string(), "a finite number"));
        }
    }
    if !(spec.pitch.is_finite() && (spec.pitch == 0.0 || spec.kind == JointKind::Screw)) {
        return Err(value(
            &element,
            "pitch",
            spec.pitch.to_string(),
            "finite [m/rad], and 0 but for a screw",
        ));
    }
    if let Some([lo, hi]) = spec.limit
        && lo.partial_cmp(&hi).is_none_or(Ordering::is_gt)
    {
        return Err(value(&element, "limit", format!("[{lo}, {hi}]"), "lower <= upper"));
    }
    Ok(axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::vec3;

    /// A kilogram on the line z through the origin of the link that turns, and what it carries.
    fn line(kind: JointKind, change: fn(&mut JointSpec), carries: bool) -> Result<Model, ModelError> {
        let mut builder = ModelBuilder::new();
        let of =
            |zz: f64| Inertia::new(1.0, Vec3::ZERO, Sym3 { xx: 1.0, yy: 1.0, zz, xy: 0.0, xz: 0.0, yz: 0.0 });
        let link = builder.link("rod", None, Pose::IDENTITY, of(0.0));
        let mut spec = JointSpec::new("j", kind, Vec3::Z);
        change(&mut spec);
        builder.joint(link, spec);
        if carries {
            let load = builder.link("load", Some(link), Pose::IDENTITY, of(1.0));
            builder.joint(load, JointSpec::new("k", JointKind::Hinge, Vec3::Z));
        }
        builder.build(vec3(0.0, 0.0, -9.81))
    }

    /// A line of mass that turns freely about itself has no mass matrix, unless something else has a moment there.
    #[test]
    fn lines_that_turn_freely_are_refused() {
        for kind in [JointKind::Free, JointKind::Ball] {
            let error = line(kind, |_| {}, false).unwrap_err().to_string();
            assert!(error.contains("link `rod`: moments of inertia is [xx 1, yy 1, zz 0"), "{error}");
        }
        assert!(line(JointKind::Ball, |j| j.anchor = vec3(0.1, 0.0, 0.0), false).is_ok());
        assert!(line(JointKind::Ball, |j| j.damping = 0.1, false).is_ok());
        assert!(line(JointKind::Ball, |j| j.armature = 0.1, false).is_ok());
        assert!(line(JointKind::Free, |_| {}, true).is_ok());
        assert!(line(JointKind::Hinge, |_| {}, false).is_ok());
    }
}
