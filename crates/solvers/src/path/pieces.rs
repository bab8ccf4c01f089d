//! The pieces of the equations of [`super`], their derivatives and their boundaries, block by block.

use stiction_contact::Cone;

/// A block, scaled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// Coulomb friction, and ρ_N, ρ_T.
    Contact { mu: f64, rho_n: f64, rho_t: f64 },
    /// A row within bounds, and ρ.
    Scalar { lo: f64, hi: f64, rho: f64 },
    /// Nothing this block does moves it: its impulses stay.
    Inert,
}

/// The piece a block is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Open,
    Stick,
    Slide,
    /// Closed without friction.
    Closed,
    Low,
    Free,
    High,
    Fixed,
}

/// dF = `own` dλ + `left` dc.
pub(super) struct Slope {
    pub(super) own: [[f64; 3]; 3],
    pub(super) left: [[f64; 3]; 3],
}

impl Slope {
    /// Row k is dF = dλ.
    pub(super) fn says(&self, k: usize) -> bool {
        self.left[k] == [0.0; 3] && (0..3).all(|m| self.own[k][m] == f64::from(u8::from(k == m)))
    }
}

/// Impulses and velocities of a block, or their rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) l: [f64; 3],
    pub(super) c: [f64; 3],
}

impl Local {
    /// Of a block with the diagonal `a` of its scaled matrix.
    pub(super) fn new(cone: Cone, a: [f64; 3]) -> Self {
        match cone {
            Cone::Friction { mu } if a[2] > 0.0 => {
                Local::Contact { mu, rho_n: 1.0 / a[2], rho_t: 1.0 / (a[0] + a[1]).max(f64::MIN_POSITIVE) }
            }
            Cone::Friction { .. } | Cone::Patch { .. } => Local::Inert,
            _ if !(a[0] > 0.0) => Local::Inert,
            cone => {
                let bound = |far: f64| {
                    let mut x = [far];
                    cone.project(&mut x);
                    x[0]
                };
                Local::Scalar { lo: bound(f64::NEG_INFINITY), hi: bound(f64::INFINITY), rho: 1.0 / a[0] }
            }
        }
    }

    /// The piece of a point.
    pub(super) fn side(&self, p: Point) -> Side {
        match *self {
            Local::Inert => Side::Fixed,
            Local::Scalar { lo, hi, .. } if lo >= hi => Side::Low,
            Local::Scalar { lo, hi, rho } => {
                let x = p.l[0] - rho * p.c[0];
                if x < lo {
                    Side::Low
                } else if x > hi {
                    Side::High
                } else {
                    Side::Free
                }
            }
            Local::Contact { mu, .. } => {
                let [t0, t1, n] = self.tau(p);
                if n <= 0.0 {
                    Side::Open
                } else if mu == 0.0 {
                    Side::Closed
                } else if t0 * t0 + t1 * t1 <= (mu * n) * (mu * n) {
                    Side::Stick
                } else {
                    Side::Slide
                }
            }
        }
    }

    /// λ − ρ c.
    fn tau(&self, p: Point) -> [f64; 3] {
        let Local::Contact { rho_n, rho_t, .. } = *self else { return p.l };
        [p.l[0] - rho_t * p.c[0], p.l[1] - rho_t * p.c[1], p.l[2] - rho_n * p.c[2]]
    }

    /// F on a piece, whether the point is there or not.
    pub(super) fn value(&self, side: Side, p: Point) -> [f64; 3] {
        match (*self, side) {
            (Local::Scalar { lo, .. }, Side::Low) => [p.l[0] - lo, 0.0, 0.0],
            (Local::Scalar { hi, .. }, Side::High) => [p.l[0] - hi, 0.0, 0.0],
            (Local::Scalar { rho, .. }, _) => [rho * p.c[0], 0.0, 0.0],
            (Local::Contact { .. }, Side::Open) => p.l,
            (Local::Contact { rho_n, rho_t, .. }, Side::Stick) => {
                [rho_t * p.c[0], rho_t * p.c[1], rho_n * p.c[2]]
            }
            (Local::Contact { rho_n, .. }, Side::Closed) => [p.l[0], p.l[1], rho_n * p.c[2]],
            (Local::Contact { mu, rho_n, .. }, _) => {
                let [t0, t1, n] = self.tau(p);
                let share = mu * n / t0.hypot(t1);
                [p.l[0] - share * t0, p.l[1] - share * t1, rho_n * p.c[2]]
            }
            (Local::Inert, _) => [0.0; 3],
        }
    }

    /// Its derivative there.
    pub(super) fn slope(&self, side: Side, p: Point) -> Slope {
        let unit = |k: usize, l: usize| f64::from(u8::from(k == l));
        let identity: [[f64; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|l| unit(k, l)));
        let zero = [[0.0; 3]; 3];
        let along = |rho: [f64; 3]| -> [[f64; 3]; 3] {
            std::array::from_fn(|k| std::array::from_fn(|l| rho[k] * unit(k, l)))
        };
        match (*self, side) {
            (Local::Scalar { rho, .. }, Side::Free) => Slope { own: zero, left: along([rho, 0.0, 0.0]) },
            (Local::Contact { rho_n, rho_t, .. }, Side::Stick) => {
                Slope { own: zero, left: along([rho_t, rho_t, rho_n]) }
            }
            (Local::Contact { rho_n, .. }, Side::Closed) => {
                Slope { own: along([1.0, 1.0, 0.0]), left: along([0.0, 0.0, rho_n]) }
            }
            (Local::Contact { mu, rho_n, rho_t }, Side::Slide) => {
                let [t0, t1, n] = self.tau(p);
                let t = t0.hypot(t1);
                let (e, q) = ([t0 / t, t1 / t], mu * n / t);
                let across = [-e[1], e[0]];
                let (mut own, mut left) = (zero, along([0.0, 0.0, rho_n]));
                for k in 0..2 {
                    for l in 0..2 {
                        let turn = q * across[k] * across[l];
                        own[k][l] = unit(k, l) - turn;
                        left[k][l] = rho_t * turn;
                    }
                    own[k][2] = -mu * e[k];
                    left[k][2] = mu * rho_n * e[k];
                }
                Slope { own, left }
            }
            _ => Slope { own: identity, left: zero },
        }
    }

    /// How far a point may go at a rate before it leaves its piece, and the piece beyond.
    pub(super) fn crossing(&self, side: Side, p: Point, rate: Point) -> Option<(f64, Side)> {
        match *self {
            Local::Inert => None,
            Local::Scalar { lo, hi, rho } => {
                let (x, dx) = (p.l[0] - rho * p.c[0], rate.l[0] - rho * rate.c[0]);
                let (bound, beyond) = match side {
                    Side::Low if dx > 0.0 && lo < hi => (lo, Side::Free),
                    Side::High if dx < 0.0 => (hi, Side::Free),
                    Side::Free if dx < 0.0 => (lo, Side::Low),
                    Side::Free if dx > 0.0 => (hi, Side::High),
                    _ => return None,
                };
                Some((((bound - x) / dx).max(0.0), beyond))
            }
            Local::Contact { mu, .. } => {
                let ([t0, t1, n], [d0, d1, d]) = (self.tau(p), self.tau(rate));
                let closed = if mu == 0.0 { Side::Closed } else { Side::Slide };
                let lift = || (d < 0.0).then(|| ((-n / d).max(0.0), Side::Open));
                if side == Side::Open {
                    return (d > 0.0).then(|| ((-n / d).max(0.0), closed));
                }
                if side == Side::Closed {
                    return lift();
                }
                // ‖τ_T‖² − (μ τ_N)² = a x² + 2 b x + c, wanted where it changes sign.
                let m = mu * mu;
                let a = d0 * d0 + d1 * d1 - m * d * d;
                let b = t0 * d0 + t1 * d1 - m * n * d;
                let c = t0 * t0 + t1 * t1 - m * n * n;
                let out = if side == Side::Stick { 1.0 } else { -1.0 };
                let beyond = if side == Side::Stick { Side::Slide } else { Side::Stick };
                let mut first = if side == Side::Slide { lift() } else { None };
                let mut offer = |x: f64| {
                    if x >= 0.0 && n + x * d >= 0.0 && first.is_none_or(|f| x < f.0) {
                        first = Some((x, beyond));
                    }
                };
                if out * c > 0.0 && out * b > 0.0 {
                    offer(0.0);
                }
                for x in roots(a, b, c).into_iter().flatten() {
                    if out * (a * x + b) > 0.0 {
                        offer(x);
                    }
                }
                first
            }
        }
    }

    /// How fast the direction of sliding turns at a rate [rad].
    pub(super) fn turn(&self, p: Point, rate: Point) -> f64 {
        let ([t0, t1, _], [d0, d1, _]) = (self.tau(p), self.tau(rate));
        ((t0 * d1 - t1 * d0) / (t0 * t0 + t1 * t1)).abs()
    }
}

/// Real roots of a x² + 2 b x + c.
fn roots(a: f64, b: f64, c: f64) -> [Option<f64>; 2] {
    let square = b * b - a * c;
    if !(square >= 0.0) {
        return [None; 2];
    }
    let q = -(b + square.sqrt().copysign(b));
    [(a != 0.0).then(|| q / a), (q != 0.0).then(|| c / q)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    fn random_point(random: &mut Random) -> Point {
        let mut r = || random.number();
        Point { l: [r(), r(), r()], c: [r(), r(), r()] }
    }

    fn moved(p: Point, rate: Point, x: f64) -> Point {
        Point {
            l: std::array::from_fn(|k| p.l[k] + x * rate.l[k]),
            c: std::array::from_fn(|k| p.c[k] + x * rate.c[k]),
        }
    }

    fn locals() -> [Local; 4] {
        let contact = |mu| Local::new(Cone::Friction { mu }, [1.3, 0.9, 0.7]);
        [
            contact(0.6),
            contact(0.0),
            Local::new(Cone::NonNegative, [2.0, 0.0, 0.0]),
            Local::new(Cone::Box { lo: -0.3, hi: 0.4 }, [1.0, 0.0, 0.0]),
        ]
    }

    /// On its own piece F is λ less the projection; derivatives agree with differences.
    #[test]
    fn slopes_are_those_of_the_values() {
        let mut random = Random(5);
        for _ in 0..200 {
            for local in locals() {
                let (p, rate) = (random_point(&mut random), random_point(&mut random));
                let side = local.side(p);
                let slope = local.slope(side, p);
                let step = 1e-6;
                let [ahead, behind] = [step, -step].map(|x| local.value(side, moved(p, rate, x)));
                for k in 0..3 {
                    let difference = (ahead[k] - behind[k]) / (2.0 * step);
                    let linear: f64 =
                        (0..3).map(|l| slope.own[k][l] * rate.l[l] + slope.left[k][l] * rate.c[l]).sum();
                    // Rows a block does not have are not looked at.
                    if matches!(local, Local::Contact { .. }) || k == 0 {
                        assert!((difference - linear).abs() < 1e-6, "{side:?} {k}: {difference} {linear}");
                    }
                }
            }
        }
    }

    /// Just before a crossing the point is on its piece, just after it on the one beyond; F is continuous there.
    #[test]
    fn crossings_lead_to_the_piece_beyond() {
        let (mut random, mut crossed) = (Random(6), 0);
        for _ in 0..500 {
            for local in locals() {
                let (p, rate) = (random_point(&mut random), random_point(&mut random));
                let side = local.side(p);
                let Some((x, beyond)) = local.crossing(side, p, rate) else { continue };
                crossed += 1;
                if x > 1e3 {
                    continue; // rates too slow for what follows
                }
                let near = 1e-9 * (1.0 + x);
                assert_eq!(local.side(moved(p, rate, x - near)), side);
                assert_eq!(local.side(moved(p, rate, x + near)), beyond);
                let at = moved(p, rate, x);
                let (here, there) = (local.value(side, at), local.value(beyond, at));
                let rows = if matches!(local, Local::Contact { .. }) { 3 } else { 1 };
                for k in 0..rows {
                    assert!((here[k] - there[k]).abs() < 1e-8 * (1.0 + x), "{side:?} {beyond:?}");
                }
            }
        }
        assert!(crossed > 500, "{crossed}");
    }
}
