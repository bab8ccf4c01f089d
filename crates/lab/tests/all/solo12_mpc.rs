//! The experiment of many runs is told how to go on: it stops when it is asked to, keeps what is done, and names what it
//! does not know. What it claims is tested with all experiments.

use std::cell::RefCell;
use std::ops::ControlFlow;
use stiction_lab::experiments::{Conduct, Contacts, ExperimentError, Size, named};
use stiction_lab::plot::Formats;

#[test]
fn what_is_done_is_kept_when_it_is_interrupted() {
    let experiment = named("solo12-mpc").unwrap();
    let out = std::env::temp_dir().join(format!("stiction-solo12-{}", std::process::id()));
    let kept = out.join("runs");
    let told = RefCell::new(Vec::new());
    // The first run is let through, the second is not.
    let tell = |done: usize, all: usize, label: &str| {
        told.borrow_mut().push((done, all, label.to_owned()));
        if done == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let conduct =
        Conduct { size: Size::Small, contacts: Contacts::Published, kept: Some(&kept), tell: &tell };
    let interrupted = || {
        matches!(experiment.conduct(&out, &conduct, Formats::default()), Err(ExperimentError::Interrupted))
    };
    assert!(experiment.is_staged());
    assert!(interrupted());
    let first = told.take();
    assert!(first.len() > 10 && first[0] == (0, 12, "trot on flat ground".to_owned()), "{:?}", first[0]);
    let records = || {
        let files = std::fs::read_dir(&kept).unwrap().map(|f| f.unwrap().path());
        files.filter(|f| f.extension().is_some_and(|e| e == "record")).count()
    };
    assert_eq!(records(), 1);
    // Again: the first is there, and is not run.
    assert!(interrupted());
    assert_eq!(told.take(), [(1, 12, "walk on flat ground".to_owned())]);
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn solvers_that_nobody_knows_and_experiments_that_compare_none_are_named() {
    let out = std::env::temp_dir().join("stiction-solo12-refused");
    let tell = |_: usize, _: usize, _: &str| ControlFlow::Break(());
    let told = |name: &str, contact: &str| {
        let contacts = Contacts::Also(vec![contact.to_owned()]);
        let conduct = Conduct { size: Size::Small, contacts, kept: None, tell: &tell };
        named(name).unwrap().conduct(&out, &conduct, Formats::default()).map(drop).unwrap_err().to_string()
    };
    let unknown = told("solo12-mpc", "raisin");
    assert!(unknown.contains("no contact solver is called `raisin`; did you mean `raisim`?"), "{unknown}");
    assert!(unknown.contains("stewart-trinkle"), "{unknown}");
    assert!(told("creep", "nsgs").contains("creep compares no contact models: leave `--contact` out"));
}
