//! Tables on the terminal: 80 columns at most, so that no line of one is broken on any screen.
//!
//! What a table leaves out for that is in the JSON of the same command.

use comfy_table::{Table, presets};

/// The table as text, `heads` over `rows`; a head may have several lines.
pub(crate) fn table<H, R, C>(heads: H, rows: impl IntoIterator<Item = R>) -> String
where
    H: IntoIterator<Item: Into<String>>,
    R: IntoIterator<Item = C>,
    C: Into<String>,
{
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(heads.into_iter().map(Into::into));
    table.add_rows(rows.into_iter().map(|row| row.into_iter().map(Into::into).collect::<Vec<String>>()));
    let last = table.column_count().saturating_sub(1);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(i == 0), u16::from(i == last)));
    }
    table.to_string()
}

/// The number that a row of results has under `key`, to so many decimals.
#[cfg(feature = "full")]
pub(crate) fn number(row: &serde_json::Value, key: &str, digits: usize) -> String {
    format!("{:.*}", digits, row[key].as_f64().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One space between cells, one beside each border.
    #[test]
    fn a_table_is_as_wide_as_its_cells() {
        let text = table(["solver", "map\n[m/s]"], [["nsgs", "1.0e-8"], ["mujoco-pyramidal", "2"]]);
        assert!(text.lines().all(|l| l.chars().count() == 16 + 1 + 6 + 4), "{text}");
        assert!(text.contains("map") && text.contains("[m/s]"), "{text}");
    }
}
