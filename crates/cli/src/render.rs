//! `stiction render`: a run as pictures or as a video, painted without a graphics card or a browser, or by one.

use crate::args::{RenderArgs, Size};
use crate::browser;
use crate::failure::Failure;
use crate::output::say;
use crate::progress::Meter;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use stiction::recording::Recording;
use stiction_camera::{Image, Lens, Look, Painter, Shot, png};
use stiction_lab::{RunOptions, Runner};
use stiction_scene::nearest::hint;

/// Vertical field of view [rad], as in the page.
const FIELD_OF_VIEW: f64 = 0.66;
/// Pixels painted for one shown, along each side: edges come out smooth.
const FINER: usize = 2;

pub(crate) fn render(args: &RenderArgs) -> Result<(), Failure> {
    let (scene, setup) = args.scene.set_up(args.contact.as_deref(), false)?;
    let bodies = setup.world.model.bodies.iter().map(|b| b.name.as_str());
    let follow = args.follow.as_deref().map(|name| body_named(name, bodies)).transpose()?;
    let shot = Shot { stand: args.camera.map(|c| c.0).unwrap_or_default(), follow };
    let options = RunOptions { frames_per_second: Some(args.fps), certify: false, ..RunOptions::default() };
    let mut runner = Runner::new(setup, options).map_err(Failure::input)?;
    let meter = Meter::new(true);
    let summary = runner.run(|progress| meter.tell(&scene.name, progress));
    let interrupted = summary.interrupted;
    let recording = runner.finish(summary).recording.unwrap_or_else(|| unreachable!("frames were asked for"));

    let mut out = Output::open(args)?;
    let (count, mut written) = (recording.frames.len(), 0);
    let mut take = |i: usize, png: &[u8]| {
        out.take(i, png)?;
        written = i + 1;
        Ok(meter.count(i + 1, count, "painting"))
    };
    if args.browser {
        browser::photograph(&recording, args.size, take)?;
    } else {
        let mut studio = Studio::new(&recording, args.size, &shot);
        for i in 0..count {
            if take(i, &png::encode(studio.picture(i)))?.is_break() {
                break;
            }
        }
    }
    meter.done();
    let cut = interrupted || written < count;
    let of = if written < count { format!(" of {count}") } else { String::new() };
    say(&format!("{written}{of} frames to {}", out.close()?))?;
    if cut { Err(Failure::Interrupted) } else { Ok(()) }
}

/// The place of the body called `name`.
fn body_named<'a>(name: &str, bodies: impl Iterator<Item = &'a str> + Clone) -> Result<usize, Failure> {
    bodies.clone().position(|b| b == name).ok_or_else(|| {
        let guess = hint(name, bodies.clone());
        let all = bodies.collect::<Vec<_>>().join(", ");
        Failure::input(format!("--follow: no body is called `{name}`{guess}; there are: {all}"))
    })
}

/// Paints the frames of a recording.
struct Studio<'a> {
    recording: &'a Recording,
    painter: Painter,
    lens: Lens,
    looks: Vec<Look>,
    large: Image,
    small: Image,
}

impl<'a> Studio<'a> {
    fn new(recording: &'a Recording, Size { width, height }: Size, shot: &Shot) -> Self {
        let lens = Lens { width: FINER * width, height: FINER * height, field_of_view: FIELD_OF_VIEW };
        Self {
            painter: Painter::new(recording),
            looks: Look::along(recording, &lens, shot),
            recording,
            lens,
            large: Image::default(),
            small: Image { width, height, ..Image::default() },
        }
    }

    fn picture(&mut self, i: usize) -> &Image {
        let poses = &self.recording.frames[i].poses;
        self.painter.paint(poses, &self.lens, &self.looks[i], &mut self.large);
        shrink(&self.large, &mut self.small);
        &self.small
    }
}

/// Every pixel of `small` is the mean of those of `large` that it covers.
fn shrink(large: &Image, small: &mut Image) {
    let stride = 3 * large.width;
    small.rgb.clear();
    for y in 0..small.height {
        for x in 0..small.width {
            for k in 0..3 {
                let at = FINER * y * stride + 3 * FINER * x + k;
                let square = (0..FINER * FINER).map(|i| at + i / FINER * stride + i % FINER * 3);
                let sum: u32 = square.map(|j| u32::from(large.rgb[j])).sum();
                small.rgb.push((sum / (FINER * FINER) as u32) as u8);
            }
        }
    }
}

/// The file that ffmpeg writes, beside the one that was asked for and with its ending; taken away if it is still there.
struct Draft(PathBuf);

impl Draft {
    fn of(file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        Self(file.with_file_name(format!(".{}.part.{name}", std::process::id())))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Where pictures go.
enum Output<'a> {
    Folder(&'a Path),
    Video { file: &'a Path, draft: Draft, ffmpeg: Child },
}

impl<'a> Output<'a> {
    fn open(args: &'a RenderArgs) -> Result<Self, Failure> {
        if let Some(folder) = &args.frames {
            let told = |e| Failure::work(format!("cannot make the folder {}: {e}", folder.display()));
            std::fs::create_dir_all(folder).map_err(told)?;
            return Ok(Self::Folder(folder));
        }
        let Some(file) = &args.video else {
            return Err(Failure::input("say where to: --frames DIR or --video FILE.mp4"));
        };
        let mut command = Command::new("ffmpeg");
        command.args(["-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png"]);
        command.args(["-r", &args.fps.to_string(), "-i", "-"]);
        let draft = Draft::of(file);
        command.args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"]).arg(&draft.0);
        // Ctrl-C of a terminal goes to all who listen there: the video is ended by us.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let ffmpeg = command.stdin(Stdio::piped()).spawn().map_err(|e| {
            let remedy = "install it, or write pictures with --frames DIR";
            Failure::work(format!("a video needs the program ffmpeg ({e}): {remedy}"))
        })?;
        Ok(Self::Video { file, draft, ffmpeg })
    }

    fn take(&mut self, i: usize, png: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(format!("{i:05}.png"));
                let told = |e| Failure::work(format!("cannot write {}: {e}", path.display()));
                stiction_store::write(&path, png).map_err(told)
            }
            Self::Video { ffmpeg, .. } => match &mut ffmpeg.stdin {
                Some(pipe) => {
                    pipe.write_all(png).map_err(|e| Failure::work(format!("ffmpeg has ended: {e}")))
                }
                None => Err(Failure::work("ffmpeg does not listen")),
            },
        }
    }

    /// The name of what was written.
    fn close(self) -> Result<String, Failure> {
        match self {
            Self::Folder(folder) => Ok(folder.display().to_string()),
            Self::Video { file, draft, mut ffmpeg } => {
                drop(ffmpeg.stdin.take());
                let status = ffmpeg.wait().map_err(Failure::work)?;
                if !status.success() {
                    return Err(Failure::work(format!("ffmpeg: {status}")));
                }
                let told = |e| Failure::work(format!("cannot write {}: {e}", file.display()));
                std::fs::rename(&draft.0, file).map_err(told)?;
                Ok(file.display().to_string())
            }
        }
    }
}
