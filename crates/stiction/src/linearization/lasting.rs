//! What contacts ask for in steps that are posed in their middle, differentiated ([`stiction_assembly::rolling`]).
//!
//! ```text
//!     c = J v⁺ + κ,   κ = s (J v⁻ − w),   δκ = s (δ(J v⁻) − δw)                                      (1)
//!     c_T = J_T (v⁺ + v⁻)  of what slides                                                           (2)
//! ```
//!
//! w is the velocity at the contact after the impulses of the last step, where the bodies then were: a flight back from
//! the start of the step. δw is that of this velocity along axes that stand still, and of the axes that it is taken along
//! now.

use super::LinearizationError;
use super::contact_geometry::{Placed, Zeta, axis_of_shift, point_at};
use super::forces::Forces;
use super::middle::{Blocks, Middle, flight, flights};
use super::parameter::Parameter;
use super::posed_gap::PosedGap;
use super::rows::{At, Frame, Rows, Stepped, Writer};
use crate::state::State;
use crate::stepping::integrate::ballistic::Body;
use nalgebra::DMatrix;
use stiction_assembly::{BlockKey, Face, RollingContact};
use stiction_dynamics::spatial::{Motion, Vec3, vec3};
use stiction_dynamics::{ColumnRates, Dual, Kinematics, Velocities, integrate_into};

/// Where the bodies were when the impulses of the last step acted.
struct Past {
    /// Time since then, of which its state is [s].
    since: f64,
    kin: Kinematics,
    vel: Velocities,
    rates: ColumnRates,
    by_start: Blocks,
}

impl Past {
    fn new(forces: &Forces<'_>, middle: &Middle<'_>, since: f64) -> Self {
        let (world, posed) = (forces.world, middle.posed);
        let model = &world.model;
        let mut state = State { q: model.neutral(), v: forces.start.v.clone(), t: 0.0 };
        let back: Vec<f64> = (model.dofs.iter().zip(&state.v))
            .map(|(dof, v)| if middle.takes(model.bodies[dof.body].tree) { -v } else { 0.0 })
            .collect();
        integrate_into(model, &forces.start.q, &back, since, &mut state.q);
        let mut by_start = flights(world, posed, forces.start, -since);
        for body in (0..model.trees).filter_map(|tree| middle.body(tree)) {
            body.start_from(&forces.start.q, &mut state.q);
            let v = body.idx_v..body.idx_v + 6;
            let turn = |v: &mut [f64]| v.iter_mut().for_each(|v| *v = -*v);
            turn(&mut state.v[v.clone()]);
            by_start.set(model.dofs[v.start].joint, flight_back(body, &state, since));
            body.fly(&mut state.q, &mut state.v, since);
            turn(&mut state.v[v]);
        }
        let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
        let mut rates = ColumnRates::new(model);
        kin.update(model, &state.q);
        vel.update(model, &kin, &state.v);
        rates.update(model, &kin, &vel, &state.v);
        Self { since, kin, vel, rates, by_start }
    }
}

/// The tangent of a flight back of t [s], from a state whose velocities are turned round.
fn flight_back(body: &Body, turned: &State, t: f64) -> DMatrix<f64> {
    let mut by = flight(body, [&turned.q[body.idx_q..], &turned.v[body.idx_v..]], t);
    for (k, l) in (0..6).flat_map(|k| (6..12).map(move |l| (k, l))) {
        (by[(k, l)], by[(l, k)]) = (-by[(k, l)], -by[(l, k)]);
    }
    by
}

/// w of a contact, and its derivatives in the rows of that.
struct Last {
    velocity: Motion,
    change: DMatrix<f64>,
}

impl Stepped<'_> {
    /// Adds (1), (2) and what follows of them for gaps.
    pub(super) fn add_lasting(self, rows: &mut Rows) -> Result<(), LinearizationError> {
        let Forces { accepted, columns, .. } = *self.forces;
        let Some(middle) = self.forces.middle else { return Ok(()) };
        let before = self.before()?;
        let still = vec![0.0; accepted.impulses.len()];
        let at = At { v: accepted.v, impulses: &still, biases: false };
        let mut writer = Writer::new(self, at, None);
        let mut past: Option<Past> = None;
        let posed = accepted.posed;
        for (block, of) in posed.blocks.iter().enumerate() {
            let BlockKey::Contact(number) = of.key else { continue };
            let frame = writer.frame(block, &accepted.contacts[number]);
            let mut turn = columns.zeros(frame.lambda.len());
            let rolling = posed.rolling.iter().find(|r| r.block == block).filter(|r| r.lasts);
            if let Some(RollingContact { share, .. }) = rolling {
                let since = 0.5 * self.forces.h * (1.0 / share - 1.0);
                if past.as_ref().is_none_or(|p| p.since != since) {
                    past = Some(Past::new(self.forces, middle, since));
                }
                let last = past.as_ref().and_then(|past| self.last(middle, past, &frame));
                match last {
                    Some(last) => {
                        turn = (before.rows(frame.first, frame.lambda.len()) - &last.change) * *share;
                        let placed = &self.geometry.placed[number];
                        for displaced in writer.displacements(&frame, number, placed) {
                            let (linear, turns) = displaced.turned_axes(frame.c);
                            let by = along(&linear, &turns, last.velocity);
                            by.take(turn.nrows()).enumerate().for_each(|(k, x)| {
                                turn[(k, displaced.column)] -= share * x;
                            });
                        }
                    }
                    None if !rows.held.contains(&block) => rows.held.push(block),
                    None => {}
                }
            }
            let of_contact = before.rows(frame.first, frame.lambda.len()).into_owned();
            self.add_turn(rows, (block, number), (&frame, rolling), [&of_contact, &turn]);
        }
        Ok(())
    }

    /// Adds what the velocities `before` the impulses and κ change in the rows of a contact.
    fn add_turn(
        self,
        rows: &mut Rows,
        (block, number): (usize, usize),
        (frame, rolling): (&Frame<'_>, Option<&RollingContact>),
        [before, turn]: [&DMatrix<f64>; 2],
    ) {
        let Forces { accepted, h, .. } = *self.forces;
        let normal = accepted.posed.problem.cone(block).normal();
        let spring = frame.c.spring.filter(|_| accepted.facts.rigid);
        let gap = self.forces.posed_gap(block, frame.c);
        let row = frame.first + normal;
        if let PosedGap::New { closes } = gap {
            let fixed = &self.geometry.placed[number];
            let [gap, deepest, spread] =
                [fixed.gap, fixed.face.deepest, fixed.face.spread].map(|x| Zeta::constant(x.value));
            let still = Placed { gap, face: Face { deepest, spread }, ..*fixed };
            let closes = Zeta::variable(closes.value, 0);
            let [.., correction] = PosedGap::New { closes }.asked(&accepted.facts.rows, spring, &still);
            let corrected = rows.correction.row(row) + before.row(normal) * correction.tangent[0];
            rows.correction.row_mut(row).copy_from(&corrected);
            return;
        }
        // All gaps of the face change alike, in the first place of the six.
        let mut shifted = self.geometry.placed[number];
        let one = |x: Zeta| Zeta { tangent: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..x };
        shifted.gap = one(shifted.gap);
        shifted.face.deepest = one(shifted.face.deepest);
        let [of_gap, compliance, correction] = gap.asked(&accepted.facts.rows, spring, &shifted);
        let (before_n, turn_n) = (before.row(normal), turn.row(normal));
        let (earlier, mut asks) = match gap {
            PosedGap::Here | PosedGap::New { .. } => return,
            PosedGap::Yields { .. } => (before_n * (-0.5 * h), turn_n * 0.0),
            PosedGap::Lasts { closes, .. } => {
                let slower = if closes < 0.0 && of_gap.value > 0.0 { 0.5 } else { 0.0 };
                (turn_n * (0.25 * h) - before_n * (0.5 * h), (before_n - turn_n) * slower + turn_n)
            }
        };
        let by_gap = of_gap.tangent[0] + compliance.tangent[0] * accepted.impulses[frame.first + normal];
        asks += &earlier * by_gap;
        let mut add = |row: usize, more: nalgebra::RowDVector<f64>| {
            let sum = rows.velocity.row(row) + more;
            rows.velocity.row_mut(row).copy_from(&sum);
        };
        add(row, asks);
        let slides = rolling.is_some_and(|r| r.slides);
        for k in (0..turn.nrows()).filter(|k| *k != normal) {
            let of = if slides { before } else { turn };
            add(frame.first + k, of.row(k).into_owned());
        }
        let corrected = rows.correction.row(row) + earlier * correction.tangent[0];
        rows.correction.row_mut(row).copy_from(&corrected);
    }

    /// w of a contact, with its derivatives along the axes of now; `None` if its point was no point of its geometries.
    fn last(self, middle: &Middle<'_>, past: &Past, frame: &Frame<'_>) -> Option<Last> {
        let (Frame { c, linear, turns, chains, .. }, forces) = (frame, self.forces);
        let (model, columns) = (&forces.world.model, forces.columns);
        let Past { kin, vel, rates, by_start, .. } = past;
        let pose = |g: usize| {
            let geometry = &forces.world.geometries[g];
            let (body, X_BG) = forces.world.mount(geometry.link, geometry.X_LG);
            body.map_or(X_BG, |b| kin.X_WB[b] * X_BG)
        };
        let about = c.position;
        let point = point_at(forces.accepted.facts.finder, c, c.geometries.map(pose), about)?;
        let p = vec3(point.x.value, point.y.value, point.z.value);
        let arm = |body: usize, p: Vec3| p - kin.reference[model.bodies[body].tree];
        let on = |side: usize, j: usize| chains[side].contains(&j);
        let twist = |side: usize, j: usize, at: Vec3| match c.bodies[side] {
            Some(b) if on(side, j) => Motion::new(kin.S[j].angular, kin.S[j].linear_at(arm(b, at))),
            _ => Motion::ZERO,
        };
        let motion = |side: usize| {
            c.bodies[side]
                .map_or(Motion::ZERO, |b| Motion::new(vel.V[b].angular, vel.V[b].linear_at(arm(b, p))))
        };
        let mut change = columns.zeros(frame.lambda.len());
        let mut dofs: Vec<usize> = chains.iter().flatten().copied().collect();
        dofs.sort_unstable();
        dofs.dedup();
        for j in dofs {
            let dp = twist(0, j, p).linear + moved_by(&point, twist(1, j, about) - twist(0, j, about));
            let mut moved = Motion::ZERO;
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(b) = c.bodies[side] else { continue };
                let mut of_body = Motion::new(Vec3::ZERO, vel.V[b].angular.cross(dp));
                if on(side, j) {
                    let turned = rates.psi_dot[j] - vel.V[b].cross(kin.S[j]);
                    of_body += Motion::new(turned.angular, turned.linear_at(arm(b, p)));
                }
                moved += of_body * sign;
            }
            let faster = twist(1, j, p) - twist(0, j, p);
            for (column, motion) in [(columns.q(j), moved), (columns.v(j), faster)] {
                let by = along(linear, turns, motion).take(change.nrows());
                by.enumerate().for_each(|(k, x)| change[(k, column)] = x);
            }
        }
        by_start.apply(columns, &mut change);
        middle.turn_to_middle(columns, &mut change);
        let turning = |side: usize| c.bodies[side].map_or(Vec3::ZERO, |b| vel.V[b].angular);
        for (p, parameter) in forces.parameters.iter().enumerate() {
            let Parameter::Offset { geometry, axis } = *parameter else { continue };
            let Some(side) = c.geometries.iter().position(|g| *g == geometry) else { continue };
            let shift = axis_of_shift(forces.world, kin, geometry, axis);
            let dp = match side {
                0 => shift + moved_by(&point, Motion::new(Vec3::ZERO, -shift)),
                _ => moved_by(&point, Motion::new(Vec3::ZERO, shift)),
            };
            let moved = Motion::new(Vec3::ZERO, (turning(1) - turning(0)).cross(dp));
            let by = along(linear, turns, moved).take(change.nrows());
            by.enumerate().for_each(|(k, x)| change[(k, columns.p(p))] = x);
        }
        Some(Last { velocity: motion(1) - motion(0), change })
    }
}

/// The change of a point by a motion of B relative to A, of which its tangents are.
fn moved_by(point: &Vec3<Dual<6>>, zeta: Motion) -> Vec3 {
    let zeta = [zeta.angular.to_array(), zeta.linear.to_array()].concat();
    let by = |x: &Dual<6>| x.tangent.iter().zip(&zeta).map(|(a, b)| a * b).sum::<f64>();
    vec3(by(&point.x), by(&point.y), by(&point.z))
}

/// A motion along axes of velocities, and of spins.
fn along<'a>(linear: &'a [Vec3], turns: &'a [Vec3; 3], of: Motion) -> impl Iterator<Item = f64> + 'a {
    let spins = turns.iter().map(move |a| a.dot(of.angular));
    linear.iter().map(move |a| a.dot(of.linear)).chain(spins)
}
