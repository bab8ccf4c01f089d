//! One experiment of the laboratory, or one command of `learn` that draws: how it is run, and how it stands.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Experiments that take minutes, which come last.
const LONG: [&str; 3] = ["trajectory-optimisation", "solo12-mpc", "hard-cases"];

/// Figures of `learn`: name, subfolder of the data, and the words of the command; `FIGURE` stands for the figure, `FITS` for the folder
/// of its fits.
const LEARNED: [(&str, &str, &str); 4] = [
    (
        "learn-dice",
        "dice_drop",
        "dice --train 1-400 --splits 3 --sizes 5,10,25,60 --models simulator-paper,simulator-fit,arena-fit,sian-like,published-gp-impulse,\
         published-gp-wrench,gp-impulse,gp-wrench --figure FIGURE --out FITS",
    ),
    (
        "learn-posterior",
        "dice_drop",
        "posterior --train 1-200 --samples 2500 --burn-in 500 --temperatures 5 --figure FIGURE --out FITS",
    ),
    ("learn-belief", "dice_drop", "belief --train 1-300 --drop 388 --contacts 3 --figure FIGURE --out FITS"),
    ("learn-ellipse", "ellipse_impact", "ellipse --posterior --figure FIGURE"),
];

/// A folder of figures, and the command that fills it.
pub(super) struct Job {
    pub(super) name: String,
    words: Vec<String>,
    /// Where its data are, of a command that needs some; `None` inside: not known.
    data: Option<Option<PathBuf>>,
}

/// How a job stands.
pub(super) enum State {
    /// Never run, or not to its end.
    Open,
    /// Claims that hold, and those that do not with what was measured.
    Claimed(usize, Vec<String>),
    /// Figures without claims.
    Drawn,
}

/// All of them: experiments, those that take minutes last, then the figures of `learn`.
pub(super) fn all(experiments: &[String], data: Option<&Path>) -> Vec<Job> {
    let long = |name: &&String| LONG.contains(&name.as_str());
    let names = experiments.iter().filter(|n| !long(n)).chain(experiments.iter().filter(long));
    let experiment = |name: &String| {
        let words = ["experiment", name, "--png"].map(str::to_owned).to_vec();
        Job { name: name.clone(), words, data: None }
    };
    let learned = LEARNED.iter().map(|(name, folder, words)| {
        let words = std::iter::once("learn").chain(words.split_whitespace()).map(str::to_owned).collect();
        Job { name: (*name).to_owned(), words, data: Some(data.map(|d| d.join(folder))) }
    });
    names.map(experiment).chain(learned).collect()
}

impl Job {
    pub(super) fn lacks_data(&self) -> bool {
        matches!(self.data, Some(None))
    }

    /// The command line, with figures and data in `folder`.
    fn line(&self, folder: &Path) -> Vec<String> {
        let path = |p: &Path| p.to_string_lossy().into_owned();
        let of = |word: &String| match word.as_str() {
            "FIGURE" => path(&folder.join(format!("{}.png", self.name))),
            "FITS" => path(&folder.join("fits")),
            _ => word.clone(),
        };
        let mut line: Vec<String> = self.words.iter().map(of).collect();
        match &self.data {
            None => line.extend(["--out".to_owned(), path(folder)]),
            Some(data) => line.extend(["--data".to_owned(), data.as_deref().map_or("DIR".to_owned(), path)]),
        }
        line
    }

    /// The command as one would type it.
    pub(super) fn shown(&self) -> String {
        format!("stiction {}", self.line(&Path::new("out/figures").join(&self.name)).join(" "))
    }

    /// Runs it with its words in log.txt. A claim that does not hold is no error here: [`State`] tells it.
    pub(super) fn run(&self, program: &Path, out: &Path) -> Result<(), String> {
        let folder = out.join(&self.name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
        let mark = self.mark(out);
        // Without its last mark a run that is interrupted is open, and not that of the program before.
        let _ = std::fs::remove_file(&mark);
        let file = folder.join("log.txt");
        let log = File::create(&file).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        let both = log.try_clone().map_err(|e| e.to_string())?;
        let status = Command::new(program)
            .args(self.line(&folder))
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(both)
            .status()
            .map_err(|e| format!("{} did not start: {e}", program.display()))?;
        if self.data.is_some() && status.success() {
            std::fs::write(&mark, self.shown())
                .map_err(|e| format!("cannot write {}: {e}", mark.display()))?;
        }
        Ok(())
    }

    /// The file that is written last.
    fn mark(&self, out: &Path) -> PathBuf {
        out.join(&self.name).join(if self.data.is_some() { "command.txt" } else { "claims.json" })
    }

    /// Whether it was done after `program` was built.
    pub(super) fn done_since(&self, program: &Path, out: &Path) -> bool {
        let time = |p: &Path| p.metadata().and_then(|m| m.modified()).ok();
        matches!((time(&self.mark(out)), time(program)), (Some(done), Some(built)) if done >= built)
    }

    pub(super) fn state(&self, out: &Path) -> State {
        let Ok(text) = std::fs::read_to_string(self.mark(out)) else { return State::Open };
        if self.data.is_some() {
            return State::Drawn;
        }
        let Ok(claims) = serde_json::from_str::<Vec<serde_json::Value>>(&text) else { return State::Open };
        let told = |c: &&serde_json::Value| {
            let of = |key: &str| c[key].as_str().unwrap_or_default().to_owned();
            format!("{}: {}", of("claim"), of("measured"))
        };
        let fails: Vec<String> = claims.iter().filter(|c| c["holds"] != true).map(|c| told(&c)).collect();
        State::Claimed(claims.len() - fails.len(), fails)
    }
}

impl State {
    /// A sentence where something is wrong.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        match self {
            Self::Claimed(_, fails) if fails.is_empty() => None,
            Self::Drawn => None,
            Self::Open => Some(format!("{name} was not drawn; log.txt in its folder says why")),
            Self::Claimed(..) => Some(format!("{name}: {self}")),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("not drawn"),
            Self::Drawn => f.write_str("drawn"),
            Self::Claimed(holds, fails) if fails.is_empty() => write!(f, "{holds} claims hold"),
            Self::Claimed(holds, fails) => {
                write!(f, "{} of {} claims do NOT hold", fails.len(), holds + fails.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_experiments_come_last_and_data_are_asked_for() {
        let names = ["hard-cases", "creep"].map(str::to_owned);
        let jobs = all(&names, None);
        let order: Vec<&str> = jobs.iter().map(|j| j.name.as_str()).collect();
        assert_eq!(order[..2], ["creep", "hard-cases"]);
        assert!(jobs[2].lacks_data() && !jobs[0].lacks_data());
        let with = all(&names, Some(Path::new("data")));
        let line = with[2].line(Path::new("there"));
        assert!(line.windows(2).any(|w| w[0] == "--figure" && w[1].ends_with("learn-dice.png")), "{line:?}");
        assert!(line.last().is_some_and(|w| w.ends_with("dice_drop")), "{line:?}");
    }

    #[test]
    fn a_job_is_done_when_its_claims_are_written() {
        let out = std::env::temp_dir().join(format!("stiction-figures-{}", std::process::id()));
        let jobs = all(&["creep".to_owned()], None);
        assert!(jobs[0].state(&out).fault("creep").is_some_and(|f| f.contains("not drawn")));
        std::fs::create_dir_all(out.join("creep")).unwrap();
        let claims =
            |holds: bool| format!(r#"[{{"claim": "a", "measured": "b", "holds": {holds}, "sample": 1}}]"#);
        std::fs::write(out.join("creep/claims.json"), claims(false)).unwrap();
        assert_eq!(jobs[0].state(&out).to_string(), "1 of 1 claims do NOT hold");
        std::fs::write(out.join("creep/claims.json"), claims(true)).unwrap();
        assert!(jobs[0].state(&out).fault("creep").is_none());
        assert!(jobs[0].done_since(&out.join("creep"), &out));
        std::fs::remove_dir_all(&out).unwrap();
    }
}
