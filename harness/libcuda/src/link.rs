//! The linker: PTX added part by part (`cuLink*`) becomes one text, which is the image that it completes to.

use crate::abi::{Handle, need, put, put_optional, text};
use crate::context::current;
use crate::driver::lock;
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::image::{self, Refused};
use crate::link_text;
use crate::module::{Logs, tell};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex};

/// A linker at work.
struct Linker {
    logs: Logs,
    parts: Vec<String>,
    result: Vec<u8>,
}
// SAFETY: the buffers of the logs are the caller's, who keeps them until the linker is destroyed; they are written under a lock.
unsafe impl Send for Linker {}

static LINKERS: Table<Mutex<Linker>> = Table::new();

/// `CUjitInputType`: PTX, a fat binary, and the last one.
const PTX: c_int = 1;
const FATBINARY: c_int = 2;
const LAST: c_int = 5;

fn create(
    count: c_uint,
    options: *const c_int,
    values: *mut *mut c_void,
    out: *mut Handle,
) -> Result {
    current()?;
    need(out)?;
    let logs = Logs::new(count, options, values)?;
    logs.write("");
    let (parts, result) = Default::default();
    put(
        out,
        LINKERS.insert(Arc::new(Mutex::new(Linker {
            logs,
            parts,
            result,
        }))),
    )
}

impl Linker {
    fn refuse(&self, refused: &Refused) -> Error {
        self.logs.write(&refused.log);
        tell(refused);
        refused.error
    }
}

fn add(linker: Handle, kind: c_int, part: std::result::Result<String, Refused>) -> Result {
    let linker = LINKERS.get(linker)?;
    let mut linker = lock(&linker);
    let part = match (kind, part) {
        (_, Err(refused)) if refused.error == Error::FILE_NOT_FOUND => Err(refused),
        (PTX | FATBINARY, part) => part,
        _ => Err(Refused {
            error: Error::NO_BINARY_FOR_GPU,
            log: "only PTX can be linked here, and fat binaries that hold some; not machine code, libraries or NVVM".into(),
        }),
    };
    match part {
        Ok(part) => linker.parts.push(part),
        Err(refused) => return Err(linker.refuse(&refused)),
    }
    Ok(())
}

fn known(kind: c_int) -> Result {
    if (0..=LAST).contains(&kind) {
        Ok(())
    } else {
        Err(Error::INVALID_VALUE)
    }
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
    if size == 0 || size > 1 << 30 {
        return Err(Error::INVALID_VALUE);
    }
    need(data)?;
    // SAFETY: the caller says that `size` bytes are there.
    let mut bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec();
    // Text need not be terminated here.
    bytes.extend([0; 64]);
    add(linker, kind, image::from_memory(bytes.as_ptr().cast()))
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
    add(linker, kind, image::from_file(&text(name)?))
}

fn complete(linker: Handle, out: *mut *mut c_void, size: *mut usize) -> Result {
    current()?;
    need(out)?;
    let linker = LINKERS.get(linker)?;
    let mut linker = lock(&linker);
    if linker.parts.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    let linked = link_text::link(&linker.parts).map_err(|name| {
        linker.refuse(&Refused {
            error: Error::INVALID_PTX,
            log: format!("multiple definition of `{name}`"),
        })
    })?;
    let mut bytes = linker.logs.bounded(linked).into_bytes();
    bytes.push(0);
    linker.logs.write("");
    linker.result = bytes;
    put(out, linker.result.as_mut_ptr().cast())?;
    put_optional(size, linker.result.len());
    Ok(())
}

fn destroy(linker: Handle) -> Result {
    crate::driver::driver()?;
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
