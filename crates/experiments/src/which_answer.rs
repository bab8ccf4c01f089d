//! Which answer, where the exact law has several: that of real contacts, which are stiff springs.
//!
//! A box that slides and turns on four corners, and a box that a finger pushes beside its centre: the law leaves open how corners share
//! the load, and so which way the box turns. The witness is an integration of springs by the stepper `compliant`, at stiffnesses that
//! grow; steps of `auto` go to its limit as they are halved. Other solvers of the same law, each certified, end elsewhere.
//!
//! The answer of `auto` is a function of the problem: ends do not depend on the tolerance.

use super::multibody::{robot, scene, step};
use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size, Table};
use stiction::world::World;
use stiction::{Settings, Simulation, Sleep, State, StepperName};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "which-answer",
    title: "Where the exact law has several answers: that of stiff springs",
    source: "Ours; the limit of springs: Acary, Cadoux, Lemaréchal and Malick on existence [Acary2011]",
    measure,
};

/// Gravity [m/s²], and the length of all motions [s].
const G: f64 = 9.81;
const LENGTH: f64 = 0.3;
/// Slip at which the friction of springs is full [m/s], and their dissipation [s/m].
const SLIP: f64 = 1e-4;
const DISSIPATION: f64 = 50.0;
/// How near steps of `auto` must come to the springs as they are halved [m].
const NEAR: f64 = 2e-4;
/// How far apart the ends of the two stiffest springs may be [m].
const TOGETHER: f64 = 2e-3;
/// Largest distance between ends at several tolerances [m].
const SAME: f64 = 1e-9;
/// Other solvers of the exact law.
const OTHERS: [&str; 5] =
    ["nsgs-accelerated", "ncp-newton", "ncp-al", "ncp-smoothing", "raisim-ds-accelerated"];

/// A motion: its first state with springs compressed as they are at rest, and where in q and v the box is.
struct Motion {
    name: &'static str,
    start: fn(f64) -> Result<(World, State), ExperimentError>,
    /// Mass of the box [kg].
    mass: f64,
    control: &'static [f64],
}

const MOTIONS: [Motion; 2] = [
    Motion { name: "thrown box", start: thrown, mass: 1.0, control: &[] },
    Motion { name: "pushed box", start: pushed, mass: 0.2, control: &[4.0, 0.0] },
];

/// A flat box that slides and turns; `sunk` into the ground [m].
fn thrown(sunk: f64) -> Result<(World, State), ExperimentError> {
    scene(&format!(
        "gravity = [0.0, 0.0, -{G}]\nground = {{ friction = 0.3 }}\n[[body]]\nname = 'box'\nshape = 'box'\nsize = [0.2, 0.1, 0.05]\n\
         mass = 1.0\nfriction = 0.3\nposition = [0.0, 0.0, {}]\nvelocity = [1.5, 0.3, 0.0]\nangular_velocity = [0.0, 0.0, 12.0]",
        0.025 - sunk
    ))
}

/// A box, and a finger on slides that pushes it 5 mm beside its centre.
fn pushed(sunk: f64) -> Result<(World, State), ExperimentError> {
    robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><worldbody>
         <geom name='ground' type='plane' size='1 1 1' friction='0.3 0 0' priority='1'/>
         <body name='box' pos='0 0 {}'><freejoint/>
           <geom type='box' size='0.05 0.05 0.03' mass='0.2' friction='0.5 0 0'/></body>
         <body name='finger' pos='-0.066 0.005 0.03' gravcomp='1'>
           <joint name='x' type='slide' axis='1 0 0' damping='2'/><joint name='y' type='slide' axis='0 1 0' damping='2'/>
           <geom type='sphere' size='0.015' mass='0.1' friction='0.5 0 0'/></body>
         </worldbody><actuator><motor joint='x'/><motor joint='y'/></actuator></mujoco>",
        0.03 - sunk
    ))
}

impl Motion {
    fn simulation(&self, sunk: f64, settings: Settings) -> Result<Simulation, ExperimentError> {
        let (world, state) = (self.start)(sunk)?;
        let mut sim = Simulation::new(world, state, settings)?;
        sim.control_mut().copy_from_slice(self.control);
        Ok(sim)
    }

    /// Position and yaw of the box after `LENGTH`, and its positions on the way.
    fn run(&self, mut sim: Simulation, h: f64) -> Result<([f64; 3], Vec<[f64; 2]>), ExperimentError> {
        let mut way = Vec::new();
        for _ in 0..(LENGTH / h).round() as usize {
            step(&mut sim)?;
            way.push([sim.state().q[0], sim.state().q[1]]);
        }
        let q = &sim.state().q;
        Ok(([q[0], q[1], 2.0 * q[6].atan2(q[3])], way))
    }

    /// By springs of this stiffness [N/m].
    fn by_springs(&self, stiffness: f64) -> Result<([f64; 3], Vec<[f64; 2]>), ExperimentError> {
        let h = 0.01;
        let mut settings = Settings::default();
        settings.stepper.dt = h;
        settings.stepper.sleep = Sleep::Off;
        settings.stepper.method = StepperName::of("compliant").unwrap_or_default();
        let compliant = &mut settings.stepper.canon.compliant;
        (compliant.stiffness, compliant.slip_speed, compliant.dissipation) = (stiffness, SLIP, DISSIPATION);
        self.run(self.simulation(self.mass * G / (4.0 * stiffness), settings)?, h)
    }

    /// By a solver of the exact law.
    fn by_steps(
        &self,
        contact: &str,
        h: f64,
        tolerance: f64,
    ) -> Result<([f64; 3], Vec<[f64; 2]>), ExperimentError> {
        let mut settings =
            Settings { contact: contact.to_owned(), tolerance, max_iterations: 4000, ..Settings::default() };
        settings.stepper.dt = h;
        settings.stepper.sleep = Sleep::Off;
        self.run(self.simulation(0.0, settings)?, h)
    }
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let (stiffnesses, steps, others): (&[f64], &[f64], usize) = match size {
        Size::Small => (&[1e5, 1e6], &[2e-3, 1e-3], 1),
        Size::Full => (&[1e5, 1e6, 1e7], &[2e-3, 1e-3, 5e-4, 2.5e-4], OTHERS.len()),
    };
    let mut findings = Findings::default();
    let mut rows = Vec::new();
    let mut row = |motion: &str, who: String, end: [f64; 3], off: f64| {
        let numbers = [end[0], end[1], end[2], 1e3 * off].map(|x| format!("{x:.6}"));
        rows.push([motion.to_owned(), who].into_iter().chain(numbers).collect());
    };
    for motion in &MOTIONS {
        let (mut ends, mut ways) = (Vec::new(), Vec::new());
        for &stiffness in stiffnesses {
            let (end, way) = motion.by_springs(stiffness)?;
            ends.push((format!("springs of {stiffness:.0e} N/m"), end));
            ways = vec![Series { label: "springs".to_owned(), points: way }];
        }
        // The error of springs falls as their compliance.
        let &[.., (_, softer), (_, stiffer)] = &ends[..] else { return Ok(findings) };
        let truth: [f64; 3] = std::array::from_fn(|k| stiffer[k] + (stiffer[k] - softer[k]) / 9.0);
        findings.bound(
            format!("{}: springs come together as they grow stiffer", motion.name),
            "m",
            apart(softer, stiffer),
            TOGETHER,
        );
        ends.into_iter().for_each(|(who, end)| row(motion.name, who, end, apart(end, truth)));
        row(motion.name, "springs, limit".to_owned(), truth, 0.0);
        let mut by_steps = Vec::new();
        for &h in steps {
            let (end, way) = motion.by_steps("auto", h, 1e-10)?;
            row(motion.name, format!("auto, {} ms", 1e3 * h), end, apart(end, truth));
            by_steps.push(end);
            ways.truncate(1);
            ways.push(Series { label: "auto".to_owned(), points: way });
        }
        let &[.., before, last] = &by_steps[..] else { return Ok(findings) };
        let limit: [f64; 3] = std::array::from_fn(|k| 2.0 * last[k] - before[k]);
        row(motion.name, "auto, limit".to_owned(), limit, apart(limit, truth));
        findings.bound(
            format!("{}: auto ends where springs do, as steps are halved", motion.name),
            "m",
            apart(limit, truth),
            NEAR,
        );
        let mut worst = Worst::default();
        for tolerance in [1e-6, 1e-12] {
            worst.see(apart(motion.by_steps("auto", steps[0], tolerance)?.0, by_steps[0]));
        }
        findings.bound(format!("{}: auto ends there at any tolerance", motion.name), "m", worst, SAME);
        for contact in &OTHERS[..others] {
            let h = steps[1];
            let (end, way) = motion.by_steps(contact, h, 1e-10)?;
            row(motion.name, format!("{contact}, {} ms", 1e3 * h), end, apart(end, truth));
            ways.push(Series { label: (*contact).to_owned(), points: way });
        }
        let stem = motion.name.replace(' ', "-");
        let title = format!("Way of the {} by springs and by solvers of the exact law", motion.name);
        let shape: fn(Figure) -> Figure = |f| f;
        findings.keep_over(&stem, &title, ["x [m]", "y [m]"], ways, shape);
    }
    let heads = ["motion", "by", "x [m]", "y [m]", "yaw [rad]", "from the springs [mm]"];
    findings.tables.push(Table {
        stem: "ends",
        title: "Where boxes end".to_owned(),
        about: format!("After {LENGTH} s. Limits: of springs by their compliance, of steps by their length, to the first order."),
        heads: heads.map(str::to_owned).to_vec(),
        rows,
    });
    Ok(findings)
}
