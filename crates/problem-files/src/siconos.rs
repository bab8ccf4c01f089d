//! Siconos text files (.dat), as its numerics component writes them.
//!
//! ```text
//!     local     dim  nc  W  q  mu            global     dim  nc  M  H  f  w  mu
//!     matrix    storage  rows  columns, then by storage
//!     0 dense   rows  columns  entries by columns
//!     1 blocks  blocks  block rows  block columns, cumulated sizes of both, row starts and block columns each
//!               after their counts (starts, columns), then every block: its number, entries by columns
//!     2 sparse  origin, then CSparse's print: `i j : v` lines, or `col j : …` with `i : v` lines
//! ```
//!
//! Nothing says local or global: a local file ends after q and mu. A lone 0 or 1 after mu is passed over, some
//! writers leave one. Vectors are normal first.

use super::ProblemFileError;
use super::neutral::{Entries, Form, Neutral};
use super::node::Result;
use super::plain::Plain;
use super::words::{Cursor, clipped};
use std::fmt::Write;

/// Reads a local or a global problem called `name`; `file` names it in errors.
pub(super) fn read(text: &str, file: &str, name: String) -> Result<Neutral> {
    let mut at = Cursor::new(text, file);
    let dim = at.count("dimension", "2 or 3")?;
    if dim == 5 {
        return Err(ProblemFileError::Rolling { file: file.into(), formulation: "of dimension 5".into() });
    }
    if !(2..=3).contains(&dim) {
        return Err(at.wrong("dimension", dim, "2 or 3"));
    }
    let contacts = at.count("contacts", "the number of contacts")?;
    let Some(rows) = dim.checked_mul(contacts) else {
        return Err(at.wrong("contacts", contacts, "the number of contacts"));
    };
    let (size, first) = matrix(&mut at, "W")?;
    let left = at.remaining(rows + contacts + 2);
    let form = if size == [rows, rows] && (rows + contacts..=rows + contacts + 1).contains(&left) {
        Form::Local { w: first, q: at.numbers("q", rows)? }
    } else {
        if size[0] != size[1] {
            return Err(at.wrong("M", format!("{} x {}", size[0], size[1]), "a square matrix"));
        }
        // A local file that was cut, or whose matrix has another size, ends where H would begin.
        if left <= rows + contacts + 1 {
            let expected =
                format!("{rows} + {contacts} (q and mu) after a matrix of {rows} rows, or H, f, w and mu");
            return Err(at.wrong(
                "numbers after the matrix",
                format!("{left} after one of {} rows", size[0]),
                &expected,
            ));
        }
        let (of_h, mut h) = matrix(&mut at, "H")?;
        if of_h != [size[0], rows] {
            let expected = format!("{} x {rows}", size[0]);
            return Err(at.wrong("H", format!("{} x {}", of_h[0], of_h[1]), &expected));
        }
        let f = at.numbers("f", size[0])?;
        // Zeros within blocks are no entries of M and H.
        let mut mass = first;
        [&mut mass, &mut h].iter_mut().for_each(|entries| entries.retain(|e| e.2 != 0.0));
        Form::Global { mass, h, f, w: at.numbers("w", rows)? }
    };
    let mut mu = Vec::new();
    for k in 0..contacts {
        let value = at.number(&format!("mu[{k}]"))?;
        if value < 0.0 {
            return Err(at.wrong(&format!("mu[{k}]"), value, "a coefficient of friction >= 0"));
        }
        mu.push(value);
    }
    let after = [at.token(), at.token()];
    let ([None, None] | [Some("0" | "1"), None]) = after else {
        let more = after.into_iter().flatten().collect::<Vec<_>>().join(" ");
        return Err(at.wrong("end", more, "nothing after mu, or a lone 0 or 1"));
    };
    Ok(Neutral::new(name, dim, mu, form))
}

/// Rows and columns, and the entries.
fn matrix(at: &mut Cursor, what: &str) -> Result<([usize; 2], Entries)> {
    let storage = at.count(&format!("storage of {what}"), "0 (dense), 1 (blocks) or 2 (sparse)")?;
    let size = [
        at.count(&format!("rows of {what}"), "a count")?,
        at.count(&format!("columns of {what}"), "a count")?,
    ];
    let entries = match storage {
        0 => dense(at, what, size)?,
        1 => blocks(at, what, size)?,
        2 => sparse(at, what, size)?,
        _ => {
            return Err(at.wrong(
                &format!("storage of {what}"),
                storage,
                "0 (dense), 1 (blocks) or 2 (sparse)",
            ));
        }
    };
    Ok((size, entries))
}

fn dense(at: &mut Cursor, what: &str, size: [usize; 2]) -> Result<Entries> {
    for expected in size {
        at.same(&format!("size of {what}"), expected)?;
    }
    let mut out = Entries::new();
    for j in 0..size[1] {
        for i in 0..size[0] {
            let v = at.number(what)?;
            // Zeros of a dense matrix are no entries.
            if v != 0.0 {
                out.push((i, j, v));
            }
        }
    }
    Ok(out)
}

fn blocks(at: &mut Cursor, what: &str, size: [usize; 2]) -> Result<Entries> {
    let count = at.count(&format!("blocks of {what}"), "a count")?;
    let expected = "a count of block rows or columns";
    let [rows, columns] = [at.count(what, expected)?, at.count(what, expected)?];
    let of_rows = at.cumulated(&format!("block rows of {what}"), rows, size[0])?;
    let of_columns = at.cumulated(&format!("block columns of {what}"), columns, size[1])?;
    let starts = at.count(&format!("row starts of {what}"), "a count")?;
    if starts > rows + 1 {
        return Err(at.wrong(&format!("row starts of {what}"), starts, &format!("at most {}", rows + 1)));
    }
    at.same(&format!("block columns of {what}"), count)?;
    let starts = at.indices(&format!("row starts of {what}"), starts, count + 1)?;
    let column = at.indices(&format!("block columns of {what}"), count, columns)?;
    if !starts.is_sorted() || starts.first().is_some_and(|s| *s != 0) || starts.last().unwrap_or(&0) != &count
    {
        return Err(at.wrong(
            &format!("row starts of {what}"),
            "out of order",
            &format!("0 … {count}, ascending"),
        ));
    }
    let mut out = Entries::new();
    for (row, range) in starts.windows(2).enumerate() {
        for (k, &column) in (range[0]..).zip(&column[range[0]..range[1]]) {
            at.same(&format!("number of a block of {what}"), k)?;
            if of_rows[row] == of_rows[row + 1] {
                continue; // no numbers, however many columns are stated
            }
            for j in of_columns[column]..of_columns[column + 1] {
                for i in of_rows[row]..of_rows[row + 1] {
                    out.push((i, j, at.number(what)?));
                }
            }
        }
    }
    Ok(out)
}

fn sparse(at: &mut Cursor, what: &str, [rows, columns]: [usize; 2]) -> Result<Entries> {
    let expected = "1 (triplets) or 2 (by columns)";
    let origin = at.count(&format!("origin of {what}"), expected)?;
    if !(1..=2).contains(&origin) {
        return Err(at.wrong(&format!("origin of {what}"), origin, expected));
    }
    // Banner and head: `triplet: m-by-n, nzmax: … nnz: …`, without the first word where by columns.
    let mut head = "";
    for _ in 0..4 {
        head = at.line().unwrap_or_default();
        if head.contains("-by-") {
            break;
        }
    }
    let after =
        |key: &str| head.split_once(key).and_then(|(_, rest)| rest.split([',', ' ']).find(|w| !w.is_empty()));
    let shape = format!("{rows}-by-{columns},");
    let nnz = after("nnz:").and_then(|n| n.parse::<usize>().ok());
    let Some(nnz) = nnz.filter(|_| head.split_whitespace().any(|w| w == shape)) else {
        return Err(at.wrong(&format!("head of {what}"), clipped(head), &format!("{shape} … nnz: N")));
    };
    let mut out = Entries::new();
    let mut column = None;
    while out.len() < nnz {
        let Some(line) = at.line() else {
            return Err(at.wrong(&format!("entries of {what}"), out.len(), &format!("{nnz} entries")));
        };
        let wrong =
            |at: &Cursor, expected: &str| at.wrong(&format!("entry of {what}"), clipped(line), expected);
        let index = |text: &str, limit| text.parse::<usize>().ok().filter(|k| *k < limit);
        let (place, value) = line.split_once(':').ok_or_else(|| wrong(at, "`place : value`"))?;
        let words: Vec<&str> = place.split_whitespace().take(4).collect();
        if let (2, ["col", k]) = (origin, words.as_slice()) {
            column = Some(index(k, columns).ok_or_else(|| wrong(at, &format!("a column below {columns}")))?);
            continue;
        }
        let [row, column] = match (words.as_slice(), column) {
            ([i, j], _) if origin == 1 => [index(i, rows), index(j, columns)],
            ([i], Some(j)) if origin == 2 => [index(i, rows), Some(j)],
            _ => [None, None],
        };
        let value = value.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        match (row, column, value) {
            (Some(i), Some(j), Some(v)) => out.push((i, j, v)),
            _ => return Err(wrong(at, &format!("a place in {rows} x {columns} and a finite number"))),
        }
    }
    Ok(out)
}

/// A local problem, W by blocks. Seventeen digits at most, as many as a number needs.
pub(super) fn write(of: &Plain) -> String {
    let (rows, contacts) = (of.contact_rows(), of.mu.len());
    // Blocks by rows, their entries by columns.
    let mut blocks: Vec<(usize, usize, [f64; 9])> = Vec::new();
    let mut entries = of.w.clone();
    entries.sort_by_key(|&(i, j, _)| (i / 3, j / 3));
    for (i, j, v) in entries {
        let (row, column) = (i / 3, j / 3);
        if blocks.last().is_none_or(|b| (b.0, b.1) != (row, column)) {
            blocks.push((row, column, [0.0; 9]));
        }
        if let Some((.., values)) = blocks.last_mut() {
            let value = &mut values[3 * (j % 3) + i % 3];
            *value = if *value == 0.0 { v } else { *value + v };
        }
    }
    let mut out = String::new();
    let mut line = |x: &dyn std::fmt::Display| {
        let _ = writeln!(out, "{x}"); // a String takes everything
    };
    for count in [3, contacts, 1, rows, rows, blocks.len(), contacts, contacts] {
        line(&count);
    }
    for _ in 0..2 {
        line(&words((1..=contacts).map(|k| 3 * k)));
    }
    line(&(contacts + 1));
    line(&blocks.len());
    line(&words((0..=contacts).map(|row| blocks.partition_point(|b| b.0 < row))));
    line(&words(blocks.iter().map(|b| b.1)));
    for (k, (.., values)) in blocks.iter().enumerate() {
        line(&k);
        values.iter().for_each(|v| line(&format_args!("{v:e}")));
    }
    of.q.iter().for_each(|v| line(&format_args!("{v:e}")));
    of.mu.iter().for_each(|v| line(&format_args!("{v:e}")));
    out
}

fn words(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|n| n.to_string()).collect::<Vec<_>>().join("\t")
}
