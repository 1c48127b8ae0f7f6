//! NVRTC, NVIDIA's run-time compiler, loaded if it is installed: CUDA C++ to PTX, without a GPU.
//!
//! This process only queries its version and architectures. Compilations run in separate processes.
//!
//! The nine functions bound here are the same in NVRTC 11.2 to 13; `cuda.h` is not needed.
use std::{
    ffi::{CStr, CString, OsString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use libloading::Library;

use crate::{
    Arch, Error,
    cuda::CudaHeaders,
    find::{self, Choice},
    input::{Answer, Input},
    log,
};

type Program = *mut c_void;
type Status = c_int;

/// The compiler rejected the text: NVRTC_ERROR_COMPILATION.
const REJECTED: Status = 6;

/// A library function that failed, and the reason.
type Failure = (&'static str, String);

/// A loaded NVRTC.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    /// The library with NVRTC's built-in headers. NVRTC opens it by name, and finds it in this folder only if it is
    /// already open.
    _builtins: Option<Library>,
    path: PathBuf,
    version: (i32, i32),
    archs: Vec<u32>,
    /// CUDA's own headers next to it.
    cuda: CudaHeaders,
}

/// The types of the functions in use.
mod call {
    use super::{Program, Status, c_char, c_int};
    pub type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
    pub type NumArchs = unsafe extern "C" fn(*mut c_int) -> Status;
    pub type Archs = unsafe extern "C" fn(*mut c_int) -> Status;
    pub type Create = unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status;
    pub type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
    pub type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
    pub type Text = unsafe extern "C" fn(Program, *mut c_char) -> Status;
    pub type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
    pub type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;
}

/// The result of the search.
static FOUND: OnceLock<Option<Nvrtc>> = OnceLock::new();

/// Returns the environment variable that passes the result of this process's search to a child, if there was a search.
pub(crate) fn for_children() -> Option<(&'static str, OsString)> {
    let found = FOUND.get()?.as_ref();
    Some((find::VARIABLE, found.map_or("off".into(), |nvrtc| nvrtc.path.clone().into())))
}

/// Returns the NVRTC of this process, searched for once. `None` if there is none.
///
/// # Errors
/// [`Error::Load`] when `WARPLAB_NVRTC` names a library that cannot be used.
pub fn nvrtc() -> Result<Option<&'static Nvrtc>, Error> {
    if let Some(found) = FOUND.get() {
        return Ok(found.as_ref());
    }
    let found = match find::choice() {
        Choice::Off => None,
        Choice::Path(path) => Some(Nvrtc::load(&path).map_err(|reason| Error::Load { path, reason })?),
        Choice::Search => find::candidates().find_map(|path| Nvrtc::load(&path).ok()),
    };
    Ok(FOUND.get_or_init(|| found).as_ref())
}

impl Nvrtc {
    /// Loads the library at `path`.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: loading runs NVIDIA's initialisers; the path comes from the user or is a standard one.
        let library = unsafe { Library::new(path) }.map_err(|e| reason(&e))?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the types are those of nvrtc.h, and every pointer is to a live value.
        let archs = unsafe {
            let version = library.get::<call::Version>(b"nvrtcVersion").map_err(|e| reason(&e))?;
            version(&mut major, &mut minor);
            match library.get::<call::NumArchs>(b"nvrtcGetNumSupportedArchs") {
                Ok(number) if number(&mut count) == 0 && count > 0 => {
                    let mut archs = vec![0; count as usize];
                    let get = library.get::<call::Archs>(b"nvrtcGetSupportedArchs").map_err(|e| reason(&e))?;
                    get(archs.as_mut_ptr());
                    archs
                }
                _ => return Err(format!("NVRTC {major}.{minor} is older than 11.2")),
            }
        };
        if !(11..=13).contains(&major) {
            return Err(format!("NVRTC {major}.{minor} is not among the versions known here, 11.2 to 13"));
        }
        // The package's other files are next to the library as found, or next to the target of a link.
        let real = loaded_from(&library);
        // A bare name, for the system's loader, has no folder.
        let has_folder = path.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
        let given = Some(path).filter(|_| has_folder).and_then(|path| std::path::absolute(path).ok());
        let places = given.iter().chain(&real);
        let near: Vec<PathBuf> = places.filter_map(|place| Some(place.parent()?.to_path_buf())).collect();
        let builtins = |near: &PathBuf| {
            // SAFETY: as above. If it is in none of the folders, NVRTC may find it on the library path.
            unsafe { Library::new(near.join(format!("libnvrtc-builtins.so.{major}.{minor}"))) }.ok()
        };
        Ok(Self {
            library,
            _builtins: near.iter().find_map(builtins),
            version: (major, minor),
            archs: archs.into_iter().map(|a| a as u32).collect(),
            cuda: CudaHeaders::beside(&near),
            path: real.or(given).unwrap_or_else(|| path.to_path_buf()),
        })
    }

    /// Returns the version, e.g. `12.9`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// Returns the library's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether CUDA's own headers, including those of CCCL, are next to this library.
    pub fn has_cuda_headers(&self) -> bool {
        ["cuda_fp16.h", "cooperative_groups.h", "nv/target"].iter().all(|name| self.cuda.find(name).is_some())
    }

    /// Returns the folders of CUDA's own headers next to this library.
    pub fn header_folders(&self) -> impl Iterator<Item = &Path> {
        self.cuda.folders()
    }

    /// Returns CUDA's own headers next to this library.
    pub(crate) fn cuda(&self) -> &CudaHeaders {
        &self.cuda
    }

    /// Returns the oldest virtual architecture that it supports.
    pub(crate) fn oldest(&self) -> u32 {
        self.archs.iter().copied().min().unwrap_or_default()
    }

    /// Identifies the compiler: its version, and the size of its file, since several builds share a version.
    pub fn identity(&self) -> String {
        let bytes = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        format!("{} {bytes}", self.version())
    }

    /// Returns the newest virtual architecture that this compiler supports and a device of `capability` runs.
    pub fn arch_for(&self, capability: (i32, i32)) -> Option<Arch> {
        let device = (capability.0 * 10 + capability.1) as u32;
        self.archs.iter().copied().filter(|a| *a <= device).max().map(Arch::from)
    }

    /// Whether this compiler supports an architecture; those for a single compute capability came with CUDA 12.
    pub(crate) fn knows(&self, arch: Arch) -> bool {
        self.archs.contains(&arch.number) && (!arch.is_exact || self.version.0 >= 12)
    }

    /// Compiles `input` in this process.
    pub(crate) fn compile(&self, input: &Input) -> Answer {
        self.try_compile(input).unwrap_or_else(|(call, reason)| Answer::Failed { call: call.into(), reason })
    }

    fn try_compile(&self, input: &Input) -> Result<Answer, Failure> {
        let holds_zero = |text: &str| text.contains('\0');
        if let Some(name) = std::iter::once((&*input.name, &*input.text))
            .chain(input.headers.iter().map(|header| (&*header.path, &*header.text)))
            .find_map(|(name, text)| holds_zero(text).then_some(name))
        {
            return Ok(Answer::Rejected {
                log: format!("{name}: error: the file holds a zero byte, as no text does: save it as UTF-8"),
            });
        }
        let c = |text: &str| CString::new(text).map_err(|_| ("nvrtcCreateProgram", "a name holds a zero byte".into()));
        let all = |texts: &mut dyn Iterator<Item = &str>| texts.map(c).collect::<Result<Vec<_>, Failure>>();
        let (text, name) = (c(&input.text)?, c(&input.name)?);
        let names = all(&mut input.headers.iter().map(|header| &*header.name))?;
        let texts = all(&mut input.headers.iter().map(|header| &*header.text))?;
        let options = all(&mut input.options.iter().map(String::as_str))?;
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (header_names, header_texts, options_given) = (pointers(&names), pointers(&texts), pointers(&options));

        // SAFETY: the types are those of nvrtc.h; all strings outlive the calls; the program is destroyed where the
        // result is read, and otherwise ends with the process.
        unsafe {
            let create: libloading::Symbol<'_, call::Create> = self.symbol("nvrtcCreateProgram")?;
            let compile: libloading::Symbol<'_, call::Compile> = self.symbol("nvrtcCompileProgram")?;
            let destroy: libloading::Symbol<'_, call::Destroy> = self.symbol("nvrtcDestroyProgram")?;
            let mut program = ptr::null_mut();
            let status = create(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                names.len() as c_int,
                header_texts.as_ptr(),
                header_names.as_ptr(),
            );
            self.ok("nvrtcCreateProgram", status)?;
            let status = compile(program, options.len() as c_int, options_given.as_ptr());
            let log = log::bounded(&self.text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?);
            let answer = match status {
                0 => Answer::Compiled { ptx: self.text(program, "nvrtcGetPTXSize", "nvrtcGetPTX")?, log },
                REJECTED if !log.trim().is_empty() => Answer::Rejected { log },
                _ => Answer::Failed {
                    call: "nvrtcCompileProgram".into(),
                    reason: format!("{}\n{log}", self.error_string(status)).trim().into(),
                },
            };
            destroy(&mut program);
            Ok(answer)
        }
    }

    /// Returns a NUL-terminated text that NVRTC returns in two calls: its size, then its content.
    unsafe fn text(&self, program: Program, size: &'static str, get: &'static str) -> Result<String, Failure> {
        let mut bytes = 0;
        // SAFETY: the caller's program is live; the buffer has the size that NVRTC returned.
        unsafe {
            self.ok(size, self.symbol::<call::Size>(size)?(program, &mut bytes))?;
            let mut buffer = vec![0_u8; bytes.max(1)];
            self.ok(get, self.symbol::<call::Text>(get)?(program, buffer.as_mut_ptr().cast::<c_char>()))?;
            let end = buffer.iter().position(|b| *b == 0).unwrap_or(buffer.len());
            Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
        }
    }

    unsafe fn symbol<T>(&self, name: &'static str) -> Result<libloading::Symbol<'_, T>, Failure> {
        // SAFETY: the caller passes the type that nvrtc.h gives to `name`.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|e| (name, reason(&e)))
    }

    fn ok(&self, call: &'static str, status: Status) -> Result<(), Failure> {
        if status == 0 { Ok(()) } else { Err((call, self.error_string(status))) }
    }

    fn error_string(&self, status: Status) -> String {
        // SAFETY: nvrtcGetErrorString returns a static string for any status.
        unsafe {
            self.symbol::<call::ErrorString>("nvrtcGetErrorString").map_or_else(
                |_| format!("status {status}"),
                |f| CStr::from_ptr(f(status)).to_string_lossy().into_owned(),
            )
        }
    }
}

/// Returns the system's own message for a loading error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the file from which the system's loader took the library.
#[cfg(unix)]
fn loaded_from(library: &Library) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: the symbol's address is in the library, and the name that dladdr returns lives as long as the library.
    unsafe {
        let symbol = library.get::<call::Version>(b"nvrtcVersion").ok()?;
        let mut found = std::mem::zeroed::<libc::Dl_info>();
        let address = *symbol as *const c_void;
        if libc::dladdr(address, &raw mut found) == 0 || found.dli_fname.is_null() {
            return None;
        }
        let name = std::ffi::OsStr::from_bytes(CStr::from_ptr(found.dli_fname).to_bytes());
        std::fs::canonicalize(name).ok()
    }
}

#[cfg(not(unix))]
fn loaded_from(_library: &Library) -> Option<PathBuf> {
    None
}
