//! `stiction run`: a scene from its file to its summary, trajectory and replay.

use crate::args::{ComplianceChoice, RunArgs, SceneArgs};
use crate::failure::Failure;
use crate::output::{say, say_json, tell_notes};
use crate::progress::Meter;
use crate::recording_file::{self, Kind};
use crate::words;
use std::path::{Component, Path, PathBuf};
use stiction::StepperName;
use stiction::solvers::{Effort, Params};
use stiction_lab::dump::Dump;
use stiction_lab::trajectory::{Detail, check_name, check_size};
use stiction_lab::{Outcome, RunOptions, Runner};
use stiction_scene::spec::HoldSpec;
use stiction_scene::stepper_changes::StepperChanges;
use stiction_scene::{Finite, NotNegative, Positive};
use stiction_scene::{Overrides, RobotOptions, Scene, Setup};

/// Frames of a replay: at most so many a second, and so many in all.
const FRAMES_PER_SECOND: f64 = 60.0;
const FRAMES: f64 = 6000.0;

impl SceneArgs {
    pub(crate) fn load(&self) -> Result<Scene, Failure> {
        if let Some(twice) =
            self.joint.iter().enumerate().find_map(|(i, j)| {
                self.joint[..i].iter().any(|before| before.name == j.name).then_some(&j.name)
            })
        {
            return Err(Failure::input(format!("--joint: `{twice}` is given twice")));
        }
        let robot = RobotOptions {
            free_base: self.free_base,
            keyframe: self.keyframe.clone(),
            actuators: None,
            hold: self.hold.then(|| HoldSpec {
                stiffness: self.stiffness.map(Positive),
                damping: self.damping.map(NotNegative),
                ..HoldSpec::default()
            }),
            joints: self.joint.iter().map(|j| (j.name.clone(), Finite(j.value))).collect(),
            package_dirs: self.files.package_path.clone(),
            srdf: self.files.srdf.clone(),
            meshes: self.files.meshes.into(),
            ground: self.ground,
        };
        let scene = Scene::find(&self.scene, &robot).map_err(Failure::input)?;
        if !scene.is_robot_file() && robot != RobotOptions::default() {
            let name = &self.scene;
            return Err(Failure::input(format!(
                "--free-base, --ground, --hold, --joint, --keyframe, --package-path, --srdf and --meshes are for robot files; `{name}` is a scene, which says these itself"
            )));
        }
        Ok(scene)
    }

    /// The scene, changed as the arguments say, ready to run; what the user should know of it goes to stderr unless `silent`.
    pub(crate) fn set_up(&self, contact: Option<&str>, silent: bool) -> Result<(Scene, Setup), Failure> {
        let scene = self.load()?;
        let mut setup = scene.build().map_err(Failure::input)?;
        self.overrides(contact)?.apply(&mut setup);
        if let Some(solver) = contact {
            setup.settings.stepper.check_takes(solver).map_err(Failure::input)?;
        }
        setup.check_length().map_err(Failure::input)?;
        if !silent {
            tell_notes(&setup.notes());
        }
        Ok((scene, setup))
    }

    /// The stepper that was asked for.
    fn stepper(&self) -> Result<Option<StepperName>, Failure> {
        self.stepper.as_deref().map(StepperName::of).transpose().map_err(Failure::input)
    }

    /// Parameters of the contact solver, the effort among them.
    fn contact_params(&self) -> Result<Params, Failure> {
        let params = Params::parse(&self.contact_param).map_err(Failure::input)?;
        Ok(match self.effort {
            Some(effort) => Effort::from(effort).over(params),
            None => params,
        })
    }

    pub(crate) fn overrides(&self, contact: Option<&str>) -> Result<Overrides, Failure> {
        self.overrides_with(contact, self.stepper()?)
    }

    /// Overrides with another stepper.
    pub(crate) fn overrides_with(
        &self,
        contact: Option<&str>,
        stepper: Option<StepperName>,
    ) -> Result<Overrides, Failure> {
        Ok(Overrides {
            contact: contact.map(str::to_owned),
            contact_params: self.contact_params()?,
            stepper,
            stepper_params: StepperChanges::parse(&self.stepper_param).map_err(Failure::input)?,
            dt: self.dt,
            duration: self.duration,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            threads: self.threads.map(usize::from),
            sleep: self.sleep.map(Into::into),
            compliance_of_file: matches!(self.compliance, Some(ComplianceChoice::File)),
        })
    }
}

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let (scene, setup) = args.scene.set_up(args.contact.as_deref(), args.json)?;
    setup.check_content().map_err(Failure::input)?;
    if let Some(path) = &args.out {
        check_name(path).and_then(|()| check_size(&setup, Detail::Whole)).map_err(Failure::input)?;
    }
    if let Some(path) = &args.replay {
        recording_file::check(path, &[Kind::Page, Kind::Mcap])?;
    }
    if args.warm_up > setup.steps() {
        let (asked, steps) = (args.warm_up, setup.steps());
        return Err(Failure::input(format!("--warm-up is {asked}, more than the {steps} steps of the run")));
    }
    let plain = args.out.is_none() && args.replay.is_none() && args.dump_problems.is_none() && !args.json;
    let replay = args.replay.clone().or_else(|| plain.then(|| default_replay(&scene, &args.scene.scene)));
    let options = RunOptions {
        frames_per_second: replay.as_ref().map(|_| FRAMES_PER_SECOND.min(FRAMES / setup.duration)),
        trajectory: args.out.as_ref().map(|_| Detail::Whole),
        certify: !args.no_certify,
        warm_up: args.warm_up,
    };
    let mut runner = Runner::new(setup, options).map_err(Failure::input)?;
    if let Some(folder) = &args.dump_problems {
        runner = runner.with_dump(Dump::new(folder, args.when, args.dump_format).map_err(Failure::work)?);
    }
    let meter = Meter::new(!args.json);
    let summary = runner.run(|progress| meter.tell(&scene.name, progress));
    meter.done();

    if args.json {
        say_json(&summary)?;
    } else {
        say(&words::summary(&summary, &runner.simulation().world().model).join("\n"))?;
    }
    let outcome = runner.finish(summary);
    let files = write_files(&outcome, args.out.as_deref(), replay.as_deref())?;
    if !args.json && !files.is_empty() {
        say(&files.join("\n"))?;
    }
    let summary = outcome.summary;
    match summary.failure {
        Some(cause) => {
            Err(Failure::work(format!("the step after t = {} s failed: {cause}", summary.end_time)))
        }
        None if summary.interrupted => Err(Failure::Interrupted),
        None => Ok(()),
    }
}

/// Writes what was recorded; returns a line about each file. One that fails does not keep the other from being tried.
fn write_files(outcome: &Outcome, out: Option<&Path>, replay: Option<&Path>) -> Result<Vec<String>, Failure> {
    let trajectory = out.zip(outcome.trajectory.as_ref()).map(|(path, trajectory)| {
        let files = trajectory.write(path).map_err(Failure::work)?;
        let contacts =
            files.get(1).map_or_else(String::new, |file| format!("; contacts in {}", file.display()));
        let left_out = match trajectory.contact.left_out {
            0 => String::new(),
            n => format!("; {n} contacts found no room and are left out"),
        };
        Ok(format!("  trajectory   {} ({} rows){contacts}{left_out}", path.display(), trajectory.len()))
    });
    let replay = replay.zip(outcome.recording.as_ref()).map(|(path, recording)| {
        #[cfg(feature = "full")]
        if recording_file::check(path, &[Kind::Mcap]).is_ok() {
            stiction_lab::mcap_file::write_mcap(path, recording).map_err(Failure::work)?;
            return Ok(format!(
                "  recording    {} (open it in Foxglove, or with stiction replay)",
                path.display()
            ));
        }
        stiction_viewer::write_replay(path, recording).map_err(|e| Failure::work_with_causes(&e))?;
        Ok(format!("  replay       {} (open it in a browser)", path.display()))
    });
    let problems = match &outcome.dump {
        Ok(files) => files.first().map(|first| {
            let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
            Ok(format!("  problems     {}{more}", first.display()))
        }),
        Err(error) => Some(Err(Failure::work(error))),
    };
    trajectory.into_iter().chain(replay).chain(problems).collect()
}

/// `out/NAME.html` of a scene. Of a robot file, NAME is its path as it was given, ending included, so that the files
/// `a/scene.xml`, `b/scene.xml` and `b/scene.urdf` have replays of their own. Any file system takes it.
fn default_replay(scene: &Scene, given: &str) -> PathBuf {
    let name = if scene.is_robot_file() { folders_in_name(Path::new(given)) } else { scene.name.clone() };
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: Vec<char> = name.chars().map(plain).collect();
    let last: String = name[name.len().saturating_sub(LONGEST_NAME)..].iter().collect();
    Path::new("out").join(format!("{last}.html"))
}

/// Characters of a file name.
const LONGEST_NAME: usize = 80;

/// The folders of a path and its file, joined by dashes.
fn folders_in_name(path: &Path) -> String {
    let names = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_of_one_name_have_replays_of_their_own() {
        let names = ["go2/scene.xml", "h1/scene.xml", "h1/scene.urdf", "scene.xml"];
        let replays = names.map(|n| folders_in_name(Path::new(n)));
        assert_eq!(replays, ["go2-scene.xml", "h1-scene.xml", "h1-scene.urdf", "scene.xml"]);
        assert_eq!(folders_in_name(Path::new("../a/./b.xml")), "a-b.xml");
    }
}
