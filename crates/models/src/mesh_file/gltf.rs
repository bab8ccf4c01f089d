//! glTF 2.0, as text (.gltf) and as one binary file (.glb): a scene of nodes, each with a transform and a mesh.
//!
//! ```text
//!     X_node = parent · (its matrix, or translation · rotation · scale)
//!     vertex = z up · X_node · position                                                       (1)
//! ```
//!
//! Lengths are metres and y is up, always. What the scene shows is read; a file without a scene shows every node that is
//! not inside another. Points and lines are passed over, and so are skins and morphs; meshes that are compressed,
//! quantised or sparse are refused by name.

use super::{Affine, MAX_BYTES, MAX_TRIANGLES, Part};
use crate::load::read_bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::accessor::{DataType, Dimensions};
use gltf::{Accessor, Gltf, Node, Primitive, Semantic};
use std::path::Path;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 200;
/// Most nodes shown.
const MAX_SHOWN: usize = 100_000;
/// Extensions that keep triangles in forms of their own.
const PACKED: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"];

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Part>, String> {
    let file = Gltf::from_slice(bytes).map_err(|e| e.to_string())?;
    if let Some(packed) = file.extensions_required().find(|e| PACKED.contains(e)) {
        return Err(format!("the file needs `{packed}`, which is not read"));
    }
    let buffers = buffers(path, &file)?;
    let upright = Affine { A: Mat3::from_columns(Vec3::X, Vec3::Z, -Vec3::Y), b: Vec3::ZERO };
    let scene = file.default_scene().or_else(|| file.scenes().next());
    let mut stack: Vec<(Node<'_>, Affine, usize)> = match scene {
        Some(scene) => scene.nodes().map(|node| (node, upright, 0)).collect(),
        None => outermost(&file).map(|node| (node, upright, 0)).collect(),
    };
    stack.reverse();
    let (mut parts, mut shown, mut count) = (Vec::new(), 0, 0);
    while let Some((node, around, depth)) = stack.pop() {
        shown += 1;
        if depth > MAX_DEPTH || shown > MAX_SHOWN {
            return Err(format!("more than {MAX_SHOWN} nodes, or {MAX_DEPTH} inside each other"));
        }
        let X = around.then(&transform(&node));
        let inside: Vec<_> = node.children().map(|child| (child, X, depth + 1)).collect();
        stack.extend(inside.into_iter().rev());
        let Some(mesh) = node.mesh() else { continue };
        let mut part =
            Part { name: mesh.name().or(node.name()).unwrap_or_default().to_owned(), ..Part::default() };
        for (i, primitive) in mesh.primitives().enumerate() {
            let wrong = |e: String| format!("primitive {i} of mesh {}: {e}", mesh.index());
            let before = part.faces.len() + part.vertices.len();
            add(&primitive, &buffers, &mut part).map_err(wrong)?;
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

/// Nodes that no other holds.
fn outermost(file: &Gltf) -> impl Iterator<Item = Node<'_>> {
    let mut held = vec![false; file.nodes().len()];
    for child in file.nodes().flat_map(|node| node.children().map(|c| c.index()).collect::<Vec<_>>()) {
        if let Some(held) = held.get_mut(child) {
            *held = true;
        }
    }
    file.nodes().filter(move |node| held.get(node.index()) == Some(&false))
}

fn transform(node: &Node<'_>) -> Affine {
    let [x, y, z, b] = node.transform().matrix().map(|[x, y, z, _]| vec3(x.into(), y.into(), z.into()));
    Affine { A: Mat3::from_columns(x, y, z), b }
}

/// What the file's numbers are read from: itself, its text, or files beside it.
fn buffers(path: &Path, file: &Gltf) -> Result<Vec<Vec<u8>>, String> {
    let mut room = MAX_BYTES;
    let mut read = |buffer: gltf::Buffer<'_>| -> Result<Vec<u8>, String> {
        let wrong = |e: String| format!("buffer {}: {e}", buffer.index());
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => {
                file.blob.clone().ok_or_else(|| wrong("no binary part".to_owned()))?
            }
            gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
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
        room = room
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| wrong(format!("more than {MAX_BYTES} bytes")))?;
        Ok(bytes)
    };
    file.buffers().map(&mut read).collect()
}

/// Adds the triangles of `primitive`.
fn add(primitive: &Primitive<'_>, buffers: &[Vec<u8>], part: &mut Part) -> Result<(), String> {
    use gltf::mesh::Mode;
    let Some(positions) = primitive.get(&Semantic::Positions) else { return Ok(()) };
    is_there(&positions, buffers)?;
    if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err("positions that are not three floats each are not read".to_owned());
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let first = part.vertices.len() as u32;
    let points = reader.read_positions().into_iter().flatten();
    part.vertices.extend(points.map(|p| Vec3::from(p.map(f64::from))));
    let count = part.vertices.len() as u32 - first;
    let corners: Vec<u32> = match primitive.indices() {
        Some(indices) => {
            is_there(&indices, buffers)?;
            let whole = matches!(indices.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
            if !whole || indices.dimensions() != Dimensions::Scalar {
                return Err("indices that are not whole numbers".to_owned());
            }
            reader.read_indices().into_iter().flat_map(|indices| indices.into_u32()).collect()
        }
        None => (0..count).collect(),
    };
    if let Some(lost) = corners.iter().find(|i| **i >= count) {
        return Err(format!("a face names vertex {lost}; there are {count}"));
    }
    let corner = |i: usize| corners.get(i).map(|i| i + first);
    let triangle = |[i, j, k]: [usize; 3]| Some([corner(i)?, corner(j)?, corner(k)?]);
    let n = corners.len().saturating_sub(2);
    match primitive.mode() {
        Mode::Triangles => part.faces.extend((0..n).step_by(3).filter_map(|i| triangle([i, i + 1, i + 2]))),
        Mode::TriangleStrip => {
            part.faces.extend((0..n).filter_map(|i| triangle([i, i + 1 + i % 2, i + 2 - i % 2])));
        }
        Mode::TriangleFan => part.faces.extend((0..n).filter_map(|i| triangle([0, i + 1, i + 2]))),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => {}
    }
    Ok(())
}

/// The numbers of `accessor` are where it says.
fn is_there(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<(), String> {
    if accessor.sparse().is_some() {
        return Err("sparse numbers are not read".to_owned());
    }
    let view = accessor.view().ok_or_else(|| "numbers without a place".to_owned())?;
    let stride = view.stride().unwrap_or(accessor.size());
    let last = accessor.count().checked_sub(1).and_then(|n| n.checked_mul(stride));
    let end = last.and_then(|last| last.checked_add(accessor.offset())?.checked_add(accessor.size()));
    let of_buffer = buffers.get(view.buffer().index()).and_then(|bytes| bytes.get(view.offset()..));
    let of_view = of_buffer.and_then(|bytes| bytes.get(..view.length()));
    match (of_view, end) {
        (Some(bytes), Some(end)) if end <= bytes.len() && stride >= accessor.size() => Ok(()),
        _ => Err("numbers beyond the end of their buffer".to_owned()),
    }
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

    /// A mirrored node inside one that stands at x = 5, y = 1; `mode` and `more` of its primitive, and how its numbers are
    /// kept.
    fn file(mode: u32, more: &str, buffer: &str, length: usize) -> String {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [1]}}],
            "nodes": [{{"mesh": 0, "scale": [1, -2, 1]}}, {{"children": [0], "translation": [5, 1, 0]}}],
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

    /// y becomes z, z becomes −y; what is mirrored turns its faces round.
    #[test]
    fn nodes_are_placed_and_stand_upright() {
        let parts = read_text(&file(4, r#", "indices": 1"#, &inside(&numbers()), 60)).unwrap();
        let [part] = parts.as_slice() else { panic!("{parts:?}") };
        assert_eq!(part.name, "wing");
        let expected = [vec3(5.0, 0.0, 1.0), vec3(6.0, 0.0, 1.0), vec3(5.0, 0.0, -1.0), vec3(5.0, -1.0, 1.0)];
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
        let beside = message(&file(4, "", r#", "uri": "gone%20away.bin""#, 60));
        assert!(beside.contains("buffer 0: gone away.bin: "), "{beside}");
        let packed = file(4, "", &inside(&numbers()), 60).replace(
            r#""scene": 0,"#,
            r#""scene": 0, "extensionsRequired": ["KHR_draco_mesh_compression"],"#,
        );
        assert!(message(&packed).contains("KHR_draco_mesh_compression"), "{}", message(&packed));
    }
}
