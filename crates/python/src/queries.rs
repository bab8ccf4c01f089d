//! Questions about a posture: rays, distances, and a posture for frames that are asked to be somewhere.

use crate::errors::{guarded, index, wrong};
use crate::numbers::{Row, numbers, quaternion, row, vec3};
use crate::world::World;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::collision::query::{Ray, WorldHit, distance};
use stiction::collision::{Collider, CollisionWorld};
use stiction::dynamics::spatial::{Pose, Quat, Vec3};
use stiction::dynamics::{IkParams, IkStatus, Kinematics, Target};
use stiction::world::Dimension;

/// Geometry, distance, point and normal.
type Hit = (usize, f64, [f64; 3], [f64; 3]);

impl World {
    fn rays(&self) -> PyResult<CollisionWorld> {
        self.world.collision().map_err(wrong)
    }

    /// X_WG of every geometry.
    pub(crate) fn geometry_poses(&self, kin: &Kinematics) -> Vec<Pose> {
        let mounted = self.world.geometries.iter().map(|g| {
            let (body, X_BG) = self.world.mount(g.link, g.X_LG);
            body.map_or(X_BG, |b| kin.X_WB[b] * X_BG)
        });
        mounted.collect()
    }

    /// True for the geometries that a question is about.
    fn kept(&self, exclude: &[isize]) -> PyResult<Vec<bool>> {
        let mut kept = vec![true; self.world.geometries.len()];
        for &body in exclude {
            let body = index("body", body, self.model().bodies.len())?;
            for (kept, g) in kept.iter_mut().zip(&self.world.geometries) {
                *kept &= self.world.mount(g.link, Pose::IDENTITY).0 != Some(body);
            }
        }
        Ok(kept)
    }
}

fn told(hit: &WorldHit) -> Hit {
    (hit.collider, hit.hit.distance, hit.hit.point.to_array(), hit.hit.normal.to_array())
}

/// Coefficients of friction along the two tangents, of restitution, lengths of spinning and rolling; whence friction and
/// restitution come, and whether the two ever meet.
type Surface = ([f64; 2], f64, f64, f64, String, String, bool);

#[pymethods]
impl World {
    /// The surface of two geometries, wherever they are.
    fn surface(&self, a: isize, b: isize) -> PyResult<Surface> {
        let count = self.world.geometries.len();
        let (a, b) = (index("geometry", a, count)?, index("geometry", b, count)?);
        if a == b {
            return Err(wrong(format_args!("geometry {a} meets others, not itself; expected two")));
        }
        guarded(|| {
            let between = self.world.between(a, b);
            let surface = &between.surface;
            let resists = |dimension| surface.dimension >= dimension;
            let of = |dimension, x: f64| if resists(dimension) { x } else { 0.0 };
            Ok((
                surface.sliding.map(|mu| of(Dimension::Sliding, mu)),
                surface.restitution,
                of(Dimension::Spinning, surface.spinning),
                of(Dimension::Rolling, surface.rolling[0].max(surface.rolling[1])),
                between.why_friction(&self.world),
                between.why_restitution(&self.world),
                self.rays()?.may_meet(a.min(b), a.max(b)),
            ))
        })
    }

    /// The first hit of each of several rays from `origin`; geometries of the bodies of `exclude` are left out.
    fn rays_first(
        &self,
        q: Row<'_>,
        origin: Row<'_>,
        directions: Vec<[f64; 3]>,
        limit: f64,
        exclude: Vec<isize>,
    ) -> PyResult<Vec<Option<Hit>>> {
        let (origin, kept, scene) = (vec3("origin", &origin)?, self.kept(&exclude)?, self.rays()?);
        for d in &directions {
            direction(*d)?;
        }
        self.at(&q, None, |w, _| {
            let poses = self.geometry_poses(&w.kin);
            let first = |d: &[f64; 3]| {
                let ray = Ray { origin, direction: Vec3::from(*d), limit };
                scene.ray_first(&poses, &ray, |i, _: &Collider| kept[i]).as_ref().map(told)
            };
            Ok(directions.iter().map(first).collect())
        })
    }

    /// All that a ray crosses, by distance.
    fn ray_all(
        &self,
        q: Row<'_>,
        origin: Row<'_>,
        direction_: [f64; 3],
        limit: f64,
        exclude: Vec<isize>,
    ) -> PyResult<Vec<Hit>> {
        let (origin, kept, scene) = (vec3("origin", &origin)?, self.kept(&exclude)?, self.rays()?);
        let ray = Ray { origin, direction: direction(direction_)?, limit };
        self.at(&q, None, |w, _| {
            let mut hits = Vec::new();
            scene.ray_all(&self.geometry_poses(&w.kin), &ray, |i, _| kept[i], &mut hits);
            Ok(hits.iter().map(told).collect())
        })
    }

    /// Signed distance of two geometries with the nearest points and the normal from the first to the second; nothing
    /// beyond `limit`.
    #[expect(clippy::type_complexity, reason = "four quantities that Python names")]
    fn geometry_distance(
        &self,
        q: Row<'_>,
        a: isize,
        b: isize,
        limit: f64,
    ) -> PyResult<Option<(f64, [f64; 3], [f64; 3], [f64; 3])>> {
        let n = self.world.geometries.len();
        let (a, b) = (index("geometry", a, n)?, index("geometry", b, n)?);
        self.at(&q, None, |w, _| {
            let X = self.geometry_poses(&w.kin);
            let shape = |i: usize| &self.world.geometries[i].shape;
            let found = distance(shape(a), &X[a], shape(b), &X[b], limit);
            Ok(found.map(|d| (d.distance, d.on_a.to_array(), d.on_b.to_array(), d.normal.to_array())))
        })
    }

    /// Positions and quaternions of geometries.
    #[expect(clippy::type_complexity, reason = "two arrays that Python names")]
    fn geometry_poses_at<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        self.at(&q, None, |w, _| {
            let poses: Vec<_> = self.geometry_poses(&w.kin).iter().map(crate::numbers::pose).collect();
            let (p, r) = (poses.iter().flat_map(|x| x.0), poses.iter().flat_map(|x| x.1));
            Ok((row(py, p.collect()), row(py, r.collect())))
        })
    }

    /// A configuration that puts links where they are asked to be, and how well it does.
    ///
    /// A target is (link, position or nothing, quaternion or nothing).
    #[pyo3(signature = (q, targets, posture, position_tolerance, rotation_tolerance, iterations, restarts, seed))]
    #[expect(clippy::too_many_arguments, reason = "what the question consists of")]
    fn inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        targets: Vec<(isize, Option<Row<'py>>, Option<Row<'py>>)>,
        posture: Option<Row<'py>>,
        position_tolerance: f64,
        rotation_tolerance: f64,
        iterations: usize,
        restarts: usize,
        seed: u64,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyDict>)> {
        let model = self.model();
        let mut solution = numbers("q", &q, model.nq, "one for each coordinate")?;
        let posture =
            posture.map(|p| numbers("posture", &p, model.nq, "one for each coordinate")).transpose()?;
        let targets = targets
            .iter()
            .map(|(link, p, r)| {
                let link = index("link", *link, model.links.len())?;
                let p = p.as_ref().map(|p| vec3("position", p)).transpose()?;
                let r = r.as_ref().map(|r| quaternion("quaternion", r)).transpose()?;
                target(link, p, r)
            })
            .collect::<PyResult<Vec<_>>>()?;
        let params = IkParams { position_tolerance, rotation_tolerance, iterations, restarts, seed };
        let report = guarded(|| {
            self.workspaces.with(model, |w| {
                let solver = w.ik(model);
                solver.solve(model, &targets, posture.as_deref(), &params, &mut solution).map_err(wrong)
            })
        })?;
        let told = PyDict::new(py);
        told.set_item("status", status(report.status))?;
        told.set_item("position_error", report.position_error)?;
        told.set_item("rotation_error", report.rotation_error)?;
        told.set_item("iterations", report.iterations)?;
        told.set_item("restarts", report.restarts)?;
        Ok((row(py, solution), told))
    }
}

fn direction(d: [f64; 3]) -> PyResult<Vec3> {
    let v = Vec3::from(d);
    if v.is_finite() && v.norm() > 0.0 {
        return Ok(v);
    }
    Err(wrong(format_args!("direction is {d:?}; expected finite numbers that are not all zero")))
}

fn target(link: usize, p: Option<Vec3>, r: Option<Quat>) -> PyResult<Target> {
    match (p, r) {
        (Some(p), Some(r)) => Ok(Target::pose(link, Pose::new(r, p))),
        (Some(p), None) => Ok(Target::position(link, p)),
        (None, Some(r)) => Ok(Target::orientation(link, Pose::new(r, Vec3::ZERO))),
        (None, None) => Err(wrong(format_args!(
            "the target of link {link} asks for nothing; give a position, a quaternion or both"
        ))),
    }
}

fn status(status: IkStatus) -> &'static str {
    match status {
        IkStatus::Converged => "converged",
        IkStatus::LimitsReached => "limits-reached",
        IkStatus::Stalled => "stalled",
        IkStatus::IterationLimit => "iteration-limit",
        IkStatus::NumericalFailure => "numerical-failure",
    }
}
