//! A bar on the terminal while a run goes on, and Ctrl-C and SIGTERM as wishes to end it.

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use stiction_lab::Progress;

/// Steps between two looks at the bar.
const STRIDE: u64 = 16;

/// The number of the signal that asks for an end, or 0.
static STOP: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM] {
        // Without a handler a signal ends the program as it always did.
        drop(signal_hook::flag::register_usize(signal, Arc::clone(&stop), signal as usize));
    }
    stop
});

/// The exit status of who was asked to end: 130 by Ctrl-C, 143 by SIGTERM, as shells have it.
pub(crate) fn code_of_the_end() -> u8 {
    128 + if STOP.load(Ordering::Relaxed) == SIGTERM as usize { SIGTERM as u8 } else { SIGINT as u8 }
}

/// `Break` if an end was asked for.
fn wish() -> ControlFlow<()> {
    if STOP.load(Ordering::Relaxed) == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Shows how far a run is; told at every step.
pub(crate) struct Meter {
    bar: ProgressBar,
}

impl Meter {
    /// Visible if wanted and if stderr is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        LazyLock::force(&STOP);
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
        wish()
    }

    /// As [`Self::tell`], for work that is counted in pieces.
    pub(crate) fn count(&self, done: usize, all: usize, label: &str) -> ControlFlow<()> {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(label.to_owned());
        wish()
    }

    /// Takes the bar away.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
