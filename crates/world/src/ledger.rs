//! What became of everything in a file: used, kept for later, or unknown. Nothing is dropped
//! silently.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The one line about softness that the exact law does not read, and what makes it count.
const RIGID: &str = "under the exact law contacts, limits and loops are rigid: what is stated is not read";
const OF_CONTACTS: &str = " (--compliance file makes springs of contacts, --contact mujoco reads all)";
const OF_OTHERS: &str = " (--contact mujoco reads it)";

/// The note on a speed that a joint shall not exceed.
pub const SPEEDS_ARE_FREE: &str = "nothing keeps a joint below it; the control of velocity actuators \
    (`actuators = \"velocity\"`) is limited to it";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// Fate of an element or attribute in the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It shapes the simulation.
    Used,
    /// Understood, and without effect on the motion (colours, cameras, names).
    Kept,
    /// It makes contacts, limits or loops yield, under laws that read it; under the exact law these are rigid.
    Softness,
    /// Understood, and it would change the motion, but stiction does not simulate it yet.
    Unsupported,
    /// Not part of the format where it stands as far as we know, or nothing takes it there; probably a typing error.
    Unknown,
}

/// One line of the ledger; repeated occurrences are counted, the first is placed.
#[derive(Clone, Debug)]
pub struct Entry {
    pub fate: Fate,
    /// `element` or `element@attribute`, e.g. `geom@solref`.
    pub what: String,
    pub count: usize,
    pub first: Place,
    /// Why, when it is not used.
    pub note: String,
    /// True where it stands inside an element that has this fate as a whole, and is told with it.
    pub inside: bool,
}

/// How much a user should mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; often meant.
    Note,
    /// Probably a mistake, or the motion is not what the file describes.
    Warning,
    /// No robot is like this, or the file cannot be simulated.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The subject of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// A word that would change the motion, and is not simulated.
    NotSimulated,
    /// No word of the format.
    Unknown,
    /// Softness that only some laws of contact read.
    Softness,
    /// The reader took something otherwise than it may have been meant.
    Reader,
    /// The scene was completed: a ground added, a robot moved, a keyframe chosen.
    Scene,
    /// Something happened during a run.
    Run,
}

/// One thing that a user should know of a world: where it may differ from what its file says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    pub severity: Severity,
    pub topic: Topic,
    /// Where the word is written first; `None`: nowhere.
    pub place: Option<Place>,
    /// The element, or `element@attribute`; empty where the note is about no single word.
    pub word: String,
    /// One sentence.
    pub message: String,
}

impl Topic {
    /// `not-simulated`, `unknown`, `softness`, `reader`, `scene` or `run`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSimulated => "not-simulated",
            Self::Unknown => "unknown",
            Self::Softness => "softness",
            Self::Reader => "reader",
            Self::Scene => "scene",
            Self::Run => "run",
        }
    }
}

/// `{ severity, topic, file, line, column, word, message }`; what is not known is `null`.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = self.place.as_ref();
        let mut note = serializer.serialize_struct("Note", 7)?;
        note.serialize_field("severity", self.severity.name())?;
        note.serialize_field("topic", self.topic.name())?;
        note.serialize_field("file", &place.map(|p| p.file.to_string_lossy()))?;
        note.serialize_field("line", &place.map(|p| p.line))?;
        note.serialize_field("column", &place.map(|p| p.column))?;
        note.serialize_field("word", &self.word)?;
        note.serialize_field("message", &self.message)?;
        note.end()
    }
}

impl Note {
    /// About the scene as a whole.
    pub fn of_scene(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, topic: Topic::Scene, place: None, word: String::new(), message: message.into() }
    }
}

impl std::fmt::Display for Note {
    /// Writes place, severity, word and message, as compilers do.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: ", self.severity.name())?;
        match self.topic {
            Topic::NotSimulated => write!(f, "not simulated: ")?,
            Topic::Unknown => write!(f, "unknown: ")?,
            Topic::Softness | Topic::Reader | Topic::Scene | Topic::Run => {}
        }
        match (self.word.is_empty(), self.message.is_empty()) {
            (true, _) => f.write_str(&self.message),
            (false, true) => f.write_str(&self.word),
            (false, false) => write!(f, "{}: {}", self.word, self.message),
        }
    }
}

/// Fates of all elements and attributes of a file.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// In order of first occurrence.
    pub entries: Vec<Entry>,
    /// Things that were used but look wrong, with their place.
    pub warnings: Vec<(Place, String)>,
    /// Notes on everything that was added, moved or chosen beside the file.
    pub remarks: Vec<Note>,
    /// Where in `entries` a fate of a thing is counted.
    index: BTreeMap<(Fate, bool, String), usize>,
}

impl Ledger {
    /// Counts one more occurrence of `what`, which stands `inside` an element of that fate or by itself.
    pub fn record(
        &mut self,
        (fate, inside): (Fate, bool),
        what: &str,
        place: impl FnOnce() -> Place,
        note: &str,
    ) {
        let key = (fate, inside, what.to_owned());
        if let Some(e) = self.index.get(&key).and_then(|&i| self.entries.get_mut(i)) {
            e.count += 1;
            return;
        }
        let what = what.to_owned();
        self.index.insert(key, self.entries.len());
        self.entries.push(Entry { fate, what, count: 1, first: place(), note: note.to_owned(), inside });
    }

    /// Lines of one fate.
    pub fn of(&self, fate: Fate) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |e| e.fate == fate)
    }

    /// Adds what became of another file.
    pub fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.warnings.extend(other.warnings);
        self.remarks.extend(other.remarks);
    }

    /// Whether something of the file is not simulated.
    pub fn leaves_out(&self) -> bool {
        self.of(Fate::Unsupported).next().is_some()
    }

    /// Everything that a user should know, each once: what is not simulated, what is unknown, what the reader warns of, and
    /// what was added.
    pub fn notes(&self) -> Vec<Note> {
        let whole: BTreeSet<&str> = self.of(Fate::Unsupported).map(|e| e.what.as_str()).collect();
        // Of an element that is not simulated no attribute is.
        let told = |e: &&Entry| {
            let part = |of: char| e.what.split_once(of).is_some_and(|(whole_of, _)| whole.contains(whole_of));
            let of_whole = part('@') || part('/');
            !e.inside && !of_whole
        };
        let entries = |fate, topic| {
            self.of(fate).filter(told).map(move |e| Note {
                // Files state speeds of all joints, and most are never reached.
                severity: if e.note == SPEEDS_ARE_FREE { Severity::Note } else { Severity::Warning },
                topic,
                place: Some(e.first.clone()),
                word: e.what.clone(),
                message: if e.count > 1 { format!("{} ({} times)", e.note, e.count) } else { e.note.clone() },
            })
        };
        let soft: Vec<&Entry> = self.of(Fate::Softness).collect();
        let softness = soft.first().map(|first| Note {
            severity: Severity::Note,
            topic: Topic::Softness,
            place: Some(first.first.clone()),
            word: first.what.clone(),
            message: {
                let others: Vec<&str> = soft.iter().skip(1).map(|e| e.what.as_str()).collect();
                let and =
                    if others.is_empty() { String::new() } else { format!("(and {}) ", others.join(", ")) };
                let of_contact = |e: &&Entry| e.what.starts_with("geom") || e.what.starts_with("pair");
                let remedy = if soft.iter().any(of_contact) { OF_CONTACTS } else { OF_OTHERS };
                format!("{and}{RIGID}{remedy}")
            },
        });
        let unsupported: BTreeSet<&str> = self.of(Fate::Unsupported).map(|e| e.note.as_str()).collect();
        let said = |message: &str| unsupported.iter().any(|note| !note.is_empty() && message.contains(note));
        let warnings =
            self.warnings.iter().filter(|(_, message)| !said(message)).map(|(place, message)| Note {
                severity: Severity::Warning,
                topic: Topic::Reader,
                place: Some(place.clone()),
                word: String::new(),
                message: message.clone(),
            });
        let mut notes: Vec<Note> = entries(Fate::Unsupported, Topic::NotSimulated)
            .chain(entries(Fate::Unknown, Topic::Unknown))
            .chain(softness)
            .chain(warnings)
            .chain(self.remarks.iter().cloned())
            .collect();
        let mut seen = BTreeSet::new();
        notes.retain(|n| seen.insert(n.clone()));
        notes
    }
}
