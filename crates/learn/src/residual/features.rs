//! Features of a contact: the effective inertia M_c and the velocity v_c in the contact frame, 5 numbers in the plane and 9 in
//! space, whatever bodies and joints stand behind the contact.

use crate::planar::PlanarContact;
use nalgebra::Matrix3;

/// Numbers of a contact in the plane.
pub const PLANAR: usize = 5;
/// Numbers of a contact in space.
pub const SPATIAL: usize = 9;

/// (M_c as tt, tn, nn [kg]; v_c as t, n [m/s]) of an impact in the plane.
pub fn planar(contact: &PlanarContact) -> [f64; PLANAR] {
    let [tt, tn, nn] = contact.inverse_inertia();
    let det = tt * nn - tn * tn;
    let [t, n] = contact.velocity_before;
    [nn / det, -tn / det, tt / det, t, n]
}

/// (M_c as t₁t₁, t₁t₂, t₁n, t₂t₂, t₂n, nn [kg]; v_c as t₁, t₂, n [m/s]) of a contact in space whose inverse inertia is `g`.
pub fn spatial(g: [[f64; 3]; 3], velocity: [f64; 3]) -> [f64; SPATIAL] {
    // A contact that nothing can move has no finite inertia: its features are those of rest.
    let m = Matrix3::from_fn(|i, j| g[i][j]).try_inverse().unwrap_or_else(Matrix3::zeros);
    let [t1, t2, n] = velocity;
    [m[(0, 0)], m[(0, 1)], m[(0, 2)], m[(1, 1)], m[(1, 2)], m[(2, 2)], t1, t2, n]
}
