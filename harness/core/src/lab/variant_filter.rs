//! The options that some variants of a lab do not use.
use crate::lab::row::VariantTable;

/// A selection of a lab's variants.
#[derive(Clone, Copy)]
pub enum VariantFilter {
    /// All of them.
    Every,
    /// All but these.
    AllBut(&'static [&'static str]),
    /// Only these.
    Names(&'static [&'static str]),
    /// Those of these tables.
    Tables(&'static [&'static dyn VariantTable]),
}

impl VariantFilter {
    pub(crate) fn has(self, variant: &str) -> bool {
        match self {
            Self::Every => true,
            Self::AllBut(names) => !names.contains(&variant),
            Self::Names(names) => names.contains(&variant),
            Self::Tables(tables) => tables.iter().flat_map(|table| table.variants()).any(|own| own.name == variant),
        }
    }
}

/// Options that some of a lab's variants do not use: `n`, `blocks`, `threads`, or options of the lab's own, by their
/// names without the dashes.
pub type Ignored = (&'static [&'static str], VariantFilter);
