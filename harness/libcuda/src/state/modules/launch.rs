//! Kernel launches: running them, and the errors of those that fail.

use super::module::{Function, find_function};
use super::{clusters, refusal};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::attributes::Attributes;
use crate::state::contexts::context::Context;
use crate::state::device::activity;
use crate::state::device::driver::{driver, tell};
use crate::state::device::interrupt::{INTERRUPTED, end_if_interrupted};
use crate::state::device::issue;
use crate::state::device::observer::{Launched, RecordedLaunch};
use crate::state::device::record;
use crate::state::device::sync::lock;
use crate::state::device::{ending, output};
use crate::state::memory::managed;
use simt::finding::SourcePlace;
use simt::kernel::Geometry;
use simt::machine::{self, Fault, Launch, RecordRequest, Runtime, Watch};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The interval at which the progress of a long launch is reported.
const PATIENCE: Duration = Duration::from_secs(10);

/// A launch, with a copy of its parameters.
pub struct KernelLaunch {
    pub function: Arc<Function>,
    /// The caller's handle of the function.
    pub handle: Handle,
    pub geometry: Geometry,
    /// The requested geometry, before the kernel's own cluster size was filled in.
    pub asked: Geometry,
    /// Other requested attributes. Only launches that are graph nodes keep them.
    pub attributes: Attributes,
    /// The parameter block.
    params: Arc<[u8]>,
}

/// Returns the error that a failed kernel leaves on its context.
fn error_of(fault: Fault) -> Error {
    match fault {
        Fault::IllegalAddress => Error::ILLEGAL_ADDRESS,
        Fault::MisalignedAddress => Error::MISALIGNED_ADDRESS,
        Fault::InvalidAddressSpace => Error::INVALID_ADDRESS_SPACE,
        Fault::IllegalInstruction => Error::ILLEGAL_INSTRUCTION,
        Fault::InvalidPc => Error::INVALID_PC,
        Fault::Assert => Error::ASSERT,
        Fault::LaunchTimeout | Fault::Deadlock => Error::LAUNCH_TIMEOUT,
        Fault::HardwareStackError => Error::HARDWARE_STACK_ERROR,
        Fault::Trap | Fault::LaunchFailed => Error::LAUNCH_FAILED,
    }
}

/// Returns the complete geometry, checked against the limits of the part and the kernel.
fn checked(function: &Function, asked: Geometry) -> Result<Geometry> {
    let geometry = clusters::complete(function, asked)?;
    refusal::check(function, &geometry)?;
    Ok(geometry)
}

impl KernelLaunch {
    /// Returns the length of the parameter block in bytes.
    pub fn parameter_bytes(&self) -> usize {
        self.params.len()
    }

    /// Creates a launch, checked against the limits of the part and the kernel. `params` copies the parameters.
    ///
    /// # Errors
    /// For a handle that is not a function, for exceeded limits, and the errors of `params`.
    pub fn new(
        handle: Handle,
        geometry: Geometry,
        params: impl FnOnce(&Function) -> Result<Vec<u8>>,
    ) -> Result<Arc<Self>> {
        // The function may no longer exist.
        ending::check()?;
        let function = find_function(handle)?;
        let params = params(&function)?.into();
        let asked = geometry;
        let geometry = checked(&function, asked)?;
        Ok(Arc::new(KernelLaunch { function, handle, geometry, asked, attributes: Attributes::default(), params }))
    }

    /// Returns the same launch with a different geometry and different attributes.
    ///
    /// # Errors
    /// Exceeded limits.
    pub fn with(&self, asked: Geometry, attributes: Attributes) -> Result<Arc<Self>> {
        let (function, params) = (Arc::clone(&self.function), Arc::clone(&self.params));
        let geometry = checked(&function, asked)?;
        Ok(Arc::new(KernelLaunch { function, handle: self.handle, geometry, asked, attributes, params }))
    }

    /// The words among its parameters, which may be addresses.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.params.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
    }

    /// Runs it. `runtime` answers what the kernel asks. Returns whether it came to its end.
    pub(super) fn run(&self, context: Option<&Arc<Context>>, runtime: &dyn Runtime) -> bool {
        let Ok(driver) = driver() else { return false };
        let mut settings = driver.settings();
        if let Some(context) = context {
            let limits = lock(&context.limits);
            (settings.stack_bytes, settings.print_bytes) = (limits.stack_bytes(), limits.print_bytes());
        }
        managed::launched(driver, &self.params);
        let launch = Launch { kernel: self.function.kernel(), geometry: self.geometry, params: &self.params };
        let mut printed = Vec::new();
        let mut print = |bytes: &[u8]| printed.extend_from_slice(bytes);
        let start = Instant::now();
        let slow = |progress| tell(|observer| observer.slow(self.function.kernel(), progress));
        let stopped = |place: &SourcePlace| tell(|observer| observer.stopped(self.function.kernel(), place));
        let wanted = record::wanted(self.function.kernel(), &self.geometry);
        let record = wanted.map(|wanted| RecordRequest { blocks: wanted.blocks, limit: wanted.limit as usize });
        let watch = Watch {
            cancel: &INTERRUPTED,
            patience: PATIENCE,
            slow: &slow,
            stopped: &stopped,
            runtime: Some(runtime),
            record,
        };
        let busy = activity::begin();
        let mut report = machine::run_watched(&driver.memory, driver.profile, &settings, &launch, &watch, &mut print);
        drop(busy);
        let took = start.elapsed();
        if ending::has_abandoned() {
            return false;
        }
        output::keep(&printed, settings.print_bytes);
        output::complain(&report.asserted);
        if let (Some(wanted), Some(recorded), Some(ptx)) = (wanted, report.recorded.take(), &self.function.module.text)
        {
            tell(|observer| {
                observer.recorded(RecordedLaunch {
                    file: wanted.file,
                    number: wanted.number,
                    kernel: self.function.kernel(),
                    profile: driver.profile,
                    geometry: self.geometry,
                    blocks: wanted.blocks,
                    limit: wanted.limit,
                    params: &self.params,
                    recorded,
                    fault: report.fault,
                    ptx,
                });
            });
        }
        let ended = report.fault.is_none();
        if let (Some(fault), Some(context)) = (report.fault, context) {
            context.fail(error_of(fault));
        }
        tell(|observer| {
            observer.launched(Launched {
                kernel: self.function.kernel(),
                profile: driver.profile,
                geometry: self.geometry,
                report,
                seed: settings.seed,
                issued: issue::current(),
                took,
            });
        });
        end_if_interrupted(|| tell(|observer| observer.ends()));
        ended
    }
}
