//! One file per kind of pair, all built alike: `name(a, X_WA, b, X_WB, margin, out)`.

#[cfg(test)]
pub(crate) mod testing;
