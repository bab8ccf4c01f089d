//! A headless Chromium that photographs the page.

use crate::args::Size;
use crate::failure::Failure;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use stiction::recording::Recording;
use stiction_viewer::Server;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Between two looks for a picture.
const PATIENCE: Duration = Duration::from_millis(5);

/// Gives the pictures (PNG) of all frames to `take`, in order, until that breaks off.
pub(crate) fn photograph(
    recording: &Recording,
    size: Size,
    mut take: impl FnMut(usize, &[u8]) -> Result<ControlFlow<()>, Failure>,
) -> Result<(), Failure> {
    let server = Server::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).map_err(Failure::work)?;
    let Size { width, height } = size;
    let (url, pictures) = server.photograph(recording, width, height).map_err(Failure::work)?;
    let mut browser = Browser::open(&url, size)?;
    let mut count = 0;
    while count < recording.frames.len() {
        match pictures.try_recv() {
            Ok(picture) => {
                if take(count, &picture)?.is_break() {
                    break;
                }
                count += 1;
            }
            Err(_) => match browser.child.try_wait() {
                Ok(None) => std::thread::sleep(PATIENCE),
                ended => {
                    let why = ended.map_or_else(|e| e.to_string(), |status| format!("{status:?}"));
                    let done = recording.frames.len();
                    return Err(Failure::work(format!(
                        "Chromium ended after {count} of {done} pictures: {why}"
                    )));
                }
            },
        }
    }
    Ok(())
}

/// Ends with us; its profile is a folder of its own, taken away again.
struct Browser {
    child: Child,
    profile: PathBuf,
}

impl Browser {
    fn open(url: &str, Size { width, height }: Size) -> Result<Self, Failure> {
        let profile = std::env::temp_dir().join(format!("stiction-chromium-{}", std::process::id()));
        let asked = std::env::var("CHROMIUM").ok();
        let names = asked.as_deref().map_or(NAMES.to_vec(), |name| vec![name]);
        for name in &names {
            let mut command = Command::new(name);
            command.args(["--headless=new", "--no-first-run", "--hide-scrollbars", "--mute-audio"]);
            // Without a graphics card WebGL is computed, which has to be allowed by name.
            command.args(["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]);
            if is_root() {
                command.arg("--no-sandbox"); // Chromium refuses to run as root with it
            }
            command.arg(format!("--window-size={width},{height}")).arg("--force-device-scale-factor=1");
            command.arg(format!("--user-data-dir={}", profile.display())).arg(url);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(child) => return Ok(Self { child, profile }),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(Failure::work(format!("cannot start {name}: {e}"))),
            }
        }
        let remedy = "install Chromium, name it in $CHROMIUM, or leave --browser out";
        Err(Failure::work(format!("there is no {}: {remedy}", names.join(", no "))))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|us| us.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}
