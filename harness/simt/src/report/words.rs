//! The wording of a finding: its headline, in the terms of the common sanitizers, and its remedy.

use std::fmt::Write as _;

use super::warpgroup;
use crate::finding::{
    AccessKind, Allocation, Blame, FailureOf, Finding, FindingKind, Limit, MbarrierMisuse, Passed, Relation, Scope,
    Space, TensorMapMisuse,
};
use crate::memory::HEAP_BLOCK;
use wire::Settings;

/// Returns a memory space as CUDA C names it.
pub(super) const fn space(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic",
        Space::Global => "__global__",
        Space::Shared => "__shared__",
        Space::Local => "__local__",
        Space::Const => "__constant__",
        Space::Param => "kernel parameter",
    }
}

/// Returns the kind of an access, as a noun.
pub(super) const fn what(what: AccessKind) -> &'static str {
    match what {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic",
        AccessKind::Earlier => "earlier access",
        AccessKind::Copy => "asynchronous copy",
        AccessKind::Allocate => "malloc",
        AccessKind::Free => "free",
        AccessKind::Barrier => "barrier",
        AccessKind::Shuffle => "shuffle",
        AccessKind::Vote => "vote",
        AccessKind::SyncWarp => "__syncwarp",
        AccessKind::Past => "way round a barrier",
        AccessKind::Loop => "loop",
        AccessKind::Exit => "exit",
        AccessKind::Execute => "instruction",
    }
}

/// Returns a sentence about whose mistake it is.
pub(super) fn fault(finding: &Finding) -> &'static str {
    match (finding.kind.verdict(), finding.blame) {
        (FailureOf::Machine, Blame::Kernel | Blame::Host | Blame::Nobody) => {
            "the machine's limit: the kernel may be right, but the SIMT machine does not model what it asks for"
        }
        (FailureOf::Harness, Blame::Kernel | Blame::Host | Blame::Nobody) => "the harness's: the kernel was not judged",
        (FailureOf::Program, Blame::Host) => "the host code's",
        (FailureOf::Program, Blame::Kernel) => "the kernel's",
        (FailureOf::Program, Blame::Nobody) => "neither the kernel's nor the host code's",
    }
}

/// Returns the lanes of a mask as ranges: `0-15, 17`.
pub(super) fn lanes(mask: u32) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        let run = (mask >> lane).trailing_ones();
        match run {
            0 => lane += 1,
            1 => parts.push(lane.to_string()),
            _ => parts.push(format!("{lane}-{}", lane + run - 1)),
        }
        lane += run;
    }
    if parts.is_empty() {
        return "none".into();
    }
    parts.join(", ")
}

fn plural(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// Returns `1 byte`, `4 bytes`.
pub(super) fn bytes(count: u64) -> String {
    plural(count, "byte", "bytes")
}

/// Returns an address; an offset below the start of its space is negative.
pub(super) fn address(address: u64) -> String {
    let signed = address as i64;
    if signed < 0 && signed > -(1 << 32) { format!("-{:#x}", signed.unsigned_abs()) } else { format!("{address:#x}") }
}

/// Returns whether the headline already contains the count.
pub(super) const fn headline_counts(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Race { .. })
}

fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::EmptyGrid => "blocks in the grid",
        Limit::Grid => "blocks in one dimension of the grid",
        Limit::Block => "threads in one dimension of a block",
        Limit::EmptyBlock | Limit::ThreadsPerBlock => "threads in a block",
        Limit::LaunchBounds => "threads in a block, by the kernel's __launch_bounds__",
        Limit::RequiredBlock => "threads in a block, exactly, by the kernel's required block size",
        Limit::Registers => "registers in a block",
        Limit::SharedMemory => "bytes of shared memory in a block",
        Limit::LocalMemory => "bytes of local memory in a thread",
        Limit::Cooperative => "blocks of a cooperative launch, resident at once",
        Limit::Cluster => "blocks in a cluster",
        Limit::Parameters => "bytes of kernel parameters",
        Limit::Arguments => "bytes of arguments",
        Limit::Stream => "stream",
        Limit::Image => "code that the device can run",
    }
}

/// Returns `write of size 4 bytes`, from the finding's first access.
fn first_access(finding: &Finding) -> String {
    match finding.accesses.first() {
        Some(a) if a.size > 0 => format!("{} of size {}", what(a.what), bytes(a.size.into())),
        Some(a) => what(a.what).into(),
        None => "access".into(),
    }
}

/// Returns one side of a race.
fn side(what: AccessKind) -> &'static str {
    match what {
        AccessKind::Write => "Write access",
        AccessKind::Atomic => "Atomic access",
        AccessKind::Copy => "asynchronous copy",
        AccessKind::Read
        | AccessKind::Earlier
        | AccessKind::Allocate
        | AccessKind::Free
        | AccessKind::Barrier
        | AccessKind::Shuffle
        | AccessKind::Vote
        | AccessKind::SyncWarp
        | AccessKind::Past
        | AccessKind::Loop
        | AccessKind::Exit
        | AccessKind::Execute => "Read access",
    }
}

/// Returns a description of the misuse of an mbarrier.
const fn mbarrier(misuse: MbarrierMisuse) -> &'static str {
    match misuse {
        MbarrierMisuse::NotInitialised => "The mbarrier is not initialised",
        MbarrierMisuse::Count => "The mbarrier is initialised for an invalid number of arrivals",
        MbarrierMisuse::Arrivals => "More arrivals at the mbarrier than its phase waits for",
        MbarrierMisuse::Bytes => "More bytes at the mbarrier than it can count",
    }
}

/// Returns a description of the misuse of a tensor map.
fn tensor_map(misuse: TensorMapMisuse) -> String {
    match misuse {
        TensorMapMisuse::Misaligned => "The tensor map's address is not a multiple of 64".into(),
        TensorMapMisuse::Space => "The tensor map lies in shared or local memory".into(),
        TensorMapMisuse::NotAMap => "The tensor map at this address was not made by the driver".into(),
        TensorMapMisuse::Rank { map, asked } => {
            let dimensions = plural(map.into(), "dimension", "dimensions");
            format!("The tensor map has {dimensions}, and the copy takes {asked}")
        }
        TensorMapMisuse::Mode => "The tensor map was made for the other mode (tiled or im2col)".into(),
        TensorMapMisuse::Operation => "The elements of the tensor map do not have this reduction".into(),
        TensorMapMisuse::Coordinate { at, bytes } => {
            format!(
                "The innermost coordinate of the copy, {at}, is not a multiple of 16 bytes ({} elements)",
                16 / bytes
            )
        }
        TensorMapMisuse::Before { at } => {
            format!("The copy stores from before the tensor: one of its coordinates, or of the lower corner, is {at}")
        }
        TensorMapMisuse::Corners { at, first, last } => {
            format!(
                "The first pixel of the copy lies outside the corners of its tensor map: {at} is not in {first}..{last}"
            )
        }
        TensorMapMisuse::Field => "A field of the tensor map is replaced by a value that it cannot have".into(),
    }
}

/// Returns the kind of a finding in one line, and for a race the number of times it was seen.
pub(super) fn headline(finding: &Finding) -> String {
    let mistake = mistake(finding);
    match (&finding.kind, &finding.accesses[..]) {
        (FindingKind::Race { .. }, [_, _, ..]) => {
            let hazards = plural(finding.count, "hazard", "hazards");
            format!("{mistake} [{hazards}]")
        }
        _ => mistake,
    }
}

/// Returns the kind of a finding in one line.
pub(super) fn mistake(finding: &Finding) -> String {
    match &finding.kind {
        FindingKind::OutOfBounds { space: s }
        | FindingKind::OverrunsNeighbour { space: s }
        | FindingKind::ReadOnly { space: s }
        | FindingKind::Misaligned { space: s, .. } => {
            format!("Invalid {} {}", space(*s), first_access(finding))
        }
        FindingKind::UseAfterFree => format!("Invalid __global__ {} (use after free)", first_access(finding)),
        FindingKind::UseBeforeAllocation => "Use of stream-ordered memory before its allocation".into(),
        FindingKind::HostPointer => format!("Invalid __global__ {} (host pointer)", first_access(finding)),
        FindingKind::NullPointer => format!("Invalid __global__ {} (null pointer)", first_access(finding)),
        FindingKind::Uninitialized { space: s } => {
            let size = finding.accesses.first().map_or(0, |a| a.size);
            format!("Uninitialized {} memory read of size {}", space(*s), bytes(size.into()))
        }
        FindingKind::Race { space: s, .. } => match &finding.accesses[..] {
            [a, b, ..] => {
                format!("Race reported between {} and {} in {} memory", side(a.what), side(b.what), space(*s))
            }
            _ => format!("Race reported in {} memory", space(*s)),
        },
        FindingKind::DivergentBarrier { .. } => "Barrier error detected. Divergent thread(s) in warp".into(),
        FindingKind::MismatchedBarrier { .. } => "Barrier error detected. Divergent thread(s) in block".into(),
        FindingKind::BarrierExited { waiting, exited, .. } => format!(
            "Barrier error detected. {}, {}",
            plural(*waiting as u64, "thread waits", "threads wait"),
            plural(*exited as u64, "thread has returned", "threads have returned")
        ),
        FindingKind::InvalidBarrier { barrier } => {
            format!("Barrier error detected. Invalid arguments for barrier {barrier}")
        }
        FindingKind::InvalidMbarrier { misuse } => format!("Barrier error detected. {}", mbarrier(*misuse)),
        FindingKind::InvalidTensorMap { misuse } => tensor_map(*misuse),
        FindingKind::InvalidWarpgroup { misuse } => format!("Warpgroup error detected. {}", warpgroup::what(*misuse)),
        FindingKind::BlockLeft { rank } => {
            format!("Invalid __shared__ {} of block {rank} of the cluster, which has returned", first_access(finding))
        }
        FindingKind::InactiveLane { lane } => format!("Shuffle from inactive lane {lane}"),
        FindingKind::UndeclaredLane { mask, lane } => {
            format!("Warp operation by lane {lane}, which its mask {mask:#010x} leaves out")
        }
        FindingKind::MissingLanes { mask, arrived, .. } => {
            format!("Warp operation waits for lanes that never come: {}", lanes(mask & !arrived))
        }
        FindingKind::PartialWarp { arrived, .. } => {
            format!("Operation of a whole warp executed by {} of its 32 lanes", arrived.count_ones())
        }
        FindingKind::Deadlock => "Deadlock: every thread that is left waits for another".into(),
        FindingKind::EndlessLoop { budget } => format!(
            "Kernel did not end within its budget of {}",
            plural(*budget, "warp instruction", "warp instructions")
        ),
        FindingKind::Leak { allocations, bytes } => format!(
            "Leaked {} in {}",
            plural(*bytes, "byte", "bytes"),
            plural(*allocations, "allocation", "allocations")
        ),
        FindingKind::DoubleFree => "Malloc/Free error encountered : Double free".into(),
        FindingKind::InvalidFree => "Malloc/Free error encountered : Invalid pointer to free".into(),
        FindingKind::LaunchLimit { limit: l, asked, allowed } => match l {
            Limit::EmptyGrid | Limit::EmptyBlock => {
                format!("Launch refused: {asked} {}", limit(*l))
            }
            Limit::Stream => "Launch refused: its stream does not exist".into(),
            Limit::Image => "Launch refused: the program has no code of this kernel that the device can run".into(),
            Limit::Arguments => format!("Launch refused: {asked} {}; the kernel takes {allowed}", limit(*l)),
            _ => format!("Launch refused: {asked} {}; {allowed} allowed", limit(*l)),
        },
        FindingKind::HostCopy { bytes } => {
            format!("Invalid copy or fill of size {bytes} bytes by the host")
        }
        FindingKind::DivisionByZero { remainder: false } => "Integer division by zero".into(),
        FindingKind::DivisionByZero { remainder: true } => "Remainder of an integer division by zero".into(),
        FindingKind::Assert { expression } => format!("Assertion `{expression}` failed"),
        FindingKind::PrintArgument { argument, conversion, passed } => {
            let given = match passed {
                Passed::Nothing => "was not passed",
                Passed::Int => "is passed as an integer of 4 bytes",
                Passed::Long => "is passed as an integer or pointer of 8 bytes",
                Passed::Double => "is passed as a double",
            };
            format!("printf takes argument {argument} for `{conversion}`, but it {given}")
        }
        FindingKind::PrintConversion { conversion } => {
            format!("printf on a device does not know `{conversion}`")
        }
        FindingKind::Trap => "Kernel stopped itself by a trap".into(),
        FindingKind::InvalidCall { target } => format!("Call of {target:#x}, which is not a function"),
        FindingKind::InvalidBranch { index, targets } => {
            format!("Branch to target {index} of a table that has {targets}")
        }
        FindingKind::InvalidObject { handle, surface: false, .. } => {
            format!("Fetch by {handle:#x}, which is not the handle of a texture")
        }
        FindingKind::InvalidObject { handle, surface: true, .. } => {
            format!("Access by {handle:#x}, which is not the handle of a surface")
        }
        FindingKind::OutsideSurface { at: [x, y, z], .. } => {
            format!("Invalid surface {} at byte {x} of row {y} in slice {z}", first_access(finding))
        }
        FindingKind::StackOverflow { depth: 0, stack_bytes } => {
            format!("Stack overflow by an array whose length the thread computes, with a stack of {stack_bytes} bytes")
        }
        FindingKind::StackOverflow { depth, stack_bytes } => {
            format!("Stack overflow at a depth of {depth} calls with a stack of {stack_bytes} bytes")
        }
        FindingKind::Unsupported { what } | FindingKind::Internal { what } => what.clone(),
    }
}

/// Returns the location of the address, as sentences for the lines below the snippet.
pub(super) fn context(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    let address = finding.accesses.iter().find_map(|a| a.address);
    if let (FindingKind::Misaligned { required, .. }, Some(address)) = (&finding.kind, address) {
        lines.push(format!(
            "Address {address:#x} is misaligned: it must be a multiple of {required}, and is {} more than one",
            address % u64::from(*required)
        ));
    }
    if let (FindingKind::ReadOnly { .. }, Some(address)) = (&finding.kind, address) {
        lines.push(format!("Address {address:#x} may only be read"));
    }
    if let (FindingKind::HostPointer | FindingKind::NullPointer, Some(address)) = (&finding.kind, address) {
        lines.push(format!("Address {address:#x} is not an address of the device"));
    }
    if let FindingKind::MissingLanes { mask, arrived, exited } = &finding.kind {
        lines.push(format!(
            "mask {mask:#010x} names lanes {}; arrived: {}; returned before: {}",
            lanes(*mask),
            lanes(*arrived),
            lanes(*exited)
        ));
    }
    if let FindingKind::OutsideSurface { extent: [row, rows, slices], .. } = &finding.kind {
        lines.push(format!(
            "The surface has {} of {} in {}",
            plural(u64::from(*rows), "row", "rows"),
            bytes(u64::from(*row)),
            plural(u64::from(*slices), "slice", "slices")
        ));
    }
    if let FindingKind::InvalidObject { gone: true, .. } = &finding.kind {
        lines.push("The object with this handle has been destroyed".into());
    }
    if let FindingKind::PartialWarp { arrived, exited } = &finding.kind {
        lines.push(format!("all 32 lanes must execute it; here: {}; returned: {}", lanes(*arrived), lanes(*exited)));
    }
    // For a host pointer or a null pointer, the distance from the device's allocations is meaningless; a variable with
    // its offset has already been named next to the access.
    let known = match finding.kind {
        FindingKind::HostPointer | FindingKind::NullPointer => true,
        FindingKind::Race { .. } | FindingKind::Uninitialized { .. } => {
            finding.accesses.iter().any(|a| a.variable.is_some())
        }
        _ => false,
    };
    if known {
    } else if let Some(a) = &finding.allocation {
        lines.push(whereabouts(finding, a, address));
        lines.extend(counted(finding, a));
    } else if let (FindingKind::OutOfBounds { .. }, Some(a)) = (&finding.kind, address) {
        lines.push(format!("Address {} is out of bounds", self::address(a)));
    }
    lines.extend(finding.notes.iter().cloned());
    lines
}

/// Returns the location of the address relative to the nearest allocation or variable.
fn whereabouts(finding: &Finding, a: &Allocation, at: Option<u64>) -> String {
    let subject = at.map_or_else(|| "The address".into(), |a| format!("Address {}", address(a)));
    let access = finding.accesses.first();
    let space = access.and_then(|a| a.space);
    let mut noun = match space {
        Some(Space::Shared) => "variable",
        Some(Space::Local) => "the thread's local memory",
        _ => "allocation",
    }
    .to_owned();
    if a.freed {
        noun = format!("freed {noun}");
    }
    if !a.name.is_empty() {
        let _ = write!(noun, " `{}`", super::demangle(&a.name));
    }
    let (the, nearest) = match space {
        Some(Space::Local) => ("", ""),
        _ => ("the ", "the nearest "),
    };
    let outside = matches!(
        finding.kind,
        FindingKind::OutOfBounds { .. }
            | FindingKind::OverrunsNeighbour { .. }
            | FindingKind::HostCopy { .. }
            | FindingKind::UseAfterFree
    );
    let is = match (outside, a.relation) {
        (true, Relation::Before(_) | Relation::After(_)) => "is out of bounds and is",
        _ => "is",
    };
    let where_ = match a.relation {
        Relation::Before(n) => format!("{} before {nearest}{noun}", bytes(n)),
        Relation::After(n) => format!("{} after {nearest}{noun}", bytes(n)),
        Relation::Inside(0) => format!("the start of {the}{noun}"),
        Relation::Inside(n) => format!("{} inside {the}{noun}", bytes(n)),
    };
    let mut text = format!("{subject} {is} {where_} at {:#x} of size {}", a.address, bytes(a.size));
    if let (
        FindingKind::OutOfBounds { .. } | FindingKind::OverrunsNeighbour { .. },
        Relation::Inside(n),
        Some(access),
    ) = (&finding.kind, a.relation, access)
    {
        let over = (n + u64::from(access.size)).saturating_sub(a.size);
        let _ = write!(text, ", and the access runs over its end by {}", bytes(over));
    }
    text
}

/// Returns the address as an index, if the accessed memory consists of equal elements.
fn counted(finding: &Finding, a: &Allocation) -> Option<String> {
    let access = finding.accesses.first()?;
    let size = u64::from(access.size);
    let outside = matches!(finding.kind, FindingKind::OutOfBounds { .. } | FindingKind::OverrunsNeighbour { .. });
    if !outside || size == 0 || !a.size.is_multiple_of(size) {
        return None;
    }
    let index = match a.relation {
        Relation::Before(n) if n.is_multiple_of(size) => format!("-{}", n / size),
        Relation::After(n) if (n - 1).is_multiple_of(size) => ((a.size + n - 1) / size).to_string(),
        _ => return None,
    };
    let has = match a.size / size {
        0 => "there is none".into(),
        1 => "there is only index 0".into(),
        n => format!("there are 0 to {}", n - 1),
    };
    Some(format!("in elements of {} that is index {index}, and {has}", bytes(size)))
}

/// Returns the last index of the accessed memory, if it consists of elements as wide as the access.
fn last_index(finding: &Finding) -> Option<u64> {
    let (size, access) = (finding.allocation.as_ref()?.size, finding.accesses.first()?.size);
    let count = size.checked_div(u64::from(access)).filter(|_| size.is_multiple_of(u64::from(access)))?;
    count.checked_sub(1)
}

/// Returns the remedy.
pub(super) fn remedy(finding: &Finding) -> String {
    if let Some(remedy) = &finding.remedy {
        return remedy.clone();
    }
    if let (FindingKind::OutOfBounds { space: Space::Global }, Some(last)) = (&finding.kind, last_index(finding)) {
        return format!(
            "the index must stay from 0 to {last}: guard the access with the size of this array, `if (i < n)` where it has n elements"
        );
    }
    let text = match &finding.kind {
        FindingKind::OutOfBounds { space: Space::Shared } => {
            "check the index against the size of the array; for dynamic shared memory, pass enough bytes at the launch"
        }
        FindingKind::OutOfBounds { space: Space::Local } => "check the index against the size of the local array",
        FindingKind::OutOfBounds { .. } => {
            "guard the access with the number of elements, `if (i < n)`, and check that n is what was allocated"
        }
        FindingKind::OverrunsNeighbour { .. } => {
            "the access left one array and hit the next: check the index against the array's size"
        }
        FindingKind::ReadOnly { .. } => "write to a buffer in device memory instead; constants are set by the host",
        FindingKind::Misaligned { .. } => {
            "keep wide accesses (float4, double, casts of byte pointers) at multiples of their size"
        }
        FindingKind::UseAfterFree => "free the memory after the last kernel that uses it has ended: synchronise first",
        FindingKind::UseBeforeAllocation => {
            "let this stream wait for the one that allocates: record an event there behind cudaMallocAsync and call cudaStreamWaitEvent here, or use the memory in that stream"
        }
        FindingKind::HostPointer => {
            "copy the data to device memory and pass that pointer, or allocate it as managed or mapped memory"
        }
        FindingKind::NullPointer => "pass a pointer that was allocated; check that the allocation succeeded",
        FindingKind::Uninitialized { space } => remedy_of_uninitialized(*space, finding.allocation.as_ref()),
        FindingKind::Race { scope: Scope::Thread, .. } => "wait for the copy before its bytes are used",
        FindingKind::Race { space: Space::Global, scope: Scope::Warp | Scope::Block } => {
            "put __syncthreads() between the two accesses, or give each thread an element of its own; where several threads \
             change one element, make the change one atomic operation (atomicAdd and its kin)"
        }
        FindingKind::Race { scope: Scope::Warp, .. } => {
            "put __syncwarp() between the two accesses: lanes of a warp do not run in lockstep"
        }
        FindingKind::Race { scope: Scope::Block, .. } => {
            "put __syncthreads() between the two accesses, or make both atomic"
        }
        FindingKind::Race { scope: Scope::Grid, .. } => {
            "make both accesses atomic, give each block its own element, or split the kernel in two launches"
        }
        FindingKind::DivergentBarrier { .. } => {
            "move the barrier out of the branch, so that every thread of the block reaches the same one"
        }
        FindingKind::MismatchedBarrier { .. } => {
            "let all threads come to the same barriers in the same order: compare the ways to the two"
        }
        FindingKind::BarrierExited { .. } => {
            "do not return before the barrier: let all threads reach it and guard the work instead, or give it the number of threads that come"
        }
        FindingKind::InvalidBarrier { .. } => {
            "use a barrier number from 0 to 15 and a thread count that is a multiple of 32 within the block"
        }
        FindingKind::InvalidMbarrier { misuse } => remedy_of_mbarrier(*misuse),
        FindingKind::InvalidWarpgroup { misuse } => warpgroup::remedy(*misuse),
        FindingKind::BlockLeft { .. } => {
            "keep every block of the cluster alive until the others have read its shared memory: let all of them pass cluster.sync() before they return"
        }
        FindingKind::InactiveLane { .. } => {
            "read only from lanes that execute the shuffle and that its mask names: move it out of the branch, or keep the source among them"
        }
        FindingKind::UndeclaredLane { .. } => "pass a mask that includes every lane that executes the operation",
        FindingKind::MissingLanes { .. } => {
            "pass the mask of the lanes that really get here, taken by __ballot_sync before the branch"
        }
        FindingKind::PartialWarp { .. } => {
            "let all 32 lanes of the warp execute it: move it out of the branch, return only behind it, and launch whole warps"
        }
        FindingKind::Deadlock => {
            "look at where each thread waits: they must reach the same barriers in the same order, and a lock must be released"
        }
        // The user who has set another budget knows the variable.
        FindingKind::EndlessLoop { budget } if *budget == Settings::default().budget => {
            "check the loop's condition; if the kernel is only long, raise the instruction budget (WARPLAB_BUDGET)"
        }
        FindingKind::EndlessLoop { .. } => "check the loop's condition",
        FindingKind::Leak { .. } => "free what was allocated before the context or the process ends",
        FindingKind::DoubleFree => "free each allocation once",
        FindingKind::InvalidFree => "free the pointer that the allocation returned, not one inside it",
        FindingKind::LaunchLimit { limit, .. } => remedy_of_limit(*limit),
        FindingKind::HostCopy { .. } => "copy no more bytes than both sides hold; sizes are in bytes, not elements",
        FindingKind::DivisionByZero { .. } => {
            "divide only where the divisor is not zero: a device does not stop at it, and the result is undefined"
        }
        FindingKind::Assert { .. } => "make the condition hold, or look at the values that the thread has there",
        FindingKind::PrintArgument { passed: Passed::Nothing, .. } => {
            "pass an argument for each conversion of the format (and for each `*`), or write %% for a per cent sign"
        }
        FindingKind::PrintArgument { .. } => {
            "use the conversion of the argument's type, or cast the argument: %d for int, %lld for long long, %f for float and double, %p for a pointer, %s for a string"
        }
        FindingKind::PrintConversion { conversion } if conversion.ends_with('n') => {
            "devices have no %n, and store nothing through its pointer: leave both out"
        }
        FindingKind::PrintConversion { .. } => {
            "devices know the sizes h, l and ll only, and a precision in digits: cast to int or long long and print by %d, %lld or %llu, or write the precision into the format"
        }
        FindingKind::Trap => "look for __trap() or a path that the compiler takes for unreachable",
        FindingKind::InvalidBranch { .. } => "give brx.idx an index below the number of its targets: they count from 0",
        FindingKind::InvalidCall { .. } => {
            "call only through pointers that were set to a __device__ function on the device"
        }
        FindingKind::InvalidObject { .. } | FindingKind::OutsideSurface { .. } => remedy_of_image(&finding.kind),
        FindingKind::InvalidTensorMap { misuse } => remedy_of_tensor_map(*misuse),
        FindingKind::StackOverflow { .. } => {
            "bound the depth of the recursion, make local arrays smaller, or raise the limit by cudaDeviceSetLimit(cudaLimitStackSize, bytes) or cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes)"
        }
        FindingKind::Unsupported { .. } => "run this kernel on a GPU, or write it without that feature",
        FindingKind::Internal { .. } => {
            "this is a mistake in the harness: please report it with the kernel and its PTX"
        }
    };
    text.into()
}

/// Returns the remedy for the misuse of a texture or surface.
const fn remedy_of_image(kind: &FindingKind) -> &'static str {
    match kind {
        FindingKind::InvalidObject { surface: false, .. } => {
            "pass a handle of cudaCreateTextureObject, and destroy the texture after the last kernel that uses it"
        }
        FindingKind::InvalidObject { .. } => {
            "pass a handle of cudaCreateSurfaceObject, and destroy the surface after the last kernel that uses it"
        }
        _ => {
            "the first coordinate of a surface counts bytes, not elements: guard the access with the surface's extents, or use cudaBoundaryModeClamp or cudaBoundaryModeZero"
        }
    }
}

/// The remedy for a read of memory of this space, in an allocation, that no one has written.
fn remedy_of_uninitialized(space: Space, allocation: Option<&Allocation>) -> &'static str {
    match space {
        Space::Global if allocation.is_some_and(|a| a.name == HEAP_BLOCK) => {
            "write every element before it is read: malloc gives memory with anything in it"
        }
        Space::Global => "copy or fill the buffer before the launch, or write the element before it is read",
        Space::Local => "write every element before it is read: a local array holds nothing when its function begins",
        _ => "write every element before it is read; shared memory holds nothing when a block begins",
    }
}

/// The remedy for the wrong use of an mbarrier.
fn remedy_of_mbarrier(misuse: MbarrierMisuse) -> &'static str {
    match misuse {
        MbarrierMisuse::NotInitialised => {
            "let one thread initialise it (init, mbarrier.init), put __syncthreads() behind that, and write nothing else to its eight bytes"
        }
        MbarrierMisuse::Count => "initialise it with the number of arrivals of each phase, from 1 to 1048575",
        MbarrierMisuse::Arrivals => {
            "let each phase have as many arrivals as the mbarrier was initialised with, and wait for a phase before arriving at the next"
        }
        MbarrierMisuse::Bytes => "expect at most 1048575 bytes in a phase, and no fewer than the copies bring",
    }
}

/// Returns the remedy for the misuse of a tensor map.
const fn remedy_of_tensor_map(misuse: TensorMapMisuse) -> &'static str {
    match misuse {
        TensorMapMisuse::Misaligned => {
            "pass it as `const __grid_constant__ CUtensorMap`, or align where you copy it (alignas(64), cudaMalloc)"
        }
        TensorMapMisuse::Space => {
            "pass it as `const __grid_constant__ CUtensorMap`, so that the kernel names the parameter itself and no copy of it, or put it into global or constant memory"
        }
        TensorMapMisuse::NotAMap => {
            "make it by cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col, check what that returns, copy all 128 bytes, and change them only by tensormap.replace"
        }
        TensorMapMisuse::Rank { .. } => "use the copy for as many dimensions as the tensor map has (1d to 5d)",
        TensorMapMisuse::Mode => {
            "use .tile with a map of cuTensorMapEncodeTiled, and .im2col with one of cuTensorMapEncodeIm2col"
        }
        TensorMapMisuse::Operation => {
            "min and max take integers of 32 and 64 bits, f16 and bf16; add takes u32, s32, u64 and floating-point numbers; and, or and xor take u32, s32 and u64; inc and dec take u32"
        }
        TensorMapMisuse::Coordinate { .. } => {
            "begin at a multiple of 16 bytes in the innermost dimension and take a wider box, or copy such edges by loads and stores"
        }
        TensorMapMisuse::Before { .. } => {
            "begin a store or a reduction inside the tensor: only loads may begin before it, and are filled there"
        }
        TensorMapMisuse::Corners { .. } => {
            "begin at a pixel between the lower and the upper corner in W, H and D, and reach the others of a filter by the offsets"
        }
        TensorMapMisuse::Field => "look at the limits of cuTensorMapEncodeTiled: the new value must keep to them",
    }
}

/// Returns the remedy for a launch that exceeds a limit of the part or the kernel.
fn remedy_of_limit(limit: Limit) -> &'static str {
    match limit {
        Limit::EmptyGrid | Limit::EmptyBlock => {
            "every dimension must be at least 1: skip the launch when there is no work"
        }
        Limit::Grid => "spread the blocks over x (the widest dimension), or let each thread do more",
        Limit::Block | Limit::ThreadsPerBlock => "use fewer threads in a block and more blocks",
        Limit::LaunchBounds => "launch no more threads than __launch_bounds__ promises, or raise it",
        Limit::RequiredBlock => "launch with the block size that the kernel requires",
        Limit::Registers => "use fewer threads in a block, or limit registers with __launch_bounds__",
        Limit::SharedMemory => {
            "use less shared memory, or opt in to more with cuFuncSetAttribute (MAX_DYNAMIC_SHARED_SIZE_BYTES)"
        }
        Limit::LocalMemory => {
            "make the arrays of each thread smaller, or give each thread a part of an array in device memory"
        }
        Limit::Cooperative => "launch at most as many blocks as the occupancy query allows on all multiprocessors",
        Limit::Cluster => "use fewer blocks in a cluster, and a grid that consists of whole clusters",
        Limit::Parameters => "pass large arguments through a buffer in device memory",
        Limit::Arguments => "give an argument for each of the kernel's parameters",
        Limit::Stream => "launch before the stream is destroyed, or into a stream that cudaStreamCreate has made",
        Limit::Image => "compile PTX for this device or an older one, as by -arch=sm_75, or emulate a newer device",
    }
}
