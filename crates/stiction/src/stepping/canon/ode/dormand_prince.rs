//! Dormand and Prince's pair of orders 5 and 4 with its continuous extension [DormandPrince1980].

use super::System;

const A: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const C: [f64; 6] = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Weights of order 5 less those of order 4.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
/// Coefficients of s, s², s³ and s⁴ of every stage.
const P: [[f64; 4]; 7] = [
    [
        1.0,
        -8_048_581_381.0 / 2_820_520_608.0,
        8_663_915_743.0 / 2_820_520_608.0,
        -12_715_105_075.0 / 11_282_082_432.0,
    ],
    [0.0, 0.0, 0.0, 0.0],
    [
        0.0,
        131_558_114_200.0 / 32_700_410_799.0,
        -68_118_460_800.0 / 10_900_136_933.0,
        87_487_479_700.0 / 32_700_410_799.0,
    ],
    [
        0.0,
        -1_754_552_775.0 / 470_086_768.0,
        14_199_869_525.0 / 1_410_260_304.0,
        -10_690_763_975.0 / 1_880_347_072.0,
    ],
    [
        0.0,
        127_303_824_393.0 / 49_829_197_408.0,
        -318_862_633_887.0 / 49_829_197_408.0,
        701_980_252_875.0 / 199_316_789_632.0,
    ],
    [0.0, -282_668_133.0 / 205_662_961.0, 2_019_193_451.0 / 616_988_883.0, -1_453_857_185.0 / 822_651_844.0],
    [0.0, 40_617_522.0 / 29_380_423.0, -110_615_467.0 / 29_380_423.0, 69_997_945.0 / 29_380_423.0],
];

/// One step of h from y, whose rate is known; coefficients of the dense output.
pub(super) fn step(
    system: &mut dyn System,
    t: f64,
    h: f64,
    (y, rate): (&[f64], &[f64]),
    next: &mut [f64],
    error: &mut [f64],
) -> Result<Option<Vec<Vec<f64>>>, String> {
    let n = y.len();
    let mut k = vec![rate.to_vec()];
    for (row, c) in A.iter().zip(C) {
        for i in 0..n {
            next[i] = y[i] + h * row.iter().zip(&k).map(|(a, k)| a * k[i]).sum::<f64>();
        }
        let mut stage = vec![0.0; n];
        system.rate(t + c * h, next, &mut stage)?;
        k.push(stage);
    }
    for i in 0..n {
        error[i] = h * E.iter().zip(&k).map(|(e, k)| e * k[i]).sum::<f64>();
    }
    let of_power = |p: usize| -> Vec<f64> {
        (0..n).map(|i| h * P.iter().zip(&k).map(|(w, k)| w[p] * k[i]).sum::<f64>()).collect()
    };
    let finite = next.iter().chain(&*error).all(|x| x.is_finite());
    Ok(finite.then(|| (0..4).map(of_power).collect()))
}
