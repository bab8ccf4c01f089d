//! Single impacts of an ellipse, each stepped by the engine through a contact at the measured place, and their errors (1) of [`super`].

use super::super::worst::Worst;
use super::super::{Claim, ExperimentError, Findings, Size, Table};
use crate::replications::ellipse::{EllipseImpact, EllipseSet, PUBLISHED};
use std::path::Path;
use stiction::dynamics::spatial::vec3;
use stiction::models::{LoadOptions, load_str};
use stiction::random::Random;
use stiction::world::World;
use stiction::{RestitutionLaw, Settings, Simulation, Sleep, State, StepperName};
use stiction_plot::{Figure, Series};

/// Radius of the point that touches [m].
const POINT: f64 = 1e-6;

/// An impact law of ours: its name, stepper, and what else it sets.
struct Law {
    name: &'static str,
    stepper: &'static str,
    restitution: RestitutionLaw,
}

const LAWS: [Law; 6] = [
    Law { name: "newton", stepper: "event-driven", restitution: RestitutionLaw::Newton },
    Law { name: "poisson", stepper: "event-driven", restitution: RestitutionLaw::Poisson },
    Law { name: "stronge", stepper: "event-driven", restitution: RestitutionLaw::Stronge },
    Law { name: "time-stepping", stepper: "time-stepping", restitution: RestitutionLaw::Newton },
    Law { name: "moreau", stepper: "moreau", restitution: RestitutionLaw::Newton },
    Law { name: "compliant", stepper: "compliant", restitution: RestitutionLaw::Newton },
];

/// Friction, and restitution; of `compliant` the dissipation over a fifth [s/m].
type Coefficients = [f64; 2];

/// The plane body without its contact's place.
fn world(impact: &EllipseImpact) -> Result<World, ExperimentError> {
    let contact = impact.contact(0.0, 0.0);
    let (mass, moment) = (contact.mass, contact.mass * contact.gyration * contact.gyration);
    let text = format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='0 0 1'/><body><joint type='slide' axis='1 0 0'/>\
         <joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/><inertial pos='0 0 0' mass='{mass}' \
         diaginertia='{moment} {moment} {moment}'/><geom type='sphere' size='{POINT}' mass='0'/></body></worldbody></mujoco>"
    );
    Ok(load_str(&text, Path::new("ellipse.xml"), Path::new(""), &LoadOptions::default())?)
}

/// The velocity (v_x, v_y, ω) after the impact, as `law` has it.
fn after(
    world: &World,
    impact: &EllipseImpact,
    law: &Law,
    [friction, restitution]: Coefficients,
) -> Result<[f64; 3], ExperimentError> {
    let mut world = world.clone();
    let springs = law.stepper == "compliant";
    for geometry in &mut world.geometries {
        geometry.material.friction = friction;
        geometry.material.restitution = if springs { 0.0 } else { restitution };
    }
    // Levers of the tangent and of the normal are −y and x of the contact.
    let [down, along] = impact.levers;
    world.geometries[1].X_LG.translation = vec3(along, 0.0, POINT - down);
    let state = State { t: 0.0, q: vec![0.0, down, 0.0], v: impact.before.to_vec() };
    let mut settings = Settings { tolerance: 1e-12, ..Settings::default() };
    let stepper = &mut settings.stepper;
    stepper.method = StepperName::of(law.stepper).unwrap_or_default();
    (stepper.dt, stepper.sleep) = (if springs { 2e-4 } else { 1e-7 }, Sleep::Off);
    stepper.canon.event_driven.restitution = law.restitution;
    stepper.canon.event_driven.impulse_parts = 50;
    (stepper.canon.compliant.stiffness, stepper.canon.compliant.dissipation) = (1e6, 0.2 * restitution);
    stepper.canon.compliant.slip_speed = 1e-2;
    let mut sim = Simulation::new(world, state, settings)?;
    for _ in 0..if springs { 4 } else { 1 } {
        let report = sim.step();
        if let Some(cause) = report.failure() {
            let (contact, cause) = (law.name.to_owned(), cause.to_owned());
            return Err(ExperimentError::Step { step: 0, contact, cause });
        }
    }
    Ok([sim.state().v[0], sim.state().v[1], sim.state().v[2]])
}

/// (1) of [`super`], squared.
fn square(impact: &EllipseImpact, gyration: f64, v: [f64; 3]) -> f64 {
    let d: [f64; 3] = std::array::from_fn(|i| v[i] - impact.after[i]);
    d[0] * d[0] + d[1] * d[1] + (gyration * d[2]).powi(2)
}

fn energy(gyration: f64, v: [f64; 3]) -> f64 {
    0.5 * (v[0] * v[0] + v[1] * v[1] + (gyration * v[2]).powi(2))
}

/// Impacts that nobody measured: the engine's jumps by Newton's law are those of its closed form, and no law makes energy.
pub(super) fn made_up(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let count = if size == Size::Small { 40 } else { 400 };
    let mut random = Random::new(11);
    let (mut off, mut gains) = (Worst::default(), [Worst::default(); 3]);
    let mut kept: Vec<Series> =
        LAWS[..3].iter().map(|law| Series { label: law.name.to_owned(), points: Vec::new() }).collect();
    for id in 0..count {
        let mut range = |lo: f64, hi: f64| lo + (hi - lo) * random.unit();
        let impact = EllipseImpact {
            id,
            before: [range(-1.0, 1.0), range(-3.0, -2.0), range(-40.0, 40.0)],
            after: [0.0; 3],
            levers: [range(0.02, 0.04), range(-0.015, 0.015)],
            published: Vec::new(),
        };
        let coefficients = [range(0.02, 0.8), range(0.2, 0.95)];
        let contact = impact.contact(coefficients[0], coefficients[1]);
        if contact.velocity_before[1] >= -0.1 {
            continue;
        }
        let world = world(&impact)?;
        let before = energy(contact.gyration, impact.before);
        let [pt, pn] = contact.impulse;
        let closed = impact.after_impulse([pt, pn, 0.0]);
        for ((law, gain), kept) in LAWS[..3].iter().zip(&mut gains).zip(&mut kept) {
            let v = after(&world, &impact, law, coefficients)?;
            let share = energy(contact.gyration, v) / before;
            kept.points.push([coefficients[1], share]);
            gain.see(share - 1.0);
            // Where Newton's law makes energy the engine takes less of it.
            if law.restitution == RestitutionLaw::Newton && energy(contact.gyration, closed) <= before {
                let error = (v[0] - closed[0]).abs().max((v[1] - closed[1]).abs());
                off.see(error.max(contact.gyration * (v[2] - closed[2]).abs()));
            }
        }
    }
    findings.bound(format!("{} made-up impacts by newton: the closed form", off.count()), "m/s", off, 1e-5);
    for (law, gain) in LAWS.iter().zip(gains) {
        findings.bound(
            format!("{} made-up impacts by {}: gain of energy, relative", gain.count(), law.name),
            "–",
            gain,
            1e-8,
        );
    }
    kept.iter_mut().for_each(|s| s.points.sort_by(|a, b| a[0].total_cmp(&b[0])));
    let shape: fn(Figure) -> Figure = Figure::scattered;
    let title = "Made-up impacts: energy that is kept";
    findings.keep_over("made-up-impacts", title, ["e [–]", "energy after over before [–]"], kept, shape);
    Ok(())
}

/// A judged law.
struct Judged {
    name: String,
    coefficients: Option<Coefficients>,
    /// (1) of every impact [m/s].
    errors: Vec<f64>,
    /// Root mean squares of v_x, v_y [m/s] and ω [rad/s].
    parts: [f64; 3],
}

impl Judged {
    fn new(
        name: String,
        coefficients: Option<Coefficients>,
        impacts: &[&EllipseImpact],
        predicted: &[[f64; 3]],
    ) -> Self {
        let gyration = impacts.first().map_or(0.0, |i| i.contact(0.0, 0.0).gyration);
        let pairs = || impacts.iter().zip(predicted);
        let n = impacts.len().max(1) as f64;
        let part = |i: usize| (pairs().map(|(t, v)| (v[i] - t.after[i]).powi(2)).sum::<f64>() / n).sqrt();
        let errors = pairs().map(|(t, v)| square(t, gyration, *v).sqrt()).collect();
        Self { name, coefficients, errors, parts: [0, 1, 2].map(part) }
    }

    /// Root mean square of (1).
    fn whole(&self) -> f64 {
        (self.errors.iter().map(|e| e * e).sum::<f64>() / self.errors.len().max(1) as f64).sqrt()
    }
}

/// Judges our laws and the published ones by the measured impacts.
pub(super) fn measured(folder: &Path, size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let set = match EllipseSet::read(folder) {
        Ok(set) => set,
        Err(error) => {
            findings.claims.push(Claim {
                claim: "the measured impacts are read".to_owned(),
                measured: error.to_string(),
                holds: false,
                sample: 0,
            });
            return Ok(());
        }
    };
    let order = Random::new(1).shuffled(set.impacts.len());
    let (train, test) = if size == Size::Small { (12, 40) } else { (150, usize::MAX) };
    let pick = |places: &[usize]| places.iter().map(|i| &set.impacts[*i]).collect::<Vec<_>>();
    let (known, unknown) = order.split_at(train.min(order.len()));
    let (known, unknown) = (pick(known), pick(&unknown[..test.min(unknown.len())]));
    let Some(first) = known.first() else { return Ok(()) };
    let world = world(first)?;
    let predict = |law: &Law, x: Coefficients, impacts: &[&EllipseImpact]| {
        impacts.iter().map(|t| after(&world, t, law, x)).collect::<Result<Vec<_>, _>>()
    };
    let mut ours = Vec::new();
    for law in &LAWS {
        let mut best = ([0.15, 0.55], f64::INFINITY);
        let mut span = [0.1, 0.2];
        for round in 0..if size == Size::Small { 2 } else { 4 } {
            let middle = best.0;
            for i in -2..=2_i32 {
                for k in -2..=2_i32 {
                    let x =
                        [middle[0] + f64::from(i) * 0.5 * span[0], middle[1] + f64::from(k) * 0.5 * span[1]];
                    if x[0] < 0.0 || !(0.0..=1.0).contains(&x[1]) || round > 0 && i == 0 && k == 0 {
                        continue;
                    }
                    let error = Judged::new(String::new(), None, &known, &predict(law, x, &known)?).whole();
                    if error < best.1 {
                        best = (x, error);
                    }
                }
            }
            span = span.map(|s| 0.5 * s);
        }
        let predicted = predict(law, best.0, &unknown)?;
        ours.push(Judged::new(law.name.to_owned(), Some(best.0), &unknown, &predicted));
    }
    let mut published = Vec::new();
    if unknown.iter().all(|t| t.published.len() == PUBLISHED.len()) {
        for (i, name) in PUBLISHED.iter().enumerate() {
            let as_is: Vec<_> = unknown.iter().map(|t| t.published[i]).collect();
            published.push(Judged::new((*name).to_owned(), None, &unknown, &as_is));
            let right: Vec<_> = unknown.iter().map(|t| t.put_right(i)).collect();
            published.push(Judged::new(format!("{name}, put right"), None, &unknown, &right));
        }
    }
    claim(&ours, &published, (known.len(), unknown.len()), findings);
    show(&ours, &published, (known.len(), unknown.len()), findings);
    Ok(())
}

/// Every law of ours is nearer to what was measured than the best of the published.
fn claim(ours: &[Judged], published: &[Judged], (train, test): (usize, usize), findings: &mut Findings) {
    let of = |right: bool| published.iter().filter(move |p| p.name.ends_with("put right") == right);
    let least = |right: bool| of(right).map(Judged::whole).fold(f64::INFINITY, f64::min);
    for law in ours {
        let claim = format!(
            "{test} measured impacts by {}, fitted to {train} others: error under the best of {} published laws",
            law.name,
            published.len() / 2
        );
        // Beside no published law nothing is shown.
        let judged = if published.is_empty() { 0 } else { test };
        let limit = least(false).min(least(true));
        findings.bound(claim, "m/s", Worst::about(law.whole(), judged), limit);
    }
}

fn show(ours: &[Judged], published: &[Judged], (train, test): (usize, usize), findings: &mut Findings) {
    let row = |j: &Judged| {
        let [vx, vy, w] = j.parts;
        let [mu, e] =
            j.coefficients.map_or(["–".to_owned(), "–".to_owned()], |c| c.map(|c| format!("{c:.3}")));
        vec![
            j.name.clone(),
            format!("{:.3}", j.whole()),
            format!("{vx:.3}"),
            format!("{vy:.3}"),
            format!("{w:.1}"),
            mu,
            e,
        ]
    };
    let heads = ["law", "error [m/s]", "v_x [m/s]", "v_y [m/s]", "ω [rad/s]", "μ", "e, or d/0.2 [s/m]"];
    findings.tables.push(Table {
        stem: "ellipse-impacts",
        title: "Impacts of an ellipse".to_owned(),
        about: format!(
            "Root mean squares over {test} measured impacts. Ours: coefficients fitted to {train} others. Put right: the tangential impulse of \
             the published prediction in the frame in which it turns the ellipse."
        ),
        heads: heads.map(str::to_owned).to_vec(),
        rows: ours.iter().chain(published).map(row).collect(),
    });
    let curve = |j: &Judged| {
        let mut errors = j.errors.clone();
        errors.sort_by(f64::total_cmp);
        let n = errors.len() as f64;
        let points = errors.iter().enumerate().map(|(i, e)| [*e, (i as f64 + 1.0) / n]).collect();
        Series { label: j.name.clone(), points }
    };
    let best = published.iter().min_by(|a, b| a.whole().total_cmp(&b.whole()));
    let series = ours.iter().chain(best).map(curve).collect();
    let shape: fn(Figure) -> Figure = |f| f;
    let title = "Impacts of an ellipse: share of impacts below an error";
    findings.keep_over("ellipse-impacts", title, ["error [m/s]", "share [–]"], series, shape);
}
