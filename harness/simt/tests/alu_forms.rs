//! Tests that every arithmetic form that the compiler is known to emit is in the table.

use simt::instr::alu;

#[test]
fn the_compilers_forms_are_rows() {
    let forms = include_str!("data/alu_forms.txt");
    let missing: Vec<&str> = forms
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter(|form| match form.strip_suffix('|') {
            Some(pair) => alu::find_pair(pair).is_none(),
            None => alu::find(form).is_none(),
        })
        .collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
}

#[test]
fn no_two_rows_share_a_spelling() {
    let mut seen = std::collections::HashSet::new();
    for name in alu::all_forms().iter().flat_map(|form| &form.names) {
        assert!(seen.insert(name), "{name} is in two rows");
    }
}
