//! The rules of the house: what rustfmt and clippy do not know.
//!
//! Every rule is a function of one file's text. They read lines, not syntax: a rule here should be
//! right on the code people write, and simple enough to argue with.

use std::fmt;
use std::path::Path;

/// A text file of the repository, by its path from the root, with `/` between folders.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A broken rule and where; `line` counts from 1, 0 is the whole file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            n => write!(f, "{}:{n}: {}", self.path, self.what),
        }
    }
}

/// Past this a file is two thoughts.
const MOST_LINES: usize = 600;

/// The only files that may call `mul_add`: elsewhere it is a library call on a plain x86-64.
const LANES: [&str; 2] = ["crates/dynamics/src/lanes", "crates/dynamics/src/real"];

/// Where the laws of forces and rows stand.
const LAWS: &str = "crates/assembly/src/laws/";

// Split, so that this file keeps its own rules.
const IGNORED_TEST: &str = concat!("#[", "ignore");
const UNFINISHED: [&str; 2] = [concat!("todo", "!("), concat!("unimplemented", "!(")];
const MUL_ADD: &str = concat!(".mul", "_add(");
const PLACES: [&str; 3] = [concat!("/", "work/"), concat!("/", "root/"), concat!("/", "home/")];

/// All rules, over all files.
pub(crate) fn findings(files: &[File]) -> Vec<Finding> {
    let mut out = Vec::new();
    for file in files {
        let mut report = |line: usize, what: String| {
            out.push(Finding { path: file.path.clone(), line, what });
        };
        places(file, &mut report);
        if is_source(&file.path) {
            length(file, &mut report);
        }
        if file.path.ends_with(".rs") {
            unfinished(file, &mut report);
            dead_code(file, &mut report);
            hash_order(file, &mut report);
            laws(file, &mut report);
        }
        if file.path.ends_with(".md") {
            links(file, files, &mut report);
        }
    }
    out
}

type Report<'a> = &'a mut dyn FnMut(usize, String);

/// Written by hand, as opposed to data, locks and bundles.
fn is_source(path: &str) -> bool {
    let bundle = path.contains("/dist/") || path.contains("/data/");
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or_default();
    !bundle && matches!(extension, "rs" | "py" | "ts" | "mjs" | "js" | "css" | "html")
}

fn lines(file: &File) -> impl Iterator<Item = (usize, &str)> {
    file.text.lines().enumerate().map(|(i, l)| (i + 1, l))
}

/// A line without comments and without what its strings say, on the lines where they close.
fn code_of(line: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        if !quoted && c == '/' && rest.peek() == Some(&'/') {
            break;
        }
        if c == '"' && !escaped && !out.ends_with('\'') {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        if !quoted || c == '"' {
            out.push(c);
        }
    }
    out
}

fn length(file: &File, report: Report) {
    let n = file.text.lines().count();
    if n > MOST_LINES {
        report(0, format!("{n} lines; past {MOST_LINES} a file is two thoughts"));
    }
}

fn unfinished(file: &File, report: Report) {
    let lanes = LANES.iter().any(|p| file.path.starts_with(p));
    for (n, line) in lines(file) {
        let code = code_of(line);
        if code.trim_start().starts_with(IGNORED_TEST) {
            report(n, "an ignored test proves nothing: assert what happens and say why".into());
        }
        if UNFINISHED.iter().any(|m| code.contains(m)) {
            report(n, "unfinished: return a status or an error that says so".into());
        }
        if !lanes && code.contains(MUL_ADD) {
            report(n, "mul_add outside the dispatched lanes is a library call".into());
        }
    }
}

/// A line comment that reads as a statement. Documentation and non-ASCII formulas are left alone.
fn dead_code(file: &File, report: Report) {
    for (n, line) in lines(file) {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        if !comment.starts_with(['/', '!']) && comment.is_ascii() && reads_as_code(comment.trim()) {
            report(n, "commented-out code: git remembers it".into());
        }
    }
}

fn reads_as_code(text: &str) -> bool {
    const STATEMENTS: [&str; 8] = ["let ", "use ", "return ", "pub ", "const ", "static ", "assert", "mod "];
    const BLOCKS: [&str; 10] =
        ["fn ", "if ", "for ", "while ", "match ", "impl ", "struct ", "loop", "pub ", "} else"];
    if matches!(text, "}" | "};" | "});" | "})" | "return;" | "break;" | "continue;")
        || text.starts_with("#[")
    {
        return true;
    }
    if text.ends_with('{') {
        return BLOCKS.iter().any(|b| text.starts_with(b));
    }
    let Some(statement) = text.strip_suffix(';') else { return false };
    let place = statement.split([' ', '(']).next().unwrap_or_default();
    let place_is_path =
        !place.is_empty() && place.chars().all(|c| c.is_ascii_alphanumeric() || "_.:[]!*".contains(c));
    let rest = &statement[place.len()..];
    let assigns = [" = ", " += ", " -= ", " *= ", " /= "].iter().any(|a| rest.starts_with(a));
    let calls = rest.starts_with('(') && rest.ends_with(')');
    STATEMENTS.iter().any(|s| statement.starts_with(s)) || place_is_path && (assigns || calls)
}

/// Laws are numbers in, numbers out, as a compiler for a GPU could read them: no memory, no trait objects, no closures, and of the other
/// crates the scalar and the vectors alone.
fn laws(file: &File, report: Report) {
    let name = file.path.strip_prefix(LAWS).unwrap_or_default();
    if name.is_empty() || name == "testing.rs" {
        return;
    }
    for (n, line) in lines(file).take_while(|(_, line)| *line != "#[cfg(test)]" || name == "mod.rs") {
        let code = code_of(line);
        let words = ["Vec<", "vec![", "Box<", "dyn ", "World", "impl Fn", "String", "&["];
        if let Some(word) = words.iter().find(|w| code.contains(**w)) {
            report(n, format!("`{word}` in a law: its arguments and results are numbers"));
        }
        if code.contains("(|") || code.contains("= |") {
            report(n, "a closure in a law: lanes are compiled by inlining functions".into());
        }
        let from = code.trim_start().strip_prefix("use ").unwrap_or("super::");
        let known = ["super::", "stiction_dynamics::Real;", "stiction_dynamics::spatial::"];
        if !known.iter().any(|k| from.starts_with(k)) {
            report(n, "a law knows other laws, `Real` and vectors alone".into());
        }
    }
}

/// The order of a hash map differs from run to run; whatever is iterated over is a `BTreeMap`, a
/// `Vec`, or sorted first. Names are followed within the file.
fn hash_order(file: &File, report: Report) {
    let code: Vec<String> = file.text.lines().map(code_of).collect();
    let mut names: Vec<&str> = Vec::new();
    for line in &code {
        for kind in ["HashMap", "HashSet"] {
            let Some(at) = line.find(kind) else { continue };
            let before =
                line[..at].trim_end_matches(|c: char| c.is_alphanumeric() || "_:&'<".contains(c)).trim_end();
            let before = before.trim_end_matches([':', '=', '&', ' ']);
            let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let named = line[..at].contains([':', '=']) && !line.trim_start().starts_with("use ");
            if named && !name.is_empty() && !matches!(name, "let" | "mut" | "fn" | "pub") {
                names.push(name);
            }
        }
    }
    for (n, line) in code.iter().enumerate() {
        let walks = |name: &&str| {
            let methods = [
                ".iter()",
                ".iter_mut()",
                ".keys()",
                ".values()",
                ".values_mut()",
                ".into_iter()",
                ".drain(",
            ];
            methods.iter().any(|m| contains_word(line, &format!("{name}{m}")))
                || [" in ", " in &", " in &mut ", " in self.", " in &self."]
                    .iter()
                    .any(|p| line.trim_start().starts_with("for ") && line.contains(&format!("{p}{name} {{")))
        };
        if let Some(name) = names.iter().find(|name| walks(name)) {
            report(n + 1, format!("iterates over the hash collection `{name}`: its order is not repeatable"));
        }
    }
}

/// `text` occurs and does not continue a longer name to its left.
fn contains_word(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Paths of one machine, and addresses of package registries.
fn places(file: &File, report: Report) {
    for (n, line) in lines(file) {
        for place in PLACES {
            let absolute =
                |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~})]>%".contains(c));
            if line.match_indices(place).any(|(at, _)| absolute(at)) {
                report(n, format!("`{place}…` is a path of one machine"));
            }
        }
        let hosts = ["registry.", "index.", "mirror", "pypi.", "deb."];
        let address = line
            .match_indices("://")
            .any(|(at, s)| hosts.iter().any(|h| line[at + s.len()..].starts_with(h)));
        if address || line.contains(concat!("\"resolved\"", ": \"http")) {
            report(n, "an address of a package registry: every machine has its own".into());
        }
    }
}

/// Relative links of a document lead to a file or folder of the repository.
fn links(file: &File, files: &[File], report: Report) {
    let folder = file.path.rsplit_once('/').map_or("", |(f, _)| f);
    for (n, line) in lines(file) {
        for (at, open) in line.match_indices("](") {
            let Some(link) = line[at + open.len()..].split(')').next() else { continue };
            let link = link.split(['#', ' ']).next().unwrap_or_default();
            if link.is_empty() || link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let path = join(folder, link);
            let known = files.iter().any(|f| f.path == path || f.path.starts_with(&format!("{path}/")));
            if !known && !crate::process::root().join(&path).exists() {
                report(n, format!("the link `{link}` leads nowhere"));
            }
        }
    }
}

/// `folder/link` with `.` and `..` resolved.
fn join(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [usize; 0] = [];

    /// The lines of `text` that break a rule.
    fn broken(path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        findings(&[file]).iter().map(|f| f.line).collect()
    }

    #[test]
    fn laws_are_numbers_in_and_numbers_out() {
        let law = |text: &str| broken("crates/assembly/src/laws/gap.rs", text);
        let fine = "use super::row_params::RowParams;\nuse stiction_dynamics::Real;\npub fn gap<T: Real>(x: [T; 2]) -> T {\n    x[0] | x[1]\n}\n";
        assert_eq!(law(fine), NONE);
        assert_eq!(law("use std::sync::Arc;\nfn f(x: Vec<f64>) {}\nfn g(world: &World) {}\n"), [1, 2, 3]);
        assert_eq!(
            law("fn f(x: &[f64]) {\n    x.iter().map(|x| x);\n}\n#[cfg(test)]\nuse std::sync::Arc;\n"),
            [1, 2]
        );
        assert_eq!(broken("crates/assembly/src/posing.rs", "use std::sync::Arc;\n"), NONE);
    }

    #[test]
    fn a_file_of_two_thoughts_is_found() {
        assert_eq!(broken("a.rs", &"x\n".repeat(MOST_LINES)), NONE);
        assert_eq!(broken("a.rs", &"x\n".repeat(MOST_LINES + 1)), [0]);
        assert_eq!(broken("page/dist/a.js", &"x\n".repeat(MOST_LINES + 1)), NONE);
    }

    #[test]
    fn unfinished_work_is_found() {
        let text = format!(
            "fn f() {{\n    {}) }}\n// say {}) here\n{}]\nfn g() {{}}",
            UNFINISHED[0], UNFINISHED[1], IGNORED_TEST
        );
        assert_eq!(broken("a.rs", &text), [2, 4]);
        let fused = format!("let y = a{MUL_ADD}b, c);");
        assert_eq!(broken("crates/contact/src/cone.rs", &fused), [1]);
        assert_eq!(broken("crates/dynamics/src/real/lanes.rs", &fused), NONE);
        assert_eq!(broken("a.rs", &format!("let s = \"{}) \\\" {})\";", UNFINISHED[0], UNFINISHED[1])), NONE);
    }

    #[test]
    fn code_in_comments_is_told_from_prose() {
        for code in [
            "let x = 3;",
            "x += dt * v;",
            "self.step(h);",
            "if x < 0.0 {",
            "}",
            "println!(\"{x}\");",
            "#[test]",
        ] {
            assert_eq!(broken("a.rs", &format!("    // {code}")), [1], "{code}");
        }
        let prose = [
            "The gap closes; the impulse opens it again.",
            "see above (twice);",
            "v = v_free + M⁻¹Jᵀλ;",
            "for small angles, sin x = x",
            "G and R [1/kg]",
        ];
        for words in prose {
            assert_eq!(broken("a.rs", &format!("// {words}")), NONE, "{words}");
        }
        assert_eq!(broken("a.rs", "/// let x = 3;\n//! let x = 3;"), NONE);
    }

    #[test]
    fn an_order_that_is_not_repeatable_is_found() {
        let text = [
            "use std::collections::HashMap;",
            "fn f(table: &HashMap<String, f64>) {",
            "let mut seen = std::collections::HashSet::new();",
            "seen.insert(table.get(\"a\"));",
            "for (k, v) in table {",
            "let n = seen.iter().count();",
            "for x in unseen.iter() {",
            "let words = \"seen.iter()\"; // seen.iter()",
        ];
        assert_eq!(broken("a.rs", &text.join("\n")), [5, 6]);
    }

    #[test]
    fn paths_and_addresses_of_one_machine_are_found() {
        let line = |s: &str| broken("notes.md", s);
        assert_eq!(line(&format!("see {}shared", PLACES[0])), [1]);
        assert_eq!(line(&format!("`{}.cargo`", PLACES[1])), [1]);
        assert_eq!(line(&format!("src{}shared", PLACES[0])), NONE);
        assert_eq!(line(concat!("https:/", "/registry.example.org/three")), [1]);
        assert_eq!(line("https://example.org/registry"), NONE);
    }

    #[test]
    fn links_lead_somewhere() {
        let at = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = [
            at("docs/a.md", "[b](b.md#part) [up](../top.md) [no](c.md) [out](https://x.org)"),
            at("docs/b.md", ""),
            at("top.md", ""),
        ];
        let found = findings(&files);
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("c.md"));
    }
}
