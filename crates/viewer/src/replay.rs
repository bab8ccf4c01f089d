//! A replay: one HTML file that plays a recording in any browser, without a network.
//!
//! ```text
//! file = template with   title := escape(name)   and   recording := base64(deflate(pack(recording)))
//! ```
//!
//! The template is built from `page/` and committed, so that building this crate needs no Node. Nothing a scene
//! can be called reaches the page as markup: the title is escaped, everything else is inside the base64 text and the
//! page writes it with `textContent`. The page forbids itself the network, and scripts other than its own, by a
//! Content-Security-Policy.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use stiction::recording::{Frame, Recording, RecordingFault};

use crate::protocol;

const TEMPLATE: &str = include_str!("../page/dist/replay.html");
/// Neither can be forged by a name: an escaped title and base64 hold no `<`.
const TITLE_SLOT: &str = "<!--slot:title-->";
const RECORDING_SLOT: &str = "<!--slot:recording-->";
/// What the page may connect to: nothing, or where it came from.
const CONNECT_SLOT: &str = "<!--slot:connect-->";

const SERVER: &str = "; connect-src 'self'";

/// Bytes of a recording that is still opened.
const LARGEST: usize = 1 << 30;

/// 0 (store) to 10 (smallest); 6 is the usual compromise.
const DEFLATE_LEVEL: u8 = 6;

/// Writes the replay of `recording` to `path`, replacing what was there.
///
/// # Errors
/// When the recording contradicts itself ([`Recording::check`]) or the file cannot be written.
pub fn write_replay(path: impl AsRef<Path>, recording: &Recording) -> Result<(), ReplayError> {
    recording.check()?;
    let path = path.as_ref();
    stiction_store::write(path, replay_html(recording))
        .map_err(|source| ReplayError::Write { path: path.to_path_buf(), source })
}

/// The replay as text. A recording that [`Recording::check`] would refuse still gives a page, which shows what it can.
#[must_use]
pub fn replay_html(recording: &Recording) -> String {
    page(&recording.name, "", &embeddable(recording))
}

/// The recording as the page reads it: deflate(pack(recording)). Files of other formats carry it along.
#[must_use]
pub fn packed(recording: &Recording) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(&protocol::pack(recording), DEFLATE_LEVEL)
}

/// The replay of what [`packed`] gave.
///
/// # Errors
/// When the bytes are no recording, or one of another version, or the page could not show it.
pub fn html_of_packed(packed: &[u8]) -> Result<String, PackedFault> {
    let pack = unpacked(packed)?;
    let (scene, frames) = protocol::unpack(&pack)?;
    let scene: SceneHead = serde_json::from_str(scene)?;
    if !(protocol::OLDEST..=protocol::VERSION).contains(&scene.stiction_protocol) {
        return Err(PackedFault::Version { got: scene.stiction_protocol });
    }
    let count = scene.bodies.len();
    let strange = |b: &Option<usize>| b.is_some_and(|b| b >= count);
    let fits = |f: &Frame| {
        let patches = f.patches.iter().flat_map(|p| &p.bodies);
        f.poses.len() == count && !f.contacts.iter().flat_map(|c| &c.bodies).chain(patches).any(strange)
    };
    match frames.iter().position(|f| !fits(f)) {
        Some(frame) => Err(PackedFault::Bodies { frame, count }),
        None => Ok(page(&scene.name, "", &BASE64.encode(packed))),
    }
}

/// What there is to check of a scene message.
#[derive(Deserialize)]
struct SceneHead {
    stiction_protocol: u32,
    name: String,
    bodies: Vec<String>,
}

fn embeddable(recording: &Recording) -> String {
    BASE64.encode(packed(recording))
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, PackedFault> {
    miniz_oxide::inflate::decompress_to_vec_with_limit(packed, LARGEST).map_err(|_| PackedFault::Deflate)
}

/// Whether a text is a page this program could have written: it holds a recording that can be read.
#[must_use]
pub fn is_replay(html: &str) -> bool {
    embedded(html).is_some_and(|pack| protocol::unpack(&pack).is_ok())
}

/// The recording between the tags of its data block, as the page finds it.
fn embedded(html: &str) -> Option<Vec<u8>> {
    let (_, after) = html.split_once(r#"id="recording">"#)?;
    let (text, _) = after.split_once("</script>")?;
    unpacked(&BASE64.decode(text.trim()).ok()?).ok()
}

/// The page of a live session: without a recording it asks the server it came from.
pub(crate) fn live_html(name: &str) -> String {
    page(name, SERVER, "")
}

/// A replay that may hand pictures to the server it came from.
pub(crate) fn photographed_html(recording: &Recording) -> String {
    page(&recording.name, SERVER, &embeddable(recording))
}

fn page(name: &str, connect: &str, recording: &str) -> String {
    let slots = [(CONNECT_SLOT, connect), (TITLE_SLOT, &escape_html(name)), (RECORDING_SLOT, recording)];
    slots.iter().fold(TEMPLATE.to_owned(), |page, (slot, content)| page.replacen(slot, content, 1))
}

/// Why no replay was written.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("this recording cannot be shown: {0}")]
    Recording(#[from] RecordingFault),
    #[error("cannot write the replay to {}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Why bytes are not a recording that can be shown.
#[derive(Debug, thiserror::Error)]
pub enum PackedFault {
    #[error("it cannot be unpacked")]
    Deflate,
    #[error(transparent)]
    Message(#[from] protocol::DecodeError),
    #[error("its scene cannot be read: {0}")]
    Scene(#[from] serde_json::Error),
    #[error(
        "it was written by another version of stiction, with protocol {got} instead of {}",
        protocol::VERSION
    )]
    Version { got: u32 },
    #[error("frame {frame} does not fit the {count} bodies of its scene")]
    Bodies { frame: usize, count: usize },
}

fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::Mechanism;

    fn recording(name: &str) -> Recording {
        Recording {
            name: name.into(),
            contact_model: "ncp-pgs".into(),
            dt: 1e-3,
            tolerance: 1e-8,
            notes: Vec::new(),
            bodies: vec!["box".into()],
            geometries: vec![],
            mechanism: Mechanism::default(),
            runs: vec![],
            frames: vec![Frame {
                t: 0.0,
                poses: vec![([0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0])],
                contacts: vec![],
                natural_map: f64::NAN,
                energy: 9.81,
                ..Frame::default()
            }],
        }
    }

    #[test]
    fn each_slot_is_there_once() {
        assert_eq!(TEMPLATE.matches(TITLE_SLOT).count(), 1);
        assert_eq!(TEMPLATE.matches(RECORDING_SLOT).count(), 1);
        assert_eq!(TEMPLATE.matches(CONNECT_SLOT).count(), 1);
    }

    #[test]
    fn the_page_is_self_contained() {
        let html = replay_html(&recording("box"));
        // The markup, without the bundled script: no tag that loads anything.
        let start = html.find("<script>").unwrap() + "<script>".len();
        let end = start + html[start..].find("</script>").unwrap();
        let markup = format!("{}{}", &html[..start], &html[end..]);
        for loads in [" src=", " href=", "<link", "@import", "url(", "http:", "https:"] {
            assert!(!markup.contains(loads), "the markup contains `{loads}`");
        }
        // The script may name XML namespaces, but the browser refuses it every connection.
        assert!(markup.contains("Content-Security-Policy"));
        assert!(markup.contains("default-src 'none'"));
        assert!(!markup.contains("connect-src"));
    }

    #[test]
    fn the_page_holds_the_recording() {
        let recording = recording("box");
        let html = replay_html(&recording);
        let pack = embedded(&html).unwrap();
        let (scene, frames) = protocol::unpack(&pack).unwrap();
        assert_eq!(scene, protocol::scene_json(&recording));
        assert_eq!(frames[0].energy, 9.81);
    }

    #[test]
    fn a_name_cannot_become_markup() {
        let scripts = |html: &str| html.matches("<script").count();
        let plain = replay_html(&recording("box"));
        for name in [
            "</script><script>alert(1)</script>",
            "</title><script>alert(1)</script>",
            "<!--slot:recording--><img onerror=alert(1)>",
            "a & b \" ' <!--",
        ] {
            let mut hostile = recording(name);
            hostile.bodies[0] = name.into();
            hostile.contact_model = name.into();
            let html = replay_html(&hostile);
            assert!(!html.contains(name), "`{name}` reached the page unescaped");
            assert_eq!(scripts(&html), scripts(&plain));
            assert!(html.contains(&escape_html(name)));
            // And it is still the name: the page gets it back as it was.
            let pack = embedded(&html).unwrap();
            let scene: serde_json::Value = serde_json::from_str(protocol::unpack(&pack).unwrap().0).unwrap();
            assert_eq!(scene["name"], name);
        }
    }

    #[test]
    fn a_packed_recording_makes_the_same_page_and_damage_is_told() {
        let recording = recording("box");
        assert_eq!(html_of_packed(&packed(&recording)).unwrap(), replay_html(&recording));

        let told = |pack: &[u8]| {
            let packed = miniz_oxide::deflate::compress_to_vec(pack, DEFLATE_LEVEL);
            html_of_packed(&packed).unwrap_err().to_string()
        };
        let pack = protocol::pack(&recording);
        assert!(told(&pack[..pack.len() - 1]).contains("end in the middle"));
        let text = |from: &str, to: &str| {
            assert_eq!(from.len(), to.len());
            let at = pack.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
            let mut other = pack.clone();
            other[at..at + to.len()].copy_from_slice(to.as_bytes());
            other
        };
        assert!(told(&text("protocol\":5", "protocol\":3")).contains("protocol 3 instead of 5"));
        let older =
            miniz_oxide::deflate::compress_to_vec(&text("protocol\":5", "protocol\":4"), DEFLATE_LEVEL);
        assert!(html_of_packed(&older).is_ok());
        assert!(told(&text("[\"box\"]", "[     ]")).contains("frame 0 does not fit the 0 bodies"));
        assert!(told(&text("\"name\":", "\"nome\":")).contains("scene"));
        assert!(html_of_packed(b"nonsense").unwrap_err().to_string().contains("unpacked"));
    }

    #[test]
    fn a_contradictory_recording_is_refused() {
        let mut broken = recording("box");
        broken.frames[0].poses.clear();
        let path = std::env::temp_dir().join("stiction-replay-that-is-never-written.html");
        assert!(matches!(write_replay(&path, &broken), Err(ReplayError::Recording(_))));
        assert!(!path.exists());
    }

    /// Ten seconds of a quadruped at 60 frames a second: 13 bodies, 20 geometries, 4 contacts, in less than 2 MB.
    #[test]
    fn a_quadruped_of_ten_seconds_is_small() {
        use stiction::recording::{ContactMark, ContactMode, RecordedGeometry, RecordedShape};
        let wave = |i: usize, k: usize| (0.1 * i as f64 + k as f64).sin();
        let frame = |i: usize| Frame {
            t: i as f64 / 60.0,
            poses: (0..13)
                .map(|k| ([wave(i, k), wave(i, k + 1), 0.3], [wave(i, k), 0.6, wave(i, k + 2), 0.1]))
                .collect(),
            contacts: (0..4)
                .map(|k| ContactMark {
                    bodies: [None, Some(k)],
                    point: [wave(i, k), wave(i, k + 5), 0.0],
                    normal: [0.0, 0.0, 1.0],
                    force: [wave(i, k), wave(i, k + 3), 30.0 + wave(i, k + 4)],
                    mu: 0.8,
                    mode: ContactMode::Stick,
                })
                .collect(),
            natural_map: 1e-10,
            energy: wave(i, 0),
            joints: (0..12).map(|k| wave(i, k)).collect(),
            efforts: (0..12).map(|k| wave(i, k + 3)).collect(),
            ..Frame::default()
        };
        let geometry = |k: usize| RecordedGeometry {
            name: format!("link_{k}_collision"),
            body: Some(k % 13),
            shape: RecordedShape::Capsule { radius: 0.02, half_length: 0.1 },
            position: [0.1, 0.2, 0.3],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            rgba: RecordedGeometry::UNCOLOURED,
        };
        let recording = Recording {
            bodies: (0..13).map(|k| format!("link_{k}")).collect(),
            geometries: (0..20).map(geometry).collect(),
            frames: (0..600).map(frame).collect(),
            ..recording("quadruped")
        };
        assert_eq!(recording.check(), Ok(()));
        let size = replay_html(&recording).len();
        println!("replay {size} bytes, of which page {}", TEMPLATE.len());
        assert!(size < 2_000_000, "{size} bytes");
    }
}
