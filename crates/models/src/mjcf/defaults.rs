//! <default>: classes of attribute values, nested, and the lookup through them.
//!
//! The value of an attribute is the element's own, else that of its class, else of the classes
//! around the class. The class is the element's `class`, else the `childclass` of the nearest body
//! or frame around it, else the outermost one, `main`.

use super::compiler::Compiler;
use crate::error::LoadError;
use crate::names::Names;
use crate::xml::Attribute;
use crate::xml::Element;
use stiction_world::Fate;

/// Deepest nesting of classes.
const MAX_DEPTH: usize = 50;
/// Most elements of a class.
const MAX_ELEMENTS: usize = 100;

struct Class<'d> {
    parent: Option<usize>,
    elements: Vec<Element<'d>>,
}

/// Default classes and the attributes they state.
pub(crate) struct Defaults<'d> {
    classes: Vec<Class<'d>>,
    names: Names<'d>,
}

/// The outermost class.
pub(crate) const MAIN: usize = 0;

impl<'d> Defaults<'d> {
    pub(crate) fn read(root: Element<'d>) -> Result<Self, LoadError> {
        let mut defaults = Self {
            classes: vec![Class { parent: None, elements: Vec::new() }],
            names: Names::new("default class"),
        };
        let mut main_named = false;
        let mut stack: Vec<(Element<'d>, Option<usize>, usize)> =
            root.children().rev().filter(|c| c.name() == "default").map(|c| (c, None, 0)).collect();
        while let Some((element, parent, depth)) = stack.pop() {
            element.mark(Fate::Used, "");
            if depth > MAX_DEPTH {
                let what = "nested default classes".to_owned();
                return Err(LoadError::Limit { place: element.place(), what, limit: MAX_DEPTH });
            }
            let class = match parent {
                None => MAIN,
                Some(_) => defaults.classes.len(),
            };
            match (parent, element.get("class")) {
                (None, None) => {}
                (None, Some(name)) => {
                    // The outermost class may be stated in pieces, each with its name.
                    if defaults.names.get(name.value()).is_none() {
                        defaults.names.insert(name.value(), MAIN, element)?;
                        main_named |= name.value() == "main";
                    }
                }
                (Some(_), Some(name)) => defaults.names.insert(name.value().trim(), class, element)?,
                (Some(_), None) => {
                    return Err(
                        element.missing("the attribute `class`", "a name: only the outermost may do without")
                    );
                }
            }
            if parent.is_some() {
                defaults.classes.push(Class { parent, elements: Vec::new() });
            }
            for child in element.children().filter(|c| c.name() != "default") {
                let Some(class) = defaults.classes.get_mut(class) else { continue };
                class.elements.push(child);
                if class.elements.len() > MAX_ELEMENTS {
                    let what = "elements of a default class".to_owned();
                    return Err(LoadError::Limit { place: child.place(), what, limit: MAX_ELEMENTS });
                }
            }
            let nested = element.children().rev().filter(|c| c.name() == "default");
            stack.extend(nested.map(|c| (c, Some(class), depth + 1)));
        }
        if !main_named && defaults.names.get("main").is_none() {
            defaults.names.insert("main", MAIN, root)?;
        }
        Ok(defaults)
    }

    fn named(&self, attribute: Attribute<'d>) -> Result<usize, LoadError> {
        self.names.index(attribute)
    }

    /// The class for what is inside `element`.
    pub(crate) fn childclass(&self, element: Element<'d>, around: usize) -> Result<usize, LoadError> {
        element.get("childclass").map_or(Ok(around), |a| self.named(a))
    }

    /// The class around `element`, from the bodies and frames it stands in.
    pub(crate) fn around(&self, element: Element<'d>) -> Result<usize, LoadError> {
        let mut around = element.parent();
        while let Some(e) = around {
            if let Some(class) = e.get("childclass") {
                return self.named(class);
            }
            around = e.parent();
        }
        Ok(MAIN)
    }

    /// `element`, to be read as a `tag` of its class.
    pub(crate) fn styled(
        &self,
        element: Element<'d>,
        tag: &'static str,
        around: usize,
    ) -> Result<Styled<'_, 'd>, LoadError> {
        element.mark(Fate::Used, "");
        let class = element.get("class").map_or(Ok(around), |a| self.named(a))?;
        Ok(Styled { element, defaults: self, class, tag })
    }
}

/// An element with the defaults behind it.
#[derive(Clone, Copy)]
pub(crate) struct Styled<'a, 'd> {
    pub(crate) element: Element<'d>,
    defaults: &'a Defaults<'d>,
    class: usize,
    tag: &'static str,
}

impl<'a, 'd> Styled<'a, 'd> {
    /// The element's class and those around it, innermost first.
    fn classes(self) -> impl Iterator<Item = &'a Class<'d>> {
        let classes = &self.defaults.classes;
        std::iter::successors(classes.get(self.class), |c| c.parent.and_then(|p| classes.get(p)))
    }

    /// The element, then the defaults for any of `tags`, nearest first.
    pub(crate) fn levels_of(self, tags: &'static [&'static str]) -> impl Iterator<Item = Element<'d>> {
        let fits = move |e: &&Element<'d>| tags.contains(&e.name());
        let defaults = self.classes().flat_map(move |c| c.elements.iter().rev().filter(fits).copied());
        std::iter::once(self.element).chain(defaults.inspect(|e| e.mark(Fate::Used, "")))
    }

    pub(crate) fn levels(self) -> impl Iterator<Item = Element<'d>> {
        let tag = self.tag;
        let fits = move |e: &&Element<'d>| e.name() == tag;
        let defaults = self.classes().flat_map(move |c| c.elements.iter().rev().filter(fits).copied());
        std::iter::once(self.element).chain(defaults.inspect(|e| e.mark(Fate::Used, "")))
    }

    /// The value nearest to the element, marked used.
    pub(crate) fn get(self, name: &str) -> Option<Attribute<'d>> {
        self.levels().find_map(|e| e.get(name))
    }

    /// Numbers, where an inner level may state only the first few and leave the rest to outer ones.
    /// Returns how many are known.
    pub(crate) fn merge<const N: usize>(self, name: &str, into: &mut [f64; N]) -> Result<usize, LoadError> {
        let stated: Vec<_> = self.levels().filter_map(|e| e.get(name)).collect();
        let mut known = 0;
        for attribute in stated.into_iter().rev() {
            let numbers = attribute.numbers(1, N)?;
            known = known.max(numbers.len());
            into.iter_mut().zip(numbers).for_each(|(slot, x)| *slot = x);
        }
        Ok(known)
    }

    pub(crate) fn number(self, name: &str, otherwise: f64) -> Result<f64, LoadError> {
        self.get(name).map_or(Ok(otherwise), |a| a.number())
    }

    pub(crate) fn not_negative(self, name: &str) -> Result<f64, LoadError> {
        self.get(name).map_or(Ok(0.0), |a| a.not_negative())
    }

    /// A range that holds: `limited` says so, or says nothing and the range is not empty.
    pub(crate) fn range(
        self,
        limited: &str,
        range: &str,
        compiler: &Compiler,
    ) -> Result<Option<[f64; 2]>, LoadError> {
        let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
        let wanted = self.get(limited).map_or(Ok(None), |a| a.keyword(&words))?;
        let Some(stated) = self.get(range) else {
            return match (wanted, self.get(limited)) {
                (Some(true), Some(a)) => Err(a.error(format!("a `{range}` beside it"))),
                _ => Ok(None),
            };
        };
        let [lo, hi] = stated.array::<2>()?;
        match wanted {
            Some(false) => Ok(None),
            None if lo == 0.0 && hi == 0.0 => Ok(None),
            None if !compiler.auto_limits => {
                Err(stated
                    .error(format!("`{limited}` beside it, because the compiler's autolimits is false")))
            }
            None if lo >= hi => Ok(None),
            _ if lo >= hi => Err(stated.error("a lower number, then a higher one")),
            _ => Ok(Some([lo, hi])),
        }
    }
}
