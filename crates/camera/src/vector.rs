//! Three numbers in single precision: screens have no more digits.

pub(crate) type V3 = [f32; 3];
/// Rows.
pub(crate) type M3 = [V3; 3];

pub(crate) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: V3, s: f32) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn dot(a: V3, b: V3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Of length 1; zero stays zero.
pub(crate) fn unit(a: V3) -> V3 {
    let length = dot(a, a).sqrt();
    if length > 0.0 { scale(a, 1.0 / length) } else { a }
}

pub(crate) fn apply(m: &M3, v: V3) -> V3 {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

pub(crate) fn product(a: &M3, b: &M3) -> M3 {
    let column = |j: usize| [b[0][j], b[1][j], b[2][j]];
    let columns = [column(0), column(1), column(2)];
    a.map(|row| columns.map(|c| dot(row, c)))
}

/// Of a unit quaternion (w, x, y, z).
pub(crate) fn rotation([w, x, y, z]: [f64; 4]) -> M3 {
    let rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    rows.map(|row| row.map(|x| x as f32))
}

pub(crate) fn single(v: [f64; 3]) -> V3 {
    v.map(|x| x as f32)
}
