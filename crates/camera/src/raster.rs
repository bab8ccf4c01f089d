//! The nearest surface at every pixel.
//!
//! On a pinhole's screen 1/z of a flat triangle is a linear function of the pixel, and so is the light on it, nearly:
//!
//! ```text
//!     1/z = a + b x + c y                                                              (1)
//! ```
//!
//! A triangle is drawn row by row; the ends of a row are where its edges cross the row through pixel centres. What is
//! kept is the largest 1/z (zero is the sky) and a mark: the number of the surface and its light. Rows are told and drawn
//! in blocks of eight pixels, which the compiler makes one instruction where the processor has it; what lies beyond the
//! end of a row is compared and kept as it was.

/// Corners on the screen, one list a quantity: pixels, 1/z [1/m], light.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corners {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) inverse: Vec<f32>,
    pub(crate) light: Vec<f32>,
}

/// A corner on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) inverse: f32,
    pub(crate) light: f32,
}

impl Corners {
    #[inline(always)]
    pub(crate) fn at(&self, i: u32) -> Corner {
        let i = i as usize;
        Corner { x: self.x[i], y: self.y[i], inverse: self.inverse[i], light: self.light[i] }
    }
}

/// Pixels of a row drawn at once.
const BLOCK: usize = 8;

/// Light of a mark: its lowest bits, in steps of 1/2048 below two.
const LIGHT_BITS: u32 = 12;
/// Added to a light this leaves those bits lowest.
const LIGHT_ROUND: f32 = 4096.0;

/// Surfaces that can be told apart.
pub(crate) const MOST_SURFACES: usize = 1 << (32 - LIGHT_BITS);

/// See the module. Rows from the top, with some unseen pixels behind each.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    pub(crate) width: usize,
    pub(crate) height: usize,
    stride: usize,
    inverse: Vec<f32>,
    marks: Vec<u32>,
    /// Of every row, where anything was drawn: first pixel, and one past the last.
    drawn: Vec<(u32, u32)>,
    /// 1 where the ground lies in shadow.
    shade: Vec<u8>,
    /// Whether a row has shadow.
    shaded: Vec<bool>,
}

/// What is kept at a pixel that shows a surface.
pub(crate) struct Kept {
    pub(crate) x: usize,
    pub(crate) inverse: f32,
    pub(crate) light: f32,
    pub(crate) surface: usize,
}

impl Screen {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let stride = width + BLOCK;
        let n = stride * height;
        Self {
            width,
            height,
            stride,
            inverse: vec![0.0; n],
            marks: vec![0; n],
            drawn: vec![NOTHING; height],
            shade: vec![0; n],
            shaded: vec![false; height],
        }
    }

    /// Only what was drawn is wiped.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        for y in 0..self.height {
            let (first, last) = self.drawn[y];
            if first < last {
                self.inverse[y * self.stride + first as usize..y * self.stride + last as usize].fill(0.0);
                self.drawn[y] = NOTHING;
            }
            if self.shaded[y] {
                self.shade[y * self.stride..y * self.stride + self.width].fill(0);
                self.shaded[y] = false;
            }
        }
    }

    /// Draws a triangle, whichever way it is turned.
    #[inline(always)]
    pub(crate) fn draw(&mut self, corners: &[Corner; 3], surface: u32) {
        let Some(rows) = Rows::of(corners, self.width, self.height) else { return };
        let inverse = rows.plane(corners, [corners[0].inverse, corners[1].inverse, corners[2].inverse]); // (1)
        let light = rows.plane(corners, [corners[0].light, corners[1].light, corners[2].light]);
        let name = surface << LIGHT_BITS;
        let (di, dl) = (inverse.ramp(), light.ramp());
        for y in rows.top..rows.bottom {
            let (first, last) = rows.ends(y);
            if first >= last {
                continue;
            }
            let (mut i, mut l) = (inverse.at(first, y), light.at(first, y) + LIGHT_ROUND);
            let row = y * self.stride;
            for x in (first..last).step_by(BLOCK) {
                let kept: &mut [f32; BLOCK] = block(&mut self.inverse, row + x);
                let marks: &mut [u32; BLOCK] = block(&mut self.marks, row + x);
                let left = (last - x) as i32;
                for k in 0..BLOCK {
                    let here = i + di[k];
                    let mark = name | (l + dl[k]).to_bits() & ((1 << LIGHT_BITS) - 1);
                    let nearer = (here > kept[k]) & ((k as i32) < left);
                    kept[k] = if nearer { here } else { kept[k] };
                    marks[k] = if nearer { mark } else { marks[k] };
                }
                i += inverse.dx * BLOCK as f32;
                l += light.dx * BLOCK as f32;
            }
            let (low, high) = self.drawn[y];
            self.drawn[y] = (low.min(first as u32), high.max(last as u32));
        }
    }

    /// Marks a triangle of the ground as shaded.
    #[inline(always)]
    pub(crate) fn darken(&mut self, corners: &[Corner; 3]) {
        let Some(rows) = Rows::of(corners, self.width, self.height) else { return };
        for y in rows.top..rows.bottom {
            let (first, last) = rows.ends(y);
            if first < last {
                self.shade[y * self.stride + first..y * self.stride + last].fill(1);
                self.shaded[y] = true;
            }
        }
    }

    /// Of row y, 1 where the ground lies in shadow.
    #[inline(always)]
    pub(crate) fn shade(&self, y: usize) -> &[u8] {
        &self.shade[y * self.stride..y * self.stride + self.width]
    }

    /// The pixels of row y that show surfaces.
    #[inline(always)]
    pub(crate) fn kept(&self, y: usize) -> impl Iterator<Item = Kept> {
        let (first, last) = self.drawn[y];
        let row = y * self.stride;
        (first.min(last) as usize..last as usize).filter_map(move |x| {
            let (inverse, mark) = (self.inverse[row + x], self.marks[row + x]);
            let light = (mark & ((1 << LIGHT_BITS) - 1)) as f32 * (1.0 / 2048.0);
            (inverse > 0.0).then_some(Kept { x, inverse, light, surface: (mark >> LIGHT_BITS) as usize })
        })
    }
}

const NOTHING: (u32, u32) = (u32::MAX, 0);

#[inline(always)]
fn block<T>(list: &mut [T], at: usize) -> &mut [T; BLOCK] {
    list[at..].first_chunk_mut().expect("rows have room for a block behind their end")
}

/// A quantity that is linear on the screen, at pixel centres.
struct Plane {
    start: f32,
    dx: f32,
    dy: f32,
}

impl Plane {
    #[inline(always)]
    fn at(&self, x: usize, y: usize) -> f32 {
        self.start + self.dx * x as f32 + self.dy * y as f32
    }

    /// From pixel to pixel of a block.
    #[inline(always)]
    fn ramp(&self) -> [f32; BLOCK] {
        std::array::from_fn(|k| self.dx * k as f32)
    }
}

/// The rows a triangle covers, and its edges: x ≥ or ≤ x₀ + y·slope.
struct Rows {
    top: usize,
    bottom: usize,
    /// Bounds of any row.
    first: i32,
    last: i32,
    over_area: f32,
    /// Crossing of pixel row 0, and change per row, of each edge.
    start: [f32; 3],
    slope: [f32; 3],
    /// Whether the inside is to the right of it.
    inside_right: [bool; 3],
}

impl Rows {
    #[inline(always)]
    fn of([a, b, c]: &[Corner; 3], width: usize, height: usize) -> Option<Self> {
        let pixel = |x: f32, most: usize| up((x - 0.5).clamp(0.0, most as f32));
        let (top, bottom) = (pixel(a.y.min(b.y).min(c.y), height), pixel(a.y.max(b.y).max(c.y), height));
        let (first, last) = (pixel(a.x.min(b.x).min(c.x), width), pixel(a.x.max(b.x).max(c.x), width));
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if top >= bottom || first >= last || area.abs() <= 1e-9 || area.is_nan() {
            return None;
        }
        let dx = [b.x - a.x, c.x - b.x, a.x - c.x];
        let dy = [b.y - a.y, c.y - b.y, a.y - c.y];
        // Level edges bound no row: theirs is never asked for, for no row lies between their ends.
        let slope: [f32; 3] = std::array::from_fn(|k| if dy[k] == 0.0 { 0.0 } else { dx[k] / dy[k] });
        let (x, y) = ([a.x, b.x, c.x], [a.y, b.y, c.y]);
        let inside_right: [bool; 3] = std::array::from_fn(|k| (dy[k] < 0.0) == (area > 0.0));
        let start = std::array::from_fn(|k| match (dy[k] == 0.0, inside_right[k]) {
            (true, true) => f32::NEG_INFINITY,
            (true, false) => f32::INFINITY,
            _ => x[k] + (0.5 - y[k]) * slope[k] - 0.5,
        });
        let (top, bottom) = (top as usize, bottom as usize);
        Some(Self { top, bottom, first, last, over_area: 1.0 / area, start, slope, inside_right })
    }

    /// First pixel of row y, and one past the last.
    #[inline(always)]
    fn ends(&self, y: usize) -> (usize, usize) {
        let (mut left, mut right) = (self.first as f32, self.last as f32);
        for k in 0..3 {
            let x = self.start[k] + self.slope[k] * y as f32;
            if self.inside_right[k] {
                left = left.max(x);
            } else {
                right = right.min(x);
            }
        }
        (up(left.min(self.last as f32)) as usize, up(right.max(0.0)) as usize)
    }

    /// The linear function with these values at the corners.
    #[inline(always)]
    fn plane(&self, [a, b, c]: &[Corner; 3], of: [f32; 3]) -> Plane {
        let (u, v) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
        let (p, q) = (of[1] - of[0], of[2] - of[0]);
        let dx = (p * v[1] - q * u[1]) * self.over_area;
        let dy = (q * u[0] - p * v[0]) * self.over_area;
        Plane { start: of[0] + dx * (0.5 - a.x) + dy * (0.5 - a.y), dx, dy }
    }
}

/// The least integer that is not below x ≥ 0. (`f32::ceil` is a call on plain x86-64.)
#[inline(always)]
fn up(x: f32) -> i32 {
    let cut = x as i32;
    cut + i32::from((cut as f32) < x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f32, y: f32, z: f32) -> Corner {
        Corner { x, y, inverse: 1.0 / z, light: 1.0 }
    }

    /// Number of the surface at every pixel that shows one, with its 1/z.
    fn shown(screen: &Screen) -> Vec<(usize, f32)> {
        (0..screen.height).flat_map(|y| screen.kept(y)).map(|kept| (kept.surface, kept.inverse)).collect()
    }

    /// Two triangles of a square cover each pixel once, whichever way they turn.
    #[test]
    fn a_square_is_covered_without_gaps() {
        let mut screen = Screen::new(16, 16);
        let at = |x: f32, y: f32| corner(x, y, 2.0);
        screen.draw(&[at(2.3, 3.1), at(12.7, 3.1), at(12.7, 11.9)], 1);
        screen.draw(&[at(2.3, 3.1), at(2.3, 11.9), at(12.7, 11.9)], 2);
        let shown = shown(&screen);
        assert_eq!(shown.len(), 11 * 9); // centres 2.5 … 12.5 and 3.5 … 11.5
        assert!(shown.iter().all(|(_, i)| (i - 0.5).abs() < 1e-6));
    }

    #[test]
    fn the_nearer_surface_is_seen() {
        let mut screen = Screen::new(21, 8);
        let triangle = |z: f32| [corner(-10.0, -10.0, z), corner(60.0, -10.0, z), corner(-10.0, 60.0, z)];
        for (surface, z) in [(0, 3.0), (1, 2.0), (2, 4.0)] {
            screen.draw(&triangle(z), surface);
        }
        let shown = shown(&screen);
        assert!(shown.len() == 21 * 8 && shown.iter().all(|&(s, _)| s == 1));
        screen.clear();
        assert!(self::shown(&screen).is_empty());
    }

    /// Light goes from corner to corner, and comes back to three digits.
    #[test]
    fn light_is_linear_on_a_triangle() {
        let mut screen = Screen::new(32, 4);
        let at = |x: f32, y: f32, light: f32| Corner { x, y, inverse: 1.0, light };
        screen.draw(&[at(0.0, 0.0, 0.5), at(32.0, 0.0, 1.1), at(0.0, 64.0, 0.5)], 7);
        for kept in screen.kept(0) {
            let exact = 0.5 + 0.6 * (kept.x as f32 + 0.5) / 32.0;
            assert!((kept.light - exact).abs() < 6e-4 && kept.surface == 7, "{} {exact}", kept.light);
        }
    }

    #[test]
    fn what_is_no_triangle_draws_nothing() {
        let mut screen = Screen::new(8, 8);
        screen.draw(&[corner(1.0, 1.0, 1.0), corner(5.0, 5.0, 1.0), corner(3.0, 3.0, 1.0)], 0);
        screen.draw(&[corner(f32::NAN, 1.0, 1.0), corner(5.0, 5.0, 1.0), corner(3.0, 7.0, 1.0)], 0);
        screen.draw(&[corner(1.0, f32::NAN, 1.0), corner(5.0, 5.0, 1.0), corner(3.0, 7.0, 1.0)], 0);
        screen.draw(&[corner(-9.0, 1.0, 1.0), corner(-5.0, 5.0, 1.0), corner(-3.0, 7.0, 1.0)], 0);
        assert!(shown(&screen).is_empty());
    }
}
