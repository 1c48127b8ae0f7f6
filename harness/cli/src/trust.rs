//! What whoever marks the kernels of strangers should know of this computer.

/// Warns of what this computer cannot keep a submission from, if there is anything.
pub fn warn() {
    if let Some(words) = words(&harness::rights::kept()) {
        harness::print_error(&words);
    }
}

fn words(kept: &[&str]) -> Option<String> {
    (!kept.is_empty()).then(|| {
        format!(
            "warning: a kernel that broke out of its machine would not be kept here from {}; `Trust` in \
             harness/course/README.md tells what follows",
            kept.join(", nor from ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn only_what_is_kept_is_warned_of() {
        assert_eq!(words(&[]), None);
        let both = words(&["files", "the network"]).unwrap();
        assert!(both.contains("kept here from files, nor from the network;"), "{both}");
    }
}
