//! A picture as SVG 1.1: colours and sizes stand at every mark, without style sheets, so that browsers, Inkscape,
//! rsvg-convert, CairoSVG and LaTeX show the same.

use super::picture::{Anchor, Colour, Mark, Picture};
use super::text::{Level, pieces};
use std::fmt::Write;

/// Fonts that nearly every machine has one of.
const FONTS: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// The text of the file.
pub(super) fn svg(picture: &Picture) -> String {
    let [width, height] = picture.size;
    // Writing to a String cannot fail.
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"{FONTS}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        hex(picture.ground)
    );
    picture.marks.iter().for_each(|mark| put(&mut out, mark));
    out += "</svg>\n";
    out
}

fn put(out: &mut String, mark: &Mark) {
    let _ = match mark {
        Mark::Line { points, width, dash, colour } => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
            let dash: Vec<String> = dash.iter().map(u8::to_string).collect();
            let dash = if dash.is_empty() {
                String::new()
            } else {
                format!(" stroke-dasharray=\"{}\"", dash.join(" "))
            };
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash} stroke-linejoin=\"round\" \
                 stroke-linecap=\"butt\"/>",
                points.join(" "),
                hex(*colour)
            )
        }
        Mark::Area { points, colour } => {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
            writeln!(out, "<polygon points=\"{}\" fill=\"{}\"/>", points.join(" "), hex(*colour))
        }
        Mark::Dot { centre: [x, y], radius, colour } => {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>", hex(*colour))
        }
        Mark::Ring { centre: [x, y], radius, colour } => writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\"/>",
            hex(*colour)
        ),
        Mark::Word { at: [x, y], text, size, bold, anchor, upwards, colour } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let place = match upwards {
                true => format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
                false => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
            };
            let weight = if *bold { " font-weight=\"bold\"" } else { "" };
            writeln!(
                out,
                "<text {place} font-size=\"{size}\"{weight} text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
                hex(*colour),
                set(text, *size)
            )
        }
    };
}

/// The text with indices as spans of their own.
fn set(text: &str, size: f64) -> String {
    let (mut out, mut height) = (String::new(), 0.0);
    for piece in pieces(text) {
        let letters = escaped(&piece.text);
        let above = size * piece.level.rise();
        if piece.level == Level::Line && height == 0.0 {
            out += &letters;
        } else {
            let (down, small) = (height - above, size * piece.level.size());
            let _ = write!(out, "<tspan dy=\"{down:.1}\" font-size=\"{small:.1}\">{letters}</tspan>");
        }
        height = above;
    }
    out
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// `text` as it stands in markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
