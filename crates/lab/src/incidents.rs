//! What a person would call out while watching a run: a robot fell, a servo gives all it has.

use stiction::dynamics::JointKind;
use stiction::world::{Actuator, Note, Severity, Topic};
use stiction::{Simulation, State};

/// A trunk that is lower than this share of its first height has fallen [–].
const FALLEN: f64 = 0.6;
/// A servo that is at its limit for more than this share of the steps is told [–].
const BUSY: f64 = 0.2;
/// An effort this near its limit, relative to it, is at it [–].
const NEAR: f64 = 1e-6;
/// Servos named in a note.
const NAMED: usize = 4;

/// A free root with bodies that hang on it.
struct Trunk {
    name: String,
    /// Place of its height in q.
    z: usize,
    start: f64,
    lowest: f64,
    /// When it was first below [`FALLEN`] of its first height [s].
    fell: Option<f64>,
}

/// A watch over one run.
pub(crate) struct Incidents {
    trunks: Vec<Trunk>,
    /// Steps that every actuator was at a limit of its effort.
    at_limit: Vec<u64>,
    steps: u64,
    efforts: Vec<f64>,
}

impl Incidents {
    pub(crate) fn new(sim: &Simulation) -> Self {
        let model = &sim.world().model;
        let mut bodies = vec![0; model.trees];
        model.bodies.iter().for_each(|b| bodies[b.tree] += 1);
        let free = model.joints.iter().filter(|j| j.kind == JointKind::Free);
        let trunks = free.filter(|j| bodies[model.bodies[j.body].tree] > 1).map(|j| {
            let (name, z) = (model.bodies[j.body].name.clone(), j.idx_q + 2);
            let start = sim.state().q[z];
            Trunk { name, z, start, lowest: start, fell: None }
        });
        let at_limit = vec![0; sim.world().actuators.len()];
        Self { trunks: trunks.collect(), at_limit, steps: 0, efforts: Vec::new() }
    }

    /// Looks at the step that was just accepted.
    pub(crate) fn after_step(&mut self, sim: &Simulation) {
        self.steps += 1;
        let State { t, q, .. } = sim.state();
        for trunk in &mut self.trunks {
            trunk.lowest = trunk.lowest.min(q[trunk.z]);
            if trunk.fell.is_none() && q[trunk.z] < FALLEN * trunk.start {
                trunk.fell = Some(*t);
            }
        }
        if self.at_limit.is_empty() {
            return;
        }
        sim.efforts_into(&mut self.efforts);
        let world = sim.world();
        for ((count, actuator), effort) in self.at_limit.iter_mut().zip(&world.actuators).zip(&self.efforts) {
            let of_drive = single(actuator).and_then(|dof| world.drive_limits.get(dof)?.effort);
            if let Some([low, high]) = actuator.effort_limit.or(of_drive) {
                let near = |limit: f64| (effort - limit).abs() <= NEAR * limit.abs();
                *count += u64::from(low < high && (near(low) || near(high)));
            }
        }
    }

    /// A note on each.
    pub(crate) fn notes(&self, sim: &Simulation) -> Vec<Note> {
        let note = |message: String| Note { topic: Topic::Run, ..Note::of_scene(Severity::Note, message) };
        let fell = self.trunks.iter().filter_map(|trunk| {
            let (Trunk { name, start, lowest, .. }, t) = (trunk, trunk.fell?);
            Some(note(format!(
                "`{name}` fell: from {start:.2} m to {lowest:.2} m, below {FALLEN} of it at {t:.2} s"
            )))
        });
        let share = |count: u64| count as f64 / self.steps.max(1) as f64;
        let actuators = sim.world().actuators.iter().zip(&self.at_limit);
        let mut busy: Vec<_> = actuators.filter(|(_, n)| share(**n) > BUSY).collect();
        busy.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        let named =
            busy.iter().take(NAMED).map(|(a, n)| format!("`{}` for {:.0} %", a.name, 100.0 * share(**n)));
        let named: Vec<String> = named.collect();
        let more =
            if busy.len() > NAMED { format!(" and {} more", busy.len() - NAMED) } else { String::new() };
        let limits = (!busy.is_empty())
            .then(|| note(format!("efforts at their limit: {}{more} of the time", named.join(", "))));
        fell.chain(limits).collect()
    }
}

/// The dof of an actuator that drives one.
fn single(actuator: &Actuator) -> Option<usize> {
    match actuator.transmission[..] {
        [(dof, _)] => Some(dof),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::runner::{RunOptions, Runner};
    use crate::testing::scratch;
    use stiction_scene::{RobotOptions, Scene};

    /// A limp pair of bodies over a floor falls, and a motor that may give 1 N·m of the 5 that are asked for gives it always.
    #[test]
    fn a_fall_and_a_busy_servo_are_told() {
        let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/>\
            <body name='trunk' pos='0 0 1'><freejoint/><geom size='0.05' mass='1'/>\
            <body pos='0.2 0 0'><joint name='k'/><geom size='0.05' mass='1'/></body></body></worldbody>\
            <actuator><motor name='m' joint='k' forcerange='-1 1'/></actuator>\
            <keyframe><key qpos='0 0 1 1 0 0 0 0' ctrl='5'/></keyframe></mujoco>";
        let setup = Scene::from_model_file(&scratch("falls.xml", text), &RobotOptions::default()).unwrap();
        let mut setup = setup.build().unwrap();
        setup.duration = 0.6;
        let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
        let told: Vec<&str> = summary.notes.iter().map(|n| n.message.as_str()).collect();
        assert!(told.iter().any(|m| m.starts_with("`trunk` fell: from 1.00 m")), "{told:?}");
        assert!(told.iter().any(|m| m.contains("`m` for 100 %")), "{told:?}");
    }
}
