//! Figure 2 of [Pan2021]: both robots jump and walk, as pictures in a row.

use crate::{ExperimentError, Findings, Size};
use std::ops::ControlFlow;
use stiction::StepperName;
use stiction_camera::{Image, Lens, Look, Painter, Shot, Stand, png};
use stiction_lab::runner::{RunOptions, Runner};
use stiction_scene::Scene;

/// Size of one picture [px].
const WIDTH: usize = 300;
const HEIGHT: usize = 260;
/// Pictures in a row, and the time from one to the next [s].
const COUNT: usize = 6;
const APART: f64 = 0.2;
/// Step under which they are taken [s]; the period before the first picture is left out.
const STEP: f64 = 0.02;
const BEFORE: f64 = 2.0;

/// Paints a row of pictures for every robot and motion.
pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let scenes = ["robosimian-jump", "robosimian-walk", "spider-jump", "spider-walk"];
    for name in &scenes[..if size == Size::Full { 4 } else { 1 }] {
        findings.files.push((format!("nmdp-{name}.png"), png::encode(&row(name)?)));
    }
    Ok(())
}

fn row(name: &str) -> Result<Image, ExperimentError> {
    let mut setup = Scene::builtin(name)?.build()?;
    let settings = &mut setup.settings;
    settings.stepper.method = StepperName::of("pbd-nmdp-pgm").unwrap_or_default();
    settings.stepper.dt = STEP;
    setup.duration = BEFORE + APART * COUNT as f64;
    let options =
        RunOptions { frames_per_second: Some(1.0 / APART), certify: false, ..RunOptions::default() };
    let mut runner = Runner::new(setup, options)?;
    let summary = runner.run(|_| ControlFlow::Continue(()));
    let recording = runner.finish(summary).recording;
    let mut out = Image { width: COUNT * WIDTH, height: HEIGHT, ..Image::default() };
    out.rgb = vec![0; 3 * out.width * out.height];
    let Some(recording) = recording else { return Ok(out) };
    let lens = Lens { width: WIDTH, height: HEIGHT, field_of_view: 0.5 };
    let stand = Stand::named("home").unwrap_or_default();
    let looks = Look::along(&recording, &lens, &Shot { stand, follow: Some(0) });
    let mut painter = Painter::new(&recording);
    let mut picture = Image::default();
    let first = (BEFORE / APART).round() as usize;
    for (place, i) in (first..recording.frames.len()).take(COUNT).enumerate() {
        painter.paint(&recording.frames[i].poses, &lens, &looks[i], &mut picture);
        for y in 0..HEIGHT {
            let (from, to) = (3 * WIDTH * y, 3 * (out.width * y + WIDTH * place));
            out.rgb[to..to + 3 * WIDTH].copy_from_slice(&picture.rgb[from..from + 3 * WIDTH]);
        }
    }
    Ok(out)
}
