//! Contact sites of a world: points fixed in its bodies, dofs with stops or dry friction, and the sets of forces there.
//!
//! A site on a body acts through the wrench set it carries. A site on a dof is a set on a line:
//!
//! ```text
//!     stop           { w c(δ) s : 0 ≤ w ≤ 1 },   δ = how far q is past the limit, s = ±1 back into it       (1)
//!     dry friction   { (w₁ − w₂) f : w ≥ 0, w₁ + w₂ ≤ 1 }                                                    (2)
//! ```
//!
//! so that joints obey the principle of maximal dissipation as contacts do. The weights of all sites are one vector w.

use crate::body_forces::{BodyForces, Mat6};
use crate::end_of_step::EndOfStep;
use crate::wrench_set::cone::Growth;
use crate::wrench_set::{Place, WrenchSet};
use std::ops::Range;
use stiction_dynamics::spatial::{Force, Vec3};
use stiction_dynamics::{JointStop, Model};

/// A contact of a body with the world.
#[derive(Clone, Debug)]
pub struct BodySite {
    pub body: usize,
    /// The site in the body [m].
    pub p_BS: Vec3,
    pub set: Box<dyn WrenchSet>,
}

/// A resistance of a dof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resistance {
    /// (1), past the end of the range.
    Stop { end: JointStop, growth: Growth },
    /// (2): f [N or N·m].
    DryFriction { effort: f64 },
}

/// A dof with a resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DofSite {
    pub dof: usize,
    pub resistance: Resistance,
}

/// All sites of a world, and their vertices where they were looked at last.
#[derive(Clone, Debug)]
pub struct Sites {
    pub bodies: Vec<BodySite>,
    pub dofs: Vec<DofSite>,
    /// Per site, bodies first: its weights.
    groups: Vec<Range<usize>>,
    /// Per weight: its site.
    site_of: Vec<usize>,
    /// Per weight of a body's site: B_j about the reference of its tree.
    pub vertices: Vec<Force>,
    /// Per site of a body: the site from the reference of its tree [m], and where it is.
    places: Vec<(Vec3, Place)>,
    /// Per weight of a dof's site: vertex on the dof.
    pub efforts: Vec<f64>,
    /// Per site: some vertex is not zero where it was looked at last.
    acting: Vec<bool>,
    /// The weights of these sites, and per such site which of them are its.
    live: Vec<usize>,
    live_groups: Vec<Range<usize>>,
}

impl Sites {
    /// Lists the weights.
    pub fn new(bodies: Vec<BodySite>, dofs: Vec<DofSite>) -> Self {
        let mut groups = Vec::new();
        let mut next = 0;
        let sizes = bodies.iter().map(|s| s.set.len()).chain(dofs.iter().map(DofSite::len));
        let mut site_of = Vec::new();
        for (site, size) in sizes.enumerate() {
            site_of.extend(std::iter::repeat_n(site, size));
            groups.push(next..next + size);
            next += size;
        }
        let of_bodies = groups.get(bodies.len()).map_or(next, |g| g.start);
        let place = Place { R_WB: stiction_dynamics::spatial::Mat3::IDENTITY, p: Vec3::ZERO };
        Self {
            places: vec![(Vec3::ZERO, place); bodies.len()],
            vertices: vec![Force::new(Vec3::ZERO, Vec3::ZERO); of_bodies],
            efforts: vec![0.0; next - of_bodies],
            acting: vec![false; groups.len()],
            live: Vec::new(),
            live_groups: Vec::new(),
            bodies,
            dofs,
            groups,
            site_of,
        }
    }

    /// Number of weights.
    pub fn weights(&self) -> usize {
        self.groups.last().map_or(0, |g| g.end)
    }

    /// The weights of every site.
    pub fn groups(&self) -> &[Range<usize>] {
        &self.groups
    }

    /// Weights of sites whose vertices do not all vanish where they were looked at last: others change nothing.
    pub fn live(&self) -> &[usize] {
        &self.live
    }

    /// Whether site `k` of a body was where some vertex is not zero.
    pub fn acts(&self, k: usize) -> bool {
        self.acting[k]
    }

    /// Per site with such weights, their range in [`Self::live`].
    pub fn live_groups(&self) -> &[Range<usize>] {
        &self.live_groups
    }

    /// Finds the vertices at the end of a step.
    pub fn look(&mut self, model: &Model, end: &EndOfStep) {
        for (k, site) in self.bodies.iter().enumerate() {
            let p = end.kin.X_WB[site.body].transform(site.p_BS);
            let place = Place { R_WB: end.kin.R_WB[site.body], p };
            let r = p - end.kin.reference[model.bodies[site.body].tree];
            self.places[k] = (r, place);
            let vertices = &mut self.vertices[self.groups[k].clone()];
            self.acting[k] = site.set.acts(&place);
            if !self.acting[k] {
                vertices.fill(Force::new(Vec3::ZERO, Vec3::ZERO));
                continue;
            }
            site.set.vertices_into(&place, vertices);
            for vertex in vertices {
                vertex.angular += r.cross(vertex.linear);
            }
        }
        let (first, bodies) = (self.vertices.len(), self.bodies.len());
        for (k, site) in self.dofs.iter().enumerate() {
            let group = &self.groups[bodies + k];
            let efforts = &mut self.efforts[group.start - first..group.end - first];
            site.vertices_into(&end.q, efforts);
            self.acting[bodies + k] = efforts.iter().any(|e| *e != 0.0);
        }
        self.live.clear();
        self.live_groups.clear();
        for (group, _) in self.groups.iter().zip(&self.acting).filter(|(_, acting)| **acting) {
            let start = self.live.len();
            self.live.extend(group.clone());
            self.live_groups.push(start..self.live.len());
        }
    }

    /// Subtracts B w from `forces` and from `g`, and the derivatives of both: with `moving`, those of B too.
    pub fn subtract(
        &self,
        w: &[f64],
        moving: bool,
        q: &[f64],
        forces: &mut BodyForces,
        g: &mut [f64],
        by_q: &mut [f64],
    ) {
        for (k, site) in self.bodies.iter().enumerate().filter(|(k, _)| self.acting[*k]) {
            let group = self.groups[k].clone();
            let w = &w[group.clone()];
            let mut F = Force::new(Vec3::ZERO, Vec3::ZERO);
            for (w, vertex) in w.iter().zip(&self.vertices[group]) {
                F += *vertex * -*w;
            }
            forces.add_force(site.body, F);
            let (r, place) = &self.places[k];
            let mut slope = if moving { site.set.slope(place, w) } else { Mat6::ZERO };
            slope.negate();
            forces.add_slope(site.body, &slope.about_reference(*r, F.linear));
        }
        let (first, nv) = (self.vertices.len(), g.len());
        for (site, group) in self.dofs.iter().zip(&self.groups[self.bodies.len()..]) {
            for k in group.clone() {
                g[site.dof] -= w[k] * self.efforts[k - first];
            }
            if moving {
                by_q[site.dof * nv + site.dof] -= site.slope(q, &w[group.clone()]);
            }
        }
    }

    /// Column `k` of Jᵀ B, −∂G/∂w_k, into `out`.
    pub fn column_into(&self, model: &Model, end: &EndOfStep, k: usize, out: &mut [f64]) {
        out.fill(0.0);
        let site = self.site_of[k];
        if let Some(on) = self.bodies.get(site) {
            let last = model.bodies[on.body].dofs.clone().next_back();
            for dof in std::iter::successors(last, |&d| model.dofs[d].parent) {
                out[dof] = end.kin.S[dof].dot(self.vertices[k]);
            }
        } else {
            out[self.dofs[site - self.bodies.len()].dof] = self.efforts[k - self.vertices.len()];
        }
    }

    /// Force and moment of site `k` of a body about its place, at the weights `w`, and the place.
    pub fn wrench(&self, k: usize, w: &[f64]) -> (Force, Vec3) {
        let group = self.groups[k].clone();
        let mut F = Force::new(Vec3::ZERO, Vec3::ZERO);
        for (w, vertex) in w[group.clone()].iter().zip(&self.vertices[group]) {
            F += *vertex * *w;
        }
        let (r, place) = &self.places[k];
        F.angular += F.linear.cross(*r);
        (F, place.p)
    }

    /// Where site `k` of a body was looked at last, in W [m].
    pub fn position(&self, k: usize) -> Vec3 {
        self.places[k].1.p
    }

    /// The largest depth of a site of a body [m].
    pub fn deepest(&self) -> f64 {
        let depth = |(site, (_, place)): (&BodySite, &(Vec3, Place))| site.set.depth(place);
        self.bodies.iter().zip(&self.places).map(depth).fold(0.0, f64::max)
    }

    /// Velocity of the site of a body per dof that moves it: its columns, through `each`.
    pub fn site_columns(&self, model: &Model, end: &EndOfStep, k: usize, mut each: impl FnMut(usize, Vec3)) {
        let body = self.bodies[k].body;
        let last = model.bodies[body].dofs.clone().next_back();
        for dof in std::iter::successors(last, |&d| model.dofs[d].parent) {
            each(dof, end.kin.S[dof].linear_at(self.places[k].0));
        }
    }
}

impl DofSite {
    fn len(&self) -> usize {
        match self.resistance {
            Resistance::Stop { .. } => 1,
            Resistance::DryFriction { .. } => 2,
        }
    }

    fn vertices_into(&self, q: &[f64], out: &mut [f64]) {
        match self.resistance {
            Resistance::Stop { end, growth } => {
                let [c, _] = growth.at(-end.gap(q));
                out[0] = end.sign * c;
            }
            Resistance::DryFriction { effort } => out.copy_from_slice(&[effort, -effort]),
        }
    }

    /// Derivative of the effort by the coordinate.
    fn slope(&self, q: &[f64], w: &[f64]) -> f64 {
        match self.resistance {
            Resistance::Stop { end, growth } => {
                let [_, slope] = growth.at(-end.gap(q));
                -w[0] * slope
            }
            Resistance::DryFriction { .. } => 0.0,
        }
    }
}
