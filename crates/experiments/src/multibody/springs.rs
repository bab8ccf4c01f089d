//! Springs: what a stiff one does to fixed steps, and how what is held creeps under regularised friction.
//!
//! ```text
//!     m ẍ = −k x, ω² = k/m: forward Euler grows by √(1 + h² ω²) a step, symplectic Euler beyond h ω = 2                (1)
//!     Stribeck with s = slip/v_s: f = μ m g (10 s³ − 15 s⁴ + 6 s⁵) below 1, so that a load of p μ m g creeps at s(p) v_s   (2)
//! ```

use super::super::worst::Worst;
use super::{Curves, ExperimentError, Findings, G, Size, robot, scene, simulation, step};
use stiction_plot::{Figure, Series};

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    stiff_spring(size, findings)?;
    creep(size, findings)
}

/// Measures (1): the largest swing of 200 steps over that of the start.
fn stiff_spring(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (m, k) = (1.0_f64, 1e4_f64);
    let omega = (k / m).sqrt();
    let shares: &[f64] = if size == Size::Small {
        &[0.5, 1.0, 3.0]
    } else {
        &[0.1, 0.3, 0.5, 1.0, 1.5, 1.9, 2.1, 3.0, 5.0, 10.0]
    };
    let growth = |h: f64, step: &dyn Fn(f64, f64) -> (f64, f64)| {
        let (mut x, mut v, mut most) = (1e-2_f64, 0.0_f64, 0.0_f64);
        for _ in 0..200 {
            (x, v) = step(x, v);
            most = most.max(x.abs().max((v / omega).abs()));
        }
        let _ = h;
        (most / 1e-2).min(1e30)
    };
    let mut series = Vec::new();
    let (mut forward, mut symplectic) = (Vec::new(), Vec::new());
    for share in shares {
        let h = share / omega;
        forward.push([*share, growth(h, &|x, v| (x + h * v, v - h * omega * omega * x))]);
        symplectic.push([
            *share,
            growth(h, &|x, v| {
                let v = v - h * omega * omega * x;
                (x + h * v, v)
            }),
        ]);
    }
    let explodes = |points: &[[f64; 2]]| {
        points.iter().filter(|p| p[1] > 100.0).map(|p| p[0]).fold(f64::INFINITY, f64::min)
    };
    findings.bound("forward Euler explodes, from h ω on".to_owned(), "–", explodes(&forward), 0.5);
    let from = explodes(&symplectic);
    findings.bound(
        format!("symplectic Euler explodes from h ω = {from} on, not before 2: 2 − it"),
        "–",
        // Of what explodes at no step nothing is shown.
        if from.is_finite() { 2.0 - from } else { f64::NAN },
        0.0,
    );
    series.push(Series { label: "forward Euler".to_owned(), points: forward });
    series.push(Series { label: "symplectic Euler".to_owned(), points: symplectic });
    for method in ["time-stepping", "moreau", "stewart-trinkle", "todorov", "compliant", "event-driven"] {
        let mut points = Vec::new();
        for share in shares {
            let (world, mut state) = robot(&format!(
                "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='1 0 0' stiffness='{k}'/>\
                 <inertial pos='0 0 0' mass='{m}' diaginertia='1 1 1'/></body></worldbody></mujoco>"
            ))?;
            state.q[0] = 1e-2;
            let mut sim = simulation((world, state), (method, share / omega), |_| {})?;
            let mut most = 0.0_f64;
            for _ in 0..200 {
                step(&mut sim)?;
                most = most.max(sim.state().q[0].abs().max((sim.state().v[0] / omega).abs()));
            }
            points.push([*share, most / 1e-2]);
        }
        let most = Worst::of(points.iter().map(|p| p[1]));
        findings.bound(
            format!("{method} survives a stiff spring at every step: swing over the first"),
            "–",
            most,
            1.05,
        );
        series.push(Series { label: method.to_owned(), points });
    }
    let shape: fn(Figure) -> Figure = |f| f.log_x().log_y();
    let title = "A stiff spring: largest swing of 200 steps over the first";
    findings.keep_over("stiff-spring", title, ["h ω [–]", "swing over the first [–]"], series, shape);
    Ok(())
}

/// Measures (2): a brick on the level under gravity that leans by the load.
fn creep(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (mu, slip) = (0.5, 1e-3);
    let count = if size == Size::Small { 3 } else { 9 };
    let mut points = Vec::new();
    for k in 1..=count {
        let share = f64::from(k) / f64::from(count + 1);
        let start = scene(&format!(
            "gravity = [{}, 0.0, -{G}]\nground = {{ friction = {mu} }}\n[[body]]\nname = 'brick'\nshape = 'box'\nsize = [0.4, 0.4, 0.04]\n\
             mass = 2.0\nfriction = {mu}\nposition = [0.0, 0.0, 0.02]",
            share * mu * G
        ))?;
        let mut sim = simulation(start, ("compliant", 0.01), |p| {
            (p.canon.compliant.slip_speed, p.canon.compliant.dissipation) = (slip, 5.0);
        })?;
        for _ in 0..200 {
            step(&mut sim)?;
        }
        // The share of 10 s³ − 15 s⁴ + 6 s⁵ by bisection.
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for _ in 0..60 {
            let s = 0.5 * (low + high);
            let f = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
            *(if f < share { &mut low } else { &mut high }) = s;
        }
        points.push([share, sim.state().v[0] / slip, low]);
    }
    let mut figure = Curves::default();
    figure.push("Stribeck", &points);
    findings.bound(
        format!("creep of Stribeck's friction over the load, {count} loads: slip over v_s"),
        "–",
        figure.worst,
        1e-3,
    );
    figure.keep(
        findings,
        "stribeck-creep",
        "What is held creeps",
        ["load over μ m g [–]", "creep over v_s [–]"],
    );
    Ok(())
}
