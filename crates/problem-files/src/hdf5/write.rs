//! Files of superblock 0: groups by symbol table, datasets contiguous.

use super::SIGNATURE;

/// A group or a dataset to be written.
#[derive(Debug)]
pub(crate) enum Node<'a> {
    Group(Vec<(&'a str, Node<'a>)>),
    Whole(Vec<i32>),
    Numbers(&'a [f64]),
    Text(&'a str),
}

/// Entries a symbol node has room for: twice the rank of its tree's leaves.
const LEAF: usize = 4;
/// Rank of the trees above, of which only roots with one child are written.
const TREE: usize = 1;

const UNDEFINED: u64 = u64::MAX;

/// The bytes of a file with `root` as its root group.
pub(crate) fn write(root: Vec<(&str, Node)>) -> Vec<u8> {
    let mut out = vec![0; 96];
    let root = group(&mut out, root);
    let mut head = SIGNATURE.to_vec();
    head.extend([0, 0, 0, 0, 0, 8, 8, 0, LEAF as u8, 0, TREE as u8, 0, 0, 0, 0, 0]);
    words(&mut head, &[0, UNDEFINED, out.len() as u64, UNDEFINED]);
    // Entry of the root group: no name, its header, nothing cached.
    words(&mut head, &[0, root, 0, 0, 0]);
    out[..96].copy_from_slice(&head);
    out
}

/// Writes a group and all below; the address of its header.
fn group(out: &mut Vec<u8>, mut children: Vec<(&str, Node)>) -> u64 {
    assert!(children.len() <= 2 * LEAF, "a group fits into one symbol node");
    children.sort_by_key(|c| c.0);
    let mut entries = Vec::new();
    // The heap of names begins with the empty one.
    let mut names = vec![0; 8];
    for (name, node) in children {
        let address = match node {
            Node::Group(children) => group(out, children),
            Node::Whole(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                dataset(out, &whole_type(), Some(values.len()), &bytes)
            }
            Node::Numbers(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                dataset(out, &double_type(), Some(values.len()), &bytes)
            }
            Node::Text(text) => {
                let mut bytes = text.as_bytes().to_vec();
                bytes.push(0);
                dataset(out, &text_type(bytes.len()), None, &bytes)
            }
        };
        entries.push((names.len() as u64, address));
        names.extend_from_slice(name.as_bytes());
        names.resize(names.len() / 8 * 8 + 8, 0);
    }
    let last = entries.last().map_or(0, |e| e.0);

    let leaf = out.len() as u64;
    out.extend(*b"SNOD\x01\x00");
    out.extend((entries.len() as u16).to_le_bytes());
    for &(name, address) in &entries {
        words(out, &[name, address, 0, 0, 0]);
    }
    out.resize(leaf as usize + 8 + 2 * LEAF * 40, 0);

    let tree = out.len() as u64;
    out.extend(*b"TREE\x00\x00");
    out.extend(u16::from(!entries.is_empty()).to_le_bytes());
    words(out, &[UNDEFINED, UNDEFINED, 0, leaf, last]);
    out.resize(tree as usize + 24 + (2 * TREE + 1) * 8 + 2 * TREE * 8, 0);

    let heap = out.len() as u64;
    out.extend(*b"HEAP\x00\x00\x00\x00");
    // No free list: its head says 1.
    words(out, &[names.len() as u64, 1, heap + 32]);
    out.extend(names);

    let header = out.len() as u64;
    let mut message = Vec::new();
    words(&mut message, &[tree, heap]);
    object_header(out, &[(0x11, message)]);
    header
}

/// Writes numbers and their header, whose address this is; `count` elements in one dimension, or one scalar.
fn dataset(out: &mut Vec<u8>, datatype: &[u8], count: Option<usize>, bytes: &[u8]) -> u64 {
    let data = if bytes.is_empty() { UNDEFINED } else { out.len() as u64 };
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(8), 0);
    let mut space = vec![1, u8::from(count.is_some()), 0, 0, 0, 0, 0, 0];
    words(&mut space, count.map(|n| n as u64).as_slice());
    // Fill value: space is found late, written where space is, and undefined.
    let fill = vec![2, 2, 2, 0];
    let mut layout = vec![3, 1];
    words(&mut layout, &[data, bytes.len() as u64]);
    let header = out.len() as u64;
    object_header(out, &[(0x01, space), (0x03, datatype.to_vec()), (0x05, fill), (0x08, layout)]);
    header
}

fn object_header(out: &mut Vec<u8>, messages: &[(u16, Vec<u8>)]) {
    let size: usize = messages.iter().map(|(_, m)| 8 + m.len().next_multiple_of(8)).sum();
    out.extend([1, 0]);
    out.extend((messages.len() as u16).to_le_bytes());
    out.extend(1_u32.to_le_bytes());
    words(out, &[size as u64]);
    for (kind, content) in messages {
        let size = content.len().next_multiple_of(8);
        out.extend(kind.to_le_bytes());
        out.extend((size as u16).to_le_bytes());
        out.extend([0; 4]);
        out.extend_from_slice(content);
        out.resize(out.len() + size - content.len(), 0);
    }
}

/// Signed, 32 bits, little endian.
fn whole_type() -> Vec<u8> {
    vec![0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0]
}

/// IEEE doubles, little endian: sign at bit 63, 11 bits of exponent at 52, 52 of mantissa, bias 1023.
fn double_type() -> Vec<u8> {
    vec![0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xFF, 3, 0, 0]
}

/// Characters that end with a zero.
fn text_type(size: usize) -> Vec<u8> {
    [&[0x13, 0, 0, 0][..], &(size as u32).to_le_bytes()].concat()
}

fn words(out: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|w| out.extend(w.to_le_bytes()));
}
