//! `cuGetProcAddress`: entry points by name and version, as the CUDA runtime and similar clients ask for them.
//!
//! The calls are those of the CUDA version that the driver reports, without newer ones: clients that find a `_v2` use
//! it, and some of CUDA 13's take one more argument.

use crate::abi::constants::proc_address_flags::{LEGACY_STREAM, PER_THREAD_DEFAULT_STREAM};
use crate::abi::constants::proc_address_result::{SUCCESS, SYMBOL_NOT_FOUND, VERSION_NOT_SUFFICIENT};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put, put_optional, text};
use crate::abi::versions::VERSIONED;
use crate::api::entry::Symbol;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

/// One table per family of calls.
macro_rules! families {
    ($table:ident) => {
        [
            $crate::api::array::$table,
            $crate::api::array_copy::$table,
            $crate::api::capture::$table,
            $crate::api::context::$table,
            $crate::api::copy::$table,
            $crate::api::copy_batch::$table,
            $crate::api::device::$table,
            $crate::api::driver::$table,
            $crate::api::early_launch::$table,
            $crate::api::error::$table,
            $crate::api::event::$table,
            $crate::api::export_table::$table,
            $crate::api::fill::$table,
            $crate::api::function::$table,
            $crate::api::graph::$table,
            $crate::api::graph_any_node::$table,
            $crate::api::graph_edges::$table,
            $crate::api::graph_exec::$table,
            $crate::api::graph_node_attributes::$table,
            $crate::api::graph_node_params::$table,
            $crate::api::graph_nodes::$table,
            $crate::api::green::$table,
            $crate::api::ipc::$table,
            $crate::api::launch::$table,
            $crate::api::library::$table,
            $crate::api::link::$table,
            $crate::api::managed::$table,
            $crate::api::managed_batch::$table,
            $crate::api::memory::$table,
            $crate::api::module::$table,
            $crate::api::occupancy::$table,
            $crate::api::pointer::$table,
            $crate::api::pool::$table,
            $crate::api::primary::$table,
            $crate::api::proc_address::$table,
            $crate::api::stream::$table,
            $crate::api::stream_value::$table,
            $crate::api::tensor_map::$table,
            $crate::api::texture::$table,
            $crate::api::unsupported::$table,
            $crate::api::user_object::$table,
            $crate::api::virtual_memory::$table,
        ]
    };
}
#[cfg(test)]
pub(crate) use families;

fn entries() -> &'static HashMap<&'static str, Symbol> {
    static ALL: OnceLock<HashMap<&'static str, Symbol>> = OnceLock::new();
    ALL.get_or_init(|| families!(ENTRIES).into_iter().flatten().copied().collect())
}

/// Returns the function for `symbol` and a client of this CUDA version. A name with a version suffix selects exactly
/// that function.
fn find(symbol: &str, version: c_int) -> Option<Symbol> {
    let all = entries();
    if let Some((_, forms)) = VERSIONED.iter().find(|(name, _)| *name == symbol) {
        let newest = forms.iter().rev().find(|(since, _)| version >= *since);
        let suffix = newest.map_or("", |(_, suffix)| *suffix);
        if let Some(found) = all.get(format!("{symbol}{suffix}").as_str()) {
            return Some(*found);
        }
    }
    // All other calls got their `_v2` with CUDA 3.2 and 4.0, and every client since then expects it.
    let second = format!("{symbol}_v2");
    all.get(second.as_str()).or_else(|| all.get(symbol)).copied()
}

fn get(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) -> Result {
    let mut status = SUCCESS;
    get_v2(symbol, out, version, flags, &raw mut status)?;
    if status == SUCCESS { Ok(()) } else { Err(Error::NOT_FOUND) }
}

fn get_v2(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int) -> Result {
    need(out)?;
    let symbol = text(symbol)?;
    if flags & !(LEGACY_STREAM | PER_THREAD_DEFAULT_STREAM) != 0 || symbol.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    let found = find(&symbol, version);
    put(out, found.map_or(std::ptr::null_mut(), |symbol| symbol.0.cast_mut()))?;
    let newer = || find(&symbol, c_int::MAX).is_some();
    put_optional(
        status,
        if found.is_some() {
            SUCCESS
        } else if newer() {
            VERSION_NOT_SUFFICIENT
        } else {
            SYMBOL_NOT_FOUND
        },
    );
    // As an H200's driver 580 does: the null pointer and the status are the only signs that there is no such call.
    Ok(())
}

entry_points! {
    cuGetProcAddress(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) = get;
    cuGetProcAddress_v2(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int)
        = get_v2;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(symbol: &str, version: c_int) -> Option<&'static str> {
        let found = find(symbol, version)?;
        entries().iter().find(|(_, other)| std::ptr::eq(other.0, found.0)).map(|(name, _)| *name)
    }

    #[test]
    fn the_form_is_the_one_of_the_client_s_version() {
        assert_eq!(name_of("cuStreamGetCaptureInfo", 11020), Some("cuStreamGetCaptureInfo"));
        assert_eq!(name_of("cuStreamGetCaptureInfo", 11040), Some("cuStreamGetCaptureInfo_v2"));
        assert_eq!(name_of("cuStreamGetCaptureInfo", 12090), Some("cuStreamGetCaptureInfo_v3"));
        assert_eq!(name_of("cuMemPrefetchAsync", 8000), Some("cuMemPrefetchAsync"));
        assert_eq!(name_of("cuMemPrefetchAsync", 12020), Some("cuMemPrefetchAsync_v2"));
        assert_eq!(name_of("cuMemcpyBatchAsync", 12090), Some("cuMemcpyBatchAsync"));
        assert_eq!(name_of("cuMemcpyBatchAsync", 13000), Some("cuMemcpyBatchAsync_v2"));
        assert_eq!(name_of("cuCtxSynchronize", 12090), Some("cuCtxSynchronize"));
        assert!(find("cuMemAlloc", 12000).is_some());
        assert!(find("cuNoSuchThing", 12000).is_none());
    }

    #[test]
    fn a_form_with_other_arguments_is_never_taken_for_the_first() {
        let all: HashMap<_, _> = families!(ARGUMENTS).into_iter().flatten().copied().collect();
        // A first edition that is not supported reads no arguments: a client that looks up its name expects the second
        // one.
        let unsupported: Vec<_> = crate::api::unsupported::ENTRIES.iter().map(|(name, _)| *name).collect();
        let mistaken: Vec<_> = all
            .iter()
            .filter(|(name, _)| !unsupported.contains(name))
            .filter(|(name, arguments)| {
                let second = all.get(format!("{name}_v2").as_str());
                second.is_some_and(|second| second != *arguments) && !VERSIONED.iter().any(|(known, _)| known == *name)
            })
            .collect();
        assert_eq!(mistaken, []);
    }

    #[test]
    fn every_versioned_form_is_there() {
        for (name, forms) in VERSIONED {
            for (_, suffix) in *forms {
                assert!(entries().contains_key(format!("{name}{suffix}").as_str()), "{name}{suffix}");
            }
        }
    }
}
