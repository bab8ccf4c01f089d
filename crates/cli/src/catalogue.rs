//! `stiction scenes` and `stiction solvers`: what there is.

use crate::args::ListArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use serde_json::json;
use stiction::contact::Law;
use stiction::solvers::registry;
use stiction_lab::scene::builtin_summaries;

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

pub(crate) fn solvers(args: &ListArgs) -> Result<(), Failure> {
    if args.json {
        let entry = |e: &registry::Entry| json!({"name": e.name, "law": e.law, "summary": e.summary});
        return say_json(&registry::all().iter().map(entry).collect::<Vec<_>>());
    }
    let lines: Vec<String> = (registry::all().iter().enumerate())
        .map(|(i, e)| {
            let default = if i == 0 { " (default)" } else { "" };
            format!("{:<17}{:<17}{}{default}", e.name, law_name(e.law), e.summary)
        })
        .collect();
    say(&lines.join("\n"))
}

/// The word for a law.
pub(crate) fn law_name(law: Law) -> String {
    law.to_string()
}
