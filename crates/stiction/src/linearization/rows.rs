//! Derivatives of the rows of a step: of c at given velocities, and of Jᵀλ at given impulses.
//!
//! A row of a contact is a velocity a·u + b·w, with u and w the velocity and spin of B relative to A at the
//! point p, and its impulse a force along a at p and a moment along b. With S_j the axis of dof j, Ṡ the
//! turning of columns and V the motions of bodies at v⁺ ([`stiction_dynamics`], derivatives of kinematics),
//!
//! ```text
//!     ∂u/∂q_j = (ψ̇_j − V × S_j at p of each body that j moves) + (ω_B − ω_A) × ∂p/∂q_j              (1)
//!     ∂(S_i · F)/∂q_j = (S_j × S_i) · F + S_i · ∂F/∂q_j                                             (2)
//! ```
//!
//! ∂p, ∂a, ∂b and that of the bias are of [`super::contact_geometry`]. Rows of joints are those
//! of [`super::scalar_rows`].

use super::LinearizationError;
use super::bounces;
use super::columns::{Columns, solve};
use super::contact_geometry::{Geometry, Offset, Placed, Zeta};
use super::forces::{Forces, end_of_motion};
use super::parameter::Parameter;
use super::posed_gap::PosedGap;
use crate::stepping::slopes::dense_jacobian;
use nalgebra::DMatrix;
use std::ops::Range;
use stiction_assembly::laws::turning::turning_axes;
use stiction_assembly::laws::yielding::Spring;
use stiction_assembly::{BlockKey, ContactPoint};
use stiction_dynamics::spatial::{Force, Motion, Vec3, vec3};
use stiction_dynamics::{ColumnRates, Dual, MassMatrix, Model, Velocities};

/// The rows of a step, and what their derivatives are made of.
pub(super) struct Rows {
    /// J, a row per row of the problem.
    pub(super) J: DMatrix<f64>,
    /// ∂c at v⁺ and λ as they are, of rows that ask for a velocity.
    pub(super) velocity: DMatrix<f64>,
    /// ∂ of the velocities that undo their position errors, negative.
    pub(super) correction: DMatrix<f64>,
    /// ∂ of their gaps, and of the part of c beyond J v⁺ that these ask for, in normal rows.
    pub(super) gap: DMatrix<f64>,
    pub(super) bias: DMatrix<f64>,
    /// ∂ of the share of the step that is left after a bounce, in normal rows; no rows where nothing may
    /// bounce.
    pub(super) left: DMatrix<f64>,
    /// Blocks of contacts whose geometry was taken as it is.
    pub(super) held: Vec<usize>,
}

/// A step whose rows are differentiated: its forces, M, and its contact points.
#[derive(Clone, Copy)]
pub(super) struct Stepped<'a> {
    pub(super) forces: &'a Forces<'a>,
    /// M without what is implicit.
    pub(super) mass: &'a MassMatrix,
    pub(super) geometry: &'a Geometry,
}

/// Impulses p beside those of the problem, and the velocities y = M̂⁻¹ Jᵀ p.
pub(super) struct Pushed {
    pub(super) y: Vec<f64>,
    /// M̂⁻¹ (δJᵀ p − δM̂ y).
    pub(super) change: DMatrix<f64>,
    /// The rows at y.
    pub(super) rows: Rows,
}

impl Stepped<'_> {
    /// The rows at the answer of the step; δ(Jᵀ)λ is added to `force`, the right-hand side of
    /// [`super::forces`]. Contacts bounce whose rows have the velocities `bouncing`.
    pub(super) fn rows(
        self,
        bouncing: Option<&bounces::Velocities>,
        force: &mut DMatrix<f64>,
    ) -> Result<Rows, LinearizationError> {
        let accepted = self.forces.accepted;
        let at = At { v: accepted.v_next, impulses: accepted.impulses, biases: true };
        let mut rows = Writer::new(self, at, bouncing).write(force)?;
        if self.forces.middle.is_some() {
            self.add_lasting(&mut rows)?;
        }
        Ok(rows)
    }

    /// ∂(J v), v being that at which the step was posed.
    pub(super) fn before(self) -> Result<DMatrix<f64>, LinearizationError> {
        let columns = self.forces.columns;
        let (turned, _) = self.turned(self.forces.accepted.v, None)?;
        let mut out = turned.velocity;
        let mut by_v = out.columns_mut(columns.v(0), columns.nv);
        by_v += turned.J;
        Ok(out)
    }

    /// The rows at the velocity `v`, which ask for nothing, and δ(Jᵀ) times `impulses`, if there are any.
    pub(super) fn turned(
        self,
        v: &[f64],
        impulses: Option<&[f64]>,
    ) -> Result<(Rows, DMatrix<f64>), LinearizationError> {
        let mut force = self.forces.columns.zeros(self.forces.columns.nv);
        let none = vec![0.0; self.forces.accepted.impulses.len()];
        let at = At { v, impulses: impulses.unwrap_or(&none), biases: false };
        Ok((Writer::new(self, at, None).write(&mut force)?, force))
    }

    /// The velocities of the impulses `p`, with M̂⁻¹ Jᵀ.
    pub(super) fn pushed(self, T: &DMatrix<f64>, p: &[f64]) -> Result<Pushed, LinearizationError> {
        let y = (T * DMatrix::from_column_slice(p.len(), 1, p)).as_slice().to_vec();
        let (rows, mut change) = self.turned(&y, Some(p))?;
        change += self.forces.inertia_change(self.mass, &y);
        solve(self.forces.accepted.factor, &mut change);
        Ok(Pushed { y, change, rows })
    }

    /// The derivatives of J M̂⁻¹ Jᵀ in the n rows of `range`, in n² rows: those of δJ x + (δJ x)ᵀ − xᵀ δM̂ x
    /// with x = M̂⁻¹ Jᵀ.
    pub(super) fn mobility_change(
        self,
        T: &DMatrix<f64>,
        range: Range<usize>,
    ) -> Result<DMatrix<f64>, LinearizationError> {
        let n = range.len();
        let mut out = self.forces.columns.zeros(n * n);
        for (l, s) in range.clone().enumerate() {
            let x = T.column(s).as_slice().to_vec();
            let (turned, _) = self.turned(&x, None)?;
            let inertia = self.forces.inertia_change(self.mass, &x);
            for (k, r) in range.clone().enumerate() {
                for j in 0..out.ncols() {
                    let moved = turned.velocity[(r, j)];
                    out[(n * k + l, j)] += moved;
                    out[(n * l + k, j)] += moved;
                    out[(n * k + l, j)] += (0..T.nrows()).map(|a| T[(a, r)] * inertia[(a, j)]).sum::<f64>();
                }
            }
        }
        Ok(out)
    }
}

/// Velocities and impulses at which rows are differentiated, and whether what they ask for counts.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) v: &'a [f64],
    pub(super) impulses: &'a [f64],
    pub(super) biases: bool,
}

/// Writes the rows of a step.
pub(super) struct Writer<'a> {
    pub(super) forces: &'a Forces<'a>,
    geometry: &'a Geometry,
    pub(super) mass: &'a MassMatrix,
    pub(super) columns: Columns,
    pub(super) at: At<'a>,
    /// The model in dual numbers, from the first row of joints on.
    pub(super) model: Option<Model<Dual<2>>>,
    vel: Velocities,
    rates: ColumnRates,
    /// Per body: impulses upon it, about the reference of its tree.
    wrenches: Vec<Force>,
    bouncing: Option<&'a bounces::Velocities>,
    pub(super) out: Rows,
}

/// A contact whose rows are differentiated.
pub(super) struct Frame<'a> {
    pub(super) c: &'a ContactPoint,
    /// The first row of the contact, and its normal row from there.
    pub(super) first: usize,
    normal: usize,
    pub(super) lambda: &'a [f64],
    /// Axes of velocities and of spins, row by row.
    pub(super) linear: Vec<Vec3>,
    pub(super) turns: [Vec3; 3],
    /// Motion of B relative to A at p, and the impulse on B.
    relative: Motion,
    force: Vec3,
    /// Dofs that move A and B.
    pub(super) chains: [Vec<usize>; 2],
    spring: Option<Spring>,
    gap: PosedGap,
    bounce: Option<bounces::Bounce>,
}

/// A displacement of a contact: its column, the dof that turns each body, what both bodies do, and what B
/// does beyond that.
pub(super) struct Displaced<'a> {
    pub(super) column: usize,
    turning: [Option<usize>; 2],
    with: Motion,
    zeta: Motion,
    placed: &'a Placed,
}

impl Displaced<'_> {
    /// Change of a number.
    fn along(&self, x: &Dual<6>) -> f64 {
        let zeta = [self.zeta.angular.to_array(), self.zeta.linear.to_array()].concat();
        x.tangent.iter().zip(&zeta).map(|(a, b)| a * b).sum()
    }

    fn vector(&self, x: &Vec3<Dual<6>>) -> Vec3 {
        vec3(self.along(&x.x), self.along(&x.y), self.along(&x.z))
    }

    /// How the point moves.
    fn point(&self) -> Vec3 {
        self.with.linear + self.vector(&self.placed.position)
    }

    /// How the axes of velocities and of spins turn.
    pub(super) fn turned_axes(&self, c: &ContactPoint) -> (Vec<Vec3>, [Vec3; 3]) {
        let dn = self.with.angular.cross(c.n) + self.vector(&self.placed.n);
        let frictional = c.friction > 0.0;
        let (dt1, dt2) = if frictional { c.n.tangents_change(dn) } else { (Vec3::ZERO, Vec3::ZERO) };
        axes(c, [dt1, dt2, dn])
    }
}

/// The axes of velocities and of spins of a contact, or the changes of these, from the three of its frame.
fn axes(c: &ContactPoint, frame: [Vec3; 3]) -> (Vec<Vec3>, [Vec3; 3]) {
    let [t1, t2, n] = frame;
    let frictional = c.friction > 0.0;
    let turns = turning_axes(c.turning, frame, if frictional { c.friction } else { 1.0 });
    (if frictional { vec![t1, t2, n] } else { vec![n] }, turns)
}

impl<'a> Writer<'a> {
    pub(super) fn new(stepped: Stepped<'a>, at: At<'a>, bouncing: Option<&'a bounces::Velocities>) -> Self {
        let Stepped { forces, mass, geometry } = stepped;
        let (model, kin) = (&forces.world.model, forces.kin);
        let (mut vel, mut rates) = (Velocities::new(model), ColumnRates::new(model));
        vel.update(model, kin, at.v);
        rates.update(model, kin, &vel, at.v);
        let (columns, m) = (forces.columns, forces.accepted.impulses.len());
        Self {
            mass,
            geometry,
            columns,
            at,
            model: None,
            vel,
            rates,
            wrenches: vec![Force::zero(0.0); model.bodies.len()],
            bouncing,
            out: Rows {
                J: dense_jacobian(forces.accepted.posed, columns.nv),
                velocity: columns.zeros(m),
                correction: columns.zeros(m),
                gap: columns.zeros(m),
                bias: columns.zeros(m),
                left: columns.zeros(if bouncing.is_some() { m } else { 0 }),
                held: Vec::new(),
            },
            forces,
        }
    }

    /// All rows; δ(Jᵀ)λ is added to `force`, the right-hand side of [`super::forces`].
    fn write(mut self, force: &mut DMatrix<f64>) -> Result<Rows, LinearizationError> {
        let accepted = self.forces.accepted;
        let posed = accepted.posed;
        let geometry = self.geometry;
        for (i, block) in posed.blocks.iter().enumerate() {
            match block.key {
                BlockKey::Contact(c) => {
                    let bias = block.bias.gap + block.bias.restitution;
                    self.contact(i, c, &geometry.placed[c], bias, force)?;
                }
                BlockKey::Row(key) => self.row(i, key, force)?,
            }
        }
        self.add_turning(force);
        Ok(self.out)
    }

    fn chain(&self, body: Option<usize>) -> Vec<usize> {
        let model = &self.forces.world.model;
        let tip = body.and_then(|b| model.bodies[b].dofs.clone().next_back());
        std::iter::successors(tip, |&d| model.dofs[d].parent).collect()
    }

    /// p from the reference of the tree of `body`.
    fn arm(&self, body: usize, p: Vec3) -> Vec3 {
        let tree = self.forces.world.model.bodies[body].tree;
        p - self.forces.kin.reference[tree]
    }

    /// The rows of a contact, whose bias is that of its gap and of restitution.
    fn contact(
        &mut self,
        block: usize,
        number: usize,
        placed: &'a Placed,
        bias: f64,
        force: &mut DMatrix<f64>,
    ) -> Result<(), LinearizationError> {
        let accepted = self.forces.accepted;
        let c = &accepted.contacts[number];
        if c.stretch != [1.0, 1.0] {
            return Err(LinearizationError::DirectedFriction);
        }
        let frame = self.frame(block, c);
        let [gap, ..] = frame.gap.asked(&accepted.facts.rows, frame.spring, placed);
        let expected = frame.bounce.as_ref().map_or(gap.value, |bounce| bounce.bias.value);
        let asks = frame.bounce.is_some() || self.at.biases;
        if placed.held {
            self.out.held.push(block);
        } else if asks && (expected - bias).abs() > 1e-9 * (1.0 + bias.abs()) {
            return Err(LinearizationError::Bounces);
        }
        for displaced in self.displacements(&frame, number, placed) {
            self.add_displacement(&frame, &displaced, force);
        }
        if let Some(spring) = frame.spring.filter(|_| self.at.biases) {
            self.add_yielding(&frame, spring);
        }
        Ok(())
    }

    /// Axes, motions and impulses of a contact. The impulses are added to those on its bodies, and to its
    /// rows how a bounce changes.
    pub(super) fn frame(&mut self, block: usize, c: &'a ContactPoint) -> Frame<'a> {
        let accepted = self.forces.accepted;
        let (rows, normal) =
            (accepted.posed.problem.range(block), accepted.posed.problem.cone(block).normal());
        let (first, lambda) = (rows.start, &self.at.impulses[rows]);
        let gap = self.forces.posed_gap(block, c);
        let bounce = match self.bouncing {
            Some(velocities) if self.at.biases && accepted.facts.rigid => {
                let before = accepted.posed.jacobian.row_velocity(block, normal, accepted.v);
                let free = accepted.posed.blocks[block].bias.free;
                let bounce = bounces::bounce(&accepted.facts.rows, c, gap, [before, free]);
                if let Some(bounce) = &bounce {
                    self.add_bounce(first + normal, c, bounce, velocities);
                }
                bounce
            }
            _ => None,
        };
        let (linear, turns) = axes(c, [c.t1, c.t2, c.n]);
        let p = c.position;
        let motion = |body: Option<usize>| {
            body.map_or(Motion::ZERO, |b| {
                Motion::new(self.vel.V[b].angular, self.vel.V[b].linear_at(self.arm(b, p)))
            })
        };
        let relative = motion(c.bodies[1]) - motion(c.bodies[0]);
        let (mut F, mut m) = (Vec3::ZERO, Vec3::ZERO);
        linear.iter().zip(lambda).for_each(|(a, x)| F += *a * *x);
        turns.iter().zip(lambda.iter().skip(3)).for_each(|(b, x)| m += *b * *x);
        for (body, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
            if let Some(b) = body {
                let moment = self.arm(b, p).cross(F) + m;
                self.wrenches[b] += Force::new(moment, F) * sign;
            }
        }
        // Compliant laws bring the spring of the surfaces themselves.
        let spring = c.spring.filter(|_| accepted.facts.rigid);
        let chains = c.bodies.map(|b| self.chain(b));
        Frame { c, first, normal, lambda, linear, turns, relative, force: F, chains, spring, gap, bounce }
    }

    /// All that displaces a contact: the dofs of its bodies, and shifts of their geometries.
    pub(super) fn displacements(
        &self,
        frame: &Frame<'_>,
        number: usize,
        placed: &'a Placed,
    ) -> Vec<Displaced<'a>> {
        let (kin, Frame { c, chains, .. }) = (self.forces.kin, frame);
        let mut dofs: Vec<usize> = chains.iter().flatten().copied().collect();
        dofs.sort_unstable();
        dofs.dedup();
        let of_dof = |&j: &usize| {
            let on = [0, 1].map(|side: usize| chains[side].contains(&j));
            let twist = |side: usize, at: Vec3| match c.bodies[side] {
                Some(b) if on[side] => Motion::new(kin.S[j].angular, kin.S[j].linear_at(self.arm(b, at))),
                _ => Motion::ZERO,
            };
            let zeta = twist(1, placed.about) - twist(0, placed.about);
            let turning = [0, 1].map(|side: usize| on[side].then_some(j));
            Displaced { column: self.columns.q(j), turning, with: twist(0, c.position), zeta, placed }
        };
        let of_shift = |o: &'a Offset| {
            let zeta = Motion::new(Vec3::ZERO, o.along);
            let placed = &o.placed[number];
            Displaced { column: o.column, turning: [None; 2], with: Motion::ZERO, zeta, placed }
        };
        dofs.iter().map(of_dof).chain(self.geometry.offsets.iter().map(of_shift)).collect()
    }

    /// Adds the column of a displacement.
    fn add_displacement(&mut self, frame: &Frame<'_>, displaced: &Displaced<'_>, force: &mut DMatrix<f64>) {
        let Frame { c, first, normal, lambda, linear, turns, relative, force: F, chains, .. } = frame;
        let Displaced { column, turning, placed, .. } = *displaced;
        let (kin, p, at_normal) = (self.forces.kin, c.position, first + normal);
        let along = |x: &Dual<6>| displaced.along(x);
        let [mut gap, compliance, mut correction] =
            frame.gap.asked(&self.forces.accepted.facts.rows, frame.spring, placed);
        if let Some(bounce) = &frame.bounce {
            gap = placed.gap * Zeta::constant(bounce.bias.tangent[0]);
            correction = Zeta::constant(0.0);
            let left = placed.gap * Zeta::constant(bounce.left.tangent[0]);
            self.out.left[(at_normal, column)] += along(&left);
        }
        let dp = displaced.point();
        let (d_linear, d_turns) = displaced.turned_axes(c);
        // (1), with the points that the two bodies have at p as it moves.
        let mut change = Motion::ZERO;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(b) = c.bodies[side] else { continue };
            let V = self.vel.V[b];
            let mut of_body = Motion::new(Vec3::ZERO, V.angular.cross(dp));
            if let Some(j) = turning[side] {
                let turned = self.rates.psi_dot[j] - V.cross(kin.S[j]);
                of_body += Motion::new(turned.angular, turned.linear_at(self.arm(b, p)));
            }
            change += of_body * sign;
        }
        for k in 0..lambda.len() {
            let x = if k < 3 {
                d_linear[k].dot(relative.linear) + linear[k].dot(change.linear)
            } else {
                d_turns[k - 3].dot(relative.angular) + turns[k - 3].dot(change.angular)
            };
            self.out.velocity[(first + k, column)] += x;
        }
        if self.at.biases {
            self.out.velocity[(at_normal, column)] += along(&gap) + along(&compliance) * lambda[*normal];
            self.out.correction[(at_normal, column)] += along(&correction);
            self.out.gap[(at_normal, column)] += along(&placed.gap);
            self.out.bias[(at_normal, column)] += along(&gap);
        }
        // The second term of (2).
        let (mut dF, mut dm) = (Vec3::ZERO, Vec3::ZERO);
        d_linear.iter().zip(*lambda).for_each(|(a, x)| dF += *a * *x);
        d_turns.iter().zip(lambda.iter().skip(3)).for_each(|(b, x)| dm += *b * *x);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(b) = c.bodies[side] else { continue };
            let change = Force::new(dp.cross(*F) + self.arm(b, p).cross(dF) + dm, dF) * sign;
            for &i in &chains[side] {
                force[(i, column)] += kin.S[i].dot(change);
            }
        }
    }

    /// Adds how what the normal row of a contact that bounces asks for changes with velocities and with e.
    fn add_bounce(
        &mut self,
        row: usize,
        c: &ContactPoint,
        bounce: &bounces::Bounce,
        velocities: &bounces::Velocities,
    ) {
        let (before, free) = (velocities.before.row(row), velocities.free.row(row));
        for (out, by) in [(&mut self.out.velocity, &bounce.bias), (&mut self.out.left, &bounce.left)] {
            let more = out.row(row) + before * by.tangent[1] + free * by.tangent[2];
            out.row_mut(row).copy_from(&more);
            self.forces.columns_of_restitution(c, |column| out[(row, column)] += by.tangent[3]);
        }
    }

    /// Adds how the normal row of a contact that yields changes with the numbers of its spring.
    fn add_yielding(&mut self, frame: &Frame<'_>, spring: Spring) {
        let Frame { c, gap, normal, .. } = *frame;
        let (row, lambda) = (frame.first + normal, frame.lambda[normal]);
        let number = |x: f64, k: usize| Dual::<3>::variable(x, k);
        let spring = Spring {
            stiffness: number(spring.stiffness, 0),
            relaxation: number(spring.relaxation, 1),
            dissipation: number(spring.dissipation, 2),
        };
        let of = spring.yielding(Dual::constant(c.gap + gap.earlier()), Dual::constant(self.forces.h));
        for (p, parameter) in self.forces.parameters.iter().enumerate().filter(|(_, x)| x.is_of(c.geometries))
        {
            let k = match parameter {
                Parameter::ContactStiffness { .. } => 0,
                Parameter::ContactRelaxation { .. } => 1,
                Parameter::ContactDissipation { .. } => 2,
                _ => continue,
            };
            let asked = of.bias.tangent[k] + of.compliance.tangent[k] * lambda;
            self.out.velocity[(row, self.columns.p(p))] += asked;
        }
    }

    /// The first term of (2), of all impulses together.
    fn add_turning(&mut self, force: &mut DMatrix<f64>) {
        let (model, kin) = (&self.forces.world.model, self.forces.kin);
        for b in (0..model.bodies.len()).rev() {
            let F = self.wrenches[b];
            if let Some(parent) = model.bodies[b].parent {
                self.wrenches[parent] += F;
            }
            if F == Force::zero(0.0) {
                continue;
            }
            for i in model.bodies[b].dofs.clone() {
                let before = std::iter::successors(Some(i), |&d| model.dofs[d].parent);
                for j in before.chain(i + 1..end_of_motion(model, i)) {
                    force[(i, self.columns.q(j))] += kin.S[j].cross(kin.S[i]).dot(F);
                }
            }
        }
    }
}
