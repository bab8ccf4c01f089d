//! Line plots as SVG, PDF and PNG: axes with units, labels at the lines, colours that every eye can tell apart, on light or
//! dark ground.

mod draw;
mod pdf;
mod picture;
#[cfg(feature = "full")]
mod png;
mod scale;
mod svg;
mod theme;

pub(crate) use svg::escaped;
pub use theme::Theme;

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

/// Files of a figure beside SVG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    pub pdf: bool,
    #[cfg(feature = "full")]
    pub png: bool,
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
    /// Of every curve, if they are told apart by groups.
    groups: Option<Vec<String>>,
    /// Label of the curve that stands out.
    highlight: Option<String>,
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
            groups: None,
            highlight: None,
            log_x: false,
            log_y: false,
        }
    }

    /// Points of curves and rings that the axes can show.
    pub(crate) fn shown(&self) -> usize {
        let fits = |x: f64, log: bool| x.is_finite() && (!log || x > 0.0);
        let series = self.curves.iter().chain(&self.rings);
        series.flat_map(|s| &s.points).filter(|p| fits(p[0], self.log_x) && fits(p[1], self.log_y)).count()
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

    /// A copy with a colour for every group of curves, `group` being told their labels; where there are no more curves
    /// than colours, each keeps its own.
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

    /// An SVG image that needs nothing beside it: no style sheet, no font, no script.
    pub fn to_svg(&self, theme: Theme) -> String {
        svg::svg(&draw::draw(self, theme))
    }

    /// Names and contents of the files of this figure: SVG on light and on dark ground, and the formats `also`.
    pub fn files(&self, stem: &str, also: Formats) -> Vec<(String, Vec<u8>)> {
        let svg = |theme| self.to_svg(theme).into_bytes();
        let mut files =
            vec![(format!("{stem}.svg"), svg(Theme::Light)), (format!("{stem}-dark.svg"), svg(Theme::Dark))];
        files.extend(also.pdf.then(|| (format!("{stem}.pdf"), self.to_pdf())));
        #[cfg(feature = "full")]
        files.extend(also.png.then(|| (format!("{stem}.png"), self.to_png())));
        files
    }

    /// A PDF of one page, on light ground.
    pub fn to_pdf(&self) -> Vec<u8> {
        pdf::pdf(&draw::draw(self, Theme::Light))
    }

    /// A PNG of 1520 × 800 dots, on light ground.
    #[cfg(feature = "full")]
    pub fn to_png(&self) -> Vec<u8> {
        png::png(&draw::draw(self, Theme::Light))
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
        let svg = Figure::of_series("Energy & time", "t [s]", "energy [J]", &series).to_svg(Theme::Light);
        for word in ["Energy &amp; time", "a &lt; b", "t [s]", "energy [J]", "flat"] {
            assert!(svg.contains(word), "{word} is missing");
        }
        assert_eq!(thick(&svg), 2);
        assert!(roughly_balanced(&svg));
    }

    /// Lines thicker than axes and grid.
    fn thick(svg: &str) -> usize {
        let width = |l: &str| l.split("stroke-width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        svg.lines().filter(|l| l.starts_with("<polyline") && width(l).is_some_and(|w| w > 1.0)).count()
    }

    /// Solvers of three laws: a colour for each law, no two curves alike, all named at their ends, the one that matters
    /// thick, and the one without points told.
    #[test]
    fn many_curves_are_told_apart_by_groups() {
        let mut many: Vec<Series> =
            (0..25).map(|k| line(&format!("s-{}-{k}", k % 3), &[[0.0, 0.0], [1.0, f64::from(k)]])).collect();
        many.push(line("s-0-none", &[]));
        let figure = Figure::of_series("t", "x", "y", &many).grouped(|l| format!("law {}", &l[2..3]));
        let svg = figure.ringed(&many[..1]).highlighted("s-1-1").to_svg(Theme::Light);
        let names = |k: u32| svg.matches(&format!(">s-{}-{k}<", k % 3)).count() == 1;
        assert!((0..25).all(names) && svg.contains(">s-0-none (no points)<"), "{svg}");
        assert!((0..3).all(|g| svg.contains(&format!(">law {g}<"))));
        assert_eq!((thick(&svg), svg.matches("stroke-width=\"3.2\"").count()), (25, 1));
        let pen = |l: &str| l.split_once("stroke=").map(|(_, pen)| pen.to_owned());
        let mut pens: Vec<String> = svg.lines().filter(|l| thick(l) == 1).filter_map(pen).collect();
        pens.sort();
        pens.dedup();
        assert_eq!(pens.len(), 25, "no two curves alike");
        assert_eq!(svg.matches("r=\"4\" fill=\"none\"").count(), 2, "rings");
        assert!(roughly_balanced(&svg));
    }

    /// What style sheets would say, which few programs but browsers read, stands at every mark.
    #[test]
    fn figures_need_no_browser() {
        let series = [line("a", &[[0.0, 0.0], [1.0, 2.0]])];
        let figure = Figure::of_series("t", "x", "y", &series);
        for theme in [Theme::Light, Theme::Dark] {
            let svg = figure.to_svg(theme);
            for word in ["<style", "class=", "var(", "@media"] {
                assert!(!svg.contains(word), "{word}: {svg}");
            }
            assert!(svg.contains(" width=\"760\" height=\"400\""), "a size for LaTeX");
            let shapes = svg.lines().filter(|l| l.starts_with("<polyline") || l.starts_with("<text"));
            assert!(shapes.clone().count() > 10 && shapes.into_iter().all(|l| l.contains("=\"#")), "{svg}");
        }
        assert_ne!(figure.to_svg(Theme::Light), figure.to_svg(Theme::Dark));
        assert!(figure.to_pdf().starts_with(b"%PDF-1.4"));
        let names = |also| figure.files("f", also).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(Formats::default()), ["f.svg", "f-dark.svg"]);
        #[cfg(feature = "full")]
        assert_eq!(names(Formats { pdf: true, png: true }), ["f.svg", "f-dark.svg", "f.pdf", "f.png"]);
    }

    /// Neither holes, nor zeros on a logarithmic axis, nor nothing at all is a reason to fail.
    #[test]
    fn odd_data_still_makes_a_picture() {
        let gap = line("gap", &[[0.0, 1e-9], [1.0, f64::NAN], [2.0, 0.0], [3.0, 1e-3], [4.0, 1e-2]]);
        let svg = Figure::of_series("t", "x", "y", std::slice::from_ref(&gap)).log_y().to_svg(Theme::Light);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        for series in [vec![], vec![line("none", &[])], vec![line("one", &[[1.0, 1.0]])]] {
            let svg = Figure::of_series("t", "x", "y", &series).to_svg(Theme::Light);
            assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
        }
    }

    /// A million points become a picture of some kilobytes that keeps the extremes.
    #[test]
    fn long_series_are_thinned() {
        let mut points: Vec<[f64; 2]> = (0..1_000_000).map(|i| [i as f64, (i as f64 * 1e-3).sin()]).collect();
        points[123_456][1] = 50.0;
        let svg = Figure::of_series("t", "x", "y", &[line("long", &points)]).to_svg(Theme::Light);
        assert!(svg.len() < 100_000, "{} bytes", svg.len());
        assert!(svg.contains(">50<") || svg.contains(">40<"), "the peak must set the axis");
    }

    fn roughly_balanced(svg: &str) -> bool {
        ["svg", "text"].iter().all(|tag| {
            svg.matches(&format!("<{tag}>")).count() + svg.matches(&format!("<{tag} ")).count()
                == svg.matches(&format!("</{tag}>")).count()
        })
    }
}
