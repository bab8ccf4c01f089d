//! `cargo xtask figures`.

use crate::args::Args;
use crate::process::{cargo, output, root, run as spawn};
use std::path::Path;

pub(crate) const HELP: &str = "\
Runs the experiments of the laboratory and redraws their figures and tables. An experiment
that no longer shows what it claims ends in an error; the others are run all the same. A contact sheet of
everything in DIR is written as index.html.

    cargo xtask figures [NAME] [--out DIR]

    NAME        one experiment; without it all of them but hard-cases and solo12-mpc, which take minutes
    --out DIR   where figures and data go, one folder per experiment (default docs/figures)

`cargo run --release -- experiment list` says what each experiment shows.";

/// Experiments that run by their names only.
const LONG: [&str; 2] = ["hard-cases", "solo12-mpc"];

const STICTION: [&str; 7] = ["run", "--quiet", "--release", "--package", "stiction-cli", "--", "experiment"];

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let out = args.option("--out")?.unwrap_or_else(|| "docs/figures".to_owned());
    let names = args.finish(1)?;
    let all = experiments()?;
    let drawn: Vec<String> = all.iter().filter(|n| !LONG.contains(&n.as_str())).cloned().collect();
    let chosen = if names.is_empty() { &drawn } else { &names };
    if let Some(name) = chosen.iter().find(|n| !all.contains(n)) {
        return Err(format!("there is no experiment `{name}`; there are {}", all.join(", ")));
    }
    let mut failed = Vec::new();
    for name in chosen {
        let folder = root().join(&out).join(name);
        if let Err(message) = spawn(cargo().args(STICTION).args([name, "--out"]).arg(&folder)) {
            failed.push(message);
        }
    }
    contact_sheet(&root().join(&out))?;
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Writes `index.html` into `out`: every figure of its folders, by experiment, on light and on dark ground as the reader has it.
fn contact_sheet(out: &Path) -> Result<(), String> {
    let names = |folder: &Path| -> Result<Vec<String>, String> {
        let entries =
            std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
        let mut names: Vec<String> =
            entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
        names.sort();
        Ok(names)
    };
    let mut body = String::new();
    for experiment in names(out)?.iter().filter(|n| out.join(n).is_dir()) {
        body += &format!("<h2>{experiment}</h2>\n");
        for file in names(&out.join(experiment))? {
            let picture = match file.strip_suffix(".svg") {
                Some(stem) if !stem.ends_with("-dark") => format!(
                    "<picture><source srcset=\"{experiment}/{stem}-dark.svg\" media=\"(prefers-color-scheme:dark)\">\
                     <img src=\"{experiment}/{stem}.svg\" alt=\"{stem}\"></picture>"
                ),
                // Pictures of a scene are no figures, and have no SVG beside them.
                None if file.ends_with(".png")
                    && !out.join(experiment).join(file.replace(".png", ".svg")).exists() =>
                {
                    format!("<img src=\"{experiment}/{file}\" alt=\"{file}\">")
                }
                _ => continue,
            };
            body += &format!("<figure>{picture}<figcaption>{file}</figcaption></figure>\n");
        }
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Figures</title><style>:root{{color-scheme:light dark}}\
         body{{font:14px system-ui,sans-serif;margin:1rem}}figure{{display:inline-block;width:480px;margin:.4rem;vertical-align:top}}\
         img{{width:100%}}</style></head><body>\n{body}</body></html>\n"
    );
    let file = out.join("index.html");
    std::fs::write(&file, page).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// The names the laboratory has, in its order.
fn experiments() -> Result<Vec<String>, String> {
    let text = output(cargo().args(STICTION).args(["list", "--json"]))?;
    let list: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|e| format!("`experiment list --json` is no JSON: {e}"))?;
    Ok(list.iter().filter_map(|e| e["name"].as_str()).map(str::to_owned).collect())
}
