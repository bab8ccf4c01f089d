//! From a sheet to a picture.
//!
//! Names stand at the right of a plot, in the order of the heights where their curves end and as near to these as there is
//! room, each behind a short piece of its line; where all panels show the same, once above them. Curves without a point
//! that can be shown are named below the others.

use super::figure::{Band, Series};
use super::layout::{CAPTION, Layout, NAME, Panel, SWATCH, layout};
use super::pens::{Pen, labels};
use super::picture::{Anchor, Mark, Picture};
use super::sheet::Sheet;
use super::text::lines;
use super::theme::{Palette, Theme};

/// Distance between the names of two curves where there is room [px].
const LINE: f64 = 15.0;
/// Height of a name, over the distance to the next [–].
const FILLED: f64 = 0.95;
/// Least distance of two rings of one series [px].
const APART: f64 = 10.0;
/// Groups of points along x, of each of which the first, the extremes and the last are drawn.
const GROUPS: usize = 700;

pub(super) fn draw(sheet: &Sheet, theme: Theme) -> Picture {
    let palette = theme.palette();
    let Layout { size, panels, legend, caption } = layout(sheet, &palette);
    let mut picture = Picture { size, ground: palette.ground, marks: Vec::new() };
    if !sheet.title.is_empty() {
        picture.title([24.0, 24.0], &sheet.title, 15.0, palette.ink);
    }
    for ([u, v], label, i) in &legend {
        swatch(&mut picture, &panels[0], *i, [*u, *v - 4.0], NAME);
        picture.sized([u + SWATCH, *v], label, NAME, Anchor::Start, panels[0].pens[*i].colour);
    }
    let lettered = panels.len() > 1;
    for (i, panel) in panels.iter().enumerate() {
        let letter = char::from(b'a' + (i % 26) as u8);
        let title = match (lettered, panel.figure.title.as_str()) {
            (true, title) => format!("({letter})  {title}"),
            (false, title) => title.to_owned(),
        };
        if !title.is_empty() {
            picture.title([panel.left, panel.top - 9.0], &title, 12.5, palette.ink);
        }
        draw_panel(&mut picture, panel, &palette, legend.is_empty());
    }
    for (k, line) in lines(&sheet.caption, CAPTION[0], size[0] - 40.0).iter().enumerate() {
        let at = [24.0, caption + CAPTION[1] * k as f64];
        picture.sized(at, line, CAPTION[0], Anchor::Start, palette.soft);
    }
    picture
}

fn draw_panel(picture: &mut Picture, panel: &Panel<'_>, palette: &Palette, named: bool) {
    axes(picture, panel, palette);
    areas(picture, panel, palette);
    let ends = curves(picture, panel);
    points(picture, panel);
    for note in &panel.figure.notes {
        if let Some(at) = pixel(panel, note.at) {
            picture.sized(at, &note.text, NAME, Anchor::Start, palette.ink);
        }
    }
    if named {
        put_names(picture, panel, &ends);
    }
}

fn axes(picture: &mut Picture, panel: &Panel<'_>, palette: &Palette) {
    let [left, bottom] = panel.pixel([0.0, 0.0]);
    let [right, top] = panel.pixel([1.0, 1.0]);
    let mut widest = 0.0_f64;
    for (place, text) in panel.y_marks() {
        let v = panel.pixel([0.0, place])[1];
        picture.line(vec![[left, v], [right, v]], 1.0, &[], palette.grid);
        picture.word([left - 7.0, v + 4.0], &text, Anchor::End, palette.soft);
        widest = widest.max(super::text::length(&text, NAME));
    }
    for place in panel.y.minor() {
        let v = panel.pixel([0.0, place])[1];
        picture.line(vec![[left - 3.0, v], [left, v]], 0.7, &[], palette.axis);
    }
    for (place, text) in panel.x_marks() {
        let u = panel.pixel([place, 0.0])[0];
        picture.line(vec![[u, bottom], [u, bottom + 5.0]], 1.0, &[], palette.axis);
        picture.word([u, bottom + 18.0], &text, Anchor::Middle, palette.soft);
    }
    for place in panel.x.minor() {
        let u = panel.pixel([place, 0.0])[0];
        picture.line(vec![[u, bottom], [u, bottom + 3.0]], 0.7, &[], palette.axis);
    }
    picture.line(vec![[left, top], [left, bottom], [right, bottom]], 1.0, &[], palette.axis);
    let (middle, height) = (0.5 * (left + right), 0.5 * (top + bottom));
    picture.word([middle, bottom + 36.0], &panel.figure.x_label, Anchor::Middle, palette.ink);
    picture.marks.push(Mark::Word {
        at: [left - widest - 17.0, height],
        text: panel.figure.y_label.clone(),
        size: 12.0,
        bold: false,
        anchor: Anchor::Middle,
        upwards: true,
        colour: palette.ink,
    });
}

/// The pen of a label.
fn pen<'a>(panel: &'a Panel<'_>, label: &str) -> &'a Pen {
    let place = labels(panel.figure).iter().position(|l| *l == label);
    &panel.pens[place.unwrap_or(0)]
}

/// Filled polygons and spreads, behind everything else.
fn areas(picture: &mut Picture, panel: &Panel<'_>, palette: &Palette) {
    for area in &panel.figure.areas {
        let points: Vec<[f64; 2]> = area.points.iter().filter_map(|p| unclipped(panel, *p)).collect();
        let colour = palette.pale(pen(panel, &area.label).colour);
        picture.marks.push(Mark::Area { points, colour });
    }
    for Band { label, points } in &panel.figure.bands {
        let upper = points.iter().map(|p| [p[0], p[2]]);
        let lower = points.iter().rev().map(|p| [p[0], p[1]]);
        let points = upper.chain(lower).filter_map(|p| pixel(panel, p)).collect();
        picture.marks.push(Mark::Area { points, colour: palette.pale(pen(panel, label).colour) });
    }
}

/// Draws the curves; gives where each ends, if it has a point that is shown.
fn curves(picture: &mut Picture, panel: &Panel<'_>) -> Vec<Option<[f64; 2]>> {
    let curve = |(curve, pen): (&Series, &Pen)| {
        let mut end = None;
        for run in runs(&curve.points, panel) {
            end = run.last().copied();
            match run[..] {
                [centre] => picture.marks.push(Mark::Dot { centre, radius: 2.5, colour: pen.colour }),
                _ => picture.line(thinned(&run), pen.width, pen.dash, pen.colour),
            }
        }
        end
    };
    panel.figure.curves.iter().zip(&panel.pens).map(curve).collect()
}

/// Dots and rings.
fn points(picture: &mut Picture, panel: &Panel<'_>) {
    for dots in &panel.figure.dots {
        let colour = pen(panel, &dots.label).colour;
        let inside = dots.points.iter().filter_map(|p| pixel(panel, *p));
        // On a curve of their own they are wider than it.
        let radius = if panel.figure.curves.iter().any(|c| c.label == dots.label) { 3.2 } else { 2.0 };
        picture.marks.extend(inside.map(|centre| Mark::Dot { centre, radius, colour }));
    }
    for rings in &panel.figure.rings {
        let colour = pen(panel, &rings.label).colour;
        let mut last: Option<[f64; 2]> = None;
        for centre in rings.points.iter().filter_map(|p| pixel(panel, *p)) {
            // Rings that overlap are a band, in which no ring can be seen.
            if last.is_none_or(|l| (centre[0] - l[0]).hypot(centre[1] - l[1]) >= APART) {
                picture.marks.push(Mark::Ring { centre, radius: 4.0, colour });
                last = Some(centre);
            }
        }
    }
}

/// Where a point is on the page, if its axes show it.
fn pixel(panel: &Panel<'_>, at: [f64; 2]) -> Option<[f64; 2]> {
    let shown = |place: &f64| (-1e-9..=1.0 + 1e-9).contains(place);
    let (a, b) = (panel.x.place(at[0]).filter(shown)?, panel.y.place(at[1]).filter(shown)?);
    Some(panel.pixel([a, b]))
}

/// Where a point is on the page, moved to the border if it is outside.
fn unclipped(panel: &Panel<'_>, at: [f64; 2]) -> Option<[f64; 2]> {
    let (a, b) = (panel.x.place(at[0])?, panel.y.place(at[1])?);
    Some(panel.pixel([a.clamp(0.0, 1.0), b.clamp(0.0, 1.0)]))
}

/// Pixels of the points that can be shown, in runs without holes; a curve that leaves the axes is cut at their border.
fn runs(points: &[[f64; 2]], panel: &Panel<'_>) -> Vec<Vec<[f64; 2]>> {
    let place = |p: &[f64; 2]| Some([panel.x.place(p[0])?, panel.y.place(p[1])?]);
    let inside = |p: &[f64; 2]| p.iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x));
    let (mut out, mut before): (Vec<Vec<[f64; 2]>>, Option<[f64; 2]>) = (vec![Vec::new()], None);
    for now in points.iter().map(place) {
        if let (Some(a), Some(b)) = (before, now)
            && inside(&a) != inside(&b)
            && let Some(run) = out.last_mut()
        {
            run.push(panel.pixel(border(if inside(&a) { [a, b] } else { [b, a] })));
        }
        match (now.filter(inside), out.last_mut()) {
            (Some(now), Some(run)) => run.push(panel.pixel(now)),
            _ => out.push(Vec::new()),
        }
        before = now;
    }
    out.retain(|run| !run.is_empty());
    out
}

/// Where the way from a place inside to one outside meets the border.
fn border([from, to]: [[f64; 2]; 2]) -> [f64; 2] {
    let share = |i: usize| match to[i] - from[i] {
        d if to[i] > 1.0 => (1.0 - from[i]) / d,
        d if to[i] < 0.0 => -from[i] / d,
        _ => 1.0,
    };
    let along = share(0).min(share(1)).clamp(0.0, 1.0);
    [0, 1].map(|i| from[i] + along * (to[i] - from[i]))
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

/// A piece of what label `i` is drawn as.
fn swatch(picture: &mut Picture, panel: &Panel<'_>, i: usize, [u, v]: [f64; 2], size: f64) {
    let (figure, pen) = (panel.figure, &panel.pens[i]);
    let label = labels(figure)[i];
    let of = |series: &[Series]| series.iter().any(|s| s.label == label);
    let centre = [u + 0.5 * SWATCH - 4.0, v];
    if of(&figure.curves) {
        picture.line(vec![[u, v], [u + SWATCH - 8.0, v]], pen.width.min(2.6), pen.dash, pen.colour);
    } else if of(&figure.dots) {
        picture.marks.push(Mark::Dot { centre, radius: 2.5, colour: pen.colour });
    } else if of(&figure.rings) {
        picture.marks.push(Mark::Ring { centre, radius: 4.0, colour: pen.colour });
    } else {
        let half = 0.4 * size;
        let [a, b] = [u + 4.0, u + SWATCH - 12.0];
        let points = vec![[a, v - half], [b, v - half], [b, v + half], [a, v + half]];
        picture.marks.push(Mark::Area { points, colour: pen.colour });
    }
}

/// Names at the right, in order of the heights where their curves end, at least a line apart.
fn put_names(picture: &mut Picture, panel: &Panel<'_>, ends: &[Option<[f64; 2]>]) {
    let labels = labels(panel.figure);
    let [right, bottom] = panel.pixel([1.0, 0.0]);
    let floor = bottom + 4.0;
    // What is no curve has no end: it is named at the top, in its order.
    let height = |i: usize| match ends.get(i) {
        Some(end) => end.map_or(floor + 1.0, |[_, v]| v + 4.0),
        None => panel.top,
    };
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|a, b| height(*a).total_cmp(&height(*b)));
    let line = LINE.min((floor - panel.top) / labels.len().saturating_sub(1).max(1) as f64);
    let size = NAME.min(FILLED * line);
    let mut heights: Vec<f64> = Vec::new();
    for i in &order {
        let above = heights.last().map_or(f64::NEG_INFINITY, |h| h + line);
        heights.push(height(*i).max(above));
    }
    let mut below = floor + line;
    for h in heights.iter_mut().rev() {
        *h = h.min(below - line);
        below = *h;
    }
    for (i, h) in order.into_iter().zip(heights) {
        let u = right + 8.0;
        swatch(picture, panel, i, [u, h - 0.35 * size], size);
        let text = match ends.get(i) {
            Some(None) => format!("{} (no points)", labels[i]),
            _ => labels[i].to_owned(),
        };
        picture.sized([u + SWATCH, h], &text, size, Anchor::Start, panel.pens[i].colour);
    }
}
