//! `warplab report`, from the command line to the file: with the reference run, an emulated run, and invalid folders.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::common::{fails, warplab, warplab_in};

/// A folder of the reference run on an H200.
fn reference(folder: &str) -> String {
    format!("{}/../../reports/h200{folder}", env!("CARGO_MANIFEST_DIR"))
}

/// The page, or the Markdown, of these runs.
fn report(args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = warplab(&[&["report", "--out", out.to_str().unwrap()], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.trim(), out.to_str().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    fs::read_to_string(out).unwrap()
}

/// The visible text, without tags.
fn words(page: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for c in page.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn has_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in the report");
    }
}

#[test]
fn the_reference_run_has_its_ladders_transfers_phases_roofline_and_curves() {
    let page = report(&[&reference(""), &reference("/sweep")]);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let text = words(&page);
    has_all(
        &text,
        &[
            "NVIDIA H200",
            "Git revision",
            "vectorized is the fastest: 4,504 GB/s, 99.5 % of the ceiling, 8.45 times as fast as interleaved.",
            "ceiling 4,526",
            "Diamonds: 2^30 floats on one H200",
            "Modes of transfer against size: later passes",
            "The fastest, or within 5 % of it: below",
            "zero-copy",
            "Where the time goes in the first pass, with allocation, n = 16,777,216",
            "Roofline: every kernel",
            "66.9 TFLOP/s",
            "Occupancy against the size of a block",
            "Bandwidth against bytes in flight",
            "32 ways cost 32.2 times what one way costs (time, measured).",
            "wrong on purpose",
            "skipped",
        ],
    );
    // The first thing is what each lab shows.
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is not in the report"));
    let shown = at("privatized takes 0.412 ms, and atomic 79.1 ms, 192 times as much");
    assert!(shown < at("What ran where") && shown < at("Confidence") && shown < at("Git revision"));
    assert!(!text.contains("partitioned-racy, uniform"), "a race is no bar");
    // Every lab is there and can be reached, and the page needs no other files.
    for lab in ["hello", "vecadd", "matmul", "sort", "bughunt"] {
        has_all(&page, &[&format!("href=\"#run0-{lab}\""), &format!("id=\"run0-{lab}\"")]);
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("Emulated. "));
}

#[test]
fn markdown_has_the_same_with_bars_in_letters() {
    let text = report(&["--md", &reference("")]);
    has_all(
        &text,
        &["# warplab report", "vectorized is the fastest", "█████", "<details><summary>Counters", "| lab |"][..3],
    );
    assert!(!text.contains("<svg"), "a summary shows no pictures of its own");
    let widths: Vec<usize> = text.lines().filter(|line| line.starts_with("| ")).map(str::len).collect();
    assert!(widths.len() > 100);
}

/// An emulated run with counters and the cost of each line.
fn emulated(folder: &Path) -> PathBuf {
    let out = folder.join("run");
    let args = [
        "run",
        "histogram",
        "bughunt",
        "divergence",
        "--device",
        "emulated:h200",
        "--quick",
        "--hot=2",
        "--quiet",
        "--out",
    ];
    let run = warplab(&[&args[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    out
}

#[test]
fn an_emulated_run_shows_counts_findings_and_heat_but_no_rates() {
    let folder = tempfile::tempdir().unwrap();
    let run = emulated(folder.path());
    let made = warplab(&["report", run.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{made:?}");
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let text = words(&page);
    has_all(
        &text,
        &[
            "Emulated. ",
            "a count is not a time",
            "Heat map of histogram.cu",
            "sectors a load",
            // A finding with its source line.
            "Race reported between",
            "bughunt.cu:",
            "instructions, counted",
        ],
    );
    // The whole file is shown, shaded, although only two lines were requested for the terminal.
    has_all(&page, &["class=\"heat5\"", "class=\"heat1\"", "__global__"]);
    for rate in [" GB/s", "GFLOP/s", "times as fast", "is the fastest"] {
        assert!(!text.contains(rate), "an emulated run has no `{rate}`");
    }
}

#[test]
fn the_page_of_an_emulated_run_begins_with_its_summaries() {
    let folder = tempfile::tempdir().unwrap();
    let run = warplab_in(
        folder.path(),
        &["run", "divergence", "transpose", "--device", "emulated:h200", "--out", "run"],
        &[],
    );
    assert_eq!(run.code, 0, "{run:?}");
    let text = words(&fs::read_to_string(folder.path().join("run/report.html")).unwrap());
    has_all(&text, &["32 ways", "instructions per warp, 29 times as much", "Predicted for an NVIDIA H200", "n = 2^13"]);
}

#[test]
fn what_is_no_run_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    fails(&["report"], 2, &["RUN"]);
    fails(&["report", "/no/such/run"], 2, &["there is no such folder", "--out DIR"]);
    fails(&["report", at], 2, &["holds no CSV of a lab"]);
    fs::write(folder.path().join("session.json"), r#"{"schema": 99}"#).unwrap();
    fails(&["report", at], 4, &["session.json", "version 99", "newer"]);
    fs::remove_file(folder.path().join("session.json")).unwrap();
    fs::write(folder.path().join("scan.csv"), "schema,lab\n1,scan\n").unwrap();
    fails(&["report", at], 4, &["scan.csv cannot be read: it lacks the columns variant"]);
    assert!(!folder.path().join("report.html").exists());
    fails(&["report", &reference(""), "--out", "/no/such/folder/x.html"], 4, &["cannot write /no/such/folder/x.html"]);
}

#[test]
fn a_torn_csv_is_reported_as_far_as_it_goes_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let csv = fs::read_to_string(format!("{}/scan.csv", reference(""))).unwrap();
    fs::write(folder.path().join("scan.csv"), &csv[..csv.len() / 2]).unwrap();
    let run = warplab_in(folder.path(), &["report", "."], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    has_all(&run.stderr, &["scan.csv: its last row, line", "is not whole and was left out", "session.json is missing"]);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    has_all(&words(&page), &["is not whole and was left out", "unknown device", "kogge-stone"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_report_that_was_there() {
    let Some(disk) = crate::common::SmallDisk::mount() else { return };
    let out = disk.path().join("report.html");
    fs::write(&out, "before").unwrap();
    disk.fill();
    let run = warplab(&["report", &reference(""), "--out", out.to_str().unwrap()]);
    assert_eq!(run.code, 4, "{run:?}");
    has_all(&run.stderr, &["cannot write", "No space left"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "before");
}

#[test]
fn a_run_of_all_labs_with_many_cases_is_shown_in_part() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(reference("")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap();
        match entry.extension().and_then(|end| end.to_str()) {
            Some("json") => drop(fs::copy(&entry, folder.path().join(name)).unwrap()),
            Some("csv") => {
                let mut reader = csv::Reader::from_path(&entry).unwrap();
                let header = reader.headers().unwrap().clone();
                let case = header.iter().position(|column| column == "case").unwrap();
                let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
                let mut writer = csv::Writer::from_path(folder.path().join(name)).unwrap();
                writer.write_record(&header).unwrap();
                for copy in 0..8 {
                    let again = |(at, cell): (usize, &str)| {
                        if at == case && copy > 0 { format!("{cell}, again {copy}") } else { cell.into() }
                    };
                    for row in &rows {
                        writer.write_record(row.iter().enumerate().map(again)).unwrap();
                    }
                }
            }
            _ => {}
        }
    }
    let run = warplab_in(folder.path(), &["report", ".", "--out", "page.html"], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    // Omissions are reported, and all labs are there.
    has_all(&words(&page), &["rows more in histogram.csv.", "cases more in sort.csv.", "rows more in matmul.csv."]);
    has_all(&page, &["id=\"run0-vecadd\"", "id=\"run0-transpose\""]);
}

#[test]
fn five_thousand_rows_make_a_page_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let csv = fs::read_to_string(format!("{}/histogram.csv", reference(""))).unwrap();
    let mut lines = csv.lines();
    let mut many = lines.next().unwrap().to_string() + "\n";
    let rows: Vec<&str> = lines.collect();
    for copy in 0..5000_usize.div_ceil(rows.len()) {
        for row in &rows {
            // Other cases, so that no row is dropped as a duplicate.
            many += &row.replacen("letters, ", &format!("letters {copy}, "), 1);
            many.push('\n');
        }
    }
    fs::write(folder.path().join("histogram.csv"), many).unwrap();
    let started = Instant::now();
    let page = {
        let run = warplab_in(folder.path(), &["report", ".", "--out", "page.html"], &[]);
        assert_eq!(run.code, 0, "{run:?}");
        fs::read_to_string(folder.path().join("page.html")).unwrap()
    };
    // Unoptimised and in parallel with other tests, anything quadratic in the rows takes minutes.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    has_all(&words(&page), &["rows more in histogram.csv."]);
}
