//! The surface of a height field as numbered triangles: two for every cell, row by row; two for the
//! wall under every side of the border, counter-clockwise from the corner of least x and y; two for
//! the floor. Vertices are numbered like the heights, then the feet of the border's.

use super::{BLOCK, HeightField};
use crate::aabb::Aabb;
use crate::facet::{FLAT, Facet, Side, edge_number};
use crate::mesh::box_of;
use std::ops::RangeInclusive;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Where a triangle is.
enum Place {
    /// Row, column, and which half of the cell.
    Top(usize, usize, usize),
    /// Side of the border, and which half of its wall.
    Wall(usize, usize),
    Floor(usize),
}

impl HeightField {
    /// Sides of the border along each edge of the rectangle: south, east, north, west.
    fn sides(&self) -> [usize; 4] {
        let (rows, cols) = (self.rows - 1, self.cols - 1);
        [cols, rows, cols, rows]
    }

    fn border_length(&self) -> usize {
        2 * (self.rows + self.cols) - 4
    }

    /// The edge of the rectangle that vertex j of the border starts or is on, and how far along.
    fn edge_of(&self, j: usize) -> (usize, usize) {
        let mut along = j % self.border_length();
        for (edge, n) in self.sides().into_iter().enumerate() {
            if along < n {
                return (edge, along);
            }
            along -= n;
        }
        (0, 0)
    }

    /// Row and column of vertex j of the border.
    fn border_vertex(&self, j: usize) -> (usize, usize) {
        let (rows, cols) = (self.rows - 1, self.cols - 1);
        match self.edge_of(j) {
            (0, i) => (0, i),
            (1, i) => (i, cols),
            (2, i) => (rows, cols - i),
            (_, i) => (rows - i, 0),
        }
    }

    /// The number on the border of the vertex at row r and column c, if it is there.
    fn on_border(&self, r: usize, c: usize) -> Option<usize> {
        let (rows, cols) = (self.rows - 1, self.cols - 1);
        match (r, c) {
            (0, c) => Some(c),
            (r, c) if c == cols => Some(cols + r),
            (r, c) if r == rows => Some(cols + rows + (cols - c)),
            (r, 0) => Some(2 * cols + rows + (rows - r)),
            _ => None,
        }
    }

    fn top(&self, j: usize) -> Vec3 {
        let (r, c) = self.border_vertex(j);
        self.vertex(r, c)
    }

    fn foot(&self, j: usize) -> Vec3 {
        let p = self.top(j);
        vec3(p.x, p.y, self.bottom)
    }

    fn place(&self, i: usize) -> Place {
        let cells = (self.rows - 1) * (self.cols - 1);
        let walls = self.border_length();
        if i < 2 * cells {
            let cell = i / 2;
            Place::Top(cell / (self.cols - 1), cell % (self.cols - 1), i % 2)
        } else if i < 2 * (cells + walls) {
            let i = i - 2 * cells;
            Place::Wall(i / 2, i % 2)
        } else {
            Place::Floor(i % 2)
        }
    }

    /// Corners of triangle i, as [`crate::surface::Surface::corners`].
    pub(crate) fn corners(&self, i: usize) -> [Vec3; 3] {
        match self.place(i) {
            Place::Top(r, c, half) => self.cell(r, c)[half],
            Place::Wall(j, half) => self.wall(self.top(j), self.top(j + 1))[half],
            Place::Floor(half) => self.floor()[half],
        }
    }

    /// The outward normal of the walls along an edge of the rectangle.
    fn wall_normal(edge: usize) -> Vec3 {
        [-Vec3::Y, Vec3::X, Vec3::Y, -Vec3::X][edge]
    }

    fn normal_of([a, b, c]: [Vec3; 3]) -> Vec3 {
        (b - a).cross(c - a).normalized().unwrap_or(Vec3::Z)
    }

    /// Triangle i with its neighbours, as [`crate::surface::Surface::facet`].
    pub(crate) fn facet(&self, i: usize) -> Facet {
        let corners = self.corners(i);
        let n = self.heights.len() as u32;
        let length = self.border_length();
        let at = |r: usize, c: usize| (r * self.cols + c) as u32;
        let foot = |j: usize| n + (j % length) as u32;
        let (normal, sides, vertices, flat, region) = match self.place(i) {
            Place::Top(r, c, half) => {
                let normal = Self::normal_of(corners);
                let vertices =
                    [[at(r, c), at(r, c + 1), at(r + 1, c + 1)], [at(r, c), at(r + 1, c + 1), at(r + 1, c)]];
                let flat = vertices[half].map(|v| self.is_flat(v as usize, normal));
                // Flat ground of any extent is one plane to whoever slides over it.
                let level = (normal.cross(Vec3::Z).norm() < FLAT).then_some(0);
                (
                    normal,
                    self.top_sides(r, c, half, normal),
                    vertices[half],
                    flat,
                    level.unwrap_or(i as u32 + 1),
                )
            }
            Place::Wall(j, half) => {
                let (edge, along) = self.edge_of(j);
                let normal = Self::wall_normal(edge);
                let (r, c) = self.border_vertex(j);
                let (s, d) = self.border_vertex(j + 1);
                let beside = |edge: usize, flat: bool, far: Vec3, p: Vec3| {
                    if flat { Side::Flat } else { Side::new(p, normal, Self::wall_normal(edge), far) }
                };
                let before = beside((edge + 3) % 4, along > 0, self.foot(j + length - 1), self.foot(j));
                let after =
                    beside((edge + 1) % 4, along + 1 < self.sides()[edge], self.top(j + 2), self.foot(j + 1));
                let (up, far) = self.above(r, c, s, d);
                let sides = if half == 0 {
                    [Side::new(self.top(j), normal, up, far), before, Side::Flat]
                } else {
                    [
                        Side::Flat,
                        Side::new(self.foot(j), normal, -Vec3::Z, vec3(0.0, 0.0, self.bottom)),
                        after,
                    ]
                };
                let vertices = [[at(s, d), at(r, c), foot(j)], [at(s, d), foot(j), foot(j + 1)]];
                (normal, sides, vertices[half], [false; 3], n + edge as u32)
            }
            Place::Floor(half) => {
                let side =
                    |edge: usize, p: Vec3| Side::new(p, -Vec3::Z, Self::wall_normal(edge), p + Vec3::Z);
                let [a, b, c] = corners;
                let corner = |p: Vec3| match (p.x > 0.0, p.y > 0.0) {
                    (false, false) => foot(0),
                    (true, false) => foot(self.cols - 1),
                    (true, true) => foot(self.cols + self.rows - 2),
                    (false, true) => foot(2 * self.cols + self.rows - 3),
                };
                // One half has the sides east and south, the other west and north.
                let sides = if half == 0 {
                    [Side::Flat, side(1, b), side(0, c)]
                } else {
                    [side(3, a), side(2, b), Side::Flat]
                };
                (-Vec3::Z, sides, [a, b, c].map(corner), [false; 3], n + 4)
            }
        };
        let edges = [0, 1, 2].map(|k| edge_number(vertices[k], vertices[(k + 1) % 3]));
        Facet { corners, normal, sides, region, vertices, edges, flat }
    }

    /// The sides of half a cell.
    fn top_sides(&self, r: usize, c: usize, half: usize, normal: Vec3) -> [Side; 3] {
        let here = self.cell(r, c);
        // To the half `h` of another cell, whose far corner is its corner k, over an edge at p.
        let to = |r: usize, c: usize, h: usize, k: usize, p: Vec3| {
            let other = self.cell(r, c)[h];
            Side::new(p, normal, Self::normal_of(other), other[k])
        };
        let wall =
            |edge: usize, p: Vec3| Side::new(p, normal, Self::wall_normal(edge), vec3(p.x, p.y, self.bottom));
        let (rows, cols) = (self.rows - 1, self.cols - 1);
        if half == 0 {
            let [a, b, _] = here[0];
            let south = if r > 0 { to(r - 1, c, 1, 0, a) } else { wall(0, a) };
            let east = if c + 1 < cols { to(r, c + 1, 1, 1, b) } else { wall(1, b) };
            [south, east, to(r, c, 1, 2, a)]
        } else {
            let [a, b, d] = here[1];
            let north = if r + 1 < rows { to(r + 1, c, 0, 2, b) } else { wall(2, b) };
            let west = if c > 0 { to(r, c - 1, 0, 0, d) } else { wall(3, d) };
            [to(r, c, 0, 1, a), north, west]
        }
    }

    /// Normal and far corner of the top triangle at the side of the border from (r, c) to (s, d).
    fn above(&self, r: usize, c: usize, s: usize, d: usize) -> (Vec3, Vec3) {
        let (row, col) = (r.min(s).min(self.rows - 2), c.min(d).min(self.cols - 2));
        let (south, east) = (r == s && r == 0, c == d && c > 0);
        let half = usize::from(!(south || east));
        let t = self.cell(row, col)[half];
        let ends = [self.vertex(r, c), self.vertex(s, d)];
        let far = t.into_iter().find(|p| !ends.contains(p)).unwrap_or(t[0]);
        (Self::normal_of(t), far)
    }

    /// True when all triangles around vertex v have the normal n; never on the border.
    fn is_flat(&self, v: usize, n: Vec3) -> bool {
        let (r, c) = (v / self.cols, v % self.cols);
        if self.on_border(r, c).is_some() {
            return false;
        }
        let p = self.vertex(r, c);
        let mut flat = true;
        self.ring(v, &mut |w| flat &= n.dot(w - p).abs() < FLAT * (w - p).norm());
        flat
    }

    /// Calls `visit` with the neighbours of vertex v, as [`crate::surface::Surface::ring`].
    pub(crate) fn ring(&self, v: usize, visit: &mut dyn FnMut(Vec3)) {
        if v >= self.heights.len() {
            let (j, length) = (v - self.heights.len(), self.border_length());
            [self.top(j), self.foot(j + 1), self.foot(j + length - 1)].into_iter().for_each(&mut *visit);
            return visit(vec3(0.0, 0.0, self.bottom));
        }
        let (r, c) = (v / self.cols, v % self.cols);
        if let Some(j) = self.on_border(r, c) {
            visit(self.foot(j));
            visit(self.foot(j + self.border_length() - 1));
        }
        // The diagonals of the cells run one way only.
        for (dr, dc) in [(-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)] {
            if let (Some(r), Some(c)) = (r.checked_add_signed(dr), c.checked_add_signed(dc))
                && r < self.rows
                && c < self.cols
            {
                visit(self.vertex(r, c));
            }
        }
    }

    /// Rows (axis 1) or columns (axis 0) of the cells that the interval meets.
    fn cells(&self, axis: usize, low: f64, high: f64) -> RangeInclusive<usize> {
        let (n, side) = ([self.cols, self.rows][axis] - 1, self.size[axis]);
        let cell = |x: f64| ((x / side + 0.5) * n as f64).floor();
        // A little more, for rounding; what is outside is cut off by the conversion.
        let slack = 1e-9 * side;
        let (first, last) = (cell(low - slack), cell(high + slack));
        if last < 0.0 || first >= n as f64 {
            return RangeInclusive::new(1, 0);
        }
        (first.max(0.0) as usize)..=(last as usize).min(n - 1)
    }

    /// Calls `visit` with the triangles that may touch `bounds`, as [`crate::surface::Surface::touching`].
    pub(crate) fn touching(&self, bounds: &Aabb, visit: &mut impl FnMut(usize)) {
        if !self.bounds().overlaps(bounds) {
            return;
        }
        let (rows, cols) =
            (self.cells(1, bounds.min.y, bounds.max.y), self.cells(0, bounds.min.x, bounds.max.x));
        let meets = |i: usize| box_of(self.corners(i)).overlaps(bounds);
        if !rows.is_empty() && !cols.is_empty() {
            for (block_row, block_col) in blocks(&rows, &cols) {
                let [low, high] = self.block(block_row, block_col);
                if low > bounds.max.z || high < bounds.min.z {
                    continue;
                }
                for r in within(&rows, block_row) {
                    for c in within(&cols, block_col) {
                        let i = 2 * (r * (self.cols - 1) + c);
                        [i, i + 1].into_iter().filter(|i| meets(*i)).for_each(&mut *visit);
                    }
                }
            }
        }
        let first_wall = 2 * (self.rows - 1) * (self.cols - 1);
        let [south, east, north, west] = self.sides();
        let box_ = self.bounds();
        let reversed = |range: &RangeInclusive<usize>, n: usize| n - 1 - range.end()..=n - 1 - range.start();
        let edges = [
            (bounds.min.y <= box_.min.y, 0, cols.clone()),
            (bounds.max.x >= box_.max.x, south, rows.clone()),
            (
                bounds.max.y >= box_.max.y,
                south + east,
                if cols.is_empty() { cols.clone() } else { reversed(&cols, north) },
            ),
            (
                bounds.min.x <= box_.min.x,
                south + east + north,
                if rows.is_empty() { rows.clone() } else { reversed(&rows, west) },
            ),
        ];
        for (reached, start, sides) in edges {
            for j in sides.filter(|_| reached) {
                let i = first_wall + 2 * (start + j);
                [i, i + 1].into_iter().filter(|i| meets(*i)).for_each(&mut *visit);
            }
        }
        if bounds.min.z <= self.bottom {
            let i = first_wall + 2 * self.border_length();
            [i, i + 1].into_iter().for_each(&mut *visit);
        }
    }

    /// Searches along a ray as [`crate::mesh::tree::Tree::search`] does, block by block in no order.
    pub(crate) fn along(
        &self,
        limit: f64,
        cost: &impl Fn(&Aabb) -> f64,
        visit: &mut impl FnMut(usize, f64) -> f64,
    ) {
        let mut limit = limit;
        if cost(&self.bounds()) > limit {
            return;
        }
        let (rows, cols) = (0..=self.rows - 2, 0..=self.cols - 2);
        for (block_row, block_col) in blocks(&rows, &cols) {
            let (r, c) = (within(&rows, block_row), within(&cols, block_col));
            if cost(&self.block_box(&r, &c, self.block(block_row, block_col))) > limit {
                continue;
            }
            for cell in r.flat_map(|r| c.clone().map(move |c| r * (self.cols - 1) + c)) {
                limit = visit(2 * cell, limit);
                limit = visit(2 * cell + 1, limit);
            }
        }
        let first = 2 * (self.rows - 1) * (self.cols - 1);
        for i in first..first + 2 * self.border_length() + 2 {
            limit = visit(i, limit);
        }
    }

    /// The box around a block of cells with the given lowest and highest corner.
    fn block_box(&self, r: &RangeInclusive<usize>, c: &RangeInclusive<usize>, [low, high]: [f64; 2]) -> Aabb {
        let (p, q) = (self.vertex(*r.start(), *c.start()), self.vertex(r.end() + 1, c.end() + 1));
        Aabb { min: vec3(p.x, p.y, low), max: vec3(q.x, q.y, high) }
    }

    /// Calls `visit` with the vertices of the parts that `keep` admits, as [`crate::surface::Surface::vertices`].
    pub(crate) fn vertices(&self, keep: &impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(u32, Vec3)) {
        let (rows, cols) = (0..=self.rows - 2, 0..=self.cols - 2);
        for (block_row, block_col) in blocks(&rows, &cols) {
            let (r, c) = (within(&rows, block_row), within(&cols, block_col));
            if !keep(&self.block_box(&r, &c, self.block(block_row, block_col))) {
                continue;
            }
            for row in *r.start()..=r.end() + 1 {
                for col in *c.start()..=c.end() + 1 {
                    visit((row * self.cols + col) as u32, self.vertex(row, col));
                }
            }
        }
        let corners = [0, self.cols - 1, self.cols + self.rows - 2, 2 * self.cols + self.rows - 3];
        corners.into_iter().for_each(|j| visit((self.heights.len() + j) as u32, self.foot(j)));
    }
}

/// The blocks that ranges of cells lie in.
fn blocks(
    rows: &RangeInclusive<usize>,
    cols: &RangeInclusive<usize>,
) -> impl Iterator<Item = (usize, usize)> {
    let of = |range: &RangeInclusive<usize>| range.start() / BLOCK..=range.end() / BLOCK;
    let cols = of(cols);
    of(rows).flat_map(move |r| cols.clone().map(move |c| (r, c)))
}

/// The part of a range of cells that is in a block.
fn within(cells: &RangeInclusive<usize>, block: usize) -> RangeInclusive<usize> {
    (*cells.start()).max(block * BLOCK)..=(*cells.end()).min((block + 1) * BLOCK - 1)
}
