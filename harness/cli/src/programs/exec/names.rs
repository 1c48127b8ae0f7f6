//! Shortens kernel names for tables. Those of Thrust and CUB are instances of templates, with hundreds of characters
//! and few spaces, which would force a table to print each column as a separate block.

use wire::shortened;

/// The longest unbroken word, so that the columns of numbers fit next to it.
const WORD: usize = 40;

/// Returns the names, shortened if they stay distinct, with spaces where a table may break them.
pub fn readable(names: &[&str]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| shortened(name)).collect();
    let is_alone = |one: &String| short.iter().filter(|other| *other == one).count() == 1;
    let distinct = names.iter().zip(&short).map(|(name, short)| if is_alone(short) { short } else { *name });
    distinct.map(|name| name.split(' ').map(broken).collect::<Vec<_>>().join(" ")).collect()
}

/// Splits a word into parts of at most [`WORD`] characters, if it has places to break it.
fn broken(word: &str) -> String {
    let mut parts: Vec<String> = vec![String::new()];
    for piece in word.split_inclusive([':', '<', ',']) {
        let last = parts.last_mut().expect("never empty");
        let is_within = last.ends_with(':') && piece == ":";
        if !last.is_empty() && !is_within && last.chars().count() + piece.chars().count() > WORD {
            parts.push(piece.to_owned());
        } else {
            last.push_str(piece);
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILL: &str = "void cub::CUB_300001_SM_900::detail::for_each::static_kernel<\
        cub::CUB_300001_SM_900::detail::for_each::policy_hub_t::policy_500_t, unsigned long, \
        thrust::THRUST_300001_SM_900_NS::cuda_cub::__uninitialized_fill::functor<\
        thrust::THRUST_300001_SM_900_NS::device_ptr<float>, float> >(unsigned long, \
        thrust::THRUST_300001_SM_900_NS::cuda_cub::__uninitialized_fill::functor<\
        thrust::THRUST_300001_SM_900_NS::device_ptr<float>, float>)";

    #[test]
    fn a_short_name_stays_as_it_is() {
        let names = ["k", "void add<float>(float*, int)", "(anonymous namespace)::k(int (*)(int))"];
        assert_eq!(readable(&names), names);
    }

    #[test]
    fn a_long_name_keeps_its_outer_parts_and_can_be_broken() {
        let shown = &readable(&[FILL, "k"])[0];
        assert!(shown.len() < FILL.len() && shown.contains("static_kernel<") && shown.contains("..."), "{shown}");
        assert!(shown.split(' ').all(|word| word.len() <= 45), "{shown}");
        assert!(!shown.contains(": :"), "{shown}");
    }

    #[test]
    fn names_that_would_become_the_same_are_shown_whole() {
        let other = FILL.replace("device_ptr<float>", "device_ptr<double>");
        let shown = readable(&[FILL, &other]);
        assert!(shown[0] != shown[1] && shown[1].contains("double"), "{shown:?}");
    }
}
