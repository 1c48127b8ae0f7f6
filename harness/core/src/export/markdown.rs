//! Markdown tables for the documentation.

/// Formats a table with these titles; every row must have as many cells. A column of only numbers, with or without
/// thousands separators, or dashes is right-aligned.
pub fn markdown(titles: &[&str], rows: &[Vec<String>]) -> String {
    let is_number = |cell: &String| cell.is_empty() || cell == "–" || cell.replace(',', "").parse::<f64>().is_ok();
    let rule: Vec<&str> = (0..titles.len())
        .map(|i| {
            let numbers = rows.iter().all(|row| is_number(&row[i]));
            if numbers { "---:" } else { "---" }
        })
        .collect();
    let mut out = line(titles) + &line(&rule);
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        out += &line(&cells);
    }
    out
}

fn line(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_a_bar_is_escaped() {
        let cell = str::to_string;
        let rows = [["a|b", "1.5", "1,024"].map(cell).to_vec(), ["c", "", "–"].map(cell).to_vec()];
        assert_eq!(
            markdown(&["name", "ms", "n"], &rows),
            "| name | ms | n |\n| --- | ---: | ---: |\n| a\\|b | 1.5 | 1,024 |\n| c |  | – |\n"
        );
    }
}
