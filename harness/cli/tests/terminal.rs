//! Output for people: colours, lines that fit the terminal, help, manual pages and completions.
#![cfg(unix)]

use std::{
    io::Read,
    process::{Command, Stdio},
};

use crate::common::{fails, terminal, warplab, warplab_in, warplab_with};

const RACE: [&str; 8] = ["run", "trapezoid", "--variant", "race", "--variant", "atomic", "--device", "emulated"];

/// The output of `warplab` on a terminal with `columns` columns.
fn on_terminal(columns: u16, args: &[&str]) -> String {
    let (mut ours, theirs) = terminal(columns);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
    command.args(args).current_dir(folder.path()).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // The terminal closes when no process holds its other end.
    drop(command);
    let mut text = Vec::new();
    // At the end Linux reports an error of the terminal.
    let _ = ours.read_to_end(&mut text);
    child.wait().unwrap();
    String::from_utf8_lossy(&text).replace('\r', "")
}

/// The text without colours and other escape sequences.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest))
}

#[test]
fn verdicts_and_findings_have_colours_on_a_terminal_only() {
    let green = "\u{1b}[32mpass\u{1b}[0m";
    let small = [&RACE[..], &["-n", "2^10", "--findings", "full"]].concat();
    let seen = on_terminal(100, &small);
    assert!(seen.contains(green), "{seen:?}");
    assert!(seen.contains("\u{1b}[31merror\u{1b}[0m: "), "{seen:?}");
    let piped = warplab(&small);
    assert!(piped.stdout.contains("pass") && !piped.stdout.contains('\u{1b}'), "{:?}", piped.stdout);
    let forced = warplab_with(&small, &[("CLICOLOR_FORCE", "1")]);
    assert!(forced.stdout.contains(green), "{:?}", forced.stdout);
    let refused = warplab_with(&small, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]);
    assert!(!refused.stdout.contains('\u{1b}'), "{:?}", refused.stdout);
    // Data for programs never contain any.
    let data = warplab_with(&[&small[..], &["--csv", "-"]].concat(), &[("CLICOLOR_FORCE", "1")]);
    assert!(data.stdout.contains("pass") && !data.stdout.contains('\u{1b}'), "{:?}", data.stdout);
}

#[test]
fn lines_fit_the_terminal_and_words_stay_whole() {
    let small = [&RACE[..], &["-n", "2^10", "--findings", "full"]].concat();
    let words = |text: &str| -> Vec<String> { plain(text).split_whitespace().map(str::to_string).collect() };
    let widest = |text: &str| plain(text).lines().map(|line| line.chars().count()).max().unwrap_or(0);
    for (columns, args) in [
        (80, &["list"][..]),
        (160, &["list"]),
        (80, &["run", "vecadd", "--help"]),
        (80, &["device", "--device", "emulated:t4"]),
        (80, &["run", "nonsense"]),
        (160, &["run", "nonsense"]),
    ] {
        let text = on_terminal(columns, args);
        assert!(widest(&text) <= columns.into(), "{args:?} at {columns}: {text}");
    }
    // A long summary takes one line if it fits.
    assert!(widest(&on_terminal(160, &["list"])) > 100);
    // The same words as without a terminal, however the lines are wrapped.
    assert_eq!(words(&on_terminal(80, &["run", "nonsense"])), words(&warplab(&["run", "nonsense"]).stderr));
    let narrow = on_terminal(80, &small);
    let is_said = |line: &&str| line.starts_with("   = ") || (line.contains("| ") && line.contains("^ "));
    assert!(plain(&narrow).lines().any(|line| line.contains("^ ")), "{narrow}");
    for line in plain(&narrow).lines().filter(is_said) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_run_of_several_labs_shows_the_time_left_from_the_second_lab_on() {
    let args = ["run", "hello", "vecadd", "--quick", "--device", "emulated", "--no-report"];
    let text = on_terminal(120, &args);
    assert!(text.contains(": hello ") && !text.contains(" left: hello "), "{text:?}");
    assert!(text.contains(" left: vecadd "), "{text:?}");
}

#[test]
fn paragraphs_of_a_help_are_broken_by_the_terminal_alone() {
    for command in ["setup", "exec", "class", "grade", "check", "start", "submit", "rubric"] {
        let text = plain(&on_terminal(80, &[command, "--help"]));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let is_text = |line: &&str| !line.is_empty() && !line.starts_with(' ');
        // A new sentence may begin on a new line.
        for pair in lines.windows(2).filter(|pair| pair.iter().all(is_text) && !pair[0].ends_with(['.', ':'])) {
            let next = pair[1].split(' ').next().unwrap();
            assert!(pair[0].chars().count() + 1 + next.chars().count() > 80, "{command}: {pair:?}");
        }
    }
}

#[test]
fn hello_takes_numbers_under_run_too() {
    let folder = tempfile::tempdir().unwrap();
    for (numbers, variant, grid, block) in [(&["10"][..], "flat", "1", "10"), (&["2", "5"], "blocks", "2", "5")] {
        let args = [&["run", "hello"][..], numbers, &["--no-exercises", "--device", "emulated", "--out", "out"]];
        let run = warplab_in(folder.path(), &args.concat(), &[]);
        assert_eq!(run.code, 0, "{run:?}");
        let rows = crate::common::rows(&folder.path().join("out/hello.csv"));
        let shapes: Vec<_> = rows.iter().map(|r| [&r["variant"], &r["grid"], &r["block"]]).collect();
        assert_eq!(shapes, [[variant, grid, block]], "{run:?}");
    }
    fails(&["run", "hello", "0"], 2, &["0 is too small"]);
    fails(&["run", "hello", "vecad"], 2, &["no lab `vecad`", "did you mean `vecadd`?"]);
    fails(&["run", "vecadd", "2"], 2, &["no lab `2`"]);
}

#[test]
fn the_csv_of_several_labs_is_one_table() {
    let run = warplab(&["run", "hello", "vecadd", "--quick", "--csv", "-", "--device", "emulated"]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut table = csv::Reader::from_reader(run.stdout.as_bytes());
    let headers = table.headers().unwrap().clone();
    assert_eq!(headers.iter().filter(|h| *h == "schema").count(), 1);
    let at = |name: &str| headers.iter().position(|h| h == name).unwrap_or_else(|| panic!("no {name}: {headers:?}"));
    // The reader refuses rows of another length.
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    let of = |lab: &str| rows.iter().filter(|r| &r[at("lab")] == lab).collect::<Vec<_>>();
    assert_eq!(of("hello").len() + of("vecadd").len(), rows.len());
    assert!(of("hello").iter().any(|r| !r[at("lines_printed")].is_empty()), "{}", run.stdout);
    assert!(of("vecadd").iter().all(|r| r[at("lines_printed")].is_empty()), "{}", run.stdout);
    assert!(of("vecadd").iter().any(|r| !r[at("h2d_bytes")].is_empty()), "{}", run.stdout);
}

#[test]
fn every_help_tells_the_exit_codes() {
    for args in [&["--help"][..], &["run", "--help"], &["run", "-h"], &["run", "vecadd", "--help"]] {
        let run = warplab(args);
        assert!(run.stdout.contains("Exit codes: 0 all passed, 1 a wrong answer"), "{args:?}: {}", run.stdout);
    }
}

#[test]
fn a_shell_can_complete_labs_and_options() {
    // For fish, clap completes no arguments by position.
    for (shell, lab) in [("bash", "histogram"), ("zsh", "histogram"), ("fish", "")] {
        let run = warplab(&["completions", shell]);
        assert_eq!(run.code, 0, "{run:?}");
        for words in [lab, "timeout", "grade"] {
            assert!(run.stdout.contains(words), "{shell}: no {words}");
        }
    }
    fails(&["completions", "cmd.exe"], 2, &["cmd.exe", "bash"]);
}

#[test]
fn there_is_a_manual_page_of_each_command() {
    let run = warplab(&["man"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains(".TH warplab 1") && run.stdout.contains("warplab\\-run"), "{}", run.stdout);
    let run = warplab(&["man", "run"]);
    assert!(run.stdout.contains(".TH warplab-run 1") && run.stdout.contains("timeout"), "{}", run.stdout);
    fails(&["man", "rum"], 2, &["no command `rum`", "did you mean `run`?"]);
}
