"""Processor time of contact by pressure: ours, Drake's continuous and discrete plant, and MuJoCo's points on the same bodies.

    python pressure_cost.py STICTION [ROUNDS]

Three scenes on hard level ground, half a second each: a soft ball that drops by 5 cm, a soft box that drops by 5 mm, a soft ball that
drops onto a soft box. Ours are run by the command STICTION in steps of 5 ms, less what it takes to load a scene; Drake's continuous plant
and our stepper `compliant` control their errors, at the same accuracy. Prints milliseconds of processor time for a simulated second
(medians of ROUNDS), the steps taken, and where the uppermost body ends. Needs the packages `drake` and `mujoco`.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mujoco
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import DiagramBuilder

DURATION, STEP, ACCURACY, SLIP = 0.5, 5e-3, 1e-5, 1e-3
MU = "<drake:mu_static>0.3</drake:mu_static><drake:mu_dynamic>0.3</drake:mu_dynamic>"
BALL = ("<sphere><radius>0.1</radius></sphere>", "type='sphere' size='0.1'", 0.02)
BOX = ("<box><size>0.2 0.2 0.2</size></box>", "type='box' size='0.1 0.1 0.1'", 0.1)
# Shape, height, mass, moment of inertia of every body.
SCENES = {
    "ball": [(BALL, 0.15, 2.0, 0.008)],
    "box": [(BOX, 0.105, 2.0, 0.0133)],
    "ball on box": [(BOX, 0.1, 2.0, 0.0133), (BALL, 0.305, 1.0, 0.004)],
}


def sdf(bodies):
    def model(i, shape, z, mass, moment):
        pressure = (
            "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus>"
            f"<drake:mesh_resolution_hint>{shape[2]}</drake:mesh_resolution_hint>"
            "<drake:hunt_crossley_dissipation>10</drake:hunt_crossley_dissipation>"
        )
        inertia = "".join(f"<i{a}>{moment if a[0] == a[1] else 0}</i{a}>" for a in ("xx", "yy", "zz", "xy", "xz", "yz"))
        return (
            f"<model name='body{i}'><pose>0 0 {z} 0 0 0</pose><link name='link'><inertial><mass>{mass}</mass><inertia>{inertia}"
            f"</inertia></inertial><collision name='shape'><geometry>{shape[0]}</geometry><drake:proximity_properties>{pressure}{MU}"
            "</drake:proximity_properties></collision></link></model>"
        )

    ground = (
        "<model name='ground'><static>true</static><link name='ground'><collision name='plane'><geometry><plane><normal>0 0 1"
        f"</normal></plane></geometry><drake:proximity_properties><drake:rigid_hydroelastic/>{MU}</drake:proximity_properties>"
        "</collision></link></model>"
    )
    models = "".join(model(i, *body) for i, body in enumerate(bodies))
    return f"<sdf version='1.9' xmlns:drake='http://drake.mit.edu'><world name='scene'>{ground}{models}</world></sdf>"


def ours(program, bodies, arguments):
    def run(duration):
        command = [program, "run", file.name, "--duration", str(duration), "--dt", str(STEP), "--sleep", "off", "--no-certify", "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([*command, *arguments], capture_output=True, check=True)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(done.stdout)

    with tempfile.NamedTemporaryFile("w", suffix=".sdf") as file:
        file.write(sdf(bodies))
        file.flush()
        loading, _ = run(STEP)
        whole, answer = run(DURATION)
    return whole - loading, answer["steps"], answer["final"]["q"][-5]


def drake(_, bodies, integrator):
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0 if integrator else STEP)
    plant.set_contact_model(ContactModel.kHydroelastic)
    plant.set_stiction_tolerance(SLIP)
    Parser(plant).AddModelsFromString(sdf(bodies), "sdf")
    plant.Finalize()
    simulator = Simulator(builder.Build())
    if integrator:
        ResetIntegratorFromFlags(simulator, integrator, STEP)
        simulator.get_mutable_integrator().set_target_accuracy(ACCURACY)
    simulator.Initialize()
    start = time.process_time()
    simulator.AdvanceTo(DURATION)
    took = time.process_time() - start
    context = plant.GetMyContextFromRoot(simulator.get_context())
    steps = simulator.get_integrator().get_num_steps_taken() if integrator else simulator.get_num_steps_taken()
    return took, steps, plant.GetPositions(context)[-1]


def points(_, bodies, __):
    def body(shape, z, mass, moment):
        inertia = f"<inertial pos='0 0 0' mass='{mass}' diaginertia='{moment} {moment} {moment}'/>"
        return f"<body pos='0 0 {z}'><freejoint/>{inertia}<geom {shape[1]}/></body>"

    text = "".join(body(*b) for b in bodies)
    option = f"<option timestep='{STEP}'/>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody><geom type='plane' size='0 0 1'/>{text}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    steps, repeats = round(DURATION / STEP), 20
    start = time.process_time()
    for _ in range(repeats):
        mujoco.mj_resetData(model, data)
        for _ in range(steps):
            mujoco.mj_step(model, data)
    return (time.process_time() - start) / repeats, steps, data.qpos[-5]


COMPLIANT = [
    *("--stepper", "compliant", "--stepper-param", f"canon.compliant.slip_speed={SLIP}"),
    *("--stepper-param", f"canon.compliant.relative_tolerance={ACCURACY}"),
]
PROGRAMS = {
    "stiction, compliant, errors controlled": (ours, COMPLIANT),
    "stiction, lagged, 5 ms": (ours, ["--contact", "lagged"]),
    "stiction, exact law, 5 ms": (ours, []),
    "Drake, continuous, runge_kutta3": (drake, "runge_kutta3"),
    "Drake, continuous, radau3": (drake, "radau3"),
    "Drake, continuous, implicit_euler": (drake, "implicit_euler"),
    "Drake, discrete, 5 ms": (drake, None),
    "MuJoCo, points, 5 ms": (points, None),
}


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{'scene':<12} {'program':<40} {'ms a second':>11} {'steps':>6} {'height [m]':>12}")
    for scene, bodies in SCENES.items():
        # One program after another, so that all see the same machine.
        rows = [{name: run(program, bodies, how) for name, (run, how) in PROGRAMS.items()} for _ in range(rounds)]
        for name in PROGRAMS:
            took = statistics.median(row[name][0] for row in rows) / DURATION
            _, steps, height = rows[0][name]
            print(f"{scene:<12} {name:<40} {1e3 * took:>11.1f} {steps:>6} {height:>12.8f}")


main()
