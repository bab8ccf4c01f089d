//! The Newton finish of polygons: the pieces of [`super`] that have corners.

use super::piece::Piece;
use crate::local::Contact;
use stiction_contact::Law;

/// On a facet or an edge of a polyhedral cone, or what such a cone has in common with the round one.
pub(super) fn facet_or_edge(contact: &Contact, law: Law, l: [f64; 3], c: [f64; 3]) -> Piece {
    let Some(polygon) = law.polygon() else { return Piece::Fixed };
    let x: [f64; 3] = std::array::from_fn(|k| l[k] - c[k] / contact.norm);
    if contact.mu == 0.0 {
        return if x[2] > 0.0 { Piece::Closed } else { Piece::Fixed };
    }
    let ((kappa, sigma), m) = (polygon.edge(), polygon.toward([x[0], x[1]]));
    let (kappa, sigma) = (contact.mu * kappa, contact.mu * sigma);
    let (s, t) = (m[0] * x[0] + m[1] * x[1], m[0] * x[1] - m[1] * x[0]);
    if s <= kappa * x[2] {
        return Piece::Stick;
    }
    let facet = (kappa * s + x[2]) / (1.0 + kappa * kappa);
    let sigma = sigma.copysign(t);
    let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    own[0] = [m[0], m[1], -kappa];
    left[2] = [kappa * m[0], kappa * m[1], 1.0];
    if t.abs() <= sigma.abs() * facet {
        left[1] = [-m[1], m[0], 0.0];
    } else {
        if kappa * s + sigma * t + x[2] <= 0.0 {
            return Piece::Fixed;
        }
        own[1] = [-m[1], m[0], -sigma];
        left[2] = [kappa * m[0] - sigma * m[1], kappa * m[1] + sigma * m[0], 1.0];
    }
    let rhs = std::array::from_fn(|k| {
        -(0..3).map(|j| contact.norm * own[k][j] * l[j] + left[k][j] * c[j]).sum::<f64>()
    });
    Piece::Linear { left, own, rhs }
}

/// (7) or (8), or what a polygon has in common with the disc.
pub(super) fn edge_or_corner(contact: &Contact, law: Law, l: [f64; 3], c: [f64; 3]) -> Piece {
    let (a, mu) = (&contact.a, contact.mu);
    let (rho_n, rho_t) = (1.0 / a[8], 1.0 / (a[0] + a[4]));
    let tau_n = l[2] - rho_n * c[2];
    let Some(polygon) = law.polygon().filter(|_| tau_n > 0.0) else { return Piece::Fixed };
    let r = mu * tau_n;
    if r == 0.0 {
        return Piece::Closed;
    }
    let tau = [l[0] - rho_t * c[0], l[1] - rho_t * c[1]];
    let ((kappa, sigma), m) = (polygon.edge(), polygon.toward(tau));
    let (s, t) = (m[0] * tau[0] + m[1] * tau[1], m[0] * tau[1] - m[1] * tau[0]);
    if s <= kappa * r {
        return Piece::Stick;
    }
    let (mut left, mut own, mut rhs) = ([[0.0; 3]; 3], [[0.0; 3]; 3], [0.0; 3]);
    (left[2][2], rhs[2]) = (1.0, -c[2]);
    own[0] = [m[0], m[1], -kappa * mu];
    if t.abs() <= sigma * r {
        left[1] = [-m[1], m[0], 0.0];
        rhs[1] = m[1] * c[0] - m[0] * c[1];
    } else {
        own[1] = [-m[1], m[0], -(sigma * mu).copysign(t)];
        rhs[1] = -contact.norm * (0..3).map(|k| own[1][k] * l[k]).sum::<f64>();
    }
    rhs[0] = -contact.norm * (0..3).map(|k| own[0][k] * l[k]).sum::<f64>();
    Piece::Linear { left, own, rhs }
}
