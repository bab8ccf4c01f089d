//! Formats of others: published files read to the problems of their JSON halves, ours survive every format to
//! the bit, and no file that is wrong is more than an error.
//!
//! Published files lie in the folder named by `STICTION_DATA`, or in `shared/data` beside the checkout; without
//! them those tests say so and pass.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use stiction_contact::certificate::certify;
use stiction_contact::corpus::{self, Random, named};
use stiction_contact::{Cone, ConstraintProblem};
use stiction_problem_files::{Format, ProblemFile, load, read, to_bytes, unsaid};

fn data() -> Option<PathBuf> {
    let named = std::env::var_os("STICTION_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = named.into_iter().chain([beside]).find(|p| p.join("fclib/original").is_dir());
    if found.is_none() {
        // Straight to the handle: the test runner hides what the print macros of a passing test say.
        let _ = writeln!(
            std::io::stderr(),
            "\n*** NOT TESTED: no problem files. Set STICTION_DATA to the folder that holds fclib/original. ***\n"
        );
    }
    found
}

/// G by rows, dense.
fn dense(problem: &ConstraintProblem) -> Vec<f64> {
    let n = problem.rows();
    let mut out = vec![0.0; n * n];
    for i in 0..problem.len() {
        for k in problem.blocks.entries(i) {
            let columns = problem.range(problem.blocks.column_of(k));
            for (r, row) in problem.range(i).zip(problem.blocks.entry(k).chunks_exact(columns.len())) {
                out[r * n..][columns.clone()].copy_from_slice(row);
            }
        }
    }
    out
}

/// Largest difference of two lists over the largest number in them.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = a.iter().chain(b).fold(0.0, |m: f64, x| m.max(x.abs()));
    let difference = a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(a.iter().chain(b).all(|x| x.is_finite()));
    if difference == 0.0 { 0.0 } else { difference / largest }
}

/// Largest relative difference of G, g and J.
fn difference(a: &ConstraintProblem, b: &ConstraintProblem) -> f64 {
    assert_eq!(a.cones(), b.cones());
    let mut worst = apart(&dense(a), &dense(b)).max(apart(&a.free_velocity, &b.free_velocity));
    assert_eq!(a.primal.is_some(), b.primal.is_some());
    if let (Some(a), Some(b)) = (&a.primal, &b.primal) {
        assert_eq!((&a.jacobian.start, &a.jacobian.column), (&b.jacobian.start, &b.jacobian.column));
        worst = worst.max(apart(&a.jacobian.value, &b.jacobian.value));
    }
    worst
}

#[test]
fn the_halves_of_the_collection_are_one_problem() {
    let Some(root) = data() else { return };
    let mut originals: Vec<PathBuf> =
        std::fs::read_dir(root.join("fclib/original")).unwrap().map(|e| e.unwrap().path()).collect();
    originals.sort();
    let (mut read, mut rolling, mut equal, mut worst) = (0, 0, 0, (0.0, String::new()));
    for original in &originals {
        let name = original.file_name().unwrap().to_str().unwrap();
        let stem = name.strip_suffix(".dat").unwrap_or(name);
        let stem = stem.strip_suffix(".hdf5").unwrap_or(stem);
        let json = root.join(format!("fclib/json/{stem}.json"));
        match (load(original), load(&json)) {
            (Ok(a), Ok(b)) => {
                let apart = difference(&a.problem, &b.problem);
                // What is condensed is rounded in another order; what is local is the same numbers.
                let most = if a.problem.primal.is_some() { 1e-14 } else { 0.0 };
                assert!(apart <= most, "{name}: {apart:e}");
                read += 1;
                equal += usize::from(apart == 0.0);
                if apart > worst.0 {
                    worst = (apart, name.to_owned());
                }
            }
            (Err(a), Err(b)) => {
                let word = "rolling friction is not supported yet";
                assert!(a.to_string().contains(word) && b.to_string().contains(word), "{a}; {b}");
                rolling += 1;
            }
            (a, b) => panic!("{name}: {:?} {:?}", a.err(), b.err()),
        }
    }
    println!("{read} files read as their JSON, {equal} to the bit, worst {:e} ({})", worst.0, worst.1);
    assert_eq!((read, rolling), (34, 3), "of {}", originals.len());
}

#[test]
fn the_archives_of_contactbench_are_their_json() {
    let Some(root) = data() else { return };
    for name in ["sliding_cube", "2cubes_t0"] {
        let archive = load(&root.join(format!("contactbench/{name}.npz"))).unwrap();
        let json = load(&root.join(format!("contactbench/{name}.json"))).unwrap();
        assert_eq!(difference(&archive.problem, &json.problem), 0.0, "{name}");
        assert_eq!(archive.name, name);
        // Answers go back in the file's own order, normal last.
        let impulses: Vec<f64> = (0..archive.problem.rows()).map(|k| k as f64).collect();
        assert_eq!(archive.to_file_order(&impulses), impulses);
        assert_ne!(json.to_file_order(&impulses), impulses);
    }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn again(format: Format, problem: &ConstraintProblem, impulses: Option<&[f64]>) -> ProblemFile {
    let bytes = to_bytes(format, "again", problem, impulses).unwrap();
    read(&bytes, "again").unwrap_or_else(|e| panic!("{format:?}: {e}"))
}

#[track_caller]
fn same_bits(format: Format, a: &ConstraintProblem, b: &ConstraintProblem) {
    assert_eq!(a.cones(), b.cones(), "{format:?}");
    assert_eq!(bits(&a.free_velocity), bits(&b.free_velocity), "{format:?}");
    assert_eq!(bits(&dense(a)), bits(&dense(b)), "{format:?}");
}

#[test]
fn our_problems_survive_every_format_to_the_bit() {
    let mut problems = named();
    problems.push(("empty", ConstraintProblem::default()));
    let mut point = corpus::point(0.3, 0.7, [-0.0, 5e-324, -1.0 / 3.0]);
    point.blocks.entry_mut(0)[1] = -0.0;
    problems.push(("awkward numbers", point));
    let (mut written, mut refused) = (0, 0);
    for (name, problem) in &problems {
        let mut random = Random(7);
        let impulses: Vec<f64> = (0..problem.rows()).map(|_| random.number()).collect();
        for format in Format::ALL {
            if let Err(reason) = to_bytes(format, name, problem, None) {
                assert!(problem.cones().iter().any(|c| matches!(c, Cone::Box { .. })), "{name}: {reason}");
                refused += 1;
                continue;
            }
            let back = again(format, problem, Some(&impulses));
            same_bits(format, &back.problem, problem);
            let answer = back.reference.map(|r| r.impulses).unwrap_or_default();
            let keeps = matches!(format, Format::Json | Format::Fclib);
            assert_eq!(answer, if keeps { impulses.clone() } else { Vec::new() }, "{name}");
            written += 1;
        }
    }
    assert_eq!(
        (written, refused),
        (problems.len() * 4 - 3, 3),
        "only the box with all kinds of rows is refused"
    );
}

/// A box on a plane whose two more rows a limit and a bilateral constraint hold; one row is compliant.
fn held() -> ConstraintProblem {
    let all = corpus::mixed(3);
    let boxes = |i: &usize| !matches!(all.cone(*i), Cone::Box { .. });
    all.part(&(0..all.len()).filter(boxes).collect::<Vec<_>>())
}

/// Limits become contacts without friction, R joins W, bilateral rows are FCLIB's V, R and s: another notation
/// of the same problem, whose residual at any impulses is the same.
#[test]
fn limits_and_bilateral_rows_in_fclib() {
    let problem = held();
    let notes = unsaid(Format::Fclib, &problem).join("\n");
    for word in ["2 limits", "compliance", "M and J", "time step of 0.01 s"] {
        assert!(notes.contains(word), "{notes}");
    }
    let free = |p: &ConstraintProblem| p.cones().iter().filter(|c| **c == Cone::Free).count();
    let error = to_bytes(Format::Siconos, "held", &problem, None).unwrap_err();
    assert!(error.contains("1 bilateral"), "{error}");

    let mut random = Random(5);
    let impulses: Vec<f64> = (0..problem.rows()).map(|_| 0.1 * random.number().abs()).collect();
    let back = again(Format::Fclib, &problem, Some(&impulses));
    assert_eq!((back.problem.len(), free(&back.problem)), (problem.len(), free(&problem)));
    let there = back.reference.unwrap().impulses;
    let (a, b) = (certify(&problem, &impulses), certify(&back.problem, &there));
    assert!(
        (a.natural_map - b.natural_map).abs() < 1e-14 * a.natural_map,
        "{} {}",
        a.natural_map,
        b.natural_map
    );
    // From here on nothing is left to change.
    same_bits(Format::Fclib, &again(Format::Fclib, &back.problem, None).problem, &back.problem);
}

#[test]
fn an_unsymmetric_bilateral_row_is_refused() {
    let mut problem = held();
    let free = (0..problem.len()).find(|i| problem.cone(*i) == Cone::Free).unwrap();
    let entry = problem.blocks.entries(free).start;
    problem.blocks.entry_mut(entry)[0] += 1.0;
    assert!(to_bytes(Format::Fclib, "held", &problem, None).unwrap_err().contains("unsymmetrically"));
}

fn fixture(name: &str) -> ConstraintProblem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    load(&path).unwrap_or_else(|e| panic!("{e}")).problem
}

/// Two planar contacts that h5py wrote: chunks deflated and shuffled, chunks with checksums of big-endian
/// numbers, compact big-endian floats; with old groups and with the headers of HDF5 1.8.
#[test]
fn files_of_h5py() {
    for name in ["h5py-earliest.hdf5", "h5py-v108.hdf5"] {
        let problem = fixture(name);
        assert_eq!(problem.cones(), [Cone::Friction { mu: 0.3 }, Cone::Friction { mu: 0.7 }], "{name}");
        assert_eq!(problem.free_velocity, [0.5, 0.0, -1.0, 0.25, 0.0, -2.0], "{name}");
        assert_eq!(problem.blocks.diagonal(0), [3.0, 0.0, 0.5, 0.0, 2.0, 0.0, 0.5, 0.0, 2.0], "{name}");
        assert_eq!(problem.blocks.diagonal(1), [5.0, 0.0, 0.75, 0.0, 4.0, 0.0, 0.75, 0.0, 4.0], "{name}");
        let corner = problem.blocks.entry(1);
        assert_eq!(corner, [-0.125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25], "{name}");
    }
}

/// Deflated by numpy, G by columns, g as a column, an array too many.
#[test]
fn archives_of_numpy() {
    let problem = fixture("numpy.npz");
    assert_eq!(problem.cones(), [Cone::Friction { mu: 0.3 }]);
    assert_eq!(problem.free_velocity, [0.5, 0.25, -1.0]);
    assert_eq!(problem.blocks.diagonal(0), [2.0, 0.5, 0.25, 0.5, 3.0, -0.125, 0.25, 0.75, 4.0]);
}

#[track_caller]
fn refused(bytes: &[u8], file: &str, mentions: &[&str]) {
    let error = read(bytes, file).expect_err("a malformed file").to_string();
    assert!(error.starts_with(&format!("{file}: ")), "{error}");
    for mention in mentions {
        assert!(error.contains(mention), "`{error}` should mention `{mention}`");
    }
}

#[test]
fn malformed_texts_are_errors() {
    let text = "3 1\n0 3 3\n3 3\n15 -1 -2\n-1 14 1\n-2 1 16\n-1 2 3\n0.1";
    assert!(read(text.as_bytes(), "a.dat").is_ok());
    assert!(read(format!("{text}\n1\n").as_bytes(), "a.dat").is_ok(), "one number more");
    let with = |from: &str, to: &str| {
        assert!(text.contains(from));
        text.replacen(from, to, 1).into_bytes()
    };
    refused(&with("0.1", "-0.1"), "a.dat", &["line 8, mu[0]", "-0.1", ">= 0"]);
    refused(&with("0.1", "0.1 0.2"), "a.dat", &["line 8, end", "0.2"]);
    refused(&with("14", "nan"), "a.dat", &["line 5, W", "nan", "finite"]);
    refused(&with("-1 2 3", "-1 1e999 3"), "a.dat", &["line 7, q[1]", "1e999", "finite"]);
    refused(&with("-1 2 3", "-1 2 word"), "a.dat", &["line 7, q[2]", "word"]);
    refused(&with("\n0.1", ""), "a.dat", &["3 after one of 3 rows"]);
    refused(&with("3 1\n", "4 1\n"), "a.dat", &["line 1, dimension", "4", "2 or 3"]);
    refused(&with("3 1\n", "5 1\n"), "a.dat", &["rolling friction is not supported yet"]);
    refused(&with("3 1\n", "3 4000000000\n"), "a.dat", &["4 after one of 3 rows"]);
    refused(&with("3 1\n", "3 99999999999\n"), "a.dat", &["line 1, contacts"]);
    refused(&with("0 3 3", "7 3 3"), "a.dat", &["line 2, storage of W", "7", "2 (sparse)"]);
    refused(&with("0 3 3", "0 4000000000 4000000000"), "a.dat", &["line 3, size of W"]);
    refused(b"3 1 1 3 3 1 1 1 3 3 2 1 0 1 7", "a.dat", &["block columns of W", "7", "less than 1"]);
    refused(b"3 1 1 3 3 1 1 1 4 3", "a.dat", &["block rows of W", "4"]);
    refused(b"3 1 2 3 3 9", "a.dat", &["origin of W", "9"]);
    let sparse = "3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n 0 9 : 1.5\n1 2 3 0.5";
    refused(sparse.as_bytes(), "a.dat", &["line 4, entry of W", "0 9 : 1.5", "3 x 3"]);
    refused(sparse.replace("3-by-3", "3-by-4").as_bytes(), "a.dat", &["line 3, head of W"]);
    assert!(read(sparse.replace("0 9", "0 2").as_bytes(), "a.dat").is_ok());
    refused(b"hello", "a.dat", &["line 1, dimension", "hello"]);
    refused(b"\xFF\xFF", "a.dat", &["not a Siconos problem", "utf-8"]);
    refused(b"", "a.dat", &["line 1, dimension", "end of the file"]);
}

#[test]
fn malformed_archives_are_errors() {
    let problem = corpus::point(1.0, 0.5, [0.1, 0.2, -1.0]);
    let npz = to_bytes(Format::Npz, "point", &problem, None).unwrap();
    refused(&npz[..40], "a.npz", &["not a sound .npz archive", "directory"]);
    refused(b"PK", "a.npz", &["not a sound .npz archive"]);
    let at = npz.windows(6).position(|w| w == b"(3, 3)").unwrap();
    for (from, to, words) in
        [(at, &b"(3, 1)"[..], &["damaged"][..]), (npz.len() - 22, b"PK\x05\x07", &["directory"])]
    {
        let mut bytes = npz.clone();
        bytes[from..from + to.len()].copy_from_slice(to);
        refused(&bytes, "a.npz", words);
    }
}

#[test]
fn malformed_trees_are_errors() {
    let problem = corpus::point(1.0, 0.5, [0.1, 0.2, -1.0]);
    let bytes = to_bytes(Format::Fclib, "point", &problem, None).unwrap();
    refused(&bytes[..bytes.len() - 1], "a.h5", &["was it cut?"]);
    refused(b"hello", "a.h5", &["not an HDF5 file", "does not begin as one"]);
    let with = |from: &[u8], to: &[u8]| {
        let at = bytes.windows(from.len()).position(|w| w == from).expect("what is to be replaced");
        let mut out = bytes.clone();
        out[at..at + to.len()].copy_from_slice(to);
        out
    };
    refused(&with(b"fclib_local", b"fclib_lokal"), "a.h5", &["`/fclib_local` is missing", "/fclib_global"]);
    refused(&with(b"spacedim", b"spacedum"), "a.h5", &["`/fclib_local/spacedim` is missing"]);
    refused(
        &with(&0.5_f64.to_le_bytes(), &(-0.5_f64).to_le_bytes()),
        "a.h5",
        &["vectors/mu[0]", "-0.5", ">= 0"],
    );
    refused(
        &with(&0.2_f64.to_le_bytes(), &f64::NAN.to_le_bytes()),
        "a.h5",
        &["vectors/q[2]", "NaN", "finite"],
    );
    refused(&with(b"TREE", b"tree"), "a.h5", &["no TREE at byte"]);
}

/// Cut anywhere, a file is an error; damaged anywhere, it is at most another problem.
#[test]
fn damaged_files_are_no_panic() {
    let problem = corpus::point(1.0, 0.5, [0.1, 0.2, -1.0]);
    let fixture = |name: &str| {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
    };
    let mut files = vec![fixture("h5py-earliest.hdf5"), fixture("h5py-v108.hdf5"), fixture("numpy.npz")];
    files.extend(Format::ALL.map(|f| to_bytes(f, "point", &problem, Some(&[0.0, 0.1, 1.0])).unwrap()));
    for bytes in files {
        // The last number of a text may lose digits and stay a number.
        let whole = bytes.len() - if bytes[0] == b'3' { 6 } else { 0 };
        for end in (0..whole).step_by(if whole > 5000 { 7 } else { 1 }) {
            assert!(read(&bytes[..end], "cut").is_err(), "{end} of {}", bytes.len());
        }
        let mut random = Random(3);
        for _ in 0..3000 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                let mut pick = |n: usize| ((random.number() + 1.0) / 2.0 * n as f64) as usize;
                let at = pick(damaged.len());
                damaged[at] = [0, 1, 0x7F, 0xFF, damaged[at] ^ 4, damaged[at].wrapping_add(1)][pick(6)];
            }
            drop(read(&damaged, "damaged"));
        }
    }
}
