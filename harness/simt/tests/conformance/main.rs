//! The machine against a GPU, form by form.
mod suite;
#[test]
fn names_are_unique() {
    let mut seen = std::collections::HashSet::new();
    for case in suite::all() {
        assert!(
            seen.insert(case.name.clone()),
            "{} is there twice",
            case.name
        );
    }
}
