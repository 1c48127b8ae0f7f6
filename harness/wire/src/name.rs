//! Names of kernels and functions, shortened for display. Those of Thrust, CUB and CUTLASS are template instances with
//! hundreds or thousands of characters.

/// Longer names are shortened by omitting their innermost arguments.
const LONGEST: usize = 200;

/// Returns the name, with `...` for the most deeply nested arguments if it is long.
pub fn shortened(name: &str) -> String {
    let tried = [4, 3, 2, 1].into_iter().map(|depth| without_deeper(name, depth));
    let mut all = std::iter::once(name.to_owned()).chain(tried);
    let fits = |name: &String| name.chars().count() <= LONGEST;
    all.find(fits).unwrap_or_else(|| without_deeper(name, 0))
}

/// Returns the name with `...` for everything that is nested deeper than `depth` brackets.
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

#[cfg(test)]
mod tests {
    use super::{shortened, without_deeper};

    #[test]
    fn brackets_are_counted() {
        assert_eq!(without_deeper("f<a<b<c>, d>, e>(x<y>)", 1), "f<a<...>, e>(x<...>)");
        assert_eq!(without_deeper("f<a->b, g<c>>()", 1), "f<a->b, g<...>>()");
    }

    #[test]
    fn only_a_long_name_is_shortened() {
        assert_eq!(shortened("add<float>(float*)"), "add<float>(float*)");
        let long = format!("f<a<b<{}> > >(int)", "c".repeat(300));
        assert_eq!(shortened(&long), "f<a<b<...> > >(int)");
        let wide = format!("f<{}>(int)", "a, ".repeat(300));
        assert_eq!(shortened(&wide), "f<...>(...)");
    }
}
