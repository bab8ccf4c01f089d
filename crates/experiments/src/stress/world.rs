//! A world made of a seed: one of the scenes, a heap of bodies, one on a tiled floor, or mechanisms ([`super::mechanisms`]), with frictions, masses, shapes, step and state drawn.

use super::mechanisms;
use std::fmt::Write as _;
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Quat, Sym3, vec3};
use stiction::dynamics::{JointKind, Model};
use stiction::random::Random;
use stiction::{ComposeError, State};
use stiction_scene::{BUILTIN_SCENES, Scene, SceneError, Setup};

/// A world, and what it is in words.
pub struct Drawn {
    pub setup: Setup,
    pub of: String,
}

/// Bodies dropped on the ground, for the draws that follow to make something of.
const HEAP: &str = "
    description = 'A heap of bodies'
    ground = { friction = 0.5 }
    contact = { solver = 'auto' }
    [[body]]
    name = 'stone'
    shape = 'box'
    size = [0.2, 0.16, 0.12]
    mass = 1.0
    position = [0.0, 0.0, 0.1]
    grid = [3, 3, 2]
    offset = [0.19, 0.17, 0.14]";

/// Tiles of the floor along x and y, and their width [m].
const TILES: usize = 3;
const TILE: f64 = 0.3;

/// The heap on a floor of tiles between walls instead of the plane, flush or a micrometre higher or lower, beside each
/// other, a millimetre apart or as much in each other.
fn tiled(random: &mut Random) -> String {
    let mut text = HEAP.replace("ground = { friction = 0.5 }", "");
    let grows = [0.0, -1e-3, 1e-3][random.below(3)];
    let mut fixed = |name: String, size: [f64; 3], position: [f64; 3]| {
        let _ = write!(
            text,
            "\n[[fixed]]\nname = '{name}'\nshape = 'box'\nsize = {size:?}\nposition = {position:?}\nfriction = 0.5"
        );
    };
    let middle = |k: usize| TILE * (k as f64 - 1.0) + 0.19;
    for (i, j) in (0..TILES * TILES).map(|k| (k / TILES, k % TILES)) {
        let level = [0.0, 1e-6, -1e-6][random.below(3)];
        fixed(
            format!("tile {i} {j}"),
            [TILE + grows, TILE + grows, 0.2],
            [middle(i), middle(j), level - 0.1],
        );
    }
    let width = TILES as f64 * TILE;
    for (k, side) in [-0.5, 0.5].into_iter().enumerate() {
        let far = 0.19 + side * (width + 0.1);
        fixed(format!("wall x {k}"), [0.1, width, 0.6], [far, 0.19, 0.1]);
        fixed(format!("wall y {k}"), [width, 0.1, 0.6], [0.19, far, 0.1]);
    }
    text
}

/// Time steps [s].
const DT: [f64; 5] = [5e-4, 1e-3, 2e-3, 5e-3, 1e-2];

/// The world of `seed`.
pub fn draw(seed: u64) -> Result<Drawn, SceneError> {
    let mut random = Random::new(seed);
    // Not those that follow a motion, or a contact law of their own, which are others' subjects.
    let plain = |text: &str| !text.contains("[motion]") && !text.contains("nmdp.sets");
    let scenes: Vec<_> = BUILTIN_SCENES.iter().filter(|(_, text)| plain(text)).collect();
    let pick = random.below(scenes.len() + 4);
    let heap = || Scene::from_toml(HEAP, Path::new("heap.toml"));
    let (name, scene) = match scenes.get(pick) {
        _ if seed % 3 == 2 => (mechanisms::NAME, heap()?),
        Some((name, _)) => (*name, Scene::builtin(name)?),
        // In a random order of its own: the worlds of other seeds stay what they are.
        None if seed.is_multiple_of(2) => {
            let text = tiled(&mut Random::new(!seed));
            ("tiled floor", Scene::from_toml(&text, Path::new("tiles.toml"))?)
        }
        None => ("heap", heap()?),
    };
    let mut setup = scene.build()?;
    if name == mechanisms::NAME {
        setup.world = mechanisms::draw(&mut random).map_err(ComposeError::from)?;
        setup.state = State::neutral(&setup.world.model);
        setup.control = vec![0.0; setup.world.actuators.len()];
    }
    let dt = DT[random.below(DT.len())];
    setup.settings.stepper.dt = dt;
    surfaces(&mut setup, &mut random);
    let shapes = shapes(&mut setup, &mut random);
    let span = masses(&mut setup.world.model, &mut random);
    let speed = [0.0, 0.1, 1.0, 10.0][random.below(4)];
    let disorder = [0.0, 1e-3, 0.05, 0.3][random.below(4)];
    state(&mut setup, &mut random, disorder, speed);
    for (control, actuator) in setup.control.iter_mut().zip(&setup.world.actuators) {
        let [lo, hi] = actuator.control_limit.unwrap_or([*control - 0.5, *control + 0.5]);
        if random.unit() < 0.5 {
            *control = lo + (hi - lo) * random.unit();
        }
    }
    let of = format!(
        "{name} h {dt} s; masses over {span:.1} decades; {shapes} shapes; disorder {disorder}; speeds {speed}"
    );
    Ok(Drawn { setup, of })
}

/// Friction from none to 2, most of it ordinary; some surfaces bounce.
fn surfaces(setup: &mut Setup, random: &mut Random) {
    let bouncing = random.unit() < 0.2;
    for geometry in &mut setup.world.geometries {
        let u = random.unit();
        geometry.material.friction = if u < 0.1 { 0.0 } else { 10.0_f64.powf(2.3 * random.unit() - 2.0) };
        if bouncing {
            geometry.material.restitution = random.unit();
        }
    }
}

/// Other shapes of the same size for half of the geometries of free bodies, in half of the worlds. Returns how many.
fn shapes(setup: &mut Setup, random: &mut Random) -> usize {
    if random.unit() < 0.5 {
        return 0;
    }
    let world = &mut setup.world;
    let model = &world.model;
    let alone = |link: usize| {
        let Some(body) = model.links[link].body else { return false };
        model.joints[model.bodies[body].joints.start].kind == JointKind::Free
            && model.bodies.iter().all(|b| b.parent != Some(body))
    };
    let mut changed = 0;
    for geometry in &mut world.geometries {
        if !geometry.link.is_some_and(alone) || random.unit() < 0.5 {
            continue;
        }
        let half = match &geometry.shape {
            Shape::Sphere { radius } => vec3(*radius, *radius, *radius),
            Shape::Box { half } => *half,
            Shape::Capsule { radius, half_length } => vec3(*radius, *radius, half_length + radius),
            Shape::Cylinder { radius, half_length } => vec3(*radius, *radius, *half_length),
            _ => continue,
        };
        let radius = 0.5 * (half.x + half.y);
        geometry.shape = match random.below(6) {
            0 => Shape::Sphere { radius },
            1 => Shape::Box { half },
            2 => Shape::Capsule { radius, half_length: half.z },
            3 => Shape::Cylinder { radius, half_length: half.z },
            4 => Shape::Ellipsoid { radii: half },
            _ => Shape::Cone { radius, half_height: half.z },
        };
        changed += 1;
    }
    changed
}

/// Masses, and inertias with them, times numbers that differ by up to four decades. Returns how many decades.
fn masses(model: &mut Model, random: &mut Random) -> f64 {
    let span = [0.0, 0.5, 2.0, 4.0][random.below(4)];
    for body in &mut model.bodies {
        let (f, Inertia { mass, first, second: s }) =
            (10.0_f64.powf(0.5 * span * random.signed()), body.inertia);
        let second =
            Sym3 { xx: s.xx * f, xy: s.xy * f, xz: s.xz * f, yy: s.yy * f, yz: s.yz * f, zz: s.zz * f };
        body.inertia = Inertia { mass: mass * f, first: first * f, second };
    }
    span
}

/// Places, angles and velocities: free bodies up to `disorder` metres from their place and, where that is large, turned
/// at random; joints within their limits.
fn state(setup: &mut Setup, random: &mut Random, disorder: f64, speed: f64) {
    let (model, state) = (&setup.world.model, &mut setup.state);
    for joint in &model.joints {
        let q = &mut state.q[joint.idx_q..joint.idx_q + joint.kind.nq()];
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                let scale = if joint.kind == JointKind::Slide { disorder } else { 10.0 * disorder };
                q[0] += scale * random.signed();
                if let Some([lo, hi]) = joint.limit {
                    q[0] = q[0].clamp(lo, hi);
                }
            }
            JointKind::Ball => turn(q, random, 10.0 * disorder),
            JointKind::Free => {
                q[..3].iter_mut().for_each(|x| *x += disorder * random.signed());
                turn(&mut q[3..], random, 10.0 * disorder);
            }
        }
    }
    state.v.iter_mut().for_each(|v| *v += speed * random.signed());
}

/// Turns a quaternion by up to `angle` about each axis [rad].
fn turn(q: &mut [f64], random: &mut Random, angle: f64) {
    let by = vec3(random.signed(), random.signed(), random.signed()) * angle;
    let turned = (Quat::exp(by) * Quat::new(q[0], q[1], q[2], q[3])).renormalized();
    q.copy_from_slice(&[turned.w, turned.x, turned.y, turned.z]);
}
