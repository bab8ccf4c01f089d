//! Runs a session in a thread of its own and keeps what there is to see.
//!
//! Sixty times a second by the clock the driver obeys what it was told, lets as many time steps pass as the wall clock
//! asks for, and puts the newest frame in one place ([`Board`]). Pages read from there when they can: one that is slow
//! misses frames, and nothing waits for it. A simulation that cannot keep up runs as fast as it can, is still shown sixty
//! times a second unless one step takes longer, and does not catch up later. While nobody looks, it rests.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::board::{Board, Page, Watchers};
use crate::protocol;
use crate::session::{Change, Command, Condition, Session};

/// Frames a second.
pub(crate) const RATE: f64 = 60.0;
/// Between two looks at how fast time passes [s].
pub(crate) const GAUGE: f64 = 0.5;
/// Commands that may wait.
pub(crate) const QUEUE: usize = 256;

/// A command, and the page that hears why it cannot be obeyed.
pub(crate) struct Order {
    pub(crate) command: Command,
    pub(crate) page: Arc<Page>,
}

/// What a page needs of the driver.
pub(crate) struct Feed {
    pub(crate) board: Arc<Board>,
    pub(crate) orders: SyncSender<Order>,
    pub(crate) choices: String,
    pub(crate) watchers: Watchers,
}

/// Beside frames, told when it changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Status {
    pub(crate) playing: bool,
    /// Simulated seconds for a second, as asked for.
    pub(crate) speed: f64,
    /// As it is, rounded; zero when paused.
    pub(crate) real_time: f64,
    #[serde(flatten)]
    pub(crate) session: Condition,
}

impl Status {
    /// Tells it where it is new.
    pub(crate) fn tell(&self, board: &Board) {
        board.tell_status(&serde_json::json!({ "status": self }).to_string());
    }
}

/// Starts the thread; it ends with the last feed.
///
/// # Errors
///
/// If the system gives no more threads.
pub(crate) fn start(session: impl Session) -> io::Result<Feed> {
    let (orders, inbox) = sync_channel(QUEUE);
    let choices = serde_json::json!({ "choices": session.choices() }).to_string();
    let (board, watchers) = (Arc::new(Board::default()), Watchers::default());
    let mut driver = Driver::new(session, Arc::clone(&board), watchers.clone());
    driver.tell_scene();
    driver.publish();
    std::thread::Builder::new().spawn(move || driver.run(&inbox))?;
    Ok(Feed { board, orders, choices, watchers })
}

/// When the frame after the present one is due, which was so at `due` and is begun now. A step and the frame itself may end
/// after that: the next frame then has less time, and the rate stays. Who is late by more than a frame begins anew.
fn next_due(due: Instant, now: Instant, interval: Duration) -> Instant {
    let next = due + interval;
    if now < next { next } else { now + interval }
}

struct Driver<S> {
    session: S,
    board: Arc<Board>,
    watchers: Watchers,
    status: Status,
    dt: f64,
    /// Simulated time that the wall clock asks for, ahead of the session's own [s].
    owed: f64,
    /// When the gauge was last read: wall and simulated time.
    gauge: (Instant, f64),
    frame: Vec<u8>,
}

impl<S: Session> Driver<S> {
    fn new(session: S, board: Arc<Board>, watchers: Watchers) -> Self {
        let status = Status { playing: true, speed: 1.0, ..Status::default() };
        let gauge = (Instant::now(), session.time());
        Self { dt: session.scene().dt, session, board, watchers, status, owed: 0.0, gauge, frame: Vec::new() }
    }

    fn run(mut self, inbox: &Receiver<Order>) {
        let interval = Duration::from_secs_f64(1.0 / RATE);
        let mut due = Instant::now();
        loop {
            let mut seen = false;
            loop {
                match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Ok(order) => seen |= self.obey(&order),
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            due = next_due(due, Instant::now(), interval);
            if self.status.playing && self.watchers.any() {
                seen |= self.advance(interval, due);
            } else {
                self.owed = 0.0;
            }
            self.read_gauge();
            if seen {
                self.publish();
            }
            self.tell_status();
        }
    }

    /// Steps for one frame, until the next is due; whether there were any.
    fn advance(&mut self, interval: Duration, deadline: Instant) -> bool {
        self.owed += self.status.speed * interval.as_secs_f64();
        let mut stepped = false;
        while self.owed >= 0.5 * self.dt {
            if Instant::now() > deadline {
                self.owed = 0.0;
                break;
            }
            self.owed -= self.dt;
            stepped = true;
            if self.session.step().is_err() {
                self.status.playing = false;
                break;
            }
        }
        stepped
    }

    /// Whether there is something new to see.
    fn obey(&mut self, order: &Order) -> bool {
        match &order.command {
            Command::Play {} => self.status.playing = true,
            Command::Pause {} => self.status.playing = false,
            Command::Speed { factor } => self.status.speed = *factor,
            Command::Step { count } => {
                self.status.playing = false;
                for _ in 0..*count {
                    if self.session.step().is_err() {
                        break;
                    }
                }
                return true;
            }
            command => return self.obey_session(command, &order.page),
        }
        false
    }

    fn obey_session(&mut self, command: &Command, page: &Page) -> bool {
        match self.session.obey(command) {
            Ok(Change::Nothing) => false,
            Ok(Change::State) => true,
            Ok(Change::Scene) => {
                self.tell_scene();
                true
            }
            Err(reason) => {
                page.refuse(&reason);
                false
            }
        }
    }

    fn read_gauge(&mut self) {
        let (since, t) = self.gauge;
        let elapsed = since.elapsed().as_secs_f64();
        if elapsed >= GAUGE {
            let factor = ((self.session.time() - t) / elapsed).max(0.0);
            self.status.real_time = (100.0 * factor).round() / 100.0;
            self.gauge = (Instant::now(), self.session.time());
        }
    }

    fn tell_scene(&mut self) {
        let scene = protocol::scene_json(&self.session.scene());
        // A frame of the old scene does not fit the new one: they change together.
        let frame = self.encoded();
        self.board.change(|shown| {
            (shown.scene, shown.frame) = (scene.into(), frame);
            shown.scene_number += 1;
            shown.frame_number += 1;
        });
    }

    fn publish(&mut self) {
        let frame = self.encoded();
        self.board.change(|shown| {
            shown.frame = frame;
            shown.frame_number += 1;
        });
    }

    fn encoded(&mut self) -> Arc<[u8]> {
        self.frame.clear();
        protocol::encode_frame_into(&self.session.frame(), &mut self.frame);
        self.frame.as_slice().into()
    }

    fn tell_status(&mut self) {
        self.status.session = self.session.condition();
        self.status.tell(&self.board);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten seconds of a simulation that never has enough time: whatever a step and a frame take, sixty frames a second, as
    /// long as both together fit into one.
    #[test]
    fn the_rate_stays_when_time_is_short() {
        let interval = Duration::from_secs_f64(1.0 / RATE);
        let frames = |step: f64, frame: f64| {
            let start = Instant::now();
            let (mut now, mut due, mut count) = (start, start, 0);
            while now.duration_since(start) < Duration::from_secs(10) {
                now = now.max(due);
                due = next_due(due, now, interval);
                while now <= due {
                    now += Duration::from_secs_f64(step);
                }
                now += Duration::from_secs_f64(frame);
                count += 1;
            }
            count
        };
        for (step, frame) in [(1.45e-3, 1e-3), (1e-4, 1e-2), (7e-3, 2e-3), (0.012, 0.003)] {
            let count = frames(step, frame);
            assert!(
                (599..=601).contains(&count),
                "{count} frames with {step} s a step and {frame} s a frame"
            );
        }
        // A step alone is longer than a frame: one step each, and no haste afterwards.
        assert_eq!(frames(0.05, 0.001), 197);
    }
}
