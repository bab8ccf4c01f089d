//! <sensor>: what is measured on links and at joints.
//!
//! IMUs, force-torque sensors and contact sensors become sensors with a site, cameras become cameras; of others the kind is
//! kept. A camera of SDF looks along x, with z up:
//!
//! ```text
//!     X_LC = X_LS R,   R = (−y, z, −x)                                                                (1)
//! ```

use super::joint::{Kind, SdfJoint};
use super::link::{SdfLink, pose_in};
use super::pose::{number, pose, value};
use super::scope::Part;
use super::tree::{Forest, Hold};
use super::{Built, Reader};
use crate::error::LoadError;
use crate::xml::Element;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};
use stiction_world::Fate;
use stiction_world::World;
use stiction_world::{Camera, Sensor, Site};

/// R of (1).
const LOOK: Quat = Quat::new(0.5, 0.5, -0.5, -0.5);
/// Horizontal field of view where none is stated [rad].
const FIELD_OF_VIEW: f64 = 1.047;
/// Pixels where none are stated.
const PIXELS: [f64; 2] = [320.0, 240.0];
const CAMERAS: [&str; 5] = ["camera", "depth", "depth_camera", "rgbd_camera", "rgbd"];
const READ: &str = "a sensor, read on request";

/// Files the sensors of links.
pub(crate) fn of_links(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    parts: &[Part<'_>],
    links: &[SdfLink<'_>],
    built: &Built,
) -> Result<(), LoadError> {
    for ((part, link), &index) in parts.iter().zip(links).zip(&built.links) {
        for element in part.element.children_named("sensor") {
            let X_LS = pose_in(reader, part, link.X_WL, element)?;
            let (name, kind) = name_and_kind(&link.name, element)?;
            let place = (name.clone(), Some(index), X_LS);
            let mut sensor = sensor(name, kind);
            match kind {
                "imu" => site(world, &mut sensor, place),
                "contact" => touched(element, &link.name, &mut sensor)?,
                "force_torque" => {
                    sensor.obstacle = Some("it belongs to a link; expected a joint".to_owned());
                }
                kind if CAMERAS.contains(&kind) => {
                    world.extras.cameras.push(camera(element, place)?);
                    element.mark(Fate::Used, "a place to take pictures from");
                    continue;
                }
                _ => {}
            }
            file(world, element, sensor);
        }
    }
    Ok(())
}

/// Files the sensors of joints.
pub(crate) fn of_joints(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    parts: &[Part<'_>],
    (joints, forest): (&[SdfJoint<'_>], &Forest),
    X_WL: &[Pose],
    built: &Built,
) -> Result<(), LoadError> {
    for (i, (part, joint)) in parts.iter().zip(joints).enumerate() {
        let held = forest.steps.iter().find(|s| matches!(s.hold, Hold::Joint { joint, .. } if joint == i));
        let turned = matches!(held.map(|s| s.hold), Some(Hold::Joint { turned: true, .. }));
        for element in part.element.children_named("sensor") {
            let (name, kind) = name_and_kind(&joint.name, element)?;
            let mut sensor = sensor(name.clone(), kind);
            if kind == "force_torque" {
                let stated = element.child("force_torque")?;
                let word = |tag: &str, otherwise: &'static str| -> Result<String, LoadError> {
                    let stated = stated.map_or(Ok(None), |s| value(s, tag))?;
                    Ok(stated.map_or(otherwise, |a| a.value().trim()).to_owned())
                };
                let (frame, direction) =
                    (word("frame", "child")?, word("measure_direction", "child_to_parent")?);
                let X_WS = reader.places.frame(part.frame) * pose(element)?;
                let axes = match &*frame {
                    "child" => joint.ends[1],
                    "parent" if joint.kind == Kind::Fixed => joint.ends[0],
                    _ => None,
                };
                let at = |link: Option<usize>| link.and_then(|l| X_WL.get(l)).map_or(Pose::IDENTITY, |X| *X);
                let turn = match &*frame {
                    "sensor" => X_WS.rotation,
                    _ => at(axes).rotation,
                };
                let X_CS = at(joint.ends[1]).inverse() * Pose::new(turn, X_WS.translation);
                sensor.obstacle = if held.is_none() || turned {
                    Some(format!("the joint `{}` closes a loop or is turned round", joint.name))
                } else if frame == "parent" && joint.kind != Kind::Fixed {
                    Some(
                        "the axes of a parent whose child moves are not offered; state `child` or `sensor`"
                            .to_owned(),
                    )
                } else {
                    None
                };
                let child = joint.ends[1].and_then(|c| built.links.get(c)).copied();
                site(world, &mut sensor, (name, child, X_CS));
                sensor.of.push(("measure_direction".to_owned(), direction));
            }
            file(world, element, sensor);
        }
    }
    Ok(())
}

fn name_and_kind<'d>(on: &str, element: Element<'d>) -> Result<(String, &'d str), LoadError> {
    let name = element.require("name", "the name of the sensor")?.value().trim();
    let kind = element.get("type").map_or("none", |a| a.value().trim());
    Ok((format!("{on}::{name}"), kind))
}

fn sensor(name: String, kind: &str) -> Sensor {
    let (kind, of) = (kind.to_owned(), Vec::new());
    Sensor { name, kind, of, cutoff: 0.0, noise: 0.0, obstacle: None }
}

fn site(world: &mut World, sensor: &mut Sensor, (name, link, X_LS): (String, Option<usize>, Pose)) {
    sensor.of.push(("site".to_owned(), name.clone()));
    world.extras.sites.push(Site { name, link, X_LS, shape: "sphere".to_owned(), size: [0.005; 3] });
}

/// The collisions that a contact sensor feels.
fn touched(element: Element<'_>, link: &str, sensor: &mut Sensor) -> Result<(), LoadError> {
    let Some(contact) = element.child("contact")? else { return Ok(()) };
    for collision in contact.children_named("collision") {
        sensor.of.push(("collision".to_owned(), format!("{link}::{}", collision.text().trim())));
    }
    Ok(())
}

fn camera(
    element: Element<'_>,
    (name, link, X_LS): (String, Option<usize>, Pose),
) -> Result<Camera, LoadError> {
    let stated = element.child("camera")?;
    let horizontal = stated.map_or(Ok(FIELD_OF_VIEW), |c| number(c, "horizontal_fov", FIELD_OF_VIEW))?;
    let image = stated.map_or(Ok(None), |c| c.child("image"))?;
    let pixels = |tag: &str, otherwise: f64| image.map_or(Ok(otherwise), |i| number(i, tag, otherwise));
    let [width, height] = [pixels("width", PIXELS[0])?, pixels("height", PIXELS[1])?];
    let whole = |x: f64| (x >= 1.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0).then_some(x as u32);
    let resolution = whole(width).zip(whole(height)).map(|(w, h)| [w, h]);
    let obstacle = match resolution {
        Some(_) => None,
        None => Some(format!("its picture has {width} × {height} pixels")),
    };
    let field_of_view = 2.0 * ((0.5 * horizontal).tan() * height / width).atan();
    let X_LC = X_LS * Pose::new(LOOK, Vec3::ZERO);
    Ok(Camera { name, link, X_LC, field_of_view, resolution, obstacle })
}

fn file(world: &mut World, element: Element<'_>, sensor: Sensor) {
    let read = !sensor.of.is_empty() && sensor.obstacle.is_none();
    let (fate, note) = if read { (Fate::Used, READ) } else { (Fate::Unsupported, "this sensor is not read") };
    element.mark(fate, note);
    world.extras.sensors.push(sensor);
}
