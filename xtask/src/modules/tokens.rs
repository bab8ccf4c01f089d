//! A Rust source as words and marks: without comments, without what strings say, without what is compiled for tests only.
//!
//! Not a parser: enough to see what a file imports, and where its modules and items begin and end.

/// A word (name, keyword, number) or a mark, and its line, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

impl Token<'_> {
    /// Whether this is a name or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of `text` that are compiled outside of tests.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    without_tests(&all(text))
}

fn all(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut out, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let rest = &text[at..];
        let c = rest.chars().next().unwrap_or_default();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            length
        } else if c.is_alphanumeric() || c == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(Token { text: &rest[..length], line });
            length
        } else if rest.starts_with("::") {
            out.push(Token { text: &rest[..2], line });
            2
        } else {
            if !c.is_whitespace() {
                out.push(Token { text: &rest[..c.len_utf8()], line });
            }
            c.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    out
}

/// Length of the block comment that `rest` begins with; these nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Length of the string, character or lifetime that `rest` begins with, raw strings and strings of bytes included.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|p| {
        let after = rest.strip_prefix(p).unwrap_or_default().trim_start_matches('#');
        rest.starts_with(p) && after.starts_with('"')
    });
    let raw = prefix.is_some_and(|p| p.ends_with('r'));
    let start = prefix.map_or(0, str::len);
    if raw {
        let hashes = rest[start..].find('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let body = start + hashes + 1;
        return Some(rest[body..].find(&end).map_or(rest.len(), |n| body + n + end.len()));
    }
    match rest[start..].chars().next()? {
        '"' => Some(start + quoted(&rest[start..], '"')),
        '\'' => {
            // 'a' is a character, 'a a lifetime, '\'' a character again.
            let mut chars = rest.chars().skip(1);
            let (first, second) = (chars.next()?, chars.next());
            let character = first == '\\' || second == Some('\'');
            Some(if character { quoted(rest, '\'') } else { 1 + first.len_utf8() })
        }
        _ => None,
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// Leaves out every item, statement or field behind an attribute `#[cfg(test)]`, and attributes themselves.
fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let (mut out, mut at) = (Vec::new(), 0);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t.text == text);
    while at < tokens.len() {
        let bracket = at + 1 + usize::from(is(at + 1, "!"));
        if !(is(at, "#") && is(bracket, "[")) {
            out.push(tokens[at]);
            at += 1;
            continue;
        }
        let end = closed(tokens, bracket);
        let inside = &tokens[bracket..end];
        let names = |text: &str| inside.iter().any(|t| t.text == text);
        let test = names("cfg") && names("test") && !names("not") && !names("any");
        at = end;
        if test {
            while is(at, "#") && is(at + 1, "[") {
                at = closed(tokens, at + 1);
            }
            at = item_end(tokens, at);
        }
    }
    out
}

/// Behind the bracket that closes the one at `open`.
pub(crate) fn closed(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n + 1;
        }
    }
    tokens.len()
}

/// Behind the item, statement or field that begins at `start`.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let field = tokens.get(start + 1).is_some_and(|t| t.text == ":");
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text {
            "{" => return closed(tokens, at),
            ";" => return at + 1,
            "," if field => return at + 1,
            "}" => return at,
            "(" | "[" => at = closed(tokens, at),
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        tokens(text).iter().map(|t| t.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_are_left_out() {
        assert_eq!(words("use a::b; // use c;\n/* use /* d */ e */ f()"), "use a :: b ; f ( )");
        assert_eq!(
            words(r##"g("use a \" b", r#"x " y"#, b"z", 'q', '\'', '"', h::<'a>())"##),
            "g ( , , , , , , h :: < > ( ) )"
        );
        assert_eq!(words("let r = br; r.b"), "let r = br ; r . b");
        let lines: Vec<usize> = tokens("a\n\"two\nlines\" b\n/*\n*/ c").iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 3, 5]);
    }

    #[test]
    fn what_is_for_tests_is_left_out() {
        assert_eq!(words("a; #[cfg(test)] mod tests { use b; { c } } d"), "a ; d");
        assert_eq!(words("#[cfg(test)] mod tests; d"), "d");
        assert_eq!(words("#[cfg(test)] #[path = \"x.rs\"] mod tests; d"), "d");
        assert_eq!(words("#[cfg(all(test, unix))] fn f<A, B>(x: [A; 2]) -> B { g } d"), "d");
        assert_eq!(words("struct S { #[cfg(test)] a: A, b: B }"), "struct S { b : B }");
        assert_eq!(words("#[cfg(not(test))] a; #[inline] fn f() {}"), "a ; fn f ( ) { }");
        assert_eq!(words("#![allow(test)] a"), "a");
    }
}
