//! The colour and the dash of every curve: those of its name, the same in all figures.

use super::figure::Figure;
use super::picture::Colour;
use super::theme::{COLOURS, DASHES, Palette};

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pen {
    pub(super) colour: Colour,
    pub(super) width: f64,
    pub(super) dash: &'static [u8],
}

/// Names that occur in more than one figure: colour and dash. Those that are often compared differ in colour.
const NAMED: &[(&str, usize, usize)] = &[
    ("auto", 7, 0),
    ("nsgs", 0, 0),
    ("nsgs-accelerated", 0, 1),
    ("ncp-pgs", 5, 0),
    ("ncp-pgs-accelerated", 5, 1),
    ("ncp-admm", 2, 0),
    ("ncp-newton", 4, 1),
    ("ncp-ipm", 1, 2),
    ("ncp-smoothing", 0, 2),
    ("ncp-lanes", 5, 2),
    ("ncp-staggered", 6, 1),
    ("ncp-aclm", 2, 1),
    ("ncp-al", 2, 2),
    ("raisim", 1, 0),
    ("raisim-accelerated", 1, 1),
    ("raisim-ds", 3, 0),
    ("raisim-ds-accelerated", 3, 1),
    ("ccp-pgs", 4, 0),
    ("ccp-pgs-accelerated", 4, 2),
    ("ccp-admm", 2, 3),
    ("ccp-ipm", 3, 2),
    ("ccp-apgd", 0, 3),
    ("ccp-spg", 5, 4),
    ("anitescu-qp", 6, 2),
    ("lcp-pgs", 1, 3),
    ("lcp-pgs-accelerated", 1, 4),
    ("lcp-lemke", 2, 4),
    ("lcp-staggered", 6, 3),
    ("lcp-qp", 0, 4),
    ("mujoco", 3, 3),
    ("mujoco-pyramidal", 1, 5),
    ("sap", 4, 3),
    ("lagged", 5, 3),
    ("similar", 2, 5),
    // Ways to step.
    ("time-stepping", 7, 0),
    ("ne-mdp", 1, 0),
    ("ne-nmdp-pgm", 0, 0),
    ("ne-nmdp-pgm (points)", 0, 1),
    ("ne-nmdp-zopgm", 2, 0),
    ("ne-nmdp-zopgm (points)", 2, 1),
    ("pbd-nmdp-pgm", 3, 0),
    ("pbd-nmdp-pgm (points)", 3, 1),
    ("pbd-nmdp-zopgm", 4, 0),
    ("pbd-nmdp-zopgm (points)", 4, 1),
    ("ne-nmdp-pgm (two-step)", 5, 0),
    ("ne-nmdp-pgm (points, two-step)", 5, 1),
    ("moreau", 0, 2),
    ("stewart-trinkle", 2, 2),
    ("anitescu", 4, 2),
    ("todorov", 3, 2),
    ("variational", 5, 2),
    ("event-driven", 6, 1),
    ("compliant", 1, 2),
    // Learners.
    ("pybullet", 6, 2),
    ("simulator-paper", 6, 1),
    ("simulator-fit", 7, 0),
    ("arena-fit", 6, 0),
    ("sian-like", 3, 0),
    ("constant-impulse", 4, 0),
    ("gp-impulse", 0, 0),
    ("gp-wrench", 2, 0),
    ("gp-wrench-and-spin", 2, 1),
    ("network-impulse", 1, 0),
    ("network-wrench", 5, 0),
    // Measurements, and what they are set beside.
    ("measured", 7, 0),
    ("analytic", 6, 0),
    ("exact law", 6, 0),
    ("published", 1, 0),
    ("samples", 5, 0),
    ("density of samples", 0, 0),
    ("samples of the start", 1, 0),
    ("after contact 1", 2, 0),
    ("after contact 2", 0, 0),
    ("corner 1", 0, 0),
    ("corner 2", 1, 0),
];

/// The name in a label: what stands before a colon, without the words for a scene and an ensemble around the name of a learner.
fn name(label: &str) -> &str {
    let name = label.split(": ").next().unwrap_or(label);
    let name = name.strip_prefix("published-").unwrap_or(name);
    name.strip_suffix("-belief").unwrap_or(name)
}

/// The labels of a figure, each once: curves, then what is drawn of other kinds.
pub(super) fn labels(figure: &Figure) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let others = figure.dots.iter().chain(&figure.rings).chain(&figure.areas).map(|s| &s.label);
    let bands = figure.bands.iter().map(|b| &b.label);
    for label in figure.curves.iter().map(|s| &s.label).chain(others).chain(bands) {
        if !out.contains(&label.as_str()) {
            out.push(label);
        }
    }
    out
}

/// One pen for each of [`labels`].
pub(super) fn pens(figure: &Figure, palette: &Palette) -> Vec<Pen> {
    let labels = labels(figure);
    let n = labels.len();
    let places: Vec<(usize, usize)> =
        if figure.ordered { (0..n).map(|k| (k, 0)).collect() } else { places(&labels) };
    let shares = |i: usize| places.iter().filter(|p| p.0 == places[i].0).count() > 1;
    (0..n)
        .map(|i| {
            let stands_out = figure.highlight.as_ref().is_some_and(|h| *h == labels[i]);
            let width = match () {
                () if stands_out => 3.2,
                () if figure.fine => 0.6,
                () if figure.ordered || n > COLOURS => 1.4,
                // From wide to narrow: a curve on another leaves both visible.
                () => 1.5 + 0.8 * (n - 1 - i).min(3) as f64,
            };
            let (colour, dash) = places[i];
            let colour =
                if figure.ordered { palette.ordered(i, n) } else { palette.curves[colour % COLOURS] };
            // Colours alone tell apart where every curve has one of its own.
            Pen { colour, width, dash: if shares(i) { DASHES[dash % DASHES.len()] } else { DASHES[0] } }
        })
        .collect()
}

/// Colour and dash of every label: those of its name, or the first colour that is used least.
fn places(labels: &[&str]) -> Vec<(usize, usize)> {
    let known = |label: &str| {
        NAMED.iter().find(|n| n.0 == label).or_else(|| NAMED.iter().find(|n| n.0 == name(label)))
    };
    let mut out: Vec<Option<(usize, usize)>> = vec![None; labels.len()];
    for (i, label) in labels.iter().enumerate() {
        let Some((_, colour, dash)) = known(label).copied() else { continue };
        // Several labels of one name keep its colour and differ in their dashes.
        let dashes = (dash..DASHES.len()).chain(0..dash);
        out[i] = dashes.map(|dash| (colour, dash)).find(|place| !out.contains(&Some(*place)));
    }
    for i in 0..labels.len() {
        if out[i].is_none() {
            let used = |colour: usize| out.iter().flatten().filter(|p| p.0 == colour).count();
            let colour = (0..COLOURS).min_by_key(|c| used(*c)).unwrap_or(0);
            let taken = |dash: &usize| out.contains(&Some((colour, *dash)));
            let dash = (0..DASHES.len()).find(|d| !taken(d)).unwrap_or_else(|| used(colour));
            out[i] = Some((colour, dash));
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::super::figure::Series;
    use super::super::theme::Theme;
    use super::*;

    fn figure(labels: &[&str]) -> Figure {
        let of = |l: &&str| Series { label: (*l).to_owned(), points: vec![[0.0, 0.0]] };
        Figure::of_series("", "", "", &labels.iter().map(of).collect::<Vec<_>>())
    }

    /// Every solver has a place, no two of them the same.
    #[test]
    fn every_solver_has_a_pen_of_its_own() {
        let names: Vec<&str> = stiction_solvers::registry::all().iter().map(|e| e.name).collect();
        let unnamed: Vec<_> = names.iter().filter(|n| !NAMED.iter().any(|k| k.0 == **n)).collect();
        assert!(unnamed.is_empty(), "{unnamed:?}");
        let mut places = places(&names);
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), names.len());
    }

    /// A name keeps its colour whatever stands beside it, and a dash is drawn where colours are shared.
    #[test]
    fn colours_are_of_names() {
        let palette = Theme::Light.palette();
        let one = pens(&figure(&["analytic", "raisim", "raisim-ds"]), &palette);
        let two =
            pens(&figure(&["raisim-ds: first", "nsgs", "raisim: second", "raisim-accelerated"]), &palette);
        assert_eq!((one[1].colour, one[2].colour), (two[2].colour, two[0].colour));
        assert!(one.iter().all(|p| p.dash.is_empty()), "no colour is shared");
        assert!(two[2].dash != two[3].dash);
        let many: Vec<String> = (0..40).map(|k| format!("curve {k}")).collect();
        let all = pens(&figure(&many.iter().map(String::as_str).collect::<Vec<_>>()), &palette);
        let looks: Vec<_> = all.iter().map(|p| (p.colour, p.dash)).collect();
        assert!((0..40).all(|i| !looks[..i].contains(&looks[i])), "no two alike");
        let ordered = pens(&figure(&["1 ms", "2 ms", "5 ms"]).ordered(), &palette);
        assert!(ordered[0].colour != ordered[1].colour && ordered[1].colour != ordered[2].colour);
    }
}
