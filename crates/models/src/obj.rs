//! Wavefront OBJ: vertices and faces, in full precision; everything else in a file is about pictures.
//!
//! Faces with more than three corners are fanned out from their first. Groups and objects (`g`, `o`) name parts.
//! A file of points alone is returned as it is.

use crate::triangle_mesh::TriangleMesh;
use stiction_dynamics::spatial::vec3;

/// Most vertices and most triangles.
const MOST: usize = 1 << 24;

/// The parts of `bytes` that are called `only`, or all.
pub(crate) fn read(bytes: &[u8], only: Option<&str>) -> Result<TriangleMesh, String> {
    let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
    let mut mesh = TriangleMesh::default();
    let mut names: Vec<&str> = Vec::new();
    let mut wanted = only.is_none();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let wrong =
            |what: &str| format!("line {}: {what}: `{}`", number + 1, crate::words::shortened(line.trim()));
        match words.next() {
            Some("v") => {
                let mut coordinate = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite());
                let (Some(x), Some(y), Some(z)) = (coordinate(), coordinate(), coordinate()) else {
                    return Err(wrong("a vertex needs three finite numbers"));
                };
                mesh.vertices.push(vec3(x, y, z));
            }
            Some("f") => {
                let count = mesh.vertices.len();
                let corner = |word: &str| {
                    let index: i64 = word.split('/').next()?.parse().ok()?;
                    // From 1, or from the end if negative.
                    let at = if index < 0 { count as i64 + index } else { index - 1 };
                    u32::try_from(at).ok().filter(|&i| (i as usize) < count)
                };
                let corners: Option<Vec<u32>> = words.map(corner).collect();
                let Some(corners) = corners else {
                    return Err(wrong("a face names vertices that do not exist"));
                };
                if let (true, [first, rest @ ..]) = (wanted, corners.as_slice()) {
                    mesh.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                }
            }
            Some("o" | "g") => {
                let name = words.next().unwrap_or_default();
                wanted = only.is_none_or(|only| only == name);
                names.push(name);
            }
            _ => {}
        }
        if mesh.vertices.len() > MOST || mesh.triangles.len() > MOST {
            return Err(format!("more than {MOST} vertices or triangles"));
        }
    }
    if let Some(only) = only.filter(|only| !names.contains(only)) {
        names.truncate(20);
        return Err(format!("no part is called `{only}`; there are: {}", names.join(", ")));
    }
    let points_alone = only.is_none() && mesh.triangles.is_empty();
    Ok(if points_alone { mesh } else { mesh.without_strays() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_negative_indices_and_parts() {
        let text =
            b"v 0 0 0\nv 1 0 0\nv 1 1 0 # corner\nv 0 1 0.1\no one\nf 1/1/1 2//3 3/2 4\no two\nf -4 -3 -1\n";
        let all = read(text, None).unwrap();
        assert_eq!(all.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
        assert_eq!(all.vertices[3].z, 0.1);
        let two = read(text, Some("two")).unwrap();
        assert_eq!((two.triangles.as_slice(), two.vertices.len()), ([[0, 1, 2]].as_slice(), 3));
        assert!(read(text, Some("three")).unwrap_err().contains("one, two"));
        // Points alone stay; a part without faces has none of the others' points.
        let points = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no rim\nl 1 2 3\n";
        assert_eq!(read(points, None).unwrap().vertices.len(), 4);
        assert!(read(points, Some("rim")).unwrap().vertices.is_empty());
        assert!(read(b"v 0 0 0\nf 1 2 3\n", None).unwrap_err().contains("line 2"));
        assert!(read(b"v 0 0\n", None).unwrap_err().contains("line 1"));
    }
}
