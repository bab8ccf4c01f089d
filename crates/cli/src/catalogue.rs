//! `stiction scenes`, `stiction solvers` and `stiction steppers`: what there is.

use crate::args::{ListArgs, SolversArgs};
use crate::failure::Failure;
use crate::output::{say, say_json};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;
use stiction::contact::Law;
use stiction::solvers::registry;
use stiction_scene::builtin_summaries;

/// Width of a table where there is no terminal [characters].
const WIDTH: u16 = 120;

pub(crate) fn scenes(args: &ListArgs) -> Result<(), Failure> {
    let scenes = builtin_summaries().map_err(Failure::work)?;
    if args.json {
        let list: Vec<_> =
            scenes.iter().map(|(name, about)| json!({"name": name, "description": about})).collect();
        return say_json(&list);
    }
    let lines: Vec<String> = scenes.iter().map(|(name, about)| format!("{name:<18}{about}")).collect();
    say(&lines.join("\n"))
}

pub(crate) fn solvers(args: &SolversArgs) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        return solver(registry::find(name).map_err(Failure::input)?, args.json);
    }
    if args.json {
        let entry = |e: &registry::Entry| json!({"name": e.name, "law": e.law, "summary": e.summary});
        return say_json(&registry::all().iter().map(entry).collect::<Vec<_>>());
    }
    let lines: Vec<String> = (registry::all().iter().enumerate())
        .map(|(i, e)| {
            let default = if i == 0 { " (default)" } else { "" };
            format!("{:<23}{:<18}{}{default}", e.name, law_name(e.law), e.summary)
        })
        .collect();
    say(&lines.join("\n"))
}

pub(crate) fn steppers(args: &ListArgs) -> Result<(), Failure> {
    let entries = stiction::steppers();
    if args.json {
        let entry = |e: &stiction::StepperEntry| json!({"name": e.name, "summary": e.summary, "order": e.order, "source": e.source});
        return say_json(&entries.iter().map(entry).collect::<Vec<_>>());
    }
    let lines: Vec<String> = (entries.iter().enumerate())
        .map(|(i, e)| {
            let default = if i == 0 { " (default)" } else { "" };
            format!(
                "{}{default}: {}\n    order {}\n    source {} (REFERENCES.bib)",
                e.name, e.summary, e.order, e.source
            )
        })
        .collect();
    say(&lines.join("\n"))
}

/// The manual of one solver.
fn solver(entry: &registry::Entry, json: bool) -> Result<(), Failure> {
    let (law, settings) = (law_name(entry.law), entry.settings());
    if json {
        return say_json(&json!({
            "name": entry.name, "law": entry.law, "summary": entry.summary, "source": entry.source,
            "parameters": settings,
        }));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["parameter", "unit", "default", "allowed", "effect"]);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table.add_rows(settings.iter().map(|s| [&s.name, s.unit, &s.default, &s.allowed, s.effect]));
    say(&format!(
        "{}: {}\nlaw {law} (CONVENTIONS.md), source {} (REFERENCES.bib)\n\n{table}",
        entry.name, entry.summary, entry.source
    ))
}

/// The word for a law.
pub(crate) fn law_name(law: Law) -> String {
    law.to_string()
}
