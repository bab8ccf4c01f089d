//! `stiction convert`: a robot or a contact problem as a file of another format.

use crate::args::ConvertArgs;
use crate::failure::Failure;
use crate::output::{complain, say};
use std::path::Path;
use stiction::models::{WriteError, to_mjcf, to_urdf};
use stiction_lab::inspect::load_model;
use stiction_lab::solve::load_problem;
use stiction_problem_files::{Format, ProblemFileError, save, unsaid};

pub(crate) fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let out = &args.output;
    if let Some(format) = Format::of_name(out) {
        return convert_problem(args, format);
    }
    let ending = out.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let write = match ending.as_deref() {
        Some("xml" | "mjcf") => to_mjcf,
        Some("urdf") => to_urdf,
        _ => {
            let message = format!(
                "{}: expected a name that ends in .xml, .mjcf or .urdf (robots), .json, .hdf5, .h5, .dat or .npz (contact problems)",
                out.display()
            );
            return Err(Failure::input(message));
        }
    };
    let options = args.files.load_options(args.free_base);
    let world = load_model(&args.input, &options).map_err(Failure::input)?;
    let stem = out.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let written = write(&world, &stem);
    let files = written.save(out, args.force).map_err(|e| match e {
        WriteError::Exists { .. } => Failure::input(format!("{e}; --force overwrites")),
        other => Failure::work(other.to_string()),
    })?;
    for (place, message) in &world.ledger.warnings {
        complain(&format!("note: {place}: {message}"));
    }
    for note in &written.notes {
        complain(&format!("note: {note}"));
    }
    let others = match files.len() {
        1 => String::new(),
        n => format!(" and {} files beside it", n - 1),
    };
    say(&format!("wrote {}{others}", out.display()))
}

/// A contact problem, with the answer that came with it where the format has a place for one.
fn convert_problem(args: &ConvertArgs, format: Format) -> Result<(), Failure> {
    let out = &args.output;
    let file = load_problem(Path::new(&args.input)).map_err(Failure::input)?;
    if out.exists() && !args.force {
        return Err(Failure::input(format!("{} is there already; --force overwrites", out.display())));
    }
    let answer = file.reference.as_ref().map(|r| r.impulses.as_slice());
    save(out, &file.name, &file.problem, answer).map_err(|e| match e {
        ProblemFileError::Io { .. } => Failure::work(e),
        other => Failure::input(other),
    })?;
    unsaid(format, &file.problem).iter().for_each(|note| complain(&format!("note: {note}")));
    say(&format!("wrote {}", out.display()))
}
