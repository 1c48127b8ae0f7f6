//! Names of kernels and functions: demangled, shortened for display, and reduced to the function's own name. Those of
//! Thrust, CUB and CUTLASS are template instances with hundreds or thousands of characters.

use crate::printable;

/// Longer names are shortened by omitting their innermost arguments.
const LONGEST: usize = 200;

/// Returns a C++ name as written in the source (`vecadd(float const*, int)`); any other name unchanged, on one line.
pub fn demangle(name: &str) -> String {
    if !name.starts_with("_Z") {
        return printable::line(name).into_owned();
    }
    let symbol = cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle().ok());
    printable::line(symbol.as_deref().unwrap_or(name)).into_owned()
}

/// Returns the name of a kernel without its result, parameters, namespaces and template arguments: `add` for
/// `void a::add<int>(int*)`.
pub fn function_name(declared: &str) -> &str {
    let end = declared.find(['<', '(']).unwrap_or(declared.len());
    let name = declared[..end].rsplit([' ', ':']).next().unwrap_or_default();
    if name.is_empty() { declared } else { name }
}

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
    use super::{demangle, function_name, shortened, without_deeper};

    #[test]
    fn names_are_demangled_or_left_alone() {
        assert_eq!(demangle("_Z6vecaddPKfS0_Pfi"), "vecadd(float const*, float const*, float*, int)");
        assert_eq!([demangle("vecadd"), demangle("_Znonsense")], ["vecadd", "_Znonsense"]);
    }

    #[test]
    fn a_kernel_is_named_as_in_its_source() {
        for (declared, name) in [
            ("k", "k"),
            ("add(int*)", "add"),
            ("tile(float*, float const*)", "tile"),
            ("void a::add<int, 4>(int*)", "add"),
            ("void add<float>(float*, int)", "add"),
            ("void lab::add<float, (lab::Kind)1>(float*)", "add"),
            ("(anonymous namespace)::hidden(int)", "(anonymous namespace)::hidden(int)"),
        ] {
            assert_eq!(function_name(declared), name);
        }
    }

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
