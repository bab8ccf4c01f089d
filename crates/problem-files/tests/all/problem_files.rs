//! Problem files: round trips to the bit, and no malformed file that is not an error.

use serde_json::{Value, json};
use stiction_contact::{Cone, ConstraintProblem, Csr, Primal, Softness};
use stiction_problem_files::{Format, parse, to_bytes, to_json};

/// A limit, a contact, a motor box, a contact, a bilateral row: unsymmetric, with awkward numbers.
fn mixed() -> ConstraintProblem {
    let mut problem = ConstraintProblem::default();
    problem.time_step = 1.0 / 3.0;
    problem.push(Cone::NonNegative, &[-0.1]);
    problem.push(Cone::Friction { mu: 0.7 }, &[0.1 + 0.2, -0.0, 1e-300]);
    problem.push(Cone::Box { lo: -0.3, hi: f64::INFINITY }, &[1.0 / 3.0]);
    problem.push(Cone::Friction { mu: 0.0 }, &[5e-324, 1e22, -7.1]);
    problem.push(Cone::Free, &[2.0_f64.sqrt()]);
    problem.compliance[4] = 1e-7;
    let pattern: [&[usize]; 5] = [&[0, 1], &[0, 1, 3], &[2, 3], &[1, 2, 3], &[4]];
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |i, out| out.extend_from_slice(pattern[i]));
    let entries = (0..5).map(|i| blocks.entries(i).len()).sum();
    for k in 0..entries {
        for (n, v) in blocks.entry_mut(k).iter_mut().enumerate() {
            *v = if n % 4 == 3 { 0.0 } else { ((7 * k + 3 * n) as f64).sin() / 3.0 };
        }
    }
    let softness = Softness { gap: -0.25, velocity: [0.1, 0.2, 0.3], bias: 1e-3, ..Softness::default() };
    problem.softness = vec![softness; problem.len()];
    problem.primal = Some(Primal {
        nv: 1,
        mass: Csr { start: vec![0, 1], column: vec![0], value: vec![0.1] },
        jacobian: Csr { start: vec![0, 1, 1, 1, 1, 1, 1, 1, 1, 1], column: vec![0], value: vec![1.0] },
        free_velocity: vec![0.3],
        bias: vec![0.0; 9],
    });
    problem
}

#[test]
fn a_dump_reads_back_to_the_bit() {
    let problem = mixed();
    let impulses: Vec<f64> = (0..9).map(|k| f64::from(k).exp()).collect();
    let file = parse(&to_json("mixed", &problem, Some(&impulses)), "mixed.json").unwrap();
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let back = &file.problem;
    assert_eq!(back.cones(), problem.cones());
    assert_eq!(bits(&back.free_velocity), bits(&problem.free_velocity));
    assert_eq!(bits(&back.compliance), bits(&problem.compliance));
    assert_eq!(back.time_step.to_bits(), problem.time_step.to_bits());
    assert_eq!(back.primal, problem.primal);
    assert_eq!(back.softness, problem.softness);
    for i in 0..problem.len() {
        assert_eq!(back.blocks.entries(i), problem.blocks.entries(i));
        for k in problem.blocks.entries(i) {
            assert_eq!(back.blocks.column_of(k), problem.blocks.column_of(k));
            assert_eq!(bits(back.blocks.entry(k)), bits(problem.blocks.entry(k)));
        }
    }
    assert_eq!(file.reference.as_ref().unwrap().impulses, impulses);
    let there = file.to_file_order(&impulses);
    assert_eq!(there[0], impulses[3], "the first contact's normal comes first");
    assert_eq!(file.from_file_order(&there).unwrap(), impulses);
    assert_eq!(file.from_file_order(&there[1..]), None);
}

fn small(dim: usize) -> Value {
    let w: Vec<Vec<f64>> = (0..dim).map(|i| (0..dim).map(|j| (10 * i + j + 1) as f64).collect()).collect();
    let q: Vec<f64> = (0..dim).map(|k| -1.0 - k as f64).collect();
    let frame = if dim == 3 { "N,T1,T2" } else { "N,T" };
    json!({ "formulation": "local", "dim": dim, "nc": 1, "contact_frame": frame,
            "W": { "shape": [dim, dim], "dense": w }, "q": q, "mu": [0.5] })
}

#[test]
fn the_normal_comes_last_here() {
    let problem = parse(&small(3).to_string(), "small").unwrap().problem;
    assert_eq!(problem.free_velocity, [-2.0, -3.0, -1.0]);
    assert_eq!(problem.blocks.diagonal(0), [12.0, 13.0, 11.0, 22.0, 23.0, 21.0, 2.0, 3.0, 1.0]);
    assert_eq!(problem.time_step, 1.0);
}

#[test]
fn a_planar_contact_gains_a_tangent_of_its_own() {
    let problem = parse(&small(2).to_string(), "small").unwrap().problem;
    assert_eq!(problem.free_velocity, [-2.0, 0.0, -1.0]);
    assert_eq!(problem.blocks.diagonal(0), [12.0, 0.0, 11.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0]);
}

/// One planar contact under a mass of 2 kg, globally and locally.
#[test]
fn a_global_problem_is_condensed() {
    let global = json!({ "formulation": "global", "dim": 2, "mu": [0.5],
        "M": { "shape": [2, 2], "i": [0, 1], "j": [0, 1], "v": [2.0, 2.0] },
        "H": { "shape": [2, 2], "i": [1, 0], "j": [0, 1], "v": [1.0, 1.0] },
        "f": [4.0, -2.0], "w": [0.25, 0.0] });
    let problem = parse(&global.to_string(), "global").unwrap().problem;
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(near(&problem.free_velocity, &[2.0, 0.0, -0.75]));
    let expected = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    assert!(near(problem.blocks.diagonal(0), &expected));
    assert_eq!(problem.primal.as_ref().unwrap().nv, 3);
}

fn refused(text: &str, mentions: &[&str]) {
    let error = parse(text, "bad.json").expect_err("a malformed file").to_string();
    assert!(error.starts_with("bad.json: "), "{error}");
    for mention in mentions {
        assert!(error.contains(mention), "`{error}` should mention `{mention}`");
    }
}

#[test]
fn malformed_files_are_errors() {
    let with = |pointer: &str, value: Value| {
        let mut file = small(3);
        *file.pointer_mut(pointer).unwrap() = value;
        file.to_string()
    };
    for key in ["formulation", "dim", "W", "q", "mu"] {
        let mut file = small(3);
        file.as_object_mut().unwrap().remove(key);
        refused(&file.to_string(), &[key, "missing"]);
    }
    refused(&with("/mu/0", json!(-0.1)), &["mu[0]", "-0.1", ">= 0"]);
    refused(&with("/mu", json!([0.5, 0.5])), &["nc", "2"]);
    refused(&with("/nc", json!(1_000_000_000_000_u64)), &["nc"]);
    refused(&with("/q", json!([1.0])), &["q", "list of 1", "3 numbers"]);
    refused(&with("/q/1", json!(null)), &["q[1]", "null", "finite"]);
    refused(&with("/W/shape", json!([3, 4])), &["W.shape", "[3, 3]"]);
    refused(&with("/W/shape", json!([1e18 as u64, 3])), &["W.shape"]);
    refused(&with("/W/dense/2", json!([1.0])), &["W.dense[2]"]);
    refused(&with("/W/dense/0/0", json!("x")), &["W.dense[0][0]", "\"x\""]);
    refused(&with("/W", json!({ "shape": [3, 3], "i": [0], "j": [3], "v": [1.0] })), &["W.j[0]", "0 to 2"]);
    refused(&with("/W", json!({ "shape": [3, 3], "i": [0, 1], "j": [0], "v": [1.0] })), &["W.i"]);
    refused(&with("/W", json!({ "shape": [3, 3] })), &["W.v", "missing"]);
    refused(&with("/dim", json!(5)), &["dim", "2 or 3"]);
    refused(&with("/formulation", json!("local_rolling")), &["rolling friction is not supported yet"]);
    refused(&with("/formulation", json!("other")), &["formulation", "other"]);
    refused(&with("/contact_frame", json!("T1,T2,N")), &["contact_frame", "T1,T2,N", "N,T1,T2"]);
    refused("[1, 2", &["not JSON"]);
    refused("[1, 2]", &["formulation"]);
    refused(&"[".repeat(100_000), &["not JSON"]);
    refused(&small(3).to_string().replace("0.5", "NaN"), &["not JSON"]);
    refused(&small(3).to_string().replace("0.5", "1e999"), &["not JSON"]);
    let mut file = small(3);
    file["scalar"] = json!([{ "kind": "box", "lo": 1.0, "hi": 0.0 }]);
    refused(&file.to_string(), &["scalar[0]", "lo <= hi"]);
    file["scalar"] = json!([]);
    file["order"] = json!([1]);
    refused(&file.to_string(), &["order"]);
    file["order"] = json!([0]);
    file["time_step"] = json!(0.0);
    refused(&file.to_string(), &["time_step"]);
}

/// Cut anywhere, a dump is an error and not a panic.
#[test]
fn truncated_files_are_errors() {
    let text = to_json("mixed", &mixed(), None);
    for end in (0..text.len()).step_by(7).filter(|&end| text.is_char_boundary(end)) {
        assert!(parse(&text[..end], "cut").is_err());
    }
}

#[test]
fn an_indefinite_mass_is_an_error() {
    let global = json!({ "formulation": "global", "dim": 3, "mu": [],
        "M": { "shape": [1, 1], "i": [0], "j": [0], "v": [-2.0] },
        "H": { "shape": [1, 0], "i": [], "j": [], "v": [] }, "f": [4.0], "w": [] });
    refused(&global.to_string(), &["positive definite"]);
}

/// Patches of both sizes between other blocks, as JSON; other formats cannot say them.
#[test]
fn patches_read_back_to_the_bit() {
    let mut problem = ConstraintProblem::default();
    let g: Vec<f64> = (0..6).map(|k| f64::from(k).sin() / 3.0).collect();
    problem.push(Cone::Patch { mu: 0.3, rolls: true }, &g);
    problem.push(Cone::Friction { mu: 0.7 }, &g[..3]);
    problem.push(Cone::Patch { mu: 0.1, rolls: false }, &g[..4]);
    problem.push(Cone::Free, &g[..1]);
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |_, out| out.extend(0..4));
    for k in 0..16 {
        blocks
            .entry_mut(k)
            .iter_mut()
            .enumerate()
            .for_each(|(n, v)| *v = ((7 * k + 3 * n) as f64).sin() / 3.0);
    }
    let impulses: Vec<f64> = (0..14).map(|k| f64::from(k).cos()).collect();
    let read = parse(&to_json("patches", &problem, Some(&impulses)), "a").unwrap();
    assert_eq!(read.problem.cones(), problem.cones());
    assert_eq!(read.problem.free_velocity, problem.free_velocity);
    assert!((0..16).all(|k| read.problem.blocks.entry(k) == problem.blocks.entry(k)));
    assert_eq!(read.reference.unwrap().impulses, impulses);
    for format in Format::ALL.into_iter().filter(|f| *f != Format::Json) {
        let error = to_bytes(format, "patches", &problem, None).unwrap_err().to_string();
        assert!(error.contains("2 contacts that resist turning"), "{error}");
    }
    let text = to_json("patches", &problem, None).replace("\"rows\":4", "\"rows\":5");
    assert!(parse(&text, "a").unwrap_err().to_string().contains("4 or 6"));
}
