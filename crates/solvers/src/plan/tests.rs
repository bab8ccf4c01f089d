//! Plans that are changed, and the page of a plan.

use super::*;
use crate::auto::{Auto, AutoParams};
use crate::springs::SpringsParams;
use crate::testing::{stack, with_delassus_factor};
use crate::tuning::IslandsTuning;
use stiction_contact::ContactSolver;
use stiction_contact::certificate::certify;
use stiction_dynamics::spatial::vec3;

/// The stages that a plan tries on a dragged stack of twelve cubes, given as an island of many rows; the
/// natural map at the end.
fn tried(plan: Plan, params: AutoParams) -> (Vec<Stage>, f64) {
    let problem = with_delassus_factor(stack(&[1.0; 12], vec3(1.5, 0.4, 0.0), 0.4));
    let mut known = ConstraintProblem::default();
    known.copy_rows_of(&problem);
    let springs = SpringsParams { rows: 0, ..params.springs };
    let mut auto = Auto::with_plan(AutoParams { springs, ..params }, plan).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    let (report, tried) = explained(|| auto.solve(&known, &mut impulses));
    assert!(report.converged(), "{report:?}");
    assert!(tried.iter().all(|t| t.rows <= problem.rows() && t.seconds >= 0.0));
    (tried.into_iter().map(|t| t.stage).collect(), certify(&problem, &impulses).natural_map)
}

/// A stage is added, one is moved and one is left out by the table alone; each plan leads to the tolerance.
#[test]
fn tables_say_what_is_tried() {
    let params = AutoParams::default();
    let (plain, natural_map) = tried(AUTO, params);
    assert!(plain.contains(&Stage::Newton) && natural_map <= 1e-8, "{plain:?} {natural_map:e}");
    assert!(!plain.contains(&Stage::SmoothedNewton), "{plain:?}");

    let island = AUTO.island.with(4, most(60, Stage::SmoothedNewton, &[When::Exact]));
    let (added, natural_map) = tried(Plan { island, ..AUTO }, params);
    assert!(added.contains(&Stage::SmoothedNewton) && natural_map <= 1e-8, "{added:?} {natural_map:e}");

    let first = line(Stage::Hold, &[When::ManyRows, When::Friction]);
    let island = AUTO.island.without(Stage::Hold).with(0, first);
    let (moved, natural_map) = tried(Plan { island, ..AUTO }, params);
    let at = |s: Stage| moved.iter().position(|t| *t == s);
    assert!(at(Stage::Hold).is_some() && at(Stage::Hold) < at(Stage::Starts), "{moved:?}");
    assert!(!plain.contains(&Stage::Hold) && natural_map <= 1e-8, "{plain:?} {natural_map:e}");

    let (left_out, natural_map) = tried(AUTO.without(Stage::Newton), params);
    assert!(!left_out.contains(&Stage::Newton) && natural_map <= 1e-8, "{left_out:?} {natural_map:e}");
    let by_parameter = AutoParams { plan: PlanParams { newton: false, ..PlanParams::default() }, ..params };
    assert_eq!(tried(AUTO, by_parameter).0, left_out);
}

/// The numbers of stages are parameters: sizes of islands decide what is tried, and a number out of its range
/// is refused by name.
#[test]
fn numbers_of_stages_are_parameters() {
    let params = AutoParams::default();
    let islands = IslandsTuning { cheap: 0, fewest: 0, ..params.islands };
    let (plain, _) = tried(AUTO, params);
    let (dear, natural_map) = tried(AUTO, AutoParams { islands, ..params });
    assert!(plain != dear && natural_map <= 1e-8, "{plain:?} {dear:?} {natural_map:e}");

    let set = |text: &str| {
        let params = crate::Params::parse(&[text]).unwrap();
        crate::make_from("auto", &crate::Common::default(), &params).err().map(|e| e.to_string())
    };
    for text in ["newton.power=0.6", "path.turn=0.2", "parts.knots=2", "smoothing.folds=4", "sweeps.idle=20"]
    {
        assert_eq!(set(text), None, "{text}");
    }
    for text in ["newton.power=0", "attempts.deep=2", "smoothing_start.proximal=0", "islands.near=0.5"] {
        let name = text.split('=').next().unwrap();
        assert!(set(text).is_some_and(|e| e.contains(name)), "{text}: {:?}", set(text));
    }
}

/// A stage where nobody would try it is an error that names both.
#[test]
fn a_stage_in_the_wrong_table_is_refused() {
    assert_eq!([AUTO, SWEEPS, RAISIM].map(|plan| plan.misplaced()), [None; 3]);
    let between = AUTO.between.with(0, line(Stage::Springs, &[]));
    let refused = Auto::with_plan(AutoParams::default(), Plan { between, ..AUTO }).err().unwrap().to_string();
    assert!(refused.contains("plan.between") && refused.contains("springs"), "{refused}");
}

/// The page of the plan is that of the code.
#[test]
fn the_page_is_the_code() {
    let page = include_str!("../../../../docs/contact-models.md");
    assert!(page.contains(&AUTO.page()), "docs/contact-models.md should hold\n{}", AUTO.page());
}

/// Every word is of one stage or condition.
#[test]
fn words_are_apart() {
    let mut words: Vec<&str> = Stage::ALL.iter().map(|s| s.name()).collect();
    words.extend(When::ALL.iter().map(|w| w.name()));
    let all = words.len();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), all);
}
