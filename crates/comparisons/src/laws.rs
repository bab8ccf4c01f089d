//! Solvers by their law, as figures of many of them show them.

use stiction::contact::Law;
use stiction::solvers::registry;
use stiction_plot::Figure;

/// A figure whose curves are called after solvers (what follows a colon in a label is about them): a colour for every family of laws, the default solver thick.
pub fn by_law(figure: Figure) -> Figure {
    let solver = |label: &str| label.split(": ").next().map_or("others", family).to_owned();
    figure.grouped(solver).highlighted(registry::all()[0].name)
}

/// The family of laws that the solver of this name solves.
fn family(solver: &str) -> &'static str {
    match registry::all().iter().find(|e| e.name == solver).map(|e| e.law) {
        Some(Law::Ncp) => "exact law",
        Some(Law::Ccp | Law::PolyhedralCcp { .. }) => "conic relaxation",
        Some(Law::Raisim | Law::Pyramid | Law::Facets { .. }) => "RaiSim's law, pyramids and polygons",
        Some(Law::Mujoco | Law::MujocoPyramidal | Law::Sap | Law::Lagged | Law::Similar) => "compliant laws",
        None => "others",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every solver has a family, and they fill two rows of two panels.
    #[test]
    fn every_solver_has_a_family() {
        let mut families: Vec<&str> = registry::all().iter().map(|e| family(e.name)).collect();
        assert!(!families.contains(&"others"));
        families.sort_unstable();
        families.dedup();
        assert_eq!(families.len(), 4);
    }
}
