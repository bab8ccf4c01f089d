//! `stiction compare`: one scene, several contact solvers or steppers.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{say, say_json, tell_notes};
use crate::progress::Meter;
use crate::recording_file::{self, Kind};
use crate::table::table;
use crate::words::short;
use stiction_comparisons::compare::{Comparison, Contender};
use stiction_scene::overrides::{solvers_named, steppers_named};

/// Of a replay; fewer than of a single run, for there are many bodies.
const FRAMES_PER_SECOND: f64 = 30.0;

/// Short heads: the table fits 80 columns.
const COLUMNS: [&str; 8] = [
    "contact",
    "µs per\nstep",
    "nat. map\n[m/s]",
    "own law\n[m/s]",
    "overlap\n[m]",
    "iter-\nations",
    "not\nconv.",
    "energy\n[J]",
];

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    if let Some(path) = &args.replay {
        recording_file::check(path, &[Kind::Page])?;
    }
    if let Some(path) = &args.report {
        recording_file::check(path, &[Kind::Page])?;
    }
    let contacts = solvers_named(&args.contact).map_err(Failure::input)?;
    let steppers = args.scene.stepper.as_deref().filter(|list| *list == "all" || list.contains(','));
    let steppers = steppers.map(steppers_named).transpose().map_err(Failure::input)?;
    let scene = args.scene.load()?;
    let overrides = match &steppers {
        // One contact solver for all steppers: that which was named, if one was.
        Some(_) => args.scene.overrides_with(Some(&args.contact[..]).filter(|c| *c != "all"), None)?,
        None => args.scene.overrides(None)?,
    };
    let mut setup = scene.build().map_err(Failure::input)?;
    setup.check_content().map_err(Failure::input)?;
    if steppers.is_none() {
        overrides.apply(&mut setup);
        let takes = setup.settings.stepper.check_takes(&args.contact);
        takes.map_err(|e| Failure::input(format!("{e}; --stepper all compares steppers")))?;
    }
    if !args.json {
        tell_notes(&setup.notes());
    }
    let meter = Meter::new(!args.json);
    let frames = args.replay.as_ref().map(|_| FRAMES_PER_SECOND);
    let comparison = match &steppers {
        Some(steppers) => {
            Comparison::of_steppers(&scene, steppers, &overrides, frames, |name, p| meter.tell(name, p))
        }
        None => Comparison::run(&scene, &contacts, &overrides, frames, |contact, p| meter.tell(contact, p)),
    };
    let mut comparison = comparison.map_err(Failure::input)?;
    meter.done();
    if args.json {
        if comparison.refused.is_empty() {
            say_json(&comparison.runs)?;
        } else {
            // Whoever cannot run is told by its name and the reason alone.
            let rows = comparison.runs.iter().map(serde_json::to_value);
            let rows: Result<Vec<_>, _> =
                rows.chain(comparison.refused.iter().map(serde_json::to_value)).collect();
            say_json(&rows.map_err(Failure::work)?)?;
        }
    } else {
        let table = table(COLUMNS, comparison.runs.iter().map(row));
        say(&format!("{}: {}\n{}\n{table}", comparison.scene, comparison.description, common(&comparison)))?;
        let ended = comparison.runs.iter().filter(|r| r.failure.is_some());
        ended
            .map(|r| &r.summary)
            .try_for_each(|s| say(&format!("{}: failed at t = {} s", s.contact, s.end_time)))?;
        let refused = comparison.refused.iter();
        refused.map(|r| format!("{} does not run: {}", r.contact, r.failure)).try_for_each(|t| say(&t))?;
    }
    if let Some(path) = &args.report {
        stiction_store::write(path, comparison.to_html())
            .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
        if !args.json {
            say(&format!("report: {} (open it in a browser)", path.display()))?;
        }
    }
    if let Some((path, recording)) = args.replay.as_ref().zip(comparison.take_recording()) {
        stiction_viewer::write_replay(path, &recording).map_err(|e| Failure::work_with_causes(&e))?;
        if !args.json {
            say(&format!("replay: {} (open it in a browser)", path.display()))?;
        }
    }
    let failed = comparison.runs.iter().find_map(|r| Some((&r.summary.contact, r.failure.as_ref()?)));
    match failed {
        Some((contact, cause)) => Err(Failure::work(format!("{contact}: a step failed: {cause}"))),
        None if comparison.runs.iter().any(|r| r.summary.interrupted) => Err(Failure::Interrupted),
        None => Ok(()),
    }
}

/// What all runs share, and what the columns hold.
fn common(comparison: &Comparison) -> String {
    let Some(s) = comparison.runs.first().map(|r| &r.summary) else { return String::new() };
    let (dt, steps, energy) = (short(1e3 * s.dt), s.steps, short(s.energy.start));
    format!(
        "{steps} steps of {dt} ms; worst natural map by the exact law, and by the solver's own; deepest overlap; \
         change of the energy, which is {energy} J at the start"
    )
}

/// A run in the columns of [`COLUMNS`].
fn row(run: &Contender) -> [String; 8] {
    let s = &run.summary;
    let worst = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |x| format!("{x:.1e}"));
    [
        s.contact.clone(),
        format!("{:.1}", 1e6 * s.wall_s / s.steps.max(1) as f64),
        worst(s.certificate.map(|c| c.natural_map)),
        worst(run.own_natural_map),
        format!("{:.1e}", s.penetration_max),
        format!("{:.1}", s.solver.iterations_mean),
        s.solver.not_converged.to_string(),
        format!("{:+.1e}", s.energy.end - s.energy.start),
    ]
}
