//! Orders of convergence: how the error of a motion falls with the step, of every stepper that has one, on twelve scenes and
//! 22 planar problems of robots and bodies that touch.
//!
//! With x(h) the poses of all bodies at the end of a motion that was computed with steps of h, and |x − y| the largest distance [m] or
//! angle [rad] between the same body of two,
//!
//! ```text
//!     order = log (e(H)/e(h)) / log (H/h)                                                        (1)
//! ```
//!
//! between the largest step H and the smallest h, where e(h) = |x(h) − x| if x is known in closed form, which tells
//! as well that the motion converges to the right one, and |x(2h) − x(h)| if it is not. Of planar problems x is the
//! motion by `time-stepping` at 1/32 ms. Steppers that control their error by a tolerance (`compliant`,
//! `event-driven`, `adaptive`) have no order in h.

mod robots;
mod scenes;

use super::{Claim, Experiment, ExperimentError, Findings, Size, Table, capitalised};
use scenes::{Case, cases};
use stiction::dynamics::spatial::Pose;
use stiction::{StepperName, Steps, steppers};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "order",
    title: "Order of convergence of every stepper, on scenes and planar robots",
    source: "Richardson's differences; schemes as in `stiction steppers`",
    measure,
};

/// Distances below are rounding [m, rad].
const ROUNDING: f64 = 1e-10;
/// Steps of planar problems [s].
const PLANAR_STEPS: &[f64] = &[2e-3, 1e-3, 5e-4];
/// Step of the motions that planar problems are compared with [s].
const REFERENCE: f64 = 1e-3 / 32.0;
/// Least measured order that counts as two.
const SECOND: f64 = 1.7;

/// The columns of a size, of planar problems or of scenes.
fn columns(size: Size, planar: bool) -> Vec<StepperName> {
    match (size, planar) {
        (Size::Small, true) => vec![StepperName::default()],
        (Size::Small, false) => {
            StepperName::of("moreau").into_iter().chain([StepperName::default()]).rev().collect()
        }
        (Size::Full, _) => {
            let given = steppers().iter().filter(|e| e.steps == Steps::Given);
            given.filter_map(|e| StepperName::of(e.name).ok()).collect()
        }
    }
}

/// The errors of one stepper on one scene.
struct Measured {
    /// (1); `None`: the motion is exact, or does not converge at these steps.
    order: Option<f64>,
    /// h [s] and e(h).
    errors: Vec<[f64; 2]>,
}

impl Measured {
    fn is_exact(&self) -> bool {
        self.errors.iter().all(|d| d[1] < ROUNDING)
    }

    /// At least of the second order, or exact.
    fn is_second(&self) -> bool {
        self.is_exact() || self.order.is_some_and(|order| order > SECOND)
    }

    fn words(&self) -> String {
        match self.order {
            _ if self.is_exact() => "exact".to_owned(),
            Some(order) => format!("{order:.1}"),
            None => "–".to_owned(),
        }
    }
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let steps: &[f64] = match size {
        Size::Small => &[4e-3, 2e-3, 1e-3],
        Size::Full => &[4e-3, 2e-3, 1e-3, 5e-4],
    };
    let mut findings = Findings::default();
    let (planar, scenes): (Vec<_>, Vec<_>) = cases().into_iter().partition(Case::is_planar);
    for (cases, steps, stem, what) in
        [(scenes, steps, "", "scenes"), (planar, PLANAR_STEPS, "planar-", "planar problems")]
    {
        let ways = columns(size, !stem.is_empty());
        let [orders, errors] = tabled(&mut findings, &cases, &ways, steps)?;
        let heads: Vec<String> =
            std::iter::once("scene").chain(ways.iter().map(|way| way.as_str())).map(str::to_owned).collect();
        findings.tables.push(Table {
            stem: if stem.is_empty() { "orders" } else { "planar-orders" },
            title: format!("Orders of convergence, {what}"),
            about: "The power of the step with which the error of a motion falls, or its change when the step is halved. Exact: \
                    there is none but rounding. –: it does not converge at these steps. Refused: the stepper does not know what \
                    the scene holds."
                .to_owned(),
            heads: heads.clone(),
            rows: orders,
        });
        findings.tables.push(Table {
            stem: if stem.is_empty() { "errors" } else { "planar-errors" },
            title: format!("Errors, {what}"),
            about: format!(
                "Largest distance [m] or angle [rad] from the motion in closed form, from steps of 1/32 ms, or from \
                 the motion at twice the step, at steps of {} ms.",
                1e3 * steps[steps.len() - 1]
            ),
            heads,
            rows: errors,
        });
    }
    Ok(findings)
}

/// Orders and errors of cases by these ways, with their curves and claims.
fn tabled(
    findings: &mut Findings,
    cases: &[Case],
    ways: &[StepperName],
    steps: &[f64],
) -> Result<[Vec<Vec<String>>; 2], ExperimentError> {
    let mut rows = [Vec::new(), Vec::new()];
    for case in cases {
        let (mut orders, mut errors) = (vec![case.name.to_owned()], vec![case.name.to_owned()]);
        let mut curves = Vec::new();
        let known = case.known_end()?;
        for &way in ways {
            let Some(measured) = measured(case, known.as_deref(), way, steps)? else {
                orders.push("refused".to_owned());
                errors.push("–".to_owned());
                continue;
            };
            orders.push(measured.words());
            errors.push(measured.errors.last().map_or("–".to_owned(), |[_, e]| format!("{e:.1e}")));
            claim(findings, case, way, &measured);
            curves.push(Series { label: way.as_str().to_owned(), points: measured.errors });
        }
        rows[0].push(orders);
        rows[1].push(errors);
        if case.is_planar() {
            continue; // their tables tell all
        }
        let (title, error) = match known {
            Some(_) => ("error against the closed form", "|x(h) − x| [m or rad]"),
            None => ("change when the step is halved", "|x(2h) − x(h)| [m or rad]"),
        };
        let title = format!("{}: {title}", capitalised(case.name));
        let stem = format!("order-{}", case.stem());
        findings
            .keep_over(&stem, &title, ["step h [s]", error], curves, |f: Figure| f.marked().log_x().log_y());
    }
    Ok(rows)
}

/// Adds the promises of the default stepper.
fn claim(findings: &mut Findings, case: &Case, way: StepperName, measured: &Measured) {
    if way != StepperName::default() {
        return;
    }
    let who = way.as_str();
    let last = measured.errors.last();
    findings.claims.push(Claim {
        claim: if case.second {
            format!("{}: {who} is of the second order, or exact", case.name)
        } else {
            format!("{}: {who} converges", case.name)
        },
        sample: measured.errors.len(),
        measured: match last {
            Some([h, error]) => format!("order {}; at {:.2} ms {error:.1e}", measured.words(), 1e3 * h),
            None => "nothing".to_owned(),
        },
        holds: if case.second {
            measured.is_second() || last.is_some_and(|[_, error]| *error < case.found())
        } else {
            measured.is_exact() || measured.order.is_some_and(|order| order > 0.5)
        },
    });
    if let (Some(_), Some([_, error])) = (case.exact, last) {
        let claim = format!("{}: error of {who} against the closed form", case.name);
        findings.bound(claim, "m or rad", *error, case.within);
    }
}

/// `None` if the stepper refuses the scene.
fn measured(
    case: &Case,
    known: Option<&[Pose]>,
    way: StepperName,
    steps: &[f64],
) -> Result<Option<Measured>, ExperimentError> {
    let mut ends: Vec<Vec<Pose>> = Vec::new();
    for &h in steps {
        match case.end(way, h)? {
            Some(end) => ends.push(end),
            None => return Ok(None),
        }
    }
    let errors: Vec<[f64; 2]> = match known {
        Some(known) => steps.iter().zip(&ends).map(|(&h, end)| [h, apart(end, known)]).collect(),
        None => {
            steps[1..].iter().zip(ends.windows(2)).map(|(&h, pair)| [h, apart(&pair[0], &pair[1])]).collect()
        }
    };
    let order = match (errors.first(), errors.last()) {
        (Some([long, e]), Some([short, least])) => (e / least).ln() / (long / short).ln(),
        _ => f64::NAN,
    };
    Ok(Some(Measured { order: Some(order).filter(|o| o.is_finite() && *o > 0.1), errors }))
}

/// Largest distance of two motions [m or rad].
fn apart(a: &[Pose], b: &[Pose]) -> f64 {
    let of = |(a, b): (&Pose, &Pose)| {
        (a.translation - b.translation).norm().max((a.rotation.conjugate() * b.rotation).log().norm())
    };
    a.iter().zip(b).map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Landings, stops and slips that turn back end parts of a step, at any restitution.
    #[test]
    fn events_end_parts_of_a_step() {
        let parted = |case: &Case| {
            let mut sim = case.simulation(StepperName::default(), 2e-3).unwrap();
            let steps = (case.duration / 2e-3).round() as usize;
            (0..steps).any(|_| {
                let report = sim.step();
                assert!(!report.flagged(), "{}: {report:?}", case.name);
                report.parts > 1
            })
        };
        let parted: Vec<_> = cases()
            .into_iter()
            .filter(|case| case.is_planar() && parted(case))
            .map(|case| case.name)
            .collect();
        for name in [
            "leg lands",
            "chain lands",
            "chain meets stops",
            "box on edge, e .5",
            "spring pulls back",
            "hopper",
        ] {
            assert!(parted.contains(&name), "{parted:?}");
        }
        for name in ["chain flies", "four-bar", "box stops", "wheel with pendulum"] {
            assert!(!parted.contains(&name), "{parted:?}");
        }
    }
}
