//! The part of docs/implicit-steps.md that this experiment writes: what is found against the paper, and the tables.
//!
//! The sentences are made from the tables as they are printed, so that page and sentences cannot differ. A test holds the sentences and
//! the columns of the largest step to the experiment; with `STICTION_WRITE_DOCS=1` it runs the whole and writes the page.

use crate::Table;
use std::fmt::Write;

/// Tables of the page, in its order.
const TABLES: [&str; 7] = [
    "nmdp-walk",
    "nmdp-height",
    "nmdp-tilt",
    "nmdp-iterations",
    "nmdp-spider-walk",
    "nmdp-spider-height",
    "nmdp-quadruped-rise",
];

/// Sentences, and tables, as Markdown.
pub(super) fn parts(tables: &[Table]) -> [String; 2] {
    let walk = tables.iter().find(|t| t.stem == "nmdp-walk");
    let mut out = String::new();
    for stem in TABLES {
        if let Some(table) = tables.iter().find(|t| t.stem == stem) {
            // Writing to a String cannot fail.
            let _ = write!(out, "**{}.** {}\n\n{}\n", table.title, table.about, markdown(table));
        }
    }
    [walk.map_or_else(String::new, |t| sentences(&t.rows)), out]
}

fn markdown(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(table.heads.len()));
    let named = |row: &Vec<String>| {
        let mut row = row.clone();
        if let Some(first) = row.first_mut() {
            *first = match first.split_once(' ') {
                Some((name, rest)) => format!("`{name}` {rest}"),
                None => format!("`{first}`"),
            };
        }
        line(&row)
    };
    line(&table.heads) + &rule + &table.rows.iter().map(named).collect::<String>()
}

/// The paper's words on figure 5 beside the measurements: how much of its speed a walk loses from the least to the largest step.
fn sentences(walk: &[Vec<String>]) -> String {
    let lost = |label: &str| {
        let row = walk.iter().find(|r| r[0] == label)?;
        let number = |cell: &String| cell.parse::<f64>().ok();
        let (first, last) = (number(row.get(1)?)?, number(row.last()?)?);
        Some(format!("{:.0} %", 100.0 * (1.0 - last / first)).replace('-', "−"))
    };
    let told = |label: &str| lost(label).unwrap_or_else(|| "all".to_owned());
    format!(
        "**Beside the paper.** Its figure 5 has NE-NMDP much nearer to one walk at every step than NE-MDP, and PBD-NMDP nearest. As \
         published, with the energy of all bodies, we find the opposite: from the smallest to the largest step of the table below the walk loses {} of its \
         speed under `ne-mdp`, {} under `ne-nmdp-pgm` and {} under `pbd-nmdp-pgm`; displaced points are nowhere better than \
         Newton–Euler. Zeroth order, whose steps are halved, loses {} and {}. With the energy of contact points, which the authors' \
         program minimises of itself, first order loses {} and {}, zeroth order {} and {}; two-step differences (`differences = 2`) {} with the energy \
         of all bodies and {} with that of contact points. The exact law under `time-stepping`: {}. A minus is a gain.\n",
        told("ne-mdp"),
        told("ne-nmdp-pgm"),
        told("pbd-nmdp-pgm"),
        told("ne-nmdp-zopgm"),
        told("pbd-nmdp-zopgm"),
        told("ne-nmdp-pgm (points)"),
        told("pbd-nmdp-pgm (points)"),
        told("ne-nmdp-zopgm (points)"),
        told("pbd-nmdp-zopgm (points)"),
        told("ne-nmdp-pgm (two-step)"),
        told("ne-nmdp-pgm (points, two-step)"),
        told("time-stepping"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::trace::Trace;
    use super::super::{PERIOD, ROLL, Size, VARIANTS, height_cell, measure, walk_cell};
    use super::*;
    use std::path::Path;
    use stiction_scene::Scene;

    /// Before and after the sentences, and the tables.
    const MARKS: [[&str; 2]; 2] = [
        ["<!-- sentences written by `stiction experiment nmdp` -->\n", "<!-- end of the sentences -->\n"],
        ["<!-- tables written by `stiction experiment nmdp` -->\n\n", "<!-- end of the tables -->\n"],
    ];

    /// Where a part stands in the page.
    fn place(page: &str, [start, end]: [&str; 2]) -> std::ops::Range<usize> {
        let find =
            |mark: &str| page.find(mark).unwrap_or_else(|| panic!("docs/implicit-steps.md has no {mark}"));
        find(start) + start.len()..find(end)
    }

    /// The lines of the table that follows this bold title, without head and rule, as cells.
    fn rows(part: &str, title: &str) -> Vec<Vec<String>> {
        let start = part.find(&format!("**{title}.**")).unwrap_or_else(|| panic!("no table {title}"));
        let lines =
            part[start..].lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
        let cells = |l: &str| l.trim_matches('|').split('|').map(|c| c.trim().replace('`', "")).collect();
        lines.skip(2).map(cells).collect()
    }

    #[test]
    fn reference_of_implicit_steps() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/implicit-steps.md");
        let page = std::fs::read_to_string(&file).unwrap();
        if std::env::var_os("STICTION_WRITE_DOCS").is_some() {
            let findings = measure(Size::Full).unwrap();
            let mut page = page;
            for (part, marks) in parts(&findings.tables).iter().zip(MARKS) {
                page.replace_range(place(&page, marks), part);
            }
            std::fs::write(file, page).unwrap();
            return;
        }
        let [told, kept] = MARKS.map(|marks| &page[place(&page, marks)]);
        let hint = "STICTION_WRITE_DOCS=1 writes docs/implicit-steps.md again";
        let (walks, heights) = (rows(kept, "Speed of the walk"), rows(kept, "Height of jumps"));
        assert!(told == sentences(&walks), "sentences are old; {hint}:\n{}", sentences(&walks));
        assert_eq!(walks.len(), VARIANTS.len(), "{hint}");
        let (jump, walk) =
            (Scene::builtin("robosimian-jump").unwrap(), Scene::builtin("robosimian-walk").unwrap());
        for (variant, (w, z)) in VARIANTS.into_iter().zip(walks.iter().zip(&heights)) {
            let run = |scene: &Scene, roll: f64| Trace::run(scene, variant, (5e-2, 10.0, roll)).unwrap();
            let (walked, jumped) = (run(&walk, 0.0), run(&jump, ROLL));
            let printed = [&w[0], w.last().unwrap(), z.last().unwrap()].map(String::as_str);
            let found = [variant.label(), walk_cell(&walked), height_cell(&jumped)];
            assert_eq!(printed, found.each_ref().map(String::as_str), "{hint}");
            assert!(jumped.samples.len() as f64 * 5e-2 >= PERIOD || jumped.exploded);
        }
    }
}
