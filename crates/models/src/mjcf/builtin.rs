//! Meshes that MuJoCo makes itself: `<mesh builtin="…" params="…"/>`.
//!
//! ```text
//!     c_m(ω) = sgn(cos ω) |cos ω|^m,   s_m(ω) = sgn(sin ω) |sin ω|^m
//!     supersphere   (c_n(v) c_e(u), c_n(v) s_e(u), s_n(v))                                      (1)
//!     supertorus    ((1 + r c_s(v)) c_t(u), (1 + r c_s(v)) s_t(u), r s_s(v))                    (2)
//! ```
//!
//! Coordinates are rounded to single precision, as MuJoCo keeps them.

use crate::error::LoadError;
use crate::triangle_mesh::TriangleMesh;
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use stiction_dynamics::spatial::{Vec3, vec3};

/// Most sides, rings or rows.
const MAX_RESOLUTION: u32 = 1000;

/// The mesh that `builtin` asks for; a cone is vertices alone. True: a surface without inside.
pub(crate) fn read(e: Element<'_>, builtin: Attribute<'_>) -> Result<(TriangleMesh, bool), LoadError> {
    let word = builtin.value().trim();
    let (count, what) = match word {
        "hemisphere" => (1, "the resolution, 0 to 10"),
        "sphere" => (1, "the number of subdivisions, 0 to 4"),
        "supersphere" => (3, "resolution >= 3, e >= 0, n >= 0"),
        "supertorus" => (4, "resolution >= 3, radius in (0, 1], s > 0, t > 0"),
        "wedge" => (5, "two resolutions > 0, two fields of view > 0 [deg], gamma in [0, 1]"),
        "plate" => (2, "two resolutions > 0"),
        "cone" => (2, "number of sides >= 3, radius of the top >= 0"),
        _ => {
            let words = "hemisphere, sphere, supersphere, supertorus, wedge, plate or cone";
            return Err(builtin.error(words));
        }
    };
    let params = e.require("params", what)?;
    let p = params.numbers(count, count)?;
    let wrong = || params.error(what);
    let number = |i: usize| p.get(i).copied().unwrap_or(0.0);
    let resolution = |i: usize, least: u32, most: u32| {
        let fits = number(i) >= f64::from(least) && number(i) < f64::from(most) + 1.0;
        if fits { Ok(number(i) as u32) } else { Err(wrong()) }
    };
    let check = |fine: bool| if fine { Ok(()) } else { Err(wrong()) };
    let mesh = match word {
        "hemisphere" => hemisphere(resolution(0, 0, 10)?),
        "sphere" => sphere(resolution(0, 0, 4)?),
        "supersphere" => {
            check(number(1) >= 0.0 && number(2) >= 0.0)?;
            supersphere(resolution(0, 3, MAX_RESOLUTION)?, number(1), number(2))
        }
        "supertorus" => {
            check(number(1) > 0.0 && number(1) <= 1.0 && number(2) > 0.0 && number(3) > 0.0)?;
            supertorus(resolution(0, 3, MAX_RESOLUTION)?, number(1), number(2), number(3))
        }
        "plate" => plate(resolution(0, 1, MAX_RESOLUTION)?, resolution(1, 1, MAX_RESOLUTION)?),
        "cone" => {
            check(number(1) >= 0.0)?;
            cone(resolution(0, 3, MAX_RESOLUTION)?, number(1))
        }
        _ => return Err(builtin.error("a mesh of a geom: a wedge is for tactile sensors alone")),
    };
    Ok((rounded(mesh), word == "plate"))
}

/// Vertices as MuJoCo keeps them.
pub(crate) fn rounded(mut mesh: TriangleMesh) -> TriangleMesh {
    let single = |x: f64| f64::from(x as f32);
    for v in &mut mesh.vertices {
        *v = vec3(single(v.x), single(v.y), single(v.z));
    }
    mesh
}

/// Rows of squares from the pole down, normalised, with a cap.
fn hemisphere(resolution: u32) -> TriangleMesh {
    let equator = [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y];
    let mut mesh = TriangleMesh { vertices: vec![Vec3::Z], triangles: Vec::new() };
    for row in 0..=resolution {
        let down = f64::from(row + 1) / f64::from(resolution + 1);
        for side in 0..4 {
            let corner = |k: usize| Vec3::Z + (equator[k % 4] - Vec3::Z) * down;
            let (start, end) = (corner(side), corner(side + 1));
            for i in 0..=row {
                let p = start + (end - start) * (f64::from(i) / f64::from(row + 1));
                mesh.vertices.push(p * (1.0 / p.norm()));
            }
        }
    }
    mesh.triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    for row in 0..resolution {
        let (start, count) = (2 * row * (row + 1) + 1, 4 * (row + 1));
        let (below, more) = (start + count, count + 4);
        for side in 0..4 {
            for i in 0..row + 2 {
                let (v, w) = (i + (row + 1) * side, i + (row + 2) * side);
                let (a, b) = (start + v % count, start + (v + 1) % count);
                let (c, d) = (below + w % more, below + (w + 1) % more);
                mesh.triangles.push([a, c, d]);
                if i < row + 1 {
                    mesh.triangles.push([a, d, b]);
                }
            }
        }
    }
    let (start, count) = (2 * resolution * (resolution + 1) + 1, 4 * (resolution + 1));
    let centre = mesh.vertices.len() as u32;
    mesh.vertices.push(Vec3::ZERO);
    mesh.triangles.extend((0..count).map(|i| [start + i, centre, start + (i + 1) % count]));
    mesh
}

/// The icosahedron, every triangle cut in four `times` times.
fn sphere(times: u32) -> TriangleMesh {
    let phi = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices = Vec::new();
    for turn in [|a, b| vec3(a, b, 0.0), |a, b| vec3(0.0, a, b), |a, b| vec3(b, 0.0, a)] {
        let p = [(-1.0, phi), (1.0, phi), (-1.0, -phi), (1.0, -phi)];
        vertices.extend(p.map(|(a, b)| turn(a, b) * (1.0 / (1.0 + phi * phi).sqrt())));
    }
    let mut mesh = rounded(TriangleMesh { vertices, triangles: ICOSAHEDRON.to_vec() });
    for _ in 0..times {
        let mut cut: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
        for [a, b, c] in std::mem::take(&mut mesh.triangles) {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(i, j)| {
                *cut.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let at = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or(Vec3::ZERO);
                    let m = (at(i) + at(j)) * 0.5;
                    mesh.vertices.push(m * (1.0 / m.norm()));
                    mesh.vertices.len() as u32 - 1
                })
            });
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        mesh.triangles = triangles;
        mesh = rounded(mesh);
    }
    mesh
}

const ICOSAHEDRON: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

fn power(x: f64, m: f64) -> f64 {
    x.abs().powf(m).copysign(x)
}

/// Mesh of the supersphere (1).
fn supersphere(n: u32, e: f64, flat: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh { vertices: vec![-Vec3::Z], triangles: Vec::new() };
    for i in 1..n {
        let (sv, cv) = (-FRAC_PI_2 + f64::from(i) * PI / f64::from(n)).sin_cos();
        for j in 0..n {
            let (su, cu) = (-PI + f64::from(j) * TAU / f64::from(n)).sin_cos();
            let ring = power(cv, flat);
            mesh.vertices.push(vec3(ring * power(cu, e), ring * power(su, e), power(sv, flat)));
        }
    }
    let (top, last) = (mesh.vertices.len() as u32, 1 + (n - 2) * n);
    mesh.vertices.push(Vec3::Z);
    for j in 0..n {
        mesh.triangles.push([0, 1 + (j + 1) % n, 1 + j]);
        mesh.triangles.push([last + j, last + (j + 1) % n, top]);
    }
    for i in 0..n - 2 {
        for j in 0..n {
            let (a, b) = (1 + i * n + j, 1 + i * n + (j + 1) % n);
            mesh.triangles.extend([[a, b, a + n], [b, b + n, a + n]]);
        }
    }
    mesh
}

/// Mesh of the supertorus (2).
fn supertorus(n: u32, r: f64, s: f64, t: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let angle = |i: u32| (TAU * f64::from(i) / f64::from(n)).sin_cos();
    for i in 0..n {
        for j in 0..n {
            let ((su, cu), (sv, cv)) = (angle(i), angle(j));
            let ring = 1.0 + r * power(cv, s);
            mesh.vertices.push(vec3(ring * power(cu, t), ring * power(su, t), r * power(sv, s)));
            let (a, b) = (i * n + j, ((i + 1) % n) * n + j);
            let (c, d) = (((i + 1) % n) * n + (j + 1) % n, i * n + (j + 1) % n);
            mesh.triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    mesh
}

/// Centres of the cells of a square of side 2 at z = −1.
fn plate(nx: u32, ny: u32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for i in 0..nx {
        for j in 0..ny {
            let at = |k: u32, n: u32| -1.0 + (f64::from(k) + 0.5) * 2.0 / f64::from(n);
            mesh.vertices.push(vec3(at(i, nx), at(j, ny), -1.0));
            if i > 0 && j > 0 {
                let (a, b) = ((i - 1) * ny + j - 1, i * ny + j - 1);
                mesh.triangles.extend([[a, b, a + 1], [b + 1, a + 1, b]]);
            }
        }
    }
    mesh
}

/// The corners of a frustum, or of a pyramid if its top has no radius.
fn cone(sides: u32, top: f64) -> TriangleMesh {
    let ring = |radius: f64, z: f64| {
        (0..sides).map(move |i| {
            let (s, c) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
            vec3(radius * c, radius * s, z)
        })
    };
    let mut vertices: Vec<Vec3> = ring(1.0, -1.0).collect();
    if top > 0.0 {
        vertices.extend(ring(top, 1.0));
    } else {
        vertices.push(Vec3::Z);
    }
    TriangleMesh { vertices, triangles: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle_mesh::Filling;

    /// All but the plate enclose a volume from outside; fine ones come near the solid they stand for.
    #[test]
    fn closed_outward_and_near_their_solids() {
        for (mesh, volume, error) in [
            (sphere(4), 4.0 / 3.0 * PI, 0.01),
            (hemisphere(10), 2.0 / 3.0 * PI, 0.02),
            (supersphere(40, 1.0, 1.0), 4.0 / 3.0 * PI, 0.02),
            (supertorus(40, 0.5, 1.0, 1.0), 2.0 * PI * PI * 0.25, 0.02),
        ] {
            let solid = mesh.inertia(Filling::Exact);
            assert!((solid.mass / volume - 1.0).abs() < error, "{} {volume}", solid.mass);
            assert!(solid.com().x.abs() < 1e-6 && solid.com().y.abs() < 1e-6);
        }
        assert_eq!((cone(5, 0.0).vertices.len(), cone(5, 0.1).vertices.len()), (6, 10));
        let area = plate(4, 4).inertia(Filling::Shell).mass;
        assert!((area - 1.5 * 1.5).abs() < 1e-12, "{area}");
    }
}
