//! States that were shown, to go back to.

use std::collections::VecDeque;
use stiction::State;

/// Memory for states [bytes], and their largest number: two minutes, twice what a page keeps.
const BYTES: usize = 64 << 20;
const MOMENTS: usize = 7200;

/// Earlier states of a session, in order of time.
#[derive(Default)]
pub(super) struct Past {
    moments: VecDeque<(State, Vec<f64>)>,
}

impl Past {
    /// Remembers a state and the controls at it; what is not before it never happened.
    pub(super) fn keep(&mut self, state: &State, control: &[f64]) {
        while self.moments.back().is_some_and(|(s, _)| s.t >= state.t) {
            self.moments.pop_back();
        }
        self.moments.push_back((state.clone(), control.to_vec()));
        let size = 8 * (state.q.len() + state.v.len() + control.len()) + 128;
        if self.moments.len() > (BYTES / size).clamp(2, MOMENTS) {
            self.moments.pop_front();
        }
    }

    /// The last moment at or before t [s]; later ones are forgotten.
    pub(super) fn back_to(&mut self, t: f64) -> Option<(State, Vec<f64>)> {
        let count = self.moments.partition_point(|(state, _)| state.t <= t);
        self.moments.truncate(count.max(1));
        self.moments.back().filter(|_| count > 0).cloned()
    }

    pub(super) fn clear(&mut self) {
        self.moments.clear();
    }
}
