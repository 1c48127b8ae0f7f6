//! Published figures, from a text or another measurement, shown with the measured values.

/// Figures from one source for one column, each for a variant's case of one size.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// The lab's column for them: `published_...`, with its unit.
    pub column: &'static str,
    /// The author, and what was measured.
    pub source: &'static str,
    /// The GPU on which they were measured, as a part of its name ("H200"). Only a run on such a GPU shows them; if
    /// empty, every run does.
    pub part: &'static str,
    /// The figures.
    pub figures: &'static [Figure],
}

/// One published figure.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The variant.
    pub variant: &'static str,
    /// Its case, as in the CSV.
    pub case: &'static str,
    /// The measured size; `None` if it holds for every size.
    pub n: Option<usize>,
    /// The figure, in the column's unit.
    pub value: f64,
}

/// Returns a figure of `variant` at `n` elements, in a row whose case is `case`.
pub const fn figure(variant: &'static str, case: &'static str, n: usize, value: f64) -> Figure {
    Figure { variant, case, n: Some(n), value }
}

impl Published {
    /// Returns the figure for a row on the GPU called `device` (`None` when emulated).
    pub(crate) fn value(&self, variant: &str, case: &str, n: Option<u64>, device: Option<&str>) -> Option<f64> {
        if !self.part.is_empty() && !device.is_some_and(|name| name.contains(self.part)) {
            return None;
        }
        let fits = |figure: &&Figure| {
            figure.variant == variant && figure.case == case && figure.n.is_none_or(|own| n == Some(own as u64))
        };
        self.figures.iter().find(fits).map(|figure| figure.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_stands_beside_the_row_that_it_is_of() {
        const FIGURES: [Figure; 2] =
            [figure("a", "", 1024, 2.5), Figure { variant: "b", case: "x", n: None, value: 4.0 }];
        let published = Published { column: "published_ms", source: "a text", part: "H200", figures: &FIGURES };
        let h200 = Some("NVIDIA H200");
        assert_eq!(published.value("a", "", Some(1024), h200), Some(2.5));
        assert_eq!(published.value("b", "x", None, h200), Some(4.0));
        for (variant, case, n, device) in [
            ("a", "", Some(1000), h200),
            ("a", "other", Some(1024), h200),
            ("c", "", Some(1024), h200),
            ("a", "", Some(1024), Some("NVIDIA T4")),
            ("a", "", Some(1024), None),
        ] {
            assert_eq!(published.value(variant, case, n, device), None, "{variant} {case} {n:?} {device:?}");
        }
        assert_eq!(Published { part: "", ..published }.value("a", "", Some(1024), None), Some(2.5));
    }
}
