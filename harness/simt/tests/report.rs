//! The text of findings: every report is compared with its expected text in `tests/report/`.
//!
//! `UPDATE_EXPECTED=1 cargo test -p simt --test machine report::` rewrites the files.

use simt::finding::*;
use simt::report::{self, Sources};

const SOURCE: &str = "\
__global__ void vecadd(const float* a, const float* b, float* c, int n) {
\tint i = blockIdx.x * blockDim.x + threadIdx.x;
\tc[i] = a[i] + b[i];
}
__global__ void sum(float* out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) out[0] = tile[31];
    if (threadIdx.x < 16) __syncthreads();
}
";

fn place(line: u32, column: u32) -> SourcePlace {
    let function = if line < 5 { "_Z6vecaddPKfS0_Pfi" } else { "sum" };
    SourcePlace {
        function: function.into(),
        file: "/build/lab.cu".into(),
        line,
        column,
        ptx_line: 40,
        inlined_at: vec![],
    }
}

fn bare(ptx_line: u32) -> SourcePlace {
    SourcePlace { function: "sum".into(), ptx_line, ..SourcePlace::default() }
}

fn out_of_bounds() -> Finding {
    let space = Space::Global;
    let mut write = Access::memory(AccessKind::Write, space, 4, 0x7f00_0000_0400, place(3, 7));
    write.threads = 32;
    let mut finding =
        Finding::new(FindingKind::OutOfBounds { space }, "_Z6vecaddPKfS0_Pfi").with(write.by([3, 0, 0], [64, 0, 0]));
    finding.allocation = Some(Allocation {
        address: 0x7f00_0000_0000,
        size: 1024,
        name: String::new(),
        freed: false,
        relation: Relation::from_address(0x7f00_0000_0400, 0x7f00_0000_0000, 1024),
    });
    finding
}

fn race() -> Finding {
    let space = Space::Shared;
    let kind = FindingKind::Race { space, scope: Scope::Block };
    let mut write = Access::memory(AccessKind::Write, space, 4, 0x7c, place(7, 5));
    write.variable = Some(("tile".into(), 0x7c));
    let mut read = Access::memory(AccessKind::Read, space, 4, 0x7c, place(8, 36));
    read.variable = Some(("tile".into(), 0x7c));
    let mut finding = Finding::new(kind, "sum").with(write.by([0; 3], [31, 0, 0])).with(read.by([0; 3], [0; 3]));
    finding.count = 4;
    finding.seed = 7;
    finding
}

fn sources() -> Sources {
    let mut sources = Sources::new();
    sources.add("kernels/lab.cu", SOURCE);
    sources
}

/// Compares with `tests/report/<name>`, or writes it.
fn expect(name: &str, text: &str) {
    let path = format!("{}/tests/report/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{path}: refresh with UPDATE_EXPECTED=1");
}

#[test]
fn memory_errors() {
    let mut all = Findings::default();
    all.extend([out_of_bounds(), out_of_bounds()]);

    let space = Space::Shared;
    let mut shared = Access::memory(AccessKind::Read, space, 4, 0x80, bare(77)).by([0; 3], [5, 1, 0]);
    shared.threads = 2;
    let mut finding = Finding::new(FindingKind::OutOfBounds { space }, "sum").with(shared);
    finding.allocation = Some(Allocation {
        address: 0,
        size: 128,
        name: "tile".into(),
        freed: false,
        relation: Relation::from_address(0x80, 0, 128),
    });
    all.add(finding);

    let space = Space::Global;
    let odd = Access::memory(AccessKind::Atomic, space, 8, 0x1004, place(3, 0));
    let kind = FindingKind::Misaligned { space, required: 8 };
    all.add(Finding::new(kind, "sum").with(odd));

    let stale = Access::memory(AccessKind::Read, space, 4, 0x1008, place(3, 900));
    let mut finding = Finding::new(FindingKind::UseAfterFree, "sum").with(stale);
    finding.allocation =
        Some(Allocation { address: 0x1000, size: 64, name: String::new(), freed: true, relation: Relation::Inside(8) });
    all.add(finding);

    let null = Access::memory(AccessKind::Write, space, 4, 0, place(3, 2));
    all.add(Finding::new(FindingKind::NullPointer, "sum").with(null));

    let space = Space::Shared;
    let fresh = Access::memory(AccessKind::Read, space, 4, 0x10, place(8, 36));
    all.add(Finding::new(FindingKind::Uninitialized { space }, "sum").with(fresh));
    expect("memory.txt", &report::text(&all, &sources()));
}

#[test]
fn a_race_names_both_accesses() {
    let mut all = Findings::default();
    all.add(race());
    expect("race.txt", &report::text(&all, &sources()));
}

#[test]
fn waiting_threads() {
    let mut all = Findings::default();
    let waits = Access::at(AccessKind::Barrier, place(9, 27)).by([2, 0, 0], [0; 3]);
    let gone = Access::at(AccessKind::Exit, place(10, 1)).by([2, 0, 0], [16, 0, 0]);
    let kind = FindingKind::BarrierExited { barrier: 0, waiting: 16, exited: 1 };
    all.add(Finding::new(kind, "sum").with(waits.clone()).with(gone));
    all.add(Finding::new(FindingKind::DivergentBarrier { barrier: 0 }, "sum").with(waits));

    let mut inlined = place(7, 5);
    inlined.function = "_ZN2cg4syncEv".into();
    inlined.inlined_at = vec![CalledFrom { file: "/build/lab.cu".into(), line: 9, column: 3 }];
    let kind = FindingKind::MissingLanes { mask: u32::MAX, arrived: 0x0000_ffff, exited: 1 << 31 };
    let warp = Access::at(AccessKind::SyncWarp, inlined);
    all.add(Finding::new(kind, "sum").with(warp));
    let kind = FindingKind::InactiveLane { lane: 17 };
    all.add(Finding::new(kind, "sum").with(Access::at(AccessKind::Shuffle, bare(12))));
    // The variable that raises the budget is named to those who have not set it.
    for (line, budget) in [(3, 1 << 30), (5, wire::Settings::default().budget)] {
        let looping = Access::at(AccessKind::Loop, place(line, 2));
        all.add(Finding::new(FindingKind::EndlessLoop { budget }, "sum").with(looping));
    }
    expect("waiting.txt", &report::text(&all, &sources()));
}

#[test]
fn the_three_verdicts_read_differently() {
    let mut all = Findings::default();
    let limit = Limit::ThreadsPerBlock;
    let kind = FindingKind::LaunchLimit { limit, asked: 2048, allowed: 1024 };
    all.add(Finding::new(kind, "sum"));
    let kind = FindingKind::Leak { allocations: 1, bytes: 64 };
    all.add(Finding::new(kind, ""));
    all.add(Finding::new(FindingKind::DoubleFree, ""));
    let what = "instruction `tex.2d.v4.f32.f32`".into();
    let at = Access::at(AccessKind::Execute, place(3, 2));
    all.add(Finding::new(FindingKind::Unsupported { what }, "sum").with(at));
    let what = "a worker thread could not be started".into();
    all.add(Finding::new(FindingKind::Internal { what }, "sum"));
    expect("verdicts.txt", &report::text(&all, &sources()));
}

#[test]
fn json_has_data_and_wording() {
    let mut all = Findings::default();
    all.extend([out_of_bounds(), race()]);
    let told = all.list.iter().map(|f| report::told(f, &sources()));
    let value = serde_json::json!({
        "version": wire::VERSION,
        "findings": told.collect::<Vec<_>>(),
        "dropped": all.dropped,
    });
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    expect("findings.json", &(pretty + "\n"));
}

#[test]
fn nothing_found_says_nothing() {
    assert_eq!(report::text(&Findings::default(), &Sources::new()), "");
}

/// A report is always produced, whatever the numbers: no line, column or size makes it fail.
#[test]
fn odd_places_do_no_harm() {
    let mut sources = sources();
    sources.add("ünï.cu", "\té = ü;\n\n");
    for file in ["", "lab.cu", "ünï.cu", "elsewhere.cu"] {
        for line in [0, 1, 2, 3, u32::MAX] {
            for column in [0, 1, 2, 3, 4, u32::MAX] {
                let mut finding = out_of_bounds();
                let place = &mut finding.accesses[0].place;
                file.clone_into(&mut place.file);
                (place.line, place.column) = (line, column);
                let text = report::one(&finding, &sources);
                assert!(text.starts_with("error: Invalid __global__ write of size 4 bytes\n"));
                assert!(text.contains("by thread (64,0,0) in block (3,0,0)"), "{text}");
            }
        }
    }
}
