//! Measures of the house that only shrink: what is long, wide, bundled, said twice, or refers to nothing.
//!
//! ```text
//!     arms         `_ =>` in a match on cones or kinds of rows: a new kind is forgotten there in silence
//!     bundled      functions with a parameter that is a tuple or array of three names or more
//!     constants    constants of the crate `solvers`: numbers of methods are parameters (`parameters!`)
//!     duplicates   ten lines of code or more that stand in an earlier file too
//!     long         functions of more than eighty lines
//!     references   numbers of equations, `(3)`, that no equation of the file or of the module named bears
//!     wide         types of more than fourteen fields
//! ```

use crate::house::File;
use crate::modules::tokens::{Token, closed, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Names of the measures.
pub(crate) const MEASURES: [&str; 7] =
    ["arms", "bundled", "constants", "duplicates", "long", "references", "wide"];

const LONG: usize = 80;
const WIDE: usize = 14;
const BUNDLED: usize = 3;
const DUPLICATE: usize = 10;
/// Types whose kinds every match names.
const KINDS: [&str; 3] = ["BlockKey", "Cone", "RowKey"];

/// A place that a measure counts.
pub(crate) struct Place {
    pub(crate) measure: &'static str,
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// Every place that a measure counts, in code that is no test.
pub(crate) fn places(files: &[File]) -> Vec<Place> {
    let sources: Vec<&File> = files.iter().filter(|f| is_source(&f.path)).collect();
    let equations = Equations::read(&sources);
    let mut out = Vec::new();
    for file in &sources {
        let tokens = tokens(&file.text);
        let mut add = |measure, line, what: String| {
            out.push(Place { measure, path: file.path.clone(), line, what });
        };
        for at in 0..tokens.len() {
            match tokens[at].text {
                "fn" => function(&tokens, at, &mut add),
                "struct" => structure(&tokens, at, &mut add),
                "match" => arms(&tokens, at, &mut add),
                "const" if is_constant(&tokens, at) && file.path.starts_with("crates/solvers/") => {
                    add(
                        "constants",
                        tokens[at].line,
                        format!("`{}` is a private number", tokens[at + 1].text),
                    );
                }
                _ => {}
            }
        }
        for (line, what) in equations.missing(file) {
            add("references", line, what);
        }
    }
    out.extend(duplicates(&sources));
    out
}

fn is_source(path: &str) -> bool {
    let test =
        path.split('/').any(|p| matches!(p, "tests" | "testing" | "benches" | "tests.rs" | "testing.rs"));
    path.ends_with(".rs") && !test
}

type Add<'a> = &'a mut dyn FnMut(&'static str, usize, String);

/// The body of what begins at `at`: the tokens of its braces.
fn body(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let mut open = at;
    loop {
        match tokens.get(open)?.text {
            "{" => return Some((open, closed(tokens, open))),
            ";" => return None,
            "(" | "[" => open = closed(tokens, open),
            _ => open += 1,
        }
    }
}

fn function(tokens: &[Token], at: usize, add: Add) {
    let Some(name) = tokens.get(at + 1).filter(|t| t.is_word()) else { return };
    let Some(open) = (at..tokens.len()).find(|&i| tokens[i].text == "(") else { return };
    let (mut start, end) = (open + 1, closed(tokens, open) - 1);
    while start < end {
        let first = start + usize::from(tokens[start].text == "mut");
        if matches!(tokens[first].text, "(" | "[") {
            let names =
                tokens[first..closed(tokens, first)].iter().filter(|t| t.is_word() && t.text != "mut");
            if names.count() >= BUNDLED {
                add("bundled", tokens[first].line, format!("`{}` takes a bundle of arguments", name.text));
                break;
            }
        }
        while start < end && tokens[start].text != "," {
            let nested = matches!(tokens[start].text, "(" | "[" | "{");
            start = if nested { closed(tokens, start) } else { start + 1 };
        }
        start += 1;
    }
    if let Some((_, close)) = body(tokens, at) {
        let lines = tokens[close - 1].line - tokens[at].line + 1;
        if lines > LONG {
            add("long", tokens[at].line, format!("`{}` has {lines} lines", name.text));
        }
    }
}

fn structure(tokens: &[Token], at: usize, add: Add) {
    let (Some(name), Some((open, close))) = (tokens.get(at + 1), body(tokens, at)) else { return };
    let (mut fields, mut i) = (0, open + 1);
    while i < close {
        let nested = matches!(tokens[i].text, "(" | "[" | "{");
        fields += usize::from(tokens[i].text == ":");
        // Types with commas of their own have no single colons.
        i = if nested { closed(tokens, i) } else { i + 1 };
    }
    if fields > WIDE {
        add("wide", tokens[at].line, format!("`{}` has {fields} fields", name.text));
    }
}

/// Patterns of a match name a kind, and one of them is `_`.
fn arms(tokens: &[Token], at: usize, add: Add) {
    let Some((open, close)) = body(tokens, at) else { return };
    let (mut i, mut names, mut any) = (open + 1, false, None);
    while i < close - 1 {
        let start = i;
        while i < close && !(tokens[i].text == "=" && tokens[i + 1].text == ">") {
            let nested = matches!(tokens[i].text, "(" | "[" | "{");
            i = if nested { closed(tokens, i) } else { i + 1 };
        }
        let pattern = &tokens[start..i.min(close)];
        names |= pattern.windows(2).any(|w| KINDS.contains(&w[0].text) && w[1].text == "::");
        if pattern.iter().filter(|t| t.text != ",").map(|t| t.text).eq(["_"]) {
            any = Some(pattern[0].line);
        }
        i += 2;
        // The arm: a block, or an expression to its comma.
        if tokens.get(i).is_some_and(|t| t.text == "{") {
            i = closed(tokens, i);
            i += usize::from(tokens.get(i).is_some_and(|t| t.text == ","));
            continue;
        }
        while i < close - 1 && tokens[i].text != "," {
            let nested = matches!(tokens[i].text, "(" | "[" | "{");
            i = if nested { closed(tokens, i) } else { i + 1 };
        }
        i += 1;
    }
    if let (true, Some(line)) = (names, any) {
        add("arms", line, "`_ =>` hides kinds of cones or rows that come later: name them".to_owned());
    }
}

/// Whether `const` begins a constant that may hold numbers: a name or a switch is none.
fn is_constant(tokens: &[Token], at: usize) -> bool {
    let is = |i: usize, text: &str| tokens.get(i).is_some_and(|t| t.text == text);
    let named = is(at + 3, "bool") || is(at + 3, "&") && (at + 4..at + 7).any(|i| is(i, "str"));
    tokens.get(at + 1).is_some_and(Token::is_word)
        && is(at + 2, ":")
        && !is(at.wrapping_sub(1), "<")
        && !named
}

/// Numbers of the equations of every module, by its name.
struct Equations(BTreeMap<String, BTreeSet<String>>);

impl Equations {
    fn read(files: &[&File]) -> Self {
        let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in files {
            let labels = out.entry(module(&file.path)).or_default();
            for comment in comments(&file.text).filter(|c| c.formula || c.heads) {
                let own = numbers(comment.text).into_iter().filter(|n| named(comment.text, n.0).is_none());
                labels.extend(own.map(|n| n.1));
            }
        }
        Self(out)
    }

    /// True where a module on `path`, as the file `from` writes it, has an equation of this number.
    fn has(&self, from: &str, path: &str, number: &str) -> bool {
        let name = |name: &str| if name == "super" { above(from) } else { snake(name) };
        let mut names = path.rsplit("::").take(2).map(name);
        names.any(|name| self.0.get(&name).is_some_and(|labels| labels.contains(number)))
    }

    /// Line and complaint of every number in the prose of `file` that is no equation of this module, of the one that is named beside it,
    /// or of those that the head of the file names.
    fn missing(&self, file: &File) -> Vec<(usize, String)> {
        let mut near: Vec<String> = vec![module(&file.path)];
        for head in comments(&file.text).filter(|c| c.heads) {
            let links = head.text.split("[`").skip(1).filter_map(|t| t.split('`').next());
            near.extend(links.map(str::to_owned));
        }
        let mut out = Vec::new();
        for comment in comments(&file.text).filter(|c| !c.formula) {
            for (end, number) in numbers(comment.text) {
                if cited(comment.text, end) {
                    continue;
                }
                let known = match named(comment.text, end) {
                    Some(path) => self.has(&file.path, path, &number),
                    None => near.iter().any(|path| self.has(&file.path, path, &number)),
                };
                if !known {
                    out.push((comment.line, format!("({number}) is no equation of the module it refers to")));
                }
            }
        }
        out
    }
}

/// Path in `of [`path`]` behind the number that ends at `end`.
fn named(text: &str, end: usize) -> Option<&str> {
    text[end..].strip_prefix(" of [`").and_then(|t| t.split(['`', ']']).next())
}

/// True where the number that ends at `end` is of a source: in its brackets, or before `of` and them.
fn cited(text: &str, end: usize) -> bool {
    let inside = text[..end].rfind('[').is_some_and(|open| !text[open..end].contains(']'));
    let of = text[end..].strip_prefix(" of [").is_some_and(|t| t.starts_with(char::is_uppercase));
    inside || of
}

/// Name of the file that a type of this name stands in, by custom.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Name of the module of a file.
fn module(path: &str) -> String {
    let stem = path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/src/lib");
    stem.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Name of the module above that of a file.
fn above(path: &str) -> String {
    let stem = path.trim_end_matches(".rs").trim_end_matches("/mod");
    module(stem.rsplit_once('/').map_or("", |(folder, _)| folder))
}

struct Comment<'a> {
    line: usize,
    text: &'a str,
    /// Within a block of formulas.
    formula: bool,
    /// In the head of a file, where lists are numbered too.
    heads: bool,
}

fn comments(text: &str) -> impl Iterator<Item = Comment<'_>> {
    let mut formula = false;
    text.lines().enumerate().filter_map(move |(n, line)| {
        let Some(text) = line.trim_start().strip_prefix("//") else {
            formula = false;
            return None;
        };
        let heads = text.starts_with('!');
        let text = text.trim_start_matches(['/', '!']);
        if text.trim_start().starts_with("```") {
            formula = !formula;
            return None;
        }
        Some(Comment { line: n + 1, text, formula, heads })
    })
}

/// Numbers in parentheses, each with the place behind it.
fn numbers(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices('(') {
        let Some(length) = text[at..].find(')') else { continue };
        let inside = &text[at + 1..at + length];
        let before = text[..at].chars().next_back();
        let apart = before.is_none_or(|c| !c.is_alphanumeric() && !"_)]⟩".contains(c));
        if apart
            && (1..=2).contains(&inside.len())
            && inside != "0"
            && inside.chars().all(|c| c.is_ascii_digit())
        {
            out.push((at + length + 1, inside.to_owned()));
        }
    }
    out
}

/// Runs of lines of code that stand in an earlier place too.
fn duplicates(files: &[&File]) -> Vec<Place> {
    let mut seen: BTreeMap<Vec<&str>, (&str, usize)> = BTreeMap::new();
    let mut out = Vec::new();
    for file in files {
        let code = code_lines(&file.text);
        let mut until = 0;
        for (i, window) in code.windows(DUPLICATE).enumerate() {
            let key: Vec<&str> = window.iter().map(|l| l.1).collect();
            match seen.get(&key) {
                Some((path, line))
                    if i >= until && (*path != file.path || line + DUPLICATE <= window[0].0) =>
                {
                    let what = format!("ten lines that stand in {path}:{line} too");
                    out.push(Place {
                        measure: "duplicates",
                        path: file.path.clone(),
                        line: window[0].0,
                        what,
                    });
                    until = i + DUPLICATE;
                }
                Some(_) => {}
                None => {
                    seen.insert(key, (&file.path, window[0].0));
                }
            }
        }
    }
    out
}

/// Lines with code of their own, before the tests of the file.
fn code_lines(text: &str) -> Vec<(usize, &str)> {
    let end = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate();
    let says = |l: &str| {
        let bare = l.trim();
        bare.chars().any(char::is_alphanumeric) && !bare.starts_with("//") && !bare.starts_with("use ")
    };
    lines.map(|(n, l)| (n + 1, l.trim())).filter(|(_, l)| says(l)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        places(&[file]).into_iter().map(|p| (p.measure, p.line)).collect()
    }

    #[test]
    fn matches_that_hide_kinds_are_found() {
        let hidden = "fn f() { match c {\n Cone::Free => { g(); }\n _ => 1,\n} }";
        assert_eq!(found("crates/a/src/b.rs", hidden), [("arms", 3)]);
        for fine in [
            "fn f() { match c { Cone::Free => 1, Cone::Box { .. } | Cone::Patch { .. } => 2 } }",
            "fn f() { match text { \"free\" => Cone::Free, _ => Cone::NonNegative } }",
            "fn f() { match c { Cone::Free => match x { _ => 1 }, Cone::Box { .. } => 2 } }",
        ] {
            assert!(found("crates/a/src/b.rs", fine).is_empty(), "{fine}");
        }
        assert!(found("crates/a/tests/b.rs", hidden).is_empty());
    }

    #[test]
    fn bundles_long_functions_and_wide_types_are_found() {
        let path = "crates/a/src/b.rs";
        assert_eq!(found(path, "fn f(a: A,\n [b, c, d]: [f64; 3]) {}"), [("bundled", 2)]);
        assert!(found(path, "fn f(a: (A, B, C), [b, c]: [f64; 2], d: D) {}").is_empty());
        let long = |n: usize| format!("fn f() {{\n{}}}", "g();\n".repeat(n));
        assert!(found(path, &long(78)).iter().all(|p| p.0 != "long"));
        assert!(found(path, &long(79)).contains(&("long", 1)));
        let wide = |n: usize| {
            let fields: String = (0..n).map(|i| format!("a{i}: Map<A, (B, C)>,\n")).collect();
            format!("struct S<T: Real> {{\n{fields}}}")
        };
        assert!(found(path, &wide(14)).is_empty());
        assert_eq!(found(path, &wide(15)), [("wide", 1)]);
    }

    #[test]
    fn constants_count_in_solvers_alone() {
        let text = "const A: f64 = 1.0;\nconst B: &'static str = \"b\";\nconst C: &str = \"c\";\nconst D: bool = true;\n\
                    const fn f() {}\nfn g<const N: usize>() {}";
        assert_eq!(found("crates/solvers/src/b.rs", text), [("constants", 1)]);
        assert!(found("crates/a/src/b.rs", text).is_empty());
    }

    #[test]
    fn references_lead_to_equations() {
        let text = "//! ```text\n//!     a = b       (1)\n//! ```\n//! (1), and f(3).\n/// (1) of [`crate::B`], (2), (4) of [`b`].";
        assert_eq!(found("crates/a/src/b.rs", text), [("references", 5), ("references", 5)]);
    }

    #[test]
    fn code_that_stands_twice_is_found() {
        let lines: String = (0..10).map(|i| format!("let a{i} = f({i});\n")).collect();
        let file = |path: &str, text: String| File { path: path.to_owned(), text };
        let files = [file("a/b.rs", lines.clone()), file("a/c.rs", format!("// x\n\n{lines}"))];
        let places = places(&files);
        assert_eq!(places.len(), 1);
        assert_eq!((&places[0].path[..], places[0].line), ("a/c.rs", 3));
    }
}
