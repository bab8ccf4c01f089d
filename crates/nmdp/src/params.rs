//! Parameters of the method.

use crate::residual::Dissipated;
use crate::set_kind::SetKind;
use crate::wrench_set::cone::Growth;
use crate::wrench_set::granular::GranularParams;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Defaults are the paper's and its authors' program's, but for what they leave open: the stiffness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NmdpParams {
    /// How contact sets grow with depth δ [m]: k δ^m + ε [N]. A contact that bears the weight N is √(N/k) deep at m = 2.
    pub contact: Growth,
    /// Edges of the linearised friction cone; 4 … 16 [–].
    pub edges: u32,
    /// The contact set of geometries that `sets` does not name.
    pub set: SetKind,
    /// Contact sets of single geometries, by the name of the geometry or of its link.
    pub sets: BTreeMap<String, SetKind>,
    /// The outward direction of the face that is the sole of a geometry with another set than the cone, in axes of the
    /// geometry [–]. Points that are not on it keep their cones.
    pub sole: [f64; 3],
    /// Numbers of planar patches; stiffness, edges and friction are those of cones.
    pub patch: PatchParams,
    /// Numbers of granular sets.
    pub granular: GranularParams,
    /// File of the learned set, which `stiction learn sole` makes; in a scene relative to its file.
    pub learned: Option<PathBuf>,
    /// How stops of joints grow with the excess [rad or m]; N·m or N.
    pub stop: Growth,
    /// The energy at the end of the step that is made least.
    pub dissipated: Dissipated,
    /// Order of the backward differences of the Newton–Euler methods: 1, backward Euler, or 2, two steps. A step after one in which
    /// a contact began or ended is one of backward Euler, which does not carry its jump on. Displaced points know 1 alone.
    pub differences: u32,
    /// Steps of first-order methods start from the weights of the last one, and from none only if that fails; see [`crate::pgm`].
    pub warm_start: bool,
    /// Outer iterations end when the weights change by less, ‖Δw‖ [–].
    pub weight_tolerance: f64,
    /// They end, too, when the energy falls by less [J].
    pub energy_tolerance: f64,
    /// The dynamics count as satisfied when h ‖G‖ is less than this times the mass of all bodies [m/s].
    pub residual_tolerance: f64,
    /// Least and largest regularisation β of the weights [J]: beyond the largest the descent has failed.
    pub least_regularisation: f64,
    pub most_regularisation: f64,
    /// β grows by this after a trial that does not descend, and shrinks by it after one that does [–].
    pub regularisation_growth: f64,
    /// Outer iterations of a part of a step.
    pub max_outer: u32,
    /// Newton iterations of a projection; one that needs more, as those of zeroth order do at large steps, is sooner done in
    /// halves.
    pub max_projection: u32,
    /// Steps are halved down to this [s]; then they fail.
    pub min_step: f64,
}

/// Numbers of planar patches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PatchParams {
    /// Directions of the motions from which friction under even pressure is sampled, three turns for each; 4 … 16 [–].
    pub samples: u32,
}

impl Default for PatchParams {
    fn default() -> Self {
        Self { samples: 6 }
    }
}

impl Default for NmdpParams {
    fn default() -> Self {
        Self {
            contact: Growth::default(),
            edges: 4,
            set: SetKind::default(),
            sets: BTreeMap::new(),
            sole: [0.0, 0.0, -1.0],
            patch: PatchParams::default(),
            granular: GranularParams::default(),
            learned: None,
            stop: Growth { stiffness: 1e5, ..Growth::default() },
            dissipated: Dissipated::default(),
            differences: 1,
            warm_start: true,
            weight_tolerance: 1e-8,
            energy_tolerance: 1e-6,
            residual_tolerance: 1e-8,
            least_regularisation: 1e-4,
            most_regularisation: 1e6,
            regularisation_growth: 1.5,
            max_outer: 1000,
            max_projection: 10,
            min_step: 1e-5,
        }
    }
}

/// A parameter outside its range: its name, value, and what was expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    pub name: &'static str,
    pub value: f64,
    pub expected: &'static str,
}

impl NmdpParams {
    /// Checks every range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = |name, value: f64, ok: bool, expected| {
            if ok && value.is_finite() { Ok(()) } else { Err(OutOfRange { name, value, expected }) }
        };
        for (names, growth) in [
            (["nmdp.contact.stiffness", "nmdp.contact.exponent", "nmdp.contact.offset"], &self.contact),
            (["nmdp.stop.stiffness", "nmdp.stop.exponent", "nmdp.stop.offset"], &self.stop),
        ] {
            check(names[0], growth.stiffness, growth.stiffness > 0.0, "a stiffness > 0")?;
            check(
                names[1],
                growth.exponent,
                (1.0..=4.0).contains(&growth.exponent),
                "an exponent in [1, 4]",
            )?;
            check(names[2], growth.offset, growth.offset >= 0.0, "a force >= 0")?;
        }
        let edges = f64::from(self.edges);
        check("nmdp.edges", edges, (3..=64).contains(&self.edges), "3 to 64 edges")?;
        let length: f64 = self.sole.iter().map(|x| x * x).sum();
        check("nmdp.sole", length, length > 0.0, "a direction that is not zero")?;
        let samples = self.patch.samples;
        check("nmdp.patch.samples", f64::from(samples), (1..=64).contains(&samples), "1 to 64 directions")?;
        let GranularParams { strength, rings, azimuths } = self.granular;
        check("nmdp.granular.strength", strength, strength > 0.0, "a strength > 0 [N/m³]")?;
        check("nmdp.granular.rings", f64::from(rings), (1..=50).contains(&rings), "1 to 50 rings")?;
        let ok = (3..=64).contains(&azimuths);
        check("nmdp.granular.azimuths", f64::from(azimuths), ok, "3 to 64 azimuths")?;
        for (name, value) in [
            ("nmdp.weight_tolerance", self.weight_tolerance),
            ("nmdp.energy_tolerance", self.energy_tolerance),
            ("nmdp.residual_tolerance", self.residual_tolerance),
            ("nmdp.least_regularisation", self.least_regularisation),
            ("nmdp.min_step", self.min_step),
        ] {
            check(name, value, value > 0.0, "a number > 0")?;
        }
        let order = f64::from(self.differences);
        check("nmdp.differences", order, (1..=2).contains(&self.differences), "1 or 2")?;
        let most = self.most_regularisation;
        check("nmdp.most_regularisation", most, most > self.least_regularisation, "more than the least")?;
        let growth = self.regularisation_growth;
        check("nmdp.regularisation_growth", growth, growth > 1.0, "a factor > 1")?;
        check("nmdp.max_outer", f64::from(self.max_outer), self.max_outer > 0, "at least 1")?;
        check("nmdp.max_projection", f64::from(self.max_projection), self.max_projection > 0, "at least 1")
    }
}
