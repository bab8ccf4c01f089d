//! Figures of `stiction learn`, in the look of all figures.

use crate::failure::Failure;
use serde_json::Value;
use std::path::Path;
use stiction_lab::plot::{Figure, Formats, Series};
use stiction_learn::dice::Posterior;

/// Writes `figure` as `file`.svg and `file`-dark.svg; where its name ends in .pdf or .png as that file, too.
pub(crate) fn write(figure: &Figure, file: &Path) -> Result<(), Failure> {
    let ends = |with: &str| file.extension().is_some_and(|e| e.eq_ignore_ascii_case(with));
    let also = Formats { pdf: ends("pdf"), png: ends("png") };
    let stem = if also == Formats::default() { file.to_owned() } else { file.with_extension("") };
    let name = stem.file_name().and_then(|n| n.to_str()).unwrap_or("figure");
    let folder = stem.parent().unwrap_or(Path::new(""));
    for (file, content) in figure.files(name, also) {
        let path = folder.join(file);
        stiction_store::write(&path, content)
            .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(())
}

/// Samples of the first two parameters, as figure 3 of [Fazeli2020], with their medians.
pub(crate) fn joint_posterior(found: &Posterior, stem: &Path) -> Result<(), Failure> {
    let [a, b, ..] = &found.marginals[..] else {
        return Err(Failure::input("--figure shows two parameters; give --parameters two names at least"));
    };
    // Neighbouring samples are alike; some hundred of all show the distribution.
    let stride = found.samples.len().div_ceil(600).max(1);
    let points: Vec<[f64; 2]> = found.samples.iter().step_by(stride).map(|s| [s[0], s[1]]).collect();
    let series = |label: String, points: Vec<[f64; 2]>| Series { label, points };
    // A curve of one point gives the rings their colour and their name.
    let named = points.last().copied().into_iter().collect();
    let samples = series("samples".to_owned(), points);
    let median = format!("median {:.3}, {:.3}", a.median, b.median);
    // A cross of two lines at the medians.
    let across = series(median, vec![[a.interval[0], b.median], [a.interval[1], b.median]]);
    let along = series("5 % .. 95 %".to_owned(), vec![[a.median, b.interval[0]], [a.median, b.interval[1]]]);
    let curves = [series("samples".to_owned(), named), across, along];
    let figure = Figure::of_series("Parameters that explain the drops", &a.name, &b.name, &curves);
    write(&figure.ringed(&[samples]), stem)
}

/// RMSE over the number of drops that were fitted to, as figure 4 of [Fazeli2020].
pub(crate) fn learning_curves(curves: &[Value], stem: &Path) -> Result<(), Failure> {
    let mut all: Vec<Series> = Vec::new();
    let sizes = curves.iter().filter_map(|c| c["n_train"].as_f64()).filter(|n| *n > 0.0);
    let [low, high] = sizes.fold([f64::INFINITY, 0.0], |[a, b], n| [n.min(a), n.max(b)]);
    for row in curves {
        let (Some(name), Some(n), Some(error)) =
            (row["model"].as_str(), row["n_train"].as_f64(), row["rmse_mean"].as_f64())
        else {
            continue;
        };
        // A model that learns nothing is a level line.
        let points = if n > 0.0 { vec![[n, error]] } else { vec![[low, error], [high, error]] };
        match all.iter_mut().find(|s| s.label == name) {
            Some(_) if n == 0.0 => {}
            Some(series) => series.points.extend(points),
            None => all.push(Series { label: name.to_owned(), points }),
        }
    }
    let figure = Figure::of_series(
        "Drops predicted after learning from others",
        "drops learned from",
        "RMSE [m]",
        &all,
    );
    write(&figure.ringed(&all).log_x(), stem)
}
