//! Kernels' names that fit a table. Those of Thrust and CUB are instances of templates, with hundreds of characters and
//! few spaces: a table would give every column a block of its own.

/// A longer name loses its innermost arguments.
const LONGEST: usize = 200;

/// A longer word is broken, so that the columns of numbers stand beside it.
const WORD: usize = 40;

/// The names, shortened where they stay distinct, with spaces where a table may break them.
pub fn readable(names: &[&str]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| shortened(name)).collect();
    let is_alone = |one: &String| short.iter().filter(|other| *other == one).count() == 1;
    let distinct = names.iter().zip(&short).map(|(name, short)| if is_alone(short) { short } else { *name });
    distinct.map(|name| name.split(' ').map(broken).collect::<Vec<_>>().join(" ")).collect()
}

/// A long name with `...` for the arguments that are nested deepest.
fn shortened(name: &str) -> String {
    let tried = [4, 3, 2, 1].into_iter().map(|depth| without_deeper(name, depth));
    let mut all = std::iter::once(name.to_owned()).chain(tried);
    let fits = |name: &String| name.chars().count() <= LONGEST;
    all.find(fits).unwrap_or_else(|| without_deeper(name, 1))
}

/// The name with `...` for what stands in more than `depth` brackets.
fn without_deeper(name: &str, depth: usize) -> String {
    let (mut text, mut level, mut before) = (String::new(), 0_usize, ' ');
    for c in name.chars() {
        let closes = matches!(c, ')' | ']') || (c == '>' && before != '-');
        if closes {
            level = level.saturating_sub(1);
        }
        if level <= depth {
            text.push(c);
        }
        if matches!(c, '<' | '(' | '[') {
            if level == depth {
                text.push_str("...");
            }
            level += 1;
        }
        before = c;
    }
    text
}

/// A word in parts of no more than [`WORD`] characters, where it has places to break it.
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

    #[test]
    fn brackets_are_counted() {
        assert_eq!(without_deeper("f<a<b<c>, d>, e>(x<y>)", 1), "f<a<...>, e>(x<...>)");
        assert_eq!(without_deeper("f<a->b, g<c>>()", 1), "f<a->b, g<...>>()");
    }
}
