//! The linker (`cuLink*`): it joins parts of PTX into one text, which is the resulting image.

use crate::abi::constants::jit_input;
use crate::abi::error::{Error, Refused, Result};
use crate::abi::pointers::{need, put, put_optional, text};
use crate::abi::types::Handle;
use crate::api::image;
use crate::api::jit::{Options, tell};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use crate::state::modules::fat_binary::{ImagePtx, LTO_IR};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex};

/// A linker, with the parts so far.
struct Linker {
    options: Options,
    parts: Vec<String>,
    result: Vec<u8>,
}
// SAFETY: the buffers of the logs belong to the caller, who keeps them until the linker is destroyed; a lock guards
// them.
unsafe impl Send for Linker {}

static LINKERS: HandleTable<Mutex<Linker>> = HandleTable::new();

fn create(count: c_uint, options: *const c_int, values: *mut *mut c_void, out: *mut Handle) -> Result {
    current()?;
    need(out)?;
    let options = Options::new(count, options, values)?;
    options.write("");
    let (parts, result) = Default::default();
    put(out, LINKERS.insert(Arc::new(Mutex::new(Linker { options, parts, result }))))
}

impl Linker {
    fn refuse(&self, refused: &Refused) -> Error {
        self.options.write(&refused.log);
        tell(refused);
        refused.error
    }
}

fn add(linker: Handle, kind: c_int, part: std::result::Result<ImagePtx, Refused>) -> Result {
    let linker = LINKERS.get(linker)?;
    let mut linker = lock(&linker);
    let part = match (kind, part) {
        (_, Err(refused)) if refused.error == Error::FILE_NOT_FOUND => Err(refused),
        (jit_input::PTX | jit_input::FATBINARY, part) => part,
        (jit_input::LIBRARY, Ok(part)) if part.text.is_empty() => Ok(part),
        (jit_input::NVVM, _) => Err(Refused::new(Error::NO_BINARY_FOR_GPU, LTO_IR)),
        _ => Err(Refused::new(
            Error::NO_BINARY_FOR_GPU,
            "only PTX and fat binaries that contain PTX can be linked, not machine code or libraries",
        )),
    };
    match part {
        Ok(part) => linker.parts.push(part.text),
        Err(refused) => return Err(linker.refuse(&refused)),
    }
    Ok(())
}

fn known(kind: c_int) -> Result {
    if (jit_input::CUBIN..=jit_input::NVVM).contains(&kind) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn add_data(
    linker: Handle,
    kind: c_int,
    data: *const c_void,
    size: usize,
    _name: *const c_char,
    _count: c_uint,
    _options: *const c_int,
    _values: *mut *mut c_void,
) -> Result {
    current()?;
    known(kind)?;
    if size == 0 || size > image::LARGEST {
        return Err(Error::INVALID_VALUE);
    }
    need(data)?;
    add(linker, kind, image::from_part(data, size))
}

fn add_file(
    linker: Handle,
    kind: c_int,
    name: *const c_char,
    _count: c_uint,
    _options: *const c_int,
    _values: *mut *mut c_void,
) -> Result {
    current()?;
    known(kind)?;
    add(linker, kind, image::part_from_file(&text(name)?))
}

fn complete(linker: Handle, out: *mut *mut c_void, size: *mut usize) -> Result {
    current()?;
    need(out)?;
    let linker = LINKERS.get(linker)?;
    let mut linker = lock(&linker);
    if linker.parts.iter().all(String::is_empty) {
        return Err(Error::INVALID_VALUE);
    }
    let linked = image::linked(&linker.parts).map_err(|refused| linker.refuse(&refused))?;
    let mut bytes = linker.options.bounded(linked).text.into_bytes();
    bytes.push(0);
    linker.options.write("");
    linker.result = bytes;
    put(out, linker.result.as_mut_ptr().cast())?;
    put_optional(size, linker.result.len());
    Ok(())
}

fn destroy(linker: Handle) -> Result {
    driver()?;
    LINKERS.remove(linker).map(drop)
}

entry_points! {
    cuLinkCreate(count: c_uint, options: *const c_int, values: *mut *mut c_void, out: *mut Handle) = create;
    cuLinkCreate_v2(count: c_uint, options: *const c_int, values: *mut *mut c_void, out: *mut Handle) = create;
    cuLinkAddData(linker: Handle, kind: c_int, data: *const c_void, size: usize, name: *const c_char, count: c_uint,
        options: *const c_int, values: *mut *mut c_void) = add_data;
    cuLinkAddData_v2(linker: Handle, kind: c_int, data: *const c_void, size: usize, name: *const c_char, count: c_uint,
        options: *const c_int, values: *mut *mut c_void) = add_data;
    cuLinkAddFile(linker: Handle, kind: c_int, name: *const c_char, count: c_uint, options: *const c_int,
        values: *mut *mut c_void) = add_file;
    cuLinkAddFile_v2(linker: Handle, kind: c_int, name: *const c_char, count: c_uint, options: *const c_int,
        values: *mut *mut c_void) = add_file;
    cuLinkComplete(linker: Handle, out: *mut *mut c_void, size: *mut usize) = complete;
    cuLinkDestroy(linker: Handle) = destroy;
}
