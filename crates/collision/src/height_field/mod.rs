//! Height fields: the ground as a grid of heights.
//!
//! Row r and column c stand at x = −s_x/2 + c s_x/(cols − 1), y = −s_y/2 + r s_y/(rows − 1); row 0
//! is the one of least y. A cell is cut from its corner (r, c) to (r + 1, c + 1) into two triangles,
//! as in MuJoCo, so that both have the same surface. Below it the field is solid: walls go down
//! from its border to a flat bottom, `base` below the lowest height. The origin of G is the middle
//! of the rectangle at height zero.
//!
//! Units: m, in the frame G of the field.

mod facets;

use crate::aabb::Aabb;
use crate::error::ShapeError;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Most heights a field may have.
pub const MAX_HEIGHTS: usize = 1 << 24;
/// Cells along the side of a block, whose lowest and highest corner are kept.
pub(crate) const BLOCK: usize = 16;

/// A grid of heights with a solid below. Constant once built.
#[derive(Clone, Debug)]
pub struct HeightField {
    rows: usize,
    cols: usize,
    size: [f64; 2],
    heights: Vec<f64>,
    bottom: f64,
    /// Lowest and highest corner of every block of cells, row by row.
    blocks: Vec<[f64; 2]>,
    highest: f64,
}

impl HeightField {
    /// A field of `heights` [m], row by row, over the rectangle of sides `size` [m] along x and y,
    /// solid down to `base` [m] below the lowest.
    ///
    /// Err when the grid is smaller than 2 × 2, has more than [`MAX_HEIGHTS`], does not have as many
    /// heights as it should, or a number is not finite or a length not positive.
    pub fn new(
        rows: usize,
        cols: usize,
        size: [f64; 2],
        heights: Vec<f64>,
        base: f64,
    ) -> Result<Self, ShapeError> {
        let count = rows as u128 * cols as u128;
        if count > MAX_HEIGHTS as u128 {
            let (shape, what) = ("height field", "heights");
            return Err(ShapeError::TooLarge { shape, what, count, limit: MAX_HEIGHTS });
        }
        if rows < 2 || cols < 2 || count != heights.len() as u128 {
            return Err(ShapeError::Grid { rows, cols, heights: heights.len() });
        }
        for (what, value) in [("side x", size[0]), ("side y", size[1]), ("base", base)] {
            if !(value > 0.0 && (value * value).is_finite()) {
                return Err(ShapeError::Length { shape: "height field", what, value });
            }
        }
        if let Some(i) = heights.iter().position(|h| !(h * h).is_finite()) {
            return Err(ShapeError::Height { row: i / cols, col: i % cols, value: heights[i] });
        }
        let [lowest, highest] = range(heights.iter());
        let mut field =
            Self { rows, cols, size, heights, bottom: lowest - base, blocks: Vec::new(), highest };
        let [down, along] = field.block_grid();
        field.blocks = (0..down * along).map(|b| field.range_of_block(b / along, b % along)).collect();
        Ok(field)
    }

    /// Number of rows, along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, along x.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Sides of the rectangle along x and y [m].
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// The heights, row by row [m].
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Height of the flat bottom [m].
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// The box around the solid, in G [m].
    pub fn bounds(&self) -> Aabb {
        let (x, y) = (0.5 * self.size[0], 0.5 * self.size[1]);
        Aabb { min: vec3(-x, -y, self.bottom), max: vec3(x, y, self.highest) }
    }

    /// The largest distance of a point of the solid from the origin of G, or a little more [m].
    pub fn bounding_radius(&self) -> f64 {
        let z = self.bottom.abs().max(self.highest.abs());
        vec3(0.5 * self.size[0], 0.5 * self.size[1], z).norm()
    }

    /// A point of the solid farthest in `direction` [m].
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let d = direction;
        if d.z < 0.0 {
            let bounds = self.bounds();
            return Aabb { max: vec3(bounds.max.x, bounds.max.y, self.bottom), ..bounds }.support(d);
        }
        let (mut best, mut height) = (self.vertex(0, 0), f64::NEG_INFINITY);
        for r in 0..self.rows {
            for c in 0..self.cols {
                let p = self.vertex(r, c);
                if p.dot(d) > height {
                    (best, height) = (p, p.dot(d));
                }
            }
        }
        best
    }

    /// The point of the surface at row r and column c [m].
    #[inline]
    pub(crate) fn vertex(&self, r: usize, c: usize) -> Vec3 {
        let along = |i: usize, n: usize, side: f64| side * (i as f64 / (n - 1) as f64 - 0.5);
        let (x, y) = (along(c, self.cols, self.size[0]), along(r, self.rows, self.size[1]));
        vec3(x, y, self.heights[r * self.cols + c])
    }

    /// The whole surface of the solid, counter-clockwise from outside: top, walls, bottom.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        let cells = (0..self.rows - 1).flat_map(move |r| (0..self.cols - 1).map(move |c| (r, c)));
        let top = cells.flat_map(|(r, c)| self.cell(r, c));
        top.chain(self.border().flat_map(|(a, b)| self.wall(a, b))).chain(self.floor())
    }

    /// The two triangles of a cell.
    #[inline]
    pub(crate) fn cell(&self, r: usize, c: usize) -> [[Vec3; 3]; 2] {
        let (a, b) = (self.vertex(r, c), self.vertex(r + 1, c + 1));
        [[a, self.vertex(r, c + 1), b], [a, b, self.vertex(r + 1, c)]]
    }

    /// The sides of the border, counter-clockwise from above.
    fn border(&self) -> impl Iterator<Item = (Vec3, Vec3)> + '_ {
        let (rows, cols) = (self.rows - 1, self.cols - 1);
        let south = (0..cols).map(move |c| (self.vertex(0, c), self.vertex(0, c + 1)));
        let east = (0..rows).map(move |r| (self.vertex(r, cols), self.vertex(r + 1, cols)));
        let north = (0..cols).rev().map(move |c| (self.vertex(rows, c + 1), self.vertex(rows, c)));
        let west = (0..rows).rev().map(move |r| (self.vertex(r + 1, 0), self.vertex(r, 0)));
        south.chain(east).chain(north).chain(west)
    }

    /// The wall under the side of the border from a to b.
    fn wall(&self, a: Vec3, b: Vec3) -> [[Vec3; 3]; 2] {
        let foot = |p: Vec3| vec3(p.x, p.y, self.bottom);
        [[b, a, foot(a)], [b, foot(a), foot(b)]]
    }

    fn floor(&self) -> [[Vec3; 3]; 2] {
        let Aabb { min, max } = self.bounds();
        let corner = |x: f64, y: f64| vec3(x, y, self.bottom);
        let (a, b) = (corner(min.x, min.y), corner(max.x, max.y));
        [[a, b, corner(max.x, min.y)], [a, corner(min.x, max.y), b]]
    }

    /// Rows and columns of blocks.
    pub(crate) fn block_grid(&self) -> [usize; 2] {
        [(self.rows - 1).div_ceil(BLOCK), (self.cols - 1).div_ceil(BLOCK)]
    }

    /// Lowest and highest corner of a block [m].
    pub(crate) fn block(&self, row: usize, col: usize) -> [f64; 2] {
        self.blocks[row * self.block_grid()[1] + col]
    }

    fn range_of_block(&self, row: usize, col: usize) -> [f64; 2] {
        let until = |i: usize, n: usize| ((i + 1) * BLOCK).min(n - 1);
        let (first, last) = (col * BLOCK, until(col, self.cols));
        let rows = row * BLOCK..=until(row, self.rows);
        range(rows.flat_map(|r| &self.heights[r * self.cols + first..=r * self.cols + last]))
    }
}

fn range<'a>(heights: impl Iterator<Item = &'a f64>) -> [f64; 2] {
    heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(*h), high.max(*h)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> HeightField {
        HeightField::new(2, 3, [4.0, 1.0], vec![0.0, 1.0, 2.0, 0.0, 1.0, 3.0], 0.5).unwrap()
    }

    #[test]
    fn grid_by_hand() {
        let field = ramp();
        assert_eq!(field.vertex(0, 0), vec3(-2.0, -0.5, 0.0));
        assert_eq!(field.vertex(1, 2), vec3(2.0, 0.5, 3.0));
        assert_eq!(field.bounds(), Aabb { min: vec3(-2.0, -0.5, -0.5), max: vec3(2.0, 0.5, 3.0) });
        assert_eq!(field.support(vec3(-1.0, 0.0, 2.0)), vec3(2.0, 0.5, 3.0));
        assert_eq!(field.support(vec3(-1.0, -1.0, -1.0)), vec3(-2.0, -0.5, -0.5));
    }

    #[test]
    fn blocks_know_their_lowest_and_highest() {
        let (rows, cols) = (40, 33);
        let heights: Vec<f64> = (0..rows * cols).map(|i| ((i * 7919) % 1000) as f64 * 1e-3).collect();
        let field = HeightField::new(rows, cols, [1.0, 1.0], heights, 0.1).unwrap();
        assert_eq!(field.block_grid(), [3, 2]);
        for r in 0..rows {
            for c in 0..cols {
                let h = field.vertex(r, c).z;
                for (br, bc) in
                    [(r / BLOCK, c / BLOCK), (r.max(1) - 1, c.max(1) - 1)].map(|(r, c)| (r.min(2), c.min(1)))
                {
                    let inside = (br * BLOCK..=(br + 1) * BLOCK).contains(&r)
                        && (bc * BLOCK..=(bc + 1) * BLOCK).contains(&c);
                    let [low, high] = field.block(br, bc);
                    assert!(!inside || (low..=high).contains(&h));
                }
            }
        }
    }

    #[test]
    fn bad_fields_are_refused_with_the_element_named() {
        let text = |rows, cols, size, heights: Vec<f64>, base| {
            HeightField::new(rows, cols, size, heights, base).unwrap_err().to_string()
        };
        assert!(text(1, 4, [1.0, 1.0], vec![0.0; 4], 1.0).contains("1 rows and 4 columns"));
        assert!(text(2, 2, [1.0, 1.0], vec![0.0; 5], 1.0).contains("5 heights for 2 rows"));
        assert!(text(2, 2, [1.0, 0.0], vec![0.0; 4], 1.0).contains("side y is 0"));
        assert!(text(2, 2, [1.0, 1.0], vec![0.0; 4], -1.0).contains("base is -1"));
        let message = text(2, 3, [1.0, 1.0], vec![0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0], 1.0);
        assert!(message.contains("row 1, column 1 is NaN"), "{message}");
        let message = text(100_000, 100_000, [1.0, 1.0], Vec::new(), 1.0);
        assert!(message.contains("10000000000 heights") && message.contains("16777216"), "{message}");
    }
}
