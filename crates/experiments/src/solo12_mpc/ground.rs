//! The ground that the robot walks on.

use crate::ExperimentError;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use stiction::collision::{HeightField, Shape};
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;

/// Distance of neighbours in the grid, sides of the field, and depth of the solid below its lowest point [m].
const GRID: f64 = 0.02;
const SIDES: [f64; 2] = [10.0, 3.0];
const BASE: f64 = 0.1;

/// Height of the ground as a function of the place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) enum Ground {
    /// The plane z = 0.
    Flat,
    /// s (sin 30x/5 + cos 30y²/20 + sin 50xy/10), the rough terrain of ContactBench times the scale s, on a grid of 0.02 m.
    Bumpy { scale: f64 },
}

impl Ground {
    /// Height at (x, y) [m].
    pub(super) fn height(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Flat => 0.0,
            Self::Bumpy { scale } => {
                let (a, b, c) = ((30.0 * x).sin(), (30.0 * y * y).cos(), (50.0 * x * y).sin());
                scale * (a / 5.0 + b / 20.0 + c / 10.0)
            }
        }
    }

    /// The robot on this ground, all of whose surfaces have the coefficient `friction`.
    pub(super) fn world(self, friction: f64) -> Result<World, ExperimentError> {
        let text = include_str!("../../../scene/scenes/solo12.xml");
        let mut world: World =
            load_str(text, Path::new("solo12.xml"), Path::new(""), &LoadOptions::default())?;
        let field = match self {
            Self::Flat => None,
            Self::Bumpy { .. } => Some(Shape::HeightField(Arc::new(self.field()))),
        };
        for geometry in &mut world.geometries {
            geometry.material.friction = friction;
            if let (None, Some(field)) = (geometry.link, &field) {
                geometry.shape = field.clone();
            }
        }
        Ok(world)
    }

    /// The heights at the nodes of the grid.
    fn field(self) -> HeightField {
        let count = SIDES.map(|side| (side / GRID).round() as usize + 1);
        let [columns, rows] = count;
        let at = |k: usize, side: f64| GRID * k as f64 - 0.5 * side;
        let node = |k: usize| self.height(at(k % columns, SIDES[0]), at(k / columns, SIDES[1]));
        let heights = (0..rows * columns).map(node).collect();
        HeightField::new(rows, columns, SIDES, heights, BASE).expect("finite heights on a grid")
    }
}
