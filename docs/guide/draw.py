"""Draws the pictures of the page on contact parameters by simulating what they show.

`python docs/guide/draw.py` writes them; the tests of the package compare them to within half a pixel.
"""

from __future__ import annotations

from pathlib import Path

import stiction

SOURCE = Path(__file__).parent / "src"
WIDTH, HEIGHT, LEFT, TOP = 360, 180, 50, 20
COLOURS = ("#2b6cb0", "#2f855a", "#c05621")


def slides() -> dict[str, list[tuple[float, float]]]:
    """Way of a sliding box over time, for three coefficients of friction."""
    found = {}
    for mu in (0.2, 0.4, 0.8):
        scene = stiction.Scene("slide").ground(friction=mu)
        box = scene.body("box", shape="box", size=[0.2] * 3, mass=1.0, position=[0, 0, 0.1], velocity=[1, 0, 0])
        found[f"μ = {mu}"] = way(stiction.Simulation(box.build()), 0, 0.0, 0.6)
    return found


def bounces() -> dict[str, list[tuple[float, float]]]:
    """Height of a ball over time, for three coefficients of restitution."""
    found = {}
    for e in (0.25, 0.5, 0.75):
        scene = stiction.Scene("bounce").ground(restitution=e)
        ball = scene.body("ball", shape="sphere", radius=0.1, mass=1.0, position=[0, 0, 1.1])
        found[f"e = {e}"] = way(stiction.Simulation(ball.build()), 2, 0.1, 1.2)
    return found


def way(simulation: stiction.Simulation, axis: int, zero: float, until: float) -> list[tuple[float, float]]:
    """Time and coordinate, every 10 ms."""
    points = [(0.0, float(simulation.q[axis]) - zero)]
    while simulation.time < until - 1e-9:
        simulation.run(0.01)
        points.append((simulation.time, float(simulation.q[axis]) - zero))
    return points


def drawn(curves: dict[str, list[tuple[float, float]]], label: str) -> str:
    """A picture in SVG: curves over time, from zero to the largest of all."""
    end = max(t for c in curves.values() for t, _ in c)
    top = max(y for c in curves.values() for _, y in c)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 130} {HEIGHT + 60}" font-family="sans-serif" font-size="12">',
        f'<path d="M{LEFT} {TOP}V{TOP + HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#888"/>',
        f'<text x="{LEFT}" y="{TOP - 6}" fill="#888">{label}, to {top:.2f} m</text>',
        f'<text x="{LEFT}" y="{TOP + HEIGHT + 18}" fill="#888">time, to {end:.1f} s</text>',
    ]
    for i, (name, curve) in enumerate(curves.items()):
        points = " ".join(f"{LEFT + WIDTH * t / end:.1f},{TOP + HEIGHT * (1 - y / top):.1f}" for t, y in curve)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>')
        lines.append(f'<text x="{LEFT + WIDTH + 8}" y="{TOP + 14 + 18 * i}" fill="{COLOURS[i]}">{name}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def pictures() -> dict[str, str]:
    """Every picture, by the name of its file."""
    return {"friction.svg": drawn(slides(), "way"), "restitution.svg": drawn(bounces(), "height")}


if __name__ == "__main__":
    for file, picture in pictures().items():
        (SOURCE / file).write_text(picture)
