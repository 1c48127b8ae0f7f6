//! Untrusted kernel files: what they can see of this computer, and which of its resources they can use.
use std::fs;

use kernels::{Error, KernelSource, Limit};

/// A text that must never be shown.
const SECRET: &str = "the_secret_word";

/// A kernel to append to a file.
const KERNEL: &str = "\nextern \"C\" __global__ void fill(int *x) { *x = 1; }\n";

/// Creates a folder `given` with the kernel file `x.cu` of this text, next to a file that contains the secret.
fn given(text: &str) -> (tempfile::TempDir, KernelSource) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("given");
    fs::create_dir(&folder).unwrap();
    fs::write(root.path().join("secret.h"), format!("{SECRET} x;\n")).unwrap();
    let file = folder.join("x.cu");
    fs::write(&file, format!("{text}{KERNEL}")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.h", folder.join("link.h")).unwrap();
    let source = KernelSource::read(&file, "x.cu").unwrap();
    (root, source)
}

/// Returns the message with which the file is rejected.
fn refusal(source: &KernelSource) -> String {
    match kernels::ptx_for(source, (8, 0)) {
        Ok(compiled) => panic!("it compiles:\n{}", compiled.ptx),
        Err(error) => error.to_string(),
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_shows_no_file_of_the_computer() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), format!("{SECRET} x;\n")).unwrap();
    let absolute = secret.path().display().to_string();
    for name in ["../secret.h", "link.h", "./../secret.h", "../given/../secret.h", &absolute] {
        for include in [
            "#include \"NAME\"",
            "#include <NAME>",
            "#define M \"NAME\"\n#include M",
            "#define M <NAME>\n#include M",
            "%:include \"NAME\"",
            "#include /* here */ \"NAME\"",
            "#inc\\\nlude \"NAME\"",
            "#include_next \"NAME\"",
            "#import \"NAME\"",
            "#embed \"NAME\"",
            "??=include \"NAME\"",
            "#pragma include_alias(\"a.h\", \"NAME\")\n#include \"a.h\"",
            "#line 1 \"NAME\"\nint y = no_such_name;",
            "#define STR(x) #x\n#define M(x) STR(x)\n#include M(NAME)",
        ] {
            let text = include.replace("NAME", name);
            let (_root, source) = given(&text);
            let said = refusal(&source);
            assert!(!said.contains(SECRET), "{text}: {said}");
        }
        // Its existence is not revealed either.
        let (_root, source) = given(&format!("#if __has_include(\"{name}\")\n#error it is there\n#endif"));
        let compiled = kernels::ptx_for(&source, (8, 0)).map_err(|error| error.to_string());
        assert!(compiled.is_ok(), "{name}: {compiled:?}");
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_shows_no_variable_of_the_environment() {
    let variable = "WARPLAB_CACHE_SECRET";
    for file in ["/proc/self/environ", "/proc/thread-self/environ"] {
        let (_root, source) = given(&format!("#include \"{file}\"\n"));
        let said = refusal(&source);
        assert!(!said.contains("PATH=") && !said.contains(variable), "{file}: {said}");
        assert!(said.contains("open source file"), "{said}");
    }
}

/// The compiled file may have headers in its own folder and its subfolders.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_is_given_the_headers_of_the_files_own_folder() {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("a.cuh", "#define A 3\n#include \"sub/b.cuh\"\n");
    write("sub/b.cuh", "#include \"c.cuh\"\n");
    write("sub/c.cuh", "#define C 5\n");
    for include in
        ["#include \"a.cuh\"", "#define M \"a.cuh\"\n#include M", "%:include <a.cuh>", "#inc\\\nlude \"a.c\\\nuh\""]
    {
        write("x.cu", &format!("{include}\nextern \"C\" __global__ void fill(int *x) {{ *x = A * 100 + C; }}\n"));
        let source = KernelSource::read(&root.path().join("x.cu"), "x.cu").unwrap();
        let ptx = kernels::ptx_for(&source, (8, 0)).map_err(|error| error.to_string()).unwrap().ptx;
        assert!(ptx.contains("305"), "{include}: {ptx}");
        assert!(ptx.contains("x.cu\""), "{ptx}");
    }
}

/// Each line doubles the expansion of the one before it.
fn doubled(first: &str, name: &str, times: usize) -> String {
    let mut text = format!("#define {name}0 {first}\n");
    for i in 0..times {
        text += &format!("#define {name}{} {name}{i} {name}{i}\n", i + 1);
    }
    text
}

#[test]
#[ignore = "needs NVRTC, and takes the time that a compilation may take"]
fn nvrtc_is_stopped_when_it_takes_too_much() {
    let macros = doubled("x[__LINE__]++;", "M", 26);
    let bombs = [
        ("macros", format!("{macros}__device__ void f(int *x) {{ M26 }}")),
        (
            "templates",
            "template <int N, int M> struct S { static constexpr int v = S<N - 1, M>::v + S<N - 1, M + (1 << N)>::v; };\n\
             template <int M> struct S<0, M> { static constexpr int v = M; };\n__device__ int y = S<24, 0>::v;"
                .to_string(),
        ),
    ];
    for (name, text) in bombs {
        let (_root, source) = given(&text);
        let error = kernels::ptx_for(&source, (8, 0)).map(|compiled| compiled.ptx.len());
        assert!(
            matches!(error, Err(Error::Exceeded { limit: Limit::Memory(_) | Limit::Processor(_), .. })),
            "{name}: {error:?}"
        );
    }
}

/// Headers whose names are assembled by macros are found one after the other, each by a compilation. All of them
/// together share one time limit.
#[test]
#[ignore = "needs NVRTC with CUDA's headers, and takes the time that a compilation may take"]
fn nvrtc_has_one_limit_for_all_attempts_of_a_file() {
    // The text before a header is compiled again for each: here, this takes some seconds.
    let costly = "template <int N, int M> struct S { static constexpr int v = S<N - 1, M>::v + S<N - 1, M + (1 << N)>::v; };\n\
                  template <int M> struct S<0, M> { static constexpr int v = M; };\n__device__ int y = S<15, 0>::v;\n";
    let declared: String =
        (0..100_000).map(|i| format!("__device__ int f{i}(int x, int y, float z);\n")).collect::<Vec<_>>().concat();
    let names = [
        ["cuda_", "fp16"],
        ["cuda_", "bf16"],
        ["cuda_", "fp8"],
        ["cuComplex", ""],
        ["math_", "constants"],
        ["mma", ""],
        ["cuda_", "fp6"],
        ["cuda_", "fp4"],
        ["cuda_", "pipeline"],
        ["cuda_", "awbarrier"],
        ["cooperative_", "groups"],
        ["vector_", "types"],
        ["device_", "types"],
        ["texture_", "types"],
    ];
    let ladder = |count: usize| {
        let rungs = names.iter().take(count).map(|[a, b]| format!("#include NAME({a}, {b})\n"));
        let macros = "#define TEXT(x) #x\n#define TEXT2(x) TEXT(x)\n#define JOIN(a, b) a##b\n#define NAME(a, b) TEXT2(JOIN(a, b).h)\n";
        given(&format!("{macros}{costly}{declared}{}", rungs.collect::<String>()))
    };
    let (_root, source) = ladder(1);
    assert!(kernels::ptx_for(&source, (8, 0)).is_ok());
    let (_root, source) = ladder(names.len());
    let error = kernels::ptx_for(&source, (8, 0)).map(|compiled| compiled.ptx.len());
    assert!(matches!(error, Err(Error::Exceeded { limit: Limit::Processor(_), .. })), "{error:?}");
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_writes_no_endless_log() {
    let (_root, source) = given(&"#pragma no_such_pragma_with_a_long_name_of_its_own\n".repeat(5000));
    let (_other, wrong) =
        given(&format!("{}int y = no_such_name;", "#pragma no_such_pragma_with_a_long_name\n".repeat(5000)));
    let said = refusal(&wrong);
    assert!(said.len() < 70 << 10, "{}", said.len());
    assert!(said.contains("bytes of the compiler's log are left out"), "{said}");
    assert!(said.contains("identifier \"no_such_name\" is undefined"), "{said}");
    assert!(!kernels::ptx_for(&source, (8, 0)).unwrap().warnings.is_empty());
}

/// A text that crashes the compiler.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_may_crash_and_this_process_goes_on() {
    let deep = format!("__device__ int f() {{ return {}1{}; }}", "(".repeat(200_000), ")".repeat(200_000));
    let (_root, source) = given(&deep);
    let error = kernels::ptx_for(&source, (8, 0)).map(|compiled| compiled.ptx.len()).unwrap_err();
    assert!(matches!(error, Error::Crashed { .. } | Error::Exceeded { .. } | Error::Compile { .. }), "{error:?}");
    let (_other, good) = given("");
    assert!(kernels::ptx_for(&good, (8, 0)).is_ok());
}

/// Returns the process that compiles for another process, once it exists.
#[cfg(target_os = "linux")]
fn compiling_for(parent: u32) -> Option<u32> {
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let name = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name in parentheses: the state, and the parent.
        let of: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        (name.starts_with("warplab: NVRTC") && of == parent)
            .then(|| entry.file_name().to_string_lossy().parse().ok())?
    })
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_ends_with_the_program_that_asked() {
    let mut asks = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["nvrtc_is_stopped_when_it_takes_too_much", "--exact", "--ignored"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pause = || std::thread::sleep(std::time::Duration::from_millis(10));
    let child = loop {
        if let Some(child) = compiling_for(asks.id()) {
            break child;
        }
        assert!(asks.try_wait().unwrap().is_none(), "it has ended by itself");
        pause();
    };
    // Any moment will do, whether or not the compiling process has already asked to end with its parent.
    asks.kill().unwrap();
    asks.wait().unwrap();
    let is_there =
        || fs::read_to_string(format!("/proc/{child}/cmdline")).is_ok_and(|name| name.starts_with("warplab: NVRTC"));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while is_there() {
        assert!(std::time::Instant::now() < deadline, "it goes on without its parent");
        pause();
    }
}

/// Whether a file exists is not revealed either: the same text compiles to the same PTX, whatever exists.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_does_not_see_whether_a_file_exists() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    for name in ["/etc/passwd", "/proc/self/status", &secret.path().display().to_string()] {
        let (_root, source) = given(&format!("#if __has_include(\"{name}\")\n#error it is there\n#endif\n"));
        kernels::ptx_for(&source, (8, 0)).unwrap();
    }
}
