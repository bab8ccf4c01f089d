//! `stiction learn identify`: parameters of any scene from measured trajectories.

use crate::args::IdentifyArgs;
use crate::failure::Failure;
use crate::learn_input::{sampling_of, tell_samples};
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::table;
use stiction::world::Ledger;
use stiction_lab::identification::{self, Start};
use stiction_learn::identify::{Chain, Marginal};
use stiction_learn::system::{self, IdentifyError, IdentifySettings, Measured, parameter_names};
use stiction_scene::Setup;
use stiction_store::{Key, Store, digest_of};

pub(crate) fn identify(args: &IdentifyArgs) -> Result<(), Failure> {
    let (_, setup) = args.scene.set_up(args.contact.as_deref(), args.common.json)?;
    let scene = contents(&setup);
    let case = identification::case(setup);
    if args.parameter == ["list"] {
        return say(&parameter_names(&case.world).join("\n"));
    }
    let parameters = args
        .parameter
        .iter()
        .map(|text| identification::parameter_in_range(text, &case))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Failure::input)?;
    let start = if args.start == "data" { Start::Data } else { Start::Scene };
    let measured = args
        .data
        .iter()
        .map(|path| identification::measured(path, &case.world.model, start))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Failure::input)?;
    let sampling = sampling_of(&args.chains, args.common.seed)?;
    let settings = IdentifySettings {
        noise: args.noise,
        generations: usize::from(args.generations),
        restarts: usize::from(args.restarts),
        sampling: (!args.no_posterior).then_some(sampling),
        seed: args.common.seed,
    };
    let mut key = Key::new("identify 1")
        .with("scene", scene)
        .with("parameters", &args.parameter)
        .with("start", &args.start)
        .with("settings", &settings);
    for (i, data) in measured.iter().enumerate() {
        // Contents by their numbers; a name says nothing.
        let Measured { name: _, start, times, channels, values } = data;
        key = key.data(&format!("data file {}", i + 1), &(start, times, channels, values));
    }
    let store = args.out.as_deref().map(|folder| Store::open(folder, &key)).transpose();
    let store = store.map_err(Failure::input)?;
    let record = Key::new("chains");
    let kept =
        store.as_ref().map(|store| store.get("chains", &record)).transpose().map_err(Failure::input)?;
    let mut chains: Vec<Chain> = kept.flatten().unwrap_or_default();
    tell_samples(&chains);
    let meter = Meter::new(!args.common.json);
    let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
    let found = system::identify(&case, &parameters, &measured, &settings, &mut chains, &mut watch);
    meter.done();
    if let Some(store) = &store {
        store.put("chains", &record, &chains).map_err(Failure::work)?;
    }
    let mut found = found.map_err(|error| match error {
        IdentifyError::Interrupted(_) => Failure::Interrupted,
        error => Failure::input(error),
    })?;
    if args.common.json {
        if let Some(posterior) = found.posterior.as_mut().filter(|_| !args.samples_too) {
            posterior.samples.clear();
        }
        return say_json(&found);
    }
    let short = |x: f64| if x.is_finite() { format!("{x:.6}") } else { "none".to_owned() };
    let cells = found.parameters.iter().map(|p| [p.name.clone(), short(p.given), short(p.value)]);
    let mut text = table(["parameter", "in the scene", "most likely"], cells);
    if let Some(posterior) = &found.posterior {
        text = format!("{text}\n\n{}", marginals(&posterior.marginals, &posterior.acceptance));
    }
    for name in &found.idle {
        eprintln!("warning: `{name}` acts on nothing that is measured: any value explains it as well");
    }
    let left: Vec<String> = found.rms.iter().map(|(unit, rms)| format!("{rms:.3e} {unit}")).collect();
    say(&format!("{text}\nleft over  {} (root mean square of {} numbers)", left.join(", "), found.numbers))
}

/// The digest of everything in a scene that its motion depends on, from all files that it was read from.
fn contents(setup: &Setup) -> String {
    let mut setup = setup.clone();
    // The remarks name files, and not what is in them.
    setup.world.ledger = Ledger::default();
    let Setup { name: _, world, state, settings, forces, motion, control, duration } = &setup;
    format!("sha256:{}", digest_of(&(world, state, settings, forces, motion, control, duration)))
}

/// Distributions, and what the chains are worth.
pub(crate) fn marginals(all: &[Marginal], acceptance: &[f64]) -> String {
    let cells = all.iter().map(|m| {
        [
            m.name.clone(),
            format!("{:.4}", m.median),
            format!("{:.4} .. {:.4}", m.interval[0], m.interval[1]),
            format!("{:.0}", m.effective_samples),
            format!("{:.3}", m.r_hat),
        ]
    });
    let shown = table(["parameter", "median", "5 % .. 95 %", "effective\nsamples", "R-hat"], cells);
    let acceptance = acceptance.iter().map(|a| format!("{a:.2}")).collect::<Vec<_>>().join(" ");
    format!("{shown}\naccepted  {acceptance}")
}
