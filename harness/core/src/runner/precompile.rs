//! Compiles kernel files before the first lab begins.
//!
//! NVRTC compiles them on all cores. A GPU's driver compiles them to machine code one after another, whichever thread
//! requests it, and caches the result for every process. (All files, on the host of an H200: 10.4 s on one thread, 9.9
//! s on eight, 3.3 s in four processes.) So if the driver's cache is cold, helper processes of this program each
//! compile a share of the files.
use std::{
    env,
    process::Stdio,
    time::{Duration, Instant},
};

use kernels::KernelSource;

use crate::{
    device::{module, registers, session::Session},
    measure::{parallel::parallel, timer},
    process::{
        records::RecordsFile,
        role::{Process, Role},
    },
};

/// PTX files of at least this size: the load time shows whether the driver's cache was hit.
const TELLING: usize = 100_000;

/// A driver that takes at least this long for such a file has just compiled it: on an H200's host that took 0.15 s and
/// more, and a few milliseconds with a cache hit.
const MADE: Duration = Duration::from_millis(50);

/// The maximum number of helpers: each starts its own driver, which takes a good part of a second.
const MOST: usize = 5;

/// Compiles a helper's share of the files.
pub(crate) fn help(wanted: &[usize], files: &[&KernelSource], session: &Session) {
    make(wanted.iter().filter_map(|i| files.get(*i)), session);
}

/// Compiles the kernel files that labs will load, so that each lab finds them in the cache. A failure here occurs again
/// where the file is needed, and is reported there.
pub(crate) fn compile(process: &Process, files: &[&KernelSource], session: &Session) {
    // A single file is compiled just as fast when it is first used.
    if files.len() < 2 || kernels::cache_folder().is_none() {
        return;
    }
    let sizes: Vec<usize> = files.iter().map(|file| file.ptx.len()).collect();
    let mut largest_first: Vec<usize> = (0..files.len()).collect();
    largest_first.sort_by_key(|i| std::cmp::Reverse(sizes[*i]));
    let capability = session.device.compute_capability;
    let compile = |i: usize| {
        if let Ok(compiled) = kernels::ptx_for(files[largest_first[i]], capability) {
            registers::prepare(&compiled.ptx, capability);
        }
    };
    parallel(files.len(), compile);
    // In a benchmark's program, a helper would run the benchmark.
    if session.device.is_emulated || !keeps_machine_code() || timer::is_set() {
        return;
    }
    let first = largest_first.iter().rposition(|i| sizes[*i] >= TELLING).unwrap_or(0);
    let first = largest_first.remove(first);
    let began = Instant::now();
    make([&files[first]], session);
    let rest = &largest_first;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let helpers = if began.elapsed() < MADE { 0 } else { (cores / 2).min(MOST).min(rest.len() / 2) };
    let mut shares = shares(rest, &sizes, helpers + 1);
    let own = shares.pop().unwrap_or_default();
    let helpers: Vec<_> = shares.iter().filter_map(|share| start(process, share)).collect();
    make(own.iter().map(|i| &files[*i]), session);
    for (mut helper, _records) in helpers {
        let _ = helper.wait();
    }
}

/// Whether the driver caches its machine code.
fn keeps_machine_code() -> bool {
    env::var_os("CUDA_CACHE_DISABLE").is_none_or(|value| value == "0")
}

/// Loads each file once, so that the driver caches its machine code.
fn make<'f>(files: impl IntoIterator<Item = &'f &'f KernelSource>, session: &Session) {
    for file in files {
        if let Ok(compiled) = kernels::ptx_for(file, session.device.compute_capability) {
            drop(module::load(&session.context, &file.path, &compiled.ptx));
        }
    }
}

/// Divides the files of `largest_first` into `number` shares of about the same size.
fn shares(largest_first: &[usize], sizes: &[usize], number: usize) -> Vec<Vec<usize>> {
    let mut shares = vec![(0, Vec::new()); number];
    for file in largest_first {
        if let Some((size, share)) = shares.iter_mut().min_by_key(|(size, _)| *size) {
            *size += sizes[*file];
            share.push(*file);
        }
    }
    shares.into_iter().map(|(_, share)| share).collect()
}

/// Starts a helper for these files, if possible.
fn start(process: &Process, share: &[usize]) -> Option<(std::process::Child, RecordsFile)> {
    let (mut command, left) = process.piece(Role::Precompilation { files: share.to_vec() }).ok()?;
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Some((command.spawn().ok()?, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_one_share_and_shares_are_about_alike() {
        let sizes = [3, 90, 7, 40, 60, 1, 50];
        let largest_first = [1, 4, 6, 3, 2, 0, 5];
        assert_eq!(shares(&largest_first[1..], &sizes, 3), [vec![4], vec![6, 5], vec![3, 2, 0]]);
        assert_eq!(shares(&largest_first, &sizes, 1), [largest_first.to_vec()]);
        assert_eq!(shares(&[0], &sizes, 2), [vec![0], vec![]]);
    }
}
