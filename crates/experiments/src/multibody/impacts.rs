//! Impacts at their instant, by every law of restitution.
//!
//! ```text
//!     ball     hollow (I = ⅔ m r²)   v_x⁺ = (3 v_x + 2 r ω)/5     solid (⅖ m r²)   v_x⁺ = (5 v_x + 2 r ω)/7         (1)
//!              where friction holds: |Δv_x| ≤ μ (1 + e) |v_z|, else Δv_x = ∓μ (1 + e) |v_z|;   v_z⁺ = −e v_z
//!     block    ω⁺/ω⁻ = 1 − (3/2) sin² α,   tan α = breadth/height                    [Housner1963]          (2)
//!     balls    three in a row at e = 1: (−⅓, ⅔, ⅔) v by Newton and Poisson, all at once; the last alone, one after another  (3)
//! ```

use super::super::worst::Worst;
use super::{Curves, ExperimentError, Findings, G, Size, scene, simulation, step};
use stiction::dynamics::spatial::{Inertia, Sym3, Vec3};
use stiction::{ImpactLaw, RestitutionLaw};
use stiction_plot::Series;

const LAWS: [(&str, RestitutionLaw); 3] = [
    ("newton", RestitutionLaw::Newton),
    ("poisson", RestitutionLaw::Poisson),
    ("stronge", RestitutionLaw::Stronge),
];

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    bouncing_ball(findings)?;
    rocking_block(size, findings)?;
    balls_in_a_row(findings)
}

/// Radius [m], height of the fall [m], velocity [m/s], spin about +y [rad/s], e.
const BALL: [f64; 5] = [0.1, 0.5, 0.8, -25.0, 0.7];

/// x, v_x and ω of (1) at time t, the moment of inertia `share` m r².
fn ball(t: f64, (share, mu): (f64, f64)) -> [f64; 4] {
    let [r, height, mut v, mut spin, e] = BALL;
    let (mut left, mut x, mut down) = (t, 0.0, (2.0 * height / G).sqrt() * G);
    let mut flight = down / G;
    while left > flight {
        left -= flight;
        x += v * flight;
        let stick = -(v - r * spin) / (1.0 + 1.0 / share);
        let most = mu * (1.0 + e) * down;
        let kick = stick.clamp(-most, most);
        v += kick;
        spin -= kick / (share * r);
        down *= e;
        flight = 2.0 * down / G;
    }
    [x + v * left, v, spin, down]
}

/// Measures (1).
fn bouncing_ball(findings: &mut Findings) -> Result<(), ExperimentError> {
    let [r, height, v, spin, e] = BALL;
    let mut figure = Curves::default();
    for (name, law) in LAWS {
        let mut worst = Worst::default();
        for (kind, share, mu) in [
            ("hollow, held", 2.0 / 3.0, 5.0),
            ("solid, held", 0.4, 5.0),
            ("hollow, slips", 2.0 / 3.0, 0.15),
            ("solid, slips", 0.4, 0.15),
        ] {
            let (mut world, state) = scene(&format!(
                "ground = {{ friction = {mu}, restitution = {e} }}\n[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = {r}\n\
                 mass = 2.0\nfriction = {mu}\nrestitution = {e}\nposition = [0.0, 0.0, {}]\nvelocity = [{v}, 0.0, 0.0]\n\
                 angular_velocity = [0.0, {spin}, 0.0]",
                r + height
            ))?;
            let moment = share * 2.0 * r * r;
            world.model.bodies[0].inertia =
                Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(moment, moment, moment));
            let mut sim = simulation((world, state), ("event-driven", 0.02), |p| {
                p.canon.event_driven.restitution = law;
            })?;
            let mut points = Vec::new();
            for _ in 0..70 {
                step(&mut sim)?;
                let at = sim.state();
                let expected = ball(at.t, (share, mu));
                points.push([at.t, at.q[0], expected[0]]);
                worst.see((at.q[0] - expected[0]).abs());
                worst.see((at.v[0] - expected[1]).abs() + r * (at.v[4] - expected[2]).abs());
            }
            if law == RestitutionLaw::Newton {
                figure.push(kind, &points);
            }
        }
        let claim = format!("bouncing spinning balls by {name}: both maps, held and slipping");
        findings.bound(claim, "m and m/s", worst, 1e-6);
    }
    figure.keep(findings, "bouncing-ball", "Bouncing spinning balls", ["t [s]", "x [m]"]);
    Ok(())
}

/// Measures (2).
fn rocking_block(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (b, h, m, tilt) = (0.1, 0.3, 5.0, 0.15_f64);
    // About the lower edge at (b, −h): the centre starts above it, turned by `tilt` about −y, and the other edge is in the air.
    let centre = [-b * tilt.cos() + h * tilt.sin() + b, b * tilt.sin() + h * tilt.cos()];
    let start = scene(&format!(
        "ground = {{ friction = 2.0 }}\n[[body]]\nname = 'block'\nshape = 'box'\nsize = [{}, 0.2, {}]\nmass = {m}\nfriction = 2.0\n\
         position = [{}, 0.0, {}]\nrpy = [0.0, {}, 0.0]",
        2.0 * b,
        2.0 * h,
        centre[0],
        centre[1],
        tilt.to_degrees()
    ))?;
    let mut sim = simulation(start, ("event-driven", 5e-3), |_| {})?;
    let level = m * G * h;
    let impacts = if size == Size::Small { 2 } else { 5 };
    let mut energies: Vec<f64> = vec![sim.energy().total() - level];
    let mut points = Vec::new();
    let expected = 1.0 - 1.5 * b * b / (b * b + h * h);
    for _ in 0..800 {
        step(&mut sim)?;
        let energy = sim.energy().total() - level;
        points.push([sim.state().t, energy]);
        if energies.last().is_some_and(|last| (energy - last).abs() > 1e-3 * last) {
            energies.push(energy);
            if energies.len() > impacts {
                break;
            }
        }
    }
    let ratios: Vec<f64> = energies.windows(2).map(|e| (e[1] / e[0]).sqrt()).collect();
    let last = ratios.last().copied().unwrap_or(f64::NAN);
    findings.predict(
        format!("rocking block: ω⁺/ω⁻ of impact {} of {impacts}", ratios.len()),
        "",
        expected,
        if ratios.len() == impacts { last } else { f64::NAN },
        1e-6,
    );
    let off = Worst::of(ratios.iter().map(|r| (r / expected - 1.0).abs()));
    findings.bound(format!("rocking block: all {} impacts", ratios.len()), "–", off, 1e-6);
    let series = vec![Series { label: "energy above the block at rest".to_owned(), points }];
    findings.keep("rocking-block", "A rocking block", "energy", "J", series);
    Ok(())
}

/// Measures (3).
fn balls_in_a_row(findings: &mut Findings) -> Result<(), ExperimentError> {
    let row = "gravity = [0.0, 0.0, 0.0]\n[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.125\nmass = 1.0\nfriction = 0.0\n\
               restitution = 1.0\nposition = [0.0, 0.0, 0.0]\ncount = 3\noffset = [0.25, 0.0, 0.0]";
    let third = 1.0 / 3.0;
    let mut figure = Curves::default();
    let mut sequence = vec![("one after another".to_owned(), None)];
    sequence.extend(LAWS.map(|(name, law)| (name.to_owned(), Some(law))));
    for (name, law) in sequence {
        let (world, mut state) = scene(row)?;
        state.v[0] = 1.0;
        let method = if law.is_some() { "event-driven" } else { "time-stepping" };
        let mut sim = simulation((world, state), (method, 1e-4), |p| {
            p.impacts = ImpactLaw::Sequential;
            p.canon.event_driven.restitution = law.unwrap_or_default();
        })?;
        step(&mut sim)?;
        let v = [0, 6, 12].map(|i| sim.state().v[i]);
        let momentum = v.iter().sum::<f64>();
        let energy = v.iter().map(|v| v * v).sum::<f64>();
        // Springs of one stiffness pressed at once, as they relax at frozen positions; to 1e-4 of the energy.
        let expected = match law {
            None => [0.0, 0.0, 1.0],
            Some(RestitutionLaw::Stronge) => v,
            Some(_) => [-third, 2.0 * third, 2.0 * third],
        };
        let points: Vec<[f64; 3]> = (0..3).map(|i| [i as f64 + 1.0, v[i], expected[i]]).collect();
        figure.push(&name, &points);
        let off = points.iter().fold(0.0_f64, |most, p| most.max((p[1] - p[2]).abs()));
        if law != Some(RestitutionLaw::Stronge) {
            findings.bound(format!("three balls in a row, {name}: velocities"), "m/s", off, 1e-7);
        }
        let kept = (momentum - 1.0).abs().max((energy - 1.0).abs());
        findings.bound(format!("three balls in a row, {name}: momentum and energy are kept"), "", kept, 1e-3);
    }
    figure.keep(
        findings,
        "balls-in-a-row",
        "Three balls in a row, the first comes at 1 m/s",
        ["ball", "v [m/s]"],
    );
    Ok(())
}
