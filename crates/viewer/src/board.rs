//! The newest of everything to show, and the place where pages wait for it.
//!
//! Whoever simulates writes here and waits for nobody. A page that is slow reads late, and finds the newest frame only.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Refusals that may wait for a page.
const REFUSALS: usize = 16;

/// The newest of everything.
#[derive(Clone, Default)]
pub(crate) struct Shown {
    pub(crate) scene: Arc<str>,
    /// Counts scenes.
    pub(crate) scene_number: u64,
    pub(crate) status: Arc<str>,
    pub(crate) frame: Arc<[u8]>,
    /// Counts frames.
    pub(crate) frame_number: u64,
}

/// Data that are shown, and a bell for those who wait.
#[derive(Default)]
pub(crate) struct Board {
    shown: Mutex<Shown>,
    news: Condvar,
}

impl Board {
    pub(crate) fn new(shown: Shown) -> Self {
        Self { shown: Mutex::new(shown), news: Condvar::new() }
    }

    /// Changes what is shown, and tells pages.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut locked(&self.shown));
        self.news.notify_all();
    }

    /// Changes the status where it is new.
    pub(crate) fn tell_status(&self, status: &str) {
        let mut shown = locked(&self.shown);
        if *shown.status != *status {
            shown.status = status.into();
            drop(shown);
            self.news.notify_all();
        }
    }

    /// The data shown, as soon as they, or words for the page that asks, are `new`.
    fn wait(&self, new: impl Fn(&Shown) -> bool) -> Shown {
        let shown = self.news.wait_while(locked(&self.shown), |shown| !new(shown));
        shown.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets pages look again. The lock is taken first: a page that is about to wait would miss the call.
    fn wake(&self) {
        drop(locked(&self.shown));
        self.news.notify_all();
    }
}

/// Data behind a lock; a thread that panicked with it has told so, and changed it in one go or not at all.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A page that looks at a board, with words for it alone.
pub(crate) struct Page {
    board: Arc<Board>,
    mail: Mutex<Mail>,
}

#[derive(Default)]
struct Mail {
    refusals: VecDeque<String>,
    closed: bool,
}

/// The state of a board when a page last looked.
#[derive(Default)]
pub(crate) struct Seen {
    scene_number: u64,
    frame_number: u64,
    status: Arc<str>,
}

/// A message to a page.
pub(crate) enum News {
    Text(Arc<str>),
    Binary(Arc<[u8]>),
}

impl Page {
    pub(crate) fn new(board: Arc<Board>) -> Self {
        Self { board, mail: Mutex::default() }
    }

    /// Says why a command is not obeyed; a page that does not listen is not waited for.
    pub(crate) fn refuse(&self, reason: &str) {
        let mut mail = locked(&self.mail);
        if mail.refusals.len() < REFUSALS {
            mail.refusals.push_back(serde_json::json!({ "refused": reason }).to_string());
        }
        drop(mail);
        self.board.wake();
    }

    /// Ends its waiting.
    pub(crate) fn close(&self) {
        locked(&self.mail).closed = true;
        self.board.wake();
    }

    /// Waits for what is new since `seen`; none once the page is closed.
    pub(crate) fn news(&self, seen: &mut Seen) -> Option<Vec<News>> {
        let shown = self.board.wait(|shown| {
            let mail = locked(&self.mail);
            mail.closed
                || !mail.refusals.is_empty()
                || (shown.scene_number, shown.frame_number) != (seen.scene_number, seen.frame_number)
                || shown.status != seen.status
        });
        let mut mail = locked(&self.mail);
        if mail.closed {
            return None;
        }
        let mut news: Vec<News> = mail.refusals.drain(..).map(|reason| News::Text(reason.into())).collect();
        if shown.scene_number != seen.scene_number {
            news.push(News::Text(shown.scene));
        }
        if shown.status != seen.status {
            news.push(News::Text(shown.status.clone()));
        }
        if shown.frame_number != seen.frame_number {
            news.push(News::Binary(shown.frame));
        }
        *seen =
            Seen { scene_number: shown.scene_number, frame_number: shown.frame_number, status: shown.status };
        Some(news)
    }
}

/// How many pages look.
#[derive(Clone, Default)]
pub(crate) struct Watchers(Arc<AtomicUsize>);

/// One that looks, until it is dropped.
pub(crate) struct Watching(Watchers);

impl Watchers {
    pub(crate) fn watch(&self) -> Watching {
        self.0.fetch_add(1, Ordering::Relaxed);
        Watching(self.clone())
    }

    pub(crate) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
