//! The numbers that rows are made with.

use stiction_dynamics::Real;

/// Parameters of one step's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowParams<T = f64> {
    /// Length of the step h [s]; infinite at the instant of an impact, where gaps and position errors ask for no velocity.
    pub h: T,
    /// Distance at which a contact or limit enters the problem even if nothing moves [m, or rad of a limit].
    pub margin: T,
    /// Overlap that is left alone [m].
    pub slop: T,
    /// Share of a position error (overlap beyond the slop, error of a coupling or loop) removed in this step [–].
    pub correction: T,
    /// Position errors are removed no faster than this [m/s].
    pub correction_speed: T,
    /// Approach speed below which nothing bounces [m/s].
    pub bouncing_speed: T,
    /// How much coarser positions are than those of 64-bit numbers; 1: not at all [–].
    pub coarseness: T,
}

impl RowParams {
    /// The parameters of an impact: contacts and limits within `touch` [m or rad] take part, positions stand still.
    pub fn at_instant(self, touch: f64) -> Self {
        Self { h: f64::INFINITY, margin: touch, ..self }
    }

    /// True of an impact, false of a step.
    pub fn is_instant(&self) -> bool {
        self.h == f64::INFINITY
    }

    /// Puts the numbers into every lane of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(&self, kind: T) -> RowParams<T> {
        RowParams {
            h: kind.like(self.h),
            margin: kind.like(self.margin),
            slop: kind.like(self.slop),
            correction: kind.like(self.correction),
            correction_speed: kind.like(self.correction_speed),
            bouncing_speed: kind.like(self.bouncing_speed),
            coarseness: kind.like(self.coarseness),
        }
    }
}
