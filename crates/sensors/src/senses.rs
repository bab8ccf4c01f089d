//! What sensors read: those of MJCF files by MuJoCo's definitions, those of SDF files by Gazebo's.
//!
//! Accelerations are those of the last step, (v⁺ − v)/h, at the positions after it; contact forces are its means. A force
//! sensor sums, over the links L that hang on the site's,
//!
//! ```text
//!     f = Σ m_L (a_L − g) − Σ contact forces on L                     (1)
//! ```
//!
//! and a torque sensor the moments of the same about the site. Noise is up to the reader.

use crate::reading::{Frame, Kind, Reading};
use stiction::ContactState;
use stiction::collision::query::Ray;
use stiction::collision::{CollisionWorld, Shape};
use stiction::dynamics::spatial::{Motion, Pose, Vec3};
use stiction::dynamics::{
    Accelerations, Kinematics, Velocities, kinetic_energy, potential_energy, spring_energy,
};
use stiction::world::World;

/// All that sensors read, computed once for all of them.
pub struct Senses<'a> {
    pub world: &'a World,
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Kinematics of q and v, with the accelerations of the last step.
    pub kin: &'a Kinematics,
    pub vel: &'a Velocities,
    pub acc: &'a Accelerations,
    /// Contacts of the last step, and the effort of every actuator in it.
    pub contacts: &'a [ContactState],
    pub efforts: &'a [f64],
}

impl Senses<'_> {
    fn pose(&self, f: &Frame) -> Pose {
        f.body.map_or(f.X_BF, |b| self.kin.X_WB[b] * f.X_BF)
    }

    /// Angular velocity, and velocity of the origin.
    fn velocity(&self, f: &Frame) -> Motion {
        let Some(b) = f.body else { return Motion::ZERO };
        let V = self.vel.V[b];
        Motion::new(V.angular, V.linear_at(self.arm(b, self.pose(f).translation)))
    }

    /// Angular acceleration, and acceleration of the origin on top of free fall.
    fn acceleration(&self, f: &Frame) -> Motion {
        let Some(b) = f.body else { return Motion::new(Vec3::ZERO, -self.world.model.gravity) };
        let r = self.arm(b, self.pose(f).translation);
        let (A, V) = (self.acc.A[b], self.vel.V[b]);
        Motion::new(A.angular, A.linear_at(r) + V.angular.cross(V.linear_at(r)))
    }

    fn arm(&self, body: usize, p: Vec3) -> Vec3 {
        p - self.kin.reference[self.kin.tree_of(body)]
    }

    /// (1) and its moment about the origin of the frame, in its axes.
    fn carried(&self, f: &Frame) -> [Vec3; 2] {
        let (model, X) = (&self.world.model, self.pose(f));
        let p = X.translation;
        let (mut force, mut moment) = (Vec3::ZERO, Vec3::ZERO);
        for (l, link) in model.links.iter().enumerate().filter(|(l, _)| self.hangs_on(*l, f.link)) {
            let X_WL = link.body.map_or(link.X_BL, |b| self.kin.X_WB[b] * link.X_BL);
            let I = &link.inertia;
            let c = X_WL.transform(I.com());
            let on =
                Frame { body: link.body, link: Some(l), X_BF: link.X_BL * Pose::from_translation(I.com()) };
            let (A, w) = (self.acceleration(&on), self.velocity(&on).angular);
            let f_c = A.linear * I.mass;
            let about_com = |w: Vec3| {
                let w_L = X_WL.rotation.conjugate().rotate(w);
                X_WL.rotation.rotate(I.about_com() * w_L)
            };
            let n_c = about_com(A.angular) + w.cross(about_com(w));
            force += f_c;
            moment += n_c + (c - p).cross(f_c);
            for contact in self.contacts {
                for (g, sign) in contact.geometries.iter().zip([-1.0, 1.0]) {
                    if self.world.geometries[*g].link == Some(l) {
                        let f_p = contact.force * sign;
                        force += -f_p;
                        moment += -(contact.moment * sign + (contact.position - p).cross(f_p));
                    }
                }
            }
        }
        let into = |v: Vec3| X.rotation.conjugate().rotate(v);
        [into(force), into(moment)]
    }

    fn hangs_on(&self, link: usize, root: Option<usize>) -> bool {
        hangs_on(self.world, link, root)
    }

    /// Normal forces of the contacts that meet the volume of a site.
    fn touch(&self, f: &Frame, shape: &Shape) -> f64 {
        let X = self.pose(f);
        let mut sum = 0.0;
        for c in self.contacts {
            for (g, direction) in c.geometries.iter().zip([c.normal, -c.normal]) {
                let ray = Ray { origin: c.position, direction, limit: f64::INFINITY };
                if self.world.geometries[*g].link == f.link && shape.ray_first(&X, &ray).is_some() {
                    sum += c.force.dot(c.normal);
                }
            }
        }
        sum
    }

    /// Contact forces on geometries, in the world.
    fn pressed(&self, of: &[usize]) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for c in self.contacts {
            for (g, sign) in c.geometries.iter().zip([-1.0, 1.0]) {
                if of.contains(g) {
                    sum += c.force * sign;
                }
            }
        }
        sum
    }

    /// Mass, first moment and momentum of the links that hang on one, about the world's origin.
    fn subtree(&self, root: Option<usize>) -> (f64, Vec3, Vec3, Vec3) {
        let model = &self.world.model;
        let (mut mass, mut first, mut p, mut L) = (0.0, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for (l, link) in model.links.iter().enumerate() {
            let (true, I) = (self.hangs_on(l, root), &link.inertia) else { continue };
            let X_WL = link.body.map_or(link.X_BL, |b| self.kin.X_WB[b] * link.X_BL);
            let c = X_WL.transform(I.com());
            mass += I.mass;
            first += c * I.mass;
            if let Some(b) = link.body {
                let V = self.vel.V[b];
                let v_c = V.linear_at(self.arm(b, c)) * I.mass;
                let w_L = X_WL.rotation.conjugate().rotate(V.angular);
                p += v_c;
                L += X_WL.rotation.rotate(I.about_com() * w_L) + c.cross(v_c);
            }
        }
        (mass, first, p, L)
    }

    fn range(&self, f: &Frame, scene: &CollisionWorld, poses: &[Pose]) -> f64 {
        let X = self.pose(f);
        let ray = Ray { origin: X.translation, direction: X.rotation.rotate(Vec3::Z), limit: f64::INFINITY };
        let others = |i: usize| self.world.geometries[i].link != f.link;
        scene.ray_first(poses, &ray, |i, _| others(i)).map_or(-1.0, |hit| hit.hit.distance)
    }

    fn sum(&self, terms: &[(usize, f64)], of: impl Fn(usize) -> f64) -> f64 {
        terms.iter().map(|(dof, c)| c * of(*dof)).sum()
    }

    fn coordinate(&self, dof: usize) -> f64 {
        self.q[self.world.model.joints[self.world.model.dofs[dof].joint].idx_q]
    }

    /// Adds the numbers of a reading to `out`.
    pub fn read(&self, reading: &Reading, out: &mut Vec<f64>) -> Result<(), String> {
        let from = out.len();
        self.measure(&reading.kind, out)?;
        if reading.cutoff > 0.0 {
            out[from..].iter_mut().for_each(|x| *x = x.clamp(-reading.cutoff, reading.cutoff));
        }
        Ok(())
    }

    fn measure(&self, kind: &Kind, out: &mut Vec<f64>) -> Result<(), String> {
        let mut vector = |v: Vec3| out.extend(v.to_array());
        match kind {
            Kind::Accelerometer(f) => vector(self.into(f, self.acceleration(f).linear)),
            Kind::Velocimeter(f) => vector(self.into(f, self.velocity(f).linear)),
            Kind::Gyro(f) => vector(self.into(f, self.velocity(f).angular)),
            Kind::Force(f) => vector(self.carried(f)[0]),
            Kind::Torque(f) => vector(self.carried(f)[1]),
            Kind::Wrench(f, sign) => self.carried(f).iter().for_each(|v| vector(*v * *sign)),
            Kind::Imu(f) => {
                out.extend(self.pose(f).rotation.to_array());
                out.extend(self.into(f, self.velocity(f).angular).to_array());
                out.extend(self.into(f, self.acceleration(f).linear).to_array());
            }
            Kind::Contact(of) => vector(self.pressed(of)),
            Kind::Touch(f, shape) => out.push(self.touch(f, shape)),
            Kind::Range(f) => {
                let scene = self.world.collision().map_err(|e| e.to_string())?;
                let poses = self.geometry_poses();
                out.push(self.range(f, &scene, &poses));
            }
            Kind::Coordinates(at) => out.extend(&self.q[at.clone()]),
            Kind::Rates(at) => out.extend(&self.v[at.clone()]),
            Kind::Length(terms) => out.push(self.sum(terms, |dof| self.coordinate(dof))),
            Kind::Rate(terms) => out.push(self.sum(terms, |dof| self.v[dof])),
            Kind::Effort(actuator) => out.push(self.efforts[*actuator]),
            Kind::EffortOfDof(dof) => {
                let of = |(i, a): (usize, &stiction::world::Actuator)| -> f64 {
                    let at = a.transmission.iter().filter(|(d, _)| d == dof);
                    at.map(|(_, c)| c * self.efforts[i]).sum()
                };
                out.push(self.world.actuators.iter().enumerate().map(of).sum());
            }
            Kind::Position(f, within) => {
                let X = self.pose(within);
                vector(X.inverse_transform(self.pose(f).translation));
            }
            Kind::Quaternion(f, within) => {
                let r = (self.pose(within).inverse() * self.pose(f)).rotation;
                out.extend(r.to_array());
            }
            Kind::Axis(f, within, axis) => vector(self.into(within, self.pose(f).rotation.rotate(*axis))),
            Kind::Velocity(f, within) => {
                let (V, U) = (self.velocity(f), self.velocity(within));
                let r = self.pose(f).translation - self.pose(within).translation;
                vector(self.into(within, V.linear - U.linear - U.angular.cross(r)));
            }
            Kind::AngularVelocity(f, within) => {
                vector(self.into(within, self.velocity(f).angular - self.velocity(within).angular));
            }
            Kind::Acceleration(f) => vector(self.acceleration(f).linear),
            Kind::AngularAcceleration(f) => vector(self.acceleration(f).angular),
            Kind::SubtreeCom(link) => {
                let (mass, first, ..) = self.subtree(*link);
                vector(first * (1.0 / mass));
            }
            Kind::SubtreeVelocity(link) => {
                let (mass, _, p, _) = self.subtree(*link);
                vector(p * (1.0 / mass));
            }
            Kind::SubtreeMomentum(link) => {
                let (mass, first, p, L) = self.subtree(*link);
                vector(L - (first * (1.0 / mass)).cross(p));
            }
            Kind::Clock => out.push(self.t),
            Kind::Potential => {
                let model = &self.world.model;
                out.push(potential_energy(model, self.kin) + spring_energy(model, self.q));
            }
            Kind::Kinetic => out.push(kinetic_energy(&self.world.model, self.kin, self.vel, self.v)),
        }
        Ok(())
    }

    fn into(&self, f: &Frame, v: Vec3) -> Vec3 {
        self.pose(f).rotation.conjugate().rotate(v)
    }

    fn geometry_poses(&self) -> Vec<Pose> {
        let mounted = self.world.geometries.iter().map(|g| {
            let (body, X_BG) = self.world.mount(g.link, g.X_LG);
            body.map_or(X_BG, |b| self.kin.X_WB[b] * X_BG)
        });
        mounted.collect()
    }
}

/// Whether a link is `root` or hangs on it; all do on the world.
pub fn hangs_on(world: &World, link: usize, root: Option<usize>) -> bool {
    let parent = |l: &usize| world.model.links[*l].parent;
    let mut up = std::iter::successors(Some(link), parent);
    root.is_none_or(|root| up.any(|l| l == root))
}
