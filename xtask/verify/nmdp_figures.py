"""What the scripts `nmdp_in_*.py` share: our motions of Robosimian, and the line they print for every step."""

from pathlib import Path

import numpy as np

SCENES = Path(__file__).resolve().parents[2] / "crates" / "lab" / "scenes"
ROLL = 0.01


class Motion:
    """Cubics through positions, period after period; slopes as in crates/lab/src/scene/motion.rs."""

    def __init__(self, spec):
        self.period, self.times = spec["period"], np.array(spec["times"], float)
        self.positions = np.array(spec["positions"], float)
        n = len(self.times)
        self.slopes = np.zeros_like(self.positions)
        for k in range(n if not spec.get("ease", False) else 0):
            before, after = (k - 1) % n, (k + 1) % n
            h0 = (self.times[k] - self.times[before]) % self.period
            h1 = (self.times[after] - self.times[k]) % self.period
            d0 = (self.positions[k] - self.positions[before]) / h0
            d1 = (self.positions[after] - self.positions[k]) / h1
            self.slopes[k] = (h1 * d0 + h0 * d1) / (h0 + h1)

    def at(self, t):
        t %= self.period
        i = int(np.searchsorted(self.times, t, side="right")) - 1
        j = (i + 1) % len(self.times)
        length = (self.period if j == 0 else self.times[j]) - self.times[i]
        s, d = (t - self.times[i]) / length, self.positions[j] - self.positions[i]
        u, v = self.slopes[i] * length, self.slopes[j] * length
        c2, c3 = 3 * d - 2 * u - v, u + v - 2 * d
        return self.positions[i] + s * (u + s * (c2 + s * c3)), (u + s * (2 * c2 + 3 * s * c3)) / length


def report(name, walk, jump):
    """Prints figures of a walk and a jump, rows of time, x, z and tilt; None of what exploded."""
    words = [name]
    if walk is None:
        words.append("walk explodes")
    else:
        late = walk[walk[:, 0] >= 1]
        words.append(f"walk {np.polyfit(late[:, 0], late[:, 1], 1)[0]:.4f} m/s")
    if jump is None:
        words.append("jump explodes")
    else:
        apex = [jump[(jump[:, 0] > 2 * k) & (jump[:, 0] <= 2 * k + 2), 2].max() for k in range(5)]
        spread = max(apex[1:]) - min(apex[1:])
        words.append(f"jump {max(apex):.3f} m, differing by {spread:.4f} m, tilt {jump[:, 3].max():.4f} rad")
    print("; ".join(words), flush=True)
