//! A measured toss.

/// Seconds from frame to frame: what positions and velocities of the files agree with (148.3 Hz).
pub const FRAME: f64 = 6.743e-3;

/// A toss.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Number in the data set.
    pub id: u32,
    /// Positions q of the thrown thing, frame by frame: position [m] and quaternion (w, x, y, z) from body to world of its first body,
    /// then angles of its joints [rad].
    pub frames: Vec<Vec<f64>>,
    /// Velocities v, given for the first frame: of the first body in world axes [m/s] and about its own axes [rad/s], then
    /// those of its joints [rad/s]. They are differences to the frame before it, half a frame old.
    pub velocity: Vec<f64>,
}
