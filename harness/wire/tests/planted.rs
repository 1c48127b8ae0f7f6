//! Planted mistakes: a report with a missing, renamed or mistyped field is rejected, and one of another version gives
//! an error that names the version.

use serde_json::{Value, json};
use wire::costs::Costs;
use wire::counters::{BranchCount, Counters, LineCounters, TextureTraffic, Totals};
use wire::finding::{
    Access, AccessKind, Allocation, CalledFrom, Finding, FindingKind, Limit, MbarrierMisuse, Passed, Relation, Scope,
    SourcePlace, Space, TensorMapMisuse, WarpgroupMisuse,
};
use wire::{
    Checks, Fault, Launch, Leak, Leaks, Limiter, Occupancy, ReadError, RenderedFinding, Report, Settings, VERSION,
};

fn place() -> SourcePlace {
    let caller = CalledFrom { file: "lab.cu".into(), line: 9, column: 2 };
    SourcePlace {
        function: "k".into(),
        file: "lab.cu".into(),
        line: 3,
        column: 7,
        ptx_line: 40,
        inlined_at: vec![caller],
    }
}

fn told(kind: FindingKind) -> RenderedFinding {
    let mut access = Access::memory(AccessKind::Write, Space::Global, 4, 0x100, place());
    access.variable = Some(("tile".into(), 8));
    let mut finding = Finding::new(kind, "_Z1kv").with(access);
    finding.allocation =
        Some(Allocation { address: 0x80, size: 16, name: "tile".into(), freed: false, relation: Relation::After(113) });
    finding.notes.push("a note".into());
    finding.remedy = Some("a remedy".into());
    RenderedFinding {
        verdict: finding.kind.verdict(),
        check: finding.kind.check(),
        kernel_name: "k()".into(),
        mistake: "a mistake".into(),
        headline: "a mistake [1 hazard]".into(),
        title: "a mistake [1 hazard]".into(),
        context: vec!["a sentence".into()],
        help: "a remedy".into(),
        text: "error: a mistake\n".into(),
        finding,
    }
}

/// One value of every kind.
fn kinds() -> Vec<FindingKind> {
    let space = Space::Shared;
    let text = || "text".to_owned();
    vec![
        FindingKind::OutOfBounds { space },
        FindingKind::OverrunsNeighbour { space },
        FindingKind::ReadOnly { space },
        FindingKind::Misaligned { space, required: 8 },
        FindingKind::UseAfterFree,
        FindingKind::UseBeforeAllocation,
        FindingKind::HostPointer,
        FindingKind::NullPointer,
        FindingKind::Uninitialized { space },
        FindingKind::Race { space, scope: Scope::Grid },
        FindingKind::DivergentBarrier { barrier: 1 },
        FindingKind::MismatchedBarrier { barrier: 1 },
        FindingKind::BarrierExited { barrier: 1, waiting: 2, exited: 3 },
        FindingKind::InvalidBarrier { barrier: 1 },
        FindingKind::InvalidMbarrier { misuse: MbarrierMisuse::Arrivals },
        FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Rank { map: 2, asked: 3 } },
        FindingKind::InvalidWarpgroup { misuse: WarpgroupMisuse::Apart },
        FindingKind::BlockLeft { rank: 1 },
        FindingKind::InactiveLane { lane: 3 },
        FindingKind::UndeclaredLane { mask: 7, lane: 3 },
        FindingKind::MissingLanes { mask: 7, arrived: 3, exited: 1 },
        FindingKind::PartialWarp { arrived: 3, exited: 4 },
        FindingKind::Deadlock,
        FindingKind::EndlessLoop { budget: u64::MAX },
        FindingKind::Leak { allocations: 1, bytes: 2 },
        FindingKind::DoubleFree,
        FindingKind::InvalidFree,
        FindingKind::LaunchLimit { limit: Limit::SharedMemory, asked: 2, allowed: 1 },
        FindingKind::HostCopy { bytes: 5 },
        FindingKind::DivisionByZero { remainder: true },
        FindingKind::Assert { expression: text() },
        FindingKind::PrintArgument { argument: 1, conversion: text(), passed: Passed::Long },
        FindingKind::PrintConversion { conversion: text() },
        FindingKind::Trap,
        FindingKind::InvalidCall { target: 1 },
        FindingKind::InvalidBranch { index: 4, targets: 3 },
        FindingKind::InvalidObject { handle: 1, surface: true, gone: true },
        FindingKind::OutsideSurface { at: [-4, 1, 2], extent: [16, 1, 1] },
        FindingKind::StackOverflow { depth: 9, stack_bytes: 1024 },
        FindingKind::Unsupported { what: text() },
        FindingKind::Internal { what: text() },
    ]
}

/// A report without empty fields.
fn report() -> Report {
    let totals = Totals { instructions: 1, ..Totals::default() };
    let texels = TextureTraffic { instructions: 1, lanes: 5, requests: 2, sectors: 4, distinct_sectors: 3 };
    let counters = Counters {
        blocks: 1,
        warps: 2,
        threads: 64,
        longest_warp: 7,
        totals: Totals {
            textures: texels,
            surface_loads: texels,
            surface_stores: texels,
            surface_atomics: texels,
            ..totals.clone()
        },
        lines: vec![LineCounters { place: place(), totals }],
        branches: vec![BranchCount { place: place(), warps: 2, diverged: 1, executions: 4, divergent: 3 }],
        costs: Some(Costs::default()),
    };
    let launch = Launch {
        kernel: "_Z1kv".into(),
        kernel_name: "k()".into(),
        grid: [1, 2, 3],
        block: [32, 1, 1],
        static_shared_bytes: 1,
        dynamic_shared_bytes: 2,
        local_bytes: 3,
        registers_estimated: 4,
        waiting_loops: 0,
        locking_loops: 0,
        retrying_loops: 0,
        fetching_loops: 0,
        same_values: vec![SourcePlace { line: 4, ..SourcePlace::default() }],
        cooperative: true,
        issue: 2,
        stream: 3,
        seed: 5,
        occupancy: Occupancy { blocks_per_sm: 6, warps_per_sm: 7, percent: 12.5, limiter: Limiter::SharedMemory },
        host_ms: 0.25,
        fault: Some(Fault::IllegalAddress),
        counters,
    };
    Report {
        profile: "a100".into(),
        settings: Settings { checks: Checks::ALL, ..Settings::default() },
        launches: vec![launch],
        findings: vec![told(FindingKind::Trap)],
        ..Report::default()
    }
}

fn leaks() -> Leaks {
    let kind = FindingKind::Leak { allocations: 1, bytes: 4 };
    Leaks { findings: vec![Leak { during: "case a".into(), rendered: told(kind) }], ..Leaks::default() }
}

/// Collects every field of a JSON value, as the keys and indices that lead to it.
fn fields(value: &Value, path: &mut Vec<Value>, found: &mut Vec<Vec<Value>>) {
    let mut inside = |key: Value, value: &Value| {
        path.push(key);
        if path.last().is_some_and(Value::is_string) {
            found.push(path.clone());
        }
        fields(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| inside(k.as_str().into(), v)),
        Value::Array(list) => (0..).zip(list).for_each(|(i, v)| inside(Value::from(i), v)),
        _ => {}
    }
}

/// The object that contains the last key of a path.
fn holder<'v>(value: &'v mut Value, path: &[Value]) -> &'v mut serde_json::Map<String, Value> {
    let step = |value: &'v mut Value, key: &Value| match key {
        Value::String(key) => &mut value[key.as_str()],
        index => &mut value[index.as_u64().unwrap() as usize],
    };
    let (_, outer) = path.split_last().unwrap();
    outer.iter().fold(value, step).as_object_mut().unwrap()
}

/// Plants a mistake at every field in turn, and returns the number of fields. `plant` changes a field of its object,
/// and returns whether that is a mistake.
fn every_field_is_needed(
    whole: &Value,
    read: impl Fn(&str) -> bool,
    plant: impl Fn(&mut serde_json::Map<String, Value>, &str) -> bool,
) -> usize {
    let mut paths = Vec::new();
    fields(whole, &mut Vec::new(), &mut paths);
    for path in &paths {
        let mut spoilt = whole.clone();
        let key = path.last().and_then(Value::as_str).unwrap();
        if plant(holder(&mut spoilt, path), key) {
            let shown = Value::from(path.clone());
            assert!(!read(&spoilt.to_string()), "{shown} is not missed");
        }
    }
    paths.len()
}

/// The fields that are omitted if empty, and those that the first reports of this version did not have.
const MAY_BE_MISSING: [&str; 20] = [
    "fetching_loops",
    "inlined_at",
    "textures",
    "surface_loads",
    "surface_stores",
    "surface_atomics",
    "refusals_answered",
    "assertion_named",
    "process",
    "command",
    "issue",
    "same_values",
    "stream",
    "keep_going",
    "fences",
    "meanwhile",
    "spun_sectors",
    "busiest",
    "bank_conflicts",
    "longest_warp",
];

/// Whether a text can be parsed.
type Reads = fn(&str) -> bool;

#[test]
fn a_missing_renamed_or_mistyped_field_is_an_error() {
    let mut read: Vec<(String, Reads)> = vec![
        (report().to_json(), |text| Report::read(text).is_ok()),
        (leaks().to_json(), |text| Leaks::read(text).is_ok()),
    ];
    for kind in kinds() {
        let json = serde_json::to_string(&told(kind)).unwrap();
        read.push((json, |text| serde_json::from_str::<RenderedFinding>(text).is_ok()));
    }
    for (json, reads) in read {
        assert!(reads(&json), "{json}");
        let whole: Value = serde_json::from_str(&json).unwrap();
        let fields = every_field_is_needed(&whole, reads, |map, key| {
            map.remove(key);
            !MAY_BE_MISSING.contains(&key)
        });
        assert!(fields > 30, "{fields}");
        every_field_is_needed(&whole, reads, |map, key| {
            let value = map.remove(key).unwrap();
            map.insert(format!("{key}_of_old"), value);
            true
        });
        every_field_is_needed(&whole, reads, |map, key| {
            map.insert(key.into(), json!({ "no": "such type" }));
            true
        });
    }
}

#[test]
fn every_kind_survives_the_way() {
    let whole = Report { findings: kinds().into_iter().map(told).collect(), ..report() };
    assert_eq!(Report::read(&whole.to_json()).unwrap(), whole);
    let leaks = leaks();
    assert_eq!(Leaks::read(&leaks.to_json()).unwrap(), leaks);
    let empty = Report::default();
    assert_eq!(Report::read(&empty.to_json()).unwrap(), empty);
}

#[test]
fn an_unknown_version_is_an_error_that_names_it() {
    // The rest is not parsed: missing fields are not reported.
    for (text, found) in [(r#"{"version": 2}"#, 2), (r#"{"version": 4294967297, "launches": []}"#, (1 << 32) + 1)] {
        let error = Report::read(text).unwrap_err();
        assert!(matches!(error, ReadError::UnknownVersion { found: f } if f == found), "{error}");
        let words = format!("version {found}, and this program knows version {VERSION} only");
        assert!(error.to_string().contains(&words), "{error}");
        assert!(Leaks::read(text).is_err());
    }
    for text in ["", "{}", "[]", r#"{"version": "1"}"#, r#"{"version": 1}"#] {
        let error = Report::read(text).unwrap_err();
        assert!(matches!(error, ReadError::Malformed(_)), "{text}: {error}");
    }
    let missing = Report::read(r#"{"version": 1}"#).unwrap_err().to_string();
    assert!(missing.contains("missing field `profile`"), "{missing}");
}

/// A rejected launch does not count against the program once it has received the error, as on a GPU.
#[test]
fn refused_launches_that_the_program_knows_of_accuse_nobody() {
    let limit = || told(FindingKind::LaunchLimit { limit: Limit::SharedMemory, asked: 2, allowed: 1 });
    let of = |findings: Vec<RenderedFinding>, refusals_answered| {
        Report { findings, refusals_answered, ..report() }.accuses()
    };
    let twice = || RenderedFinding { finding: Finding { count: 2, ..limit().finding }, ..limit() };
    assert!(!of(vec![], 0));
    assert!(of(vec![limit()], 0) && !of(vec![limit()], 1));
    assert!(of(vec![twice()], 1) && !of(vec![twice()], 2));
    assert!(of(vec![limit(), told(FindingKind::Trap)], 1));
}

/// A failed assertion is a finding, whatever the program does with its error.
#[test]
fn a_failed_assertion_accuses_the_program_though_it_names_it() {
    let failed = told(FindingKind::Assert { expression: "i < n".into() });
    for assertion_named in [false, true] {
        assert!(Report { findings: vec![failed.clone()], assertion_named, ..report() }.accuses());
    }
}

#[test]
fn reports_of_several_processes_add_up() {
    let other = Report { process: 7, findings: vec![told(FindingKind::Trap)], launches_dropped: 2, ..report() };
    let one = report();
    let both = one.clone().and(other);
    assert_eq!((both.process, both.launches.len()), (one.process, 2 * one.launches.len()));
    assert_eq!(both.findings.len(), one.findings.len() + 1);
    assert_eq!(both.launches_dropped, one.launches_dropped + 2);
    assert_eq!(both.copies.fill.bytes, 2 * one.copies.fill.bytes);
}
