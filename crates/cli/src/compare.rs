//! `stiction compare`: one scene, several contact solvers.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use comfy_table::{Table, presets};
use stiction_lab::compare::{COLUMNS, Comparison, row};
use stiction_lab::overrides::solvers_named;

/// Of a replay; fewer than of a single run, for there are many bodies.
const FRAMES_PER_SECOND: f64 = 30.0;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let contacts = solvers_named(&args.contact).map_err(Failure::input)?;
    let scene = args.scene.load()?;
    let overrides = args.scene.overrides(None)?;
    let meter = Meter::new(!args.json);
    let frames = args.replay.as_ref().map(|_| FRAMES_PER_SECOND);
    let mut comparison =
        Comparison::run(&scene, &contacts, &overrides, frames, |contact, p| meter.tell(contact, p))
            .map_err(Failure::input)?;
    meter.done();
    if args.json {
        say_json(&comparison.runs)?;
    } else {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header(COLUMNS);
        table.add_rows(comparison.runs.iter().map(row));
        say(&format!("{}: {}\n{table}", comparison.scene, comparison.description))?;
    }
    if let Some(path) = &args.report {
        let folder = path.parent().unwrap_or(std::path::Path::new(""));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(path, comparison.to_html()))
            .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
        if !args.json {
            say(&format!("report: {} (open it in a browser)", path.display()))?;
        }
    }
    if let Some((path, recording)) = args.replay.as_ref().zip(comparison.take_recording()) {
        let folder = path.parent().unwrap_or(std::path::Path::new(""));
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::work(format!("cannot make the folder {}: {e}", folder.display())))?;
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
