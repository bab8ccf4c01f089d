//! The algorithms of rigid-body dynamics, of a world without its contacts.
//!
//! Motions and forces are angular first, in world axes unless said otherwise; matrices have rows of the quantity and columns
//! of v. What the arrays mean is said in the stubs of the Python package.

use crate::errors::{guarded, index, wrong};
use crate::numbers::{
    Row, Rows, blocks, force, matrix, matrix_of, motion, numbers, of_forces, of_motions, of_points, pose,
    rotation, row, table, vec3,
};
use crate::workspace::Workspace;
use crate::world::World;
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;
use stiction::dynamics::spatial::{Force, Motion, Vec3};
use stiction::dynamics::{
    Axes, ExternalForces, Kinematics, Velocities, aba_into, bias_into, body_jacobian_into,
    body_jacobian_rate_into, crba_into, difference_into, frame_acceleration, frame_classical_acceleration,
    frame_jacobian_into, frame_pose, frame_velocity, gravity_into, integrate_into, kinetic_energy, momentum,
    normalize, point_jacobian_into, point_jacobian_rate_into, potential_energy, rnea_into, spring_energy,
};
use stiction::{State, check_square};

type Array1<'py> = Bound<'py, PyArray1<f64>>;
type Array2<'py> = Bound<'py, PyArray2<f64>>;
type Array3<'py> = Bound<'py, PyArray3<f64>>;

const OF_V: &str = "one for each velocity";

impl World {
    /// Lends memory at q, and at a v.
    pub(crate) fn at<T>(
        &self,
        q: &Row<'_>,
        v: Option<&Row<'_>>,
        work: impl FnOnce(&mut Workspace, &[f64]) -> PyResult<T>,
    ) -> PyResult<T> {
        let model = self.model();
        let state = State {
            t: 0.0,
            q: numbers("q", q, model.nq, "one for each coordinate")?,
            v: v.map_or(Ok(vec![0.0; model.nv()]), |v| numbers("v", v, model.nv(), OF_V))?,
        };
        state.validate(model).map_err(wrong)?;
        guarded(|| {
            self.workspaces.with(model, |w| {
                w.moved(model, &state.q, v.map(|_| &state.v[..]));
                work(w, &state.v)
            })
        })
    }

    fn accelerated<T>(
        &self,
        q: &Row<'_>,
        v: &Row<'_>,
        a: &Row<'_>,
        work: impl FnOnce(&mut Workspace, &[f64], &[f64]) -> PyResult<T>,
    ) -> PyResult<T> {
        let model = self.model();
        let a = numbers("a", a, model.nv(), OF_V)?;
        self.at(q, Some(v), |w, v| {
            w.rates.update(model, &w.kin, &w.vel, v);
            w.acc.update(model, &w.kin, &w.vel, &w.rates, v, &a);
            work(w, v, &a)
        })
    }

    /// Refuses dense matrices with a row and a column for each velocity that do not fit: without memory there is no interpreter.
    fn fits(&self, matrices: usize, what: &str) -> PyResult<()> {
        let remedy = "rnea, aba and the Jacobians of bodies need no matrix";
        check_square(self.model().nv(), matrices, what, remedy).map_err(wrong)
    }

    fn body(&self, body: isize) -> PyResult<usize> {
        index("body", body, self.model().bodies.len())
    }

    fn link(&self, link: isize) -> PyResult<usize> {
        index("link", link, self.model().links.len())
    }

    /// Moments and forces at the origins of the bodies, in world axes.
    fn external(&self, w: &Workspace, forces: Option<&Rows<'_>>) -> PyResult<Option<ExternalForces>> {
        let Some(forces) = forces else { return Ok(None) };
        let model = self.model();
        let nb = model.bodies.len();
        let x = table("external", forces, [nb, 6], "a moment and a force for each body")?;
        let at_origins = x.chunks_exact(6).map(|x| {
            let (n, f) = (Vec3::from([x[0], x[1], x[2]]), Vec3::from([x[3], x[4], x[5]]));
            Force::new(n, f)
        });
        let mut external = ExternalForces::new(model);
        external.update(&w.kin, &at_origins.collect::<Vec<_>>());
        Ok(Some(external))
    }
}

#[pymethods]
impl World {
    #[pyo3(signature = (q, v, a, external=None))]
    fn rnea<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        a: Row<'py>,
        external: Option<Rows<'py>>,
    ) -> PyResult<Array1<'py>> {
        let model = self.model();
        let a = numbers("a", &a, model.nv(), OF_V)?;
        self.at(&q, Some(&v), |w, _| {
            let mut tau = vec![0.0; model.nv()];
            rnea_into(model, &w.kin, &w.vel, &a, &mut w.rnea, &mut tau);
            if let Some(external) = self.external(w, external.as_ref())? {
                let mut carried = vec![0.0; model.nv()];
                external.add_efforts(&w.kin, &mut carried);
                tau.iter_mut().zip(&carried).for_each(|(t, c)| *t -= c);
            }
            Ok(row(py, tau))
        })
    }

    #[pyo3(signature = (q, v, tau, external=None))]
    fn aba<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        tau: Row<'py>,
        external: Option<Rows<'py>>,
    ) -> PyResult<Array1<'py>> {
        let model = self.model();
        let mut tau = numbers("tau", &tau, model.nv(), OF_V)?;
        self.at(&q, Some(&v), |w, _| {
            if let Some(external) = self.external(w, external.as_ref())? {
                external.add_efforts(&w.kin, &mut tau);
            }
            let mut a = vec![0.0; model.nv()];
            aba_into(model, &w.kin, &w.vel, &tau, &mut w.aba, &mut a);
            Ok(row(py, a))
        })
    }

    fn crba<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<Array2<'py>> {
        let model = self.model();
        self.fits(2, "crba: the mass matrix, twice,")?;
        self.at(&q, None, |w, _| {
            crba_into(model, &w.kin, &mut w.crba, &mut w.M);
            matrix_of(py, w.M.to_dense(), [model.nv(); 2])
        })
    }

    fn inverse_mass<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<Array2<'py>> {
        let model = self.model();
        self.fits(3, "inverse_mass: the matrix and its copies")?;
        self.at(&q, None, |w, _| {
            crba_into(model, &w.kin, &mut w.crba, &mut w.M);
            let (factor, inverse, M) = w.inverse(model);
            factor.factor(M).map_err(wrong)?;
            inverse.update(factor);
            matrix_of(py, inverse.entries.clone(), [model.nv(); 2])
        })
    }

    fn bias<'py>(&self, py: Python<'py>, q: Row<'py>, v: Row<'py>) -> PyResult<Array1<'py>> {
        let model = self.model();
        self.at(&q, Some(&v), |w, _| {
            let mut bias = vec![0.0; model.nv()];
            bias_into(model, &w.kin, &w.vel, &mut w.rnea, &mut bias);
            Ok(row(py, bias))
        })
    }

    fn gravity_efforts<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<Array1<'py>> {
        let model = self.model();
        self.at(&q, None, |w, _| {
            let mut efforts = vec![0.0; model.nv()];
            gravity_into(model, &w.kin, &mut w.gravity, &mut efforts);
            Ok(row(py, efforts))
        })
    }

    fn coriolis_matrix<'py>(&self, py: Python<'py>, q: Row<'py>, v: Row<'py>) -> PyResult<Array2<'py>> {
        let model = self.model();
        self.fits(3, "coriolis: the matrix and its copies")?;
        self.at(&q, Some(&v), |w, v| {
            w.rates.update(model, &w.kin, &w.vel, v);
            matrix_of(py, w.coriolis(model).to_vec(), [model.nv(); 2])
        })
    }

    fn rnea_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        a: Row<'py>,
    ) -> PyResult<[Array2<'py>; 3]> {
        let model = self.model();
        self.fits(6, "rnea_derivatives: three matrices and their copies")?;
        let square = [model.nv(); 2];
        self.accelerated(&q, &v, &a, |w, _, _| {
            let d = w.rnea_derivatives(model);
            Ok([
                matrix_of(py, d.tau_q.clone(), square)?,
                matrix_of(py, d.tau_v.clone(), square)?,
                matrix_of(py, d.M.to_dense(), square)?,
            ])
        })
    }

    fn aba_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        tau: Row<'py>,
    ) -> PyResult<[Array2<'py>; 3]> {
        let model = self.model();
        let tau = numbers("tau", &tau, model.nv(), OF_V)?;
        self.fits(8, "aba_derivatives: matrices and their copies")?;
        let square = [model.nv(); 2];
        self.at(&q, Some(&v), |w, v| {
            let (d, kin, vel) = w.aba_derivatives(model);
            d.update(model, kin, vel, v, &tau, None).map_err(wrong)?;
            Ok([
                matrix_of(py, d.acceleration_q.clone(), square)?,
                matrix_of(py, d.acceleration_v.clone(), square)?,
                matrix_of(py, d.inverse_mass.clone(), square)?,
            ])
        })
    }

    /// Positions and rotations of the bodies.
    fn body_poses<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<(Array2<'py>, Array2<'py>)> {
        self.at(&q, None, |w, _| {
            let poses: Vec<_> = w.kin.X_WB.iter().map(pose).collect();
            let (p, r) = (poses.iter().flat_map(|x| x.0), poses.iter().flat_map(|x| x.1));
            let nb = poses.len();
            Ok((matrix_of(py, p.collect(), [nb, 3])?, matrix_of(py, r.collect(), [nb, 4])?))
        })
    }

    fn body_rotations<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<Array3<'py>> {
        self.at(&q, None, |w, _| {
            let all: Vec<f64> = w.kin.R_WB.iter().flat_map(rotation).collect();
            let nb = w.kin.R_WB.len();
            blocks(py, all, [nb, 3, 3])
        })
    }

    /// Velocities of the origins of the bodies.
    fn body_velocities<'py>(&self, py: Python<'py>, q: Row<'py>, v: Row<'py>) -> PyResult<Array2<'py>> {
        self.at(&q, Some(&v), |w, _| matrix(py, at_origins(&w.kin, &w.vel), 6))
    }

    fn frame_pose<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        link: isize,
    ) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let link = self.link(link)?;
        self.at(&q, None, |w, _| {
            let (p, r) = pose(&frame_pose(self.model(), &w.kin, link));
            Ok((row(py, p.to_vec()), row(py, r.to_vec())))
        })
    }

    fn frame_velocity<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        link: isize,
        axes: &str,
    ) -> PyResult<Array1<'py>> {
        let (link, axes) = (self.link(link)?, axes_named(axes)?);
        self.at(&q, Some(&v), |w, _| {
            let V = frame_velocity(self.model(), &w.kin, &w.vel, link, axes);
            Ok(row(py, motion(&V).to_vec()))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "what the question consists of")]
    fn frame_acceleration<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        a: Row<'py>,
        link: isize,
        axes: &str,
        classical: bool,
    ) -> PyResult<Array1<'py>> {
        let (link, axes) = (self.link(link)?, axes_named(axes)?);
        let model = self.model();
        let a = numbers("a", &a, model.nv(), OF_V)?;
        let of = if classical { frame_classical_acceleration } else { frame_acceleration };
        self.at(&q, Some(&v), |w, _| Ok(row(py, motion(&of(model, &w.kin, &w.vel, &a, link, axes)).to_vec())))
    }

    fn frame_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        link: isize,
        axes: &str,
    ) -> PyResult<Array2<'py>> {
        let (link, axes) = (self.link(link)?, axes_named(axes)?);
        self.at(&q, None, |w, _| {
            frame_jacobian_into(self.model(), &w.kin, link, axes, &mut w.columns);
            of_motions(py, &w.columns)
        })
    }

    fn body_jacobian<'py>(&self, py: Python<'py>, q: Row<'py>, body: isize) -> PyResult<Array2<'py>> {
        let body = self.body(body)?;
        self.at(&q, None, |w, _| {
            body_jacobian_into(self.model(), &w.kin, Some(body), &mut w.columns);
            of_motions(py, &w.columns)
        })
    }

    fn body_jacobian_rate<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        body: isize,
    ) -> PyResult<Array2<'py>> {
        let (model, body) = (self.model(), self.body(body)?);
        self.at(&q, Some(&v), |w, v| {
            w.rates.update(model, &w.kin, &w.vel, v);
            body_jacobian_rate_into(model, &w.kin, &w.vel, &w.rates, Some(body), &mut w.columns);
            of_motions(py, &w.columns)
        })
    }

    fn point_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        body: isize,
        point: Row<'py>,
    ) -> PyResult<Array2<'py>> {
        let (model, body, p_W) = (self.model(), self.body(body)?, vec3("point", &point)?);
        self.at(&q, None, |w, _| {
            let mut J = vec![Vec3::ZERO; model.nv()];
            point_jacobian_into(model, &w.kin, Some(body), p_W, &mut J);
            of_points(py, &J)
        })
    }

    fn point_jacobian_rate<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
        body: isize,
        point: Row<'py>,
    ) -> PyResult<Array2<'py>> {
        let (model, body, p_W) = (self.model(), self.body(body)?, vec3("point", &point)?);
        self.at(&q, Some(&v), |w, v| {
            w.rates.update(model, &w.kin, &w.vel, v);
            let mut J = vec![Vec3::ZERO; model.nv()];
            point_jacobian_rate_into(model, &w.kin, &w.vel, &w.rates, Some(body), p_W, &mut J);
            of_points(py, &J)
        })
    }

    /// Centre of mass, its Jacobian, the centroidal momentum matrix, its bias force, and the inertia about the centre.
    fn centroidal<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
    ) -> PyResult<(Array1<'py>, Array2<'py>, Array2<'py>, Array1<'py>, Array2<'py>)> {
        let model = self.model();
        self.at(&q, Some(&v), |w, _| {
            let c = w.centroidal(model);
            let mut J = vec![Vec3::ZERO; model.nv()];
            c.com_jacobian_into(&mut J);
            Ok((
                row(py, c.com.to_array().to_vec()),
                of_points(py, &J)?,
                of_forces(py, &c.momentum_matrix)?,
                row(py, force(&c.bias).to_vec()),
                matrix(py, crate::fields::full(&c.inertia.second).to_vec(), 3)?,
            ))
        })
    }

    /// Angular momentum about the centre of mass, and linear momentum.
    fn momentum<'py>(&self, py: Python<'py>, q: Row<'py>, v: Row<'py>) -> PyResult<Array1<'py>> {
        self.at(&q, Some(&v), |w, _| {
            let h = momentum(self.model(), &w.kin, &w.vel);
            Ok(row(py, [h.angular.to_array(), h.linear.to_array()].concat()))
        })
    }

    fn energy(&self, q: Row<'_>, v: Row<'_>) -> PyResult<(f64, f64)> {
        let model = self.model();
        let springs = numbers("q", &q, model.nq, "one for each coordinate")?;
        self.at(&q, Some(&v), |w, v| {
            let potential = potential_energy(model, &w.kin) + spring_energy(model, &springs);
            Ok((kinetic_energy(model, &w.kin, &w.vel, v), potential))
        })
    }

    fn integrate<'py>(&self, py: Python<'py>, q: Row<'py>, v: Row<'py>, h: f64) -> PyResult<Array1<'py>> {
        let model = self.model();
        let from = numbers("q", &q, model.nq, "one for each coordinate")?;
        let v = numbers("v", &v, model.nv(), OF_V)?;
        guarded(|| {
            let mut to = from.clone();
            integrate_into(model, &from, &v, h, &mut to);
            Ok(row(py, to))
        })
    }

    fn difference<'py>(&self, py: Python<'py>, q0: Row<'py>, q1: Row<'py>) -> PyResult<Array1<'py>> {
        let model = self.model();
        let from = numbers("q0", &q0, model.nq, "one for each coordinate")?;
        let to = numbers("q1", &q1, model.nq, "one for each coordinate")?;
        guarded(|| {
            let mut v = vec![0.0; model.nv()];
            difference_into(model, &from, &to, 1.0, &mut v);
            Ok(row(py, v))
        })
    }

    fn normalized<'py>(&self, py: Python<'py>, q: Row<'py>) -> PyResult<Array1<'py>> {
        let model = self.model();
        let mut q = numbers("q", &q, model.nq, "one for each coordinate")?;
        guarded(|| {
            normalize(model, &mut q);
            Ok(row(py, q))
        })
    }

    fn neutral<'py>(&self, py: Python<'py>) -> Array1<'py> {
        row(py, self.model().neutral())
    }
}

/// Velocities of the origins of the bodies, in world axes.
pub(crate) fn at_origins(kin: &Kinematics, vel: &Velocities) -> Vec<f64> {
    let one = |(b, V): (usize, &Motion)| {
        let r = kin.X_WB[b].translation - kin.reference[kin.tree_of(b)];
        motion(&Motion::new(V.angular, V.linear_at(r)))
    };
    vel.V.iter().enumerate().flat_map(one).collect()
}

fn axes_named(name: &str) -> PyResult<Axes> {
    match name {
        "aligned" => Ok(Axes::Aligned),
        "local" => Ok(Axes::Local),
        "world" => Ok(Axes::World),
        _ => Err(wrong(format_args!("axes are called `{name}`; there are: aligned, local, world"))),
    }
}
