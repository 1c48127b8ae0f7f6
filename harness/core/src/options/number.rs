//! Parses integers given on the command line; explains invalid ones.
/// Why a number is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is empty.
    #[error("no number is given; write {SPELLINGS}")]
    Empty,
    /// It is not a number.
    #[error("`{0}` is not a number; write {SPELLINGS}")]
    NotANumber(String),
    /// It has a fractional part.
    #[error("{0} is not a whole number")]
    Fraction(String),
    /// It is below 0.
    #[error("{0} is negative: the number must be at least {1}")]
    Negative(String, u64),
    /// It is 0, but the minimum is 1.
    #[error("{0} is too small: the number must be at least 1")]
    Zero(String),
    /// It does not fit into this many bits.
    #[error("{0} is too large: the largest {1}-bit number is {most}", most = u64::MAX >> (64 - .1))]
    TooLarge(String, u32),
    /// It exceeds the maximum.
    #[error("{0} is too large: the most is {1}")]
    TooMany(String, usize),
}

impl From<NumberError> for String {
    fn from(error: NumberError) -> Self {
        error.to_string()
    }
}

/// Examples of all notations.
const SPELLINGS: &str = "1000, 1_000, 1e6, 2^20, 64Ki or 16M";

/// Parses a count of at least one: plain, with `_`, with an exponent (`1e6`, `1.5e3`), as a power (`2^20`), or with K,
/// M, G, T (powers of 1024, also written Ki, Mi, Gi, Ti).
///
/// # Errors
/// Why the text is invalid.
pub fn parse_count(text: &str) -> Result<usize, NumberError> {
    let value = whole(text, 1)?;
    if value == 0 {
        return Err(NumberError::Zero(text.trim().into()));
    }
    usize::try_from(value).map_err(|_| NumberError::TooLarge(text.trim().into(), usize::BITS))
}

/// As [`parse_count`], within 32 bits: for common options and a lab's own.
///
/// # Errors
/// Why the text is invalid.
pub fn parse_u32(text: &str) -> Result<u32, NumberError> {
    u32::try_from(parse_count(text)?).map_err(|_| NumberError::TooLarge(text.trim().into(), 32))
}

/// Parses a number of schedules (orders of warps and blocks): each repeats the whole run.
///
/// # Errors
/// Why the text is invalid.
pub fn parse_schedules(text: &str) -> Result<u32, NumberError> {
    Ok(parse_up_to(text, 10_000)? as u32)
}

/// Parses the threads of a block. The maximum is far above that of any device, which reports its own limit.
///
/// # Errors
/// Why the text is invalid.
pub(crate) fn parse_threads(text: &str) -> Result<u32, NumberError> {
    Ok(parse_up_to(text, 1 << 16)? as u32)
}

/// Parses a number of samples of a case, which are all kept.
///
/// # Errors
/// Why the text is invalid.
pub(crate) fn parse_samples(text: &str) -> Result<u32, NumberError> {
    Ok(parse_up_to(text, 1_000_000)? as u32)
}

/// Parses a number of lines of a table.
///
/// # Errors
/// Why the text is invalid.
pub fn parse_lines(text: &str) -> Result<usize, NumberError> {
    parse_up_to(text, 100_000)
}

/// Parses a time limit of a run in seconds: up to a year.
///
/// # Errors
/// Why the text is invalid.
pub fn parse_seconds(text: &str) -> Result<usize, NumberError> {
    parse_up_to(text, 31_536_000)
}

/// Parses a memory limit of a run in bytes. The maximum is more than any computer has.
///
/// # Errors
/// Why the text is invalid.
pub fn parse_bytes(text: &str) -> Result<usize, NumberError> {
    parse_up_to(text, 1 << 50)
}

/// As [`parse_count`], with the maximum `most`.
fn parse_up_to(text: &str, most: usize) -> Result<usize, NumberError> {
    match parse_count(text)? {
        count if count > most => Err(NumberError::TooMany(text.trim().into(), most)),
        count => Ok(count),
    }
}

/// As [`parse_count`], for any number from 0 on.
///
/// # Errors
/// Why the text is invalid.
pub(crate) fn parse_whole(text: &str) -> Result<u64, NumberError> {
    whole(text, 0)
}

/// Parses the number in `text`; `least` is for the message about a negative one.
fn whole(text: &str, least: u64) -> Result<u64, NumberError> {
    let text = text.trim();
    let clean = text.replace('_', "");
    if clean.is_empty() {
        return Err(NumberError::Empty);
    }
    let (digits, is_negative) = clean.strip_prefix('-').map_or((&*clean, false), |rest| (rest, true));
    let value = match digits.split_once('^') {
        Some((base, power)) => decimal(base, 1).and_then(|base| Ok((base, decimal(power, 1)?))).and_then(power_of),
        None => with_unit(digits),
    };
    match value {
        Err(Wrong::NotANumber) => Err(NumberError::NotANumber(text.into())),
        Ok(value) if value == 0 || !is_negative => Ok(value),
        _ if is_negative => Err(NumberError::Negative(text.into(), least)),
        Err(Wrong::Fraction) => Err(NumberError::Fraction(text.into())),
        _ => Err(NumberError::TooLarge(text.into(), 64)),
    }
}

/// Why the digits are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    NotANumber,
    Fraction,
    TooLarge,
}

fn power_of((base, power): (u64, u64)) -> Result<u64, Wrong> {
    // A power beyond 64 is like one of 64: too large, unless the base is 0 or 1.
    base.checked_pow(power.min(64) as u32).ok_or(Wrong::TooLarge)
}

/// Parses digits and a unit: `64`, `64K`, `1.5Ki`.
fn with_unit(text: &str) -> Result<u64, Wrong> {
    let number = text.strip_suffix(['i', 'I']).unwrap_or(text);
    let units = [(['k', 'K'], 10), (['m', 'M'], 20), (['g', 'G'], 30), (['t', 'T'], 40)];
    match units.into_iter().find_map(|(unit, power)| Some((number.strip_suffix(unit)?, power))) {
        Some((digits, power)) => decimal(digits, 1 << power),
        // An `i` without a unit is invalid.
        None => decimal(text, 1),
    }
}

/// Parses digits with a point and an exponent, times `unit`, which must give an integer: `1e6`, `1.5e3`.
fn decimal(text: &str, unit: u128) -> Result<u64, Wrong> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().map_err(|_| Wrong::NotANumber)?),
        None => (text, 0),
    };
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{before}{after}");
    if before.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) || digits.ends_with('.') {
        return Err(Wrong::NotANumber);
    }
    let value = all.parse::<u128>().ok().and_then(|v| v.checked_mul(unit)).ok_or(Wrong::TooLarge)?;
    if value == 0 {
        return Ok(0);
    }
    let scale = i64::from(exponent) - after.len() as i64;
    let ten = |power: u64| u32::try_from(power).ok().and_then(|power| 10_u128.checked_pow(power));
    let value = match ten(scale.unsigned_abs()) {
        Some(factor) if scale >= 0 => value.checked_mul(factor).ok_or(Wrong::TooLarge)?,
        Some(divisor) if value % divisor == 0 => value / divisor,
        None if scale >= 0 => return Err(Wrong::TooLarge),
        _ => return Err(Wrong::Fraction),
    };
    u64::try_from(value).map_err(|_| Wrong::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_every_spelling() {
        for (text, count) in [
            ("997", 997),
            ("2^20", 1 << 20),
            ("2^0", 1),
            ("1^99", 1),
            ("64K", 65536),
            ("64Ki", 65536),
            ("16m", 1 << 24),
            ("2Gi", 1 << 31),
            ("1T", 1 << 40),
            ("1.5K", 1536),
            ("1_000_000", 1_000_000),
            ("1e6", 1_000_000),
            ("1E6", 1_000_000),
            ("1.5e3", 1500),
            ("1000e-3", 1),
            ("3.0", 3),
            (" 3 ", 3),
            ("18446744073709551615", usize::MAX),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        assert_eq!(parse_u32("2^31"), Ok(1 << 31));
        assert_eq!(parse_whole("0"), Ok(0));
    }

    #[test]
    fn a_text_that_is_no_count_is_refused_with_what_is_wrong() {
        for (text, words) in [
            ("", "no number is given; write 1000, 1_000, 1e6, 2^20, 64Ki or 16M"),
            ("_", "no number is given"),
            ("0", "0 is too small: the number must be at least 1"),
            ("-0", "-0 is too small"),
            ("0^5", "0^5 is too small"),
            ("-5", "-5 is negative: the number must be at least 1"),
            ("-1.5", "-1.5 is negative"),
            ("-2^99", "-2^99 is negative"),
            ("1.5", "1.5 is not a whole number"),
            ("1e-3", "1e-3 is not a whole number"),
            ("0.3K", "0.3K is not a whole number"),
            ("abc", "`abc` is not a number; write"),
            ("-abc", "`-abc` is not a number"),
            ("--5", "`--5` is not a number"),
            ("+5", "`+5` is not a number"),
            ("1.", "`1.` is not a number"),
            (".5", "`.5` is not a number"),
            ("1e", "`1e` is not a number"),
            ("64i", "`64i` is not a number"),
            ("12 34", "`12 34` is not a number"),
            ("2^", "`2^` is not a number"),
            ("2^-1", "`2^-1` is not a number"),
            ("2^64", "2^64 is too large: the largest 64-bit number is 18446744073709551615"),
            ("1e20", "1e20 is too large"),
            ("1e999999999", "1e999999999 is too large"),
            ("99999999999999999999G", "99999999999999999999G is too large"),
        ] {
            let error = parse_count(text).unwrap_err().to_string();
            assert!(error.starts_with(words), "{text}: {error}");
        }
        assert_eq!(
            parse_u32("2^32").unwrap_err().to_string(),
            "2^32 is too large: the largest 32-bit number is 4294967295"
        );
        assert_eq!(parse_whole("-1").unwrap_err().to_string(), "-1 is negative: the number must be at least 0");
    }
}
