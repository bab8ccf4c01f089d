//! A subtree by itself, and a model without it.

use super::parts::{below, put_together, retain, take_apart};
use super::{Base, EditError, Edited, check_link};
use crate::model::Model;

/// The tree of `link` and all below it; the joints that carry `link` give way to `base`.
pub fn extract(model: &Model, link: usize, base: Base) -> Result<Edited, EditError> {
    check_link(model, link)?;
    let mut parts = take_apart(model);
    parts[link].put_on(base);
    put_together(model, retain(parts, &below(model, link)), model.gravity)
}

/// The model without `link`, what is below it, and the joints of both.
pub fn remove(model: &Model, link: usize) -> Result<Edited, EditError> {
    check_link(model, link)?;
    let keep: Vec<bool> = below(model, link).iter().map(|below| !below).collect();
    put_together(model, retain(take_apart(model), &keep), model.gravity)
}
