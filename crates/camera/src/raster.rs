//! The nearest surface at every pixel.
//!
//! On a pinhole's screen 1/z of a flat triangle is a linear function of the pixel, and so is the light on it, nearly:
//!
//! ```text
//!     1/z = a + b x + c y                                                              (1)
//! ```
//!
//! A triangle is drawn row by row; the ends of a row are where its edges cross the row through pixel centres. What is
//! kept is the largest 1/z, with the light and the number of the surface; zero is the sky.

/// A corner on the screen: pixels, 1/z [1/m], light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) inverse: f32,
    pub(crate) light: f32,
}

/// No surface.
pub(crate) const SKY: i32 = -1;

/// See the module. Rows from the top.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) inverse: Vec<f32>,
    pub(crate) light: Vec<f32>,
    pub(crate) surface: Vec<i32>,
    /// Where the ground lies in shadow.
    pub(crate) shade: Vec<bool>,
}

impl Screen {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let n = width * height;
        Self {
            width,
            height,
            inverse: vec![0.0; n],
            light: vec![0.0; n],
            surface: vec![SKY; n],
            shade: vec![false; n],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.inverse.fill(0.0);
        self.surface.fill(SKY);
        self.shade.fill(false);
    }

    /// Draws a triangle, whichever way it is turned.
    pub(crate) fn draw(&mut self, corners: &[Corner; 3], surface: i32) {
        let Some(rows) = Rows::of(corners, self.width, self.height) else { return };
        let inverse = Plane::through(corners, |c| c.inverse); // (1)
        let light = Plane::through(corners, |c| c.light);
        let (di, dl) = (inverse.dx, light.dx);
        rows.each(|y, first, last| {
            let row = y * self.width + first..y * self.width + last;
            let (mut i, mut l) = (inverse.at(first, y), light.at(first, y));
            let pixels = self.inverse[row.clone()]
                .iter_mut()
                .zip(&mut self.light[row.clone()])
                .zip(&mut self.surface[row]);
            for ((kept, shade), name) in pixels {
                if i > *kept {
                    (*kept, *shade, *name) = (i, l, surface);
                }
                i += di;
                l += dl;
            }
        });
    }

    /// Marks a triangle of the ground as shaded.
    pub(crate) fn darken(&mut self, corners: &[Corner; 3]) {
        let Some(rows) = Rows::of(corners, self.width, self.height) else { return };
        rows.each(|y, first, last| self.shade[y * self.width + first..y * self.width + last].fill(true));
    }
}

/// A quantity that is linear on the screen, at pixel centres.
struct Plane {
    start: f32,
    dx: f32,
    dy: f32,
}

impl Plane {
    fn through([a, b, c]: &[Corner; 3], of: impl Fn(&Corner) -> f32) -> Self {
        let (u, v) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
        let (p, q) = (of(b) - of(a), of(c) - of(a));
        let area = u[0] * v[1] - u[1] * v[0];
        let over = 1.0 / area;
        let (dx, dy) = ((p * v[1] - q * u[1]) * over, (q * u[0] - p * v[0]) * over);
        Self { start: of(a) + dx * (0.5 - a.x) + dy * (0.5 - a.y), dx, dy }
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.start + self.dx * x as f32 + self.dy * y as f32
    }
}

/// The rows a triangle covers, and its edges: x ≥ or ≤ x₀ + y·slope.
struct Rows {
    top: usize,
    bottom: usize,
    width: usize,
    /// Crossing of pixel row 0, change per row, and whether the inside is to the right.
    edges: [(f32, f32, bool); 3],
}

impl Rows {
    fn of(corners: &[Corner; 3], width: usize, height: usize) -> Option<Self> {
        let [a, b, c] = corners;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area.abs() <= 1e-9 || area.is_nan() {
            return None;
        }
        let (low, high) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let row = |y: f32| up(y - 0.5, height as f32) as usize;
        let (top, bottom) = (row(low), row(high));
        let (left, right) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        if top >= bottom || right <= 0.0 || left >= width as f32 {
            return None;
        }
        let edge = |p: &Corner, q: &Corner| {
            let (dx, dy) = (q.x - p.x, q.y - p.y);
            if dy == 0.0 {
                // Level edges bound no row.
                return (f32::NEG_INFINITY, 0.0, true);
            }
            let slope = dx / dy;
            (p.x + (0.5 - p.y) * slope, slope, (dy < 0.0) == (area > 0.0))
        };
        Some(Self { top, bottom, width, edges: [edge(a, b), edge(b, c), edge(c, a)] })
    }

    /// Tells every row: y, first pixel, and one past the last.
    fn each(&self, mut tell: impl FnMut(usize, usize, usize)) {
        for y in self.top..self.bottom {
            let most = self.width as f32;
            let (mut left, mut right) = (0.0, most);
            for &(start, slope, inside_right) in &self.edges {
                let x = start + slope * y as f32 - 0.5;
                if inside_right {
                    left = f32::max(left, x);
                } else {
                    right = f32::min(right, x);
                }
            }
            let (left, right) = (up(left, most), up(right, most));
            if left < right {
                tell(y, left as usize, right as usize);
            }
        }
    }
}

/// The least integer that is not below x, within 0 and `most`. (`f32::ceil` is a call on plain x86-64.)
#[inline]
fn up(x: f32, most: f32) -> u32 {
    let x = x.max(0.0).min(most);
    let cut = x as i32;
    (cut + i32::from((cut as f32) < x)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f32, y: f32, z: f32) -> Corner {
        Corner { x, y, inverse: 1.0 / z, light: 1.0 }
    }

    /// Two triangles of a square cover each pixel once, whichever way they turn.
    #[test]
    fn a_square_is_covered_without_gaps() {
        let mut screen = Screen::new(16, 16);
        let at = |x: f32, y: f32| corner(x, y, 2.0);
        screen.draw(&[at(2.3, 3.1), at(12.7, 3.1), at(12.7, 11.9)], 1);
        screen.draw(&[at(2.3, 3.1), at(2.3, 11.9), at(12.7, 11.9)], 2);
        let covered = screen.surface.iter().filter(|&&s| s != SKY).count();
        assert_eq!(covered, 11 * 9); // centres 2.5 … 12.5 and 3.5 … 11.5
        assert!(screen.inverse.iter().all(|&i| i == 0.0 || (i - 0.5).abs() < 1e-6));
    }

    #[test]
    fn the_nearer_surface_is_seen() {
        let mut screen = Screen::new(8, 8);
        let triangle = |z: f32| [corner(-10.0, -10.0, z), corner(30.0, -10.0, z), corner(-10.0, 30.0, z)];
        for (surface, z) in [(0, 3.0), (1, 2.0), (2, 4.0)] {
            screen.draw(&triangle(z), surface);
        }
        assert!(screen.surface.iter().all(|&s| s == 1));
    }

    #[test]
    fn what_is_no_triangle_draws_nothing() {
        let mut screen = Screen::new(8, 8);
        screen.draw(&[corner(1.0, 1.0, 1.0), corner(5.0, 5.0, 1.0), corner(3.0, 3.0, 1.0)], 0);
        screen.draw(&[corner(f32::NAN, 1.0, 1.0), corner(5.0, 5.0, 1.0), corner(3.0, 7.0, 1.0)], 0);
        screen.draw(&[corner(-9.0, 1.0, 1.0), corner(-5.0, 5.0, 1.0), corner(-3.0, 7.0, 1.0)], 0);
        assert!(screen.surface.iter().all(|&s| s == SKY));
    }
}
