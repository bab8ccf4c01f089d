//! Line plots as SVG: axes with units, labels at the lines, colours that every eye can tell apart, light and dark.

mod draw;
pub(crate) use draw::escaped;
mod scale;

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

/// One plot: curves over a common axis. The axis labels carry the units, as in `time [s]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    title: String,
    x_label: String,
    y_label: String,
    curves: Vec<Series>,
    /// Rings in the colour of the curve of the same label.
    rings: Vec<Series>,
    log_x: bool,
    log_y: bool,
}

impl Figure {
    /// A plot of `series`, with a linear axis.
    pub fn of_series(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> Self {
        Self {
            title: title.to_owned(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            curves: series.to_vec(),
            rings: Vec::new(),
            log_x: false,
            log_y: false,
        }
    }

    /// A copy under another title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// A copy with a ring at every point of `rings`, as predictions beside measurements; each takes
    /// the colour of the curve of its label.
    #[must_use]
    pub fn ringed(mut self, rings: &[Series]) -> Self {
        self.rings.extend_from_slice(rings);
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

    /// A self-contained SVG image.
    pub fn to_svg(&self) -> String {
        draw::draw(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, points: &[[f64; 2]]) -> Series {
        Series { label: label.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn a_figure_holds_its_words_and_curves() {
        let series = [line("a < b", &[[0.0, 0.0], [1.0, 2.0]]), line("flat", &[[0.0, 1.0], [1.0, 1.0]])];
        let svg = Figure::of_series("Energy & time", "t [s]", "energy [J]", &series).to_svg();
        for word in ["Energy &amp; time", "a &lt; b", "t [s]", "energy [J]", "flat"] {
            assert!(svg.contains(word), "{word} is missing");
        }
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(roughly_balanced(&svg));
    }

    /// Beyond the colours there are, dashes tell curves apart, and their names stand in a list.
    #[test]
    fn many_curves_have_a_list_of_names() {
        let many: Vec<Series> =
            (0..26).map(|k| line(&format!("solver-{k}"), &[[0.0, 0.0], [1.0, f64::from(k)]])).collect();
        let svg = Figure::of_series("t", "x", "y", &many).ringed(&many[..1]).to_svg();
        assert!((0..26).all(|k| svg.contains(&format!(">solver-{k}<"))));
        assert!(svg.contains("stroke-dasharray") && svg.matches("class=\"ring").count() == 2);
        assert!(roughly_balanced(&svg));
    }

    /// Neither holes, nor zeros on a logarithmic axis, nor nothing at all is a reason to fail.
    #[test]
    fn odd_data_still_makes_a_picture() {
        let gap = line("gap", &[[0.0, 1e-9], [1.0, f64::NAN], [2.0, 0.0], [3.0, 1e-3], [4.0, 1e-2]]);
        let svg = Figure::of_series("t", "x", "y", std::slice::from_ref(&gap)).log_y().to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        for series in [vec![], vec![line("none", &[])], vec![line("one", &[[1.0, 1.0]])]] {
            let svg = Figure::of_series("t", "x", "y", &series).to_svg();
            assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
        }
    }

    /// A million points become a picture of some kilobytes that keeps the extremes.
    #[test]
    fn long_series_are_thinned() {
        let mut points: Vec<[f64; 2]> = (0..1_000_000).map(|i| [i as f64, (i as f64 * 1e-3).sin()]).collect();
        points[123_456][1] = 50.0;
        let svg = Figure::of_series("t", "x", "y", &[line("long", &points)]).to_svg();
        assert!(svg.len() < 100_000, "{} bytes", svg.len());
        assert!(svg.contains(">50<") || svg.contains(">40<"), "the peak must set the axis");
    }

    fn roughly_balanced(svg: &str) -> bool {
        ["svg", "g", "text", "style"].iter().all(|tag| {
            svg.matches(&format!("<{tag}>")).count() + svg.matches(&format!("<{tag} ")).count()
                == svg.matches(&format!("</{tag}>")).count()
        })
    }
}
