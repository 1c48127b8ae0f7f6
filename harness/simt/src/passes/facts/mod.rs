//! What is known about a function's body before it is translated: the results of passes that only read the body.

pub mod count_writers;
pub mod find_accumulators;
pub mod find_printf_args;
pub mod follow_copies;
pub mod mark_cas_retries;
pub mod trace_origins;

use self::trace_origins::AddressOrigin;
use crate::engine::warp::program::Packed;
use ptx::ast::RegId;
use std::collections::{HashMap, HashSet};

/// Facts about a function's body.
pub struct Facts<'m> {
    /// For each register that always stands for the same constant or parameter, the instruction that names it.
    pub sources: Vec<Option<u32>>,
    /// The origin of the addresses in each register.
    pub origins: Vec<AddressOrigin<'m>>,
    /// The loads whose value a compare-and-swap verifies.
    pub guesses: HashSet<u32>,
    /// Accumulators of warpgroup products.
    pub accumulators: HashSet<RegId>,
    /// The arguments of the calls of `printf`, by the call, as far as they can be determined.
    pub printed: HashMap<u32, Packed>,
}
