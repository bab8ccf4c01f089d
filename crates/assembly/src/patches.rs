//! Contact by pressure: from contact surfaces to contact points.
//!
//! Two geometries whose surfaces take part in contact by pressure ([`stiction_world::Hydroelastic`]), of which one at least yields,
//! meet in a patch of polygons in place of points. A law is given
//!
//! | detail | points |
//! |---|---|
//! | polygons | one for every polygon, at its centre of pressure: φ = −p/g, k = A g ([`stiction_collision::PatchElement`]) |
//! | representative | at most four for the patch, of the same force, moment and friction torque ([`stiction_collision::representative_points`]) |
//!
//! Both are springs: k (−φ) is the force of the pressure. They do not bounce beyond what the springs do, nor resist turning beyond
//! what friction over the area does.

use crate::contact_point::{ContactPoint, PatchPart};
use crate::laws::coplanar::Face;
use crate::laws::yielding::Spring;
use crate::tangents::Direction;
use stiction_collision::{
    PressureGeometry, PressurePatch, PressureScratch, RepresentativePoint, ShapeError, pressure_patch,
    representative_points,
};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_world::{Hydroelastic, Material, PairSurface, World};

/// In how many points a law is given a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchDetail {
    /// All polygons.
    Polygons,
    /// At most four points.
    Representative,
}

/// A patch that was found.
#[derive(Clone, Debug, Default)]
pub struct FoundPatch {
    /// Geometries A and B.
    pub geometries: [usize; 2],
    /// Polygons of the surface, in W.
    pub patch: PressurePatch,
}

/// Fields and rigid surfaces of the geometries, and the patches that were found last.
pub(crate) struct Patches {
    geometries: Vec<Option<PressureGeometry>>,
    any: bool,
    found: Vec<FoundPatch>,
    /// So many of them are of the last search; the others are kept for their memory.
    count: usize,
    scratch: PressureScratch,
    points: Vec<RepresentativePoint>,
}

impl Patches {
    /// Err names the geometry whose shape or numbers no field can be made of.
    pub(crate) fn new(world: &World) -> Result<Self, ShapeError> {
        let of = |(index, g): (usize, &stiction_world::Geometry)| {
            let named = |source| ShapeError::Collider { index, source: Box::new(source) };
            g.material.hydroelastic.geometry(&g.shape).map_err(named)
        };
        let geometries: Vec<_> = world.geometries.iter().enumerate().map(of).collect::<Result<_, _>>()?;
        let any = geometries.iter().flatten().any(PressureGeometry::is_compliant);
        let scratch = PressureScratch::default();
        Ok(Self { geometries, any, found: Vec::new(), count: 0, scratch, points: Vec::new() })
    }

    /// True where anything yields by pressure.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// True of a pair that meets by pressure and not in points.
    pub(crate) fn takes(&self, a: usize, b: usize) -> bool {
        match (&self.geometries[a], &self.geometries[b]) {
            (Some(a), Some(b)) if self.any => a.meets(b),
            _ => false,
        }
    }

    /// The patches of the last search.
    pub(crate) fn found(&self) -> &[FoundPatch] {
        &self.found[..self.count]
    }

    /// Finds the patches of those `pairs` that meet by pressure, at the poses of the geometries, in their order.
    pub(crate) fn find(&mut self, pairs: &[(usize, usize)], poses: &[Pose]) {
        self.count = 0;
        if !self.any {
            return;
        }
        for &(i, j) in pairs {
            if !self.takes(i, j) {
                continue;
            }
            let (Some(a), Some(b)) = (&self.geometries[i], &self.geometries[j]) else { continue };
            if self.count == self.found.len() {
                self.found.push(FoundPatch::default());
            }
            let FoundPatch { geometries, patch } = &mut self.found[self.count];
            *geometries = [i, j];
            pressure_patch((a, &poses[i]), (b, &poses[j]), &mut self.scratch, patch);
            self.count += usize::from(!patch.elements().is_empty());
        }
    }

    /// Appends the points of the patch with this number.
    pub(crate) fn push(&mut self, number: usize, pair: &PatchPair<'_>, out: &mut Vec<ContactPoint>) {
        let FoundPatch { patch, .. } = &self.found[number];
        match pair.detail {
            PatchDetail::Polygons => {
                for e in patch.elements() {
                    let at = (e.center_of_pressure, e.normal, e.gap(), e.feature);
                    out.push(pair.point(at, e.area, e.stiffness()));
                }
            }
            PatchDetail::Representative => {
                self.points.clear();
                representative_points(patch, &mut self.points);
                for p in &self.points {
                    out.push(pair.point((p.position, p.normal, p.gap, p.feature), p.area, p.stiffness));
                }
            }
        }
    }
}

/// A pair that meets by pressure, as all points of its patch share it.
pub(crate) struct PatchPair<'a> {
    pub(crate) kin: &'a Kinematics,
    pub(crate) geometries: [usize; 2],
    pub(crate) bodies: [Option<usize>; 2],
    pub(crate) surface: PairSurface,
    pub(crate) direction: Direction,
    pub(crate) materials: [&'a Material; 2],
    pub(crate) detail: PatchDetail,
}

impl PatchPair<'_> {
    fn point(
        &self,
        (position, n, gap, feature): (Vec3, Vec3, f64, u32),
        area: f64,
        stiffness: f64,
    ) -> ContactPoint {
        let (t1, t2) = self.direction.tangents(self.kin, n);
        let [a, b] = self.materials.map(|m| (&m.hydroelastic, m.compliance.dissipation));
        let dissipation = Hydroelastic::dissipation(a, b);
        let relaxation = self.surface.compliance.relaxation;
        let linear = if dissipation.is_some() { 0.0 } else { relaxation.unwrap_or(0.0) };
        ContactPoint {
            geometries: self.geometries,
            bodies: self.bodies,
            feature,
            position,
            t1,
            t2,
            n,
            gap,
            face: Face::of_one(gap),
            friction: self.surface.friction(),
            static_friction: self.surface.static_friction,
            stretch: self.surface.stretch(),
            restitution: 0.0,
            bounce_depth: 0.0,
            turning: [0.0; 3],
            spring: Some(Spring { stiffness, relaxation: linear, dissipation: dissipation.unwrap_or(0.0) }),
            patch: Some(PatchPart { area, stiffness, dissipation, relaxation }),
            redundant: false,
        }
    }
}
