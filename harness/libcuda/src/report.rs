//! What was launched, copied and found since the report was last taken, and its JSON.

use crate::driver::{Driver, driver, lock};
use crate::kernel::Function;
use crate::managed::{BLOCK, PAGE};
use serde_json::{Value, json};
use simt::finding::{Allocation, Finding, Findings, Kind, Limit, Relation};
use simt::machine::{Checks, Fault, Report, Settings};
use simt::memory::{AccessError, FreeError};
use simt::profile::{Profile, occupancy};
use simt::report::{Sources, demangle};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The version of the JSON: changed when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// Launches that are kept for a report that nobody asks for; the oldest go first, and are counted.
const KEPT: usize = 4096;

/// Which way bytes went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    HostToHost,
}

/// The memory at one end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Device,
    /// The host's, which the driver has to lock page by page.
    Pageable,
    /// Page-locked or registered.
    Pinned,
    Managed,
}

/// Copies of one direction. A copy counts once for its most telling end: managed, else pageable, else pinned.
#[derive(Clone, Copy, Default)]
struct Copies {
    count: u64,
    bytes: u64,
    pageable: u64,
    pinned: u64,
    managed: u64,
}

/// The account.
#[derive(Default)]
pub struct Recorder(Mutex<Account>);

#[derive(Default)]
struct Account {
    launches: VecDeque<Value>,
    launches_dropped: u64,
    launched: u64,
    findings: Findings,
    /// Copies by direction, then fills: how many, how many bytes.
    copies: [Copies; 4],
    fills: (u64, u64),
    /// Bytes of managed memory to the device and to the host, and the pages that they are.
    migrated: [u64; 2],
    migrated_pages: [u64; 2],
    prefetches: u64,
    advice: u64,
}

fn account(change: impl FnOnce(&mut Account)) {
    if let Ok(driver) = driver() {
        change(&mut lock(&driver.recorder.0));
    }
}

/// Something was found.
pub fn found(finding: Finding) {
    account(|account| account.findings.add(finding));
}

/// What a panic says.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it says nothing").to_owned()
}

/// The driver itself failed.
pub fn internal(place: &str, what: &str) {
    found(Finding::new(
        Kind::Internal {
            what: format!("{place}: {what}"),
        },
        "",
    ));
}

/// Bytes were copied.
pub fn copied(direction: Direction, ends: [Place; 2], bytes: u64) {
    account(|account| {
        let copies = &mut account.copies[direction as usize];
        copies.count += 1;
        copies.bytes += bytes;
        if ends.contains(&Place::Managed) {
            copies.managed += bytes;
        } else if ends.contains(&Place::Pageable) {
            copies.pageable += bytes;
        } else if ends.contains(&Place::Pinned) {
            copies.pinned += bytes;
        }
    });
}

/// Bytes were filled.
pub fn filled(bytes: u64) {
    account(|account| account.fills = (account.fills.0 + 1, account.fills.1 + bytes));
}

/// Managed memory went somewhere.
pub fn migrated(direction: Direction, bytes: u64) {
    account(|account| {
        let way = usize::from(direction == Direction::DeviceToHost);
        account.migrated[way] += bytes;
        account.migrated_pages[way] += bytes.div_ceil(PAGE);
    });
}

/// A prefetch was made.
pub fn prefetched() {
    account(|account| account.prefetches += 1);
}

/// Advice was given.
pub fn advised() {
    account(|account| account.advice += 1);
}

/// Whether nothing is to be said on standard error: `WARPLAB_QUIET` is set.
pub fn quiet() -> bool {
    std::env::var_os("WARPLAB_QUIET").is_some_and(|value| !value.is_empty())
}

fn enabled() -> bool {
    driver().is_ok_and(|driver| driver.settings().checks.memory)
}

/// A copy or fill that leaves its allocation.
pub fn bad_copy(error: &AccessError) {
    if !enabled() {
        return;
    }
    let mut finding = Finding::new(Kind::HostCopy { bytes: error.len }, "");
    finding.allocation = error.diagnosis.freed.as_ref().map(|freed| {
        let size = freed.end - freed.start;
        allocation(freed.start, size, &freed.label, true, error.addr)
    });
    if finding.allocation.is_none()
        && let Some(near) = &error.diagnosis.before
    {
        finding.allocation = Some(allocation(
            near.start,
            near.bytes,
            &near.label,
            false,
            error.addr,
        ));
    }
    finding.notes.push(error.to_string());
    found(finding);
}

fn allocation(address: u64, size: u64, name: &str, freed: bool, of: u64) -> Allocation {
    Allocation {
        address,
        size,
        name: name.to_owned(),
        freed,
        relation: Relation::of(of, address, size),
    }
}

/// A free of what cannot be freed.
pub fn wrong_free(error: &FreeError) {
    if !enabled() {
        return;
    }
    let kind = if matches!(error, FreeError::DoubleFree { .. }) {
        Kind::DoubleFree
    } else {
        Kind::InvalidFree
    };
    let mut finding = Finding::new(kind, "");
    match error {
        FreeError::DoubleFree { addr, bytes, label } => {
            finding.allocation = Some(allocation(*addr, *bytes, label, true, *addr));
        }
        FreeError::Inside { addr, start, .. } => {
            if let Some(live) = driver().ok().and_then(|driver| driver.memory.find(*start)) {
                finding.allocation = Some(allocation(
                    live.start,
                    live.bytes,
                    &live.label,
                    false,
                    *addr,
                ));
            }
        }
        FreeError::Unknown { .. } => {}
    }
    finding.notes.push(error.to_string());
    found(finding);
}

/// A stream-ordered free of what is no pool's.
pub fn wrong_stream_free(driver: &Driver, address: u64) {
    match driver.memory.find(address) {
        Some(live) if live.start != address => {
            let offset = address - live.start;
            wrong_free(&FreeError::Inside {
                addr: address,
                start: live.start,
                offset,
            });
        }
        // It lives, so a stream-ordered free of it is under way, or it is of another kind.
        Some(live) if live.kind == simt::memory::Kind::Pool => {
            wrong_free(&FreeError::DoubleFree {
                addr: address,
                bytes: live.bytes,
                label: live.label,
            });
        }
        Some(_) => wrong_free(&FreeError::Unknown { addr: address }),
        None => match driver.view_freed(address) {
            Some((bytes, label)) => wrong_free(&FreeError::DoubleFree {
                addr: address,
                bytes,
                label,
            }),
            None => wrong_free(&FreeError::Unknown { addr: address }),
        },
    }
}

impl Driver {
    fn view_freed(&self, address: u64) -> Option<(u64, std::sync::Arc<str>)> {
        let view = self.memory.view();
        let freed = view
            .freed()
            .iter()
            .rev()
            .find(|freed| freed.start == address)?;
        Some((freed.end - freed.start, freed.label.clone()))
    }
}

/// A launch that the device refuses.
pub fn refused(kernel: &str, limit: Limit, asked: u64, allowed: u64, remedy: Option<String>) {
    static TOLD: Mutex<BTreeSet<(String, Limit, u64)>> = Mutex::new(BTreeSet::new());
    let mut finding = Finding::new(
        Kind::LaunchLimit {
            limit,
            asked,
            allowed,
        },
        kernel,
    );
    finding.remedy = remedy;
    // Many clients show the driver's code alone, so the reason is also given on standard error, once for each.
    if !quiet() && lock(&TOLD).insert((kernel.to_owned(), limit, asked)) {
        eprintln!(
            "emulated CUDA driver: {}",
            simt::report::one(&finding, &Sources::default()).trim_end()
        );
    }
    found(finding);
}

/// How a launch was shaped.
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub cooperative: bool,
}

fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::IllegalAddress => "illegal_address",
        Fault::MisalignedAddress => "misaligned_address",
        Fault::InvalidAddressSpace => "invalid_address_space",
        Fault::IllegalInstruction => "illegal_instruction",
        Fault::InvalidPc => "invalid_pc",
        Fault::Assert => "assert",
        Fault::Trap => "trap",
        Fault::LaunchTimeout => "launch_timeout",
        Fault::Deadlock => "deadlock",
        Fault::HardwareStackError => "hardware_stack_error",
        Fault::LaunchFailed => "launch_failed",
    }
}

/// A launch has ended.
pub fn launched(
    function: &Function,
    profile: &Profile,
    shape: &Shape,
    report: Report,
    seed: u64,
    took: Duration,
) {
    let kernel = function.kernel();
    let threads = shape.block.iter().product();
    let shared = kernel.static_shared + shape.dynamic_shared;
    let found = occupancy(profile, threads, kernel.registers, shared);
    let launch = json!({
        "kernel": kernel.name,
        "kernel_name": demangle(&kernel.name),
        "grid": shape.grid,
        "block": shape.block,
        "static_shared_bytes": kernel.static_shared,
        "dynamic_shared_bytes": shape.dynamic_shared,
        "local_bytes": kernel.local_bytes,
        "registers_estimated": kernel.registers,
        "cooperative": shape.cooperative,
        "seed": seed,
        "occupancy": {
            "blocks_per_sm": found.blocks,
            "warps_per_sm": found.warps,
            "percent": found.percent(),
            "limiter": found.limiter.to_string(),
        },
        "host_ms": took.as_secs_f64() * 1e3,
        "fault": report.fault.map(fault_name),
        "counters": report.counters,
    });
    crate::launch_log::add(&launch);
    account(|account| {
        if account.launches.len() == KEPT {
            account.launches.pop_front();
            account.launches_dropped += 1;
        }
        account.launched += 1;
        account.launches.push_back(launch);
        account.findings.extend(report.findings);
    });
}

/// Names of the checks that run.
fn check_names(checks: Checks, leaks: bool) -> Vec<&'static str> {
    let all = [
        (checks.memory, "memcheck"),
        (checks.race, "racecheck"),
        (checks.init, "initcheck"),
        (checks.sync, "synccheck"),
        (leaks, "leakcheck"),
    ];
    all.into_iter()
        .filter(|(on, _)| *on)
        .map(|(_, name)| name)
        .collect()
}

/// Source texts that the program gave, by name.
static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Takes source texts, by the names that line information has.
pub fn know(sources: BTreeMap<String, String>) {
    lock(&KNOWN).extend(sources);
}

/// The source files that findings point into: as the program gave them, else where they can be read.
fn sources(findings: &Findings) -> Sources {
    let mut sources = Sources::new();
    if findings.list.is_empty() {
        return sources;
    }
    let known = lock(&KNOWN);
    for (name, text) in known.iter() {
        sources.add(name, text);
    }
    let mut names: Vec<&str> = Vec::new();
    for place in findings
        .list
        .iter()
        .flat_map(|finding| &finding.accesses)
        .map(|access| &access.place)
    {
        names.push(&place.file);
        names.extend(place.inlined_at.iter().map(|from| from.file.as_str()));
    }
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        if !known.contains_key(name)
            && let Ok(text) = std::fs::read_to_string(name)
        {
            sources.add(name, text);
        }
    }
    sources
}

/// Findings as JSON: the fields of `simt::report::json`, with the headline as `title` and the whole report as `text`.
pub fn findings_json(findings: &Findings) -> Value {
    let sources = sources(findings);
    let mut report: Value = serde_json::from_str(&simt::report::json(findings)).unwrap_or_default();
    let list = report
        .get_mut("findings")
        .map(Value::take)
        .unwrap_or_default();
    let mut list = if let Value::Array(list) = list {
        list
    } else {
        Vec::new()
    };
    for (value, finding) in list.iter_mut().zip(&findings.list) {
        value["title"] = value["headline"].clone();
        value["text"] = simt::report::one(finding, &sources).into();
    }
    list.into()
}

/// The findings since the account was last taken, as text, but for what was told at once.
pub fn findings_text() -> String {
    let mut text = String::new();
    account(|account| {
        let sources = sources(&account.findings);
        for finding in &account.findings.list {
            if !matches!(finding.kind, Kind::LaunchLimit { .. }) {
                text += &simt::report::one(finding, &sources);
                text += "\n";
            }
        }
    });
    text
}

/// Takes the account since the last call, as JSON.
pub fn take() -> String {
    let Ok(driver) = driver() else {
        return json!({ "version": VERSION, "launches": [], "findings": [] }).to_string();
    };
    let account = std::mem::take(&mut *lock(&driver.recorder.0));
    let Settings {
        checks,
        counters,
        seed,
        budget,
        workers,
        ..
    } = driver.settings();
    let copy = |direction: Direction| {
        let copies = account.copies[direction as usize];
        json!({
            "count": copies.count,
            "bytes": copies.bytes,
            "pageable_bytes": copies.pageable,
            "pinned_bytes": copies.pinned,
            "managed_bytes": copies.managed,
        })
    };
    json!({
        "version": VERSION,
        "profile": driver.profile.name,
        "settings": {
            "checks": check_names(checks, driver.leaks.load(Ordering::Relaxed)),
            "counters": counters,
            "seed": seed,
            "budget": budget,
            "workers": workers,
        },
        "launches": account.launches,
        "launches_dropped": account.launches_dropped,
        "findings": findings_json(&account.findings),
        "findings_dropped": account.findings.dropped,
        "copies": {
            "host_to_device": copy(Direction::HostToDevice),
            "device_to_host": copy(Direction::DeviceToHost),
            "device_to_device": copy(Direction::DeviceToDevice),
            "host_to_host": copy(Direction::HostToHost),
            "fill": { "count": account.fills.0, "bytes": account.fills.1 },
        },
        "managed": {
            "block_bytes": BLOCK,
            "to_device_bytes": account.migrated[0],
            "to_host_bytes": account.migrated[1],
            "page_bytes": PAGE,
            "to_device_pages": account.migrated_pages[0],
            "to_host_pages": account.migrated_pages[1],
            "prefetches": account.prefetches,
            "advice": account.advice,
        },
        "memory": { "used_bytes": driver.memory.used(), "total_bytes": driver.memory.total() },
    })
    .to_string()
}

/// Something that the machine does not model.
pub fn unsupported(what: &str) {
    found(Finding::new(
        Kind::Unsupported {
            what: what.to_owned(),
        },
        "",
    ));
}
