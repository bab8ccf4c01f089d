//! The measured impacts, and what six classical laws predict for them.
//!
//! In the files x points against the axis about which the ellipse turns as the right hand does: with the levers and ω of the
//! files the moment balance k² Δω = r_x Δv_y + d_x Δv_x holds with Δv_x reversed (coefficients 0.92 and 0.89, R² 0.93 over
//! impacts 0 to 1199; a point impulse then explains vx, vy and ω to 0.08 m/s, 0.02 m/s and 2.7 rad/s, as they stand to 0.70,
//! 0.18 and 23). Reading turns vx about, so that all of an [`EllipseImpact`] is in one right-handed frame.

use std::path::Path;
use stiction_learn::data::{DataError, Table, files};
use stiction_learn::planar::{PlanarContact, point_impulse};

/// Mass [kg] and radius of gyration [m] of the ellipse.
const MASS: f64 = 0.0364;
const GYRATION: f64 = 0.0192;

/// The laws whose predictions are in the data.
pub const PUBLISHED: [&str; 6] =
    ["drumwright_shell", "ap_poisson", "ap_newton", "mirtich", "wang_mason", "whittaker"];

/// An impact on level ground.
#[derive(Clone, Debug, PartialEq)]
pub struct EllipseImpact {
    /// Number in the data set.
    pub id: u32,
    /// (vx, vy, ω) before and after, x turned about as against the file [m/s, m/s, rad/s].
    pub before: [f64; 3],
    pub after: [f64; 3],
    /// Levers of the tangent and of the normal about the centre of mass [m].
    pub levers: [f64; 2],
    /// (vx, vy, ω) after the impact as each of the published laws has it in the file; empty without the file of predictions.
    pub published: Vec<[f64; 3]>,
}

/// All impacts of a folder.
#[derive(Clone, Debug)]
pub struct EllipseSet {
    pub impacts: Vec<EllipseImpact>,
}

impl EllipseSet {
    /// Reads `ellipse_impacts_*.csv` and, if they are there, `ellipse_models_*.csv` of a folder.
    ///
    /// # Errors
    ///
    /// If there are no impacts, or a file is not what it should be.
    pub fn read(place: &Path) -> Result<Self, DataError> {
        let mut impacts = Vec::new();
        let columns = ["impact", "vx_i", "vy_i", "w_i", "vx_f", "vy_f", "w_f", "n3", "d3"];
        for file in files(place, "ellipse_impacts_")? {
            let table = Table::read(&file, &columns)?;
            impacts.extend(table.rows().map(|c| EllipseImpact {
                id: c[0] as u32,
                before: [-c[1], c[2], c[3]],
                after: [-c[4], c[5], c[6]],
                levers: [c[8], c[7]],
                published: Vec::new(),
            }));
        }
        let mut columns = vec!["impact".to_owned()];
        for law in PUBLISHED {
            columns.extend(["vx", "vy", "w"].map(|v| format!("{v}_{law}")));
        }
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let found = match files(place, "ellipse_models_") {
            Err(DataError::Missing { .. }) => Vec::new(),
            other => other?,
        };
        for file in found {
            for row in Table::read(&file, &columns)?.rows() {
                if let Some(impact) = impacts.iter_mut().find(|i| i.id == row[0] as u32) {
                    impact.published = row[1..].chunks_exact(3).map(|c| [-c[0], c[1], c[2]]).collect();
                }
            }
        }
        Ok(Self { impacts })
    }
}

impl EllipseImpact {
    /// The contact as our law resolves it.
    pub fn contact(&self, friction: f64, restitution: f64) -> PlanarContact {
        let [vx, vy, w] = self.before;
        let mut contact = PlanarContact {
            surface: 0,
            mass: MASS,
            gyration: GYRATION,
            levers: self.levers,
            velocity_before: [vx + w * self.levers[0], vy + w * self.levers[1]],
            spin_before: w,
            centre_before: [vx, vy],
            friction,
            impulse: [0.0; 2],
        };
        let [t, n] = contact.velocity_before;
        contact.impulse =
            point_impulse(contact.inverse_inertia(), [t, n + restitution * n.min(0.0)], friction);
        contact
    }

    /// Velocity after the impulses `p_t`, `p_n` at the contact point and `moment` about it.
    pub fn after_impulse(&self, [pt, pn, moment]: [f64; 3]) -> [f64; 3] {
        let turn = pt * self.levers[0] + pn * self.levers[1] + moment;
        let inertia = MASS * GYRATION * GYRATION;
        [self.before[0] + pt / MASS, self.before[1] + pn / MASS, self.before[2] + turn / inertia]
    }

    /// The prediction of the published law `i` if its tangential impulse, which turns the ellipse as a right-handed one does, acts on
    /// vx in the same frame; the file adds it to vx as it stands there.
    pub fn put_right(&self, i: usize) -> [f64; 3] {
        let [vx, vy, w] = self.published[i];
        [2.0 * self.before[0] - vx, vy, w]
    }

    /// The measured change (m/s, m/s, rad/s).
    pub fn change(&self) -> [f64; 3] {
        std::array::from_fn(|i| self.after[i] - self.before[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An impulse under the centre of mass turns nothing and slows what falls; our law at e = 0 stops the point.
    #[test]
    fn impulses_change_velocities_as_bodies_do() {
        let impact = EllipseImpact {
            id: 0,
            before: [0.5, -2.0, 3.0],
            after: [0.0; 3],
            levers: [0.03, 0.0],
            published: Vec::new(),
        };
        let after = impact.after_impulse([0.0, MASS, 0.0]);
        assert_eq!(after, [0.5, -1.0, 3.0]);
        let contact = impact.contact(10.0, 0.0);
        let [pt, pn] = contact.impulse;
        let [vx, vy, w] = impact.after_impulse([pt, pn, 0.0]);
        assert!((vx + w * 0.03).abs() < 1e-12 && vy.abs() < 1e-12);
    }

    /// A law's impulse in a right-handed frame, which the file has added to its reversed vx, is told apart again.
    #[test]
    fn published_impulses_are_put_right() {
        let mut impact = EllipseImpact {
            id: 0,
            before: [0.5, -2.0, 3.0],
            after: [0.0; 3],
            levers: [0.03, 0.01],
            published: Vec::new(),
        };
        let [vx, vy, w] = impact.after_impulse([0.2 * MASS, 3.0 * MASS, 0.0]);
        let in_file = -impact.before[0] + 0.2;
        impact.published.push([-in_file, vy, w]);
        let right = impact.put_right(0);
        assert!((right[0] - vx).abs() < 1e-15 && right[1..] == [vy, w]);
    }
}
