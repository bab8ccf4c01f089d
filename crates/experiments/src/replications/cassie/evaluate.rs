//! Grounds fitted to some landings and judged by others.

use super::posture::{Posture, PostureError};
use super::set::{CassieSet, Landing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;
use stiction::random::Random;
use stiction::{SetupError, Simulation, State};
use stiction_learn::identify::{CmaEs, Interrupted, Unknown, Watch, from_unit_box, minimise};
use stiction_learn::parallel;
use stiction_learn::score::mean_and_spread;
use stiction_learn::system::{Case, Parameter, ParameterError};

/// How grounds are fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CassieEffort {
    pub generations: usize,
    /// Step [s].
    pub dt: f64,
    pub seed: u64,
}

impl Default for CassieEffort {
    fn default() -> Self {
        Self { generations: 40, dt: 5e-4, seed: 1 }
    }
}

/// A ground that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct LandingFit {
    pub name: &'static str,
    /// Parameters, several of one value with spaces between them, with their values where nothing is fitted, ranges, and whether
    /// they are looked for by their logarithm.
    parameters: &'static [(&'static str, f64, [f64; 2], bool)],
    fitted: bool,
}

const FRICTION: (&str, f64, [f64; 2], bool) = ("friction", 0.8, [0.05, 1.5], false);
const RESTITUTION: (&str, f64, [f64; 2], bool) = ("restitution", 0.0, [0.0, 0.8], false);
const STIFFNESS: (&str, f64, [f64; 2], bool) = ("floor.stiffness", 3e4, [1e3, 1e6], true);
const DISSIPATION: (&str, f64, [f64; 2], bool) = ("floor.dissipation", 0.5, [0.01, 30.0], true);
const HEIGHT: (&str, f64, [f64; 2], bool) = ("floor.z", 0.0, [-0.03, 0.03], false);

/// The grounds of the table. `without-ground` lets the robot fall on.
pub const LANDING_FITS: [LandingFit; 5] = [
    LandingFit {
        name: "without-ground",
        parameters: &[("floor.z", -10.0, [-10.0, 0.0], false)],
        fitted: false,
    },
    LandingFit { name: "rigid", parameters: &[FRICTION, RESTITUTION, HEIGHT], fitted: false },
    LandingFit { name: "rigid-fit", parameters: &[FRICTION, RESTITUTION, HEIGHT], fitted: true },
    LandingFit {
        name: "compliant-fit",
        parameters: &[FRICTION, HEIGHT, STIFFNESS, DISSIPATION],
        fitted: true,
    },
    LandingFit {
        name: "compliant-and-springs-fit",
        parameters: &[
            FRICTION,
            HEIGHT,
            STIFFNESS,
            DISSIPATION,
            ("left-shin.stiffness right-shin.stiffness", 1500.0, [500.0, 5000.0], true),
            ("left-heel-spring.stiffness right-heel-spring.stiffness", 1250.0, [500.0, 5000.0], true),
        ],
        fitted: true,
    },
];

/// A row of the table: means over landings of root mean squares over 50 ms.
#[derive(Clone, Debug, Serialize)]
pub struct CassieRow {
    pub model: String,
    /// Position of the pelvis [m], its velocity [m/s] and angular velocity [rad/s].
    pub base_position: f64,
    pub base_velocity: f64,
    pub base_rate: f64,
    /// Joint angles [rad] and rates [rad/s], springs of the ankles apart.
    pub joint_angle: f64,
    pub joint_rate: f64,
    /// Velocities and rates, each over its standard deviation in the data: the number that is minimised.
    pub normalised: f64,
    pub n_train: usize,
    pub n_test: usize,
    pub seconds: f64,
    pub parameters: BTreeMap<String, f64>,
}

/// Landings that were not judged.
#[derive(Debug, thiserror::Error)]
pub enum CassieError {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Posture(#[from] PostureError),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("landing {id}: {source}")]
    Setup { id: u32, source: SetupError },
}

/// Joints whose rates are measured: all but the springs of the ankles.
const MEASURED: usize = 14;

/// States at the times of the landing, from its first frame on, with its torques; shorter where a step fails.
///
/// # Errors
///
/// If the legs do not close or the case cannot be simulated.
pub fn track(case: &Case, posture: &Posture, landing: &Landing) -> Result<Vec<State>, CassieError> {
    let start = posture.start(&case.world, landing)?;
    let setup = |source| CassieError::Setup { id: landing.id, source };
    let mut simulation =
        Simulation::new(case.world.clone(), start.clone(), case.settings.clone()).map_err(setup)?;
    let mut states = vec![start];
    let dt = case.settings.stepper.dt;
    let mut k = 0;
    for time in &landing.times[1..] {
        while simulation.state().t < time - 0.5 * dt {
            while k + 1 < landing.times.len() && landing.times[k + 1] <= simulation.state().t + 1e-9 {
                k += 1;
            }
            posture.controls_into(landing, k, simulation.control_mut());
            if simulation.step().failure().is_some() {
                return Ok(states);
            }
        }
        states.push(simulation.state().clone());
    }
    Ok(states)
}

/// Mean squares over frames: position, velocity and rate of the pelvis, angles, rates, and the normalised number.
fn errors(
    case: &Case,
    posture: &Posture,
    landing: &Landing,
    deviations: &[f64; 6 + MEASURED],
) -> Result<[f64; 6], CassieError> {
    let states = track(case, posture, landing)?;
    let mut sums = [0.0; 6];
    for k in 1..landing.times.len() {
        // A step that fails leaves the state as it was.
        let state = states.get(k).or(states.last()).ok_or(Interrupted)?;
        let (base, rates) = posture.velocities(state);
        let angles = posture.angles(state);
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        sums[0] += square(&state.q[..3], &landing.base[k][..3]);
        sums[1] += square(&base[..3], &landing.base_velocity[k][..3]);
        sums[2] += square(&base[3..], &landing.base_velocity[k][3..]);
        let n = MEASURED as f64;
        sums[3] += square(&angles[..MEASURED], &landing.angles[k][..MEASURED]) / n;
        sums[4] += square(&rates[..MEASURED], &landing.rates[k][..MEASURED]) / n;
        let all = base.iter().chain(&rates[..MEASURED]);
        let seen = landing.base_velocity[k].iter().chain(&landing.rates[k][..MEASURED]);
        let parts = all.zip(seen).zip(deviations).map(|((a, b), d)| ((a - b) / d).powi(2));
        sums[5] += parts.sum::<f64>() / deviations.len() as f64;
    }
    Ok(sums.map(|s| (s / (landing.times.len() - 1).max(1) as f64).sqrt()))
}

/// Standard deviations of all measured velocities.
fn deviations(landings: &[Landing]) -> [f64; 6 + MEASURED] {
    std::array::from_fn(|i| {
        let of = |l: &Landing| -> Vec<f64> {
            if i < 6 {
                l.base_velocity.iter().map(|v| v[i]).collect()
            } else {
                l.rates.iter().map(|v| v[i - 6]).collect()
            }
        };
        mean_and_spread(&landings.iter().flat_map(of).collect::<Vec<f64>>())[1].max(f64::MIN_POSITIVE)
    })
}

/// A ground that is judged by landings.
struct Ground<'a> {
    landings: &'a [Landing],
    case: &'a Case,
    posture: &'a Posture,
    /// Standard deviations of what was measured.
    scale: &'a [f64; 6 + MEASURED],
    fit: &'a LandingFit,
    /// Parameters of the world that each parameter of the fit sets alike.
    parameters: Vec<Vec<Parameter>>,
}

impl Ground<'_> {
    /// The errors of the landings in these places.
    fn over(&self, values: &[f64], places: &[usize]) -> Result<Vec<[f64; 6]>, CassieError> {
        let mut case = self.case.clone();
        for (alike, x) in self.parameters.iter().zip(values) {
            alike.iter().for_each(|p| p.set(&mut case, *x));
        }
        let of = |i: usize| errors(&case, self.posture, &self.landings[places[i]], self.scale);
        parallel::map(places.len(), of).into_iter().collect()
    }

    /// The values of the parameters, which are fitted to the landings `known` if the ground is.
    fn values(
        &self,
        known: &[usize],
        effort: &CassieEffort,
        watch: Watch<'_>,
    ) -> Result<Vec<f64>, CassieError> {
        let fit = self.fit;
        if !fit.fitted {
            return Ok(fit.parameters.iter().map(|(_, value, ..)| *value).collect());
        }
        let logarithm = |x: f64, by: bool| if by { x.ln() } else { x };
        let unknowns: Vec<Unknown> = (fit.parameters.iter())
            .map(|(name, _, range, by)| Unknown {
                name: (*name).to_owned(),
                range: range.map(|x| logarithm(x, *by)),
            })
            .collect();
        let begin: Vec<f64> = (unknowns.iter().zip(fit.parameters))
            .map(|(u, (_, value, _, by))| u.share(logarithm(*value, *by)).clamp(0.05, 0.95))
            .collect();
        let at = |point: &[f64]| {
            let (mut x, outside) = from_unit_box(&unknowns, point);
            for (x, (_, _, _, by)) in x.iter_mut().zip(fit.parameters) {
                *x = if *by { x.exp() } else { *x };
            }
            (x, outside)
        };
        let value = |point: &[f64]| -> Result<f64, CassieError> {
            let (x, outside) = at(point);
            let all = self.over(&x, known)?;
            Ok(all.iter().map(|e| e[5]).sum::<f64>() / all.len().max(1) as f64 + outside)
        };
        let mut search = CmaEs::new(&begin, 0.2, 0, effort.seed);
        minimise(&mut search, (effort.generations, 1e-3), &value, fit.name, watch)?;
        Ok(at(search.mean()).0)
    }
}

/// Judges every ground of [`LANDING_FITS`]; `train` landings, drawn by the seed, are fitted to, and the others judge.
///
/// # Errors
///
/// If `watch` stops it, or the world is not one that the data are of.
pub fn evaluate(
    set: &CassieSet,
    case: &Case,
    train: usize,
    effort: &CassieEffort,
    watch: Watch<'_>,
) -> Result<Vec<CassieRow>, CassieError> {
    let order = Random::new(effort.seed).shuffled(set.landings.len());
    let (known, unknown) = order.split_at(train.min(order.len()));
    let mut case = case.clone();
    case.settings.stepper.dt = effort.dt;
    let posture = Posture::new(&case.world)?;
    let scale = deviations(&set.landings);
    let mut rows = Vec::new();
    for fit in &LANDING_FITS {
        let clock = Instant::now();
        let parameters = fit
            .parameters
            .iter()
            .map(|(names, ..)| names.split(' ').map(|n| Parameter::find(n, &case.world)).collect())
            .collect::<Result<Vec<Vec<_>>, _>>()?;
        let (landings, posture, scale) = (&set.landings[..], &posture, &scale);
        let ground = Ground { landings, case: &case, posture, scale, fit, parameters };
        let values = ground.values(known, effort, watch)?;
        let judged = ground.over(&values, unknown)?;
        let mean = |i: usize| mean_and_spread(&judged.iter().map(|e| e[i]).collect::<Vec<f64>>())[0];
        let alike = fit.parameters.iter().zip(&values);
        let named = alike.flat_map(|((names, ..), x)| names.split(' ').map(|name| (name.to_owned(), *x)));
        rows.push(CassieRow {
            model: fit.name.to_owned(),
            base_position: mean(0),
            base_velocity: mean(1),
            base_rate: mean(2),
            joint_angle: mean(3),
            joint_rate: mean(4),
            normalised: mean(5),
            n_train: if fit.fitted { known.len() } else { 0 },
            n_test: unknown.len(),
            seconds: clock.elapsed().as_secs_f64(),
            parameters: named.collect(),
        });
    }
    Ok(rows)
}
