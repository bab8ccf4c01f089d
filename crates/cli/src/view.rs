//! `stiction view`: a scene, live in a browser. `stiction replay`: a page written before.

use crate::args::{ReplayArgs, ServeArgs, ViewArgs};
use crate::failure::Failure;
use crate::output::{complain, say};
use std::path::Path;
use std::process::{Command, Stdio};
use stiction_lab::Live;
use stiction_viewer::Server;

pub(crate) fn view(args: &ViewArgs) -> Result<(), Failure> {
    let scene = args.scene.load()?;
    let mut setup = scene.build().map_err(Failure::input)?;
    args.scene.overrides(args.contact.as_deref()).apply(&mut setup);
    setup.notes.iter().for_each(|note| complain(&format!("note: {note}")));
    let live = Live::new(setup).map_err(Failure::input)?;
    let server = bind(&args.serve)?;
    server.show(live).map_err(Failure::work)
}

pub(crate) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let told = |reason: &str| Failure::input(format!("{}: {reason}", args.file.display()));
    let expected = "expected a replay that stiction wrote (.html)";
    if let Some((what, remedy)) = other_recording(&args.file) {
        return Err(told(&format!("this is {what}; {expected}. {remedy}")));
    }
    let html = std::fs::read_to_string(&args.file).map_err(|e| told(&e.to_string()))?;
    if !stiction_viewer::replay::is_replay(&html) {
        return Err(told(expected));
    }
    let server = bind(&args.serve)?;
    server.show_page(html).map_err(Failure::work)
}

/// What a file of another ending is, and how to look at it.
fn other_recording(file: &Path) -> Option<(&'static str, &'static str)> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*ending {
        "mcap" => {
            ("a recording for Foxglove", "Open it there, or run the scene again with --replay FILE.html")
        }
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
    let told = |e| Failure::work(format!("cannot listen at {}, port {}: {e}", args.host, args.port));
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
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(command.spawn());
}
