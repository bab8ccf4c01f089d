//! Gazebo's plugins: none is run but those that a reader takes for what they say. Those that only look at a world are
//! without effect on it; any other may drive, hold or buoy something, and is told as not simulated.

use crate::words::shortened;
use crate::xml::{Document, Element};
use stiction_world::{Fate, Place};

/// Words in the names of plugins that measure, publish, record or show.
const LOOKS: &str = "imu sensor sensors camera cameras multicamera laser lidar ray rays gps navsat altimeter magnetometer \
    bumper publisher broadcaster recorder record playback p3d init factory gui marker label kinect depth sonar thermal \
    segmentation logical video monitor viewer scene detector state ground truth joint_state physics commands contact \
    performance gazebo_ros_ft touch odometry pose";
/// Words in the names of plugins that move something whatever else they do.
const ACTS: &str = "drive controller controllers control velocity thruster buoyancy hydrodynamics lift drag wind mimic \
    actuator motor hold attach attacher detach detachable gripper grasp vacuum conveyor spring planar move mover animate \
    trajectory wheel follower apply force wrench spawner teleport elevator";
const NOT_RUN: &str = "plugins are not run: what this one may drive, hold or buoy is left alone";
const IDLE: &str = "plugins are not run; this one only looks, by its name";
/// Elements whose plugins draw or measure.
const OBSERVERS: [&str; 5] = ["sensor", "visual", "gui", "scene", "projector"];

/// Marks every <plugin> of `document` but those that the reader `takes`, and names those that may act.
pub(crate) fn mark(document: &Document, takes: fn(Element<'_>) -> bool) -> Vec<(Place, String)> {
    let mut told = Vec::new();
    let plugins = (0..document.len()).map(|id| document.element(id)).filter(|e| e.name() == "plugin");
    for plugin in plugins.filter(|e| !takes(*e)) {
        let around = std::iter::successors(plugin.parent(), |e| e.parent());
        let observed = around.into_iter().any(|e| OBSERVERS.contains(&e.name()));
        if observed || looks(plugin) {
            plugin.mark(Fate::Kept, IDLE);
        } else {
            plugin.mark(Fate::Unsupported, NOT_RUN);
            let name = plugin.peek("name").or(plugin.peek("filename")).map_or("", |a| a.value());
            told.push((plugin.place(), format!("the plugin `{}` is not run", shortened(name))));
        }
    }
    told
}

fn looks(plugin: Element<'_>) -> bool {
    let names = ["filename", "name"].into_iter().filter_map(|a| plugin.peek(a)).map(|a| words(a.value()));
    let words: Vec<String> = names.flatten().collect();
    let any = |list: &str| list.split_whitespace().any(|w| words.iter().any(|word| word == w));
    any(LOOKS) && !any(ACTS)
}

/// The words of a name, apart at capitals and at all that is no letter or digit, without `lib`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    let without =
        |w: String| w.strip_prefix("lib").filter(|rest| rest.len() > 2).map_or(w.clone(), str::to_owned);
    words.into_iter().filter(|w| !w.is_empty()).map(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn plugins_that_act_are_told_from_those_that_look() {
        let fate = |filename: &str, name: &str| {
            let text = format!("<sdf><world><plugin filename='{filename}' name='{name}'/></world></sdf>");
            let document = Document::parse(Path::new("f"), &text).unwrap();
            drop(mark(&document, |_| false));
            document.element(2).marked().unwrap().0
        };
        for (filename, name) in [
            ("gz-sim-physics-system", "gz::sim::systems::Physics"),
            ("gz-sim-scene-broadcaster-system", "gz::sim::systems::SceneBroadcaster"),
            ("libgazebo_ros_imu_sensor.so", "imu"),
            ("libgazebo_ros_joint_state_publisher.so", "states"),
            ("libgazebo_ros_p3d.so", "odom"),
        ] {
            assert_eq!(fate(filename, name), Fate::Kept, "{filename}");
        }
        for (filename, name) in [
            ("gz-sim-buoyancy-system", "gz::sim::systems::Buoyancy"),
            ("gz-sim-joint-position-controller-system", "gz::sim::systems::JointPositionController"),
            ("libgazebo_ros_diff_drive.so", "drive"),
            ("libroboticsgroup_gazebo_mimic_joint_plugin.so", "mimic"),
            ("libgazebo_ros_control.so", "control"),
            ("libmine.so", "something"),
        ] {
            assert_eq!(fate(filename, name), Fate::Unsupported, "{filename}");
        }
    }
}
