//! Whole CUDA C++ programs, compiled by nvcc from PyPI and run on the embedded machine: those beside the runtime's
//! sources, which cover its calls and check themselves, and those of the labs.
#![cfg(target_os = "linux")]
mod common;

use std::{
    fs,
    path::{Path, PathBuf},
};

use common::{Run, warplab_in};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// What follows `// WORD: ` in a program.
fn noted(source: &str, word: &str) -> Vec<String> {
    let start = format!("// {word}: ");
    let words = source.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_default();
    words.split_whitespace().map(String::from).collect()
}

/// Compiles a program with the options that it notes, and runs it with the arguments that it notes.
fn run(source: &Path, folder: &Path, options: &[&str]) -> Run {
    let text = fs::read_to_string(source).unwrap();
    let own = noted(&text, "nvcc");
    let mut nvcc = vec!["nvcc", "-lineinfo", source.to_str().unwrap(), "-o", "program"];
    nvcc.extend(own.iter().map(String::as_str));
    let compiled = warplab_in(folder, &nvcc, &[]);
    assert_eq!(compiled.code, 0, "{}: {compiled:?}", source.display());
    let arguments = noted(&text, "run");
    // A program that asks for what only some parts have notes one of them.
    let part = noted(&text, "device").first().map_or("emulated".into(), |part| format!("emulated:{part}"));
    let mut exec = [&["exec", "--device", &part], options, &["./program"]].concat();
    exec.extend(arguments.iter().map(String::as_str));
    warplab_in(folder, &exec, &[])
}

/// Runs a program and compares what it prints with the file beside it.
fn runs_as_expected(source: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let run = run(source, folder.path(), &["--check", "racecheck,synccheck"]);
    let expected = fs::read_to_string(source.with_extension("out")).unwrap();
    // A program that makes mistakes on purpose notes the exit code for them.
    let code = noted(&fs::read_to_string(source).unwrap(), "code").first().map_or(0, |code| code.parse().unwrap());
    assert_eq!((run.code, run.stdout.as_str()), (code, expected.as_str()), "{}: {run:?}", source.display());
}

/// The programs of a folder, in order.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    programs.sort();
    programs
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_of_every_kind_of_call_run_as_expected() {
    let programs = programs(&root().join("harness/libcudart/tests/programs"));
    assert!(programs.len() >= 15, "{programs:?}");
    for program in &programs {
        runs_as_expected(program);
    }
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_of_the_labs_run_as_expected() {
    for lab in ["hello", "vecadd", "trapezoid", "histogram"] {
        runs_as_expected(&root().join("labs").join(lab).join("program.cu"));
    }
}

const PLANTED: &str = "#include <cstdio>
__global__ void sum(const int *x, int *total, int n) {
    int i = threadIdx.x;
    if (i <= n) *total += x[i];
}
int main() {
    int *x, *total;
    cudaMalloc(&x, 128 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(x, 0, 128 * sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    sum<<<1, 160>>>(x, total, 128);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_keeps_the_line_of_what_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wrong.cu"), PLANTED).unwrap();
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "--check", "all", "wrong.cu"], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "Race reported between",
        "Invalid __global__ read of size 4 bytes",
        "wrong.cu:4:",
        "sum(int const*, int*, int)",
    ] {
        assert!(run.stderr.contains(words), "no {words}: {run:?}");
    }
    let counted = ["exec", "--device", "emulated:t4", "--counters", "--hot=2", "wrong.cu"];
    let run = warplab_in(folder.path(), &counted, &[]);
    for words in ["on an emulated t4", "thread instr.", "Counters", "Hot lines", "if (i <= n)"] {
        assert!(run.stderr.contains(words), "no {words}: {run:?}");
    }
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_that_cannot_run_are_told_why() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("p.cu"),
        "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaGetLastError(); }\n",
    )
    .unwrap();
    let compile = |options: &[&str]| {
        let run = warplab_in(folder.path(), &[&["nvcc", "p.cu", "-o", "p"], options].concat(), &[]);
        assert_eq!(run.code, 0, "{run:?}");
        warplab_in(folder.path(), &["exec", "--device", "emulated", "./p"], &[])
    };
    let fixed = compile(&["-cudart", "static"]);
    assert_eq!(fixed.code, 4, "{fixed:?}");
    assert!(fixed.stderr.contains("has CUDA's runtime linked in"), "{fixed:?}");
    // Machine code alone is not asked for: PTX is added.
    let code = compile(&["-gencode", "arch=compute_80,code=sm_80"]);
    assert_eq!(code.code, 0, "{code:?}");
    let newer = compile(&["-arch=sm_120"]);
    assert_ne!(newer.code, 0, "{newer:?}");
    assert!(newer.stderr.contains("sm_120"), "{newer:?}");
    let nothing = warplab_in(folder.path(), &["exec", "--device", "emulated", "none.cu"], &[]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("there is no such file"), "{nothing:?}");
    fs::write(folder.path().join("bad.cu"), "int main() { return x; }\n").unwrap();
    let bad = warplab_in(folder.path(), &["exec", "bad.cu"], &[]);
    assert!(bad.code != 0 && bad.stderr.contains("identifier \"x\" is undefined"), "{bad:?}");
}
