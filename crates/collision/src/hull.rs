//! The convex hull of a cloud of points, and what is done where rounding defeats the algorithm.

use crate::error::ShapeError;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Vertices, and triangles counter-clockwise from outside.
type Surface = (Vec<Vec3>, Vec<[u32; 3]>);
/// An algorithm for hulls; Err says why there is none.
type Algorithm = fn(&[Vec3]) -> Result<Surface, String>;

/// The hull of `points`, checked: a closed surface that leaves no point outside. Rounding can
/// defeat the algorithm on clouds with many nearly coplanar points; few of them are then tried in place of all.
pub(crate) fn checked_hull(points: &[Vec3], algorithm: Algorithm) -> Result<Surface, ShapeError> {
    let sides = Sides::of(points);
    let most = 1e-3 * sides.lengths[2];
    for hull in [closed_hull(points, algorithm), sides.hull(points, algorithm)].into_iter().flatten() {
        if farthest_outside(points, &hull.0, &hull.1, most).is_empty() {
            return Ok(hull);
        }
    }
    hull_of_few(points, most, algorithm).map_err(|reason| ShapeError::Hull { points: points.len(), reason })
}

/// Axes along which a cloud is longest, widest and thick, and how far it reaches along them.
struct Sides {
    origin: Vec3,
    axes: [Vec3; 3],
    lengths: [f64; 3],
}

impl Sides {
    fn of(points: &[Vec3]) -> Self {
        let origin = points[0];
        let farthest = |measure: &dyn Fn(Vec3) -> f64| {
            points
                .iter()
                .map(|p| *p - origin)
                .max_by(|p, q| measure(*p).total_cmp(&measure(*q)))
                .unwrap_or(Vec3::X)
        };
        let along = farthest(&|r| r.norm_squared());
        let x = along.normalized().unwrap_or(Vec3::X);
        let beside = |r: Vec3| r - x * x.dot(r);
        let wide = beside(farthest(&|r| beside(r).norm_squared()));
        let y = wide.normalized().unwrap_or_else(|| x.tangents().0);
        let z = x.cross(y);
        let thick = z.dot(farthest(&|r| z.dot(r).abs())).abs();
        Self { origin, axes: [x, y, z], lengths: [along.norm(), wide.norm(), thick] }
    }

    /// The hull of the cloud, found for one as thick as long: needles and leaves lose corners to the tolerances of the
    /// algorithm, and which points are corners does not depend on a stretch.
    fn hull(&self, points: &[Vec3], algorithm: Algorithm) -> Result<Surface, String> {
        let stretched = |p: &Vec3| {
            let part = |k: usize| self.axes[k].dot(*p - self.origin) / self.lengths[k].max(f64::MIN_POSITIVE);
            vec3(part(0), part(1), part(2))
        };
        let bits = |p: Vec3| p.to_array().map(f64::to_bits);
        let mut places: Vec<([u64; 3], Vec3)> = points.iter().map(|p| (bits(stretched(p)), *p)).collect();
        places.sort_unstable_by_key(|place| place.0);
        let (vertices, triangles) =
            closed_hull(&points.iter().map(stretched).collect::<Vec<_>>(), algorithm)?;
        let own = |p: Vec3| {
            let found = places.binary_search_by_key(&bits(p), |place| place.0);
            found.map(|i| places[i].1).map_err(|_| "a corner is no point of the cloud".to_owned())
        };
        Ok((vertices.into_iter().map(own).collect::<Result<_, _>>()?, triangles))
    }
}

fn closed_hull(points: &[Vec3], algorithm: Algorithm) -> Result<Surface, String> {
    let hull = algorithm(points)?;
    if is_closed(&hull.1) { Ok(hull) } else { Err("its surface is not closed".to_owned()) }
}

/// Convex hull of the points that are extreme in one of many directions, and then of these with the points that are
/// left
/// outside by more than `most` [m].
fn hull_of_few(points: &[Vec3], most: f64, algorithm: Algorithm) -> Result<Surface, String> {
    const ROUNDS: usize = 8;
    let mut chosen = extreme_points(points);
    let mut outside = 0.0;
    for _ in 0..ROUNDS {
        let (vertices, triangles) = closed_hull(&chosen, algorithm)?;
        let left = farthest_outside(points, &vertices, &triangles, most);
        if left.is_empty() {
            return Ok((vertices, triangles));
        }
        outside = left.iter().map(|(distance, _)| *distance).fold(0.0, f64::max);
        chosen.extend(left.iter().map(|(_, p)| *p));
    }
    Err(format!("a point is {outside} m outside"))
}

/// True when every edge belongs to exactly two triangles, in opposite directions.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<(u32, u32)> =
        triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
    edges.sort_unstable();
    let once = edges.windows(2).all(|w| w[0] != w[1]);
    !edges.is_empty() && once && edges.iter().all(|(a, b)| edges.binary_search(&(*b, *a)).is_ok())
}

/// For every triangle that has a plane, the point farthest outside of it and its distance [m], where that is more
/// than `most`;
/// each point once.
fn farthest_outside(
    points: &[Vec3],
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    most: f64,
) -> Vec<(f64, Vec3)> {
    // Large clouds are sampled: the check is against gross failure.
    let stride = 1 + points.len() * triangles.len() / 20_000_000;
    let mut found: Vec<(usize, f64)> = Vec::new();
    for t in triangles {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        let cross = (b - a).cross(c - a);
        let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
        // A sliver has no plane to speak of.
        if cross.norm() > 1e-6 * longest
            && let Some(n) = cross.normalized()
        {
            let heights = points.iter().enumerate().step_by(stride).map(|(i, p)| (i, n.dot(*p - a)));
            found.extend(heights.max_by(|p, q| p.1.total_cmp(&q.1)).filter(|farthest| farthest.1 > most));
        }
    }
    found.sort_unstable_by(|p, q| p.0.cmp(&q.0).then(q.1.total_cmp(&p.1)));
    found.dedup_by_key(|(i, _)| *i);
    found.into_iter().map(|(i, distance)| (distance, points[i])).collect()
}

/// The points that are farthest in one of 2,000 evenly spread directions.
fn extreme_points(points: &[Vec3]) -> Vec<Vec3> {
    const DIRECTIONS: usize = 2000;
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let mut chosen: Vec<usize> = (0..DIRECTIONS)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
            let (s, c) = (golden_angle * k as f64).sin_cos();
            let d = vec3(c, s, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z;
            let height = |i: &usize| points[*i].dot(d);
            (0..points.len()).max_by(|i, j| height(i).total_cmp(&height(j))).unwrap_or(0)
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| points[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use crate::parry_hulls::convex_hull;

    /// A shallow lens, of which few of the extreme points are on the curved side: those left outside come in.
    #[test]
    fn what_few_points_leave_outside_comes_in() {
        let mut random = Lcg::new(5);
        let points: Vec<Vec3> = (0..4000)
            .map(|k| {
                let (r, angle) = (0.2 * random.symmetric().abs().sqrt(), 3.2 * random.symmetric());
                let height = if k % 2 == 0 { (1.0 - r * r).sqrt() } else { 0.98 };
                vec3(r * angle.cos(), r * angle.sin(), height)
            })
            .collect();
        let most = 1e-4;
        let (vertices, triangles) = closed_hull(&extreme_points(&points), convex_hull).unwrap();
        assert!(!farthest_outside(&points, &vertices, &triangles, most).is_empty());
        let (vertices, triangles) = hull_of_few(&points, most, convex_hull).unwrap();
        assert!(farthest_outside(&points, &vertices, &triangles, most).is_empty());
        assert!(vertices.len() < 2000, "{}", vertices.len());
        let all = checked_hull(&points, convex_hull).unwrap().0.len();
        assert!(all > vertices.len(), "{all}: nothing was left out where the algorithm is at its best");
    }
}
