//! `stiction compare`: one scene, several contact solvers.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use comfy_table::{Table, presets};
use stiction_lab::compare::{COLUMNS, Comparison, row};
use stiction_lab::overrides::solvers_named;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let contacts = solvers_named(&args.contact).map_err(Failure::input)?;
    let scene = args.scene.load()?;
    let overrides = args.scene.overrides(None);
    let meter = Meter::new(!args.json);
    let comparison = Comparison::run(&scene, &contacts, &overrides, |contact, p| meter.tell(contact, p))
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
    let failed = comparison.runs.iter().find_map(|r| Some((&r.summary.contact, r.failure.as_ref()?)));
    match failed {
        Some((contact, cause)) => Err(Failure::work(format!("{contact}: a step failed: {cause}"))),
        None if comparison.runs.iter().any(|r| r.summary.interrupted) => Err(Failure::Interrupted),
        None => Ok(()),
    }
}
