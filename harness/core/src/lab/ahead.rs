//! Kernel files that are compiled before the first lab begins.
use kernels::KernelSource;

use crate::{
    device::{module, session::Session},
    measure::parallel::parallel,
};

/// Has the kernel files that labs will load compiled on all cores, so that each lab finds them in the cache when it
/// first needs them. On a GPU the driver makes its machine code of them too, and keeps it. What fails here fails again
/// where it is needed, and is told there.
pub(crate) fn compile(files: &[&KernelSource], session: &Session) {
    // One file is compiled as soon by who needs it.
    if files.len() < 2 || kernels::cache_folder().is_none() {
        return;
    }
    parallel(files.len(), |i| {
        let compiled = kernels::ptx_for(files[i], session.device.compute_capability);
        if let (Ok(compiled), false) = (compiled, session.device.is_emulated) {
            drop(module::load(&session.context, &files[i].path, &compiled.ptx));
        }
    });
}
