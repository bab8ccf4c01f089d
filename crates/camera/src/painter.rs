//! A scene, ready to be painted from anywhere.
//!
//! The ground, the first plane of the scene, has no triangles: the point under every pixel that shows no surface is where
//! its ray meets the plane. Shadows on it are the triangles of the shapes, moved to it along the sun's rays.

use crate::canvas::Canvas;
use crate::eye::{Eye, NEAR};
use crate::ground::{Behind, Ground};
use crate::look::{Lens, Look};
use crate::part::Part;
use crate::round::Round;
use crate::vector::{M3, V3, add, apply, product, rotation, single, sub};
use crate::wide::wide;
use stiction::recording::{RecordedGeometry, Recording};

/// Colours of bodies nobody coloured, as in the page of the viewer.
const BODIES: [[u8; 3]; 8] = [
    [194, 203, 212],
    [216, 204, 182],
    [168, 184, 201],
    [185, 200, 191],
    [207, 194, 189],
    [152, 165, 179],
    [203, 203, 187],
    [181, 182, 200],
];
const FIXED: [u8; 3] = [195, 201, 208];
/// In a segmentation, where nothing is.
const NOTHING: i32 = -1;
const IDENTITY: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A picture. Rows from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    pub width: usize,
    pub height: usize,
    /// Red, green, blue of every pixel.
    pub rgb: Vec<u8>,
    /// Distance along the axis of the camera [m]; infinite where nothing is.
    pub depth: Vec<f32>,
    /// Number of the geometry; −1 where nothing is.
    pub segmentation: Vec<i32>,
}

/// See the module.
pub struct Painter {
    parts: Vec<Part>,
    ground: Option<Ground>,
    /// One per geometry.
    colours: Vec<[f32; 3]>,
    /// Round shapes, one per geometry, and where they are in axes of the camera.
    round: Vec<Option<Round>>,
    placed: Vec<(M3, V3)>,
    /// Whether shapes cast shadows on the ground.
    pub shadows: bool,
    canvas: Canvas,
    behind: Behind,
}

impl Painter {
    /// Of a scene, whose frames are not looked at; of more than a million geometries, the first million.
    #[must_use]
    pub fn new(scene: &Recording) -> Self {
        Self {
            parts: Part::all(scene),
            ground: Ground::of(scene),
            colours: scene.geometries.iter().map(colour).collect(),
            round: scene.geometries.iter().map(|g| Round::of(&g.shape)).collect(),
            placed: vec![(IDENTITY, [0.0; 3]); scene.geometries.len()],
            shadows: true,
            canvas: Canvas::new(0, 0),
            behind: Behind::default(),
        }
    }

    /// Paints the scene with its bodies at `poses` (position [m], quaternion w x y z) into `image`, which takes the size
    /// of the lens. Bodies whose pose is not a number are left out. Nothing is allocated when sizes stay.
    pub fn paint(&mut self, poses: &[([f64; 3], [f64; 4])], lens: &Lens, look: &Look, image: &mut Image) {
        let (width, height) = (lens.width, lens.height);
        if (self.canvas.screen.width, self.canvas.screen.height) != (width, height) {
            self.canvas = Canvas::new(width, height);
        }
        (image.width, image.height) = (width, height);
        image.rgb.resize(3 * width * height, 0);
        image.depth.resize(width * height, 0.0);
        image.segmentation.resize(width * height, NOTHING);
        let eye = Eye::new(lens, look);
        wide(
            #[inline(always)]
            || {
                self.canvas.screen.clear();
                for i in 0..self.parts.len() {
                    self.draw(i, poses, &eye);
                }
                self.resolve(&eye, image);
            },
        );
    }

    /// Draws part i and its shadow.
    #[inline(always)]
    fn draw(&mut self, i: usize, poses: &[([f64; 3], [f64; 4])], eye: &Eye) {
        let (part, canvas) = (&self.parts[i], &mut self.canvas);
        let (R_WB, p_WB) = match part.body.map(|b| poses.get(b)) {
            None => (IDENTITY, [0.0; 3]),
            Some(Some((p, q))) if p.iter().chain(q).all(|x| x.is_finite()) => (rotation(*q), single(*p)),
            Some(_) => return,
        };
        let R_WG = product(&R_WB, &part.rotation);
        let p_WG = add(apply(&R_WB, part.position), p_WB);
        let R_CG = product(&eye.axes, &R_WG);
        let p_CG = apply(&eye.axes, sub(p_WG, eye.at));
        let ground = self.ground.as_ref().filter(|g| self.shadows && g.height(eye.at) > 0.0);
        let seen = eye.may_see(p_CG, part.reach);
        if !seen && ground.is_none() {
            return;
        }
        let level = part.level(eye.focal / (p_CG[2] - part.reach).max(NEAR));
        canvas.place(level, &R_CG, p_CG);
        self.placed[part.geometry as usize] = (R_CG, p_CG);
        if seen {
            canvas.draw(level, &R_WG, part.geometry, eye);
        }
        if let Some(ground) = ground {
            canvas.shadow(level, ground, eye);
        }
    }

    /// Colours, depth and numbers of what was kept.
    #[inline(always)]
    fn resolve(&mut self, eye: &Eye, image: &mut Image) {
        let (screen, behind) = (&self.canvas.screen, &mut self.behind);
        let ground = self.ground.as_ref().map_or(NOTHING, |g| g.geometry);
        for y in 0..screen.height {
            let row = y * screen.width..(y + 1) * screen.width;
            behind.fill(self.ground.as_ref(), eye, y, screen.height, screen.shade(y));
            let (rgb, depth) = (&mut image.rgb[3 * row.start..3 * row.end], &mut image.depth[row.clone()]);
            let names = &mut image.segmentation[row];
            behind.copy_to(ground, NOTHING, rgb, depth, names);
            for kept in screen.kept(y).filter(|kept| kept.inverse >= behind.inverse[kept.x]) {
                let (x, [r, g, b]) = (kept.x, self.colours[kept.surface]);
                let (R_CG, p_CG) = &self.placed[kept.surface];
                let exact = self.round[kept.surface].and_then(|round| {
                    let across = |pixel: usize, middle: f32| {
                        (pixel as f64 + 0.5 - f64::from(middle)) / f64::from(eye.focal)
                    };
                    round.depth(R_CG, *p_CG, [across(x, eye.middle[0]), across(y, eye.middle[1]), 1.0])
                });
                (depth[x], names[x]) = (exact.unwrap_or(1.0 / kept.inverse), kept.surface as i32);
                rgb[3 * x] = (r * kept.light) as u8;
                rgb[3 * x + 1] = (g * kept.light) as u8;
                rgb[3 * x + 2] = (b * kept.light) as u8;
            }
        }
    }
}

fn colour(geometry: &RecordedGeometry) -> [f32; 3] {
    let nobodys = geometry.rgba.iter().zip(RecordedGeometry::UNCOLOURED).all(|(a, b)| (a - b).abs() < 1e-3);
    match geometry.body {
        None if nobodys => FIXED.map(f32::from),
        Some(body) if nobodys => BODIES[body % BODIES.len()].map(f32::from),
        _ => std::array::from_fn(|k| 255.0 * geometry.rgba[k]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::{Mechanism, RecordedShape};

    fn geometry(body: Option<usize>, shape: RecordedShape) -> RecordedGeometry {
        let (position, quaternion) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        RecordedGeometry { name: "g".into(), body, shape, position, quaternion, rgba: [0.8, 0.2, 0.1, 1.0] }
    }

    fn scene(geometries: Vec<RecordedGeometry>) -> Recording {
        Recording {
            name: "scene".into(),
            contact_model: "none".into(),
            dt: 1e-3,
            tolerance: 1e-8,
            notes: Vec::new(),
            bodies: vec!["body".into()],
            geometries,
            mechanism: Mechanism::default(),
            runs: vec![],
            frames: vec![],
        }
    }

    const LENS: Lens = Lens { width: 160, height: 120, field_of_view: 1.0 };

    fn painted(scene: &Recording, body: [f64; 3], look: &Look) -> Image {
        let mut image = Image::default();
        Painter::new(scene).paint(&[(body, [1.0, 0.0, 0.0, 0.0])], &LENS, look, &mut image);
        image
    }

    /// Depth along the axis of a ball, of a box and of the ground, at the middle of the picture.
    #[test]
    fn depth_is_the_distance_along_the_axis() {
        let ball = scene(vec![geometry(Some(0), RecordedShape::Sphere { radius: 0.5 })]);
        let middle = |image: &Image| (image.depth[60 * 160 + 80], image.segmentation[60 * 160 + 80]);
        let (depth, name) =
            middle(&painted(&ball, [3.0, 0.0, 1.0], &Look::at([0.0, 0.0, 1.0], [3.0, 0.0, 1.0])));
        assert!((depth - 2.5).abs() < 5e-4 && name == 0, "{depth} {name}");

        let block = scene(vec![geometry(Some(0), RecordedShape::Box { half: [0.5; 3] })]);
        let image = painted(&block, [3.0, 0.0, 1.0], &Look::at([0.0, 0.0, 1.0], [3.0, 0.0, 1.0]));
        assert!((middle(&image).0 - 2.5).abs() < 1e-5);
        // A flat face across the axis is equally deep everywhere on it: 1 m of 2.5 m · 2 tan ½ rad.
        let face: Vec<f32> = image.depth.iter().copied().filter(|d| d.is_finite()).collect();
        let side = 120.0 / (2.5 * 2.0 * 0.5_f64.tan());
        assert!((face.len() as f64 - side * side).abs() < 3.0 * side, "{} {side}", face.len());
        assert!(face.iter().all(|d| (d - 2.5).abs() < 1e-5));

        let ground = scene(vec![geometry(None, RecordedShape::Plane)]);
        let (depth, name) = middle(&painted(&ground, [0.0; 3], &Look::at([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])));
        assert!((depth - 2.0_f32.sqrt()).abs() < 0.02 && name == 0, "{depth}");
    }

    #[test]
    fn nearer_things_hide_others_and_cast_shadows() {
        let world = scene(vec![
            geometry(None, RecordedShape::Plane),
            geometry(Some(0), RecordedShape::Box { half: [0.2; 3] }),
        ]);
        let look = Look::at([2.0, 2.0, 1.5], [0.0, 0.0, 0.2]);
        let image = painted(&world, [0.0, 0.0, 0.2], &look);
        let count = |name: i32| image.segmentation.iter().filter(|&&s| s == name).count();
        // A cube of 0.4 m seen across a corner from 3.1 m: 0.16 m² · 1.6 · (110 pixels / 3.1)².
        assert!(count(0) > 8000 && (280..380).contains(&count(1)), "{} {}", count(0), count(1));
        let mut painter = Painter::new(&world);
        painter.shadows = false;
        let mut bright = Image::default();
        painter.paint(&[([0.0, 0.0, 0.2], [1.0, 0.0, 0.0, 0.0])], &LENS, &look, &mut bright);
        assert_eq!(bright.segmentation, image.segmentation);
        let darker = image.rgb.iter().zip(&bright.rgb).filter(|(a, b)| a < b).count();
        // Two strips of the ground, 0.4 m by 0.15 m, foreshortened: some eighty pixels of three bytes.
        assert!((180..400).contains(&darker), "{darker}");
    }

    /// Inside a box the walls are cut at the eye, not turned inside out; a pose that is no number draws nothing.
    #[test]
    fn nothing_breaks_at_the_eye_or_without_numbers() {
        let block = scene(vec![geometry(Some(0), RecordedShape::Box { half: [1.0; 3] })]);
        let look = Look::at([1.5, 0.2, 0.1], [0.0, 0.0, 0.0]);
        for body in [[1.0, 0.0, 0.0], [1.49, 0.0, 0.0], [0.6, 0.3, 0.0], [f64::NAN, 0.0, 0.0]] {
            let image = painted(&block, body, &look);
            assert!(image.depth.iter().all(|&d| d >= NEAR * 0.999), "{body:?}");
            assert!(!body[0].is_nan() || image.segmentation.iter().all(|&s| s == NOTHING));
        }
    }

    #[test]
    fn the_same_scene_gives_the_same_bits() {
        let world = scene(vec![
            geometry(None, RecordedShape::Plane),
            geometry(Some(0), RecordedShape::Capsule { radius: 0.1, half_length: 0.3 }),
        ]);
        let look = Look::at([1.0, 1.0, 1.0], [0.0, 0.0, 0.3]);
        assert_eq!(painted(&world, [0.0, 0.0, 0.4], &look), painted(&world, [0.0, 0.0, 0.4], &look));
    }
}
