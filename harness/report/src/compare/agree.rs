//! The settings that both sides of a comparison must share: the device, the driver, and the options.
use std::collections::{BTreeMap, BTreeSet};

use record::{Run, Session, gaps, gaps_text};

use crate::number_format::{count, grouped};

/// The number of labs whose different sizes are listed; of further labs only the number is reported.
const SIZES: usize = 3;

/// Returns the differences between the sides, a sentence each; empty if they can be compared. A fact that a side does
/// not record, because its session is older or NVML is missing, is not a difference.
pub fn differences(base: &[Run], new: &[Run]) -> Vec<String> {
    let mut found = Vec::new();
    for (side, runs) in [("base", base), ("new", new)] {
        for run in runs.iter().filter(|run| run.sessions.is_empty()) {
            found.push(format!("an unknown device: {} (on the {side} side) has no session.json", run.folder.display()));
        }
    }
    let shared: BTreeSet<&str> = labs(base).intersection(&labs(new)).copied().collect();
    let (base_facts, new_facts) = (facts(base, &shared), facts(new, &shared));
    for (name, base) in &base_facts {
        // Runs of one side must agree as well.
        let all: BTreeSet<&String> = base.iter().chain(new_facts.get(name).into_iter().flatten()).collect();
        if all.len() > 1 && new_facts.contains_key(name) {
            let side = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(" and ");
            found.push(format!("the {name}: {} and {}", side(base), side(&new_facts[name])));
        }
    }
    let mut sizes: Vec<String> = shared.iter().filter_map(|lab| sizes(lab, base, new)).collect();
    let left = sizes.len().saturating_sub(SIZES);
    if left > 0 {
        sizes.truncate(SIZES);
        sizes.push(format!("the sizes of {}", count(left, "more lab")));
    }
    found.extend(sizes);
    found.extend(not_whole(base, new).chain(not_whole(new, base)));
    found
}

/// Returns a sentence for each run of `side` that lacks rows of labs which the `other` side has completely: missing
/// rows would go unnoticed.
fn not_whole<'r>(side: &'r [Run], other: &'r [Run]) -> impl Iterator<Item = String> + 'r {
    let others: BTreeSet<&str> = other.iter().flat_map(|run| gaps(run).into_keys()).collect();
    side.iter().filter_map(move |run| {
        let mut gaps = gaps(run);
        gaps.retain(|lab, _| !others.contains(lab));
        let told = || format!("whether they are whole: {} is not: {}", run.folder.display(), gaps_text(&gaps));
        (!gaps.is_empty()).then(told)
    })
}

fn labs(runs: &[Run]) -> BTreeSet<&str> {
    runs.iter().flat_map(|run| &run.labs).map(|lab| lab.lab.as_str()).collect()
}

/// Returns each fact with its values in the sessions of these labs.
fn facts(runs: &[Run], labs: &BTreeSet<&str>) -> BTreeMap<String, BTreeSet<String>> {
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for run in runs {
        for session in labs.iter().filter_map(|lab| run.session_of(lab)) {
            for (name, value) in of_session(session) {
                facts.entry(name).or_default().insert(value);
            }
        }
    }
    facts
}

fn of_session(session: &Session) -> Vec<(String, String)> {
    let device = &session.device;
    let kind = if device.is_emulated { format!("emulated:{}", device.profile) } else { device.name.clone() };
    let nvml = session.nvml.clone().unwrap_or_default();
    let cuda = format!("{}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10);
    let known = |found: bool, value: String| found.then_some(value);
    let mut facts = vec![
        ("device", Some(kind)),
        ("number of multiprocessors", Some(device.multiprocessors.to_string())),
        ("CUDA version of the driver", known(!device.is_emulated, cuda)),
        // Two cards of one model differ by more than a comparison can detect: by 2 to 4 % between two H200s, measured.
        ("card (its UUID)", nvml.uuid),
        ("driver", nvml.driver_version),
        ("power limit in W", nvml.power_limit_w.map(|watts| watts.to_string())),
        ("use of ECC", nvml.ecc.map(|ecc| ecc.to_string())),
        ("seed (--seed)", session.seed.map(|seed| seed.to_string())),
        ("use of --quick", session.quick.map(|quick| quick.to_string())),
        // Older programs did not, and so included the host's latency before a launch.
        (
            "way of timing (the device kept busy before a sample)",
            known(!device.is_emulated, session.device_kept_busy.unwrap_or(false).to_string()),
        ),
        // The default number of samples is a setting too, if the session records its settings.
        (
            "number of samples (--samples)",
            known(
                session.quick.is_some() && !device.is_emulated,
                session.samples.map_or("as many as it takes".into(), |s| s.to_string()),
            ),
        ),
    ];
    facts.retain(|(_, value)| value.as_ref().is_some_and(|value| !value.is_empty()));
    let mut facts: Vec<(String, String)> =
        facts.into_iter().map(|(name, value)| (name.to_string(), value.unwrap_or_default())).collect();
    // The device's name includes the profile.
    let settings = session.machine_settings.iter().flatten().filter(|(name, _)| *name != "WARPLAB_PROFILE");
    for (name, value) in settings {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let name = if name.starts_with("WARPLAB") { name.clone() } else { format!("--{name}") };
        facts.push((name, if value == "null" { "not set".into() } else { value }));
    }
    facts
}

/// Reports whether the lab ran at other sizes: the same variant and case, but no size in common.
fn sizes(lab: &str, base: &[Run], new: &[Run]) -> Option<String> {
    let of = |runs: &[Run]| {
        let mut sizes: BTreeMap<(String, String), BTreeSet<u64>> = BTreeMap::new();
        let rows = runs.iter().flat_map(|run| &run.labs).filter(|rows| rows.lab == lab).flat_map(|rows| &rows.rows);
        for row in rows {
            let n = row.size().map(|n| n as u64);
            sizes.entry((row.variant().into(), row.case().into())).or_default().extend(n);
        }
        sizes
    };
    let (base, new) = (of(base), of(new));
    base.iter().find_map(|(case, sizes)| {
        let others = new.get(case)?;
        let differ = !sizes.is_empty() && !others.is_empty() && sizes.is_disjoint(others);
        let list = |sizes: &BTreeSet<u64>| sizes.iter().map(|n| grouped(*n as f64)).collect::<Vec<_>>().join(", ");
        differ.then(|| format!("the size of {lab}, {}: n = {} and {}", case.0, list(sizes), list(others)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{DeviceInfo, LabRows, LabRun, fixtures::row};

    use record::Snapshot;

    fn run(session: Session, n: &str) -> Run {
        let labs = vec![LabRun { lab: "scan".into(), ..LabRun::default() }];
        let rows = vec![row(&[("variant", "a"), ("n", n)])];
        Run {
            folder: "here".into(),
            sessions: vec![Session { labs, ..session }],
            labs: vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }],
            remarks: Vec::new(),
        }
    }

    fn session() -> Session {
        let device = DeviceInfo { name: "H200".into(), driver_version: 13000, ..DeviceInfo::default() };
        Session { device, seed: Some(1), quick: Some(false), ..Session::default() }
    }

    #[test]
    fn each_fact_that_differs_is_named_and_one_that_a_side_does_not_tell_is_not() {
        let base = [run(session(), "4")];
        assert_eq!(differences(&base, &base), [""; 0]);
        let with = |change: &dyn Fn(&mut Session)| {
            let mut other = session();
            change(&mut other);
            differences(&base, &[run(other, "4")])
        };
        assert_eq!(with(&|s| s.device.name = "A100".into()), ["the device: H200 and A100"]);
        assert_eq!(with(&|s| s.device.driver_version = 12040), ["the CUDA version of the driver: 13.0 and 12.4"]);
        assert_eq!(with(&|s| s.seed = Some(2)), ["the seed (--seed): 1 and 2"]);
        assert_eq!(with(&|s| s.quick = Some(true)), ["the use of --quick: false and true"]);
        assert_eq!(with(&|s| s.samples = Some(9)), ["the number of samples (--samples): as many as it takes and 9"]);
        assert_eq!(with(&|s| s.quick = None), [""; 0]);
        assert_eq!(
            with(&|s| s.nvml = Some(Snapshot { driver_version: Some("580".into()), ..Snapshot::default() })),
            [""; 0]
        );
        let card = |uuid: &str| {
            let nvml = Snapshot { uuid: Some(uuid.into()), ..Snapshot::default() };
            [run(Session { nvml: Some(nvml), ..session() }, "4")]
        };
        assert_eq!(differences(&card("GPU-1"), &card("GPU-2")), ["the card (its UUID): GPU-1 and GPU-2"]);
        assert_eq!(differences(&card("GPU-1"), &card("GPU-1")), [""; 0]);
        assert_eq!(differences(&card("GPU-1"), &base), [""; 0]);
        let unlike = ["the way of timing (the device kept busy before a sample): false and true"];
        assert_eq!(with(&|s| s.device_kept_busy = Some(true)), unlike);
        let emulated = |schedules: u32| {
            let mut session = session();
            session.device.is_emulated = true;
            session.machine_settings =
                serde_json::from_value(serde_json::json!({ "schedules": schedules, "check": null })).unwrap();
            [run(session, "4")]
        };
        assert_eq!(differences(&emulated(1), &emulated(8)), ["the --schedules: 1 and 8"]);
        assert_eq!(differences(&base, &[run(session(), "5")]), ["the size of scan, a: n = 4 and 5"]);
    }

    #[test]
    fn runs_of_one_side_must_agree_and_an_unknown_device_is_said() {
        let mut other = session();
        other.device.name = "A100".into();
        let mixed = [run(session(), "4"), run(other, "4")];
        assert_eq!(differences(&mixed, &mixed), ["the device: A100 and H200 and A100 and H200"]);
        let unknown = [Run { sessions: Vec::new(), ..run(session(), "4") }];
        assert!(
            differences(&unknown, &[run(session(), "4")])[0]
                .contains("an unknown device: here (on the base side) has no")
        );
    }
}
