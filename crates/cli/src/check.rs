//! `stiction check`: what is wrong with robot files, and with the models of scenes, before they run.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::output::{complain, say, say_json};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::models::LoadOptions;
use stiction::models::check::{Finding, Report, Rule, Severity, check, mend, models_below, rules};
use stiction_scene::Scene;

/// Findings of one rule shown of a file, unless all are asked for.
const SHOWN: usize = 5;

/// Exit codes: 0 nothing denied was found, 1 something was, 2 a file cannot be read.
pub(crate) fn check_files(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.rules {
        table(args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let allowed = allowed(&args.allow)?;
    let options = args.files.load_options(args.free_base);
    let mut reports = Vec::new();
    for file in files(&args.models)? {
        if file.extension().is_some_and(|e| e == "toml") {
            let scene = Scene::load(&file).map_err(Failure::input)?;
            let of_models = scene.check_models();
            if of_models.iter().all(|r| r.read) {
                scene.build().map_err(Failure::input)?;
            }
            reports.extend(of_models);
        } else {
            reports.push(check(&file, &options));
        }
    }
    for report in &mut reports {
        report.findings.retain(|f| !allowed.contains(&f.rule.code));
        report.omitted.retain(|(code, _)| !allowed.contains(code));
    }
    if args.json {
        say_json(&json!({ "files": reports.iter().map(as_json).collect::<Vec<_>>() }))?;
    } else {
        for report in &reports {
            say(&described(report, args.all))?;
        }
        if reports.is_empty() {
            say("nothing to object to: the scene can be read, and it has no model files")?;
        }
        if reports.len() > 1 {
            say(&format!("\n{} files: {}", reports.len(), counts(&reports.iter().collect::<Vec<_>>())))?;
        }
    }
    if let Some(out) = &args.fix {
        let [report] = reports.as_slice() else {
            return Err(Failure::input(format!("--fix mends one file; {} were given", reports.len())));
        };
        fix(&report.file, out, &options)?;
    }
    let denied = reports.iter().flat_map(|r| &r.findings).any(|f| f.rule.severity >= args.deny.severity());
    Ok(if reports.iter().any(|r| !r.read) { ExitCode::from(2) } else { ExitCode::from(u8::from(denied)) })
}

/// The codes to leave out; a code that no rule has is a mistake.
fn allowed(codes: &[String]) -> Result<Vec<&'static str>, Failure> {
    let find = |code: &String| {
        let rule = rules().find(|r| r.code == code);
        let unknown =
            || Failure::input(format!("no rule has the code `{code}`; `stiction check --rules` lists all"));
        rule.map(|r| r.code).ok_or_else(unknown)
    };
    codes.iter().map(find).collect()
}

/// Every file named, and every model in the folders named.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = models_below(path).map_err(Failure::input)?;
        if found.is_empty() {
            return Err(Failure::input(format!(
                "{}: no .urdf, .xml or .sdf file in it is a model",
                path.display()
            )));
        }
        files.extend(found);
    }
    Ok(files)
}

fn table(json: bool) -> Result<(), Failure> {
    if json {
        let row = |r: &Rule| json!({"code": r.code, "severity": r.severity.name(), "about": r.about, "remedy": r.remedy});
        return say_json(&rules().map(row).collect::<Vec<_>>());
    }
    let lines: Vec<String> = rules()
        .map(|r| format!("{:<8} {:<26} {}\n{:36}{}", r.severity.name(), r.code, r.about, "", r.remedy))
        .collect();
    say(&lines.join("\n"))
}

fn as_json(report: &Report) -> Value {
    let finding = |f: &Finding| {
        json!({
            "code": f.rule.code,
            "severity": f.rule.severity.name(),
            "file": f.place.file,
            "line": f.place.line,
            "column": f.place.column,
            "element": f.element,
            "value": f.value,
            "reason": f.reason,
            "remedy": f.rule.remedy,
        })
    };
    json!({
        "file": report.file,
        "read": report.read,
        "mass_matrix": report.condition.map(|c| json!({
            "dofs": c.dofs,
            "condition": finite(c.condition),
            "condition_scaled": finite(c.scaled),
        })),
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "omitted": report.omitted.iter().copied().collect::<BTreeMap<_, _>>(),
    })
}

/// JSON has no infinity.
fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!("infinite") }
}

/// As compilers print it, the worst first. Writing to a String cannot fail.
fn described(report: &Report, all: bool) -> String {
    let mut out = String::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut total: BTreeMap<&str, usize> = report.omitted.iter().copied().collect();
    report.findings.iter().for_each(|f| *total.entry(f.rule.code).or_default() += 1);
    for f in &report.findings {
        let (seen, total) = (seen.entry(f.rule.code).or_default(), total[f.rule.code]);
        *seen += 1;
        if *seen <= SHOWN || all {
            let value = if f.value.is_empty() { String::new() } else { format!(" {}", f.value) };
            let (place, severity, code) = (&f.place, f.rule.severity.name(), f.rule.code);
            let _ = writeln!(out, "{place}: {severity}[{code}]: {}{value}: {}", f.element, f.reason);
            if *seen == 1 {
                let _ = writeln!(out, "    remedy: {}", f.rule.remedy);
            }
        } else if *seen == SHOWN + 1 {
            let _ = writeln!(out, "    … and {} more of {}; --all shows them", total - SHOWN, f.rule.code);
        }
    }
    let condition = report.condition.map(|c| {
        format!(
            "; mass matrix of {} dofs, condition {:.1e}, {:.1e} whatever the units",
            c.dofs, c.condition, c.scaled
        )
    });
    let refused = if report.read { "" } else { " (not read: only part of it was checked)" };
    let _ = write!(
        out,
        "{}: {}{refused}{}",
        report.file.display(),
        counts(&[report]),
        condition.unwrap_or_default()
    );
    out
}

fn counts(reports: &[&Report]) -> String {
    let count = |severity: Severity| {
        let n: usize = reports.iter().map(|r| r.count(severity)).sum();
        format!("{n} {}{}", severity.name(), if n == 1 { "" } else { "s" })
    };
    [Severity::Error, Severity::Warning, Severity::Note].map(count).join(", ")
}

/// Writes the mended copy and says what was changed and what was left.
fn fix(file: &Path, out: &Path, options: &LoadOptions) -> Result<(), Failure> {
    let unread = |e: &dyn std::fmt::Display| Failure::input(format!("{}: {e}", file.display()));
    if !file.is_file() {
        return Err(unread(&"not a regular file"));
    }
    if same(file, out) {
        return Err(Failure::input(format!("{}: --fix writes a copy; name another file", out.display())));
    }
    let text = std::fs::read_to_string(file).map_err(|e| unread(&e))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mended = mend(&text, file, folder, options).ok_or_else(|| unread(&"no XML that could be mended"))?;
    stiction_store::write(out, &mended.text)
        .map_err(|e| Failure::work(format!("cannot write {}: {e}", out.display())))?;
    for c in &mended.changes {
        let to = if c.to.is_empty() { "removed".to_owned() } else { format!("now {}", c.to) };
        complain(&format!("{}: mended[{}]: {}: {to}", c.place, c.code, c.from));
    }
    complain(&format!(
        "{}: {} changes; left: {}",
        out.display(),
        mended.changes.len(),
        counts(&[&mended.left])
    ));
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
}
