//! The pieces of the equations of [`super`], their derivatives and their boundaries, block by block.

use stiction_contact::Cone;
use stiction_contact::pieces::Piece;

/// A block, scaled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    /// Coulomb friction, of three rows or of a patch, and ρ_N, ρ_T.
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

/// dF = `own` dλ + `left` dc, of a block of N rows at most.
pub(super) struct Slope<const N: usize> {
    pub(super) own: [[f64; N]; N],
    pub(super) left: [[f64; N]; N],
}

impl<const N: usize> Slope<N> {
    /// Row k is dF = dλ.
    pub(super) fn says(&self, k: usize) -> bool {
        self.left[k] == [0.0; N] && (0..N).all(|m| self.own[k][m] == unit(k, m))
    }
}

/// Impulses and velocities of a block, or their rates; zeros after the rows there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<const N: usize> {
    pub(super) l: [f64; N],
    pub(super) c: [f64; N],
}

/// The row of the normal.
const NORMAL: usize = 2;

fn unit(k: usize, l: usize) -> f64 {
    f64::from(u8::from(k == l))
}

/// a·b but for the normal.
#[inline]
fn tangential<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    (0..N).filter(|k| *k != NORMAL).map(|k| a[k] * b[k]).sum()
}

/// A diagonal matrix.
fn along<const N: usize>(diagonal: impl Fn(usize) -> f64) -> [[f64; N]; N] {
    std::array::from_fn(|k| std::array::from_fn(|l| if k == l { diagonal(k) } else { 0.0 }))
}

impl Local {
    /// Of a block with impulses `scale` times as large, whose scaled matrix has the diagonal `normal` there, or in its
    /// only row, and the sum `others` in the other rows.
    pub(super) fn new(cone: Cone, scale: f64, normal: f64, others: f64) -> Self {
        if !(normal > 0.0) {
            return Local::Inert;
        }
        match cone {
            Cone::Friction { mu } | Cone::Patch { mu, .. } => {
                Local::Contact { mu, rho_n: 1.0 / normal, rho_t: 1.0 / others.max(f64::MIN_POSITIVE) }
            }
            cone => {
                let bound = |far: f64| {
                    let mut x = [far];
                    cone.project(&mut x);
                    scale * x[0]
                };
                Local::Scalar { lo: bound(f64::NEG_INFINITY), hi: bound(f64::INFINITY), rho: 1.0 / normal }
            }
        }
    }

    /// The piece of a point.
    pub(super) fn side<const N: usize>(&self, p: Point<N>) -> Side {
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
            Local::Contact { mu, .. } => match Piece::of(mu, &self.tau(p)) {
                Piece::Open => Side::Open,
                Piece::Closed => Side::Closed,
                Piece::Sticks => Side::Stick,
                Piece::Slides { .. } => Side::Slide,
            },
        }
    }

    /// ρ of row k.
    #[inline]
    fn rho(&self, k: usize) -> f64 {
        match *self {
            Local::Contact { rho_n, rho_t, .. } => {
                if k == NORMAL {
                    rho_n
                } else {
                    rho_t
                }
            }
            Local::Scalar { rho, .. } => rho,
            Local::Inert => 0.0,
        }
    }

    /// λ − ρ c.
    #[inline]
    fn tau<const N: usize>(&self, p: Point<N>) -> [f64; N] {
        std::array::from_fn(|k| p.l[k] - self.rho(k) * p.c[k])
    }

    /// F on a piece, whether the point is there or not.
    pub(super) fn value<const N: usize>(&self, side: Side, p: Point<N>) -> [f64; N] {
        let only = |x: f64| std::array::from_fn(|k| if k == 0 { x } else { 0.0 });
        match (*self, side) {
            (Local::Scalar { lo, .. }, Side::Low) => only(p.l[0] - lo),
            (Local::Scalar { hi, .. }, Side::High) => only(p.l[0] - hi),
            (Local::Scalar { rho, .. }, _) => only(rho * p.c[0]),
            (Local::Contact { .. }, Side::Open) => p.l,
            (Local::Contact { .. }, Side::Stick) => std::array::from_fn(|k| self.rho(k) * p.c[k]),
            (Local::Contact { mu, rho_n, .. }, _) => {
                let tau = self.tau(p);
                let share =
                    if side == Side::Closed { 0.0 } else { mu * tau[NORMAL] / tangential(&tau, &tau).sqrt() };
                std::array::from_fn(|k| if k == NORMAL { rho_n * p.c[k] } else { p.l[k] - share * tau[k] })
            }
            (Local::Inert, _) => [0.0; N],
        }
    }

    /// Its derivative there.
    pub(super) fn slope<const N: usize>(&self, side: Side, p: Point<N>) -> Slope<N> {
        let zero = [[0.0; N]; N];
        match (*self, side) {
            (Local::Scalar { rho, .. }, Side::Free) => {
                Slope { own: zero, left: along(|k| if k == 0 { rho } else { 0.0 }) }
            }
            (Local::Contact { .. }, Side::Stick) => Slope { own: zero, left: along(|k| self.rho(k)) },
            (Local::Contact { rho_n, .. }, Side::Closed) => Slope {
                own: along(|k| if k == NORMAL { 0.0 } else { 1.0 }),
                left: along(|k| if k == NORMAL { rho_n } else { 0.0 }),
            },
            (Local::Contact { mu, rho_n, rho_t }, Side::Slide) => {
                let tau = self.tau(p);
                let t = tangential(&tau, &tau).sqrt();
                let (e, q) = (tau.map(|x| x / t), mu * tau[NORMAL] / t);
                let (mut own, mut left) = (zero, zero);
                left[NORMAL][NORMAL] = rho_n;
                for k in (0..N).filter(|k| *k != NORMAL) {
                    for l in (0..N).filter(|l| *l != NORMAL) {
                        let turn = q * (unit(k, l) - e[k] * e[l]);
                        own[k][l] = unit(k, l) - turn;
                        left[k][l] = rho_t * turn;
                    }
                    own[k][NORMAL] = -mu * e[k];
                    left[k][NORMAL] = mu * rho_n * e[k];
                }
                Slope { own, left }
            }
            _ => Slope { own: along(|_| 1.0), left: zero },
        }
    }

    /// How far a point may go at a rate before it leaves its piece, and the piece beyond.
    pub(super) fn crossing<const N: usize>(
        &self,
        side: Side,
        p: Point<N>,
        rate: Point<N>,
    ) -> Option<(f64, Side)> {
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
                let (tau, rise) = (self.tau(p), self.tau(rate));
                let (n, d) = (tau[NORMAL], rise[NORMAL]);
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
                let a = tangential(&rise, &rise) - m * d * d;
                let b = tangential(&tau, &rise) - m * n * d;
                let c = tangential(&tau, &tau) - m * n * n;
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
    pub(super) fn turn<const N: usize>(&self, p: Point<N>, rate: Point<N>) -> f64 {
        let (tau, rate) = (self.tau(p), self.tau(rate));
        let square = tangential(&tau, &tau);
        let share = tangential(&tau, &rate) / square;
        let across: [f64; N] = std::array::from_fn(|k| rate[k] - share * tau[k]);
        (tangential(&across, &across) / square).sqrt()
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
    use stiction_contact::cone::MAX_ROWS;
    use stiction_contact::corpus::Random;

    fn random_point<const N: usize>(random: &mut Random) -> Point<N> {
        Point { l: std::array::from_fn(|_| random.number()), c: std::array::from_fn(|_| random.number()) }
    }

    fn moved<const N: usize>(p: Point<N>, rate: Point<N>, x: f64) -> Point<N> {
        Point {
            l: std::array::from_fn(|k| p.l[k] + x * rate.l[k]),
            c: std::array::from_fn(|k| p.c[k] + x * rate.c[k]),
        }
    }

    fn locals() -> [Local; 4] {
        let contact = |mu| Local::new(Cone::Friction { mu }, 1.0, 0.7, 2.2);
        [
            contact(0.6),
            contact(0.0),
            Local::new(Cone::NonNegative, 1.0, 2.0, 0.0),
            Local::new(Cone::Box { lo: -0.3, hi: 0.4 }, 1.0, 1.0, 0.0),
        ]
    }

    /// On its own piece F is λ less the projection; derivatives agree with differences, of contacts and of patches.
    #[test]
    fn slopes_are_those_of_the_values() {
        check_slopes::<3>();
        check_slopes::<MAX_ROWS>();
    }

    fn check_slopes<const N: usize>() {
        let mut random = Random(5);
        for _ in 0..200 {
            for local in locals() {
                let (p, rate) = (random_point::<N>(&mut random), random_point(&mut random));
                let side = local.side(p);
                let slope = local.slope(side, p);
                let step = 1e-6;
                let [ahead, behind] = [step, -step].map(|x| local.value(side, moved(p, rate, x)));
                for k in 0..N {
                    let difference = (ahead[k] - behind[k]) / (2.0 * step);
                    let linear: f64 =
                        (0..N).map(|l| slope.own[k][l] * rate.l[l] + slope.left[k][l] * rate.c[l]).sum();
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
        check_crossings::<3>();
        check_crossings::<MAX_ROWS>();
    }

    fn check_crossings<const N: usize>() {
        let (mut random, mut crossed) = (Random(6), 0);
        for _ in 0..500 {
            for local in locals() {
                let (p, rate) = (random_point::<N>(&mut random), random_point(&mut random));
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
                let rows = if matches!(local, Local::Contact { .. }) { N } else { 1 };
                for k in 0..rows {
                    assert!((here[k] - there[k]).abs() < 1e-8 * (1.0 + x), "{side:?} {beyond:?}");
                }
            }
        }
        assert!(crossed > 500, "{crossed}");
    }
}
