//! COLLADA: a scene of nodes, each with a transform and geometries.
//!
//! ```text
//!     X_node = parent · (its <matrix>, <translate>, <rotate>, <scale> from first to last)    (1)
//!     vertex = up axis · unit · X_node · position                                            (2)
//! ```
//!
//! What the scene shows is read; a file without a scene shows each geometry once. COLLADA's own up
//! axis without a word is y, but robot files leave it out and mean z.

use super::{Affine, MAX_TRIANGLES, Part, fan, number};
use crate::words::shortened;
use crate::xml::{Document, Element};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use stiction_dynamics::spatial::{Mat3, Quat, Vec3, vec3};

/// Deepest nesting of nodes, copies included.
const MAX_DEPTH: usize = 200;
/// Most geometries shown, copies included.
const MAX_SHOWN: usize = 100_000;

/// Elements by id.
type Ids<'d> = BTreeMap<&'d str, Element<'d>>;

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Part>, String> {
    let document = Document::parse(path, text).map_err(|e| e.to_string())?;
    let root = document.root();
    if root.name() != "COLLADA" {
        return Err(format!("the root element is <{}>, not <COLLADA>", shortened(root.name())));
    }
    let (mut ids, mut stack) = (Ids::new(), vec![root]);
    while let Some(element) = stack.pop() {
        if let Some(id) = element.peek("id") {
            ids.entry(id.value()).or_insert(element);
        }
        stack.extend(element.children());
    }
    let outer = outer(root)?;
    let mut shown = shown(root, &ids)?;
    if shown.is_empty() {
        let geometries = children(root, "library_geometries").flat_map(|l| children(l, "geometry"));
        shown = geometries.map(|g| (Affine::IDENTITY, g)).collect();
    }
    let (mut parts, mut count) = (Vec::new(), 0);
    let mut read: BTreeMap<usize, Part> = BTreeMap::new();
    for (X, geometry) in shown {
        let part = match read.entry(geometry.id()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => slot.insert(geometry_part(geometry, &ids)?),
        };
        count += part.faces.len() + part.vertices.len();
        if count > MAX_TRIANGLES {
            return Err(at(
                geometry,
                format!("more than {MAX_TRIANGLES} triangles and vertices, copies included"),
            ));
        }
        let X = outer.then(&X);
        let vertices = part.vertices.iter().map(|v| X.apply(*v)).collect(); // (2)
        parts.push(Part { name: part.name.clone(), vertices, faces: part.faces.clone() });
    }
    Ok(parts)
}

fn children<'d, 'n>(of: Element<'d>, name: &'n str) -> impl Iterator<Item = Element<'d>> + use<'d, 'n> {
    of.children().filter(move |c| c.name() == name)
}

fn child<'d>(of: Element<'d>, name: &str) -> Option<Element<'d>> {
    of.children().find(|c| c.name() == name)
}

/// `what`, with its line.
fn at(element: Element<'_>, what: impl std::fmt::Display) -> String {
    format!("line {}: {what}", element.place().line)
}

fn numbers(of: Element<'_>) -> Result<Vec<f64>, String> {
    of.text().split_whitespace().map(|w| number(w, || at(of, format!("<{}>", of.name())))).collect()
}

fn exactly<const N: usize>(of: Element<'_>) -> Result<[f64; N], String> {
    let found = numbers(of)?;
    let n = found.len();
    <[f64; N]>::try_from(found)
        .map_err(|_| at(of, format!("<{}> holds {n} numbers; expected {N}", of.name())))
}

/// Metres, and z up.
fn outer(root: Element<'_>) -> Result<Affine, String> {
    let asset = child(root, "asset");
    let unit = asset.and_then(|a| child(a, "unit")).and_then(|u| u.peek("meter"));
    let scale = match unit {
        Some(meter) => number(meter.value().trim(), || at(meter.element, "the unit of length"))?,
        None => 1.0,
    };
    let (x, y, z) = (Vec3::X * scale, Vec3::Y * scale, Vec3::Z * scale);
    let A = match asset.and_then(|a| child(a, "up_axis")).map_or("Z_UP", |u| u.text()) {
        "Y_UP" => Mat3::from_columns(x, z, -y),
        "X_UP" => Mat3::from_columns(z, -x, y),
        _ => Mat3::from_columns(x, y, z),
    };
    Ok(Affine { A, b: Vec3::ZERO })
}

/// The element that the `url` or `source` of `of` names.
fn named<'d>(of: Element<'d>, attribute: &str, ids: &Ids<'d>) -> Result<Element<'d>, String> {
    let url = of.peek(attribute).map_or("", |a| a.value());
    let id = url.strip_prefix('#');
    id.and_then(|id| ids.get(id).copied()).ok_or_else(|| {
        at(of, format!("<{}> names `{}`, which is not in the file", of.name(), shortened(url)))
    })
}

/// Every geometry that the scene shows, with its transform.
fn shown<'d>(root: Element<'d>, ids: &Ids<'d>) -> Result<Vec<(Affine, Element<'d>)>, String> {
    let scene = match child(root, "scene").and_then(|s| child(s, "instance_visual_scene")) {
        Some(instance) => Some(named(instance, "url", ids)?),
        None => child(root, "library_visual_scenes").and_then(|l| child(l, "visual_scene")),
    };
    let mut shown = Vec::new();
    let mut stack: Vec<(Element<'d>, Affine, usize)> = Vec::new();
    stack.extend(scene.iter().flat_map(|s| children(*s, "node")).map(|n| (n, Affine::IDENTITY, 0)));
    stack.reverse();
    let mut visited = 0;
    while let Some((node, X, depth)) = stack.pop() {
        visited += 1;
        if depth > MAX_DEPTH || visited > MAX_SHOWN || shown.len() > MAX_SHOWN {
            return Err(at(
                node,
                format!("nodes more than {MAX_DEPTH} deep, or more than {MAX_SHOWN}, copies included"),
            ));
        }
        let X = X.then(&transform(node)?); // (1)
        for part in node.children() {
            match part.name() {
                "node" => stack.push((part, X, depth + 1)),
                "instance_node" => stack.push((named(part, "url", ids)?, X, depth + 1)),
                "instance_geometry" => shown.push((X, named(part, "url", ids)?)),
                "instance_controller" => {
                    let controller = named(part, "url", ids)?;
                    if let Some(skin) = child(controller, "skin") {
                        shown.push((X, named(skin, "source", ids)?));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(shown)
}

fn transform(node: Element<'_>) -> Result<Affine, String> {
    let mut X = Affine::IDENTITY;
    for step in node.children() {
        let next = match step.name() {
            "matrix" => {
                let m = exactly::<16>(step)?;
                let column = |j: usize| vec3(m[j], m[4 + j], m[8 + j]);
                Affine { A: Mat3::from_columns(column(0), column(1), column(2)), b: column(3) }
            }
            "translate" => Affine { A: Mat3::IDENTITY, b: Vec3::from(exactly::<3>(step)?) },
            "scale" => {
                let [x, y, z] = exactly::<3>(step)?;
                Affine { A: Mat3::from_columns(Vec3::X * x, Vec3::Y * y, Vec3::Z * z), b: Vec3::ZERO }
            }
            "rotate" => {
                let [x, y, z, degrees] = exactly::<4>(step)?;
                let Some(axis) = vec3(x, y, z).normalized() else { continue };
                let turn = Quat::from_axis_angle(axis, degrees.to_radians());
                Affine { A: turn.to_matrix(), b: Vec3::ZERO }
            }
            "skew" | "lookat" => {
                return Err(at(step, format!("<{}> is not read; write a <matrix>", step.name())));
            }
            _ => continue,
        };
        X = X.then(&next);
    }
    Ok(X)
}

fn geometry_part<'d>(geometry: Element<'d>, ids: &Ids<'d>) -> Result<Part, String> {
    let mut part =
        Part { name: geometry.peek("id").map_or("", |id| id.value()).to_owned(), ..Part::default() };
    // Of every source of positions: its first vertex in the part, and how many it has.
    let mut sources: BTreeMap<usize, (u32, usize)> = BTreeMap::new();
    for primitive in children(geometry, "mesh").flat_map(Element::children) {
        let faces: fn(&[u32], &mut Vec<[u32; 3]>) = match primitive.name() {
            "triangles" => |p, out| out.extend_from_slice(p.as_chunks::<3>().0),
            "polygons" | "trifans" => |p, out| out.extend(fan(p)),
            "tristrips" => |p, out| out.extend(strip(p)),
            // Each polygon by its own count, below.
            "polylist" => |_, _| {},
            _ => continue,
        };
        let (offset, stride, source) = inputs(primitive, ids)?;
        let (first, known) = match sources.entry(source.id()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(slot) => {
                let positions = positions(source, ids)?;
                let here = (part.vertices.len() as u32, positions.len());
                part.vertices.extend(positions);
                *slot.insert(here)
            }
        };
        for p in children(primitive, "p") {
            let corners = corners(p, offset, stride, known, first)?;
            if primitive.name() == "polylist" {
                polygons(primitive, &corners, &mut part.faces)?;
            } else {
                faces(&corners, &mut part.faces);
            }
        }
    }
    Ok(part)
}

/// Where in a corner the index of its position stands, how many indices a corner has, and the
/// <source> of the positions.
fn inputs<'d>(primitive: Element<'d>, ids: &Ids<'d>) -> Result<(usize, usize, Element<'d>), String> {
    let (mut found, mut stride) = (None, 1);
    for input in children(primitive, "input") {
        let offset = input.peek("offset").map_or(Ok(0), |a| a.value().trim().parse::<usize>());
        let offset = offset.ok().filter(|o| *o < 1000);
        let offset = offset
            .ok_or_else(|| at(input, "the offset of an <input>; expected a whole number below 1000"))?;
        stride = stride.max(offset + 1);
        if input.peek("semantic").is_some_and(|s| s.value() == "VERTEX") {
            found = Some((offset, named(input, "source", ids)?));
        }
    }
    let missing = || at(primitive, format!("<{}> has no <input semantic=\"VERTEX\">", primitive.name()));
    let (offset, vertices) = found.ok_or_else(missing)?;
    let position =
        children(vertices, "input").find(|i| i.peek("semantic").is_some_and(|s| s.value() == "POSITION"));
    let position =
        position.ok_or_else(|| at(vertices, "<vertices> without an <input semantic=\"POSITION\">"))?;
    Ok((offset, stride, named(position, "source", ids)?))
}

fn positions<'d>(source: Element<'d>, ids: &Ids<'d>) -> Result<Vec<Vec3>, String> {
    let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
    let array = match accessor {
        Some(accessor) => named(accessor, "source", ids)?,
        None => child(source, "float_array").ok_or_else(|| at(source, "a <source> without <float_array>"))?,
    };
    let whole = |name: &str, otherwise: usize| {
        accessor.and_then(|a| a.peek(name)).and_then(|a| a.value().trim().parse().ok()).unwrap_or(otherwise)
    };
    let (stride, offset) = (whole("stride", 3), whole("offset", 0));
    if stride < 3 {
        return Err(at(source, format!("positions of {stride} coordinates; expected 3")));
    }
    let all = numbers(array)?;
    let points = all.get(offset..).unwrap_or_default().chunks(stride);
    Ok(points.filter_map(|p| Some(vec3(*p.first()?, *p.get(1)?, *p.get(2)?))).collect())
}

/// The positions that <p> names, counted from `first`.
fn corners(
    p: Element<'_>,
    offset: usize,
    stride: usize,
    known: usize,
    first: u32,
) -> Result<Vec<u32>, String> {
    let indices = p.text().split_whitespace().skip(offset).step_by(stride);
    let corner = |word: &str| match word.parse::<u32>() {
        Ok(k) if (k as usize) < known => Ok(first + k),
        _ => Err(at(p, format!("a face names the vertex `{}`; there are {known}, from 0", shortened(word)))),
    };
    indices.map(corner).collect()
}

fn strip(p: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let triangle = |(i, w): (usize, &[u32])| match *w {
        [a, b, c] if i % 2 == 0 => Some([a, b, c]),
        [a, b, c] => Some([b, a, c]),
        _ => None,
    };
    p.windows(3).enumerate().filter_map(triangle)
}

fn polygons(list: Element<'_>, mut corners: &[u32], out: &mut Vec<[u32; 3]>) -> Result<(), String> {
    let Some(counts) = child(list, "vcount") else { return Err(at(list, "a <polylist> without <vcount>")) };
    for word in counts.text().split_whitespace() {
        let n = word.parse::<usize>().ok().filter(|n| *n <= corners.len());
        let wrong =
            || at(counts, format!("a polygon of `{}` corners; {} are left", shortened(word), corners.len()));
        let (polygon, rest) = corners.split_at(n.ok_or_else(wrong)?);
        out.extend(fan(polygon));
        corners = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with the corner of a cube as geometry, and the given asset, primitive and scene.
    fn file(asset: &str, primitive: &str, scene: &str) -> String {
        format!(
            "<COLLADA xmlns='u'><asset>{asset}</asset><library_geometries><geometry id='g'><mesh><source id='s'>\
             <float_array id='a' count='12'>0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor \
             source='#a' stride='3' count='4'/></technique_common></source><vertices id='v'><input semantic='POSITION' \
             source='#s'/></vertices>{primitive}</mesh></geometry></library_geometries><library_visual_scenes>\
             <visual_scene id='w'>{scene}</visual_scene></library_visual_scenes></COLLADA>"
        )
    }

    fn read_file(asset: &str, primitive: &str, scene: &str) -> Result<Vec<Part>, String> {
        read(Path::new("f.dae"), &file(asset, primitive, scene))
    }

    const INPUT: &str =
        "<input semantic='NORMAL' source='#s' offset='1'/><input semantic='VERTEX' source='#v' offset='0'/>";
    const SHOWN: &str = "<instance_geometry url='#g'/>";

    #[test]
    fn every_primitive_of_faces() {
        for (primitive, faces) in [
            ("<triangles><I/><p>0 9 1 9 2 9 0 9 2 9 3 9</p></triangles>", vec![[0, 1, 2], [0, 2, 3]]),
            (
                "<polylist><I/><vcount>3 3</vcount><p>0 0 1 0 2 0 0 0 2 0 3 0</p></polylist>",
                vec![[0, 1, 2], [0, 2, 3]],
            ),
            ("<polygons><I/><p>0 0 1 0 2 0 3 0</p></polygons>", vec![[0, 1, 2], [0, 2, 3]]),
            ("<trifans><I/><p>0 0 1 0 2 0 3 0</p></trifans>", vec![[0, 1, 2], [0, 2, 3]]),
            ("<tristrips><I/><p>0 0 1 0 2 0 3 0</p></tristrips>", vec![[0, 1, 2], [2, 1, 3]]),
        ] {
            let parts = read_file("", &primitive.replace("<I/>", INPUT), "").unwrap();
            assert_eq!((parts[0].name.as_str(), &parts[0].faces), ("g", &faces), "{primitive}");
        }
    }

    /// Twice shown, turned and scaled; millimetres, y up.
    #[test]
    fn scenes_units_and_axes() {
        let triangle = format!("<triangles>{INPUT}<p>0 0 1 0 3 0</p></triangles>");
        let scene = format!(
            "<node><translate>0 0 5</translate><node><rotate>0 0 1 90</rotate><scale>2 1 1</scale>{SHOWN}</node></node>\
             <node>{SHOWN}</node>"
        );
        let parts = read_file("<unit meter='0.001'/><up_axis>Y_UP</up_axis>", &triangle, &scene).unwrap();
        assert_eq!(parts.len(), 2);
        let near = |a: Vec3, b: Vec3| assert!((a - b).norm() < 1e-9, "{a:?} {b:?}");
        // e1 → 2 e1 → 2 e2, + 5 e3; then y up: (x, −z, y).
        let shown = parts.iter().find(|p| p.vertices[0].norm() > 0.0).unwrap();
        near(shown.vertices[1], vec3(0.0, -5e-3, 2e-3));
        let plain = parts.iter().find(|p| p.vertices[0].norm() == 0.0).unwrap();
        near(plain.vertices[3], vec3(0.0, -1e-3, 0.0));
    }

    #[test]
    fn lies_are_told() {
        let says = |primitive: &str, scene: &str, part: &str| {
            let e = read_file("", &primitive.replace("<I/>", INPUT), scene).unwrap_err();
            assert!(e.contains(part), "{e}");
        };
        says("<triangles><I/><p>0 0 1 0 4 0</p></triangles>", "", "the vertex `4`; there are 4");
        says("<triangles><I/><p>0 0 -1 0 2 0</p></triangles>", "", "the vertex `-1`");
        says("<triangles><p>0 1 2</p></triangles>", "", "no <input");
        says(
            "<polylist><I/><vcount>9</vcount><p>0 0 1 0</p></polylist>",
            "",
            "a polygon of `9` corners; 2 are left",
        );
        says("", "<node><instance_geometry url='#h'/></node>", "`#h`");
        says("", "<node id='n'><instance_node url='#n'/></node>", "200 deep");
        says("", "<node><matrix>1 2</matrix></node>", "2 numbers; expected 16");
        says("<triangles><I/><p>0 0 1 0 x 0</p></triangles>", "", "`x`");
    }
}
