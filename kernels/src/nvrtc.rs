//! NVRTC, NVIDIA's run-time compiler, loaded when it is there: CUDA C++ to PTX, without a GPU.
//!
//! The nine functions bound here are the same in NVRTC 11.2 to 13; `cuda.h` is not needed.
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use libloading::Library;

use crate::{Error, KernelSource, find, find::Choice, headers, ptx};

/// Options besides the architecture. `-lineinfo`, so that findings and profilers name lines of the `.cu`.
pub(crate) const OPTIONS: [&str; 2] = ["-lineinfo", "--std=c++17"];

type Program = *mut c_void;
type Status = c_int;

/// A loaded NVRTC.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    /// The library with NVRTC's built-in headers. NVRTC opens it by name, and finds it in this folder only if it is
    /// open.
    _builtins: Option<Library>,
    path: PathBuf,
    version: (i32, i32),
    archs: Vec<u32>,
}

/// The types of the functions that are used.
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

/// The NVRTC of this process, searched for once. `None` if there is none.
///
/// # Errors
/// [`Error::Load`] when `WARPLAB_NVRTC` names a library that cannot be used.
pub fn nvrtc() -> Result<Option<&'static Nvrtc>, Error> {
    static FOUND: OnceLock<Option<Nvrtc>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.as_ref());
    }
    let found = match find::choice() {
        Choice::Off => None,
        Choice::Path(path) => Some(Nvrtc::load(path.clone()).map_err(|reason| Error::Load { path, reason })?),
        Choice::Search => find::candidates().find_map(|path| Nvrtc::load(path).ok()),
    };
    Ok(FOUND.get_or_init(|| found).as_ref())
}

impl Nvrtc {
    /// Loads the library at `path`.
    fn load(path: PathBuf) -> Result<Self, String> {
        // SAFETY: loading runs NVIDIA's initialisers; the path comes from the user or is a usual one.
        let library = unsafe { Library::new(&path) }.map_err(|e| e.to_string())?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the types are those of nvrtc.h, and every pointer is to a live value.
        let archs = unsafe {
            let version = library.get::<call::Version>(b"nvrtcVersion").map_err(|e| e.to_string())?;
            version(&mut major, &mut minor);
            match library.get::<call::NumArchs>(b"nvrtcGetNumSupportedArchs") {
                Ok(number) if number(&mut count) == 0 && count > 0 => {
                    let mut archs = vec![0; count as usize];
                    let get = library.get::<call::Archs>(b"nvrtcGetSupportedArchs").map_err(|e| e.to_string())?;
                    get(archs.as_mut_ptr());
                    archs
                }
                _ => return Err(format!("NVRTC {major}.{minor} is older than 11.2")),
            }
        };
        if !(11..=13).contains(&major) {
            return Err(format!("NVRTC {major}.{minor} is not among the versions known here, 11.2 to 13"));
        }
        let builtins = path.with_file_name(format!("libnvrtc-builtins.so.{major}.{minor}"));
        Ok(Self {
            library,
            // SAFETY: as above. If it is not in this folder, NVRTC may find it on the library path.
            _builtins: unsafe { Library::new(builtins) }.ok(),
            path,
            version: (major, minor),
            archs: archs.into_iter().map(|a| a as u32).collect(),
        })
    }

    /// Version, e.g. `12.9`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// The library's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folders with CUDA's own headers (`cuda_fp16.h`, `cooperative_groups.h`) beside this library, as a toolkit or
    /// NVIDIA's Python packages lay them out.
    fn include_folders(&self) -> Vec<PathBuf> {
        let library = self.path.parent().unwrap_or(Path::new("."));
        let parents = ["../include", "../include/cccl", "../../cuda_runtime/include", "../../cuda_cccl/include"];
        let folders = parents.map(|folder| library.join(folder)).into_iter();
        folders.filter(|folder| folder.is_dir()).collect()
    }

    /// Whether all of CUDA's own headers that `source` includes can be found.
    pub(crate) fn has_headers_of(&self, source: &KernelSource) -> bool {
        let folders = self.include_folders();
        let at_hand = |name: &str| folders.iter().any(|f| f.join(name).is_file());
        let names = headers::included(source).system;
        // CUDA's own headers include one of CCCL's, which is a separate package.
        names.is_empty() || at_hand("nv/target") && names.into_iter().all(at_hand)
    }

    /// What to do about a header of CUDA that was not found.
    fn missing_headers(&self, source: &KernelSource, log: &str) -> &'static str {
        if log.contains("cannot open source file") && !self.has_headers_of(source) {
            "\nCUDA's headers are looked for beside NVRTC: install the CUDA toolkit, or `pip install nvidia-cuda-runtime-cu12 \
             nvidia-cuda-cccl-cu12` where nvidia-cuda-nvrtc-cu12 is"
        } else {
            ""
        }
    }

    /// The newest virtual architecture that this compiler knows and a device of `capability` runs.
    pub fn arch_for(&self, capability: (i32, i32)) -> Option<u32> {
        let device = (capability.0 * 10 + capability.1) as u32;
        self.archs.iter().copied().filter(|a| *a <= device).max()
    }

    /// Compiles `source` for `compute_<arch>`. The PTX names files as `source` does, and requires no
    /// newer PTX version than it needs.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log; [`Error::ArchDropped`]; [`Error::Nvrtc`].
    pub fn compile(&self, source: &KernelSource, arch: u32) -> Result<String, Error> {
        if let Some(oldest) = self.archs.iter().min().copied().filter(|o| *o > arch) {
            return Err(Error::ArchDropped { file: source.path.to_string(), version: self.version(), arch, oldest });
        }
        let c = |text: &str| {
            CString::new(text).map_err(|_| Error::Compile {
                file: source.path.to_string(),
                version: self.version(),
                arch,
                log: "the source holds a zero byte".into(),
            })
        };
        let (text, name) = (c(&source.cuda)?, c(&source.path)?);
        let headers = headers::known(source)
            .into_values()
            .map(|header| Ok((c(&header.name)?, c(&header.text)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        let header_names: Vec<_> = headers.iter().map(|(n, _)| n.as_ptr()).collect();
        let header_texts: Vec<_> = headers.iter().map(|(_, t)| t.as_ptr()).collect();
        let cuda = self.include_folders();
        let options = options(source, arch, &cuda).iter().map(|o| c(o)).collect::<Result<Vec<_>, Error>>()?;
        let option_pointers: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();

        // SAFETY: the types are those of nvrtc.h; all strings outlive the calls; the program is
        // destroyed on every path.
        unsafe {
            let create: libloading::Symbol<'_, call::Create> = self.symbol("nvrtcCreateProgram")?;
            let compile: libloading::Symbol<'_, call::Compile> = self.symbol("nvrtcCompileProgram")?;
            let destroy: libloading::Symbol<'_, call::Destroy> = self.symbol("nvrtcDestroyProgram")?;
            let mut program = ptr::null_mut();
            let status = create(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                headers.len() as c_int,
                header_texts.as_ptr(),
                header_names.as_ptr(),
            );
            self.ok("nvrtcCreateProgram", status)?;
            let status = compile(program, options.len() as c_int, option_pointers.as_ptr());
            let result = if status == 0 {
                self.text(program, "nvrtcGetPTXSize", "nvrtcGetPTX")
            } else {
                self.text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").and_then(|log| {
                    let log = if log.trim().is_empty() {
                        self.error_string(status)
                    } else {
                        clean_log(&log, source) + self.missing_headers(source, &log)
                    };
                    Err(Error::Compile { file: source.path.to_string(), version: self.version(), arch, log })
                })
            };
            destroy(&mut program);
            result.map(|text| ptx::tidy(&text, source, &cuda, arch))
        }
    }

    /// A NUL-terminated text that NVRTC returns in two calls: its size, then its content.
    unsafe fn text(&self, program: Program, size: &'static str, get: &'static str) -> Result<String, Error> {
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

    unsafe fn symbol<T>(&self, name: &'static str) -> Result<libloading::Symbol<'_, T>, Error> {
        // SAFETY: the caller names the type that nvrtc.h gives to `name`.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|e| Error::Nvrtc { call: name, reason: e.to_string() })
    }

    fn ok(&self, call: &'static str, status: Status) -> Result<(), Error> {
        if status == 0 { Ok(()) } else { Err(Error::Nvrtc { call, reason: self.error_string(status) }) }
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

/// The command line for `source`.
fn options(source: &KernelSource, arch: u32, cuda: &[PathBuf]) -> Vec<String> {
    let mut options = vec![format!("--gpu-architecture=compute_{arch}")];
    options.extend(OPTIONS.map(String::from));
    let includes = headers::included(source);
    // A user's own file may include files from the folders near it.
    let folder = Path::new(source.path.as_ref()).parent();
    if let Some(folder) = folder.filter(|f| !includes.others.is_empty() && f.is_dir()) {
        options.push(format!("--include-path={}", folder.display()));
    }
    if !includes.system.is_empty() {
        options.extend(cuda.iter().map(|f| format!("--include-path={}", f.display())));
    }
    options
}

/// The log without the compiler's remark on old architectures, which we chose and not the user, and with the paths of
/// headers in front of their lines.
fn clean_log(log: &str, source: &KernelSource) -> String {
    let headers = headers::known(source);
    let line = |line: &str| match line.split_once('(').and_then(|(name, rest)| Some((headers.get(name)?, rest))) {
        Some((header, rest)) => format!("{}({rest}", header.path),
        None => line.to_string(),
    };
    let kept = log.lines().filter(|l| !l.contains("Architectures prior to")).map(line);
    kept.collect::<Vec<_>>().join("\n").trim().to_string()
}
