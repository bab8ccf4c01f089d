//! `stiction learn sole`: a contact set of radial basis functions from a finer granular one.

use crate::args::SoleArgs;
use crate::failure::Failure;
use crate::output::{say, say_json};
use serde_json::json;
use std::sync::Arc;
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::nmdp::sole::Sole;
use stiction::nmdp::wrench_set::cone::Ground;
use stiction::nmdp::wrench_set::granular::{Granular, GranularParams};
use stiction::nmdp::wrench_set::learned::{Learned, LearnedParams, LearnedTable};

pub(crate) fn sole(args: &SoleArgs) -> Result<(), Failure> {
    let params = LearnedParams {
        radius: args.radius,
        depth: args.depth,
        tilt: args.tilt,
        samples: [usize::from(args.samples); 2],
        ..LearnedParams::default()
    };
    let sand = GranularParams {
        strength: args.strength,
        rings: u32::from(args.rings),
        azimuths: u32::from(args.azimuths),
    };
    let (ground, up) = (Ground { normal: Vec3::Z, offset: 0.0 }, Vec3::Z);
    let teacher = Granular::new(ground, &Sole::disc(args.radius, vec3(0.0, 0.0, -1.0)), &sand);
    let table = LearnedTable::of_teacher(&teacher, ground, up, &params).map_err(Failure::input)?;
    let text = table.to_json().map_err(Failure::work)?;
    stiction_store::write(&args.out, text)
        .map_err(|e| Failure::work(format!("cannot write {}: {e}", args.out.display())))?;
    let table = Arc::new(table);
    let student = Learned::new(table.clone(), ground, up);
    let [error, largest] = table.error(&student, &teacher, (ground, up));
    if args.json {
        return say_json(&json!({
            "file": args.out,
            "vertices": table.vertices,
            "centres": table.centres.len(),
            "samples": params.samples[0] * params.samples[1].pow(2),
            "largest_error": error,
            "largest_force": largest,
        }));
    }
    say(&format!(
        "{}: {} vertices by {} basis functions; between samples off by at most {error:.2} N of {largest:.1} N",
        args.out.display(),
        table.vertices,
        table.centres.len()
    ))
}
