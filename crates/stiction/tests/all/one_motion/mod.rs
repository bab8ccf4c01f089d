//! Steps that are posed in their middle: rest, and momenta. Their order is in the experiment `order`.

mod problems;

use problems::Problem;
use stiction::Simulation;
use stiction::dynamics::spatial::Vec3;
use stiction::dynamics::{Kinematics, Velocities, centre_of_mass, momentum};

/// Three capsules on hinges in the air, tilted, that are thrown at a corner of two walls.
const THROWN: &str = "<worldbody>
    <geom type='plane' size='9 9 1' pos='0 0 -.25'/><geom type='plane' size='9 9 1' zaxis='-1 0 .2' pos='.4 0 0'/>
    <body pos='0 0 .2' euler='10 -15 0'><freejoint/><geom type='capsule' size='.02' fromto='0 0 0 -.26 0 0' mass='.4'/>
    <body><joint axis='0 1 0' LIMITS/><geom type='capsule' size='.02' fromto='0 0 0 .26 0 0' mass='.4'/>
    <body pos='.26 0 0'><joint axis='0 0 1' LIMITS/><geom type='capsule' size='.02' fromto='0 0 0 .26 0 0' mass='.56'/>
    </body></body></body></worldbody>";

/// The momentum of a floating robot changes by the impulses that contacts report, and its weight: in landings,
/// impacts, stops of its joints and slips, whatever the restitution. Of two cases one is without weight, where all of
/// angular momentum must balance.
#[test]
fn reported_impulses_explain_the_momentum_of_robots() {
    for (restitution, limits, gravity) in
        [(0.0, false, true), (0.0, true, false), (0.6, true, true), (1.0, false, false)]
    {
        let limits = if limits { "limited='true' range='-40 40'" } else { "" };
        let pull = if gravity { -9.81 } else { 0.0 };
        let text = THROWN.replace("LIMITS", limits);
        let xml = format!("<mujoco><option gravity='0 0 {pull}'/>{text}</mujoco>");
        let v = vec![1.0, 0.3, -1.0, 2.0, -1.0, 3.0, -3.0, 2.0];
        let problem = Problem { restitution, v, xml, ..Problem::new("thrown", "") };
        let dt = 1e-3;
        let mut sim = problem.simulation(dt);
        let mass: f64 = sim.world().model.bodies.iter().map(|b| b.inertia.mass).sum();
        let weight = sim.world().model.gravity * (mass * dt);
        let mut contacts = Vec::new();
        let (mut before, mut touched) = (momenta(&sim), false);
        for _ in 0..800 {
            assert!(!sim.step().flagged());
            sim.contacts_into(&mut contacts);
            let after = momenta(&sim);
            let (mut given, mut turned) = (weight, Vec3::ZERO);
            for c in contacts.iter().filter(|c| c.bodies[0].is_none()) {
                given += c.force * dt;
                turned += c.position.cross(c.force * dt);
                touched |= c.force != Vec3::ZERO;
            }
            let missing = (after.0 - before.0 - given).norm();
            assert!(missing <= 1e-10, "e = {restitution}, {limits}, at t = {}: {missing:.1e}", sim.state().t);
            let turn = (after.1 - before.1 - turned).norm();
            assert!(
                gravity || turn <= 1e-10,
                "e = {restitution}, {limits}, at t = {}: {turn:.1e}",
                sim.state().t
            );
            before = after;
        }
        assert!(touched);
    }
}

/// Linear momentum, and angular momentum about the origin of W.
fn momenta(sim: &Simulation) -> (Vec3, Vec3) {
    let (model, state) = (&sim.world().model, sim.state());
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    kin.update(model, &state.q);
    vel.update(model, &kin, &state.v);
    let of = momentum(model, &kin, &vel);
    (of.linear, of.angular + centre_of_mass(model, &kin).cross(of.linear))
}

/// A body that stands on legs, on a slope at .999 of its angle of friction, or in a stack, stands still: it drifts by
/// no more than the tolerance lets it, and forces do not change from step to step. A knock dies away at once.
#[test]
fn what_stands_stands_still() {
    for problem in problems::at_rest() {
        let mut sim = problem.simulation(2e-3);
        let mut contacts = Vec::new();
        let mut force = |sim: &mut Simulation| {
            sim.contacts_into(&mut contacts);
            contacts.iter().fold(Vec3::ZERO, |sum, c| sum + c.force).norm()
        };
        (0..1000).for_each(|_| assert!(!sim.step().flagged(), "{}", problem.name));
        let (start, load) = (sim.state().clone(), force(&mut sim));
        for _ in 0..1000 {
            sim.step();
            let change = (force(&mut sim) - load).abs();
            assert!(
                change <= 1e-9 * load,
                "{} at t = {}: {change:.1e} of {load}",
                problem.name,
                sim.state().t
            );
        }
        let speed = sim.state().v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let moved = sim.state().q.iter().zip(&start.q).map(|(a, b)| (a - b).abs());
        let drift = moved.fold(0.0, f64::max);
        assert!(speed < 1e-9 && drift < 1e-9, "{}: {speed:.1e} {drift:.1e}", problem.name);
    }
}
