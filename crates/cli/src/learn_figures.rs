//! Figures of `stiction learn`, in the look of all figures.

use crate::failure::Failure;
use serde_json::Value;
use std::path::Path;
use stiction_learn::dice::Posterior;
use stiction_learn::identify::{Marginal, Sampled};
use stiction_plot::{Band, Figure, Formats, Series, Sheet};

/// Writes `sheet` as `file`.svg and `file`-dark.svg; where its name ends in .pdf or .png as that file, too.
pub(crate) fn write(sheet: &Sheet, file: &Path) -> Result<(), Failure> {
    let ends = |with: &str| file.extension().is_some_and(|e| e.eq_ignore_ascii_case(with));
    let also = Formats { pdf: ends("pdf"), png: ends("png") };
    let stem = if also == Formats::default() { file.to_owned() } else { file.with_extension("") };
    let name = stem.file_name().and_then(|n| n.to_str()).unwrap_or("figure");
    let folder = stem.parent().unwrap_or(Path::new(""));
    for (file, content) in sheet.files(name, also) {
        let path = folder.join(file);
        stiction_store::write(&path, content)
            .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(())
}

fn series(label: &str, points: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), points }
}

/// The published friction and restitution of the die.
const PUBLISHED_DIE: [f64; 2] = [0.11, 0.48];

/// Samples of the first two parameters, as figure 3 of [Fazeli2020], with their densities and what was published.
pub(crate) fn joint_posterior(found: &Posterior, stem: &Path) -> Result<(), Failure> {
    let names: Vec<&str> = found.marginals.iter().map(|m| m.name.as_str()).collect();
    let published = (names[..] == ["friction", "restitution"]).then_some(PUBLISHED_DIE);
    let sampled = Sampled {
        marginals: found.marginals.clone(),
        acceptance: found.acceptance.clone(),
        samples: found.samples.clone(),
    };
    let about = format!("Drops of a die, σ = {:.4} m.", found.sigma);
    joint_distribution(&sampled, published, &about, stem)
}

/// Samples of the first two parameters beside the densities of both, and the `published` values.
pub(crate) fn joint_distribution(
    found: &Sampled,
    published: Option<[f64; 2]>,
    about: &str,
    stem: &Path,
) -> Result<(), Failure> {
    let [a, b, ..] = &found.marginals[..] else {
        return Err(Failure::input("--figure shows two parameters; give --parameters two names at least"));
    };
    // Neighbouring samples are alike; some hundred of all show the distribution.
    let stride = found.samples.len().div_ceil(800).max(1);
    let points = found.samples.iter().step_by(stride).map(|s| [s[0], s[1]]).collect();
    let cross = |m: &[f64; 2]| vec![*m];
    let mut rings = vec![series("median", cross(&[a.median, b.median]))];
    rings.extend(published.map(|p| series("published", cross(&p))));
    let unit = |m: &Marginal| format!("{} [–]", m.name);
    let joint = Figure::of_series("samples", &unit(a), &unit(b), &[])
        .dotted(&[series("samples", points)])
        .ringed(&rings);
    let marginal = |i: usize, m: &Marginal| {
        let values: Vec<f64> = found.samples.iter().map(|s| s[i]).collect();
        let curve = density(&values);
        let top = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
        let mut curves = vec![
            series("density of samples", curve),
            series("median", vec![[m.median, 0.0], [m.median, top]]),
        ];
        curves.extend(published.map(|p| series("published", vec![[p[i], 0.0], [p[i], top]])));
        let title =
            format!("{}: {:.3}, 5 % to 95 %: {:.3} to {:.3}", m.name, m.median, m.interval[0], m.interval[1]);
        Figure::of_series(&title, &unit(m), "density [–]", &curves)
    };
    let panels = vec![joint, marginal(0, a), marginal(1, b)];
    let sheet = Sheet::of_panels("Parameters that explain what was measured", 3, panels);
    write(&sheet.captioned(&format!("{about} {} samples after burn-in.", found.samples.len())), stem)
}

/// Density of samples by a normal kernel of Silverman's width.
fn density(values: &[f64]) -> Vec<[f64; 2]> {
    let [mean, deviation] = stiction_learn::score::mean_and_spread(values);
    let n = values.len().max(1) as f64;
    let width = (1.06 * deviation * n.powf(-0.2)).max(1e-9 * (1.0 + mean.abs()));
    let (low, high) = (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let stride = values.len().div_ceil(2000).max(1);
    let kernel = |x: f64| {
        let sum: f64 = values.iter().step_by(stride).map(|v| (-0.5 * ((x - v) / width).powi(2)).exp()).sum();
        sum / (values.iter().step_by(stride).count() as f64 * width * (2.0 * std::f64::consts::PI).sqrt())
    };
    let at = |k: u32| low - 3.0 * width + (high - low + 6.0 * width) * f64::from(k) / 200.0;
    (0..=200).map(at).map(|x| [x, kernel(x)]).filter(|p| p[1].is_finite()).collect()
}

/// Models that are in both panels: what learners are set beside.
const BASELINES: [&str; 4] = ["simulator-fit", "arena-fit", "simulator-paper", "pybullet"];

/// RMSE over the number of drops that were fitted to, as figure 4 of [Fazeli2020]: single trajectories and means of ensembles, with
/// the deviation over splits.
pub(crate) fn learning_curves(curves: &[Value], stem: &Path) -> Result<(), Failure> {
    let sizes = curves.iter().filter_map(|c| c["n_train"].as_f64()).filter(|n| *n > 0.0);
    let [low, high] = sizes.fold([f64::INFINITY, 0.0], |[a, b], n| [n.min(a), n.max(b)]);
    let (mut all, mut bands): (Vec<Series>, Vec<Band>) = (Vec::new(), Vec::new());
    for row in curves {
        let (Some(name), Some(n), Some(error)) =
            (row["model"].as_str(), row["n_train"].as_f64(), row["rmse_mean"].as_f64())
        else {
            continue;
        };
        let spread = row["rmse_mean_spread"].as_f64().unwrap_or(0.0);
        // A model that learns nothing is a level line.
        let at = if n > 0.0 { vec![n] } else { vec![low, high] };
        let known = all.iter().any(|s| s.label == name);
        if n == 0.0 && known {
            continue;
        }
        if !known {
            all.push(series(name, Vec::new()));
            bands.push(Band { label: name.to_owned(), points: Vec::new() });
        }
        let place = all.iter().position(|s| s.label == name).unwrap_or(0);
        for n in at {
            all[place].points.push([n, error]);
            bands[place].points.push([n, error - spread, error + spread]);
        }
    }
    let panel = |title: &str, own: &dyn Fn(&str) -> bool| {
        let chosen = |label: &str| own(label) || BASELINES.contains(&label);
        let curves: Vec<Series> = all.iter().filter(|s| chosen(&s.label)).cloned().collect();
        // Spreads of the baselines are in the table; six pale bands on one another say nothing.
        let spreads: Vec<Band> =
            bands.iter().filter(|b| own(&b.label) && b.points.len() > 1).cloned().collect();
        Figure::of_series(title, "drops learned from", "RMSE [m]", &curves)
            .ringed(&curves)
            .banded(&spreads)
            .log_x()
    };
    let on_published = |label: &str| label.starts_with("published-");
    let mut panels = Vec::new();
    for (title, published, belief) in [
        ("published scene: single trajectories", true, false),
        ("published scene: means of ensembles", true, true),
        ("measured arena: single trajectories", false, false),
        ("measured arena: means of ensembles", false, true),
    ] {
        let own = |label: &str| {
            let learner = !BASELINES.contains(&label);
            learner && on_published(label) == published && label.ends_with("-belief") == belief
        };
        if all.iter().any(|s| own(&s.label)) {
            panels.push(panel(title, &own));
        }
    }
    if panels.is_empty() {
        panels.push(panel("", &|_| false));
    }
    let columns = panels.len().min(2);
    let splits = curves.first().and_then(|c| c["splits"].as_u64()).unwrap_or(1);
    let caption = format!(
        "Root mean square error over frames and (x, z, 0.0245 m · θ), mean over the drops that judge and over {splits} splits; \
         bands: one standard deviation over the splits."
    );
    let sheet = Sheet::of_panels("Drops predicted after learning from others", columns, panels);
    write(&sheet.captioned(&caption), stem)
}
