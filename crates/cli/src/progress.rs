//! A bar on the terminal while a run goes on, and Ctrl-C as a wish to end it.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use stiction_lab::Progress;

/// Steps between two looks at the bar.
const STRIDE: u64 = 16;

static STOP: AtomicBool = AtomicBool::new(false);

/// Shows how far a run is; told at every step.
pub(crate) struct Meter {
    bar: ProgressBar,
}

impl Meter {
    /// Visible if wanted and if stderr is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        static HANDLER: OnceLock<()> = OnceLock::new();
        // Without a handler Ctrl-C ends the program as it always did.
        HANDLER.get_or_init(|| drop(ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))));
        let visible = wanted && std::io::stderr().is_terminal();
        let bar = if visible { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let template = "{msg} {bar:30} {percent:>3} %  {eta} left";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar()));
        Self { bar }
    }

    /// `Break` if the user wants to stop.
    pub(crate) fn tell(&self, label: &str, progress: &Progress) -> ControlFlow<()> {
        if progress.step.is_multiple_of(STRIDE) {
            self.bar.set_length(progress.steps);
            self.bar.set_position(progress.step);
            self.bar.set_message(format!("{label}, t = {:.2} s", progress.t));
        }
        if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// As [`Self::tell`], for work that is counted in pieces.
    pub(crate) fn count(&self, done: usize, all: usize, label: &str) -> ControlFlow<()> {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(label.to_owned());
        if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Takes the bar away.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
