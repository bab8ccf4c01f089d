//! `stiction shrink`: the smallest part of a problem on which a solver fails.

use crate::args::ShrinkArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::progress::Meter;
use crate::solve::limits;
use stiction::solvers::Params;
use stiction_lab::shrink::shrink as smallest;
use stiction_lab::solve::load_problem;
use stiction_problem_files::save;

pub(crate) fn shrink(args: &ShrinkArgs) -> Result<(), Failure> {
    let file = load_problem(&args.file).map_err(Failure::input)?;
    let common = limits(&args.file, &file.problem, args.tolerance, args.max_iterations)?;
    let params = Params::parse(&args.contact_param).map_err(Failure::input)?;
    let (meter, all) = (Meter::new(true), file.problem.len());
    let label = format!("{} blocks", file.name);
    let found = smallest(&file.problem, (&args.solver, &params), &common, |left| {
        meter.count(all - left, all, &label)
    })
    .map_err(Failure::input)?;
    meter.done();
    let Some(shrunk) = found else {
        return Err(Failure::work(format!("{} converges on {}: nothing to shrink", args.solver, file.name)));
    };
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let out = args.out.clone().unwrap_or_else(|| args.file.with_file_name(format!("{stem}-small.json")));
    save(&out, &format!("{} (shrunk)", file.name), &shrunk.problem, None).map_err(Failure::work)?;
    let kept: Vec<String> = shrunk.blocks.iter().map(usize::to_string).collect();
    say(&format!(
        "{}: {} still fails on {} of {all} blocks ({} problems solved)\n  blocks       {}\n  problem      {}",
        file.name,
        args.solver,
        shrunk.blocks.len(),
        shrunk.trials,
        kept.join(" "),
        out.display()
    ))?;
    if shrunk.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}
