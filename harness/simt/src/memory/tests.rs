use super::*;

const MIB: u64 = 1 << 20;

fn memory() -> Memory {
    Memory::new(64 * MIB)
}

#[test]
fn bytes_are_reached_through_the_delta_and_never_at_the_address() {
    let memory = memory();
    let addr = memory.alloc(1000, 1, MemoryKind::Device, "x").unwrap();
    assert_eq!(addr % ALIGNMENT, 0);
    let host = memory.host(addr + 8, 4).unwrap();
    assert_ne!(host as u64, addr + 8);
    unsafe { host.cast::<u32>().write(77) };
    let view = memory.view();
    let range = view.find(addr + 8).unwrap();
    assert_eq!(unsafe { range.host(addr + 8).cast::<u32>().read() }, 77);
    assert_eq!(range.end - range.start, 1000);
}

#[test]
fn the_host_faults_on_a_device_address() {
    let memory = memory();
    let addr = memory.alloc(16, 1, MemoryKind::Device, "x").unwrap();
    // The system call copies from the address, and returns EFAULT instead of killing the test.
    let mut pipe = [0; 2];
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let wrote = unsafe { libc::write(pipe[1], addr as *const libc::c_void, 16) };
    assert_eq!((wrote, std::io::Error::last_os_error().raw_os_error()), (-1, Some(libc::EFAULT)));
    unsafe {
        libc::close(pipe[0]);
        libc::close(pipe[1])
    };
}

#[test]
fn ranges_are_exact_and_lie_apart() {
    let memory = memory();
    let a = memory.alloc(100, 1, MemoryKind::Device, "a").unwrap();
    let b = memory.alloc(100, 1, MemoryKind::Device, "b").unwrap();
    assert!(memory.host(a, 100).is_ok());
    assert!(memory.host(a, 101).is_err());
    assert!(memory.host(a + 100, 0).is_err());
    assert!(b.abs_diff(a) >= 4096);
    let view = memory.view();
    let diagnosis = view.diagnose(a + 104, 4);
    assert_eq!(diagnosis.before.as_ref().unwrap().distance, 4);
    assert_eq!(&*diagnosis.before.as_ref().unwrap().label, "a");
    assert_eq!(diagnosis.after.as_ref().unwrap().start, b);
    assert!(diagnosis.to_string().starts_with("4 bytes after the nearest allocation at 0x"));
    assert!(view.diagnose(a + 98, 4).to_string().contains("runs over the end"));
    assert!(view.diagnose(8, 4).null);
}

#[test]
fn freed_ranges_are_remembered_and_not_reused_soon() {
    let memory = memory();
    let a = memory.alloc(4096, 1, MemoryKind::Device, "a").unwrap();
    assert_eq!(memory.free(a).unwrap().bytes, 4096);
    assert!(matches!(memory.free(a), Err(FreeError::DoubleFree { bytes: 4096, .. })));
    assert_eq!(memory.view().diagnose(a + 12, 4).freed.unwrap().start, a);
    let b = memory.alloc(4096, 1, MemoryKind::Device, "b").unwrap();
    assert_ne!(a, b);
    assert!(matches!(memory.free(b + 4), Err(FreeError::Inside { offset: 4, .. })));
    assert!(matches!(memory.free(0x1234), Err(FreeError::Unknown { .. })));
    assert_eq!(memory.used(), 4096);
}

#[test]
fn the_device_s_memory_is_the_limit_and_comes_back() {
    let memory = memory();
    let refused = memory.alloc(65 * MIB, 1, MemoryKind::Device, "x").unwrap_err();
    assert!(matches!(refused, MemoryError::OutOfMemory { .. }));
    assert!(matches!(memory.alloc(u64::MAX, 1, MemoryKind::Device, "x"), Err(MemoryError::OutOfMemory { .. })));
    assert!(matches!(memory.alloc(0, 1, MemoryKind::Device, "x"), Err(MemoryError::Invalid { .. })));
    for round in 0..200 {
        let a = memory.alloc(40 * MIB, 1, MemoryKind::Device, "a").unwrap();
        let b = memory.alloc(24 * MIB, 1, MemoryKind::Device, "b").unwrap();
        assert!(memory.alloc(1, 1, MemoryKind::Device, "c").is_err(), "round {round}");
        let host = memory.host(a, 8).unwrap().cast::<u64>();
        assert_eq!(unsafe { host.read() }, 0, "freed pages come back as zero");
        unsafe { host.write(round) };
        memory.free(a).unwrap();
        memory.free(b).unwrap();
    }
    assert_eq!(memory.used(), 0);
}

#[test]
fn freed_addresses_come_again_where_that_is_asked_for_only() {
    let memory = memory();
    let kept = memory.alloc(100, 1, MemoryKind::Device, "kept").unwrap();
    let round = || {
        let all = ["x", "y", "z"].map(|label| memory.alloc(MIB, 1, MemoryKind::Device, label).unwrap());
        for address in all {
            memory.free(address).unwrap();
        }
        all
    };
    let (first, second) = (round(), round());
    assert!(first.iter().all(|address| !second.contains(address) && *address != kept), "{first:x?} {second:x?}");
    memory.reuse_freed();
    assert_eq!(round(), first);
}

#[test]
fn what_is_allocated_for_good_moves_no_address_that_comes_again() {
    let memory = memory();
    let round = || {
        memory.reuse_freed();
        let all = [5000, 100, MIB].map(|bytes| memory.alloc(bytes, 1, MemoryKind::Device, "x").unwrap());
        for address in all {
            memory.free(address).unwrap();
        }
        all
    };
    let first = round();
    // A module, say, that is loaded once the buffers are freed.
    let module = memory.alloc(100, 1, MemoryKind::Global(false), "module").unwrap();
    assert_eq!(round(), first);
    assert!(!first.contains(&module));
}

#[test]
fn arrays_of_one_size_share_no_low_bits() {
    let memory = memory();
    let all: Vec<u64> = (0..8).map(|_| memory.alloc(8192, 1, MemoryKind::Device, "x").unwrap() % 4096).collect();
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 8, "{all:x?}");
}

#[test]
fn managed_and_pinned_memory_is_the_host_s_own() {
    let memory = memory();
    let pinned = MemoryKind::Pinned { mapped: true, write_combined: false };
    for kind in [MemoryKind::Managed, pinned] {
        let addr = memory.alloc(10_000, 1, kind, "h").unwrap();
        unsafe { (addr as *mut u32).write(5) };
        assert_eq!(memory.host(addr, 4).unwrap() as u64, addr);
        assert_eq!(memory.view().find(addr).unwrap().delta, 0);
        // One element too far is past the end of this, not some address of the host's.
        let past = memory.view().diagnose(addr + 10_000, 4);
        assert!(!past.host_pointer, "{past:?}");
        assert_eq!(past.before.unwrap().distance, 0);
        memory.free(addr).unwrap();
    }
    let mut own = vec![0u32; 100];
    let addr = own.as_mut_ptr() as u64;
    assert!(memory.view().diagnose(addr, 4).host_pointer);
    assert_eq!(memory.register(addr, 400, "own"), Ok(addr));
    assert!(matches!(memory.register(addr + 396, 400, "own"), Err(MemoryError::Overlaps { .. })));
    assert_eq!(memory.find(addr + 399).unwrap().kind, MemoryKind::Registered);
    memory.free(addr).unwrap();
    own[0] = 1;
}

#[test]
fn host_memory_of_a_program_in_another_process_is_the_hosts_too() {
    // Neither a process nor a device has memory at such a high address.
    let addr = 0x7fff_ffff_0000;
    let of_host = || memory().view().diagnose(addr + 8, 4).host_pointer;
    assert!(!of_host());
    know_host(addr..addr + 8);
    assert!(!of_host());
    know_host(addr..addr + 4096);
    assert!(of_host());
}

#[test]
fn constants_are_read_only_to_kernels() {
    let memory = memory();
    let addr = memory.alloc(64, 256, MemoryKind::Global(true), "table").unwrap();
    let view = memory.view();
    assert!(!view.find(addr).unwrap().writable);
    assert_eq!(view.label(view.find(addr).unwrap().id), Some("table"));
}

#[test]
fn large_allocations_are_aligned_as_the_driver_aligns_them() {
    let memory = Memory::new(1 << 40);
    let pinned = MemoryKind::Pinned { mapped: false, write_combined: false };
    // As measured on an H200.
    for (bytes, align) in [(1, 512), (MIB, 512), (MIB + 1, 2 * MIB), (10 * MIB, 2 * MIB), (95 * MIB, 32 * MIB)] {
        for kind in [MemoryKind::Device, MemoryKind::Managed, pinned] {
            let all: Vec<u64> = (0..9).map(|_| memory.alloc(bytes, 1, kind, "x").unwrap()).collect();
            assert!(all.iter().all(|at| at.is_multiple_of(align)), "{bytes} bytes of {kind:?}: {all:x?}");
        }
        let pooled: Vec<u64> = (0..9).map(|_| memory.alloc(bytes, 1, MemoryKind::Pool, "x").unwrap()).collect();
        assert!(pooled.iter().all(|at| at.is_multiple_of(512)), "{pooled:x?}");
    }
    // The host's bytes are nevertheless spread over the page.
    let low = |_| memory.host(memory.alloc(4 * MIB, 1, MemoryKind::Device, "x").unwrap(), 1).unwrap() as u64 % 4096;
    let low: std::collections::BTreeSet<u64> = (0..8).map(low).collect();
    assert_eq!(low.len(), 8);
}

#[test]
fn bytes_stay_as_long_as_a_snapshot_of_them() {
    let memory = memory();
    for kind in [MemoryKind::Device, MemoryKind::Pool, MemoryKind::Managed] {
        for bytes in [100, 4 * MIB] {
            let addr = memory.alloc(bytes, 1, kind, "x").unwrap();
            unsafe { memory.host(addr, 1).unwrap().write(7) };
            let (view, reached) = (memory.view(), memory.reach(addr, bytes).unwrap());
            memory.free(addr).unwrap();
            assert_eq!(unsafe { view.find(addr).unwrap().host(addr).read() }, 7);
            drop(view);
            assert_eq!(unsafe { reached.pointer.read() }, 7);
        }
    }
}

#[test]
fn a_device_takes_addresses_only_for_what_is_allocated() {
    let pages = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
    };
    let before = pages();
    let memory = Memory::new(141 << 30);
    let all: Vec<u64> = (0..3).map(|_| memory.alloc(20 * MIB, 1, MemoryKind::Device, "x").unwrap()).collect();
    // Other tests run at the same time.
    assert!(pages() < before + (2 << 30), "{before} and now {}", pages());
    for at in all {
        memory.free(at).unwrap();
    }
    let small: Vec<u64> = (0..10_000).map(|_| memory.alloc(100, 1, MemoryKind::Device, "x").unwrap()).collect();
    assert!(pages() < before + (2 << 30), "{before} and now {}", pages());
    assert_eq!(memory.live().len(), small.len());
}

const CHUNK: u64 = GRANULARITY;

#[test]
fn mappings_side_by_side_are_one_range_and_share_what_they_map() {
    let memory = memory();
    let at = memory.reserve(4 * CHUNK, 1, 0).unwrap();
    let [a, b] = [0, 0].map(|_| memory.create_physical(CHUNK).unwrap());
    assert_eq!(memory.used(), 2 * CHUNK);
    for (n, chunk) in [&a, &b, &a].into_iter().enumerate() {
        memory.map(at + n as u64 * CHUNK, CHUNK, chunk, "chunk").unwrap();
    }
    // Mapped memory cannot be used before access is granted.
    assert!(memory.host(at, 4).is_err() && memory.view().find(at).is_none());
    assert!(memory.set_access(at, 3 * CHUNK, Access::ReadWrite));
    let span = memory.host(at + CHUNK - 8, CHUNK + 16).unwrap();
    unsafe { span.write_bytes(7, CHUNK as usize + 16) };
    assert_eq!(unsafe { memory.host(at, 1).unwrap().read() }, 7, "the third mapping is the first one's memory");
    assert_eq!(memory.view().ranges().iter().map(|r| (r.start, r.end)).collect::<Vec<_>>(), [(at, at + 3 * CHUNK)]);
    assert!(memory.host(at, 3 * CHUNK + 1).is_err());
    // A part may be read-only.
    assert!(memory.set_access(at + CHUNK, CHUNK, Access::Read));
    assert_eq!(memory.view().ranges().iter().map(|r| r.writable).collect::<Vec<_>>(), [true, false, true]);
    assert!(!memory.set_access(at, CHUNK / 2, Access::Read) && !memory.set_access(at, 4 * CHUNK, Access::Read));
    // The memory is freed when it is neither held nor mapped.
    drop((a, b));
    assert!(memory.unmap(at + CHUNK, CHUNK) && !memory.unmap(at + CHUNK, CHUNK));
    assert_eq!(memory.used(), CHUNK);
    assert!(memory.view().diagnose(at + CHUNK, 4).freed.is_some());
    assert!(!memory.end_reservation(at, 4 * CHUNK), "something is mapped");
    assert!(memory.unmap(at, CHUNK) && memory.unmap(at + 2 * CHUNK, CHUNK));
    assert!(!memory.end_reservation(at, CHUNK) && memory.end_reservation(at, 4 * CHUNK));
    assert_eq!(memory.used(), 0);
    assert!(memory.host(at, 1).is_err());
}

#[test]
fn a_reservation_grows_behind_its_end_and_nothing_else_is_put_there() {
    let memory = memory();
    let at = memory.reserve(2 * CHUNK, 8 * CHUNK, 0).unwrap();
    assert_eq!(at % (8 * CHUNK), 0);
    let others: Vec<u64> = (0..4).map(|_| memory.alloc(CHUNK, 1, MemoryKind::Device, "x").unwrap()).collect();
    let more = memory.reserve(CHUNK, 1, at + 2 * CHUNK).unwrap();
    assert_eq!(more, at + 2 * CHUNK);
    assert!(others.iter().all(|other| *other >= at + 4 * CHUNK || other + CHUNK <= at));
    assert_ne!(memory.reserve(CHUNK, 1, more).unwrap(), more, "it is taken");
    // One mapping may span two reservations.
    let chunk = memory.create_physical(2 * CHUNK).unwrap();
    memory.map(at + CHUNK, 2 * CHUNK, &chunk, "chunk").unwrap();
    assert!(memory.set_access(at + CHUNK, 2 * CHUNK, Access::ReadWrite));
    assert!(memory.host(at + CHUNK, 2 * CHUNK).is_ok());
    assert!(memory.free(at + CHUNK).is_err() && memory.host(at + CHUNK, 1).is_ok());
}

#[test]
fn what_cannot_be_mapped_is_refused() {
    let memory = memory();
    let at = memory.reserve(2 * CHUNK, 1, 0).unwrap();
    let chunk = memory.create_physical(CHUNK).unwrap();
    for (addr, bytes) in [(at + 4096, CHUNK), (at, 4096), (at, 2 * CHUNK), (at + 2 * CHUNK, CHUNK), (0, CHUNK), (at, 0)]
    {
        assert!(memory.map(addr, bytes, &chunk, "x").is_err(), "{bytes} at {addr:#x}");
    }
    memory.map(at, CHUNK, &chunk, "x").unwrap();
    assert!(memory.map(at, CHUNK, &chunk, "x").is_err(), "twice at one place");
    assert!(memory.reserve(4096, 1, 0).is_err() && memory.reserve(0, 1, 0).is_err());
    assert!(memory.create_physical(4096).is_err());
    assert!(matches!(memory.create_physical(64 * MIB), Err(MemoryError::OutOfMemory { .. })));
}

#[test]
fn shared_memory_is_the_same_bytes_at_the_same_address() {
    let memory = Memory::new(1 << 30);
    memory.track_writes(true);
    for bytes in [5000, 3 << 20] {
        let at = memory.alloc(bytes, 1, MemoryKind::Device, "test").unwrap();
        let before = memory.host(at, bytes).unwrap();
        unsafe { before.add(4000).write(7) };
        let shared = memory.share(at + 100).unwrap();
        assert_eq!((shared.start, shared.bytes), (at, bytes));
        assert_eq!(memory.host(at, bytes).unwrap(), before);
        assert_eq!(unsafe { before.add(4000).read() }, 7);
        // Opened, as another process would open it.
        let used = memory.used();
        let file = shared.file.try_clone().unwrap();
        let other = memory.open_shared(file, shared.offset, shared.bytes, "opened").unwrap();
        assert_eq!((memory.find(other).unwrap().bytes, memory.used()), (bytes, used));
        let there = memory.host(other, bytes).unwrap();
        assert!(there != before && unsafe { there.add(4000).read() } == 7);
        unsafe { there.add(1).write(8) };
        assert_eq!(unsafe { before.add(1).read() }, 8);
        assert!(memory.host(other, bytes + 1).is_err());
        memory.free(other).unwrap();
        memory.free(at).unwrap();
        // The next allocation there is zero again, and is not shared.
        let next = memory.alloc(bytes, 1, MemoryKind::Device, "next").unwrap();
        assert_eq!(unsafe { memory.host(next, bytes).unwrap().add(4000).read() }, 0);
    }
    assert!(memory.share(1).is_none());
}

/// The addresses in another process: of an allocation, of its bytes, and of managed memory.
fn elsewhere() -> [u64; 3] {
    let mut process = std::process::Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "memory::tests::where_memory_is", "--ignored", "--nocapture"]);
    let output = process.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = text.split_once("memory at ").unwrap_or_else(|| panic!("{text}"));
    let words = rest.lines().next().unwrap().split(' ').map(|word| word.parse().unwrap());
    words.collect::<Vec<_>>().try_into().unwrap()
}

#[test]
#[ignore = "the other process of the next test"]
fn where_memory_is() {
    let memory = memory();
    let device = memory.alloc(2 * MIB, 1, MemoryKind::Device, "x").unwrap();
    let managed = memory.alloc(2 * MIB, 1, MemoryKind::Managed, "x").unwrap();
    println!("\nmemory at {device} {} {managed}", memory.host(device, 1).unwrap() as u64);
}

#[test]
fn each_process_has_its_memory_elsewhere_on_the_host() {
    let all: Vec<_> = (0..4).map(|_| elsewhere()).collect();
    let different = |of: fn(&[u64; 3]) -> u64| all.iter().map(of).collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(different(|[device, ..]| *device), 1, "{all:x?}");
    assert_eq!(different(|[_, host, _]| *host), 4, "{all:x?}");
    assert_eq!(different(|[.., managed]| *managed), 4, "{all:x?}");
    // Addresses that a kernel knows do not reveal those that it does not know.
    assert_eq!(different(|[_, host, managed]| host.wrapping_sub(*managed)), 4, "{all:x?}");
}

#[test]
fn what_can_be_read_is_known_to_the_page() {
    let (len, flags) = (3 * reserve::PAGE as usize, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping; one of its pages becomes inaccessible, and another one is given back.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    let (at, page) = (start as u64, reserve::PAGE);
    assert!(is_readable(at, 3 * page) && is_readable(at + 3 * page - 1, 1));
    unsafe {
        assert_eq!(libc::mprotect(start.byte_add(page as usize), page as usize, libc::PROT_NONE), 0);
        assert_eq!(libc::munmap(start.byte_add(2 * page as usize), page as usize), 0);
    }
    assert!(is_readable(at, page) && is_readable(at + page - 1, 1));
    assert!(!is_readable(at, page + 1) && !is_readable(at + page, 1) && !is_readable(at + 2 * page, 1));
    assert!(!is_readable(0, 1) && !is_readable(at, u64::MAX) && !is_readable(at, 1 << 40));
    unsafe { libc::munmap(start, 2 * page as usize) };
}
