//! `stiction learn propagate`: a belief over the state of any scene, from contact to contact.

use crate::args::PropagateArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::table;
use serde_json::{Value, json};
use stiction::random::Random;
use stiction_lab::identification;
use stiction_learn::belief::{ImpactDistribution, LawSpread, SceneBelief, ScenePropagation};
use stiction_learn::residual::ContactResidual;
use stiction_learn::score::mean_and_spread;

pub(crate) fn propagate(args: &PropagateArgs) -> Result<(), Failure> {
    let numbers = [
        ("--position-deviation", args.position_deviation, 0.0),
        ("--velocity-deviation", args.velocity_deviation, 0.0),
        ("--impulse-deviation", args.impulse_deviation, 0.0),
        ("--approach", args.approach, 0.0),
        ("--horizon", args.horizon, f64::MIN_POSITIVE),
    ];
    if let Some((name, x, least)) = numbers.iter().find(|(_, x, least)| !(x.is_finite() && x >= least)) {
        let expected = if *least > 0.0 { "a number > 0" } else { "a number >= 0" };
        return Err(Failure::input(format!("{name} is {x}, expected {expected}")));
    }
    let impacts: Box<dyn ImpactDistribution> = match &args.residual {
        None => Box::new(LawSpread { deviation: args.impulse_deviation }),
        Some(file) => {
            let wrong = |what: String| Failure::input(format!("{}: {what}", file.display()));
            let text = std::fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?;
            let fitted: ContactResidual = serde_json::from_str(&text)
                .map_err(|e| wrong(format!("no fitted ContactResidual ({e}); save one from Python")))?;
            Box::new(fitted)
        }
    };
    let (_, setup) = args.scene.set_up(args.contact.as_deref(), args.common.json)?;
    let case = identification::case(setup);
    let n = case.state.v.len();
    let (position, velocity) = (vec![args.position_deviation; n], vec![args.velocity_deviation; n]);
    let mut belief = SceneBelief::normal(case.state.clone(), position, velocity);
    let mut random = Random::new(args.common.seed);
    let meter = Meter::new(!args.common.json);
    let how = (usize::from(args.samples), args.horizon, args.approach);
    let mut steps = Vec::new();
    for contact in 0..args.contacts {
        if meter.count(usize::from(contact), usize::from(args.contacts), "contacts").is_break() {
            return Err(Failure::Interrupted);
        }
        let step = belief.step(&case, &*impacts, how, &mut random).map_err(Failure::input)?;
        steps.push(told(&step, &case.world, &mut random));
        belief = step.belief;
    }
    meter.done();
    if args.common.json {
        return say_json(&steps);
    }
    let heads = ["contact", "samples hit", "after [s]", "+-", "entering", "gaining energy"];
    let number = |x: &Value| x.as_f64().map_or_else(String::new, |x| format!("{x:.4}"));
    let rows = steps.iter().enumerate().map(|(i, s)| {
        let discarded = &s["discarded"];
        [
            (i + 1).to_string(),
            s["hit"].to_string(),
            number(&s["time"]),
            number(&s["time_deviation"]),
            discarded["entering"].to_string(),
            discarded["gaining_energy"].to_string(),
        ]
    });
    say(&table(heads, rows))?;
    let last = steps.last().and_then(|s| s["coordinates"].as_array().cloned()).unwrap_or_default();
    let rows = last
        .iter()
        .map(|c| [c["name"].as_str().unwrap_or("").to_owned(), number(&c["mean"]), number(&c["deviation"])]);
    say(&table(["after the last", "mean", "deviation"], rows))
}

/// A step for programs.
fn told(step: &ScenePropagation, world: &stiction::world::World, random: &mut Random) -> Value {
    let [time, deviation] = mean_and_spread(&step.particles.iter().map(|p| p.time).collect::<Vec<_>>());
    json!({
        "hit": step.particles.iter().filter(|p| p.hit > 0).count(),
        "several_hit": step.particles.iter().filter(|p| p.hit > 1).count(),
        "samples": step.particles.len(),
        "time": time,
        "time_deviation": deviation,
        "discarded": step.discarded,
        "coordinates": ScenePropagation::spreads(world, &step.drawn(world, random)),
    })
}
