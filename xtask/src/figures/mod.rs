//! `cargo xtask figures`.

mod job;
mod sheet;

use crate::args::Args;
use crate::process::{cargo, output, root, run as spawn, target};
use job::Job;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(crate) const HELP: &str = "\
Runs the experiments of the laboratory and redraws their figures and tables, several at a time. An experiment
that no longer shows what it claims ends in an error; the others are run all the same. A contact sheet,
index.html, shows every figure on light and on dark ground, every table, what does not hold, and by name what is not there.

    cargo xtask figures [NAME ...] [--out DIR] [--data DIR] [--jobs N] [--sheet]

    NAME        experiments, or `learn-...`; without a name all of them, those that take minutes last
    --out DIR   where figures and data go, one folder per experiment (default out/figures)
    --data DIR  folder with dice_drop and ellipse_impact, which the figures of `learn` are made from; without it
                the sheet names these with their commands
    --jobs N    how many at a time (default 2)
    --sheet     build and run nothing: the sheet of what is there

Done again is only what is older than the program: a run that was interrupted goes on where it was.
What each says is in its log.txt.
`cargo run --release -- experiment list` says what each experiment shows.";

const BUILD: [&str; 7] = ["build", "--quiet", "--release", "--features", "full", "--package", "stiction-cli"];

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let out = root().join(args.option("--out")?.unwrap_or_else(|| "out/figures".to_owned()));
    let data = args.option("--data")?.map(PathBuf::from);
    let at_once = args.number("--jobs", 2.0)?.ceil() as usize;
    let sheet_alone = args.flag("--sheet");
    let names = args.finish(64)?;
    let program = target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    if !sheet_alone {
        spawn(cargo().args(BUILD))?;
    }
    let all = job::all(&experiments(&program)?, data.as_deref());
    let known = || all.iter().map(|j| j.name.as_str());
    if let Some(name) = names.iter().find(|n| known().all(|k| k != **n)) {
        return Err(format!(
            "there is no figure `{name}`; there are {}",
            known().collect::<Vec<_>>().join(", ")
        ));
    }
    let chosen: Vec<&Job> = all.iter().filter(|j| names.is_empty() || names.contains(&j.name)).collect();
    if !sheet_alone {
        conduct(&chosen, &all, &program, &out, at_once)?;
    }
    sheet::write(&out, &all)?;
    println!("{}", out.join("index.html").display());
    let asked = chosen.iter().filter(|j| !j.lacks_data());
    let failed: Vec<String> = asked.filter_map(|j| j.state(&out).fault(&j.name)).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Runs what is not done, `at_once` at a time, telling each when it begins and ends.
fn conduct(chosen: &[&Job], all: &[Job], program: &Path, out: &Path, at_once: usize) -> Result<(), String> {
    let (next, lock) = (AtomicUsize::new(0), Mutex::new(()));
    let tell =
        |k: usize, job: &Job, what: &str| println!("[{}/{}] {:<26}{what}", k + 1, chosen.len(), job.name);
    let work = || -> Result<(), String> {
        while let Some((k, job)) =
            Some(next.fetch_add(1, Ordering::SeqCst)).and_then(|k| Some((k, chosen.get(k)?)))
        {
            if job.done_since(program, out) {
                tell(k, job, &format!("as it was: {}", job.state(out)));
                continue;
            }
            if job.lacks_data() {
                tell(k, job, "not drawn: --data is not given");
                continue;
            }
            tell(k, job, "...");
            let started = Instant::now();
            job.run(program, out)?;
            tell(k, job, &format!("{:.0} s: {}", started.elapsed().as_secs_f64(), job.state(out)));
            // The sheet grows as experiments end; one writes it at a time.
            let _held = lock.lock();
            sheet::write(out, all)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..at_once.max(1)).map(|_| scope.spawn(work)).collect();
        hands.into_iter().try_for_each(|h| h.join().map_err(|_| "a thread ended by force".to_owned())?)
    })
}

/// The names the laboratory has, in its order.
fn experiments(program: &Path) -> Result<Vec<String>, String> {
    let text = output(std::process::Command::new(program).args(["experiment", "list", "--json"]))?;
    let list: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|e| format!("`experiment list --json` is no JSON: {e}"))?;
    Ok(list.iter().filter_map(|e| e["name"].as_str()).map(str::to_owned).collect())
}
