//! CUDA's runtime as written to a folder: its names and versions, and programs that are linked with it, without nvcc.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, process::Command};

use crate::common::{fails, libraries, rows, warplab_in};
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader},
};

#[test]
fn each_edition_has_its_name_and_its_version() {
    let folder = libraries();
    for file in ["libcudart.so.13", "libcudart.so.12"] {
        let library = fs::read(folder.path().join(file)).unwrap();
        let library = &library[..];
        let header = elf::FileHeader64::<Endianness>::parse(library).unwrap();
        let endian = header.endian().unwrap();
        let sections = header.sections(endian, library).unwrap();
        let (entries, strings) = sections.dynamic(endian, library).unwrap().unwrap();
        let strings = sections.strings(endian, library, strings).unwrap();
        let soname = entries.iter().find(|entry| entry.tag32(endian) == Some(elf::DT_SONAME)).unwrap();
        assert_eq!(soname.string(endian, strings).unwrap(), file.as_bytes());
        let versions = sections.versions(endian, library).unwrap().expect("versions of symbols");
        let symbols = sections.symbols(endian, library, elf::SHT_DYNSYM).unwrap();
        let mut seen = 0;
        for (index, symbol) in symbols.enumerate() {
            let name = symbols.symbol_name(endian, symbol).unwrap();
            if name.starts_with(b"cuda") || name.starts_with(b"__cuda") {
                let version = versions.version(versions.version_index(endian, index)).unwrap().expect("a version");
                assert_eq!(version.name(), file.as_bytes(), "{}", String::from_utf8_lossy(name));
                assert_eq!(version.hash(), elf::hash(file.as_bytes()));
                seen += 1;
            }
        }
        assert!(seen > 400, "{seen} calls");
    }
}

const PROGRAM: &str = r#"
#include <stdio.h>
#include <string.h>
int cudaRuntimeGetVersion(int *), cudaMalloc(void **, size_t), cudaFree(void *), cudaMemset(void *, int, size_t);
int cudaMemcpy(void *, const void *, size_t, int), cudaSetDevice(int), cudaGetLastError(void), cudaGLSetGLDevice(int);
const char *cudaGetErrorName(int);
int main(void) {
    int version = 0;
    unsigned char host[100], *device = 0;
    if (cudaRuntimeGetVersion(&version) || cudaMalloc((void **)&device, 100) || cudaMemset(device, 7, 100)) return 1;
    if (cudaMemcpy(host, device, 100, 2) || host[99] != 7 || cudaFree(device)) return 2;
    if (cudaSetDevice(77) != 101 || cudaGetLastError() != 101 || cudaGetLastError() != 0) return 3;
    if (cudaGLSetGLDevice(0) != 801 || cudaGLSetGLDevice(0) != 801) return 4;
    printf("%d %s\n", version, cudaGetErrorName(101));
    return 0;
}
"#;

/// Compiles a program and links it with this version. `false` without a C compiler.
fn linked(folder: &Path, edition: &str, program: &str) -> bool {
    fs::write(folder.join("program.c"), program).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["program.c", "-o", "program", "-L.", &format!("-l:{edition}")]).current_dir(folder);
    let Ok(status) = cc.status() else { return false };
    assert!(status.success(), "{edition}");
    true
}

#[test]
fn a_program_runs_with_the_edition_that_it_was_linked_with() {
    let folder = libraries();
    for (edition, version) in [("libcudart.so.13", "13000"), ("libcudart.so.12", "12090")] {
        if !linked(folder.path(), edition, PROGRAM) {
            return;
        }
        let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "--check", "all", "./program"], &[]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(run.stdout, format!("{version} cudaErrorInvalidDevice\n"));
        // What has failed and what is missing is reported once; the loader prints nothing.
        let said: Vec<&str> = run.stderr.trim().lines().collect();
        assert_eq!(
            said,
            [
                "emulated CUDA driver: cudaSetDevice failed: cudaErrorInvalidDevice, \"invalid device ordinal\"",
                "libcudart: cudaGLSetGLDevice is not supported; it returns cudaErrorNotSupported"
            ]
        );
    }
}

/// A node that copies, added by the call for nodes of every kind, and a texture. The structure that describes a
/// texture's memory ends after 64 bytes in CUDA 12, and what follows belongs to the program.
const STRUCTURES: &str = r"
#include <string.h>
typedef unsigned long word;
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int), cudaRuntimeGetVersion(int *);
int cudaFree(void *), cudaDeviceSynchronize(void), cudaGraphCreate(void **, int), cudaGraphAddNode(void **, void *, ...);
int cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphLaunch(void *, void *);
int cudaCreateTextureObject(word *, const void *, const void *, const void *);
int cudaGetTextureObjectResourceDesc(void *, word);
struct pitched { void *ptr; size_t pitch, xsize, ysize; };
struct copy { void *src_array; size_t src_pos[3]; struct pitched src; void *dst_array; size_t dst_pos[3]; struct pitched dst;
    size_t extent[3]; int kind; };
struct node { int type, reserved[3]; int flags, more[3]; struct copy copy; char rest[64]; };
int main(void) {
    int version = 0;
    char host[256], *device = 0;
    void *graph, *node, *exec;
    memset(host, 7, sizeof host);
    if (cudaRuntimeGetVersion(&version) || cudaMalloc((void **)&device, 256)) return 1;
    struct node params;
    memset(&params, 0, sizeof params);
    params.type = 1;
    params.copy.src = (struct pitched){host, 256, 256, 1};
    params.copy.dst = (struct pitched){device, 256, 256, 1};
    params.copy.extent[0] = 256, params.copy.extent[1] = params.copy.extent[2] = 1;
    params.copy.kind = 1;
    if (sizeof params != 256 || cudaGraphCreate(&graph, 0)) return 2;
    if (version < 13000 ? cudaGraphAddNode(&node, graph, (void *)0, (size_t)0, &params)
                        : cudaGraphAddNode(&node, graph, (void *)0, (void *)0, (size_t)0, &params)) return 3;
    if (cudaGraphInstantiate(&exec, graph, 0) || cudaGraphLaunch(exec, 0) || cudaDeviceSynchronize()) return 4;
    memset(host, 0, sizeof host);
    if (cudaMemcpy(host, device, 256, 2) || host[0] != 7 || host[255] != 7) return 5;

    union { int words[36]; struct { int kind, padding; void *memory; int bits[5]; size_t size; } of; } resource;
    size_t mine = version < 13000 ? 64 : 144;
    int texture[18] = {0};
    word object = 0;
    memset(&resource, 0, mine);
    memset((char *)&resource + mine, 0xff, sizeof resource - mine);
    resource.of.kind = 2, resource.of.memory = device, resource.of.bits[0] = 8, resource.of.bits[4] = 1, resource.of.size = 256;
    if (cudaCreateTextureObject(&object, &resource, texture, 0)) return 6;
    memset(&resource, 0xff, sizeof resource);
    if (cudaGetTextureObjectResourceDesc(&resource, object)) return 7;
    if (resource.of.memory != device || resource.of.bits[0] != 8 || resource.of.size != 256) return 8;
    for (size_t at = mine; at < sizeof resource; at++) if (((char *)&resource)[at] != (char)0xff) return 9;
    return cudaFree(device);
}
";

#[test]
fn structures_are_those_of_the_edition() {
    let folder = libraries();
    for edition in ["libcudart.so.13", "libcudart.so.12"] {
        if !linked(folder.path(), edition, STRUCTURES) {
            return;
        }
        let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "--check", "all", "./program"], &[]);
        assert_eq!(run.code, 0, "{edition}: {run:?}");
    }
}

#[test]
fn a_leak_is_the_program_s_and_every_order_is_run() {
    let folder = libraries();
    if !linked(folder.path(), "libcudart.so.13", PROGRAM) {
        return;
    }
    let source = fs::read_to_string(folder.path().join("program.c")).unwrap();
    fs::write(folder.path().join("program.c"), source.replace("|| cudaFree(device)", "")).unwrap();
    let cc = Command::new("cc")
        .args(["program.c", "-g", "-rdynamic", "-o", "program", "-L.", "-l:libcudart.so.13"])
        .current_dir(folder.path())
        .status();
    assert!(cc.unwrap().success());
    let args = ["exec", "--device", "emulated", "--check", "leakcheck", "./program"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("called by main"), "{run:?}");
    let args = ["exec", "--device", "emulated", "--schedules", "3", "./program"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{run:?}");
}

/// The lines of JSON in a file.
fn lines(file: &Path) -> Vec<serde_json::Value> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_is_kept_as_lines_of_json_and_as_a_folder_that_becomes_a_page() {
    let folder = libraries();
    if !linked(folder.path(), "libcudart.so.13", PROGRAM) {
        return;
    }
    let exec = |options: &[&str], program: &[&str]| {
        let args = [&["exec", "--device", "emulated:t4"], options, program].concat();
        warplab_in(folder.path(), &args, &[])
    };
    let run = exec(&["--json", "run.jsonl", "--out", "run"], &["./program", "one"]);
    assert_eq!(run.code, 0, "{run:?}");
    let [end] = &lines(&folder.path().join("run.jsonl"))[..] else { panic!("one line") };
    assert_eq!((&end["kind"], &end["exit_code"], &end["command_exit_code"]), (&"program".into(), &0.into(), &0.into()));
    assert_eq!((&end["device"], &end["program"][1]), (&"emulated:t4".into(), &"one".into()));
    let [main] = &rows(&folder.path().join("run/program.csv"))[..] else { panic!("one row") };
    assert_eq!((main["variant"].as_str(), main["verdict"].as_str()), ("main", "pass"));
    assert_eq!((main["copied_d2h_bytes"].as_str(), main["filled_bytes"].as_str()), ("100", "100"));
    let report = warplab_in(folder.path(), &["report", "run", "--out", "-"], &[]);
    assert_eq!(report.code, 0, "{report:?}");
    for words in ["Emulated. ", "NVIDIA Tesla T4", "./program one"] {
        assert!(report.stdout.contains(words), "no {words}");
    }
    // Failures are recorded too, and a run in the same folder replaces the previous one.
    let run = exec(&["--json=-", "--out", "run"], &["/bin/sh", "-c", "kill -SEGV $$"]);
    assert_eq!(run.code, 128 + libc::SIGSEGV, "{run:?}");
    let end: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&end["exit_code"], &end["command_exit_code"]), (&serde_json::Value::Null, &run.code.into()));
    let [main] = &rows(&folder.path().join("run/program.csv"))[..] else { panic!("one row") };
    assert_eq!((main["verdict"].as_str(), main["note"].as_str()), ("fail", "ended by a signal"));
    // A path that is not a folder, and a file in a missing folder.
    let run = exec(&["--out", "run.jsonl"], &["./program"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("cannot create the output folder run.jsonl"), "{run:?}");
    let run = exec(&["--json", "no/such/file"], &["./program"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("no/such"), "{run:?}");
}

#[test]
fn every_process_of_a_script_counts_and_is_named() {
    let folder = libraries();
    if !linked(folder.path(), "libcudart.so.13", PROGRAM) {
        return;
    }
    fs::rename(folder.path().join("program"), folder.path().join("clean")).unwrap();
    let source = fs::read_to_string(folder.path().join("program.c")).unwrap();
    fs::write(folder.path().join("program.c"), source.replace("|| cudaFree(device)", "")).unwrap();
    let cc = ["program.c", "-o", "leaks", "-L.", "-l:libcudart.so.13"];
    assert!(Command::new("cc").args(cc).current_dir(folder.path()).status().unwrap().success());
    let exec = |script: &str| {
        let args = ["exec", "--device", "emulated", "--check", "leakcheck", "--json", "run.jsonl", "--out", "run"];
        warplab_in(folder.path(), &[&args[..], &["sh", "-c", script]].concat(), &[])
    };
    for script in ["./leaks; ./clean", "./clean; ./leaks; true"] {
        let run = exec(script);
        assert_eq!(run.code, 1, "{run:?}");
        for words in ["Processes of the program that used the device", "./leaks", "./clean"] {
            assert!(run.stderr.contains(words), "{words}: {run:?}");
        }
        let lines = lines(&folder.path().join("run.jsonl"));
        let end = lines.last().unwrap();
        let mut found: Vec<(&str, u64)> = end["processes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["command"].as_str().unwrap(), one["findings"].as_u64().unwrap()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [("./clean", 0), ("./leaks", 1)]);
        assert!(end["findings"][0]["text"].as_str().unwrap().contains(", ./leaks"), "{end}");
        assert_eq!(end["command_exit_code"], 1);
        let rows = rows(&folder.path().join("run/program.csv"));
        assert_eq!(rows[0]["verdict"], "finding", "{rows:?}");
        // Both copied and filled as much.
        assert_eq!((rows[0]["copied_d2h_bytes"].as_str(), rows[0]["filled_bytes"].as_str()), ("200", "200"));
        let details = fs::read_to_string(folder.path().join("run/program.jsonl")).unwrap();
        assert!(details.contains(", ./leaks"), "{details}");
    }
    // The program's own exit status is kept.
    assert_eq!(exec("./leaks; exit 7").code, 7);
}

#[test]
fn a_program_that_takes_too_long_is_ended_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["exec", "--device", "emulated", "--timeout", "0.2s", "sh", "-c", "sleep 1000; true"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 124, "{run:?}");
    assert!(run.stderr.contains("sh: ended after 200ms, as --timeout asks"), "{run:?}");
    let run =
        warplab_in(folder.path(), &["exec", "--device", "emulated", "--timeout", "1h", "sh", "-c", "exit 3"], &[]);
    assert_eq!(run.code, 3, "{run:?}");
    fails(&["exec", "--timeout", "soon", "true"], 2, &["`soon` is not a time above 0"]);
}

#[test]
fn a_program_that_needs_machine_code_for_gpus_is_told_so_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let cc = |arguments: &[&str]| Command::new("cc").args(arguments).current_dir(folder.path()).status();
    fs::write(folder.path().join("blas.c"), "int cublasCreate_v2(void **h) { return 0; }\n").unwrap();
    let program = "int cublasCreate_v2(void **); int main(void) { void *h; return cublasCreate_v2(&h); }\n";
    fs::write(folder.path().join("program.c"), program).unwrap();
    let library = ["-shared", "-fPIC", "-Wl,-soname,libcublas.so.13", "blas.c", "-o", "libcublas.so.13"];
    let Ok(status) = cc(&library) else { return };
    assert!(status.success() && cc(&["program.c", "-o", "program", "-L.", "-l:libcublas.so.13"]).unwrap().success());
    fs::remove_file(folder.path().join("libcublas.so.13")).unwrap();
    let run = warplab_in(folder.path(), &["exec", "--device", "emulated", "./program"], &[]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (4, "", 1), "{run:?}");
    assert!(
        run.stderr.contains("./program needs libcublas.so.13, which contains or generates GPU machine code"),
        "{run:?}"
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    fails(&["exec"], 2, &["PROGRAM"]);
    for (command, option, nearest) in
        [("exec", "--chek", "did you mean `--check`?"), ("driver", "--schedule=3", "did you mean `--schedules`?")]
    {
        let words = format!("{command} has no option {}; {nearest}", option.split('=').next().unwrap());
        fails(&[command, option, "all", "true"], 2, &[&words, "Options of the program go after its name"]);
    }
    let both = ["exec", "--device", "emulated", "--keep-going", "--check", "all", "true"];
    fails(&both, 2, &["--keep-going cannot be used with racecheck or initcheck"]);
    fails(&["exec", "no-such-program"], 2, &["cannot run no-such-program: there is no such program"]);
    fails(&["exec", "--device", "emulated:h300", "true"], 2, &["unknown profile `h300`", "h200"]);
    fails(&["nvcc"], 2, &["name what to compile"]);
    fails(&["nvcc", "--cmake", "x.cu"], 2, &["--cmake writes a file for CMake, and takes no other options"]);
    let cache = tempfile::tempdir().unwrap();
    let nowhere = [("WARPLAB_CACHE", cache.path().to_str().unwrap()), ("PATH", "/nowhere")];
    let run = warplab_in(cache.path(), &["nvcc", "x.cu"], &nowhere);
    assert_eq!(run.code, 4, "{run:?}");
    // If a toolkit is installed, nvcc is found without PATH, but the host compiler is not.
    let has_toolkit = Path::new("/usr/local/cuda/bin/nvcc").exists();
    let lacks = if has_toolkit { "nvcc needs a C++ compiler" } else { "`warplab setup --nvcc` installs it" };
    assert!(run.stderr.contains(lacks), "{run:?}");
}
