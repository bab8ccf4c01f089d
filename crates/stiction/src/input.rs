//! What acts on a world from outside during a step.

/// Controls and given forces of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// One control per actuator, in its own unit.
    pub control: Vec<f64>,
    /// Generalized forces added to the dofs [N or N·m].
    pub generalized: Vec<f64>,
}
