//! Frames to be looked at and numbers of every step, kept while a simulation runs.

use stiction::contact::{Certificate, Law};
use stiction::recording::{Frame, Recording, StepMark};
use stiction::{StepReport, frame_of, scene_of};
use stiction_lab::Trajectory;
use stiction_lab::trajectory::Detail;

/// Frames at an interval, and rows of numbers.
pub(crate) struct Record {
    pub(crate) recording: Recording,
    /// Time between frames [s].
    interval: f64,
    next: f64,
    pub(crate) trajectory: Option<Trajectory>,
}

impl Record {
    pub(crate) fn new(sim: &mut stiction::Simulation, frames_per_second: f64, trajectory: bool) -> Self {
        let interval = 1.0 / frames_per_second;
        let mut recording = scene_of(sim);
        recording.frames.push(frame_now(sim));
        let next = sim.state().t + interval;
        Self {
            recording,
            interval,
            next,
            trajectory: trajectory.then(|| Trajectory::new(sim, Detail::Whole)),
        }
    }

    pub(crate) fn after_step(&mut self, sim: &mut stiction::Simulation, report: &StepReport) {
        if report.parts == 0 {
            return;
        }
        // Half a step of slack, so that frames fall on the nearest step.
        let due = sim.state().t + 0.5 * sim.settings().stepper.dt >= self.next;
        if !due && self.trajectory.is_none() {
            return;
        }
        let certificate = sim.certificate();
        if due {
            let mark = mark_of(sim, report, &certificate);
            let last = self.recording.frames.last().map_or(f64::NEG_INFINITY, |f| f.t);
            // A time that was set back tells no order: such frames are left out.
            if sim.state().t > last {
                self.recording.frames.push(frame_of(sim, certificate.natural_map, mark));
            }
            self.next += self.interval;
        }
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.after_step(sim, report, certificate.natural_map, f64::NAN);
        }
    }
}

fn mark_of(sim: &mut stiction::Simulation, report: &StepReport, certificate: &Certificate) -> StepMark {
    let exact = sim.solver().law() == Law::Ncp;
    let own = if exact { certificate.natural_map } else { sim.own_natural_map() };
    StepMark::new(report, own, certificate.worst)
}

/// The instant after a step.
pub(crate) fn frame_after(sim: &mut stiction::Simulation, report: &StepReport) -> Frame {
    let certificate = sim.certificate();
    let mark = mark_of(sim, report, &certificate);
    frame_of(sim, certificate.natural_map, mark)
}

/// The present instant, without a certificate: that of a state that was set is not known.
pub(crate) fn frame_now(sim: &mut stiction::Simulation) -> Frame {
    frame_of(sim, f64::NAN, StepMark::default())
}
