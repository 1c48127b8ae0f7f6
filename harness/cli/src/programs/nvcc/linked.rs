//! The libraries in nvcc's options.

/// The names of the libraries that a program is linked with: `-lNAME`, `-l NAME`, `--library=NAME` or `--library NAME`,
/// where NAME may be several, separated by commas.
pub fn names(options: &[String]) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let value = match option.as_str() {
            "-l" | "--library" => rest.next().map(String::as_str),
            // These begin alike, but name no library.
            "-lineinfo" | "-ltoir" => None,
            joined => joined.strip_prefix("--library=").or_else(|| joined.strip_prefix("-l")),
        };
        names.extend(value.into_iter().flat_map(|value| value.trim_start_matches('=').split(',')));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_may_be_named_in_four_ways() {
        let options = "-lcuda x.cu -l nvrtc --library=m,dl --library rt -o cudart -lineinfo";
        let options: Vec<String> = options.split(' ').map(String::from).collect();
        assert_eq!(names(&options), ["cuda", "nvrtc", "m", "dl", "rt"]);
    }
}
