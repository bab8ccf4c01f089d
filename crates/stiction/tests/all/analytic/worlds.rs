//! Small worlds, and a run that keeps the judge's worst word.
use stiction::collision::Shape;
use stiction::contact::Certificate;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::{Geometry, Material};
use stiction::{
    Composer, ContactState, FreeBody, Settings, Simulation, Sleep, State, StepperParams, UNCOLOURED,
};

/// Acceleration of gravity of every scene here [m/s²].
pub(crate) const G: f64 = 9.81;

/// Solvers of the exact law.
pub(crate) const EXACT: [&str; 3] = ["nsgs-accelerated", "ncp-pgs-accelerated", "raisim-ds-accelerated"];

/// The exact law is met to this, at every step [m/s].
pub(crate) const EXACT_TO: f64 = 1e-8;

pub(crate) fn rough(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

/// A shape of a link, or of the world, that meets all others.
pub(crate) fn geometry(link: Option<usize>, X_LG: Pose, shape: Shape, material: Material) -> Geometry {
    let (name, group, mask) = (format!("{shape:?}"), 1, 1);
    Geometry { name, link, X_LG, shape, material, group, mask, continuous: false, rgba: UNCOLOURED }
}

/// A world with a ground plane turned by `tilt` [rad] about y, so that downhill is +x.
pub(crate) fn on_ground(friction: f64, tilt: f64) -> Composer {
    let mut c = Composer::new("analytic", vec3(0.0, 0.0, -G)).unwrap();
    let pose = Pose::new(Quat::from_rpy(0.0, tilt, 0.0), Vec3::ZERO);
    c.fixed("ground", Shape::Plane, pose, rough(friction), UNCOLOURED).unwrap();
    c
}

/// A cube of edge 0.2 m and 1 kg standing on the tilted ground.
pub(crate) fn cube(friction: f64, tilt: f64) -> FreeBody {
    let turn = Quat::from_rpy(0.0, tilt, 0.0);
    let pose = Pose::new(turn, turn.rotate(vec3(0.0, 0.0, 0.1)));
    let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    FreeBody { material: rough(friction), ..FreeBody::new("cube", shape, 1.0, pose) }
}

/// A simulation and the worst natural map of its steps [m/s].
pub(crate) struct Run {
    pub(crate) sim: Simulation,
    pub(crate) worst: f64,
    pub(crate) contacts: Vec<ContactState>,
}

impl Run {
    pub(crate) fn new(composer: Composer, contact: &str, dt: f64) -> Self {
        let (world, state) = composer.finish();
        Self::of(world, state, contact, dt)
    }

    pub(crate) fn of(world: stiction::world::World, state: State, contact: &str, dt: f64) -> Self {
        Self::with(world, state, contact, StepperParams { dt, ..StepperParams::default() })
    }

    pub(crate) fn with(
        world: stiction::world::World,
        state: State,
        contact: &str,
        stepper: StepperParams,
    ) -> Self {
        let settings = Settings {
            contact: contact.to_owned(),
            tolerance: 1e-10,
            max_iterations: 20_000,
            // What is shown is shown of every step.
            stepper: StepperParams { sleep: Sleep::Off, ..stepper },
            ..Settings::default()
        };
        Self { sim: Simulation::new(world, state, settings).unwrap(), worst: 0.0, contacts: Vec::new() }
    }

    /// One step, judged.
    pub(crate) fn step(&mut self) -> Certificate {
        let report = self.sim.step();
        assert!(report.failure().is_none(), "{report:?}");
        let certificate = self.sim.certificate();
        assert!(certificate.natural_map.is_finite());
        self.worst = self.worst.max(certificate.natural_map);
        certificate
    }

    pub(crate) fn steps(&mut self, n: usize) {
        for _ in 0..n {
            self.step();
        }
    }

    /// Contacts of the last step.
    pub(crate) fn contacts(&mut self) -> &[ContactState] {
        self.sim.contacts_into(&mut self.contacts);
        &self.contacts
    }

    /// Position of the free body whose coordinates start at `idx_q`.
    pub(crate) fn position(&self, idx_q: usize) -> Vec3 {
        let q = &self.sim.state().q[idx_q..];
        vec3(q[0], q[1], q[2])
    }

    /// Linear velocity of the free body whose dofs start at `idx_v`.
    pub(crate) fn velocity(&self, idx_v: usize) -> Vec3 {
        let v = &self.sim.state().v[idx_v..];
        vec3(v[0], v[1], v[2])
    }

    pub(crate) fn assert_exact(&self) {
        assert!(
            self.worst <= EXACT_TO,
            "{}: worst natural map {:e} m/s, allowed {EXACT_TO:e}",
            self.sim.solver().name(),
            self.worst
        );
    }
}
