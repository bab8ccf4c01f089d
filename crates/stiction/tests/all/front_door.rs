//! What a newcomer meets first is true: the examples hold what they assert, and the programs of the README are those
//! of the crate's documentation, where `cargo test --doc` runs them.

#[path = "../../examples/batch.rs"]
mod batch;
#[path = "../../examples/own_robot.rs"]
mod own_robot;
#[path = "../../examples/sliding_box.rs"]
mod sliding_box;

const README: &str = include_str!("../../../../README.md");
const BENCHMARKS: &str = include_str!("../../../../docs/benchmarks.md");
const LIBRARY: &str = include_str!("../../src/lib.rs");

#[test]
fn a_sliding_box_stops_where_the_example_says() {
    sliding_box::main().expect("the example");
}

#[test]
fn a_robot_of_ones_own_stands_as_the_example_says() {
    own_robot::main().expect("the example");
}

#[test]
fn a_batch_moves_as_the_example_says() {
    batch::main().expect("the example");
}

/// Texts between a line that begins with ``` and satisfies `opens`, and the next ```.
fn blocks(text: &str, opens: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut found, mut inside) = (Vec::new(), None::<Option<String>>);
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut inside) {
            (Some(word), None) => inside = Some(opens(word).then(String::new)),
            (Some(_), Some(_)) => found.extend(inside.take().flatten()),
            (None, Some(Some(block))) => *block += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    found
}

#[test]
fn the_programs_of_the_readme_are_those_of_the_documentation() {
    let header = LIBRARY.lines().map_while(|l| l.strip_prefix("//!"));
    let header: String = header.map(|l| format!("{}\n", l.strip_prefix(' ').unwrap_or(l))).collect();
    let documented = blocks(&header, |word| word != "text");
    let shown = blocks(README, |word| word.starts_with("rust"));
    assert_eq!(shown.len(), 2);
    assert_eq!(shown, documented);
}

/// The rows of the table that compares scenes with MuJoCo.
fn table(text: &str) -> Vec<&str> {
    text.lines()
        .skip_while(|l| !l.starts_with("| scene | stiction |"))
        .take_while(|l| l.starts_with('|'))
        .collect()
}

#[test]
fn the_speed_table_of_the_readme_is_that_of_the_benchmarks() {
    assert_eq!(table(README).len(), 12);
    assert_eq!(table(README), table(BENCHMARKS));
}
