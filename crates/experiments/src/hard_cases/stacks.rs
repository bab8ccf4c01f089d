//! Stacks with mass ratios, and what stands by friction alone.
//!
//! ```text
//!     at rest, the normals between a body and the next carry  Σ m g  of all above        (1)
//! ```

use super::super::{ExperimentError, Size};
use super::trial::{G, Line, Trial, worse};

/// A cube of 1 kg, and one of 1e-6 to 1e6 kg on it.
pub(super) fn two_cubes(_: Size) -> Result<Vec<Line>, ExperimentError> {
    let mut lines = Vec::new();
    for exponent in [-6, -4, -2, 0, 2, 4, 6] {
        let ratio = 10.0_f64.powi(exponent);
        let mut trial = Trial::of_toml(&format!(
            "ground = {{ friction = 0.5 }}
            [[body]]
            name = 'cube'
            shape = 'box'
            size = [0.2, 0.2, 0.2]
            mass = 1.0
            mass_ratio = {ratio:e}
            position = [0.0, 0.0, 0.1]
            count = 2
            offset = [0.0, 0.0, 0.2]"
        ))?;
        let shift = trial.largest_shift(1.0, &[0, 1]);
        let of = format!("1e{exponent} kg on 1 kg");
        lines.push(trial.line("two cubes", of, ["shift", "m"], shift, 5e-5));
    }
    Ok(lines)
}

/// (1) for ten boxes from 1e-3 to 1e3 kg, after a second.
pub(super) fn ten_boxes(_: Size) -> Result<Vec<Line>, ExperimentError> {
    let mut lines = Vec::new();
    for (of, first, exponent) in [("heavy above", 1e-3, 6.0 / 9.0), ("heavy below", 1e3, -6.0 / 9.0)] {
        let ratio = 10.0_f64.powf(exponent);
        let mut trial = Trial::of_toml(&format!(
            "ground = {{ friction = 0.5 }}
            [contact]
            tolerance = 1e-10
            [[body]]
            name = 'box'
            shape = 'box'
            size = [0.2, 0.2, 0.2]
            mass = {first}
            mass_ratio = {ratio}
            position = [0.0, 0.0, 0.1]
            count = 10
            offset = [0.0, 0.0, 0.2]"
        ))?;
        trial.run(1.0, |_| {});
        let mut borne = [0.0; 10];
        for contact in trial.contacts() {
            // n points from A, which is below, to B.
            let above = contact.bodies[1].unwrap_or(0);
            borne[above] += contact.force.z;
        }
        let mass = |k: usize| first * ratio.powi(k as i32);
        let off = |k: usize| (borne[k] / ((k..10).map(mass).sum::<f64>() * G) - 1.0).abs();
        let worst = (0..10).map(off).fold(0.0, worse);
        lines.push(trial.line("ten boxes", of, ["relative error of a sum of normals", ""], worst, 1e-8));
    }
    Ok(lines)
}

/// How far anything may shift in what stands [m].
const STANDS: f64 = 1e-3;

/// Seven voussoirs of 25.7° on the ground, 0.2 of the middle radius thick; Heyman's limit is 0.1075.
pub(super) fn arch(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let (radius, thick, count) = (1.0, 0.2, 7);
    let half = 0.5 * std::f64::consts::PI / f64::from(count);
    let mut corners = String::new();
    // Of the one at the top, from the middle of the arch.
    for r in [radius - 0.5 * thick, radius + 0.5 * thick] {
        for angle in [-half, half] {
            for y in [-0.1, 0.1] {
                corners += &format!("{} {y} {} ", r * angle.sin(), r * angle.cos() - radius);
            }
        }
    }
    let mut text = format!(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.7"/></default>
        <asset><mesh name="voussoir" vertex="{corners}"/></asset>
        <worldbody><geom type="plane" size="9 9 1"/>"#
    );
    for k in 0..count {
        let angle = std::f64::consts::PI * (0.5 - (f64::from(k) + 0.5) / f64::from(count));
        let ((s, c), (sh, ch)) = (angle.sin_cos(), (0.5 * angle).sin_cos());
        text += &format!(
            r#"<body pos="{} 0 {}" quat="{ch} 0 {sh} 0"><freejoint/><geom type="mesh" mesh="voussoir" mass="1"/></body>"#,
            radius * s,
            radius * c
        );
    }
    text += "</worldbody></mujoco>";
    let mut trial = Trial::of_mjcf(&text, 1e-8)?;
    let seconds = standing(size);
    let shift = trial.largest_shift(seconds, &(0..count as usize).collect::<Vec<_>>());
    Ok(vec![trial.line("arch", format!("7 voussoirs, {seconds} s"), ["shift", "m"], shift, STANDS)])
}

/// Two cards of 0.1 m that lean on each other at 15° from the vertical, and a card across two such pairs.
pub(super) fn card_house(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let (length, thick, degrees) = (0.1, 2e-3, 15.0_f64);
    let (s, c) = degrees.to_radians().sin_cos();
    // An edge of each on the floor, an edge of each against the other's over the middle.
    let (x, z) = (0.5 * (length * s + thick * c), 0.5 * (length * c + thick * s));
    let card = |name: &str, x: f64, z: f64, pitch: f64| {
        format!(
            "[[body]]
            name = '{name}'
            shape = 'box'
            size = [{thick}, 0.06, {length}]
            mass = 0.01
            position = [{x}, 0.0, {z}]
            rpy = [0.0, {pitch}, 0.0]\n"
        )
    };
    let mut text = "ground = { friction = 0.5 }\n".to_owned();
    for (name, middle) in [("left", -0.03), ("right", 0.03)] {
        text += &card(&format!("{name} a"), middle - x, z, degrees);
        text += &card(&format!("{name} b"), middle + x, z, -degrees);
    }
    text += &card("roof", 0.0, 2.0 * z + 0.5 * thick, 90.0);
    let mut trial = Trial::of_toml(&text)?;
    let seconds = standing(size);
    let shift = trial.largest_shift(seconds, &[0, 1, 2, 3, 4]);
    Ok(vec![trial.line("card house", format!("5 cards, {seconds} s"), ["shift", "m"], shift, STANDS)])
}

/// SimBenchmark's tower of 102 blocks, 6000 steps; most settings it publishes let it fall before. Friction is our choice.
pub(super) fn kapla(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let floors = if size == Size::Full { 6 } else { 1 };
    let mut text = "ground = { friction = 0.5 }\nstepper = { dt = 0.01 }\n".to_owned();
    let mut count = 0;
    let mut block = |size: [f64; 3], x: f64, y: f64, z: f64| {
        text += &format!(
            "[[body]]
            name = 'block{count}'
            shape = 'box'
            size = {size:?}
            mass = 10.0
            position = [{x}, {y}, {z}]\n"
        );
        count += 1;
    };
    for floor in 0..floors {
        let z = 0.2 * f64::from(floor);
        (0..8).for_each(|j| block([0.05, 0.25, 0.1], 0.2 * f64::from(j), 0.0, z + 0.05));
        let wall = [0.2, 0.05, 0.1];
        (0..4).for_each(|j| block(wall, 0.4 * f64::from(j) + 0.1, -0.1, z + 0.15));
        (0..3).for_each(|j| block(wall, 0.4 * f64::from(j) + 0.3, 0.1, z + 0.15));
        [0.1, 1.3].into_iter().for_each(|x| block(wall, x, 0.1, z + 0.15));
    }
    let blocks: Vec<usize> = (0..count).collect();
    let mut lines = Vec::new();
    // The second solves every step, at a quarter of a second each: its run is cut short.
    for (contact, seconds) in [("nsgs-accelerated", standing(size)), ("ncp-al", standing(size).min(3.0))] {
        let mut trial = Trial::of_toml(&format!("contact = {{ solver = '{contact}' }}\n{text}"))?;
        let shift = trial.largest_shift(seconds, &blocks);
        let of = format!("{contact}, {count} blocks, {seconds} s");
        lines.push(trial.line("Kapla", of, ["shift", "m"], shift, STANDS));
    }
    Ok(lines)
}

fn standing(size: Size) -> f64 {
    if size == Size::Full { 60.0 } else { 0.5 }
}
