//! The counts of one world of a campaign.

use stiction::{CERTIFIED, StepStatus};

/// Steps of a trial.
pub const STEPS: u64 = 100;

/// Outcome of one seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    pub seed: u64,
    /// Scene, and what was drawn for it.
    pub of: String,
    pub steps: u64,
    /// Contact points of all steps.
    pub contacts: u64,
    /// Steps that said themselves that the solver did not reach its tolerance.
    pub flagged: u64,
    /// Steps that said that they made energy that nothing explains.
    pub gained_energy: u64,
    /// Steps of which only rounding the impulses to 64 bits was left.
    pub rounding: u64,
    /// Steps above [`CERTIFIED`].
    pub uncertified: u64,
    /// Steps above [`CERTIFIED`] that were not flagged.
    pub silent: u64,
    /// 1 if the last step failed: the state was left as it was, and the cause given.
    pub failed: u64,
    /// 1 if the state stopped being finite.
    pub not_finite: u64,
    /// 1 if the last step panicked.
    pub panicked: u64,
    /// Worst of all steps [m/s].
    pub natural_map: f64,
    /// Message of the failure or the panic.
    pub cause: String,
}

pub(super) const HEADS: &str = "seed,of,steps,contacts,flagged,gained_energy,rounding,uncertified,silent,failed,not_finite,panicked,natural_map,cause";

impl Trial {
    /// Counts a step that ended with `status`, and of whose impulses the judge says `natural_map` [m/s].
    pub(super) fn count(&mut self, contacts: usize, status: &StepStatus, natural_map: f64) {
        let certified = natural_map <= CERTIFIED;
        let rounding = *status == StepStatus::Rounding;
        let gained = *status == StepStatus::GainedEnergy;
        let flagged = !rounding && !gained && *status != StepStatus::Converged;
        self.contacts += contacts as u64;
        self.flagged += u64::from(flagged);
        self.gained_energy += u64::from(gained);
        self.rounding += u64::from(rounding);
        self.uncertified += u64::from(!certified);
        self.silent += u64::from(!certified && !flagged);
        if !(natural_map <= self.natural_map) {
            self.natural_map = natural_map;
        }
    }

    /// The trial as a line of the results.
    pub(super) fn line(&self) -> String {
        let Self {
            seed,
            steps,
            contacts,
            flagged,
            gained_energy,
            rounding,
            uncertified,
            silent,
            failed,
            not_finite,
            panicked,
            ..
        } = self;
        let plain = |s: &str| s.replace([',', '\n'], ";");
        let (of, cause, map) = (plain(&self.of), plain(&self.cause), self.natural_map);
        format!(
            "{seed},{of},{steps},{contacts},{flagged},{gained_energy},{rounding},{uncertified},{silent},{failed},{not_finite},{panicked},{map:e},{cause}"
        )
    }

    pub(super) fn of_line(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [seed, of, rest @ .., map, cause] = &words[..] else { return None };
        let counts: Vec<u64> = rest.iter().map(|w| w.parse().ok()).collect::<Option<_>>()?;
        let [
            steps,
            contacts,
            flagged,
            gained_energy,
            rounding,
            uncertified,
            silent,
            failed,
            not_finite,
            panicked,
        ] = counts[..]
        else {
            return None;
        };
        Some(Self {
            seed: seed.parse().ok()?,
            of: (*of).to_owned(),
            steps,
            contacts,
            flagged,
            gained_energy,
            rounding,
            uncertified,
            silent,
            failed,
            not_finite,
            panicked,
            natural_map: map.parse().ok()?,
            cause: (*cause).to_owned(),
        })
    }
}
