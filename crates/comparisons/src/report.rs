//! Findings as one HTML file: a table and figures; no network, no script.

use crate::compare::{COLUMNS, Comparison, row};
use crate::history::{self, History};
use crate::profile::Profile;
use stiction_plot::{Figure, Theme, escaped};

/// A table: file stem, title, heads, rows.
pub struct Table {
    pub stem: &'static str,
    pub title: String,
    pub about: String,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin-bottom:0}table{border-collapse:collapse;margin:1.5rem 0;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;text-align:right;border-bottom:1px solid #8884;}td{white-space:nowrap}
th:first-child,td:first-child{text-align:left}svg{width:100%;height:auto;margin:.6rem 0}.soft{opacity:.75}
.night{display:none}@media (prefers-color-scheme:dark){.night{display:block}.day{display:none}}";

/// Content of a page.
struct Page<'a> {
    title: String,
    description: &'a str,
    about: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    figures: Vec<Figure>,
}

impl Page<'_> {
    fn to_html(&self) -> String {
        let cells = |tag: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|c| format!("<{tag}>{}</{tag}>", escaped(c))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let head = cells("th", &self.heads);
        let body: String = self.rows.iter().map(|row| cells("td", row)).collect();
        let drawn = |class, f: &Figure, theme| format!("<div class=\"{class}\">{}</div>\n", f.to_svg(theme));
        let both = |f: &Figure| drawn("day", f, Theme::Light) + &drawn("night", f, Theme::Dark);
        let figures: String = self.figures.iter().map(both).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n\
             <p>{description}</p>\n<p class=\"soft\">{about}</p>\n<table>\n{head}{body}</table>\n{figures}\
             </body>\n</html>\n",
            title = escaped(&self.title),
            description = escaped(self.description),
            about = escaped(&self.about),
        )
    }
}

impl Comparison {
    /// Writes the comparison as one HTML page.
    pub fn to_html(&self) -> String {
        let run = self.runs.first().map(|r| &r.summary);
        let about = run.map_or_else(String::new, |s| {
            format!("time step {} s, {} steps; every step judged by the exact law", s.dt, s.steps)
        });
        let page = Page {
            title: format!("{}: contact solvers compared", self.scene),
            description: &self.description,
            about,
            heads: COLUMNS.map(str::to_owned).into(),
            rows: self.runs.iter().map(|run| row(run).into()).collect(),
            figures: self.figures(),
        };
        page.to_html()
    }
}

impl Profile {
    /// Writes the result as one HTML page, with `about` at its top.
    pub fn to_html(&self, about: String) -> String {
        let (heads, rows) = self.table();
        let description = "Share of the problems that a solver solves within τ times the fastest solver's time. \
                           Solved: natural map of the exact law below the tolerance times max(‖g‖, ‖c‖).";
        let title = "Performance profile".to_owned();
        Page { title, description, about, heads, rows, figures: self.figures() }.to_html()
    }
}

/// A table of an experiment.
pub fn table_page(table: &Table) -> String {
    let page = Page {
        title: table.title.clone(),
        description: &table.about,
        about: String::new(),
        heads: table.heads.clone(),
        rows: table.rows.clone(),
        figures: Vec::new(),
    };
    page.to_html()
}

/// The histories of `solvers` on the problem `name`.
pub fn history_page(name: &str, histories: &[History]) -> String {
    let rows = histories.iter().map(|h| {
        let least = h.points.iter().map(|p| p.own).fold(f64::INFINITY, f64::min);
        let exact = h.points.iter().map(|p| p.exact).fold(f64::INFINITY, f64::min);
        vec![h.solver.to_owned(), h.iterations.to_string(), format!("{least:.1e}"), format!("{exact:.1e}")]
    });
    let heads = ["solver", "iterations", "least own natural map [m/s]", "least exact natural map [m/s]"];
    let page = Page {
        title: format!("{name}: iterates"),
        description: "The impulses after every iteration, from a cold start, as the judge sees them.",
        about: "Iterations of different solvers cost differently: see the performance profile for time."
            .to_owned(),
        heads: heads.map(str::to_owned).into(),
        rows: rows.collect(),
        figures: history::figures(histories),
    };
    page.to_html()
}
