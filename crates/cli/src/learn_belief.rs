//! `stiction learn belief`: from contact to contact with an uncertain state.

use crate::args::BeliefArgs;
use crate::failure::Failure;
use crate::learn_figures::write;
use crate::learn_input::{chosen_models, failed, numbers_of, tell_taken};
use crate::output::{say, say_json};
use crate::progress::Meter;
use serde_json::{Value, json};
use stiction::random::Random;
use stiction_learn::belief::{Belief, StochasticStep};
use stiction_learn::data::Trajectory;
use stiction_learn::dice::{DiceSet, Effort};
use stiction_learn::planar::{PlanarStepper, PlanarWorld};
use stiction_learn::score::mean_and_spread;
use stiction_learn::store::Store;
use stiction_plot::{Figure, Series, Sheet};

pub(crate) fn belief(args: &BeliefArgs) -> Result<(), Failure> {
    let model = chosen_models(std::slice::from_ref(&args.model))?[0];
    let set = DiceSet::read(&args.drops.data).map_err(Failure::input)?;
    let ids = numbers_of(&args.drops.train, "--train")?;
    let train = set.choose(&ids).map_err(Failure::input)?;
    let drop = set.choose(&[args.drop]).map_err(Failure::input)?[0];
    if ids.contains(&drop.id) {
        return Err(Failure::input(format!("drop {} is in --train and is to be predicted", drop.id)));
    }
    let effort = Effort { seed: args.drops.common.seed, ..Effort::default() };
    let store = Store::new(args.drops.out.as_deref(), &set.measured).map_err(Failure::input)?;
    let meter = Meter::new(!args.drops.common.json);
    let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
    let fitted = model.fit(&train, &effort, &store, &mut watch).map_err(failed)?;
    meter.done();
    tell_taken(&store);
    let Some((fitted, residual)) = fitted.and_then(|f| Some((f.clone(), f.residual?))) else {
        return Err(Failure::input(format!("--model {}: a belief needs a model with a learner", args.model)));
    };
    let world = fitted.world();
    let mut random = Random::new(args.drops.common.seed);
    let mut belief =
        Belief::normal(fitted.parameters.start(drop), fitted.noise.offset, fitted.noise.velocity);
    let horizon = drop.dt * drop.frames.len() as f64;
    let mut steps: Vec<StochasticStep> = Vec::new();
    for _ in 0..args.contacts {
        let step = belief.step(&world, &residual, usize::from(args.samples), horizon, &mut random);
        belief = step.belief.clone();
        steps.push(step);
    }
    if let Some(figure) = &args.figure {
        write(&Sheet::from(&ways_of_samples(drop, &world, &steps)), figure)?;
    }
    let rows: Vec<Value> = steps.iter().enumerate().map(|(i, s)| told(i + 1, s)).collect();
    if args.drops.common.json {
        return say_json(&rows);
    }
    let lines = rows.iter().map(|r| {
        let spread = |key: &str, i: usize| r[key][i].as_f64().unwrap_or(f64::NAN);
        format!(
            "contact {}: x {:.4} +- {:.4} m, z {:.4} +- {:.4} m, theta {:.3} +- {:.3} rad; {} of {} samples hit; \
             discarded: {} entering, {} gaining energy",
            r["contact"], spread("mean", 0), spread("deviation", 0), spread("mean", 1), spread("deviation", 1),
            spread("mean", 2), spread("deviation", 2), r["hits"], r["samples"], r["entering"], r["gaining_energy"]
        )
    });
    say(&lines.collect::<Vec<_>>().join("\n"))
}

fn told(contact: usize, step: &StochasticStep) -> Value {
    let of = |i: usize| mean_and_spread(&step.particles.iter().map(|p| p.end.q[i]).collect::<Vec<_>>());
    let all = [of(0), of(1), of(2)];
    json!({
        "contact": contact,
        "samples": step.particles.len(),
        "hits": step.particles.iter().filter(|p| p.impact.is_some()).count(),
        "mean": all.map(|a| a[0]),
        "deviation": all.map(|a| a[1]),
        "entering": step.discarded.entering,
        "gaining_energy": step.discarded.gaining_energy,
        "given_up": step.discarded.given_up,
    })
}

/// Samples whose ways are drawn, at most.
const WAYS: usize = 40;
/// Between two points of a way [s].
const TICK: f64 = 4e-3;

/// The measured path of the centre, and the ways of samples from contact to contact, as figure 1 of [Fazeli2020]: from the start, after the first
/// contact, after the second, and so on, with dots where they begin.
fn ways_of_samples(drop: &Trajectory, world: &PlanarWorld, steps: &[StochasticStep]) -> Figure {
    let mut stepper = PlanarStepper::new(world);
    let (mut ways, mut begin): (Vec<Series>, Vec<Series>) = (Vec::new(), Vec::new());
    let mut longest = 0.0;
    for (i, step) in steps.iter().enumerate() {
        let label = if i == 0 { "samples of the start".to_owned() } else { format!("after contact {i}") };
        let (mut points, mut starts) = (Vec::new(), Vec::new());
        for particle in step.particles.iter().take(WAYS) {
            let mut state = particle.start;
            starts.push([state.q[0], state.q[1]]);
            points.push([state.q[0], state.q[1]]);
            let whole = (particle.time / TICK).floor() as usize;
            for _ in 0..whole {
                stepper.advance(&mut state, TICK, None, &mut |_| {});
                points.push([state.q[0], state.q[1]]);
            }
            points.push([particle.end.q[0], particle.end.q[1]]);
            // Parts one way from the next.
            points.push([f64::NAN; 2]);
        }
        longest += step.particles.iter().map(|p| p.time).fold(0.0, f64::max);
        ways.push(Series { label: label.clone(), points });
        begin.push(Series { label, points: starts });
    }
    let seen = ((longest / drop.dt) as usize + 2).min(drop.frames.len());
    let measured = drop.frames[..seen].iter().map(|q| [q[0], q[1]]).collect();
    ways.push(Series { label: "measured".to_owned(), points: measured });
    let title = format!("Drop {}: samples of the belief, from contact to contact", drop.id);
    let caption = "Ways of the centre. A contact makes velocities uncertain, not places: ways part after it.";
    Figure::of_series(&title, "x [m]", "z [m]", &ways)
        .dotted(&begin)
        .highlighted("measured")
        .fine()
        .equal()
        .captioned(caption)
}
