//! A column: its name, its unit and its meaning.

/// A column: its name, its unit and its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name in the CSV's header and in the JSON; it ends in the unit if there is one.
    pub name: &'static str,
    /// The unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

/// Returns a column of a lab: `meaning` is a phrase for the table in `reports/README.md`. The unit is derived from the
/// end of the name.
///
/// ```
/// let column = record::column("warm_kernel_ms", "the kernel in a warm pass");
/// assert_eq!(column.unit, "ms");
/// ```
pub const fn column(name: &'static str, meaning: &'static str) -> Column {
    let mut unit = "";
    let mut i = 0;
    while i < UNITS.len() {
        if ends_with(name, UNITS[i].0) {
            unit = UNITS[i].1;
        }
        i += 1;
    }
    Column { name, unit, meaning }
}

impl Column {
    /// Sets the unit, if the name does not imply it.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }
}

/// Name endings and the units they imply. A later match takes precedence over an earlier one.
const UNITS: [(&str, &str); 8] = [
    ("_ms", "ms"),
    ("us_per_step", "µs a step"),
    ("bytes", "bytes"),
    ("gb_per_s", "10^9 bytes/s"),
    ("gflop_per_s", "10^9 operations/s"),
    ("tflop_per_s", "10^12 operations/s"),
    ("percent", "%"),
    ("sectors", "32-byte sectors"),
];

const fn ends_with(text: &str, end: &str) -> bool {
    let (text, end) = (text.as_bytes(), end.as_bytes());
    if text.len() < end.len() {
        return false;
    }
    let mut i = 0;
    while i < end.len() {
        if text[text.len() - end.len() + i] != end[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_the_one_that_the_name_ends_in() {
        for (name, unit) in
            [("first_h2d_ms", "ms"), ("gb_per_s", "10^9 bytes/s"), ("gflop_per_s", "10^9 operations/s"), ("text", "")]
        {
            assert_eq!(column(name, "").unit, unit, "{name}");
        }
        assert_eq!(column("m", "").unit("rows").unit, "rows");
    }
}
