//! Who follows whom by (1) of [`super`]: single gears, and the order in which they resolve.

use crate::build::MAX_MASS_MATRIX_ENTRIES;
use crate::model::Model;

/// (1): one scalar joint that follows others.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// The joint that follows.
    pub joint: usize,
    /// Pairs of a joint that is followed and its ratio.
    pub terms: Vec<(usize, f64)>,
    pub offset: f64,
}

impl Gear {
    /// q_joint = ratio q_leader + offset.
    pub fn mimic(joint: usize, leader: usize, ratio: f64, offset: f64) -> Self {
        Self { joint, terms: vec![(leader, ratio)], offset }
    }
}

/// Why gears do not make a reduction.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GearError {
    #[error("a gear names joint {index}; the model has {count} joints, counted from 0")]
    Index { index: usize, count: usize },
    #[error("joint `{joint}` cannot be geared: expected a hinge, a slide or a screw")]
    NotScalar { joint: String },
    #[error("joint `{joint}` follows by two gears; expected one at most: combine their terms")]
    Twice { joint: String },
    #[error("joints follow each other in a circle: {joints}; let one of them be independent")]
    Cycle { joints: String },
    #[error("the gear of joint `{joint}`: {what} is {value}; expected a finite number")]
    Value { joint: String, what: &'static str, value: f64 },
    #[error("the reduced problem needs {entries} numbers; at most {limit} are supported")]
    TooLarge { entries: usize, limit: usize },
}

/// Per joint: its gear. Checks what each gear says by itself.
pub(super) fn index_gears(model: &Model, gears: &[Gear]) -> Result<Vec<Option<usize>>, GearError> {
    let count = model.joints.len();
    let mut gear_of = vec![None; count];
    for (g, gear) in gears.iter().enumerate() {
        for index in std::iter::once(gear.joint).chain(gear.terms.iter().map(|t| t.0)) {
            let joint = model.joints.get(index).ok_or(GearError::Index { index, count })?;
            if !joint.kind.is_scalar() {
                return Err(GearError::NotScalar { joint: joint.name.clone() });
            }
        }
        let joint = || model.joints[gear.joint].name.clone();
        for (what, value) in gear.terms.iter().map(|t| ("ratio", t.1)).chain([("offset", gear.offset)]) {
            if !value.is_finite() {
                return Err(GearError::Value { joint: joint(), what, value });
            }
        }
        if gear_of[gear.joint].replace(g).is_some() {
            return Err(GearError::Twice { joint: joint() });
        }
    }
    Ok(gear_of)
}

/// Gears, each after those it depends on.
pub(super) fn resolution_order(
    model: &Model,
    gears: &[Gear],
    gear_of: &[Option<usize>],
) -> Result<Vec<usize>, GearError> {
    let leaders = |g: usize| gears[g].terms.iter().filter_map(|t| gear_of[t.0]);
    let mut followers = vec![Vec::new(); gears.len()];
    for g in 0..gears.len() {
        leaders(g).for_each(|l| followers[l].push(g));
    }
    let mut waits: Vec<usize> = (0..gears.len()).map(|g| leaders(g).count()).collect();
    let mut order: Vec<usize> = (0..gears.len()).filter(|&g| waits[g] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &f in &followers[order[next]] {
            waits[f] -= 1;
            if waits[f] == 0 {
                order.push(f);
            }
        }
        next += 1;
    }
    if order.len() == gears.len() {
        return Ok(order);
    }
    // Whoever waits has a leader that waits: going from leader to leader ends in the circle.
    let waiting = |g: usize| leaders(g).find(|&l| waits[l] > 0);
    let mut g = (0..gears.len()).find(|&g| waits[g] > 0);
    for _ in 0..gears.len() {
        g = g.and_then(waiting);
    }
    let mut names = Vec::new();
    let start = g;
    while let Some(at) = g {
        names.push(format!("`{}`", model.joints[gears[at].joint].name));
        g = waiting(at);
        if g == start {
            break;
        }
    }
    Err(GearError::Cycle { joints: names.join(" follows ") })
}

pub(super) fn within_limit(entries: usize) -> Result<(), GearError> {
    let limit = MAX_MASS_MATRIX_ENTRIES;
    if entries > limit { Err(GearError::TooLarge { entries, limit }) } else { Ok(()) }
}
