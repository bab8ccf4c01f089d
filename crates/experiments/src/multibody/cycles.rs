//! Limit cycles through impacts and friction.
//!
//! ```text
//!     compass     two legs of length l = a + b with m at b from the hip, m_H at the hip, slope γ; stance angle s and swing angle w from the
//!                 vertical:                                                                            [Goswami1998]
//!                     ((m_H + m) l² + m a²) s̈ − m l b (cos(s − w) ẅ + sin(s − w) ẇ²) = ((m_H + m) l + m a) g sin s
//!                     m b² ẅ − m l b (cos(s − w) s̈ − sin(s − w) ṡ²)                  = −m b g sin w                  (1)
//!                 where the swing foot meets the slope, s + w = ∓2γ, the angular momenta about it, and of the old stance leg
//!                 about the hip, are kept                                                                        (2)
//!     woodpecker  a sleeve with play on a pole carries a bird on a spring; it sticks, frees itself and pecks         [Leine2003]
//! ```

use super::super::worst::Worst;
use super::{ExperimentError, Findings, G, Size, robot, simulation, step};
use stiction::State;
use stiction::world::World;
use stiction_plot::Series;

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    compass(findings)?;
    woodpecker(size, findings)
}

/// a, b [m], m, m_H [kg], γ [rad].
const COMPASS: [f64; 5] = [0.5, 0.5, 5.0, 10.0, 3.0 * std::f64::consts::PI / 180.0];
/// s, w [rad], ṡ, ẇ [rad/s] after the impacts of its gait, as the literature rounds them; forward is where s falls.
const PUBLISHED: [f64; 4] = [0.2187, -0.3234, -1.0918, -0.3772];

/// Rates of (s, w, ṡ, ẇ) by (1).
fn compass_rates([s, w, ds, dw]: [f64; 4]) -> [f64; 4] {
    let [a, b, m, hip, _] = COMPASS;
    let l = a + b;
    let (sin, cos) = (s - w).sin_cos();
    let (whole, coupled, own) = ((hip + m) * l * l + m * a * a, -m * l * b * cos, m * b * b);
    let on_stance = ((hip + m) * l + m * a) * G * s.sin() + m * l * b * sin * dw * dw;
    let on_swing = -m * b * G * w.sin() - m * l * b * sin * ds * ds;
    let det = whole * own - coupled * coupled;
    [ds, dw, (own * on_stance - coupled * on_swing) / det, (whole * on_swing - coupled * on_stance) / det]
}

/// After h seconds, to fourth order.
fn compass_after(x: [f64; 4], h: f64) -> [f64; 4] {
    let along = |k: [f64; 4], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    let k1 = compass_rates(x);
    let k2 = compass_rates(along(k1, 0.5 * h));
    let k3 = compass_rates(along(k2, 0.5 * h));
    let k4 = compass_rates(along(k3, h));
    std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// The state after the next impact, by (2), and the time to it.
fn compass_step(mut x: [f64; 4]) -> ([f64; 4], f64) {
    let [a, b, m, hip, slope] = COMPASS;
    let (l, mut t) = (a + b, 0.0);
    // The foot is at the slope where s + w = −2γ; while the legs pass each other it may be in the ground, as in every compass.
    let above = |x: &[f64; 4]| x[0] + x[1] + 2.0 * slope;
    let h = 1e-3;
    while t < 10.0 {
        let next = compass_after(x, h);
        if next[1] > next[0] && above(&x) > 0.0 && above(&next) <= 0.0 {
            break;
        }
        (x, t) = (next, t + h);
    }
    let (mut low, mut high) = (0.0, h);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if above(&compass_after(x, middle)) > 0.0 { low = middle } else { high = middle }
    }
    let [s, w, ds, dw] = compass_after(x, high);
    let cos = (s - w).cos();
    // About the new foot, and of the old stance leg about the hip.
    let about_foot = -m * a * b * dw + (-m * a * b + (hip * l * l + 2.0 * m * a * l) * cos) * ds;
    let about_hip = -m * a * b * ds;
    let (swing, stance) = (
        [m * b * (b - l * cos), m * b * b],
        [m * l * (l - b * cos) + m * a * a + hip * l * l, -m * b * l * cos],
    );
    let det = swing[0] * stance[1] - stance[0] * swing[1];
    let new_swing = (about_foot * stance[1] - stance[0] * about_hip) / det;
    let new_stance = (swing[0] * about_hip - about_foot * swing[1]) / det;
    ([w, s, new_stance, new_swing], t + high)
}

/// A compass on stones for so many steps of this length down the slope, a little faster than its gait, which
/// draws it in.
fn compass_walker(gait: [f64; 4], length: f64, steps: i32) -> Result<(World, State), ExperimentError> {
    let [a, b, m, hip, slope] = COMPASS;
    let (l, r) = (a + b, 1e-5);
    // Each foot has a lane of its own, with stones where it stands.
    let stones: String = (-2..steps + 3)
        .map(|k| {
            let lane = if k % 2 == 0 { 0.1 } else { -0.1 };
            format!("<geom type='box' size='0.2 0.05 0.5' pos='{} {lane} -0.5'/>", f64::from(k) * length)
        })
        .collect();
    let leg = |lane: f64| format!("<geom type='sphere' size='{r}' pos='0 {lane} {}' mass='0'/>", -l);
    let tiny = 1e-9;
    let (both, mean) = (hip + m, m * b / (hip + m));
    let about = hip * mean * mean + m * (b - mean) * (b - mean) + tiny;
    let (world, mut state) = robot(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='{} 0 {}'/><default><geom friction='2 0 0' condim='3'/></default>\
         <worldbody>{stones}<body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>\
         <inertial pos='0 0 {}' mass='{both}' diaginertia='{about} {about} {about}'/>{}<body><joint axis='0 1 0'/>\
         <inertial pos='0 0 {}' mass='{m}' diaginertia='{tiny} {tiny} {tiny}'/>{}</body></body></worldbody></mujoco>",
        G * slope.sin(),
        -G * slope.cos(),
        -mean,
        leg(0.1),
        -b,
        leg(-0.1)
    ))?;
    // From the normal of the slope, and positive where the hip is ahead of the foot.
    let [stance, swing] = [-(gait[0] + slope), -(gait[1] + slope)];
    state.q.copy_from_slice(&[l * stance.sin(), l * stance.cos() + r, stance, swing - stance]);
    let (rate, other) = (-gait[2], -gait[3]);
    let fast = 1.01;
    state.v.copy_from_slice(&[
        fast * l * stance.cos() * rate,
        -fast * l * stance.sin() * rate,
        fast * rate,
        fast * (other - rate),
    ]);
    Ok((world, state))
}

/// The walker in the engine on stones that let its feet through where they swing, beside (1) and (2).
fn compass(findings: &mut Findings) -> Result<(), ExperimentError> {
    let [a, b, .., slope] = COMPASS;
    let (l, steps) = (a + b, 24_i32);
    let (mut gait, mut period) = (PUBLISHED, 0.0);
    for _ in 0..40 {
        (gait, period) = compass_step(gait);
    }
    let off = gait.iter().zip(PUBLISHED).map(|(x, p)| (x - p).abs());
    let claim = "compass gait: the map of its steps stays at the published state".to_owned();
    findings.bound(claim, "rad and rad/s", Worst::of(off), 1e-3);
    let half = 0.5 * (gait[0] - gait[1]);
    let length = 2.0 * l * half.sin();

    let mut sim = simulation(compass_walker(gait, length, steps)?, ("event-driven", 5e-3), |_| {})?;
    // Where each stance leg passes the normal of the slope: when, where the hip is, and how fast the leg turns.
    let (mut passes, mut points): (Vec<[f64; 3]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    let angles = |q: &[f64]| [q[2], q[2] + q[3]];
    let mut before = angles(&sim.state().q);
    while passes.len() < steps as usize && sim.state().t < f64::from(steps) {
        step(&mut sim)?;
        let (t, q, v) = (sim.state().t, &sim.state().q, &sim.state().v);
        let (now, rates) = (angles(q), [v[2], v[2] + v[3]]);
        let foot = passes.len() % 2;
        if before[foot] < 0.0 && now[foot] >= 0.0 {
            let since = now[foot] / rates[foot];
            passes.push([t - since, q[0] - since * v[0], rates[foot]]);
        }
        before = now;
        points.push([now[0], rates[0]]);
    }
    let last = if passes.len() == steps as usize { passes.windows(2).last() } else { None };
    let of = |k: usize| last.map_or(f64::NAN, |p| p[1][k] - p[0][k]);
    findings.predict("compass gait: period of its last step".to_owned(), "s", period, of(0), 1e-3);
    findings.predict("compass gait: length of its last step".to_owned(), "m", length, of(1), 1e-3);
    // The stance of the map as it passes the normal.
    let mut x = gait;
    while x[0] + slope > 0.0 {
        x = compass_after(x, 1e-5);
    }
    let rate = last.map_or(f64::NAN, |p| p[1][2]);
    findings.predict(
        "compass gait: rate of the stance leg as it passes the normal".to_owned(),
        "rad/s",
        -x[2],
        rate,
        1e-3,
    );
    let series = vec![Series { label: "left leg".to_owned(), points }];
    findings.keep_over(
        "compass-gait",
        "A compass walks down a slope of 3 degrees",
        ["angle from the normal of the slope [rad]", "rate [rad/s]"],
        series,
        |figure| figure,
    );
    Ok(())
}

/// Period of Glocker's woodpecker [s], by Moreau's time stepping of his equations at 1e-5 s.
const WOODPECKER: f64 = 0.1460;

/// The woodpecker. Glocker's equations are linear in its angles: here arms are longer by `SCALE` and angles smaller, which leaves gaps,
/// forces and times as they are and makes sines straight. Each of the two faces of the pole has a lane of its own, for arms this long
/// do not fit round one.
fn woodpecker(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    const SCALE: f64 = 100.0;
    let [pole, sleeve, high, hinge, centre, up, back] = [0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201];
    let r = 1e-6;
    let wall =
        |face: f64, lane: f64| format!("<geom type='box' size='0.1 0.1 4' pos='{} {lane} 0'/>", face - 0.1);
    let point = |name: &str, x: f64, lane: f64, z: f64| {
        format!(
            "<geom name='{name}' type='sphere' size='{r}' pos='{} {lane} {}' mass='0'/>",
            x + r,
            SCALE * z
        )
    };
    let walls = [
        wall(SCALE * sleeve - (sleeve - pole), 0.0),
        wall(SCALE * (hinge + centre - back) - (hinge + centre - back - pole), 1.0),
    ];
    let square = SCALE * SCALE;
    let (of_sleeve, of_bird) = (5e-9 * square, 7e-7 * square);
    let (mut world, mut state) = robot(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -{G}'/><default><geom friction='0.3 0 0' condim='3'/></default>\
         <worldbody>{}{}<body><joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/>\
         <inertial pos='0 0 0' mass='0.0003' diaginertia='{of_sleeve} {of_sleeve} {of_sleeve}'/>{}{}\
         <body pos='{} 0 0'><joint axis='0 -1 0' stiffness='{}'/>\
         <inertial pos='{} 0 0' mass='0.0045' diaginertia='{of_bird} {of_bird} {of_bird}'/>{}</body></body></worldbody></mujoco>",
        walls[0],
        walls[1],
        point("low", SCALE * sleeve, 0.0, -high),
        point("high", SCALE * sleeve, 0.0, high),
        SCALE * hinge,
        0.0056 * square,
        SCALE * centre,
        point("beak", SCALE * (centre - back), 1.0, up)
    ))?;
    for geometry in world.geometries.iter_mut().filter(|g| g.name.contains("beak")) {
        geometry.material.restitution = 0.5;
    }
    // Glocker's start, where the sleeve sticks and the bird swings down.
    state.q.copy_from_slice(&[0.0, -0.1036 / SCALE, (-0.2788 + 0.1036) / SCALE]);
    state.v.copy_from_slice(&[-0.3411, 0.0, -7.4583 / SCALE]);
    let h = 2e-5;
    let mut sim = simulation((world, state), ("moreau", h), |_| {})?;
    let cycles = if size == Size::Small { 4 } else { 12 };
    let (mut pecks, mut points): (Vec<f64>, [Vec<[f64; 2]>; 2]) = (Vec::new(), Default::default());
    let (mut away, mut steps) = (true, 0);
    while pecks.len() <= cycles && sim.state().t < 0.3 * (cycles + 2) as f64 {
        step(&mut sim)?;
        let (t, q, v) = (sim.state().t, &sim.state().q, &sim.state().v);
        let (bird, rate) = (SCALE * (q[1] + q[2]), SCALE * (v[1] + v[2]));
        // Once a cycle the beak comes near the pole.
        away |= bird < -0.05;
        if away && bird > 0.05 {
            away = false;
            pecks.push(t - (bird - 0.05) / rate);
        }
        steps += 1;
        if steps % 25 == 0 {
            points[0].push([t, bird]);
            points[1].push([t, SCALE * q[1]]);
        }
    }
    let periods: Vec<f64> = pecks.windows(2).map(|p| p[1] - p[0]).collect();
    let last = if periods.len() == cycles { periods[cycles - 1] } else { f64::NAN };
    findings.predict("woodpecker: period of its cycle".to_owned(), "s", WOODPECKER, last, 1e-2);
    let apart = periods.iter().skip(1).map(|p| (p / last - 1.0).abs());
    findings.bound("woodpecker: its periods agree".to_owned(), "of it", Worst::of(apart), 1e-2);
    let series = [("bird", 0), ("sleeve", 1)]
        .map(|(label, k)| Series { label: label.to_owned(), points: std::mem::take(&mut points[k]) });
    findings.keep("woodpecker", "A woodpecker on its pole", "angle", "rad", series.into());
    Ok(())
}
