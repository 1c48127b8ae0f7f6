//! Device memory that nobody frees: what is left, who asked for it, and the finding that says so.
//!
//! Memory is left when its context ends, when the process ends, or when a client that knows this driver asks: then it has given
//! back what it meant to. Pinned memory, modules' variables and what graphs own are none of a leak, nor is memory whose
//! stream-ordered free is under way.

use crate::driver::{driver, lock};
use crate::report;
use serde_json::{Value, json};
use simt::finding::{Finding, Findings, Kind as Mistake};
use simt::memory::Kind;
use std::backtrace::Backtrace;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex};

/// Groups of allocations that a report lists, and allocations whose callers it looks up: past these it helps nobody.
const LISTED: usize = 8;
const LOOKED_UP: usize = 64;

/// What the client said it was doing.
static DURING: LazyLock<Mutex<Arc<str>>> = LazyLock::new(|| Mutex::new("".into()));

/// The client does something else from now on.
pub fn during(what: &str) {
    *lock(&DURING) = what.into();
}

/// Whether leaks are looked for: `leakcheck`.
pub fn wanted() -> bool {
    driver().is_ok_and(|driver| driver.leaks.load(Ordering::Relaxed))
}

/// Where an allocation comes from; taken down only while leaks are looked for, since it costs a walk up the stack.
pub struct Origin {
    during: Arc<str>,
    stack: Backtrace,
}

impl Origin {
    /// The call under way.
    pub fn here() -> Option<Arc<Self>> {
        wanted().then(|| {
            Arc::new(Origin {
                during: Arc::clone(&lock(&DURING)),
                stack: Backtrace::force_capture(),
            })
        })
    }
}

/// An allocation that was left behind.
pub struct Left {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The call of the driver that it came from.
    pub call: Arc<str>,
    /// Where that was called, if leaks were looked for then.
    pub origin: Option<Arc<Origin>>,
}

/// Device memory that lives in a context, or in any, and was not told of before.
pub fn left(context: Option<crate::abi::Handle>) -> Vec<Left> {
    let Ok(driver) = driver() else {
        return Vec::new();
    };
    let mine: Vec<_> = lock(&driver.owned)
        .iter()
        .filter(|(_, owned)| !owned.of_graph && !owned.ending && !owned.told)
        .filter(|(_, owned)| context.is_none_or(|context| owned.context == context))
        .map(|(at, owned)| (*at, owned.origin.clone()))
        .collect();
    let found = mine
        .into_iter()
        .filter_map(|(at, origin)| Some((driver.memory.find(at)?, origin)));
    found
        .filter(|(found, _)| matches!(found.kind, Kind::Device | Kind::Managed | Kind::Pool))
        .map(|(found, origin)| Left {
            address: found.start,
            bytes: found.bytes,
            call: found.label,
            origin,
        })
        .collect()
}

/// Tells of what was left, if leaks are looked for: among the findings of the report.
pub fn tell(left: &[Left]) {
    if wanted() && !left.is_empty() {
        report::found(finding(left));
    }
}

/// What all contexts have left now, unless a kernel has failed in one: then its owner could not free it.
pub fn left_now() -> Vec<Left> {
    let sound = driver().is_ok_and(|driver| {
        let all = driver.contexts.all();
        all.iter().all(|context| context.check().is_ok())
    });
    if sound { left(None) } else { Vec::new() }
}

/// What is left now as JSON: a list of findings, one for each of the things that the client said it was doing, which is its
/// `during`. Nothing is told twice.
pub fn take() -> String {
    let left = if wanted() { left_now() } else { Vec::new() };
    if let Ok(driver) = driver() {
        let mut owned = lock(&driver.owned);
        for left in &left {
            if let Some(owned) = owned.get_mut(&left.address) {
                owned.told = true;
            }
        }
    }
    // Memory is given out by ascending address, so the order is that of the program.
    let mut phases: Vec<(Arc<str>, Vec<Left>)> = Vec::new();
    for left in left {
        let during = left.origin.as_ref().map(|origin| &origin.during);
        let during = during.map_or_else(|| Arc::from(""), Arc::clone);
        match phases.iter_mut().find(|(known, _)| *known == during) {
            Some((_, others)) => others.push(left),
            None => phases.push((during, vec![left])),
        }
    }
    let findings = Findings {
        list: phases.iter().map(|(_, left)| finding(left)).collect(),
        dropped: 0,
    };
    let mut list = report::findings_json(&findings);
    let values = list.as_array_mut().into_iter().flatten();
    for (value, (during, _)) in values.zip(&phases) {
        value["during"] = Value::from(&**during);
    }
    json!({ "version": report::VERSION, "findings": list }).to_string()
}

/// The leak of all of these.
fn finding(left: &[Left]) -> Finding {
    let kind = Mistake::Leak {
        allocations: left.len() as u64,
        bytes: left.iter().map(|left| left.bytes).sum(),
    };
    let mut finding = Finding::new(kind, "");
    // Those of one size from one place are one mistake, listed where the first of them is.
    let mut groups: Vec<(String, u64, Vec<u64>)> = Vec::new();
    for left in left.iter().take(LOOKED_UP) {
        let caller = left
            .origin
            .as_ref()
            .and_then(|o| caller(&o.stack.to_string()));
        let source = caller.map_or_else(
            || left.call.to_string(),
            |caller| format!("{}, called by {caller}", left.call),
        );
        let same = |(known, bytes, _): &&mut (String, u64, Vec<u64>)| {
            *known == source && *bytes == left.bytes
        };
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
        finding
            .notes
            .push(format!("and {} more", left.len() - listed));
    }
    finding
}

/// The function of the program that called for memory, and its line where the program has line information: the first on the
/// stack that is none of this library, of the bindings and the harness between it and the program, or of Rust's own libraries.
fn caller(stack: &str) -> Option<String> {
    let mut lines = stack.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.split_once(": ") else {
            continue;
        };
        let place = lines.next_if(|next| next.starts_with("at "));
        if is_between(name) {
            continue;
        }
        let mut name = name;
        while let Some(outer) = name.strip_suffix("::{{closure}}") {
            name = outer;
        }
        let place = place.map(|place| {
            let place = place.trim_start_matches("at ").trim_start_matches("./");
            // The column is of no use to a reader.
            place.rsplit_once(':').map_or(place, |(line, _)| line)
        });
        return Some(match place {
            Some(place) => format!("{name} at {place}"),
            None => name.to_owned(),
        });
    }
    None
}

/// Whether a function stands between the program and its memory, so that naming it helps nobody.
fn is_between(function: &str) -> bool {
    const CRATES: [&str; 8] = [
        "simt_libcuda",
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
    // The driver's entry points: cuMemAlloc_v2.
    let mut after = function.strip_prefix("cu").unwrap_or_default().chars();
    if after.next().is_some_and(char::is_uppercase) && !function.contains("::") {
        return true;
    }
    // `<cudarc::driver::CudaStream as core::fmt::Debug>::fmt` is of the crate that comes first.
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
             at ./harness/libcuda/src/abi.rs:70:9
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
        assert_eq!(
            caller(STACK).unwrap(),
            "vecadd::mode::run at labs/vecadd/src/mode.rs:58"
        );
        let stripped: String = STACK
            .lines()
            .filter(|l| !l.contains(" at "))
            .collect::<Vec<_>>()
            .join("\n");
        assert_eq!(caller(&stripped).unwrap(), "vecadd::mode::run");
        assert_eq!(caller("  0: cuMemAlloc_v2\n  1: cupid\n").unwrap(), "cupid");
        assert_eq!(caller("  0: <unknown>\n  1: cuMemAlloc_v2\n"), None);
        assert_eq!(caller(""), None);
    }

    #[test]
    fn allocations_of_one_size_from_one_place_are_told_together() {
        let left: Vec<Left> = (0..100_u64)
            .map(|i| Left {
                address: 0x1000 * i,
                bytes: if i < 3 { 16 } else { 16 + i },
                call: "cuMemAlloc".into(),
                origin: None,
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
