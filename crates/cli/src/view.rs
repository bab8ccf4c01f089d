//! `stiction view`: a scene, live in a browser. `stiction replay`: a recording written before.

use crate::args::{ReplayArgs, ServeArgs, ViewArgs};
use crate::failure::Failure;
use crate::output::say;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use stiction_lab::Live;
use stiction_viewer::Server;

/// For a browser to start and read a file.
const READ_BY_THEN: Duration = Duration::from_secs(60);

pub(crate) fn view(args: &ViewArgs) -> Result<(), Failure> {
    let (_, setup) = args.scene.set_up(args.contact.as_deref(), false)?;
    let live = Live::new(setup).map_err(Failure::input)?;
    let server = bind(&args.serve)?;
    server.show(live).map_err(unserved)
}

pub(crate) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let html = page_of(&args.file)?;
    bind(&args.serve)?.show_page(html).map_err(unserved)
}

fn unserved(error: std::io::Error) -> Failure {
    Failure::work(format!("the page cannot be served: {error}"))
}

fn page_of(file: &Path) -> Result<String, Failure> {
    let told = |reason: &str| Failure::input(format!("{}: {reason}", file.display()));
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if ending == "mcap" {
        return page_of_mcap(file);
    }
    let expected = "expected a replay that stiction wrote (.html, .mcap)";
    if let Some((what, remedy)) = other_recording(&ending) {
        return Err(told(&format!("this is {what}; {expected}. {remedy}")));
    }
    // Looked at before it is opened: opening a pipe waits for its writer.
    if std::fs::metadata(file).is_ok_and(|about| !about.is_file()) {
        return Err(told(&format!("not a regular file; {expected}")));
    }
    let html = std::fs::read_to_string(file).map_err(|e| told(&e.to_string()))?;
    if stiction_viewer::replay::is_replay(&html) { Ok(html) } else { Err(told(expected)) }
}

#[cfg(feature = "full")]
fn page_of_mcap(file: &Path) -> Result<String, Failure> {
    stiction_lab::mcap_file::read_mcap(file).map_err(Failure::input)
}

#[cfg(not(feature = "full"))]
fn page_of_mcap(_: &Path) -> Result<String, Failure> {
    Err(crate::full::not_built_in("MCAP, the format of Foxglove,"))
}

/// What a file of another ending is, and how to look at it.
fn other_recording(ending: &str) -> Option<(&'static str, &'static str)> {
    Some(match ending {
        "npz" | "csv" | "parquet" => {
            ("a trajectory, without the shapes to show", "Run its scene again with --replay FILE.html")
        }
        "rrd" => ("a recording of Rerun", "Open it with `rerun FILE`"),
        "toml" | "xml" | "urdf" | "sdf" => ("a scene", "Watch it live with `stiction view FILE`"),
        _ => return None,
    })
}

/// Listens, prints the address, and opens a browser where there is one.
fn bind(args: &ServeArgs) -> Result<Server, Failure> {
    let told = |e: std::io::Error| {
        let remedy = match e.kind() {
            ErrorKind::AddrInUse => "; take another --port, or leave it out for a free one",
            ErrorKind::PermissionDenied => "; take a --port from 1024 on, or leave it out for a free one",
            ErrorKind::AddrNotAvailable => "; --host takes an address of this machine",
            _ => "",
        };
        Failure::work(format!("cannot listen at {}, port {}: {e}{remedy}", args.host, args.port))
    };
    let server = Server::bind(args.host, args.port).map_err(told)?;
    let url = server.url().map_err(told)?;
    say(&format!("{url}\n(end with Ctrl-C)"))?;
    if !args.no_open {
        open(&url);
    }
    Ok(server)
}

/// A machine without a screen or a browser still serves: nothing is said of it.
fn open(url: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some()) => "xdg-open",
        _ => return,
    };
    // Arguments of a program are read by everybody on the machine, and the token is in the address: the browser is given a
    // file that only its owner reads, which leads there.
    let Ok(page) = way_to(url) else { return };
    let mut command = Command::new(opener);
    command.arg(&page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        let _ = std::fs::remove_file(page);
        return;
    }
    // By then it was read, or never will be.
    let remove = move || {
        std::thread::sleep(READ_BY_THEN);
        let _ = std::fs::remove_file(page);
    };
    drop(std::thread::Builder::new().spawn(remove));
}

/// A page that leads to `url`, for the eyes of its owner.
fn way_to(url: &str) -> std::io::Result<PathBuf> {
    // Made with mode 600.
    let mut file = tempfile::Builder::new().prefix("stiction-").suffix(".html").tempfile()?;
    let head = format!("<meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={url}\">");
    write!(
        file,
        "<!doctype html><html><head>{head}<title>stiction</title></head><body><a href=\"{url}\">stiction</a></body></html>"
    )?;
    Ok(file.into_temp_path().keep()?)
}
