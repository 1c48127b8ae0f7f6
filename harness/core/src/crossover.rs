//! Finds which of several lines is the highest where, in as few ranges as possible.

/// A line: its name, and its value at each position; `None` if it has none.
pub type NamedLine = (String, Vec<Option<f64>>);

/// Consecutive positions at which one line is the highest, or nearly so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The index of the line.
    pub line: usize,
    /// The first position.
    pub first: usize,
    /// The last position.
    pub last: usize,
}

/// A line that is below the highest by at most this fraction counts as equally good.
pub const AS_GOOD: f64 = 0.05;

/// Returns the ranges, from the first position on: each belongs to the line that stays nearly the highest for longest;
/// among lines that stay equally long, to the highest overall. Positions without any value end a range.
pub fn stretches(lines: &[NamedLine]) -> Vec<Stretch> {
    let places = lines.iter().map(|line| line.1.len()).max().unwrap_or(0);
    let at = |line: usize, place: usize| lines[line].1.get(place).copied().flatten().filter(|value| *value > 0.0);
    let best = |place: usize| (0..lines.len()).filter_map(|line| at(line, place)).fold(0.0, f64::max);
    let is_as_good =
        |line: usize, place: usize| at(line, place).is_some_and(|value| value >= best(place) * (1.0 - AS_GOOD));
    let mut found: Vec<Stretch> = Vec::new();
    let mut first = 0;
    while first < places {
        let reach = |line: usize| (first..places).take_while(|place| is_as_good(line, *place)).count();
        let height = |line: usize, count: usize| -> f64 {
            (first..first + count).filter_map(|place| at(line, place)).map(f64::ln).sum()
        };
        let longest = (0..lines.len()).max_by(|&a, &b| {
            let by_length = reach(a).cmp(&reach(b));
            // Among equally good lines, the first one wins.
            by_length.then(height(a, reach(a)).total_cmp(&height(b, reach(b)))).then(b.cmp(&a))
        });
        match longest.map(|line| (line, reach(line))) {
            Some((line, count)) if count > 0 => {
                found.push(Stretch { line, first, last: first + count - 1 });
                first += count;
            }
            _ => first += 1,
        }
    }
    found
}

/// Returns the size, between two sizes, at which line `a` falls below line `b`, interpolated linearly on logarithmic
/// axes. If one line is above the other at both, returns the (geometric) middle of the sizes.
pub fn crossing(sizes: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (before, after) = ((a.0 / b.0).ln(), (a.1 / b.1).ln());
    let share = if before > 0.0 && after < 0.0 { before / (before - after) } else { 0.5 };
    sizes.0 * (sizes.1 / sizes.0).powf(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, values: &[f64]) -> NamedLine {
        (name.into(), values.iter().map(|v| (*v > 0.0).then_some(*v)).collect())
    }

    #[test]
    fn the_line_that_stays_good_for_longest_has_the_stretch() {
        let lines = [
            line("early", &[10.0, 10.0, 10.0, 1.0]),
            // The highest at one position, but not by enough to be mentioned.
            line("noise", &[1.0, 10.4, 1.0, 1.0]),
            line("late", &[1.0, 1.0, 5.0, 20.0]),
        ];
        let found = stretches(&lines);
        assert_eq!(found, [Stretch { line: 0, first: 0, last: 2 }, Stretch { line: 2, first: 3, last: 3 }]);
    }

    #[test]
    fn a_difference_beyond_the_margin_is_a_stretch_of_its_own() {
        let lines = [line("a", &[10.0, 10.0, 10.0]), line("b", &[1.0, 10.6, 1.0])];
        let found: Vec<usize> = stretches(&lines).iter().map(|s| s.line).collect();
        assert_eq!(found, [0, 1, 0]);
    }

    #[test]
    fn gaps_and_nothing_are_no_trouble() {
        assert_eq!(stretches(&[]), []);
        let lines = [line("a", &[0.0, 3.0, 0.0, 3.0])];
        let found: Vec<(usize, usize)> = stretches(&lines).iter().map(|s| (s.first, s.last)).collect();
        assert_eq!(found, [(1, 1), (3, 3)]);
    }

    #[test]
    fn lines_cross_where_they_are_equal() {
        // One falls from twice the other to half of it: half way on a logarithmic axis.
        assert!((crossing((1.0, 4.0), (2.0, 1.0), (1.0, 2.0)) - 2.0).abs() < 1e-9);
        assert!((crossing((1.0, 16.0), (4.0, 1.0), (2.0, 8.0)) - 2.0).abs() < 1e-9);
        assert!((crossing((1.0, 4.0), (1.0, 1.0), (1.0, 1.0)) - 2.0).abs() < 1e-9);
    }
}
