//! What the reader itself has to say: that it refuses, warns, does not simulate, does not know.

use super::report::{Finding, Findings, Rule, error, note, warning};
use super::subject::Subject;
use crate::error::LoadError;
use std::collections::BTreeSet;
use std::path::Path;
use stiction_world::ledger::SPEEDS_ARE_FREE;
use stiction_world::{Fate, Place};

const REFUSED: Rule = error(
    "refused",
    "the reader refuses the file; what needs the whole model was not checked",
    "do what the message asks for, then check again",
);
const READER: Rule = warning(
    "reader",
    "the reader took something otherwise than it may have been meant",
    "do what the message says, or leave the element out",
);
const UNSUPPORTED: Rule = warning(
    "unsupported",
    "it would change the motion, and is not simulated yet",
    "leave it out, or expect another motion than the file describes",
);
const SPEED: Rule = note(
    "speed-free",
    "a limit of the speed of a joint is read, and nothing holds the joint to it",
    "drive the joint so that it keeps to it; velocity actuators take it as the range of their control",
);
const UNKNOWN: Rule = warning(
    "unknown",
    "no word of the format that stiction knows: nothing reads it",
    "correct the spelling, or leave it out",
);

pub(super) const RULES: &[Rule] = &[REFUSED, READER, UNSUPPORTED, SPEED, UNKNOWN];

/// The reader's error as a finding.
pub(super) fn refusal(error: &LoadError, file: &Path) -> Finding {
    let start = || Place { file: file.to_owned(), line: 1, column: 1 };
    let place = error.place().cloned().unwrap_or_else(start);
    let text = error.to_string();
    let prefix = error.place().map_or_else(|| format!("{}: ", file.display()), |p| format!("{p}: "));
    let reason = text.strip_prefix(&prefix).unwrap_or(&text).to_owned();
    Finding { rule: &REFUSED, place, element: "the model".to_owned(), value: String::new(), reason }
}

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    let Some(world) = subject.world else { return };
    let root = subject.document.root().place();
    let whole: BTreeSet<&str> = world.ledger.of(Fate::Unsupported).map(|e| e.what.as_str()).collect();
    for (rule, fate) in [(&UNSUPPORTED, Fate::Unsupported), (&UNKNOWN, Fate::Unknown)] {
        // What is inside an element is told with it.
        for entry in world.ledger.of(fate).filter(|e| !e.inside) {
            let (element, attribute) = match entry.what.split_once('@') {
                // Of an element that is not simulated, no attribute and no part is.
                Some((element, _)) if whole.contains(element) => continue,
                None if entry.what.split_once('/').is_some_and(|(around, _)| whole.contains(around)) => {
                    continue;
                }
                Some((element, attribute)) => (element, attribute),
                None => (entry.what.trim_end_matches(" (text)"), ""),
            };
            let rule = if entry.note == SPEEDS_ARE_FREE { &SPEED } else { rule };
            let times = if entry.count == 1 { String::new() } else { format!("{} times", entry.count) };
            let element = format!("<{element}> {attribute}").trim_end().to_owned();
            out.add_at(rule, entry.first.clone(), element, times, entry.note.clone());
        }
    }
    for (place, message) in &world.ledger.warnings {
        // What has been found on the same line, or of every such element, is the same thing.
        let said = (out.has_line(place) && *place != root)
            || world.ledger.of(Fate::Unsupported).any(|e| !e.note.is_empty() && message.contains(&e.note));
        if !said && !super::overlap::is_exclusion(message) {
            out.add_at(&READER, place.clone(), "the reader".to_owned(), "", message.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::testing::{arm, codes, mjcf, report, solid, urdf};
    use stiction_world::Severity;

    #[test]
    fn refusals_keep_their_place() {
        let found = report("<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>");
        let f = &found.findings[0];
        assert_eq!((f.rule.code, f.place.line, found.read), ("refused", 3, false));
        assert!(f.reason.starts_with("a second link"), "{}", f.reason);
        assert_eq!(report("<robot").findings[0].rule.code, "refused");
    }

    #[test]
    fn limits_of_speed_are_a_note() {
        let found = report(&urdf(&arm(&solid(), "")));
        let told: Vec<_> =
            found.findings.iter().map(|f| (f.rule.code, f.rule.severity, &f.element[..])).collect();
        assert_eq!(told, [("speed-free", Severity::Note, "<limit> velocity")]);
    }

    #[test]
    fn the_ledger_is_told() {
        let text = mjcf("<option density='1'/><worldbody><geom size='1' frction='2'/></worldbody>");
        assert!(codes(&text).contains(&"unsupported") && codes(&text).contains(&"unknown"));
        let text = urdf("<link name='a'/>\n<klampt><noselfcollision pairs='a b'/></klampt>");
        assert_eq!(codes(&text), ["reader"]);
        let clean = codes(&urdf("<link name='a'/>"));
        assert!(clean.is_empty(), "{clean:?}");
    }
}
