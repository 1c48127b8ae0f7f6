//! Maps values to positions, and chooses the labelled values of an axis.

/// An axis from one value to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    from: f64,
    to: f64,
    is_log: bool,
}

impl Scale {
    /// Returns a scale from 0 to at least `most`, up to a round number.
    pub fn linear(most: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let step = step(most);
        Self { from: 0.0, to: (most / step - 1e-9).ceil() * step, is_log: false }
    }

    /// Returns a scale around all of `values`, between round numbers, so that small changes are visible; from 0 if the
    /// smallest value is close to it.
    pub fn near(values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().filter(|v| v.is_finite());
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if least > most || least < 0.3 * most {
            return Self::linear(most);
        }
        let step = step((most - least).max(0.02 * most));
        Self { from: (least / step - 0.2).floor() * step, to: (most / step + 0.2).ceil() * step, is_log: false }
    }

    /// Returns a logarithmic scale over all positive `values`, with a margin at both ends.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().filter(|v| v.is_finite() && *v > 0.0);
        let (from, to) = values.fold((f64::INFINITY, 0.0_f64), |(from, to), v| (from.min(v), to.max(v)));
        if from > to {
            return Self { from: 1.0, to: 10.0, is_log: true };
        }
        let room = (to / from).powf(0.04).max(1.15);
        Self { from: from / room, to: to * room, is_log: true }
    }

    /// Returns the position of `value`: 0 at the beginning, 1 at the end; values outside are clamped.
    pub fn at(&self, value: f64) -> f64 {
        let at = if self.is_log {
            (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        at.clamp(0.0, 1.0)
    }

    /// Returns round values for ticks, at most about six.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.is_log {
            let step = step(self.to - self.from);
            let count = ((self.to - self.from) / step + 1e-9).floor() as usize;
            return (0..=count).map(|i| self.from + i as f64 * step).collect();
        }
        let powers = self.powers(10.0);
        match powers.len() {
            0..=2 => self.powers(2.0),
            count => powers.into_iter().step_by(count.div_ceil(6)).collect(),
        }
    }

    /// Returns the powers of `base` on the axis.
    pub fn powers(&self, base: f64) -> Vec<f64> {
        let first = (self.from.log(base) - 1e-9).ceil() as i32;
        let last = (self.to.log(base) + 1e-9).floor() as i32;
        (first..=last).map(|power| base.powi(power)).collect()
    }

    /// Returns both ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }
}

/// Returns the step of about five ticks up to `most`: 1, 2 or 5 times a power of ten.
fn step(most: f64) -> f64 {
    let rough = most / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= rough * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_begins_at_0_and_ends_at_a_round_number() {
        let scale = Scale::linear(4488.0);
        assert_eq!((scale.at(0.0), scale.at(2500.0), scale.at(9000.0)), (0.0, 0.5, 1.0));
        assert_eq!(scale.ticks(), [0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]);
        assert_eq!(Scale::linear(5.0).ends(), (0.0, 5.0));
        for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Scale::linear(nothing).ends(), (0.0, 1.0), "{nothing}");
        }
    }

    #[test]
    fn an_axis_near_its_values_shows_small_differences_and_begins_at_0_if_that_is_near() {
        let scale = Scale::near([100.0, 103.0]);
        assert!(scale.ends().0 >= 98.0 && scale.ends().1 <= 105.0, "{scale:?}");
        assert!((3..=8).contains(&scale.ticks().len()), "{:?}", scale.ticks());
        assert_eq!(Scale::near([1.0, 10.0]).ends(), (0.0, 10.0));
        assert_eq!(Scale::near([]).ends(), (0.0, 1.0));
        let (from, to) = Scale::near([5.0]).ends();
        assert!(from < 5.0 && to > 5.0);
    }

    #[test]
    fn a_logarithmic_axis_names_powers() {
        let scale = Scale::log([0.05, 60.0, f64::NAN, 0.0, -3.0]);
        let ticks: Vec<String> = scale.ticks().iter().map(|t| format!("{t:.1}")).collect();
        assert_eq!(ticks, ["0.1", "1.0", "10.0"]);
        let middle = scale.at((0.05_f64 * 60.0).sqrt());
        assert!((middle - 0.5).abs() < 1e-9, "{middle}");
        assert_eq!((scale.at(0.0), scale.at(1e9)), (0.0, 1.0));
        assert_eq!(Scale::log([3.0, 9.0]).ticks(), [4.0, 8.0]);
        assert_eq!(Scale::log([]).ends(), (1.0, 10.0));
        let one = Scale::log([5.0]);
        assert!((one.at(5.0) - 0.5).abs() < 1e-9);
        assert!(Scale::log([1e-9, 1e9]).ticks().len() <= 7);
    }
}
