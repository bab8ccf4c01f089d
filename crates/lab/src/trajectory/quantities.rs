//! What a trajectory holds, once for all: arrays of the `.npz`, columns of the tables, the words of `about.json` and of the
//! guide.

use super::Trajectory;
use serde::Serialize;

/// An array of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Quantity {
    pub name: &'static str,
    /// Lengths of its sides, in words: `row`, `contact`, `q`, `v`, `body`, `actuator`, or a number.
    pub shape: &'static [&'static str],
    pub unit: &'static str,
    /// Meaning, with the frame.
    pub meaning: &'static str,
}

/// Numbers of an array, by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numbers<'a> {
    Doubles(&'a [f64]),
    Counts(&'a [u32]),
    Indices(&'a [i32]),
}

const fn quantity(
    name: &'static str,
    shape: &'static [&'static str],
    unit: &'static str,
    meaning: &'static str,
) -> Quantity {
    Quantity { name, shape, unit, meaning }
}

/// All arrays, in their order. W are world axes, z up. What a step measures is NaN or zero in row 0, the first state.
pub const QUANTITIES: [Quantity; 33] = [
    quantity("t", &["row"], "s", "time"),
    quantity("q", &["row", "q"], "`about.q`", "coordinates"),
    quantity("v", &["row", "v"], "`about.v`", "velocities"),
    quantity("energy", &["row"], "J", "kinetic and potential energy"),
    quantity("contacts", &["row"], "-", "contact points in the problem of the step"),
    quantity("natural_map", &["row"], "m/s", "the judge's residual of the exact law"),
    quantity("penetration", &["row"], "m", "deepest overlap at the start of the step"),
    quantity("iterations", &["row"], "-", "iterations of the contact solver"),
    quantity("step_time", &["row"], "s", "wall-clock time of the step"),
    quantity("status", &["row"], "`about.status`", "how the step ended"),
    quantity("remedy", &["row"], "`about.remedy`", "what was done where the problem had no good answer"),
    quantity("parts", &["row"], "-", "parts the step was solved in"),
    quantity(
        "energy_error",
        &["row"],
        "J",
        "energy that trees of joints made in the step and nothing explains",
    ),
    quantity("energy_error_rate", &["row"], "1/s", "the fastest that one made it, relative to what it has"),
    quantity("corrected", &["row"], "-", "1 where a contact correction changed impulses"),
    quantity("asleep", &["row"], "-", "bodies that sleep from now on"),
    quantity("effort", &["row", "actuator"], "N or N·m", "effort of every actuator during the step"),
    quantity("body_position", &["row", "body", "3"], "m", "origin of every body, in W"),
    quantity("body_quaternion", &["row", "body", "4"], "-", "w x y z, turns body axes into W"),
    quantity("body_angular_velocity", &["row", "body", "3"], "rad/s", "of every body, in W"),
    quantity("body_velocity", &["row", "body", "3"], "m/s", "of the origin of every body, in W"),
    quantity("contact_offsets", &["row + 1"], "-", "row r has contacts offsets[r] to offsets[r + 1] - 1"),
    quantity("contact_row", &["contact"], "-", "row of the contact"),
    quantity("contact_t", &["contact"], "s", "time of that row, the end of the step"),
    quantity("contact_geometries", &["contact", "2"], "`about.geometries`", "geometries A and B"),
    quantity("contact_bodies", &["contact", "2"], "`about.bodies`", "bodies A and B; -1 is the world"),
    quantity(
        "contact_position",
        &["contact", "3"],
        "m",
        "where the force acts, in W, at the start of the step",
    ),
    quantity("contact_normal", &["contact", "3"], "-", "unit normal from A to B, in W"),
    quantity("contact_force", &["contact", "3"], "N", "mean force on B over the step, in W"),
    quantity(
        "contact_moment",
        &["contact", "3"],
        "N·m",
        "mean moment on B against spinning and rolling, in W",
    ),
    quantity(
        "contact_gap",
        &["contact"],
        "m",
        "distance at the start of the step; negative where bodies overlap",
    ),
    quantity(
        "contact_slip",
        &["contact", "3"],
        "m/s",
        "tangential velocity of B relative to A at the end, in W",
    ),
    quantity("contact_friction", &["contact"], "-", "Coulomb's coefficient"),
];

impl Trajectory {
    /// Lengths of the sides of a quantity's array, and its numbers.
    pub fn array(&self, quantity: &Quantity) -> (Vec<usize>, Numbers<'_>) {
        (quantity.shape.iter().map(|word| self.side(word)).collect(), self.numbers(quantity.name))
    }

    /// The numbers of a quantity.
    pub(super) fn numbers(&self, name: &str) -> Numbers<'_> {
        let (c, doubles, counts, indices) =
            (&self.contact, Numbers::Doubles, Numbers::Counts, Numbers::Indices);
        match name {
            "t" => doubles(&self.t),
            "q" => doubles(&self.q),
            "v" => doubles(&self.v),
            "energy" => doubles(&self.energy),
            "contacts" => counts(&self.contacts),
            "natural_map" => doubles(&self.natural_map),
            "penetration" => doubles(&self.penetration),
            "iterations" => counts(&self.iterations),
            "step_time" => doubles(&self.step_time),
            "status" => counts(&self.status),
            "remedy" => counts(&self.remedy),
            "parts" => counts(&self.parts),
            "energy_error" => doubles(&self.energy_error),
            "energy_error_rate" => doubles(&self.energy_error_rate),
            "corrected" => counts(&self.corrected),
            "asleep" => counts(&self.asleep),
            "effort" => doubles(&self.effort),
            "body_position" => doubles(&self.body_position),
            "body_quaternion" => doubles(&self.body_quaternion),
            "body_angular_velocity" => doubles(&self.body_angular_velocity),
            "body_velocity" => doubles(&self.body_velocity),
            "contact_offsets" => counts(&c.offsets),
            "contact_row" => counts(&c.row),
            "contact_t" => doubles(&c.t),
            "contact_geometries" => indices(&c.geometries),
            "contact_bodies" => indices(&c.bodies),
            "contact_position" => doubles(&c.position),
            "contact_normal" => doubles(&c.normal),
            "contact_force" => doubles(&c.force),
            "contact_moment" => doubles(&c.moment),
            "contact_gap" => doubles(&c.gap),
            "contact_slip" => doubles(&c.slip),
            "contact_friction" => doubles(&c.friction),
            other => panic!("a trajectory has no quantity `{other}`"),
        }
    }

    /// Length of a side, from its word.
    fn side(&self, word: &str) -> usize {
        match word {
            "row" => self.len(),
            "row + 1" => self.len() + 1,
            "contact" => self.contact.len(),
            "q" => self.about.q.len(),
            "v" => self.about.v.len(),
            "body" => self.about.bodies.len(),
            "actuator" => self.about.actuators.len(),
            number => number.parse().expect("a side of an array is a word or a number"),
        }
    }
}
