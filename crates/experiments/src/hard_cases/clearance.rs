//! A peg in a hole that is 0.1 mm wider than the peg.

use super::super::{ExperimentError, Size};
use super::trial::{Line, Trial};

/// A square peg of 50 mm starts 5 mm deep in a hole of 50.1 mm, off the middle, with and without a push of 2 N
/// at its top: it slides down 45 mm, rests on the floor, and its sides never overlap the walls.
pub(super) fn peg(_: Size) -> Result<Vec<Line>, ExperimentError> {
    let (peg, hole, wall) = (0.05, 0.0501, 0.02);
    let mut lines = Vec::new();
    for push in [0.0, 2.0] {
        let mut text = "ground = { friction = 0.2 }\n".to_owned();
        let middle = 0.5 * (hole + wall);
        for (name, x, y, size) in [
            ("east", middle, 0.0, [wall, hole, peg]),
            ("west", -middle, 0.0, [wall, hole, peg]),
            ("north", 0.0, middle, [hole, wall, peg]),
            ("south", 0.0, -middle, [hole, wall, peg]),
        ] {
            text += &format!(
                "[[fixed]]
                name = '{name}'
                shape = 'box'
                size = {size:?}
                position = [{x}, {y}, {}]
                friction = 0.2\n",
                0.5 * peg
            );
        }
        text += &format!(
            "[[body]]
            name = 'peg'
            shape = 'box'
            size = [{peg}, {peg}, 0.1]
            mass = 1.0
            position = [4e-5, 3e-5, 0.095]
            [[force]]
            body = 'peg'
            direction = [1.0, 0.5, 0.0]
            point = [0.0, 0.0, 0.05]
            magnitude = {push}"
        );
        let mut trial = Trial::of_toml(&text)?;
        let mut overlap = 0.0_f64;
        trial.run(1.0, |t| overlap = t.contacts().iter().fold(overlap, |o, c| o.max(-c.gap)));
        let left = (trial.position(0).z - 0.05).abs();
        let of = format!("pushed by {push} N");
        lines.push(trial.line("peg in hole", &of, ["way left to the floor", "m"], left, 1e-5));
        lines.push(trial.line("peg in hole", of, ["deepest overlap", "m"], overlap, 1e-5));
    }
    Ok(lines)
}
