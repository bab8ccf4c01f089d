//! What one Rust file declares and imports: its modules, the names of its items, and the paths it uses.

use super::tokens::{Token, tokens};

/// A path to something, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// `crate`, `super`, `self` or a name, then names.
    pub(super) path: Vec<String>,
    /// The name under which the module holds it; `None` for a path within code and for a glob.
    pub(super) name: Option<String>,
    /// Everything in it, `path::*`.
    pub(super) glob: bool,
    pub(super) line: usize,
}

/// A module: a file, or a part of one within `mod name { … }`.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Children in other files, `mod name;`.
    pub(super) children: Vec<String>,
    /// Children in this file, `mod name { … }`.
    pub(super) inline: Vec<(String, Source)>,
    /// Names of the items that are defined here.
    pub(super) items: Vec<String>,
    pub(super) imports: Vec<Import>,
}

/// Keywords whose next word is the name of an item.
const ITEMS: [&str; 9] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];

impl Source {
    pub(super) fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, at: 0 };
        reader.module()
    }
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |t| t.text)
    }

    fn is_word(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(Token::is_word)
    }

    /// A module, to its end or behind the brace that closes it.
    fn module(&mut self) -> Source {
        let (mut out, mut depth) = (Source::default(), 0);
        while self.at < self.tokens.len() {
            let before = self.at.checked_sub(1).map_or("", |at| self.tokens[at].text);
            match self.peek(0) {
                "{" => depth += 1,
                "}" if depth == 0 => {
                    self.at += 1;
                    break;
                }
                "}" => depth -= 1,
                "mod" if self.is_word(1) && self.peek(2) == ";" => out.children.push(self.peek(1).to_owned()),
                "mod" if self.is_word(1) && self.peek(2) == "{" => {
                    let name = self.peek(1).to_owned();
                    self.at += 3;
                    out.inline.push((name, self.module()));
                    continue;
                }
                "use" if self.is_word(1) || matches!(self.peek(1), "{" | "::" | "*") => {
                    self.at += 1;
                    let from = out.imports.len();
                    self.tree(&mut Vec::new(), &mut out.imports);
                    // A name within a function is not one of the module.
                    let names = out.imports[from..].iter_mut().filter(|_| depth > 0);
                    names.for_each(|i| i.name = None);
                    continue;
                }
                "crate" | "super" | "self" if self.peek(1) == "::" && before != "::" => {
                    let import = self.path();
                    out.imports.push(import);
                    continue;
                }
                word if depth == 0 && ITEMS.contains(&word) => {
                    let name = 1 + usize::from(self.peek(1) == "!" || self.peek(1) == "mut");
                    if self.is_word(name) && !ITEMS.contains(&self.peek(name)) {
                        out.items.push(self.peek(name).to_owned());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        out
    }

    /// A path within code.
    fn path(&mut self) -> Import {
        let line = self.tokens[self.at].line;
        let mut path = vec![self.peek(0).to_owned()];
        self.at += 1;
        while self.peek(0) == "::" && self.is_word(1) {
            path.push(self.peek(1).to_owned());
            self.at += 2;
        }
        Import { path, name: None, glob: false, line }
    }

    /// One tree of a `use`: `a::b`, `a::b as c`, `a::*`, `a::{…}`.
    fn tree(&mut self, before: &mut Vec<String>, out: &mut Vec<Import>) {
        let length = before.len();
        loop {
            let line = self.tokens.get(self.at).map_or(0, |t| t.line);
            match self.peek(0) {
                "::" => self.at += 1,
                "*" => {
                    self.at += 1;
                    out.push(Import { path: before.clone(), name: None, glob: true, line });
                    break;
                }
                "{" => {
                    self.at += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.tree(before, out);
                        self.at += usize::from(self.peek(0) == ",");
                    }
                    self.at += 1;
                    break;
                }
                word if self.is_word(0) => {
                    // `self` in braces is what stands before them.
                    if !(word == "self" && before.len() == length && length > 0) {
                        before.push(word.to_owned());
                    }
                    self.at += 1;
                    if self.peek(0) == "::" {
                        continue;
                    }
                    let mut name = before.last().cloned();
                    if self.peek(0) == "as" {
                        name = Some(self.peek(1).to_owned());
                        self.at += 2;
                    }
                    out.push(Import { path: before.clone(), name, glob: false, line });
                    break;
                }
                _ => break,
            }
        }
        before.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(imports: &[Import]) -> Vec<String> {
        let one = |i: &Import| {
            let end = if i.glob { "::*" } else { "" };
            let name = i.name.as_ref().map_or(String::new(), |n| format!(" as {n}"));
            format!("{}{end}{name}", i.path.join("::"))
        };
        imports.iter().map(one).collect()
    }

    #[test]
    fn every_way_to_import_is_read() {
        let source = Source::read(
            "use crate::a::{self, B, c::{D as E, f::*}};\npub(crate) use super::g;\nuse std::fmt;\n\
             fn h() { use self::i::J; let k = crate::l::M::new(super::n(), &[self.o]); }\n\
             impl<T> super::super::P<T> for Vec<crate::q::R> {}",
        );
        assert_eq!(
            written(&source.imports),
            [
                "crate::a as a",
                "crate::a::B as B",
                "crate::a::c::D as E",
                "crate::a::c::f::*",
                "super::g as g",
                "std::fmt as fmt",
                "self::i::J",
                "crate::l::M::new",
                "super::n",
                "super::super::P",
                "crate::q::R"
            ]
        );
        assert_eq!(source.imports[4].line, 2);
        assert_eq!(source.items, ["h"]);
    }

    #[test]
    fn modules_and_items_are_read() {
        let source = Source::read(
            "mod a; pub(crate) mod b { use super::a::X; pub mod c { fn inner() {} } struct Y { z: u8 } }\n\
             pub const fn d() {} const E: u8 = 1; static mut F: u8 = 2; macro_rules! g { () => {} }\n\
             trait H { fn method(); } impl H for Y { fn method() {} }",
        );
        assert_eq!(source.children, ["a"]);
        assert_eq!(source.items, ["d", "E", "F", "g", "H"]);
        let (name, b) = &source.inline[0];
        assert_eq!((&**name, &*b.items), ("b", &["Y".to_owned()][..]));
        assert_eq!(written(&b.imports), ["super::a::X as X"]);
        assert_eq!(b.inline[0].1.items, ["inner"]);
    }
}
