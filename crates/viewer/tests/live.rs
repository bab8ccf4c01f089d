//! The server, spoken to in bytes: who is let in, what is refused, and that a page that does not listen costs nothing.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use stiction::recording::{Frame, Mechanism, Recording};
use stiction_viewer::session::{Change, Choice, Command, Condition};
use stiction_viewer::{Server, Session};

const DT: f64 = 1e-3;

/// Many bodies that only count their steps.
struct Clock {
    steps: Arc<AtomicU64>,
    bodies: usize,
}

impl Session for Clock {
    fn scene(&self) -> Recording {
        Recording {
            name: "clock </script>".into(),
            contact_model: "none".into(),
            dt: DT,
            tolerance: 1e-8,
            notes: Vec::new(),
            bodies: vec!["hand".into(); self.bodies],
            geometries: vec![],
            mechanism: Mechanism::default(),
            runs: vec![],
            frames: vec![],
        }
    }

    fn choices(&self) -> Vec<Choice> {
        vec![]
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn frame(&mut self) -> Frame {
        let poses = vec![([0.0; 3], [1.0, 0.0, 0.0, 0.0]); self.bodies];
        Frame { t: self.time(), poses, ..Frame::default() }
    }

    fn time(&self) -> f64 {
        DT * self.steps.load(Ordering::Relaxed) as f64
    }

    fn condition(&self) -> Condition {
        Condition::default()
    }

    fn obey(&mut self, command: &Command) -> Result<Change, String> {
        match command {
            Command::Reset {} => Ok(Change::State),
            other => Err(format!("a clock cannot {other:?}")),
        }
    }
}

/// A server in a thread of its own: its address, the query with its token, and the steps it took.
fn served(bodies: usize) -> (String, String, Arc<AtomicU64>) {
    let server = Server::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).unwrap();
    let url = server.url().unwrap();
    let steps = Arc::new(AtomicU64::new(0));
    let clock = Clock { steps: steps.clone(), bodies };
    std::thread::spawn(move || server.show(clock));
    let (host, query) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    (host.to_owned(), query.to_owned(), steps)
}

fn ask(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A refusal may close the connection before everything was read.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(host: &str, path: &str, named: &str) -> String {
    ask(host, &format!("GET {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n"))
}

/// A web socket, opened; `Err` holds the answer of one that was refused.
fn socket(host: &str, query: &str, origin: &str) -> Result<TcpStream, String> {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!(
        "GET /socket{query} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: {origin}\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    if answer.starts_with("HTTP/1.1 101 ") { Ok(stream) } else { Err(answer) }
}

/// One masked message (mask zero): kind 1 text, 2 binary.
fn say(stream: &mut TcpStream, kind: u8, words: &[u8]) {
    let mut bytes = vec![0x80 | kind, 0x80 | 126];
    bytes.extend(u16::try_from(words.len()).unwrap().to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(words);
    stream.write_all(&bytes).unwrap();
}

/// The next message: its kind, and what it says.
fn hear(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    let length = match head[1] {
        126 => {
            let mut bytes = [0; 2];
            stream.read_exact(&mut bytes).unwrap();
            u64::from(u16::from_be_bytes(bytes))
        }
        127 => {
            let mut bytes = [0; 8];
            stream.read_exact(&mut bytes).unwrap();
            u64::from_be_bytes(bytes)
        }
        short => u64::from(short),
    };
    let mut words = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut words).unwrap();
    (head[0] & 0xf, words)
}

/// Waits for a message that is as wanted.
fn until(stream: &mut TcpStream, wanted: impl Fn(u8, &[u8]) -> bool) -> Vec<u8> {
    loop {
        let (kind, words) = hear(stream);
        if wanted(kind, &words) {
            return words;
        }
    }
}

#[test]
fn only_the_page_is_served_and_only_with_the_token() {
    let (host, query, _) = served(1);
    let status = |path: &str, named: &str| get(&host, path, named)[9..12].to_owned();
    let page = get(&host, &format!("/{query}"), &host);
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("clock &lt;/script&gt;") && page.contains("connect-src 'self'"));
    for header in
        ["cache-control: no-store", "referrer-policy: no-referrer", "x-content-type-options: nosniff"]
    {
        assert!(page.contains(header), "{header}");
    }
    for path in
        ["/", "/?token=", "/?token=00000000000000000000000000000000", &format!("/{query}0"), "/?Token=1"]
    {
        assert_eq!(status(path, &host), "403", "{path}");
    }
    for path in
        ["/etc/passwd", "//etc/passwd", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/index.html", "/page/dist"]
    {
        assert_eq!(status(&format!("{path}{query}"), &host), "404", "{path}");
    }
    // A name that was made to point here is not ours; an address with another port was forwarded.
    assert_eq!(status(&format!("/{query}"), "evil.example"), "403");
    assert_eq!(status(&format!("/{query}"), "evil.example:80"), "403");
    for named in ["localhost:1", "127.0.0.1:9", "[::1]:9"] {
        assert_eq!(status(&format!("/{query}"), named), "200", "{named}");
    }
}

#[test]
fn the_socket_is_for_our_page_alone() {
    let (host, query, steps) = served(1);
    let ours = format!("http://{host}");
    for (query, origin) in [
        ("", &*ours),
        ("?token=", &ours),
        (&*format!("{query}0"), &ours),
        (&query, "http://evil.example"),
        (&query, "null"),
        (&query, &format!("https://{host}")),
        (&query, "http://127.0.0.1:1"),
    ] {
        let answer = socket(&host, query, origin).map(drop).unwrap_err();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{query} {origin}: {answer}");
    }
    assert_eq!(steps.load(Ordering::Relaxed), 0, "nobody looks: it rests");
    assert!(socket(&host, &query, &ours).is_ok());
}

#[test]
fn a_page_is_told_scene_status_and_frames_and_is_obeyed() {
    let (host, query, _) = served(2);
    let mut page = socket(&host, &query, &format!("http://{host}")).unwrap();
    let text = |kind: u8, words: &[u8], start: &str| kind == 1 && words.starts_with(start.as_bytes());
    until(&mut page, |kind, words| text(kind, words, "{\"choices\":"));
    let scene = format!("{{\"stiction_protocol\":{},", stiction_viewer::protocol::VERSION);
    until(&mut page, |kind, words| text(kind, words, &scene));
    let frame = until(&mut page, |kind, _| kind == 2);
    assert_eq!(stiction_viewer::protocol::decode_frame(&frame).unwrap().poses.len(), 2);
    say(&mut page, 1, br#"{"do": "speed", "factor": 0.25}"#);
    until(&mut page, |kind, words| {
        text(kind, words, "{\"status\":") && String::from_utf8_lossy(words).contains("\"speed\":0.25")
    });
    say(&mut page, 1, br#"{"do": "solver", "name": "nobody"}"#);
    until(&mut page, |kind, words| text(kind, words, "{\"refused\":\"a clock cannot"));
}

#[test]
fn malformed_words_end_the_connection_and_nothing_else() {
    let (host, query, steps) = served(1);
    let mut good = socket(&host, &query, &format!("http://{host}")).unwrap();
    let long = "x".repeat(5000);
    for (kind, words) in
        [(1, "nonsense"), (1, "{\"do\": \"step\", \"count\": 0}"), (1, "{}"), (2, "\u{1}\u{2}"), (1, &*long)]
    {
        let mut bad = socket(&host, &query, &format!("http://{host}")).unwrap();
        say(&mut bad, kind, words.as_bytes());
        // To the end: a connection still open would run into the time limit of reading.
        let ended = bad.read_to_end(&mut Vec::new());
        let reset = |e: &std::io::Error| e.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(ended.as_ref().is_ok() || ended.as_ref().is_err_and(reset), "{words}: {ended:?}");
    }
    let before = steps.load(Ordering::Relaxed);
    until(&mut good, |kind, _| kind == 2);
    std::thread::sleep(Duration::from_millis(200));
    assert!(steps.load(Ordering::Relaxed) > before);
}

/// 2000 bodies, a page that takes them and one that never reads: the simulation takes its thousand steps a second.
#[test]
fn a_page_that_does_not_listen_slows_nothing() {
    let (host, query, steps) = served(2000);
    let deaf = socket(&host, &query, &format!("http://{host}")).unwrap();
    let mut page = socket(&host, &query, &format!("http://{host}")).unwrap();
    let (start, before) = (Instant::now(), steps.load(Ordering::Relaxed));
    let mut frames = 0;
    while start.elapsed() < Duration::from_secs(3) {
        frames += u32::from(hear(&mut page).0 == 2);
    }
    let pace = (steps.load(Ordering::Relaxed) - before) as f64 * DT / start.elapsed().as_secs_f64();
    println!("{:.2} of real time, {frames} frames in 3 s", pace);
    // On a machine with other work, less than sixty frames a second; the clock itself may not wait for anybody.
    assert!(pace > 0.5 && frames > 30, "{pace} of real time, {frames} frames");
    drop(deaf);
}
