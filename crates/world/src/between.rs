//! What two geometries are to each other, and whence their friction and restitution come: for those who look.

use crate::surface::{Dimension, Material, Mixing, PairSurface};
use crate::world::World;
use std::cmp::Ordering;

/// Whose word decides between two geometries.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A pair of the file with a rule of its own, by its name.
    Pair(String),
    /// The geometry with the higher priority.
    Priority(usize),
    /// Both.
    Mixed(Mixing),
}

/// The surface of two geometries.
#[derive(Clone, Debug)]
pub struct Between {
    /// With the smaller index first.
    pub geometries: [usize; 2],
    pub surface: PairSurface,
    pub source: Source,
}

impl World {
    /// The surface of the geometries `a` and `b`, wherever they are.
    pub fn between(&self, a: usize, b: usize) -> Between {
        let (a, b) = (a.min(b), a.max(b));
        let own = |p: &&crate::ContactPair| p.geometries == [a, b] || p.geometries == [b, a];
        if let Some(pair) = self.pairs.iter().rev().find(own) {
            let source = Source::Pair(pair.name.clone());
            return Between { geometries: [a, b], surface: pair.surface, source };
        }
        let [of_a, of_b] = [a, b].map(|g| &self.geometries[g].material);
        let source = match of_a.priority.cmp(&of_b.priority) {
            Ordering::Greater => Source::Priority(a),
            Ordering::Less => Source::Priority(b),
            Ordering::Equal => Source::Mixed(of_a.mixing.max(of_b.mixing)),
        };
        Between { geometries: [a, b], surface: Material::pair(of_a, of_b), source }
    }

    /// A geometry in words.
    pub fn geometry_in_words(&self, g: usize) -> String {
        let geometry = &self.geometries[g];
        match (geometry.name.as_str(), geometry.link) {
            ("", Some(link)) => format!("geometry {g} of `{}`", self.model.links[link].name),
            ("", None) => format!("geometry {g} of the world"),
            (name, _) => format!("`{name}`"),
        }
    }
}

impl Between {
    /// Whence the coefficient of friction comes.
    pub fn why_friction(&self, world: &World) -> String {
        let [a, b] = self.geometries.map(|g| world.geometries[g].material.friction);
        if self.surface.dimension == Dimension::Normal {
            return "contacts of the two have no friction, whatever the coefficients say".to_owned();
        }
        if let (Source::Mixed(_), Some(other)) = (&self.source, self.left_to(world)) {
            let [unsaid, says] = [1 - other, other].map(|k| world.geometry_in_words(self.geometries[k]));
            return format!("{says}, since {unsaid} says none");
        }
        self.why(world, [a, b], |mixing| match mixing {
            Mixing::Unsaid | Mixing::Larger => "the larger of",
            Mixing::Smaller => "the smaller of",
            Mixing::Harmonic => "2 a b / (a + b) of",
        })
    }

    /// Whence the coefficient of restitution comes.
    pub fn why_restitution(&self, world: &World) -> String {
        let own = self.geometries.map(|g| world.geometries[g].material.restitution);
        self.why(world, own, |_| "the larger of")
    }

    /// The one of the two that decides because the other leaves friction to it.
    fn left_to(&self, world: &World) -> Option<usize> {
        match self.geometries.map(|g| world.geometries[g].material.says_no_friction()) {
            [true, false] => Some(1),
            [false, true] => Some(0),
            _ => None,
        }
    }

    fn why(&self, world: &World, own: [f64; 2], rule: impl Fn(Mixing) -> &'static str) -> String {
        let [a, b] = self.geometries.map(|g| world.geometry_in_words(g));
        match &self.source {
            Source::Pair(name) if name.is_empty() => "a pair of the file with a rule of its own".to_owned(),
            Source::Pair(name) => format!("the pair `{name}` of the file, with a rule of its own"),
            Source::Priority(g) => format!("{}, whose priority is higher", world.geometry_in_words(*g)),
            Source::Mixed(mixing) => {
                format!("{} {} ({a}) and {} ({b})", rule(*mixing), own[0], own[1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;
    use crate::{ContactPair, Dimension, Geometry, Material, Mixing, PairSurface, World};
    use stiction_collision::Shape;
    use stiction_dynamics::ModelBuilder;
    use stiction_dynamics::spatial::{Pose, Vec3};

    fn world(materials: &[Material]) -> World {
        let mut world = World::new("two", ModelBuilder::new().build(Vec3::ZERO).unwrap());
        world.geometries = materials
            .iter()
            .enumerate()
            .map(|(i, material)| Geometry {
                name: ["floor", "foot", ""][i].to_owned(),
                link: None,
                X_LG: Pose::IDENTITY,
                shape: Shape::Sphere { radius: 0.1 },
                material: *material,
                group: 1,
                mask: 1,
                continuous: false,
                rgba: [1.0; 4],
            })
            .collect();
        world
    }

    fn of(friction: f64, restitution: f64) -> Material {
        Material { friction, restitution, ..Material::default() }
    }

    #[test]
    fn two_surfaces_say_whose_friction_counts() {
        let mut world = world(&[of(0.3, 0.5), of(0.9, 0.1), Material { priority: 2, ..of(0.2, 0.0) }]);
        let found = world.between(1, 0);
        assert_eq!(
            (found.geometries, found.surface.friction(), found.surface.restitution),
            ([0, 1], 0.9, 0.5)
        );
        assert_eq!(found.why_friction(&world), "the larger of 0.3 (`floor`) and 0.9 (`foot`)");
        assert_eq!(found.why_restitution(&world), "the larger of 0.5 (`floor`) and 0.1 (`foot`)");
        let found = world.between(0, 2);
        assert_eq!((found.source.clone(), found.surface.friction()), (Source::Priority(2), 0.2));
        assert_eq!(found.why_restitution(&world), "geometry 2 of the world, whose priority is higher");
        for (mixing, friction, words) in [
            (Mixing::Smaller, 0.3, "the smaller of 0.3 (`floor`) and 0.9 (`foot`)"),
            (Mixing::Harmonic, 0.45, "2 a b / (a + b) of 0.3 (`floor`) and 0.9 (`foot`)"),
        ] {
            world.geometries[1].material.mixing = mixing;
            let found = world.between(0, 1);
            assert!((found.surface.friction() - friction).abs() < 1e-15, "{mixing:?}");
            assert_eq!(found.why_friction(&world), words);
        }
    }

    /// A ground that says no friction leaves it to what stands on it, by any rule; one that says 0 is slippery.
    #[test]
    fn a_surface_that_says_no_friction_leaves_it_to_the_other() {
        for mixing in [Mixing::Unsaid, Mixing::Larger, Mixing::Smaller, Mixing::Harmonic] {
            let ground = Material { mixing: Mixing::Unsaid, ..of(0.0, 0.0) };
            let mut world = world(&[ground, Material { mixing, ..of(0.6, 0.0) }]);
            assert_eq!(world.between(0, 1).surface.friction(), 0.6, "{mixing:?}");
            if mixing != Mixing::Unsaid {
                assert_eq!(world.between(0, 1).why_friction(&world), "`foot`, since `floor` says none");
            }
            world.geometries[0].material.set_friction(0.2);
            let stated = world.between(0, 1).surface.friction();
            let expected = [0.6, 0.6, 0.3, 0.2][mixing as usize];
            assert!((stated - expected).abs() < 1e-15, "{mixing:?}: {stated}");
        }
        let slippery = world(&[of(0.0, 0.0), Material { mixing: Mixing::Smaller, ..of(0.6, 0.0) }]);
        assert_eq!(slippery.between(0, 1).surface.friction(), 0.0);
    }

    #[test]
    fn a_rule_of_the_file_comes_first() {
        let mut world = world(&[of(0.3, 0.5), of(0.9, 0.1)]);
        let surface = PairSurface { sliding: [0.7; 2], ..PairSurface::default() };
        world.pairs.push(ContactPair { name: "sole".to_owned(), geometries: [1, 0], surface });
        let found = world.between(0, 1);
        assert_eq!((found.surface.friction(), found.surface.restitution), (0.7, 0.0));
        assert_eq!(found.why_friction(&world), "the pair `sole` of the file, with a rule of its own");
        world.pairs[0].surface.dimension = Dimension::Normal;
        assert_eq!(world.between(0, 1).surface.friction(), 0.0);
        assert!(world.between(0, 1).why_friction(&world).contains("no friction"));
    }
}
