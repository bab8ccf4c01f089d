//! <camera>: places that pictures are taken from.

use super::Reader;
use super::orientation::pose;
use super::scope::Item;
use super::scope::Kind;
use crate::error::LoadError;
use stiction_world::Camera;
use stiction_world::Fate;

/// MuJoCo's field of view where none is stated [degrees].
const FIELD_OF_VIEW: f64 = 45.0;

/// Files a camera of the body `link`.
pub(crate) fn read<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    link: Option<usize>,
) -> Result<(), LoadError> {
    let name = reader.named(Kind::Camera, item, reader.extras.cameras.len())?;
    let scope = reader.scope(item.scope);
    let camera = scope.defaults.styled(item.element, "camera", item.class)?;
    let X_FC = pose(camera.levels().collect::<Vec<_>>().into_iter(), &scope.compiler)?;
    // In degrees, whatever the compiler says of angles.
    let degrees = camera.get("fovy").map_or(Ok(FIELD_OF_VIEW), |a| a.number())?;
    let resolution = match camera.get("resolution") {
        None => None,
        Some(a) => {
            let [width, height] = a.array::<2>()?;
            let pixels =
                |x: f64| (x >= 1.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0).then_some(x as u32);
            let both = pixels(width).zip(pixels(height));
            let (width, height) = both.ok_or_else(|| a.error("two whole numbers of pixels"))?;
            // What it says where nothing was meant.
            (width > 1 && height > 1).then_some([width, height])
        }
    };
    let mode = camera.get("mode").map_or("fixed", |a| a.value());
    let lens = ["sensorsize", "orthographic", "projection"]
        .into_iter()
        .find(|a| camera.levels().any(|e| e.peek(a).is_some()));
    let obstacle = match (mode, lens) {
        ("fixed", None) => None,
        ("fixed", Some(lens)) => Some(format!("cameras with `{lens}` are not offered")),
        (mode, _) => Some(format!("cameras that turn by themselves (mode `{mode}`) are not offered")),
    };
    item.element.mark(Fate::Used, "a place to take pictures from");
    reader.extras.cameras.push(Camera {
        name,
        link,
        X_LC: item.X * X_FC,
        field_of_view: degrees.to_radians(),
        resolution,
        obstacle,
    });
    Ok(())
}
