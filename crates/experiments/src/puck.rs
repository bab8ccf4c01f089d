//! A body that slides but cannot turn, on one contact: what compliant laws do to it has closed forms.
//!
//! With m its mass, φ the gap, s the slip, h the step and N the load, a cone law of one contact reads
//!
//! ```text
//!     a_N + (1/m + R_n) λ_N = μ (a_T − μ (1/m + R_t) λ_N)     sliding                    (1)
//!     a = v_free + shift                                      of each row                (2)
//! ```
//!
//! | law | R_n, R_t | shift of the normal row | of the tangent |
//! |---|---|---|---|
//! | `ccp` | 0, 0 | φ/h | 0 |
//! | `mujoco` | R = (1 − d)/(d m), R | −v⁻ + h (B v⁻ + K d φ) | −s + h B s |
//! | `mujoco-pyramidal` | 2 μ² (1 + μ²) R of an edge, 0 | the same | the same |
//! | `sap` | max(w/4π², 1/(h k (h + τ))), σ w | φ/(h + τ) | 0 |

use super::ExperimentError;
use std::path::Path;
use stiction::contact::Material;
use stiction::contact::soft::mujoco::{impedance, reference};
use stiction::models::{LoadOptions, load_str};
use stiction::world::Compliance;
use stiction::{Settings, Simulation, Sleep, State, StepperParams};

/// Gravity [m/s²].
pub(super) const G: f64 = 9.81;
/// Where solvers stop [m/s]: creep is to be told from rounding.
const TOLERANCE: f64 = 1e-13;
/// σ of `sap`.
const SIGMA: f64 = 1e-3;
/// Least slip speed at which `lagged` and `similar` reach the Coulomb limit [m/s].
const STICTION: f64 = 1e-4;

/// A puck that is pulled over the plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Puck {
    /// Mass [kg].
    pub(super) mass: f64,
    pub(super) mu: f64,
    /// h [s].
    pub(super) step: f64,
    /// The plane falls off towards +x by this angle [rad].
    pub(super) slope: f64,
    /// k [N/m], τ [s], d [s/m].
    pub(super) yields: [f64; 3],
}

impl Default for Puck {
    fn default() -> Self {
        Self { mass: 1.0, mu: 0.5, step: 1e-3, slope: 0.0, yields: [1e5, 0.05, 1.0] }
    }
}

/// (1) and (2) at one instant.
pub(super) struct Cone {
    pub(super) compliance: [f64; 2],
    pub(super) shift: [f64; 2],
}

impl Puck {
    /// At rest, its foot on the plane.
    pub(super) fn simulation(&self, contact: &str) -> Result<Simulation, ExperimentError> {
        let (s, c) = self.slope.sin_cos();
        let Self { mass, mu, .. } = self;
        let text = format!(
            r#"<mujoco><option gravity="{} 0 {}"/><worldbody>
            <geom type="plane" size="1 1 1" friction="{mu}"/>
            <body name="puck" pos="0 0 0.1"><joint name="x" type="slide" axis="1 0 0"/>
            <joint name="y" type="slide" axis="0 1 0"/><joint name="z" type="slide" axis="0 0 1"/>
            <geom type="sphere" size="0.1" mass="{mass}" friction="{mu}"/></body></worldbody></mujoco>"#,
            G * s,
            -G * c
        );
        let file = Path::new("puck.xml");
        let mut world = load_str(&text, file, Path::new(""), &LoadOptions::default())?;
        let [k, tau, d] = self.yields.map(Some);
        // The plane stays rigid: the puck yields for both, under the laws that are about it.
        let yields = matches!(contact, "sap" | "lagged" | "similar");
        if let Some(foot) = world.geometries.iter_mut().find(|g| yields && g.link.is_some()) {
            foot.material.compliance = Compliance { stiffness: k, relaxation: tau, dissipation: d };
        }
        let stepper = StepperParams { dt: self.step, sleep: Sleep::Off, ..StepperParams::default() };
        let contact = contact.to_owned();
        let settings =
            Settings { contact, tolerance: TOLERANCE, max_iterations: 2000, stepper, ..Settings::default() };
        let state = State::neutral(&world.model);
        Ok(Simulation::new(world, state, settings)?)
    }

    /// Steps until the puck is where the law lets it stand, at most 4 s.
    pub(super) fn settled(&self, contact: &str) -> Result<Simulation, ExperimentError> {
        let mut sim = self.simulation(contact)?;
        let mut still = 0;
        for k in 1..=(4.0 / self.step) as usize {
            let before = sim.state().v.clone();
            advance(&mut sim, k)?;
            let v = &sim.state().v;
            let steady = (v[0] - before[0]).abs() <= 1e-9 * v[0].abs() + 1e-15 && v[2].abs() < 1e-11;
            still = if steady { still + 1 } else { 0 };
            if still == 20 {
                break;
            }
        }
        Ok(sim)
    }

    /// Load on the contact [N].
    pub(super) fn load(&self) -> f64 {
        self.mass * G * self.slope.cos()
    }

    /// w of `sap`: ‖1/m‖_F/3.
    fn weight(&self) -> f64 {
        1.0 / (3.0_f64.sqrt() * self.mass)
    }

    /// (1 − d)/(d m) and (K, B) of `mujoco` at a gap, and d.
    fn mujoco(&self, gap: f64) -> (f64, [f64; 3]) {
        let m = Material::default();
        let (d, (k, b)) = (impedance(m.solimp, gap), reference(m.solref, m.solimp, self.step));
        ((1.0 - d) / (d * self.mass), [k, b, d])
    }

    /// R of an edge of MuJoCo's pyramid, from that of its cone.
    fn edge(&self, r: f64) -> f64 {
        let m2 = self.mu * self.mu;
        2.0 * m2 * (1.0 + m2) * r
    }

    /// R_n of `sap`.
    fn normal_of_sap(&self) -> f64 {
        let (h, [k, tau, _]) = (self.step, self.yields);
        let near_rigid = self.weight() / (4.0 * std::f64::consts::PI * std::f64::consts::PI);
        near_rigid.max(1.0 / (h * k * (h + tau)))
    }

    /// The cone law of `contact` at the gap φ, sliding at s, the normal at rest; `None` for other laws.
    pub(super) fn cone(&self, contact: &str, gap: f64, slip: f64) -> Option<Cone> {
        let h = self.step;
        let (r, [k, b, d]) = self.mujoco(gap);
        let mujoco = [h * k * d * gap, -slip + h * b * slip];
        Some(match contact {
            "mujoco" => Cone { compliance: [r, r], shift: mujoco },
            "mujoco-pyramidal" => Cone { compliance: [self.edge(r), 0.0], shift: mujoco },
            "sap" => {
                let tau = self.yields[1];
                Cone {
                    compliance: [self.normal_of_sap(), SIGMA * self.weight()],
                    shift: [gap / (h + tau), 0.0],
                }
            }
            _ if contact.starts_with("ccp-") => Cone { compliance: [0.0; 2], shift: [gap.max(0.0) / h, 0.0] },
            _ => return None,
        })
    }

    /// How deep it stands [m]; 0 for rigid laws.
    pub(super) fn depth(&self, contact: &str) -> f64 {
        let (h, load, [k, tau, _]) = (self.step, self.load(), self.yields);
        match contact {
            "mujoco" | "mujoco-pyramidal" => {
                // d depends on the depth: a contraction.
                let mut depth = 0.0;
                for _ in 0..200 {
                    let (r, [k, _, d]) = self.mujoco(depth);
                    let r = if contact == "mujoco" { r } else { 0.25 * self.edge(r) };
                    depth = load * r / (k * d);
                }
                depth
            }
            "sap" => (h + tau) * h * self.normal_of_sap() * load,
            "lagged" | "similar" => load / k,
            _ => 0.0,
        }
    }

    /// Speed at which it creeps down the slope at the depth where it stands [m/s].
    pub(super) fn creep(&self, contact: &str, depth: f64) -> f64 {
        let (h, load) = (self.step, self.load());
        let pull = self.mass * G * self.slope.sin();
        let share = pull / (self.mu * load);
        let (r, [_, b, _]) = self.mujoco(depth);
        match contact {
            "mujoco" => pull * r / b,
            // Four edges share the load up to half the limit; beyond it the one behind is slack.
            "mujoco-pyramidal" if share <= 0.5 => pull * self.edge(r) / (2.0 * self.mu * self.mu * b),
            "mujoco-pyramidal" => self.edge(r) * load * (3.0 * share - 1.0) / (2.0 * self.mu * b),
            "sap" => SIGMA * self.weight() * h * pull,
            "lagged" | "similar" => {
                let pressed = h * self.yields[0] * depth;
                let smooth = STICTION.max(self.mu * SIGMA * self.weight() * pressed);
                smooth * share / (1.0 - share * share).sqrt()
            }
            _ => 0.0,
        }
    }

    /// Normal velocity after one step from the gap φ, sliding at s, the normal at rest [m/s].
    pub(super) fn lift(&self, contact: &str, gap: f64, slip: f64) -> f64 {
        let (h, m, mu) = (self.step, self.mass, self.mu);
        let fall = G * h;
        if let Some(Cone { compliance: [r_n, r_t], shift: [s_n, s_t] }) = self.cone(contact, gap, slip) {
            let (a_n, a_t) = (s_n - fall, slip + s_t);
            // (1), solved for λ_N.
            let lambda = (mu * a_t - a_n) / ((1.0 + mu * mu) / m + r_n + mu * mu * r_t);
            return lambda / m - fall;
        }
        if contact != "similar" {
            return 0.0;
        }
        // λ = n(z) falls as λ grows: bisection.
        let [k, _, d] = self.yields;
        let elastic = (-k * gap).max(0.0);
        let smooth = STICTION.max(mu * SIGMA * self.weight() * h * elastic);
        let after = |lambda: f64| {
            let n = lambda / m - fall;
            // λ_T = −μ λ t, and t = v_T/√(v_T² + vₛ²) is 1 at these speeds but for 1e-8.
            let v_t = slip - mu * lambda / m;
            let z = n - mu * (v_t.hypot(smooth) - smooth);
            h * (elastic - h * k * z).max(0.0) * (1.0 - d * z).max(0.0) - lambda
        };
        let (mut low, mut high) = (0.0, m * (slip + fall) / mu);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if after(middle) > 0.0 { low = middle } else { high = middle }
        }
        low / m - fall
    }
}

/// One step that must be accepted.
pub(super) fn advance(sim: &mut Simulation, step: usize) -> Result<(), ExperimentError> {
    let report = sim.step();
    match report.failure() {
        None => Ok(()),
        Some(cause) => {
            let (contact, cause) = (sim.solver().name().to_owned(), cause.to_owned());
            Err(ExperimentError::Step { step, contact, cause })
        }
    }
}
