//! `stiction learn`: what contact laws cannot know, from data.

use crate::args::{DiceArgs, DropArgs, LearnArgs, LearnCommand, PosteriorArgs};
use crate::failure::Failure;
use crate::learn_input::{chosen_models, failed, numbers_of, sampling_of, tell_samples, tell_taken};
use crate::output::{complain, say, say_json};
use crate::progress::Meter;
use crate::table::{number, table};
use crate::{
    learn_belief, learn_cassie, learn_ellipse, learn_figures, learn_identify, learn_propagate, learn_sole,
    learn_toss,
};
use serde_json::{Value, json};
use stiction::random::Random;
use stiction_experiments::replications::toss::{Cube, Elbow};
use stiction_learn::data::Trajectory;
use stiction_learn::dice::{
    self, DiceParameters, DiceSet, Effort, MODELS, Model, NAMED, Named, Objective, Row,
};
use stiction_learn::identify::Chain;
use stiction_learn::score::mean_and_spread;
use stiction_learn::store::Store;
use stiction_scene::nearest::hint;

pub(crate) fn learn(args: &LearnArgs) -> Result<(), Failure> {
    match &args.what {
        LearnCommand::Dice(args) => dice(args),
        LearnCommand::Posterior(args) => posterior(args),
        LearnCommand::Belief(args) => learn_belief::belief(args),
        LearnCommand::Propagate(args) => learn_propagate::propagate(args),
        LearnCommand::Ellipse(args) => learn_ellipse::ellipse(args),
        LearnCommand::Cube(args) => learn_toss::toss::<Cube>(args),
        LearnCommand::Elbow(args) => learn_toss::toss::<Elbow>(args),
        LearnCommand::Cassie(args) => learn_cassie::cassie(args),
        LearnCommand::Identify(args) => learn_identify::identify(args),
        LearnCommand::Sole(args) => learn_sole::sole(args),
    }
}

fn dice(args: &DiceArgs) -> Result<(), Failure> {
    if args.models == ["list"] {
        let lines = MODELS.iter().map(|m| format!("{:<18}{}", m.name, m.title));
        return say(&lines.collect::<Vec<_>>().join("\n"));
    }
    if args.test.is_none() && args.splits.is_none() {
        return Err(Failure::input(
            "which drops judge? Give --test NUMBERS, or --splits N to draw them from --train",
        ));
    }
    let models = chosen_models(&args.models)?;
    let set = DiceSet::read(&args.drops.data).map_err(Failure::input)?;
    let train_ids = numbers_of(&args.drops.train, "--train")?;
    let train = set.choose(&train_ids).map_err(Failure::input)?;
    if !(args.stick_below >= 0.0 && args.stick_below.is_finite()) {
        return Err(Failure::input(format!("--stick-below is {}, expected a number >= 0", args.stick_below)));
    }
    let effort = Effort {
        members: usize::from(args.members),
        stick_below: args.stick_below,
        objective: if args.objective == "error" { Objective::Error } else { Objective::EnergyScore },
        seed: args.drops.common.seed,
        ..Effort::default()
    };
    let store = Store::new(args.drops.out.as_deref(), &set.measured).map_err(Failure::input)?;
    let meter = Meter::new(!args.drops.common.json);
    if let Some(test) = &args.test {
        let test = set.choose(&numbers_of(test, "--test")?).map_err(Failure::input)?;
        if let Some(both) = test.iter().find(|d| train_ids.contains(&d.id)) {
            return Err(Failure::input(format!("drop {} is in --train and in --test", both.id)));
        }
        let rows = judged(&models, &set, &train, &test, &effort, &store, &meter)?;
        meter.done();
        tell_taken(&store);
        if !args.drops.common.json {
            let found = dice::misses(&dice::ground_impacts(&test, &effort.isolation));
            complain(&format!("isolated impacts with the ground: {}", learn_ellipse::explained(&found)));
        }
        return show(&args.drops, &rows);
    }
    let splits = u64::from(args.splits.unwrap_or(1));
    let held_out = train.len() / 4;
    let most = train.len() - held_out;
    let sizes = if args.sizes.is_empty() { vec![most] } else { args.sizes.clone() };
    if let Some(size) = sizes.iter().find(|s| **s == 0 || **s > most) {
        let what = format!("--sizes has {size}, but a split leaves 1 to {most} drops to fit to");
        return Err(Failure::input(what));
    }
    let mut curves = Vec::new();
    for size in sizes {
        let mut all: Vec<Vec<Row>> = Vec::new();
        for split in 0..splits {
            let order = Random::part(effort.seed, split).shuffled(train.len());
            let pick = |places: &[usize]| places.iter().map(|i| train[*i]).collect::<Vec<&Trajectory>>();
            let (test, rest) = order.split_at(held_out);
            let mut of_split = pick(&rest[..size]);
            of_split.sort_by_key(|d| d.id);
            all.push(judged(&models, &set, &of_split, &pick(test), &effort, &store, &meter)?);
        }
        curves.extend(over_splits(&all));
    }
    meter.done();
    tell_taken(&store);
    if let Some(figure) = &args.figure {
        learn_figures::learning_curves(&curves, figure)?;
    }
    if args.drops.common.json { say_json(&curves) } else { say(&curve_table(&curves)) }
}

/// The rows of some models; models that have nothing to say are told and left out.
fn judged(
    models: &[&Model],
    set: &DiceSet,
    train: &[&Trajectory],
    test: &[&Trajectory],
    effort: &Effort,
    store: &Store,
    meter: &Meter,
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for model in models {
        let mut watch = |done: usize, all: usize, label: &str| {
            meter.count(done, all, &format!("{} ({} drops): {label}", model.name, train.len()))
        };
        let found = model.rows(set, train, test, effort, store, &mut watch).map_err(failed)?;
        if found.is_empty() {
            complain(&format!("note: {} has nothing to say about these drops", model.name));
        }
        rows.extend(found);
    }
    Ok(rows)
}

fn show(args: &DropArgs, rows: &[Row]) -> Result<(), Failure> {
    if args.common.json {
        return say_json(&rows);
    }
    let cells = rows.iter().map(|r| {
        [
            r.model.clone(),
            format!("{:.4}", r.rmse_mean),
            format!("{:.4}", r.rmse_median),
            format!("{:.4}", r.crps),
            format!("{:.3}", r.coverage50),
            format!("{:.3}", r.coverage90),
            r.impacts.map_or_else(String::new, |i| format!("{:.3}", i.vt)),
            r.impacts.map_or_else(String::new, |i| format!("{:.3}", i.vn)),
            r.impacts.map_or_else(String::new, |i| format!("{:.1}", i.w)),
            format!("{:.0}", r.seconds),
        ]
    });
    let heads = [
        "model",
        "RMSE\nmean [m]",
        "\nmedian",
        "CRPS\n[m]",
        "50 %",
        "90 %",
        "impacts:\nv_t [m/s]",
        "\nv_n [m/s]",
        "\nω [rad/s]",
        "[s]",
    ];
    say(&table(heads, cells))
}

/// Mean and deviation over splits of every number of every model.
fn over_splits(all: &[Vec<Row>]) -> Vec<Value> {
    let Some(first) = all.first() else { return Vec::new() };
    let of = |name: &str, number: &dyn Fn(&Row) -> f64| {
        let values: Vec<f64> = all.iter().flatten().filter(|r| r.model == name).map(number).collect();
        mean_and_spread(&values)
    };
    let entry = |r: &Row| {
        let name = r.model.as_str();
        json!({
            "model": name,
            "rmse_mean": of(name, &|r| r.rmse_mean)[0], "rmse_mean_spread": of(name, &|r| r.rmse_mean)[1],
            "rmse_median": of(name, &|r| r.rmse_median)[0],
            "crps": of(name, &|r| r.crps)[0], "crps_spread": of(name, &|r| r.crps)[1],
            "energy_score": of(name, &|r| r.energy_score)[0],
            "coverage50": of(name, &|r| r.coverage50)[0], "coverage50_spread": of(name, &|r| r.coverage50)[1],
            "coverage90": of(name, &|r| r.coverage90)[0], "coverage90_spread": of(name, &|r| r.coverage90)[1],
            "impact_vt": of(name, &|r| r.impacts.map_or(f64::NAN, |i| i.vt))[0],
            "impact_vn": of(name, &|r| r.impacts.map_or(f64::NAN, |i| i.vn))[0],
            "impact_w": of(name, &|r| r.impacts.map_or(f64::NAN, |i| i.w))[0],
            "n_impacts": of(name, &|r| r.impacts.map_or(0.0, |i| i.count as f64))[0],
            "n_train": r.n_train, "n_test": r.n_test, "splits": all.len(),
            "seconds": of(name, &|r| r.seconds)[0],
        })
    };
    first.iter().map(entry).collect()
}

fn curve_table(curves: &[Value]) -> String {
    // How much lower the error is than that of a baseline that was fitted to as many drops.
    let beside = |c: &Value, baseline: &str| {
        let same = |b: &&Value| b["model"] == baseline && b["n_train"] == c["n_train"];
        let error = |v: &Value| v["rmse_mean"].as_f64();
        match (error(c), curves.iter().find(same).and_then(error)) {
            (Some(own), Some(other)) => format!("{:+.0} %", 100.0 * (own / other - 1.0)),
            _ => String::new(),
        }
    };
    let cells = curves.iter().map(|c| {
        [
            c["model"].as_str().unwrap_or("").to_owned(),
            c["n_train"].to_string(),
            number(c, "rmse_mean", 4),
            number(c, "rmse_mean_spread", 4),
            number(c, "crps", 4),
            number(c, "coverage50", 3),
            number(c, "coverage90", 3),
            beside(c, "simulator-fit"),
            beside(c, "arena-fit"),
        ]
    });
    let heads = [
        "model",
        "drops",
        "RMSE\n[m]",
        "\n±",
        "CRPS\n[m]",
        "50 %",
        "90 %",
        "beside\nsimulator-fit",
        "\narena-fit",
    ];
    table(heads, cells)
}

fn posterior(args: &PosteriorArgs) -> Result<(), Failure> {
    let set = DiceSet::read(&args.drops.data).map_err(Failure::input)?;
    let ids = numbers_of(&args.drops.train, "--train")?;
    let drops = set.choose(&ids).map_err(Failure::input)?;
    let find = |name: &String| {
        dice::parameter(name).ok_or_else(|| {
            let all = || NAMED.iter().map(|n| n.name);
            let (guess, list) = (hint(name, all()), all().collect::<Vec<_>>().join(", "));
            Failure::input(format!("no parameter is called `{name}`{guess}; there are: {list}"))
        })
    };
    let names: Vec<&Named> = args.parameters.iter().map(find).collect::<Result<_, _>>()?;
    let settings = sampling_of(&args.chains, args.drops.common.seed)?;
    let base = if args.scene == "arena" { DiceParameters::arena() } else { DiceParameters::default() };
    let store = Store::new(args.drops.out.as_deref(), &set.measured).map_err(Failure::input)?;
    let effort = json!({"scene": args.scene, "parameters": args.parameters, "sampling": settings});
    let mut chains: Vec<Chain> =
        store.get("posterior", &ids, &effort).map_err(Failure::input)?.unwrap_or_default();
    tell_samples(&chains);
    let meter = Meter::new(!args.drops.common.json);
    let mut watch = |done: usize, all: usize, label: &str| meter.count(done, all, label);
    let found = dice::posterior(&base, &names, &drops, &settings, &mut chains, &mut watch);
    meter.done();
    store.put("posterior", &ids, &effort, &chains).map_err(Failure::input)?;
    let mut found = found.map_err(|_| Failure::Interrupted)?;
    if let Some(figure) = &args.figure {
        learn_figures::joint_posterior(&found, figure)?;
    }
    if args.drops.common.json {
        if !args.samples_too {
            found.samples.clear();
        }
        return say_json(&found);
    }
    let shown = learn_identify::marginals(&found.marginals, &found.acceptance);
    say(&format!("{shown}\nsigma     {:.4} m", found.sigma))
}
