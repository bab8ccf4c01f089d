//! Contact points of a step of the canon, and velocities along the rows of a posed problem.

use crate::stepping::contact_source::ContactSource;
use stiction_assembly::{ContactFinder, ContactPoint, Lookahead, PatchDetail, Posed};
use stiction_collision::ShapeError;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{Kinematics, Velocities, point_velocity};
use stiction_world::World;

/// The producers of contact points.
pub(crate) struct Search {
    pub(super) finder: ContactFinder,
    pub(super) sources: Vec<Box<dyn ContactSource>>,
    /// Motions of bodies that stand still.
    still: Vec<Motion>,
}

impl Search {
    pub(crate) fn new(world: &World) -> Result<Self, ShapeError> {
        let finder = ContactFinder::new(world, false)?;
        Ok(Self { finder, sources: Vec::new(), still: vec![Motion::ZERO; world.model.bodies.len()] })
    }

    /// Finds all that may close within h [s] if bodies move as `motions` say, and all within the margin.
    pub(super) fn find(
        &mut self,
        world: &World,
        kin: &Kinematics,
        motions: &[Motion],
        (h, margin): (f64, f64),
        points: &mut Vec<ContactPoint>,
    ) {
        let patches = PatchDetail::Representative;
        let ahead = Lookahead { margin, h, continuous: None, middle: false, rigid: true, patches };
        self.finder.find(world, kin, motions, ahead, points);
        points.retain(|c| !c.redundant);
        self.add_others(world, kin, motions, h, points);
    }

    /// Finds points nearer than `margin` at `kin`.
    pub(crate) fn find_near(
        &mut self,
        world: &World,
        kin: &Kinematics,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        let still = std::mem::take(&mut self.still);
        self.find(world, kin, &still, (0.0, margin), points);
        self.still = still;
    }

    /// Finds points nearer than `margin` at `kin`, each for itself: springs are not shared by the points of a
    /// face.
    pub(super) fn find_compliant(
        &mut self,
        world: &World,
        kin: &Kinematics,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        let patches = PatchDetail::Polygons;
        let ahead = Lookahead { margin, h: 0.0, continuous: None, middle: false, rigid: false, patches };
        let still = std::mem::take(&mut self.still);
        self.finder.find(world, kin, &still, ahead, points);
        self.add_others(world, kin, &still, 0.0, points);
        self.still = still;
    }

    /// Adds the points of other producers, and sorts all.
    fn add_others(
        &mut self,
        world: &World,
        kin: &Kinematics,
        motions: &[Motion],
        h: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        for source in &mut self.sources {
            source.find(world, kin, motions, h, points);
        }
        points.sort_by_key(|c| c.geometries);
    }
}

/// The velocity of B relative to A at a contact [m/s].
pub(super) fn relative_velocity(kin: &Kinematics, vel: &Velocities, c: &ContactPoint) -> Vec3 {
    let of = |body: Option<usize>| body.map_or(Vec3::ZERO, |b| point_velocity(kin, vel, b, c.position));
    of(c.bodies[1]) - of(c.bodies[0])
}

/// Powers of the normal forces and of the friction of contacts, whose forces on B are given [W].
pub(super) fn contact_powers(
    kin: &Kinematics,
    vel: &Velocities,
    points: &[ContactPoint],
    forces: &[Vec3],
) -> [f64; 2] {
    let mut powers = [0.0; 2];
    for (c, force) in points.iter().zip(forces) {
        let velocity = relative_velocity(kin, vel, c);
        let normal = c.n * c.n.dot(*force);
        powers[0] += velocity.dot(normal);
        powers[1] += velocity.dot(*force - normal);
    }
    powers
}

/// J v of all rows, into `out`.
pub(super) fn velocities_into(posed: &Posed, v: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for block in 0..posed.problem.len() {
        let rows = posed.problem.range(block).len();
        let first = posed.jacobian.velocity(block, v).to_array();
        out.extend_from_slice(&first[..rows.min(3)]);
        if rows > 3 {
            out.extend_from_slice(&posed.jacobian.turning(block, v).to_array()[..rows - 3]);
        }
    }
}
