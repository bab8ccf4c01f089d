//! The live page of a simulation that somebody else steps: whoever does hands over frames.
//!
//! Nothing here waits for a page. Frames are asked for ([`Mirror::is_due`]) sixty times a second at most, and only while
//! somebody looks. The page may hold the picture and let it go on (pause and play); what else it asks for is refused, since
//! the simulation is not ours.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use stiction::recording::{Frame, Recording};

use crate::board::{Board, Shown, Watchers, locked};
use crate::driver::{Feed, GAUGE, Order, QUEUE, RATE, Status};
use crate::server::{End, Server};
use crate::session::{Command, Condition};
use crate::{protocol, replay};

const NOT_OURS: &str = "a program steps this simulation, and the page only shows it";

/// A page of a simulation that is stepped elsewhere. Dropped, it closes: its port is free, and its pages have ended.
pub struct Mirror {
    url: String,
    address: SocketAddr,
    board: Arc<Board>,
    status: Arc<Mutex<Status>>,
    watchers: Watchers,
    /// When the last frame was shown.
    last: Option<Instant>,
    /// When the gauge was last read: wall and simulated time.
    gauge: (Instant, f64),
    end: Arc<End>,
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
        let (url, address) = (server.url()?, server.address()?);
        let status = Status { playing: true, speed: 1.0, real_time: 0.0, session: condition };
        let board = Arc::new(Board::new(Shown {
            scene: protocol::scene_json(scene).into(),
            scene_number: 1,
            frame: encoded(frame),
            frame_number: 1,
            ..Shown::default()
        }));
        status.tell(&board);
        let status = Arc::new(Mutex::new(status));
        let (orders, inbox) = sync_channel(QUEUE);
        let watchers = Watchers::default();
        let choices = serde_json::json!({ "choices": [] }).to_string();
        let feed = Feed { board: Arc::clone(&board), orders, choices, watchers: watchers.clone() };
        let page = replay::live_html(&scene.name);
        let end = Arc::new(End::default());
        let serve = {
            let end = Arc::clone(&end);
            // An error of the network ends the page; the simulation does not depend on it.
            move || drop(server.serve_until(page, Some(feed), None, &end))
        };
        let listen = {
            let (status, board) = (Arc::clone(&status), Arc::clone(&board));
            move || obey(&inbox, &status, &board)
        };
        let threads = vec![Builder::new().spawn(serve)?, Builder::new().spawn(listen)?];
        Ok(Self {
            url,
            address,
            board,
            status,
            watchers,
            last: None,
            gauge: (Instant::now(), frame.t),
            end,
            threads,
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
        let mut status = locked(&self.status);
        let (since, t) = self.gauge;
        let elapsed = now.duration_since(since).as_secs_f64();
        if elapsed >= GAUGE {
            status.real_time = (100.0 * ((frame.t - t) / elapsed).max(0.0)).round() / 100.0;
            self.gauge = (now, frame.t);
        }
        status.session = condition;
        status.tell(&self.board);
        if status.playing {
            self.board.change(|shown| {
                shown.frame = encoded(frame);
                shown.frame_number += 1;
            });
        }
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.end.come(self.address);
        for thread in self.threads.drain(..) {
            // A thread that panicked has told so, and is over.
            drop(thread.join());
        }
    }
}

fn encoded(frame: &Frame) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    protocol::encode_frame_into(frame, &mut bytes);
    bytes.into()
}

/// Until the last page and the server are gone.
fn obey(inbox: &Receiver<Order>, status: &Mutex<Status>, board: &Board) {
    while let Ok(Order { command, page }) = inbox.recv() {
        let playing = match command {
            Command::Play {} => true,
            Command::Pause {} => false,
            _ => {
                page.refuse(NOT_OURS);
                continue;
            }
        };
        let mut status = locked(status);
        status.playing = playing;
        status.tell(board);
    }
}
