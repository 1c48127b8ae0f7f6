//! The types of a buffer's elements, and how two buffers are compared.
use half::{bf16, f16};
use harness::{Check, Tolerance};
use serde::{Deserialize, Serialize};

/// The type of a buffer's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    /// A float of 16 bits.
    F16,
    /// A float of 16 bits with the exponent of `f32`.
    Bf16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// A signed integer of 8 bits.
    I8,
    /// An unsigned integer of 8 bits.
    U8,
    /// A signed integer of 32 bits.
    I32,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 64 bits.
    U64,
}

/// Returns the elements in `bytes`, each converted by `from` from its little-endian bytes.
fn elements<const N: usize, T>(bytes: &[u8], from: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|bytes| from(*bytes)).collect()
}

impl ElementType {
    /// The size of an element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The least and the greatest integer of the type, or those up to which every integer is a number of the type.
    pub(crate) fn integers(self) -> (i128, i128) {
        match self {
            Self::F16 => (-(1 << 11), 1 << 11),
            Self::Bf16 => (-(1 << 8), 1 << 8),
            Self::F32 => (-(1 << 24), 1 << 24),
            Self::F64 => (-(1 << 53), 1 << 53),
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::U8 => (0, u8::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
        }
    }

    /// Returns the bytes of a number as this type: rounded if it is a float.
    pub(crate) fn of_float(self, number: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::F16 => bytes.extend(f16::from_f64(number).to_le_bytes()),
            Self::Bf16 => bytes.extend(bf16::from_f64(number).to_le_bytes()),
            Self::F32 => bytes.extend((number as f32).to_le_bytes()),
            Self::F64 => bytes.extend(number.to_le_bytes()),
            _ => self.of_integer(number as i128, bytes),
        }
    }

    /// Returns the bytes of an integer as this type, which has it.
    pub(crate) fn of_integer(self, number: i128, bytes: &mut Vec<u8>) {
        if self.is_float() {
            return self.of_float(number as f64, bytes);
        }
        bytes.extend(&number.to_le_bytes()[..self.bytes()]);
    }

    /// Compares an output with the expected one: floats within the tolerance, integers too unless it is exact.
    pub(crate) fn compare(self, found: &[u8], expected: &[u8], tolerance: Tolerance) -> Check {
        fn of<const N: usize, T: harness::Number>(
            from: fn([u8; N]) -> T,
            [found, expected]: [&[u8]; 2],
            tolerance: Tolerance,
        ) -> Check {
            Check::compare(&elements(found, from), &elements(expected, from), tolerance)
        }
        let both = [found, expected];
        match self {
            Self::F16 => of(|bytes| f16::from_le_bytes(bytes).to_f32(), both, tolerance),
            Self::Bf16 => of(|bytes| bf16::from_le_bytes(bytes).to_f32(), both, tolerance),
            Self::F32 => of(f32::from_le_bytes, both, tolerance),
            Self::F64 => of(f64::from_le_bytes, both, tolerance),
            Self::I8 => of(i8::from_le_bytes, both, tolerance),
            Self::U8 => of(u8::from_le_bytes, both, tolerance),
            Self::I32 => of(i32::from_le_bytes, both, tolerance),
            Self::U32 => of(u32::from_le_bytes, both, tolerance),
            // As doubles, integers of 64 bits are rounded.
            Self::I64 => Check::equal(&elements(found, i64::from_le_bytes), &elements(expected, i64::from_le_bytes)),
            Self::U64 => Check::equal(&elements(found, u64::from_le_bytes), &elements(expected, u64::from_le_bytes)),
        }
    }

    /// Returns the index of the first NaN.
    pub(crate) fn first_nan(self, bytes: &[u8]) -> Option<usize> {
        let is_nan = |numbers: Vec<f64>| numbers.into_iter().position(f64::is_nan);
        match self {
            Self::F16 => is_nan(elements(bytes, |bytes| f16::from_le_bytes(bytes).to_f64())),
            Self::Bf16 => is_nan(elements(bytes, |bytes| bf16::from_le_bytes(bytes).to_f64())),
            Self::F32 => is_nan(elements(bytes, |bytes| f32::from_le_bytes(bytes).into())),
            Self::F64 => is_nan(elements(bytes, f64::from_le_bytes)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [ElementType; 10] = {
        use ElementType::*;
        [F16, Bf16, F32, F64, I8, U8, I32, U32, I64, U64]
    };

    fn bytes(of: ElementType, numbers: &[i128]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in numbers {
            of.of_integer(*number, &mut bytes);
        }
        bytes
    }

    #[test]
    fn every_type_is_compared_element_by_element() {
        for of in TYPES {
            let (least, greatest) = of.integers();
            let right = bytes(of, &[least, 1, greatest]);
            assert_eq!(right.len(), 3 * of.bytes());
            assert!(of.compare(&right, &right, Tolerance::EXACT).passed(), "{of:?}");
            let wrong = of.compare(&bytes(of, &[least, 3, greatest]), &right, Tolerance::EXACT);
            assert!(wrong.summary().starts_with("1 of 3 wrong: [1] is 3, should be 1"), "{of:?}: {}", wrong.summary());
        }
    }

    #[test]
    fn integers_of_64_bits_are_not_rounded() {
        for of in [ElementType::I64, ElementType::U64] {
            let [one, other] = [1_i128 << 53, (1 << 53) + 1].map(|number| bytes(of, &[number]));
            assert!(!of.compare(&one, &other, Tolerance { absolute: 0.0, relative: 1e-9 }).passed());
        }
    }

    #[test]
    fn a_nan_is_found_and_never_right() {
        let mut nan = Vec::new();
        for of in TYPES.into_iter().filter(|of| of.is_float()) {
            nan.clear();
            of.of_float(1.0, &mut nan);
            of.of_float(f64::NAN, &mut nan);
            assert_eq!(of.first_nan(&nan), Some(1), "{of:?}");
            assert!(!of.compare(&nan, &nan, Tolerance { absolute: f64::INFINITY, relative: 0.0 }).passed(), "{of:?}");
        }
    }
}
