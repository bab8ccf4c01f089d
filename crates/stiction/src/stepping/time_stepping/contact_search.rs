//! Contact points of a step: from the narrow phase, and from other producers.

use super::impact::CLOSED;
use crate::params::StepperParams;
use crate::stepping::attempt::{Event, Landing};
use crate::stepping::contact_source::ContactSource;
use crate::stepping::free_velocity::FreeMotion;
use crate::stepping::here::Here;
use stiction_assembly::swept::Impact;
use stiction_assembly::{
    Block, BlockKey, ContactFinder, ContactPoint, Lookahead, PatchDetail, Posed, PosedLanding, RowKey,
    WarmStart, rows,
};
use stiction_collision::ShapeError;
use stiction_contact::Law;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Kinematics, Model};
use stiction_world::World;

/// Rows of a contact that slides.
const ROWS: usize = 3;
/// Any feature of two geometries.
const ANY: u32 = u32::MAX;
/// Two geometries that landed on each other so often in a step do so without end: no part ends for them any more.
const MOST_LANDINGS: u32 = 40;
/// A landing that is not at the start of a step is after this share of it, at least [–].
const SOON: f64 = 1e-3;
/// Numbers of the Jacobian of a step's contacts, 0.8 GB of them; factors and solvers take several times that.
const MOST_NUMBERS: usize = 100_000_000;

/// Where contact points come from.
pub(crate) struct ContactSearch {
    pub(crate) finder: ContactFinder,
    sources: Vec<Box<dyn ContactSource>>,
    /// Per geometry; `None`: the world's.
    tree_of_geometry: Vec<Option<usize>>,
    pub(crate) points: Vec<ContactPoint>,
    /// Length of the whole step [s] while fast bodies are swept: they are not looked ahead for.
    pub(crate) swept: Option<f64>,
    /// Per tree: in this step it turns too far, or may pass what it meets, and is posed at the start.
    pub(crate) at_start: Vec<bool>,
    /// Some pair of surfaces has e > 0.
    pub(crate) may_bounce: bool,
    /// Contacts that bounced, by pair and feature, and stops; while `leaves_out`, they are left out.
    bounces: Vec<([usize; 2], u32)>,
    stops: Vec<RowKey>,
    /// The first of these as they were posed, and whether none of them bounces.
    first: Option<(PosedLanding, bool)>,
    pub(crate) leaves_out: bool,
    /// How often pairs landed in this step.
    landed: Vec<([usize; 2], u32)>,
    /// Scratch.
    touching: Vec<ContactPoint>,
}

impl ContactSearch {
    pub(crate) fn new(world: &World, params: &StepperParams) -> Result<Self, ShapeError> {
        let finder = ContactFinder::new(world, params.continuous)?;
        let tree = |body: Option<usize>| body.map(|b| world.model.bodies[b].tree);
        let tree_of_geometry = world.geometries.iter().map(|g| tree(world.mount(g.link, g.X_LG).0)).collect();
        Ok(Self {
            finder,
            sources: Vec::new(),
            tree_of_geometry,
            points: Vec::new(),
            swept: None,
            at_start: vec![false; world.model.trees],
            may_bounce: may_bounce(world),
            bounces: Vec::new(),
            stops: Vec::new(),
            first: None,
            leaves_out: false,
            landed: Vec::new(),
            touching: Vec::new(),
        })
    }

    /// Takes the surfaces of a world that differs in their friction and restitution at most.
    pub(crate) fn take_surfaces(&mut self, world: &World) {
        self.finder.take_surfaces(world);
        self.may_bounce = may_bounce(world);
    }

    /// Notes the contacts that bounce in a step that was posed; the first of them.
    pub(crate) fn find_landings(&mut self, posed: &Posed) -> Option<Landing> {
        self.bounces.clear();
        let mut first: Option<Landing> = None;
        for (block, left) in posed.bouncing() {
            let Block { key: BlockKey::Contact(index), bias } = posed.blocks[block] else { continue };
            if bias.restitution >= 0.0 {
                continue; // it parts
            }
            let contact = &self.points[index];
            self.bounces.push((contact.geometries, contact.feature));
            let bounce = Landing { share: 1.0 - left, gap: contact.gap, speed: 0.0, inelastic: false };
            first = Some(first.filter(|f| f.share <= bounce.share).unwrap_or(bounce));
        }
        first
    }

    /// A step begins.
    pub(crate) fn begin(&mut self) {
        self.landed.clear();
    }

    /// Notes that what was to land does.
    pub(crate) fn note_landing(&mut self) {
        for &(pair, _) in &self.bounces {
            match self.landed.iter_mut().find(|known| known.0 == pair) {
                Some((_, count)) => *count += 1,
                None => self.landed.push((pair, 1)),
            }
        }
    }

    /// Stops that do not act in the part.
    pub(crate) fn stops_left_out(&self) -> &[RowKey] {
        if self.leaves_out { &self.stops } else { &[] }
    }

    /// Finds, of a step that was posed in its middle, the contacts and stops that land with an impulse. What does not
    /// bounce counts where it is `inelastic`.
    pub(crate) fn find_landings_at_middle(
        &mut self,
        (posed, impulses): (&Posed, &[f64]),
        inelastic: bool,
    ) -> bool {
        let Self { bounces, stops, points, first, landed, .. } = self;
        bounces.clear();
        stops.clear();
        *first = None;
        for rolling in &posed.rolling {
            let Some(landing) = rolling.landing else { continue };
            if impulses[posed.normal_row(rolling.block)] <= 0.0 {
                continue;
            }
            let key = posed.blocks[rolling.block].key;
            let elastic = matches!(key, BlockKey::Contact(i) if points[i].restitution > 0.0);
            let endless = matches!(key, BlockKey::Contact(i) if is_endless(landed, points[i].geometries));
            if !elastic && !inelastic || endless {
                continue;
            }
            match key {
                BlockKey::Contact(index) => bounces.push((points[index].geometries, points[index].feature)),
                BlockKey::Row(key) => stops.push(key),
            }
            let (known, soft) = first.unwrap_or((landing, true));
            let sooner = if landing.predicted < known.predicted { landing } else { known };
            *first = Some((sooner, soft && !elastic));
        }
        first.is_some()
    }

    /// Where fast geometries first meet on a way from q to another, but those to whose landing it leads: see
    /// [`ContactFinder::first_impact`].
    pub(crate) fn first_impact(
        &mut self,
        at: (&World, &mut Kinematics),
        way: [&[f64]; 2],
        limits: (f64, [f64; 2]),
        middle: bool,
    ) -> Option<Impact> {
        let Self { finder, bounces, leaves_out, landed, .. } = self;
        let lands = |pair| *leaves_out && bounces.iter().any(|b| b.0 == pair);
        finder.first_impact(at, way, limits, middle, |pair| !lands(pair) && !is_endless(landed, pair))
    }

    /// The landing of two geometries that were swept in a part of h [s] and meet.
    pub(crate) fn landing_of(&mut self, met: Impact, h: f64) -> Event {
        self.bounces.clear();
        self.stops.clear();
        self.bounces.push((met.geometries, ANY));
        Event::Landing(Landing { share: met.share, gap: met.way, speed: met.way / h, inelastic: false })
    }

    /// The first of these landings, with the least gap at the start of the step: where `here` and q are.
    pub(crate) fn first_landing(
        &mut self,
        world: &World,
        (q, h): (&[f64], f64),
        (here, free): (&Here, &FreeMotion),
        warm: &WarmStart,
    ) -> Landing {
        let gap = self.gap_of_landing(world, (q, h), (here, free), warm);
        let (share, speed, inelastic) = match self.first {
            Some((landing, inelastic)) => {
                let share = landing.share(gap, h);
                (share, landing.speed(gap, share, h), inelastic)
            }
            None => (1.0, 0.0, false),
        };
        let share = if gap <= CLOSED { 0.0 } else { share.max(SOON) };
        Landing { share, gap, speed, inelastic }
    }

    /// The least gap of the contacts and stops that land [m or rad], at q, where kinematics `here` are; of contacts
    /// as far as they would go in h [s]. Where a contact is not there, other points of its pair are, but those that
    /// have lasted.
    pub(crate) fn gap_of_landing(
        &mut self,
        world: &World,
        (q, h): (&[f64], f64),
        (here, free): (&Here, &FreeMotion),
        warm: &WarmStart,
    ) -> f64 {
        let ahead = Lookahead {
            margin: 1e-3,
            h,
            continuous: None,
            middle: false,
            rigid: here.rigid,
            patches: here.patches,
        };
        self.finder.find_elsewhere(world, &here.kin, &free.motions, ahead, &mut self.touching);
        for source in &mut self.sources {
            source.find(world, &here.kin, &free.motions, h, &mut self.touching);
        }
        let of_contact = |&(pair, feature): &([usize; 2], u32)| {
            let of_pair = || self.touching.iter().filter(move |c| c.geometries == pair);
            let own = of_pair().find(|c| c.feature == feature).map(|c| c.gap);
            let others = of_pair().filter(|c| !warm.has_lasted(c)).map(|c| c.gap);
            own.unwrap_or_else(|| others.fold(f64::INFINITY, f64::min))
        };
        let stops = self.stops.iter().filter_map(|&key| rows::distance(world, key, q, &free.q_of_dof));
        self.bounces.iter().map(of_contact).chain(stops).fold(f64::INFINITY, f64::min)
    }

    /// Contacts of which the gap is at most `closed` [m] at the instant of an impact; what yields has no
    /// impulse there.
    pub(crate) fn find_touching(&mut self, world: &World, (here, free): (&Here, &FreeMotion), closed: f64) {
        let patches = PatchDetail::Representative;
        let ahead =
            Lookahead { margin: closed, h: 0.0, continuous: None, middle: false, rigid: true, patches };
        self.finder.find(world, &here.kin, &free.motions, ahead, &mut self.points);
        if !self.sources.is_empty() {
            for source in &mut self.sources {
                source.find(world, &here.kin, &free.motions, 0.0, &mut self.points);
            }
            self.points.sort_by_key(|c| c.geometries);
        }
        self.points.retain(|c| c.gap <= closed && c.spring.is_none() && !c.redundant);
    }

    /// Finds the trees that are posed at the start of a step of h [s] whose others are to be posed in the middle, and where something
    /// may be fast what touches at the start.
    pub(crate) fn look_back(&mut self, (world, here): (&World, &Here), v: &[f64], (h, margin): (f64, f64)) {
        self.at_start.copy_from_slice(&here.fast.far);
        if self.swept.is_some() {
            let Here { rigid, patches, .. } = *here;
            let ahead = Lookahead { margin, h, continuous: self.swept, middle: false, rigid, patches };
            self.finder.look_back(world, here.start(), v, ahead, &mut self.at_start);
        }
    }

    /// Geometries of trees that sleep stay where they are.
    pub(crate) fn let_rest(&mut self, sleeps: &[bool]) {
        self.finder.let_rest(|g| self.tree_of_geometry[g].is_some_and(|t| sleeps[t]));
    }

    pub(crate) fn add(&mut self, source: Box<dyn ContactSource>) {
        self.sources.push(source);
    }

    /// Refuses contacts whose Jacobian is out of all proportion, as of a long chain that is drawn into
    /// itself.
    ///
    /// # Errors
    ///
    /// The message says how much there is, and what to do.
    pub(crate) fn check_size(&self, model: &Model) -> Result<(), String> {
        let count = self.points.len();
        if count.saturating_mul(2 * ROWS * model.nv()) <= MOST_NUMBERS {
            return Ok(());
        }
        // Parents come before their children.
        let mut dofs = vec![0; model.bodies.len()];
        for (i, body) in model.bodies.iter().enumerate() {
            dofs[i] = body.dofs.len() + body.parent.map_or(0, |parent| dofs[parent]);
        }
        let of = |body: Option<usize>| body.map_or(0, |body| dofs[body]);
        let numbers: usize = self.points.iter().map(|p| ROWS * (of(p.bodies[0]) + of(p.bodies[1]))).sum();
        if numbers <= MOST_NUMBERS {
            return Ok(());
        }
        let longest = dofs.iter().max().copied().unwrap_or(0);
        Err(format!(
            "{count} contacts of chains of up to {longest} dofs have a Jacobian of {:.1e} numbers; at most {:.0e} are taken: \
             let fewer links of a chain touch one another, or shorten it",
            numbers as f64, MOST_NUMBERS as f64
        ))
    }

    /// Contacts that may close in a step of h [s].
    pub(crate) fn find(
        &mut self,
        world: &World,
        (here, free): (&Here, &FreeMotion),
        (h, margin): (f64, f64),
        warm: &WarmStart,
    ) {
        let Here { rigid, patches, .. } = *here;
        let ahead =
            Lookahead { margin, h, continuous: self.swept, middle: here.is_at_middle(), rigid, patches };
        self.finder.find(world, &here.kin, &free.motions, ahead, &mut self.points);
        // Corners beyond those that span an area count where something leans on them.
        self.points.retain(|c| !c.redundant || warm.wrench_of(c) != [Vec3::ZERO; 2]);
        if !self.sources.is_empty() {
            for source in &mut self.sources {
                source.find(world, &here.kin, &free.motions, h, &mut self.points);
            }
            self.points.sort_by_key(|c| c.geometries);
        }
        if self.leaves_out {
            let Self { points, bounces, .. } = self;
            points.retain(|c| !bounces.contains(&(c.geometries, c.feature)));
        }
    }
}

/// In how many points a law is given what meets by pressure: laws of springs that are cheap for each take all
/// polygons, the exact law and its relaxations four points, which keep it well-posed, and so does MuJoCo's,
/// whose softness is of a contact whatever its area.
pub(super) fn patches_of(law: Law) -> PatchDetail {
    match law {
        Law::Sap | Law::Lagged | Law::Similar => PatchDetail::Polygons,
        _ => PatchDetail::Representative,
    }
}

/// Whether the pair has landed in this step as often as parts may end for it.
fn is_endless(landed: &[([usize; 2], u32)], pair: [usize; 2]) -> bool {
    landed.iter().any(|&(of, count)| of == pair && count >= MOST_LANDINGS)
}

/// Whether some pair of surfaces has e > 0.
fn may_bounce(world: &World) -> bool {
    let surfaces = world.pairs.iter().map(|p| p.surface.restitution);
    world.geometries.iter().map(|g| g.material.restitution).chain(surfaces).any(|e| e > 0.0)
}
