//! Pictures a second of processor time, on one core, as a camera sensor would take them. (Other programs on the machine
//! take no part of that time, though they slow the memory.)
//!
//! ```text
//! cargo run --release -p stiction-camera --example speed
//! ```
//!
//! The scene is as heavy as our quadruped: 52 round shapes of about 500 triangles, and the ground.

// An example talks.
#![allow(clippy::print_stdout)]

use nix::time::{ClockId, clock_gettime};
use stiction::recording::{Mechanism, RecordedGeometry, RecordedShape, Recording};
use stiction_camera::{Image, Lens, Look, Painter};

const BODIES: usize = 13;
const SHAPES: usize = 52;
const SECONDS: f64 = 1.0;

/// Processor time of this thread [s].
fn now() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Unix has this clock");
    time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64
}

fn main() {
    let geometry = |body: Option<usize>, shape, position| RecordedGeometry {
        name: String::new(),
        body,
        shape,
        position,
        quaternion: [1.0, 0.0, 0.0, 0.0],
        rgba: RecordedGeometry::UNCOLOURED,
    };
    let mut geometries = vec![geometry(None, RecordedShape::Plane, [0.0; 3])];
    geometries.extend((0..SHAPES).map(|i| {
        let shape = RecordedShape::Capsule { radius: 0.03, half_length: 0.07 };
        geometry(Some(i % BODIES), shape, [0.02 * (i / BODIES) as f64, 0.0, 0.1])
    }));
    let scene = Recording {
        name: "speed".into(),
        contact_model: String::new(),
        dt: 1e-3,
        tolerance: 1e-8,
        bodies: vec![String::new(); BODIES],
        geometries,
        mechanism: Mechanism::default(),
        runs: vec![],
        frames: vec![],
    };
    let place = |i: usize| [0.1 * (i % 4) as f64 - 0.2, 0.1 * (i / 4) as f64 - 0.2, 0.1];
    let poses: Vec<_> = (0..BODIES).map(|i| (place(i), [1.0, 0.0, 0.0, 0.0])).collect();
    let look = Look::at([0.6, -0.8, 0.5], [0.0, 0.0, 0.15]);
    let (mut painter, mut image) = (Painter::new(&scene), Image::default());
    for shadows in [false, true] {
        painter.shadows = shadows;
        for (width, height) in [(84, 84), (320, 240), (640, 480), (1280, 720)] {
            let lens = Lens { width, height, field_of_view: 0.8 };
            painter.paint(&scene, &poses, &lens, &look, &mut image);
            let (start, mut count) = (now(), 0);
            while now() - start < SECONDS {
                painter.paint(&scene, &poses, &lens, &look, &mut image);
                count += 1;
            }
            let seen =
                image.segmentation.iter().filter(|&&s| s > 0).count() as f64 / image.depth.len() as f64;
            assert!(seen > 0.05, "the shapes fill a part of the picture: {seen}");
            let rate = f64::from(count) / (now() - start);
            println!(
                "{width} × {height}, shadows {shadows}: {rate:.0} pictures/s ({:.0} % shapes)",
                100.0 * seen
            );
        }
    }
}
