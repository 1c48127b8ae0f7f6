//! The limits of the process in which a kernel file is compiled. Students write those files, and a compiler is not made
//! for hostile input.
//!
//! # Protections by system
//!
//! - **Files (every Unix).** The compiler is given every header as text. Before it sees the kernel file, the process
//!   lowers the number of files that it may have open to zero. Every `open` then fails, so no spelling of an `#include`
//!   reveals a file of this computer. This does not depend on the version of the system's kernel.
//! - **Files, network, other processes (Linux).** The process also enters a sandbox ([`sandbox::restrict_compiler`]):
//!   it cannot query a file's size and times, and is isolated from the rest if a defect of the compiler lets a text run
//!   code there. If the system has neither Landlock nor seccomp, only the first protection applies.
//! - **Memory (Linux).** Other systems do not enforce the limit.
//! - **Processor time, size of the output (every Unix), wall time (everywhere).**
//! - **Windows** has the wall time limit only, and the compiler there can read the files of the user who runs it.
use std::{io, time::Duration};

#[cfg(unix)]
use sandbox::process::{end_with, lower};
use serde::{Deserialize, Serialize};

use crate::error::Limit;

/// The limits of the compilation of one file; the time limits apply to all attempts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompilerLimits {
    /// Writable memory in bytes.
    pub(crate) memory: u64,
    /// Processor time.
    pub(crate) processor: Duration,
    /// Wall time.
    pub(crate) time: Duration,
    /// Size of the PTX and the log in bytes.
    pub(crate) output: u64,
}

impl CompilerLimits {
    /// The usual limits, far above the needs of CUDA's headers: with `<cub/cub.cuh>` a compilation takes 0.4 GiB and 10
    /// s.
    pub(crate) const USUAL: Self =
        Self { memory: 1 << 30, processor: Duration::from_secs(30), time: Duration::from_secs(180), output: 64 << 20 };
}

/// The time that the compilations of one file have used so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) processor: Duration,
    pub(crate) time: Duration,
}

impl CompilerLimits {
    /// Returns the limits for one more compilation, or the limit that was reached.
    pub(crate) fn left(&self, spent: &Spent) -> Result<Self, Limit> {
        let processor = self.processor.saturating_sub(spent.processor);
        let time = self.time.saturating_sub(spent.time);
        if processor.is_zero() {
            return Err(Limit::Processor(self.processor));
        }
        if time.is_zero() { Err(Limit::Time(self.time)) } else { Ok(Self { processor, time, ..*self }) }
    }
}

/// The size of the compiler's stack in bytes. It does not count as writable memory.
#[cfg(unix)]
const STACK: u64 = 64 << 20;

/// Sets the limits of this process, which `parent` started, and ends it when `parent` ends.
///
/// # Errors
/// The system's reason.
#[cfg(unix)]
pub(crate) fn bound(limits: &CompilerLimits, parent: u32) -> io::Result<()> {
    // Ctrl-C also goes to the parent, which handles it. SAFETY: SIG_IGN is a valid disposition.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    end_with(parent)?;
    // The limit has a resolution of whole seconds.
    let seconds = limits.processor.as_secs_f64().ceil() as u64;
    // At the soft limit SIGXCPU ends the process, at the hard limit SIGKILL.
    lower(libc::RLIMIT_CPU, seconds, seconds + 1)?;
    lower(libc::RLIMIT_DATA, limits.memory, limits.memory)?;
    // The compiler raises the soft limit to the hard limit.
    lower(libc::RLIMIT_STACK, STACK, STACK)?;
    lower(libc::RLIMIT_FSIZE, limits.output, limits.output)?;
    lower(libc::RLIMIT_CORE, 0, 0)
}

#[cfg(not(unix))]
pub(crate) fn bound(_limits: &CompilerLimits, _parent: u32) -> io::Result<()> {
    Ok(())
}
