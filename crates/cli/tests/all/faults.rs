//! Nothing stale, nothing lost: what goes on from an earlier run, and what is left by one that was ended by force.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]
// Signals are sent by the shell, which has a `kill` of its own.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(here: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.current_dir(here).args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stiction(here: &Path, line: &str) -> Output {
    command(here, line).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{name}"));
    let _ = std::fs::remove_dir_all(&here);
    std::fs::create_dir_all(&here).unwrap();
    here
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a command that succeeded, and its remarks.
fn told(here: &Path, line: &str) -> [String; 2] {
    let done = stiction(here, line);
    assert!(done.status.success(), "{line}: {}", text(&done.stderr));
    [text(&done.stdout), text(&done.stderr)]
}

/// A command that fails without a panic, with every word.
fn fails(here: &Path, line: &str, words: &[&str]) {
    let done = stiction(here, line);
    let said = text(&done.stderr);
    assert!(matches!(done.status.code(), Some(1 | 2)), "{line}: {:?} {said}", done.status);
    assert!(!said.contains("panicked"), "{line}: {said}");
    for word in words {
        assert!(said.contains(word), "{line}: no `{word}` in: {said}");
    }
}

/// The command, sent `signal` once `ready`; its end.
fn ended_by(here: &Path, line: &str, signal: &str, ready: impl Fn() -> bool) -> Output {
    let child = command(here, line).spawn().unwrap();
    let begin = Instant::now();
    while !ready() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

/// Files of a folder, drafts of what was killed among them only if `drafts`.
fn files(here: &Path, drafts: bool) -> Vec<String> {
    let all = std::fs::read_dir(here).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut all: Vec<String> = all.filter(|n| drafts || !n.ends_with(".part")).collect();
    all.sort();
    all
}

/// A campaign goes on only with its own subject.
#[test]
fn a_campaign_goes_on_with_its_own_subject() {
    let here = folder("subject");
    let base = "stress --steps 300 --seed 300 --out s";
    let [first, _] = told(&here, base);
    assert!(first.contains("of an earlier run     0 steps of 0 worlds"), "{first}");
    for (other, word) in [
        (" --contact mujoco", "contact: \"auto\" there, \"mujoco\" now"),
        (" --batch 8", "batch: nothing there, 8 now"),
        (" --contact nsgs --contact-param local=bisection", "contact: \"auto\" there, \"nsgs\" now"),
    ] {
        fails(&here, &format!("{base}{other}"), &["s holds results of other inputs", word, "another folder"]);
    }
    told(&here, "stress --steps 100 --seed 300 --contact nsgs --out n");
    fails(
        &here,
        "stress --steps 100 --seed 300 --contact nsgs --contact-param local=bisection --out n",
        &["parameters"],
    );
    told(&here, "stress --steps 16 --seed 300 --batch 2 --out b");
    fails(&here, "stress --steps 16 --seed 300 --batch 2 --single --out b", &["precision"]);
    let [again, _] = told(&here, base);
    assert!(again.contains("of an earlier run     300 steps of 3 worlds"), "{again}");
}

/// Lines of a campaign that are cut off, altered or doubled.
#[test]
fn lines_of_a_campaign_are_what_was_written() {
    let here = folder("lines");
    let line = "stress --steps 300 --seed 300 --out s";
    told(&here, line);
    let path = here.join("s/trials.csv");
    let good = std::fs::read_to_string(&path).unwrap();
    let put = |text: &str| std::fs::write(&path, text).unwrap();
    put(&good.replace(",100,", ",101,"));
    fails(&here, line, &["s/trials.csv: line 2 is damaged", "delete this line"]);
    put(&format!("{good}{}\n", good.lines().nth(1).unwrap()));
    fails(&here, line, &["line 5 says what line 2 says", "of 300"]);
    put(&good[..good.len() - 30]);
    let [_, remark] = told(&here, line);
    assert!(remark.contains("was cut off") && std::fs::read_to_string(&path).unwrap() == good, "{remark}");
    fails(&here, "stress --steps 100 --threads 1000000", &["1000000", "1..=1024"]);
}

/// A scene with a mesh, measurements of it, and parameters found: with other numbers in either file nothing of before is
/// handed out.
#[cfg(feature = "full")]
#[test]
fn what_was_identified_from_other_data_is_refused() {
    let here = folder("identify");
    let put = |name: &str, text: &str| std::fs::write(here.join(name), text).unwrap();
    let seen = |g: f64| {
        let row = |k: u32| {
            let t = f64::from(k) * 0.01;
            format!("{t},{}\n", 1.0 + t - 0.5 * g * t * t + 1e-3 * f64::from(k % 3))
        };
        put("seen.csv", &format!("t [s],q ball z [m]\n{}", (1..30).map(row).collect::<String>()));
    };
    let scene = |radius: &str| {
        put("ball.toml", "duration = 0.3\n[[model]]\nfile = \"ball.xml\"\n");
        let geom = format!("<geom type=\"sphere\" size=\"{radius}\" mass=\"1\"/>");
        let body = format!("<body name=\"ball\" pos=\"0 0 1\"><freejoint name=\"ball\"/>{geom}</body>");
        put("ball.xml", &format!("<mujoco><worldbody>{body}</worldbody></mujoco>"));
    };
    seen(9.81);
    scene("0.1");
    let line = "learn identify ball.toml --data seen.csv --parameter gravity=1..20 --samples 60 --burn-in 20 --chains 2 \
                --generations 4 --out d --json";
    let [first, _] = told(&here, line);
    let [again, remark] = told(&here, line);
    assert!(first == again && remark.contains("120 samples of --out are of an earlier run"), "{remark}");
    seen(5.0);
    fails(&here, line, &["d holds results of other inputs", "data file 1: other contents"]);
    seen(9.81);
    scene("0.2");
    fails(&here, line, &["scene: other contents"]);
    scene("0.1");
    fails(&here, &line.replace("20 --chains", "30 --chains"), &["burn_in: 20 there, 30 now"]);
    let record = files(&here.join("d"), true).into_iter().find(|n| n.starts_with("chains-")).unwrap();
    let path = here.join("d").join(record);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    fails(&here, line, &["chains-", "damaged", "delete this file"]);
}

/// The line by which a table says that its run was cut short.
const CUT: &str = "interrupted";

/// SIGTERM and Ctrl-C keep what was simulated, in files that load and say that they are cut; only the exit code differs.
#[test]
fn who_is_asked_to_end_keeps_what_there_is() {
    let here = folder("signals");
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        for (option, name) in
            [("--out", "r.csv"), ("--out", "r.npz"), ("--out", "r.parquet"), ("--replay", "r.html")]
        {
            let name = format!("{signal}-{name}");
            let line = format!("run stack --duration 3000 {option} {name}");
            let begin = Instant::now();
            let done = ended_by(&here, &line, signal, || begin.elapsed() > Duration::from_millis(400));
            assert_eq!(done.status.code(), Some(code), "{line}: {}", text(&done.stderr));
            let bytes = std::fs::read(here.join(&name)).unwrap_or_else(|e| panic!("{line}: {e}"));
            let says = |word: &str| bytes.windows(word.len()).any(|w| w == word.as_bytes());
            match name.rsplit('.').next() {
                Some("npz") => assert!(says("about.json")),
                Some("html") => assert!(says("(interrupted at t = ")),
                _ => assert!(says(CUT), "{name}"),
            }
        }
    }
    let table = text(&std::fs::read(here.join("TERM-r.csv")).unwrap());
    assert!(table.lines().last().unwrap().starts_with("# interrupted at t = "), "{table:.200}");
    let stop = ended_by(&here, "stress --steps 100000000 --out s", "TERM", || {
        std::fs::read_to_string(here.join("s/trials.csv")).is_ok_and(|t| t.lines().count() > 3)
    });
    assert_eq!(stop.status.code(), Some(143));
    let [again, _] = told(&here, "stress --steps 1 --out s");
    assert!(!again.contains("earlier run     0 steps"), "{again}");
}

/// A table that is cut loads as what it is, and says so to who looks.
#[cfg(feature = "full")]
#[test]
fn a_table_that_is_cut_is_read() {
    let here = folder("cut");
    let begin = Instant::now();
    let done = ended_by(&here, "run cube-slide --duration 3000 --out r.csv", "TERM", || {
        begin.elapsed() > Duration::from_millis(300)
    });
    assert_eq!(done.status.code(), Some(143));
    let line = "learn identify cube-slide --data r.csv --start data --parameter gravity=1..20 --no-posterior --generations 1";
    let done = stiction(&here, line);
    assert!(!text(&done.stderr).contains("is no number"), "{}", text(&done.stderr));
}

/// Interrupted pictures are counted, and the script that makes a video of them is told.
#[test]
fn interrupted_pictures_are_counted() {
    let here = folder("pictures");
    let there = || std::fs::read_dir(here.join("q")).map_or(0, Iterator::count) > 5;
    let done = ended_by(&here, "render stack --frames q --duration 5", "INT", there);
    assert_eq!(done.status.code(), Some(130), "{}", text(&done.stderr));
    let count = files(&here.join("q"), true).len();
    assert!(
        text(&done.stdout).contains(&format!("{count} of 301 frames to q")),
        "{count}: {}",
        text(&done.stdout)
    );
}

/// A disk that is full is told with the file's name, and nothing of the file stays.
#[test]
fn a_full_disk_is_told_with_the_name() {
    let here = folder("full");
    for name in ["r.csv", "r.npz", "r.parquet", "r.html", "x.json", "x.xml"] {
        std::os::unix::fs::symlink("/dev/full", here.join(name)).unwrap();
    }
    for line in [
        "run cube-slide --duration 0.1 --out r.csv",
        "run cube-slide --duration 0.1 --out r.npz",
        "run cube-slide --duration 0.1 --out r.parquet",
        "run cube-slide --duration 0.1 --replay r.html",
        "convert quadruped x.xml --force",
    ] {
        let name = line.split(' ').find(|w| w.contains('.') && !w.starts_with('0')).unwrap();
        fails(&here, line, &[name, "No space left on device"]);
    }
}

/// A writer that is killed, and how one knows that its file is whole.
struct Writer {
    line: &'static str,
    file: &'static str,
    /// True of a whole file, beside the one that a writer which was left alone wrote.
    whole: fn(&[u8], &[u8]) -> bool,
}

fn ends(bytes: &[u8], with: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(with)
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count()
}

/// The record that ends a ZIP archive.
fn archive(bytes: &[u8], _: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") && bytes[bytes.len().saturating_sub(22)..].starts_with(b"PK\x05\x06")
}

const WRITERS: [Writer; 7] = [
    Writer { line: "run stack --duration 1 --out F", file: "r.npz", whole: archive },
    Writer {
        line: "run stack --duration 1 --out F",
        file: "r.parquet",
        whole: |b, _| b.starts_with(b"PAR1") && ends(b, b"PAR1"),
    },
    Writer {
        line: "run stack --duration 1 --out F",
        file: "r.csv",
        whole: |b, new| b.ends_with(b"\n") && lines(b) == lines(new),
    },
    Writer { line: "run stack --duration 1 --replay F", file: "r.html", whole: |b, _| ends(b, b"</html>") },
    #[cfg(feature = "full")]
    Writer {
        line: "run stack --duration 1 --replay F",
        file: "r.mcap",
        whole: |b, _| b.starts_with(b"\x89MCAP0\r\n") && b.ends_with(b"\x89MCAP0\r\n"),
    },
    #[cfg(not(feature = "full"))]
    Writer { line: "run stack --duration 1 --replay F", file: "s.html", whole: |b, _| ends(b, b"</html>") },
    Writer { line: "convert quadruped F --force", file: "r.xml", whole: |b, new| b == new },
    Writer { line: "convert p.json F --force", file: "r.hdf5", whole: |b, new| b == new },
];

/// Killed at any moment, a writer leaves the old file or the new one, whole; a campaign goes on to the totals of one that was
/// left alone. `STICTION_KILLS` says how often each is killed.
#[test]
fn killed_writers_leave_the_old_file_or_the_new() {
    let here = folder("kills");
    let kills: u32 = std::env::var("STICTION_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let dumped = told(&here, "run stack --duration 0.2 --dump-problems dump --when worst");
    let problem = files(&here.join("dump"), false).remove(0);
    std::fs::copy(here.join("dump").join(problem), here.join("p.json"))
        .unwrap_or_else(|e| panic!("{e}: {dumped:?}"));
    let mut seed = 12345_u64;
    let mut drawn = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for Writer { line, file, whole } in &WRITERS {
        let line = line.replace('F', file);
        let path = here.join(file);
        let begin = Instant::now();
        told(&here, &line);
        let span = begin.elapsed();
        let new = std::fs::read(&path).unwrap();
        assert!(whole(&new, &new), "{line}");
        let mut outcomes = [0; 2];
        for kill in 0..kills {
            std::fs::write(&path, "old").unwrap();
            let mut child = command(&here, &line).spawn().unwrap();
            // Most of the writing is at the end.
            std::thread::sleep(span.mul_f64(1.1 * drawn().sqrt()));
            let _ = child.kill();
            child.wait().unwrap();
            let left = std::fs::read(&path).unwrap();
            assert!(left == b"old" || whole(&left, &new), "{line}, kill {kill}: {} bytes", left.len());
            outcomes[usize::from(left != b"old")] += 1;
        }
        let [stayed, came] = outcomes;
        println!("{file:<10} {kills} kills: {stayed} old, {came} new, 0 others");
    }
    let line = "stress --steps 1500 --seed 300 --out";
    let alone =
        told(&here, &format!("{line} whole"))[0].lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    for kill in 0..kills {
        let _ = std::fs::remove_dir_all(here.join("killed"));
        let mut child = command(&here, &format!("{line} killed")).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(0.6 * drawn()));
        let _ = child.kill();
        child.wait().unwrap();
        let [again, _] = told(&here, &format!("{line} killed"));
        assert_eq!(again.lines().skip(2).map(str::to_owned).collect::<Vec<_>>(), alone, "kill {kill}");
    }
    println!("stress     {kills} kills: all go on to the totals of one that was left alone");
}

/// A size that does not fit is an error with its size, before it is tried.
#[test]
fn limits_are_errors() {
    let here = folder("limits");
    let body = |i: u32| format!("<body pos=\"{i} 0 1\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>");
    let bodies = (0..60_000).map(body).collect::<String>();
    std::fs::write(here.join("many.xml"), format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>"))
        .unwrap();
    fails(
        &here,
        "inspect many.xml",
        &["the mass matrix", "360000 × 360000 numbers", "GB are free", "stiction check"],
    );
    for line in [
        "run stack --tolerance 1e155",
        "run stack --contact nsgs --contact-param tolerance=1e300",
        "run stack --contact mujoco --tolerance 1e308",
    ] {
        fails(&here, line, &["`tolerance` is 1e", "no more than 1e154"]);
    }
    std::fs::write(here.join("t.toml"), "[contact]\ntolerance = 1e308\n[ground]\n").unwrap();
    fails(&here, "run t.toml", &["tolerance"]);
    let link = |i: u32| format!("<body name=\"b{i}\"><joint axis=\"0 1 0\"/><geom size=\"0.1\" mass=\"1\"/>");
    let chain = (0..500).map(link).collect::<String>() + &"</body>".repeat(500);
    std::fs::write(here.join("deep.xml"), format!("<mujoco><worldbody>{chain}</worldbody></mujoco>"))
        .unwrap();
    fails(
        &here,
        "run deep.xml --duration 0.001 --dt 0.001",
        &["124251 contacts of chains of up to 500 dofs", "1e8 are taken"],
    );
    fails(
        &here,
        "run stack --duration 0.1 --warm-up 18446744073709551615",
        &["--warm-up", "more than the 100 steps"],
    );
}

/// The address of a live page has the token: no argument of a program has, which everybody reads in the list of processes.
#[test]
fn the_token_is_no_argument() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::PermissionsExt;
    let here = folder("token");
    let opener = here.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\nstat -c %a \"$1\" > mode\ncp \"$1\" page\nprintf '%s' \"$1\" > argument.part\nmv argument.part argument\n").unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
    let mut child = command(&here, "view stack")
        .env("PATH", path)
        .env("DISPLAY", ":0")
        .env("TMPDIR", &here)
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    let begin = Instant::now();
    while !here.join("argument").exists() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let read = |name: &str| std::fs::read_to_string(here.join(name)).unwrap();
    let token = url.trim().split_once("token=").unwrap().1;
    assert!(!read("argument").contains(token) && read("argument").ends_with(".html"), "{}", read("argument"));
    assert_eq!(read("mode").trim(), "600");
    assert!(read("page").contains(&format!("url={}", url.trim())), "{}", read("page"));
}

/// A disk that has no room for the whole file, as a limit of the size of files acts: it is told with the file's name, what was
/// there before stays, and no draft is left. A campaign keeps the trials that it wrote, and goes on from them.
#[test]
fn what_finds_no_room_leaves_what_was_there() {
    let here = folder("room");
    let limited = |line: &str| {
        let program = env!("CARGO_BIN_EXE_stiction");
        // Blocks of 512 or 1024 bytes, as the shell has it; the signal that says the same is ignored.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} {line}");
        Command::new("sh").current_dir(&here).args(["-c", &script]).output().unwrap()
    };
    told(&here, "run stack --duration 0.2 --dump-problems dump --when worst");
    let problem = files(&here.join("dump"), false).remove(0);
    std::fs::copy(here.join("dump").join(problem), here.join("p.json")).unwrap();
    let mut lines = vec![
        ("run stack --duration 0.2 --out r.npz", "r.npz"),
        ("run stack --duration 0.2 --out r.parquet", "r.parquet"),
        ("run stack --duration 0.2 --out r.csv", "r.csv"),
        ("run stack --duration 0.2 --replay r.html", "r.html"),
        ("compare stack --duration 0.1 --report c.html", "c.html"),
        ("convert quadruped q.xml --force", "q.xml"),
        ("convert p.json p.hdf5 --force", "p.hdf5"),
        ("convert p.json p.dat --force", "p.dat"),
    ];
    if cfg!(feature = "full") {
        lines.push(("run stack --duration 0.2 --replay r.mcap", "r.mcap"));
        lines.push(("learn sole --out sole.json", "sole.json"));
    }
    for (line, name) in lines {
        std::fs::write(here.join(name), "old").unwrap();
        let before = files(&here, true);
        let done = limited(line);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains(name) && said.contains("too large"), "{line}: {said}");
        assert_eq!(std::fs::read(here.join(name)).unwrap(), b"old", "{line}");
        assert_eq!(files(&here, true), before, "{line}");
    }
    let line = "stress --steps 2000 --seed 305 --out s";
    let done = limited(line);
    assert!(text(&done.stderr).contains("s/trials.csv: File too large"), "{}", text(&done.stderr));
    let [again, remark] = told(&here, line);
    let [alone, _] = told(&here, &line.replace("--out s", "--out whole"));
    // Worlds of note say, too, that their problems found no room.
    let rest =
        |t: &str| t.lines().skip(2).filter(|l| !l.contains("seed")).map(str::to_owned).collect::<Vec<_>>();
    assert!(!again.contains("earlier run     0 steps") && remark.is_empty(), "{again}{remark}");
    assert_eq!(rest(&again), rest(&alone));
}

/// Results of a profile are those of the problems that are there now, not of others that had their names.
#[test]
fn profiles_are_of_the_problems_that_are_there() {
    let here = folder("profile");
    std::fs::create_dir(here.join("p")).unwrap();
    let rod = |mu: f64| {
        let text = format!(
            r#"{{"name": "rod", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
            "W": {{"shape": [3, 3], "dense": [[1.6, -0.2, 0], [-0.2, 3.4, 0], [0, 0, 4]]}}, "q": [-1, -10, 0], "mu": [{mu}]}}"#
        );
        std::fs::write(here.join("p/rod.json"), text).unwrap();
    };
    let line = "solve p --solver nsgs,ccp-pgs --profile out --json";
    rod(0.5);
    let [first, _] = told(&here, line);
    assert_eq!(told(&here, line), [first, String::new()], "nothing is computed again");
    rod(0.9);
    let [_, remark] = told(&here, line);
    assert!(
        remark.contains("6 earlier results in out/results.jsonl are damaged or of other problems"),
        "{remark}"
    );
}

/// Where the system gives no thread, here for the stack that it would need, a live page ends with an error.
#[test]
fn a_live_page_without_threads_is_an_error() {
    let here = folder("threads");
    let done =
        command(&here, "view stack --no-open").env("RUST_MIN_STACK", "100000000000000").output().unwrap();
    let said = text(&done.stderr);
    assert!(
        done.status.code() == Some(1)
            && said.starts_with("error: the page cannot be served")
            && !said.contains("panicked"),
        "{said}"
    );
}
