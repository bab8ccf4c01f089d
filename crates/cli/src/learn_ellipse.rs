//! `stiction learn ellipse`: single impacts, laws and learners beside them.

use crate::args::EllipseArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use crate::{learn_figures, learn_identify};
use serde_json::{Value, json};
use stiction_experiments::replications::ellipse::{EllipseRow, EllipseSet, evaluate, misses, posterior};
use stiction_learn::identify::Sampling;
use stiction_learn::planar::share_explained;
use stiction_learn::score::{mean_and_spread, median};

/// Tolerances at which the share of explained impacts is told [–].
const TOLERANCES: [f64; 3] = [0.05, 0.1, 0.2];

/// The shares of impacts with these least misses that the law explains, in words.
pub(crate) fn explained(misses: &[f64]) -> String {
    let share = |t: f64| format!("{:.0} % to {:.0} %", 100.0 * share_explained(misses, t), 100.0 * t);
    let shares: Vec<String> = TOLERANCES.iter().map(|t| share(*t)).collect();
    format!(
        "Coulomb and Newton explain, at any friction and restitution of 0 to 1, of {}: {} of the change of velocity; median miss {:.1} %",
        misses.len(),
        shares.join(", "),
        100.0 * median(misses)
    )
}

/// The distribution of friction and restitution, and the share of impacts that the law explains.
fn coefficients(args: &EllipseArgs, set: &EllipseSet) -> Result<(), Failure> {
    let meter = Meter::new(!args.common.json);
    let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
    let settings = Sampling { seed: args.common.seed, ..Sampling::default() };
    let found = posterior(set, &settings, &mut watch).map_err(|_| Failure::Interrupted)?;
    meter.done();
    let misses = misses(set);
    if let Some(figure) = &args.figure {
        let about = format!("{} impacts of the ellipse, σ = {:.3} m/s.", set.impacts.len(), found.sigma);
        learn_figures::joint_distribution(&found.sampled, Some([0.10, 0.52]), &about, figure)?;
    }
    if args.common.json {
        let shares: Vec<Value> = TOLERANCES
            .iter()
            .map(|t| json!({"tolerance": t, "share": share_explained(&misses, *t)}))
            .collect();
        return say_json(&json!({
            "best": found.best, "sigma": found.sigma, "marginals": found.sampled.marginals,
            "acceptance": found.sampled.acceptance, "explained": shares, "impacts": misses.len(),
        }));
    }
    let shown = learn_identify::marginals(&found.sampled.marginals, &found.sampled.acceptance);
    let [friction, restitution] = found.best;
    say(&format!(
        "{shown}\nbest      friction {friction:.3}, restitution {restitution:.3}\nsigma     {:.4} m/s\n{}",
        found.sigma,
        explained(&misses)
    ))
}

pub(crate) fn ellipse(args: &EllipseArgs) -> Result<(), Failure> {
    let set = EllipseSet::read(&args.data).map_err(Failure::input)?;
    if args.posterior {
        return coefficients(args, &set);
    }
    let count = set.impacts.len();
    if args.train == 0 || args.train >= count {
        let what =
            format!("--train is {}, expected 1 to {}: some of {count} impacts judge", args.train, count - 1);
        return Err(Failure::input(what));
    }
    let meter = Meter::new(!args.common.json);
    let mut all = Vec::new();
    for split in 0..args.splits {
        if meter.count(usize::from(split), usize::from(args.splits), "splits").is_break() {
            return Err(Failure::Interrupted);
        }
        all.push(evaluate(&set, args.train, args.common.seed + u64::from(split)));
    }
    meter.done();
    let over = |place: usize, number: &dyn Fn(&EllipseRow) -> f64| {
        mean_and_spread(&all.iter().map(|rows| number(&rows[place])).collect::<Vec<_>>())
    };
    let rows: Vec<Value> = (0..all[0].len())
        .map(|i| {
            let ([vx, sx], [vy, sy], [w, sw]) = (over(i, &|r| r.vx), over(i, &|r| r.vy), over(i, &|r| r.w));
            json!({
                "model": all[0][i].model, "vx": vx, "vx_spread": sx, "vy": vy, "vy_spread": sy, "w": w, "w_spread": sw,
                "coverage50": over(i, &|r| r.coverage50)[0], "coverage90": over(i, &|r| r.coverage90)[0],
                "n_train": all[0][i].n_train, "n_test": all[0][i].n_test, "splits": all.len(),
                "seconds": over(i, &|r| r.seconds)[0],
            })
        })
        .collect();
    if args.common.json {
        return say_json(&rows);
    }
    let cells = rows.iter().map(|r| {
        [
            r["model"].as_str().unwrap_or("").to_owned(),
            number(r, "vx", 3),
            number(r, "vy", 3),
            number(r, "w", 1),
            number(r, "coverage50", 3),
            number(r, "coverage90", 3),
        ]
    });
    say(&table(["model", "vx RMS\n[m/s]", "vy RMS\n[m/s]", "w RMS\n[rad/s]", "50 %", "90 %"], cells))
}
