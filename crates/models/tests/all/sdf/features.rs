//! What SDF says, element by element, on models small enough to solve in the head.

use super::{read, with_models};
use std::f64::consts::TAU;
use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_models::{LoadOptions, load_str};
use stiction_world::{Dimension, Fate, GrainFrame, Hold, Material, World};

fn text(version: &str, inside: &str) -> Result<World, String> {
    let text = format!("<sdf version=\"{version}\">\n{inside}</sdf>");
    load_str(&text, Path::new("f"), Path::new("."), &LoadOptions::default()).map_err(|e| e.to_string())
}

fn model(inside: &str) -> World {
    text("1.9", &format!("<model name='m'>{inside}</model>")).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(inside: &str, parts: &[&str]) {
    let message = text("1.9", inside).map(|w| format!("read: {w:?}")).unwrap_or_else(|e| e);
    parts.iter().for_each(|p| assert!(message.contains(p), "expected `{p}` in: {message}"));
}

fn warned(world: &World, part: &str) -> bool {
    world.ledger.warnings.iter().any(|w| w.1.contains(part))
}

const MASS: &str =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

fn link(name: &str, inside: &str) -> String {
    format!("<link name='{name}'>{MASS}{inside}</link>")
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>"
    )
}

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() < 1e-14
}

#[test]
fn defaults_are_those_of_the_specification() {
    let w = model("<link name='a'/>");
    assert!(warned(&w, "`a` states no <inertial>"));
    let inertia = w.model.links[0].inertia;
    assert_eq!((inertia.mass, inertia.second.xx), (1.0, 1.0));
    assert_eq!(w.model.joints[0].kind, JointKind::Free);
    assert_eq!(w.model.gravity.z, -9.81);
    let w = text("1.9", "<world name='w'><model name='m'><static>1</static><link name='a'/></model></world>")
        .unwrap();
    assert_eq!((w.model.gravity.z, w.model.nv(), w.name.as_str()), (-9.8, 0, "w"));
    let free = joint("j", "revolute", "a", "b", "<axis/>");
    let w = model(&format!("{}{}{free}", link("a", ""), link("b", "")));
    assert!(close(w.model.joints[1].axis, Vec3::Z) && w.model.joints[1].limit.is_none());
}

#[test]
fn inertia_of_shapes_and_stated_masses() {
    let shapes = "<collision name='c'><pose>0 0 1 0 0 0</pose><density>500</density><geometry><box><size>1 2 3</size></box></geometry></collision>";
    let w = model(&format!("<link name='a'><inertial auto='true'/>{shapes}</link>"));
    let i = w.model.links[0].inertia;
    assert!((i.mass - 3000.0).abs() < 1e-9 && close(i.com(), Vec3::Z));
    assert!((i.about_com().xx - 3000.0 / 12.0 * 13.0).abs() < 1e-9);
    let w = model(&format!("<link name='a'><inertial auto='true'><mass>6</mass></inertial>{shapes}</link>"));
    assert!((w.model.links[0].inertia.mass - 6.0).abs() < 1e-14);
    assert!((w.model.links[0].inertia.about_com().xx - 6.5).abs() < 1e-12);
}

#[test]
fn screws_turn_the_way_the_specification_says() {
    let screw = |pitch: &str| {
        let j = joint("j", "screw", "a", "b", &format!("<axis><xyz>0 0 1</xyz></axis>{pitch}"));
        model(&format!("{}{}{j}", link("a", ""), link("b", ""))).model.joints[1].pitch
    };
    assert!((screw("<screw_thread_pitch>0.5</screw_thread_pitch>") - 0.5 / TAU).abs() < 1e-16);
    // Older: radians per metre, left-handed if positive.
    assert!((screw("<thread_pitch>4</thread_pitch>") + 0.25).abs() < 1e-16);
    let both = "<thread_pitch>4</thread_pitch><screw_thread_pitch>1</screw_thread_pitch>";
    assert!((screw(both) - 1.0 / TAU).abs() < 1e-16 && (screw("") - 1.0 / TAU).abs() < 1e-16);
}

#[test]
fn mimics_and_gearboxes_are_couplings() {
    let hinge = |name, child, more: &str| {
        joint(name, "revolute", "a", child, &format!("<axis><xyz>0 0 1</xyz>{more}</axis>"))
    };
    let links = ["a", "b", "c"].map(|n| link(n, "")).concat();
    let mimic =
        "<mimic joint='i'><multiplier>-2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>";
    let w = model(&format!("{links}{}{}", hinge("i", "b", ""), hinge("j", "c", mimic)));
    assert_eq!((w.couplings[0].terms.clone(), w.couplings[0].offset), (vec![(7, 1.0), (6, 2.0)], 1.0));
    let gear = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>\
                <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>";
    let gear = joint("g", "gearbox", "b", "c", gear);
    let w = model(&format!("{links}{}{}{gear}", hinge("i", "b", ""), hinge("j", "c", "")));
    // θ₂ about −z is −q_j: −q_j + 3 q_i = 0.
    assert_eq!(w.couplings[0].terms, vec![(7, -1.0), (6, 3.0)]);
    let lost = model(&format!("{links}{}{gear}", hinge("i", "b", "")));
    assert!(lost.couplings.is_empty() && warned(&lost, "gearbox couples two hinges"));
}

#[test]
fn loops_are_closed_and_joints_met_from_their_child_turned_round() {
    let links = ["a", "b", "c"].map(|n| link(n, "")).concat();
    let hinge = |n, p, c| joint(n, "revolute", p, c, "<axis><xyz>0 0 1</xyz></axis>");
    let chain = format!("{}{}{}", hinge("i", "a", "b"), hinge("j", "b", "c"), hinge("k", "c", "a"));
    let w = model(&format!("{links}{chain}"));
    assert_eq!((w.model.nv(), w.ledger.of(Fate::Unsupported).count()), (8, 0));
    let [k] = &w.loops[..] else { panic!("one joint is left over: {:?}", w.loops) };
    assert_eq!((k.name.as_str(), k.hold), ("k", Hold::Hinge));
    assert_eq!(k.ends.map(|(link, _)| link), ["c", "a"].map(|l| w.model.link_named(l)));
    assert!(!warned(&w, "`k` closes a loop"));
    let limited =
        joint("k", "revolute", "c", "a", "<axis><limit><lower>-1</lower><upper>1</upper></limit></axis>");
    let w = model(&format!("{links}{}{}{limited}", hinge("i", "a", "b"), hinge("j", "b", "c")));
    assert!(w.loops.len() == 1 && warned(&w, "`k` closes a loop: it holds, but its limits"));
    let screw = joint("k", "screw", "c", "a", "<axis><xyz>0 0 1</xyz></axis>");
    let w = model(&format!("{links}{}{}{screw}", hinge("i", "a", "b"), hinge("j", "b", "c")));
    assert!(w.loops.is_empty() && warned(&w, "`k` closes a loop, which is left open"));
    // b hangs on the world, a hangs on b although it is its parent.
    let held = format!("{}{}", joint("f", "fixed", "world", "b", ""), hinge("i", "a", "b"));
    let w = model(&format!("{}{}{held}", link("a", "<pose>0 1 0 0 0 0</pose>"), link("b", "")));
    assert_eq!((w.model.nv(), w.model.joints[0].name.as_str()), (1, "i"));
    assert!(close(w.model.joints[0].axis, -Vec3::Z) && close(w.model.joints[0].anchor, vec3(0.0, -1.0, 0.0)));
}

/// The friction of two spheres whose collisions say `stated` of 0.6 and of 0.2.
fn friction_of_two(stated: impl Fn(f64) -> String) -> f64 {
    let sphere = |name, mu| {
        let shape = "<geometry><sphere><radius>1</radius></sphere></geometry>";
        link(name, &format!("<collision name='c'>{shape}{}</collision>", stated(mu)))
    };
    let w = model(&format!("{}{}", sphere("a", 0.6), sphere("b", 0.2)));
    Material::pair(&w.geometries[0].material, &w.geometries[1].material).friction()
}

#[test]
fn of_two_frictions_gazebo_takes_the_smaller_and_drake_the_harmonic_mean() {
    let gazebo =
        friction_of_two(|mu| format!("<surface><friction><ode><mu>{mu}</mu></ode></friction></surface>"));
    assert_eq!(gazebo, 0.2);
    let drake = friction_of_two(|mu| {
        format!(
            "<drake:proximity_properties><drake:mu_dynamic>{mu}</drake:mu_dynamic></drake:proximity_properties>"
        )
    });
    assert!((drake - 0.3).abs() < 1e-15);
}

/// <fdir1> is in the axes of its collision, or follows the frame that it names; without it <mu2> is told.
#[test]
fn friction_has_an_axis_where_fdir1_states_one() {
    let sphere = |name: &str, pose: &str, friction: &str| {
        let shape = "<geometry><sphere><radius>1</radius></sphere></geometry>";
        let surface = format!("<surface><friction>{friction}</friction></surface>");
        link(
            name,
            &format!("{pose}<collision name='c'><pose>0 0 0 0 0 0.5</pose>{shape}{surface}</collision>"),
        )
    };
    let ode = |more: &str| format!("<ode><mu>0.2</mu><mu2>0.6</mu2>{more}</ode>");
    let turned = format!("<pose>5 0 0 0 0 {}</pose>", std::f64::consts::FRAC_PI_2);
    let base = link("base", &turned);
    let hinge = joint("j", "revolute", "base", "own", "<axis><xyz>0 0 1</xyz></axis>");
    let w = model(&format!(
        "{base}{}{}{}{hinge}",
        sphere("own", "", &ode("<fdir1>2 0 0</fdir1>")),
        sphere("named", "", &ode("<fdir1 gz:expressed_in='base'>1 0 0</fdir1>")),
        sphere("none", "", &ode("")),
    ));
    let of = |name: &str| {
        let l = w.model.link_named(name);
        w.geometries.iter().find(|g| g.link == l).unwrap().material
    };
    let own = of("own").grain.unwrap();
    assert_eq!((of("own").friction, own.across, own.fixed_in), (0.2, 0.6, GrainFrame::Geometry));
    assert!(close(own.axis, Vec3::X));
    let named = of("named").grain.unwrap();
    assert_eq!(named.fixed_in, GrainFrame::Link(w.model.link_named("base")));
    assert!(close(named.axis, Vec3::X), "in the axes of the link that it names: {named:?}");
    assert!(of("none").grain.is_none() && warned(&w, "<mu2> 0.6 beside <mu> 0.2 without <fdir1>"));
    // Grounds as Gazebo writes them hold what they meet in all directions.
    let ground = model(&sphere("a", "", "<ode><mu>100</mu><mu2>50</mu2></ode>"));
    assert!(ground.ledger.of(Fate::Unsupported).next().is_none() && ground.ledger.warnings.is_empty());
    // As much across as along.
    let same = "<ode><mu>0.3</mu><mu2>0.3</mu2><fdir1>1 0 0</fdir1></ode>";
    assert!(model(&sphere("a", "", same)).geometries[0].material.grain.is_none());
}

#[test]
fn bullets_rolling_friction_and_links_without_weight() {
    let shape = "<geometry><sphere><radius>1</radius></sphere></geometry>";
    let friction = "<bullet><friction>0.4</friction><rolling_friction>0.02</rolling_friction></bullet>";
    let surface = format!("<surface><friction>{friction}</friction></surface>");
    let rolls = format!("<gravity>false</gravity><collision name='c'>{shape}{surface}</collision>");
    let w = model(&format!("{}{}", link("a", &rolls), link("b", "<gravity>true</gravity>")));
    let m = w.geometries[0].material;
    assert_eq!((m.friction, m.rolling, m.spinning, m.dimension), (0.4, 0.02, 0.0, Dimension::Rolling));
    assert_eq!(w.gravity_compensation, [(w.model.link_named("a").unwrap(), 1.0)]);
    assert_eq!(w.ledger.of(Fate::Unsupported).count(), 0);
}

#[test]
fn surfaces_bits_and_static_models() {
    let w = read("world.sdf", &with_models());
    let stone = w.geometries.iter().find(|g| g.name == "wall::stone::c").unwrap();
    assert_eq!((stone.material.friction, stone.material.restitution), (0.4, 0.3));
    assert_eq!((stone.group, stone.mask), (2, 2));
    assert_eq!(w.time_step, Some(0.002));
    assert_eq!(w.model.links[w.model.link_named("wall::stone").unwrap()].body, None);
    assert_eq!(w.ledger.of(Fate::Unknown).map(|e| e.what.clone()).collect::<Vec<_>>(), Vec::<String>::new());
    // A restitution without its threshold never acts, by the specification.
    let c = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface><bounce>\
             <restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision>";
    let w = model(&link("a", c));
    assert!(w.geometries[0].material.restitution == 0.0 && warned(&w, "nothing bounces"));
}

#[test]
fn planes_and_self_collision() {
    let ball = "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>";
    let two = |more: &str| model(&format!("{more}{}{}", link("a", ball), link("b", ball)));
    assert_eq!(two("").excluded, vec![(0, 1)]);
    assert!(two("<self_collide>true</self_collide>").excluded.is_empty());
    let plane = "<collision name='c'><geometry><plane><normal>0 1 0</normal></plane></geometry></collision>";
    let w = model(&link("a", plane));
    assert!(matches!(w.geometries[0].shape, Shape::Plane));
    assert!(close(w.geometries[0].X_LG.rotation.rotate(Vec3::Z), Vec3::Y));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    refused(
        "<model name='m'><link name='a'><pose>1 2</pose></link></model>",
        &["f:2:38", "<pose>", "6 finite"],
    );
    refused("<model name='m'><link name='a'><pose relative_to='q'/></link></model>", &["f:2:38", "`q`"]);
    let circle = "<model name='m'><frame name='f'><pose relative_to='g'/></frame>\n<frame name='g'><pose \
                  relative_to='f'/></frame><link name='a'/></model>";
    refused(circle, &["circle"]);
    let attached = "<model name='m'><frame name='f' attached_to='g'><pose relative_to='a'/></frame>\
                    <frame name='g' attached_to='f'><pose relative_to='a'/></frame><link name='a'/></model>";
    refused(attached, &["circle"]);
    refused("<model name='m'><link name='a'/>\n<link name='a'/></model>", &["f:3:1", "`a`", "f:2:"]);
    refused(
        "<model name='m'><include><uri>model://gone</uri></include></model>",
        &["f:2:31", "--package-path"],
    );
    refused("", &["f:1:1", "<world> or <model>"]);
    refused("<world name='w'><include><uri>https://x/y</uri></include></world>", &["f:2:31", "download"]);
    let deep = "<model name='m'>".repeat(100) + &"</model>".repeat(100);
    refused(&deep, &["at most 64"]);
    assert!(text("2.0", "<model name='m'/>").unwrap_err().contains("f:1:6"));
    let to_world = joint("j", "fixed", "a", "world", "");
    refused(&format!("<model name='m'>{}{to_world}</model>", link("a", "")), &["parent only"]);
}

#[test]
fn outlines_are_prisms() {
    let prism = |points: &[[f64; 2]], height: &str| {
        let points: String = points.iter().map(|[x, y]| format!("<point>{x} {y}</point>")).collect();
        let shape = format!(
            "<collision name='c'><geometry><polyline>{points}{height}</polyline></geometry></collision>"
        );
        let world = model(&link("a", &shape));
        let volume = world.geometries[0].shape.inertia(1.0).unwrap().mass;
        (volume, world.ledger.of(Fate::Unsupported).any(|e| e.note.contains("convex hull")))
    };
    let (volume, hull) = prism(&[[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]], "<height>3</height>");
    assert!((volume - 3.0).abs() < 1e-12 && !hull, "{volume}");
    // An arrow head is filled; without a height it is 1 m high.
    let (volume, hull) = prism(&[[0.0, 0.0], [2.0, -2.0], [0.5, 0.0], [2.0, 2.0]], "");
    assert!((volume - 4.0).abs() < 1e-12 && hull, "{volume}");
}

/// ODE's kp and kd; what Drake says counts before them.
#[test]
fn surfaces_say_how_they_yield() {
    let of = |drake: &str| {
        let c = format!(
            "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>{drake}<surface><contact>\
             <ode><kp>1e5</kp><kd>1e3</kd></ode></contact></surface></collision>"
        );
        let w = model(&link("a", &c));
        let c = w.geometries[0].material.compliance;
        [c.stiffness, c.relaxation, c.dissipation]
    };
    assert_eq!(of(""), [Some(1e5), Some(0.01), None]);
    let drake = "<drake:proximity_properties><drake:point_contact_stiffness>2e4</drake:point_contact_stiffness>\
                 <drake:hunt_crossley_dissipation>3</drake:hunt_crossley_dissipation></drake:proximity_properties>";
    assert_eq!(of(drake), [Some(2e4), Some(0.01), Some(3.0)]);
}

#[test]
fn terrains_rise_where_their_images_are_bright() {
    let ground = |size: &str| {
        let shape = format!(
            "<heightmap><uri>model://hills/hills.png</uri><size>{size}</size><pos>1 2 3</pos></heightmap>"
        );
        let shape = format!("<geometry>{shape}</geometry>");
        let link = format!(
            "<link name='a'><collision name='c'>{shape}</collision><visual name='v'>{shape}</visual></link>"
        );
        let text = format!("<sdf version='1.9'><model name='m'><static>1</static>{link}</model></sdf>");
        load_str(&text, Path::new("f"), Path::new("."), &with_models()).map_err(|e| e.to_string())
    };
    let w = ground("4 2 8").unwrap();
    assert!(close(w.geometries[0].X_LG.translation, vec3(1.0, 2.0, 3.0)));
    let Shape::HeightField(field) = &w.geometries[0].shape else { panic!("{:?}", w.geometries[0].shape) };
    // The image, sixteen bits deep: 0 1000 2000 over 3000 4000 0. Its top row is the one of largest y.
    assert_eq!((field.rows(), field.cols(), field.size()), (2, 3, [4.0, 2.0]));
    assert_eq!(field.heights(), [6.0, 8.0, 0.0, 0.0, 2.0, 4.0]);
    assert_eq!(w.ledger.warnings, []);
    assert!(ground("4 2 -8").unwrap_err().contains("three lengths > 0"));
}

/// A joint that a controller drives by velocity.
fn driven(axis: &str, controller: &str) -> String {
    let controller = format!(
        "<plugin filename='gz-sim-joint-controller-system' name='gz::sim::systems::JointController'>\n{controller}</plugin>"
    );
    let joint = joint("j", "revolute", "world", "a", &format!("<axis>{axis}</axis>"));
    format!("<model name='m'>{}{joint}{controller}</model>", link("a", ""))
}

#[test]
fn a_controller_by_velocity_prescribes_a_rate() {
    let read = |axis: &str, controller: &str| text("1.9", &driven(axis, controller)).unwrap();
    let crank = read("", "<joint_name>j</joint_name><initial_velocity>1.5</initial_velocity>");
    assert_eq!(crank.model.dofs[0].rate, Some(1.5));
    assert!(crank.ledger.warnings.is_empty(), "{:?}", crank.ledger.warnings);
    assert!(crank.ledger.of(Fate::Used).any(|e| e.what == "plugin"));
    assert_eq!(read("", "<joint_name>j</joint_name>").model.dofs[0].rate, Some(0.0));
    // Nothing turns the joint for whoever controls by force, nor where no joint is named.
    for idle in ["<joint_name>j</joint_name><use_force_commands>true</use_force_commands>", ""] {
        let world = read("", idle);
        assert_eq!(world.model.dofs[0].rate, None);
        assert!(warned(&world, "is not run"));
    }
    let limited = read("<limit><effort>3</effort></limit>", "<joint_name>j</joint_name>");
    assert!(limited.model.dofs[0].rate.is_some() && warned(&limited, "its <effort> is no limit"));
}

/// The message names file and line, element, value and what to do.
#[test]
fn rates_that_cannot_be_are_refused() {
    let limit = "<limit><velocity>2</velocity></limit>";
    let fast = "<joint_name>j</joint_name><initial_velocity>-2.5</initial_velocity>";
    let remedy = "lower the rate or raise the limit";
    refused(&driven(limit, fast), &["f:3:", "<initial_velocity>", "-2.5", "at most 2", "`j`", remedy]);
    for wrong in ["nan", "inf", "fast"] {
        let rate = format!("<joint_name>j</joint_name><initial_velocity>{wrong}</initial_velocity>");
        refused(&driven("", &rate), &["f:3:", "<initial_velocity>", wrong, "1 finite number"]);
    }
    refused(&driven("", "<joint_name>k</joint_name>"), &["f:3:", "<joint_name>", "`k`", "does not exist"]);
    let twice = "<joint_name>j</joint_name><joint_name>j</joint_name>";
    refused(&driven("", twice), &["<joint_name>", "a joint that no other controller drives"]);
}
