//! Beliefs over the state of a planar body, propagated from one contact event to the next [Fazeli2020, IV].
//!
//! A belief is a mixture of normal distributions. A stochastic dynamic step takes m samples of it, moves each without
//! uncertainty to its next impact, and there replaces it by the normal distribution of the velocity after the impact that the
//! residual learner predicts:
//!
//!   v⁺ ~ N(v⁻ + M⁻¹ Jᵀ (p_m + μ_res),  M⁻¹ Jᵀ Σ_res J M⁻¹)
//!
//! while positions stay as they are. The m distributions, weighted alike, are the belief after the step. Samples that move
//! into the surface or have more energy than before the impact are discarded, counted, and drawn anew.

use crate::planar::{Impact, PlanarState, PlanarStepper, PlanarWorld};
use crate::residual::PlanarResidual;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// A normal distribution of states; positions and velocities are independent of one another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Share of the mixture.
    pub weight: f64,
    pub mean: PlanarState,
    /// Deviations of (x, z, θ) [m, m, rad].
    pub position_deviation: [f64; 3],
    /// Root L of the covariance L Lᵀ of the velocities, by rows.
    pub velocity_root: [[f64; 3]; 3],
    /// The impact that the velocities come from: samples of a distribution after an impact obey its conditions.
    #[serde(skip)]
    impact: Option<Conditions>,
}

/// Conditions of a sample after an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Conditions {
    /// Row of the Jacobian by which velocities give that of the point along the normal.
    normal: [f64; 3],
    /// Kinetic energy before the impact [J].
    energy: f64,
    /// Mass and moment of inertia.
    inertia: [f64; 2],
}

/// A mixture of normal distributions of states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    pub components: Vec<Component>,
}

/// Samples that broke a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Discarded {
    /// They moved into the surface.
    pub entering: usize,
    /// They had more energy than before the impact.
    pub gaining_energy: usize,
    /// Draws after which a component's mean was taken, for no sample of it was left.
    pub given_up: usize,
}

/// A sample on its way through a step.
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    pub start: PlanarState,
    /// Seconds to the impact, and the states before and after it; at rest or out of time: none.
    pub impact: Option<Impact>,
    /// Seconds gone.
    pub time: f64,
    /// The state at that time.
    pub end: PlanarState,
}

/// A step from the end of a contact event to the end of the next.
#[derive(Clone, Debug)]
pub struct StochasticStep {
    pub belief: Belief,
    pub particles: Vec<Particle>,
    pub discarded: Discarded,
}

/// Draws of a component before its mean is taken.
const DRAWS: usize = 50;

impl Belief {
    /// A normal distribution about `mean`, all numbers independent.
    pub fn normal(mean: PlanarState, position: [f64; 3], velocity: [f64; 3]) -> Self {
        let velocity_root = Matrix3::from_diagonal(&Vector3::from(velocity)).transpose().into();
        let one = Component { weight: 1.0, mean, position_deviation: position, velocity_root, impact: None };
        Self { components: vec![one] }
    }

    /// A state of the mixture that obeys the conditions of its impact.
    pub fn sample(&self, random: &mut Random, discarded: &mut Discarded) -> Option<PlanarState> {
        let total: f64 = self.components.iter().map(|c| c.weight).sum();
        let mut place = total * random.unit();
        let found = self.components.iter().find(|c| {
            place -= c.weight;
            place < 0.0
        });
        let component = found.or(self.components.last())?;
        for _ in 0..DRAWS {
            let state = component.draw(random);
            match component.impact.map(|i| i.broken_by(state.v)) {
                None | Some(None) => return Some(state),
                Some(Some(Broken::Enters)) => discarded.entering += 1,
                Some(Some(Broken::GainsEnergy)) => discarded.gaining_energy += 1,
            }
        }
        discarded.given_up += 1;
        Some(component.mean)
    }

    /// A stochastic dynamic step with `m` samples, none of which goes on for more than `horizon` seconds.
    pub fn step(
        &self,
        world: &PlanarWorld,
        residual: &PlanarResidual,
        m: usize,
        horizon: f64,
        random: &mut Random,
    ) -> StochasticStep {
        let mut stepper = PlanarStepper::new(world);
        let mut discarded = Discarded::default();
        let mut particles = Vec::with_capacity(m);
        for _ in 0..m {
            let Some(start) = self.sample(random, &mut discarded) else { break };
            particles.push(to_next_impact(&mut stepper, start, horizon));
        }
        let weight = 1.0 / particles.len().max(1) as f64;
        let components = particles.iter().map(|p| after(p, residual, world, weight)).collect();
        StochasticStep { belief: Self { components }, particles, discarded }
    }

    /// Mean of the mixture.
    pub fn mean(&self) -> PlanarState {
        let total: f64 = self.components.iter().map(|c| c.weight).sum();
        let over = |f: &dyn Fn(&PlanarState) -> f64| {
            self.components.iter().map(|c| c.weight * f(&c.mean)).sum::<f64>() / total
        };
        PlanarState {
            q: std::array::from_fn(|i| over(&|s| s.q[i])),
            v: std::array::from_fn(|i| over(&|s| s.v[i])),
        }
    }
}

/// Why a sample is discarded.
enum Broken {
    Enters,
    GainsEnergy,
}

impl Conditions {
    fn broken_by(&self, v: [f64; 3]) -> Option<Broken> {
        let leaves: f64 = (0..3).map(|i| self.normal[i] * v[i]).sum();
        let [m, i] = self.inertia;
        let energy = 0.5 * (m * (v[0] * v[0] + v[1] * v[1]) + i * v[2] * v[2]);
        if leaves < -1e-9 {
            Some(Broken::Enters)
        } else if energy > self.energy * (1.0 + 1e-9) {
            Some(Broken::GainsEnergy)
        } else {
            None
        }
    }
}

impl Component {
    fn draw(&self, random: &mut Random) -> PlanarState {
        let mut state = self.mean;
        for (q, deviation) in state.q.iter_mut().zip(self.position_deviation) {
            *q += deviation * random.normal();
        }
        let z: [f64; 3] = std::array::from_fn(|_| random.normal());
        for (v, row) in state.v.iter_mut().zip(self.velocity_root) {
            *v += row.iter().zip(z).map(|(l, z)| l * z).sum::<f64>();
        }
        state
    }
}

/// Moves a sample until it is hit, rests, or the time is over.
fn to_next_impact(stepper: &mut PlanarStepper<'_>, start: PlanarState, horizon: f64) -> Particle {
    /// Between two looks whether something was hit [s].
    const LOOK: f64 = 1e-3;
    let (mut end, mut time, mut impact) = (start, 0.0, None);
    while time < horizon && impact.is_none() {
        let begin = time;
        let done = stepper.advance(&mut end, LOOK.min(horizon - time), None, &mut |i| {
            if impact.is_none() {
                impact = Some(Impact { time: begin + i.time, ..*i });
            }
        });
        time += LOOK;
        if done.at_rest {
            break;
        }
    }
    if let Some(impact) = impact {
        return Particle { start, impact: Some(impact), time: impact.time, end: impact.after };
    }
    Particle { start, impact: None, time: time.min(horizon), end }
}

/// The distribution that takes the place of a sample after its impact.
fn after(particle: &Particle, residual: &PlanarResidual, world: &PlanarWorld, weight: f64) -> Component {
    let known = Component {
        weight,
        mean: particle.end,
        position_deviation: [0.0; 3],
        velocity_root: [[0.0; 3]; 3],
        impact: None,
    };
    // Of several points hit at once nothing was learned: the law's answer is kept.
    let Some(impact) = particle.impact.filter(|i| i.points == 1) else { return known };
    let contact = &impact.contact;
    let surface = &world.surfaces[contact.surface];
    let (normal, tangent) = (surface.normal, [surface.normal[1], -surface.normal[0]]);
    let inertia = contact.mass * contact.gyration * contact.gyration;
    let [a, b] = contact.levers;
    // Columns of M⁻¹ Jᵀ: impulses along t and n, and a moment.
    let columns = [
        [tangent[0] / contact.mass, tangent[1] / contact.mass, a / inertia],
        [normal[0] / contact.mass, normal[1] / contact.mass, b / inertia],
        [0.0, 0.0, 1.0 / inertia],
    ];
    let (mean, deviation) = residual.distribution(contact);
    let wanted = crate::planar::PlanarImpulse {
        point: [contact.impulse[0] + mean[0], contact.impulse[1] + mean[1]],
        moment: mean[2],
    };
    let (p, _) = contact.admit(wanted, &world.admission);
    let p = [p.point[0], p.point[1], p.moment];
    let mut component = known;
    component.mean.q = impact.before.q;
    for (i, row) in [0, 1, 2].map(|i| columns.map(|c| c[i])).into_iter().enumerate() {
        component.mean.v[i] = impact.before.v[i] + row.iter().zip(p).map(|(c, p)| c * p).sum::<f64>();
        component.velocity_root[i] = std::array::from_fn(|j| row[j] * deviation[j]);
    }
    component.impact = Some(Conditions {
        normal: [normal[0], normal[1], b],
        energy: world.body.kinetic_energy(impact.before.v),
        inertia: [contact.mass, inertia],
    });
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planar::{PlanarBody, Surface};
    use crate::residual::{DensityNetwork, Form, Representation};

    /// A learner that adds nothing and is unsure by `deviation` of m |v_n|.
    fn unsure(deviation: f64) -> PlanarResidual {
        let scale = vec![[0.0, 1.0]; 5];
        let network = DensityNetwork::new(5, 0, 2, scale, deviation.ln());
        PlanarResidual {
            form: Form::LinearImpulse,
            representation: Representation::Network(network),
            spread: 1.0,
            share: 1.0,
            offset: [0.0; 3],
            spin: false,
        }
    }

    fn world() -> PlanarWorld {
        PlanarWorld::new(PlanarBody::square(0.03, 0.0, 0.049, 0.0245), vec![Surface::floor(0.0, 0.1, 0.5)])
    }

    /// The spread of velocities after an impact is M⁻¹ Jᵀ Σ J M⁻¹, the position has none; a step of a known state by a sure
    /// learner is the law's.
    #[test]
    fn an_impact_spreads_velocities_as_the_impulse_says() {
        let (world, mut random) = (world(), Random::new(1));
        let state = PlanarState { q: [0.0, 0.1, 0.5], v: [0.2, -1.0, 1.0] };
        let belief = Belief::normal(state, [0.0; 3], [0.0; 3]);
        let sure = belief.step(&world, &unsure(1e-9), 1, 1.0, &mut random);
        let impact = sure.particles[0].impact.unwrap();
        for i in 0..3 {
            assert!((sure.belief.components[0].mean.v[i] - impact.after.v[i]).abs() < 1e-9);
        }
        let step = belief.step(&world, &unsure(0.05), 1, 1.0, &mut random);
        let (mut counts, mut all) = (Discarded::default(), Vec::new());
        for _ in 0..20_000 {
            all.push(step.belief.sample(&mut random, &mut counts).unwrap());
        }
        let deviation = |f: &dyn Fn(&PlanarState) -> f64| {
            let values: Vec<f64> = all.iter().map(f).collect();
            crate::score::mean_and_spread(&values)[1]
        };
        let speed = impact.contact.velocity_before[1].abs();
        let [a, b] = impact.contact.levers.map(|l| l / 0.0245);
        assert!((deviation(&|s| s.v[0]) / (0.05 * speed) - 1.0).abs() < 0.03);
        assert!((deviation(&|s| s.v[1]) / (0.05 * speed) - 1.0).abs() < 0.03);
        assert!((deviation(&|s| 0.0245 * s.v[2]) / (0.05 * speed * a.hypot(b)) - 1.0).abs() < 0.03);
        assert!(deviation(&|s| s.q[1]) < 1e-12);
    }

    /// Samples of a learner that is very unsure break the conditions, are counted, and none of them is used; the belief
    /// spreads from contact to contact.
    #[test]
    fn samples_that_break_the_conditions_are_discarded() {
        let (world, mut random) = (world(), Random::new(2));
        let start = PlanarState { q: [0.0, 0.1, 0.4], v: [0.5, -1.0, 3.0] };
        let first =
            Belief::normal(start, [1e-4; 3], [0.01; 3]).step(&world, &unsure(0.5), 50, 1.0, &mut random);
        let second = first.belief.step(&world, &unsure(0.5), 400, 1.0, &mut random);
        let d = second.discarded;
        assert!(d.entering > 20 && d.gaining_energy > 20, "{d:?}");
        let before = world.body.kinetic_energy([0.5, -2.0, 3.2]);
        assert!(second.particles.iter().all(|p| world.body.kinetic_energy(p.start.v) < before));
        let spread = |s: &StochasticStep| {
            crate::score::mean_and_spread(&s.particles.iter().map(|p| p.end.q[0]).collect::<Vec<_>>())[1]
        };
        assert!(spread(&second) > 3.0 * spread(&first), "{} {}", spread(&first), spread(&second));
    }
}
