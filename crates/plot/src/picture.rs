//! What a figure is drawn with: lines, areas, circles and words on a page, before any file format.

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
    Line {
        points: Vec<[f64; 2]>,
        width: f64,
        dash: &'static [u8],
        colour: Colour,
    },
    /// A polygon, filled.
    Area {
        points: Vec<[f64; 2]>,
        colour: Colour,
    },
    Dot {
        centre: [f64; 2],
        radius: f64,
        colour: Colour,
    },
    Ring {
        centre: [f64; 2],
        radius: f64,
        colour: Colour,
    },
    Word {
        at: [f64; 2],
        text: String,
        size: f64,
        bold: bool,
        anchor: Anchor,
        upwards: bool,
        colour: Colour,
    },
}

/// A page of marks, the later ones over the earlier.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    /// Width and height [px].
    pub(super) size: [f64; 2],
    pub(super) ground: Colour,
    pub(super) marks: Vec<Mark>,
}

impl Picture {
    pub(super) fn line(&mut self, points: Vec<[f64; 2]>, width: f64, dash: &'static [u8], colour: Colour) {
        self.marks.push(Mark::Line { points, width, dash, colour });
    }

    /// A word of 12 px.
    pub(super) fn word(&mut self, at: [f64; 2], text: &str, anchor: Anchor, colour: Colour) {
        self.sized(at, text, 12.0, anchor, colour);
    }

    /// A word of any size [px].
    pub(super) fn sized(&mut self, at: [f64; 2], text: &str, size: f64, anchor: Anchor, colour: Colour) {
        let text = text.to_owned();
        self.marks.push(Mark::Word { at, text, size, bold: false, anchor, upwards: false, colour });
    }

    /// A title.
    pub(super) fn title(&mut self, at: [f64; 2], text: &str, size: f64, colour: Colour) {
        let text = text.to_owned();
        let (bold, anchor, upwards) = (true, Anchor::Start, false);
        self.marks.push(Mark::Word { at, text, size, bold, anchor, upwards, colour });
    }
}
