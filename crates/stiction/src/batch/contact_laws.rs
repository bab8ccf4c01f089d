//! Laws of contacts in lanes, gathered from [`stiction_assembly::laws`].

use super::numbers::Surface;
use super::slips::Slipping;
use super::slot::{Known, Slot};
use stiction_assembly::RowParams;
use stiction_assembly::laws::lasting::Lasting;
use stiction_dynamics::Real;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Biases of a contact by its law, and facts of it.
pub(super) struct ContactLaw<T> {
    /// Added to J v_f, along (t₁, t₂, n).
    pub(super) bias: Vec3<T>,
    pub(super) compliance: T,
    pub(super) correction: T,
    pub(super) lands: T,
    /// Share of [`stiction_assembly::laws::lasting::Lasts`].
    pub(super) turned: T,
    pub(super) slipping: Slipping<T>,
}

impl<T: Real> ContactLaw<T> {
    #[inline(always)]
    pub(super) fn none(zero: T) -> Self {
        Self {
            bias: Vec3::zero(zero),
            compliance: zero,
            correction: zero,
            lands: zero,
            turned: zero,
            slipping: Slipping { slip: [zero; 2], slid: zero, slides: zero },
        }
    }
}

/// A rigid contact of a step that is posed in its middle, as in [`stiction_assembly::rolling`]; `before` is J v⁻; 1 in the lanes
/// in which slip is known to have `ended`.
#[inline(always)]
pub(super) fn lasting<T: Real>(
    params: &RowParams<T>,
    surface: &Surface<T>,
    (known, may_land): (&Known<T>, T),
    (slot, ended): (&Slot<T>, T),
    before: Vec3<T>,
) -> ContactLaw<T> {
    let ([t1, t2, n], zero, lasts) = (slot.frame, slot.gap.zero(), known.lasts());
    let last = known.velocity;
    let last = vec3(t1.dot(last), t2.dot(last), n.dot(last));
    let contact = Lasting { before, last, since: known.since };
    let going = params.lasting_contact(slot.gap, slot.face, contact);
    let [slid, slides] = params.slides(surface.friction, &going);
    let slides = T::both(lasts, T::both(slides, T::not(ended.mask())));
    let new = params.new_contact(slot.gap, slot.face, before.z);
    let normal = T::select(lasts, going.turn.z + going.gap, new.gap);
    let tangential = |before: T, turn: T| T::select(slides, before, T::select(lasts, turn, zero));
    let ends = T::select(zero.less(surface.restitution), zero.one(), may_land);
    ContactLaw {
        bias: vec3(tangential(before.x, going.turn.x), tangential(before.y, going.turn.y), normal),
        correction: T::select(lasts, going.correction, new.correction),
        lands: T::select(T::both(T::not(lasts), params.lands(before.z, slot.gap)), ends, zero),
        turned: T::select(lasts, going.share, zero),
        slipping: Slipping {
            slip: [before.x, before.y],
            slid: ended.max(zero.truth(T::both(lasts, slid))),
            slides: zero.truth(slides),
        },
        ..ContactLaw::none(zero)
    }
}
