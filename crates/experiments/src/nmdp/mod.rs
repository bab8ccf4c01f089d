//! Implicit steps by the non-convex maximal dissipation principle, beside time stepping under the exact law: a robot jumps
//! five times in symmetric poses, and walks, at steps of 1 to 50 ms [Pan2021, figures 3 to 6].
//!
//! The torso starts with a small roll, so that what is unstable shows; it should lose it. Both energies are run: that of all
//! bodies, which the paper minimises, and that of contact points, which its authors' program does.

mod figures;
mod page;
mod snapshots;
mod spider;
mod trace;

use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size, Table, large_steps};
use stiction::StepperName;
use stiction::nmdp::residual::Dissipated::{ContactPoints, WholeBody};
use stiction_plot::Series;
use stiction_scene::Scene;
use trace::{Trace, Variant};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "nmdp",
    title: "Implicit steps by maximal dissipation: jumps, walks and their cost at steps of 1 to 50 ms",
    source: "Pan2021, figures 3 to 6",
    measure,
};

/// Steps [s]; all divide the period of the jumps, which are then sampled alike.
const STEPS: [f64; 7] = [1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 2.5e-2, 5e-2];
/// Steps of a short run.
const FEW: [f64; 2] = [5e-3, 5e-2];

const fn variant(stepper: &'static str, dissipated: stiction::nmdp::residual::Dissipated) -> Variant {
    Variant { stepper, dissipated, differences: 1 }
}

const fn two_step(stepper: &'static str, dissipated: stiction::nmdp::residual::Dissipated) -> Variant {
    Variant { stepper, dissipated, differences: 2 }
}

/// All, the exact law first, then the baseline.
const VARIANTS: [Variant; 12] = [
    variant("time-stepping", WholeBody),
    variant("ne-mdp", WholeBody),
    variant("ne-nmdp-pgm", WholeBody),
    variant("ne-nmdp-zopgm", WholeBody),
    variant("pbd-nmdp-pgm", WholeBody),
    variant("pbd-nmdp-zopgm", WholeBody),
    two_step("ne-nmdp-pgm", WholeBody),
    variant("ne-nmdp-pgm", ContactPoints),
    variant("ne-nmdp-zopgm", ContactPoints),
    variant("pbd-nmdp-pgm", ContactPoints),
    variant("pbd-nmdp-zopgm", ContactPoints),
    two_step("ne-nmdp-pgm", ContactPoints),
];

/// Roll at the start [rad].
const ROLL: f64 = 0.01;
/// Period of the jumps [s].
const PERIOD: f64 = 2.0;

/// Runs by stepper and step.
struct Runs {
    steps: Vec<f64>,
    /// Per variant and step.
    jumps: Vec<Vec<Trace>>,
    walks: Vec<Vec<Trace>>,
}

impl Runs {
    /// Every variant at every step: `jump`, which starts with a roll, and `walk`, each for `duration` [s].
    fn of([jump, walk]: [&Scene; 2], steps: Vec<f64>, duration: f64) -> Result<Self, ExperimentError> {
        let mut runs = Self { steps, jumps: Vec::new(), walks: Vec::new() };
        for variant in VARIANTS {
            let all = |scene: &Scene, roll: f64| {
                let run = |h: &f64| Trace::run(scene, variant, (*h, duration, roll));
                runs.steps.iter().map(run).collect::<Result<Vec<_>, _>>()
            };
            let (jumps, walks) = (all(jump, ROLL)?, all(walk, 0.0)?);
            runs.jumps.push(jumps);
            runs.walks.push(walks);
        }
        Ok(runs)
    }
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let full = size == Size::Full;
    let steps = if full { STEPS.to_vec() } else { FEW.to_vec() };
    let (jump, walk) = (Scene::builtin("robosimian-jump")?, Scene::builtin("robosimian-walk")?);
    let duration = if full { 10.0 } else { 4.0 };
    let runs = Runs::of([&jump, &walk], steps, duration)?;
    let mut findings = Findings::default();
    tilt(&runs, &mut findings);
    height(&runs, &mut findings);
    way(&runs, &mut findings);
    cost(&runs, &mut findings);
    iterations(&runs, &mut findings);
    conditions(&runs, &mut findings);
    figures::over_time("robosimian", &runs, &mut findings);
    figures::cost(&runs, &mut findings);
    spider::measure(size, &mut findings)?;
    quadruped(size, &mut findings)?;
    snapshots::measure(size, &mut findings)?;
    let [sentences, tables] = page::parts(&findings.tables);
    findings.files.push(("nmdp-page.md".to_owned(), (sentences + "\n" + &tables).into_bytes()));
    Ok(findings)
}

fn ms(h: f64) -> String {
    format!("{:.0}", 1e3 * h)
}

/// A series over the steps for every variant.
fn over_steps(runs: &Runs, traces: &[Vec<Trace>], f: impl Fn(&Trace) -> f64) -> Vec<Series> {
    let points = |traces: &[Trace]| {
        let points = runs.steps.iter().zip(traces).map(|(h, trace)| [1e3 * h, f(trace)]);
        points.filter(|p| p[1].is_finite()).collect()
    };
    VARIANTS.iter().zip(traces).map(|(v, t)| Series { label: v.label(), points: points(t) }).collect()
}

/// Rows of a table: a variant, and a cell for every step.
fn rows(traces: &[Vec<Trace>], cell: impl Fn(&Trace) -> String) -> Vec<Vec<String>> {
    let row = |(v, traces): (&Variant, &Vec<Trace>)| {
        std::iter::once(v.label()).chain(traces.iter().map(&cell)).collect()
    };
    VARIANTS.iter().zip(traces).map(row).collect()
}

fn heads(runs: &Runs) -> Vec<String> {
    std::iter::once("stepper".to_owned()).chain(runs.steps.iter().map(|h| format!("{} ms", ms(*h)))).collect()
}

/// Figure 3.
fn tilt(runs: &Runs, findings: &mut Findings) {
    for (variant, traces) in VARIANTS.iter().zip(&runs.jumps) {
        for (h, trace) in runs.steps.iter().zip(traces) {
            let claim =
                format!("{} at {} ms: the torso tilts no more than it did at first", variant.label(), ms(*h));
            if (variant.is_implicit() && variant.is_published()) || variant.stepper == "time-stepping" {
                findings.bound(claim, "rad", Worst::about(trace.tilt(0.0), trace.samples.len()), 2.0 * ROLL);
            }
        }
        if variant.stepper == "ne-mdp" {
            let last = &traces[traces.len() - 1];
            findings.claims.push(Claim {
                claim: "ne-mdp at 50 ms: it explodes, or the torso tilts farther".to_owned(),
                measured: if last.exploded {
                    "it explodes".to_owned()
                } else {
                    format!("{:.2e} rad", last.tilt(0.0))
                },
                holds: last.tilt(0.0) > 2.0 * ROLL,
                sample: last.samples.len(),
            });
        }
    }
    let cell = |t: &Trace| if t.exploded { "explodes".to_owned() } else { format!("{:.4}", t.tilt(0.0)) };
    findings.tables.push(Table {
        stem: "nmdp-tilt",
        title: "Tilt of the torso in jumps".to_owned(),
        about: format!("Largest angle from the vertical [rad]; {ROLL} at the start"),
        heads: heads(runs),
        rows: rows(&runs.jumps, cell),
    });
}

/// Figure 4.
fn height(runs: &Runs, findings: &mut Findings) {
    for (variant, traces) in VARIANTS.iter().zip(&runs.jumps) {
        for (h, trace) in
            runs.steps.iter().zip(traces).filter(|_| variant.stepper != "ne-mdp" && variant.is_published())
        {
            let claim = format!("{} at {} ms: jumps are as high as one another", variant.label(), ms(*h));
            let spread = if trace.exploded { f64::INFINITY } else { trace.spread(PERIOD) };
            findings.bound(claim, "m", Worst::about(spread, trace.samples.len()), 0.01);
        }
    }
    findings.tables.push(Table {
        stem: "nmdp-height",
        title: "Height of jumps".to_owned(),
        about: "Greatest height of the torso [m] ± how far the jumps after the first differ".to_owned(),
        heads: heads(runs),
        rows: rows(&runs.jumps, height_cell),
    });
}

/// Greatest height, and how far the jumps after the first differ.
fn height_cell(t: &Trace) -> String {
    if t.exploded {
        return "explodes".to_owned();
    }
    format!("{:.3} ± {:.4}", t.apex(PERIOD), t.spread(PERIOD))
}

/// Figure 5.
fn way(runs: &Runs, findings: &mut Findings) {
    for (variant, traces) in VARIANTS.iter().zip(&runs.walks) {
        for (h, trace) in
            runs.steps.iter().zip(traces).filter(|_| variant.stepper != "ne-mdp" && variant.is_published())
        {
            let [_, off] = trace.line(1.0);
            let claim = format!("{} at {} ms: the way is a straight line over time", variant.label(), ms(*h));
            let off = if trace.exploded { f64::INFINITY } else { off };
            findings.bound(claim, "m", Worst::about(off, trace.samples.len()), 0.03);
        }
    }
    // How much slower the walk is at the largest step than at the smallest.
    for (variant, traces) in VARIANTS.iter().zip(&runs.walks) {
        let (first, last) = (&traces[0], &traces[traces.len() - 1]);
        let lost = 1.0 - last.line(1.0)[0] / first.line(1.0)[0];
        let label = variant.label();
        let first_order = variant.stepper.ends_with("-pgm") && variant.is_published();
        if variant.stepper == "time-stepping" {
            findings.bound(
                format!("{label}: the walk is as fast at 50 ms"),
                "of its speed",
                Worst::about(lost.abs(), last.samples.len()),
                0.1,
            );
        } else if first_order && variant.dissipated == ContactPoints {
            findings.bound(
                format!("{label}: the walk is not much slower at 50 ms"),
                "of its speed",
                Worst::about(lost, last.samples.len()),
                0.6,
            );
        } else if first_order {
            findings.claims.push(Claim {
                claim: format!(
                    "{label}: least energy of all bodies brakes the walk at 50 ms, by more than 0.8"
                ),
                measured: format!("{lost:.2} of its speed"),
                holds: lost > 0.8,
                sample: last.samples.len(),
            });
        }
    }
    findings.tables.push(Table {
        stem: "nmdp-walk",
        title: "Speed of the walk".to_owned(),
        about: "Slope of the way over time [m/s]; the feet of the motion pass below the torso at 0.2 m/s"
            .to_owned(),
        heads: heads(runs),
        rows: rows(&runs.walks, walk_cell),
    });
    let axes = ["step [ms]", "speed [m/s]"];
    let series = over_steps(runs, &runs.walks, |t| t.line(1.0)[0]);
    findings.keep_over("nmdp-walk", "Speed of the walk over the step", axes, series, |f| f);
}

/// Speed of the walk.
fn walk_cell(t: &Trace) -> String {
    if t.exploded { "explodes".to_owned() } else { format!("{:.4}", t.line(1.0)[0]) }
}

/// Figure 6.
fn cost(runs: &Runs, findings: &mut Findings) {
    let both = |v: usize, h: usize| [&runs.jumps[v][h], &runs.walks[v][h]];
    let mut table = Vec::new();
    for (v, variant) in VARIANTS.iter().enumerate() {
        for (k, h) in runs.steps.iter().enumerate() {
            let [jump, walk] = both(v, k);
            let micro = 0.5e6 * (jump.seconds + walk.seconds);
            // Of `time-stepping` there are none.
            let counted = !jump.reports.is_empty();
            let mean = |f: fn(&stiction::nmdp::NmdpReport) -> f64| match counted {
                true => format!("{:.2}", 0.5 * (jump.mean(f) + walk.mean(f))),
                false => "–".to_owned(),
            };
            let smallest =
                [jump, walk].iter().flat_map(|t| &t.reports).fold(*h, |m, r| m.min(r.smallest_part));
            let judged = jump.natural_map.max(walk.natural_map);
            table.push(vec![
                variant.label(),
                ms(*h),
                format!("{micro:.0}"),
                format!("{:.1}", h / (1e-6 * micro)),
                mean(|r| f64::from(r.outer)),
                mean(|r| f64::from(r.programs)),
                mean(|r| f64::from(r.newton)),
                format!("{:.3}", 1e3 * smallest),
                mean(|r| f64::from(r.stalled)),
                format!("{:.1}", 1e3 * jump.deepest.max(walk.deepest)),
                format!("{judged:.2e}"),
            ]);
        }
    }
    let words = [
        "stepper",
        "h [ms]",
        "µs a step",
        "times real time",
        "outer",
        "programs",
        "newton",
        "smallest part [ms]",
        "stalled",
        "deepest [mm]",
        "natural map of the exact law [m/s]",
    ];
    findings.tables.push(Table {
        stem: "nmdp-cost",
        title: "Cost of steps".to_owned(),
        about:
            "Means over the steps of jumps and walks; the natural map and the depth are the largest of all"
                .to_owned(),
        heads: words.map(str::to_owned).into(),
        rows: table,
    });
    let outer = |t: &Trace| t.mean(|r| f64::from(r.outer));
    let axes = ["step [ms]", "outer iterations"];
    let series = over_steps(runs, &runs.walks, outer);
    let implicit = |s: &Series| s.label.contains("nmdp");
    let series = series.into_iter().filter(implicit).collect();
    findings.keep_over("nmdp-outer", "Outer iterations in the walk over the step", axes, series, |f| f);
    for (v, variant) in VARIANTS.iter().enumerate().filter(|(_, v)| v.is_implicit()) {
        let worst = runs.jumps[v].iter().chain(&runs.walks[v]).map(|t| t.natural_map).fold(0.0, f64::max);
        findings.claims.push(Claim {
            claim: format!("{} leaves the exact law: natural map above 0.1 m/s", variant.label()),
            measured: format!("{worst:.2e} m/s"),
            holds: worst > 0.1,
            sample: runs.walks[v].len(),
        });
    }
    let exact = runs.jumps[0].iter().chain(&runs.walks[0]).map(|t| t.natural_map);
    findings.bound("time-stepping keeps it".to_owned(), "m/s", Worst::of(exact), 1e-6);
}

/// Counted work, without times: what another machine finds as well.
fn iterations(runs: &Runs, findings: &mut Findings) {
    let line = |v: usize, traces: &[Vec<Trace>], of: &dyn Fn(&Trace) -> String| {
        std::iter::once(VARIANTS[v].label()).chain(traces[v].iter().map(of)).collect::<Vec<_>>()
    };
    let cell = |t: &Trace| {
        let smallest = t.reports.iter().map(|r| r.smallest_part).fold(f64::INFINITY, f64::min);
        let [outer, newton] = [t.mean(|r| f64::from(r.outer)), t.mean(|r| f64::from(r.newton))];
        format!("{outer:.1}, {newton:.1}, {:.2}", 1e3 * smallest)
    };
    let implicit = (0..VARIANTS.len()).filter(|v| VARIANTS[*v].is_implicit());
    findings.tables.push(Table {
        stem: "nmdp-iterations",
        title: "Work of steps".to_owned(),
        about: "In jumps: mean outer iterations of a step, mean Newton iterations of its projections, smallest part of any step [ms]"
            .to_owned(),
        heads: heads(runs),
        rows: implicit.map(|v| line(v, &runs.jumps, &cell)).collect(),
    });
}

/// The conditions of the proofs over the step.
fn conditions(runs: &Runs, findings: &mut Findings) {
    let mut table = Vec::new();
    for (v, variant) in VARIANTS.iter().enumerate().filter(|(_, v)| v.is_implicit()) {
        for (k, h) in runs.steps.iter().enumerate() {
            let traces = [&runs.jumps[v][k], &runs.walks[v][k]];
            let all = || traces.iter().flat_map(|t| &t.reports);
            let most = |f: fn(&stiction::nmdp::NmdpReport) -> f64| all().map(f).fold(0.0, f64::max);
            let count = |f: fn(&stiction::nmdp::NmdpReport) -> u32| all().map(f).sum::<u32>();
            let expanding =
                all().filter(|r| r.contraction > 1.0).count() as f64 / all().count().max(1) as f64;
            table.push(vec![
                variant.label(),
                ms(*h),
                format!("{:.1e}", all().map(|r| r.pivot).fold(1.0, f64::min)),
                format!("{}", count(|r| r.singular)),
                format!("{:.3}", most(|r| r.reduction)),
                format!("{}", count(|r| r.projection_failures)),
                format!("{:.1e}", all().map(|r| r.descent).fold(f64::INFINITY, f64::min)),
                format!("{}", count(|r| r.descent_failures)),
                format!("{:.1}", most(|r| r.contraction)),
                format!("{:.0}", 100.0 * expanding),
            ]);
        }
    }
    let words = [
        "stepper",
        "h [ms]",
        "least pivot",
        "singular",
        "largest ratio of ‖G‖",
        "projections failed",
        "least fall of K [J]",
        "descents failed",
        "largest ratio of ‖Δw‖",
        "steps that expand [%]",
    ];
    findings.tables.push(Table {
        stem: "nmdp-conditions",
        title: "Conditions of the proofs, measured".to_owned(),
        about: "Rank of ∂G/∂ν by its least relative pivot (A V.2), monotone projections, descent, contraction of outer \
                iterations; failures are of parts, which were then halved"
            .to_owned(),
        heads: words.map(str::to_owned).into(),
        rows: table,
    });
    let expanding = |t: &Trace| {
        let count = t.reports.iter().filter(|r| r.contraction > 1.0).count();
        100.0 * count as f64 / t.reports.len().max(1) as f64
    };
    let series = over_steps(runs, &runs.walks, expanding);
    let series = series.into_iter().filter(|s| s.label.contains("nmdp")).collect();
    let axes = ["step [ms]", "steps [%]"];
    let title = "Steps of the walk with an outer iteration that did not contract";
    findings.keep_over("nmdp-contraction", title, axes, series, |f| f);
}

/// Our quadruped stands and jumps as in `large-steps`.
fn quadruped(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let steps: &[f64] =
        if size == Size::Full { &[5e-4, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2] } else { &[5e-3, 5e-2] };
    let (mut table, mut rises) = (Vec::new(), Vec::new());
    let few = |v: &&Variant| size == Size::Full || v.stepper.ends_with("-pgm");
    for variant in VARIANTS.iter().filter(|v| v.stepper != "time-stepping").filter(few) {
        let mut scene = Scene::builtin("quadruped")?;
        scene.stepper.method = StepperName::of(variant.stepper).unwrap_or_default();
        scene.stepper.nmdp.dissipated = variant.dissipated;
        scene.stepper.nmdp.differences = variant.differences;
        let mut fine = f64::NAN;
        let mut line = vec![variant.label()];
        for &h in steps {
            let (stand, jump) = (large_steps::run(&scene, h, false)?, large_steps::run(&scene, h, true)?);
            if fine.is_nan() {
                fine = jump.apex;
            }
            if variant.is_implicit() && variant.is_published() {
                findings.claims.push(Claim {
                    claim: format!("the quadruped stands under {} at {:.1} ms", variant.label(), 1e3 * h),
                    measured: if stand.stands { "yes" } else { "NO" }.to_owned(),
                    holds: stand.stands,
                    sample: stand.steps,
                });
            }
            let lost = if jump.apex.is_finite() {
                format!("{:.3}", jump.apex).replace('-', "−")
            } else {
                "lost".to_owned()
            };
            line.push(lost);
            table.push(vec![
                variant.label(),
                format!("{:.1}", 1e3 * h),
                if stand.stands { "yes" } else { "NO" }.to_owned(),
                format!("{:.4}", jump.apex),
                format!("{:+.1}", 100.0 * (jump.apex / fine - 1.0) + 0.0).replace("-0.0", "0.0"),
                if jump.stands { "yes" } else { "NO" }.to_owned(),
            ]);
        }
        rises.push(line);
    }
    let heads = ["stepper".to_owned()].into_iter().chain(steps.iter().map(|h| format!("{} ms", 1e3 * h)));
    findings.tables.push(Table {
        stem: "nmdp-quadruped-rise",
        title: "How far the trunk of our quadruped rises in a jump".to_owned(),
        about: "[m]; it stands for 3 s under every method and step".to_owned(),
        heads: heads.collect(),
        rows: rises,
    });
    findings.tables.push(Table {
        stem: "nmdp-quadruped",
        title: "The quadruped of `large-steps` under these steppers".to_owned(),
        about: "Standing for 3 s; how far the trunk rises in a jump, beside the smallest step".to_owned(),
        heads: ["stepper", "h [ms]", "stands", "rises [m]", "beside the smallest h [%]", "lands"]
            .map(str::to_owned)
            .into(),
        rows: table,
    });
    Ok(())
}
