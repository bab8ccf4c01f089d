//! The contact sheet: every figure on both grounds, every table, what does not hold, and what is not there.

use super::job::{Job, State};
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = "body{font:14px system-ui,sans-serif;margin:1rem;background:#fff;color:#222}\
    figure{display:inline-grid;grid-template-columns:1fr 1fr;width:100%;max-width:1500px;margin:.4rem 0;gap:4px}\
    img{width:100%}.dark{background:#16181c}figcaption{grid-column:1/3;color:#555}.fails{color:#b00020}\
    table{border-collapse:collapse;font-size:12px}td,th{border:1px solid #ddd;padding:1px 5px;text-align:left}";

/// Writes `index.html` into `out`.
pub(super) fn write(out: &Path, all: &[Job]) -> Result<(), String> {
    std::fs::create_dir_all(out).map_err(|e| format!("cannot make {}: {e}", out.display()))?;
    let open: Vec<&Job> = all.iter().filter(|j| matches!(j.state(out), State::Open)).collect();
    let mut body = format!("<p>{} of {} are drawn.</p>\n", all.len() - open.len(), all.len());
    if !open.is_empty() {
        body += "<h2>Not drawn</h2>\n<ul>\n";
        for job in open {
            let _ = writeln!(body, "<li>{}: <code>{}</code></li>", job.name, escaped(&job.shown()));
        }
        body += "</ul>\n";
    }
    for job in all {
        let state = job.state(out);
        if matches!(state, State::Open) {
            continue;
        }
        let _ = writeln!(
            body,
            "<h2 id=\"{0}\">{0}</h2>\n<p><code>{1}</code>: {state}</p>",
            job.name,
            escaped(&job.shown())
        );
        if let State::Claimed(_, fails) = &state {
            fails.iter().for_each(|f| body += &format!("<p class=\"fails\">{}</p>\n", escaped(f)));
        }
        body += &pictures(out, &job.name)?;
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Figures</title><style>{STYLE}</style></head>\
         <body>\n{body}</body></html>\n"
    );
    let file = out.join("index.html");
    std::fs::write(&file, page).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// The figures and tables of one folder.
fn pictures(out: &Path, name: &str) -> Result<String, String> {
    let folder = out.join(name);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut files: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    files.sort();
    let has = |file: String| files.contains(&file);
    let mut body = String::new();
    for file in &files {
        let Some((stem, ending)) = file.rsplit_once('.') else { continue };
        if stem.ends_with("-dark") {
            continue;
        }
        let image = |file: &str, ground: &str| {
            format!("<img class=\"{ground}\" loading=\"lazy\" src=\"{name}/{file}\" alt=\"{stem}\">")
        };
        let shown = match ending {
            "svg" => image(file, "light") + &image(&format!("{stem}-dark.svg"), "dark"),
            // Pictures of a scene are no figures: they have no SVG beside them, and one ground.
            "png" if !has(format!("{stem}.svg")) => image(file, "light"),
            "tex" => {
                let table = std::fs::read_to_string(folder.join(format!("{stem}.csv"))).unwrap_or_default();
                body += &format!("<p>{stem}</p>\n<table>{}</table>\n", rows(&table));
                continue;
            }
            _ => continue,
        };
        body += &format!("<figure>{shown}<figcaption>{file}</figcaption></figure>\n");
    }
    Ok(body)
}

/// A table's rows in HTML; commas part its cells.
fn rows(csv: &str) -> String {
    let row = |(k, line): (usize, &str)| {
        let tag = if k == 0 { "th" } else { "td" };
        let cells: String = line.split(',').map(|c| format!("<{tag}>{}</{tag}>", escaped(c))).collect();
        format!("<tr>{cells}</tr>")
    };
    csv.lines().enumerate().map(row).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_rows_of_markup() {
        assert_eq!(rows("a,b\n<1,2"), "<tr><th>a</th><th>b</th></tr><tr><td>&lt;1</td><td>2</td></tr>");
    }
}
