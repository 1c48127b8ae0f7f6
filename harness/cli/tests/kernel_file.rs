//! Untrusted files given by `--kernel`.

use std::path::Path;

use crate::common::{Run, warplab_with};

/// Text that must never be shown.
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
    let text = "#include \"/proc/self/environ\"\nextern \"C\" __global__ void vecadd() {}\n";
    let run = run_with(folder.path(), text, &[("SOME_TOKEN", SECRET)]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("open source file \"/proc/self/environ\""), "{run:?}");
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
}

/// The lab's own kernel, with `+` changed to `-` in the PTX next to it, which claims to be made from the source.
fn forged(folder: &Path) -> std::path::PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd/kernels/vecadd.cu");
    let file = folder.join("mine.cu");
    let text = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&file, text.replace("x[i] + y[i]", "x[i] - y[i]")).unwrap();
    std::fs::write(file.with_extension("ptx"), crate::common::ptx_for(&own, &file)).unwrap();
    file
}

#[test]
fn ptx_that_claims_to_be_of_a_file_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let file = forged(folder.path());
    assert!(std::fs::read_to_string(&file).unwrap().contains("x[i] - y[i]"));
    for command in ["run", "grade"] {
        let args = [command, "vecadd", "--kernel", file.to_str().unwrap(), "--variant", "pageable", "--n", "64"];
        let device: &[&str] = if command == "run" { &["--device", "emulated"] } else { &[] };
        let run = |trust| {
            let variables = [("WARPLAB_NVRTC", "off"), ("WARPLAB_TRUST_PTX", trust)];
            warplab_with(&[&args[..], device].concat(), &variables)
        };
        let refused = run("");
        assert_eq!(refused.code, 4, "{command}: {refused:?}");
        for words in ["nothing proves", "`warplab setup`", "WARPLAB_TRUST_PTX=1"] {
            assert!(refused.stderr.contains(words), "{command}: no {words} in {}", refused.stderr);
        }
        assert_eq!(run("1").code, 0, "{command}: whoever runs it vouches for it");
    }
}

#[test]
fn the_labs_own_text_has_the_labs_own_ptx() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd/kernels/vecadd.cu"), &file).unwrap();
    let args = ["run", "vecadd", "--kernel", file.to_str().unwrap(), "--device", "emulated", "--n", "64"];
    let variables = [("WARPLAB_NVRTC", "off"), ("WARPLAB_TRUST_PTX", "")];
    let run = warplab_with(&[&args[..], &["--variant", "pageable"]].concat(), &variables);
    assert_eq!(run.code, 0, "{run:?}");
}

#[cfg(unix)]
#[test]
fn what_is_no_kernel_file_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (file, words) in [
        (folder.path().to_str().unwrap(), "it is a folder"),
        ("/dev/zero", "neither a regular file nor a pipe"),
        ("none.cu", "No such file"),
    ] {
        for command in ["run", "grade"] {
            crate::common::fails(
                &[command, "vecadd", "--kernel", file],
                2,
                &["cannot read the kernel file", file, words],
            );
        }
    }
}

/// Standard input can be read only once, but each variant runs in a separate process.
#[cfg(target_os = "linux")]
#[test]
fn a_kernel_file_may_come_through_standard_input() {
    use std::process::{Command, Stdio};
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd/kernels/vecadd.cu");
    let folder = tempfile::tempdir().unwrap();
    for command in ["run", "grade"] {
        let run = || {
            let mut program = Command::new(env!("CARGO_BIN_EXE_warplab"));
            program.args([command, "vecadd", "--kernel", "/dev/stdin", "--device", "emulated", "--n", "64"]);
            program.args(["--variant", "pageable"]).env("WARPLAB_NVRTC", "off").current_dir(folder.path());
            program
        };
        let by_file = run().stdin(std::fs::File::open(&own).unwrap()).output().unwrap();
        assert_eq!(by_file.status.code(), Some(0), "{command}: {by_file:?}");
        let mut cat = Command::new("cat").arg(&own).stdout(Stdio::piped()).spawn().unwrap();
        let by_pipe = run().stdin(cat.stdout.take().unwrap()).output().unwrap();
        assert_eq!(by_pipe.status.code(), Some(0), "{command}: {by_pipe:?}");
        cat.wait().unwrap();
    }
}

/// The number of cached answers of the compiler.
fn kept(cache: &Path) -> usize {
    std::fs::read_dir(cache.join("answers")).map_or(0, Iterator::count)
}

#[test]
#[ignore = "needs NVRTC, with the headers of CUDA's runtime and of CCCL"]
fn nvrtc_is_asked_again_only_when_a_file_that_it_was_given_changes() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let text = "#include <cooperative_groups.h>\n#define STR(x) #x\n#define OWN(x) \"mine.cuh\"\n#include OWN(1)\n\
                extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {\n    \
                unsigned long long i = cooperative_groups::this_grid().thread_rank();\n    \
                if (i < n) z[i] = x[i] SIGN y[i];\n}\n";
    let run = |sign: &str| {
        std::fs::write(folder.path().join("mine.cuh"), format!("#define SIGN {sign}\n")).unwrap();
        run_with(folder.path(), text, &[("WARPLAB_CACHE", cache.to_str().unwrap())]).code
    };
    assert_eq!((run("+"), kept(&cache)), (0, 1));
    assert_eq!((run("+"), kept(&cache)), (0, 1));
    assert_eq!((run("-"), kept(&cache)), (1, 2), "a header has changed");
    // Damaged entries are rewritten.
    for entry in std::fs::read_dir(cache.join("answers")).unwrap() {
        let path = entry.unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    }
    assert_eq!((run("+"), kept(&cache)), (0, 2));
}

/// All files are compiled on all cores before the first lab begins, so that no lab waits for one.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_has_compiled_the_files_of_all_labs_when_the_first_row_is_there() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let (cache, records) = (folder.path().join("cache"), folder.path().join("records"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
    command.args(["run", "reduction", "histogram", "--quick", "--device", "emulated", "--records"]).arg(&records);
    command.current_dir(folder.path()).envs(crate::common::compiler()).env("WARPLAB_CACHE", &cache);
    let mut run = command.stdout(Stdio::null()).spawn().unwrap();
    let mut first = None;
    while run.try_wait().unwrap().is_none() {
        if first.is_none() && std::fs::metadata(&records).is_ok_and(|file| file.len() > 0) {
            first = Some(kept(&cache));
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(run.wait().unwrap().success());
    let all = kept(&cache);
    assert!(all >= 4, "{all}");
    assert_eq!(first, Some(all));
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_warns_of_a_file_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {\n    \
                unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;\n    int unused;\n    \
                if (i < n) z[i] = x[i] + y[i];\n}\n";
    let run = run_with(folder.path(), text, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let path = folder.path().join("mine.cu");
    let said = format!("{}(3): warning #177-D: variable \"unused\"", path.display());
    assert!(run.stdout.contains(&said), "no {said} in {run:?}");
}
