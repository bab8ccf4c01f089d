//! The page over HTTP, and one web socket.
//!
//! ```text
//!     GET /?token=…          the page
//!     GET /socket?token=…    scene, status and choices as text; frames as binary; commands come back as text
//!     POST /picture?token=…  while pictures are taken: a PNG, from a page that photographs itself
//! ```
//!
//! Nothing else is served. The token is 128 random bits: who was not given the address sees and drives nothing. A web
//! page of somebody else cannot open the socket either: the origin it would name is not ours, and a name that was made
//! to point here (DNS rebinding) is not taken for ours, since only addresses and `localhost` are.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::sync::mpsc;

use crate::driver::{self, Feed, Order};
use crate::replay;
use crate::session::{Command, Session};
use stiction::recording::Recording;

/// Bytes of a command.
const LONGEST_COMMAND: usize = 4096;
/// Bytes of a picture.
const LARGEST_PICTURE: usize = 64 << 20;
/// Pictures that may wait to be written.
const PICTURES: usize = 2;
/// Refusals that may wait for a page.
const REFUSALS: usize = 16;

/// A server that listens, before it serves.
pub struct Server {
    listener: TcpListener,
    token: String,
}

impl Server {
    /// Listens at `host`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken, or there is no randomness to make a token of.
    pub fn bind(host: IpAddr, port: u16) -> io::Result<Self> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(|e| io::Error::other(e.to_string()))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { listener: TcpListener::bind((host, port))?, token })
    }

    /// Where the page is.
    ///
    /// # Errors
    /// When the system does not say which port it took.
    pub fn url(&self) -> io::Result<String> {
        let address: SocketAddr = self.listener.local_addr()?;
        Ok(format!("http://{address}/?token={}", self.token))
    }

    /// Serves a simulation, for ever.
    ///
    /// # Errors
    /// When the network fails.
    pub fn show(self, session: impl Session) -> io::Result<()> {
        let page = replay::live_html(&session.scene().name);
        let feed = driver::start(session);
        self.serve(page, Some(feed), None)
    }

    /// Serves a page as it is, for ever.
    ///
    /// # Errors
    /// When the network fails.
    pub fn show_page(self, html: String) -> io::Result<()> {
        self.serve(html, None, None)
    }

    /// Serves a recording from a thread of its own to a page that photographs itself: the address of that page, and
    /// where its pictures (PNG, of this size) arrive, frame by frame.
    ///
    /// # Errors
    /// When the system does not say which port it took.
    pub fn photograph(
        self,
        recording: &Recording,
        width: usize,
        height: usize,
    ) -> io::Result<(String, mpsc::Receiver<Bytes>)> {
        let url = format!("{}#pictures={width}x{height}", self.url()?);
        let page = replay::photographed_html(recording);
        let (send, pictures) = mpsc::channel(PICTURES);
        std::thread::spawn(move || self.serve(page, None, Some(send)));
        Ok((url, pictures))
    }

    fn serve(
        self,
        page: String,
        feed: Option<Feed>,
        pictures: Option<mpsc::Sender<Bytes>>,
    ) -> io::Result<()> {
        self.serve_until(page, feed, pictures, std::future::pending())
    }

    /// Serves until `end`; connections that are open then are cut.
    pub(crate) fn serve_until(
        self,
        page: String,
        feed: Option<Feed>,
        pictures: Option<mpsc::Sender<Bytes>>,
        end: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let house = House { token: self.token.into(), page: page.into(), feed, pictures };
        let router = Router::new()
            .route("/", get(page_of))
            .route("/socket", get(socket_of))
            .route("/picture", post(take_picture).layer(DefaultBodyLimit::max(LARGEST_PICTURE)))
            .with_state(house);
        self.listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            tokio::select! {
                served = axum::serve(listener, router).into_future() => served,
                () = end => Ok(()),
            }
        })
    }
}

/// What every request may need.
#[derive(Clone)]
struct House {
    token: Arc<str>,
    page: Arc<str>,
    feed: Option<Feed>,
    pictures: Option<mpsc::Sender<Bytes>>,
}

#[derive(Deserialize)]
struct Ticket {
    #[serde(default)]
    token: String,
}

impl House {
    /// Compares every letter, so that the time taken tells nothing.
    fn admits(&self, ticket: &Ticket) -> bool {
        let (ours, theirs) = (self.token.as_bytes(), ticket.token.as_bytes());
        ours.len() == theirs.len() && ours.iter().zip(theirs).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

fn refused() -> Response {
    (StatusCode::FORBIDDEN, "This address lacks the right token: use the one stiction printed.\n")
        .into_response()
}

async fn page_of(State(house): State<House>, Query(ticket): Query<Ticket>, headers: HeaderMap) -> Response {
    if !house.admits(&ticket) || !called_by_address(&headers) {
        return refused();
    }
    let said: [(HeaderName, &str); 4] = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (said, house.page.to_string()).into_response()
}

async fn socket_of(
    State(house): State<House>,
    Query(ticket): Query<Ticket>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !house.admits(&ticket) || !called_by_address(&headers) || !from_our_page(&headers) {
        return refused();
    }
    let Some(feed) = house.feed else { return StatusCode::NOT_FOUND.into_response() };
    upgrade.max_message_size(LONGEST_COMMAND).on_upgrade(|socket| converse(socket, feed))
}

/// The page is answered when there is room for its next picture.
async fn take_picture(
    State(house): State<House>,
    Query(ticket): Query<Ticket>,
    headers: HeaderMap,
    picture: Bytes,
) -> Response {
    if !house.admits(&ticket) || !called_by_address(&headers) || !from_our_page(&headers) {
        return refused();
    }
    let Some(pictures) = house.pictures else { return StatusCode::NOT_FOUND.into_response() };
    match pictures.send(picture).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => StatusCode::GONE.into_response(),
    }
}

/// Whether the request names us by an address or as `localhost`, at any port (one may have been forwarded).
fn called_by_address(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|h| h.to_str().ok()) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

/// Whether the page that opens the socket came from here. Programs name no origin; they have the token.
fn from_our_page(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let ours = headers.get(header::HOST).and_then(|h| h.to_str().ok()).map(|host| format!("http://{host}"));
    ours.is_some_and(|ours| origin.as_bytes() == ours.as_bytes())
}

/// Sends what is new whenever the page takes it; passes its commands on.
async fn converse(mut socket: WebSocket, mut feed: Feed) {
    let _watching = feed.watchers.watch();
    let (refusals, mut refused) = mpsc::channel::<String>(REFUSALS);
    let (mut scene_number, mut frame_number, mut status) = (0, 0, Arc::<str>::default());
    if socket.send(text(&feed.choices)).await.is_err() {
        return;
    }
    feed.shown.mark_changed();
    loop {
        tokio::select! {
            changed = feed.shown.changed() => {
                if changed.is_err() {
                    return;
                }
                let shown = feed.shown.borrow_and_update().clone();
                let mut news = Vec::new();
                if shown.scene_number != scene_number {
                    news.push(text(&shown.scene));
                }
                if shown.status != status {
                    news.push(text(&shown.status));
                }
                if shown.frame_number != frame_number {
                    news.push(Message::Binary(shown.frame));
                }
                (scene_number, frame_number, status) = (shown.scene_number, shown.frame_number, shown.status);
                for message in news {
                    if socket.send(message).await.is_err() {
                        return;
                    }
                }
            }
            Some(reason) = refused.recv() => {
                if socket.send(text(&reason)).await.is_err() {
                    return;
                }
            }
            message = socket.recv() => {
                let taken = match message {
                    Some(Ok(Message::Text(words))) => take(&words, &feed, &refusals),
                    Some(Ok(Message::Binary(_))) => Err("commands are text".to_owned()),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                };
                if let Err(reason) = taken {
                    let frame = CloseFrame { code: close_code::POLICY, reason: short(&reason) };
                    let _ = socket.send(Message::Close(Some(frame))).await;
                    return;
                }
            }
        }
    }
}

fn take(words: &str, feed: &Feed, refusals: &mpsc::Sender<String>) -> Result<(), String> {
    let command = Command::read(words)?;
    let order = Order { command, refusals: refusals.clone() };
    feed.orders.try_send(order).map_err(|_| "too many commands at once".to_owned())
}

fn text(words: &str) -> Message {
    Message::Text(Utf8Bytes::from(words))
}

/// A reason for closing may take 123 bytes.
fn short(reason: &str) -> Utf8Bytes {
    let end = (0..=reason.len().min(120)).rev().find(|&i| reason.is_char_boundary(i)).unwrap_or(0);
    Utf8Bytes::from(&reason[..end])
}
