//! Every derivative against finite differences, on a world with one of every joint.

#![allow(clippy::unwrap_used, non_snake_case)]

use crate::common;

use common::{Dice, menagerie, sites};
use stiction_dynamics::integrate_into;
use stiction_nmdp::end_of_step::{Before, Start};
use stiction_nmdp::inertia::Inertia;
use stiction_nmdp::inertia::displaced_points::DisplacedPoints;
use stiction_nmdp::inertia::newton_euler::NewtonEuler;
use stiction_nmdp::residual::{Dissipated, Residual, norm};
use stiction_nmdp::wrench_set::cone::Growth;
use stiction_world::World;

fn inertias(world: &World) -> [(&'static str, Inertia); 2] {
    [
        ("ne", Inertia::NewtonEuler(Box::new(NewtonEuler::new(&world.model)))),
        ("pbd", Inertia::DisplacedPoints(Box::new(DisplacedPoints::new(&world.model)))),
    ]
}

/// A world in motion, with weights of its sites.
struct Case {
    world: World,
    q: Vec<f64>,
    v: Vec<f64>,
    nu: Vec<f64>,
    w: Vec<f64>,
    control: Vec<f64>,
    generalized: Vec<f64>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let (world, neutral) = menagerie();
        let mut dice = Dice::new(seed);
        let nv = world.model.nv();
        let mut q = neutral.clone();
        integrate_into(&world.model, &neutral, &dice.vector(nv), 1.0, &mut q);
        let growth = Growth { stiffness: 100.0, ..Growth::default() };
        let w = (0..sites(&world, growth).weights()).map(|_| 0.12 * (1.0 + dice.roll())).collect();
        let (v, nu) = (dice.vector(nv), dice.vector(nv));
        Self { world, q, v, nu, w, control: dice.vector(3), generalized: dice.vector(nv) }
    }

    fn start(&self, h: f64) -> Start<'_> {
        Start {
            q: &self.q,
            v: &self.v,
            h,
            last_h: 0.7 * h,
            control: &self.control,
            generalized: &self.generalized,
            before: None,
        }
    }

    fn residual(&self, inertia: Inertia, dissipated: Dissipated, zeroth_order: bool) -> Residual {
        let growth = Growth { stiffness: 100.0, ..Growth::default() };
        Residual::new(&self.world, inertia, sites(&self.world, growth), dissipated, zeroth_order)
    }
}

/// ∂G/∂ν of both inertias, with every kind of joint, actuators, springs, and contact sets that move.
#[test]
fn slope_of_the_residual() {
    let case = Case::new(1);
    let nv = case.world.model.nv();
    for h in [0.05, 0.4] {
        let start = case.start(h);
        for (name, inertia) in inertias(&case.world) {
            let mut r = case.residual(inertia, Dissipated::WholeBody, false);
            r.begin(&case.world, &start);
            r.look(&case.world, &start, &case.nu, &case.w);
            let (slope, scale) = (r.slope.clone(), norm(&r.slope));
            for j in 0..nv {
                let eps = 1e-6;
                let mut at = |e: f64| {
                    let mut nu = case.nu.clone();
                    nu[j] += e;
                    r.look(&case.world, &start, &nu, &case.w);
                    r.g.clone()
                };
                let (ahead, behind) = (at(eps), at(-eps));
                for i in 0..nv {
                    let fd = (ahead[i] - behind[i]) / (2.0 * eps);
                    assert!((fd - slope[i * nv + j]).abs() < 1e-8 * scale, "{name} {h} {i} {j}");
                }
            }
        }
    }
}

/// To zeroth order the slope lacks ∂B/∂q⁺ and nothing else: it is that of the residual with the vertices held.
#[test]
fn zeroth_order_differs_where_sets_act() {
    let case = Case::new(1);
    let start = case.start(0.1);
    for (name, inertia) in inertias(&case.world) {
        let mut first = case.residual(inertia.clone(), Dissipated::WholeBody, false);
        let mut zeroth = case.residual(inertia, Dissipated::WholeBody, true);
        let idle = vec![0.0; case.w.len()];
        for (w, same) in [(&idle, true), (&case.w, false)] {
            for r in [&mut first, &mut zeroth] {
                r.begin(&case.world, &start);
                r.look(&case.world, &start, &case.nu, w);
            }
            assert_eq!(first.g, zeroth.g, "{name}");
            assert_eq!(first.slope == zeroth.slope, same, "{name}");
        }
    }
}

/// ∂K/∂ν of both energies under both inertias.
#[test]
fn slope_of_the_energy() {
    let case = Case::new(2);
    let nv = case.world.model.nv();
    let start = case.start(0.3);
    for (name, inertia) in inertias(&case.world) {
        for dissipated in [Dissipated::WholeBody, Dissipated::ContactPoints] {
            let mut r = case.residual(inertia.clone(), dissipated, false);
            r.begin(&case.world, &start);
            let mut energy = |nu: &[f64]| {
                r.look(&case.world, &start, nu, &case.w);
                (r.energy(&case.world, &start, nu), r.energy_slope.clone())
            };
            let (_, slope) = energy(&case.nu);
            for j in 0..nv {
                let eps = 1e-6;
                let mut at = |e: f64| {
                    let mut nu = case.nu.clone();
                    nu[j] += e;
                    energy(&nu).0
                };
                let fd = (at(eps) - at(-eps)) / (2.0 * eps);
                assert!(
                    (fd - slope[j]).abs() < 1e-7 * norm(&slope),
                    "{name} {dissipated:?} {j}: {fd} {}",
                    slope[j]
                );
            }
        }
    }
}

/// ∂ν/∂w: along it the residual stays as it is, to first order.
#[test]
fn sensitivity_to_the_weights() {
    let case = Case::new(3);
    let (nv, nw) = (case.world.model.nv(), case.w.len());
    let start = case.start(0.1);
    for (name, inertia) in inertias(&case.world) {
        let mut r = case.residual(inertia, Dissipated::WholeBody, false);
        r.begin(&case.world, &start);
        r.look(&case.world, &start, &case.nu, &case.w);
        r.energy(&case.world, &start, &case.nu);
        let rank = r.factor();
        assert_eq!(rank.rank, nv);
        let (mut gradient, mut hessian) = (Vec::new(), Vec::new());
        r.reduce(&case.world, &mut gradient, &mut hessian);
        let (sensitivity, g) = (r.sensitivity.clone(), r.g.clone());
        let live = r.sites.live().to_vec();
        assert_eq!(live.len(), nw, "all sites act");
        for k in 0..nw {
            let eps = 1e-5;
            let mut at = |e: f64| {
                let mut w = case.w.clone();
                w[k] += e;
                let row = &sensitivity[k * nv..(k + 1) * nv];
                let nu: Vec<f64> = case.nu.iter().zip(row).map(|(nu, s)| nu + e * s).collect();
                r.look(&case.world, &start, &nu, &w);
                r.g.clone()
            };
            let (ahead, behind) = (at(eps), at(-eps));
            let change: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * eps)).collect();
            assert!(norm(&change) < 1e-6 * (1.0 + norm(&g)), "{name} {k}: {}", norm(&change));
        }
    }
}

/// For h → 0 at the same accelerations, the two ways to put time into steps agree.
#[test]
fn both_inertias_agree_in_the_limit() {
    let case = Case::new(4);
    let mut dice = Dice::new(5);
    let acceleration = dice.vector(case.world.model.nv());
    let apart = |h: f64| {
        let start = Start { last_h: h, ..case.start(h) };
        let nu: Vec<f64> = case.v.iter().zip(&acceleration).map(|(v, a)| v + h * a).collect();
        let [ne, pbd] = inertias(&case.world).map(|(_, inertia)| {
            let mut r = case.residual(inertia, Dissipated::WholeBody, false);
            r.begin(&case.world, &start);
            r.look(&case.world, &start, &nu, &case.w);
            (r.g.clone(), r.energy(&case.world, &start, &nu))
        });
        let difference: Vec<f64> = ne.0.iter().zip(&pbd.0).map(|(a, b)| a - b).collect();
        (norm(&difference) / norm(&ne.0), (ne.1 - pbd.1).abs() / ne.1)
    };
    let ((g1, k1), (g2, k2)) = (apart(1e-3), apart(5e-4));
    assert!(g1 < 1e-2 && (g1 / g2 - 2.0).abs() < 0.1, "{g1} {g2}");
    assert!(k1 < 1e-2 && (k1 / k2 - 2.0).abs() < 0.1, "{k1} {k2}");
}

/// ∂G/∂ν and ∂K/∂ν of two-step differences, with steps that grow and shrink.
#[test]
fn slopes_of_two_step_differences() {
    let case = Case::new(5);
    let nv = case.world.model.nv();
    let mut dice = Dice::new(6);
    let (mean, v) = (dice.vector(nv), dice.vector(nv));
    for last_h in [0.02, 0.05, 0.1] {
        let start = Start { last_h, before: Some(Before { mean: &mean, v: &v }), ..case.start(0.05) };
        let inertia = Inertia::NewtonEuler(Box::new(NewtonEuler::new(&case.world.model)));
        let mut r = case.residual(inertia, Dissipated::WholeBody, false);
        r.begin(&case.world, &start);
        r.look(&case.world, &start, &case.nu, &case.w);
        r.energy(&case.world, &start, &case.nu);
        let (slope, energy_slope, scale) = (r.slope.clone(), r.energy_slope.clone(), norm(&r.slope));
        for j in 0..nv {
            let eps = 1e-6;
            let mut at = |e: f64| {
                let mut nu = case.nu.clone();
                nu[j] += e;
                r.look(&case.world, &start, &nu, &case.w);
                let energy = r.energy(&case.world, &start, &nu);
                (r.g.clone(), energy)
            };
            let (ahead, behind) = (at(eps), at(-eps));
            for i in 0..nv {
                let fd = (ahead.0[i] - behind.0[i]) / (2.0 * eps);
                assert!((fd - slope[i * nv + j]).abs() < 1e-8 * scale, "{last_h} {i} {j}");
            }
            let fd = (ahead.1 - behind.1) / (2.0 * eps);
            assert!((fd - energy_slope[j]).abs() < 1e-6 * norm(&energy_slope), "{last_h} {j}: {fd}");
        }
    }
}
