//! The live page of a simulation that somebody else steps: whoever does hands over frames.
//!
//! Nothing here waits for a page. Frames are asked for ([`Mirror::is_due`]) sixty times a second at most, and only while
//! somebody looks. The page may hold the picture and let it go on (pause and play); what else it asks for is refused, since
//! the simulation is not ours.

use std::io;
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use stiction::recording::{Frame, Recording};
use tokio::sync::{oneshot, watch};

use crate::driver::{Feed, GAUGE, Order, QUEUE, RATE, Shown, Status, Watchers, refuse};
use crate::server::Server;
use crate::session::{Command, Condition};
use crate::{protocol, replay};

const NOT_OURS: &str = "a program steps this simulation, and the page only shows it";

/// A page of a simulation that is stepped elsewhere. Dropped, it closes: its port is free, and its pages have ended.
pub struct Mirror {
    url: String,
    shown: watch::Sender<Shown>,
    status: Arc<Mutex<Status>>,
    watchers: Watchers,
    /// When the last frame was shown.
    last: Option<Instant>,
    /// When the gauge was last read: wall and simulated time.
    gauge: (Instant, f64),
    end: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Mirror {
    /// Serves `scene` from threads of its own, at `host`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken, or there is no randomness to make a token of.
    pub fn open(
        host: IpAddr,
        port: u16,
        scene: &Recording,
        frame: &Frame,
        condition: Condition,
    ) -> io::Result<Self> {
        let server = Server::bind(host, port)?;
        let url = server.url()?;
        let status = Status { playing: true, speed: 1.0, real_time: 0.0, session: condition };
        let (shown, seen) = watch::channel(Shown {
            scene: protocol::scene_json(scene).into(),
            scene_number: 1,
            frame: encoded(frame),
            frame_number: 1,
            ..Shown::default()
        });
        status.tell(&shown);
        let status = Arc::new(Mutex::new(status));
        let (orders, inbox) = sync_channel(QUEUE);
        let watchers = Watchers::default();
        let choices = serde_json::json!({ "choices": [] }).to_string().into();
        let feed = Feed { shown: seen, orders, choices, watchers: watchers.clone() };
        let page = replay::live_html(&scene.name);
        let (end, ended) = oneshot::channel::<()>();
        let serve = move || {
            // An error of the network ends the page; the simulation does not depend on it.
            drop(server.serve_until(page, Some(feed), None, async { drop(ended.await) }));
        };
        let listen = {
            let (status, shown) = (Arc::clone(&status), shown.clone());
            move || obey(&inbox, &status, &shown)
        };
        Ok(Self {
            url,
            shown,
            status,
            watchers,
            last: None,
            gauge: (Instant::now(), frame.t),
            end: Some(end),
            threads: vec![std::thread::spawn(serve), std::thread::spawn(listen)],
        })
    }

    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether somebody looks and the last frame was shown a sixtieth of a second ago.
    pub fn is_due(&self) -> bool {
        self.watchers.any() && self.last.is_none_or(|t| t.elapsed() >= Duration::from_secs_f64(1.0 / RATE))
    }

    /// Shows an instant of the scene, unless a page holds the picture.
    pub fn show(&mut self, frame: &Frame, condition: Condition) {
        let now = Instant::now();
        self.last = Some(now);
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, t) = self.gauge;
        let elapsed = now.duration_since(since).as_secs_f64();
        if elapsed >= GAUGE {
            status.real_time = (100.0 * ((frame.t - t) / elapsed).max(0.0)).round() / 100.0;
            self.gauge = (now, frame.t);
        }
        status.session = condition;
        status.tell(&self.shown);
        if status.playing {
            self.shown.send_modify(|shown| {
                shown.frame = encoded(frame);
                shown.frame_number += 1;
            });
        }
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        drop(self.end.take());
        for thread in self.threads.drain(..) {
            // A thread that panicked has told so, and is over.
            drop(thread.join());
        }
    }
}

fn encoded(frame: &Frame) -> Bytes {
    let mut bytes = Vec::new();
    protocol::encode_frame_into(frame, &mut bytes);
    bytes.into()
}

/// Until the last page and the server are gone.
fn obey(inbox: &Receiver<Order>, status: &Mutex<Status>, shown: &watch::Sender<Shown>) {
    while let Ok(Order { command, refusals }) = inbox.recv() {
        let playing = match command {
            Command::Play {} => true,
            Command::Pause {} => false,
            _ => {
                refuse(&refusals, NOT_OURS);
                continue;
            }
        };
        let mut status = status.lock().unwrap_or_else(PoisonError::into_inner);
        status.playing = playing;
        status.tell(shown);
    }
}
