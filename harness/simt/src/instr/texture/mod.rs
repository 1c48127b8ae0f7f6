//! Textures and surfaces: fetches, gathers, queries, loads, stores and reductions.
//!
//! The result of a fetch is computed in [`crate::texture`]; this module contains the instructions around it. A kernel
//! names a texture or a surface by a 64-bit handle in a register (PTX's unified mode). Names of `.texref`,
//! `.samplerref` and `.surfref` variables are not supported: CUDA 12 has removed the references for which they stand.
//!
//! Every texel goes through the engine's checks like a load of global memory. Nothing here counts as a global load or
//! store, since a device counts texture traffic separately: `count` does so.

mod address;
mod count;
mod fetch;
mod gather;
mod query;
mod reader;
mod reduce;
mod surface;

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Istypep, query::istypep),
    FamilyRow::new(Opcode::SuldB, surface::load),
    FamilyRow::new(Opcode::Suq, query::suq),
    FamilyRow::new(Opcode::SuredB, reduce::reduce),
    FamilyRow::new(Opcode::SuredP, reduce::reduce),
    FamilyRow::new(Opcode::SustB, surface::store),
    FamilyRow::new(Opcode::SustP, surface::store),
    FamilyRow::new(Opcode::Tex, fetch::tex),
    FamilyRow::new(Opcode::Tld4, gather::tld4),
    FamilyRow::new(Opcode::Txq, query::txq),
];
