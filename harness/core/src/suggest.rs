//! "Did you mean": the known names, the most likely one first.

/// Returns a hint for an error about `name`, which is not among `known`.
pub fn among(name: &str, known: &[&str]) -> String {
    let best = known
        .iter()
        .map(|k| (strsim::jaro_winkler(&name.to_lowercase(), &k.to_lowercase()), k))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.8);
    match best {
        Some((_, best)) => format!("did you mean `{best}`? There are: {}", known.join(", ")),
        None => format!("there are: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::among;

    #[test]
    fn the_likeliest_comes_first_and_nonsense_has_none() {
        assert!(among("vecad", &["hello", "vecadd"]).starts_with("did you mean `vecadd`?"));
        assert_eq!(among("zzz", &["hello", "vecadd"]), "there are: hello, vecadd");
    }
}
