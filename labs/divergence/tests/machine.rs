//! The lines of the kernel file with the exercises' branches.
use divergence::{EXERCISES, machine::line_of};

#[test]
fn every_counted_branch_has_its_line() {
    let source = include_str!("../kernels/divergence.cu");
    let lines: Vec<&str> = source.lines().collect();
    for row in EXERCISES {
        let kernel = row.name().replace('-', "_");
        for index in (row.make)().iter().flat_map(|exercise| 0..exercise.branches.len()) {
            let line = line_of(source, &kernel, index).expect(&kernel);
            assert!(lines[line - 1].contains("taken("));
        }
    }
    assert_eq!(line_of(source, "picture", 1), None);
    assert_eq!(line_of(source, "no_such_kernel", 0), None);
}
