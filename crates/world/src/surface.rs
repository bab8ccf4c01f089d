//! Surfaces, and what two of them are to each other (MuJoCo's rules, but for friction each format's own).
//!
//! ```text
//!     priorities differ    everything from the surface with the higher one
//!     priorities equal     friction: by the surfaces' [`Mixing`], of one that says none
//!                          that of the other                                              (0)
//!                          its axis: that of the surface with less friction along it      (0')
//!                          dimension, restitution, other friction: the larger              (1)
//!                          softness: weighted by the surfaces' `mix`                       (2)
//!     always               margins and gaps add up                                         (3)
//!                          compliance: two springs in a row, as Drake joins them           (4)
//! ```

use crate::grain::{Grain, Tangents};
use crate::hydroelastic::Hydroelastic;
use std::cmp::Ordering;

/// Material of the surface of one geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb coefficient [–]; along the axis of `grain`, if there is one.
    pub friction: f64,
    /// Coulomb coefficient of what sticks, where it is another than that of what slides; the stepper `compliant` reads it [–].
    pub static_friction: Option<f64>,
    /// Friction across an axis, where it is another than along it.
    pub grain: Option<Grain>,
    pub mixing: Mixing,
    /// Friction against spinning about the normal, torque over normal force [m].
    pub spinning: f64,
    /// Friction against rolling, torque over normal force [m].
    pub rolling: f64,
    /// Newton's coefficient of restitution, 0 … 1 [–]. Linked bodies bounce less where it would make
    /// much energy.
    pub restitution: f64,
    /// Whose word counts; see the module.
    pub priority: i32,
    pub dimension: Dimension,
    /// Thickness of a layer that belongs to the surface: contacts hold the surfaces apart by the sum of both [m].
    pub margin: f64,
    /// Contacts are reported this much farther out than they act [m]; they act without it.
    pub gap: f64,
    pub softness: Softness,
    pub compliance: Compliance,
    /// Whether it touches in points or by pressure.
    pub hydroelastic: Hydroelastic,
}

/// The friction of a pair out of the two coefficients. Where surfaces of two formats meet, the later of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mixing {
    /// A ground that says no friction: where it is 0, the partner decides alone, else by the rule of the partner.
    Unsaid,
    /// The larger: MuJoCo's, and of surfaces that no format speaks for.
    #[default]
    Larger,
    /// 2 a b / (a + b): Drake's.
    Harmonic,
    /// The smaller: Gazebo's.
    Smaller,
}

impl Mixing {
    /// The coefficients `a` and `b` of surfaces with these rules, of which one is `unsaid`.
    fn of(self, a: f64, b: f64, unsaid: [bool; 2]) -> f64 {
        match (self, unsaid) {
            (_, [true, false]) => b,
            (_, [false, true]) => a,
            (Self::Unsaid | Self::Larger, _) => a.max(b),
            (Self::Smaller, _) => a.min(b),
            (Self::Harmonic, _) if a + b > 0.0 => 2.0 * a * b / (a + b),
            (Self::Harmonic, _) => 0.0,
        }
    }
}

/// Motions that friction works against (MJCF `condim`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// None: frictionless, whatever the coefficients say.
    Normal,
    Sliding,
    /// Sliding, and spinning about the normal.
    Spinning,
    /// Sliding, spinning about the normal, and rolling about the tangents.
    Rolling,
}

/// How MuJoCo softens a constraint; only its own law reads this, under the others contacts are rigid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// Time constant [s] and damping ratio [–]; if negative, −stiffness and −damping.
    pub reference: [f64; 2],
    /// Impedance: d₀, d_width [–], width [m], midpoint, power [–].
    pub impedance: [f64; 5],
    /// Weight among equals [–].
    pub mix: f64,
    /// Impedance of friction over that of the normal; of two the larger [–].
    pub impratio: f64,
}

/// How a surface yields, in the words of Drake, Bullet and Gazebo: under their laws, and under those that are rigid of
/// themselves; MuJoCo's has its own. A surface that states no stiffness is rigid: its partner yields for both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compliance {
    /// Contact stiffness [N/m].
    pub stiffness: Option<f64>,
    /// Relaxation time of linear dissipation [s].
    pub relaxation: Option<f64>,
    /// Hunt and Crossley's dissipation [s/m].
    pub dissipation: Option<f64>,
}

impl Default for Softness {
    fn default() -> Self {
        Self { reference: [0.02, 1.0], impedance: [0.9, 0.95, 0.001, 0.5, 2.0], mix: 1.0, impratio: 1.0 }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 1.0,
            static_friction: None,
            grain: None,
            mixing: Mixing::default(),
            spinning: 0.005,
            rolling: 0.0001,
            restitution: 0.0,
            priority: 0,
            dimension: Dimension::Sliding,
            margin: 0.0,
            gap: 0.0,
            softness: Softness::default(),
            compliance: Compliance::default(),
            hydroelastic: Hydroelastic::default(),
        }
    }
}

/// Friction, restitution and compliance of the contacts of one pair of geometries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSurface {
    /// Coulomb coefficients along the two tangents [–].
    pub sliding: [f64; 2],
    /// Coefficient of what sticks, where a surface states one [–].
    pub static_friction: Option<f64>,
    /// Where these tangents lie, if coefficients along them differ.
    pub tangents: Tangents,
    /// Length by which friction resists spinning [m].
    pub spinning: f64,
    /// About the two tangents [m].
    pub rolling: [f64; 2],
    pub restitution: f64,
    pub dimension: Dimension,
    /// Distance at which contacts are detected [m].
    pub margin: f64,
    /// Part of the margin in which contacts do not act yet [m].
    pub gap: f64,
    pub softness: Softness,
    /// `softness.reference` for friction rows; zeros take that of the normal.
    pub friction_reference: [f64; 2],
    pub compliance: Compliance,
}

impl Default for PairSurface {
    fn default() -> Self {
        let m = Material::default();
        Self { margin: 0.0, gap: 0.0, ..Material::pair(&m, &m) }
    }
}

impl PairSurface {
    /// The Coulomb coefficient μ [–]: of two tangents the larger.
    pub fn friction(&self) -> f64 {
        if self.dimension == Dimension::Normal { 0.0 } else { self.sliding[0].max(self.sliding[1]) }
    }

    /// μ₁/μ and μ₂/μ [–]; [`SLIPPERY`] at least.
    pub fn stretch(&self) -> [f64; 2] {
        let mu = self.friction();
        if self.sliding[0] == self.sliding[1] || mu == 0.0 {
            return [1.0; 2];
        }
        self.sliding.map(|m| (m / mu).max(SLIPPERY))
    }

    /// True where friction along the one tangent is not what it is along the other.
    pub fn is_directed(&self) -> bool {
        let rolls = self.dimension == Dimension::Rolling && self.rolling[0] != self.rolling[1];
        self.stretch() != [1.0; 2] || rolls
    }

    /// Makes μ the coefficient `friction` [–], in the same proportion to that along the other tangent.
    pub fn set_friction(&mut self, friction: f64) {
        let mu = self.sliding[0].max(self.sliding[1]);
        self.sliding = self.sliding.map(|m| if m == mu { friction } else { m / mu * friction });
    }
}

/// The least share of one coefficient of friction in the other that is told from none [–]. It is where MuJoCo draws the line.
pub const SLIPPERY: f64 = 1e-5;

/// Two geometries that may touch whatever their groups and bodies say, under rules of their own.
#[derive(Clone, Debug)]
pub struct ContactPair {
    pub name: String,
    /// Indices into `World::geometries`.
    pub geometries: [usize; 2],
    pub surface: PairSurface,
}

impl Material {
    /// The coefficient of friction across the axis of its grain, or in all directions [–].
    pub fn across(&self) -> f64 {
        self.grain.map_or(self.friction, |g| g.across)
    }

    /// Makes `friction` the coefficient, across its axis in the same proportion [–].
    pub fn set_friction(&mut self, friction: f64) {
        if let Some(grain) = self.grain.as_mut().filter(|_| self.friction > 0.0) {
            grain.across *= friction / self.friction;
        }
        if let Some(most) = self.static_friction.as_mut().filter(|_| self.friction > 0.0) {
            *most *= friction / self.friction;
        }
        self.friction = friction;
    }

    /// (0'): the grain that counts between two surfaces, and whose it is.
    fn grain_of([a, b]: [&Self; 2]) -> Option<(usize, Grain)> {
        let own = |side: usize, m: &Self| m.grain.map(|grain| (side, grain));
        let (of_a, of_b) = (own(0, a), own(1, b));
        match a.priority.cmp(&b.priority) {
            Ordering::Greater => of_a,
            Ordering::Less => of_b,
            Ordering::Equal if of_b.is_some() && (a.friction > b.friction || a.says_no_friction()) => of_b,
            Ordering::Equal => of_a.or(of_b),
        }
    }

    /// True where it leaves friction to its partner.
    pub fn says_no_friction(&self) -> bool {
        self.mixing == Mixing::Unsaid && self.friction == 0.0
    }

    /// The surface of a pair; see the module.
    pub fn pair(a: &Self, b: &Self) -> PairSurface {
        let (rule, grain) = (a.mixing.max(b.mixing), Self::grain_of([a, b]));
        let unsaid = [a, b].map(Self::says_no_friction);
        let mix = |x, y| rule.of(x, y, unsaid);
        let across = mix(a.across(), b.across());
        let sticking = |m: &Self| m.static_friction.unwrap_or(m.friction);
        let holds = match a.priority.cmp(&b.priority) {
            Ordering::Greater => a.static_friction,
            Ordering::Less => b.static_friction,
            Ordering::Equal => {
                (a.static_friction.or(b.static_friction)).map(|_| mix(sticking(a), sticking(b)))
            }
        };
        let (chosen, across) = match a.priority.cmp(&b.priority) {
            Ordering::Greater => (*a, a.across()),
            Ordering::Less => (*b, b.across()),
            // (0), (1)
            Ordering::Equal => (
                Self {
                    friction: mix(a.friction, b.friction),
                    spinning: a.spinning.max(b.spinning),
                    rolling: a.rolling.max(b.rolling),
                    restitution: a.restitution.max(b.restitution),
                    dimension: a.dimension.max(b.dimension),
                    softness: Softness::mixed(&a.softness, &b.softness),
                    ..*a
                },
                across,
            ),
        };
        PairSurface {
            sliding: [chosen.friction, if grain.is_some() { across } else { chosen.friction }],
            static_friction: holds,
            tangents: grain.map_or(Tangents::default(), |(side, grain)| Tangents::Along { side, grain }),
            spinning: chosen.spinning,
            rolling: [chosen.rolling; 2],
            restitution: chosen.restitution,
            dimension: chosen.dimension,
            margin: a.margin + b.margin, // (3)
            gap: a.gap + b.gap,
            softness: chosen.softness,
            friction_reference: [0.0; 2],
            compliance: Compliance::in_series(a.compliance, b.compliance), // (4)
        }
    }
}

impl Compliance {
    /// A spring [N/m] with a damper beside it [N·s/m].
    pub fn spring(stiffness: Option<f64>, damping: Option<f64>) -> Self {
        let relaxation = stiffness.zip(damping).filter(|(k, _)| *k > 0.0).map(|(k, c)| c / k);
        Self { stiffness, relaxation, dissipation: None }
    }

    /// This, and of `other` what it leaves open.
    pub fn or(self, other: Self) -> Self {
        Self {
            stiffness: self.stiffness.or(other.stiffness),
            relaxation: self.relaxation.or(other.relaxation),
            dissipation: self.dissipation.or(other.dissipation),
        }
    }

    /// (4): k = k₁k₂/(k₁ + k₂), τ = τ₁ + τ₂, d = (k₂d₁ + k₁d₂)/(k₁ + k₂).
    fn in_series(a: Self, b: Self) -> Self {
        let both = |x: Option<f64>, y: Option<f64>, f: &dyn Fn(f64, f64) -> f64| match (x, y) {
            (Some(x), Some(y)) => Some(f(x, y)),
            (x, y) => x.or(y),
        };
        // Of a rigid and a soft surface the soft one takes up all of the motion.
        let share = match (a.stiffness, b.stiffness) {
            (Some(k), Some(l)) if k + l > 0.0 => l / (k + l),
            (Some(_), None) => 1.0,
            (None, Some(_)) => 0.0,
            _ => 0.5,
        };
        Self {
            stiffness: both(a.stiffness, b.stiffness, &|k, l| {
                if k + l > 0.0 { k * l / (k + l) } else { 0.0 }
            }),
            relaxation: both(a.relaxation, b.relaxation, &|x, y| x + y),
            dissipation: both(a.dissipation, b.dissipation, &|x, y| share * x + (1.0 - share) * y),
        }
    }
}

impl Softness {
    /// (2); stiffnesses stated directly do not mix: the softer counts.
    fn mixed(a: &Self, b: &Self) -> Self {
        const NONE: f64 = 1e-15;
        let share = match (a.mix >= NONE, b.mix >= NONE) {
            (true, true) => a.mix / (a.mix + b.mix),
            (false, false) => 0.5,
            (true, false) => 1.0,
            (false, true) => 0.0,
        };
        let weighted = |x: f64, y: f64| share * x + (1.0 - share) * y;
        let standard = a.reference[0] > 0.0 && b.reference[0] > 0.0;
        let time = |x: f64, y: f64| if standard { weighted(x, y) } else { x.min(y) };
        Self {
            reference: [0, 1].map(|i| time(a.reference[i], b.reference[i])),
            impedance: [0, 1, 2, 3, 4].map(|i| weighted(a.impedance[i], b.impedance[i])),
            mix: a.mix,
            impratio: a.impratio.max(b.impratio),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(friction: f64, priority: i32, dimension: Dimension) -> Material {
        Material { friction, priority, dimension, ..Material::default() }
    }

    #[test]
    fn among_equals_the_larger_else_the_higher_priority() {
        let (rough, smooth) = (surface(0.8, 0, Dimension::Sliding), surface(0.2, 0, Dimension::Normal));
        assert_eq!(Material::pair(&rough, &smooth).friction(), 0.8);
        assert_eq!(Material::pair(&smooth, &smooth).friction(), 0.0);
        let first = surface(0.2, 1, Dimension::Normal);
        assert_eq!(Material::pair(&rough, &first).friction(), 0.0);
        assert_eq!(Material::pair(&surface(0.3, 1, Dimension::Sliding), &rough).friction(), 0.3);
    }

    #[test]
    fn coefficients_meet_by_the_rule_of_their_format() {
        let of = |friction, mixing| Material { friction, mixing, ..Material::default() };
        let pair = |a, b| Material::pair(&a, &b).friction();
        for (mixing, expected) in [(Mixing::Larger, 0.6), (Mixing::Smaller, 0.2), (Mixing::Harmonic, 0.3)] {
            assert!((pair(of(0.6, mixing), of(0.2, mixing)) - expected).abs() < 1e-15);
            // A surface that no format speaks for does not decide.
            assert!((pair(of(0.6, Mixing::Larger), of(0.2, mixing)) - expected).abs() < 1e-15);
            assert_eq!(pair(of(0.0, mixing), of(0.0, mixing)), 0.0);
        }
        assert_eq!(pair(of(0.6, Mixing::Smaller), of(0.2, Mixing::Harmonic)), 0.2);
    }

    #[test]
    fn margins_add_up_and_softness_is_weighted() {
        let soft = |time: f64, mix: f64| Softness { reference: [time, 1.0], mix, ..Softness::default() };
        let a = Material { margin: 0.01, softness: soft(0.02, 3.0), ..Material::default() };
        let b = Material { margin: 0.02, priority: 0, softness: soft(0.06, 1.0), ..Material::default() };
        let pair = Material::pair(&a, &b);
        assert!((pair.margin - 0.03).abs() < 1e-15 && (pair.softness.reference[0] - 0.03).abs() < 1e-15);
        let spring = |k, d| Compliance { stiffness: Some(k), relaxation: Some(0.1), dissipation: Some(d) };
        let of = |compliance| Material { compliance, ..Material::default() };
        let joined = Material::pair(&of(spring(1e4, 2.0)), &of(spring(3e4, 6.0))).compliance;
        assert_eq!(
            joined,
            Compliance { stiffness: Some(7500.0), relaxation: Some(0.2), dissipation: Some(3.0) }
        );
        assert_eq!(Material::pair(&Material::default(), &of(spring(1e4, 2.0))).compliance, spring(1e4, 2.0));
        let direct = Material { softness: soft(-100.0, 1.0), ..Material::default() };
        assert_eq!(Material::pair(&a, &direct).softness.reference, [-100.0, 1.0]);
    }
}
