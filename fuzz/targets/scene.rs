#![no_main]

use std::path::Path;
use stiction_scene::Scene;

/// Copies that a scene may ask for; larger worlds are not built here, they only take time.
const MOST: u64 = 1000;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(scene) = Scene::from_toml(text, Path::new("fuzz-nowhere/f.toml")) else { return };
    let copies = scene.body.iter().map(|b| {
        let grid = b.grid.map_or(1, |g| g.iter().fold(1, |n: u64, &k| n.saturating_mul(k.into())));
        grid.max(b.count.unwrap_or(1).into())
    });
    if copies.fold(0, u64::saturating_add) <= MOST {
        let _ = scene.build();
    }
});
