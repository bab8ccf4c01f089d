//! Crowds of bodies: heaps, packed boxes, and bins of mixed shapes, as MJCF.

use std::fmt::Write;
use stiction::random::Random;

/// A crowd by name and number of bodies.
pub(super) struct Crowd {
    pub(super) name: &'static str,
    pub(super) bodies: usize,
    pub(super) text: fn(usize) -> String,
}

/// The crowds of the figures.
pub(super) const CROWDS: [Crowd; 4] = [
    Crowd { name: "pile", bodies: 64, text: pile },
    Crowd { name: "packed", bodies: 64, text: packed },
    Crowd { name: "mixed-100", bodies: 100, text: mixed },
    Crowd { name: "mixed-300", bodies: 300, text: mixed },
];
/// The crowd of the tests.
pub(super) const SMALL: Crowd = Crowd { name: "mixed-12", bodies: 12, text: mixed };

/// Bodies of `geoms` at `places`, on a plane within `walls`.
fn world(walls: &str, bodies: impl Iterator<Item = ([f64; 3], [f64; 3], String)>) -> String {
    let mut text =
        format!("<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='5 5 .1'/>{walls}");
    for ([x, y, z], [a, b, c], geom) in bodies {
        let _ = write!(
            text,
            "<body pos='{x:.5} {y:.5} {z:.5}' euler='{a:.4} {b:.4} {c:.4}'><freejoint/><geom {geom}/></body>"
        );
    }
    text + "</worldbody></mujoco>"
}

/// Place `k` in layers of 4 × 4.
fn layers(k: usize) -> [f64; 3] {
    [(k % 4) as f64 - 1.5, (k / 4 % 4) as f64 - 1.5, (k / 16) as f64]
}

/// Boxes of 1 kg that fall in a heap, each moved and turned a little.
fn pile(n: usize) -> String {
    let mut random = Random::new(1);
    let body = |k| {
        let [i, j, l] = layers(k).map(|x| 0.25 * x + 0.01 * random.signed());
        let turn = [0; 3].map(|_| 0.35 * random.signed());
        ([i, j, l + 0.2], turn, "type='box' size='.08 .08 .08' mass='1' friction='.6'".to_owned())
    };
    world("", (0..n).map(body))
}

/// Cubes of .5 kg, neighbours of which overlap at first: moved by up to a tenth of their edge, turned by up to .4 rad.
fn packed(n: usize) -> String {
    let mut random = Random::new(1);
    let body = |k| {
        let [i, j, l] = layers(k);
        let [x, y] = [i, j].map(|x| 0.1075 * x + 0.01 * random.signed());
        let yaw = 0.4 * random.signed();
        (
            [x, y, 0.06 + 0.13 * l],
            [0.0, 0.0, yaw],
            "type='box' size='.05 .05 .05' mass='.5' friction='.5'".to_owned(),
        )
    };
    world("", (0..n).map(body))
}

/// Spheres, capsules, boxes and cylinders of 1 kg, poured into a bin of 2 m.
fn mixed(n: usize) -> String {
    const SHAPES: [&str; 4] = [
        "type='sphere' size='.08'",
        "type='capsule' size='.05 .08'",
        "type='box' size='.07 .06 .05'",
        "type='cylinder' size='.06 .06'",
    ];
    let walls =
        [("1 0 .5", ".05 1 .5"), ("-1 0 .5", ".05 1 .5"), ("0 1 .5", "1 .05 .5"), ("0 -1 .5", "1 .05 .5")]
            .map(|(at, size)| format!("<geom type='box' pos='{at}' size='{size}'/>"))
            .concat();
    let mut random = Random::new(1);
    let side = (n as f64).cbrt().round() as usize + 1;
    let body = |k| {
        let mut across = |cell: usize| {
            (cell as f64 - side as f64 / 2.0 + 0.5) * 1.8 / side as f64 + 0.01 * random.signed()
        };
        let (x, y) = (across(k % side), across(k / side % side));
        let z = 0.2 + 0.22 * (k / (side * side)) as f64;
        ([x, y, z], [0.0; 3], format!("{} mass='1'", SHAPES[k % SHAPES.len()]))
    };
    world(&walls, (0..n).map(body))
}
