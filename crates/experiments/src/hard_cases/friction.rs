//! Friction at its limit: hold, slide, wedge, jam.
//!
//! ```text
//!     slide       lift 0;  stops after v₀²/(2 μ g), to h v₀/2                                      (1)
//!     slope       tan α = μ (1 ∓ 1e-3):  0  or  a = g (sin α − μ cos α)                             (2)
//!     wedge       of half-angle α, φ = atan μ, between fingers of mass m pressed by F:
//!                 α < φ: 0;  else  M a = 2 k (F − m a tan α),  k = tan(α − φ)                       (3)
//!     rod         tip (a, −b) from its centre, 1/m + a (a − μ b)/I < 0: no finite force holds the
//!                 floor (Painlevé's paradox); it jams at once, with
//!                 ω = (m b v₀ − m a g h)/(I + m (a² + b²))  whatever h                               (4)
//!     capstan     half a turn slips when the pull is e^{μπ} of the weight                            (5)
//! ```

use super::super::{ExperimentError, Size};
use super::trial::{G, Line, Trial, worse};
use stiction::dynamics::spatial::Vec3;
use stiction_scene::{Finite, Scene};

/// Two fingers hold 1 kg with a share over the force it needs, m g/(2 μ).
pub(super) fn grasp(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let seconds = if size == Size::Full { 60.0 } else { 1.0 };
    let mut lines = Vec::new();
    // The exact law has several answers, pads and box being rigid: all contacts hold, or one edge bears everything and
    // the box swings about it. Sweeps that start cold find the second up to about 1.03, global methods the first.
    for (contact, share) in [("nsgs-accelerated", 1.2), ("nsgs-accelerated", 1.001), ("ncp-admm", 1.001)] {
        let mut scene = Scene::builtin("grasp")?;
        contact.clone_into(&mut scene.contact.solver);
        for model in &mut scene.model {
            model.control = Some(vec![Finite(share * G); 2]);
        }
        let mut trial = Trial::of(&scene)?;
        let object = trial.sim.sim().world().model.bodies.len() - 1;
        let slip = trial.largest_shift(seconds, &[object]);
        let of = format!("{contact}, {seconds} s at {share} of the force");
        lines.push(trial.line("grasp", of, ["slip", "m"], slip, 1e-6));
    }
    Ok(lines)
}

/// (1), a cube of 0.1 m.
pub(super) fn slide(_: Size) -> Result<Vec<Line>, ExperimentError> {
    let (mu, v0) = (0.5, 6.0);
    let mut trial = Trial::of_toml(&format!(
        "ground = {{ friction = {mu} }}
        [[body]]
        name = 'cube'
        shape = 'box'
        size = [0.1, 0.1, 0.1]
        mass = 1.0
        position = [0.0, 0.0, 0.05]
        velocity = [{v0}, 0.0, 0.0]"
    ))?;
    let start = trial.position(0);
    let mut lift = 0.0_f64;
    trial.run(1.05 * v0 / (mu * G), |t| lift = worse(lift, (t.position(0) - start).z));
    let off = ((trial.position(0) - start).x - v0 * v0 / (2.0 * mu * G)).abs();
    let limit = 0.5 * trial.dt() * v0;
    Ok(vec![
        trial.line("slide", "6 m/s, μ = 0.5", ["lift", "m"], lift, 1e-9),
        trial.line("slide", "6 m/s, μ = 0.5", ["error of the way", "m"], off, limit),
    ])
}

/// Bodies on a slope, by (2).
pub(super) fn slope(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let mu: f64 = 0.5;
    let seconds = if size == Size::Full { 10.0 } else { 1.0 };
    let on = |tangent: f64| {
        Trial::of_toml(&format!(
            "ground = {{ friction = {mu}, slope = {} }}
            contact = {{ tolerance = 1e-12 }}
            [[body]]
            name = 'cube'
            shape = 'box'
            size = [0.1, 0.1, 0.1]
            mass = 1.0
            position = [0.0, 0.0, 0.05]
            frame = 'ground'",
            tangent.atan().to_degrees()
        ))
    };
    let mut below = on(mu * (1.0 - 1e-3))?;
    let creep = below.largest_shift(seconds, &[0]);
    let steep = mu * (1.0 + 1e-3);
    let mut above = on(steep)?;
    above.run(1.0, |_| {});
    let (s, c) = steep.atan().sin_cos();
    let a = G * (s - mu * c);
    let off = (above.velocity(0).norm() / a - 1.0).abs();
    Ok(vec![
        below.line("slope", format!("μ (1 − 0.1 %), {seconds} s"), ["creep", "m"], creep, 1e-9),
        above.line("slope", "μ (1 + 0.1 %)", ["relative error of the acceleration", ""], off, 1e-6),
    ])
}

/// (3), at φ ∓ 0.1°.
pub(super) fn wedge(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let (mu, mass, finger, force) = (0.3_f64, 1.0, 0.2, 100.0);
    let seconds = if size == Size::Full { 10.0 } else { 1.0 };
    let between = |alpha: f64| {
        let ((s, c), (sh, ch)) = (alpha.sin_cos(), (0.5 * alpha).sin_cos());
        let (w, t) = (0.05, 0.01);
        // Faces through (±w, 0, 0); a finger lies beyond, the wedge's plate behind.
        let (out, inn, up) = (w + t * c, w - t * c, t * s);
        let mut trial = Trial::of_mjcf(
            &format!(
                r#"<mujoco><option gravity="0 0 0" timestep="0.001"/><default><geom type="box" friction="{mu}"/></default><worldbody>
            <body name="wedge"><freejoint/>
              <geom size="{t} 0.04 0.1" pos="{inn} 0 {up}" quat="{ch} 0 {sh} 0" mass="{half}"/>
              <geom size="{t} 0.04 0.1" pos="-{inn} 0 {up}" quat="{ch} 0 -{sh} 0" mass="{half}"/></body>
            <body pos="{out} 0 -{up}"><joint name="right" type="slide" axis="-1 0 0"/>
              <geom size="{t} 0.03 0.03" quat="{ch} 0 {sh} 0" mass="{finger}"/></body>
            <body pos="-{out} 0 -{up}"><joint name="left" type="slide" axis="1 0 0"/>
              <geom size="{t} 0.03 0.03" quat="{ch} 0 -{sh} 0" mass="{finger}"/></body>
            </worldbody><actuator><motor joint="right"/><motor joint="left"/></actuator></mujoco>"#,
                half = 0.5 * mass
            ),
            1e-12,
        )?;
        trial.sim.sim_mut().control_mut().fill(force);
        Ok::<_, ExperimentError>(trial)
    };
    let (phi, off) = (mu.atan(), 0.1_f64.to_radians());
    let mut below = between(phi - off)?;
    let creep = below.largest_shift(seconds, &[0]);
    let mut above = between(phi + off)?;
    above.run(0.2, |_| {});
    let (k, t) = (off.tan(), (phi + off).tan());
    let a = 2.0 * k * force / (mass + 2.0 * k * finger * t);
    let error = (above.velocity(0).z / (0.2 * a) - 1.0).abs();
    Ok(vec![
        below.line(
            "wedge",
            format!("0.1° below the friction angle, {seconds} s"),
            ["creep", "m"],
            creep,
            1e-9,
        ),
        above.line("wedge", "0.1° above", ["relative error of the acceleration", ""], error, 1e-6),
    ])
}

/// (4), a rod of 1 m at 60°, μ = 2.
pub(super) fn rod(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let (mu, mass, v0, tip) = (2.0, 1.0, 1.0, 1e-3);
    let (s, a) = (60.0_f64.to_radians().sin(), 0.5 * 60.0_f64.to_radians().cos());
    let (z, b) = (0.5 * s, 0.5 * s + tip);
    let inertia = mass / 12.0;
    let steps = if size == Size::Full { vec![1e-2, 1e-3, 1e-4] } else { vec![1e-2, 1e-3] };
    let mut lines = Vec::new();
    for h in steps {
        let mut trial = Trial::of_mjcf(
            &format!(
                r#"<mujoco><option timestep="{h}"/><worldbody><geom type="plane" size="9 9 1" friction="{mu}"/>
            <body pos="0 0 {b}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
            <joint type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>
            <geom type="sphere" size="{tip}" pos="{a} 0 -{z}" friction="{mu}"/>
            <geom type="sphere" size="{tip}" pos="-{a} 0 {z}" friction="{mu}"/></body></worldbody></mujoco>"#
            ),
            1e-8,
        )?;
        let mut start = trial.sim.sim().state().clone();
        start.v.copy_from_slice(&[v0, 0.0, 0.0]);
        trial.sim.sim_mut().set_state(start).map_err(stiction::SetupError::from)?;
        let mut before = trial.sim.sim_mut().energy().total();
        trial.step();
        let expected = mass * (b * v0 - a * G * h) / (inertia + mass * (a * a + b * b));
        let jam = (trial.sim.sim().state().v[2] / expected - 1.0).abs();
        let mut gain = worse(0.0, trial.sim.sim_mut().energy().total() - before);
        before = trial.sim.sim_mut().energy().total();
        trial.run(1.0, |t| {
            let now = t.sim.sim_mut().energy().total();
            gain = worse(gain, now - before);
            before = now;
        });
        let of = format!("h = {h:e} s");
        lines.push(trial.line(
            "Painlevé rod",
            &of,
            ["relative error of the rate after the jam", ""],
            jam,
            1e-6,
        ));
        // The tip jams in the middle of the step, half a step after the rod has moved by its velocity at the start.
        let most = 2.0 * h * h;
        lines.push(trial.line("Painlevé rod", of, ["largest gain of energy in a step", "J"], gain, most));
    }
    Ok(lines)
}

/// (5), a chain of 37 points half round a cylinder: the least pull at which it slips, over the weight it lifts.
pub(super) fn capstan(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let mu = 0.3_f64;
    let mut trial = chain(mu)?;
    let rest = trial.sim.sim().state().clone();
    let last = trial.sim.sim().world().model.bodies.len() - 1;
    let (mut low, mut high) = (2.0, 3.2);
    for _ in 0..if size == Size::Full { 12 } else { 8 } {
        let pull = 0.5 * (low + high);
        trial.sim.sim_mut().set_state(rest.clone()).map_err(stiction::SetupError::from)?;
        for _ in 0..20 {
            for (body, force) in [(0, 1.0), (last, pull)] {
                let point = trial.sim.sim_mut().kinematics().X_WB[body].translation;
                trial.sim.sim_mut().apply_force(body, point, Vec3::Z * -force);
            }
            trial.step();
        }
        let moves = trial.sim.sim().state().v.iter().any(|v| v.abs() > 1e-4);
        if moves { high = pull } else { low = pull }
    }
    let off = (low / (mu * std::f64::consts::PI).exp() - 1.0).abs();
    Ok(vec![trial.line(
        "capstan",
        "half a turn, μ = 0.3",
        ["relative error of the slipping pull", ""],
        off,
        1e-2,
    )])
}

/// Points every 5° on a cylinder of 0.1 m, joined by hinged links; no gravity.
fn chain(mu: f64) -> Result<Trial, ExperimentError> {
    let (radius, bead, links) = (0.1, 1e-4, 36);
    let place = |k: i32| {
        let (s, c) = (f64::from(k) * std::f64::consts::PI / f64::from(links)).sin_cos();
        [-(radius + bead) * c, (radius + bead) * s]
    };
    let [x, z] = place(0);
    let geom = format!(r#"<geom type="sphere" size="{bead}" mass="0.001" friction="{mu}"/>"#);
    let mut text = format!(
        r#"<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
        <geom type="cylinder" size="{radius} 0.1" quat="1 1 0 0" friction="{mu}"/>
        <body pos="{x} 0 {z}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>{geom}"#
    );
    for k in 1..=links {
        let ([x0, z0], [x1, z1]) = (place(k - 1), place(k));
        let (x, z) = (x1 - x0, z1 - z0);
        text += &format!(
            r#"<body pos="{x} 0 {z}"><joint type="hinge" axis="0 1 0" pos="{} 0 {}"/>{geom}"#,
            -x, -z
        );
    }
    text += &"</body>".repeat(links as usize + 1);
    text += "</worldbody></mujoco>";
    Trial::of_mjcf(&text, 1e-8)
}
