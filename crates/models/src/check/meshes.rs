//! Meshes that things touch with: their files, looked at once each.
//!
//! ```text
//!     closed and oriented: every directed edge (a, b) occurs once, and (b, a) once      (1)
//!     inside out: closed, and of negative volume                                       (2)
//! ```

use super::report::{Findings, Rule, note, number, numbers, warning};
use super::subject::Subject;
use crate::mesh::{FORMATS, MeshStore};
use crate::meshes::Meshes;
use crate::mjcf::compiler;
use crate::mjcf::compiler::Compiler;
use crate::mjcf::defaults::{Defaults, MAIN};
use crate::path::{self, Wanted};
use crate::triangle_mesh::{Filling, TriangleMesh};
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use stiction_dynamics::spatial::{Vec3, vec3};

const OPEN: Rule = note(
    "mesh-open",
    "a collision mesh is not closed: it has no inside, and the mass of its solid means nothing; of a URDF \
     told with --meshes decompose or triangles only: a hull does not mind",
    "close it, or use simple shapes",
);
const INSIDE_OUT: Rule = warning(
    "mesh-inside-out",
    "a collision mesh is closed, and its faces look inward",
    "turn its faces round",
);
const DEGENERATE: Rule = note(
    "mesh-degenerate",
    "more than one percent of a collision mesh's triangles have no area",
    "clean the mesh",
);
const TRIANGLES: Rule = note(
    "mesh-triangles",
    "a collision mesh of more than 20000 triangles: slow to load, and no better to touch with",
    "simplify it, or use simple shapes",
);
const SCALE: Rule = warning(
    "mesh-scale",
    "a mesh larger than 20 m or smaller than a millimetre: mm instead of m, or a scale too many",
    "write the scale that turns the file's unit into metres (0.001 for mm)",
);

pub(super) const RULES: &[Rule] = &[OPEN, INSIDE_OUT, DEGENERATE, TRIANGLES, SCALE];

const MAX_TRIANGLES: usize = 20_000;
/// More meshes are not opened a second time.
const MAX_FILES: usize = 300;

/// A mesh of the file that things touch with.
struct Use<'d> {
    element: Element<'d>,
    file: Attribute<'d>,
    path: PathBuf,
    scale: Vec3,
}

pub(super) fn look(subject: &Subject<'_>, out: &mut Findings) {
    if subject.world.is_none() {
        return;
    }
    let uses = match subject.document.root().name() {
        "mujoco" => of_mjcf(subject),
        _ => of_collisions(subject),
    };
    // A hull asks for vertices only; of a URDF, nothing asks for more.
    let only_hull =
        subject.document.root().name() == "robot" && subject.context.options.meshes == Meshes::Hull;
    let mut store = MeshStore::default();
    let mut seen = BTreeSet::new();
    for mesh in uses {
        let key = (mesh.path.clone(), mesh.scale.to_array().map(f64::to_bits));
        if seen.len() < MAX_FILES
            && seen.insert(key)
            && let Ok(triangles) = store.file(&mesh.path)
        {
            one(&mesh, &triangles, only_hull, out);
        }
    }
}

fn scale(element: Element<'_>) -> Vec3 {
    let child = || element.children().find(|c| c.name() == "scale").map(Element::content);
    element.peek("scale").or_else(child).map_or_else(|| vec3(1.0, 1.0, 1.0), scale_of)
}

/// Ones where it cannot be read.
fn scale_of(stated: Attribute<'_>) -> Vec3 {
    match *stated.numbers(1, 3).unwrap_or_default().as_slice() {
        [s] => vec3(s, s, s),
        [x, y, z] => vec3(x, y, z),
        _ => vec3(1.0, 1.0, 1.0),
    }
}

/// Meshes that touch in URDF and SDF files.
fn of_collisions<'d>(subject: &Subject<'d>) -> Vec<Use<'d>> {
    let colliding = |e: &Element<'_>| {
        let around = e.parent().filter(|g| g.name() == "geometry").and_then(Element::parent);
        e.name() == "mesh" && around.is_some_and(|c| c.name() == "collision")
    };
    let meshes = subject.elements().into_iter().filter(colliding);
    let found = meshes.filter_map(|element| {
        let uri = || element.children().find(|c| c.name() == "uri").map(Element::content);
        let file = element.peek("filename").or_else(uri)?;
        let path =
            path::resolve(&subject.context, subject.context.folder, file, Wanted::File(FORMATS)).ok()?;
        Some(Use { element, file, path, scale: scale(element) })
    });
    found.collect()
}

/// Meshes of geoms, without those whose class or masks say that they are only drawn.
fn of_mjcf<'d>(subject: &Subject<'d>) -> Vec<Use<'d>> {
    let Ok(compiler) = Compiler::read(subject.document.root(), subject.context.folder) else {
        return Vec::new();
    };
    let defaults = Defaults::read(subject.document.root()).ok();
    let elements = subject.elements();
    let zero = |e: &Element<'_>, name: &str| e.peek(name).is_some_and(|a| a.value().trim() == "0");
    let drawn = |e: &Element<'_>| {
        let class = e.peek("class").map_or("", |a| a.value());
        class.contains("visual") || (zero(e, "contype") && zero(e, "conaffinity"))
    };
    let named: BTreeSet<&str> = (elements.iter())
        .filter(|e| e.name() == "geom" && !drawn(e))
        .filter_map(|e| e.peek("mesh").map(|a| a.value()))
        .collect();
    let assets = elements.iter().filter(|e| e.name() == "mesh" && e.parent_name() == "asset");
    let found = assets.filter_map(|&element| {
        let file = element.peek("file")?;
        let path = compiler::path(file, &compiler);
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let name = element.peek("name").map_or(stem, |n| n.value().to_owned());
        // The scale may stand in a default.
        let styled = defaults.as_ref().and_then(|d| d.styled(element, "mesh", MAIN).ok());
        let scale = styled.and_then(|s| s.get("scale")).map_or_else(|| vec3(1.0, 1.0, 1.0), scale_of);
        named.contains(name.as_str()).then_some(Use { element, file, scale, path })
    });
    found.collect()
}

fn one(mesh: &Use<'_>, triangles: &TriangleMesh, only_hull: bool, out: &mut Findings) {
    let name = mesh.file.value().trim();
    let mut say = |rule, reason: String| {
        out.add_at(rule, mesh.file.place(), mesh.element.described(), name, reason);
    };
    let n = triangles.triangles.len();
    if n > MAX_TRIANGLES {
        say(&TRIANGLES, format!("{n} triangles"));
    }
    let size = size(triangles);
    if !only_hull {
        faces(triangles, size.norm(), &mut say);
    }
    let scaled = vec3(size.x * mesh.scale.x, size.y * mesh.scale.y, size.z * mesh.scale.z).norm();
    if !(1e-3..=20.0).contains(&scaled) {
        let reason = format!(
            "its box has sides {}, its scale is ({}): {} m across",
            numbers(&size.to_array()),
            numbers(&mesh.scale.to_array()),
            number(scaled)
        );
        say(&SCALE, reason);
    }
}

/// Checks the faces of a mesh.
fn faces(triangles: &TriangleMesh, size: f64, say: &mut impl FnMut(&'static Rule, String)) {
    let n = triangles.triangles.len();
    let flat = degenerate(triangles, size);
    if flat * 100 > n {
        say(&DEGENERATE, format!("{flat} of {n} triangles have no area"));
    }
    let open = open_edges(triangles);
    let volume = triangles.inertia(Filling::Exact).mass;
    if open > 0 {
        say(&OPEN, format!("{open} edges do not join exactly two faces that look the same way"));
    } else if volume < 0.0 {
        say(&INSIDE_OUT, format!("its volume is {} m³", number(volume)));
    }
}

/// Sides of the box around the mesh.
fn size(mesh: &TriangleMesh) -> Vec3 {
    let Some(&first) = mesh.vertices.first() else { return Vec3::ZERO };
    let (mut low, mut high) = (first, first);
    for v in &mesh.vertices {
        for i in 0..3 {
            low[i] = low[i].min(v[i]);
            high[i] = high[i].max(v[i]);
        }
    }
    high - low
}

fn degenerate(mesh: &TriangleMesh, size: f64) -> usize {
    let corner = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or(Vec3::ZERO);
    let flat = |&&[a, b, c]: &&[u32; 3]| {
        let area = (corner(b) - corner(a)).cross(corner(c) - corner(a)).norm();
        area <= 1e-14 * size * size
    };
    mesh.triangles.iter().filter(flat).count()
}

/// Edges that break (1); triangles without area aside.
fn open_edges(mesh: &TriangleMesh) -> usize {
    let mut edges: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        if a == b || b == c || a == c {
            continue;
        }
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let [along, against] = edges.entry((from.min(to), from.max(to))).or_default();
            *(if from < to { along } else { against }) += 1;
        }
    }
    edges.values().filter(|e| **e != [1, 1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{LoadOptions, check_text};
    use std::fmt::Write;

    fn tetrahedron() -> TriangleMesh {
        TriangleMesh {
            vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn edges_of_a_tetrahedron() {
        let mut mesh = tetrahedron();
        assert_eq!((open_edges(&mesh), degenerate(&mesh, 1.0)), (0, 0));
        mesh.triangles.push([0, 1, 1]);
        assert_eq!((open_edges(&mesh), degenerate(&mesh, 1.0)), (0, 1));
        mesh.triangles[3] = [2, 1, 3];
        assert_eq!(open_edges(&mesh), 3);
        mesh.triangles.pop();
        mesh.triangles.pop();
        assert_eq!(open_edges(&mesh), 3);
    }

    /// Findings for a robot file that touches with this mesh, written as OBJ.
    fn told(name: &str, mesh: &TriangleMesh, scale: &str) -> Vec<&'static str> {
        let folder = std::env::temp_dir().join(format!("stiction-meshes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut text = String::new();
        mesh.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
        mesh.triangles
            .iter()
            .for_each(|t| writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap());
        std::fs::write(folder.join(name), text).unwrap();
        let urdf = format!(
            "<robot name='r'><link name='a'><collision><geometry><mesh filename='{name}' scale='{scale}'/></geometry>\
             </collision></link></robot>"
        );
        let told = |meshes| {
            let options = LoadOptions { meshes, ..LoadOptions::default() };
            let report = check_text(&urdf, Path::new("f"), &folder, &options);
            report.findings.iter().map(|f| f.rule.code).collect::<Vec<_>>()
        };
        let faces = ["mesh-open", "mesh-inside-out", "mesh-degenerate"];
        assert!(told(Meshes::Hull).iter().all(|code| !faces.contains(code)));
        told(Meshes::Triangles)
    }

    use std::path::Path;

    /// The scale of an MJCF mesh may be its class's.
    #[test]
    fn scales_of_defaults_count() {
        let folder = std::env::temp_dir().join(format!("stiction-scales-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let corners = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(folder.join("mm.obj"), corners).unwrap();
        let told = |scale: &str| {
            let mjcf = format!(
                "<mujoco><default><mesh {scale}/></default><asset><mesh name='m' file='mm.obj'/></asset><worldbody>\
                 <body><geom type='mesh' mesh='m' mass='1'/></body></worldbody></mujoco>"
            );
            let report = check_text(&mjcf, Path::new("f"), &folder, &LoadOptions::default());
            report.findings.iter().any(|f| f.rule.code == "mesh-scale")
        };
        assert!(told(""));
        assert!(!told("scale='0.001 0.001 0.001'"));
    }

    #[test]
    fn each_wrong_mesh_by_its_name() {
        let good = tetrahedron();
        assert!(told("good.obj", &good, "1 1 1").is_empty());
        assert_eq!(told("large.obj", &good, "50 50 50"), ["mesh-scale"]);
        let inward = TriangleMesh {
            triangles: good.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(),
            ..good.clone()
        };
        assert_eq!(told("inward.obj", &inward, "1 1 1"), ["mesh-inside-out"]);
        let open = TriangleMesh { triangles: good.triangles[..3].to_vec(), ..good.clone() };
        assert_eq!(told("open.obj", &open, "1 1 1"), ["mesh-open"]);
        let mut flat = good.clone();
        flat.triangles.push([0, 1, 1]);
        assert_eq!(told("flat.obj", &flat, "1 1 1"), ["mesh-degenerate"]);
        let mut many = good.clone();
        (0..MAX_TRIANGLES).for_each(|i| many.triangles.push(if i % 2 == 0 { [0, 1, 2] } else { [0, 2, 1] }));
        assert_eq!(told("many.obj", &many, "1 1 1"), ["mesh-open", "mesh-triangles"]);
    }
}
