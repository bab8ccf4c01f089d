//! What a plot shows, before it is drawn: curves, measurements, spreads and words over a common pair of axes.

use super::theme;
use serde::Serialize;

/// A curve: one quantity over another, most often over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    pub label: String,
    /// (time [s], value), or whatever the axes say.
    pub points: Vec<[f64; 2]>,
}

impl Series {
    /// This less another, sampled at the same times.
    pub fn minus(&self, other: &Self) -> Self {
        let points = self.points.iter().zip(&other.points).map(|(a, b)| [a[0], a[1] - b[1]]).collect();
        Self { label: self.label.clone(), points }
    }
}

/// A spread around the curve of the same label: x, lower and upper value.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub label: String,
    pub points: Vec<[f64; 3]>,
}

/// A word at a point of the axes; it begins there.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub at: [f64; 2],
    pub text: String,
}

/// One plot over a common pair of axes. The axis labels carry the units, as in `time [s]`. In all words, λ_N sets N as an
/// index, and 1e-4 is set as a power of ten.
///
/// A curve has the colour of its name, in every figure: the part of its label before a colon, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) curves: Vec<Series>,
    pub(super) rings: Vec<Series>,
    pub(super) dots: Vec<Series>,
    pub(super) areas: Vec<Series>,
    pub(super) bands: Vec<Band>,
    pub(super) notes: Vec<Note>,
    /// The group of every curve, if they are told apart by groups.
    pub(super) groups: Option<Vec<String>>,
    /// Label of the curve that stands out.
    pub(super) highlight: Option<String>,
    pub(super) log_x: bool,
    pub(super) log_y: bool,
    /// Lengths on both axes are drawn to one scale.
    pub(super) equal: bool,
    /// Curves are of a parameter that grows from one to the next.
    pub(super) ordered: bool,
    /// Curves are bundles of many, drawn as hairs.
    pub(super) fine: bool,
    pub(super) x_range: Option<[f64; 2]>,
    pub(super) y_range: Option<[f64; 2]>,
}

impl Figure {
    /// A plot of `series`, with a linear axis.
    pub fn of_series(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> Self {
        Self {
            title: title.to_owned(),
            caption: String::new(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            curves: series.to_vec(),
            rings: Vec::new(),
            dots: Vec::new(),
            areas: Vec::new(),
            bands: Vec::new(),
            notes: Vec::new(),
            groups: None,
            highlight: None,
            log_x: false,
            log_y: false,
            equal: false,
            ordered: false,
            fine: false,
            x_range: None,
            y_range: None,
        }
    }

    /// All points that are shown, whatever they are drawn as.
    pub(super) fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        let series = self.curves.iter().chain(&self.rings).chain(&self.dots).chain(&self.areas);
        let ends = |p: &[f64; 3]| [[p[0], p[1]], [p[0], p[2]]];
        let bands = self.bands.iter().flat_map(move |b| b.points.iter().flat_map(ends));
        series.flat_map(|s| s.points.iter().copied()).chain(bands)
    }

    /// Points that the axes can show.
    pub fn shown(&self) -> usize {
        let fits = |x: f64, log: bool| x.is_finite() && (!log || x > 0.0);
        self.points().filter(|p| fits(p[0], self.log_x) && fits(p[1], self.log_y)).count()
    }

    /// A copy under another title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// A copy with a text below: what is shown, and the numbers it was made with.
    #[must_use]
    pub fn captioned(mut self, text: &str) -> Self {
        text.clone_into(&mut self.caption);
        self
    }

    /// A copy with a ring at every point of `rings`, as predictions beside measurements; each takes
    /// the colour of the curve of its label.
    #[must_use]
    pub fn ringed(mut self, rings: &[Series]) -> Self {
        self.rings.extend_from_slice(rings);
        self
    }

    /// A copy with a dot at every point of `dots`, as samples.
    #[must_use]
    pub fn dotted(mut self, dots: &[Series]) -> Self {
        self.dots.extend_from_slice(dots);
        self
    }

    /// A copy with a dot at every point of its curves, where these are few.
    #[must_use]
    pub fn marked(mut self) -> Self {
        self.dots.extend_from_slice(&self.curves);
        self
    }

    /// A copy that shows dots in place of its curves, where their points have no order.
    #[must_use]
    pub fn scattered(mut self) -> Self {
        self.dots.append(&mut self.curves);
        self
    }

    /// A copy with polygons, filled in a pale colour of the curve of their label.
    #[must_use]
    pub fn filled(mut self, areas: &[Series]) -> Self {
        self.areas.extend_from_slice(areas);
        self
    }

    /// A copy with spreads behind the curves of their labels.
    #[must_use]
    pub fn banded(mut self, bands: &[Band]) -> Self {
        self.bands.extend_from_slice(bands);
        self
    }

    /// A copy with words at points.
    #[must_use]
    pub fn noted(mut self, notes: &[(f64, f64, &str)]) -> Self {
        self.notes.extend(notes.iter().map(|&(x, y, text)| Note { at: [x, y], text: text.to_owned() }));
        self
    }

    /// A copy with curves told apart by groups, `group` being told their labels: where there are more curves than colours,
    /// every group has a panel of its own.
    #[must_use]
    pub fn grouped(mut self, group: impl Fn(&str) -> String) -> Self {
        if self.curves.len() > theme::COLOURS {
            self.groups = Some(self.curves.iter().map(|c| group(&c.label)).collect());
        }
        self
    }

    /// A copy with the curve of this label drawn thick.
    #[must_use]
    pub fn highlighted(mut self, label: &str) -> Self {
        self.highlight = Some(label.to_owned());
        self
    }

    /// A copy whose curves are of a parameter that grows from one to the next: colours go from dark to bright.
    #[must_use]
    pub fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// A copy whose curves are bundles of many, parted by points that are no numbers: all but the one that stands out are hairs.
    #[must_use]
    pub fn fine(mut self) -> Self {
        self.fine = true;
        self
    }

    /// A copy with one scale for both axes, as paths and shapes in metres need.
    #[must_use]
    pub fn equal(mut self) -> Self {
        self.equal = true;
        self
    }

    /// A copy that shows values from `low` to `high` alone.
    #[must_use]
    pub fn within_y(mut self, low: f64, high: f64) -> Self {
        self.y_range = Some([low, high]);
        self
    }

    /// A copy that shows the horizontal axis from `low` to `high` alone.
    #[must_use]
    pub fn within_x(mut self, low: f64, high: f64) -> Self {
        self.x_range = Some([low, high]);
        self
    }

    /// A copy with a logarithmic value axis; values that are not positive are left out.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.log_y = true;
        self
    }

    /// A copy with a logarithmic horizontal axis.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.log_x = true;
        self
    }

    /// The figure's groups, each as a figure of its own; one if it has no two.
    pub(super) fn parts(&self) -> Vec<Self> {
        let mut names: Vec<&str> = Vec::new();
        for group in self.groups.iter().flatten() {
            if !names.contains(&group.as_str()) {
                names.push(group);
            }
        }
        if names.len() < 2 {
            return vec![self.clone()];
        }
        let part = |name: &&str| {
            let own = |label: &str| {
                let place = self.curves.iter().position(|c| c.label == label);
                place.is_some_and(|i| self.groups.as_ref().is_some_and(|g| g[i] == *name))
            };
            let of = |series: &[Series]| series.iter().filter(|s| own(&s.label)).cloned().collect();
            let mut part = self.clone().titled(name);
            (part.curves, part.rings, part.dots, part.areas) =
                (of(&self.curves), of(&self.rings), of(&self.dots), of(&self.areas));
            part.bands.retain(|b| own(&b.label));
            (part.groups, part.caption) = (None, String::new());
            part
        };
        names.iter().map(part).collect()
    }
}
