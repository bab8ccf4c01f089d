//! A comparison as one HTML file: the table and a figure per quantity; no network, no script.

use crate::compare::{COLUMNS, Comparison, row};
use crate::plot::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin-bottom:0}table{border-collapse:collapse;margin:1.5rem 0;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;text-align:right;border-bottom:1px solid #8884;}td{white-space:nowrap}
th:first-child,td:first-child{text-align:left}svg{width:100%;height:auto;margin:.6rem 0}.soft{opacity:.75}";

impl Comparison {
    /// See the module.
    pub fn to_html(&self) -> String {
        let cells = |tag: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|c| format!("<{tag}>{}</{tag}>", escaped(c))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let head = cells("th", &COLUMNS.map(str::to_owned));
        let body: String = self.runs.iter().map(|run| cells("td", &row(run))).collect();
        let figures: String = self.figures().iter().map(|f| f.to_svg()).collect();
        let run = self.runs.first().map(|r| &r.summary);
        let about = run.map_or_else(String::new, |s| {
            format!("time step {} s, {} steps; every step judged by the exact law", s.dt, s.steps)
        });
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}: contact solvers compared</title>\n\
             <style>{STYLE}</style></head>\n<body>\n<h1>{name}: contact solvers compared</h1>\n\
             <p>{description}</p>\n<p class=\"soft\">{about}</p>\n<table>\n{head}{body}</table>\n{figures}\
             </body>\n</html>\n",
            name = escaped(&self.scene),
            description = escaped(&self.description),
        )
    }
}
