//! The posture in which a robot is held that states none: that of the SRDF beside its URDF, and joints within their limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction::State;
use stiction::world::World;

/// Postures of an SRDF in which robots stand, the first that there is.
pub(super) const STANDING: [&str; 4] = ["home", "standing", "stand", "half_sitting"];

/// Folders beside a URDF in which its SRDF may lie.
const FOLDERS: [&str; 3] = ["", "../srdf", "srdf"];

/// Couplings that are open by less are closed [rad or m].
const CLOSED: f64 = 1e-9;

/// The SRDF of a URDF: of the same name, or the only one for a robot of that name, in its own folder or in `srdf` beside it.
pub(super) fn srdf_beside(urdf: &Path) -> Option<PathBuf> {
    let folder = urdf.parent()?;
    let name = robot_name(urdf)?;
    FOLDERS.iter().find_map(|f| {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(f))
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "srdf"))
            .filter(|p| robot_name(p).as_deref() == Some(&name))
            .collect();
        files.sort();
        let same = files.iter().position(|p| p.file_stem() == urdf.file_stem());
        match (same, &files[..]) {
            (Some(i), _) => Some(files.swap_remove(i)),
            (None, [only]) => Some(only.clone()),
            _ => None,
        }
    })
}

/// The name that the root element of a URDF or SRDF states.
fn robot_name(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let root = text.split_once("<robot")?.1.split_once('>')?.0;
    let value = root.split_once("name")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| ['"', '\''].contains(c))?;
    Some(value[1..].split_once(quote)?.0.trim().to_owned())
}

/// Moves joints that start outside their limits to the middle of these; says which.
pub(super) fn into_limits(world: &World, state: &mut State) -> Option<String> {
    let mut moved = Vec::new();
    for joint in world.model.joints.iter().filter(|j| j.kind.is_scalar()) {
        let Some([low, high]) = joint.limit else { continue };
        let q = &mut state.q[joint.idx_q];
        if !(low..=high).contains(q) && low.is_finite() && high.is_finite() {
            *q = 0.5 * (low + high);
            moved.push(format!("{} at {:.3}", joint.name, *q));
        }
    }
    let told = moved.join(", ");
    (!moved.is_empty())
        .then(|| format!("zero is outside the limits of some joints, which start in the middle: {told}"))
}

/// Moves joints that couplings bind to others to where these ask for them, unless they are `stated` or their limits forbid it;
/// says which. Joints that follow joints that follow come after them, however they are ordered. Where loops hold, nothing moves.
pub(super) fn close_couplings(
    world: &World,
    state: &mut State,
    stated: impl Fn(&str) -> bool,
) -> Option<String> {
    let model = &world.model;
    let mut moved = BTreeMap::new();
    let rounds = if world.loops.is_empty() { world.couplings.len() } else { 0 };
    for _ in 0..rounds {
        let mut open = false;
        for coupling in &world.couplings {
            let Some(&(dof, c)) = coupling.terms.first().filter(|t| t.1 != 0.0) else { continue };
            let joint = &model.joints[model.dofs[dof].joint];
            let along = |terms: &[(usize, f64)]| -> f64 {
                terms.iter().map(|&(d, c)| c * state.q[model.joints[model.dofs[d].joint].idx_q]).sum()
            };
            let curve = coupling.curve.as_ref().map_or(0.0, |k| k.at(along(&k.terms) - k.reference).0);
            let wanted = (coupling.offset + curve - along(&coupling.terms[1..])) / c;
            let free = joint.limit.is_none_or(|[low, high]| (low..=high).contains(&wanted));
            let q = &mut state.q[joint.idx_q];
            if free && !stated(&joint.name) && (*q - wanted).abs() > CLOSED {
                *q = wanted;
                moved.insert(joint.idx_q, format!("{} at {wanted:.4}", joint.name));
                open = true;
            }
        }
        if !open {
            break;
        }
    }
    let told = moved.into_values().collect::<Vec<_>>().join(", ");
    (!told.is_empty()).then(|| format!("joints that follow others start where these ask for them: {told}"))
}
