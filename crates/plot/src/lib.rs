//! Line plots as SVG, PDF and PNG: axes with units, labels at the lines, colours that every eye can tell apart, on light or
//! dark ground; several of them as panels of one figure.

mod draw;
mod figure;
mod files;
mod layout;
mod pdf;
mod pens;
mod picture;
#[cfg(feature = "png")]
mod png;
mod scale;
mod sheet;
mod svg;
mod text;
mod theme;

pub use figure::{Band, Figure, Note, Series};
pub use files::Formats;
pub use sheet::Sheet;
pub use svg::escaped;
pub use theme::Theme;

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
        assert_eq!(thick(&svg), 4, "curves, and a piece of each before its name");
        assert!(roughly_balanced(&svg));
    }

    /// Lines thicker than axes and grid.
    fn thick(svg: &str) -> usize {
        let width = |l: &str| l.split("stroke-width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        svg.lines().filter(|l| l.starts_with("<polyline") && width(l).is_some_and(|w| w > 1.0)).count()
    }

    /// Solvers of three laws: a panel for each law with the same axes, no two curves of a panel alike, all named, the one that
    /// matters thick, and the one without points told.
    #[test]
    fn many_curves_are_split_by_groups() {
        let mut many: Vec<Series> =
            (0..25).map(|k| line(&format!("s-{}-{k}", k % 3), &[[0.0, 0.0], [1.0, f64::from(k)]])).collect();
        many.push(line("s-0-none", &[]));
        let figure = Figure::of_series("t", "x", "y", &many).grouped(|l| format!("law {}", &l[2..3]));
        let svg = figure.ringed(&many[..1]).highlighted("s-1-1").to_svg(Theme::Light);
        let names = |k: u32| svg.matches(&format!(">s-{}-{k}<", k % 3)).count() == 1;
        assert!((0..25).all(names) && svg.contains(">s-0-none (no points)<"), "{svg}");
        assert!((0..3).all(|g| svg.matches(&format!(")  law {g}<")).count() == 1), "{svg}");
        assert_eq!((curves(&svg), svg.matches("stroke-width=\"3.2\"").count()), (25, 1));
        assert_eq!(svg.matches("r=\"4\" fill=\"none\"").count(), 2, "rings");
        assert_eq!(
            svg.matches(">25<").count() + svg.matches(">20<").count(),
            6,
            "the same numbers on all axes: {svg}"
        );
        assert!(roughly_balanced(&svg));
    }

    /// Lines thicker than axes and swatches, which are level: curves that rise.
    fn curves(svg: &str) -> usize {
        let level = |l: &str| {
            let points = l.split('"').nth(1).unwrap_or_default();
            let mut heights = points.split(' ').filter_map(|p| p.split(',').nth(1));
            heights.next() == heights.next()
        };
        svg.lines().filter(|l| thick(l) == 1 && !level(l)).count() + 1 // one is level itself
    }

    /// Panels that show the same curves name them once, above all of them, and are lettered.
    #[test]
    fn panels_share_their_names() {
        let panel = |title: &str| {
            Figure::of_series(
                title,
                "t [s]",
                "z [m]",
                &[line("1 ms", &[[0.0, 0.0], [1.0, 1.0]]), line("50 ms", &[[0.0, 1.0]])],
            )
        };
        let sheet = Sheet::of_panels("All", 2, ["first", "second", "third"].map(panel).to_vec());
        let sheet = sheet.captioned("What it shows: λ_N at h = 1e-3 s.").with_same_axes();
        let svg = sheet.to_svg(Theme::Dark);
        assert_eq!((svg.matches(">1 ms<").count(), svg.matches(">50 ms<").count()), (1, 1));
        assert!(svg.contains(">(a)  first<") && svg.contains(">(c)  third<"));
        assert!(svg.contains(">N</tspan>") && svg.contains(">−3</tspan>"), "{svg}");
        assert_eq!(sheet.shown(), 3);
        assert!(roughly_balanced(&svg));
    }

    /// A circle stays one where both axes have the same scale, and a curve that leaves the axes ends at their border.
    #[test]
    fn equal_scales_and_borders_are_kept() {
        let circle: Vec<[f64; 2]> =
            (0..=64).map(|k| f64::from(k) * 0.1).map(|a| [a.cos(), 0.5 + a.sin()]).collect();
        let svg = Figure::of_series("", "x [m]", "y [m]", &[line("c", &circle)]).equal().to_svg(Theme::Light);
        let drawn = svg.lines().filter(|l| l.starts_with("<polyline")).max_by_key(|l| l.len()).unwrap();
        let points = pixels(drawn);
        let span = |i: usize| {
            let all = || points.iter().map(|p| p[i]);
            all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
        };
        assert!((span(0) / span(1) - 1.0).abs() < 0.01, "{} by {}", span(0), span(1));
        let steep = [line("steep", &[[0.0, 0.0], [1.0, 10.0], [2.0, 0.5]])];
        let svg = Figure::of_series("", "x", "y", &steep).within_y(0.0, 1.0).to_svg(Theme::Light);
        let drawn: Vec<_> =
            svg.lines().filter(|l| thick(l) == 1).map(pixels).filter(|p| p[0][1] != p[1][1]).collect();
        assert_eq!(drawn.len(), 2, "two pieces: {svg}");
        let top = drawn[0][1][1];
        assert!((drawn[1][0][1] - top).abs() < 0.2 && top < drawn[0][0][1], "both meet the upper border");
        assert!(
            svg.contains(&format!("<polyline points=\"{:.1},{top:.1} ", axis_left(&svg))),
            "which is the end of the axis"
        );
    }

    fn pixels(polyline: &str) -> Vec<[f64; 2]> {
        let points = polyline.split('"').nth(1).unwrap().split(' ');
        points.map(|p| p.split_once(',').map(|(x, y)| [x, y].map(|n| n.parse().unwrap())).unwrap()).collect()
    }

    /// Where the axes begin [px].
    fn axis_left(svg: &str) -> f64 {
        let axis = svg.lines().filter(|l| l.starts_with("<polyline")).map(pixels).find(|p| p.len() == 3);
        axis.unwrap()[0][0]
    }

    /// Every mark carries its style: few programs but browsers read style sheets.
    #[test]
    fn figures_need_no_browser() {
        let series = [line("a", &[[0.0, 0.0], [1.0, 2.0]])];
        let figure = Figure::of_series("t", "x", "y", &series);
        for theme in [Theme::Light, Theme::Dark] {
            let svg = figure.to_svg(theme);
            for word in ["<style", "class=", "var(", "@media"] {
                assert!(!svg.contains(word), "{word}: {svg}");
            }
            assert!(svg.contains(" width=\"760\" height=\"396\""), "a size for LaTeX: {svg}");
            let shapes = svg.lines().filter(|l| l.starts_with("<polyline") || l.starts_with("<text"));
            assert!(shapes.clone().count() > 10 && shapes.into_iter().all(|l| l.contains("=\"#")), "{svg}");
        }
        assert_ne!(figure.to_svg(Theme::Light), figure.to_svg(Theme::Dark));
        assert!(Sheet::from(&figure).to_pdf().starts_with(b"%PDF-1.4"));
        let names = |also| figure.files("f", also).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(Formats::default()), ["f.svg", "f-dark.svg"]);
        #[cfg(feature = "png")]
        assert_eq!(
            names(Formats { pdf: true, png: true }),
            ["f.svg", "f-dark.svg", "f.pdf", "f.png", "f-dark.png"]
        );
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
