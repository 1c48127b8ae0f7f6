//! A fuzzer: calls in any order with any arguments must not crash or hang. The tests here are short; for millions of
//! sequences see [`super::fuzz_range`].
//!
//! Pointers that the C API requires to be valid are null or valid; handles, addresses, sizes, flags and texts are
//! arbitrary, except those that request a legal but endless amount of work.

use crate::api::entry::Symbol;
use crate::api::proc_address::families;
use crate::state::device::driver::configure;
use crate::state::device::sync::lock;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::sync::{LazyLock, Mutex};

/// Calls that are left out: those that wait until memory changes, which it never does here, and one that writes a file.
const LEFT_OUT: [&str; 5] =
    ["cuIpcOpen", "cuStreamWaitValue", "cuStreamBatchMemOp", "cuGraphAddBatchMemOpNode", "cuGraphDebugDotPrint"];

const TEXTS: [&[u8]; 5] = [
    b"\0",
    b"kernel\0",
    b"/no/such/file\0",
    b".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\nret;\n}\n\0",
    b".version 7.0\n.target sm_52\n.visible .entry kernel( { add.s32 %r1; }\0",
];

unsafe extern "C" fn callback(_: *mut c_void) {}

/// The results of the calls so far, and the buffers that are passed to calls.
struct World {
    returned: Vec<u64>,
    buffers: Vec<Vec<u64>>,
}

const WORDS: usize = 512;

impl World {
    fn returned(&self, choice: u64) -> u64 {
        let all = self.returned.len().max(1);
        self.returned.get(choice as usize % all).copied().unwrap_or(0)
    }

    /// Returns an argument of a type, chosen by a random word.
    fn argument(&mut self, position: usize, kind: &str, word: u64) -> u64 {
        let (way, choice) = (word % 8, word / 8);
        match kind {
            "HostFn" | "CallbackFn" | "SizeFn" if way == 0 => 0,
            "HostFn" | "CallbackFn" | "SizeFn" => callback as *const () as u64,
            "*const c_char" if way != 0 => TEXTS[choice as usize % TEXTS.len()].as_ptr() as u64,
            _ if kind.starts_with('*') => {
                if way == 0 {
                    return 0;
                }
                self.fill(position, kind, choice);
                self.buffers[position].as_mut_ptr() as u64
            }
            // Sizes and counts: up to the size of a buffer, or more than any memory has.
            "usize" => {
                if way == 0 {
                    u64::MAX - choice % 64
                } else {
                    choice % 64
                }
            }
            "c_int" | "c_uint" | "i32" | "u32" | "u8" | "u16" => match way {
                0 => 0x8000_0000 + choice % 256,
                1 => u64::from(u32::MAX),
                _ => choice % 20,
            },
            _ => match way {
                0 => choice,
                1 => choice % 4,
                _ => self.returned(choice),
            },
        }
    }

    /// Fills the target of a pointer of this type.
    fn fill(&mut self, position: usize, kind: &str, choice: u64) {
        let scratch = self.buffers[MOST].as_mut_ptr() as u64;
        let mut words = std::mem::take(&mut self.buffers[position]);
        match kind {
            // Counts, and capacities of lists.
            "*mut usize" | "*const usize" => (0..).zip(&mut words).for_each(|(at, word)| *word = at % 8),
            _ if kind.contains("* mut *") || kind.contains("*mut *") || kind.contains("*const *") => {
                words.fill(scratch);
            }
            // These structures contain pointers, which are null here.
            "*const LaunchConfig"
            | "*const KernelNode"
            | "*const KernelNode2"
            | "*const LaunchParams"
            | "*const HostNode"
            | "*mut AnyNode"
            | "*const AnyNode" => {
                words.fill(0);
                words[0] = self.returned(choice);
            }
            _ => {
                for (at, word) in (0..).zip(&mut words) {
                    let handle = (at + choice).is_multiple_of(3);
                    *word = if handle { self.returned(choice + at) } else { (at ^ choice) % 5 };
                }
            }
        }
        self.buffers[position] = words;
    }
}

/// The maximum number of arguments of a call.
const MOST: usize = 15;

#[rustfmt::skip]
type Entry = unsafe extern "C" fn(
    u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
) -> i32;

/// Makes a call.
///
/// # Safety
/// The arguments must match the call. All are whole words, which the C ABI passes in the same way for any number of
/// arguments.
unsafe fn enter(symbol: Symbol, given: [u64; MOST]) -> i32 {
    // SAFETY: the caller's contract.
    unsafe {
        let entry: Entry = std::mem::transmute(symbol.0);
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = given;
        entry(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    }
}

/// Returns these arguments, padded with zeros.
fn only<const N: usize>(arguments: [u64; N]) -> [u64; MOST] {
    std::array::from_fn(|at| arguments.get(at).copied().unwrap_or(0))
}

/// Creates one object of each kind, for a sequence to begin with.
fn begin(symbols: &HashMap<&str, Symbol>, world: &mut World) {
    let mut make = |name: &str, arguments: [u64; 4]| {
        let mut out = 0u64;
        // SAFETY: each call below gets the arguments that cuda.h specifies, its result first.
        let code = unsafe {
            let [b, c, d, e] = arguments;
            enter(symbols[name], only([&raw mut out as u64, b, c, d, e]))
        };
        assert_eq!(code, 0, "{name}");
        world.returned.push(out);
        out
    };
    let text = |n: usize| TEXTS[n].as_ptr() as u64;
    make("cuCtxCreate_v2", [0; 4]);
    make("cuStreamCreate", [1, 0, 0, 0]);
    make("cuEventCreate", [0; 4]);
    let module = make("cuModuleLoadData", [text(3), 0, 0, 0]);
    make("cuModuleGetFunction", [module, text(1), 0, 0]);
    let graph = make("cuGraphCreate", [0; 4]);
    make("cuGraphAddEmptyNode", [graph, 0, 0, 0]);
    make("cuGraphInstantiateWithFlags", [graph, 0, 0, 0]);
    make("cuMemAlloc_v2", [4096, 0, 0, 0]);
    make("cuMemAllocManaged", [4096, 1, 0, 0]);
    make("cuMemHostAlloc", [4096, 0, 0, 0]);
    make("cuDeviceGetDefaultMemPool", [0; 4]);
    make("cuMemAllocAsync", [64, 0, 0, 0]);
    make("cuLibraryLoadData", [text(3), 0, 0, 0]);
}

/// A call's name, and the types of its arguments.
type Signature = (&'static str, &'static [&'static str]);

/// All functions, and the signatures of those that are called.
static CALLS: LazyLock<(HashMap<&str, Symbol>, Vec<Signature>)> = LazyLock::new(|| {
    let signatures = families!(ARGUMENTS).into_iter().flatten().copied();
    let called = signatures.filter(|(name, _)| !LEFT_OUT.iter().any(|left| name.starts_with(left)));
    (families!(ENTRIES).into_iter().flatten().copied().collect(), called.collect())
});

/// Serialises the tests, because a capture in one thread forbids calls to the others.
static ALONE: Mutex<()> = Mutex::new(());

/// Calls that have succeeded at least once.
static SUCCEEDED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

/// Generates sequences of calls: the index of each, and a word for each of its arguments.
pub fn calls() -> impl Strategy<Value = Vec<Call>> {
    vec((any::<u64>(), any::<[u64; MOST]>()), 1..120)
}

/// One call of a sequence.
pub type Call = (u64, [u64; MOST]);

/// Makes the calls of a sequence. Some of the objects that they create remain.
pub fn run(calls: &[Call]) -> Result<(), TestCaseError> {
    // A capture left by another sequence would forbid the first calls of this one.
    crate::state::graphs::capture::abandon_all();
    // SAFETY: no arguments but a flag.
    unsafe {
        std::mem::transmute::<*const libc::c_void, unsafe extern "C" fn(u32) -> i32>(crate::api::driver::ENTRIES[0].1.0)(
            0,
        )
    };
    // A kernel that a legal launch starts must end soon.
    configure(None, |settings| settings.budget = 1000).expect("settings can always be changed");
    let (symbols, all) = &*CALLS;
    let mut world = World { returned: Vec::new(), buffers: vec![vec![0; WORDS]; MOST + 1] };
    let call = |world: &mut World, name: &'static str, arguments: &[&str], words: &[u64; MOST]| {
        let mut given = [0; MOST];
        for (position, kind) in arguments.iter().enumerate() {
            given[position] = world.argument(position, kind, words[position]);
        }
        // SAFETY: the pointers are null or point to buffers that are longer than any call's structures and lists.
        let code = unsafe { enter(symbols[name], given) };
        if code == 0 {
            lock(&SUCCEEDED).insert(name);
            for (position, kind) in arguments.iter().enumerate() {
                if given[position] != 0 && (*kind == "*mut Handle" || *kind == "*mut DevicePtr") {
                    let value = world.buffers[position][0];
                    world.returned.push(value);
                }
            }
        }
        (0..=999).contains(&code)
    };
    begin(symbols, &mut world);
    for (which, words) in calls {
        let (name, arguments) = all[*which as usize % all.len()];
        prop_assert!(call(&mut world, name, arguments, words), "{name}");
    }
    Ok(())
}

/// Makes every call with all arguments 0, with and without valid pointers, without a context and with one. Null handles
/// must be refused like any other invalid handle.
#[test]
fn null_is_refused_by_every_call() {
    let _alone = lock(&ALONE);
    run(&[]).expect("the driver starts");
    let symbols: HashMap<&str, Symbol> = families!(ENTRIES).into_iter().flatten().copied().collect();
    let mut buffers = vec![vec![0u64; WORDS]; MOST];
    for with_context in [false, true] {
        for good_pointers in [false, true] {
            for (name, arguments) in families!(ARGUMENTS).into_iter().flatten() {
                if LEFT_OUT.iter().any(|left| name.starts_with(left)) {
                    continue;
                }
                // Removes the contexts that the previous calls have made current.
                while unsafe { enter(symbols["cuCtxPopCurrent_v2"], [0; MOST]) } == 0 {}
                if with_context {
                    let mut context = 0u64;
                    // SAFETY: a pointer for the result, flags and a device.
                    let code = unsafe { enter(symbols["cuCtxCreate_v2"], only([&raw mut context as u64])) };
                    assert_eq!(code, 0);
                }
                let mut given = [0u64; MOST];
                for (position, kind) in arguments.iter().enumerate() {
                    if good_pointers && kind.starts_with('*') {
                        buffers[position].fill(0);
                        given[position] = buffers[position].as_mut_ptr() as u64;
                    }
                }
                // SAFETY: null, or buffers that are longer than what any call reads or writes.
                let code = unsafe { enter(symbols[name], given) };
                assert!((0..=998).contains(&code), "{name}: {code}");
                crate::state::graphs::capture::abandon_all();
            }
        }
    }
}

#[test]
fn no_order_of_calls_crashes() {
    let _alone = lock(&ALONE);
    // PROPTEST_CASES may request more.
    let config = ProptestConfig::default();
    let config = ProptestConfig { cases: config.cases.max(500), failure_persistence: None, ..config };
    let mut runner = TestRunner::new(config);
    runner.run(&calls(), |calls| run(&calls)).unwrap_or_else(|failed| panic!("{failed}"));
    // The test is meaningless unless calls succeed and create objects.
    let succeeded = lock(&SUCCEEDED);
    assert!(succeeded.len() > 100, "{succeeded:?}");
}
