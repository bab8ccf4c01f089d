//! Running other programs: shown before they start, an error with the command line when they fail.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the workspace").to_owned()
}

/// Where build products go.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The cargo that started us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Whether `cargo <subcommand> --version` answers.
pub(crate) fn cargo_has(subcommand: &str) -> bool {
    answers(cargo().args([subcommand, "--version"]))
}

/// Whether the command starts and exits with 0; its output is not shown.
pub(crate) fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// Shows and runs a command.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    println!("$ {}", shown(command));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", shown(command))),
        Err(e) => Err(format!("`{}` did not start: {e}", shown(command))),
    }
}

/// What a command writes to standard output; its standard error is part of the error.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|e| format!("`{}` did not start: {e}", shown(command)))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("`{}` ended with {}\n{}", shown(command), out.status, said.trim_end()));
    }
    String::from_utf8(out.stdout).map_err(|_| format!("`{}` wrote what is not UTF-8", shown(command)))
}

/// What a command writes to standard output when it reads `input`, which it does before it writes much.
pub(crate) fn output_of(command: &mut Command, input: &[u8]) -> Result<String, String> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(|e| format!("`{}` did not start: {e}", shown(command)))?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    if !out.status.success() || written.is_err() {
        let said = String::from_utf8_lossy(&out.stderr);
        return Err(format!("`{}` ended with {}\n{}", shown(command), out.status, said.trim_end()));
    }
    String::from_utf8(out.stdout).map_err(|_| format!("`{}` wrote what is not UTF-8", shown(command)))
}

/// [`output`], unless it takes longer than `patience`: then the program is ended, and there is none.
pub(crate) fn output_within(command: &mut Command, patience: Duration) -> Result<Option<String>, String> {
    let told = |e: std::io::Error| format!("a program could not be run: {e}");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(told)?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let started = Instant::now();
    // Both pipes are emptied as they fill, else the program would wait for us.
    std::thread::scope(|scope| {
        let said = scope.spawn(move || all_of(out.as_mut()));
        let complained = scope.spawn(move || all_of(err.as_mut()));
        let status = loop {
            match child.try_wait().map_err(told)? {
                Some(status) => break Some(status),
                None if started.elapsed() > patience => {
                    child.kill().and_then(|()| child.wait()).map_err(told)?;
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let lost = |_| "the pipe of a program broke".to_owned();
        let (said, complained) = (said.join().map_err(lost)?, complained.join().map_err(lost)?);
        match status {
            None => Ok(None),
            Some(status) if status.success() => Ok(Some(said)),
            Some(status) => {
                Err(format!("`{}` ended with {status}\n{}", shown(command), complained.trim_end()))
            }
        }
    })
}

fn all_of(pipe: Option<&mut impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was written until the pipe broke is what there is.
    let _ = pipe.map(|pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The command line as one would type it in the root of the workspace.
fn shown(command: &Command) -> String {
    let root = format!("{}/", root().display());
    let program = PathBuf::from(command.get_program());
    let program = if program.starts_with(&root) { program.display().to_string() } else { file_name(program) };
    let words = command.get_args().map(|a| a.to_string_lossy().into_owned());
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ").replace(&root, "")
}

fn file_name(path: PathBuf) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
