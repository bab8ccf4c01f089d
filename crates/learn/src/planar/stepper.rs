//! Motion of a planar body: flights in closed form, impacts exact in time, time-stepping where contacts last.
//!
//! Until a time is reached:
//! 1. What touches and approaches faster than `rest_speed` is an impact: the law with restitution; a correction may change
//!    its impulse where one point alone is hit.
//! 2. Where nothing touches, the body flies to where the first vertex meets a surface.
//! 3. Otherwise a step of Moreau's scheme, v⁺ from the law without restitution and q⁺ = q + h v⁺, cut short where a vertex
//!    that did not touch meets a surface.
//!
//! The time of a meeting is found to rounding. Impacts that follow one another without end (Zeno) end because points that
//! approach slowly do not bounce.

use super::body::PlanarState;
use super::correction::{Admitted, PlanarContact, PlanarCorrection, PlanarImpulse};
use super::flight::Flight;
use super::law::{Touch, resolve};
use super::world::PlanarWorld;

/// Vertices nearer to a surface than this touch it [m].
const TOUCH: f64 = 1e-5;
/// The longest flight between two looks at the surfaces [s].
const FLIGHT: f64 = 4e-3;
/// Impacts in one call of `advance` after which contacts no longer bounce.
const MANY_IMPACTS: usize = 1000;
/// A point that leaves an overlap too slowly to get out of it touches after this time [s].
const UNTIL_TOUCHING: f64 = 1e-6;
/// A body that lies still moves more slowly than this in m/s, and turns so slowly times its radius of gyration.
const STILL: f64 = 1e-9;

/// An impact as it happened.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    /// Seconds after the call began.
    pub time: f64,
    pub before: PlanarState,
    pub after: PlanarState,
    /// The contact with the law's impulse; of several points hit at once the one that approached fastest.
    pub contact: PlanarContact,
    /// How many points were hit at once.
    pub points: usize,
    /// Changes of the correction, if one was asked.
    pub admitted: Option<Admitted>,
}

/// How far a call came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Advance {
    /// Seconds gone.
    pub elapsed: f64,
    /// Impacts resolved.
    pub impacts: usize,
    /// The body lies still and will stay so.
    pub at_rest: bool,
}

/// Steps a world; keeps its workspace.
#[derive(Debug)]
pub struct PlanarStepper<'a> {
    world: &'a PlanarWorld,
    touches: Vec<Touch>,
}

impl<'a> PlanarStepper<'a> {
    /// A stepper of `world`, which has been checked.
    pub fn new(world: &'a PlanarWorld) -> Self {
        Self { world, touches: Vec::with_capacity(4) }
    }

    /// Moves `state` on by `dt` seconds; `correction` is asked at impacts of one point, `witness` is told of every impact.
    pub fn advance(
        &mut self,
        state: &mut PlanarState,
        dt: f64,
        mut correction: Option<&mut dyn PlanarCorrection>,
        witness: &mut dyn FnMut(&Impact),
    ) -> Advance {
        let mut done = Advance::default();
        while done.elapsed < dt {
            let left = dt - done.elapsed;
            self.find_touches(state);
            if done.impacts < MANY_IMPACTS && self.is_hit(state) {
                let corrector = correction.as_mut().map(|c| &mut **c as &mut dyn PlanarCorrection);
                let mut impact = self.impact(state, corrector);
                impact.time = done.elapsed;
                witness(&impact);
                done.impacts += 1;
            } else if self.touches.is_empty() {
                done.elapsed += self.fly(state, left.min(FLIGHT));
            } else {
                done.elapsed += self.lasting(state, left.min(self.world.lasting_step));
                if self.is_still(state) {
                    state.v = [0.0; 3];
                    done.at_rest = true;
                    break;
                }
            }
        }
        done
    }

    /// Positions at frames 0, `dt`, 2 `dt`, … into `track`, whose length says how many.
    pub fn track(
        &mut self,
        start: PlanarState,
        dt: f64,
        mut correction: Option<&mut dyn PlanarCorrection>,
        track: &mut [[f64; 3]],
    ) {
        let mut state = start;
        let mut rests = false;
        for (k, q) in track.iter_mut().enumerate() {
            if k > 0 && !rests {
                let corrector = correction.as_mut().map(|c| &mut **c as &mut dyn PlanarCorrection);
                rests = self.advance(&mut state, dt, corrector, &mut |_| ()).at_rest;
            }
            *q = state.q;
        }
    }

    /// Gap of vertex `i` to surface `j` in a state whose angle has this sine and cosine.
    fn gap(&self, state: &PlanarState, (sin, cos): (f64, f64), i: usize, j: usize) -> f64 {
        let ([bx, bz], s) = (self.world.body.vertices[i], &self.world.surfaces[j]);
        let (rx, rz) = (bx * cos - bz * sin, bx * sin + bz * cos);
        s.normal[0] * (state.q[0] + rx) + s.normal[1] * (state.q[1] + rz) - s.offset
    }

    /// Fills `touches` with the points at surfaces that do not leave them faster than contacts at rest could.
    fn find_touches(&mut self, state: &PlanarState) {
        self.touches.clear();
        let turn = state.q[2].sin_cos();
        for j in 0..self.world.surfaces.len() {
            for i in 0..self.world.body.vertices.len() {
                let gap = self.gap(state, turn, i, j);
                if gap > TOUCH {
                    continue;
                }
                let touch = touch_of(self.world, state, i, j, gap);
                if touch.velocity(state.v)[1] <= self.world.rest_speed {
                    self.touches.push(touch);
                }
            }
        }
    }

    /// Whether a touching point approaches fast enough to bounce.
    fn is_hit(&self, state: &PlanarState) -> bool {
        self.touches.iter().any(|t| t.velocity(state.v)[1] < -self.world.rest_speed)
    }

    /// 1. of the module.
    fn impact(&mut self, state: &mut PlanarState, correction: Option<&mut dyn PlanarCorrection>) -> Impact {
        let (world, before) = (self.world, *state);
        let (mass, gyration) = (world.body.mass, world.body.gyration);
        let (mut hardest, mut speed, mut points) = (0, f64::INFINITY, 0);
        for (i, touch) in self.touches.iter_mut().enumerate() {
            let approach = touch.velocity(state.v)[1];
            bounces(touch, world, approach);
            points += usize::from(approach < -world.rest_speed);
            if approach < speed {
                (hardest, speed) = (i, approach);
            }
        }
        resolve(&mut self.touches, mass, gyration, &mut state.v);
        let touch = self.touches[hardest];
        let contact = touch.told(before.v, mass, gyration);
        let admitted = match correction {
            Some(correction) if self.touches.len() == 1 => {
                let (p, admitted) = contact.admit(correction.correct(&contact), &world.admission);
                state.v = pushed(before.v, &touch, p, mass, gyration);
                Some(admitted)
            }
            _ => None,
        };
        Impact { time: 0.0, before, after: *state, contact, points, admitted }
    }

    /// 2. of the module: flies for `h` or to the first meeting, and says how long that was.
    fn fly(&self, state: &mut PlanarState, h: f64) -> f64 {
        let flight = Flight { start: *state, gravity: self.world.gravity, drag: self.world.drag };
        let time = self.first_meeting(&|t| flight.at(t), h);
        *state = flight.at(time);
        time
    }

    /// 3. of the module: a step of at most `h`, and how long it was.
    fn lasting(&mut self, state: &mut PlanarState, h: f64) -> f64 {
        let (world, start) = (self.world, *state);
        let (mass, gyration) = (world.body.mass, world.body.gyration);
        let [c, ca] = world.drag;
        let free = |v: f64, g: f64, c: f64| (v + h * g) / (1.0 + h * c);
        let mut v = [
            free(start.v[0], world.gravity[0], c),
            free(start.v[1], world.gravity[1], c),
            free(start.v[2], 0.0, ca),
        ];
        for touch in &mut self.touches {
            touch.bias = touch.gap.max(0.0) / h;
        }
        resolve(&mut self.touches, mass, gyration, &mut v);
        let moved = |t: f64| PlanarState {
            q: [start.q[0] + t * v[0], start.q[1] + t * v[1], start.q[2] + t * v[2]],
            v,
        };
        let time = self.first_meeting(&moved, h);
        *state = moved(time);
        self.push_out(state);
        time
    }

    /// Takes overlaps of touching points out of the position.
    fn push_out(&self, state: &mut PlanarState) {
        let turn = state.q[2].sin_cos();
        for (j, surface) in self.world.surfaces.iter().enumerate() {
            let of_surface = self.touches.iter().filter(|t| t.surface == j);
            let deepest = of_surface.map(|t| self.gap(state, turn, t.vertex, j)).fold(0.0, f64::min);
            state.q[0] -= deepest * surface.normal[0];
            state.q[1] -= deepest * surface.normal[1];
        }
    }

    /// Whether the body lies still: at a standstill on two points or more.
    fn is_still(&self, state: &PlanarState) -> bool {
        let v = state.v;
        let speed = v[0].abs().max(v[1].abs()).max(v[2].abs() * self.world.body.gyration);
        self.touches.len() >= 2 && speed < STILL
    }

    /// The time in (0, `h`] at which the first vertex that does not touch meets a surface; `h` if none does.
    fn first_meeting(&self, path: &dyn Fn(f64) -> PlanarState, h: f64) -> f64 {
        let mut first = h;
        let end = path(h);
        let turn = end.q[2].sin_cos();
        for j in 0..self.world.surfaces.len() {
            for i in 0..self.world.body.vertices.len() {
                if self.gap(&end, turn, i, j) >= 0.0
                    || self.touches.iter().any(|t| (t.vertex, t.surface) == (i, j))
                {
                    continue;
                }
                let gap = |t: f64| {
                    let state = path(t);
                    self.gap(&state, state.q[2].sin_cos(), i, j)
                };
                first = first.min(meeting(&gap, h));
            }
        }
        first
    }
}

/// Vertex `i` at surface `j`, as a contact that lasts.
fn touch_of(world: &PlanarWorld, state: &PlanarState, i: usize, j: usize, gap: f64) -> Touch {
    let s = &world.surfaces[j];
    Touch {
        surface: j,
        vertex: i,
        gap,
        r: state.turned(world.body.vertices[i]),
        tangent: s.tangent(),
        normal: s.normal,
        friction: s.sliding,
        bias: 0.0,
        impulse: [0.0; 2],
    }
}

/// Makes a contact that lasts one of an impact.
fn bounces(touch: &mut Touch, world: &PlanarWorld, approach: f64) {
    let surface = &world.surfaces[touch.surface];
    touch.friction = surface.friction;
    touch.bias = if approach < -world.rest_speed { surface.restitution * approach } else { 0.0 };
}

/// The impact of vertex `vertex` alone on surface `surface` as the law resolves it, whether they touch or not.
///
/// # Panics
///
/// If the world has no such vertex or surface.
pub fn impact_of(world: &PlanarWorld, state: &PlanarState, vertex: usize, surface: usize) -> PlanarContact {
    let mut touch = touch_of(world, state, vertex, surface, 0.0);
    let (mass, gyration) = (world.body.mass, world.body.gyration);
    let approach = touch.velocity(state.v)[1];
    bounces(&mut touch, world, approach);
    let mut one = [touch];
    resolve(&mut one, mass, gyration, &mut state.v.clone());
    one[0].told(state.v, mass, gyration)
}

/// The velocity `v` of a body after the impulse `p` at `touch`.
fn pushed(mut v: [f64; 3], touch: &Touch, p: PlanarImpulse, mass: f64, gyration: f64) -> [f64; 3] {
    touch.push(p.point, mass, gyration, &mut v);
    v[2] += p.moment / (mass * gyration * gyration);
    v
}

/// The time at which `gap`, which is negative at `h`, becomes zero: by the Illinois rule, from a time when it is positive.
fn meeting(gap: &dyn Fn(f64) -> f64, h: f64) -> f64 {
    let (mut a, mut fa) = (0.0, gap(0.0));
    // A point that has just bounced leaves the surface before it comes back.
    let mut part = h;
    while fa <= 0.0 && part > 1e-9 * h {
        part *= 0.5;
        (a, fa) = (part, gap(part));
    }
    if fa <= 0.0 {
        // It never leaves: it is taken to touch after a little while, or at the end, lest what is left only become smaller.
        return h.min(UNTIL_TOUCHING);
    }
    let (mut b, mut fb) = (h, gap(h));
    let mut side = 0;
    for _ in 0..60 {
        let t = (a * fb - b * fa) / (fb - fa);
        let ft = gap(t);
        if ft.abs() < 1e-14 || (b - a) < 1e-15 {
            return t;
        }
        // An end that stays twice counts for half, so that the other one moves too.
        if ft < 0.0 {
            (b, fb) = (t, ft);
            fa *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        } else {
            (a, fa) = (t, ft);
            fb *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planar::{PlanarBody, Surface};

    /// A corner inside the floor that leaves it, but not within the call: the call ends at its time.
    #[test]
    fn a_corner_that_leaves_an_overlap_is_moved_to_the_end() {
        let body = PlanarBody::square(0.03, 0.0, 0.049, 0.0245);
        let world = PlanarWorld::new(body, vec![Surface::floor(0.0, 0.1, 0.5)]);
        for dt in [1e-7, 1e-3 + 1e-16] {
            let mut state = PlanarState { q: [0.0, 0.03 - 1e-6, 0.0], v: [0.0, 0.5, 0.0] };
            let done = PlanarStepper::new(&world).advance(&mut state, dt, None, &mut |_| ());
            assert!((done.elapsed - dt).abs() < 1e-15 && !done.at_rest);
            assert!((state.q[1] - 0.03 + 1e-6 - 0.5 * dt).abs() < 1e-5, "{:?}", state.q);
        }
    }
}
