//! The registers that a warpgroup product may still be computing.

use ptx::ast::{Body, RegId};
use ptx::opcode::Opcode;
use std::collections::HashSet;

/// Returns the accumulators of the products of a function.
pub fn find_accumulators(body: &Body) -> HashSet<RegId> {
    let products = body.code.iter().filter(|inst| inst.opcode == Opcode::WgmmaMmaAsync);
    let mut found = HashSet::new();
    products.for_each(|product| {
        product.each_written(|register| {
            found.insert(register);
        });
    });
    found
}
