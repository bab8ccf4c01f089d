//! Meshes as hulls, convex parts and triangles, in every format, and parts from the cache.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use stiction_collision::{Decomposition, Shape};
use stiction_models::{HullCache, LoadOptions, Meshes, load_str};
use stiction_world::World;

/// Two cubes of side 1 with a gap of 1 between them, as OBJ.
fn dumb_bell() -> String {
    let mut text = String::new();
    for x in [0.0, 2.0] {
        for i in 0..8 {
            text +=
                &format!("v {} {} {}\n", x + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
        }
    }
    let faces = [
        [1, 3, 2],
        [2, 3, 4],
        [5, 6, 7],
        [6, 8, 7],
        [1, 2, 5],
        [2, 6, 5],
        [3, 7, 4],
        [4, 7, 8],
        [1, 5, 3],
        [3, 5, 7],
        [2, 4, 6],
        [4, 8, 6],
    ];
    for first in [0, 8] {
        faces.iter().for_each(|f| text += &format!("f {} {} {}\n", f[0] + first, f[1] + first, f[2] + first));
    }
    text
}

const URDF: &str = "<robot name='r'><link name='a'><collision name='bar'><geometry>\
                    <mesh filename='bar.obj'/></geometry></collision></link></robot>";
const SDF: &str = "<sdf version='1.9'><model name='m'><link name='a'><collision name='bar'><geometry><mesh>\
                   <uri>bar.obj</uri></mesh></geometry></collision></link></model></sdf>";
const MJCF: &str = "<mujoco><asset><mesh name='bar' file='bar.obj'/></asset><worldbody><geom name='floor' \
                    type='plane' size='1 1 1'/><body><freejoint/><geom name='bar' type='mesh' mesh='bar'/></body>\
                    </worldbody><contact><pair geom1='floor' geom2='bar'/></contact></mujoco>";

/// A folder of this test's own, with the mesh in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stiction-touch-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("bar.obj"), dumb_bell()).unwrap();
        Self(folder)
    }

    fn read(&self, text: &str, meshes: Meshes) -> World {
        let options = LoadOptions { meshes, ..LoadOptions::default() };
        load_str(text, Path::new("f"), &self.0, &options).unwrap_or_else(|e| panic!("{e}"))
    }

    fn parts(&self) -> Meshes {
        let cache = HullCache::Folder(self.0.join("cache"));
        Meshes::Decompose { how: Decomposition::default(), cache }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bars(world: &World) -> Vec<(&str, &Shape)> {
    let bars = world.geometries.iter().filter(|g| !matches!(g.shape, Shape::Plane));
    bars.map(|g| (g.name.rsplit("::").next().unwrap(), &g.shape)).collect()
}

#[test]
fn every_format_has_hulls_parts_and_triangles() {
    let folder = Folder::new("formats");
    for text in [URDF, SDF, MJCF] {
        let world = folder.read(text, Meshes::Hull);
        // SDF says that a mesh touches as it is; its hull would fill hollows.
        let kept = text == SDF && matches!(*bars(&world), [("bar", Shape::Mesh(_))]);
        assert!(kept || text != SDF && matches!(*bars(&world), [("bar", Shape::Convex(_))]), "{text}");
        let world = folder.read(text, folder.parts());
        assert!(matches!(*bars(&world), [("bar", Shape::Convex(_)), ("bar.1", Shape::Convex(_))]), "{text}");
        let world = folder.read(text, Meshes::Triangles);
        assert!(matches!(*bars(&world), [("bar", Shape::Mesh(_))]), "{text}");
    }
}

/// The mass is that of the mesh, not of what touches; a contact pair is one of every part.
#[test]
fn mass_and_pairs_do_not_depend_on_the_parts() {
    let folder = Folder::new("mass");
    let (hull, parts) = (folder.read(MJCF, Meshes::Hull), folder.read(MJCF, folder.parts()));
    assert_eq!(hull.model.moving_mass(), parts.model.moving_mass());
    assert_eq!(hull.pairs.iter().map(|p| p.geometries).collect::<Vec<_>>(), [[0, 1]]);
    assert_eq!(parts.pairs.iter().map(|p| p.geometries).collect::<Vec<_>>(), [[0, 1], [0, 2]]);
}

/// A sheet has no hull; in MJCF it touches all the same.
#[test]
fn a_sheet_touches_with_its_triangles() {
    let text = "<mujoco><asset><mesh name='sheet' vertex='0 0 0 1 0 0 1 1 0 0 1 0' face='0 1 2 0 2 3' \
                inertia='shell'/></asset><worldbody><geom type='mesh' mesh='sheet'/></worldbody></mujoco>";
    let world = Folder::new("sheet").read(text, Meshes::Hull);
    assert!(matches!(*bars(&world), [("", Shape::Mesh(_))]), "{:?}", world.geometries);
    assert!(world.ledger.warnings.iter().any(|w| w.1.contains("its triangles touch")));
}

/// So it does as a plate of a URDF.
#[test]
fn a_plate_of_a_urdf_touches_with_its_triangles() {
    let folder = Folder::new("plate");
    std::fs::write(folder.0.join("plate.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
        .unwrap();
    let text = "<robot name='r'><link name='a'><collision><geometry><mesh filename='plate.obj'/></geometry>\
                </collision></link></robot>";
    let world = folder.read(text, Meshes::Hull);
    assert!(matches!(world.geometries[0].shape, Shape::Mesh(_)), "{:?}", world.geometries);
    assert!(world.ledger.warnings.iter().any(|w| w.1.contains("its triangles touch")));
}

/// The second load reads the entry and leaves it as it is.
#[test]
fn the_second_load_comes_from_the_cache() {
    let folder = Folder::new("cache");
    let corners = |world: &World| -> Vec<_> {
        let of = |shape: &Shape| match shape {
            Shape::Convex(hull) => hull.vertices().to_vec(),
            other => panic!("{other:?}"),
        };
        bars(world).iter().map(|(_, shape)| of(shape)).collect()
    };
    let entries = || -> Vec<_> {
        let entries = std::fs::read_dir(folder.0.join("cache")).unwrap().map(|e| e.unwrap());
        entries.map(|e| (e.path(), e.metadata().unwrap().modified().unwrap())).collect()
    };
    let first = corners(&folder.read(URDF, folder.parts()));
    let written = entries();
    assert_eq!(written.len(), 1);
    assert_eq!(corners(&folder.read(URDF, folder.parts())), first);
    assert_eq!(entries(), written);
}
