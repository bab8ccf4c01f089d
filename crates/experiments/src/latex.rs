//! Tables as LaTeX, to be read with `\\input` where `booktabs` is loaded.

use super::Table;

/// `table` as a tabular: first column to the left, numbers to the right.
pub(super) fn tabular(table: &Table) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|c| escaped(c)).collect();
        format!("{} \\\\\n", cells.join(" & "))
    };
    let columns = "r".repeat(table.heads.len().saturating_sub(1));
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    format!(
        "% {}\n% {}\n\\begin{{tabular}}{{l{columns}}}\n\\toprule\n{}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n",
        table.title,
        table.about,
        line(&table.heads)
    )
}

/// Letters that LaTeX reads otherwise, as commands.
fn escaped(text: &str) -> String {
    let letter = |c: char| match c {
        '\\' => "\\textbackslash{}".to_owned(),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '−' => "$-$".to_owned(),
        '±' => "$\\pm$".to_owned(),
        '×' => "$\\times$".to_owned(),
        '≤' => "$\\le$".to_owned(),
        '≥' => "$\\ge$".to_owned(),
        '√' => "$\\surd$".to_owned(),
        '‖' => "$\\|$".to_owned(),
        '✓' => "$\\checkmark$".to_owned(),
        '✗' => "$\\times$".to_owned(),
        '²' => "$^2$".to_owned(),
        '³' => "$^3$".to_owned(),
        '·' => "$\\cdot$".to_owned(),
        '°' => "$^\\circ$".to_owned(),
        'ε' => "$\\varepsilon$".to_owned(),
        'μ' | 'µ' => "$\\mu$".to_owned(),
        'λ' => "$\\lambda$".to_owned(),
        'ν' => "$\\nu$".to_owned(),
        'θ' => "$\\theta$".to_owned(),
        'Γ' => "$\\Gamma$".to_owned(),
        _ => c.to_string(),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_tabular() {
        let table = Table {
            stem: "t",
            title: "T".to_owned(),
            about: "a".to_owned(),
            heads: ["name", "λ_N [%]"].map(str::to_owned).to_vec(),
            rows: vec![["a & b", "1 ± 2"].map(str::to_owned).to_vec()],
        };
        let text = tabular(&table);
        assert!(
            text.contains("\\begin{tabular}{lr}\n\\toprule\nname & $\\lambda$\\_N [\\%] \\\\\n\\midrule\n"),
            "{text}"
        );
        assert!(text.contains("a \\& b & 1 $\\pm$ 2 \\\\\n\\bottomrule\n"), "{text}");
    }
}
