//! What the judge said of islands when they fell asleep: it holds as long as they sleep, for their problem
//! does not change.

use super::{Driver, Stepper};
use stiction_contact::{Certificate, Judge, Law};

/// Numbers of a [`AtRest`].
pub(crate) const NUMBERS: usize = 13;

/// The certificate of an island, and its natural map by the solver's own law [m/s].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtRest {
    certificate: Certificate,
    own: f64,
}

/// Certificates of sleeping islands.
#[derive(Debug, Default)]
pub(crate) struct CertificatesAtRest {
    /// Per tree, that of the island that is called by it.
    of: Vec<AtRest>,
    /// Certificates of all islands that slept during the last step, and of all that sleep now.
    slept: Option<AtRest>,
    asleep: Option<AtRest>,
    /// Changes of who sleeps that were noted.
    seen: u64,
}

impl CertificatesAtRest {
    pub(crate) fn new(trees: usize) -> Self {
        Self { of: vec![AtRest::default(); trees], ..Self::default() }
    }

    /// After a step: judges the islands that fell asleep in it.
    pub(crate) fn note<S: Stepper + ?Sized>(&mut self, stepper: &Driver<S>, judge: &mut Judge, law: Law) {
        let sleepers = &stepper.islands;
        if sleepers.fell.is_empty() && sleepers.changes == self.seen {
            self.slept = self.asleep;
            return;
        }
        let (problem, impulses) = (&stepper.posed().problem, stepper.impulses());
        let fell = |island: usize| sleepers.fell.contains(&island);
        self.slept = self.all(&sleepers.island, |island| !fell(island));
        for &island in &sleepers.fell {
            let wanted = |block: usize| stepper.fell(block, island);
            let certificate = judge.certify_some(problem, impulses, wanted);
            let own = match law {
                Law::Ncp => certificate.natural_map,
                _ => judge.natural_map_of_some(problem, impulses, law, wanted),
            };
            self.of[island] = AtRest { certificate, own };
        }
        self.asleep = self.all(&sleepers.island, |_| true);
        self.seen = sleepers.changes;
    }

    /// The certificate of a step of which `awake` is that of what was awake.
    pub(crate) fn certificate(&self, awake: Certificate) -> Certificate {
        self.slept.map_or(awake, |slept| joined(&awake, &slept.certificate))
    }

    /// The natural map of a step by the solver's own law, of which `awake` is that of what was awake.
    pub(crate) fn own(&self, awake: f64) -> f64 {
        self.slept.map_or(awake, |slept| awake.hypot(slept.own))
    }

    /// The certificate of those of the islands `asleep`, listed per tree, that are wanted.
    fn all(&self, asleep: &[usize], wanted: impl Fn(usize) -> bool) -> Option<AtRest> {
        let islands = (0..asleep.len()).filter(|&t| asleep[t] == t && wanted(t));
        islands.map(|t| self.of[t]).reduce(|a, b| AtRest {
            certificate: joined(&a.certificate, &b.certificate),
            own: a.own.hypot(b.own),
        })
    }

    /// The certificate of every sleeping island, in numbers.
    pub(crate) fn numbers(&self, asleep: &[usize]) -> Vec<[f64; NUMBERS]> {
        (0..asleep.len()).filter(|&t| asleep[t] == t).map(|t| self.of[t].numbers()).collect()
    }

    /// The inverse; as many as there are islands.
    pub(crate) fn set_numbers<S: Stepper + ?Sized>(
        &mut self,
        stepper: &Driver<S>,
        numbers: &[[f64; NUMBERS]],
    ) {
        let sleepers = &stepper.islands;
        let islands = (0..sleepers.island.len()).filter(|&t| sleepers.island[t] == t);
        islands.zip(numbers).for_each(|(t, x)| self.of[t] = AtRest::of_numbers(x));
        self.asleep = self.all(&sleepers.island, |_| true);
        (self.slept, self.seen) = (None, sleepers.changes);
    }
}

impl AtRest {
    /// All numbers, in the order of snapshots.
    fn fields(&mut self) -> [&mut f64; NUMBERS] {
        let Self { certificate: c, own } = self;
        [
            &mut c.eps_p,
            &mut c.eps_d,
            &mut c.eps_c,
            &mut c.eps_abs,
            &mut c.natural_map,
            &mut c.natural_map_relative,
            &mut c.signorini,
            &mut c.cone_excess,
            &mut c.dissipation_gap,
            &mut c.mdp_angle_max,
            &mut c.mdp_angle_mean,
            &mut c.lift,
            own,
        ]
    }

    fn numbers(mut self) -> [f64; NUMBERS] {
        self.fields().map(|x| *x)
    }

    fn of_numbers(numbers: &[f64; NUMBERS]) -> Self {
        let mut at_rest = Self::default();
        at_rest.fields().into_iter().zip(numbers).for_each(|(to, x)| *to = *x);
        at_rest
    }
}

/// The certificate of `a`, which may slip, and of `b`, which is at rest, together. The worst block is that of
/// `a`.
fn joined(a: &Certificate, b: &Certificate) -> Certificate {
    Certificate { natural_map: a.natural_map.hypot(b.natural_map), ..a.or_worse(b) }
}
