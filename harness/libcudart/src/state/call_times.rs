//! How often and how long the program was in each call, for a tool that asks for it: `WARPLAB_CALLS` names a folder, to
//! which each process writes a file when it ends.
use std::{
    collections::BTreeMap,
    env,
    fmt::Write,
    fs,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
    time::Instant,
};

/// The most durations of a function that are kept for its median.
const KEPT: usize = 1 << 16;

/// The calls of one function, with their durations in nanoseconds.
#[derive(Default)]
struct Calls {
    count: u64,
    total: u64,
    least: u64,
    most: u64,
    /// The sum of the squares, for the standard deviation.
    squares: f64,
    kept: Vec<u64>,
}

static CALLS: Mutex<BTreeMap<&'static str, Calls>> = Mutex::new(BTreeMap::new());

/// The folder; `None` unless a tool has asked.
fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let folder = env::var_os("WARPLAB_CALLS").filter(|folder| !folder.is_empty())?;
        // SAFETY: the function may be called when the process ends: it touches nothing that is gone by then.
        unsafe { libc::atexit(write) };
        Some(PathBuf::from(folder))
    };
    FOLDER.get_or_init(find).as_ref()
}

/// Returns the beginning of a call; `None` unless a tool has asked.
pub fn begin() -> Option<Instant> {
    folder().map(|_| Instant::now())
}

/// Records a call that has ended.
pub fn end(name: &'static str, began: Option<Instant>) {
    let Some(began) = began else { return };
    let time = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let mut all = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let calls = all.entry(name).or_default();
    calls.least = if calls.count == 0 { time } else { calls.least.min(time) };
    calls.most = calls.most.max(time);
    calls.count += 1;
    calls.total = calls.total.saturating_add(time);
    calls.squares += time as f64 * time as f64;
    if calls.kept.len() < KEPT {
        calls.kept.push(time);
    }
}

/// Writes a line for each function: its name, the number of calls, and of their durations the sum, the least, the most,
/// the median and the sum of the squares.
extern "C" fn write() {
    let mut all = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = String::new();
    for (name, calls) in all.iter_mut() {
        calls.kept.sort_unstable();
        let (middle, last) = (calls.kept.len() / 2, calls.kept.len().saturating_sub(1) / 2);
        let median = u64::midpoint(calls.kept[last], calls.kept[middle]);
        let Calls { count, total, least, most, squares, .. } = calls;
        let _ = writeln!(text, "{name} {count} {total} {least} {most} {median} {squares}");
    }
    if let Some(folder) = folder() {
        let _ = fs::write(folder.join(std::process::id().to_string()), text);
    }
}
