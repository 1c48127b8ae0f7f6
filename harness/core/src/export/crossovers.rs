//! The summary of a sweep over sizes as text: which mode is the fastest from which size on, and how much faster than a
//! baseline it is.
use record::{Record, ratio as times, time};
use unicode_width::UnicodeWidthStr;

use crate::{
    crossover::AS_GOOD, export::layout::wrapped_within, export::story, export::style, export::summary::Counts,
};

/// The fastest modes over sizes, for each device with times.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossovers {
    /// The question of the sweep, in one line.
    pub question: &'static str,
    /// The name of the mode with which the others are compared.
    pub baseline: &'static str,
    /// A table for each device.
    pub tables: Vec<CrossoverTable>,
    /// What the reader must know about this run; may be empty.
    pub remark: &'static str,
}

/// The fastest modes on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossoverTable {
    /// The device, and when its times were measured.
    pub heading: String,
    /// The ranges of sizes, the smallest sizes first.
    pub rows: Vec<Crossover>,
}

/// A range of sizes in which one mode is the fastest, or nearly so.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossover {
    /// The first and the last size.
    pub sizes: [String; 2],
    /// The mode.
    pub mode: String,
    /// Its times at the first and the last size, in milliseconds.
    pub ms: [f64; 2],
    /// The least and the greatest ratio of the baseline's time to the mode's; `None` if the baseline has no times.
    pub gain: Option<[f64; 2]>,
}

/// The headings of the columns; that of the last one follows the baseline's name.
const HEADINGS: [&str; 3] = ["vectors", "fastest", "end to end"];

/// Returns the summary of a sweep of `lab` with these rows, within `width` columns.
pub fn crossovers_text(lab: &str, crossovers: &Crossovers, rows: &[Record], width: usize) -> String {
    let wrapped = |text: &str, indent| wrapped_within(text, indent, width);
    let mut lines = vec![wrapped(&format!("{}: {}", style::strong(lab), crossovers.question), 2)];
    if !crossovers.remark.is_empty() {
        lines.push(wrapped(&format!("  {}", crossovers.remark), 2));
    }
    let table = Columns::over(crossovers, width);
    for CrossoverTable { heading, rows } in &crossovers.tables {
        lines.push(wrapped(&format!("  {heading}:"), 4));
        lines.push(table.headings(crossovers.baseline));
        lines.extend(rows.iter().map(|row| table.row(row)));
    }
    let margin = format!("A mode within {:.0} % of the fastest counts as equally good.", 100.0 * AS_GOOD);
    lines.push(wrapped(&format!("  {margin}"), 2));
    lines.push(format!("  {}", Counts::from_records(rows)));
    lines.join("\n")
}

/// The widths of the columns, which all tables share.
#[derive(Debug)]
struct Columns {
    cells: [usize; 4],
    /// The columns of the terminal.
    width: usize,
    /// The length of the longest bar; 0 if there is no room for bars.
    bar: usize,
    /// The ratio that the longest bar shows.
    largest: f64,
}

impl Columns {
    fn over(crossovers: &Crossovers, width: usize) -> Self {
        let rows = || crossovers.tables.iter().flat_map(|table| &table.rows);
        let mut cells = [0; 4];
        for (cell, heading) in cells.iter_mut().zip(HEADINGS) {
            *cell = heading.width();
        }
        for row in rows() {
            for (cell, text) in cells.iter_mut().zip(texts(row)) {
                *cell = text.width().max(*cell);
            }
        }
        let used = 4 + cells.iter().map(|cell| cell + 2).sum::<usize>();
        let largest = rows().filter_map(|row| row.gain).map(|[_, most]| most).fold(1.0, f64::max);
        Self { cells, width, bar: story::bar_room(used, width), largest }
    }

    fn headings(&self, baseline: &str) -> String {
        let [sizes, mode, time] = HEADINGS;
        self.line(&[sizes.into(), mode.into(), time.into(), format!("times as fast as {baseline}")])
    }

    fn row(&self, row: &Crossover) -> String {
        let line = self.line(&texts(row));
        let Some([least, most]) = row.gain.filter(|_| self.bar > 0) else {
            return line;
        };
        let solid = story::drawn(least / self.largest, self.bar);
        let whole = (most / self.largest * self.bar as f64).round() as usize;
        // The light part begins after the column in which the solid one ends.
        let light = story::drawn_light(whole.saturating_sub(solid.width()));
        let fill = " ".repeat((4 + self.cells.iter().map(|cell| cell + 2).sum::<usize>()).saturating_sub(line.width()));
        format!("{line}{fill}{}", style::bar(&(solid + &light)))
    }

    /// Returns the cells side by side, or wrapped if they need more than the terminal's width.
    fn line(&self, cells: &[String; 4]) -> String {
        let padded: Vec<String> = cells.iter().zip(self.cells).map(|(cell, width)| format!("{cell:width$}")).collect();
        let line = format!("    {}", padded.join("  ").trim_end());
        if line.width() <= self.width {
            return line;
        }
        wrapped_within(&format!("    {}", cells.join("  ")), 6, self.width)
    }
}

/// Returns the cells of a row: sizes, mode, times, ratios.
fn texts(row: &Crossover) -> [String; 4] {
    let [first, last] = &row.sizes;
    let [ms, ms_of_last] = row.ms;
    if first == last {
        let gain = row.gain.map_or_else(String::new, |[least, _]| times(least));
        return [first.clone(), row.mode.clone(), time(ms), gain];
    }
    let gain = row.gain.map_or_else(String::new, |[least, most]| format!("{}..{}", times(least), times(most)));
    [format!("{first}..{last}"), row.mode.clone(), format!("{}..{}", time(ms), time(ms_of_last)), gain]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sizes: [&str; 2], mode: &str, ms: [f64; 2], gain: Option<[f64; 2]>) -> Crossover {
        Crossover { sizes: sizes.map(String::from), mode: mode.into(), ms, gain }
    }

    fn lines(rows: Vec<Crossover>, width: usize) -> Vec<String> {
        let tables = vec![CrossoverTable { heading: "GPU".into(), rows }];
        let crossovers = Crossovers { question: "Which?", baseline: "a", tables, remark: "" };
        let text = crossovers_text("lab", &crossovers, &[], width);
        anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_bar_is_solid_up_to_the_least_ratio_and_light_up_to_the_greatest() {
        let rows = vec![
            row(["4 KiB", "1 MiB"], "zero-copy", [0.02, 0.5], Some([2.0, 4.0])),
            row(["4 MiB", "4 MiB"], "b", [1.0, 1.0], Some([8.0, 8.0])),
        ];
        let lines = lines(rows, 80);
        assert_eq!(lines[2], "    vectors       fastest    end to end         times as fast as a");
        assert!(lines[3].starts_with("    4 KiB..1 MiB  zero-copy  20.0 us..0.500 ms  2.0..4.0  ███"), "{}", lines[3]);
        assert!(lines[4].starts_with("    4 MiB         b          1.00 ms            8.0       ███"), "{}", lines[4]);
        let count = |line: &str, bar: char| line.chars().filter(|c| *c == bar).count();
        assert_eq!((count(&lines[4], '█'), lines[4].width()), (22, 80));
        // 2/8 of 22 columns are 5.5, and 4/8 are 11.
        assert_eq!(['█', '▌', '░'].map(|bar| count(&lines[3], bar)), [5, 1, 5]);
    }

    #[test]
    fn a_mode_without_a_baseline_has_its_times_alone() {
        let lines = lines(vec![row(["4 KiB", "4 KiB"], "b", [1.0, 1.0], None)], 80);
        assert_eq!(lines[3], "    4 KiB    b        1.00 ms");
    }
}
