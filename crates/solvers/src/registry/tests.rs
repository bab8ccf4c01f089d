//! Names, parameters and their messages.

use super::*;

#[test]
fn every_entry_makes_a_solver_of_its_name_and_law() {
    for entry in all() {
        let solver = make(entry.name, &Common::default()).unwrap();
        assert_eq!((solver.name(), solver.law()), (entry.name, entry.law));
    }
}

#[test]
fn a_wrong_name_is_told_the_right_ones() {
    let Err(error) = make("nsg", &Common::default()) else { panic!("`nsg` is no solver") };
    let text = error.to_string();
    assert!(text.contains("did you mean `nsgs`?") && text.contains("there are: auto, nsgs"), "{text}");
    assert!(make("nsgs", &Common { tolerance: -1.0, max_iterations: 10 }).is_err());
}

#[test]
fn parameters_are_read_and_unknown_ones_refused() {
    let from = |name: &str, texts: &[&str]| {
        make_from(name, &Common::default(), &Params::parse(texts).unwrap()).map(|s| s.name())
    };
    let told = |name: &str, texts: &[&str]| from(name, texts).expect_err("no such thing").to_string();
    for entry in all() {
        assert_eq!(from(entry.name, &["tolerance=1e-6", "max_iterations=1e2"]), Ok(entry.name));
        let typo = told(entry.name, &["tolerence=1e-6"]);
        assert!(typo.starts_with(entry.name) && typo.contains("did you mean `tolerance`?"), "{typo}");
        let range = told(entry.name, &["tolerance=0"]);
        assert!(range.contains("`tolerance` is 0.0; expected tolerance > 0 [m/s]"), "{range}");
        let large = told(entry.name, &["tolerance=1e155"]);
        assert!(large.contains("is 1e155; expected tolerance > 0 [m/s], and no more than 1e154"), "{large}");
        assert_eq!(from(entry.name, &["tolerance=1e154"]), Ok(entry.name));
        let part = told(entry.name, &["max_iterations=2.5"]);
        assert!(part.contains("`max_iterations` is 2.5; expected a whole number"), "{part}");
    }
    let word = told("nsgs", &["local=guess"]);
    assert!(word.contains("is guess; expected one of quartic, bisection, projection, newton"), "{word}");
    let group = told("raisim", &["relaxation.gamma=1.5"]);
    assert!(group.contains("`relaxation.gamma` is 1.5; expected 0 <= gamma <= 1"), "{group}");
    assert!(told("raisim", &["relaxation=1"]).contains("relaxation.gamma, relaxation.alpha_min"));
    assert!(matches!(from("pgs", &[]), Err(SolverError::Unknown { .. })));
}

/// Sweeps are called what they run.
#[test]
fn names_follow_the_parameters() {
    for entry in all().iter().filter(|e| e.has("memory") && e.has("finish")) {
        let (name, plain) = (entry.name, entry.name.trim_end_matches("-accelerated"));
        let made =
            |texts: &[&str]| entry.make(&Common::default(), &Params::parse(texts).unwrap()).unwrap().name();
        assert_eq!(made(&["memory=0", "finish=false"]), plain, "{name}");
        for some in [["memory=5", "finish=false"], ["memory=0", "finish=true"]] {
            assert_eq!(made(&some), format!("{plain}-accelerated"), "{name}");
        }
    }
}

/// `ncp-aclm` takes every solver of the relaxation inside.
#[test]
fn all_solvers_of_the_relaxation_can_be_inside() {
    let settings = find(NcpAclm::NAME).unwrap().settings();
    let inner = settings.iter().find(|s| s.name == "inner").unwrap();
    for entry in all().iter().filter(|e| e.law == Law::Ccp) {
        assert!(inner.allowed.contains(entry.name), "{}: {}", entry.name, inner.allowed);
    }
}

/// Every value that is a default is allowed, and every source stands in the header of its file.
#[test]
fn the_manual_is_true() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in all() {
        for setting in entry.settings() {
            let text = format!("{}={}", setting.name, setting.default);
            let params = Params::parse(&[text]).unwrap();
            assert!(entry.make(&Common::default(), &params).is_ok(), "{}: {setting:?}", entry.name);
            assert!(setting.effect.len() > 10 && !setting.allowed.is_empty(), "{setting:?}");
        }
        let plain = entry.name.trim_end_matches("-accelerated").trim_end_matches("-pyramidal");
        let file = folder.join(format!("{}.rs", plain.replace('-', "_")));
        let file = if file.exists() { file } else { folder.join(plain.replace('-', "_")).join("mod.rs") };
        let text = std::fs::read_to_string(&file).unwrap();
        for key in entry.source.trim_matches(['[', ']']).split("; ") {
            assert!(text.contains(key), "{}: {key} is not in {}", entry.name, file.display());
        }
    }
}
