//! Numbers and states in a few words.

use stiction::StepperName;
use stiction::dynamics::{JointKind, Model};
use stiction::world::Topic;
use stiction_lab::Summary;

/// Coordinates shown of a final state.
const SHOWN: usize = 6;

/// `x` with as many digits as a glance takes.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".to_owned()
    } else if !x.is_finite() {
        x.to_string()
    } else if (1e-3..1e5).contains(&size) {
        let decimals = (4 - size.log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{x:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{x:.1e}")
    }
}

/// `x` with about three digits.
fn rough(x: f64) -> String {
    if x >= 100.0 { grouped(x) } else { format!("{x:.3}").chars().take(4).collect() }
}

/// Thousands apart: 12 345.
pub(crate) fn grouped(x: f64) -> String {
    let digits = format!("{:.0}", x.abs());
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(c);
    }
    text
}

/// The summary of a run, line by line.
pub(crate) fn summary(s: &Summary, model: &Model) -> Vec<String> {
    let simulated = s.steps as f64 * s.dt;
    let ratio = if s.wall_s > 0.0 { simulated / s.wall_s } else { 0.0 };
    let with = match s.stepper == StepperName::default().as_str() || s.stepper == s.contact {
        true => s.contact.clone(),
        false => format!("{} and {}", s.stepper, s.contact),
    };
    let mut lines = vec![
        format!(
            "{}: {} steps of {} ms with {}, {} s",
            s.scene,
            s.steps,
            short(1e3 * s.dt),
            with,
            short(simulated)
        ),
        format!("  speed        {} steps/s, {} × real time", grouped(s.steps_per_s), rough(ratio)),
        format!("  certificate  {}", certificate(s)),
        format!("  solver       {}", effort(s)),
        format!("  penetration  at most {} m", short(s.penetration_max)),
        format!("  energy       {}", energy(s)),
        format!("  final state  {}", final_state(s, model)),
    ];
    let happened = s.notes.iter().filter(|n| n.topic == Topic::Run);
    lines.extend(happened.map(|n| format!("  note         {}", n.message)));
    if s.sleep.bodies_mean > 0.0 {
        let of = format!("{} of {} bodies at the end", s.sleep.bodies, model.bodies.len());
        lines.push(format!("  asleep       {of}, {} on average", short(s.sleep.bodies_mean)));
    }
    lines
}

/// The worst step, by the law that the solver solves, against the tolerance; of another law than the exact one also by
/// that.
fn certificate(s: &Summary) -> String {
    let Some(c) = &s.certificate else { return "steps were not judged".to_owned() };
    let tolerance = format!("tolerance {:e} m/s", s.tolerance);
    let met = |own: f64| if own <= s.tolerance * (1.0 + 1e-6) { "met" } else { "NOT met" };
    let parts = format!("ε_p {} N, ε_d {} m/s, ε_c {} W", short(c.eps_p), short(c.eps_d), short(c.eps_c));
    let exact = format!("natural map {} m/s at t = {} s", short(c.natural_map), short(s.worst_time));
    let but = match &s.reservations()[..] {
        [] => String::new(),
        all => format!("\n{:15}BUT {}", "", all.join("; ")),
    };
    let verdict = match s.own_natural_map {
        _ if c.natural_map == 0.0 && but.is_empty() => "every step obeys the law exactly".to_owned(),
        _ if c.natural_map == 0.0 => "every step obeys the law of contact exactly".to_owned(),
        Some(own) if own != c.natural_map => format!(
            "worst natural map of its own law {} m/s, {tolerance}: {}\n               of the exact law: worst {exact}\n\
             {:15}({parts})",
            short(own),
            met(own),
            ""
        ),
        _ => format!("worst {exact}, {tolerance}: {}\n{:15}({parts})", met(c.natural_map), ""),
    };
    format!("{verdict}{but}")
}

fn effort(s: &Summary) -> String {
    let e = &s.solver;
    let verdict = match e.not_converged {
        0 if e.rounding > 0 => format!("every step converged, {} of them to rounding", e.rounding),
        0 => "every step converged".to_owned(),
        n => format!("{n} of {} steps DID NOT CONVERGE", s.steps),
    };
    let gained = match e.gained_energy {
        0 => String::new(),
        n => format!("; {n} steps MADE ENERGY that nothing explains"),
    };
    let remedies: String = e.remedies.iter().map(|(name, n)| format!("; {name} in {n} steps")).collect();
    let bounds: String = e
        .bounds_met
        .iter()
        .map(|(n, steps)| format!("; {steps} met the bound of {n} factorisations"))
        .collect();
    format!(
        "{} iterations a step, at most {}; {verdict}{bounds}{gained}{remedies}",
        short(e.iterations_mean),
        e.iterations_max
    )
}

/// Energy before and after, and whose work the change was.
fn energy(s: &Summary) -> String {
    let (start, end) = (s.energy.start, s.energy.end);
    let change = end - start;
    let verb = if change <= 0.0 { "lost" } else { "gained" };
    let told = format!(
        "{} J at the start, {} J at the end: {} J {verb}",
        short(start),
        short(end),
        short(change.abs())
    );
    let (Some(actuators), Some(forces), Some(rest)) = (s.energy.actuators, s.energy.forces, s.energy.rest())
    else {
        return told;
    };
    let works = [
        ("actuators", actuators),
        ("forces of the scene", forces),
        ("contacts, limits and dampers", rest - s.energy.error),
        ("error of the steps", s.energy.error),
    ];
    let works = works.iter().filter(|w| w.1 != 0.0).map(|(who, work)| format!("{who} {} J", short(*work)));
    let works: Vec<String> = works.collect();
    if change <= 0.0 && actuators == 0.0 && forces == 0.0 {
        told
    } else {
        format!("{told}\n{:15}({})", "", works.join(", "))
    }
}

/// Free bodies by place, joints by position; and how fast the fastest coordinate is.
fn final_state(s: &Summary, model: &Model) -> String {
    let mut parts = Vec::new();
    for joint in &model.joints {
        let q = &s.end.q[joint.idx_q..];
        parts.push(match joint.kind {
            JointKind::Free => {
                format!("{} at ({}, {}, {}) m", joint.name, short(q[0]), short(q[1]), short(q[2]))
            }
            JointKind::Hinge | JointKind::Screw => format!("{} {} rad", joint.name, short(q[0])),
            JointKind::Slide => format!("{} {} m", joint.name, short(q[0])),
            JointKind::Ball => continue,
        });
    }
    let more = parts.len().saturating_sub(SHOWN);
    parts.truncate(SHOWN);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    let fastest = s.end.v.iter().fold(0.0, |m: f64, v| if v.abs() >= m || v.is_nan() { v.abs() } else { m });
    parts.push(format!("fastest coordinate {} m/s or rad/s", short(fastest)));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.3006826837, "0.30068"),
            (36.2, "36.2"),
            (3.2e-9, "3.2e-9"),
            (41234.5, "41234"),
            (1.0, "1"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
        assert_eq!((short(f64::NAN), grouped(1234567.0)), ("NaN".to_owned(), "1 234 567".to_owned()));
    }
}
