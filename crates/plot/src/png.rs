//! A picture as PNG, two dots a pixel of the page so that it is sharp on paper, with letters of its own: no font of the
//! machine is asked for.
//!
//! Letters are the outlines of Ubuntu Light, and of Hack where it has none; bold ones are drawn round with a pen. What
//! neither has becomes `?`.

use super::picture::{Anchor, Colour, Mark, Picture};
use super::text::pieces;
use epaint_default_fonts::{HACK_REGULAR, UBUNTU_LIGHT};
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// Dots per pixel of the page.
const SCALE: f32 = 2.0;
/// Pen of plain and of bold letters, over their size [–]: the font is a light one.
const PENS: [f32; 2] = [0.02, 0.04];

/// The bytes of the file; none where the page has no dots or a font cannot be read, which is no page of ours.
pub(super) fn png(picture: &Picture) -> Vec<u8> {
    drawn(picture).and_then(|page| page.encode_png().ok()).unwrap_or_default()
}

fn drawn(picture: &Picture) -> Option<Pixmap> {
    let [width, height] = picture.size.map(|x| (x as f32 * SCALE) as u32);
    let mut page = Pixmap::new(width, height)?;
    page.fill(colour(picture.ground));
    let fonts = [Face::parse(UBUNTU_LIGHT, 0).ok()?, Face::parse(HACK_REGULAR, 0).ok()?];
    picture.marks.iter().for_each(|mark| put(&mut page, &fonts, mark));
    Some(page)
}

fn colour([r, g, b]: Colour) -> Color {
    Color::from_rgba8(r, g, b, 255)
}

fn paint(of: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(of));
    paint
}

fn put(page: &mut Pixmap, fonts: &[Face<'_>; 2], mark: &Mark) {
    let at = Transform::from_scale(SCALE, SCALE);
    match mark {
        Mark::Line { points, width, dash, colour } => {
            let mut path = PathBuilder::new();
            for (i, [x, y]) in points.iter().map(|p| p.map(|x| x as f32)).enumerate() {
                if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            let dash = StrokeDash::new(dash.iter().map(|d| f32::from(*d)).collect(), 0.0);
            let stroke =
                Stroke { width: *width as f32, dash, line_join: LineJoin::Round, ..Stroke::default() };
            if let Some(path) = path.finish() {
                page.stroke_path(&path, &paint(*colour), &stroke, at, None);
            }
        }
        Mark::Area { points, colour } => {
            let mut path = PathBuilder::new();
            for (i, [x, y]) in points.iter().map(|p| p.map(|x| x as f32)).enumerate() {
                if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            path.close();
            if let Some(path) = path.finish() {
                page.fill_path(&path, &paint(*colour), FillRule::Winding, at, None);
            }
        }
        Mark::Dot { centre, radius, colour } => {
            if let Some(path) = circle(*centre, *radius) {
                page.fill_path(&path, &paint(*colour), FillRule::Winding, at, None);
            }
        }
        Mark::Ring { centre, radius, colour } => {
            if let Some(path) = circle(*centre, *radius) {
                page.stroke_path(&path, &paint(*colour), &pen(1.3), at, None);
            }
        }
        Mark::Word { at: [x, y], text, size, bold, anchor, upwards, colour } => {
            let (size, paint) = (*size as f32, paint(*colour));
            let (path, length) = word(fonts, text, size);
            let along = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -0.5 * length,
                Anchor::End => -length,
            };
            let turn = if *upwards { -90.0 } else { 0.0 };
            let place = at.pre_translate(*x as f32, *y as f32).pre_rotate(turn).pre_translate(along, 0.0);
            if let Some(path) = path {
                page.fill_path(&path, &paint, FillRule::Winding, place, None);
                page.stroke_path(&path, &paint, &pen(size * PENS[usize::from(*bold)]), place, None);
            }
        }
    }
}

fn pen(width: f32) -> Stroke {
    Stroke { width, ..Stroke::default() }
}

fn circle([x, y]: [f64; 2], radius: f64) -> Option<Path> {
    PathBuilder::from_circle(x as f32, y as f32, radius as f32)
}

/// The outline of a text that begins at the origin, and its length [px].
fn word(fonts: &[Face<'_>; 2], text: &str, size: f32) -> (Option<Path>, f32) {
    let mut pen = Outline { path: PathBuilder::new(), x: 0.0, rise: 0.0, scale: 1.0 };
    for piece in pieces(text) {
        pen.rise = size * piece.level.rise() as f32;
        for letter in piece.text.chars() {
            let with = |c: char| fonts.iter().find_map(|f| Some((f, f.glyph_index(c)?)));
            let Some((font, glyph)) = with(letter).or_else(|| with('?')) else { continue };
            pen.scale = size * piece.level.size() as f32 / f32::from(font.units_per_em());
            font.outline_glyph(glyph, &mut pen);
            pen.x += pen.scale * f32::from(font.glyph_hor_advance(glyph).unwrap_or(0));
        }
    }
    (pen.path.finish(), pen.x)
}

/// Writes letters one behind the other; y of fonts goes upwards.
struct Outline {
    path: PathBuilder,
    x: f32,
    /// Height of the letters above the line [px].
    rise: f32,
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, -self.scale * y - self.rise)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Colour = [0, 0, 0];

    fn page(marks: Vec<Mark>) -> Pixmap {
        drawn(&Picture { size: [760.0, 400.0], ground: [255, 255, 255], marks }).unwrap()
    }

    /// Dots that are not of the ground, in the rectangle of the page from `low` to `high`.
    fn inked(page: &Pixmap, low: [u32; 2], high: [u32; 2]) -> usize {
        let dots = (low[1]..high[1]).flat_map(|y| (low[0]..high[0]).map(move |x| (x, y)));
        dots.filter(|(x, y)| page.pixel(*x, *y).is_some_and(|p| p.red() < 128)).count()
    }

    #[test]
    fn lines_and_words_are_where_they_are_said() {
        let line =
            Mark::Line { points: vec![[10.0, 10.0], [20.0, 10.0]], width: 2.0, dash: &[], colour: BLACK };
        assert_eq!(inked(&page(vec![line]), [0, 0], [1520, 800]), 20 * 4, "ten pixels, two thick, in dots");
        let word = |anchor, upwards| Mark::Word {
            at: [300.0, 200.0],
            text: "λ₁ ≤ µ‖c‖ [N·s]".to_owned(),
            size: 12.0,
            bold: false,
            anchor,
            upwards,
            colour: BLACK,
        };
        let (start, end) = (page(vec![word(Anchor::Start, false)]), page(vec![word(Anchor::End, false)]));
        assert!(inked(&start, [600, 370], [800, 408]) > 300 && inked(&start, [0, 0], [599, 800]) == 0);
        assert!(inked(&end, [400, 370], [602, 408]) > 300 && inked(&end, [603, 0], [1520, 800]) == 0);
        let upwards = page(vec![word(Anchor::Start, true)]);
        assert!(inked(&upwards, [570, 200], [608, 401]) > 300 && inked(&upwards, [0, 402], [1520, 800]) == 0);
    }

    #[test]
    fn the_file_is_a_png_of_its_size() {
        let bytes = png(&Picture { size: [760.0, 400.0], ground: [255, 255, 255], marks: Vec::new() });
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        let [w, h] = [16, 20].map(|i| u32::from_be_bytes(bytes[i..i + 4].try_into().unwrap()));
        assert_eq!([w, h], [1520, 800]);
    }

    /// Every letter that figures are named with has an outline.
    #[test]
    fn the_fonts_have_the_letters_of_figures() {
        let fonts = [UBUNTU_LIGHT, HACK_REGULAR].map(|f| Face::parse(f, 0).unwrap());
        for c in "αβγδεζηθλμνξπρστφχψωΓΔΣΩ−≤≥→∞√–—‖₀₁²³⁰⁴⁻µ°·×|±".chars()
        {
            assert!(fonts.iter().any(|f| f.glyph_index(c).is_some()), "{c}");
        }
    }
}
