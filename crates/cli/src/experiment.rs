//! `stiction experiment`: figures of the literature, repeated and judged.

use crate::args::ExperimentArgs;
use crate::failure::Failure;
use crate::full;
use crate::output::{complain, say, say_json};
use crate::progress::Meter;
use serde_json::json;
use std::path::Path;
use stiction_experiments::{Conduct, Contacts, EXPERIMENTS, ExperimentError, Size, named};
use stiction_scene::nearest::hint;

pub(crate) fn experiment(args: &ExperimentArgs) -> Result<(), Failure> {
    if args.name == "list" {
        return list(args.json);
    }
    let names = || EXPERIMENTS.iter().map(|e| e.name);
    let experiment = named(&args.name).ok_or_else(|| {
        let (guess, all) = (hint(&args.name, names()), names().collect::<Vec<_>>().join(", "));
        Failure::input(format!("no experiment is called `{}`{guess}; there are: {all}", args.name))
    })?;
    let formats = full::formats(args.pdf, args.png)?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(experiment.name));
    if !args.json {
        complain(&format!("{}\n{}", experiment.title, experiment.source));
    }
    let (meter, kept) = (Meter::new(!args.json), folder.join("runs"));
    let tell = |done: usize, all: usize, label: &str| meter.count(done, all, label);
    let conduct = Conduct {
        size: Size::Full,
        contacts: contacts(&args.contact),
        kept: experiment.is_staged().then_some(kept.as_path()),
        tell: &tell,
    };
    let outcome = experiment.conduct(&folder, &conduct, formats);
    meter.done();
    let outcome = outcome.map_err(|error| match error {
        ExperimentError::Interrupted => Failure::Interrupted,
        ExperimentError::NoContacts { .. } | ExperimentError::UnknownContact { .. } => Failure::input(error),
        error => Failure::work(error),
    })?;
    if args.json {
        say_json(&outcome)?;
    } else {
        let mark = |holds| if holds { "holds" } else { "FAILS" };
        let claims = outcome.claims.iter().map(|c| format!("{}  {}: {}", mark(c.holds), c.claim, c.measured));
        let files = outcome.files.iter().map(|f| format!("wrote  {}", f.display()));
        let notes = outcome.notes.iter().map(|n| format!("note   {n}"));
        say(&notes.chain(claims).chain(files).collect::<Vec<_>>().join("\n"))?;
    }
    match outcome.claims.iter().filter(|c| !c.holds).count() {
        0 => Ok(()),
        n => Err(Failure::work(format!("{n} of {} claims do not hold", outcome.claims.len()))),
    }
}

/// The contact solvers that are asked for beside the published.
fn contacts(names: &[String]) -> Contacts {
    match names {
        [] => Contacts::Published,
        [all] if all == "all" => Contacts::All,
        names => Contacts::Also(names.to_vec()),
    }
}

fn list(as_json: bool) -> Result<(), Failure> {
    if as_json {
        let entry = |e: &stiction_experiments::Experiment| json!({"name": e.name, "title": e.title, "source": e.source});
        return say_json(&EXPERIMENTS.iter().map(entry).collect::<Vec<_>>());
    }
    let lines = EXPERIMENTS.iter().map(|e| format!("{:<24}{}\n{:24}{}", e.name, e.title, "", e.source));
    say(&lines.collect::<Vec<_>>().join("\n"))
}
