//! Colours on light and on dark ground: those of Okabe and Ito, lightened on dark ground, and the dashes beside them.

use super::picture::Colour;

/// Ground of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// The colours of one ground.
pub(super) struct Palette {
    pub(super) ground: Colour,
    /// Titles and axis labels.
    pub(super) ink: Colour,
    /// Numbers.
    pub(super) soft: Colour,
    pub(super) grid: Colour,
    pub(super) axis: Colour,
    pub(super) curves: [Colour; COLOURS],
}

/// Colours that every eye can tell apart.
pub(super) const COLOURS: usize = 7;

/// Of the first curve of a colour, the second, and so on [px of line, of gap, …].
pub(super) const DASHES: [&[u8]; 6] = [&[], &[7, 4], &[2, 3], &[9, 3, 2, 3], &[14, 4], &[4, 2]];

impl Theme {
    pub(super) fn palette(self) -> Palette {
        let rgb = |x: u32| [(x >> 16) as u8, (x >> 8) as u8, x as u8];
        let palette = |[ground, ink, soft, grid, axis]: [u32; 5], curves: [u32; COLOURS]| Palette {
            ground: rgb(ground),
            ink: rgb(ink),
            soft: rgb(soft),
            grid: rgb(grid),
            axis: rgb(axis),
            curves: curves.map(rgb),
        };
        match self {
            Self::Light => palette(
                [0xff_ff_ff, 0x22_22_22, 0x55_55_55, 0xe4_e4_e4, 0x88_88_88],
                [0x00_72_b2, 0xd5_5e_00, 0x00_9e_73, 0xb5_58_8f, 0xc9_85_00, 0x3a_9b_d6, 0x6b_6b_6b],
            ),
            Self::Dark => palette(
                [0x16_18_1c, 0xe8_e8_e8, 0xaa_aa_aa, 0x2c_30_36, 0x77_77_77],
                [0x4d_a6_e8, 0xff_8a_47, 0x35_c9_9a, 0xe7_9c_c6, 0xf0_b8_40, 0x9a_d4_f5, 0xb4_b4_b4],
            ),
        }
    }
}

impl Palette {
    /// The colour of curve `k` of those of one colour: as it is, then nearer to the ground once the dashes are used up.
    pub(super) fn shade(&self, colour: usize, k: usize) -> Colour {
        let c = self.curves[colour % COLOURS];
        if k < DASHES.len() {
            return c;
        }
        let mixed = |i: usize| (0.55 * f64::from(c[i]) + 0.45 * f64::from(self.ground[i])).round() as u8;
        [mixed(0), mixed(1), mixed(2)]
    }
}
