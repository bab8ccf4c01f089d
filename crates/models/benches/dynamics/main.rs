//! Our share of `cargo xtask bench dynamics`: answers, line by line, what the algorithms give and
//! what they cost. Started as `dynamics ROBOT STATES`, where ROBOT is a URDF or `chainN` and STATES
//! is written: random states for the rivals, in our order of joints.
//!
//! ```text
//! list                    names of the algorithms
//! value NAME k            the result at state k, numbers by rows
//! time NAME us LANES      nanoseconds per environment over at least `us` microseconds, states
//!                         cycled, every bundle of states in the lanes `f64`, `f64x4`, …
//! ```
//!
//! Times are CPU time of the thread where the system tells it, else by the wall clock.

#![allow(non_snake_case)] // capitals carry meaning
#![allow(clippy::print_stdout)] // it is a conversation

mod derivatives;
mod robot;
mod states;

use derivatives::Derivatives;
use robot::Robot;
use states::States;
use std::hint::black_box;
use std::io::BufRead;
use stiction_dynamics::lanes::{self, Lanes, Task};
use stiction_dynamics::{Model, Real};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [robot, file] = &arguments[..] else {
        println!("this is one half of a conversation: `cargo xtask bench dynamics` holds it");
        return Ok(());
    };
    let model = robot::read(robot)?;
    let states = States::random(&model, 128);
    std::fs::write(file, states.to_text(&model)).map_err(|e| format!("{file}: {e}"))?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        println!("{}", answer(&model, &states, &line)?);
    }
    Ok(())
}

fn answer(model: &Model, states: &States, line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |k: usize| words.get(k).and_then(|w| w.parse::<f64>().ok());
    let place = |names: &[&str]| names.iter().position(|name| words.get(1) == Some(name));
    let unknown = || format!("`{line}` is not understood");
    let verb = *words.first().ok_or_else(unknown)?;
    if verb == "list" {
        return Ok([&robot::ALGORITHMS[..], &derivatives::ALGORITHMS[..]].concat().join(" "));
    }
    let number = number(2).ok_or_else(unknown)?;
    let in_lanes = words.get(3).copied().unwrap_or(lanes::F64::NAME);
    match (verb, place(&robot::ALGORITHMS), place(&derivatives::ALGORITHMS)) {
        ("value", Some(algorithm), _) => {
            Ok(listed(&Robot::new(model, states, 0.0).value(algorithm, number as usize)))
        }
        ("value", _, Some(algorithm)) => {
            Ok(listed(&Derivatives::new(model, states).value(algorithm, number as usize)))
        }
        ("time", Some(algorithm), _) => {
            let timing = Timing { model, states, algorithm, microseconds: number };
            Ok(timing.in_lanes(in_lanes).ok_or_else(unknown)?.to_string())
        }
        ("time", _, Some(algorithm)) if in_lanes == lanes::F64::NAME => {
            let timing = Timing { model, states, algorithm, microseconds: number };
            Ok(lanes::run::<lanes::F64, _>(OfDerivatives(timing)).to_string())
        }
        _ => Err(unknown()),
    }
}

fn listed(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// Nanoseconds per environment of one algorithm.
#[derive(Clone, Copy)]
struct Timing<'a> {
    model: &'a Model,
    states: &'a States,
    algorithm: usize,
    microseconds: f64,
}

impl Timing<'_> {
    fn in_lanes(self, name: &str) -> Option<f64> {
        Some(match name {
            lanes::F64::NAME => lanes::run::<lanes::F64, _>(self),
            lanes::F64x4::NAME => lanes::run::<lanes::F64x4, _>(self),
            lanes::F64x8::NAME => lanes::run::<lanes::F64x8, _>(self),
            lanes::F32x8::NAME => lanes::run::<lanes::F32x8, _>(self),
            lanes::F32x16::NAME => lanes::run::<lanes::F32x16, _>(self),
            _ => return None,
        })
    }
}

impl Task for Timing<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<T: Real>(self, kind: T) -> f64 {
        let mut robot = Robot::new(self.model, self.states, kind);
        let bundles = robot.bundles();
        // First a mass matrix for those who factor it, and one pass for the caches. One call, in a
        // loop: everything is inlined there.
        let (mut start, mut passes) = (0.0, -2_i32);
        loop {
            let algorithm = if passes == -2 { robot::CRBA } else { self.algorithm };
            for k in (0..bundles).rev() {
                black_box(&mut robot).step(black_box(algorithm), k);
            }
            passes += 1;
            let now = cpu_nanoseconds();
            if passes <= 0 {
                start = now;
            } else if now - start > 1e3 * self.microseconds {
                return (now - start) / (f64::from(passes) * (bundles * T::LANES) as f64);
            }
        }
    }
}

/// Timings of derivatives, which are run in plain numbers only.
struct OfDerivatives<'a>(Timing<'a>);

impl Task for OfDerivatives<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<T: Real>(self, _kind: T) -> f64 {
        let Timing { model, states, algorithm, microseconds } = self.0;
        let mut derivatives = Derivatives::new(model, states);
        // A pass for the caches first.
        let (mut start, mut passes) = (0.0, -1_i32);
        loop {
            for k in 0..states.count {
                black_box(&mut derivatives).step(black_box(algorithm), k);
            }
            passes += 1;
            let now = cpu_nanoseconds();
            if passes == 0 {
                start = now;
            } else if now - start > 1e3 * microseconds {
                return (now - start) / (f64::from(passes) * states.count as f64);
            }
        }
    }
}

#[cfg(unix)]
fn cpu_nanoseconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    let t = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the thread has a clock");
    1e9 * t.tv_sec() as f64 + t.tv_nsec() as f64
}

#[cfg(not(unix))]
fn cpu_nanoseconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as f64
}
