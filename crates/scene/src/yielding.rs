//! Softness that a MJCF file states for the law `mujoco`, as springs that the exact law and Drake's read.
//!
//! MuJoCo's contact between bodies of the weights w_a and w_b is a spring of the stiffness K d²/((1 − d)(w_a + w_b)): two
//! springs in series, K d²/((1 − d) w) for each body, and a rigid partner where w = 0. d is that at the depth δ at which
//! the spring carries its body's own weight, δ = g (1 − d(δ))/(K d(δ)²).
//!
//! Where such a spring is too stiff for the step and less than critically damped, B < 2 √K, it would be resolved as dead:
//! then the surface is rigid and bounces with the restitution of the oscillator that MuJoCo's contact is, at the
//! damping ratio ζ = B/(2 √K),
//!
//! ```text
//!     e = exp(−π ζ/√(1 − ζ²))                                                        (1)
//! ```

use super::Setup;
use stiction::assembly::compliance::ComplianceParameters;
use stiction::contact::Law;
use stiction::contact::soft::mujoco::reference;
use stiction::contact::softness::Material;
use stiction::world::{Compliance, Fate, Note, Severity, Softness, Topic};

/// Rounds in which δ is found; d changes little over them.
const ROUNDS: usize = 50;
/// Longest step in which a spring bounces as it should, times its frequency [–].
const RESOLVED: f64 = 0.1;

impl Setup {
    /// Lets every body of the world that states no stiffness of its own yield as its file says it for MuJoCo, or its
    /// partner's file, under laws that read springs. Says what it did.
    pub fn yield_as_stated(&mut self) {
        let (h, gravity) = (self.settings.stepper.dt, self.world.model.gravity.norm());
        let weights = ComplianceParameters::new(&self.world);
        let stated = self.world.ledger.of(Fate::Softness).any(|e| e.what.starts_with("geom@sol"));
        let standing = self.world.geometries.iter().find(|g| {
            let fixed = g.link.and_then(|l| self.world.model.links[l].body).is_none();
            fixed && g.material.softness.reference != Softness::default().reference
        });
        let of_ground = standing.map(|g| g.material.softness);
        let (mut count, mut bouncing) = (0, 0);
        for i in 0..self.world.geometries.len() {
            let g = &self.world.geometries[i];
            if g.link.and_then(|l| self.world.model.links[l].body).is_none() {
                continue;
            }
            let weight = weights.of_links(Law::Mujoco, [g.link, None], false);
            if !stated || weight <= 0.0 || g.material.compliance != Compliance::default() {
                continue;
            }
            let own = g.material.softness;
            let default = own.reference == Softness::default().reference;
            let softness = if default { of_ground.unwrap_or(own) } else { own };
            let law =
                Material { solref: softness.reference, solimp: softness.impedance, ..Material::default() };
            let (mut depth, mut spring) = (0.0, law.spring_of_mujoco(1.0 / weight, 0.0, h));
            for _ in 0..ROUNDS {
                depth = 0.5 * (depth + gravity / (spring.0 * weight));
                spring = law.spring_of_mujoco(1.0 / weight, depth, h);
            }
            let ratio = damping_ratio(&law, h);
            if ratio < 1.0 && h * (spring.0 * weight).sqrt() > RESOLVED {
                let damped = std::f64::consts::PI * ratio / (1.0 - ratio * ratio).sqrt();
                self.world.geometries[i].material.restitution = (-damped).exp(); // (1)
                bouncing += 1;
            } else if spring.0.is_finite() && spring.0 > 0.0 {
                let (stiffness, relaxation) = (Some(spring.0), Some(spring.1));
                self.world.geometries[i].material.compliance =
                    Compliance { stiffness, relaxation, dissipation: None };
                count += 1;
            }
        }
        let message = format!(
            "{count} shapes yield as the file says for the law `mujoco`: as springs, with friction as it is"
        );
        if count > 0 || bouncing == 0 {
            let note = Note { topic: Topic::Scene, ..Note::of_scene(Severity::Note, message) };
            self.world.ledger.remarks.push(note);
        }
        if bouncing > 0 {
            let message = format!(
                "{bouncing} shapes are too stiff for steps of {h} s to bounce as springs: rigid, with the restitution of their \
                 damping"
            );
            let note = Note { topic: Topic::Scene, ..Note::of_scene(Severity::Note, message) };
            self.world.ledger.remarks.push(note);
        }
    }

    /// Whether the contact law of the run reads MuJoCo's softness.
    pub(super) fn is_mujoco(&self) -> bool {
        self.settings.contact.starts_with("mujoco")
    }
}

/// ζ of MuJoCo's reference in steps of h.
fn damping_ratio(law: &Material, h: f64) -> f64 {
    let (k, b) = reference(law.solref, law.solimp, h);
    if k > 0.0 { 0.5 * b / k.sqrt() } else { f64::INFINITY }
}
