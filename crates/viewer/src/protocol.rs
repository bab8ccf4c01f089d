//! What the page is told: the scene once as JSON, then one binary message per frame.
//!
//! Both messages are the same whether they travel in a file ([`pack`]) or, one by one, over a socket. The page's
//! `src/protocol.ts` is the twin of this file; a change of layout raises [`VERSION`] in both.
//!
//! # Scene (JSON, UTF-8)
//! ```text
//! { "stiction_protocol": 4, "name", "contact_model", "dt" [s], "tolerance" [m/s] | null, "notes": [sentence, ..],
//!   "bodies": [name, ..],
//!   "geometries": [{ "name", "body": index | null, "shape": { "kind", .. }, "position" [m], "quaternion" (w x y z),
//!                    "rgba" }, ..],
//!   "mechanism": { "inertias": [..], "joints": [..], "actuators": [..] },      as in stiction::recording
//!   "runs": [{ "name", "first", "count" }, ..] }      several runs: whose bodies are whose; else empty
//! ```
//!
//! # Frame (little endian, every field aligned to 4 bytes)
//! ```text
//! offset  size       field
//!      0  f64        t [s]
//!      8  f64        energy [J]
//!     16  f64        natural map, exact law [m/s], NaN: not asked for
//!     24  f64        natural map of the solver's own law [m/s], NaN: not asked for
//!     32  f32        deepest overlap [m]
//!     36  u32        iterations of the contact solver
//!     40  u32        outcome of the step: 0 none, 1 converged, 2 not converged, 3 failed, 4 rounding; 256 times its
//!                    remedy: 0 none, 1 less restitution, 2 without feedback of loops,
//!                    3 without restitution, 4 energy guard, 5 halved, 6 impacts at once
//!     44  i32        the constraint with the largest natural map: a contact, or beyond them; −1: none
//!     48  u32 × 4    numbers of bodies nb, contacts nc, joint positions nj, actuators nu
//!     64  nb × 7 f32 X_WB: position [m], quaternion (w x y z)
//!      …  nc × 52 B  i32 A, i32 B (body index, −1: the world), u32 mode (0 open, 1 stick, 2 slide),
//!                    f32 × 3 point [m], f32 × 3 normal, f32 × 3 force on B [N], f32 mu
//!      …  nj × f32   positions of hinges, slides and screws [rad or m]
//!      …  nu × f32   efforts of the actuators [N·m or N]
//! ```
//! Single precision places a body 10 m away to within 1 µm, and nearer ones need no more: lengths, unit vectors,
//! quaternions and joint positions are rounded to multiples of 2⁻²⁰, forces and efforts to 21 binary digits. A recording
//! deflates the better for it: bodies at rest cost nothing. Time, energy and certificate keep double precision because one
//! reads them as numbers.
//!
//! # Pack
//! The messages one after the other, each behind its length (u32, little endian); the scene first.

use serde::Serialize;
use stiction::Remedy;
use stiction::recording::{
    ContactMark, ContactMode, Frame, Mechanism, RecordedGeometry, RecordedRun, Recording, StepMark,
    StepOutcome,
};

/// Raised with every change of layout.
pub const VERSION: u32 = 4;

const FRAME_HEADER: usize = 64;
const POSE_SIZE: usize = 28;
const CONTACT_SIZE: usize = 52;
const SINGLE: usize = 4;
/// Lengths are told in steps of one over this [m].
const GRID: f64 = 1_048_576.0;
/// Of a single's 24 binary digits, those that a force does without.
const SPARE_BITS: u32 = 3;
/// The world among bodies; nothing among constraints.
const NONE: i32 = -1;

#[derive(Serialize)]
struct SceneMessage<'a> {
    stiction_protocol: u32,
    name: &'a str,
    contact_model: &'a str,
    dt: f64,
    tolerance: f64,
    notes: &'a [String],
    bodies: &'a [String],
    geometries: &'a [RecordedGeometry],
    mechanism: &'a Mechanism,
    runs: &'a [RecordedRun],
}

/// The scene message. A number that is not finite becomes `null`.
#[must_use]
pub fn scene_json(recording: &Recording) -> String {
    let message = SceneMessage {
        stiction_protocol: VERSION,
        name: &recording.name,
        contact_model: &recording.contact_model,
        dt: recording.dt,
        tolerance: recording.tolerance,
        notes: &recording.notes,
        bodies: &recording.bodies,
        geometries: &recording.geometries,
        mechanism: &recording.mechanism,
        runs: &recording.runs,
    };
    serde_json::to_string(&message).expect("strings, numbers and lists always have a JSON form")
}

/// Appends the message of one frame to `out`.
pub fn encode_frame_into(frame: &Frame, out: &mut Vec<u8>) {
    out.reserve(frame_size(frame));
    let step = &frame.step;
    for header in [frame.t, frame.energy, frame.natural_map, step.own_natural_map] {
        out.extend(header.to_le_bytes());
    }
    put_singles(out, &[step.penetration]);
    out.extend(step.iterations.to_le_bytes());
    out.extend((outcome_code(step.outcome) + (remedy_code(step.remedy) << 8)).to_le_bytes());
    out.extend(index_i32(step.worst).to_le_bytes());
    for count in counts(frame) {
        out.extend(length_u32(count).to_le_bytes());
    }
    for (position, quaternion) in &frame.poses {
        put_on_grid(out, position);
        put_on_grid(out, quaternion);
    }
    for mark in &frame.contacts {
        for end in mark.bodies {
            out.extend(index_i32(end).to_le_bytes());
        }
        out.extend(mode_code(mark.mode).to_le_bytes());
        put_on_grid(out, &mark.point);
        put_on_grid(out, &mark.normal);
        put_rounded(out, &mark.force);
        put_singles(out, &[mark.mu]);
    }
    put_on_grid(out, &frame.joints);
    put_rounded(out, &frame.efforts);
}

/// Reads one frame message back; what was written in double precision returns bit for bit.
///
/// # Errors
/// When the bytes are not one whole frame.
pub fn decode_frame(bytes: &[u8]) -> Result<Frame, DecodeError> {
    let mut reader = Reader { rest: bytes };
    let [t, energy, natural_map, own_natural_map] = reader.doubles()?;
    let [penetration] = reader.singles()?;
    let iterations = u32::from_le_bytes(reader.take()?);
    let codes = u32::from_le_bytes(reader.take()?);
    let (outcome, remedy) = (outcome_of_code(codes & 0xff)?, remedy_of_code(codes >> 8)?);
    let worst = reader.index()?;
    let (bodies, contacts) = (reader.count()?, reader.count()?);
    let (joints, efforts) = (reader.count()?, reader.count()?);
    // Counts are believed only when the bytes are there, so that no lie makes us allocate.
    let sizes = [(bodies, POSE_SIZE), (contacts, CONTACT_SIZE), (joints, SINGLE), (efforts, SINGLE)];
    let needed: u128 = sizes.iter().map(|&(count, size)| count as u128 * size as u128).sum();
    if needed != reader.rest.len() as u128 {
        return Err(DecodeError::Length { got: bytes.len() });
    }
    Ok(Frame {
        t,
        energy,
        natural_map,
        step: StepMark { own_natural_map, penetration, iterations, outcome, remedy, worst },
        poses: (0..bodies)
            .map(|_| Ok((reader.singles()?, reader.singles()?)))
            .collect::<Result<_, DecodeError>>()?,
        contacts: (0..contacts).map(|_| reader.contact()).collect::<Result<_, _>>()?,
        joints: (0..joints).map(|_| reader.single()).collect::<Result<_, _>>()?,
        efforts: (0..efforts).map(|_| reader.single()).collect::<Result<_, _>>()?,
    })
}

/// The whole recording as one run of bytes.
#[must_use]
pub fn pack(recording: &Recording) -> Vec<u8> {
    let scene = scene_json(recording);
    let mut out = Vec::with_capacity(scene.len() + 4);
    out.extend(length_u32(scene.len()).to_le_bytes());
    out.extend(scene.as_bytes());
    for frame in &recording.frames {
        let size = frame_size(frame);
        out.extend(length_u32(size).to_le_bytes());
        encode_frame_into(frame, &mut out);
    }
    out
}

/// Takes a pack apart: the scene message, and the frames decoded.
///
/// # Errors
/// When the bytes end early or a frame is malformed.
pub fn unpack(bytes: &[u8]) -> Result<(&str, Vec<Frame>), DecodeError> {
    let mut reader = Reader { rest: bytes };
    let scene = std::str::from_utf8(reader.message()?).map_err(|_| DecodeError::SceneText)?;
    let mut frames = Vec::new();
    while !reader.rest.is_empty() {
        frames.push(decode_frame(reader.message()?)?);
    }
    Ok((scene, frames))
}

/// Why bytes are not a message of this protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("a frame cannot be {got} bytes long with the counts in its header")]
    Length { got: usize },
    #[error("the bytes end in the middle of a message")]
    Truncated,
    #[error("contact mode {0} is none of 0 (open), 1 (stick), 2 (slide)")]
    Mode(u32),
    #[error(
        "step outcome {0} is none of 0 (none), 1 (converged), 2 (not converged), 3 (failed), 4 (rounding)"
    )]
    Outcome(u32),
    #[error("remedy {0} is none of 0 (none) to 5")]
    Remedy(u32),
    #[error("index {0} is negative and not -1 (none)")]
    Index(i32),
    #[error("the scene message is not UTF-8")]
    SceneText,
}

/// Bodies, contacts, joints, actuators.
fn counts(frame: &Frame) -> [usize; 4] {
    [frame.poses.len(), frame.contacts.len(), frame.joints.len(), frame.efforts.len()]
}

fn frame_size(frame: &Frame) -> usize {
    let [bodies, contacts, joints, efforts] = counts(frame);
    FRAME_HEADER + bodies * POSE_SIZE + contacts * CONTACT_SIZE + (joints + efforts) * SINGLE
}

fn index_i32(index: Option<usize>) -> i32 {
    index.map_or(NONE, |index| length_u32(index).cast_signed())
}

fn length_u32(length: usize) -> u32 {
    u32::try_from(length).expect("a message of 4 GiB is not something to look at")
}

#[expect(clippy::cast_possible_truncation, reason = "single precision is the format")]
fn put_singles(out: &mut Vec<u8>, values: &[f64]) {
    for &value in values {
        out.extend((value as f32).to_le_bytes());
    }
}

/// Multiples of 2⁻²⁰.
fn put_on_grid(out: &mut Vec<u8>, values: &[f64]) {
    for &value in values {
        put_singles(out, &[(value * GRID).round() / GRID]);
    }
}

/// To 21 binary digits; what is not finite stays so.
#[expect(clippy::cast_possible_truncation, reason = "single precision is the format")]
fn put_rounded(out: &mut Vec<u8>, values: &[f64]) {
    for &value in values {
        let single = value as f32;
        let bits = single.to_bits();
        let half = 1 << (SPARE_BITS - 1);
        let rounded = if single.is_finite() { (bits + half) >> SPARE_BITS << SPARE_BITS } else { bits };
        out.extend(rounded.to_le_bytes());
    }
}

fn mode_code(mode: ContactMode) -> u32 {
    match mode {
        ContactMode::Open => 0,
        ContactMode::Stick => 1,
        ContactMode::Slide => 2,
    }
}

fn mode_of_code(code: u32) -> Result<ContactMode, DecodeError> {
    match code {
        0 => Ok(ContactMode::Open),
        1 => Ok(ContactMode::Stick),
        2 => Ok(ContactMode::Slide),
        _ => Err(DecodeError::Mode(code)),
    }
}

fn outcome_code(outcome: StepOutcome) -> u32 {
    match outcome {
        StepOutcome::None => 0,
        StepOutcome::Converged => 1,
        StepOutcome::NotConverged => 2,
        StepOutcome::Failed => 3,
        StepOutcome::Rounding => 4,
        StepOutcome::GainedEnergy => 5,
    }
}

fn outcome_of_code(code: u32) -> Result<StepOutcome, DecodeError> {
    match code {
        0 => Ok(StepOutcome::None),
        1 => Ok(StepOutcome::Converged),
        2 => Ok(StepOutcome::NotConverged),
        3 => Ok(StepOutcome::Failed),
        4 => Ok(StepOutcome::Rounding),
        5 => Ok(StepOutcome::GainedEnergy),
        _ => Err(DecodeError::Outcome(code)),
    }
}

fn remedy_code(remedy: Option<Remedy>) -> u32 {
    let place = Remedy::ALL.iter().zip(1..).find(|(r, _)| Some(**r) == remedy);
    place.map_or(0, |(_, code)| code)
}

fn remedy_of_code(code: u32) -> Result<Option<Remedy>, DecodeError> {
    match code.checked_sub(1) {
        None => Ok(None),
        Some(place) => {
            let remedy = Remedy::ALL.get(place as usize).ok_or(DecodeError::Remedy(code))?;
            Ok(Some(*remedy))
        }
    }
}

/// Bytes not read yet.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    fn count(&mut self) -> Result<usize, DecodeError> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    fn singles<const N: usize>(&mut self) -> Result<[f64; N], DecodeError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::from(f32::from_le_bytes(self.take()?));
        }
        Ok(values)
    }

    fn doubles<const N: usize>(&mut self) -> Result<[f64; N], DecodeError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::from_le_bytes(self.take()?);
        }
        Ok(values)
    }

    fn single(&mut self) -> Result<f64, DecodeError> {
        Ok(f64::from(f32::from_le_bytes(self.take()?)))
    }

    fn index(&mut self) -> Result<Option<usize>, DecodeError> {
        match i32::from_le_bytes(self.take()?) {
            NONE => Ok(None),
            index => usize::try_from(index).map(Some).map_err(|_| DecodeError::Index(index)),
        }
    }

    fn contact(&mut self) -> Result<ContactMark, DecodeError> {
        let bodies = [self.index()?, self.index()?];
        let mode = mode_of_code(u32::from_le_bytes(self.take()?))?;
        let (point, normal, force) = (self.singles()?, self.singles()?, self.singles()?);
        Ok(ContactMark { bodies, point, normal, force, mu: self.single()?, mode })
    }

    fn message(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.count()?;
        let (head, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::RecordedShape;

    /// Numbers that single precision holds exactly, so that the round trip can be compared with `==`.
    fn exact_frame() -> Frame {
        let mark = |bodies, mode| ContactMark {
            bodies,
            point: [0.5, -0.25, 0.0],
            normal: [0.0, 0.0, 1.0],
            force: [1.5, 0.0, 24.5],
            mu: 0.75,
            mode,
        };
        Frame {
            t: 0.1,
            poses: vec![([1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0]), ([-1.0, 0.5, 0.125], [0.5, 0.5, -0.5, 0.5])],
            contacts: vec![
                mark([None, Some(1)], ContactMode::Stick),
                mark([Some(0), Some(1)], ContactMode::Slide),
                mark([Some(1), None], ContactMode::Open),
            ],
            natural_map: 3.0e-13,
            energy: std::f64::consts::PI,
            step: StepMark {
                own_natural_map: 2.0e-13,
                penetration: 0.5,
                iterations: 9,
                outcome: StepOutcome::NotConverged,
                remedy: Some(Remedy::EnergyGuard),
                worst: Some(2),
            },
            joints: vec![0.25, -1.5],
            efforts: vec![8.0],
        }
    }

    fn encoded(frame: &Frame) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode_frame_into(frame, &mut bytes);
        bytes
    }

    #[test]
    fn a_frame_survives_the_round_trip() {
        let frame = exact_frame();
        let bytes = encoded(&frame);
        assert_eq!(bytes.len(), 64 + 2 * 28 + 3 * 52 + 3 * 4);
        assert_eq!(decode_frame(&bytes), Ok(frame));
    }

    #[test]
    fn every_outcome_has_a_code_of_its_own() {
        for code in 0..6 {
            assert_eq!(outcome_of_code(code).map(outcome_code), Ok(code));
        }
        assert_eq!(outcome_of_code(6), Err(DecodeError::Outcome(6)));
        for code in 0..7 {
            assert_eq!(remedy_of_code(code).map(remedy_code), Ok(code));
        }
        assert_eq!(remedy_of_code(7), Err(DecodeError::Remedy(7)));
    }

    /// What single precision or the grid cannot hold comes back as near as the module says; what is no number as such.
    #[test]
    fn numbers_are_rounded_as_promised() {
        let mut frame = exact_frame();
        frame.poses[0].0 = [0.123_456_789, -9.876_543_21, f64::NAN];
        frame.poses[1].1 = [0.6, 0.64, 0.48, f64::INFINITY];
        frame.contacts[0].force = [1.234_567_89e-3, -98_765.432, f64::NEG_INFINITY];
        frame.efforts[0] = -29.430_001;
        let back = decode_frame(&encoded(&frame)).unwrap();
        for (told, meant) in [
            (back.poses[0].0[0], 0.123_456_789),
            (back.poses[0].0[1], -9.876_543_21),
            (back.poses[1].1[1], 0.64),
        ] {
            assert!((told - meant).abs() <= 0.5_f64.powi(20), "{told}, not {meant}");
            assert_eq!((told * GRID).fract(), 0.0);
        }
        assert!(back.poses[0].0[2].is_nan() && back.poses[1].1[3] == f64::INFINITY);
        for (told, meant) in [
            (back.contacts[0].force[0], 1.234_567_89e-3),
            (back.contacts[0].force[1], -98_765.432),
            (back.efforts[0], -29.430_001),
        ] {
            assert!((told / meant - 1.0).abs() <= 0.5_f64.powi(20), "{told}, not {meant}");
        }
        assert_eq!(back.contacts[0].force[2], f64::NEG_INFINITY);
    }

    #[test]
    fn a_certificate_not_asked_for_stays_nan() {
        let frame = Frame { natural_map: f64::NAN, ..exact_frame() };
        let back = decode_frame(&encoded(&frame)).unwrap();
        assert!(back.natural_map.is_nan());
    }

    /// The offsets that the header of this file promises to other languages.
    #[test]
    fn the_layout_is_the_documented_one() {
        let bytes = encoded(&exact_frame());
        assert_eq!(bytes[0..8], 0.1_f64.to_le_bytes());
        assert_eq!(bytes[8..16], std::f64::consts::PI.to_le_bytes());
        assert_eq!(bytes[16..24], 3.0e-13_f64.to_le_bytes());
        assert_eq!(bytes[24..32], 2.0e-13_f64.to_le_bytes());
        assert_eq!(bytes[32..36], 0.5_f32.to_le_bytes());
        assert_eq!(bytes[36..48], [9, 0, 0, 0, 2, 4, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[48..64], [2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(bytes[68..72], 2.0_f32.to_le_bytes()); // y of body 0
        let contact = &bytes[64 + 2 * 28..];
        assert_eq!(contact[0..4], (-1_i32).to_le_bytes());
        assert_eq!(contact[4..8], 1_i32.to_le_bytes());
        assert_eq!(contact[8..12], 1_u32.to_le_bytes());
        assert_eq!(contact[12 + 8 * 4..12 + 9 * 4], 24.5_f32.to_le_bytes()); // f_z
        assert_eq!(contact[48..52], 0.75_f32.to_le_bytes());
        let joints = &contact[3 * 52..];
        assert_eq!(joints[4..8], (-1.5_f32).to_le_bytes());
        assert_eq!(joints[8..12], 8.0_f32.to_le_bytes());
    }

    #[test]
    fn broken_bytes_are_errors() {
        let good = encoded(&exact_frame());
        for length in 0..good.len() {
            assert!(decode_frame(&good[..length]).is_err(), "cut at {length}");
        }
        let mut bad_mode = good.clone();
        bad_mode[64 + 2 * 28 + 8] = 7;
        assert_eq!(decode_frame(&bad_mode), Err(DecodeError::Mode(7)));

        let mut bad_count = good;
        bad_count[48..56].fill(0xff); // 4 billion bodies: refused before anything is allocated
        assert!(matches!(decode_frame(&bad_count), Err(DecodeError::Length { .. })));
    }

    #[test]
    fn a_pack_holds_the_scene_and_every_frame() {
        let later = Frame { t: 0.2, contacts: vec![], ..exact_frame() };
        let recording = Recording {
            name: "two \"boxes\" </script>".into(),
            contact_model: "ncp-pgs".into(),
            dt: 1e-3,
            tolerance: 1e-8,
            notes: Vec::new(),
            bodies: vec!["a".into(), "b".into()],
            geometries: vec![RecordedGeometry {
                name: "floor".into(),
                body: None,
                shape: RecordedShape::Box { half: [1.0, 2.0, 0.5] },
                position: [0.0; 3],
                quaternion: [1.0, 0.0, 0.0, 0.0],
                rgba: [0.1, 0.2, 0.3, 1.0],
            }],
            mechanism: Mechanism::default(),
            runs: vec![RecordedRun { name: "sap".into(), first: 1, count: 1 }],
            frames: vec![exact_frame(), later],
        };
        let bytes = pack(&recording);
        let (scene, frames) = unpack(&bytes).unwrap();
        assert_eq!(frames, recording.frames);

        let scene: serde_json::Value = serde_json::from_str(scene).unwrap();
        assert_eq!(scene["stiction_protocol"], 4);
        assert_eq!(scene["name"], "two \"boxes\" </script>");
        assert_eq!(scene["geometries"][0]["shape"]["kind"], "box");
        assert_eq!(scene["geometries"][0]["shape"]["half"][1], 2.0);
        assert!(scene["geometries"][0]["body"].is_null());
        assert_eq!(scene["runs"][0]["first"], 1);

        assert_eq!(unpack(&bytes[..bytes.len() - 1]), Err(DecodeError::Truncated));
    }
}
