//! The kernels whose host code makes the mistake. The host code is a list of calls in the kernel file, which are
//! executed here one by one.
use cudarc::driver::{
    CudaFunction, LaunchConfig, PushKernelArg, result,
    sys::{CUdeviceptr, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL},
};
use harness::{CaseContext, Check, Error, Result, Run, Tolerance, Uploaded};

use crate::{FILE, answered, reference};

/// How often the calls of `leak` are executed.
const BATCHES: usize = 4;

pub(crate) fn no_wait(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("no-wait").u32(n, 1..1_000_000);
    let largest = x.iter().copied().max().unwrap_or(0);
    let mut hosts = Hosts::new("largest_calls");
    hosts.follow(run, case, &x, &[largest])?;
    hosts.answer(case);
    Ok(())
}

pub(crate) fn leak(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let mut hosts = Hosts::new("digits_calls");
    for batch in 0..BATCHES {
        let x = run.inputs(&format!("leak {batch}")).u32(n, 1..1_000_000);
        if !hosts.follow(run, case, &x, &reference::digits(&x))? {
            break;
        }
    }
    hosts.answer(case);
    Ok(())
}

pub(crate) fn host_pointer(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("host-pointer").u32(n, 1..1_000_000);
    let sum = x.iter().fold(0, |sum, x| sum ^ x);
    let mut hosts = Hosts::new("checksum_calls");
    hosts.follow(run, case, &x, &[sum])?;
    hosts.answer(case);
    Ok(())
}

/// The results of executing a list of calls, once or for several inputs.
struct Hosts {
    /// The list's name in the kernel file.
    name: &'static str,
    /// Bytes that were never freed.
    kept: usize,
    checks: Check,
}

impl Hosts {
    fn new(name: &'static str) -> Self {
        Self { name, kept: 0, checks: Check::default() }
    }

    /// Executes the calls for the input `x`, and checks the answer that the host reads. Returns whether all could be
    /// executed.
    fn follow(&mut self, run: &Run, case: &mut CaseContext<'_>, x: &[u32], expected: &[u32]) -> Result<bool> {
        let name = self.name;
        let mut host = Host {
            run,
            kernel: case.kernel()?,
            launch: case.launch(),
            x: run.upload("x", x)?,
            words: expected.len(),
            result: Memory::None,
            queued: 0,
            early: false,
            lost: 0,
            answer: None,
        };
        for call in list(run, name)? {
            if let Err(mistake) = host.call(call)? {
                self.checks.merge(Check::that(false, format!("{name}: {mistake}")));
                // Memory that the list would have freed later is not the planted leak.
                host.wait()?;
                return host.free().map(|_| false);
            }
        }
        host.wait()?;
        if host.early {
            case.note(format!("{name}: when the host read the result, the kernel was still queued"));
        }
        self.checks.merge(match &host.answer {
            Some(answer) => Check::compare(answer, expected, Tolerance::EXACT),
            None => Check::that(false, format!("{name}: the host never reads its answer")),
        });
        self.kept += host.lost + host.result.bytes();
        Ok(true)
    }

    /// Records the answers, and the memory left allocated.
    fn answer(mut self, case: &mut CaseContext<'_>) {
        if self.kept > 0 {
            let words = format!("{}: {} bytes were allocated and never freed", self.name, self.kept);
            self.checks.merge(Check::that(false, words));
        }
        answered(case, self.checks);
    }
}

/// The list of calls `name` of the kernel file.
fn list(run: &Run, name: &str) -> Result<Vec<i32>> {
    let module = run.module(FILE)?;
    let there = module.get_global(name, run.stream()).map_err(|error| {
        Error::usage(format!("{FILE} has no list `{name}` of what the host does ({})", Error::Driver(error)))
    })?;
    let bytes = run.stream().clone_dtoh(&there)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| i32::from_ne_bytes(*word)).collect())
}

/// The memory that the host's `result` points to.
enum Memory {
    None,
    /// The host's own memory.
    Host(Vec<u32>),
    /// Managed memory: its address, and its length in words.
    Managed(CUdeviceptr, usize),
}

impl Memory {
    fn bytes(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Host(words) => 4 * words.len(),
            Self::Managed(_, words) => 4 * words,
        }
    }

    /// Its address, for the kernel.
    fn address(&self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Host(words) => Some(words.as_ptr() as u64),
            Self::Managed(address, _) => Some(*address),
        }
    }
}

/// The state of a host that executes one call after another.
struct Host<'r> {
    run: &'r Run,
    kernel: CudaFunction,
    launch: LaunchConfig,
    x: Uploaded<u32>,
    /// Words of the result.
    words: usize,
    result: Memory,
    /// Launches that have not started.
    queued: u32,
    /// Whether the host read the result before the kernel had run.
    early: bool,
    /// Bytes to which no pointer is left.
    lost: usize,
    answer: Option<Vec<u32>>,
}

impl Host<'_> {
    /// Executes a call, given by its number in the kernel file's enum `Call`. The inner error says what cannot be done.
    fn call(&mut self, call: i32) -> Result<Result<(), String>> {
        match call {
            0 => self.take(Memory::Host(vec![0; self.words])),
            1 => {
                let memory = self.managed()?;
                self.take(memory);
            }
            2 if self.result.address().is_none() => {
                return Ok(Err("LAUNCH has no result to give to the kernel".into()));
            }
            2 => self.queued += 1,
            3 => self.wait()?,
            4 => match self.read() {
                Some(words) => {
                    self.early |= self.queued > 0;
                    self.answer = Some(words);
                }
                None => return Ok(Err("READ has no result to read".into())),
            },
            5 if self.queued > 0 => return Ok(Err("FREE gives back memory that a queued kernel will write".into())),
            5 => return self.free(),
            other => return Ok(Err(format!("{other} is not one of the calls"))),
        }
        Ok(Ok(()))
    }

    /// Makes `result` point to `memory`; its previous memory is lost.
    fn take(&mut self, memory: Memory) {
        self.lost += self.result.bytes();
        self.result = memory;
    }

    fn managed(&self) -> Result<Memory> {
        if !self.run.session().device.managed_memory {
            return Err(Error::skip("this device has no managed memory"));
        }
        self.run.session().context.bind_to_thread()?;
        // SAFETY: room for the words, which are set to 0 before they are read. It is freed by the list's FREE, or
        // never: that is one of the mistakes.
        unsafe {
            let address = result::malloc_managed(4 * self.words, CU_MEM_ATTACH_GLOBAL)?;
            (address as *mut u32).write_bytes(0, self.words);
            Ok(Memory::Managed(address, self.words))
        }
    }

    /// Starts the queued launches, and waits for their end.
    fn wait(&mut self) -> Result<()> {
        let (stream, n) = (self.run.stream(), self.x.len() as u64);
        for _ in 0..std::mem::take(&mut self.queued) {
            let address = self.result.address().unwrap_or(0);
            let mut builder = stream.launch_builder(&self.kernel);
            builder.arg(&*self.x).arg(&address).arg(&n);
            // SAFETY: these are the kernel's parameters. The device may not be able to access the address: that is one
            // of the mistakes.
            unsafe { builder.launch(self.launch) }?;
        }
        Ok(stream.synchronize()?)
    }

    /// The current words of the result.
    fn read(&self) -> Option<Vec<u32>> {
        let address = self.result.address()? as *const u32;
        // SAFETY: the memory holds that many words, and was set to 0. Volatile, since the device may have written them.
        Some((0..self.words).map(|i| unsafe { address.add(i).read_volatile() }).collect())
    }

    fn free(&mut self) -> Result<Result<(), String>> {
        match std::mem::replace(&mut self.result, Memory::None) {
            Memory::None => return Ok(Err("FREE has nothing to give back".into())),
            Memory::Host(words) => drop(words),
            // SAFETY: allocated by `managed`, and freed once; nothing is queued that uses it.
            Memory::Managed(address, _) => unsafe { result::memory_free(address) }?,
        }
        Ok(Ok(()))
    }
}
