//! Suggestions for a name that is not known.

/// The most names that are listed.
const MOST_NAMES: usize = 12;

/// Names the most similar of the known names, and lists them.
pub fn nearest(name: &str, known: &[&str]) -> String {
    let likeness = |known: &&str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|best| likeness(best) > 0.75);
    let mut list = known.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    if known.len() > MOST_NAMES {
        list += ", ...";
    }
    match best {
        Some(best) => format!("did you mean `{best}`? There are: {list}"),
        None => format!("there are: {list}"),
    }
}
