//! A recording as an MCAP file, as Foxglove and other robot tools read it: JSON messages in Foxglove's schemas.
//!
//! | topic | schema | every frame |
//! |---|---|---|
//! | `/scene` | `foxglove.SceneUpdate` | once: the shapes, each in the frame of its body |
//! | `/tf` | `foxglove.FrameTransforms` | poses of the bodies in `world` |
//! | `/contacts` | `foxglove.SceneUpdate` | an arrow a force, ten centimetres for a tenth of the largest of the run |
//! | `/step` | `stiction.Step` | energy, certificate, penetration, iterations, forces, joints, efforts |

use mcap::Writer;
use mcap::records::MessageHeader;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use stiction::recording::{Frame, RecordedGeometry, RecordedShape, Recording};

const WORLD: &str = "world";
/// Side of what stands for an endless plane [m].
const PLANE: f64 = 20.0;
/// Of the largest force of the run [m].
const LONGEST_ARROW: f64 = 1.0;

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct McapFailure {
    path: PathBuf,
    reason: String,
}

/// Writes `recording` to `path`, replacing what was there.
pub fn write_mcap(path: &Path, recording: &Recording) -> Result<(), McapFailure> {
    let told = |reason: String| McapFailure { path: path.to_owned(), reason };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| told(e.to_string()))?;
    }
    let file = std::fs::File::create(path).map_err(|e| told(e.to_string()))?;
    write_to(BufWriter::new(file), recording).map_err(|e| told(e.to_string()))
}

fn write_to(out: impl Write + Seek, recording: &Recording) -> Result<(), mcap::McapError> {
    let mut writer = Writer::new(out)?;
    let topic = |writer: &mut Writer<_>, topic: &str, schema: &str, fields: Value| {
        let text = json!({ "title": schema, "type": "object", "properties": fields }).to_string();
        let schema = writer.add_schema(schema, "jsonschema", text.as_bytes())?;
        writer.add_channel(schema, topic, "json", &BTreeMap::new())
    };
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

/// What is not a number becomes null.
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
    use crate::scene::Scene;
    use std::io::Cursor;

    /// Every frame is there under every topic, in order of time, and says what the recording says.
    #[test]
    fn a_run_can_be_read_back() {
        let mut setup = Scene::builtin("quadruped").unwrap().build().unwrap();
        setup.duration = 0.1;
        let options = RunOptions { frames_per_second: Some(50.0), ..RunOptions::default() };
        let mut runner = Runner::new(setup, options).unwrap();
        let summary = runner.run_quietly();
        let recording = runner.finish(summary).recording.unwrap();
        let mut file = Cursor::new(Vec::new());
        write_to(&mut file, &recording).unwrap();

        let mut counts = BTreeMap::new();
        let (mut energies, mut last) = (Vec::new(), 0);
        for message in mcap::MessageStream::new(file.get_ref()).unwrap() {
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
    }
}
