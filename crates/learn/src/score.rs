//! How far predictions are from what was measured, for single predictions and for ensembles.
//!
//! A frame is (x, z, ℓ θ) in metres, ℓ a length of the body. All scores are means over frames and coordinates:
//! * RMSE, the square root of the mean squared error of one prediction;
//! * CRPS [Gneiting2007] of members X of an ensemble and the measured y: E|X − y| − ½ E|X − X′|, in metres, for one member
//!   the absolute error. It is least for the true distribution, and does not reward blurred means as RMSE does;
//! * coverage: the part of measured numbers between the (1 − p)/2 and (1 + p)/2 quantiles of the ensemble.

/// Root mean square of the differences of two trajectories over frames and the three coordinates [m].
pub fn rmse(a: &[[f64; 3]], b: &[[f64; 3]], length: f64) -> f64 {
    let n = a.len().min(b.len());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| squared(a, b, length)).sum();
    (sum / (3 * n) as f64).sqrt()
}

fn squared(a: &[f64; 3], b: &[f64; 3], length: f64) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], length * (a[2] - b[2])];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// CRPS of `members` for the value `y`; sorts the members.
pub fn crps(members: &mut [f64], y: f64) -> f64 {
    members.sort_by(f64::total_cmp);
    let n = members.len() as f64;
    // Σᵢⱼ |xᵢ − xⱼ| = 2 Σᵢ (2 i + 1 − n) xᵢ of sorted members.
    let mut error = 0.0;
    let mut spread = 0.0;
    for (i, x) in members.iter().enumerate() {
        error += (x - y).abs();
        spread += (2.0 * i as f64 + 1.0 - n) * x;
    }
    error / n - spread / (n * n)
}

/// The quantile `p` of sorted members, between them by straight lines; members stand at (i + ½)/n.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = (p * sorted.len() as f64 - 0.5).clamp(0.0, sorted.len() as f64 - 1.0);
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + part * (sorted[high] - sorted[low])
}

/// Scores of an ensemble of trajectories for one measured trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnsembleScore {
    /// Mean over frames and coordinates [m].
    pub crps: f64,
    /// Parts of frames and coordinates within the central 50 % and 90 %.
    pub coverage: [f64; 2],
    /// Energy score of whole frames, E‖X − y‖ − ½ E‖X − X′‖, mean over frames [m].
    pub energy: f64,
}

/// Judges the trajectories `members`, one at least, by the measured one.
pub fn judge(members: &[Vec<[f64; 3]>], measured: &[[f64; 3]], length: f64) -> EnsembleScore {
    let mut score = EnsembleScore::default();
    let mut values = Vec::with_capacity(members.len());
    let n = members.len() as f64;
    for (k, frame) in measured.iter().enumerate() {
        for i in 0..3 {
            let scale = if i == 2 { length } else { 1.0 };
            values.clear();
            values.extend(members.iter().map(|m| scale * m[k][i]));
            let y = scale * frame[i];
            score.crps += crps(&mut values, y);
            for (covered, p) in score.coverage.iter_mut().zip([0.5, 0.9]) {
                let (low, high) = (quantile(&values, 0.5 - 0.5 * p), quantile(&values, 0.5 + 0.5 * p));
                *covered += f64::from(u8::from(values.len() > 1 && low <= y && y <= high));
            }
        }
        let distance = |a: &[f64; 3], b: &[f64; 3]| squared(a, b, length).sqrt();
        let error: f64 = members.iter().map(|m| distance(&m[k], frame)).sum();
        let mut spread = 0.0;
        for (i, a) in members.iter().enumerate() {
            spread += members[..i].iter().map(|b| distance(&a[k], &b[k])).sum::<f64>();
        }
        score.energy += error / n - spread / (n * n);
    }
    let frames = measured.len() as f64;
    score.energy /= frames;
    score.crps /= 3.0 * frames;
    score.coverage = score.coverage.map(|c| c / (3.0 * frames));
    score
}

/// The median; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// Mean and standard deviation over splits (n − 1).
pub fn mean_and_spread(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sum: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    [mean, if values.len() > 1 { (sum / (n - 1.0)).sqrt() } else { 0.0 }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::random::Random;

    /// CRPS of a normal distribution in closed form: σ (z (2Φ(z) − 1) + 2φ(z) − 1/√π), here at z = 0 and z = 1.
    #[test]
    fn crps_of_normal_members_is_the_closed_form() {
        let mut random = Random::new(5);
        let mut members: Vec<f64> = (0..40_000).map(|_| 2.0 * random.normal()).collect();
        let at = |z: f64, upper: f64| {
            let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
            2.0 * (z * (2.0 * upper - 1.0) + 2.0 * density - 1.0 / std::f64::consts::PI.sqrt())
        };
        assert!((crps(&mut members, 0.0) - at(0.0, 0.5)).abs() < 0.02);
        assert!((crps(&mut members, 2.0) - at(1.0, 0.841_344_746)).abs() < 0.02);
        assert_eq!(crps(&mut [3.0], 5.0), 2.0);
    }

    /// Numbers from the members' own distribution are covered as often as the intervals say.
    #[test]
    fn true_distributions_are_covered_as_they_say() {
        let mut random = Random::new(6);
        let mut draw = |n: usize| -> Vec<[f64; 3]> {
            (0..n).map(|_| [random.normal(), random.normal(), random.normal()]).collect()
        };
        let members: Vec<_> = (0..100).map(|_| draw(500)).collect();
        let score = judge(&members, &draw(500), 1.0);
        assert!(
            (score.coverage[0] - 0.5).abs() < 0.05 && (score.coverage[1] - 0.9).abs() < 0.03,
            "{score:?}"
        );
    }

    /// RMSE over three coordinates, angles as lengths.
    #[test]
    fn rmse_is_over_frames_and_coordinates() {
        let (a, b) = ([[0.0; 3], [1.0, 2.0, 10.0]], [[0.0; 3], [1.0, 2.0, 13.0]]);
        assert!((rmse(&a, &b, 0.1) - (0.09_f64 / 6.0).sqrt()).abs() < 1e-15);
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), 2.5);
    }
}
