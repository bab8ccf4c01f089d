//! Who is joined rigidly to whom.

use crate::collider::Collider;

/// Per collider, the number of its rigid group: that of its owner, of who that is `joined` to in pairs of owners, and of
/// all that is `fixed`, told per collider.
pub(crate) fn rigid_groups(
    colliders: &[Collider],
    fixed: &[bool],
    joined: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<u32> {
    let mut owners: Vec<usize> = colliders.iter().map(|c| c.owner).collect();
    owners.sort_unstable();
    owners.dedup();
    let place = |owner: usize| owners.binary_search(&owner).ok();
    // Every owner points to one of its group that comes no later, the first of them to itself.
    let mut first: Vec<usize> = (0..owners.len()).collect();
    let root = |first: &[usize], mut i: usize| {
        while first[i] != i {
            i = first[i];
        }
        i
    };
    let still = || colliders.iter().zip(fixed).filter(|(_, fixed)| **fixed).map(|(c, _)| c.owner);
    for (a, b) in joined.into_iter().chain(still().zip(still().skip(1))) {
        if let (Some(a), Some(b)) = (place(a), place(b)) {
            let (a, b) = (root(&first, a), root(&first, b));
            first[a.max(b)] = a.min(b);
        }
    }
    colliders.iter().map(|c| place(c.owner).map_or(0, |i| root(&first, i)) as u32).collect()
}
