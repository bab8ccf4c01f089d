//! What the page is told: the scene once as JSON, then one binary message per frame.
//!
//! Both messages are the same whether they travel in a file ([`pack`]) or, one by one, over a socket. The page's
//! `src/protocol.ts` is the twin of this file; a change of layout raises [`VERSION`] in both.
//! Both read what is of [`OLDEST`] or later: version 5 brought patches, and frames without any are what they were.
//!
//! # Scene (JSON, UTF-8)
//! ```text
//! { "stiction_protocol": 5, "name", "contact_model", "dt" [s], "tolerance" [m/s] | null, "notes": [sentence, ..],
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
//!      …  to the end, for each contact surface of what meets by pressure:
//!                    i32 A, i32 B (as of contacts), u32 polygons np, u32 corners of all of them nk,
//!                    np × u32 corners of a polygon, nk × (f32 × 3 corner [m], f32 pressure [Pa])
//! ```
//! Single precision places a body 10 m away to within 1 µm, and nearer ones need no more: lengths, unit vectors,
//! quaternions and joint positions are rounded to multiples of 2⁻²⁰, forces, efforts and pressures to 21 binary digits. A recording
//! deflates the better for it: bodies at rest cost nothing. Time, energy and certificate keep double precision because one
//! reads them as numbers.
//!
//! # Pack
//! The messages one after the other, each behind its length (u32, little endian); the scene first.

use serde::Serialize;
use stiction::Remedy;
use stiction::recording::{
    ContactMark, ContactMode, Frame, Mechanism, PatchMark, RecordedGeometry, RecordedRun, Recording,
    StepMark, StepOutcome,
};

/// Raised with every change of layout.
pub const VERSION: u32 = 5;
/// Recordings of this version and those after it are read.
pub const OLDEST: u32 = 4;

const FRAME_HEADER: usize = 64;
const POSE_SIZE: usize = 28;
const CONTACT_SIZE: usize = 52;
const SINGLE: usize = 4;
const PATCH_HEADER: usize = 16;
const CORNER_SIZE: usize = 16;
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
    for patch in &frame.patches {
        for end in patch.bodies {
            out.extend(index_i32(end).to_le_bytes());
        }
        for count in [patch.polygons.len(), patch.corners.len()].iter().chain(&patch.polygons) {
            out.extend(length_u32(*count).to_le_bytes());
        }
        for (position, pressure) in &patch.corners {
            put_on_grid(out, position);
            put_rounded(out, &[*pressure]);
        }
    }
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
    if needed > reader.rest.len() as u128 {
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
        patches: reader.patches()?,
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
    #[error("the polygons of a contact surface do not share out its {0} corners")]
    Polygons(usize),
    #[error("the scene message is not UTF-8")]
    SceneText,
}

/// Bodies, contacts, joints, actuators.
fn counts(frame: &Frame) -> [usize; 4] {
    [frame.poses.len(), frame.contacts.len(), frame.joints.len(), frame.efforts.len()]
}

fn frame_size(frame: &Frame) -> usize {
    let [bodies, contacts, joints, efforts] = counts(frame);
    let patch = |p: &PatchMark| PATCH_HEADER + p.polygons.len() * SINGLE + p.corners.len() * CORNER_SIZE;
    let patches: usize = frame.patches.iter().map(patch).sum();
    FRAME_HEADER + bodies * POSE_SIZE + contacts * CONTACT_SIZE + (joints + efforts) * SINGLE + patches
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

    /// All that is left.
    fn patches(&mut self) -> Result<Vec<PatchMark>, DecodeError> {
        let mut patches = Vec::new();
        while !self.rest.is_empty() {
            let bodies = [self.index()?, self.index()?];
            let (polygons, corners) = (self.count()?, self.count()?);
            let needed = polygons as u128 * SINGLE as u128 + corners as u128 * CORNER_SIZE as u128;
            if needed > self.rest.len() as u128 {
                return Err(DecodeError::Truncated);
            }
            let polygons: Vec<usize> = (0..polygons).map(|_| self.count()).collect::<Result<_, _>>()?;
            if polygons.iter().map(|&n| n as u128).sum::<u128>() != corners as u128 {
                return Err(DecodeError::Polygons(corners));
            }
            let corner = |_| Ok((self.singles()?, self.single()?));
            let corners = (0..corners).map(corner).collect::<Result<_, DecodeError>>()?;
            patches.push(PatchMark { bodies, polygons, corners });
        }
        Ok(patches)
    }

    fn message(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.count()?;
        let (head, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(head)
    }
}

#[cfg(test)]
mod tests;
