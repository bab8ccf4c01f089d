//! A recording as an MCAP file, as Foxglove and other robot tools read it: JSON messages in Foxglove's schemas.
//!
//! | topic | schema | every frame |
//! |---|---|---|
//! | `/scene` | `foxglove.SceneUpdate` | once: the shapes, each in the frame of its body |
//! | `/tf` | `foxglove.FrameTransforms` | poses of the bodies in `world` |
//! | `/contacts` | `foxglove.SceneUpdate` | an arrow a force, ten centimetres for a tenth of the largest of the run |
//! | `/step` | `stiction.Step` | energy, certificate, penetration, iterations, forces, joints, efforts |
//!
//! These cannot say everything the viewer shows (who touches whom, friction cones, inertias, joints), so an attachment
//! holds the recording as the viewer packs it; other tools skip it. That is what [`read_mcap`] finds again.
//!
//! ```text
//!     file = magic, record*, magic      record = kind u8, length u64, body
//!     attachment = two times u64, name and media type (length u32, text), data (length u64), checksum u32
//! ```

use mcap::records::{MessageHeader, Record, op};
use mcap::{Attachment, MAGIC, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use stiction::recording::{Frame, RecordedGeometry, RecordedShape, Recording};

const WORLD: &str = "world";
/// Side of what stands for an endless plane [m].
const PLANE: f64 = 20.0;
/// Length of the arrow of the largest force of the run [m].
const LONGEST_ARROW: f64 = 1.0;
/// Media type of the attachment.
const PACKED: &str = "application/x-stiction-recording";
/// Size of a file that is read, at most [bytes].
const LARGEST: u64 = 4 << 30;

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct McapFailure {
    path: PathBuf,
    reason: String,
}

/// Why a file is not shown: what is wrong with it, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct McapUnread {
    path: PathBuf,
    reason: String,
}

/// The replay of a recording that [`write_mcap`] wrote: the page that `write_replay` of the viewer would have written.
pub fn read_mcap(path: &Path) -> Result<String, McapUnread> {
    let told = |reason: String| McapUnread { path: path.to_owned(), reason };
    let file = stiction_scene::text::read_bytes(path, LARGEST).map_err(told)?;
    let again = "run the scene again with --replay FILE.mcap or FILE.html";
    let packed = packed_in(&file).map_err(|reason| told(reason.to_string()))?;
    let html = stiction_viewer::replay::html_of_packed(&packed);
    html.map_err(|e| told(format!("its recording is damaged: {e}; {again}")))
}

/// Content of the attachment, in a file whose every length may lie.
fn packed_in(file: &[u8]) -> Result<Vec<u8>, Unread> {
    let records = file.strip_prefix(MAGIC).ok_or(Unread::Foreign)?;
    let mut rest = records.strip_suffix(MAGIC).ok_or(Unread::Truncated)?;
    while !rest.is_empty() {
        let mut reader = Words(rest);
        let body = (|| {
            let kind = reader.number(1)?;
            let length = reader.number(8)?;
            Some((kind, reader.take(length)?))
        })();
        let (kind, body) = body.ok_or(Unread::Record)?;
        rest = reader.0;
        if kind != u64::from(op::ATTACHMENT) {
            continue;
        }
        if !is_whole_attachment(body) {
            return Err(Unread::Record);
        }
        match mcap::parse_record(op::ATTACHMENT, body) {
            Ok(Record::Attachment { header, data, .. }) if header.media_type == PACKED => {
                return Ok(data.into_owned());
            }
            Ok(_) => {}
            Err(e) => return Err(Unread::Attachment(e.to_string())),
        }
    }
    Err(Unread::NoRecording)
}

/// Whether the lengths within an attachment add up to its own. (The crate takes that for granted.)
fn is_whole_attachment(body: &[u8]) -> bool {
    let mut reader = Words(body);
    let rest = (|| {
        reader.take(16)?;
        for size in [4, 4, 8] {
            let length = reader.number(size)?;
            reader.take(length)?;
        }
        Some(reader.0.len())
    })();
    rest == Some(4)
}

/// Bytes not read yet.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(head)
    }

    /// Number of `size` bytes, the lowest first.
    fn number(&mut self, size: u64) -> Option<u64> {
        Some(self.take(size)?.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte)))
    }
}

/// Why there is no recording in a file.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Unread {
    #[error("not an MCAP file; expected a recording that `stiction run --replay FILE.mcap` wrote")]
    Foreign,
    #[error("the file ends early: it was not written or copied to its end; make it again")]
    Truncated,
    #[error("a length in it leads beyond the file: it is damaged; make it again")]
    Record,
    #[error("its recording is damaged: {0}; make it again")]
    Attachment(String),
    #[error(
        "it holds no recording of stiction's: another program wrote it, or a stiction that could not read it back; open \
         it in Foxglove, or run the scene again with --replay FILE.mcap or FILE.html"
    )]
    NoRecording,
}

/// Writes `recording` to `path`, replacing what was there.
pub fn write_mcap(path: &Path, recording: &Recording) -> Result<(), McapFailure> {
    let told = |reason: String| McapFailure { path: path.to_owned(), reason };
    let mut file = stiction_store::Beside::create(path).map_err(|e| told(e.to_string()))?;
    write_to(&mut file, recording).map_err(|e| told(with_causes(&e)))?;
    file.finish().map_err(|e| told(e.to_string()))
}

/// An error and those behind it: of a full disk the library says that it could not write, and its cause that it is full.
fn with_causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |e| e.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn write_to(out: impl Write + Seek, recording: &Recording) -> Result<(), mcap::McapError> {
    let mut writer = Writer::new(out)?;
    let topic = |writer: &mut Writer<_>, topic: &str, schema: &str, fields: Value| {
        let text = json!({ "title": schema, "type": "object", "properties": fields }).to_string();
        let schema = writer.add_schema(schema, "jsonschema", text.as_bytes())?;
        writer.add_channel(schema, topic, "json", &BTreeMap::new())
    };
    writer.attach(&Attachment {
        log_time: 0,
        create_time: 0,
        name: "recording".into(),
        media_type: PACKED.into(),
        data: stiction_viewer::replay::packed(recording).into(),
    })?;
    let scene = topic(&mut writer, "/scene", "foxglove.SceneUpdate", json!({}))?;
    let transforms = topic(&mut writer, "/tf", "foxglove.FrameTransforms", json!({}))?;
    let contacts = topic(&mut writer, "/contacts", "foxglove.SceneUpdate", json!({}))?;
    let step = topic(&mut writer, "/step", "stiction.Step", step_fields())?;

    let start = recording.frames.first().map_or(0.0, |f| f.t);
    send(&mut writer, scene, 0, start, &scene_update(recording, start))?;
    let forces = recording.frames.iter().flat_map(|f| &f.contacts).map(|c| norm(&c.force));
    let largest = forces.filter(|f| f.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    for (i, frame) in recording.frames.iter().enumerate() {
        let i = i as u32;
        send(&mut writer, transforms, i, frame.t, &poses(recording, frame))?;
        send(&mut writer, contacts, i, frame.t, &arrows(frame, LONGEST_ARROW / largest))?;
        send(&mut writer, step, i, frame.t, &step_message(recording, frame))?;
    }
    writer.finish().map(drop)
}

fn send<W: Write + Seek>(
    writer: &mut Writer<W>,
    channel_id: u16,
    sequence: u32,
    t: f64,
    message: &Value,
) -> Result<(), mcap::McapError> {
    let time = nanoseconds(t);
    let header = MessageHeader { channel_id, sequence, log_time: time, publish_time: time };
    writer.write_to_known_channel(&header, message.to_string().as_bytes())
}

fn nanoseconds(t: f64) -> u64 {
    (1e9 * t.max(0.0)).round() as u64
}

fn stamp(t: f64) -> Value {
    let n = nanoseconds(t);
    json!({ "sec": n / 1_000_000_000, "nsec": n % 1_000_000_000 })
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn point([x, y, z]: [f64; 3]) -> Value {
    json!({ "x": x, "y": y, "z": z })
}

fn pose(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Value {
    json!({ "position": point(position), "orientation": { "x": x, "y": y, "z": z, "w": w } })
}

fn poses(recording: &Recording, frame: &Frame) -> Value {
    let transform = |(name, (p, [w, x, y, z])): (&String, &([f64; 3], [f64; 4]))| {
        json!({
            "timestamp": stamp(frame.t), "parent_frame_id": WORLD, "child_frame_id": name,
            "translation": point(*p), "rotation": { "x": x, "y": y, "z": z, "w": w },
        })
    };
    json!({ "transforms": recording.bodies.iter().zip(&frame.poses).map(transform).collect::<Vec<_>>() })
}

fn entity(id: &str, frame_id: &str, t: f64) -> Value {
    json!({
        "timestamp": stamp(t), "frame_id": frame_id, "id": id, "lifetime": { "sec": 0, "nsec": 0 },
        "frame_locked": true, "metadata": [], "arrows": [], "cubes": [], "spheres": [], "cylinders": [],
        "lines": [], "triangles": [], "texts": [], "models": [],
    })
}

fn scene_update(recording: &Recording, t: f64) -> Value {
    let entities = recording.geometries.iter().enumerate().map(|(i, geometry)| {
        let frame_id = geometry.body.and_then(|b| recording.bodies.get(b)).map_or(WORLD, String::as_str);
        let mut entity = entity(&format!("{i} {}", geometry.name), frame_id, t);
        draw(geometry, &mut entity);
        entity
    });
    json!({ "deletions": [], "entities": entities.collect::<Vec<_>>() })
}

/// Puts a shape into an entity.
fn draw(geometry: &RecordedGeometry, entity: &mut Value) {
    let RecordedGeometry { position, quaternion, rgba: [r, g, b, a], .. } = *geometry;
    let (at, colour) = (pose(position, quaternion), json!({ "r": r, "g": g, "b": b, "a": a }));
    let sized = |at: Value, size: [f64; 3]| json!({ "pose": at, "size": point(size), "color": colour });
    let round = |size: [f64; 3], top: f64| json!({ "pose": at, "size": point(size), "bottom_scale": 1, "top_scale": top, "color": colour });
    let list = |points: Vec<Value>, indices: Vec<u32>| json!({ "pose": at, "points": points, "color": colour, "colors": [], "indices": indices });
    match &geometry.shape {
        RecordedShape::Plane => entity["cubes"] = json!([sized(at, [PLANE, PLANE, 0.001])]),
        RecordedShape::Box { half } => entity["cubes"] = json!([sized(at, half.map(|x| 2.0 * x))]),
        RecordedShape::Sphere { radius } => entity["spheres"] = json!([sized(at, [2.0 * radius; 3])]),
        RecordedShape::Ellipsoid { radii } => entity["spheres"] = json!([sized(at, radii.map(|x| 2.0 * x))]),
        RecordedShape::Cylinder { radius, half_length } => {
            entity["cylinders"] = json!([round([2.0 * radius, 2.0 * radius, 2.0 * half_length], 1.0)]);
        }
        RecordedShape::Cone { radius, half_height } => {
            entity["cylinders"] = json!([round([2.0 * radius, 2.0 * radius, 2.0 * half_height], 0.0)]);
        }
        RecordedShape::Capsule { radius, half_length } => {
            entity["cylinders"] = json!([round([2.0 * radius, 2.0 * radius, 2.0 * half_length], 1.0)]);
            let [w, x, y, z] = quaternion;
            let axis = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
            let end = |s: f64| {
                sized(pose(std::array::from_fn(|k| position[k] + s * axis[k]), quaternion), [2.0 * radius; 3])
            };
            entity["spheres"] = json!([end(-half_length), end(*half_length)]);
        }
        RecordedShape::Mesh { vertices, triangles } => {
            let points = vertices.iter().map(|v| point(v.map(f64::from))).collect();
            entity["triangles"] = json!([list(points, triangles.concat())]);
        }
        RecordedShape::HeightField { rows, cols, size, heights, .. } => {
            let along = |i: usize, n: usize, side: f64| side * (i as f64 / (n - 1) as f64 - 0.5);
            let place = |(i, &z): (usize, &f32)| {
                point([along(i % cols, *cols, size[0]), along(i / cols, *rows, size[1]), f64::from(z)])
            };
            let cells = (0..rows - 1).flat_map(|r| (0..cols - 1).map(move |c| (r * cols + c) as u32));
            let n = *cols as u32;
            let indices = cells.flat_map(|a| [a, a + 1, a + n + 1, a, a + n + 1, a + n]).collect();
            entity["triangles"] = json!([list(heights.iter().enumerate().map(place).collect(), indices)]);
        }
    }
}

/// Forces on the bodies.
fn arrows(frame: &Frame, metres_per_newton: f64) -> Value {
    let arrow = |c: &stiction::recording::ContactMark| {
        let (size, sign) = (norm(&c.force), if c.bodies[1].is_none() { -1.0 } else { 1.0 });
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        let [x, y, z] = c.force.map(|f| sign * f / size);
        // The shortest turn from the x axis, along which arrows are drawn.
        let w = (0.5 * (1.0 + x)).sqrt();
        let turn = if w > 1e-6 { [w, 0.0, -z / (2.0 * w), y / (2.0 * w)] } else { [0.0, 0.0, 0.0, 1.0] };
        let length = metres_per_newton * size;
        Some(json!({
            "pose": pose(c.point, turn), "shaft_length": 0.8 * length, "shaft_diameter": 0.012,
            "head_length": 0.2 * length, "head_diameter": 0.03, "color": { "r": 0, "g": 0.45, "b": 0.7, "a": 1 },
        }))
    };
    let mut entity = entity("forces", WORLD, frame.t);
    entity["arrows"] = frame.contacts.iter().filter_map(arrow).collect();
    json!({ "deletions": [], "entities": [entity] })
}

fn step_fields() -> Value {
    let number = |about: &str| json!({ "type": "number", "description": about });
    let numbers = |about: &str| json!({ "type": "object", "description": about });
    json!({
        "t": number("[s]"), "energy": number("kinetic and potential [J]"),
        "natural_map": number("certificate, exact law [m/s]"),
        "own_natural_map": number("certificate, the solver's own law [m/s]"),
        "penetration": number("deepest overlap [m]"), "iterations": number("of the contact solver"),
        "contacts": number("contact points"), "force_from_world": numbers("x, y, z [N]"),
        "joints": numbers("by name [rad or m]"), "efforts": numbers("by actuator [N·m or N]"),
    })
}

/// Message of one frame; values that are not numbers become null.
fn step_message(recording: &Recording, frame: &Frame) -> Value {
    let [x, y, z] = frame.force_from_world();
    let mechanism = &recording.mechanism;
    let scalars = mechanism.joints.iter().filter(|j| j.position.is_some()).map(|j| &j.name);
    let named = |names: &mut dyn Iterator<Item = &String>, values: &[f64]| -> Value {
        names
            .zip(values)
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "t": frame.t, "energy": frame.energy, "natural_map": frame.natural_map,
        "own_natural_map": frame.step.own_natural_map, "penetration": frame.step.penetration,
        "iterations": frame.step.iterations, "contacts": frame.contacts.len(),
        "force_from_world": { "x": x, "y": y, "z": z },
        "joints": named(&mut scalars.into_iter(), &frame.joints),
        "efforts": named(&mut mechanism.actuators.iter().map(|a| &a.name), &frame.efforts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{RunOptions, Runner};
    use crate::testing::scratch;
    use std::io::Cursor;
    use stiction_scene::Scene;
    use stiction_viewer::replay::replay_html;

    fn recording(scene: &str) -> Recording {
        let mut setup = Scene::builtin(scene).unwrap().build().unwrap();
        setup.duration = 0.1;
        let options = RunOptions { frames_per_second: Some(50.0), ..RunOptions::default() };
        let mut runner = Runner::new(setup, options).unwrap();
        let summary = runner.run_quietly();
        runner.finish(summary).recording.unwrap()
    }

    fn written(recording: &Recording) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        write_to(&mut file, recording).unwrap();
        file.into_inner()
    }

    /// Every frame is there under every topic, in order of time, and says what the recording says.
    #[test]
    fn other_tools_read_every_frame() {
        let recording = recording("quadruped");
        let file = written(&recording);
        let mut counts = BTreeMap::new();
        let (mut energies, mut last) = (Vec::new(), 0);
        for message in mcap::MessageStream::new(&file).unwrap() {
            let message = message.unwrap();
            let value: Value = serde_json::from_slice(&message.data).unwrap();
            assert!(message.log_time >= last);
            last = message.log_time;
            *counts.entry(message.channel.topic.clone()).or_insert(0) += 1;
            if message.channel.topic == "/step" {
                energies.push(value["energy"].as_f64().unwrap());
                assert_eq!(value["joints"].as_object().unwrap().len(), 12);
            }
            if message.channel.topic == "/scene" {
                assert_eq!(value["entities"].as_array().unwrap().len(), recording.geometries.len());
            }
        }
        let frames = recording.frames.len();
        assert_eq!(frames, 6);
        assert_eq!(counts["/scene"], 1);
        assert!(["/tf", "/contacts", "/step"].iter().all(|t| counts[*t] == frames), "{counts:?}");
        assert!(energies.iter().zip(&recording.frames).all(|(e, f)| *e == f.energy));
        // What we read back is where the summary of the file says, for tools that list attachments.
        let summary = mcap::Summary::read(&file).unwrap().unwrap();
        let attachment = mcap::read::attachment(&file, &summary.attachment_indexes[0]).unwrap();
        assert_eq!(attachment.media_type, PACKED);
    }

    /// A recording that is read back is, byte for byte, the replay that would have been written instead.
    #[test]
    fn a_recording_comes_back_as_its_replay() {
        for scene in ["quadruped", "pile"] {
            let recording = recording(scene);
            let path = scratch("back.mcap", "");
            write_mcap(&path, &recording).unwrap();
            assert!(read_mcap(&path).unwrap() == replay_html(&recording), "{scene}");
        }
    }

    /// Cut anywhere, or with any byte changed, or a length, a file is refused with words or gives what was recorded.
    #[test]
    fn damaged_files_are_told_and_never_shown_wrongly() {
        let recording = recording("ball");
        let (file, whole) = (written(&recording), stiction_viewer::replay::packed(&recording));
        assert!(packed_in(&file).unwrap() == whole);
        for length in 0..file.len() {
            let cut = packed_in(&file[..length]).unwrap_err();
            assert!(cut == if length < MAGIC.len() { Unread::Foreign } else { Unread::Truncated });
        }
        for at in 0..file.len() {
            let damages: [&[u8]; 4] = [&[0x01], &[0x80], &[0xff], &[0xff; 8]];
            for damage in damages {
                let mut damaged = file.clone();
                damaged[at..].iter_mut().zip(damage).for_each(|(byte, flip)| *byte ^= flip);
                assert!(packed_in(&damaged).map_or(true, |packed| packed == whole), "byte {at}");
            }
        }
    }

    #[test]
    fn files_of_others_are_refused_with_a_remedy() {
        let mut foreign = Cursor::new(Vec::new());
        let mut writer = Writer::new(&mut foreign).unwrap();
        let (time, data) = (0, b"{}"[..].into());
        let (name, media_type) = ("calibration".into(), "application/json".into());
        writer.attach(&Attachment { log_time: time, create_time: time, name, media_type, data }).unwrap();
        writer.finish().unwrap();
        drop(writer);
        let told = |bytes: &[u8]| {
            let path = scratch("other.mcap", "");
            std::fs::write(&path, bytes).unwrap();
            read_mcap(&path).unwrap_err().to_string()
        };
        for (bytes, words) in [
            (
                foreign.get_ref().as_slice(),
                ["other.mcap: ", "no recording of stiction's", "run the scene again"],
            ),
            (b"<html>", ["other.mcap: ", "not an MCAP file", "stiction run --replay"]),
            (b"", ["other.mcap: ", "not an MCAP file", "stiction run --replay"]),
            (&foreign.get_ref()[..99], ["other.mcap: ", "ends early", "make it again"]),
        ] {
            let said = told(bytes);
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
        }
        assert!(read_mcap(Path::new("nowhere.mcap")).unwrap_err().to_string().contains("nowhere.mcap: "));
    }
}
