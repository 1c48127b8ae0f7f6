//! A line of a CSV.
use wire::printable::is_formula;

/// Returns the cells as a line, with its line break.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells.into_iter().map(no_formula)).expect("writing to memory does not fail");
    String::from_utf8(writer.into_inner().expect("writing to memory does not fail")).expect("cells are UTF-8")
}

/// Escapes a cell, so that no spreadsheet interprets it as a formula: notes and cases may begin with user-defined text.
fn no_formula(cell: String) -> String {
    if is_formula(&cell) { format!("'{cell}") } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay() {
        assert_eq!(csv_line(["a".into(), "=cmd|' /C calc'!A0".into()]), "a,'=cmd|' /C calc'!A0\n");
        assert_eq!(["-1.5", "-inf", "a-b"].map(|cell| no_formula(cell.into())), ["-1.5", "-inf", "a-b"]);
    }
}
