//! What a figure is drawn with: lines, circles and words on a page, before any file format.

/// Width and height of a page [px].
pub(super) const PAGE: [f64; 2] = [760.0, 400.0];

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// Where a word stands beside its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing on the page; x to the right, y downwards [px].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Line { points: Vec<[f64; 2]>, width: f64, dash: &'static [u8], colour: Colour },
    Dot { centre: [f64; 2], radius: f64, colour: Colour },
    Ring { centre: [f64; 2], radius: f64, colour: Colour },
    Word { at: [f64; 2], text: String, size: f64, bold: bool, anchor: Anchor, upwards: bool, colour: Colour },
}

/// A page of marks, the later ones over the earlier.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) ground: Colour,
    pub(super) marks: Vec<Mark>,
}

impl Picture {
    pub(super) fn line(&mut self, points: Vec<[f64; 2]>, width: f64, dash: &'static [u8], colour: Colour) {
        self.marks.push(Mark::Line { points, width, dash, colour });
    }

    /// A word of the usual size.
    pub(super) fn word(&mut self, at: [f64; 2], text: &str, anchor: Anchor, colour: Colour) {
        let text = text.to_owned();
        self.marks.push(Mark::Word { at, text, size: 12.0, bold: false, anchor, upwards: false, colour });
    }

    /// A word of the colour it explains.
    pub(super) fn name(&mut self, at: [f64; 2], text: &str, size: f64, colour: Colour) {
        let text = text.to_owned();
        self.marks.push(Mark::Word {
            at,
            text,
            size,
            bold: true,
            anchor: Anchor::Start,
            upwards: false,
            colour,
        });
    }
}
