//! A correction of contact impulses between solving and applying them, for learners and for laws of one's
//! own.

use stiction_dynamics::spatial::Vec3;

/// What is known of a contact when its impulse may be corrected. Coordinates 1 to 3 are along t₁, t₂, n.
#[derive(Clone, Copy, Debug)]
pub struct CorrectableContact {
    /// Geometries A and B, indices into `world.geometries`.
    pub geometries: [usize; 2],
    /// Bodies A and B; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// In W [m].
    pub position: Vec3,
    /// Axes t₁, t₂ and n of the contact in W, n from A to B; of the length μ_i/μ where friction has a
    /// direction.
    pub axes: [Vec3; 3],
    /// φ at the start of the step [m]; negative overlaps.
    pub gap: f64,
    /// μ [–].
    pub friction: f64,
    /// Velocity of B relative to A at the start of the step [m/s].
    pub velocity_before: [f64; 3],
    /// Inverse of the inertia that the contact feels, G_ii, by rows [1/kg]: a change δλ of its impulse alone
    /// changes its velocity by G_ii δλ.
    pub inverse_inertia: [[f64; 3]; 3],
    /// Impulse on B that the solver found [N·s].
    pub impulse: [f64; 3],
}

/// Changes contact impulses after they are solved for and before they are applied.
///
/// The step applies what is returned, says so ([`crate::StepReport::corrected`]), and the certificate is that
/// of what was applied.
pub trait ContactCorrection: Send {
    /// Writes the impulse of every contact [N·s], in the order of `contacts` and along their axes;
    /// `corrected` holds those of the solver at first.
    fn correct(&mut self, contacts: &[CorrectableContact], corrected: &mut [[f64; 3]]);
}
