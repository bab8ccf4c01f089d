//! Pictures a second of processor time, on one core, as a camera sensor would take them: colour, depth and segmentation of
//! our scenes. (Other programs on the machine take no part of that time, though they slow the memory.)
//!
//! ```text
//! cargo xtask bench camera
//! ```

// An example talks.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use nix::time::{ClockId, clock_gettime};
use stiction::recording::Recording;
use stiction_camera::{Image, Lens, Look, Painter};
use stiction_lab::Live;
use stiction_scene::Scene;
use stiction_viewer::Session;

const SCENES: [&str; 3] = ["quadruped", "humanoid", "pile"];
const SIZES: [(usize, usize); 3] = [(84, 84), (640, 480), (1280, 720)];
/// Time is taken so often, so long, and the median told.
const ROUNDS: usize = 5;
const SECONDS: f64 = 0.3;

/// Processor time of this thread [s].
fn now() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Unix has this clock");
    time.tv_sec() as f64 + 1e-9 * time.tv_nsec() as f64
}

/// A scene with its first frame.
fn recorded(name: &str) -> Recording {
    let mut live = Live::new(Scene::builtin(name).unwrap().build().unwrap()).unwrap();
    let mut scene = live.scene();
    scene.frames = vec![live.frame()];
    scene
}

fn main() {
    println!("{:<10} {:>11}  {:>9}  {:>9}  {:>9}", "scene", "size", "shapes", "pictures/s", "no shadows");
    for name in SCENES {
        let scene = recorded(name);
        for (width, height) in SIZES {
            let lens = Lens { width, height, field_of_view: 0.66 };
            let look = Look::framing(&scene, &lens)[0];
            let (mut painter, mut image) = (Painter::new(&scene), Image::default());
            let mut rate = |shadows: bool| {
                painter.shadows = shadows;
                let mut rates: Vec<f64> = (0..ROUNDS)
                    .map(|_| {
                        let (start, mut count) = (now(), 0);
                        while now() - start < SECONDS {
                            painter.paint(&scene.frames[0].poses, &lens, &look, &mut image);
                            count += 1;
                        }
                        f64::from(count) / (now() - start)
                    })
                    .collect();
                rates.sort_by(f64::total_cmp);
                rates[ROUNDS / 2]
            };
            let rates = [rate(true), rate(false)];
            let moving = |s: &&i32| **s >= 0 && scene.geometries[**s as usize].body.is_some();
            let share = image.segmentation.iter().filter(moving).count() as f64 / image.depth.len() as f64;
            let size = format!("{width} × {height}");
            println!("{name:<10} {size:>11}  {:>7.0} %  {:>9.0}  {:>9.0}", 100.0 * share, rates[0], rates[1]);
        }
    }
}
