//! Damaged files of every format through the program: an error that names the file, or an answer; never a panic, an abort or a
//! hang. The seeds are those of `fuzz/`, and what the program writes itself. `STICTION_MUTATIONS` says how many of each seed are
//! tried, `STICTION_SEED` from which number on.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// Address space [KiB] and processor time [s] that a file may cost.
const MEMORY: u32 = 4_000_000;
const SECONDS: u32 = 60;

/// SplitMix64 [Steele2014].
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

fn limited(here: &Path, args: &[&str]) -> Output {
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limits, env!("CARGO_BIN_EXE_stiction")]).args(args);
    command.current_dir(here).output().unwrap()
}

/// Numbers that programs stumble over.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "18446744073709551615",
    "-9223372036854775808",
    "4294967296",
    "1e99999",
    "",
    "0x7f",
    "99999999999999999999999999",
];

/// A damaged copy: bytes, numbers, or structure.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        let to = at + random.below((bytes.len() - at).min(200));
        match random.below(7) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let piece = bytes[at..to].to_vec();
                let into = random.below(bytes.len());
                drop(bytes.splice(into..into, piece));
            }
            4 => bytes[at..to].iter_mut().for_each(|b| *b = random.next() as u8),
            // Eight bytes of a binary format are a size, a place or a number.
            5 => {
                let words = [u64::MAX, f64::NAN.to_bits(), 1 << 40].map(u64::to_le_bytes);
                let word = words[random.below(words.len())];
                let end = (at + 8).min(bytes.len());
                let count = end - at;
                bytes[at..end].copy_from_slice(&word[..count]);
            }
            _ => {
                let digit = |b: &u8| b.is_ascii_digit();
                if let Some(start) = bytes[at..].iter().position(digit).map(|i| at + i) {
                    let length = bytes[start..].iter().take_while(|b| digit(b) || **b == b'.').count();
                    drop(bytes.splice(start..start + length, random.of(&NUMBERS).bytes()));
                }
            }
        }
    }
    bytes
}

/// The fault in the end of the program, if there is one.
fn objection(done: &Output, name: &str) -> Option<String> {
    let said = String::from_utf8_lossy(&done.stderr);
    let wrong = match done.status.code() {
        None => format!("ended by a signal: {}", done.status),
        Some(_) if said.contains("panicked") => "a panic".to_owned(),
        Some(2) if !said.contains(name) => "the error does not name the file".to_owned(),
        Some(0..=2) => return None,
        Some(code) => format!("exit code {code}"),
    };
    Some(format!("{wrong}: {}", said.chars().take(400).collect::<String>()))
}

/// A file with its name, and the arguments of the program that read it.
struct Seed {
    name: String,
    bytes: Vec<u8>,
    line: Vec<String>,
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// A robot that carries the mesh.
fn with_mesh(folder: &Path, mesh: &str) -> Vec<String> {
    let robot = format!("{mesh}.urdf");
    let geometry = format!("<collision><geometry><mesh filename=\"{mesh}\"/></geometry></collision>");
    std::fs::write(
        folder.join(&robot),
        format!("<robot name=\"r\"><link name=\"l\">{geometry}</link></robot>"),
    )
    .unwrap();
    words(&format!("inspect {robot}"))
}

fn seeds(folder: &Path) -> Vec<Seed> {
    let mut all = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for kind in ["urdf", "mjcf", "sdf", "scene", "problem", "stl", "obj", "dae", "gltf"] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(kind)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "no seeds of {kind}");
        for path in files {
            let name = format!("{kind}-{}", path.file_name().unwrap().to_str().unwrap());
            let line = match kind {
                "scene" => words(&format!("run {name} --json --duration 0.01")),
                "problem" => words(&format!("solve {name} --max-iterations 50")),
                "stl" | "obj" | "dae" | "gltf" => with_mesh(folder, &name),
                _ => words(&format!("inspect {name}")),
            };
            all.push(Seed { name, bytes: std::fs::read(path).unwrap(), line });
        }
    }
    // What the program writes is read back.
    let made = |line: &str| {
        let done = limited(folder, &line.split(' ').collect::<Vec<_>>());
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    };
    made("run cube-slide --duration 0.02 --out run.npz --replay run.html --dump-problems dumped");
    made("run cube-slide --duration 0.02 --out run.csv");
    let dumped = std::fs::read_dir(folder.join("dumped")).unwrap().next().unwrap().unwrap().path();
    std::fs::copy(dumped, folder.join("problem.json")).unwrap();
    for ending in ["hdf5", "dat", "npz"] {
        made(&format!("convert problem.json problem.{ending}"));
    }
    let mut own = vec![
        ("problem.json", "solve problem.json"),
        ("problem.hdf5", "solve problem.hdf5"),
        ("problem.dat", "solve problem.dat"),
        ("problem.npz", "solve problem.npz"),
    ];
    if cfg!(feature = "full") {
        own.push(("run.npz", "learn identify cube-slide --data run.npz --parameter gravity=1..20 --no-posterior --generations 1"));
        own.push(("run.csv", "learn identify cube-slide --data run.csv --parameter gravity=1..20 --no-posterior --generations 1"));
    }
    for (name, line) in own {
        all.push(Seed {
            name: name.to_owned(),
            bytes: std::fs::read(folder.join(name)).unwrap(),
            line: words(line),
        });
    }
    all
}

#[test]
fn damaged_files_are_told() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (each, first) = (environment("STICTION_MUTATIONS", 2), environment("STICTION_SEED", 1));
    let seeds = seeds(&folder);
    let (next, wrong) = (Mutex::new(seeds.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (folder, next, wrong) = (folder.join(format!("w{worker}")), &next, &wrong);
            let from = folder.parent().unwrap().to_owned();
            scope.spawn(move || {
                std::fs::create_dir_all(&folder).unwrap();
                loop {
                    let Some(seed) = next.lock().unwrap().next() else { break };
                    for file in &seed.line {
                        // The robot that carries a mesh.
                        if file.ends_with(".urdf") && *file != seed.name {
                            std::fs::copy(from.join(file), folder.join(file)).unwrap();
                        }
                    }
                    for number in first..first + each {
                        let hash = seed
                            .name
                            .bytes()
                            .fold(number, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
                        let bytes = mutated(&seed.bytes, &mut Random(hash));
                        std::fs::write(folder.join(&seed.name), bytes).unwrap();
                        let line: Vec<&str> = seed.line.iter().map(String::as_str).collect();
                        let found = objection(&limited(&folder, &line), &seed.name);
                        if let Some(found) = found {
                            wrong.lock().unwrap().push(format!("{}, mutation {number}: {found}", seed.name));
                        }
                    }
                }
            });
        }
    });
    println!("{} damaged copies of {} files", each * seeds.len() as u64, seeds.len());
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
