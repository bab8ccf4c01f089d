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

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::board::{News, Page, Seen, locked};
use crate::driver::{self, Feed, Order};
use crate::http::{Request, answer};
use crate::replay;
use crate::session::{Command, Session};
use crate::websocket::{self, Message};
use stiction::recording::Recording;

/// Bytes of a command.
const LONGEST_COMMAND: usize = 4096;
/// Bytes of a picture.
const LARGEST_PICTURE: usize = 64 << 20;
/// Pictures that may wait to be written.
const PICTURES: usize = 2;
/// Connections at a time, a thread or two each.
const CONNECTIONS: usize = 64;
/// After a connection that could not be accepted.
const LULL: Duration = Duration::from_millis(20);
/// For a request to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

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
        Ok(format!("http://{}/?token={}", self.address()?, self.token))
    }

    /// The address at which it listens.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves a simulation, for ever.
    ///
    /// # Errors
    /// When the network fails, or the system gives no more threads.
    pub fn show(self, session: impl Session) -> io::Result<()> {
        let page = replay::live_html(&session.scene().name);
        let feed = driver::start(session)?;
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
    ) -> io::Result<(String, Receiver<Vec<u8>>)> {
        let url = format!("{}#pictures={width}x{height}", self.url()?);
        let page = replay::photographed_html(recording);
        let (send, pictures) = sync_channel(PICTURES);
        std::thread::Builder::new().spawn(move || self.serve(page, None, Some(send)))?;
        Ok((url, pictures))
    }

    fn serve(
        self,
        page: String,
        feed: Option<Feed>,
        pictures: Option<SyncSender<Vec<u8>>>,
    ) -> io::Result<()> {
        self.serve_until(page, feed, pictures, &End::default())
    }

    /// Serves until the end; connections that are open then are cut.
    pub(crate) fn serve_until(
        self,
        page: String,
        feed: Option<Feed>,
        pictures: Option<SyncSender<Vec<u8>>>,
        end: &End,
    ) -> io::Result<()> {
        let house = House { token: self.token, page, feed, pictures };
        std::thread::scope(|scope| {
            loop {
                let accepted = self.listener.accept();
                if end.come.load(Ordering::Acquire) {
                    return Ok(());
                }
                let Ok((stream, _)) = accepted else {
                    // The connection was given up, or there are too many files; both pass.
                    std::thread::sleep(LULL);
                    continue;
                };
                let Some(guest) = end.admit(&stream) else { continue };
                let house = &house;
                let receive = move || {
                    // A connection that breaks is over, and nothing else.
                    drop(house.receive(stream));
                    drop(guest);
                };
                // Where the system gives no more threads the connection is cut; others may end and make room.
                drop(std::thread::Builder::new().spawn_scoped(scope, receive));
            }
        })
    }
}

/// The end of a server, and the connections that it cuts.
#[derive(Default)]
pub(crate) struct End {
    come: AtomicBool,
    guests: Mutex<BTreeMap<u64, TcpStream>>,
}

/// A connection that is cut at the end; dropped, it is closed.
struct Guest<'a> {
    end: &'a End,
    number: u64,
}

impl End {
    /// Lets the server at `address` end.
    pub(crate) fn come(&self, mut address: SocketAddr) {
        self.come.store(true, Ordering::Release);
        for stream in locked(&self.guests).values() {
            // One that is closed already is what is wanted.
            drop(stream.shutdown(Shutdown::Both));
        }
        // Wakes the server, which waits for the next connection.
        if address.ip().is_unspecified() {
            address.set_ip(if address.is_ipv4() {
                Ipv4Addr::LOCALHOST.into()
            } else {
                Ipv6Addr::LOCALHOST.into()
            });
        }
        drop(TcpStream::connect(address));
    }

    /// None where too many are connected, or where the end has come meanwhile.
    fn admit(&self, stream: &TcpStream) -> Option<Guest<'_>> {
        let mut guests = locked(&self.guests);
        let open = guests.len() < CONNECTIONS && !self.come.load(Ordering::Acquire);
        let copy = stream.try_clone().ok().filter(|_| open)?;
        let number = guests.last_key_value().map_or(0, |(last, _)| last + 1);
        guests.insert(number, copy);
        Some(Guest { end: self, number })
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        locked(&self.end.guests).remove(&self.number);
    }
}

/// What every request may need.
struct House {
    token: String,
    page: String,
    feed: Option<Feed>,
    pictures: Option<SyncSender<Vec<u8>>>,
}

/// Status, with its words.
const REFUSED: &str = "403 Forbidden";
const ABSENT: &str = "404 Not Found";

impl House {
    /// Answers the one request of a connection, or converses over it as long as it lasts.
    fn receive(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let Ok(request) = Request::read(&mut stream) else {
            return answer(&mut stream, "400 Bad Request", &[], "");
        };
        match (&*request.method, &*request.path) {
            ("GET", "/") => self.give_page(&request, &mut stream),
            ("GET", "/socket") => self.open_socket(&request, stream),
            ("POST", "/picture") => self.take_picture(&request, &mut stream),
            _ => answer(&mut stream, ABSENT, &[], ""),
        }
    }

    fn give_page(&self, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
        if !self.admits(request) || !called_by_address(request) {
            return refuse(stream);
        }
        let headers = [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ];
        answer(stream, "200 OK", &headers, &self.page)
    }

    fn open_socket(&self, request: &Request, mut stream: TcpStream) -> io::Result<()> {
        if !self.admits(request) || !called_by_address(request) || !from_our_page(request) {
            return refuse(&mut stream);
        }
        let Some(feed) = &self.feed else { return answer(&mut stream, ABSENT, &[], "") };
        let Some(key) = request.header("sec-websocket-key") else {
            return answer(&mut stream, "400 Bad Request", &[], "");
        };
        let accept = websocket::accept_of(key);
        let head = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade";
        io::Write::write_all(
            &mut stream,
            format!("{head}\r\nsec-websocket-accept: {accept}\r\n\r\n").as_bytes(),
        )?;
        stream.set_read_timeout(None)?;
        converse(stream, feed)
    }

    /// The page is answered when there is room for its next picture.
    fn take_picture(&self, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
        if !self.admits(request) || !called_by_address(request) || !from_our_page(request) {
            return refuse(stream);
        }
        let Some(pictures) = &self.pictures else { return answer(stream, ABSENT, &[], "") };
        let picture = request.body(stream, LARGEST_PICTURE)?;
        let status = if pictures.send(picture).is_ok() { "204 No Content" } else { "410 Gone" };
        answer(stream, status, &[], "")
    }

    /// Compares every letter, so that the time taken tells nothing.
    fn admits(&self, request: &Request) -> bool {
        let (ours, theirs) = (self.token.as_bytes(), request.query("token").unwrap_or_default().as_bytes());
        ours.len() == theirs.len() && ours.iter().zip(theirs).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

fn refuse(stream: &mut TcpStream) -> io::Result<()> {
    answer(stream, REFUSED, &[], "This address lacks the right token: use the one stiction printed.\n")
}

/// Whether the request names us by an address or as `localhost`, at any port (one may have been forwarded).
fn called_by_address(request: &Request) -> bool {
    let Some(host) = request.header("host") else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

/// Whether the page that opens the socket came from here. Programs name no origin; they have the token.
fn from_our_page(request: &Request) -> bool {
    let Some(origin) = request.header("origin") else { return true };
    request.header("host").is_some_and(|host| origin == format!("http://{host}"))
}

/// Sends what is new whenever the page takes it, from a thread of its own; passes its commands on from this one.
fn converse(mut stream: TcpStream, feed: &Feed) -> io::Result<()> {
    let _watching = feed.watchers.watch();
    let page = Arc::new(Page::new(Arc::clone(&feed.board)));
    // Frames and the words of this thread do not mix.
    let out = Mutex::new(stream.try_clone()?);
    std::thread::scope(|scope| {
        let send = || {
            drop(tell(&page, feed, &out));
            // Whoever still listens to this page need not any more.
            drop(locked(&out).shutdown(Shutdown::Both));
        };
        std::thread::Builder::new().spawn_scoped(scope, send)?;
        let ended = listen(&mut stream, &page, feed, &out);
        page.close();
        // Also ends a message that the page does not take.
        drop(stream.shutdown(Shutdown::Both));
        ended
    })
}

/// Sends what is new, until the page is closed.
fn tell(page: &Page, feed: &Feed, out: &Mutex<TcpStream>) -> io::Result<()> {
    let mut seen = Seen::default();
    websocket::write_text(&mut *locked(out), &feed.choices)?;
    while let Some(news) = page.news(&mut seen) {
        for message in news {
            match message {
                News::Text(words) => websocket::write_text(&mut *locked(out), &words)?,
                News::Binary(bytes) => websocket::write_binary(&mut *locked(out), &bytes)?,
            }
        }
    }
    Ok(())
}

/// Passes commands on, until the page leaves or says what is no command.
fn listen(stream: &mut TcpStream, page: &Arc<Page>, feed: &Feed, out: &Mutex<TcpStream>) -> io::Result<()> {
    loop {
        let taken = match websocket::read(stream, LONGEST_COMMAND)? {
            Message::Text(words) => take(&words, feed, page),
            Message::Binary => Err("commands are text".to_owned()),
            Message::Ping(payload) => {
                at_once(out, |out| websocket::write_pong(out, &payload)).map_err(|e| e.to_string())
            }
            Message::Pong => Ok(()),
            Message::Close => return Ok(()),
        };
        if let Err(reason) = taken {
            return at_once(out, |out| websocket::write_close(out, &reason));
        }
    }
}

/// Says something unless a frame is on its way: a page that does not take it is not waited for.
fn at_once(out: &Mutex<TcpStream>, say: impl Fn(&mut TcpStream) -> io::Result<()>) -> io::Result<()> {
    out.try_lock().map_or(Ok(()), |mut out| say(&mut out))
}

fn take(words: &str, feed: &Feed, page: &Arc<Page>) -> Result<(), String> {
    let command = Command::read(words)?;
    let order = Order { command, page: Arc::clone(page) };
    feed.orders.try_send(order).map_err(|_| "too many commands at once".to_owned())
}
