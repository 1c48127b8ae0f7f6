//! `cuGetProcAddress`: entry points by name and version, as the CUDA runtime and its like ask for them.
//!
//! The calls are those of the CUDA version that the driver reports and no newer ones: clients take the presence of a `_v2` for
//! a sign that it is meant, and some of CUDA 13's take an argument more.

use crate::abi::{Symbol, need, put, put_optional, text};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

/// Newer forms of a call, and the CUDA version that each came with: a client that asks for that version or a later one means it.
const VERSIONED: &[(&str, &[(c_int, &str)])] = &[
    (
        "cuCtxCreate",
        &[(3020, "_v2"), (11040, "_v3"), (12050, "_v4")],
    ),
    ("cuDeviceGetUuid", &[(11040, "_v2")]),
    ("cuEventElapsedTime", &[(12080, "_v2")]),
    ("cuGetProcAddress", &[(12000, "_v2")]),
    ("cuGraphAddDependencies", &[(12030, "_v2")]),
    ("cuGraphAddKernelNode", &[(12000, "_v2")]),
    ("cuGraphAddNode", &[(12030, "_v2")]),
    ("cuGraphExecKernelNodeSetParams", &[(12000, "_v2")]),
    ("cuGraphExecUpdate", &[(12000, "_v2")]),
    ("cuGraphGetEdges", &[(12030, "_v2")]),
    (
        "cuGraphInstantiate",
        &[(11000, "_v2"), (12000, "WithFlags")],
    ),
    ("cuGraphKernelNodeGetParams", &[(12000, "_v2")]),
    ("cuGraphKernelNodeSetParams", &[(12000, "_v2")]),
    ("cuGraphNodeGetDependencies", &[(12030, "_v2")]),
    ("cuGraphNodeGetDependentNodes", &[(12030, "_v2")]),
    ("cuGraphRemoveDependencies", &[(12030, "_v2")]),
    ("cuMemAdvise", &[(12020, "_v2")]),
    ("cuMemPrefetchAsync", &[(12020, "_v2")]),
    ("cuStreamBatchMemOp", &[(11070, "_v2")]),
    ("cuStreamBeginCapture", &[(10010, "_v2")]),
    ("cuStreamGetCaptureInfo", &[(11030, "_v2"), (12030, "_v3")]),
    ("cuStreamGetCtx", &[(12050, "_v2")]),
    ("cuStreamUpdateCaptureDependencies", &[(12030, "_v2")]),
    ("cuStreamWaitValue32", &[(11070, "_v2")]),
    ("cuStreamWaitValue64", &[(11070, "_v2")]),
    ("cuStreamWriteValue32", &[(11070, "_v2")]),
    ("cuStreamWriteValue64", &[(11070, "_v2")]),
];

/// One table of each family of calls.
macro_rules! families {
    ($table:ident) => {
        [
            $crate::capture::$table,
            $crate::context::$table,
            $crate::copy::$table,
            $crate::device::$table,
            $crate::driver::$table,
            $crate::error::$table,
            $crate::event::$table,
            $crate::fill::$table,
            $crate::function::$table,
            $crate::graph::$table,
            $crate::graph_any_node::$table,
            $crate::graph_edges::$table,
            $crate::graph_nodes::$table,
            $crate::graph_objects::$table,
            $crate::graph_update::$table,
            $crate::launch::$table,
            $crate::library::$table,
            $crate::limits::$table,
            $crate::link::$table,
            $crate::managed::$table,
            $crate::memory::$table,
            $crate::module::$table,
            $crate::occupancy::$table,
            $crate::pointer::$table,
            $crate::pool::$table,
            $crate::stream::$table,
            $crate::unsupported::$table,
            $crate::proc_address::$table,
        ]
    };
}
#[cfg(test)]
pub(crate) use families;

fn entries() -> &'static HashMap<&'static str, Symbol> {
    static ALL: OnceLock<HashMap<&'static str, Symbol>> = OnceLock::new();
    ALL.get_or_init(|| families!(ENTRIES).into_iter().flatten().copied().collect())
}

/// The function that `symbol` names for a client of this CUDA version. A name that carries its version means itself.
fn find(symbol: &str, version: c_int) -> Option<Symbol> {
    let all = entries();
    if let Some((_, forms)) = VERSIONED.iter().find(|(name, _)| *name == symbol) {
        let newest = forms.iter().rev().find(|(since, _)| version >= *since);
        let suffix = newest.map_or("", |(_, suffix)| *suffix);
        if let Some(found) = all.get(format!("{symbol}{suffix}").as_str()) {
            return Some(*found);
        }
    }
    // All others got their `_v2` with CUDA 3.2 and 4.0, and it is what every client since means.
    let second = format!("{symbol}_v2");
    all.get(second.as_str())
        .or_else(|| all.get(symbol))
        .copied()
}

const FOUND: c_int = 0;
const NOT_FOUND: c_int = 1;
const TOO_NEW: c_int = 2;

fn get(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) -> Result {
    get_v2(symbol, out, version, flags, std::ptr::null_mut())
}

fn get_v2(
    symbol: *const c_char,
    out: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> Result {
    need(out)?;
    let symbol = text(symbol)?;
    if flags & !3 != 0 || symbol.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    let found = find(&symbol, version);
    put(
        out,
        found.map_or(std::ptr::null_mut(), |symbol| symbol.0.cast_mut()),
    )?;
    let newer = || find(&symbol, c_int::MAX).is_some();
    put_optional(
        status,
        if found.is_some() {
            FOUND
        } else if newer() {
            TOO_NEW
        } else {
            NOT_FOUND
        },
    );
    if found.is_some() {
        Ok(())
    } else {
        Err(Error::NOT_FOUND)
    }
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
        entries()
            .iter()
            .find(|(_, other)| std::ptr::eq(other.0, found.0))
            .map(|(name, _)| *name)
    }

    #[test]
    fn the_form_is_the_one_of_the_client_s_version() {
        assert_eq!(
            name_of("cuStreamGetCaptureInfo", 11020),
            Some("cuStreamGetCaptureInfo")
        );
        assert_eq!(
            name_of("cuStreamGetCaptureInfo", 11040),
            Some("cuStreamGetCaptureInfo_v2")
        );
        assert_eq!(
            name_of("cuStreamGetCaptureInfo", 12090),
            Some("cuStreamGetCaptureInfo_v3")
        );
        assert_eq!(
            name_of("cuMemPrefetchAsync", 8000),
            Some("cuMemPrefetchAsync")
        );
        assert_eq!(
            name_of("cuMemPrefetchAsync", 12020),
            Some("cuMemPrefetchAsync_v2")
        );
        assert!(find("cuMemAlloc", 12000).is_some());
        assert!(find("cuNoSuchThing", 12000).is_none());
    }

    #[test]
    fn a_form_with_other_arguments_is_never_taken_for_the_first() {
        let all: HashMap<_, _> = families!(ARGUMENTS)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let mistaken: Vec<_> = all
            .iter()
            .filter(|(name, arguments)| {
                let second = all.get(format!("{name}_v2").as_str());
                second.is_some_and(|second| second != *arguments)
                    && !VERSIONED.iter().any(|(known, _)| known == *name)
            })
            .collect();
        assert_eq!(mistaken, []);
    }

    #[test]
    fn every_versioned_form_is_there() {
        for (name, forms) in VERSIONED {
            for (_, suffix) in *forms {
                assert!(
                    entries().contains_key(format!("{name}{suffix}").as_str()),
                    "{name}{suffix}"
                );
            }
        }
    }
}
