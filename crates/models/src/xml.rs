//! An XML document as a flat list of elements, each with its place in its file and a mark of what
//! the reader made of it.
//!
//! The list owns its text, so that included files join it (`splice`), and it is flat, so that no
//! nesting, however deep, can exhaust the stack. Readers go through [`Element`] and
//! [`Attribute`]: what they take is marked [`Fate::Used`]; whatever is
//! unmarked at the end, [`audit`](crate::audit::audit) looks up and reports.

use crate::error::LoadError;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stiction_world::{Fate, Place};

/// Largest file read [bytes].
pub(crate) const MAX_TEXT: usize = 256 << 20;
/// Most elements and texts of a file.
const MAX_NODES: u32 = 4_000_000;

/// Columns up to here count characters; beyond, bytes, for a line may be a whole file.
const MAX_COUNTED: usize = 1 << 16;
/// Most attributes of an element: the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 1000;

/// A fate and the reason for it.
pub(crate) type Mark = (Fate, &'static str);

/// A file's name and where its lines start.
struct Source {
    path: PathBuf,
    text: String,
    lines: Vec<usize>,
    /// Where declarations that the text lacks were put for the parser, and their length.
    added: (usize, usize),
}

impl Source {
    /// The place in the file of a place in the parsed text.
    fn original(&self, offset: usize) -> usize {
        let (at, length) = self.added;
        if offset > at { offset.saturating_sub(length).max(at) } else { offset }
    }
}

pub(crate) struct AttributeNode {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Byte offset in the source.
    offset: usize,
    /// Bytes of the value in the source, without its quotes.
    value_at: Range<usize>,
    mark: Cell<Option<Mark>>,
}

struct Node {
    name: String,
    source: usize,
    /// Bytes of the element in the source, from its first tag to its last.
    at: Range<usize>,
    parent: Option<usize>,
    children: Vec<usize>,
    attributes: Vec<AttributeNode>,
    /// All text directly inside, trimmed; named `text` in messages.
    text: AttributeNode,
    mark: Cell<Option<Mark>>,
}

/// An XML document with the places of its elements.
pub(crate) struct Document {
    sources: Vec<Source>,
    nodes: Vec<Node>,
}

impl Document {
    /// Parses `text`; places name `path`.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, LoadError> {
        let mut document = Self { sources: Vec::new(), nodes: Vec::new() };
        document.append(path, text)?;
        Ok(document)
    }

    /// Parses one more file behind the others. Returns the index of its root element.
    pub(crate) fn append(&mut self, path: &Path, text: &str) -> Result<usize, LoadError> {
        if text.len() > MAX_TEXT {
            let reason = format!("{} bytes long; at most {MAX_TEXT} are read", text.len());
            return Err(LoadError::Read { path: path.to_owned(), reason });
        }
        let lines: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let source = self.sources.len();
        self.sources.push(Source { path: path.to_owned(), text: text.to_owned(), lines, added: (0, 0) });
        if let Some(offset) = crowded_element(text) {
            let (place, what) = (self.place(source, offset), "attributes of an element".to_owned());
            return Err(LoadError::Limit { place, what, limit: MAX_ATTRIBUTES });
        }
        let text = &*without_late_declaration(text);
        let tried = parsed(text);
        let undeclared = matches!(tried, Err(roxmltree::Error::UnknownNamespace(..)));
        let declared = if undeclared { with_declarations(text) } else { None };
        let xml = match &declared {
            Some((text, added)) => {
                if let Some(source) = self.sources.get_mut(source) {
                    source.added = *added;
                }
                parsed(text)
            }
            None => tried,
        };
        let xml = xml.map_err(|e| {
            let place = Place { file: path.to_owned(), line: e.pos().row, column: e.pos().col };
            LoadError::Xml { place, reason: e.to_string() }
        })?;
        let first = self.nodes.len();
        // Index here of every element of `xml`, by its index there.
        let mut index: Vec<Option<usize>> = Vec::new();
        for node in xml.descendants() {
            let id = node.id().get_usize();
            if index.len() <= id {
                index.resize(id + 1, None);
            }
            let parent = node.parent().and_then(|p| index.get(p.id().get_usize()).copied().flatten());
            if node.is_element() {
                let here = self.nodes.len();
                if let Some(slot) = index.get_mut(id) {
                    *slot = Some(here);
                }
                if let Some(p) = parent.and_then(|p| self.nodes.get_mut(p)) {
                    p.children.push(here);
                }
                self.nodes.push(element(&node, source, parent));
            } else if node.is_text()
                && let Some(p) = parent.and_then(|p| self.nodes.get_mut(p))
            {
                let text = node.text().unwrap_or_default();
                if p.text.value.is_empty() {
                    let blanks = text.len() - text.trim_start().len();
                    p.text.offset = node.range().start + blanks;
                }
                p.text.value.push_str(text.trim());
            }
        }
        Ok(first)
    }

    /// Puts the children of the element `root` where the element `at` stands.
    pub(crate) fn splice(&mut self, at: usize, root: usize) {
        let Some(parent) = self.nodes.get(at).and_then(|n| n.parent) else { return };
        let moved = match self.nodes.get_mut(root) {
            Some(root) => std::mem::take(&mut root.children),
            None => return,
        };
        for &child in &moved {
            if let Some(child) = self.nodes.get_mut(child) {
                child.parent = Some(parent);
            }
        }
        if let Some(parent) = self.nodes.get_mut(parent)
            && let Some(slot) = parent.children.iter().position(|&c| c == at)
        {
            parent.children.splice(slot..=slot, moved);
        }
    }

    /// The root element of the first file.
    pub(crate) fn root(&self) -> Element<'_> {
        self.element(0)
    }

    /// Number of elements, of all files.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn element(&self, id: usize) -> Element<'_> {
        Element { document: self, id }
    }

    fn place(&self, source: usize, offset: usize) -> Place {
        let Some(source) = self.sources.get(source) else {
            return Place { file: PathBuf::new(), line: 1, column: 1 };
        };
        let offset = source.original(offset);
        let line = source.lines.partition_point(|&start| start <= offset);
        let start = line.checked_sub(1).and_then(|l| source.lines.get(l)).copied().unwrap_or(0);
        let before = source.text.get(start..offset).unwrap_or_default();
        let far = before.len() > MAX_COUNTED;
        let column = 1 + if far { before.len() } else { before.chars().count() };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place { file: source.path.clone(), line: number(line), column: number(column) }
    }
}

/// The text with blanks for an XML declaration that blanks stand before, which XML does not allow and programs read.
fn without_late_declaration(text: &str) -> Cow<'_, str> {
    let rest = text.trim_start();
    let (before, late) = (&text[..text.len() - rest.len()], rest.starts_with("<?xml "));
    let Some(end) = rest.find("?>").filter(|_| late && !before.is_empty()) else {
        return Cow::Borrowed(text);
    };
    let (declaration, after) = rest.split_at(end + 2);
    let blanks: String = declaration
        .chars()
        .map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) })
        .collect();
    Cow::Owned([before, &blanks, after].concat())
}

fn parsed(text: &str) -> Result<roxmltree::Document<'_>, roxmltree::Error> {
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    roxmltree::Document::parse_with_options(text, options)
}

/// The text with a declaration of every prefix that it uses and does not declare, as files made for programs
/// that know no namespaces do, and where the declarations are.
fn with_declarations(text: &str) -> Option<(String, (usize, usize))> {
    const MOST: usize = 16;
    let at = end_of_root_name(text)?;
    let (before, after) = text.split_at(at);
    let (mut declarations, mut declared) = (String::new(), text.to_owned());
    for _ in 0..MOST {
        let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = parsed(&declared) else { break };
        declarations.push_str(&format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
        declared = format!("{before}{declarations}{after}");
    }
    Some((declared, (at, declarations.len())))
}

/// Offset behind the name of the root element.
fn end_of_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.find('<')?;
        let rest = text.get(at + 1..)?;
        let skipped =
            [("?", "?>"), ("!--", "-->"), ("!", ">")].into_iter().find(|(open, _)| rest.starts_with(open));
        match skipped {
            Some((_, close)) => at += rest.find(close)? + 1,
            None => return Some(at + 1 + rest.find(|c: char| c.is_whitespace() || "/>".contains(c))?),
        }
    }
}

/// Offset of the first element that seems to have more attributes than allowed, found without
/// parsing: quotes and comments are respected, nothing else is understood.
fn crowded_element(text: &str) -> Option<usize> {
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let start = text.len() - rest.len() + open;
        rest = rest.get(open + 1..)?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.get(comment.find("-->")?..)?;
            continue;
        }
        let mut equals = 0;
        while let Some(next) = rest.find(['=', '"', '\'', '>']) {
            let found = rest.get(next..)?.chars().next()?;
            rest = rest.get(next + 1..)?;
            match found {
                '=' => equals += 1,
                '>' => break,
                quote => rest = rest.get(rest.find(quote)? + 1..)?,
            }
            if equals > MAX_ATTRIBUTES {
                return Some(start);
            }
        }
    }
    None
}

/// Whether the name of an element is written with a prefix. A namespace of the whole file is none: files of Drake
/// state theirs so, and their links and joints are those of the format.
fn has_prefix(node: &roxmltree::Node<'_, '_>) -> bool {
    let text = node.document().input_text().get(node.range()).unwrap_or_default();
    let name = text.trim_start_matches('<').split(|c: char| c.is_whitespace() || c == '>' || c == '/').next();
    name.is_some_and(|name| name.contains(':'))
}

/// `prefix:name`, or the name alone where the namespace is the default one. Namespaces that a
/// reader knows have one prefix, whatever the file calls them.
fn qualified(node: &roxmltree::Node<'_, '_>, namespace: Option<&str>, name: &str) -> String {
    if namespace == Some("http://drake.mit.edu") {
        return format!("drake:{name}");
    }
    match namespace.and_then(|ns| node.lookup_prefix(ns)) {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{name}"),
        _ => name.to_owned(),
    }
}

fn element(node: &roxmltree::Node<'_, '_>, source: usize, parent: Option<usize>) -> Node {
    let attributes = (node.attributes())
        .map(|a| AttributeNode {
            name: qualified(node, a.namespace(), a.name()),
            value: a.value().to_owned(),
            offset: a.range().start,
            value_at: a.range_value(),
            mark: Cell::new(None),
        })
        .collect();
    Node {
        name: match has_prefix(node) {
            true => qualified(node, node.tag_name().namespace(), node.tag_name().name()),
            false => node.tag_name().name().to_owned(),
        },
        source,
        at: node.range(),
        parent,
        children: Vec::new(),
        attributes,
        text: AttributeNode {
            name: "text".to_owned(),
            value: String::new(),
            offset: node.range().start,
            value_at: 0..0,
            mark: Cell::new(None),
        },
        mark: Cell::new(None),
    }
}

/// A reader takes a word. What is read twice stays what it was.
fn take(mark: &Cell<Option<Mark>>) {
    if mark.get().is_none() {
        mark.set(Some((Fate::Used, "")));
    }
}

/// A reader says what becomes of a word. The last word counts, but what was not simulated once stays so.
fn say(mark: &Cell<Option<Mark>>, said: Mark) {
    if mark.get().is_none_or(|(fate, _)| fate != Fate::Unsupported) {
        mark.set(Some(said));
    }
}

/// A handle to an element.
#[derive(Clone, Copy)]
pub(crate) struct Element<'d> {
    document: &'d Document,
    id: usize,
}

impl<'d> Element<'d> {
    // Handles are made from indices of elements that exist, and elements are never removed.
    #[allow(clippy::indexing_slicing)]
    fn node(self) -> &'d Node {
        &self.document.nodes[self.id]
    }

    pub(crate) fn id(self) -> usize {
        self.id
    }

    pub(crate) fn name(self) -> &'d str {
        &self.node().name
    }

    pub(crate) fn place(self) -> Place {
        self.document.place(self.node().source, self.node().at.start)
    }

    /// Place of the byte `offset` of the file this element is in.
    pub(crate) fn place_of(self, attribute: &AttributeNode) -> Place {
        self.document.place(self.node().source, attribute.offset)
    }

    /// Bytes of the element in the main file; `None` for an element of an included one.
    pub(crate) fn span(self) -> Option<Range<usize>> {
        self.in_the_file(&self.node().at)
    }

    /// Bytes of an attribute's value in the main file, without its quotes.
    pub(crate) fn value_span(self, attribute: &AttributeNode) -> Option<Range<usize>> {
        self.in_the_file(&attribute.value_at)
    }

    /// A range of the parsed text in the main file, which may lack declarations that were added.
    fn in_the_file(self, range: &Range<usize>) -> Option<Range<usize>> {
        let source = self.document.sources.first().filter(|_| self.node().source == 0)?;
        Some(source.original(range.start)..source.original(range.end))
    }

    pub(crate) fn parent(self) -> Option<Self> {
        self.node().parent.map(|p| self.document.element(p))
    }

    /// The name of the element around this one; empty for the root.
    pub(crate) fn parent_name(self) -> &'d str {
        self.parent().map_or("", Self::name)
    }

    /// All child elements, unmarked.
    pub(crate) fn children(self) -> impl DoubleEndedIterator<Item = Self> + use<'d> {
        self.node().children.iter().map(move |&id| self.document.element(id))
    }

    /// Everything inside, in document order, unmarked.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> + use<'d> {
        let mut stack: Vec<Self> = self.children().rev().collect();
        std::iter::from_fn(move || {
            let next = stack.pop()?;
            stack.extend(next.children().rev());
            Some(next)
        })
    }

    /// The children called `name`, taken.
    pub(crate) fn children_named(self, name: &str) -> impl Iterator<Item = Self> + use<'d, '_> {
        self.children().filter(move |c| c.name() == name).inspect(|c| take(&c.node().mark))
    }

    /// The child called `name`, marked used; a second one is an error.
    pub(crate) fn child(self, name: &str) -> Result<Option<Self>, LoadError> {
        let mut all = self.children_named(name);
        let first = all.next();
        match all.next() {
            Some(second) => {
                Err(second
                    .structure(format!("a second <{name}> in {}; expected at most one", self.described())))
            }
            None => Ok(first),
        }
    }

    /// The text directly inside.
    pub(crate) fn text(self) -> &'d str {
        &self.node().text.value
    }

    /// The text directly inside, to be read as an attribute is.
    pub(crate) fn content(self) -> Attribute<'d> {
        Attribute { element: self, node: &self.node().text }
    }

    /// The name of the file this element is in.
    pub(crate) fn file(self) -> &'d Path {
        self.document.sources.get(self.node().source).map_or(Path::new(""), |s| &s.path)
    }

    /// All attributes, unmarked.
    pub(crate) fn attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        self.node().attributes.iter().map(move |node| Attribute { element: self, node })
    }

    /// The attribute `name` if it is there, unmarked.
    pub(crate) fn peek(self, name: &str) -> Option<Attribute<'d>> {
        self.attributes().find(|a| a.node.name == name)
    }

    /// The attribute `name` if it is there, taken.
    pub(crate) fn get(self, name: &str) -> Option<Attribute<'d>> {
        self.peek(name).inspect(|a| take(&a.node.mark))
    }

    /// The attribute `name`, marked used; an error without it.
    pub(crate) fn require(self, name: &str, expected: &str) -> Result<Attribute<'d>, LoadError> {
        self.get(name).ok_or_else(|| self.missing(&format!("the attribute `{name}`"), expected))
    }

    /// Says what becomes of the element; see [`say`].
    pub(crate) fn mark(self, fate: Fate, note: &'static str) {
        say(&self.node().mark, (fate, note));
    }

    pub(crate) fn marked(self) -> Option<Mark> {
        self.node().mark.get()
    }

    /// The element as messages call it: <joint> `hip`.
    pub(crate) fn described(self) -> String {
        match self.peek("name") {
            Some(name) => format!("<{}> `{}`", self.name(), crate::words::shortened(name.value())),
            None => format!("<{}>", self.name()),
        }
    }

    pub(crate) fn missing(self, what: &str, expected: &str) -> LoadError {
        LoadError::Missing {
            place: self.place(),
            element: self.name().to_owned(),
            what: what.to_owned(),
            expected: expected.to_owned(),
        }
    }

    pub(crate) fn structure(self, message: impl Into<String>) -> LoadError {
        LoadError::Structure { place: self.place(), message: message.into() }
    }
}

/// A handle to an attribute.
#[derive(Clone, Copy)]
pub(crate) struct Attribute<'d> {
    pub(crate) element: Element<'d>,
    pub(crate) node: &'d AttributeNode,
}

impl<'d> Attribute<'d> {
    pub(crate) fn name(self) -> &'d str {
        &self.node.name
    }

    pub(crate) fn value(self) -> &'d str {
        &self.node.value
    }

    pub(crate) fn place(self) -> Place {
        self.element.place_of(self.node)
    }

    /// Says what becomes of the attribute; see [`say`].
    pub(crate) fn mark(self, fate: Fate, note: &'static str) {
        self.node.set_mark(fate, note);
    }
}

impl AttributeNode {
    pub(crate) fn set_mark(&self, fate: Fate, note: &'static str) {
        say(&self.mark, (fate, note));
    }

    pub(crate) fn marked(&self) -> Option<Mark> {
        self.mark.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Document {
        Document::parse(Path::new("a.xml"), text).unwrap()
    }

    /// A blank line before the declaration; places stay those of the file.
    #[test]
    fn late_declarations_are_read() {
        let document = parse("\n <?xml version='1.0'?>\n<robot name='r'/>");
        assert_eq!((document.root().name(), document.root().place().line), ("robot", 3));
        assert!(Document::parse(Path::new("f"), "<robot/><?xml version='1.0'?>").is_err());
        assert!(Document::parse(Path::new("f"), "\n<?xml version='1.0'").is_err());
    }

    #[test]
    fn places_count_lines_and_characters() {
        let d = parse("<a>\n  <!-- µ --> <b c='1'\n   d='2'/></a>");
        let b = d.root().children().next().unwrap();
        assert_eq!(b.place().to_string(), "a.xml:2:14");
        assert_eq!(b.peek("c").unwrap().place().to_string(), "a.xml:2:17");
        assert_eq!(b.peek("d").unwrap().place().to_string(), "a.xml:3:4");
    }

    #[test]
    fn a_spliced_file_stands_where_it_was_included_and_keeps_its_places() {
        let mut d = parse("<a><b/><include/><e/></a>");
        let root = d.append(Path::new("b.xml"), "<a>\n<c/><d/></a>").unwrap();
        let include = d.root().children().nth(1).unwrap().id();
        d.splice(include, root);
        let names: Vec<_> = d.root().children().map(|c| c.name()).collect();
        assert_eq!(names, ["b", "c", "d", "e"]);
        assert_eq!(d.root().children().nth(2).unwrap().place().to_string(), "b.xml:2:5");
    }

    #[test]
    fn nesting_a_hundred_thousand_deep_is_read() {
        let n = 100_000;
        let text = "<a>".repeat(n) + &"</a>".repeat(n);
        assert_eq!(parse(&text).nodes.len(), n);
    }

    #[test]
    fn prefixes_stay_and_entities_are_refused() {
        let d = parse("<a xmlns:x='u' xmlns='v'><x:b x:c='1'/><b/></a>");
        let names: Vec<_> = d.root().children().map(|c| c.name()).collect();
        assert_eq!(names, ["x:b", "b"]);
        assert!(d.root().children().next().unwrap().peek("x:c").is_some());
        let d = parse("<!-- < -->\n<a> <y:b z:c='1'/><d e='2'/></a>");
        let b = d.root().children().next().unwrap();
        assert_eq!((b.name(), b.peek("z:c").unwrap().place().to_string()), ("y:b", "a.xml:2:10".to_owned()));
        let drake = "http://drake.mit.edu";
        for (text, names) in [
            (format!("<a xmlns='{drake}'><b/></a>"), "a b"),
            (format!("<a xmlns='{drake}' xmlns:d='{drake}'><d:b/></a>"), "a drake:b"),
            (format!("<a xmlns:drake='{drake}'><drake:b/><b/></a>"), "a drake:b b"),
        ] {
            let d = parse(&text);
            let found: Vec<_> =
                std::iter::once(d.root()).chain(d.root().children()).map(|n| n.name()).collect();
            assert_eq!(found.join(" "), names, "{text}");
        }
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;\">]><a>&c;</a>";
        assert!(Document::parse(Path::new("a.xml"), bomb).is_err());
    }
}
