//! How the triangles of a mesh hang together: shared vertices, shared edges, one orientation.
//!
//! Two triangles are neighbours when they share an edge and nobody else does. They agree on
//! which side is outside when they run along it in opposite directions.

use stiction_dynamics::spatial::Vec3;

/// No triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// `across[t][k]`: the neighbour over the edge from corner k of triangle t to corner k + 1.
pub(crate) type Across = Vec<[u32; 3]>;

/// The vertices without repetitions (closer than `near` [m]), in the order of their first use, and
/// the triangles over them.
pub(crate) fn weld(vertices: &[Vec3], triangles: &[[u32; 3]], near: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let cell = |x: f64| if near > 0.0 { (x / near).round() as i64 } else { x.to_bits() as i64 };
    let mut order: Vec<([i64; 3], u32)> =
        vertices.iter().zip(0..).map(|(p, i)| (p.to_array().map(cell), i)).collect();
    order.sort_unstable();
    // The first of each run of equals stands for all.
    let mut stands_for = vec![0; vertices.len()];
    let mut first = 0;
    for k in 0..order.len() {
        if order[k].0 != order[first].0 {
            first = k;
        }
        stands_for[order[k].1 as usize] = order[first].1;
    }
    let (mut number, mut kept) = (vec![NONE; vertices.len()], Vec::new());
    let mut welded = |v: u32| {
        let old = stands_for[v as usize] as usize;
        if number[old] == NONE {
            number[old] = kept.len() as u32;
            kept.push(vertices[old]);
        }
        number[old]
    };
    let triangles = triangles.iter().map(|t| t.map(&mut welded)).collect();
    (kept, triangles)
}

/// The neighbours, and how many edges have one triangle, and more than two.
pub(crate) fn neighbors(triangles: &[[u32; 3]]) -> (Across, usize, usize) {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (t, c) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (u, v) = (c[k], c[(k + 1) % 3]);
            sides.push((u.min(v), u.max(v), t as u32, k as u8));
        }
    }
    sides.sort_unstable();
    let mut across = vec![[NONE; 3]; triangles.len()];
    let (mut open, mut crowded) = (0, 0);
    for edge in sides.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        match edge {
            [_] => open += 1,
            [(_, _, t, k), (_, _, s, j)] => {
                across[*t as usize][*k as usize] = *s;
                across[*s as usize][*j as usize] = *t;
            }
            _ => crowded += 1,
        }
    }
    (across, open, crowded)
}

/// Turns triangles round until neighbours agree, each connected part as most of its triangles
/// were. Returns how many were turned; `None` when no orientation exists (a Möbius strip).
pub(crate) fn orient(triangles: &mut [[u32; 3]], across: &mut Across) -> Option<usize> {
    let mut turn = vec![None; triangles.len()];
    let mut turned = 0;
    let mut sound = true;
    for seed in 0..triangles.len() {
        if turn[seed].is_some() {
            continue;
        }
        turn[seed] = Some(false);
        let mut part = vec![seed];
        let mut next = 0;
        while next < part.len() {
            let t = part[next];
            for (k, &s) in across[t].iter().enumerate().filter(|(_, s)| **s != NONE) {
                let s = s as usize;
                let wanted = turn[t] == Some(runs_opposite(triangles, t, k, s));
                match turn[s] {
                    None => {
                        turn[s] = Some(wanted);
                        part.push(s);
                    }
                    Some(is) => sound &= is == wanted,
                }
            }
            next += 1;
        }
        let minority = part.iter().filter(|t| turn[**t] == Some(true)).count();
        let most = 2 * minority > part.len();
        for t in part {
            turn[t] = turn[t].map(|x| x != most);
            turned += usize::from(turn[t] == Some(true));
        }
    }
    if !sound {
        return None;
    }
    for (t, turn) in turn.into_iter().enumerate() {
        if turn == Some(true) {
            turn_round(&mut triangles[t], &mut across[t]);
        }
    }
    Some(turned)
}

/// Reverses the order of a triangle's corners, so that it is seen from the other side.
pub(crate) fn turn_round(triangle: &mut [u32; 3], across: &mut [u32; 3]) {
    triangle.swap(1, 2);
    across.swap(0, 2);
}

/// True when s runs along edge k of t the other way, as it should.
fn runs_opposite(triangles: &[[u32; 3]], t: usize, k: usize, s: usize) -> bool {
    let (u, v) = (triangles[t][k], triangles[t][(k + 1) % 3]);
    let c = triangles[s];
    (0..3).any(|j| (c[j], c[(j + 1) % 3]) == (v, u))
}

/// Per vertex of a mesh: the normals of its triangles, weighted by their angles there.
pub(crate) fn pseudo_normals(vertices: &[Vec3], triangles: &[[u32; 3]], normals: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for (t, n) in triangles.iter().zip(normals) {
        for k in 0..3 {
            let [p, q, r] = [k, k + 1, k + 2].map(|j| vertices[t[j % 3] as usize]);
            let angle = (q - p).cross(r - p).norm().atan2((q - p).dot(r - p));
            sums[t[k] as usize] += *n * angle;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::vec3;

    /// A strip of 2 n triangles around n + n vertices, closed after half a turn or not.
    fn band(n: u32, twisted: bool) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for i in 0..n {
            let (a, b) = (2 * i, 2 * i + 1);
            let (c, d) = match (i + 1 == n, twisted) {
                (false, _) => (a + 2, a + 3),
                (true, false) => (0, 1),
                (true, true) => (1, 0),
            };
            triangles.extend([[a, b, c], [c, b, d]]);
        }
        triangles
    }

    #[test]
    fn a_turned_triangle_is_turned_back_and_a_moebius_strip_is_refused() {
        let mut triangles = band(6, false);
        let as_built = triangles.clone();
        triangles[3].swap(1, 2);
        let (mut across, open, crowded) = neighbors(&triangles);
        assert_eq!((open, crowded), (12, 0));
        assert_eq!(orient(&mut triangles, &mut across), Some(1));
        let same = |p: &[u32; 3], q: &[u32; 3]| (0..3).any(|k| *p == [q[k], q[(k + 1) % 3], q[(k + 2) % 3]]);
        assert!(triangles.iter().zip(&as_built).all(|(p, q)| same(p, q)));
        let (fresh, _, _) = neighbors(&triangles);
        assert_eq!(across, fresh);

        let mut twisted = band(6, true);
        let (mut across, _, _) = neighbors(&twisted);
        assert_eq!(orient(&mut twisted, &mut across), None);
    }

    #[test]
    fn equal_points_become_one_vertex() {
        let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X, vec3(0.0, 1.0, 1e-12), vec3(1.0, 1.0, 0.0)];
        let (vertices, triangles) = weld(&p, &[[0, 1, 2], [3, 5, 4]], 1e-9);
        assert_eq!(vertices, [Vec3::ZERO, Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.0)]);
        assert_eq!(triangles, [[0, 1, 2], [1, 3, 2]]);
    }
}
