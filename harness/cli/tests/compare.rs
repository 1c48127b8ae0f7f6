//! `warplab compare` and `warplab history`, from the command line to the file: with small emulated runs, copies of the
//! reference run, and invalid folders.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::common::{Run, fails, warplab};

/// A small emulated run, made once.
fn emulated() -> &'static Path {
    static RUN: OnceLock<tempfile::TempDir> = OnceLock::new();
    RUN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let run = warplab(&[
            "run",
            "trapezoid",
            "vecadd",
            "--quick",
            "--hot",
            "--quiet",
            "--device",
            "emulated:t4",
            "--out",
            folder.path().to_str().unwrap(),
        ]);
        assert_eq!(run.code, 0, "{run:?}");
        folder
    })
    .path()
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/h200")
}

/// A folder in which copies of runs can be changed.
struct RunCopies(tempfile::TempDir);

impl RunCopies {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().into()
    }

    /// A copy of the run's files under this name.
    fn copy(&self, run: &Path, name: &str) -> String {
        fs::create_dir_all(self.path(name)).unwrap();
        for entry in fs::read_dir(run).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
            fs::copy(entry.path(), Path::new(&self.path(name)).join(entry.file_name())).unwrap();
        }
        self.path(name)
    }
}

/// Changes the text of a file.
fn edit(run: &str, file: &str, change: impl FnOnce(String) -> String) {
    let path = Path::new(run).join(file);
    let old = fs::read_to_string(&path).unwrap();
    let new = change(old.clone());
    assert_ne!(old, new, "nothing changed in {}", path.display());
    fs::write(path, new).unwrap();
}

/// Changes a cell of the first row of this variant that has passed, or a counter of the first one that was counted.
fn cell(run: &str, lab: &str, variant: &str, column: &str, change: impl Fn(&str) -> String) {
    let is_counter = harness::Counter::named(column).is_some();
    let file = if is_counter { record::counters_of(lab) } else { record::csv_of(lab) };
    edit(run, &file, |text| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let at = |name: &str| header.iter().position(|h| h == name).unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&header).unwrap();
        let mut is_done = false;
        for row in reader.records().map(Result::unwrap) {
            let is_it = !is_done && &row[at("variant")] == variant && (is_counter || &row[at("verdict")] == "pass");
            is_done |= is_it;
            let cells = row.iter().enumerate();
            let cells = cells.map(|(i, old)| if is_it && i == at(column) { change(old) } else { old.to_string() });
            writer.write_record(cells).unwrap();
        }
        assert!(is_done, "no row of {variant} in {file}");
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    });
}

fn compare(args: &[&str], code: i32) -> Run {
    let run = warplab(&[&["compare"], args].concat());
    assert_eq!(run.code, code, "{args:?}: {run:?}");
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    run
}

#[test]
fn emulated_counters_are_compared_exactly_and_verdicts_too() {
    let place = RunCopies::new();
    let (base, new) = (place.copy(emulated(), "base"), place.copy(emulated(), "new"));
    let same = compare(&[&base, &new], 0);
    assert!(same.stdout.contains("Nothing costs more than before."), "{}", same.stdout);
    cell(&new, "vecadd", "pinned", "instructions", |n| (n.parse::<u64>().unwrap() + 1).to_string());
    let more = compare(&[&base, &new], 3);
    assert!(more.stdout.contains("1 case costs more than before."), "{}", more.stdout);
    assert!(more.stdout.contains("costs more") && more.stdout.contains("instructions"), "{}", more.stdout);
    assert!(!more.stdout.contains("slower"), "an emulated case has no time: {}", more.stdout);
    let less = compare(&[&new, &base], 0);
    assert!(less.stdout.contains("costs less"), "{}", less.stdout);
    // A wrong answer is worse.
    cell(&new, "vecadd", "pageable", "verdict", |_| "fail".into());
    let wrong = compare(&[&base, &new], 1);
    assert!(wrong.stdout.contains("pass before, now fail"), "{}", wrong.stdout);
    assert!(compare(&[&new, &base], 0).stdout.contains("mended"));
    // A line that costs more is named, if the case costs more.
    let new = place.copy(emulated(), "lines");
    edit(&new, "vecadd.jsonl", |text| text.replace("\"thread_instructions\":", "\"thread_instructions\":1"));
    cell(&new, "vecadd", "pinned", "instructions", |n| (n.parse::<u64>().unwrap() + 1).to_string());
    let lines = compare(&[&base, &new, "--md"], 3).stdout;
    assert!(lines.contains("Lines of the source whose cost differs") && lines.contains("vecadd.cu:"), "{lines}");
}

#[test]
fn a_case_of_the_reference_run_that_takes_three_per_cent_more_is_slower_and_no_other() {
    let place = RunCopies::new();
    let (base, new) = (place.copy(&reference(), "base"), place.copy(&reference(), "new"));
    assert!(compare(&[&base, &new], 0).stdout.contains("Nothing is slower."));
    for column in ["time_median_ms", "time_stdev_ms"] {
        cell(&new, "reduction", "interleaved", column, |ms| (1.03 * ms.parse::<f64>().unwrap()).to_string());
    }
    let run = compare(&[&base, &new, "--json"], 3);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let slower: Vec<&str> = told["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["change"] == "slower" || case["change"] == "faster")
        .map(|case| case["variant"].as_str().unwrap())
        .collect();
    assert_eq!((slower, told["result"].as_str()), (vec!["interleaved"], Some("slower")));
    assert!(compare(&[&base, &new, "--threshold", "5"], 0).stdout.contains("Nothing is slower."));
    // Both sides may be folders of several runs.
    let several = RunCopies::new();
    for run in ["base/1", "base/2"] {
        several.copy(&reference(), run);
    }
    several.copy(Path::new(&new), "new/1");
    several.copy(Path::new(&new), "new/2");
    compare(&[&several.path("base"), &several.path("new")], 3);
}

#[test]
fn runs_that_cannot_be_compared_are_refused_with_what_differs() {
    let place = RunCopies::new();
    let (base, new) = (place.copy(emulated(), "base"), place.copy(emulated(), "new"));
    edit(&new, "session.json", |text| text.replace("\"profile\": \"t4\"", "\"profile\": \"a100\""));
    fails(&["compare", &base, &new], 4, &["differ in the device: emulated:t4 and emulated:a100", "--anyway"]);
    let anyway = compare(&[&base, &new, "--anyway"], 0);
    assert!(anyway.stdout.contains("Compared anyway"), "{}", anyway.stdout);
    fs::remove_file(Path::new(&new).join("session.json")).unwrap();
    fails(&["compare", &base, &new], 4, &["has no session.json"]);
    fails(&["compare", &base], 2, &["--baseline DIR NEW"]);
    fails(&["compare", &base, "/no/such/run"], 2, &["/no/such/run", "there is no such folder"]);
    fails(&["compare", &base, &base, "--threshold", "0"], 2, &["`0` is not a percentage above 0", "such as 2"]);
    fails(&["compare", &base, &base, "--error-rate", "-3"], 2, &["`-3` is not a percentage above 0", "such as 1"]);
    fails(&["compare", &base, &base, "--md", "--json"], 2, &["only one format"]);
    fails(&["compare", &base, &base, "--baseline", &base], 2, &["name NEW alone"]);
}

#[test]
fn all_formats_are_written_whole_and_a_full_disk_leaves_what_was_there() {
    let place = RunCopies::new();
    let run = emulated().to_str().unwrap();
    let (md, html) = (place.path("c.md"), place.path("c.html"));
    fs::write(&html, "old").unwrap();
    let asked = compare(&[run, run, &format!("--md={md}"), &format!("--html={html}"), "--json"], 0);
    assert!(serde_json::from_str::<serde_json::Value>(&asked.stdout).unwrap()["schema"] == 1);
    assert!(fs::read_to_string(md).unwrap().starts_with("# warplab compare: Nothing costs more"));
    let page = fs::read_to_string(html).unwrap();
    assert!(page.trim_end().ends_with("</html>") && !page.contains("http://") && !page.contains("https://"));
    #[cfg(target_os = "linux")]
    if let Some(disk) = crate::common::SmallDisk::mount() {
        let file = disk.path().join("c.html");
        fs::write(&file, "old").unwrap();
        disk.fill();
        let html = format!("--html={}", file.display());
        fails(&["compare", run, run, &html], 4, &["cannot write", "c.html"]);
        fails(&["history", run, &html], 4, &["cannot write", "c.html"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 2, "nothing half-written is left");
    }
}

#[cfg(unix)]
#[test]
fn a_page_that_is_killed_while_it_is_written_is_the_old_one_or_the_new() {
    let place = RunCopies::new();
    let file = place.path("h.html");
    fs::write(&file, "old").unwrap();
    for wait in [0, 5, 20, 40, 80, 160, 320] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_warplab"))
            .args(["history", reference().to_str().unwrap(), &format!("--html={file}")])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = child.kill();
        child.wait().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text == "old" || text.trim_end().ends_with("</html>"), "{} bytes after {wait} ms", text.len());
    }
}

/// Copies of the emulated run, a day apart, the last two with more instructions.
fn days(place: &RunCopies) -> String {
    for day in 1..=4 {
        let run = place.copy(emulated(), &format!("days/{day}/run"));
        edit(&run, "session.json", |text| {
            let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
            file["sessions"][0]["started"] = format!("2026-01-0{day}T00:00:00Z").into();
            file["sessions"][0]["git_branch"] = "main".into();
            file.to_string()
        });
        if day > 2 {
            cell(&run, "vecadd", "pinned", "instructions", |n| (n.parse::<u64>().unwrap() + 5).to_string());
        }
    }
    place.path("days")
}

#[test]
fn a_history_tells_what_changed_when_and_services_read_the_newest_run() {
    let place = RunCopies::new();
    let days = days(&place);
    let told = warplab(&["history", &days]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.stdout.contains("in 4 runs: 1 change."), "{}", told.stdout);
    assert!(told.stdout.contains("vecadd, pinned") && told.stdout.contains("2026-01-03"), "{}", told.stdout);
    let page = warplab(&["history", &days, "--html"]).stdout;
    assert!(page.contains("1 changed") && page.contains("class=\"mark\"") && page.trim_end().ends_with("</html>"));
    let json: serde_json::Value = serde_json::from_str(&warplab(&["history", &days, "--json"]).stdout).unwrap();
    assert_eq!((json["runs"].as_array().unwrap().len(), &json["series"][0]["changes"][0]["run"]), (4, &2.into()));
    let github: serde_json::Value = serde_json::from_str(&warplab(&["history", &days, "--github"]).stdout).unwrap();
    let value = github.as_array().unwrap().iter().find(|v| v["name"] == "vecadd/pinned, n=4096: instructions");
    assert!(value.is_some_and(|value| value["value"].as_f64() > Some(0.0)), "{github}");
    let bencher: serde_json::Value = serde_json::from_str(&warplab(&["history", &days, "--bencher"]).stdout).unwrap();
    assert_eq!(bencher["vecadd/pinned, n=4096"]["instructions"]["value"], value.unwrap()["value"]);
    fails(&["history", &days, "--branch", "other"], 2, &["no run of branch other"]);
    fails(&["history", "/no/such"], 2, &["there is no such folder"]);
}

#[test]
fn the_baseline_is_the_last_good_run_and_what_cannot_be_read_is_said_and_left_out() {
    let place = RunCopies::new();
    let days = days(&place);
    let day = |day: u32| format!("{days}/{day}/run");
    let run = compare(&["--baseline", &days, &day(4)], 0);
    assert!(run.stderr.contains("The baseline is") && run.stderr.contains("/3/run"), "{}", run.stderr);
    cell(&day(3), "vecadd", "pageable", "verdict", |_| "fail".into());
    let run = compare(&["--baseline", &days, &day(4)], 3);
    assert!(run.stderr.contains("/2/run"), "{}", run.stderr);
    // A newer schema and a damaged file are reported, and the others are used.
    edit(&day(2), "session.json", |text| text.replace("\"schema\":2", "\"schema\":9"));
    edit(&day(3), "vecadd.csv", |text| text.replacen("pass", "good", 1));
    let run = compare(&["--baseline", &days, &day(4)], 3);
    assert!(run.stderr.contains("/1/run") && run.stderr.contains("use the warplab that wrote it"), "{}", run.stderr);
    assert!(run.stderr.contains("`good` in the column verdict"), "{}", run.stderr);
    fails(&["compare", "--baseline", &days, &day(1)], 4, &["no baseline: of 4 runs"]);
    fails(&["compare", "--baseline", &days, &day(4), "--branch", "x"], 4, &["not of branch x"]);
    // A truncated row and a truncated line are left out, and reported.
    let torn = place.copy(emulated(), "torn");
    for file in ["vecadd.csv", "vecadd.jsonl"] {
        edit(&torn, file, |text| text[..text.len() - 7].to_string());
    }
    let run = compare(&[emulated().to_str().unwrap(), &torn, "--anyway", "--allow-gone"], 0);
    assert!(run.stdout.contains("its last row") && run.stdout.contains("its last line"), "{}", run.stdout);
    assert!(run.stdout.contains("gone"), "{}", run.stdout);
}

/// Removes the lab's entry from the session, as if an earlier run had been killed before writing it.
fn forget(run: &str, lab: &str) {
    edit(run, "session.json", |text| {
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["sessions"][0]["labs"].as_array_mut().unwrap().retain(|entry| entry["lab"] != lab);
        file.to_string()
    });
}

#[test]
fn a_run_that_is_not_whole_passes_no_gate_and_is_no_baseline() {
    let place = RunCopies::new();
    let base = emulated().to_str().unwrap();
    let killed = place.copy(emulated(), "killed");
    forget(&killed, "vecadd");
    fs::remove_file(Path::new(&killed).join("vecadd.csv")).unwrap();
    let lost = place.copy(emulated(), "lost");
    fs::write(Path::new(&lost).join("vecadd.csv"), "").unwrap();
    let ended = place.copy(emulated(), "ended");
    edit(&ended, "session.json", |text| text.replacen("\"error\": null", "\"error\": \"no room\"", 1));
    for (run, why) in [(&killed, "vecadd (cut off)"), (&lost, "vecadd (0 of"), (&ended, "trapezoid (no room)")] {
        fails(&["compare", base, run], 4, &["whether they are whole:", why, "--anyway"]);
        fails(&["compare", run, base], 4, &["whether they are whole:", why, "--anyway"]);
        compare(&[base, run, "--anyway", "--allow-gone"], 0);
        // A lab that both sides lack is not a difference.
        compare(&[run, run], 0);
        let page = warplab(&["report", run, "--md", "--out", "-"]);
        assert!(page.stdout.contains("The run is not whole: ") && page.stdout.contains(why), "{}", page.stdout);
    }
    let days = days(&place);
    forget(&format!("{days}/3/run"), "vecadd");
    let run = compare(&["--baseline", &days, &format!("{days}/4/run")], 3);
    assert!(run.stderr.contains("/2/run"), "{}", run.stderr);
    // An incomplete new run does not count as lacking a baseline, which a first run may.
    let not_whole = warplab(&["compare", "--baseline", &days, &format!("{days}/3/run")]);
    assert!(not_whole.code == 4 && !not_whole.stderr.contains("no baseline:"), "{not_whole:?}");
    assert!(not_whole.stderr.contains("/3/run is not whole: vecadd (cut off); run it again"), "{}", not_whole.stderr);
    let history = warplab(&["history", &days]);
    assert!(history.stderr.contains("The run is not whole: vecadd (cut off)."), "{}", history.stderr);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_is_not_whole_until_its_labs_have_run_again() {
    let place = RunCopies::new();
    let folder = place.path("run");
    let labs = ["run", "trapezoid", "vecadd", "--quick", "--quiet", "--device", "emulated:t4", "--out", &folder];
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_warplab"))
        .args(labs)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let rows = |name: &str| fs::metadata(Path::new(&folder).join(name)).map_or(0, |file| file.len());
    while rows("trapezoid.csv") == 0 && rows("vecadd.csv") == 0 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fails(&["compare", emulated().to_str().unwrap(), &folder], 4, &["(cut off)"]);
    assert_eq!(warplab(&labs).code, 0);
    compare(&[emulated().to_str().unwrap(), &folder], 0);
}

#[test]
fn labs_that_only_one_side_has_take_a_line_each() {
    let place = RunCopies::new();
    let folder = place.path("run");
    let run = warplab(&["run", "vecadd", "--quick", "--quiet", "--device", "emulated:t4", "--out", &folder]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = compare(&[emulated().to_str().unwrap(), &folder, "--allow-gone"], 0);
    assert!(told.stdout.contains("trapezoid  the whole lab: 41 cases  gone"), "{}", told.stdout);
    let all = compare(&[&folder, emulated().to_str().unwrap(), "--all"], 0);
    assert!(all.stdout.contains("two-barriers") && !all.stdout.contains("the whole lab"), "{}", all.stdout);
}

#[test]
fn what_is_gone_fails_unless_it_is_allowed_and_nothing_compared_is_no_success() {
    let place = RunCopies::new();
    let run = |lab: &str, more: &[&str]| {
        let folder = place.path(&[&[lab], more].concat().join(""));
        let args = ["run", lab, "--quick", "--quiet", "--device", "emulated:t4", "--out", &folder];
        assert_eq!(warplab(&[&args, more].concat()).code, 0);
        folder
    };
    let (whole, atomic) = (run("reduction", &[]), run("reduction", &["--variant", "atomic-finish"]));
    let gone = compare(&[&whole, &atomic], 1);
    assert!(gone.stderr.contains("of the base are gone; run what the base ran"), "{}", gone.stderr);
    assert!(gone.stdout.contains("Nothing costs more than before, but "), "{}", gone.stdout);
    // The cost shared by the labs' rows is not charged to any of them.
    let told = compare(&[&whole, &atomic, "--allow-gone", "--json"], 0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let of_atomic = |case: &&serde_json::Value| case["variant"] == "atomic-finish";
    let cases: Vec<_> = told["cases"].as_array().unwrap().iter().filter(of_atomic).collect();
    assert!(!cases.is_empty() && cases.iter().all(|case| case["change"] == "same"), "{cases:?}");
    assert_eq!(told["compared"], cases.len());
    // Another lab, and nothing to compare.
    let words = "nothing was compared: no case ran on both sides";
    fails(&["compare", &whole, emulated().to_str().unwrap(), "--allow-gone"], 4, &[words]);
    let none = place.path("none");
    let exec = ["exec", "--device", "emulated:t4", "--out", &none, "true"];
    assert_eq!(warplab(&exec).code, 0);
    fails(&["compare", &whole, &none, "--allow-gone", "--anyway"], 4, &[words]);
}
