//! Parses times as TOML and the exports of course systems write them.
use std::time::{Duration, SystemTime};

use toml::value::{Datetime, Offset};

/// Parses a time such as `2026-05-01T23:59:00+02:00` or `2026-05-01 21:59:00.000000000 Z`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<SystemTime, String> {
    let text = text.trim();
    // Ruby writes a space before the offset, and may omit its colon.
    let joined = match text.rsplit_once(' ') {
        Some((time, "UTC")) => format!("{time}Z"),
        Some((time, offset)) if offset == "Z" || offset.starts_with(['+', '-']) => format!("{time}{}", colon(offset)),
        _ => text.to_string(),
    };
    let datetime: Datetime = joined.parse().map_err(|_| format!("`{text}` is not a date and time"))?;
    moment(&datetime)
}

fn colon(offset: &str) -> String {
    match offset.len() {
        5 => format!("{}:{}", &offset[..3], &offset[3..]),
        _ => offset.to_string(),
    }
}

/// Converts a TOML datetime.
///
/// # Errors
/// When it has no time or no time zone.
pub fn moment(datetime: &Datetime) -> Result<SystemTime, String> {
    let whole = "write date, time and zone, as in 2026-05-01T23:59:00+02:00";
    let (Some(date), Some(time), Some(offset)) = (datetime.date, datetime.time, datetime.offset) else {
        return Err(format!("`{datetime}` is not a moment: {whole}"));
    };
    let (hour, minute, second) = (time.hour, time.minute, time.second);
    let utc = format!("{:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", date.year, date.month, date.day);
    let local = humantime::parse_rfc3339(&utc).map_err(|_| format!("`{datetime}` is not a moment: {whole}"))?;
    let ahead = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    let by = Duration::from_secs(60 * ahead.unsigned_abs());
    let shifted = if ahead > 0 { local.checked_sub(by) } else { local.checked_add(by) };
    shifted.ok_or_else(|| format!("`{datetime}` is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_the_same_however_they_are_written() {
        let moment = humantime::parse_rfc3339("2026-05-01T21:59:00Z").unwrap();
        for text in [
            "2026-05-01T21:59:00Z",
            "2026-05-01T23:59:00+02:00",
            "2026-05-01 21:59:00.123456789 Z",
            "2026-05-01 14:59:00.000000000 -07:00",
            "2026-05-01 14:59:00 -0700",
            "2026-05-01 21:59:00 UTC",
        ] {
            assert_eq!(parse(text), Ok(moment), "{text}");
        }
    }

    #[test]
    fn what_names_no_moment_is_an_error() {
        for text in ["", "yesterday", "2026-05-01", "2026-05-01T23:59:00", "23:59:00"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
