//! What can be wrong with a shape, said so that the user can mend it.

/// A shape that no geometry can be done with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is zero, negative, infinite or not a number.
    #[error("{shape}: {what} is {value}; expected a positive, finite length in metres")]
    Length {
        /// The kind of shape.
        shape: &'static str,
        /// The parameter.
        what: &'static str,
        /// Value that was given [m].
        value: f64,
    },
    /// A point of a hull that is infinite or not a number.
    #[error("convex hull: point {index} is ({x}, {y}, {z}); expected finite coordinates in metres")]
    Point {
        /// Index into the points given.
        index: usize,
        /// Coordinate [m].
        x: f64,
        /// Coordinate [m].
        y: f64,
        /// Coordinate [m].
        z: f64,
    },
    /// Fewer than four distinct points.
    #[error("convex hull: {distinct} distinct points; expected at least 4 that are not in one plane")]
    TooFewPoints {
        /// Number of points that differ by more than a billionth of the extent.
        distinct: usize,
    },
    /// All points in one plane, on one line, or close to it.
    #[error(
        "convex hull: its volume is {volume:e} m3 at an extent of {extent} m; expected points that \
         are not in one plane (give a flat mesh some thickness, or use a plane or a box)"
    )]
    Flat {
        /// Volume of the hull [m³].
        volume: f64,
        /// Largest side of the bounding box [m].
        extent: f64,
    },
    /// The hull of the points could not be computed.
    #[error(
        "convex hull of {points} points failed: {reason}; check the mesh for duplicate or noisy vertices"
    )]
    Hull {
        /// Number of distinct points.
        points: usize,
        /// Message of the algorithm.
        reason: String,
    },
    /// A vertex of a mesh that is infinite or not a number.
    #[error("mesh: vertex {index} is ({x}, {y}, {z}); expected finite coordinates in metres")]
    Vertex {
        /// Index into the vertices given.
        index: usize,
        /// Coordinate [m].
        x: f64,
        /// Coordinate [m].
        y: f64,
        /// Coordinate [m].
        z: f64,
    },
    /// A triangle that names a vertex that does not exist.
    #[error("mesh: triangle {triangle} names vertex {index}; expected one of 0 to {vertices} exclusive")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A mesh without a triangle that has an area.
    #[error("mesh: none of its {triangles} triangles has an area; expected at least one")]
    NoTriangles {
        /// Number of triangles given.
        triangles: usize,
    },
    /// More elements than memory and time are spent on.
    #[error("{shape}: {count} {what}; expected at most {limit} (simplify or split it)")]
    TooLarge {
        /// The kind of shape.
        shape: &'static str,
        /// The elements.
        what: &'static str,
        /// How many there are.
        count: u128,
        /// How many there may be.
        limit: usize,
    },
    /// A height field whose heights are no grid.
    #[error(
        "height field: {heights} heights for {rows} rows and {cols} columns; expected rows x columns of them, at least 2 x 2"
    )]
    Grid {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
        /// Number of heights given.
        heights: usize,
    },
    /// A height that is infinite or not a number.
    #[error(
        "height field: the height at row {row}, column {col} is {value}; expected a finite number of metres"
    )]
    Height {
        /// Row of the height.
        row: usize,
        /// Column of the height.
        col: usize,
        /// Value of the height [m].
        value: f64,
    },
    /// A parameter of a convex decomposition.
    #[error("convex decomposition: {what} is {value}; expected {expected}")]
    Decomposition {
        /// The parameter.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Range that is allowed.
        expected: &'static str,
    },
    /// A number of a pressure field.
    #[error("pressure field of a {shape}: {what} is {value}; expected {expected}")]
    Pressure {
        /// The kind of shape.
        shape: &'static str,
        /// The parameter.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Range that is allowed.
        expected: &'static str,
    },
    /// A shape that has no pressure field.
    #[error(
        "pressure field of a {shape}: it is not convex; expected a convex shape (decompose the mesh into convex parts, or \
         make this surface rigid)"
    )]
    NotConvex {
        /// The kind of shape.
        shape: &'static str,
    },
    /// A collider of a world.
    #[error("collider {index}: {source}")]
    Collider {
        /// Index of the collider.
        index: usize,
        /// Error in the shape of the geometry.
        source: Box<ShapeError>,
    },
}
