//! Finds the baseline of a new run.
use harness::{Error, Result, Verdict};
use record::{Run, gaps, gaps_text};

use crate::{compare::agree, history::find::Found, number_format::count};

/// Returns the last run of `found` that is older than `new`, has the same device (the same card), settings and branch,
/// and whose rows all passed or were skipped. `branch` replaces that of `new`, which may have none (outside of a
/// checkout): then any branch is accepted.
///
/// # Errors
/// [`Error::CannotRun`] when there is no such run, with the reason for rejecting each; or when `new` is incomplete,
/// which is not a lack of a baseline.
pub fn last_good(found: Found, new: &Run, branch: Option<&str>) -> Result<Run> {
    let missing = gaps(new);
    if !missing.is_empty() {
        return Err(Error::CannotRun(format!(
            "{} is not whole: {}; run it again, or name the run to compare with and give --anyway",
            new.folder.display(),
            gaps_text(&missing)
        )));
    }
    let same = |a: &Run| a.folder.canonicalize().ok() == new.folder.canonicalize().ok();
    let branch = branch.map(str::to_string).or_else(|| new.branch().map(str::to_string));
    let (mut itself, mut newer, mut branches, mut failed, mut settings) = (0, 0, 0, 0, 0);
    let mut first_difference = None;
    let (total, unread) = (found.runs.len(), found.unread.len());
    for run in found.runs.into_iter().rev() {
        let differences = agree::differences(std::slice::from_ref(&run), std::slice::from_ref(new));
        let is_bad = run.rows().any(|row| matches!(row.verdict, Verdict::Fail | Verdict::Finding));
        let is_cut_off = !gaps(&run).is_empty();
        match () {
            () if same(&run) => itself += 1,
            () if run.started() >= new.started() => newer += 1,
            () if branch.is_some() && run.branch() != branch.as_deref() => branches += 1,
            () if is_bad || is_cut_off => failed += 1,
            () if !differences.is_empty() => {
                settings += 1;
                first_difference = first_difference.or_else(|| differences.into_iter().next());
            }
            () => return Ok(run),
        }
    }
    let reasons = [
        (itself, "is the new one itself".to_string()),
        (newer, "not older than the new one".into()),
        (branches, format!("not of branch {}", branch.unwrap_or_default())),
        (failed, "with rows that failed or are not there".into()),
        (settings, format!("with another device or settings ({})", first_difference.unwrap_or_default())),
        (unread, "that cannot be read".into()),
    ];
    let reasons: Vec<String> =
        reasons.into_iter().filter(|(number, _)| *number > 0).map(|(number, why)| format!("{number} {why}")).collect();
    Err(Error::CannotRun(format!(
        "no baseline: of {}, {}; name the run to compare with, or a --branch",
        count(total + unread, "run"),
        reasons.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{DeviceInfo, LabRows, LabRun, Session, fixtures::row};

    use record::Snapshot;

    fn run(name: &str, started: &str, branch: &str, verdict: &str, device: &str) -> Run {
        let labs = vec![LabRun { lab: "scan".into(), ..LabRun::default() }];
        let device = DeviceInfo { name: device.into(), ..DeviceInfo::default() };
        let git_branch = Some(branch.to_string()).filter(|branch| !branch.is_empty());
        let session = Session { labs, device, started: started.into(), git_branch, ..Session::default() };
        let rows = vec![row(&[("variant", "a"), ("verdict", verdict)])];
        let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
        // Existing folders, so that they can be distinguished.
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        Run { folder, sessions: vec![session], labs, remarks: Vec::new() }
    }

    fn found(runs: Vec<Run>) -> Found {
        Found { runs, unread: vec!["x".into()] }
    }

    #[test]
    fn the_last_good_run_of_the_same_device_and_branch_is_taken() {
        let new = run("src", "2026-05", "main", "pass", "H200");
        let runs = || {
            vec![
                run("src/run", "2026-01", "main", "pass", "H200"),
                run("src/page", "2026-02", "main", "skip", "H200"),
                run("src/compare", "2026-03", "other", "pass", "H200"),
                run("src/history", "2026-03", "main", "fail", "H200"),
                run("src/picture", "2026-04", "main", "pass", "A100"),
                run("src", "2026-05", "main", "pass", "H200"),
                run("src/subject", "2026-06", "main", "pass", "H200"),
            ]
        };
        let picked = |new: &Run, branch| last_good(found(runs()), new, branch).unwrap().sessions[0].started.clone();
        assert_eq!(picked(&new, None), "2026-02");
        assert_eq!(picked(&new, Some("other")), "2026-03");
        assert_eq!(picked(&run("src", "2026-05", "", "pass", "H200"), None), "2026-03");
        // Of two cards of one model, the other card's run is newer.
        let on_card = |name: &str, started: &str, uuid: &str| {
            let mut run = run(name, started, "main", "pass", "H200");
            run.sessions[0].nvml = Some(Snapshot { uuid: Some(uuid.into()), ..Snapshot::default() });
            run
        };
        let pool = vec![on_card("src/run", "2026-01", "GPU-1"), on_card("src/page", "2026-02", "GPU-2")];
        let same = last_good(found(pool), &on_card("src", "2026-05", "GPU-1"), None).unwrap();
        assert_eq!(same.sessions[0].started, "2026-01");
        let early = run("src/statistic", "2026-01", "main", "pass", "H200");
        let error = last_good(found(runs()), &early, None).unwrap_err().to_string();
        assert!(error.contains("of 8 runs, 7 not older than the new one, 1 that cannot be read"), "{error}");
        let other = run("src", "2026-05", "main", "pass", "T4");
        let error = last_good(found(runs()), &other, None).unwrap_err().to_string();
        assert!(error.contains("3 with another device or settings (the device: A100 and T4)"), "{error}");
    }
}
