//! A replay without a simulator: a box carrying a smaller one drops, slides and comes to rest; every number follows
//! from Newton's second law, so that the page can be tested against it.
//!
//! ```text
//! cargo run -p stiction-viewer --example sample_replay -- sample.html [name]
//! ```
//!
//! The stack of mass M moves as one in the x-z plane, with time step h:
//!
//! ```text
//!     v_free = v − h g z                                                              (1)
//!     in the air: v⁺ = v_free;    on the ground: v⁺_z = 0, N = −M v_free,z / h,       (2)
//!     v⁺_x = max(0, v_x − h μ N / M),   F = M (v_x − v⁺_x) / h ≤ μ N                  (3)
//! ```
//!
//! It slides while F = μ N. Four corners share N; the front pair carries more, so that the moment about the centre of
//! mass at height z_c vanishes:
//!
//! ```text
//!     N_front + N_rear = N,   (N_front − N_rear) a = F z_c                            (4)
//! ```
//!
//! The upper box stands on the lower one by the same equations with its own mass. The natural map is made up.

use std::error::Error;

use stiction::recording::{
    ContactMark, ContactMode, Frame, Mechanism, RecordedGeometry, RecordedShape, Recording,
};
use stiction_viewer::write_replay;

const G: f64 = 9.81;
const H: f64 = 1.0 / 240.0;
const MU: f64 = 0.4;
const DURATION: f64 = 2.5; // s

struct Slab {
    half: [f64; 3],
    mass: f64,
}

const LOWER: Slab = Slab { half: [0.2, 0.15, 0.1], mass: 5.0 };
const UPPER: Slab = Slab { half: [0.08, 0.08, 0.06], mass: 1.0 };

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("say where to write the replay")?;
    let name = arguments.next().unwrap_or("Sliding stack".into());

    let recording = slide(name);
    let last = recording.frames.last().ok_or("there are no frames")?;
    let weight = (LOWER.mass + UPPER.mass) * G;
    let [x, y, z] = last.force_from_world();
    assert!(
        (z - weight).abs() < 1e-9 && x.abs() < 1e-9 && y.abs() < 1e-9,
        "the ground carries the stack at rest"
    );

    write_replay(&path, &recording)?;
    Ok(())
}

fn slide(name: String) -> Recording {
    let total = LOWER.mass + UPPER.mass;
    let upper_height = 2.0 * LOWER.half[2] + UPPER.half[2]; // above the foot of the stack
    let centre_height = (LOWER.mass * LOWER.half[2] + UPPER.mass * upper_height) / total;
    let (mut x, mut z, mut vx, mut vz) = (-0.5, 0.04, 2.2, 0.0);
    let mut frames = Vec::new();

    let mut t = 0.0;
    while t <= DURATION {
        let touching = z <= 0.0;
        let (normal, friction, mode) = if touching {
            let normal = -total * (vz - H * G) / H; // (2)
            let stopped = vx - H * MU * normal / total <= 0.0;
            let after = if stopped { 0.0 } else { vx - H * MU * normal / total }; // (3)
            let friction = total * (vx - after) / H;
            (vx, vz) = (after, 0.0);
            let mode = if stopped { ContactMode::Stick } else { ContactMode::Slide };
            (normal, friction, mode)
        } else {
            vz -= H * G; // (1)
            (0.0, 0.0, ContactMode::Open)
        };
        x += H * vx;
        z = f64::max(z + H * vz, 0.0);

        // The upper box takes its share of both forces, by its mass; it never slips on the lower one.
        let share = UPPER.mass / total;
        let upper_mode = if touching { ContactMode::Stick } else { ContactMode::Open };
        let mut contacts = corners([None, Some(0)], &LOWER, [x, z], centre_height, (normal, friction), MU);
        contacts.iter_mut().for_each(|mark| mark.mode = mode);
        let mut between = corners(
            [Some(0), Some(1)],
            &UPPER,
            [x, z + 2.0 * LOWER.half[2]],
            UPPER.half[2],
            (share * normal, share * friction),
            0.8,
        );
        between.iter_mut().for_each(|mark| mark.mode = upper_mode);
        contacts.extend(between);

        let upright = [1.0, 0.0, 0.0, 0.0];
        frames.push(Frame {
            t,
            poses: vec![([x, 0.0, z + LOWER.half[2]], upright), ([x, 0.0, z + upper_height], upright)],
            contacts,
            natural_map: 10.0_f64.powf(-11.5 + (9.0 * t).sin() + if touching && t < 0.2 { 3.0 } else { 0.0 }),
            energy: total * (0.5 * (vx * vx + vz * vz) + G * (z + centre_height)),
            ..Frame::default()
        });
        t += H;
    }

    Recording {
        name,
        contact_model: "ncp-exact".into(),
        dt: H,
        tolerance: f64::NAN,
        notes: Vec::new(),
        bodies: vec!["lower".into(), "upper".into()],
        geometries: vec![
            geometry("floor", None, RecordedShape::Plane),
            geometry("lower", Some(0), RecordedShape::Box { half: LOWER.half }),
            geometry("upper", Some(1), RecordedShape::Box { half: UPPER.half }),
        ],
        mechanism: Mechanism::default(),
        runs: Vec::new(),
        frames,
    }
}

/// Contacts at the four lower corners of a slab whose foot is at `foot` (x, z), by (4); the mode is left open.
fn corners(
    bodies: [Option<usize>; 2],
    slab: &Slab,
    foot: [f64; 2],
    centre_height: f64,
    (normal, friction): (f64, f64),
    mu: f64,
) -> Vec<ContactMark> {
    let [a, b, _] = slab.half;
    let tilt = friction * centre_height / a;
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corner = |(sx, sy): (f64, f64)| {
        let pressing = 0.25 * (normal + sx * tilt);
        let dragging = if normal > 0.0 { friction * pressing / normal } else { 0.0 };
        ContactMark {
            bodies,
            point: [foot[0] + sx * a, sy * b, foot[1]],
            normal: [0.0, 0.0, 1.0],
            force: [-dragging, 0.0, pressing],
            mu,
            mode: ContactMode::Open,
        }
    };
    signs.map(corner).to_vec()
}

fn geometry(name: &str, body: Option<usize>, shape: RecordedShape) -> RecordedGeometry {
    RecordedGeometry {
        name: name.into(),
        body,
        shape,
        position: [0.0; 3],
        quaternion: [1.0, 0.0, 0.0, 0.0],
        rgba: RecordedGeometry::UNCOLOURED,
    }
}
