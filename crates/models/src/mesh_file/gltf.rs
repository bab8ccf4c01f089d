//! glTF 2.0, as text (.gltf) and as one binary file (.glb): a scene of nodes, each with a transform and a mesh.
//!
//! ```text
//!     X_node = parent · (its matrix, or translation · rotation · scale)
//!     vertex = z up · X_node · position                                                       (1)
//! ```
//!
//! Lengths are metres and y is up, always. What the scene shows is read; a file without a scene shows every node that is
//! not inside another. Points and lines are passed over, and so are skins and morphs; meshes that are compressed,
//! quantised or sparse are refused by name. (The crate `gltf` panics on some damaged files.)

use super::{Affine, MAX_BYTES, MAX_TRIANGLES, Part};
use crate::files::read_bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::Path;
use stiction_dynamics::spatial::{Mat3, Quat, Vec3, vec3};

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 200;
/// Most nodes shown.
const MAX_SHOWN: usize = 100_000;
/// Kinds of numbers, as `componentType` says them.
const U8: u32 = 5121;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;
/// Extensions that keep triangles in forms of their own.
const PACKED: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"];

/// The parts of a file's text that are read.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct File {
    extensions_required: Vec<String>,
    scene: usize,
    scenes: Vec<Scene>,
    nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<View>,
    buffers: Vec<Buffer>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Scene {
    nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Node {
    name: String,
    children: Vec<usize>,
    mesh: Option<usize>,
    /// By columns.
    matrix: Option<[f64; 16]>,
    translation: [f64; 3],
    /// x, y, z, w.
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct Mesh {
    #[serde(default)]
    name: String,
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: BTreeMap<String, usize>,
    indices: Option<usize>,
    mode: Option<u32>,
}

/// Numbers of a view, `count` times.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    r#type: String,
    sparse: Option<IgnoredAny>,
}

/// A part of a buffer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
struct Buffer {
    uri: Option<String>,
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Part>, String> {
    let (text, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let file: File = serde_json::from_slice(text).map_err(|e| format!("not glTF: {e}"))?;
    if let Some(packed) = file.extensions_required.iter().find(|e| PACKED.contains(&e.as_str())) {
        return Err(format!("the file needs `{packed}`, which is not read"));
    }
    let buffers = buffers(path, &file, binary)?;
    let upright = Affine { A: Mat3::from_columns(Vec3::X, Vec3::Z, -Vec3::Y), b: Vec3::ZERO };
    let roots = match file.scenes.get(file.scene) {
        Some(scene) => scene.nodes.clone(),
        None => outermost(&file.nodes),
    };
    let mut stack: Vec<(usize, Affine, usize)> = roots.into_iter().rev().map(|i| (i, upright, 0)).collect();
    let (mut parts, mut shown, mut count) = (Vec::new(), 0, 0);
    while let Some((index, around, depth)) = stack.pop() {
        shown += 1;
        if depth > MAX_DEPTH || shown + stack.len() > MAX_SHOWN {
            return Err(format!("more than {MAX_SHOWN} nodes, or {MAX_DEPTH} inside each other"));
        }
        let node = file.nodes.get(index).ok_or_else(|| format!("node {index} does not exist"))?;
        let X = around.then(&transform(node));
        stack.extend(node.children.iter().rev().map(|&child| (child, X, depth + 1)));
        let Some(index) = node.mesh else { continue };
        let mesh = file.meshes.get(index).ok_or_else(|| format!("mesh {index} does not exist"))?;
        let name = if mesh.name.is_empty() { &node.name } else { &mesh.name };
        let mut part = Part { name: name.clone(), ..Part::default() };
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let wrong = |e: String| format!("primitive {i} of mesh {index}: {e}");
            let before = part.faces.len() + part.vertices.len();
            add(primitive, &file, &buffers, &mut part).map_err(wrong)?;
            count += part.faces.len() + part.vertices.len() - before;
            if count > MAX_TRIANGLES {
                return Err(format!("more than {MAX_TRIANGLES} triangles and vertices, copies included"));
            }
        }
        part.vertices.iter_mut().for_each(|v| *v = X.apply(*v)); // (1)
        let [x, y, z] = [0, 1, 2].map(|i| X.A.column(i));
        if x.dot(y.cross(z)) < 0.0 {
            part.faces.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        parts.push(part);
    }
    Ok(parts)
}

/// The text and the numbers of a binary file: chunks of a length, a kind and that many bytes, after twelve bytes.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk::<4>()).copied();
    let chunk = |at: usize, kind: &[u8; 4]| {
        let length = u32::from_le_bytes(word(at)?) as usize;
        let inside = bytes.get(at + 8..)?.get(..length)?;
        (word(at + 4)? == *kind).then_some(inside)
    };
    if word(4) != Some(2_u32.to_le_bytes()) {
        return Err("not version 2 of binary glTF".to_owned());
    }
    let text = chunk(12, b"JSON").ok_or_else(|| "binary glTF without its text".to_owned())?;
    Ok((text, chunk(20 + text.len(), b"BIN\0")))
}

/// Nodes that no other holds.
fn outermost(nodes: &[Node]) -> Vec<usize> {
    let mut held = vec![false; nodes.len()];
    for &child in nodes.iter().flat_map(|node| &node.children) {
        if let Some(held) = held.get_mut(child) {
            *held = true;
        }
    }
    held.iter().enumerate().filter(|e| !e.1).map(|e| e.0).collect()
}

fn transform(node: &Node) -> Affine {
    if let Some(m) = node.matrix {
        let [x, y, z, b] = [0, 4, 8, 12].map(|at| vec3(m[at], m[at + 1], m[at + 2]));
        return Affine { A: Mat3::from_columns(x, y, z), b };
    }
    let turn = node.rotation.map_or(Quat::IDENTITY, |[x, y, z, w]| Quat::new(w, x, y, z).renormalized());
    let [x, y, z] = node.scale.unwrap_or([1.0; 3]);
    let [x, y, z] = [Vec3::X * x, Vec3::Y * y, Vec3::Z * z].map(|axis| turn.rotate(axis));
    Affine { A: Mat3::from_columns(x, y, z), b: Vec3::from(node.translation) }
}

/// Buffers that the file's numbers are read from: itself, its text, or files beside it.
fn buffers(path: &Path, file: &File, binary: Option<&[u8]>) -> Result<Vec<Vec<u8>>, String> {
    let mut room = MAX_BYTES;
    let mut all = Vec::new();
    for (i, buffer) in file.buffers.iter().enumerate() {
        let wrong = |e: String| format!("buffer {i}: {e}");
        let bytes = match &buffer.uri {
            None => binary.ok_or_else(|| wrong("no binary part".to_owned()))?.to_vec(),
            Some(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let text =
                        data.split_once(";base64,").ok_or_else(|| wrong("expected base64".to_owned()))?.1;
                    STANDARD.decode(text).map_err(|e| wrong(e.to_string()))?
                }
                None => {
                    let beside = path.with_file_name(crate::path::decoded(uri));
                    read_bytes(&beside, room).map_err(|e| wrong(format!("{}: {e}", beside.display())))?
                }
            },
        };
        let more = || wrong(format!("more than {MAX_BYTES} bytes in all"));
        room = room.checked_sub(bytes.len() as u64).ok_or_else(more)?;
        all.push(bytes);
    }
    Ok(all)
}

/// Adds the triangles of `primitive`.
fn add(primitive: &Primitive, file: &File, buffers: &[Vec<u8>], part: &mut Part) -> Result<(), String> {
    let Some(&positions) = primitive.attributes.get("POSITION") else { return Ok(()) };
    let first = part.vertices.len();
    let coordinate = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
    for place in numbers::<12>(file, buffers, positions, "VEC3", F32)? {
        if let [x, y, z] = place.as_chunks::<4>().0 {
            part.vertices.push(vec3(coordinate(x), coordinate(y), coordinate(z)));
        }
    }
    let count = (part.vertices.len() - first) as u32;
    let corners: Vec<u32> = match primitive.indices {
        None => (0..count).collect(),
        Some(at) => match file.accessors.get(at).map(|a| a.component_type) {
            Some(kind @ U8) => {
                numbers::<1>(file, buffers, at, "SCALAR", kind)?.map(|&[i]| u32::from(i)).collect()
            }
            Some(kind @ U16) => numbers::<2>(file, buffers, at, "SCALAR", kind)?
                .map(|i| u16::from_le_bytes(*i).into())
                .collect(),
            Some(kind @ U32) => {
                numbers::<4>(file, buffers, at, "SCALAR", kind)?.map(|i| u32::from_le_bytes(*i)).collect()
            }
            _ => return Err("corners that are not whole numbers".to_owned()),
        },
    };
    if let Some(lost) = corners.iter().find(|i| **i >= count) {
        return Err(format!("a face names vertex {lost}; there are {count}"));
    }
    let corner = |i: usize| corners.get(i).map(|i| i + first as u32);
    let triangle = |[i, j, k]: [usize; 3]| Some([corner(i)?, corner(j)?, corner(k)?]);
    let n = corners.len().saturating_sub(2);
    match primitive.mode.unwrap_or(4) {
        4 => part.faces.extend((0..n).step_by(3).filter_map(|i| triangle([i, i + 1, i + 2]))),
        5 => part.faces.extend((0..n).filter_map(|i| triangle([i, i + 1 + i % 2, i + 2 - i % 2]))), // a strip
        6 => part.faces.extend((0..n).filter_map(|i| triangle([0, i + 1, i + 2]))),                 // a fan
        _ => {}
    }
    Ok(())
}

/// The places, of N bytes each, of the numbers of an accessor, which must be of this type and kind.
fn numbers<'b, const N: usize>(
    file: &File,
    buffers: &'b [Vec<u8>],
    index: usize,
    r#type: &str,
    kind: u32,
) -> Result<impl Iterator<Item = &'b [u8; N]>, String> {
    let accessor = file.accessors.get(index).ok_or_else(|| format!("accessor {index} does not exist"))?;
    if accessor.sparse.is_some() {
        return Err("sparse numbers are not read".to_owned());
    }
    if accessor.r#type != r#type || accessor.component_type != kind {
        return Err(format!("accessor {index} is not of the type {} and the kind {kind}", r#type));
    }
    let view = accessor.buffer_view.and_then(|view| file.buffer_views.get(view));
    let view = view.ok_or_else(|| "numbers without a place".to_owned())?;
    let bytes = buffers.get(view.buffer).and_then(|b| b.get(view.byte_offset..)?.get(..view.byte_length));
    let bytes = bytes.and_then(|b| b.get(accessor.byte_offset..)).unwrap_or_default();
    let stride = view.byte_stride.unwrap_or(N).max(N);
    let places = bytes.chunks(stride).filter_map(|place| place.first_chunk::<N>());
    if places.clone().take(accessor.count).count() < accessor.count {
        return Err("numbers beyond the end of their buffer".to_owned());
    }
    Ok(places.take(accessor.count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four points, and two triangles of them.
    fn numbers() -> Vec<u8> {
        let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32];
        let corners = [0, 1, 2, 0, 2, 3_u16];
        points
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .chain(corners.iter().flat_map(|i| i.to_le_bytes()))
            .collect()
    }

    /// A mirrored node inside one that stands at x = 5, y = 1 and is turned by 90° about y; `mode` and `more` of its primitive, and how its numbers are
    /// kept.
    fn file(mode: u32, more: &str, buffer: &str, length: usize) -> String {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [1]}}],
            "nodes": [{{"mesh": 0, "scale": [1, -2, 1]}}, {{"children": [0], "translation": [5, 1, 0], "rotation": [0, 2, 0, 2]}}],
            "meshes": [{{"name": "wing", "primitives": [{{"attributes": {{"POSITION": 0}}, "mode": {mode} {more}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}},
                {{"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 12}}],
            "buffers": [{{"byteLength": {length} {buffer}}}]}}"#
        )
    }

    fn inside(bytes: &[u8]) -> String {
        format!(r#", "uri": "data:application/octet-stream;base64,{}""#, STANDARD.encode(bytes))
    }

    fn read_text(text: &str) -> Result<Vec<Part>, String> {
        read(Path::new("wing.gltf"), text.as_bytes())
    }

    /// y becomes z, z becomes −y; what is mirrored turns its faces round, and quaternions need not be of unit length.
    #[test]
    fn nodes_are_placed_and_stand_upright() {
        let parts = read_text(&file(4, r#", "indices": 1"#, &inside(&numbers()), 60)).unwrap();
        let [part] = parts.as_slice() else { panic!("{parts:?}") };
        assert_eq!(part.name, "wing");
        let expected = [vec3(5.0, 0.0, 1.0), vec3(5.0, 1.0, 1.0), vec3(5.0, 0.0, -1.0), vec3(6.0, 0.0, 1.0)];
        assert!(part.vertices.iter().zip(expected).all(|(v, e)| (*v - e).norm() < 1e-12), "{part:?}");
        assert_eq!(part.faces, [[0, 2, 1], [0, 3, 2]]);
    }

    #[test]
    fn strips_fans_and_points() {
        let faces = |mode| {
            let parts = read_text(&file(mode, "", &inside(&numbers()), 60)).unwrap();
            parts.iter().flat_map(|p| p.faces.clone()).collect::<Vec<_>>()
        };
        assert_eq!(faces(5), [[0, 2, 1], [1, 2, 3]]); // mirrored
        assert_eq!(faces(6), [[0, 2, 1], [0, 3, 2]]);
        assert!(faces(0).is_empty());
    }

    #[test]
    fn binary_files_hold_their_numbers() {
        let mut text = file(4, r#", "indices": 1"#, "", 60).into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = b"glTF".to_vec();
        let words =
            |bytes: &mut Vec<u8>, words: &[u32]| bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        words(
            &mut bytes,
            &[2, (12 + 8 + text.len() + 8 + 60) as u32, text.len() as u32, u32::from_le_bytes(*b"JSON")],
        );
        bytes.extend(&text);
        words(&mut bytes, &[60, u32::from_le_bytes(*b"BIN\0")]);
        bytes.extend(numbers());
        let text = file(4, r#", "indices": 1"#, &inside(&numbers()), 60);
        assert_eq!(read(Path::new("wing.glb"), &bytes).unwrap(), read_text(&text).unwrap());
    }

    #[test]
    fn what_is_not_there_is_told() {
        let message = |text: &str| read_text(text).unwrap_err();
        let short = message(&file(4, "", &inside(&numbers()[..40]), 40));
        assert!(short.contains("primitive 0 of mesh 0: numbers beyond the end of their buffer"), "{short}");
        let mut lost = numbers();
        lost[58] = 9;
        let lost = message(&file(4, r#", "indices": 1"#, &inside(&lost), 60));
        assert!(lost.contains("a face names vertex 9; there are 4"), "{lost}");
        let round = message(r#"{"scenes": [{"nodes": [0]}], "nodes": [{"children": [0, 0]}]}"#);
        assert!(round.contains("200 inside each other"), "{round}");
        let beside = message(&file(4, "", r#", "uri": "gone%20away.bin""#, 60));
        assert!(beside.contains("buffer 0: gone away.bin: "), "{beside}");
        let packed = file(4, "", &inside(&numbers()), 60).replace(
            r#""scene": 0,"#,
            r#""scene": 0, "extensionsRequired": ["KHR_draco_mesh_compression"],"#,
        );
        assert!(message(&packed).contains("KHR_draco_mesh_compression"), "{}", message(&packed));
    }
}
