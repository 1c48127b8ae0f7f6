//! The scalar types of CUDA C, and values of them.

use std::fmt;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `bool`, and a predicate.
    Bool,
    /// An integer.
    Integer {
        /// Its size in bytes.
        bytes: u8,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// `float`
    Float,
    /// `double`
    Double,
}

impl Scalar {
    /// `int`
    pub const INT: Self = Self::Integer { bytes: 4, is_signed: true };
    /// `long long`
    pub const LONG: Self = Self::Integer { bytes: 8, is_signed: true };
    /// `unsigned`
    pub const UNSIGNED: Self = Self::Integer { bytes: 4, is_signed: false };
    /// `unsigned long long`, also an address.
    pub const UNSIGNED_LONG: Self = Self::Integer { bytes: 8, is_signed: false };

    /// Returns the size in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Bool => 1,
            Self::Integer { bytes, .. } => bytes as u64,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// Returns the type of an integer or floating-point number of this size; `None` if no type has it.
    pub const fn from_size(bytes: u64, is_float: bool, is_signed: bool) -> Option<Self> {
        match (bytes, is_float) {
            (4, true) => Some(Self::Float),
            (8, true) => Some(Self::Double),
            (1 | 2 | 4 | 8, _) => Some(Self::Integer { bytes: bytes as u8, is_signed }),
            _ => None,
        }
    }

    /// Returns the type that these words name, such as `unsigned int`.
    pub fn from_words(words: &[&str]) -> Option<Self> {
        let integer = |bytes, is_signed| Some(Self::Integer { bytes, is_signed });
        match words {
            ["bool"] => return Some(Self::Bool),
            ["float"] => return Some(Self::Float),
            ["double"] => return Some(Self::Double),
            ["size_t" | "uint64_t" | "uintptr_t"] => return Some(Self::UNSIGNED_LONG),
            ["int64_t" | "ptrdiff_t" | "intptr_t"] => return Some(Self::LONG),
            ["uint32_t" | "uint"] => return Some(Self::UNSIGNED),
            ["int32_t"] => return Some(Self::INT),
            ["uint16_t" | "ushort"] => return integer(2, false),
            ["int16_t"] => return integer(2, true),
            ["uint8_t" | "uchar"] => return integer(1, false),
            ["int8_t"] => return integer(1, true),
            [] => return None,
            _ => {}
        }
        let count = |word: &str| words.iter().filter(|each| **each == word).count();
        let known =
            ["unsigned", "signed", "int", "char", "short", "long"].iter().map(|word| count(word)).sum::<usize>();
        let bytes = match (count("char"), count("short"), count("long")) {
            (1, 0, 0) => 1,
            (0, 1, 0) => 2,
            (0, 0, 1 | 2) => 8,
            (0, 0, 0) => 4,
            _ => return None,
        };
        if known == words.len() { integer(bytes, count("unsigned") == 0) } else { None }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Float => "float",
            Self::Double => "double",
            Self::Integer { bytes, is_signed } => match (bytes, is_signed) {
                (1, true) => "char",
                (1, false) => "unsigned char",
                (2, true) => "short",
                (2, false) => "unsigned short",
                (4, true) => "int",
                (4, false) => "unsigned",
                (_, true) => "long long",
                (_, false) => "unsigned long long",
            },
        })
    }
}

/// A value of a scalar type: its bits, of which the upper ones are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its type.
    pub scalar: Scalar,
    /// Its bits.
    pub bits: u64,
}

impl Value {
    /// Returns the value of these bits in a type; bits beyond its size are dropped.
    pub fn new(scalar: Scalar, bits: u64) -> Self {
        let bits = match scalar.bytes() {
            8 => bits,
            bytes => bits & ((1 << (8 * bytes)) - 1),
        };
        Self { scalar, bits }
    }

    /// Returns a `bool`.
    pub const fn truth(holds: bool) -> Self {
        Self { scalar: Scalar::Bool, bits: holds as u64 }
    }

    /// Returns the nearest value of a type.
    pub fn from_float(scalar: Scalar, value: f64) -> Self {
        match scalar {
            Scalar::Float => Self::new(scalar, u64::from((value as f32).to_bits())),
            Scalar::Double => Self::new(scalar, value.to_bits()),
            Scalar::Bool => Self::truth(value != 0.0),
            Scalar::Integer { .. } => Self::new(scalar, value as i128 as u64),
        }
    }

    /// Returns the value as an integer; a floating-point number loses its fraction.
    pub fn integer(self) -> i128 {
        match self.scalar {
            Scalar::Integer { bytes, is_signed: true } => {
                let unused = 64 - 8 * u32::from(bytes);
                i128::from((self.bits << unused) as i64 >> unused)
            }
            Scalar::Float | Scalar::Double => self.float() as i128,
            _ => i128::from(self.bits),
        }
    }

    /// Returns the value as a floating-point number.
    pub fn float(self) -> f64 {
        match self.scalar {
            Scalar::Float => f64::from(f32::from_bits(self.bits as u32)),
            Scalar::Double => f64::from_bits(self.bits),
            _ => self.integer() as f64,
        }
    }

    /// Whether it is not zero.
    pub fn is_true(self) -> bool {
        if self.scalar.is_float() { self.float() != 0.0 } else { self.bits != 0 }
    }

    /// Converts it to another type.
    pub fn cast(self, scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::truth(self.is_true()),
            Scalar::Integer { .. } => Self::new(scalar, self.integer() as u64),
            _ => Self::from_float(scalar, self.float()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scalar {
            Scalar::Bool => write!(f, "{}", self.bits != 0),
            Scalar::Float => write!(f, "{}", f32::from_bits(self.bits as u32)),
            Scalar::Double => write!(f, "{}", f64::from_bits(self.bits)),
            Scalar::Integer { .. } => write!(f, "{}", self.integer()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_names_in_cuda() {
        let named = |text: &str| Scalar::from_words(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(named("unsigned"), Some(Scalar::UNSIGNED));
        assert_eq!(named("unsigned long long int"), Some(Scalar::UNSIGNED_LONG));
        assert_eq!(named("short int"), Some(Scalar::Integer { bytes: 2, is_signed: true }));
        assert_eq!(named("float"), Some(Scalar::Float));
        for not_a_type in ["long short", "T", "unsigned float", "int tile"] {
            assert_eq!(named(not_a_type), None, "{not_a_type}");
        }
    }

    #[test]
    fn values_are_converted_as_c_does() {
        assert_eq!(Value::new(Scalar::INT, u64::MAX).integer(), -1);
        assert_eq!(Value::new(Scalar::UNSIGNED, u64::MAX).integer(), i128::from(u32::MAX));
        assert_eq!(Value::from_float(Scalar::Float, -1.5).cast(Scalar::INT).to_string(), "-1");
        assert_eq!(Value::new(Scalar::Float, 0x3f80_0000).to_string(), "1");
        assert!(!Value::from_float(Scalar::Double, -0.0).is_true());
    }
}
