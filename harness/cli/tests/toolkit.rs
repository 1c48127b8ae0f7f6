//! The toolkit's commands under their own names, and programs that are started alone.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, process::Command};

use crate::common::{Run, libraries, one_line, toolkit, warplab_in};

/// Runs a command in an environment where PATH begins with the tools' folder, if it is given.
fn sh(folder: &Path, command: &str, variables: &[(&str, &str)]) -> Run {
    let mut process = Command::new("sh");
    process.args(["-c", command]).current_dir(folder).env_remove("LD_LIBRARY_PATH").env_remove("WARPLAB_PROFILE");
    Run::from_output(&process.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn env_puts_the_tools_and_the_machine_first_and_a_shell_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("it's");
    let cache = cache.to_str().unwrap();
    let run = warplab_in(folder.path(), &["env", "--shell", "bash", "--emulated"], &[("WARPLAB_CACHE", cache)]);
    assert_eq!(run.code, 0, "{run:?}");
    fs::write(folder.path().join("env"), &run.stdout).unwrap();
    let shown =
        sh(folder.path(), ". ./env; command -v nvcc; command -v warplab; echo $LD_LIBRARY_PATH; warplab device", &[]);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[..2], [format!("{cache}/tools/nvcc"), format!("{cache}/tools/warplab")], "{shown:?}");
    assert!(lines[2].starts_with(&format!("{cache}/runtime/machine:{cache}/runtime")), "{shown:?}");
    assert!(lines[3].contains("emulated:"), "{shown:?}");
    let fish = warplab_in(folder.path(), &["env", "--shell", "fish", "--emulated"], &[("WARPLAB_CACHE", cache)]);
    assert!(fish.stdout.starts_with("set -gx PATH '") && fish.stdout.contains("it\\'s/tools' '"), "{fish:?}");
}

#[test]
fn shell_runs_the_user_s_shell_and_returns_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("WARPLAB_CACHE", folder.path().to_str().unwrap()), ("SHELL", "/bin/sh")];
    let run = warplab_in(folder.path(), &["shell", "--", "-c", "command -v nvcc; exit 7"], &variables);
    assert_eq!(run.code, 7, "{run:?}");
    assert!(run.stdout.ends_with("/tools/nvcc\n"), "{run:?}");
    let missing = warplab_in(folder.path(), &["shell"], &[variables[0], ("SHELL", "/no/shell")]);
    assert_eq!(missing.code, 4, "{missing:?}");
    assert!(missing.stderr.contains("cannot start the shell /no/shell"), "{missing:?}");
}

/// Adds on the device, and prints the result without looking at any error.
const ADDS: &str = "#include <cstdio>
__global__ void add(int *x) { x[threadIdx.x] += threadIdx.x; }
int main(int count, char **) {
    int *x, y[32] = {};
    cudaMalloc(&x, sizeof y);
    cudaMemcpy(x, y, sizeof y, cudaMemcpyDefault);
    add<<<1, 32>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDefault);
    printf(\"%d\\n\", y[31]);
    return count > 1 ? 5 : 0;
}
";

/// A kernel of which there is no code for the emulated part, and a block that is too large. Neither program looks at an
/// error, and what they print looks like a result.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_whose_launches_are_refused_do_not_succeed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adds.cu"), ADDS).unwrap();
    fs::write(folder.path().join("large.cu"), ADDS.replace("<<<1, 32>>>", "<<<1, 2048>>>")).unwrap();
    let asks = ADDS.replace("return count > 1 ? 5 : 0", "return cudaGetLastError() == cudaSuccess ? 5 : 0");
    fs::write(folder.path().join("asks.cu"), asks).unwrap();
    let none = "the program has no code of this kernel that the device can run";
    for (line, code, why) in [
        ("-arch=sm_100 adds.cu", 1, none),
        ("large.cu", 1, "2048 threads in one dimension of a block"),
        ("-arch=sm_100 asks.cu", 0, none),
    ] {
        let built = warplab_in(folder.path(), &[&["nvcc"], &*line.split(' ').collect::<Vec<_>>()].concat(), &[]);
        assert_eq!(built.code, 0, "{line}: {built:?}");
        let exec = warplab_in(folder.path(), &["exec", "--device", "emulated", "./a.out"], &[]);
        for run in [sh(folder.path(), "./a.out", &[]), exec] {
            assert!(
                run.code == code && run.stderr.contains(why) && run.stderr.contains("add(int*)"),
                "{line}: {run:?}"
            );
        }
    }
}

/// However a program is built, it gives the right result or fails with a reason.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_programs_started_alone_are_right_or_fail() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adds.cu"), ADDS).unwrap();
    let parts = ADDS.split_once("int main").unwrap();
    fs::write(folder.path().join("main.cu"), format!("{}int main{}", parts.0, parts.1)).unwrap();
    let nvcc =
        |line: &str| warplab_in(folder.path(), &[&["nvcc"], &*line.split(' ').collect::<Vec<_>>()].concat(), &[]);
    for line in [
        "adds.cu -o x",
        "-cudart static adds.cu -o x",
        "-cudart=none adds.cu -o x -lcudart",
        "-cudart none adds.cu -o x -lcudart_static -ldl -lrt -lpthread",
        "-cudart none adds.cu -o x /nowhere/libcudart_static.a",
        "-arch=sm_90 -rdc=true adds.cu -o x",
        "-arch=sm_80 -lcuda adds.cu -o x",
    ] {
        let built = nvcc(line);
        assert_eq!(built.code, 0, "{line}: {built:?}");
        let alone = sh(folder.path(), "./x", &[]);
        assert_eq!((alone.code, &*alone.stdout), (0, "31\n"), "{line}: {alone:?}");
        assert!(alone.stderr.contains("there is no GPU here: the program runs on an emulated h200"), "{alone:?}");
        fs::remove_file(folder.path().join("x")).unwrap();
    }
    // Compiled here, and linked here or by the C++ compiler.
    assert_eq!(nvcc("-c adds.cu -o adds.o").code, 0);
    assert_eq!(nvcc("adds.o -o x").code, 0);
    assert_eq!(sh(folder.path(), "./x", &[]).stdout, "31\n");
    let library = toolkit().join("lib64").display().to_string();
    let bin = toolkit().join("bin").display().to_string();
    let linked = sh(folder.path(), &format!("g++ adds.o -o y -L{library} -lcudart && ./y"), &[]);
    assert!(linked.code == 127 && linked.stderr.contains("libcudart.so.13"), "{linked:?}");
    // NVIDIA's runtime, as a shared library and linked in.
    let shared = sh(folder.path(), "./y", &[("LD_LIBRARY_PATH", &library)]);
    let line = format!("g++ adds.o -o s -L{library} -lcudart_static -ldl -lrt -lpthread && ./s");
    for right in [shared, sh(folder.path(), &line, &[]), sh(folder.path(), "./x", &[("LD_LIBRARY_PATH", &library)])] {
        assert_eq!((right.code, &*right.stdout), (0, "31\n"), "{right:?}");
        assert_eq!(right.stderr.matches("there is no GPU here").count(), 1, "{right:?}");
    }
    let exec = warplab_in(folder.path(), &["exec", "--device", "emulated", "./s"], &[]);
    assert!(exec.code == 0 && exec.stdout.starts_with("31\n"), "{exec:?}");
    // The machine is gone: the program does not start.
    let cache = folder.path().join("cache");
    let variables =
        [("WARPLAB_CACHE", cache.to_str().unwrap()), ("PATH", &format!("{bin}:{}", std::env::var("PATH").unwrap()))];
    assert_eq!(warplab_in(folder.path(), &["nvcc", "-c", "adds.cu"], &variables).code, 0);
    fs::remove_dir_all(&cache).unwrap();
    let gone = sh(folder.path(), &line, &[]);
    assert!(gone.code == 1 && gone.stdout.is_empty() && gone.stderr.contains("cannot be loaded from"), "{gone:?}");
    // NVIDIA's runtime under a name that does not show it.
    fs::copy(format!("{library}/libcudart_static.a"), folder.path().join("mine.a")).unwrap();
    assert_eq!(sh(folder.path(), &format!("{bin}/nvcc -c adds.cu"), &[]).code, 0);
    let hidden = nvcc("-cudart none adds.o -o z mine.a -ldl -lrt -lpthread");
    assert!(hidden.code == 4 && one_line(&hidden.stderr).contains("has CUDA's runtime linked in"), "{hidden:?}");
    let exec = warplab_in(folder.path(), &["exec", "--device", "emulated", "./z"], &[]);
    assert!(exec.code == 0 && exec.stdout.starts_with("31\n"), "{exec:?}");
    // It is named only by the command that has built it.
    fs::rename(folder.path().join("z"), folder.path().join("a.out")).unwrap();
    assert_eq!(nvcc("-M adds.cu").code, 0);
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_run_runs_the_program_and_returns_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adds.cu"), ADDS).unwrap();
    for (line, code) in [("-arch=sm_75 adds.cu -run", 0), ("adds.cu -o x -run -run-args 1", 5), ("a.out --run", 0)] {
        let run = warplab_in(folder.path(), &[&["nvcc"], &*line.split(' ').collect::<Vec<_>>()].concat(), &[]);
        assert_eq!((run.code, &*run.stdout), (code, "31\n"), "{line}: {run:?}");
    }
    fs::write(folder.path().join("wrong.cu"), "int main() { return }").unwrap();
    let wrong = warplab_in(folder.path(), &["nvcc", "wrong.cu", "-run"], &[]);
    assert!(wrong.code != 0 && wrong.stderr.contains("wrong.cu(1): error"), "{wrong:?}");
}

/// Sources of CUDA 12 and before, which nvcc 13 refuses as they are.
#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_sources_of_older_cuda_compile_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_cuda");
    for (name, expected) in [("runtime", "named 1\n1 0 1 2 1 0\n496 0000\n0 0 1 0\n0\n"), ("thrust", "40\n")] {
        let source = sources.join(name).with_extension("cu");
        let source = source.to_str().unwrap();
        let run = warplab_in(folder.path(), &["nvcc", "-w", "-arch=sm_35", source, "-lcuda", "-run"], &[]);
        assert_eq!((run.code, &*run.stdout), (0, expected), "{run:?}");
        let note = "nvcc no longer compiles for compute capability 3.5: compiling for 7.5";
        assert_eq!(one_line(&run.stderr).matches(note).count(), 1, "{run:?}");
        let without = warplab_in(folder.path(), &["nvcc", "--no-compatibility", "-c", source], &[]);
        assert!(without.code != 0, "{without:?}");
    }
    fs::write(folder.path().join("plain.c"), "int main(void) { return 0; }\n").unwrap();
    let c = warplab_in(folder.path(), &["nvcc", "-gencode", "arch=compute_60,code=sm_60", "plain.c", "-run"], &[]);
    assert_eq!(c.code, 0, "{c:?}");
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_texture_references_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let source = "texture<float, 2, cudaReadModeElementType> image;\nint main() { cudaUnbindTexture(image); }\n";
    fs::write(folder.path().join("texture.cu"), source).unwrap();
    let run = warplab_in(folder.path(), &["nvcc", "texture.cu"], &[]);
    assert!(run.code != 0 && one_line(&run.stderr).contains("CUDA 12 removed: use texture objects"), "{run:?}");
}

/// Adds out of bounds, and exits with the number of its arguments.
const STRAYS: &str = "#include <cstdio>
__global__ void add(int *x) { x[threadIdx.x + 100] += 1; }
__global__ void last(int *x) {
    x[0] = threadIdx.x;
    x[1] = threadIdx.x;
}
int main(int count, char **) {
    int *x;
    cudaMalloc(&x, 128);
    if (count < 3) add<<<1, 32>>>(x); else last<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    puts(\"end\");
    return count - 1;
}
";

/// Compiles the text to `x` in a new folder.
fn built(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.cu"), text).unwrap();
    let built = warplab_in(folder.path(), &["nvcc", "-lineinfo", "-w", "x.cu", "-o", "x"], &[]);
    assert_eq!(built.code, 0, "{built:?}");
    folder
}

/// Runs a tool with a line of arguments.
fn tool(folder: &Path, line: &str) -> Run {
    warplab_in(folder, &line.split(' ').collect::<Vec<_>>(), &[])
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_compute_sanitizer_has_the_options_and_exit_codes_of_nvidia_s() {
    let folder = built(STRAYS);
    let run = |options: &str| tool(folder.path(), &format!("compute-sanitizer {options}"));
    let found = run("./x");
    assert_eq!(found.code, 0, "{found:?}");
    for words in ["end\n========= ", "Invalid __global__ read of size 4", "x.cu:2", "= ERROR SUMMARY: 1 error\n"] {
        assert!(found.stdout.contains(words), "{words}: {found:?}");
    }
    assert_eq!(run("--error-exitcode 9 ./x").code, 9);
    let own = run("--error-exitcode=9 ./x 1");
    assert!(own.code == 1 && own.stdout.contains("Target application returned an error"), "{own:?}");
    let race = run("--tool racecheck ./x 1 2");
    assert!(race.stdout.contains("RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"), "{race:?}");
    assert!(run("--tool memcheck ./x 1 2").stdout.contains("ERROR SUMMARY: 0 errors"));
    assert!(run("--tool synccheck ./x 1 2").stdout.contains("ERROR SUMMARY: 0 errors"));
    assert!(run("--tool initcheck ./x 1 2").stdout.contains("ERROR SUMMARY: 0 errors"));
    let few = run("--tool racecheck --print-limit 1 --prefix @ ./x 1 2");
    assert!(
        few.stdout.contains("@ ERROR SUMMARY: 1 error were not printed") && !few.stdout.contains("x[1]"),
        "{few:?}"
    );
    let leak = run("--leak-check full ./x 1 2");
    assert!(leak.code == 2 && leak.stdout.contains("Leaked 128 bytes in 1 allocation"), "{leak:?}");
    let logged = run("--log-file log-%p.txt ./x");
    assert_eq!(logged.stdout, "end\n");
    let is_log = |name: &str| name.starts_with("log-") && !name.contains('%');
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let logs: Vec<String> = names.filter(|name| is_log(name)).collect();
    assert!(fs::read_to_string(folder.path().join(&logs[0])).unwrap().contains("ERROR SUMMARY: 1 error"));
}

#[test]
fn compute_sanitizer_names_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for (line, code, words) in [
        ("compute-sanitizer", 2, "name a program: compute-sanitizer [OPTIONS] PROGRAM"),
        ("compute-sanitizer --tool memchek x", 2, "did you mean `memcheck`?"),
        ("compute-sanitizer --error-exit 1 x", 2, "compute-sanitizer has no option --error-exit; did you mean"),
        ("compute-sanitizer --xml x", 2, "--xml of NVIDIA's compute-sanitizer is not available here"),
        ("compute-sanitizer --tool racecheck --leak-check full x", 2, "--leak-check belongs to --tool memcheck"),
        ("compute-sanitizer ./missing", 2, "cannot run ./missing: there is no such program"),
    ] {
        let run = tool(folder.path(), line);
        assert!(run.code == code && one_line(&run.stderr).contains(words), "{line}: {run:?}");
    }
    let unused = tool(folder.path(), "compute-sanitizer true");
    assert!(unused.code == 1 && unused.stdout.contains("before first instrumented API call"), "{unused:?}");
    assert_eq!(tool(folder.path(), "compute-sanitizer --require-cuda-init no --kill no true").code, 0);
    let help = tool(folder.path(), "compute-sanitizer --help");
    assert!(help.code == 0 && help.stdout.contains("--error-exitcode <CODE>"), "{help:?}");
}

#[test]
fn nvidia_smi_shows_the_emulated_device() {
    let folder = tempfile::tempdir().unwrap();
    // With the machine on the library path, a GPU of this computer is not used.
    let machine = libraries();
    let variables = [
        ("LD_LIBRARY_PATH", machine.path().to_str().unwrap()),
        ("WARPLAB_CACHE", folder.path().to_str().unwrap()),
        ("WARPLAB_PROFILE", "t4"),
    ];
    let smi = |line: &str| {
        let words = line.split(' ').filter(|word| !word.is_empty());
        warplab_in(folder.path(), &std::iter::once("nvidia-smi").chain(words).collect::<Vec<_>>(), &variables)
    };
    let table = smi("");
    assert!(table.code == 0 && table.stdout.contains("|   0  NVIDIA Tesla T4 (emulated)     Off |"), "{table:?}");
    assert!(table.stdout.lines().skip(1).all(|line| [0, 91].contains(&line.chars().count())), "{table:?}");
    let list = smi("-L");
    assert!(list.stdout.starts_with("GPU 0: NVIDIA Tesla T4 (emulated) (UUID: GPU-"), "{list:?}");
    let query = smi("--query-gpu=gpu_name,memory.total,compute_cap,power.draw,clocks.max.sm --format=csv");
    let expected = "name, memory.total [MiB], compute_cap, power.draw [W], clocks.max.sm [MHz]\n\
                    NVIDIA Tesla T4 (emulated), 15095 MiB, 7.5, [N/A], 1590 MHz\n";
    assert_eq!(query.stdout, expected, "{query:?}");
    let bare = smi("-i 0 --query-gpu=memory.total,driver_version --format=csv,noheader,nounits");
    assert_eq!(bare.stdout, "15095, 580.00+emulated\n");
    assert_eq!(smi("--query-compute-apps=pid,used_memory --format=csv").stdout, "pid, used_memory [MiB]\n");
    let all = smi("-q");
    assert!(all.stdout.contains("        Total                             : 15095 MiB\n"), "{all:?}");
    let memory = smi("-q -d MEMORY");
    assert!(memory.stdout.contains("FB Memory Usage") && !memory.stdout.contains("Clocks"), "{memory:?}");
    for (line, words) in [
        ("--query-gpu=memory.totl --format=csv", "Field \"memory.totl\" is not a valid field to query; did you mean"),
        ("--query-gpu=name", "a query needs its format: --format=csv"),
        ("--query-gpu=name --format=xml", "--format is `xml`"),
        ("-q -d SPEED", "--display has no section SPEED"),
        ("-i 7", "no devices were found for 7"),
        ("-pm 1", "-pm of NVIDIA's nvidia-smi is not available here"),
        ("topo -m", "nvidia-smi topo is not available here"),
    ] {
        let run = smi(line);
        assert!(run.code == 2 && one_line(&run.stderr).contains(words), "{line}: {run:?}");
    }
}

/// Loads and stores with a stride of two, then conflicts in shared memory.
const COUNTED: &str = "#include <cstdio>
__global__ void stride(float *x) { x[2 * threadIdx.x] += 1; }
__global__ void conflicts(float *x) {
    __shared__ float s[64];
    s[2 * threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[2 * threadIdx.x];
}
int main(int count, char **) {
    float *x;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    stride<<<2, 32>>>(x);
    conflicts<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    puts(\"end\");
    return count - 1;
}
";

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_ncu_shows_what_is_counted_and_names_what_is_not() {
    let folder = built(COUNTED);
    let run = |options: &str| tool(folder.path(), &format!("ncu {options}"));
    let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    let all = run("./x 1 2");
    assert_eq!(all.code, 2, "{all:?}");
    for words in [
        "  stride(float*) (2, 1, 1)x(32, 1, 1), Context 1, Stream",
        "Section: Launch Statistics",
        "Global Load Sectors               sector           16\n",
        "Shared Store Bank Conflicts                         1\n",
    ] {
        assert!(all.stdout.contains(words), "{words}: {}", all.stdout);
    }
    let csv = run(&format!("--csv --log-file log.csv --metrics {sectors},dram__bytes_read.sum -k stride ./x"));
    assert_eq!((csv.code, &*csv.stdout), (0, "end\n"), "{csv:?}");
    assert!(one_line(&csv.stderr).contains("not counted here: dram__bytes_read.sum;"), "{csv:?}");
    let log = fs::read_to_string(folder.path().join("log.csv")).unwrap();
    let rows: Vec<&str> = log.lines().collect();
    assert_eq!(rows.len(), 3, "{log}");
    assert!(rows[0].ends_with("\"Metric Name\",\"Metric Unit\",\"Metric Value\""), "{log}");
    assert!(rows[1].ends_with(&format!("\"{sectors}\",\"sector\",\"16\"")), "{log}");
    assert!(rows[2].ends_with("\"dram__bytes_read.sum\",\"\",\"n/a\""), "{log}");
    let one = run("--section Occupancy -s 1 -c 1 ./x");
    assert!(one.stdout.contains("conflicts(float*)") && !one.stdout.contains("stride"), "{one:?}");
    let time = run("--metrics gpu__time_duration.sum ./x");
    assert!(time.stderr.contains("ncu: predicted, not measured: gpu__time_duration.sum"), "{time:?}");
    assert!(run("-k nothing ./x").stderr.contains("No kernels were profiled"));
    let kept = run("-o kept ./x");
    assert!(kept.code == 0 && kept.stdout.ends_with("Generated:\n    kept (for `warplab report kept`)\n"), "{kept:?}");
    assert!(!kept.stdout.contains("Section:"), "{kept:?}");
    assert!(run("--export=paged --page details ./x").stdout.contains("Section: Launch Statistics"));
    assert_eq!(warplab_in(folder.path(), &["report", "kept"], &[]).code, 0);
}

#[test]
fn ncu_names_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for (line, code, words) in [
        ("ncu", 2, "name a program: ncu [OPTIONS] PROGRAM"),
        ("ncu --section Ocupancy ./x", 2, "--section has no Ocupancy; did you mean `Occupancy`?"),
        ("ncu --section SpeedOfLight ./x", 4, "not counted here: SpeedOfLight"),
        ("ncu --nvtx ./x", 2, "--nvtx of NVIDIA's ncu is not available here"),
        ("ncu -k regex:a ./x", 2, "--kernel-name takes a whole name here"),
    ] {
        let run = tool(folder.path(), line);
        assert!(run.code == code && one_line(&run.stderr).contains(words), "{line}: {run:?}");
    }
    let metrics = tool(folder.path(), "ncu --query-metrics");
    assert!(metrics.code == 0 && metrics.stdout.contains("smsp__inst_executed.sum "), "{metrics:?}");
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_nsys_and_nvprof_sum_up_calls_kernels_and_copies() {
    let folder = built(ADDS);
    let nsys = tool(folder.path(), "nsys profile --stats=true -t cuda ./x 1");
    assert_eq!(nsys.code, 5, "{nsys:?}");
    let text = &nsys.stdout;
    let all = [
        "31\n",
        "Times are the emulation's own and say nothing about a GPU",
        "Num Calls",
        "cudaLaunchKernel\n",
        "add(int*)\n",
        "Predicted for h200, not measured",
        "SKIPPED: copies are not timed",
        "0.000128      1  0.000128       n/a       n/a       n/a          n/a  [CUDA memcpy Host-to-Device]\n",
    ];
    for words in all {
        assert!(text.contains(words), "{words}: {text}");
    }
    let copies = text.lines().find(|line| line.ends_with("  cudaMemcpy")).unwrap();
    assert_eq!(copies.split_whitespace().nth(2), Some("2"), "{text}");
    let kept = tool(folder.path(), "nsys profile -o run ./x");
    assert!(
        kept.code == 0 && kept.stdout.contains("warplab report run") && !kept.stdout.contains("Num Calls"),
        "{kept:?}"
    );
    let page = tool(folder.path(), "report run --out page.html");
    assert!(page.code == 0 && folder.path().join("page.html").is_file(), "{page:?}");
    let nvprof = tool(folder.path(), "nvprof --log-file log ./x");
    assert_eq!((nvprof.code, &*nvprof.stdout), (0, "31\n"), "{nvprof:?}");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    for words in ["GPU activities:  100.00%", "API calls:", "  add(int*)\n", "[CUDA memcpy Host-to-Device] (128 bytes"]
    {
        assert!(log.contains(words), "{words}: {log}");
    }
}

#[test]
#[ignore = "needs nvcc, which `warplab setup --nvcc` brings"]
fn nvcc_cuda_gdb_names_the_line_that_failed() {
    let folder = built(STRAYS);
    let debugged = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        warplab_in(folder.path(), &[&["cuda-gdb", "-batch", "-ex", "run", "-ex", "bt"], &words[..]].concat(), &[])
    };
    let fault = debugged("./x");
    assert_eq!(fault.code, 1, "{fault:?}");
    for words in [
        "CUDA Exception: Invalid __global__ read",
        "exited normally",
        "#0  add<<<(1,1,1),(32,1,1)>>> () at ",
        "x.cu:2\n",
    ] {
        assert!(fault.stdout.contains(words), "{words}: {}", fault.stdout);
    }
    let fine = debugged("--args ./x 1 2");
    assert!(fine.code == 2 && fine.stdout.contains("exited with code 02]\nNo stack."), "{fine:?}");
}

#[test]
fn profilers_and_the_debugger_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for (line, words) in [
        ("nsys", "name a command: nsys profile [OPTIONS] PROGRAM"),
        ("nsys stats x.nsys-rep", "nsys stats is not available here"),
        ("nsys prof ./x", "nsys has no command prof; did you mean `profile`?"),
        ("nsys profile", "name a program: nsys profile"),
        ("nsys profile --stats=yes ./x", "--stats is `yes`"),
        ("nsys profile --delay 1 ./x", "--delay of NVIDIA's nsys is not available here"),
        ("nvprof --metrics all ./x", "--metrics of NVIDIA's nvprof is not available here"),
        ("nvprof --metric all ./x", "nvprof has no option --metric"),
        ("cuda-gdb ./x", "cuda-gdb runs only with --batch"),
        ("cuda-gdb --batch -ex next ./x", "no command `next` here: there is no debugger"),
        ("cuda-gdb --batch -x file ./x", "-x of NVIDIA's cuda-gdb is not available here"),
    ] {
        let run = tool(folder.path(), line);
        assert!(run.code == 2 && one_line(&run.stderr).contains(words), "{line}: {run:?}");
    }
}

/// A script in place of nvcc, which prints its options.
#[cfg(unix)]
fn fake_nvcc(folder: &Path, release: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("nvcc-of-another-version");
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 'release {release}, V{release}.1' || echo \"$@\"\n");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
#[cfg(unix)]
fn another_nvcc_is_used_if_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache").to_str().unwrap().to_owned();
    let nvcc = |named: &str, line: &str| {
        let words: Vec<&str> = std::iter::once("nvcc").chain(line.split(' ')).collect();
        warplab_in(folder.path(), &words, &[("WARPLAB_NVCC", named), ("WARPLAB_CACHE", &cache)])
    };
    let newer = fake_nvcc(folder.path(), "12.4");
    let run = nvcc(&newer, "x.cu -cudart static");
    assert!(run.code == 0 && run.stdout.contains("-cudart shared") && !run.stdout.contains("static"), "{run:?}");
    // This project has no runtime under the name of CUDA 11's.
    let older = fake_nvcc(folder.path(), "11.8");
    for (line, kept) in [("x.cu", " x.cu"), ("x.cu -cudart static", " x.cu -cudart static")] {
        let run = nvcc(&older, line);
        assert!(run.code == 0 && run.stdout.contains(kept) && !run.stdout.contains("shared"), "{run:?}");
        assert!(run.stdout.contains("/warplab_start.h"), "{run:?}");
    }
    let missing = nvcc("/no/nvcc", "x.cu");
    assert!(missing.code == 4 && one_line(&missing.stderr).contains("WARPLAB_NVCC names /no/nvcc, and"), "{missing:?}");
}

/// The header for sources of older CUDA leaves the names of an older nvcc's own headers as they are.
#[test]
fn the_headers_for_older_sources_change_nothing_for_an_older_nvcc() {
    let folder = tempfile::tempdir().unwrap();
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/compatibility");
    fs::write(folder.path().join("cuda_runtime.h"), "int __any(int condition);\n").unwrap();
    fs::write(folder.path().join("x.cpp"), "#include <cuda_runtime.h>\n").unwrap();
    for (version, name) in [("11", "int __any(int"), ("12", "int __any(int"), ("13", "int warplab_removed_any(int")] {
        let line = format!("g++ -E -P -D__CUDACC_VER_MAJOR__={version} -I '{}' -I . x.cpp", headers.display());
        let run = sh(folder.path(), &line, &[]);
        assert!(run.code == 0 && run.stdout.contains(name), "{version}: {run:?}");
    }
}
