//! A heavy body on a light one: what mass ratios do to each method. [LeLidec2023, Fig. 6]
//!
//! Two cubes on top of each other, 1 g below and 1 t above, at rest. Where each stands on a single point,
//! the normal rows are those of two masses in a column, and a sweep of Gauss and Seidel shrinks the error by
//!
//! ```text
//!     ρ = G₁₂²/(G₁₁ G₂₂) = m₂/(m₁ + m₂)                                                         (1)
//! ```
//!
//! a millionth per sweep here. Methods that see the whole problem at once do not feel the ratio.

use super::{Claim, Experiment, ExperimentError, Findings, Size};
use stiction::contact::corpus::{self, Scene};
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction_comparisons::history::{History, histories};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "ill-conditioning",
    title: "A tonne on a gramme: residual over iterations of every solver, and the rate of plain sweeps",
    source: "After Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Fig. 6 [LeLidec2023]",
    measure,
};

const LIGHT: f64 = 1e-3;
const HEAVY: f64 = 1e3;
/// Natural map up to which a problem counts as solved [m/s]: the cubes would fall by 0.1 m/s within the step.
const SOLVED: f64 = 1e-8;
/// Methods of the whole problem at once, and the iterations they may take.
const WHOLE: [&str; 6] = ["nsgs-accelerated", "auto", "ncp-newton", "ncp-ipm", "ccp-ipm", "mujoco"];
const FEW: u32 = 100;
/// Sweeps alone.
const SWEEPS: &str = "nsgs";

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    rates(&mut findings)?;
    let most = if size == Size::Full { 1000 } else { 200 };
    let problem = corpus::stack(&[LIGHT, HEAVY], Vec3::ZERO, 0.5);
    let names: Vec<&str> = match size {
        Size::Full => registry::all().iter().map(|e| e.name).collect(),
        Size::Small => [&WHOLE[..], &[SWEEPS]].concat(),
    };
    let limits = Common { tolerance: 0.1 * SOLVED, max_iterations: most };
    let all = histories(&problem, &names, &limits, &Params::default())?;
    let seen = |name: &str| all.iter().filter(|h| h.solver == name).map(|h| h.points.len()).sum::<usize>();
    for name in WHOLE {
        let first = (all.iter().find(|h| h.solver == name))
            .and_then(|h| h.points.iter().find(|p| p.own <= SOLVED))
            .map(|p| p.iteration);
        findings.claims.push(Claim {
            claim: format!("{name}: own law met to {SOLVED:.0e} m/s within {FEW} iterations"),
            measured: first.map_or("never".to_owned(), |k| format!("after {k}")),
            holds: first.is_some_and(|k| k <= FEW),
            sample: seen(name),
        });
    }
    let last = all.iter().find(|h| h.solver == SWEEPS).and_then(|h| h.points.last());
    findings.claims.push(Claim {
        claim: format!("{SWEEPS}: residual over 1e-3 m/s after {most} sweeps"),
        measured: last.map_or("nothing".to_owned(), |p| format!("{:.2e} m/s", p.own)),
        holds: last.is_some_and(|p| p.own > 1e-3),
        sample: seen(SWEEPS),
    });
    let curve = |h: &History| Series {
        label: h.solver.to_owned(),
        points: h.points.iter().map(|p| [f64::from(p.iteration) + 1.0, p.own]).collect(),
    };
    let axes = ["iterations + 1 [-]", "natural map of the own law [m/s]"];
    let title = "A cube of 1 t on a cube of 1 g, at rest";
    findings.keep_over("residual", title, axes, all.iter().map(curve).collect(), |f: Figure| {
        stiction_comparisons::laws::by_law(f).log_x().log_y()
    });
    Ok(findings)
}

/// (1) for several ratios, on single points.
fn rates(findings: &mut Findings) -> Result<(), ExperimentError> {
    for ratio in [1.0, 10.0, 100.0, 1e6] {
        let mut scene = Scene::default();
        let half = vec3(0.5, 0.5, 0.5);
        let lower = scene.body(HEAVY / ratio, half, vec3(0.0, 0.0, 0.5));
        let upper = scene.body(HEAVY, half, vec3(0.0, 0.0, 1.5));
        scene.touch(None, lower, Vec3::ZERO, Vec3::Z, 0.5);
        scene.touch(Some(lower), upper, vec3(0.0, 0.0, 1.0), Vec3::Z, 0.5);
        let limits = Common { tolerance: 1e-14, max_iterations: 12 };
        let history = histories(&scene.problem(), &[SWEEPS], &limits, &Params::default())?.swap_remove(0);
        let [a, b] = [9, 10].map(|k| history.points.get(k).map_or(f64::NAN, |p| p.own));
        let claim = format!("{SWEEPS}: residual left by a sweep at the mass ratio {ratio:.0e}");
        findings.predict(claim, "-", ratio / (1.0 + ratio), b / a, 1e-6);
    }
    Ok(())
}
