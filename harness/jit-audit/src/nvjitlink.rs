//! nvJitLink's functions. The real linker links, with its errors and its log; what it has linked is then given as PTX:
//! LTO-IR is linked again by it, into PTX, and the machine joins that with the inputs that were PTX.

use crate::driver;
use crate::library::{Family, Library, MOST, real};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::{fs, ptr, slice};

/// `NVJITLINK_ERROR_INTERNAL`: the library lacks a function that every version has.
const INTERNAL_ERROR: c_int = 6;

/// The kinds of inputs (`nvJitLinkInputType`).
const CUBIN: c_int = 1;
const PTX: c_int = 2;
const LTO_IR: c_int = 3;
const FAT_BINARY: c_int = 4;
const ANY: c_int = 10;

/// What machine code, LTO-IR and a fat binary begin with.
const ELF: &[u8] = b"\x7fELF";
const LTO_MAGIC: &[u8] = &0x7f4e_43ed_u32.to_le_bytes();
const FAT_MAGIC: &[u8] = &0xba55_ed50_u32.to_le_bytes();

/// The archive of the device runtime, which is machine code; the machine has its own.
const DEVICE_RUNTIME: &str = "cudadevrt";

/// A link, as far as the program has come with it.
#[derive(Default)]
struct Link {
    options: Vec<CString>,
    lto: Vec<Vec<u8>>,
    ptx: Vec<Vec<u8>>,
    /// Whether an input cannot be given as PTX.
    has_machine_code: bool,
    /// The result, once it was asked for; `None` to give the real one.
    linked: OnceCell<Option<Vec<u8>>>,
}

/// The links, by the number of their library and their handle.
static LINKS: LazyLock<Mutex<HashMap<(usize, usize), Link>>> = LazyLock::new(Mutex::default);

fn links() -> MutexGuard<'static, HashMap<(usize, usize), Link>> {
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a function without its version: headers make `__nvJitLinkCreate_13_0` of `nvJitLinkCreate`.
fn base(name: &str) -> &str {
    let name = name.strip_prefix("__").unwrap_or(name);
    name.split_once('_').map_or(name, |(base, _)| base)
}

/// The function that replaces `name` of the library with this number.
pub fn replacement(name: &str, slot: usize) -> Option<*const c_void> {
    /// The four instances of a function, as addresses.
    macro_rules! instances {
        ($function:ident) => {{
            const _: () = assert!(MOST == 4);
            [
                $function::<0> as *const c_void,
                $function::<1> as *const c_void,
                $function::<2> as *const c_void,
                $function::<3> as *const c_void,
            ]
        }};
    }
    let instances = match base(name) {
        "nvJitLinkCreate" => instances!(create),
        "nvJitLinkAddData" => instances!(add_data),
        "nvJitLinkAddFile" => instances!(add_file),
        "nvJitLinkGetLinkedCubinSize" => instances!(cubin_size),
        "nvJitLinkGetLinkedCubin" => instances!(cubin),
        "nvJitLinkDestroy" => instances!(destroy),
        _ => return None,
    };
    Some(instances[slot])
}

const fn library(slot: usize) -> Library {
    Library { family: Family::NvJitLink, slot }
}

unsafe extern "C" fn create<const SLOT: usize>(
    handle: *mut *mut c_void,
    count: u32,
    options: *mut *const c_char,
) -> c_int {
    let real =
        real!(library(SLOT), "nvJitLinkCreate", fn(*mut *mut c_void, u32, *mut *const c_char) -> c_int, INTERNAL_ERROR);
    // SAFETY: the caller's arguments, of which the real function accepts only valid ones.
    unsafe {
        let result = real(handle, count, options);
        if result == 0 {
            let options = if count == 0 { &[] } else { slice::from_raw_parts(options, count as usize) };
            let options = options.iter().map(|option| CStr::from_ptr(*option).to_owned()).collect();
            links().insert((SLOT, (*handle).addr()), Link { options, ..Link::default() });
        }
        result
    }
}

unsafe extern "C" fn add_data<const SLOT: usize>(
    handle: *mut c_void,
    kind: c_int,
    data: *const c_void,
    size: usize,
    name: *const c_char,
) -> c_int {
    let real = real!(
        library(SLOT),
        "nvJitLinkAddData",
        fn(*mut c_void, c_int, *const c_void, usize, *const c_char) -> c_int,
        INTERNAL_ERROR
    );
    // SAFETY: the caller's arguments.
    unsafe {
        let bytes = if data.is_null() { &[] } else { slice::from_raw_parts(data.cast::<u8>(), size) };
        // The cubin that NVRTC has given is PTX.
        let kind = if kind == CUBIN && !bytes.starts_with(ELF) { PTX } else { kind };
        let result = real(handle, kind, data, size, name);
        if result == 0 {
            keep(SLOT, handle, kind, bytes, name);
        }
        result
    }
}

unsafe extern "C" fn add_file<const SLOT: usize>(handle: *mut c_void, kind: c_int, name: *const c_char) -> c_int {
    let real = real!(library(SLOT), "nvJitLinkAddFile", fn(*mut c_void, c_int, *const c_char) -> c_int, INTERNAL_ERROR);
    // SAFETY: the caller's arguments; a name that the real function has accepted is one.
    unsafe {
        let result = real(handle, kind, name);
        if result == 0 {
            let path = CStr::from_ptr(name).to_string_lossy();
            let bytes = fs::read(path.as_ref()).unwrap_or_default();
            let kind = if bytes.is_empty() { CUBIN } else { kind };
            keep(SLOT, handle, kind, &bytes, name);
        }
        result
    }
}

/// Keeps an input of a link.
unsafe fn keep(slot: usize, handle: *mut c_void, kind: c_int, bytes: &[u8], name: *const c_char) {
    // SAFETY: null or a name.
    let name = if name.is_null() { c"" } else { unsafe { CStr::from_ptr(name) } }.to_string_lossy();
    if let Some(link) = links().get_mut(&(slot, handle.addr())) {
        link.add(kind, bytes, &name);
    }
}

impl Link {
    /// Adds an input of this kind.
    fn add(&mut self, kind: c_int, bytes: &[u8], name: &str) {
        let is_text = !bytes.starts_with(ELF) && bytes.windows(8).any(|word| word == b".version");
        match kind {
            LTO_IR => self.lto.push(bytes.to_vec()),
            PTX | FAT_BINARY => self.ptx.push(bytes.to_vec()),
            ANY if bytes.starts_with(LTO_MAGIC) => self.lto.push(bytes.to_vec()),
            ANY if bytes.starts_with(FAT_MAGIC) || is_text => self.ptx.push(bytes.to_vec()),
            _ if name.contains(DEVICE_RUNTIME) => {}
            _ => self.has_machine_code = true,
        }
    }

    /// The options of the link that makes PTX of the LTO-IR.
    fn options_for_ptx(&self) -> Vec<&CStr> {
        self.options.iter().map(CString::as_c_str).chain([c"-ptx"]).collect()
    }

    /// The bound on the registers of a kernel, which machine code follows and PTX has to name; 0 without one.
    fn registers(&self) -> u32 {
        let options = self.options.iter().filter_map(|option| option.to_str().ok());
        options
            .rev()
            .find_map(|option| option.trim_start_matches('-').strip_prefix("maxrregcount=")?.parse().ok())
            .unwrap_or(0)
    }

    /// All of the link as PTX, with its terminator; `None` if it cannot be given so.
    fn to_ptx(&self, library: Library) -> Option<Vec<u8>> {
        if self.has_machine_code {
            return None;
        }
        let lto = if self.lto.is_empty() { None } else { Some(ptx_of(library, &self.options_for_ptx(), &self.lto)?) };
        let mut parts: Vec<Vec<u8>> = lto.into_iter().chain(self.ptx.iter().cloned()).collect();
        let registers = self.registers();
        if parts.len() > 1 || registers > 0 || parts.first().is_some_and(|part| part.starts_with(FAT_MAGIC)) {
            return driver::join(&parts, registers);
        }
        let mut text = parts.pop()?;
        if text.last() != Some(&0) {
            text.push(0);
        }
        Some(text)
    }
}

/// Links LTO-IR into PTX.
fn ptx_of(library: Library, options: &[&CStr], inputs: &[Vec<u8>]) -> Option<Vec<u8>> {
    let create = real!(library, "nvJitLinkCreate", fn(*mut *mut c_void, u32, *const *const c_char) -> c_int, None);
    let destroy = real!(library, "nvJitLinkDestroy", fn(*mut *mut c_void) -> c_int, None);
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let mut handle = ptr::null_mut();
    // SAFETY: options with their terminators.
    unsafe {
        if create(&raw mut handle, options.len() as u32, options.as_ptr()) != 0 {
            return None;
        }
        let text = ptx_of_link(library, handle, inputs);
        destroy(&raw mut handle);
        text
    }
}

/// Adds the inputs to a new link, and returns its PTX.
unsafe fn ptx_of_link(library: Library, handle: *mut c_void, inputs: &[Vec<u8>]) -> Option<Vec<u8>> {
    type Name = *const c_char;
    let add = real!(library, "nvJitLinkAddData", fn(*mut c_void, c_int, *const u8, usize, Name) -> c_int, None);
    let complete = real!(library, "nvJitLinkComplete", fn(*mut c_void) -> c_int, None);
    let size_of = real!(library, "nvJitLinkGetLinkedPtxSize", fn(*mut c_void, *mut usize) -> c_int, None);
    let get = real!(library, "nvJitLinkGetLinkedPtx", fn(*mut c_void, *mut u8) -> c_int, None);
    let mut size = 0;
    // SAFETY: the handle of a link, its inputs, and room for its result.
    unsafe {
        for input in inputs {
            if add(handle, LTO_IR, input.as_ptr(), input.len(), c"input".as_ptr()) != 0 {
                return None;
            }
        }
        if complete(handle) != 0 || size_of(handle, &raw mut size) != 0 {
            return None;
        }
        let mut text = vec![0; size];
        (get(handle, text.as_mut_ptr()) == 0).then_some(text)
    }
}

/// What a program gets of this link; it is made when it is first asked for.
fn with_linked<T>(slot: usize, handle: *mut c_void, give: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let links = links();
    let link = links.get(&(slot, handle.addr()))?;
    link.linked.get_or_init(|| link.to_ptx(library(slot))).as_deref().map(give)
}

unsafe extern "C" fn cubin_size<const SLOT: usize>(handle: *mut c_void, size: *mut usize) -> c_int {
    let real =
        real!(library(SLOT), "nvJitLinkGetLinkedCubinSize", fn(*mut c_void, *mut usize) -> c_int, INTERNAL_ERROR);
    // SAFETY: the caller's arguments.
    unsafe {
        let result = real(handle, size);
        if result == 0 {
            with_linked(SLOT, handle, |text| *size = text.len());
        }
        result
    }
}

unsafe extern "C" fn cubin<const SLOT: usize>(handle: *mut c_void, out: *mut u8) -> c_int {
    let size_of =
        real!(library(SLOT), "nvJitLinkGetLinkedCubinSize", fn(*mut c_void, *mut usize) -> c_int, INTERNAL_ERROR);
    let real = real!(library(SLOT), "nvJitLinkGetLinkedCubin", fn(*mut c_void, *mut u8) -> c_int, INTERNAL_ERROR);
    let mut size = 0;
    // SAFETY: the caller's arguments, and a number to be written. The caller has room for the size that it was given.
    unsafe {
        if size_of(handle, &raw mut size) == 0 {
            let copied = with_linked(SLOT, handle, |text| out.copy_from_nonoverlapping(text.as_ptr(), text.len()));
            if copied.is_some() {
                return 0;
            }
        }
        real(handle, out)
    }
}

unsafe extern "C" fn destroy<const SLOT: usize>(handle: *mut *mut c_void) -> c_int {
    let real = real!(library(SLOT), "nvJitLinkDestroy", fn(*mut *mut c_void) -> c_int, INTERNAL_ERROR);
    // SAFETY: the caller's argument.
    unsafe {
        if !handle.is_null() {
            links().remove(&(SLOT, (*handle).addr()));
        }
        real(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_with_and_without_their_version() {
        for name in ["nvJitLinkCreate", "__nvJitLinkCreate_12_4", "__nvJitLinkCreate_13_5"] {
            assert!(replacement(name, 3).is_some(), "{name}");
        }
        assert!(replacement("__nvJitLinkComplete_13_5", 0).is_none());
        assert!(replacement("nvJitLinkGetLinkedPtx", 0).is_none());
        assert_ne!(replacement("nvJitLinkDestroy", 0), replacement("nvJitLinkDestroy", 1));
    }

    #[test]
    fn the_last_bound_on_registers_holds() {
        let registers = |options: &[&CStr]| {
            Link { options: options.iter().map(|&option| option.to_owned()).collect(), ..Link::default() }.registers()
        };
        assert_eq!(registers(&[c"-arch=sm_80", c"-maxrregcount=38", c"-lto"]), 38);
        assert_eq!(registers(&[c"-maxrregcount=38", c"--maxrregcount=57"]), 57);
        assert_eq!((registers(&[c"-arch=sm_80"]), registers(&[c"-maxrregcount=x"])), (0, 0));
    }

    #[test]
    fn inputs_are_sorted_by_what_can_be_made_ptx_of_them() {
        let sorted = |kind, bytes: &[u8], name: &str| {
            let mut link = Link::default();
            link.add(kind, bytes, name);
            (link.lto.len(), link.ptx.len(), link.has_machine_code)
        };
        let text = b"// x\n.version 8.0\n";
        assert_eq!(sorted(PTX, text, ""), (0, 1, false));
        assert_eq!(sorted(ANY, text, ""), (0, 1, false));
        assert_eq!(sorted(LTO_IR, LTO_MAGIC, ""), (1, 0, false));
        assert_eq!(sorted(ANY, LTO_MAGIC, ""), (1, 0, false));
        assert_eq!(sorted(ANY, FAT_MAGIC, ""), (0, 1, false));
        assert_eq!(sorted(CUBIN, ELF, ""), (0, 0, true));
        assert_eq!(sorted(6, b"!<arch>", "x.a"), (0, 0, true));
        assert_eq!(sorted(6, b"!<arch>", "/a/libcudadevrt.a"), (0, 0, false));
    }
}
