//! What rolls: closed forms of wheels, balls and discs.
//!
//! ```text
//!     rimless wheel   n spokes of length l, α = π/n, slope γ, η = (I + m l² cos 2α)/(I + m l²): ω⁺ = η ω⁻, and the gait has
//!                     ω⁺² = η²/(1 − η²) · 4 m g l sin α sin γ/(I + m l²)                         [McGeer1990]         (1)
//!     turntable       v̇ = (2/7) Ω ẑ × v of a solid ball that rolls on a table turning at Ω                            (2)
//!     Euler's disk    a thin disc whose centre stays: Ω² sin α = 4 g/R                                               (3)
//!     coin            a thin disc that rolls on a circle, its axis at θ from the vertical, which turns at Ω, while the disc turns at n
//!                     about it:  (3/2) n Ω R sin θ − ¼ R Ω² sin θ cos θ + g cos θ = 0, the circle of radius R |n|/Ω      (5)
//!     tippe-top       −L · r is constant, r from the centre of mass to the lowest point of the sphere: Jellett's integral     (4)
//! ```

use super::super::worst::Worst;
use super::{Curves, ExperimentError, Findings, G, Size, robot, simulation, step};
use std::f64::consts::{PI, TAU};
use stiction::Simulation;
use stiction::dynamics::spatial::{Quat, Vec3, vec3};
use stiction_plot::Series;

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    rimless_wheel(size, findings)?;
    turntable(findings)?;
    eulers_disk(size, findings)?;
    coin(size, findings)?;
    tippe_top(size, findings)
}

/// Measures (1).
fn rimless_wheel(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (n, l, slope, own, r) = (8_u32, 1.0_f64, 0.2_f64, 0.1_f64, 1e-5);
    let alpha = PI / f64::from(n);
    let feet: String = (0..n)
        .map(|k| {
            let at = 2.0 * alpha * f64::from(k);
            format!("<geom type='sphere' size='{r}' pos='{} 0 {}' mass='0'/>", l * at.sin(), -l * at.cos())
        })
        .collect();
    let (world, mut state) = robot(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='{} 0 {}'/><default><geom friction='1 0 0' condim='3'/></default>\
         <worldbody><geom type='plane' size='0 0 1'/><body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>\
         <joint axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='{own} {own} {own}'/>{feet}</body></worldbody></mujoco>",
        G * slope.sin(),
        -G * slope.cos()
    ))?;
    let start = 1.5;
    state.q[1] = l + r;
    state.v.copy_from_slice(&[start * (l + r), 0.0, start]);
    let mut sim = simulation((world, state), ("event-driven", 5e-3), |_| {})?;
    let whole = own + l * l;
    let eta = (own + l * l * (2.0 * alpha).cos()) / whole;
    let limit = eta * (4.0 * G * l * alpha.sin() * slope.sin() / (whole * (1.0 - eta * eta))).sqrt();
    let steps = if size == Size::Small { 16 } else { 30 };
    // ω after the last impact, from the energy of the stance: the same all through it.
    let (mut stances, mut points): (Vec<f64>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    let mut last = i64::MIN;
    while stances.len() < steps && sim.state().t < 60.0 {
        step(&mut sim)?;
        let (angle, rate) = (sim.state().q[2], sim.state().v[2]);
        points.push([sim.state().t, rate]);
        let spoke = ((angle + alpha) / (2.0 * alpha)).floor();
        let phi = angle - 2.0 * alpha * spoke;
        // In the middle of the stance, away from both impacts.
        if spoke as i64 != last && phi.abs() < 0.5 * alpha {
            last = spoke as i64;
            let fall = (slope - alpha).cos() - (slope + phi).cos();
            stances.push((rate * rate - 2.0 * G * l * fall / whole).max(0.0).sqrt());
        }
    }
    let (first, end) = (stances.get(1).copied(), stances.last().copied());
    let end = if stances.len() == steps { end.unwrap_or(f64::NAN) } else { f64::NAN };
    findings.predict("rimless wheel: ω after the impacts of its gait".to_owned(), "rad/s", limit, end, 1e-3);
    // One map from the start: ω² before the first impact by energy, then η.
    let before = start * start + 2.0 * G * l * (slope.cos() - (slope + alpha).cos()) / whole;
    let measured = first.unwrap_or(f64::NAN);
    findings.predict(
        "rimless wheel: ω after its first impact".to_owned(),
        "rad/s",
        eta * before.sqrt(),
        measured,
        1e-3,
    );
    let series = vec![Series { label: "ω".to_owned(), points }];
    findings.keep("rimless-wheel", "A rimless wheel on a slope", "ω", "rad/s", series);
    Ok(())
}

/// Measures (2).
fn turntable(findings: &mut Findings) -> Result<(), ExperimentError> {
    let (r, turns, at, v) = (0.05, 3.0, 0.3, [0.2, 0.4]);
    let (world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='1 0 0' condim='3'/></default><worldbody>\
         <body pos='0 0 -0.1'><joint axis='0 0 1'/><geom type='box' size='3 3 0.1' mass='1e6'/></body>\
         <body pos='{at} 0 {r}'><freejoint/><geom type='sphere' size='{r}' mass='0.5'/></body></worldbody></mujoco>"
    ))?;
    // Rolling: v + ω × (−r ẑ) = Ω ẑ × (at, 0).
    let spin = [(turns * at - v[1]) / r, v[0] / r];
    state.v.copy_from_slice(&[turns, v[0], v[1], 0.0, spin[0], spin[1], 0.0]);
    let mut figure = Curves::default();
    let speed = v[0].hypot(v[1]);
    for (method, within) in [("time-stepping", 1e-2), ("event-driven", 1e-5)] {
        let mut sim = simulation((world.clone(), state.clone()), (method, 2e-3), |_| {})?;
        let mut points = Vec::new();
        for _ in 0..600 {
            step(&mut sim)?;
            let t = sim.state().t;
            let angle = v[1].atan2(v[0]) + 2.0 / 7.0 * turns * t;
            points.push([t, sim.state().v[1], speed * angle.cos()]);
        }
        let off = Worst::of(points.iter().map(|p| (p[1] - p[2]).abs()));
        let claim = format!("sphere on a turntable, {method}: its orbit turns at 2/7 of the table");
        findings.bound(claim, "m/s", off, within);
        figure.push(method, &points);
    }
    figure.keep(findings, "turntable", "A sphere on a turntable", ["t [s]", "v_x [m/s]"]);
    Ok(())
}

/// Axes and rate of a free body whose numbers begin at q[0] and v[0].
fn axes(sim: &Simulation) -> ([Vec3; 3], Vec3) {
    let q = &sim.state().q;
    let turn = Quat { w: q[3], x: q[4], y: q[5], z: q[6] }.to_matrix();
    let v = &sim.state().v;
    ([turn * Vec3::X, turn * Vec3::Y, turn * Vec3::Z], vec3(v[3], v[4], v[5]))
}

/// Measures (3).
fn eulers_disk(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (radius, thick, tilt, m) = (0.04, 1e-6, 0.5_f64, 0.4);
    let moment = 0.25 * m * radius * radius;
    let rate = (4.0 * G / (radius * tilt.sin())).sqrt();
    let seconds = if size == Size::Small { 0.3 } else { 2.0 };
    let (world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='1 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body><freejoint/>\
         <inertial pos='0 0 0' mass='{m}' diaginertia='{moment} {moment} {}'/>\
         <geom type='cylinder' size='{radius} {thick}'/></body></worldbody></mujoco>",
        2.0 * moment
    ))?;
    state.q[2] = radius * tilt.sin() + thick * tilt.cos();
    state.q[3..7].copy_from_slice(&[(0.5 * tilt).cos(), 0.0, (0.5 * tilt).sin(), 0.0]);
    state.v[3] = -rate * tilt.sin();
    let mut sim = simulation((world, state), ("time-stepping", 2e-4), |_| {})?;
    let (mut turned, mut last, mut lean) = (0.0, 0.0_f64, Worst::default());
    let mut points = Vec::new();
    for _ in 0..(seconds / 2e-4) as usize {
        step(&mut sim)?;
        let z = axes(&sim).0[2];
        let azimuth = z.y.atan2(z.x);
        turned += (azimuth - last + PI).rem_euclid(TAU) - PI;
        last = azimuth;
        lean.see((z.z.clamp(-1.0, 1.0).acos() - tilt).abs());
        points.push([sim.state().t, turned, rate * sim.state().t]);
    }
    let measured = turned / sim.state().t;
    findings.predict("Euler's disk: rate of its precession".to_owned(), "rad/s", rate, measured, 1e-2);
    findings.bound("Euler's disk: its tilt stays".to_owned(), "rad", lean, 1e-2);
    let mut figure = Curves::default();
    figure.push("azimuth", &points);
    figure.keep(findings, "eulers-disk", "Euler's disk without losses", ["t [s]", "azimuth [rad]"]);
    Ok(())
}

/// Measures (5).
fn coin(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (radius, thick, tilt, turning, m, h) = (0.04, 1e-6, 1.2_f64, 5.0, 0.4, 5e-4);
    let moment = 0.25 * m * radius * radius;
    let (sin, cos) = tilt.sin_cos();
    let own = (0.25 * radius * turning * turning * sin * cos - G * cos) / (1.5 * turning * radius * sin);
    let circle = radius * own.abs() / turning;
    let (world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='1 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body><freejoint/>\
         <inertial pos='0 0 0' mass='{m}' diaginertia='{moment} {moment} {}'/>\
         <geom type='cylinder' size='{radius} {thick}'/></body></worldbody></mujoco>",
        2.0 * moment
    ))?;
    // Its axis leans along +x; the contact is below the centre on that side, and the centre moves along −y.
    state.q[2] = radius * sin + thick * cos;
    state.q[3..7].copy_from_slice(&[(0.5 * tilt).cos(), 0.0, (0.5 * tilt).sin(), 0.0]);
    // ω = Ω sin θ e₂ + n e₃ with e₃ the axis and e₂ up in the disc: −x of the body; v = −n R e₁ with e₁ = e₂ × e₃ along y.
    state.v.copy_from_slice(&[0.0, -own * radius, 0.0, -turning * sin, 0.0, own]);
    let mut sim = simulation((world, state), ("time-stepping", h), |_| {})?;
    let seconds = if size == Size::Small { 1.0 } else { 4.0 };
    let (mut turned, mut last, mut lean, mut off) = (0.0, 0.0_f64, 0.0_f64, 0.0_f64);
    let centre = [-circle, 0.0];
    let mut points = Vec::new();
    for _ in 0..(seconds / h) as usize {
        step(&mut sim)?;
        let z = axes(&sim).0[2];
        let azimuth = z.y.atan2(z.x);
        turned += (azimuth - last + PI).rem_euclid(TAU) - PI;
        last = azimuth;
        lean = lean.max((z.z.clamp(-1.0, 1.0).acos() - tilt).abs());
        let [x, y] = [0, 1].map(|k| sim.state().q[k] - centre[k]);
        off = off.max((x.hypot(y) / circle - 1.0).abs());
        points.push([sim.state().q[0], sim.state().q[1]]);
    }
    let measured = turned / sim.state().t;
    findings.predict("rolling coin: rate of its precession".to_owned(), "rad/s", turning, measured, 1e-3);
    findings.bound("rolling coin: its tilt stays".to_owned(), "rad", lean, 1e-3);
    findings.bound("rolling coin: its centre stays on the circle, of its radius".to_owned(), "–", off, 1e-3);
    findings.keep_over(
        "rolling-coin",
        "A coin rolls on a circle",
        ["x of its centre [m]", "y [m]"],
        vec![Series { label: "centre".to_owned(), points }],
        |figure| figure,
    );
    Ok(())
}

/// Measures (4), and that the top turns over.
fn tippe_top(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (a, below, m, spin, tilt) = (0.02, 0.003, 0.02, 160.0, 0.1_f64);
    let moment = 0.4 * m * a * a;
    let (seconds, h) = (if size == Size::Small { 1.5 } else { 4.0 }, 2e-4);
    let (world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='0.3 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body><freejoint/>\
         <inertial pos='0 0 -{below}' mass='{m}' diaginertia='{moment} {moment} {moment}'/>\
         <geom type='sphere' size='{a}'/></body></worldbody></mujoco>"
    ))?;
    state.q[2] = a;
    state.q[3..7].copy_from_slice(&[(0.5 * tilt).cos(), 0.0, (0.5 * tilt).sin(), 0.0]);
    // It turns about the vertical, and its centre of mass stands.
    state.v.copy_from_slice(&[
        0.0,
        spin * below * tilt.sin(),
        0.0,
        -spin * tilt.sin(),
        0.0,
        spin * tilt.cos(),
    ]);
    let mut sim = simulation((world, state), ("time-stepping", h), |_| {})?;
    let jellett = |sim: &Simulation| {
        let (axes, rate) = axes(sim);
        let turning = (axes[0] * rate.x + axes[1] * rate.y + axes[2] * rate.z) * moment;
        // From the centre of mass to the lowest point.
        -turning.dot(axes[2] * below - Vec3::Z * a)
    };
    let start = jellett(&sim);
    let (mut drift, mut highest) = (Worst::default(), -1.0_f64);
    let mut points = Vec::new();
    for _ in 0..(seconds / h) as usize {
        step(&mut sim)?;
        drift.see((jellett(&sim) / start - 1.0).abs());
        // Height of the centre of mass above the centre of the sphere, over its distance: −1 hangs, 1 stands on its head.
        let height = -axes(&sim).0[2].z;
        highest = highest.max(height);
        points.push([sim.state().t, height]);
    }
    findings.bound("tippe-top: Jellett's integral stays, relative".to_owned(), "–", drift, 1e-2);
    findings.bound(
        "tippe-top: it turns over, 1 − height of its centre of mass".to_owned(),
        "–",
        1.0 - highest,
        0.5,
    );
    let series = vec![Series { label: "height of the centre of mass".to_owned(), points }];
    findings.keep("tippe-top", "A tippe-top turns over", "height over its distance", "–", series);
    Ok(())
}
