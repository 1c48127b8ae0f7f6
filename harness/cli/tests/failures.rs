//! A run reports failures by name, with the command that reproduces each, even if it is otherwise quiet.

use std::{path::Path, process::Command};

use crate::common::{edited, rows, warplab_in};

/// A kernel file of vecadd in `folder` that subtracts.
fn mutant(folder: &Path) -> String {
    let subtracts = [("x[i] + y[i]", "x[i] - y[i]"), ("add.f32", "sub.f32")];
    edited(folder, "vecadd", "vecadd", &subtracts).to_string_lossy().into_owned()
}

const EMULATED: [&str; 3] = ["--quick", "--device", "emulated"];

#[test]
fn the_command_that_is_shown_repeats_the_failure() {
    let submitted = tempfile::tempdir().unwrap();
    let kernel = mutant(submitted.path());
    let what = ["run", "vecadd", "--kernel", &kernel, "--variant", "pinned", "--variant", "pageable", "-n", "999"];
    for quiet in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let more: &[&str] = if quiet { &["-q", "--out", "out"] } else { &["--out", "out"] };
        let run = warplab_in(folder.path(), &[&what, &EMULATED[..], more].concat(), &[]);
        assert_eq!(run.code, 1, "{run:?}");
        let text = if quiet { &run.stderr } else { &run.stdout };
        assert!(text.contains("vecadd pinned, n = 999: fail: "), "{run:?}");
        let commands: Vec<&str> =
            text.lines().filter(|l| l.starts_with("    ") && l.contains(" run vecadd ")).collect();
        assert_eq!(commands.len(), 2, "{text}");
        if quiet {
            assert_eq!(run.stdout, "");
        }
        let failed = rows(&folder.path().join("out/vecadd.csv"));
        for (command, failed) in commands.iter().zip(&failed) {
            assert!(command.ends_with("--seed 1 --device emulated:h200"), "{command}");
            let again = tempfile::tempdir().unwrap();
            let shell = format!("{} --out out", command.trim());
            let output = Command::new("sh")
                .args(["-c", &shell])
                .env_remove("WARPLAB_TRUST_PTX")
                .current_dir(again.path())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{command}: {output:?}");
            let repeated = rows(&again.path().join("out/vecadd.csv"));
            assert_eq!(repeated.len(), 1, "{command}: {repeated:?}");
            for column in ["variant", "case", "n", "seed", "verdict", "note"] {
                assert_eq!(repeated[0][column], failed[column], "{command}");
            }
        }
    }
}

#[test]
fn a_run_of_several_labs_ends_with_the_totals() {
    let folder = tempfile::tempdir().unwrap();
    let args = [&["run", "returning", "vecadd", "--out", "out"], &EMULATED[..]].concat();
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let rows = ["returning", "vecadd"].map(|lab| rows(&folder.path().join(format!("out/{lab}.csv"))).len());
    let total = format!("\nIn all, 2 labs: {} pass\n", rows[0] + rows[1]);
    assert!(run.stdout.contains(&total), "no `{total}` in {}", run.stdout);
    assert!(!run.stdout.contains("Failed"), "{}", run.stdout);
    // The first of the next steps is a command that works as it stands.
    let step = run.stdout.lines().find(|line| line.starts_with("  ") && line.contains(" report ")).unwrap();
    let output = Command::new("sh").args(["-c", step]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{step}: {output:?}");
}

#[test]
fn one_case_can_be_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    let case = "letters, same";
    let args = [&["run", "histogram", "--variant", "atomic", "--case", case, "--out", "out"], &EMULATED[..]].concat();
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let rows = rows(&folder.path().join("out/histogram.csv"));
    assert_eq!((rows.len(), rows[0]["case"].as_str()), (1, case));
    let run = warplab_in(folder.path(), &[&["run", "histogram", "--case", "nothing"], &EMULATED[..]].concat(), &[]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("no case `nothing`"), "{run:?}");
}
