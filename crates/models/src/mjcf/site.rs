//! <site>: named frames, which sensors, tendons and loops speak of.

use super::Reader;
use super::geom::along;
use super::orientation::pose;
use super::scope::Item;
use super::scope::Kind;
use crate::error::LoadError;
use stiction_dynamics::spatial::Pose;
use stiction_world::Fate;
use stiction_world::Site;

/// Files a site of the body `link`.
pub(crate) fn read<'d>(
    reader: &mut Reader<'d>,
    item: &Item<'d>,
    link: Option<usize>,
) -> Result<(), LoadError> {
    let name = reader.named(Kind::Site, item, reader.extras.sites.len())?;
    let scope = reader.scope(item.scope);
    let site = scope.defaults.styled(item.element, "site", item.class)?;
    let mut size = [0.005; 3];
    site.merge("size", &mut size)?;
    if let (true, Some(a)) = (size[0] <= 0.0, site.get("size")) {
        return Err(a.error("a number > 0 first"));
    }
    let X_FS: Pose = match site.get("fromto") {
        Some(fromto) => {
            let (pose, half) = along(fromto)?;
            size[1] = half;
            pose
        }
        None => pose(site.levels().collect::<Vec<_>>().into_iter(), &scope.compiler)?,
    };
    let shape = site.get("type").map_or_else(|| "sphere".to_owned(), |a| a.value().to_owned());
    item.element.mark(Fate::Used, "a frame for sensors, tendons and loops");
    reader.extras.sites.push(Site { name, link, X_LS: item.X * X_FS, shape, size });
    Ok(())
}
