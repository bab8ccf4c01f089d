//! The numbers that rows are made with.

/// Parameters of one step's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowParams {
    /// Length of the step h [s]; infinite at the instant of an impact, where gaps and position errors ask for no velocity.
    pub h: f64,
    /// Distance at which a contact or limit enters the problem even if nothing moves [m, or rad of a limit].
    pub margin: f64,
    /// Overlap that is left alone [m].
    pub slop: f64,
    /// Share of a position error (overlap beyond the slop, error of a coupling or loop) removed in this step [–].
    pub correction: f64,
    /// Position errors are removed no faster than this [m/s].
    pub correction_speed: f64,
    /// Approach speed below which nothing bounces [m/s].
    pub bouncing_speed: f64,
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
}
