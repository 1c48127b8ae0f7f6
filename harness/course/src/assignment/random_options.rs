//! Random numbers in a lab's options, drawn again for each grading: `--x={-100..100}`.
use harness::Inputs;

/// An option that contains a random number.
struct RandomOption<'a> {
    before: &'a str,
    least: i32,
    most: i32,
    after: &'a str,
}

/// Replaces every `{LEAST..MOST}` in the options with a number derived from `seed`, LEAST and MOST included. Options
/// that [`mistake`] rejects are left unchanged.
pub fn drawn(options: &[String], seed: u64) -> Vec<String> {
    let draw = |(index, option): (usize, &String)| match split(option) {
        Ok(Some(RandomOption { before, least, most, after })) => {
            let mut random = Inputs::new(seed, &format!("option {index}"));
            format!("{before}{}{after}", random.i32(1, least..most + 1)[0])
        }
        Ok(None) | Err(_) => option.clone(),
    };
    options.iter().enumerate().map(draw).collect()
}

/// The options with every random number at its least, and with every one at its greatest; once if none is random.
pub fn ends(options: &[String]) -> Vec<Vec<String>> {
    let end = |which: fn(&RandomOption) -> i32| {
        let at_end = |option: &String| match split(option) {
            Ok(Some(drawn)) => format!("{}{}{}", drawn.before, which(&drawn), drawn.after),
            Ok(None) | Err(_) => option.clone(),
        };
        options.iter().map(at_end).collect::<Vec<String>>()
    };
    let (least, most) = (end(|drawn| drawn.least), end(|drawn| drawn.most));
    if least == most { vec![least] } else { vec![least, most] }
}

/// Returns what is wrong with an option, if anything.
pub fn mistake(option: &str) -> Option<String> {
    split(option).err()
}

fn split(option: &str) -> Result<Option<RandomOption<'_>>, String> {
    let Some((before, rest)) = option.split_once('{') else {
        return Ok(None);
    };
    let wrong = || format!("`{option}`: write a random number as {{LEAST..MOST}}, such as {{1..100}}");
    let (range, after) = rest.split_once('}').ok_or_else(wrong)?;
    let (least, most) = range.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<i32>().map_err(|_| wrong());
    let (least, most) = (number(least)?, number(most)?);
    if least > most || most == i32::MAX {
        return Err(wrong());
    }
    Ok(Some(RandomOption { before, least, most, after }))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_seed_decides_a_number_within_its_limits() {
        let options = ["--x={-3..4}".to_string(), "--blocks".into(), "{2..9}".into(), "--stride".into()];
        assert_eq!(drawn(&options, 7), drawn(&options, 7));
        let mut seen = HashSet::new();
        for seed in 0..200 {
            let [x, blocks, number, stride] = &drawn(&options, seed)[..] else { panic!() };
            let x: i32 = x.strip_prefix("--x=").unwrap().parse().unwrap();
            let number: i32 = number.parse().unwrap();
            assert!((-3..=4).contains(&x) && (2..=9).contains(&number), "{x} {number}");
            assert_eq!((blocks.as_str(), stride.as_str()), ("--blocks", "--stride"));
            seen.insert((x, number));
        }
        assert!(seen.len() > 40, "{}", seen.len());
    }

    #[test]
    fn the_ends_are_the_least_and_the_greatest_numbers() {
        let options = ["--x={-3..4}".to_string(), "--stride".into()];
        assert_eq!(ends(&options), [["--x=-3", "--stride"], ["--x=4", "--stride"]]);
        assert_eq!(ends(&options[1..]), [["--stride"]]);
        assert_eq!(ends(&[]), [[""; 0]]);
    }

    #[test]
    fn a_range_that_is_none_is_named() {
        for option in ["{", "{1}", "{1..", "{2..1}", "{a..b}", "{1..2147483647}"] {
            assert!(mistake(option).unwrap().contains("{LEAST..MOST}"), "{option}");
            assert_eq!(drawn(&[option.into()], 1), [option]);
        }
        assert!(mistake("--x={1..2}").is_none() && mistake("--stride").is_none());
    }
}
