//! A shooting range without gravity: bodies in flight and plates a millimetre thick.
use stiction::batch::{Batch, BatchSettings};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::world::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, StepperParams, UNCOLOURED};

/// Half the thickness of a plate [m].
pub(crate) const HALF: f64 = 0.0005;

pub(crate) struct Range {
    composer: Composer,
    material: Material,
    bodies: usize,
}

impl Range {
    pub(crate) fn new(restitution: f64) -> Self {
        let composer = Composer::new("range", Vec3::ZERO).unwrap();
        Self { composer, material: Material { friction: 0.0, restitution, ..Material::default() }, bodies: 0 }
    }

    /// A plate of 1 mm with its middle at `center`, at right angles to z, of half side `half`.
    pub(crate) fn plate(&mut self, center: Vec3, half: f64) {
        let shape = Shape::Box { half: vec3(half, half, HALF) };
        let pose = Pose::from_translation(center);
        self.composer.fixed("plate", shape, pose, self.material, UNCOLOURED).unwrap();
    }

    /// A shape that stays where it is.
    pub(crate) fn fixed(&mut self, shape: Shape, pose: Pose) {
        self.composer.fixed("fixed", shape, pose, self.material, UNCOLOURED).unwrap();
    }

    /// A body of 10 g; its index.
    pub(crate) fn body(&mut self, shape: Shape, pose: Pose, velocity: Vec3, spin: Vec3) -> usize {
        let body = FreeBody::new(format!("body {}", self.bodies), shape, 0.01, pose);
        let body = FreeBody { velocity, angular_velocity: spin, material: self.material, ..body };
        self.add(body)
    }

    /// A ball that flies straight; `continuous`: it asks to be swept.
    pub(crate) fn ball(&mut self, radius: f64, from: Vec3, velocity: Vec3, continuous: bool) -> usize {
        let (shape, pose) = (Shape::Sphere { radius }, Pose::from_translation(from));
        let body = FreeBody::new(format!("body {}", self.bodies), shape, 0.01, pose);
        self.add(FreeBody { velocity, continuous, material: self.material, ..body })
    }

    fn add(&mut self, body: FreeBody) -> usize {
        self.bodies += 1;
        self.composer.body(body).unwrap()
    }

    pub(crate) fn start(self, dt: f64, continuous: bool) -> Simulation {
        self.start_with(StepperParams { dt, continuous, ..StepperParams::default() })
    }

    pub(crate) fn start_with(self, stepper: StepperParams) -> Simulation {
        let (world, state) = self.composer.finish();
        Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap()
    }

    /// `n` environments of it, in lanes.
    pub(crate) fn batch(self, dt: f64, n: usize) -> Batch {
        let (world, state) = self.composer.finish();
        let stepper = StepperParams { dt, ..StepperParams::default() };
        Batch::new(world, &state, n, BatchSettings { stepper, ..BatchSettings::default() }).unwrap()
    }
}

pub(crate) fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        let report = sim.step();
        assert!(report.failure().is_none(), "{report:?}");
    }
}

pub(crate) fn position(sim: &Simulation, body: usize) -> Vec3 {
    let q = &sim.state().q[7 * body..];
    vec3(q[0], q[1], q[2])
}

pub(crate) fn velocity(sim: &Simulation, body: usize) -> Vec3 {
    let v = &sim.state().v[6 * body..];
    vec3(v[0], v[1], v[2])
}
