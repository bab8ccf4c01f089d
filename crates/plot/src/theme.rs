//! Colours on light and on dark ground that eyes without red or green cones tell apart too, a row of colours for what is
//! ordered, and the dashes beside them.

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
    /// Ends and middle of the row of colours for curves that are ordered.
    ramp: [Colour; 4],
}

/// Colours that every eye can tell apart.
pub(super) const COLOURS: usize = 8;

/// Dashes of the first curve of a colour, the second, and so on [px of line, of gap, …].
pub(super) const DASHES: [&[u8]; 6] = [&[], &[7, 4], &[2, 3], &[9, 3, 2, 3], &[14, 4], &[4, 2]];

fn rgb(x: u32) -> Colour {
    [(x >> 16) as u8, (x >> 8) as u8, x as u8]
}

impl Theme {
    pub(super) fn palette(self) -> Palette {
        let palette =
            |[ground, ink, soft, grid, axis]: [u32; 5], curves: [u32; COLOURS], ramp: [u32; 4]| Palette {
                ground: rgb(ground),
                ink: rgb(ink),
                soft: rgb(soft),
                grid: rgb(grid),
                axis: rgb(axis),
                curves: curves.map(rgb),
                ramp: ramp.map(rgb),
            };
        match self {
            Self::Light => palette(
                [0xff_ff_ff, 0x22_22_22, 0x55_55_55, 0xe4_e4_e4, 0x88_88_88],
                [
                    0x00_72_b2, 0xc8_4e_00, 0x00_a8_7a, 0x9a_2f_78, 0xd0_92_00, 0x48_a9_e6, 0x70_70_70,
                    0x22_22_22,
                ],
                [0x2b_0b_4f, 0x2c_5a_8e, 0x1f_9a_86, 0xc4_b4_1a],
            ),
            Self::Dark => palette(
                [0x16_18_1c, 0xe8_e8_e8, 0xaa_aa_aa, 0x2c_30_36, 0x77_77_77],
                [
                    0x3d_96_e0, 0xf0_70_2c, 0x20_b8_90, 0xe0_8a_c8, 0xf2_c1_4e, 0xa5_dc_ff, 0x8a_8a_8a,
                    0xf0_f0_f0,
                ],
                [0x8a_6a_d8, 0x4a_90_d0, 0x3c_c4_a0, 0xf4_ea_60],
            ),
        }
    }
}

impl Palette {
    /// The colour of curve `k` of `n` that are ordered.
    pub(super) fn ordered(&self, k: usize, n: usize) -> Colour {
        let along = 3.0 * k as f64 / n.saturating_sub(1).max(1) as f64;
        let at = (along as usize).min(2);
        mixed(self.ramp[at], self.ramp[at + 1], along - at as f64)
    }

    /// A colour for areas under curves of colour `of`.
    pub(super) fn pale(&self, of: Colour) -> Colour {
        mixed(self.ground, of, 0.22)
    }
}

/// The share `b` of a colour in another [–].
fn mixed(from: Colour, to: Colour, share: f64) -> Colour {
    let of = |i: usize| ((1.0 - share) * f64::from(from[i]) + share * f64::from(to[i])).round() as u8;
    [of(0), of(1), of(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rows = [[f64; 3]; 3];
    const SEEN: Rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// The light that eyes without red, and without green cones see of linear red, green and blue (Machado, Oliveira and Fernandes 2009).
    const PROTANOPE: Rows =
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
    const DEUTERANOPE: Rows =
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];

    fn times(rows: &Rows, x: [f64; 3]) -> [f64; 3] {
        rows.map(|r| r[0] * x[0] + r[1] * x[1] + r[2] * x[2])
    }

    fn linear(c: Colour) -> [f64; 3] {
        c.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// CIE L*a*b* of linear red, green and blue under D65.
    fn lab(x: [f64; 3]) -> [f64; 3] {
        let rows = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let xyz = times(&rows, x.map(|x| x.clamp(0.0, 1.0)));
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z] = [f(xyz[0] / 0.9505), f(xyz[1]), f(xyz[2] / 1.089)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn luminance(c: Colour) -> f64 {
        let [r, g, b] = linear(c);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn every_eye_can_tell_the_colours_apart() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = theme.palette();
            for eye in [SEEN, PROTANOPE, DEUTERANOPE] {
                for (i, a) in palette.curves.iter().enumerate() {
                    for b in &palette.curves[..i] {
                        let [a, b] = [a, b].map(|c| lab(times(&eye, linear(*c))));
                        let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > 9.0, "{theme:?}, {eye:?}, colour {i}: {apart}");
                    }
                }
            }
            let ground = luminance(palette.ground);
            for c in palette.curves {
                let [low, high] =
                    if luminance(c) < ground { [luminance(c), ground] } else { [ground, luminance(c)] };
                assert!((high + 0.05) / (low + 0.05) > 2.5, "{theme:?}: {c:?} is too near to the ground");
            }
        }
    }
}
