//! `warplab sass`, and registers that ptxas reports: the ways in which NVIDIA's programs fail, by scripts in their
//! place; and once with NVIDIA's own.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::common::{Run, lab_file, one_line, rows, warplab_in};

/// PTX of a kernel, with lines of `sample.cu`.
const PTX: &str = include_str!("../../assembler/tests/data/sample.ptx");

/// A cache folder with programs in place of NVIDIA's: for `ptxas`, what it does besides saying its version.
fn with_ptxas(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("cache/toolbox/ptxas/nvidia/cu13/bin");
    fs::create_dir_all(&bin).unwrap();
    for (name, script) in [("ptxas", script), ("nvdisasm", "exit 1")] {
        let said = format!("echo '{name}, Cuda compilation tools, release 13.0, V13.0.88'");
        let text = format!("#!/bin/sh\nif [ \"$1\" = --version ]; then {said}; exit 0; fi\n{script}\n");
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    fs::write(folder.path().join("x.ptx"), PTX).unwrap();
    folder
}

/// Runs `warplab sass` with these arguments; nothing is found but what is in the folder's cache.
fn sass(folder: &Path, args: &[&str]) -> Run {
    let cache = folder.join("cache").display().to_string();
    let alone = [("WARPLAB_CACHE", cache.as_str()), ("VIRTUAL_ENV", ""), ("CONDA_PREFIX", "")];
    let device = ["--device", "emulated:h200"];
    warplab_in(folder, &[&["sass"], args, &device].concat(), &[&alone[..], &[("PATH", "/usr/bin:/bin")]].concat())
}

/// The run must end with `code`, print nothing, and say all of `words`.
fn fails(run: &Run, code: i32, words: &[&str]) {
    assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{run:?}");
    let said = one_line(&run.stderr);
    for words in words {
        assert!(said.contains(words), "`{words}` is not in {said}");
    }
}

#[test]
fn without_the_programs_it_says_how_to_get_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.ptx"), PTX).unwrap();
    let is_installed = ["/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas", "/usr/local/share/warplab/toolbox/ptxas"]
        .iter()
        .any(|path| Path::new(path).exists());
    if !is_installed {
        fails(&sass(folder.path(), &["x.ptx"]), 4, &["there is no ptxas on this computer", "`warplab setup --ptxas`"]);
    }
}

#[test]
fn the_stand_in_that_passes_ptx_through_is_not_taken_for_ptxas() {
    let folder = with_ptxas("cp \"$1\" out");
    let stand_in = include_str!("../templates/ptxas.sh");
    let ptxas = folder.path().join("cache/toolbox/ptxas/nvidia/cu13/bin/ptxas");
    fs::write(&ptxas, stand_in).unwrap();
    let run = sass(folder.path(), &["x.ptx"]);
    assert!(run.stderr.contains("there is no ptxas") || Path::new("/usr/local/cuda/bin/ptxas").exists(), "{run:?}");
}

#[test]
fn refused_ptx_is_the_files_mistake_and_names_its_line() {
    let folder = with_ptxas(
        "echo \"ptxas module.ptx, line 31; error   : Unknown modifier '.parm'\" >&2\n\
         echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2; exit 255",
    );
    let run = sass(folder.path(), &["x.ptx"]);
    let words =
        ["x.ptx: ptxas 13.0.88 refuses the PTX for sm_90", "would not load it either", "line 31: error: Unknown"];
    fails(&run, 2, &words);
}

#[test]
fn an_architecture_that_ptxas_lacks_is_named() {
    let folder =
        with_ptxas("echo \"ptxas fatal   : Value 'sm_90' is not defined for option 'gpu-name'\" >&2; exit 255");
    fails(&sass(folder.path(), &["x.ptx"]), 4, &["ptxas 13.0.88 has no sm_90", "Name a newer GPU"]);
}

#[test]
fn output_that_cannot_be_read_is_shown_and_a_crash_is_told() {
    let folder = with_ptxas("echo 'ptxas info    : Used many registers' >&2; : > module.cubin");
    let words = ["ptxas 13.0.88 printed something unexpected: `ptxas info : Used many registers`"];
    fails(&sass(folder.path(), &["x.ptx"]), 4, &words);
    let folder = with_ptxas("kill -SEGV $$");
    fails(&sass(folder.path(), &["x.ptx"]), 4, &["ptxas 13.0.88 failed without a result", "SIGSEGV"]);
    let folder = with_ptxas(": > module.cubin");
    fails(&sass(folder.path(), &["x.ptx"]), 4, &["nvdisasm 13.0.88 failed without a result (exit status 1)"]);
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let folder = with_ptxas("exit 1");
    fs::write(folder.path().join("x.txt"), "").unwrap();
    fails(&sass(folder.path(), &["x.txt"]), 2, &["x.txt is neither x.cu nor x.ptx"]);
    fails(&sass(folder.path(), &["y.ptx"]), 2, &["cannot read y.ptx"]);
    fails(&sass(folder.path(), &["x.ptx", "--nvcc=-O3"]), 2, &["--nvcc needs a source x.cu, and x.ptx is PTX"]);
}

/// A script that reports 33 registers for each kernel, and notes that it was started.
const REPORTS: &str = "\
echo started >> \"$PTXAS_LOG\"
for kernel in $(sed -n 's/.*\\.entry \\([A-Za-z0-9_]*\\)(.*/\\1/p' module.ptx); do
    echo \"ptxas info    : Compiling entry function '$kernel' for 'sm_90'\" >&2
    echo 'ptxas info    : Used 33 registers, used 0 barriers' >&2
done";

/// Runs the kernels of `reduction` in the folder, and returns the run with the registers of a row and their source.
fn registers(folder: &Path, switch: &str) -> (Run, [String; 2]) {
    let of = |name: &str| folder.join(name).display().to_string();
    let (cache, log) = (of("cache"), of("log"));
    let variables = [("WARPLAB_CACHE", cache.as_str()), ("PTXAS_LOG", &log), ("WARPLAB_PTXAS", switch)];
    let args = ["run", "reduction", "--variant", "shuffle", "--device", "emulated:h200", "--quick", "--no-exercises"];
    let run = warplab_in(folder, &[&args[..], &["--no-report", "--out", "out"]].concat(), &variables);
    let row = rows(&folder.join("out/reduction.csv")).into_iter().find(|row| row["variant"] == "shuffle").unwrap();
    fs::remove_dir_all(folder.join("out")).unwrap();
    (run, ["kernel_registers", "kernel_registers_from"].map(|column| row[column].clone()))
}

#[test]
fn a_row_has_the_registers_that_ptxas_reports_and_the_next_run_does_not_ask_again() {
    let folder = with_ptxas(REPORTS);
    let started = || fs::read_to_string(folder.path().join("log")).unwrap_or_default().lines().count();
    let (off, [estimated, source]) = registers(folder.path(), "off");
    assert_eq!((off.code, source.as_str(), started()), (0, "estimated", 0), "{off:?}");
    assert_ne!(estimated, "33");
    let (first, row) = registers(folder.path(), "");
    let files = started();
    assert_eq!((first.code, row), (0, ["33", "ptxas"].map(String::from)), "{first:?}");
    assert!(files > 0);
    let (second, row) = registers(folder.path(), "");
    assert_eq!((second.code, row), (0, ["33", "ptxas"].map(String::from)), "{second:?}");
    assert_eq!(started(), files, "the reports are cached");
}

#[test]
fn a_block_with_more_registers_than_ptxas_leaves_room_for_is_refused() {
    let folder = with_ptxas(&REPORTS.replace("33", "77"));
    let (run, row) = registers(folder.path(), "");
    assert_eq!((run.code, row), (1, ["77", "ptxas"].map(String::from)), "{run:?}");
    let said = one_line(&run.stdout);
    assert!(said.contains("1024 threads of 77 registers each (by ptxas); at most 768 threads in a block"), "{said}");
}

#[test]
fn registers_are_estimated_where_ptxas_refuses_the_ptx_and_the_run_says_so() {
    let folder = with_ptxas("echo 'ptxas module.ptx, line 3; error   : no' >&2; exit 255");
    let (run, [_, source]) = registers(folder.path(), "");
    assert_eq!((run.code, source.as_str()), (0, "estimated"), "{run:?}");
    let said = one_line(&run.stderr);
    assert!(said.contains("refuses the PTX for sm_90") && said.contains("kernels are estimated"), "{said}");
}

#[test]
fn a_judged_run_does_not_start_ptxas() {
    let folder = with_ptxas(REPORTS);
    let of = |name: &str| folder.path().join(name).display().to_string();
    let (cache, log) = (of("cache"), of("log"));
    let variables = [("WARPLAB_CACHE", cache.as_str()), ("PTXAS_LOG", &log), ("WARPLAB_PTXAS", "")];
    let file = lab_file("hello", "kernels/hello.cu").display().to_string();
    let run = warplab_in(folder.path(), &["grade", "hello", &file, "--trust-submissions"], &variables);
    assert!([0, 1].contains(&run.code), "{run:?}");
    assert!(!folder.path().join("log").exists(), "{run:?}");
}

/// With NVIDIA's programs in `WARPLAB_CACHE`.
#[test]
#[ignore = "needs ptxas and nvdisasm: warplab setup --ptxas"]
fn ptxas_and_nvdisasm_list_a_kernel_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| warplab_in(folder.path(), &[&["sass", "--device", "emulated:h200"], args].concat(), &[]);
    fs::write(folder.path().join("x.ptx"), PTX).unwrap();
    fs::write(folder.path().join("sample.cu"), "\n".repeat(13) + "  tile[i] = from[i];\n").unwrap();
    let shown = run(&["x.ptx", "--kernel", "tile"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let words = [
        "For sm_90, by ptxas ",
        "tile(float*, float const*): ",
        "512 bytes of static shared memory, 1 barrier",
        "sample.cu:14  tile[i] = from[i];",
        "which ptxas has added",
    ];
    for words in words {
        assert!(shown.stdout.contains(words), "`{words}` is not in {}", shown.stdout);
    }
    let load = shown.stdout.lines().find(|line| line.contains("ld.global.f32")).unwrap();
    assert!(load.contains("LDG"), "{load}");
    assert!(!shown.stdout.contains("calls:"), "{}", shown.stdout);
    let json = run(&["x.ptx", "--json"]);
    let listing: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(listing["kernels"][1]["resources"]["stack_bytes"], 32, "{listing}");
    fails(&run(&["x.ptx", "--kernel", "tiles"]), 2, &["x.ptx has no kernel `tiles`; did you mean `tile`?"]);
    let wrong = PTX.replacen("ld.param", "ld.parm", 1);
    fs::write(folder.path().join("wrong.ptx"), wrong).unwrap();
    fails(&run(&["wrong.ptx"]), 2, &["refuses the PTX", "Unknown modifier '.parm'"]);
}
