//! The values of inputs, which the seed decides.
use harness::Inputs;
use serde::Deserialize;

use crate::element::ElementType;

/// How the elements of an input are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Uniform between two numbers; for floats.
    Uniform([f64; 2]),
    /// Normal, with this mean and this standard deviation; for floats.
    Normal([f64; 2]),
    /// Integers between two, both included.
    Integers([i64; 2]),
    /// The same number for every element.
    Constant(f64),
}

impl Distribution {
    /// Says what is wrong with the distribution for this type, if anything.
    pub(crate) fn mistake(self, of: ElementType) -> Option<String> {
        let (least, greatest) = of.integers();
        let has = |number: i64| (least..=greatest).contains(&number.into());
        match self {
            Self::Uniform(_) | Self::Normal(_) if !of.is_float() => {
                Some(format!("{of:?} is not a float; use integers = [LEAST, GREATEST]"))
            }
            Self::Uniform([low, high]) if !(low < high && (high - low).is_finite()) => {
                Some(format!("uniform = [{low}, {high}] is empty; the second number must be the greater one"))
            }
            Self::Normal([mean, deviation]) if !(mean.is_finite() && deviation > 0.0 && deviation.is_finite()) => {
                Some("normal = [MEAN, DEVIATION] needs a finite mean and a positive deviation".into())
            }
            Self::Integers([low, high]) if low > high => {
                Some(format!("integers = [{low}, {high}] is empty; the second number must be the greater one"))
            }
            Self::Integers([low, high]) if !(has(low) && has(high)) => {
                Some(format!("integers = [{low}, {high}]: {of:?} has only the integers from {least} to {greatest}"))
            }
            Self::Constant(number) if of.is_float() && number.is_nan() => Some("constant = nan is never right".into()),
            Self::Constant(number) if !(of.is_float() || number.fract() == 0.0 && has(number as i64)) => {
                Some(format!("constant = {number} is not a number of {of:?}"))
            }
            _ => None,
        }
    }

    /// Draws the bytes of `count` elements.
    pub(crate) fn draw(self, of: ElementType, count: usize, mut inputs: Inputs) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count * of.bytes());
        match self {
            Self::Uniform([low, high]) => {
                inputs.f64(count, low..high).into_iter().for_each(|number| of.of_float(number, &mut bytes));
            }
            Self::Normal([mean, deviation]) => {
                let drawn = inputs.f64(2 * count, 0.0..1.0);
                for two in drawn.as_chunks::<2>().0 {
                    // Box and Muller. The logarithm's argument is not 0.
                    let radius = (-2.0 * (1.0 - two[0]).ln()).sqrt();
                    of.of_float(mean + deviation * radius * (std::f64::consts::TAU * two[1]).cos(), &mut bytes);
                }
            }
            Self::Integers([low, high]) => {
                let span = (i128::from(high) - i128::from(low) + 1) as u128;
                for word in inputs.bytes(8 * count).as_chunks::<8>().0 {
                    let offset = (u128::from(u64::from_le_bytes(*word)) * span) >> 64;
                    of.of_integer(i128::from(low) + offset as i128, &mut bytes);
                }
            }
            Self::Constant(number) => (0..count).for_each(|_| of.of_float(number, &mut bytes)),
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_range_and_the_seed_decides() {
        let draw = |seed| Distribution::Integers([-3, 4]).draw(ElementType::I8, 1000, Inputs::new(seed, "x"));
        let numbers: Vec<i8> = draw(7).iter().map(|byte| *byte as i8).collect();
        assert_eq!((numbers.iter().min(), numbers.iter().max()), (Some(&-3), Some(&4)));
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let all = Distribution::Integers([i64::MIN, i64::MAX]).draw(ElementType::I64, 64, Inputs::new(1, "x"));
        assert!(all.as_chunks::<8>().0.iter().any(|word| i64::from_le_bytes(*word) < i64::MIN / 4));
        let normal = Distribution::Normal([5.0, 2.0]).draw(ElementType::F64, 10_000, Inputs::new(1, "x"));
        let normal: Vec<f64> = normal.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect();
        let mean = normal.iter().sum::<f64>() / 10_000.0;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 10_000.0;
        assert!((mean - 5.0).abs() < 0.1 && (variance - 4.0).abs() < 0.2, "{mean} {variance}");
    }

    #[test]
    fn distributions_that_do_not_suit_a_type_are_refused() {
        let wrong = |of, distribution: Distribution| distribution.mistake(of).unwrap_or_default();
        assert!(wrong(ElementType::I8, Distribution::Uniform([0.0, 1.0])).contains("not a float"));
        assert!(wrong(ElementType::F32, Distribution::Uniform([1.0, 1.0])).contains("is empty"));
        assert!(wrong(ElementType::I8, Distribution::Integers([0, 128])).contains("from -128 to 127"));
        assert!(wrong(ElementType::U8, Distribution::Constant(0.5)).contains("not a number of U8"));
        assert!(wrong(ElementType::F32, Distribution::Normal([0.0, 0.0])).contains("positive deviation"));
        assert_eq!(Distribution::Integers([-128, 127]).mistake(ElementType::I8), None);
    }
}
