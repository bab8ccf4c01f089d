//! From a figure to a picture.
//!
//! Up to seven curves have a colour each, drawn from wide to narrow, so that one lying on another leaves both visible. More
//! are drawn by groups, as solvers by their law: a colour for every group, a dash for every curve in it, and one curve that
//! stands out. Names stand at the right, moved apart where they would touch, with a thin line, dashed alike, to where a curve ends. Curves
//! without a point that can be shown are named below the others.

use super::Figure;
use super::picture::{Anchor, Colour, Mark, PAGE, Picture};
use super::scale::Scale;
use super::theme::{COLOURS, DASHES, Palette, Theme};

const WIDTH: f64 = PAGE[0];
const HEIGHT: f64 = PAGE[1];
const LEFT: f64 = 78.0;
const RIGHT: f64 = 192.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 52.0;
/// Distance between the names of two curves where there is room [px].
const LINE: f64 = 15.0;
/// Height of a name, over the distance to the next [–].
const FILLED: f64 = 0.95;
/// Groups of points along x, of each of which the first, the extremes and the last are drawn.
const GROUPS: usize = 700;
/// Mean width of a letter over its size [–].
const LETTER: f64 = 0.62;

/// How a curve is drawn.
struct Pen {
    colour: Colour,
    width: f64,
    dash: &'static [u8],
}

/// A name, and where its curve ends if it is to be seen.
struct Name<'a> {
    label: &'a str,
    colour: Colour,
    dash: &'static [u8],
    end: Option<[f64; 2]>,
}

pub(super) fn draw(figure: &Figure, theme: Theme) -> Picture {
    let palette = theme.palette();
    let points = || figure.curves.iter().chain(&figure.rings).flat_map(|c| c.points.iter());
    let x = Scale::around(points().map(|p| p[0]), figure.log_x, 0.0);
    let y = Scale::around(points().map(|p| p[1]), figure.log_y, 0.05);
    let mut picture = Picture { ground: palette.ground, marks: Vec::new() };
    picture.name([LEFT, 24.0], &figure.title, 15.0, palette.ink);
    axes(&mut picture, figure, [&x, &y], &palette);
    let pens = pens(figure, &palette);
    group_names(&mut picture, figure, &palette);
    let names = curves(&mut picture, figure, [&x, &y], &pens);
    rings(&mut picture, figure, [&x, &y], &pens, &palette);
    put_names(&mut picture, names);
    picture
}

fn pixel_x(place: f64) -> f64 {
    LEFT + place * (WIDTH - LEFT - RIGHT)
}

fn pixel_y(place: f64) -> f64 {
    HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM)
}

fn axes(picture: &mut Picture, figure: &Figure, [x, y]: [&Scale; 2], palette: &Palette) {
    let (left, right, bottom) = (pixel_x(0.0), pixel_x(1.0), pixel_y(0.0));
    for (place, text) in y.marks() {
        let v = pixel_y(place);
        picture.line(vec![[left, v], [right, v]], 1.0, &[], palette.grid);
        picture.word([left - 7.0, v + 4.0], &text, Anchor::End, palette.soft);
    }
    for (place, text) in x.marks() {
        let u = pixel_x(place);
        picture.line(vec![[u, bottom], [u, bottom + 4.0]], 1.0, &[], palette.axis);
        picture.word([u, bottom + 18.0], &text, Anchor::Middle, palette.soft);
    }
    picture.line(vec![[left, bottom], [right, bottom]], 1.0, &[], palette.axis);
    let (middle, height) = (0.5 * (left + right), 0.5 * (TOP + bottom));
    picture.word([middle, HEIGHT - 12.0], &figure.x_label, Anchor::Middle, palette.ink);
    picture.marks.push(Mark::Word {
        at: [18.0, height],
        text: figure.y_label.clone(),
        size: 12.0,
        bold: false,
        anchor: Anchor::Middle,
        upwards: true,
        colour: palette.ink,
    });
}

/// Names of the groups, each once, in the order they come; none where all are of one group, which tells nothing apart.
fn groups(figure: &Figure) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for group in figure.groups.iter().flatten() {
        if !out.contains(&group.as_str()) {
            out.push(group);
        }
    }
    if out.len() > 1 { out } else { Vec::new() }
}

/// One pen per curve.
fn pens(figure: &Figure, palette: &Palette) -> Vec<Pen> {
    let (n, groups) = (figure.curves.len(), groups(figure));
    let mut used = vec![0; if groups.is_empty() { n.clamp(1, COLOURS) } else { groups.len() }];
    (figure.curves.iter().enumerate())
        .map(|(i, curve)| {
            let own = figure.groups.as_ref().map(|of| &*of[i]);
            let place = own.and_then(|own| groups.iter().position(|g| *g == own));
            let colour = place.unwrap_or(i % used.len());
            let k = used[colour];
            used[colour] += 1;
            let stands_out = figure.highlight.as_ref().is_some_and(|h| *h == curve.label);
            let width = match () {
                () if stands_out => 3.2,
                () if n > COLOURS => 1.4,
                () => 1.5 + 0.8 * (n - 1 - i).min(3) as f64,
            };
            Pen { colour: palette.shade(colour, k), width, dash: DASHES[k % DASHES.len()] }
        })
        .collect()
}

/// Below the title, each group in its colour.
fn group_names(picture: &mut Picture, figure: &Figure, palette: &Palette) {
    let mut u = LEFT;
    for (i, group) in groups(figure).into_iter().enumerate() {
        picture.name([u, 40.0], group, 11.0, palette.shade(i, 0));
        u += 11.0 * LETTER * group.chars().count() as f64 + 14.0;
    }
}

fn curves<'a>(picture: &mut Picture, figure: &'a Figure, [x, y]: [&Scale; 2], pens: &[Pen]) -> Vec<Name<'a>> {
    let mut names = Vec::new();
    for (curve, pen) in figure.curves.iter().zip(pens) {
        let mut end = None;
        for run in runs(&curve.points, x, y) {
            end = run.last().copied();
            match run[..] {
                [centre] => picture.marks.push(Mark::Dot { centre, radius: 2.5, colour: pen.colour }),
                _ => picture.line(thinned(&run), pen.width, pen.dash, pen.colour),
            }
        }
        names.push(Name { label: &curve.label, colour: pen.colour, dash: pen.dash, end });
    }
    names
}

fn rings(picture: &mut Picture, figure: &Figure, [x, y]: [&Scale; 2], pens: &[Pen], palette: &Palette) {
    for (i, ring) in figure.rings.iter().enumerate() {
        let curve = figure.curves.iter().position(|c| c.label == ring.label);
        let colour = curve.map_or(palette.shade(i, 0), |c| pens[c].colour);
        for centre in runs(&ring.points, x, y).into_iter().flatten() {
            picture.marks.push(Mark::Ring { centre, radius: 4.0, colour });
        }
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

/// Writes names at the right, in order of the heights where their curves end, at least a line apart.
fn put_names(picture: &mut Picture, mut names: Vec<Name<'_>>) {
    let floor = HEIGHT - BOTTOM + 4.0;
    let height = |n: &Name<'_>| n.end.map_or(floor + 1.0, |[_, v]| v + 4.0);
    names.sort_by(|a, b| height(a).total_cmp(&height(b)));
    let line = LINE.min((floor - TOP) / names.len().saturating_sub(1).max(1) as f64);
    let size = 12_f64.min(FILLED * line);
    let mut heights: Vec<f64> = Vec::new();
    for name in &names {
        let above = heights.last().map_or(f64::NEG_INFINITY, |h| h + line);
        heights.push(height(name).max(above));
    }
    let mut below = floor + line;
    for h in heights.iter_mut().rev() {
        *h = h.min(below - line);
        below = *h;
    }
    for (name, h) in names.iter().zip(heights) {
        let u = pixel_x(1.0) + 20.0;
        let text = match name.end {
            Some([from, v]) => {
                picture.line(vec![[from + 2.0, v], [u - 3.0, h - 0.35 * size]], 0.8, name.dash, name.colour);
                name.label.to_owned()
            }
            None => format!("{} (no points)", name.label),
        };
        picture.name([u, h], &text, size, name.colour);
    }
}
