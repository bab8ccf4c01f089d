//! STL: bare triangles, as text or binary.
//!
//! ```text
//!     binary: 80 bytes of anything, n (u32), then n × { normal, 3 vertices (12 × f32), 2 bytes }
//!     text:   solid NAME { facet normal … outer loop { vertex x y z }³ endloop endfacet } endsolid
//! ```
//!
//! All little-endian. A binary file may begin with the word `solid`; its length tells.

use super::{Part, number};
use stiction_dynamics::spatial::{Vec3, vec3};

/// Bytes before the first triangle of a binary file, and of each triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Part>, String> {
    let count = bytes.get(HEAD - 4..HEAD).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let fits = count.is_some_and(|n| bytes.len() as u64 == HEAD as u64 + TRIANGLE as u64 * u64::from(n));
    let begins = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    match (count, std::str::from_utf8(bytes)) {
        // No text holds a zero, and the count of a binary file always does.
        (_, Ok(text)) if begins && !fits && !bytes.contains(&0) => ascii(text),
        (Some(count), _) => binary(bytes, count),
        (None, _) => Err(format!(
            "{} bytes; a text file begins with the word `solid`, a binary one has {HEAD} bytes before its triangles",
            bytes.len()
        )),
    }
}

fn binary(bytes: &[u8], count: u32) -> Result<Vec<Part>, String> {
    let triangles = bytes.get(HEAD..).unwrap_or_default();
    // Some exporters write something of their own behind the triangles.
    let there = triangles.len() / TRIANGLE;
    if (there as u64) < u64::from(count) {
        return Err(format!("it states {count} triangles; its {} bytes hold {there}", bytes.len()));
    }
    let mut part = Part::default();
    for triangle in triangles.chunks_exact(TRIANGLE).take(count as usize) {
        let (numbers, _) = triangle.get(12..48).unwrap_or_default().as_chunks::<4>();
        let (corners, _) = numbers.as_chunks::<3>();
        let first = part.vertices.len() as u32;
        part.vertices.extend(corners.iter().map(|c| Vec3::from(c.map(|x| f64::from(f32::from_le_bytes(x))))));
        part.faces.push([first, first + 1, first + 2]);
    }
    Ok(vec![part])
}

fn ascii(text: &str) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    // Corners since the last facet began.
    let mut corners: Vec<Vec3> = Vec::new();
    let mut ended = true;
    for (i, line) in text.lines().enumerate() {
        let wrong = |what: String| Err(format!("line {}: {what}", i + 1));
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default().to_ascii_lowercase();
        match (word.as_str(), parts.last_mut()) {
            ("", _) | ("outer" | "endloop", Some(_)) => {}
            ("solid", _) => {
                let name = words.next().unwrap_or_default().to_owned();
                parts.push(Part { name, ..Part::default() });
                ended = false;
            }
            ("endsolid", Some(_)) => ended = true,
            ("facet", Some(_)) => corners.clear(),
            ("vertex", Some(_)) => {
                let mut coordinate = || match words.next() {
                    Some(word) => number(word, || format!("line {}", i + 1)),
                    None => Err(format!("line {}: a vertex of fewer than three numbers", i + 1)),
                };
                corners.push(vec3(coordinate()?, coordinate()?, coordinate()?));
            }
            ("endfacet", Some(part)) => {
                if corners.len() != 3 {
                    return wrong(format!("a facet of {} vertices; expected 3", corners.len()));
                }
                let first = part.vertices.len() as u32;
                part.vertices.append(&mut corners);
                part.faces.push([first, first + 1, first + 2]);
            }
            (other, _) => return wrong(format!("`{}` is no word of STL", crate::words::shortened(other))),
        }
    }
    if ended { Ok(parts) } else { Err("the text ends before `endsolid`: it is cut off".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary_file(count: u32, triangles: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = b"solid, but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            t.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn both_kinds_say_the_same() {
        let text = "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n VERTEX 1 0 0\nvertex 0 2.5 0\nendloop\n\
                    endfacet\nendsolid a b\n";
        let parts = read(text.as_bytes()).unwrap();
        assert_eq!((parts[0].name.as_str(), parts[0].faces.as_slice()), ("a", &[[0, 1, 2]][..]));
        let binary = read(&binary_file(1, &[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.5, 0.0]])).unwrap();
        assert_eq!(binary[0].vertices, parts[0].vertices);
        assert_eq!(binary[0].vertices[2], vec3(0.0, 2.5, 0.0));
    }

    #[test]
    fn lies_are_told() {
        let says = |bytes: &[u8], part: &str| {
            let e = read(bytes).unwrap_err();
            assert!(e.contains(part), "{e}");
        };
        says(&binary_file(2, &[[0.0; 9]]), "states 2 triangles");
        says(&binary_file(u32::MAX, &[]), "hold 0");
        says(b"", "0 bytes");
        says(b"solid a\nfacet\nvertex 1 2", "line 3: a vertex of fewer");
        says(b"solid a\nvertex 1 2 x", "line 2: `x`; expected a number");
        says(b"solid a\nfacet\nendfacet", "0 vertices");
        says(b"solid a\nfacet\n", "cut off");
        says(b"solid a\nnothing\n", "line 2: `nothing`");
    }
}
