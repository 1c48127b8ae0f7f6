//! `run --dry-run`: prints what would run, and runs and writes nothing.

use crate::{
    common::{Run, fails, lab_file, rows, warplab_in},
    labs,
};

/// Makes a dry run on the emulated device, which must pass and leave nothing behind.
fn dry(args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let args = [&["run"], args, &["--device", "emulated:a100", "--dry-run"]].concat();
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!((run.code, std::fs::read_dir(folder.path()).unwrap().count()), (0, 0), "{args:?}: {run:?}");
    run
}

/// Returns the variants in the tables of a dry run, with the first word of what is expected of them.
fn variants(text: &str) -> Vec<[&str; 2]> {
    let (mut found, mut is_table) = (Vec::new(), false);
    for line in text.lines() {
        let is_heading = line.starts_with(" variant ");
        is_table = is_heading || (is_table && !line.is_empty());
        // A line of a table begins with one blank; one that goes on from the line before has more.
        let mut words = line.split_whitespace();
        if is_table && !is_heading && !line.starts_with("  ") {
            found.push([words.next().unwrap(), words.next().unwrap()]);
        }
    }
    found
}

#[test]
fn the_chosen_variants_are_listed_with_what_is_expected_of_them() {
    let run = dry(&["histogram", "--variant", "strided-racy", "--variant", "atomic", "--out", "out"]);
    assert!(run.stdout.starts_with("Device: emulated:a100, "), "{run:?}");
    assert_eq!(variants(&run.stdout), [["strided-racy", "wrong"], ["atomic", "right"]], "{run:?}");
    for words in ["histogram: ", "n: chosen by the lab", "2 variants of 1 lab would run; nothing was run or written."] {
        assert!(run.stdout.contains(words), "no `{words}` in {run:?}");
    }
}

#[test]
fn a_plan_has_all_variants_of_the_labs_and_nothing_else_runs() {
    let names = ["hello", "scan"];
    let text = dry(&names).stdout;
    let all = labs::LABS.iter().filter(|lab| names.contains(&lab.name)).flat_map(|lab| lab.variants());
    let all: Vec<&str> = all.map(|variant| variant.name).collect();
    assert_eq!(variants(&text).iter().map(|[name, _]| *name).collect::<Vec<_>>(), all, "{text}");
    assert!(text.contains(&format!("{} variants of 2 labs would run", all.len())), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "hello", "scan", "--quick", "--device", "emulated:a100", "--out", "out", "--no-report"];
    assert_eq!(warplab_in(folder.path(), &run, &[]).code, 0);
    for name in names {
        for row in rows(&folder.path().join("out").join(name).with_extension("csv")) {
            assert!(all.contains(&row["variant"].as_str()), "{row:?}");
        }
    }
}

#[test]
fn options_that_change_the_plan_are_in_it() {
    let sized = dry(&["vecadd", "--variant", "pinned", "-n", "2^10", "--threads", "64", "--no-exercises"]).stdout;
    for words in ["n: 1024; blocks: chosen by the lab; threads: 64", "without the exercises", "1 variant of 1 lab"] {
        assert!(sized.contains(words), "no `{words}` in {sized}");
    }
    let some = dry(&["all", "--exercises"]).stdout;
    assert!(some.contains("Left out: lab trapezoid has no exercises"), "{some}");
    let file = lab_file("bughunt", "kernels/bughunt.cu");
    let fixed = dry(&["bughunt", "--kernel", file.to_str().unwrap()]).stdout;
    assert!(fixed.contains(" replaces bughunt.cu"), "{fixed}");
    assert!(variants(&fixed).iter().all(|[_, expected]| *expected == "right"), "{fixed}");
}

#[test]
fn data_and_quiet_runs_have_no_plan_on_standard_output() {
    for option in ["--json", "--csv"] {
        let run = dry(&["hello", option]);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("of 1 lab would run"), "{run:?}");
    }
    let run = dry(&["hello", "--quiet"]);
    assert_eq!([run.stdout, run.stderr], [""; 2]);
}

#[test]
fn mistakes_are_those_of_a_run() {
    for (args, code, words) in [
        (&["vecadd", "--variant", "pined"][..], 2, "no variant `pined` in vecadd"),
        (&["hello", "-n", "64"], 2, "--n has no effect on lab hello"),
        (&["vecadd", "--kernel", "no/such.cu"], 2, "no/such.cu"),
        (&["vecadd", "hello", "--case", "x"], 2, "--case goes with one lab"),
        (&["vecadd", "--device", "emulated:none"], 2, "unknown profile `none`"),
        (&["vecadd", "--min-percent", "50", "--device", "emulated"], 4, "--min-percent needs a GPU"),
    ] {
        fails(&[&["run"], args, &["--dry-run"]].concat(), code, &[words]);
        fails(&[&["run"], args].concat(), code, &[words]);
    }
}
