//! Beliefs over the state of any scene, moved by the engine.
//!
//! A stochastic dynamic step takes m samples, moves each by the engine to the end of the time step in which a contact approaches
//! faster than `approach` and is hit, and replaces it by a normal distribution of the velocities after it:
//!
//! ```text
//! v⁺ ~ N(v⁺(p̄), R Σ Rᵀ),   R = ∂v⁺/∂p = M⁻¹ Jᵀ
//! ```
//!
//! p̄ and Σ are of the impulse of that contact, as an [`ImpactDistribution`] says. R is taken from the engine, which makes the step
//! again with each of the three impulses changed: v⁺ is linear in them. Positions stay as they are. Where several contacts are hit
//! in one time step nothing is known, and the law's answer is kept. Samples of an impulse that move into the surface or make energy
//! are discarded, counted, and drawn anew; both are judged by the contact's own inverse inertia, exact where it is the only one of
//! its bodies.

use super::Discarded;
use crate::residual::{ContactResidual, energy_made, project, stopping, unit, velocity_after};
use crate::score::mean_and_spread;
use crate::system::{Case, Channel, Coordinate, channels};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use stiction::dynamics::integrate_into;
use stiction::random::Random;
use stiction::world::{Material, World};
use stiction::{ContactCorrection, CorrectableContact, SetupError, Simulation, State};

/// The distribution that the impulse of a contact is believed to have when it is hit.
pub trait ImpactDistribution: Sync {
    /// Means and standard deviations of its impulse along its axes [N·s].
    fn distribution(&self, world: &World, contact: &CorrectableContact) -> [[f64; 3]; 2];
}

/// Newton's restitution and Coulomb's friction, as if the contact were alone, and a deviation for all three impulses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LawSpread {
    /// Standard deviation over the impulse that stops the approach of the contact [–].
    pub deviation: f64,
}

impl ImpactDistribution for LawSpread {
    fn distribution(&self, world: &World, contact: &CorrectableContact) -> [[f64; 3]; 2] {
        let [a, b] = contact.geometries.map(|g| &world.geometries[g].material);
        let mut mean = stopping(contact);
        mean[2] *= 1.0 + Material::pair(a, b).restitution;
        project(&mut mean, contact.friction);
        [mean, [self.deviation * unit(contact); 3]]
    }
}

impl ImpactDistribution for ContactResidual {
    fn distribution(&self, _: &World, contact: &CorrectableContact) -> [[f64; 3]; 2] {
        let deviations = self.deviations(contact);
        [self.corrected(contact), deviations]
    }
}

/// A normal distribution of states; positions and velocities are independent of one another.
#[derive(Clone, Debug)]
pub struct SceneComponent {
    /// Share of the mixture.
    pub weight: f64,
    pub mean: State,
    /// Deviations of every degree of freedom: of position along q ⊕ δ, and of velocity.
    pub position_deviation: Vec<f64>,
    pub velocity_deviation: Vec<f64>,
    /// The impact that the velocities come from, if they do.
    impact: Option<Believed>,
}

/// An impact whose impulse is believed to be normal.
#[derive(Clone, Debug)]
struct Believed {
    contact: CorrectableContact,
    mean: [f64; 3],
    deviation: [f64; 3],
    /// Change of all velocities by a unit of each impulse.
    response: [Vec<f64>; 3],
}

/// A mixture of normal distributions of the state of a scene.
#[derive(Clone, Debug)]
pub struct SceneBelief {
    pub components: Vec<SceneComponent>,
}

/// A sample on its way through a step.
#[derive(Clone, Debug)]
pub struct SceneParticle {
    pub start: State,
    /// Seconds gone.
    pub time: f64,
    /// Contacts that were hit in its last time step; none: the time was over.
    pub hit: usize,
    /// The state at that time, after the mean of the impulses.
    pub end: State,
}

/// A step from the end of a contact event to the end of the next.
#[derive(Clone, Debug)]
pub struct ScenePropagation {
    pub belief: SceneBelief,
    pub particles: Vec<SceneParticle>,
    pub discarded: Discarded,
}

/// A coordinate of a belief.
#[derive(Clone, Debug, Serialize)]
pub struct CoordinateSpread {
    /// Name in the files that runs write, unit included.
    pub name: String,
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// Draws of an impulse before its mean is taken.
const DRAWS: usize = 50;

impl SceneBelief {
    /// A normal distribution about `mean`: `position` and `velocity` are the deviations of every degree of freedom.
    pub fn normal(mean: State, position: Vec<f64>, velocity: Vec<f64>) -> Self {
        let one = SceneComponent {
            weight: 1.0,
            mean,
            position_deviation: position,
            velocity_deviation: velocity,
            impact: None,
        };
        Self { components: vec![one] }
    }

    /// A state of the mixture whose last impact obeyed its conditions.
    pub fn sample(&self, world: &World, random: &mut Random, discarded: &mut Discarded) -> Option<State> {
        let total: f64 = self.components.iter().map(|c| c.weight).sum();
        let mut place = total * random.unit();
        let found = self.components.iter().find(|c| {
            place -= c.weight;
            place < 0.0
        });
        found.or(self.components.last()).map(|c| c.draw(world, random, discarded))
    }

    /// A stochastic dynamic step with `m` samples in `case`, whose own state does not count; none goes on for more than `horizon`
    /// seconds. Contacts that approach faster than `approach` [m/s] are hit.
    ///
    /// # Errors
    ///
    /// If the case cannot be simulated from a sample.
    pub fn step(
        &self,
        case: &Case,
        impacts: &dyn ImpactDistribution,
        (m, horizon, approach): (usize, f64, f64),
        random: &mut Random,
    ) -> Result<ScenePropagation, SetupError> {
        let mut discarded = Discarded::default();
        let (mut particles, mut components) = (Vec::with_capacity(m), Vec::with_capacity(m));
        for _ in 0..m {
            let Some(start) = self.sample(&case.world, random, &mut discarded) else { break };
            let mut simulation = Simulation::new(case.world.clone(), start.clone(), case.settings.clone())?;
            simulation.control_mut().copy_from_slice(&case.control);
            let (particle, component) =
                to_next_event(&mut simulation, case, start, impacts, (horizon, approach));
            particles.push(particle);
            components.push(component);
        }
        let weight = 1.0 / particles.len().max(1) as f64;
        components.iter_mut().for_each(|c| c.weight = weight);
        Ok(ScenePropagation { belief: Self { components }, particles, discarded })
    }
}

impl ScenePropagation {
    /// States drawn from the belief after the step, as many as there are particles.
    pub fn drawn(&self, world: &World, random: &mut Random) -> Vec<State> {
        let mut apart = Discarded::default();
        self.particles.iter().filter_map(|_| self.belief.sample(world, random, &mut apart)).collect()
    }

    /// Mean and deviation of every coordinate of states that were drawn.
    pub fn spreads(world: &World, drawn: &[State]) -> Vec<CoordinateSpread> {
        let of = |channel: Channel| {
            let value = |s: &State| match channel.coordinate {
                Coordinate::Position(i) => s.q[i],
                Coordinate::Velocity(i) => s.v[i],
            };
            let [mean, deviation] = mean_and_spread(&drawn.iter().map(value).collect::<Vec<_>>());
            CoordinateSpread { name: channel.name, mean, deviation }
        };
        channels(&world.model).into_iter().map(of).collect()
    }
}

impl SceneComponent {
    /// A known state.
    fn known(mean: State) -> Self {
        let still = vec![0.0; mean.v.len()];
        Self { weight: 1.0, mean, position_deviation: still.clone(), velocity_deviation: still, impact: None }
    }

    fn draw(&self, world: &World, random: &mut Random, discarded: &mut Discarded) -> State {
        let mut state = self.mean.clone();
        let by: Vec<f64> = self.position_deviation.iter().map(|d| d * random.normal()).collect();
        integrate_into(&world.model, &self.mean.q, &by, 1.0, &mut state.q);
        for (v, deviation) in state.v.iter_mut().zip(&self.velocity_deviation) {
            *v += deviation * random.normal();
        }
        let Some(impact) = &self.impact else { return state };
        for _ in 0..DRAWS {
            let p: [f64; 3] = std::array::from_fn(|i| impact.mean[i] + impact.deviation[i] * random.normal());
            if velocity_after(&impact.contact, p)[2] < 0.0 {
                discarded.entering += 1;
            } else if energy_made(&impact.contact, p) > 0.0 {
                discarded.gaining_energy += 1;
            } else {
                for (i, response) in impact.response.iter().enumerate() {
                    let more = p[i] - impact.mean[i];
                    state.v.iter_mut().zip(response).for_each(|(v, r)| *v += more * r);
                }
                return state;
            }
        }
        discarded.given_up += 1;
        state
    }
}

/// Orders to the contacts of a time step, and their report.
#[derive(Default)]
struct Watched {
    /// The impulse that the one contact that is hit gets; without, the law's.
    impulse: Option<[f64; 3]>,
    /// The contacts that were hit in the last time step.
    hit: Vec<CorrectableContact>,
}

/// Watches for contacts that are hit.
struct Watcher {
    approach: f64,
    shared: Arc<Mutex<Watched>>,
}

impl ContactCorrection for Watcher {
    fn correct(&mut self, contacts: &[CorrectableContact], corrected: &mut [[f64; 3]]) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_hit = |c: &CorrectableContact| c.velocity_before[2] < -self.approach && c.impulse[2] > 0.0;
        // A step in which contacts bounce is solved in parts: what follows the impact forgets no hit.
        if contacts.iter().any(is_hit) {
            shared.hit = contacts.iter().filter(|c| is_hit(c)).copied().collect();
        }
        if let (Some(impulse), Some(place)) = (shared.impulse, contacts.iter().position(is_hit)) {
            corrected[place] = impulse;
        }
    }
}

/// Moves a sample to the end of the time step in which it is hit, or until the time is over.
fn to_next_event(
    simulation: &mut Simulation,
    case: &Case,
    start: State,
    impacts: &dyn ImpactDistribution,
    (horizon, approach): (f64, f64),
) -> (SceneParticle, SceneComponent) {
    let shared = Arc::new(Mutex::new(Watched::default()));
    simulation.correct_contacts(Some(Box::new(Watcher { approach, shared: shared.clone() })));
    let hit_in = |simulation: &mut Simulation, impulse: Option<[f64; 3]>| {
        let set = Watched { impulse, hit: Vec::new() };
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = set;
        if let Some(drive) = &case.drive {
            drive(simulation);
        }
        simulation.step();
        shared.lock().unwrap_or_else(PoisonError::into_inner).hit.clone()
    };
    let dt = case.settings.stepper.dt;
    let (mut time, mut hit) = (0.0, Vec::new());
    let mut before = simulation.snapshot();
    while time < horizon - 0.5 * dt && hit.is_empty() {
        before = simulation.snapshot();
        hit = hit_in(simulation, None);
        time += dt;
    }
    let mut component = SceneComponent::known(simulation.state().clone());
    if let [contact] = hit[..] {
        let [mean, deviation] = impacts.distribution(&case.world, &contact);
        // The same step from the same state, with another impulse: a snapshot of this very simulation is always taken back.
        let mut with = |impulse: [f64; 3]| {
            let restored = simulation.restore(&before);
            debug_assert!(restored.is_ok(), "{restored:?}");
            hit_in(simulation, Some(impulse));
            simulation.state().clone()
        };
        let size = unit(&contact).max(f64::MIN_POSITIVE);
        let end = with(mean);
        let response = [0, 1, 2].map(|i| {
            let mut more = mean;
            more[i] += size;
            let changed = with(more);
            changed.v.iter().zip(&end.v).map(|(a, b)| (a - b) / size).collect()
        });
        component = SceneComponent::known(end);
        component.impact = Some(Believed { contact, mean, deviation, response });
    }
    let end = component.mean.clone();
    (SceneParticle { start, time, hit: hit.len(), end }, component)
}
