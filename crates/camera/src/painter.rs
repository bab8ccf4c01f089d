//! A scene, ready to be painted from anywhere.
//!
//! Light is the sum of what comes from everywhere, more from above, and of a sun; of a round surface it is found at the
//! corners of triangles, of a flat one once a face:
//!
//! ```text
//!     light = 0.52 + 0.14 n_z + 0.46 max(0, n·l)                                       (1)
//! ```
//!
//! The ground, the first plane of the scene, has no triangles: the point under every pixel that shows no surface is where
//! its ray meets the plane. Shadows on it are the triangles of the shapes, moved to it along the sun's rays.

use crate::look::{Lens, Look};
use crate::raster::{Corner, SKY, Screen};
use crate::solid::Solid;
use crate::vector::{M3, V3, add, apply, cross, dot, product, rotation, scale, single, sub, unit};
use stiction::recording::{RecordedGeometry, RecordedShape, Recording};

/// Towards the sun.
const SUN: V3 = [-0.30, -0.36, 0.885];
/// Surfaces nearer than this are cut off [m].
const NEAR: f32 = 0.01;
/// More transparent than this is not there.
const FAINTEST: f32 = 0.02;
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
const GROUND: [f32; 3] = [219.0, 224.0, 229.0];
/// Of the ground's light, from square to square.
const CONTRAST: f32 = 0.032;
/// Of the sky: at the top and at the bottom of the picture.
const SKY_COLOURS: [[f32; 3]; 2] = [[206.0, 218.0, 231.0], [240.0, 243.0, 246.0]];
/// Of the ground's light in a shadow.
const SHADOW: f32 = 0.68;
/// The squares of the ground fade into each other from here to there, in squares a pixel.
const FADE: f32 = 4.0;
/// Added to a number between −2²² and 2²² this leaves no bits for fractions: the last bits are the nearest integer.
const ROUND: f32 = 12_582_912.0;

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
    /// Whether shapes cast shadows on the ground.
    pub shadows: bool,
    screen: Screen,
    corners: Vec<Seen>,
    projected: Vec<Corner>,
    behind: Behind,
}

/// A row of what is behind all surfaces: ground and sky.
#[derive(Default)]
struct Behind {
    rgb: [Vec<u8>; 3],
    /// Positive where there is ground [1/m].
    inverse: Vec<f32>,
}

struct Part {
    solid: Solid,
    /// Number of the geometry.
    geometry: i32,
    body: Option<usize>,
    rotation: M3,
    position: V3,
}

struct Ground {
    geometry: i32,
    normal: V3,
    point: V3,
    /// Along the squares.
    u: V3,
    v: V3,
}

/// A vertex in axes of the camera [m], and its light.
#[derive(Clone, Copy)]
struct Seen {
    at: V3,
    light: f32,
}

impl Painter {
    /// Of a scene, whose frames are not looked at.
    #[must_use]
    pub fn new(scene: &Recording) -> Self {
        let seen = |g: &&RecordedGeometry| g.rgba[3] > FAINTEST;
        let numbered = || scene.geometries.iter().enumerate().filter(|(_, g)| seen(g));
        let parts = numbered().filter_map(|(i, g)| {
            let (rotation, position) = (rotation(g.quaternion), single(g.position));
            Some(Part { solid: Solid::of(&g.shape)?, geometry: i as i32, body: g.body, rotation, position })
        });
        let plane = numbered().find(|(_, g)| g.shape == RecordedShape::Plane && g.body.is_none());
        let ground = plane.map(|(i, g)| {
            let [x, y, z] = rotation(g.quaternion);
            let column = |k: usize| [x[k], y[k], z[k]];
            Ground {
                geometry: i as i32,
                normal: column(2),
                point: single(g.position),
                u: column(0),
                v: column(1),
            }
        });
        Self {
            parts: parts.collect(),
            ground,
            shadows: true,
            screen: Screen::new(0, 0),
            corners: Vec::new(),
            projected: Vec::new(),
            behind: Behind::default(),
        }
    }

    /// Paints the scene with its bodies at `poses` (position [m], quaternion w x y z) into `image`, which takes the size
    /// of the lens. Bodies whose pose is not a number are left out. Nothing is allocated when sizes stay.
    pub fn paint(
        &mut self,
        scene: &Recording,
        poses: &[([f64; 3], [f64; 4])],
        lens: &Lens,
        look: &Look,
        image: &mut Image,
    ) {
        let (width, height) = (lens.width, lens.height);
        if (self.screen.width, self.screen.height) != (width, height) {
            self.screen = Screen::new(width, height);
        }
        self.screen.clear();
        let camera = Camera::new(lens, look);
        for i in 0..self.parts.len() {
            self.draw(i, poses, &camera);
        }
        self.resolve(scene, &camera, image);
    }

    fn draw(&mut self, i: usize, poses: &[([f64; 3], [f64; 4])], camera: &Camera) {
        let part = &self.parts[i];
        let (R_WB, p_WB) = match part.body.map(|b| poses.get(b)) {
            None => (IDENTITY, [0.0; 3]),
            Some(Some((p, q))) if p.iter().chain(q).all(|x| x.is_finite()) => (rotation(*q), single(*p)),
            Some(_) => return,
        };
        let R_WG = product(&R_WB, &part.rotation);
        let p_WG = add(apply(&R_WB, part.position), p_WB);
        let R_CG = product(&camera.axes, &R_WG);
        let p_CG = apply(&camera.axes, sub(p_WG, camera.eye));
        let smooth = !part.solid.normals.is_empty();
        self.corners.clear();
        self.corners.extend(part.solid.vertices.iter().enumerate().map(|(k, &v)| {
            let light = if smooth { light(apply(&R_WG, part.solid.normals[k])) } else { 0.0 };
            Seen { at: add(apply(&R_CG, v), p_CG), light }
        }));
        // Where all of it is before the eye, every vertex is taken to the screen once.
        self.projected.clear();
        let whole = self.corners.iter().all(|s| s.at[2] >= NEAR);
        if whole {
            self.projected.extend(self.corners.iter().map(|s| camera.project(s)));
        }
        for triangle in &part.solid.triangles {
            if whole && !faces_us(&triangle.map(|k| self.projected[k as usize])) {
                continue;
            }
            let mut seen = triangle.map(|k| self.corners[k as usize]);
            if !smooth || !whole {
                let [a, b, c] = seen.map(|s| s.at);
                let face = cross(sub(b, a), sub(c, a));
                if dot(face, a) >= 0.0 {
                    continue;
                }
                if !smooth {
                    let n = unit(face);
                    let world = std::array::from_fn(|k| (0..3).map(|j| camera.axes[j][k] * n[j]).sum());
                    let flat = light(world);
                    seen.iter_mut().for_each(|s| s.light = flat);
                }
            }
            if whole {
                let light = seen.map(|s| s.light);
                let mut corners = triangle.map(|k| self.projected[k as usize]);
                corners.iter_mut().zip(light).for_each(|(corner, light)| corner.light = light);
                self.screen.draw(&corners, part.geometry);
            } else {
                camera.clipped(&seen, |corners| self.screen.draw(corners, part.geometry));
            }
        }
        if let Some(ground) = self.ground.as_ref().filter(|_| self.shadows) {
            // Where the sun's ray through a vertex meets the ground, in axes of the camera.
            let sun = apply(&camera.axes, SUN);
            let (normal, point) =
                (apply(&camera.axes, ground.normal), apply(&camera.axes, sub(ground.point, camera.eye)));
            let slope = dot(normal, sun);
            if slope <= 0.1 {
                return;
            }
            for seen in &mut self.corners {
                let height = dot(normal, sub(seen.at, point)).max(0.0);
                seen.at = sub(seen.at, scale(sun, height / slope));
            }
            for triangle in &part.solid.triangles {
                let seen = triangle.map(|k| self.corners[k as usize]);
                // Half of the triangles, those towards the sun, cast the whole shadow.
                let [a, b, c] = seen.map(|s| s.at);
                if dot(cross(sub(b, a), sub(c, a)), normal) > 0.0 {
                    camera.clipped(&seen, |corners| self.screen.darken(corners));
                }
            }
        }
    }

    /// Colours, depth and numbers of what was kept.
    fn resolve(&mut self, scene: &Recording, camera: &Camera, image: &mut Image) {
        let Screen { width, height, .. } = self.screen;
        (image.width, image.height) = (width, height);
        image.rgb.resize(3 * width * height, 0);
        image.depth.resize(width * height, 0.0);
        image.segmentation.resize(width * height, SKY);
        let colours: Vec<[f32; 3]> = scene.geometries.iter().map(colour).collect();
        let ground_name = self.ground.as_ref().map_or(SKY, |g| g.geometry);
        for y in 0..height {
            let row = y * width..(y + 1) * width;
            self.behind.fill(self.ground.as_ref(), camera, y, height, &self.screen.shade[row.clone()]);
            let (rgb, depth) = (&mut image.rgb[3 * row.start..3 * row.end], &mut image.depth[row.clone()]);
            let names = &mut image.segmentation[row.clone()];
            self.behind.copy_to(ground_name, rgb, depth, names);
            let kept = self.screen.surface[row.clone()].iter().zip(&self.screen.inverse[row.clone()]);
            for (x, (&surface, &inverse)) in kept.enumerate().filter(|(_, (surface, _))| **surface != SKY) {
                if inverse >= self.behind.inverse[x] {
                    (depth[x], names[x]) = (1.0 / inverse, surface);
                    let (colour, shade) = (colours[surface as usize], self.screen.light[row.start + x]);
                    let pixel = rgb[3 * x..3 * x + 3].iter_mut();
                    pixel.zip(colour).for_each(|(byte, c)| *byte = (c * shade) as u8);
                }
            }
        }
    }
}

/// Whether a triangle on the screen, whose y points down, is counter-clockwise as one sees it.
fn faces_us([a, b, c]: &[Corner; 3]) -> bool {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0.0
}

const IDENTITY: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// (1)
fn light(n: V3) -> f32 {
    0.52 + 0.14 * n[2] + 0.46 * dot(n, SUN).max(0.0)
}

fn mix([a, b]: [[f32; 3]; 2], share: f32) -> [f32; 3] {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share)
}

fn colour(geometry: &RecordedGeometry) -> [f32; 3] {
    let nobodys = geometry.rgba.iter().zip(RecordedGeometry::UNCOLOURED).all(|(a, b)| (a - b).abs() < 1e-3);
    match geometry.body {
        None if nobodys => FIXED.map(f32::from),
        Some(body) if nobodys => BODIES[body % BODIES.len()].map(f32::from),
        _ => std::array::from_fn(|k| 255.0 * geometry.rgba[k]),
    }
}

/// Lens and look in single precision.
struct Camera {
    eye: V3,
    axes: M3,
    focal: f32,
    /// The middle of the screen [pixels].
    middle: [f32; 2],
}

impl Camera {
    fn new(lens: &Lens, look: &Look) -> Self {
        let middle = [0.5 * lens.width as f32, 0.5 * lens.height as f32];
        Self { eye: single(look.eye), axes: look.axes.map(single), focal: lens.focal(), middle }
    }

    fn project(&self, seen: &Seen) -> Corner {
        let inverse = 1.0 / seen.at[2];
        Corner {
            x: self.middle[0] + self.focal * seen.at[0] * inverse,
            y: self.middle[1] + self.focal * seen.at[1] * inverse,
            inverse,
            light: seen.light,
        }
    }

    /// The part of a triangle beyond [`NEAR`], as triangles on the screen.
    fn clipped(&self, seen: &[Seen; 3], mut draw: impl FnMut(&[Corner; 3])) {
        let inside = seen.iter().filter(|s| s.at[2] >= NEAR).count();
        if inside == 3 {
            return draw(&seen.each_ref().map(|s| self.project(s)));
        }
        if inside == 0 {
            return;
        }
        let mut kept = [seen[0]; 4];
        let mut count = 0;
        for i in 0..3 {
            let (a, b) = (seen[i], seen[(i + 1) % 3]);
            if a.at[2] >= NEAR {
                (kept[count], count) = (a, count + 1);
            }
            if (a.at[2] >= NEAR) != (b.at[2] >= NEAR) {
                let share = (NEAR - a.at[2]) / (b.at[2] - a.at[2]);
                let between = Seen {
                    at: add(a.at, scale(sub(b.at, a.at), share)),
                    light: a.light + (b.light - a.light) * share,
                };
                (kept[count], count) = (between, count + 1);
            }
        }
        for i in 2..count {
            draw(&[kept[0], kept[i - 1], kept[i]].each_ref().map(|s| self.project(s)));
        }
    }
}

impl Behind {
    /// The row as colours, depths and names. (One after the other, each loop does several pixels at a time.)
    fn copy_to(&self, ground: i32, rgb: &mut [u8], depth: &mut [f32], names: &mut [i32]) {
        let [red, green, blue] = &self.rgb;
        for (((pixel, r), g), b) in rgb.chunks_exact_mut(3).zip(red).zip(green).zip(blue) {
            pixel.copy_from_slice(&[*r, *g, *b]);
        }
        for (depth, below) in depth.iter_mut().zip(&self.inverse) {
            *depth = if *below > 0.0 { 1.0 / below } else { f32::INFINITY };
        }
        for (name, below) in names.iter_mut().zip(&self.inverse) {
            *name = if *below > 0.0 { ground } else { SKY };
        }
    }

    /// Row y of the picture. Along it the ray through pixel x is r = r₀ + x r₁; it meets the ground at
    /// 1/z = n·r / n·(p − eye), and the point there is eye + z r. Squares of half a metre fade with distance into the
    /// sky. (Plain loops over plain arrays: the compiler does several pixels at a time.)
    fn fill(&mut self, ground: Option<&Ground>, camera: &Camera, y: usize, height: usize, shade: &[bool]) {
        let (width, sky) = (shade.len(), mix(SKY_COLOURS, y as f32 / height as f32));
        self.inverse.clear();
        self.inverse.resize(width, 0.0);
        for (row, value) in self.rgb.iter_mut().zip(sky) {
            row.clear();
            row.resize(width, value as u8);
        }
        let Some(ground) = ground else { return };
        let away = dot(ground.normal, sub(ground.point, camera.eye));
        if away >= 0.0 {
            return; // seen from below it is not there
        }
        let [right, down, ahead] = camera.axes;
        let pixel = 1.0 / camera.focal;
        let (dx, dy) = ((0.5 - camera.middle[0]) * pixel, (y as f32 + 0.5 - camera.middle[1]) * pixel);
        let (first, step) = (add(ahead, add(scale(right, dx), scale(down, dy))), scale(right, pixel));
        let (start, slope) = (dot(ground.normal, first) / away, dot(ground.normal, step) / away);
        self.inverse.iter_mut().enumerate().for_each(|(x, i)| *i = start + slope * x as f32);
        if start.max(start + slope * width as f32) <= 0.0 {
            return;
        }
        let from = sub(camera.eye, ground.point);
        let along =
            |axis: V3| [dot(axis, from).rem_euclid(1.0), dot(axis, first), dot(axis, step)].map(|c| 2.0 * c);
        let ([u, du, ddu], [v, dv, ddv]) = (along(ground.u), along(ground.v));
        let [red, green, blue] = &mut self.rgb;
        let pixels = red.iter_mut().zip(green).zip(blue).zip(&self.inverse).zip(shade);
        for (x, ((((r, g), b), &inverse), &shaded)) in pixels.enumerate() {
            let (x, z) = (x as f32, 1.0 / inverse.max(1e-4));
            // Halves are taken off so that the nearest integer is the one below.
            let square = |c: f32, dc: f32, ddc: f32| (c + (dc + ddc * x) * z - 0.5 + ROUND).to_bits();
            let odd = ((square(u, du, ddu) ^ square(v, dv, ddv)) & 1) as f32;
            // Where squares are as small as pixels, their mean.
            let sharp = CONTRAST * (1.0 - FADE * z * pixel).max(0.0);
            let lit = (1.0 + sharp * (2.0 * odd - 1.0)) * if shaded { SHADOW } else { 1.0 };
            // All sky beyond 55 m, and above the horizon.
            let far = if inverse > 0.0 { (0.018 * z).min(1.0) } else { 1.0 };
            let paint = |k: usize| (GROUND[k] * lit * (1.0 - far) + sky[k] * far + ROUND).to_bits() as u8;
            (*r, *g, *b) = (paint(0), paint(1), paint(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::Mechanism;

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
        Painter::new(scene).paint(scene, &[(body, [1.0, 0.0, 0.0, 0.0])], &LENS, look, &mut image);
        image
    }

    /// Depth along the axis of a ball, of a box and of the ground, at the middle of the picture.
    #[test]
    fn depth_is_the_distance_along_the_axis() {
        let ball = scene(vec![geometry(Some(0), RecordedShape::Sphere { radius: 0.5 })]);
        let middle = |image: &Image| (image.depth[60 * 160 + 80], image.segmentation[60 * 160 + 80]);
        let (depth, name) =
            middle(&painted(&ball, [3.0, 0.0, 1.0], &Look::at([0.0, 0.0, 1.0], [3.0, 0.0, 1.0])));
        assert!((depth - 2.5).abs() < 0.02 && name == 0, "{depth} {name}");

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
        painter.paint(&world, &[([0.0, 0.0, 0.2], [1.0, 0.0, 0.0, 0.0])], &LENS, &look, &mut bright);
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
            assert!(!body[0].is_nan() || image.segmentation.iter().all(|&s| s == SKY));
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
