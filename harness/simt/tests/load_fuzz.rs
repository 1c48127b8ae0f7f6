//! No PTX makes the machine crash or hang: valid programs with a few changed words are loaded, and run if they load.
//!
//! The example `fuzz` runs longer campaigns.

#[path = "mutate/changed_words.rs"]
mod changed_words;
#[path = "mutate/launch.rs"]
mod launch;
#[allow(dead_code)]
#[path = "mutate/targeted.rs"]
mod targeted;

use crate::committed;
use launch::{Outcome, load_and_run};
use proptest::prelude::*;
use std::cell::Cell;
use targeted::Family;

#[test]
fn changed_programs_load_or_do_not_and_run_or_do_not() {
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let (loaded, refused) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&changed_words::program(), |text| {
        if let Some(file) = std::env::var_os("LOAD_FUZZ_LAST") {
            // A crash leaves no other trace.
            std::fs::write(file, &text).expect("the file is written");
        }
        let which = if load_and_run(&text) == Outcome::Refused { &refused } else { &loaded };
        which.set(which.get() + 1);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (loaded, refused) = (loaded.get(), refused.get());
    println!("{loaded} programs loaded and ran, {refused} were refused");
    assert!(loaded.min(refused) * 10 > loaded + refused, "{loaded} loaded, {refused} refused");
}

#[test]
fn a_program_may_ask_for_all_the_memory() {
    let takes = |bytes: u64| format!(".version 8.0 .target sm_80 .address_size 64 .global .b8 all[{bytes}];");
    assert_eq!(load_and_run(&takes(launch::TOTAL)), Outcome::Refused, "nothing is left for the kernels' arguments");
    assert_eq!(load_and_run(&takes(launch::TOTAL - launch::BUFFER)), Outcome::Completed);
}

/// Programs of each family get past the first check: most load, and some run to their ends.
#[test]
fn kernels_that_change_what_the_machine_keeps_fault_or_complete() {
    for family in Family::ALL {
        let outcomes: Vec<Outcome> = (0..60).map(|n| targeted::load_and_run(&targeted::program(family, n))).collect();
        let count = |outcome| outcomes.iter().filter(|one| **one == outcome).count();
        let (refused, completed) = (count(Outcome::Refused), count(Outcome::Completed));
        println!("{family:?}: {refused} refused, {} faulted, {completed} completed", count(Outcome::Faulted));
        assert!(refused < 30, "{family:?}: {refused} of 60 are refused");
        assert!(completed >= 1, "{family:?}: {completed} of 60 complete");
    }
}
