//! Steps a batch of one robot and says what that cost: our side of `cargo xtask bench batch`.
//!
//!     batch_cost MODEL INPUTS [--dt H] [--precision double|single] [--threads N] [--tolerance E]
//!            [--judge true]
//!
//! INPUTS holds little-endian doubles: n, steps, nq, nv, nu; then the configurations (n × nq), the velocities
//! (n × nv) and the controls (steps × n × nu). Prints one JSON object; `cpu_s` and `wall_s` count the steps alone.

#[cfg(unix)]
fn main() {
    use std::path::Path;
    use stiction::batch::{Batch, BatchSettings, Path as Taken, Precision};
    use stiction::models::{LoadOptions, load};
    use stiction::{State, StepStatus, StepperParams};

    let mut arguments = std::env::args().skip(1);
    let (model, inputs) = (arguments.next().expect("MODEL"), arguments.next().expect("INPUTS"));
    let mut settings = BatchSettings::default();
    let mut stepper = StepperParams::default();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        let number = || value.parse::<f64>().expect("a number");
        match &*name {
            "--dt" => stepper.dt = number(),
            "--judge" => settings.judge = value == "true",
            "--threads" => settings.threads = number() as usize,
            "--tolerance" => settings.tolerance = number(),
            "--precision" if value == "double" => settings.precision = Precision::Double,
            "--precision" if value == "single" => settings.precision = Precision::Single,
            _ => panic!("{name} {value} is not understood"),
        }
    }
    settings.stepper = stepper;

    let bytes = std::fs::read(&inputs).expect("INPUTS can be read");
    let mut numbers = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b));
    let mut take = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
    let sizes = take(5);
    let [n, steps, nq, nv, nu] = [0, 1, 2, 3, 4].map(|k| sizes[k] as usize);
    let (q, v, controls) = (take(n * nq), take(n * nv), take(steps * n * nu));

    let world = load(Path::new(&model), &LoadOptions::default()).expect("MODEL can be read");
    assert_eq!([world.model.nq, world.model.nv(), world.actuators.len()], [nq, nv, nu], "sizes of the model");
    let start = State::neutral(&world.model);
    let mut batch = Batch::new(world, &start, n, settings).expect("a batch");
    let reset = |batch: &mut Batch| {
        for (i, (q, v)) in q.chunks(nq).zip(v.chunks(nv)).enumerate() {
            batch.reset(i, &State { t: 0.0, q: q.to_vec(), v: v.to_vec() }).expect("a state");
        }
    };
    // Buffers grow before the clock runs.
    reset(&mut batch);
    controls.chunks(n * nu).take(5).for_each(|controls| batch.step(controls));
    reset(&mut batch);

    let (mut worst, mut fell_back, mut flagged, mut failed, mut contacts) = (0.0_f64, 0, 0, 0, 0);
    let cpu = || {
        let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
        time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64
    };
    let (cpu_start, wall) = (cpu(), std::time::Instant::now());
    for controls in controls.chunks(n * nu) {
        batch.step(controls);
        for report in batch.reports() {
            let e = report.natural_map.unwrap_or(report.residual);
            worst = if e > worst { e } else { worst };
            fell_back += usize::from(report.path == Taken::FellBack);
            flagged += usize::from(report.status != StepStatus::Converged);
            failed += usize::from(matches!(report.status, StepStatus::Failed(_)));
            contacts += report.contacts;
        }
    }
    let (wall_s, cpu_s) = (wall.elapsed().as_secs_f64(), cpu() - cpu_start);
    let total = (n * steps) as f64;
    let record = serde_json::json!({
        "n": n, "steps": steps, "wall_s": wall_s, "cpu_s": cpu_s,
        "steps_per_s": total / wall_s, "steps_per_cpu_s": total / cpu_s,
        "natural_map": worst, "fell_back": fell_back as f64 / total, "flagged": flagged, "failed": failed,
        "contacts": contacts as f64 / total, "pace": format!("{:?}", batch.pace()),
        "height": batch.state(0).0[2],
    });
    #[expect(clippy::print_stdout, reason = "what this program is for")]
    {
        println!("{record}");
    }
}

#[cfg(not(unix))]
fn main() {}
