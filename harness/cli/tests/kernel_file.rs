//! Files given by `--kernel` that nobody vouches for.
mod common;

use std::path::Path;

use common::{Run, warplab_with};

/// What must never be shown.
const SECRET: &str = "the_secret_word";

/// Writes a kernel file, and runs lab vecadd with it.
fn run_with(folder: &Path, text: &str, variables: &[(&str, &str)]) -> Run {
    let file = folder.join("mine.cu");
    std::fs::write(&file, text).unwrap();
    let args = ["run", "vecadd", "--kernel", file.to_str().unwrap(), "--device", "emulated", "--n", "64"];
    warplab_with(&[&args[..], &["--variant", "pageable"]].concat(), variables)
}

/// Line information may name any file. A finding shows no line of it.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_a_line_directive_shows_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    let text = format!(
        "extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {{\n\
         #line 1 \"{}\"\n    z[n + 100000] = x[0];\n}}\n",
        secret.display()
    );
    let run = run_with(folder.path(), &text, &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("secret.txt:1"), "the finding names the line: {run:?}");
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_shows_no_variable_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_with(folder.path(), "#include \"/proc/self/environ\"\n", &[("SOME_TOKEN", SECRET)]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("open source file \"/proc/self/environ\""), "{run:?}");
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
}
