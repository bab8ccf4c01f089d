//! Where the parts of a sheet stand: panels in rows, each with room for the words around it.

use super::figure::Figure;
use super::pens::{Pen, labels, pens};
use super::scale::Scale;
use super::sheet::Sheet;
use super::text::length;
use super::theme::Palette;

/// Width of a sheet of one, of two, and of more columns [px].
const WIDTHS: [f64; 3] = [760.0, 1000.0, 1240.0];
/// Height of the plot itself, likewise [px].
const HEIGHTS: [f64; 3] = [300.0, 220.0, 190.0];
/// Least and greatest height of a plot whose axes have one scale [px].
const EQUAL: [f64; 2] = [120.0, 520.0];
/// Above a plot, with and without a title of its own; below a plot [px].
const ABOVE: [f64; 2] = [28.0, 10.0];
const BELOW: f64 = 52.0;
/// Line of the title of the sheet [px].
const TITLE: f64 = 24.0;
/// Size of names and of numbers [px].
pub(super) const NAME: f64 = 12.0;
/// Length of the line before a name, with the space around it [px].
pub(super) const SWATCH: f64 = 30.0;
/// Widest names beside a plot [px].
const MOST_NAMES: f64 = 250.0;
/// Size of the caption, and distance of its lines [px].
pub(super) const CAPTION: [f64; 2] = [11.5, 15.0];

/// One plot and the rectangle of its axes [px].
pub(super) struct Panel<'a> {
    pub(super) figure: &'a Figure,
    pub(super) x: Scale,
    pub(super) y: Scale,
    pub(super) pens: Vec<Pen>,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Panel<'_> {
    pub(super) fn pixel(&self, [a, b]: [f64; 2]) -> [f64; 2] {
        [self.left + a * self.width, self.top + (1.0 - b) * self.height]
    }

    /// Marks of the horizontal axis: so many that their numbers do not touch.
    pub(super) fn x_marks(&self) -> Vec<(f64, String)> {
        let marks = self.x.marks((self.width / 60.0).max(2.0));
        let widest = marks.iter().map(|m| length(&m.1, NAME)).fold(1.0, f64::max) + 8.0;
        let room = (self.width / widest).max(1.0) as usize;
        let every = marks.len().div_ceil(room).max(1);
        marks.into_iter().step_by(every).collect()
    }

    pub(super) fn y_marks(&self) -> Vec<(f64, String)> {
        self.y.marks((self.height / 32.0).max(2.0))
    }
}

/// Everything with its place.
pub(super) struct Layout<'a> {
    pub(super) size: [f64; 2],
    pub(super) panels: Vec<Panel<'a>>,
    /// Names once for all panels: place of the swatch, label and its index among the pens; none where panels have their own.
    pub(super) legend: Vec<([f64; 2], &'a str, usize)>,
    /// First line of the caption [px].
    pub(super) caption: f64,
}

pub(super) fn layout<'a>(sheet: &'a Sheet, palette: &Palette) -> Layout<'a> {
    let kind = sheet.columns.clamp(1, 3) - 1;
    let width = WIDTHS[kind];
    let mut panels: Vec<Panel<'_>> = sheet.panels.iter().map(|f| panel(f, palette)).collect();
    if sheet.same_axes
        && let Some((x, y)) = panels.iter().map(|p| (p.x, p.y)).reduce(|a, b| (a.0.and(&b.0), a.1.and(&b.1)))
    {
        panels.iter_mut().for_each(|p| (p.x, p.y) = (x, y));
    }
    let shared = panels.len() > 1 && panels.windows(2).all(|two| alike(&two[0], &two[1]));
    let mut top = if sheet.title.is_empty() { 8.0 } else { TITLE + 10.0 };
    let legend = if shared { common(&panels[0], width, &mut top) } else { Vec::new() };
    let cell = width / sheet.columns as f64;
    for panels in panels.chunks_mut(sheet.columns) {
        let above = ABOVE[usize::from(panels.iter().all(|p| p.figure.title.is_empty()))];
        for (column, panel) in panels.iter_mut().enumerate() {
            place(panel, [cell * column as f64, top + above], cell, HEIGHTS[kind], shared);
        }
        let highest = panels.iter().map(|p| p.height).fold(0.0, f64::max);
        top += above + highest + BELOW;
    }
    let caption = top + CAPTION[1] - 4.0;
    let lines = super::text::lines(&sheet.caption, CAPTION[0], width - 40.0).len() as f64;
    let below = if lines > 0.0 { CAPTION[1] * lines + 10.0 } else { 0.0 };
    Layout { size: [width, (top + below).ceil()], panels, legend, caption }
}

/// A panel without a place.
fn panel<'a>(figure: &'a Figure, palette: &Palette) -> Panel<'a> {
    let axis = |i: usize, log: bool, margin: f64, range: Option<[f64; 2]>| match range {
        Some(ends) => Scale::between(ends, log),
        None => Scale::around(figure.points().map(|p| p[i]), log, margin),
    };
    let margin = if figure.equal { 0.05 } else { 0.0 };
    let (x, y) = (axis(0, figure.log_x, margin, figure.x_range), axis(1, figure.log_y, 0.05, figure.y_range));
    Panel { figure, x, y, pens: pens(figure, palette), left: 0.0, top: 0.0, width: 0.0, height: 0.0 }
}

/// Whether two panels have the same names with the same pens.
fn alike(a: &Panel<'_>, b: &Panel<'_>) -> bool {
    labels(a.figure) == labels(b.figure) && a.pens == b.pens
}

/// Names in lines below the title, which move `top` down.
fn common<'a>(panel: &Panel<'a>, width: f64, top: &mut f64) -> Vec<([f64; 2], &'a str, usize)> {
    let (mut u, mut v) = (24.0, *top + 10.0);
    let mut out = Vec::new();
    for (i, label) in labels(panel.figure).into_iter().enumerate() {
        let long = SWATCH + length(label, NAME) + 18.0;
        if u + long > width - 10.0 && u > 24.0 {
            (u, v) = (24.0, v + 17.0);
        }
        out.push(([u, v], label, i));
        u += long;
    }
    *top = v + 8.0;
    out
}

/// Gives a panel its rectangle in the cell that begins at `corner`, of the width `cell`.
fn place(panel: &mut Panel<'_>, corner: [f64; 2], cell: f64, height: f64, shared: bool) {
    panel.height = height;
    let numbers = panel.y_marks().iter().map(|m| length(&m.1, NAME)).fold(0.0, f64::max);
    let left = numbers + 14.0 + if panel.figure.y_label.is_empty() { 0.0 } else { 24.0 };
    let names = labels(panel.figure).into_iter().map(|l| length(l, NAME)).fold(0.0, f64::max);
    let right = if shared { 20.0 } else { names.min(MOST_NAMES) + SWATCH + 20.0 };
    panel.left = corner[0] + left;
    panel.top = corner[1];
    panel.width = (cell - left - right).max(80.0);
    if panel.figure.equal {
        let [x, y] = [panel.x.span(), panel.y.span()];
        let scale = (panel.width / x).min(EQUAL[1] / y);
        panel.height = (scale * y).clamp(EQUAL[0], EQUAL[1]);
        panel.x = panel.x.spanning(panel.width / scale);
        panel.y = panel.y.spanning(panel.height / scale);
    }
}
