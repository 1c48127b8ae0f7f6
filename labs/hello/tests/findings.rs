//! The map that is wrong on purpose: the findings of the machine's checks, and the effect on the answer.
use labtest::{Space, line_of};

const LAB: labtest::Lab = labtest::lab!("hello");

/// A quarter of the elements is taken by two threads, whose writes race, and a quarter by none.
#[test]
fn half_a_block_apart_takes_some_elements_twice_and_some_not_at_all() {
    let ran = LAB.accepts(&["--variant", "half-apart"]);
    let source = LAB.source("kernels/hello.cu");
    let line = |text| line_of(&source, "void half_apart", text);
    let found = ran.race(Space::Global, [line("owner[first] = thread"), line("owner[second] = thread")]);
    assert!(found.text.contains("half_apart"), "{}", found.text);
    let row = ran.rows_of("half-apart")[0];
    assert!(row["note"].starts_with("1024 of 4096 elements have no thread, and as many have two"), "{row:?}");
    assert!(row["note"].contains("wrong on purpose"), "{row:?}");
}

/// The right maps: no check finds anything.
#[test]
fn the_others_have_no_findings() {
    let ran =
        LAB.accepts(&["--check", "all", "--variant", "ranks", "--variant", "index-maps", "--variant", "warp-starts"]);
    assert_eq!(ran.rows.len(), 13);
    assert!(ran.findings.is_empty(), "{}", ran.text);
}
