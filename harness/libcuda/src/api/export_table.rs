//! Private tables of functions (`cuGetExportTable`), for which NVIDIA's own CUDA runtime asks by identifier.
//!
//! NVIDIA documents neither the tables nor their functions. The identifiers, the places of the functions and their
//! arguments are those that ZLUDA has published (`dark_api` in its repository); the two functions of the tables for
//! tools that name the current context and its number are from other public drivers. These tables are the ones whose
//! identifiers `libcudart` of CUDA 11.8, 12.9, 13.0 or 13.5 contains, as a shared library or linked in.
//! One more is left out on purpose: a runtime that finds `f8cff951-2146-8b4e-b9e2-fb469e7c0dd9` skips its usual start.
//!
//! The first entry of most tables is the table's size in bytes. An entry whose function is not known returns
//! `CUDA_ERROR_NOT_SUPPORTED`. The unknown hooks for tools do nothing, because no tool is attached.

use crate::abi::constants::device_attribute::{PCI_BUS_ID, PCI_DEVICE_ID, PCI_DOMAIN_ID};
use crate::abi::error::{Error, Result};
use crate::abi::integrity::{DeviceIdentity, IntegrityInput};
use crate::abi::pointers::{get, need, put, put_optional};
use crate::abi::types::{Device, Handle, Uuid};
use crate::abi::versions::DRIVER_VERSION;
use crate::api::entry::guard;
use crate::api::{device, module};
use crate::state::contexts::current::{self, given_or_current};
use crate::state::contexts::local_storage::{Destructor, LocalValue};
use crate::state::device::attributes;
use crate::state::device::driver::driver;
use crate::state::device::settings::uuid_of;
use crate::state::lifetime;
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint, c_void};

/// A table: addresses of functions.
#[repr(transparent)]
struct ExportTable<const N: usize>([*const c_void; N]);
// SAFETY: addresses of functions, and a number.
unsafe impl<const N: usize> Sync for ExportTable<N> {}

impl<const N: usize> ExportTable<N> {
    /// A table of the known functions, each with its place; the other entries are `other`.
    const fn new<const KNOWN: usize>(known: [(usize, *const c_void); KNOWN], other: *const c_void) -> Self {
        let mut entries = [other; N];
        let mut i = 0;
        while i < KNOWN {
            entries[known[i].0] = known[i].1;
            i += 1;
        }
        ExportTable(entries)
    }

    /// Such a table whose first entry is its size.
    const fn sized<const KNOWN: usize>(known: [(usize, *const c_void); KNOWN], other: *const c_void) -> Self {
        let mut table = Self::new(known, other);
        table.0[0] = std::ptr::without_provenance(size_of::<Self>());
        table
    }

    const fn address(&'static self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// Gives the functions of tables the C calling convention, and guards each against panics.
macro_rules! table_functions {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?) = $function:ident;)*) => {
        $(
            unsafe extern "C" fn $name($($arg: $type),*) -> c_int {
                guard(concat!("cuGetExportTable: ", stringify!($name)), &|| self::$function($($arg),*))
            }
        )*
    };
}

table_functions! {
    load_module(out: *mut Handle, image: *const c_void) = load;
    load_module_with_options(out: *mut Handle, image: *const c_void, unknown: *const c_void, also: *const c_void,
        flags: c_uint) = load_plainly;
    load_fat_binary(image: *const c_void, out: *mut Handle, unknown: *const c_void, also: *const c_void,
        flags: c_uint) = load_header;
    primary_context(out: *mut Handle, dev: Device) = primary;
    load_compilers() = no_compilers;
    current_context(out: *mut Handle) = current_handle;
    context_id(context: Handle, out: *mut u64) = id_of_context;
    put_local(context: Handle, key: usize, value: usize, destructor: Option<Destructor>) = put_in_storage;
    delete_local(context: Handle, key: usize) = delete_from_storage;
    get_local(out: *mut usize, context: Handle, key: usize) = get_from_storage;
    check_integrity(version: c_uint, unix_seconds: u64, out: *mut [u64; 2]) = integrity;
    check_context(context: Handle, flags: *mut c_uint, detail: *mut *const c_void) = context_flags;
    unsupported() = not_supported;
}

/// The entries of the runtime interface that load modules, name the primary context, and load compilers.
static RUNTIME_INTERFACE: ExportTable<13> = ExportTable::sized(
    [
        (1, load_module as *const c_void),
        (2, primary_context as *const c_void),
        (6, load_module_with_options as *const c_void),
        (7, nothing as *const c_void),
        (8, load_fat_binary as *const c_void),
        (12, load_compilers as *const c_void),
    ],
    unsupported as *const c_void,
);
static TOOLS_THREAD_STORAGE: ExportTable<4> =
    ExportTable::sized([(2, current_context as *const c_void)], unsupported as *const c_void);
/// Runtimes since CUDA 13.4 refuse a driver without this table, which has 94 functions in NVIDIA's driver. None of the
/// programs tried so far calls any of them.
static TOOLS_CONTEXT: ExportTable<95> =
    ExportTable::sized([(4, context_id as *const c_void)], unsupported as *const c_void);
static TOOLS_HOOKS: ExportTable<7> = ExportTable::sized(
    [(2, flags_of_calls as *const c_void), (6, flags_of_groups as *const c_void)],
    nothing as *const c_void,
);
/// This table does not begin with its size.
static LOCAL_STORAGE: ExportTable<4> = ExportTable::new(
    [(0, put_local as *const c_void), (1, delete_local as *const c_void), (2, get_local as *const c_void)],
    unsupported as *const c_void,
);
static INTEGRITY: ExportTable<3> =
    ExportTable::sized([(1, check_integrity as *const c_void)], unsupported as *const c_void);
static CONTEXT_CHECKS: ExportTable<4> = ExportTable::sized(
    [(2, check_context as *const c_void), (3, nothing as *const c_void)],
    unsupported as *const c_void,
);

/// The tables by their identifiers.
const TABLES: [([u8; 16], *const c_void); 7] = [
    (*b"\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9", RUNTIME_INTERFACE.address()),
    (*b"\x42\xd8\x5a\x81\x23\xf6\xcb\x47\x82\x98\xf6\xe7\x8a\x3a\xec\xdc", TOOLS_THREAD_STORAGE.address()),
    (*b"\x21\x31\x8c\x60\x97\x14\x32\x48\x8c\xa6\x41\xff\x73\x24\xc8\xf2", TOOLS_CONTEXT.address()),
    (*b"\xa0\x94\x79\x8c\x2e\x74\x2e\x74\x93\xf2\x08\x00\x20\x0c\x0a\x66", TOOLS_HOOKS.address()),
    (*b"\xc6\x93\x33\x6e\x11\x21\xdf\x11\xa8\xc3\x68\xf3\x55\xd8\x95\x93", LOCAL_STORAGE.address()),
    (*b"\xd4\x08\x20\x55\xbd\xe6\x70\x4b\x8d\x34\xba\x12\x3c\x66\xe1\xf2", INTEGRITY.address()),
    (*b"\x26\x3e\x88\x60\x7c\xd2\x61\x43\x92\xf6\xbb\xd5\x00\x6d\xfa\x7e", CONTEXT_CHECKS.address()),
];

fn export_table(out: *mut *const c_void, id: *const Uuid) -> Result {
    need(out)?;
    let id = get(id)?.bytes.map(|byte| byte as u8);
    let found = TABLES.iter().find(|(known, _)| *known == id).map(|(_, table)| *table);
    put(out, found.unwrap_or(std::ptr::null()))?;
    found.map(drop).ok_or(Error::NOT_FOUND)
}

/// An entry that does nothing, whatever its arguments are.
extern "C" fn nothing() -> c_int {
    0
}

fn not_supported() -> Result {
    Err(Error::NOT_SUPPORTED)
}

/// Loads a module from nvcc's wrapper around a fat binary.
fn load(out: *mut Handle, image: *const c_void) -> Result {
    module::load_data(out, image)
}

/// The same with three arguments whose meaning is not known: they are refused unless they are zero.
fn load_plainly(
    out: *mut Handle,
    image: *const c_void,
    unknown: *const c_void,
    also: *const c_void,
    flags: c_uint,
) -> Result {
    if !unknown.is_null() || !also.is_null() || flags != 0 {
        return Err(Error::NOT_SUPPORTED);
    }
    load(out, image)
}

/// The same from the fat binary itself.
fn load_header(
    image: *const c_void,
    out: *mut Handle,
    unknown: *const c_void,
    also: *const c_void,
    flags: c_uint,
) -> Result {
    load_plainly(out, image, unknown, also, flags)
}

/// Writes the handle of the primary context, which this neither creates nor retains.
fn primary(out: *mut Handle, dev: Device) -> Result {
    device::check(dev)?;
    put(out, lifetime::primary_handle())
}

/// The compilers of this driver are always there.
fn no_compilers() -> Result {
    driver().map(drop)
}

fn current_handle(out: *mut Handle) -> Result {
    driver()?;
    put(out, current::top())
}

fn id_of_context(context: Handle, out: *mut u64) -> Result {
    put(out, given_or_current(context)?.handle as u64)
}

fn put_in_storage(context: Handle, key: usize, value: usize, destructor: Option<Destructor>) -> Result {
    given_or_current(context)?.storage.put(key, LocalValue { value, destructor });
    Ok(())
}

fn delete_from_storage(context: Handle, key: usize) -> Result {
    given_or_current(context)?.storage.delete(key);
    Ok(())
}

fn get_from_storage(out: *mut usize, context: Handle, key: usize) -> Result {
    need(out)?;
    put(out, given_or_current(context)?.storage.get(key)?)
}

fn integrity(version: c_uint, unix_seconds: u64, out: *mut [u64; 2]) -> Result {
    let profile = driver()?.profile;
    // SAFETY: a function without arguments.
    let thread = unsafe { libc::pthread_self() };
    let tables = [RUNTIME_INTERFACE.address(), INTEGRITY.address(), check_integrity as *const c_void];
    let address = [PCI_DOMAIN_ID, PCI_BUS_ID, PCI_DEVICE_ID];
    let pci = address.map(|part| attributes::device(profile, part).unwrap_or_default() as u32);
    let input = IntegrityInput {
        driver_version: DRIVER_VERSION as u32,
        runtime_version: version,
        process: std::process::id(),
        thread: thread as u32,
        tables: tables.map(|address| address.addr() as u64),
        unix_seconds,
        devices: vec![DeviceIdentity { uuid: uuid_of(profile), pci }],
    };
    put(out, input.hash())
}

/// Reports that nothing is special about a context.
fn context_flags(_context: Handle, flags: *mut c_uint, detail: *mut *const c_void) -> Result {
    put_optional(detail, std::ptr::null());
    put(flags, 0)
}

/// Words in which a tool would request callbacks. The runtime reads them before and after each of its calls.
#[repr(transparent)]
struct ToolFlags<const N: usize>(UnsafeCell<[u32; N]>);
// SAFETY: the words are not read here.
unsafe impl<const N: usize> Sync for ToolFlags<N> {}

static FLAGS_OF_CALLS: ToolFlags<1024> = ToolFlags(UnsafeCell::new([0; 1024]));
static FLAGS_OF_GROUPS: ToolFlags<14> = ToolFlags(UnsafeCell::new([0; 14]));

/// Writes the place and the number of the words for single calls.
extern "C" fn flags_of_calls(out: *mut *mut c_void, count: *mut usize) {
    put_optional(out, FLAGS_OF_CALLS.0.get().cast());
    put_optional(count, 1024);
}

/// Writes the place and the number of the words for groups of calls.
extern "C" fn flags_of_groups(out: *mut *mut c_void, count: *mut usize) {
    put_optional(out, FLAGS_OF_GROUPS.0.get().cast());
    put_optional(count, 14);
}

entry_points! {
    cuGetExportTable(out: *mut *const c_void, id: *const Uuid) = export_table;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(id: [u8; 16]) -> std::result::Result<*const *const c_void, Error> {
        let mut found = std::ptr::null();
        export_table(&raw mut found, &Uuid { bytes: id.map(|byte| byte as std::ffi::c_char) }).map(|()| found.cast())
    }

    /// Returns how many entries a table has.
    fn entries(id: [u8; 16], table: *const *const c_void) -> usize {
        // SAFETY: every table has more than one entry.
        let first = unsafe { table.read() }.addr();
        if id == TABLES[4].0 { LOCAL_STORAGE.0.len() } else { first / size_of::<usize>() }
    }

    #[test]
    fn a_table_that_is_not_known_is_not_found() {
        assert_eq!(table([1; 16]), Err(Error::NOT_FOUND));
        let mut found = std::ptr::dangling();
        assert_eq!(export_table(&raw mut found, &Uuid::default()), Err(Error::NOT_FOUND));
        assert!(found.is_null());
        assert_eq!(export_table(&raw mut found, std::ptr::null()), Err(Error::INVALID_VALUE));
        assert_eq!(export_table(std::ptr::null_mut(), &Uuid::default()), Err(Error::INVALID_VALUE));
    }

    #[test]
    fn every_entry_of_every_table_can_be_called_with_null() {
        type Entry = unsafe extern "C" fn(u64, u64, u64, u64, u64) -> i32;
        for (id, _) in TABLES {
            let table = table(id).unwrap();
            let len = entries(id, table);
            assert!((3..100).contains(&len), "{len}");
            for at in usize::from(id != TABLES[4].0)..len {
                // SAFETY: an entry is a function of at most five words, which are null here.
                let code = unsafe {
                    let entry: Entry = std::mem::transmute(table.add(at).read());
                    entry(0, 0, 0, 0, 0)
                };
                assert!((0..=999).contains(&code), "{at}: {code}");
            }
        }
    }
}
