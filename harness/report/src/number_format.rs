//! Formats numbers for people.

/// Formats a number to three significant digits, with thousands separators.
pub fn short(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "–".into(),
        0.0 => "0".into(),
        v if v >= 1e15 => format!("{value:.2e}"),
        v if v >= 100.0 => grouped(value),
        v if v < 1e-6 => format!("{value:.2e}"),
        v => {
            let digits = (2 - v.log10().floor() as i32).clamp(0, 9) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
    }
}

/// Formats a round number for an axis.
pub fn plain(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        v if !(1e-4..1e9).contains(&v) => format!("{value:.0e}"),
        v if v >= 1.0 && v.fract() < 1e-6 => grouped(value),
        _ => format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_string(),
    }
}

/// Formats a number as an integer with thousands separators.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-".to_string() } else { String::new() };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a time given in ms, with a suitable unit.
pub fn time(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => format!("{} µs", short(1000.0 * ms)),
        ms if ms < 1000.0 => format!("{} ms", short(ms)),
        ms => format!("{} s", short(ms / 1000.0)),
    }
}

/// Formats a number of bytes with a suitable binary unit.
pub fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = if bytes < 1.0 { 0 } else { (bytes.log2() / 10.0).floor() as usize };
    let power = power.min(units.len() - 1);
    format!("{} {}", short(bytes / 1024_f64.powi(power as i32)), units[power])
}

/// Parses a number of bytes such as `64 KiB`.
pub fn bytes(words: &str) -> Option<f64> {
    let (number, unit) = words.split_once(' ')?;
    let power = ["B", "KiB", "MiB", "GiB", "TiB"].iter().position(|known| *known == unit)?;
    let number: f64 = number.parse().ok()?;
    (number > 0.0).then(|| number * 1024_f64.powi(power as i32))
}

/// Formats a number with its noun, in the plural if necessary: `1 row`, `2 rows`.
pub fn count(number: usize, noun: &str) -> String {
    let number_text = grouped(number as f64);
    if number == 1 { format!("{number_text} {noun}") } else { format!("{number_text} {noun}s") }
}

/// Joins a list of words: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_thousands_apart() {
        let cases = [
            (0.0, "0"),
            (4488.44, "4,488"),
            (66.909, "66.9"),
            (1.5, "1.5"),
            (0.02478, "0.0248"),
            (123.4, "123"),
            (-2.0, "-2"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!((short(1e-9), short(2e16), short(f64::NAN)), ("1.00e-9".into(), "2.00e16".into(), "–".into()));
        for (value, text) in
            [(0.0, "0"), (0.25, "0.25"), (1.5, "1.5"), (1500.0, "1,500"), (2e9, "2e9"), (1234567.0, "1,234,567")]
        {
            assert_eq!(plain(value), text);
        }
    }

    #[test]
    fn times_and_sizes_have_their_unit() {
        assert_eq!((time(0.00812), time(3.8053), time(1200.0)), ("8.12 µs".into(), "3.81 ms".into(), "1.2 s".into()));
        for (bytes_, text) in [(4096.0, "4 KiB"), (1536.0, "1.5 KiB"), (67108864.0, "64 MiB"), (0.0, "0 B")] {
            assert_eq!(size(bytes_), text);
        }
        assert_eq!(
            (bytes("64 MiB"), bytes("2 B"), bytes("8192x8192"), bytes("3 apples")),
            (Some(67108864.0), Some(2.0), None, None)
        );
    }

    #[test]
    fn nouns_and_lists() {
        assert_eq!((count(1, "row"), count(1200, "row")), ("1 row".into(), "1,200 rows".into()));
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
