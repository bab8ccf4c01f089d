//! The numbers that rows are made with.

/// Parameters of one step's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowParams {
    /// Length of the step h [s].
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
