//! Solvers in processes of their own: one that exceeds its time is ended and takes nothing from the others' times.
//!
//! Every process is `stiction solve FILE --solver NAME --json`, and its answer that JSON. A solver that is ended or cannot
//! take the problem has an answer too, without numbers: its status says which.

use crate::args::SolveArgs;
use crate::failure::Failure;
use crate::output::complain;
use crate::progress::Meter;
use serde_json::{Value, json};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stiction::solvers::registry::{self, Common};

/// Between two looks at a process.
const PAUSE: Duration = Duration::from_millis(2);

/// How a process ended.
enum End {
    Answered(Value),
    Refused(String),
    TooSlow,
}

/// The answers of `solvers`, in their order, each within `limit`.
pub(crate) fn answers(
    args: &SolveArgs,
    solvers: &[&str],
    common: &Common,
    limit: Duration,
) -> Result<Vec<Value>, Failure> {
    let meter = Meter::new(!args.json);
    let mut out = Vec::new();
    for (done, solver) in solvers.iter().enumerate() {
        let go_on = || meter.count(done, solvers.len(), solver).is_continue();
        out.push(match answer(&command(args, solver, common)?, limit, go_on)? {
            End::Answered(answer) => answer,
            End::Refused(why) => {
                complain(&format!("note: {}", why.trim().trim_start_matches("error: ")));
                without_numbers(solver, "refused", None)
            }
            End::TooSlow => without_numbers(solver, "time-limit", Some(limit)),
        });
    }
    meter.done();
    Ok(out)
}

/// Program and arguments of one solver.
fn command(args: &SolveArgs, solver: &str, common: &Common) -> Result<Vec<std::ffi::OsString>, Failure> {
    let program = std::env::current_exe().map_err(Failure::work)?;
    let mut words =
        vec![program.into(), "solve".into(), args.file.clone().into(), "--solver".into(), solver.into()];
    words.extend(["--tolerance".into(), format!("{:e}", common.tolerance).into()]);
    words.extend(["--max-iterations".into(), common.max_iterations.to_string().into(), "--json".into()]);
    for param in &args.contact_param {
        words.extend(["--contact-param".into(), param.into()]);
    }
    words.extend(args.impulses.then(|| "--impulses".into()));
    words.extend(args.explain.then(|| "--explain".into()));
    Ok(words)
}

fn answer(words: &[std::ffi::OsString], limit: Duration, go_on: impl Fn() -> bool) -> Result<End, Failure> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| Failure::work(format!("cannot start a solver: {e}")))?;
    // Read while it runs: a full pipe would stop it.
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = loop {
        if let Some(status) = child.try_wait().map_err(Failure::work)? {
            // Whoever ends between two looks has taken longer all the same.
            if start.elapsed() > limit {
                return Ok(End::TooSlow);
            }
            break status.code();
        }
        let slow = start.elapsed() > limit;
        if slow || !go_on() {
            end(&mut child);
            return if slow { Ok(End::TooSlow) } else { Err(Failure::Interrupted) };
        }
        std::thread::sleep(PAUSE);
    };
    let text = |from: std::thread::JoinHandle<String>| from.join().unwrap_or_default();
    let (told, complained) = (text(stdout), text(stderr));
    let answer = serde_json::from_str::<Value>(&told).ok().and_then(|a| Some(a.as_array()?.first()?.clone()));
    match (answer, code) {
        (Some(answer), _) => Ok(End::Answered(answer)),
        (None, Some(2)) => Ok(End::Refused(complained)),
        (None, _) => Err(Failure::work(format!("a solver ended without an answer: {}", complained.trim()))),
    }
}

/// What a pipe says until it is closed.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_string(&mut text);
        }
        text
    })
}

/// A process that has ended by itself meanwhile is no error.
fn end(child: &mut Child) {
    drop(child.kill());
    drop(child.wait());
}

fn without_numbers(solver: &str, status: &str, time: Option<Duration>) -> Value {
    let law = registry::all().iter().find(|e| e.name == solver).map(|e| e.law.to_string());
    json!({"solver": solver, "law": law, "status": status, "time_s": time.map(|t| t.as_secs_f64())})
}
