//! Contact laws by name.

use crate::errors::wrong;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use stiction::contact::Law;
use stiction::solvers::registry;

/// The law called `name`.
pub(crate) fn law_named(name: &str) -> PyResult<Law> {
    let mut laws = registry::all().iter().map(|e| e.law);
    laws.find(|law| law.to_string() == name).ok_or_else(|| {
        let names: BTreeSet<String> = registry::all().iter().map(|e| e.law.to_string()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        wrong(format_args!("no contact law is called `{name}`; there are: {names}"))
    })
}
