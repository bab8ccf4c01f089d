//! `stiction stress`: steps of random worlds, all judged.

use crate::args::StressArgs;
use crate::failure::Failure;
use crate::output::{complain, say};
use crate::progress::Meter;
use std::ops::ControlFlow;
use std::sync::Mutex;
use stiction::batch::Precision;
use stiction::solvers::{Common, Params, make_from};
use stiction_experiments::stress::{CERTIFIED, Campaign, Subject, Totals};

pub(crate) fn stress(args: &StressArgs) -> Result<(), Failure> {
    let params = Params::parse(&args.contact_param).map_err(Failure::input)?;
    make_from(&args.contact, &Common::default(), &params).map_err(Failure::input)?;
    let campaign = Campaign {
        first_seed: args.seed,
        steps: args.steps,
        threads: usize::from(args.threads),
        subject: subject(args, params),
        folder: args.out.clone(),
    };
    let (meter, interrupted) = (Meter::new(true), Mutex::new(false));
    let tell = |t: &Totals| {
        let label = format!("{} flagged, {} silent, {} failed", t.flagged, t.silent, t.failed);
        let go_on = meter.count(t.steps as usize, args.steps as usize, &label);
        if let (ControlFlow::Break(()), Ok(mut interrupted)) = (go_on, interrupted.lock()) {
            *interrupted = true;
        }
        go_on
    };
    // What a trial panics with is in its line; the trace of every one would bury the rest.
    std::panic::set_hook(Box::new(|_| ()));
    let totals = campaign.run(tell).map_err(Failure::work);
    drop(std::panic::take_hook());
    let totals = totals?;
    meter.done();
    if let Some(line) = &totals.cut_off {
        complain(&format!("note: the last line of trials.csv was cut off (`{line}`) and is made again"));
    }
    let of = |n: u64, all: u64| format!("{n} ({:.1e}", n as f64 / all.max(1) as f64);
    let share = |n: u64| format!("{} of all)", of(n, totals.steps));
    let [steps, flagged] = totals.mechanisms;
    let others = of(totals.flagged - flagged, totals.steps - steps);
    let mut lines = vec![
        format!("{} steps of {} random worlds, {}", totals.steps, totals.trials, name(&campaign.subject)),
        format!("  of an earlier run     {} steps of {} worlds", totals.kept[0], totals.kept[1]),
        format!("  contact points        {}", totals.contacts),
        format!("  flagged               {}", share(totals.flagged)),
        format!("    of mechanisms       {} of {steps} steps)", of(flagged, steps)),
        format!("    of scenes and heaps {others} of {} steps)", totals.steps - steps),
        format!("  made energy           {}", share(totals.gained_energy)),
        format!("  only rounding is left {}", share(totals.rounding)),
        format!("  above {CERTIFIED:.0e} m/s       {}", share(totals.uncertified)),
        format!("  of these not flagged  {}", totals.silent),
        format!("  failed                {}", totals.failed),
        format!("  not finite            {}", totals.not_finite),
        format!("  panics                {}", totals.panicked),
        format!("  worst natural map     {:.1e} m/s", totals.natural_map),
    ];
    lines.extend(totals.notable.iter().take(args.show).map(|n| format!("  {n}")));
    say(&lines.join("\n"))?;
    match interrupted.into_inner() {
        Ok(true) => Err(Failure::Interrupted),
        _ if totals.sound() => Ok(()),
        _ => Err(Failure::work("something went wrong in silence")),
    }
}

fn subject(args: &StressArgs, params: Params) -> Subject {
    let precision = if args.single { Precision::Single } else { Precision::Double };
    match args.batch {
        Some(n) => Subject::Batch { environments: n as usize, precision },
        None => Subject::Simulation { solver: args.contact.clone(), params },
    }
}

fn name(subject: &Subject) -> String {
    match subject {
        Subject::Simulation { solver, .. } => solver.clone(),
        Subject::Batch { environments, .. } => format!("batches of {environments}"),
    }
}
