//! A compilation from end to end: collects the compiler's input, compiles it, and rewrites its output with the names
//! that the user knows.
use std::path::Path;

use crate::{
    Arch, Error, KernelSource, Nvrtc, advice, cache,
    child::{self, Stopped},
    host,
    input::{Answer, Input},
    log::{self, Warning},
    process_limits::{CompilerLimits, Spent},
    ptx,
};

/// The maximum number of headers that are added because the compiler reported them missing. Each costs one more
/// compilation, and all attempts share one time limit.
const MOST_ASKED: usize = 64;

/// A compiled kernel file.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) ptx: String,
    pub(crate) warnings: Vec<Warning>,
}

/// Compiles `source` for `compute_<arch>`. The PTX names files as `source` does, and has the lowest PTX version that it
/// needs.
///
/// # Errors
/// [`Error::Compile`] with the compiler's log; [`Error::ArchDropped`]; [`Error::Exceeded`] and [`Error::Crashed`];
/// [`Error::TwoHeaders`]; [`Error::Start`] and [`Error::Nvrtc`].
pub(crate) fn compile(nvrtc: &Nvrtc, source: &KernelSource, arch: Arch) -> Result<Output, Error> {
    compile_with(nvrtc, source, arch, None)
}

/// As [`compile`], but uses the results in the user's cache folder.
///
/// # Errors
/// As [`compile`].
pub(crate) fn compile_or_remember(nvrtc: &Nvrtc, source: &KernelSource, arch: Arch) -> Result<Output, Error> {
    compile_with(nvrtc, source, arch, cache::folder().as_deref())
}

fn compile_with(nvrtc: &Nvrtc, source: &KernelSource, arch: Arch, cached: Option<&Path>) -> Result<Output, Error> {
    let (file, version, oldest) = (source.path.to_string(), nvrtc.version(), nvrtc.oldest());
    if oldest > arch.number {
        return Err(Error::ArchDropped { file, version, arch: arch.number, oldest });
    }
    let mut input = Input::new(source, arch);
    let named = input.names();
    if named.contains(host::OF_THE_DRIVER) {
        host::add(&mut input, host::OF_THE_DRIVER);
    }
    nvrtc.cuda().add_named(&mut input)?;
    for name in named {
        host::add(&mut input, &name);
    }
    let mut spent = Spent::default();
    for _ in 0..MOST_ASKED {
        let ask = || child::compile(nvrtc.path(), &CompilerLimits::USUAL, &mut spent, &input);
        match cache::or_ask(cached, &nvrtc.identity(), &input, ask) {
            Ok(Answer::Compiled { ptx, log }) => {
                let warnings = log::warnings(&log::clean(&log, &input));
                return Ok(Output { ptx: ptx::tidy(&ptx, &input, arch), warnings });
            }
            Ok(Answer::Rejected { log }) => {
                // The name of a header that a macro assembles is known only now.
                if let Some(name) = log::missing(&log)
                    && (nvrtc.cuda().add(&mut input, name)? || host::add(&mut input, name))
                {
                    continue;
                }
                let log = log::clean(&log, &input) + &advice::on(&log, source, nvrtc.cuda());
                return Err(Error::Compile { file, version, arch, log });
            }
            Ok(Answer::Failed { call, reason }) => return Err(Error::Nvrtc { call, reason }),
            Err(Stopped::Exceeded(limit)) => return Err(Error::Exceeded { file, version, limit }),
            Err(Stopped::Crashed(how)) => return Err(Error::Crashed { file, version, how }),
            Err(Stopped::System(source)) => return Err(Error::Start { file, source }),
        }
    }
    let log = format!("it includes more than {MOST_ASKED} headers by names that macros put together");
    Err(Error::Compile { file, version, arch, log })
}
