//! Leaks: device memory that was never freed, with the code that allocated it.
//!
//! The leak check runs when a context ends, when the process ends, and on request of a client written for this driver,
//! after it has freed everything that it intends to free. Pinned memory, variables of modules and memory that graphs
//! own are not leaks, and neither is memory whose stream-ordered free is pending.

use super::report;
use crate::state::device::driver::leaks_wanted;
use crate::state::device::leftover::Leftover;
use crate::state::memory::allocation::{left_now, mark_reported, unfreed_now};
use simt::finding::{Access, Blame, Finding, FindingKind as Mistake, Findings};
use simt::memory::Unfreed;
use std::sync::Arc;
use wire::demangle;
use wire::{Leak, Leaks};

/// The maximum number of groups of allocations that a report lists, and of allocations whose callers it looks up.
/// Longer lists would not be useful.
const LISTED: usize = 8;
const LOOKED_UP: usize = 64;

/// Adds a finding about these allocations to the report, if the leak check is on.
pub fn tell(left: &[Leftover]) {
    if leaks_wanted() && !left.is_empty() {
        report::found(finding(left));
    }
}

/// Adds a finding about the blocks that kernels have allocated and not freed, if leaks are looked for.
pub fn tell_heap() {
    if leaks_wanted()
        && let Some(finding) = heap_finding(&unfreed_now())
    {
        report::found(finding);
    }
}

/// The finding about blocks of the device heap, if there are any.
fn heap_finding(left: &[Unfreed]) -> Option<Finding> {
    let bytes = left.iter().map(|block| block.bytes).sum();
    let mut finding = Finding::new(Mistake::Leak { allocations: left.len() as u64, bytes }, "");
    // Blocks that one line has allocated are one mistake.
    let mut lines: Vec<(&Access, u64, u64)> = Vec::new();
    for (access, bytes) in left.iter().filter_map(|block| Some((block.allocated.as_ref()?, block.bytes))) {
        match lines.iter_mut().find(|(known, ..)| known.place.same_line(&access.place)) {
            Some((_, blocks, sum)) => (*blocks, *sum) = (*blocks + 1, *sum + bytes),
            None => lines.push((access, 1, bytes)),
        }
    }
    for (access, blocks, bytes) in lines.iter().take(LISTED) {
        finding.notes.push(format!("{bytes} bytes in {blocks} blocks of the device heap, by malloc or new here"));
        finding.accesses.push((*access).clone());
    }
    finding.blame = Blame::Kernel;
    finding.remedy = Some("free in a kernel what kernels allocate by malloc or new, before the context ends".into());
    (!left.is_empty()).then_some(finding)
}

/// The leaks of now: a finding for each phase that the client has named (`during`). Nothing is reported twice.
pub fn take() -> Leaks {
    let left = if leaks_wanted() { left_now() } else { Vec::new() };
    mark_reported(&left);
    // Addresses are allocated in ascending order, so this is the order of the program.
    let mut phases: Vec<(Arc<str>, Vec<Leftover>)> = Vec::new();
    for left in left {
        let during = left.call_site.as_ref().map(|site| &site.during);
        let during = during.map_or_else(|| Arc::from(""), Arc::clone);
        match phases.iter_mut().find(|(known, _)| *known == during) {
            Some((_, others)) => others.push(left),
            None => phases.push((during, vec![left])),
        }
    }
    let findings = Findings { list: phases.iter().map(|(_, left)| finding(left)).collect(), dropped: 0 };
    let leaks = report::told(&findings).into_iter().zip(phases);
    Leaks {
        version: wire::VERSION,
        findings: leaks.map(|(told, (during, _))| Leak { during: during.to_string(), rendered: told }).collect(),
    }
}

/// Creates the finding about all of these allocations.
fn finding(left: &[Leftover]) -> Finding {
    let kind = Mistake::Leak { allocations: left.len() as u64, bytes: left.iter().map(|left| left.bytes).sum() };
    let mut finding = Finding::new(kind, "");
    // Allocations of one size from one place are one mistake; they are listed once, at the position of the first one.
    let mut groups: Vec<(String, u64, Vec<u64>)> = Vec::new();
    for left in left.iter().take(LOOKED_UP) {
        let caller = left.call_site.as_ref().and_then(|site| caller(&site.stack.to_string()));
        let source =
            caller.map_or_else(|| left.call.to_string(), |caller| format!("{}, called by {caller}", left.call));
        let same = |(known, bytes, _): &&mut (String, u64, Vec<u64>)| *known == source && *bytes == left.bytes;
        match groups.iter_mut().find(same) {
            Some((_, _, addresses)) => addresses.push(left.address),
            None => groups.push((source, left.bytes, vec![left.address])),
        }
    }
    let mut listed = 0;
    for (source, bytes, addresses) in groups.iter().take(LISTED) {
        listed += addresses.len();
        finding.notes.push(match addresses[..] {
            [address] => format!("{bytes} bytes at {address:#x}, from {source}"),
            _ => format!("{} times {bytes} bytes, from {source}", addresses.len()),
        });
    }
    if listed < left.len() {
        finding.notes.push(format!("and {} more", left.len() - listed));
    }
    finding
}

/// Returns the function of the program that allocated the memory, and its line if the program has line information. It
/// is the first function on the stack that does not belong to this library, to the bindings and the harness between it
/// and the program, or to Rust's own libraries.
fn caller(stack: &str) -> Option<String> {
    let mut lines = stack.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.split_once(": ") else {
            continue;
        };
        let place = lines.next_if(|next| next.starts_with("at "));
        let name = demangle(name);
        if is_between(&name) {
            continue;
        }
        let mut name = name.as_str();
        while let Some(outer) = name.strip_suffix("::{{closure}}") {
            name = outer;
        }
        let place = place.map(|place| {
            let place = place.trim_start_matches("at ").trim_start_matches("./");
            // Readers do not need the column.
            place.rsplit_once(':').map_or(place, |(line, _)| line)
        });
        return Some(match place {
            Some(place) => format!("{name} at {place}"),
            None => name.to_owned(),
        });
    }
    None
}

/// Returns whether a function lies between the program and the driver, so that naming it would not help.
fn is_between(function: &str) -> bool {
    const CRATES: [&str; 11] = [
        "thrust",
        "cub",
        "simt_libcuda",
        "simt_cudart",
        "simt",
        "cudarc",
        "harness",
        "core",
        "std",
        "alloc",
        "backtrace_rs",
    ];
    if function == "<unknown>" || function.starts_with("__rust") {
        return true;
    }
    // The entry points of the driver and of the runtime, and the templates over them: cuMemAlloc_v2, cudaMalloc,
    // `cudaError cudaMalloc<float>(float**, unsigned long)`.
    let plain = function.split(['(', '<']).next().unwrap_or_default();
    let plain = plain.rsplit(' ').next().unwrap_or_default();
    let entry = plain.strip_prefix("cuda").or(plain.strip_prefix("cu")).unwrap_or_default();
    let mut after = entry.chars();
    if after.next().is_some_and(char::is_uppercase) && !plain.contains("::") {
        return true;
    }
    // The return type of a template precedes its name.
    let function = if function.contains('(') { &function[function.find(plain).unwrap_or(0)..] } else { function };
    // `<cudarc::driver::CudaStream as core::fmt::Debug>::fmt` belongs to the crate that is named first.
    let path = function.trim_start_matches(['<', '&', '[', '(']);
    let krate = path.split("::").next().unwrap_or_default();
    path.contains("::") && CRATES.contains(&krate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: &str = "\
   0: <unknown>
   1: cuMemAlloc_v2
             at ./harness/libcuda/src/api/entry.rs:20:9
   2: cudarc::driver::result::malloc_sync
             at /home/u/.cargo/registry/src/cudarc-0.19.10/src/driver/result.rs:610:5
   3: <cudarc::driver::safe::core::CudaStream as core::clone::Clone>::clone
   4: core::ops::function::FnOnce::call_once
   5: vecadd::mode::run::{{closure}}::{{closure}}
             at ./labs/vecadd/src/mode.rs:58:23
   6: harness::run::Run::case
   7: main
";

    #[test]
    fn the_caller_is_the_programs() {
        assert_eq!(caller(STACK).unwrap(), "vecadd::mode::run at labs/vecadd/src/mode.rs:58");
        let stripped: String = STACK.lines().filter(|l| !l.contains(" at ")).collect::<Vec<_>>().join("\n");
        assert_eq!(caller(&stripped).unwrap(), "vecadd::mode::run");
        assert_eq!(caller("  0: cuMemAlloc_v2\n  1: cupid\n").unwrap(), "cupid");
        assert_eq!(caller("  0: <unknown>\n  1: cuMemAlloc_v2\n"), None);
        assert_eq!(caller(""), None);
        let of_template = "  0: cuMemAlloc_v2\n  1: cudaMalloc\n  2: _Z10cudaMallocIfE9cudaErrorPPT_m\n  3: main\n      at x.cu:2:5\n";
        assert_eq!(caller(of_template).unwrap(), "main at x.cu:2");
        let of_library = "  0: cuMemAlloc_v2\n  1: _ZN6thrust8cuda_cub6mallocEv\n  2: _Z5fillsPfi\n";
        assert_eq!(caller(of_library).unwrap(), "fills(float*, int)");
    }

    #[test]
    fn allocations_of_one_size_from_one_place_are_told_together() {
        let left: Vec<Leftover> = (0..100_u64)
            .map(|i| Leftover {
                address: 0x1000 * i,
                bytes: if i < 3 { 16 } else { 16 + i },
                call: "cuMemAlloc".into(),
                call_site: None,
            })
            .collect();
        let found = finding(&left);
        assert_eq!(found.notes[0], "3 times 16 bytes, from cuMemAlloc");
        assert_eq!(found.notes[1], "19 bytes at 0x3000, from cuMemAlloc");
        // Eight groups hold ten of them.
        assert_eq!(found.notes[LISTED], "and 90 more");
        assert_eq!(found.notes.len(), LISTED + 1);
    }
}
