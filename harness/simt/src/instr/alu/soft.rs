//! IEEE arithmetic in integers: every format up to f64, every rounding mode, one rounding.
//!
//! Numbers are unpacked into `sign, sig * 2^exp` with up to 128 bits of significand; lost low bits are kept as a single
//! sticky bit. The code is slow and simple: it implements the forms that the host's own arithmetic lacks, and checks
//! those that the host has.

/// A binary format, by its stored bits: sign, exponent, mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Stored bits of the mantissa (without the leading one).
    pub mantissa: u32,
    /// Bits of the exponent.
    pub exponent: u32,
}

/// Half precision.
pub const F16: Format = Format { mantissa: 10, exponent: 5 };
/// bfloat16.
pub const BF16: Format = Format { mantissa: 7, exponent: 8 };
/// Single precision.
pub const F32: Format = Format { mantissa: 23, exponent: 8 };
/// Double precision.
pub const F64: Format = Format { mantissa: 52, exponent: 11 };

/// Rounding modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// `.rn`: nearest, ties to even.
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
    /// `.rna`: nearest, ties away from zero.
    NearestAway,
}

impl Round {
    /// PTX's modifiers in the order of their codes: 0 to 3.
    pub const NAMES: [&'static str; 4] = ["rn", "rz", "rm", "rp"];

    /// Decodes the low three bits of a row's preset.
    pub fn from_code(code: u64) -> Round {
        match code & 7 {
            0 => Round::Nearest,
            1 => Round::Zero,
            2 => Round::Down,
            3 => Round::Up,
            _ => Round::NearestAway,
        }
    }

    /// Whether the magnitude is rounded up by one unit: `half` compares the lost part with half a unit.
    fn away(self, neg: bool, odd: bool, lost: bool, half: std::cmp::Ordering) -> bool {
        use std::cmp::Ordering::*;
        match self {
            Round::Nearest => half == Greater || (half == Equal && odd),
            Round::NearestAway => half != Less,
            Round::Zero => false,
            Round::Down => neg && lost,
            Round::Up => !neg && lost,
        }
    }
}

/// An unpacked number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Not a number.
    Nan,
    /// Infinity, negative or not.
    Inf(bool),
    /// `sig * 2^exp`, negative or not; zero has `sig` 0.
    Num(bool, i32, u128),
}

impl Format {
    /// Exponent bias.
    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of plus infinity.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// The sign bit.
    pub const fn sign(self) -> u64 {
        1 << (self.mantissa + self.exponent)
    }

    /// Whether these bits are a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// Flushes subnormal numbers to zero of the same sign.
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// Unpacks a number.
    pub fn unpack(self, bits: u64) -> Parts {
        let neg = bits & self.sign() != 0;
        let mantissa = bits & ((1 << self.mantissa) - 1);
        let biased = (bits & self.infinity()) >> self.mantissa;
        let least = 1 - self.bias() - self.mantissa as i32;
        if biased == (1 << self.exponent) - 1 {
            if mantissa == 0 { Parts::Inf(neg) } else { Parts::Nan }
        } else if biased == 0 {
            Parts::Num(neg, least, u128::from(mantissa))
        } else {
            let sig = mantissa | (1 << self.mantissa);
            Parts::Num(neg, least + biased as i32 - 1, u128::from(sig))
        }
    }

    /// Rounds `sig * 2^exp` to this format. The lowest bit of `sig` may stand for anything smaller that is not zero, if
    /// `sig` has at least two bits more than the format.
    #[inline(never)]
    pub fn pack(self, round: Round, neg: bool, exp: i32, sig: u128) -> u64 {
        let sign = if neg { self.sign() } else { 0 };
        if sig == 0 {
            return sign;
        }
        let top = 127 - sig.leading_zeros() as i32;
        let least = 1 - self.bias();
        // The exponent of the result's last bit.
        let unit = (exp + top).max(least) - self.mantissa as i32;
        let (kept, lost, half) = shift_right(sig, unit - exp);
        let away = round.away(neg, kept & 1 != 0, lost, half);
        let kept = kept as u64 + u64::from(away);
        // Carries from the mantissa propagate into the exponent.
        let biased = (unit + self.mantissa as i32 - least) as u64;
        if biased >= (1 << self.exponent) - 1 {
            return sign | self.overflow(round, neg);
        }
        let bits = (biased << self.mantissa) + kept;
        if bits >= self.infinity() {
            return sign | self.overflow(round, neg);
        }
        sign | bits
    }

    fn overflow(self, round: Round, neg: bool) -> u64 {
        let largest = match round {
            Round::Nearest | Round::NearestAway => false,
            Round::Zero => true,
            Round::Down => !neg,
            Round::Up => neg,
        };
        self.infinity() - u64::from(largest)
    }
}

/// Returns `sig / 2^by`: the integer part, whether anything was lost, and how the lost part compares with a half.
/// Negative `by` shifts left.
pub fn shift_right(sig: u128, by: i32) -> (u128, bool, std::cmp::Ordering) {
    use std::cmp::Ordering::*;
    match by {
        ..=0 => (sig << -by, false, Less),
        1..=127 => {
            let lost = sig & ((1 << by) - 1);
            (sig >> by, lost != 0, lost.cmp(&(1 << (by - 1))))
        }
        128 => (0, sig != 0, sig.cmp(&(1 << 127))),
        _ => (0, sig != 0, Less),
    }
}

/// Shifts right and keeps lost bits as a sticky lowest bit.
fn jam(sig: u128, by: i32) -> u128 {
    let (kept, lost, _) = shift_right(sig, by);
    kept | u128::from(lost)
}

/// Returns the sum of two finite numbers, with a sticky lowest bit; a zero sum has the sign that `round` determines.
fn sum(round: Round, x: (bool, i32, u128), y: (bool, i32, u128)) -> (bool, i32, u128) {
    if x.2 == 0 && y.2 == 0 {
        let neg = if x.0 == y.0 { x.0 } else { round == Round::Down };
        return (neg, 0, 0);
    }
    if y.2 == 0 {
        return x;
    }
    if x.2 == 0 {
        return y;
    }
    // Both get their highest bit at 124: there is room for a carry, and bits lost on the right are far below the
    // result's bits, because significands have at most 106 bits.
    let raise = |(neg, exp, sig): (bool, i32, u128)| {
        let by = sig.leading_zeros() as i32 - 3;
        (neg, exp - by, sig << by)
    };
    let (x, y) = (raise(x), raise(y));
    let (big, small) = if x.1 >= y.1 { (x, y) } else { (y, x) };
    let low = jam(small.2, big.1 - small.1);
    if big.0 == small.0 {
        return (big.0, big.1, big.2 + low);
    }
    match big.2.cmp(&low) {
        std::cmp::Ordering::Equal => (round == Round::Down, 0, 0),
        std::cmp::Ordering::Greater => (big.0, big.1, big.2 - low),
        std::cmp::Ordering::Less => (small.0, big.1, low - big.2),
    }
}

/// Sum; `None` for NaN.
#[inline(never)]
pub fn add(f: Format, round: Round, a: u64, b: u64) -> Option<u64> {
    match (f.unpack(a), f.unpack(b)) {
        (Parts::Nan, _) | (_, Parts::Nan) => None,
        (Parts::Inf(x), Parts::Inf(y)) => (x == y).then_some(a),
        (Parts::Inf(_), _) => Some(a),
        (_, Parts::Inf(_)) => Some(b),
        (Parts::Num(n, e, s), Parts::Num(m, d, r)) => {
            let (neg, exp, sig) = sum(round, (n, e, s), (m, d, r));
            Some(f.pack(round, neg, exp, sig))
        }
    }
}

/// Product; `None` for NaN.
pub fn mul(f: Format, round: Round, a: u64, b: u64) -> Option<u64> {
    // Adding minus zero changes no product, not even minus zero.
    let zero = if (a ^ b) & f.sign() != 0 { f.sign() } else { 0 };
    fma(f, round, a, b, zero)
}

/// `a * b + c` with one rounding; `None` for NaN.
#[inline(never)]
pub fn fma(f: Format, round: Round, a: u64, b: u64, c: u64) -> Option<u64> {
    let neg = (a ^ b) & f.sign() != 0;
    let product = match (f.unpack(a), f.unpack(b)) {
        (Parts::Nan, _) | (_, Parts::Nan) => return None,
        (Parts::Inf(_), Parts::Num(_, _, 0)) | (Parts::Num(_, _, 0), Parts::Inf(_)) => return None,
        (Parts::Inf(_), _) | (_, Parts::Inf(_)) => Parts::Inf(neg),
        (Parts::Num(_, e, s), Parts::Num(_, d, r)) => Parts::Num(neg, e + d, s * r),
    };
    match (product, f.unpack(c)) {
        (_, Parts::Nan) => None,
        (Parts::Inf(x), Parts::Inf(y)) => (x == y).then_some(c),
        (Parts::Inf(x), _) => Some(f.infinity() | if x { f.sign() } else { 0 }),
        (_, Parts::Inf(_)) => Some(c),
        (Parts::Num(n, e, s), Parts::Num(m, d, r)) => {
            let (neg, exp, sig) = sum(round, (n, e, s), (m, d, r));
            Some(f.pack(round, neg, exp, sig))
        }
        (Parts::Nan, _) => None,
    }
}

/// Quotient; `None` for NaN.
#[inline(never)]
pub fn div(f: Format, round: Round, a: u64, b: u64) -> Option<u64> {
    let neg = (a ^ b) & f.sign() != 0;
    let sign = if neg { f.sign() } else { 0 };
    match (f.unpack(a), f.unpack(b)) {
        (Parts::Nan, _) | (_, Parts::Nan) => None,
        (Parts::Inf(_), Parts::Inf(_)) => None,
        (Parts::Num(_, _, 0), Parts::Num(_, _, 0)) => None,
        (Parts::Inf(_), _) | (_, Parts::Num(_, _, 0)) => Some(sign | f.infinity()),
        (_, Parts::Inf(_)) => Some(sign),
        (Parts::Num(_, e, s), Parts::Num(_, d, r)) => {
            if s == 0 {
                return Some(sign);
            }
            let up = s.leading_zeros() as i32;
            let s = s << up;
            // The quotient has at least 128 - 53 bits.
            let sig = (s / r) | u128::from(!s.is_multiple_of(r));
            Some(f.pack(round, neg, e - up - d, sig))
        }
    }
}

/// Square root; `None` for NaN.
#[inline(never)]
pub fn sqrt(f: Format, round: Round, a: u64) -> Option<u64> {
    match f.unpack(a) {
        Parts::Nan => None,
        Parts::Num(_, _, 0) => Some(a),
        Parts::Inf(false) => Some(a),
        Parts::Inf(true) | Parts::Num(true, _, _) => None,
        Parts::Num(false, e, s) => {
            let mut up = s.leading_zeros() as i32;
            if (e - up) % 2 != 0 {
                up -= 1;
            }
            let s = s << up;
            let root = s.isqrt();
            let sticky = u128::from(root * root != s);
            // The root has 63 or 64 bits, followed by a sticky bit.
            Some(f.pack(round, false, (e - up) / 2 - 1, (root << 1) | sticky))
        }
    }
}

/// Converts from one format to another; `None` for NaN.
#[inline(never)]
pub fn convert(from: Format, to: Format, round: Round, a: u64) -> Option<u64> {
    match from.unpack(a) {
        Parts::Nan => None,
        Parts::Inf(neg) => Some(to.infinity() | if neg { to.sign() } else { 0 }),
        Parts::Num(neg, exp, sig) => Some(to.pack(round, neg, exp, sig)),
    }
}

/// Rounds a finite number to an integer: whether it is negative, and its magnitude (which saturates at 2^127).
#[inline(never)]
pub fn whole(round: Round, neg: bool, exp: i32, sig: u128) -> (bool, u128) {
    if sig != 0 && exp > sig.leading_zeros() as i32 - 1 {
        return (neg, 1 << 127);
    }
    let (kept, lost, half) = shift_right(sig, -exp);
    (neg, kept + u128::from(round.away(neg, kept & 1 != 0, lost, half)))
}
