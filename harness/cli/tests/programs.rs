//! Whole CUDA C++ programs, compiled by nvcc from PyPI and run on the embedded machine: those next to the runtime's
//! sources, which cover its calls and check themselves, and those of the labs.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::common::{self, Run, toolkit, warplab_in};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// The text after `// WORD: ` in a program.
fn noted(source: &str, word: &str) -> Vec<String> {
    let start = format!("// {word}: ");
    let words = source.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_default();
    words.split_whitespace().map(String::from).collect()
}

/// How a program is compiled.
#[derive(Clone, Copy)]
enum Built<'a> {
    /// By `warplab nvcc`, with this project's runtime.
    Here,
    /// By this nvcc with its defaults, which link NVIDIA's own runtime.
    Plainly(&'a Path),
}

/// Compiles a program with the options in its notes.
fn compile(source: &Path, folder: &Path, built: Built<'_>) -> Result<(), String> {
    let text = fs::read_to_string(source).unwrap();
    let own = noted(&text, "nvcc");
    let mut options = vec!["-lineinfo", source.to_str().unwrap(), "-o", "program"];
    options.extend(own.iter().map(String::as_str));
    match built {
        Built::Here => {
            let compiled = warplab_in(folder, &[&["nvcc"], options.as_slice()].concat(), &[]);
            if compiled.code == 0 { Ok(()) } else { Err(format!("{}: {compiled:?}", source.display())) }
        }
        Built::Plainly(nvcc) => {
            let mut compiler = Command::new(nvcc);
            // For -lcuda and -lnvidia-ml.
            let libraries = common::libraries();
            compiler.current_dir(folder).args(options).env("LIBRARY_PATH", libraries.path());
            let output = compiler.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.success() { Ok(()) } else { Err(format!("{}: {said}", source.display())) }
        }
    }
}

/// Compiles a program, and runs it with the arguments in its notes.
fn run(source: &Path, folder: &Path, built: Built<'_>, options: &[&str]) -> Result<Run, String> {
    compile(source, folder, built)?;
    let text = fs::read_to_string(source).unwrap();
    let arguments = noted(&text, "run");
    // A program that needs a feature of certain GPUs notes one of them.
    let part = noted(&text, "device").first().map_or("emulated".into(), |part| format!("emulated:{part}"));
    let mut exec = [&["exec", "--device", &part], options, &["./program"]].concat();
    exec.extend(arguments.iter().map(String::as_str));
    Ok(warplab_in(folder, &exec, &[]))
}

/// Runs a program and compares its output with the file next to it.
fn runs_as_expected(source: &Path, built: Built<'_>) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let run = run(source, folder.path(), built, &["--check", "racecheck,synccheck"])?;
    let expected = fs::read_to_string(source.with_extension("out")).unwrap();
    // A program that makes mistakes on purpose notes the exit status for them.
    let code = noted(&fs::read_to_string(source).unwrap(), "code");
    let code = code.first().map_or(0, |code| code.parse().unwrap());
    if (run.code, run.stdout.as_str()) != (code, expected.as_str()) {
        return Err(format!("{}: {run:?}", source.display()));
    }
    match built {
        Built::Here => is_right_alone(source, folder.path(), &expected),
        Built::Plainly(_) => Ok(()),
    }
}

/// Starts a compiled program without `warplab exec`: without a GPU, its output is the expected one, or it fails.
fn is_right_alone(source: &Path, folder: &Path, expected: &str) -> Result<(), String> {
    let text = fs::read_to_string(source).unwrap();
    let mut program = Command::new("./program");
    program.current_dir(folder).args(noted(&text, "run")).env_remove("LD_LIBRARY_PATH").env_remove("WARPLAB_PROFILE");
    if let [part] = noted(&text, "device").as_slice() {
        program.env("WARPLAB_PROFILE", part);
    }
    // A program that is linked with libcuda itself does not start on a computer without a driver.
    let alone = Run::from_output(&program.output().unwrap());
    let is_right = alone.code != 0 || alone.stdout == expected;
    if is_right { Ok(()) } else { Err(format!("{} alone: {alone:?}", source.display())) }
}

/// Runs all of them, in parallel on all processors; failures are reported together.
fn all_run_as_expected(programs: &[PathBuf], built: Built<'_>) {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(why) = runs_as_expected(program, built) {
                failed.lock().unwrap().push(why);
            }
        }
    };
    let at_once = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {} programs failed:\n{}", failed.len(), programs.len(), failed.join("\n"));
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
    assert!(programs.len() >= 40, "{programs:?}");
    all_run_as_expected(&programs, Built::Here);
}

/// The programs of the labs.
fn lab_programs() -> Vec<PathBuf> {
    let labs = fs::read_dir(root().join("labs")).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = labs.filter(|lab| lab.is_dir()).map(|lab| lab.join("program.cu")).collect();
    programs.sort();
    assert!(programs.len() >= 14, "{programs:?}");
    programs
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_of_the_labs_run_as_expected() {
    all_run_as_expected(&lab_programs(), Built::Here);
}

/// nvcc links its own runtime by default, which asks the driver for private tables.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_with_nvidias_runtime_run_as_expected() {
    let nvcc = toolkit().join("bin/nvcc");
    let of_calls = programs(&root().join("harness/libcudart/tests/programs"));
    all_run_as_expected(&[of_calls, lab_programs()].concat(), Built::Plainly(&nvcc));
}

/// The launches of a run with their counters, without the numbers that a process, its streams and its calls have.
fn counted(source: &Path, built: Built<'_>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--json", "run.json", "--counters", "--check", "all"];
    run(source, folder.path(), built, &options).unwrap();
    let lines = fs::read_to_string(folder.path().join("run.json")).unwrap();
    let launches = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let launches = launches.filter(|line| line["kind"] == "launch");
    let counted = |mut launch: serde_json::Value| {
        let fields = launch.as_object_mut().unwrap();
        fields.retain(|name, _| !["process", "stream", "issue"].contains(&name.as_str()));
        for finding in fields.get_mut("findings").and_then(|list| list.as_array_mut()).into_iter().flatten() {
            finding.as_object_mut().unwrap().remove("process");
        }
        launch.to_string()
    };
    launches.map(counted).collect()
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_count_the_same_with_either_runtime() {
    let nvcc = toolkit().join("bin/nvcc");
    let mut with_launches = 0;
    for program in lab_programs() {
        let ours = counted(&program, Built::Here);
        with_launches += usize::from(!ours.is_empty());
        assert_eq!(ours, counted(&program, Built::Plainly(&nvcc)), "{program:?}");
    }
    assert!(with_launches >= 10, "{with_launches}");
}

/// The answers to wrong calls. `harness/libcudart/tests/on_gpu.sh` compares them with those of NVIDIA's runtime.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_every_call_with_wrong_arguments_answers_as_recorded() {
    let errors = root().join("harness/libcudart/tests/errors");
    let folder = tempfile::tempdir().unwrap();
    let source = errors.join("errors.cpp");
    let options = ["nvcc", "--no-compatibility", "-std=c++20", "-w", source.to_str().unwrap(), "-o", "errors"];
    let compiled = warplab_in(folder.path(), &options, &[]);
    assert_eq!(compiled.code, 0, "{compiled:?}");
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "./errors"], &[("WARPLAB_QUIET", "1")]);
    let table = errors.join("errors.csv");
    if std::env::var_os("WARPLAB_RECORD").is_some() {
        fs::write(&table, &run.stdout).unwrap();
    }
    let recorded = fs::read_to_string(&table).unwrap();
    let (now, then): (Vec<_>, Vec<_>) = (run.stdout.lines().collect(), recorded.lines().collect());
    let changed: Vec<_> = now.iter().filter(|row| !then.contains(row)).collect();
    assert!(changed.is_empty(), "other answers than in errors.csv; if they are right, WARPLAB_RECORD=1: {changed:#?}");
    assert_eq!(now.len(), then.len(), "rows of errors.csv are missing");
    assert!(now.len() > 1000 && !run.stdout.contains("signal"), "{} rows", now.len());
}

/// A project of several files: the device code of one calls that of another, and the host code is in a third.
const PROJECT: [(&str, &str); 5] = [
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)
project(several LANGUAGES CXX CUDA)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CUDA_STANDARD 17)
add_library(parts STATIC part.cu)
add_executable(several kernel.cu main.cpp)
find_package(CUDAToolkit)
target_link_libraries(several PRIVATE parts CUDA::cudart)
set_target_properties(parts several PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
enable_testing()
add_test(NAME several COMMAND several 5)
",
    ),
    ("part.cuh", "__device__ int shifted(int x);\nextern __device__ int offset;\n"),
    (
        "part.cu",
        "#include \"part.cuh\"
__device__ int offset = 100;
__device__ int shifted(int x) { return x + offset; }
",
    ),
    (
        "kernel.cu",
        "#include \"part.cuh\"
__global__ void fill(int *p) { p[threadIdx.x] = shifted(threadIdx.x) + offset; }
int sum_of(int n) {
    int *p, sum = 0;
    cudaMallocManaged(&p, 32 * sizeof(int));
    fill<<<1, n>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess) return -1;
    for (int i = 0; i < n; i++) sum += p[i];
    cudaFree(p);
    return sum;
}
",
    ),
    (
        "main.cpp",
        "#include <cstdio>
#include <cstdlib>
int sum_of(int n);
int main(int argc, char **argv) {
    int n = atoi(argv[1]), sum = sum_of(n);
    printf(\"%d\\n\", sum);
    return sum == 200 * n + n * (n - 1) / 2 ? 0 : 1;
}
",
    ),
];

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings, and CMake"]
fn nvcc_and_cmake_build_a_project_of_several_files_and_ctest_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in PROJECT {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let written = warplab_in(folder.path(), &["nvcc", "--cmake"], &[]);
    assert_eq!(written.code, 0, "{written:?}");
    let toolchain = format!("-DCMAKE_TOOLCHAIN_FILE={}", written.stdout.trim());
    let does = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{program} {arguments:?}: {text}");
        text
    };
    does("cmake", &["-B", "build", toolchain.as_str()]);
    does("cmake", &["--build", "build"]);
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "--check", "all", "build/several", "7"], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1421\n"), "{run:?}");
    let alone = does("build/several", &["7"]);
    assert!(alone.starts_with("1421\n") && alone.contains("there is no GPU here"), "{alone}");
    let tested = does("ctest", &["--test-dir", "build"]);
    assert!(tested.contains("100% tests passed"), "{tested}");
}

/// A project that links the driver and NVML, by CMake's names for them and by those of the linker.
const LINKED: [(&str, &str); 2] = [
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.24)
project(linked LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(named linked.cu)
target_link_libraries(named PRIVATE CUDA::cuda_driver CUDA::nvml)
add_executable(plain linked.cu)
target_link_libraries(plain PRIVATE -lcuda -lnvidia-ml)
add_executable(old linked.cu)
target_compile_options(old PRIVATE -arch=sm_60)
target_link_libraries(old PRIVATE -lcuda -lnvidia-ml)
set_target_properties(old PROPERTIES CUDA_ARCHITECTURES OFF)
",
    ),
    (
        "linked.cu",
        "#include <cstdio>
#include <cuda.h>
#include <nvml.h>
__global__ void built_for(int *architecture) {
#ifdef __CUDA_ARCH__
    *architecture = __CUDA_ARCH__;
#endif
}
int main() {
    unsigned by_nvml = 0;
    int by_driver = 0, *architecture;
    nvmlInit();
    nvmlDeviceGetCount(&by_nvml);
    cuInit(0);
    cuDeviceGetCount(&by_driver);
    cudaMallocManaged(&architecture, sizeof *architecture);
    built_for<<<1, 1>>>(architecture);
    cudaDeviceSynchronize();
    printf(\"%u %d %d\\n\", by_nvml, by_driver, *architecture);
}
",
    ),
];

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings, and CMake"]
fn nvcc_and_cmake_find_the_driver_and_keep_ptx_of_any_architectures() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in LINKED {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let written = warplab_in(folder.path(), &["nvcc", "--cmake"], &[]);
    assert_eq!(written.code, 0, "{written:?}");
    let toolchain = format!("-DCMAKE_TOOLCHAIN_FILE={}", written.stdout.trim());
    let cmake = |arguments: &[&str]| {
        let output = Command::new("cmake").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    for architectures in ["native", "90-real", "all-major"] {
        let chosen = format!("-DCMAKE_CUDA_ARCHITECTURES={architectures}");
        cmake(&["-B", architectures, &toolchain, &chosen]);
        cmake(&["--build", architectures]);
        for program in ["named", "plain"] {
            let program = format!("{architectures}/{program}");
            let run = warplab_in(folder.path(), &["exec", "--device", "emulated:h200", &program], &[]);
            assert_eq!((run.code, run.stdout.as_str()), (0, "1 1 900\n"), "{program}: {run:?}");
        }
    }
    // Older than all that nvcc has: in the command, and in the project.
    cmake(&["-B", "52", &toolchain, "-DCMAKE_CUDA_ARCHITECTURES=52;60;70"]);
    cmake(&["--build", "52"]);
    for program in ["52/named", "52/old"] {
        let run = warplab_in(folder.path(), &["exec", "--device", "emulated:t4", program], &[]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "1 1 750\n"), "{program}: {run:?}");
    }
    // The shell's nvcc and linker, with the runtime that CMake links in.
    let line = "cmake -B shell -DCMAKE_CUDA_ARCHITECTURES=60 && cmake --build shell && shell/named && shell/plain";
    let run = warplab_in(folder.path(), &["shell", "--emulated", "--", "-c", line], &[("SHELL", "/bin/sh")]);
    assert!(run.code == 0 && run.stdout.ends_with("1 1 750\n1 1 750\n"), "{run:?}");
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

/// A refused launch, as on a GPU, does not affect the result if the program queries the error.
const REFUSED: &str = "
__global__ void nothing() {}
int main(int asks, char **) {
    nothing<<<1, 2048>>>();
    if (asks > 1 && cudaGetLastError() == cudaSuccess) return 3;
    nothing<<<1, 32>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 4;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_refused_launch_that_the_program_knows_of_is_its_own_business() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("refused.cu"), REFUSED).unwrap();
    for (arguments, code) in [(&[][..], 1), (&["asks"], 0)] {
        let run =
            warplab_in(folder.path(), &[&["exec", "--device", "emulated", "refused.cu"], arguments].concat(), &[]);
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.stderr.contains("Launch refused: 2048 threads"), "{run:?}");
    }
}

/// Fails on purpose, and reports it if requested.
const ASSERTS: &str = "
#include <cassert>
#include <cstdio>
__global__ void fails(int n) { assert(threadIdx.x < n); }
int main(int says, char **) {
    fails<<<1, 32>>>(7);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaErrorAssert) return 3;
    if (says > 1) printf(\"as expected: %s\\n\", cudaGetErrorString(error));
    return 0;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_failed_assertion_was_found_though_the_program_has_words_for_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("asserts.cu"), ASSERTS).unwrap();
    for (arguments, words) in [(&[][..], ""), (&["says"], "as expected: device-side assert triggered\n")] {
        let run =
            warplab_in(folder.path(), &[&["exec", "--device", "emulated", "asserts.cu"], arguments].concat(), &[]);
        assert_eq!((run.code, run.stdout.as_str()), (1, words), "{run:?}");
        assert!(run.stderr.contains("threadIdx.x < n"), "{run:?}");
    }
}

/// Compiles a program and runs it by `exec` with these options and environment variables.
fn exec(source: &str, options: &[&str], arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.cu"), source).unwrap();
    let args = [&["exec", "--device", "emulated"], options, &["x.cu"], arguments].concat();
    warplab_in(folder.path(), &args, variables)
}

/// Refused launches: into a destroyed stream, and with more blocks than are resident together. Their errors are not
/// queried, unless requested.
const UNREAD: &str = "
#include <cstdio>
__global__ void nothing() {}
int main(int count, char **words) {
    if (words[1][0] == 's') {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaStreamDestroy(stream);
        nothing<<<1, 32, 0, stream>>>();
    } else {
        cudaLaunchCooperativeKernel((void *)nothing, dim3(1 << 20), dim3(32), nullptr, 0, nullptr);
    }
    if (count > 2) printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_refused_launch_whose_error_nobody_reads_was_found() {
    for (kind, words, error) in [
        ("stream", "Launch refused: its stream does not exist", "cudaErrorInvalidResourceHandle\n"),
        ("cooperative", "blocks of a cooperative launch", "cudaErrorCooperativeLaunchTooLarge\n"),
    ] {
        let run = exec(UNREAD, &[], &[kind], &[]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains(words), "{run:?}");
        let run = exec(UNREAD, &[], &[kind, "asks"], &[]);
        assert_eq!((run.code, run.stdout.as_str()), (0, error), "{run:?}");
    }
}

/// Eight launches of which those of the second stream are issued first of each pair.
const STREAMS: &str = "
__global__ void spin(int n) { for (volatile int i = 0; i < n; ++i) {} }
__global__ void leaf() {}
int main() {
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    for (int i = 1; i <= 4; ++i) {
        spin<<<i, 32, 0, b>>>(20000);
        leaf<<<i, 64, 0, a>>>();
    }
    return cudaDeviceSynchronize();
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_launches_are_told_in_the_order_of_their_issue() {
    let run = exec(STREAMS, &["--json", "-"], &[], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let lines: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let launches = &lines[..8];
    let seen: Vec<_> =
        launches.iter().map(|one| (one["issue"].as_u64().unwrap(), one["grid"][0].as_u64().unwrap())).collect();
    assert_eq!(seen, [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4)]);
    for pair in launches.chunks(2) {
        assert_eq!((&pair[0]["stream"], &pair[1]["stream"]), (&launches[0]["stream"], &launches[1]["stream"]));
    }
    assert_ne!(launches[0]["stream"], launches[1]["stream"]);
}

/// An endless kernel, whose loop is on the second line.
const ENDLESS: &str = "__global__ void spin(volatile int *p) {
    for (unsigned i = 1; i != 0; i += 2) *p = i;
}
int main() {
    int *p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    spin<<<1, 32>>>(p);
    return cudaDeviceSynchronize();
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_an_endless_kernel_that_is_interrupted_names_its_line() {
    let polls = ENDLESS.replace("for (unsigned i = 1; i != 0; i += 2) *p = i;", "while (*p == 0);");
    for source in [ENDLESS, &polls] {
        let run = exec(source, &["--timeout", "1s"], &[], &[]);
        assert_eq!(run.code, 124, "{run:?}");
        assert!(
            run.stderr.contains("interrupted: spin(int volatile*) was at ") && run.stderr.contains("x.cu:2"),
            "{run:?}"
        );
    }
}

/// Writes beyond an allocation, and reports how that ended.
const STRAY: &str = "
#include <cstdio>
__global__ void writes(int *p) { p[threadIdx.x + 30] = 1; }
int main() {
    int *p, last = 0;
    cudaMalloc(&p, 128);
    writes<<<1, 32>>>(p);
    cudaMemcpy(&last, p + 31, 4, cudaMemcpyDeviceToHost);
    printf(\"%s %d\\n\", cudaGetErrorName(cudaDeviceSynchronize()), last);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_kernel_may_go_on_after_a_stray_write() {
    for options in [&["--keep-going"][..], &["--keep-going", "--check", "none"]] {
        let run = exec(STRAY, options, &[], &[]);
        assert_eq!((run.code, run.stdout.as_str()), (1, "cudaSuccess 1\n"), "{run:?}");
        assert_eq!(run.stderr.matches("Invalid __global__ write").count(), 1, "{run:?}");
    }
    let run = exec(STRAY, &["--check", "none"], &[], &[]);
    assert_eq!(run.stdout, "cudaErrorIllegalAddress 0\n", "{run:?}");
}

/// The number of devices, and the errors of a faulting kernel, right after the launch and later.
const VARIABLES: &str = "
#include <cstdio>
__global__ void faults(int *p) { *p = 1; }
int main() {
    int count = -1;
    cudaError_t error = cudaGetDeviceCount(&count);
    printf(\"%s %d\\n\", cudaGetErrorName(error), count);
    if (error) return 0;
    faults<<<1, 1>>>((int *)8);
    int now = cudaPeekAtLastError(), later = cudaDeviceSynchronize();
    printf(\"%d then %d\\n\", now, later);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_variables_of_cuda_are_heeded() {
    for list in ["", "-1", "3", "NoDevFiles"] {
        let run = exec(VARIABLES, &[], &[], &[("CUDA_VISIBLE_DEVICES", list)]);
        assert_eq!(run.stdout.lines().next(), Some("cudaErrorNoDevice 0"), "{list}: {run:?}");
    }
    for list in ["0", "0,1", "GPU-656d756c"] {
        let run = exec(VARIABLES, &[], &[], &[("CUDA_VISIBLE_DEVICES", list)]);
        assert_eq!(run.stdout.lines().next(), Some("cudaSuccess 1"), "{list}: {run:?}");
    }
    let run = exec(VARIABLES, &[], &[], &[("CUDA_LAUNCH_BLOCKING", "1")]);
    assert_eq!(run.stdout.lines().nth(1), Some("700 then 700"), "{run:?}");
}

/// A misaligned vector, of which one element is used.
const NARROWED: &str = "
__global__ void second(const float *x, float *y) {
    float4 all = *reinterpret_cast<const float4 *>(x + 1);
    *y = all.x;
}
int main() {
    float *x;
    cudaMalloc(&x, 32);
    cudaMemset(x, 0, 32);
    second<<<1, 1>>>(x, x + 7);
    cudaDeviceSynchronize();
    cudaFree(x);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_misaligned_vector_that_the_compiler_narrows_is_found_in_debug_code() {
    let run = exec(NARROWED, &["--check", "all"], &[], &[]);
    assert_eq!((run.code, run.stderr.contains("warning")), (0, false), "the compiler says nothing: {run:?}");
    let run = exec(NARROWED, &["--check", "all", "--nvcc=-G"], &[], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("Invalid __global__ read of size 16 bytes"), "{run:?}");
    assert!(run.stderr.contains("is misaligned: it must be a multiple of 16"), "{run:?}");
}

/// Advice and a prefetch for half of an allocation, and the attributes that result.
const ADVICE: &str = "
#include <cstdio>
int main() {
    char *m;
    size_t n = 8 << 20;
    cudaMallocManaged(&m, n);
    cudaMemLocation cpu{cudaMemLocationTypeHost, 0}, gpu{cudaMemLocationTypeDevice, 0};
    auto say = [&](cudaMemRangeAttribute attribute) {
        auto at = [&](size_t from, size_t bytes) {
            int value = 99;
            cudaMemRangeGetAttribute(&value, 4, attribute, m + from, bytes);
            return value;
        };
        printf(\"%d %d %d\\n\", at(0, n / 2), at(n / 2, n / 2), at(0, n));
    };
    cudaMemAdvise(m, n / 2, cudaMemAdviseSetPreferredLocation, cpu);
    cudaMemAdvise(m, n / 2, cudaMemAdviseSetReadMostly, gpu);
    cudaMemAdvise(m, n / 2, cudaMemAdviseSetAccessedBy, gpu);
    cudaMemPrefetchAsync(m, n / 2, gpu, 0, 0);
    cudaDeviceSynchronize();
    say(cudaMemRangeAttributePreferredLocation);
    say(cudaMemRangeAttributeReadMostly);
    say(cudaMemRangeAttributeAccessedBy);
    say(cudaMemRangeAttributeLastPrefetchLocation);
    cudaFree(m);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_advice_for_a_part_of_managed_memory_holds_for_that_part() {
    let run = exec(ADVICE, &[], &[], &[]);
    assert_eq!(run.stdout, "-1 -2 -2\n1 0 0\n0 -2 -2\n0 -2 -2\n", "{run:?}");
}

/// Leaks memory through the runtime's template.
const LEAKS: &str = "int main() {
    float *p;
    return cudaMalloc(&p, 400);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_leak_names_the_program_s_function_and_no_template_of_the_runtime() {
    let run = exec(LEAKS, &["--check", "leakcheck"], &[], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("called by main") && !run.stderr.contains("cudaMallocI"), "{run:?}");
}

/// A kernel requests fills of more slices than could be listed: of no bytes, and then of more memory than exists.
const DEEP: &str = "
#include <cstdio>
__global__ void fill(char *at, size_t width, size_t depth) {
    cudaMemset3DAsync(cudaPitchedPtr{at, 16, 16, 1}, 1, cudaExtent{width, 1, depth}, 0);
}
int main() {
    char *at;
    cudaMalloc(&at, 64);
    for (size_t width : {0, 16}) {
        fill<<<1, 1>>>(at, width, size_t(1) << 40);
        printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_a_kernels_fill_goes_from_slice_to_slice_until_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("deep.cu"), DEEP).unwrap();
    let compiled = warplab_in(folder.path(), &["nvcc", "-rdc=true", "deep.cu", "-lcudadevrt", "-o", "deep"], &[]);
    assert_eq!(compiled.code, 0, "{compiled:?}");
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "./deep"], &[]);
    assert_eq!(run.stdout, "cudaSuccess\ncudaErrorIllegalAddress\n", "{run:?}");
}

/// Memory owned by a static object is freed by its destructor, if at all.
const OWNS: &str = "
#include <cstdlib>
struct Memory {
    int *at = nullptr;
    ~Memory() { if (frees) cudaFree(at); }
    bool frees = true;
};
static Memory early;
Memory &late() { static Memory late; return late; }
int main(int leaks, char **) {
    cudaMalloc(&early.at, 128);
    cudaMalloc(&late().at, 256);
    early.frees = leaks < 2;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_memory_that_static_objects_free_has_not_leaked() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("owns.cu"), OWNS).unwrap();
    let exec = ["exec", "--device", "emulated", "--check", "leakcheck", "owns.cu"];
    let run = warplab_in(folder.path(), &exec, &[]);
    assert!(run.code == 0 && !run.stderr.contains("Leaked"), "{run:?}");
    let run = warplab_in(folder.path(), &[&exec[..], &["leaks"]].concat(), &[]);
    assert!(run.code == 1 && run.stderr.contains("Leaked 128 bytes"), "{run:?}");
}

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
fn nvcc_programs_are_kept_with_their_findings_and_their_hot_lines() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wrong.cu"), PLANTED).unwrap();
    let watched = ["exec", "--device", "emulated:t4", "--check", "all", "--counters", "--hot"];
    let kept = ["--json", "run.jsonl", "--out", "run", "wrong.cu"];
    let run = warplab_in(folder.path(), &[&watched[..], &kept].concat(), &[]);
    assert_eq!(run.code, 1, "{run:?}");
    let lines = fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [launch, end] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(launch["kernel"], "sum(int const*, int*, int)");
    assert_eq!((&launch["block"][0], &launch["device"]), (&160.into(), &"emulated:t4".into()));
    assert!(launch["counters"]["thread_instructions"].as_f64().unwrap() > 0.0, "{launch}");
    let race = launch["findings"].as_array().unwrap().iter().find(|found| found["check"] == "racecheck").unwrap();
    assert_eq!((&race["line"], race["file"].as_str().unwrap().ends_with("wrong.cu")), (&4.into(), true));
    assert_eq!((&end["exit_code"], &end["command_exit_code"], &end["launches"]), (&0.into(), &1.into(), &1.into()));
    assert!(end["kernels"][0]["findings"].as_u64().unwrap() >= 2, "{end}");
    let page = warplab_in(folder.path(), &["report", "run", "--out", "-"], &[]).stdout;
    for words in ["Race reported between", "Heat map of", "if (i &lt;= n) *total += x[i];", "Counters"] {
        assert!(page.contains(words), "no {words}");
    }
}

/// The PTX of the device runtime, without the compiler's version comments, and without the hash of the file's path in
/// names.
fn code_of_runtime(ptx: &str) -> String {
    let lines: Vec<&str> = ptx.lines().filter(|line| !line.starts_with("//")).collect();
    let mut pieces = vec![];
    for piece in lines.join("\n").split("_10_runtime_cu_") {
        pieces.push(piece[..piece.len() - 8].to_owned());
    }
    pieces.join("_10_runtime_cu_")
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_makes_of_the_runtime_on_the_device_what_lies_beside_it() {
    let folder = root().join("harness/libcuda/src/state/modules/device_runtime");
    let options = ["nvcc", "-rdc=true", "-arch=compute_75", "-ptx", "runtime.cu", "-o", "-"];
    let run = warplab_in(&folder, &options, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let made = run.stdout.replace("cdp2_", "__cudaCDP2");
    let kept = fs::read_to_string(folder.join("runtime.ptx")).unwrap();
    assert!(code_of_runtime(&made) == code_of_runtime(&kept), "runtime.ptx is not what runtime.cu says is done to it");
}

/// A cluster of blocks: only GPUs from compute capability 9.0 on have them, and the compiler says so.
const CLUSTER: &str = "#include <cooperative_groups.h>\n#include <cstdio>
__global__ void __cluster_dims__(2, 1, 1) k() {
    if (blockIdx.x + threadIdx.x == 0) printf(\"%u\\n\", cooperative_groups::this_cluster().num_blocks());
}
int main() { k<<<2, 32>>>(); return cudaDeviceSynchronize(); }
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_compiles_a_source_for_the_part_that_is_emulated() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cluster.cu"), CLUSTER).unwrap();
    let exec = |part: &str| warplab_in(folder.path(), &["exec", "--device", part, "cluster.cu"], &[]);
    let newer = exec("emulated:h200");
    assert_eq!((newer.code, newer.stdout.as_str()), (0, "2\n"), "{newer:?}");
    let older = exec("emulated:a100");
    assert!(older.code != 0 && older.stderr.contains("cluster"), "{older:?}");
}

/// Code that depends on the architecture is compiled for the one that the user named, as on a GPU.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_keeps_ptx_for_every_architecture_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <cstdio>\n__global__ void k() {\n#ifdef __CUDA_ARCH__\n\
                  printf(\"%d\\n\", __CUDA_ARCH__);\n#endif\n}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n";
    fs::write(folder.path().join("p.cu"), source).unwrap();
    let seen = |options: &[&str], part: &str| {
        let compiled = warplab_in(folder.path(), &[&["nvcc", "p.cu", "-o", "p"], options].concat(), &[]);
        assert_eq!(compiled.code, 0, "{compiled:?}");
        let run = warplab_in(folder.path(), &["exec", "--device", &format!("emulated:{part}"), "./p"], &[]);
        assert_eq!(run.code, 0, "{options:?}: {run:?}");
        (run.stdout.trim().parse::<u32>().unwrap(), compiled.stderr)
    };
    assert_eq!(seen(&["-gencode", "arch=compute_80,code=sm_80"], "a100").0, 800);
    let both = ["-gencode=arch=compute_80,code=sm_80", "--generate-code", "arch=compute_90a,code=[sm_90a]"];
    assert_eq!(seen(&both, "h200").0, 900);
    assert_eq!(seen(&both, "rtx4090").0, 800);
    assert_eq!(seen(&["-arch", "compute_90", "-code", "sm_90"], "h200").0, 900);
    assert_eq!(seen(&["-arch=all-major"], "h200").0, 900);
    assert_eq!(seen(&["-arch=all-major"], "t4").0, 750);
    // On a computer without a GPU.
    if !Path::new("/dev/nvidiactl").exists() {
        let (native, said) = seen(&["-arch=native"], "a100");
        assert_eq!(native, 800);
        assert!(said.contains("-arch=native finds no GPU here"), "{said}");
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
    let nvcc = |options: &[&str]| {
        let run = warplab_in(folder.path(), &[&["nvcc", "p.cu", "-o", "p"], options].concat(), &[]);
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    let exec = || warplab_in(folder.path(), &["exec", "--device", "emulated", "./p"], &[]);
    let compile = |options: &[&str]| {
        nvcc(options);
        exec()
    };
    // A static runtime is replaced; a program into which one was linked anyway starts the machine itself.
    assert!(nvcc(&["-cudart", "static"]).contains("-cudart static is replaced by -cudart shared"));
    let shared = exec();
    assert_eq!(shared.code, 0, "{shared:?}");
    assert!(nvcc(&["-cudart=none", "-lcudart_static"]).contains("-lcudart_static is replaced by -lcudart"));
    assert_eq!(exec().code, 0);
    let linked_in =
        ["nvcc", "p.cu", "-o", "p", "-cudart", "none", "-Xlinker=-lcudart_static", "-ldl", "-lrt", "-lpthread"];
    let linked_in = warplab_in(folder.path(), &linked_in, &[]);
    assert_eq!(linked_in.code, 0, "{linked_in:?}");
    assert_eq!(exec().code, 0);
    // Only for newer GPUs than this one, with or without PTX.
    let newest = compile(&["-gencode", "arch=compute_100,code=sm_100"]);
    assert!(newest.code != 0 && newest.stderr.contains("sm_100"), "{newest:?}");
    let newer = compile(&["-arch=sm_120"]);
    assert_ne!(newer.code, 0, "{newer:?}");
    assert!(newer.stderr.contains("sm_120"), "{newer:?}");
    // A kernel that launches graphs is refused, by the host and by another kernel, and the one next to it runs.
    let source = "#include <cstdio>\n__global__ void child(cudaGraphExec_t g) { cudaGraphLaunch(g, cudaStreamGraphFireAndForget); }\n\
                  __global__ void parent() { child<<<1, 1>>>(0); printf(\"%d\\n\", cudaGetLastError()); }\n\
                  int main() { child<<<1, 1>>>(0); if (cudaGetLastError() != cudaErrorNotSupported) return 7;\n\
                  parent<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n";
    fs::write(folder.path().join("parent.cu"), source).unwrap();
    let compiled = ["nvcc", "-rdc=true", "parent.cu", "-o", "parent", "-lcudadevrt"];
    assert_eq!(warplab_in(folder.path(), &compiled, &[]).code, 0);
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "./parent"], &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("not modelled: a kernel that launches graphs (in _Z5child"), "{run:?}");
    assert_eq!(run.stdout, "801\n");
    // nvcc's message about a missing header or library is followed by the reason.
    fs::write(folder.path().join("blas.cu"), "#include <cublas_v2.h>\nint main() {}\n").unwrap();
    for blas in [&["exec", "blas.cu"][..], &["nvcc", "p.cu", "-o", "p", "-lcublas"]] {
        let run = warplab_in(folder.path(), blas, &[]);
        assert!(run.code != 0 && run.stderr.contains("GPU machine code"), "{run:?}");
    }
    let nothing = warplab_in(folder.path(), &["exec", "--device", "emulated", "none.cu"], &[]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("there is no such file"), "{nothing:?}");
    fs::write(folder.path().join("bad.cu"), "int main() { return x; }\n").unwrap();
    let bad = warplab_in(folder.path(), &["exec", "bad.cu"], &[]);
    assert!(bad.code != 0 && bad.stderr.contains("identifier \"x\" is undefined"), "{bad:?}");
}

/// Calls that fail, and whose results no one reads; a copy of memory that no kernel has written; a host that reads it.
const CARELESS: &str = "#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main(int n, char **) {
    int *d, host[64];
    if (n == 1) {
        cudaMalloc(&d, 1ull << 60);
        for (int i = 0; i < 2; i++) cudaMemcpy(host, host + 1, 4, cudaMemcpyDeviceToHost);
    }
    cudaMalloc(&d, sizeof host);
    k<<<1, 63>>>(d);
    cudaMemcpy(host, d, n > 1 ? 252 : 256, cudaMemcpyDeviceToHost);
    if (n > 2) printf(\"%d\", d[0]);
    cudaFree(d);
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_what_a_careless_program_does_is_told_in_its_own_words() {
    let all = exec(CARELESS, &["--check", "all"], &[], &[]);
    assert_eq!(all.code, 1, "{all:?}");
    let once = |words: &str| assert_eq!(all.stderr.matches(words).count(), 1, "{words}: {all:?}");
    once("cudaMalloc failed: cudaErrorMemoryAllocation, \"out of memory\"");
    once("cudaMemcpy failed: cudaErrorInvalidValue, \"invalid argument\"");
    once("4 of the 256 bytes that are copied to the host were never written");
    assert_eq!(all.stderr.matches("failed:").count(), 2, "the driver's calls are the runtime's: {all:?}");
    let right = exec(CARELESS, &["--check", "all"], &["right"], &[]);
    assert!(right.code == 0 && !right.stderr.contains("failed:"), "{right:?}");
    let reads = exec(CARELESS, &[], &["right", "reads"], &[]);
    assert_eq!(reads.code, 128 + 11, "{reads:?}");
    assert!(reads.stderr.contains("the host reads or writes device memory by a pointer (0x8"), "{reads:?}");
}
