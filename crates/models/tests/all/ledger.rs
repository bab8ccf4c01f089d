//! Nothing is dropped silently.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common;

use common::data;
use std::path::Path;
use stiction_models::{LoadOptions, load, load_str};
use stiction_world::{Fate, Ledger};

fn ledger(text: &str) -> Ledger {
    let world = load_str(text, Path::new("f"), Path::new("."), &LoadOptions::default());
    world.unwrap_or_else(|e| panic!("{e}")).ledger
}

fn lines(ledger: &Ledger, fate: Fate) -> Vec<String> {
    ledger.of(fate).map(|e| format!("{} {}x {}", e.first, e.count, e.what)).collect()
}

#[test]
fn unknown_words_are_reported_with_their_place_and_a_hint() {
    let l = ledger(
        "<mujoco>\n<worldbody>\n<geom size='1' frction='2'/>\n<geom size='1' frction='3'/>\n<site zize='1'/>\n\
         <gom size='1'><x/></gom></worldbody>\n<sensr/></mujoco>",
    );
    let unknown = lines(&l, Fate::Unknown);
    assert_eq!(
        unknown,
        [
            "f:3:16 2x geom@frction",
            "f:5:7 1x site@zize",
            "f:6:1 1x gom",
            "f:6:6 1x gom@size",
            "f:6:15 1x x",
            "f:7:1 1x sensr"
        ]
    );
    let note = &l.of(Fate::Unknown).next().unwrap().note;
    assert!(note.contains("did you mean `friction`?"), "{note}");
    let l = ledger("<robot name='r'>\n<link name='a'><colision/></link></robot>");
    assert_eq!(lines(&l, Fate::Unknown), ["f:2:16 1x colision"]);
}

#[test]
fn used_kept_and_unsupported_are_told_apart() {
    let l = ledger(
        "<mujoco><option integrator='RK4' density='1'/><worldbody>\
         <geom size='1' solref='1 1' condim='3'/><geom size='1' condim='6'/><camera fovy='1'/><light dir='0 0 -1'/></worldbody></mujoco>",
    );
    let words = |fate| l.of(fate).map(|e| e.what.as_str()).collect::<Vec<_>>();
    assert_eq!(words(Fate::Kept), ["option@integrator", "light", "light@dir"]);
    assert_eq!(words(Fate::Softness), ["geom@solref"]);
    assert_eq!(words(Fate::Unsupported), ["option@density"]);
    let used = ["mujoco", "option", "worldbody", "geom", "geom@size", "geom@condim", "camera", "camera@fovy"];
    assert_eq!(words(Fate::Used), used);
    assert!(l.entries.iter().all(|e| e.fate == Fate::Used || !e.note.is_empty()));
}

/// Every element and attribute of a file is counted exactly once.
#[test]
fn the_ledger_is_complete() {
    let mut files = 0;
    for path in [
        "robots/solo12/solo12.urdf",
        "robots/a1_mjcf/a1.xml",
        "robots/anymal_c_mjcf/anymal_c.xml",
        "robots/panda_mjcf/panda.xml",
        "robots/allegro_hand/allegro_right.urdf",
        "robots/iiwa14/iiwa14.urdf",
        "mjcf/model/humanoid/humanoid.xml",
        "robots/cassie_mjcf/cassie.xml",
        "robots/robosimian/robosimian_caesar_new.urdf",
    ] {
        let Some(file) = data(path) else { continue };
        files += 1;
        let text = std::fs::read_to_string(&file).unwrap();
        let xml = roxmltree::Document::parse(&text).unwrap();
        let elements = xml.descendants().filter(|n| n.is_element());
        let expected: usize = elements.map(|e| 1 + e.attributes().count()).sum();
        let world = load(&file, &LoadOptions { visuals: false, ..LoadOptions::default() });
        let ledger = world.unwrap_or_else(|e| panic!("{e}")).ledger;
        assert_eq!(ledger.entries.iter().map(|e| e.count).sum::<usize>(), expected, "{path}");
        assert_eq!(lines(&ledger, Fate::Unknown), Vec::<String>::new(), "{path}");
    }
    println!("{files} files checked");
}
