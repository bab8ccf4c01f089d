//! The picture itself.
//!
//! Curves are drawn from wide to narrow, so that one lying on another leaves both visible. Names stand at the right
//! ends, moved apart where they would touch; of more curves than colours in a list, and dashes tell them apart. Colours
//! are those of Okabe and Ito, lightened on dark ground.

use super::Figure;
use super::scale::Scale;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 176.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;
/// Least distance between the names of two curves [px].
const LINE: f64 = 15.0;
/// Groups of points along x, of each of which the first, the extremes and the last are drawn.
const GROUPS: usize = 700;

const STYLE: &str = "\
.ground{fill:#fff}.ink{fill:#222}.soft{fill:#555}.grid{stroke:#e4e4e4}.axis{stroke:#888}
.c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#b5588f}.c4{--c:#c98500}.c5{--c:#3a9bd6}.c6{--c:#6b6b6b}
@media (prefers-color-scheme:dark){.ground{fill:#16181c}.ink{fill:#e8e8e8}.soft{fill:#aaa}
.grid{stroke:#2c3036}.axis{stroke:#777}.c0{--c:#4da6e8}.c1{--c:#ff8a47}.c2{--c:#35c99a}.c3{--c:#e79cc6}
.c4{--c:#f0b840}.c5{--c:#9ad4f5}.c6{--c:#b4b4b4}}
text{font:12px system-ui,sans-serif}.title{font-size:15px;font-weight:600}
polyline{fill:none;stroke:var(--c);stroke-linejoin:round;stroke-linecap:round}.name{fill:var(--c);font-weight:600}
circle{fill:var(--c)}.ring{fill:none;stroke:var(--c);stroke-width:1.3}";
/// Colours of [`STYLE`].
const COLOURS: usize = 7;
/// Dashes of the first seven curves, the second, the third, the fourth.
const DASHES: [&str; 4] = ["none", "7 4", "2 4", "9 3 2 3"];
/// Between the names of a list [px].
const LIST: f64 = 14.0;

/// SVG text of `figure`.
pub(super) fn draw(figure: &Figure) -> String {
    let points = || figure.curves.iter().chain(&figure.rings).flat_map(|c| c.points.iter());
    let x = Scale::around(points().map(|p| p[0]), figure.log_x, 0.0);
    let y = Scale::around(points().map(|p| p[1]), figure.log_y, 0.05);
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <style>{STYLE}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"title ink\" x=\"{LEFT}\" y=\"24\">{}</text>\n",
        escaped(&figure.title),
    );
    axes(&mut svg, figure, &x, &y);
    curves(&mut svg, figure, &x, &y);
    svg += "</svg>\n";
    svg
}

fn pixel_x(place: f64) -> f64 {
    LEFT + place * (WIDTH - LEFT - RIGHT)
}

fn pixel_y(place: f64) -> f64 {
    HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM)
}

fn axes(svg: &mut String, figure: &Figure, x: &Scale, y: &Scale) {
    let (left, right, bottom) = (pixel_x(0.0), pixel_x(1.0), pixel_y(0.0));
    for (place, text) in y.marks() {
        let (v, baseline) = (pixel_y(place), pixel_y(place) + 4.0);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{left} {v:.1}H{right}\"/>\
             <text class=\"soft\" x=\"{:.1}\" y=\"{baseline:.1}\" text-anchor=\"end\">{text}</text>",
            left - 7.0,
        );
    }
    for (place, text) in x.marks() {
        let u = pixel_x(place);
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{u:.1} {bottom}v4\"/>\
             <text class=\"soft\" x=\"{u:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            bottom + 18.0,
        );
    }
    let (middle, height) = (0.5 * (left + right), 0.5 * (TOP + bottom));
    let _ = writeln!(
        svg,
        "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/>\
         <text class=\"ink\" x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text class=\"ink\" transform=\"translate(18 {height}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        HEIGHT - 12.0,
        escaped(&figure.x_label),
        escaped(&figure.y_label),
    );
}

fn curves(svg: &mut String, figure: &Figure, x: &Scale, y: &Scale) {
    let n = figure.curves.len();
    let mut ends = Vec::new();
    for (i, curve) in figure.curves.iter().enumerate() {
        let width = 1.5 + 0.8 * (n - 1 - i).min(3) as f64;
        let dash = DASHES[i / COLOURS % DASHES.len()];
        let _ = write!(
            svg,
            "<g class=\"c{}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\">",
            i % COLOURS
        );
        let mut last = None;
        for run in runs(&curve.points, x, y) {
            last = run.last().copied();
            match run[..] {
                [[u, v]] => {
                    let _ = write!(svg, "<circle cx=\"{u:.1}\" cy=\"{v:.1}\" r=\"2.5\"/>");
                }
                _ => {
                    svg.push_str("<polyline points=\"");
                    for [u, v] in thinned(&run) {
                        let _ = write!(svg, "{u:.1},{v:.1} ");
                    }
                    svg.push_str("\"/>");
                }
            }
        }
        svg.push_str("</g>\n");
        if let Some([u, v]) = last {
            ends.push((u, v, i, curve.label.as_str()));
        }
    }
    for (i, ring) in figure.rings.iter().enumerate() {
        let curve = figure.curves.iter().position(|c| c.label == ring.label).unwrap_or(i);
        for [u, v] in runs(&ring.points, x, y).into_iter().flatten() {
            let _ = writeln!(
                svg,
                "<circle class=\"ring c{}\" cx=\"{u:.1}\" cy=\"{v:.1}\" r=\"4\"/>",
                curve % COLOURS
            );
        }
    }
    if n > COLOURS { list(svg, figure) } else { names(svg, ends) }
}

/// Names of all curves, in their order, each behind a piece of its line.
fn list(svg: &mut String, figure: &Figure) {
    let (u, top) = (WIDTH - RIGHT + 14.0, 20.0);
    for (i, curve) in figure.curves.iter().enumerate() {
        let (v, dash) = (top + LIST * i as f64, DASHES[i / COLOURS % DASHES.len()]);
        let _ = writeln!(
            svg,
            "<g class=\"c{}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\">\
             <polyline points=\"{u:.1},{:.1} {:.1},{:.1}\"/></g>\
             <text class=\"name c{}\" x=\"{:.1}\" y=\"{v:.1}\">{}</text>",
            i % COLOURS,
            v - 4.0,
            u + 24.0,
            v - 4.0,
            i % COLOURS,
            u + 30.0,
            escaped(&curve.label),
        );
    }
}

/// Pixels of the points that can be shown, in runs without holes.
fn runs(points: &[[f64; 2]], x: &Scale, y: &Scale) -> Vec<Vec<[f64; 2]>> {
    let mut runs = vec![Vec::new()];
    for [a, b] in points {
        match (x.place(*a), y.place(*b)) {
            (Some(a), Some(b)) => {
                if let Some(run) = runs.last_mut() {
                    run.push([pixel_x(a), pixel_y(b)]);
                }
            }
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// First, lowest, highest and last point of every group, in their order.
fn thinned(run: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if run.len() <= 4 * GROUPS {
        return run.to_vec();
    }
    let mut kept = Vec::new();
    for group in run.chunks(run.len().div_ceil(GROUPS)) {
        let indices = || 0..group.len();
        let lowest = indices().max_by(|a, b| group[*a][1].total_cmp(&group[*b][1])).unwrap_or(0);
        let highest = indices().min_by(|a, b| group[*a][1].total_cmp(&group[*b][1])).unwrap_or(0);
        let mut picks = [0, lowest, highest, group.len() - 1];
        picks.sort_unstable();
        kept.extend(picks.map(|i| group[i]));
    }
    kept.dedup();
    kept
}

/// Writes names beside the ends of their curves, in order of height, at least a line apart.
fn names(svg: &mut String, mut ends: Vec<(f64, f64, usize, &str)>) {
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let floor = HEIGHT - BOTTOM + 4.0;
    let mut heights: Vec<f64> = Vec::new();
    for end in &ends {
        let above = heights.last().map_or(f64::NEG_INFINITY, |h| h + LINE);
        heights.push((end.1 + 4.0).max(above));
    }
    let mut below = floor + LINE;
    for h in heights.iter_mut().rev() {
        *h = h.min(below - LINE);
        below = *h;
    }
    for ((u, _, i, label), h) in ends.iter().zip(heights) {
        let _ = writeln!(
            svg,
            "<text class=\"name c{}\" x=\"{:.1}\" y=\"{h:.1}\">{}</text>",
            i % COLOURS,
            u + 8.0,
            escaped(label),
        );
    }
}

/// `text` as it stands in markup.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
