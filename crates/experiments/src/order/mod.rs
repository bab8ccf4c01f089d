//! Orders of convergence: how the error of a motion falls with the step, of every stepper that has one, on twelve scenes.
//!
//! With x(h) the poses of all bodies at the end of a motion that was computed with steps of h, and |x − y| the largest distance [m] or
//! angle [rad] between the same body of two,
//!
//! ```text
//!     order = log (e(H)/e(h)) / log (H/h)                                                        (1)
//! ```
//!
//! between the largest step H and the smallest h, where e(h) = |x(h) − x| if x is known in closed form, which tells as well that the motion
//! converges to the right one, and |x(2h) − x(h)| if it is not. Steppers that
//! control their error by a tolerance (`compliant`, `event-driven`, `adaptive`) have no order in h.

mod scenes;

use super::{Claim, Experiment, ExperimentError, Findings, Size, Table, capitalised};
use scenes::{Case, cases};
use stiction::dynamics::spatial::Pose;
use stiction::{StepperName, Steps, steppers};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "order",
    title: "Order of convergence of every stepper, on twelve scenes",
    source: "Richardson's differences; schemes as in `stiction steppers`",
    measure,
};

/// Distances below are rounding [m, rad].
const ROUNDING: f64 = 1e-10;
/// Least measured order that counts as two.
const SECOND: f64 = 1.7;

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
    let default = StepperName::default().as_str();
    let steppers: Vec<&str> = match size {
        Size::Small => vec![default, "moreau"],
        Size::Full => steppers().iter().filter(|e| e.steps == Steps::Given).map(|e| e.name).collect(),
    };
    let mut findings = Findings::default();
    let mut rows = [Vec::new(), Vec::new()];
    for case in cases() {
        let (mut orders, mut errors) = (vec![case.name.to_owned()], vec![case.name.to_owned()]);
        let mut curves = Vec::new();
        for &stepper in &steppers {
            let Some(measured) = measured(&case, stepper, steps)? else {
                orders.push("refused".to_owned());
                errors.push("–".to_owned());
                continue;
            };
            orders.push(measured.words());
            errors.push(measured.errors.last().map_or("–".to_owned(), |[_, e]| format!("{e:.1e}")));
            if stepper == default {
                claim(&mut findings, &case, &measured);
            }
            curves.push(Series { label: stepper.to_owned(), points: measured.errors });
        }
        let (title, error) = match case.exact {
            Some(_) => ("error against the closed form", "|x(h) − x| [m or rad]"),
            None => ("change when the step is halved", "|x(2h) − x(h)| [m or rad]"),
        };
        let title = format!("{}: {title}", capitalised(case.name));
        let stem = format!("order-{}", case.stem());
        findings
            .keep_over(&stem, &title, ["step h [s]", error], curves, |f: Figure| f.marked().log_x().log_y());
        rows[0].push(orders);
        rows[1].push(errors);
    }
    let [orders, errors] = rows;
    let heads: Vec<String> =
        std::iter::once("scene").chain(steppers.iter().copied()).map(str::to_owned).collect();
    findings.tables.push(Table {
        stem: "orders",
        title: "Orders of convergence".to_owned(),
        about: "The power of the step with which the error of a motion falls, or its change when the step is halved. Exact: there is \
                none but rounding. –: it does not converge at these steps. Refused: the stepper does not know what the scene holds."
            .to_owned(),
        heads: heads.clone(),
        rows: orders,
    });
    findings.tables.push(Table {
        stem: "errors",
        title: "Errors".to_owned(),
        about: format!(
            "Largest distance [m] or angle [rad] from the motion in closed form, or from that at twice the step, at steps of {} ms.",
            1e3 * steps[steps.len() - 1]
        ),
        heads,
        rows: errors,
    });
    Ok(findings)
}

/// Adds the promises of the default stepper.
fn claim(findings: &mut Findings, case: &Case, measured: &Measured) {
    findings.claims.push(Claim {
        claim: if case.second {
            format!("{}: time-stepping is of the second order, or exact", case.name)
        } else {
            format!("{}: time-stepping converges", case.name)
        },
        sample: measured.errors.len(),
        measured: match measured.errors.last() {
            Some([h, error]) => format!("order {}; at {:.2} ms {error:.1e}", measured.words(), 1e3 * h),
            None => "nothing".to_owned(),
        },
        holds: if case.second {
            measured.is_second()
        } else {
            measured.is_exact() || measured.order.is_some_and(|order| order > 0.5)
        },
    });
    if let (Some(_), Some([_, error])) = (case.exact, measured.errors.last()) {
        let claim = format!("{}: error of time-stepping against the closed form", case.name);
        findings.bound(claim, "m or rad", *error, case.within);
    }
}

/// `None` if the stepper refuses the scene.
fn measured(case: &Case, stepper: &str, steps: &[f64]) -> Result<Option<Measured>, ExperimentError> {
    let Ok(name) = StepperName::of(stepper) else { return Ok(None) };
    let mut ends: Vec<Vec<Pose>> = Vec::new();
    for &h in steps {
        match case.end(name, h)? {
            Some(end) => ends.push(end),
            None => return Ok(None),
        }
    }
    let errors: Vec<[f64; 2]> = match case.exact.map(|exact| exact(case.duration)) {
        Some(exact) => steps.iter().zip(&ends).map(|(&h, end)| [h, apart(&end[..1], &[exact])]).collect(),
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
