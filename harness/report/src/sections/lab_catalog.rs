//! The labs that this program knows. An unknown lab is reported from its rows alone.
use harness::{Expect, Lab};
use record::Row;

/// The labs that are known.
#[derive(Debug, Clone, Copy)]
pub struct LabCatalog<'l>(pub &'l [&'static Lab]);

impl LabCatalog<'_> {
    /// Returns the lab of this name.
    pub fn lab(&self, name: &str) -> Option<&'static Lab> {
        self.0.iter().copied().find(|lab| lab.name == name)
    }

    /// Whether the row's variant is expected to be right.
    pub fn is_right(&self, row: &Row) -> bool {
        let lab = self.lab(&row.lab);
        let variant = lab.and_then(|lab| lab.variants().into_iter().find(|variant| variant.name == row.variant()));
        variant.is_none_or(|variant| variant.expect == Expect::Right) && !row.expectation.is_wrong()
    }

    /// Returns the meaning of a lab's column.
    pub fn meaning(&self, lab: &str, column: &str) -> Option<&'static str> {
        let lab = self.lab(lab)?;
        let published = lab.published.iter().find(|known| known.column == column).map(|known| known.source);
        published.or_else(|| lab.columns.iter().find(|known| known.name == column).map(|known| known.meaning))
    }
}
