//! Tests of the compiler with a real NVRTC. Ignored by default, because it may be missing; run them with `cargo test -p
//! kernels -- --include-ignored nvrtc`.
use std::path::Path;

use kernels::{Arch, CommittedPtx, Error, Header, KernelSource, Outcome, PtxOrigin};

fn source(cuda: &str) -> KernelSource {
    KernelSource {
        name: "mine.cu".into(),
        path: "exercises/mine.cu".into(),
        cuda: cuda.to_string().into(),
        ptx: CommittedPtx::NONE,
        headers: Vec::new().into(),
    }
}

const GOOD: &str =
    "#include \"index.cuh\"\nextern \"C\" __global__ void twice(float *x) {\n    x[grid_index()] *= 2;\n}\n";

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_for_the_device_with_the_users_own_names() {
    let compiled = kernels::ptx_for(&source(GOOD), (8, 6)).unwrap();
    assert!(
        matches!(compiled.origin, PtxOrigin::Nvrtc { arch: Arch { number: 86, is_exact: false }, .. }),
        "{:?}",
        compiled.origin
    );
    assert!(compiled.ptx.starts_with(".version 7.4\n.target sm_86\n"), "{}", compiled.ptx);
    for line in [".visible .entry twice(", ".file\t1 \"exercises/mine.cu\"", ".file\t2 \"kernels/include/index.cuh\""] {
        assert!(compiled.ptx.contains(line), "no {line} in {}", compiled.ptx);
    }
    assert!(!compiled.ptx.contains(env!("CARGO_MANIFEST_DIR")), "a path of this computer in {}", compiled.ptx);
    // The second time it comes from the cache, and is the same.
    assert_eq!(kernels::ptx_for(&source(GOOD), (8, 6)).unwrap().ptx, compiled.ptx);
}

/// Instructions of a single compute capability are compiled for it, and rejected elsewhere, with or without a compiler.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_for_one_compute_capability_alone() {
    let hopper = source(
        "// target: compute_90a\nextern \"C\" __global__ void less() {\n    \
         asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n}\n",
    );
    let compiled = kernels::ptx_for(&hopper, (9, 0)).unwrap();
    assert!(compiled.ptx.starts_with(".version 8.0\n.target sm_90a\n"), "{}", compiled.ptx);
    for (device, words) in [((8, 0), "this device has 8.0"), ((10, 0), "this device has 10.0")] {
        let refused = kernels::ptx_for(&hopper, device).unwrap_err();
        assert!(matches!(refused, Error::OtherDevice { only: 90, .. }), "{refused}");
        assert!(refused.to_string().contains("only compute capability 9.0 has") && refused.to_string().contains(words));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    kernels::generate(kernels::nvrtc().unwrap().unwrap(), &hopper, &file).unwrap();
    let committed = KernelSource { ptx: CommittedPtx::read(&file), ..hopper };
    assert!(kernels::committed_for(&committed, (9, 0)).is_ok());
    for device in [(8, 0), (10, 0)] {
        assert!(matches!(kernels::committed_for(&committed, device), Err(Error::OtherDevice { only: 90, .. })));
    }
}

/// CUDA's own headers are found next to the compiler, and no path of this computer gets into the PTX.
#[test]
#[ignore = "needs NVRTC, with the headers of CUDA's runtime and of CCCL"]
fn nvrtc_finds_cudas_headers() {
    let source = source(
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n\
         extern \"C\" __global__ void sum(int *x) {\n    auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n    \
         *x = cg::reduce(tile, *x, cg::plus<int>());\n}\n",
    );
    let compiled = kernels::ptx_for(&source, (8, 0)).unwrap();
    let files: Vec<&str> = compiled.ptx.lines().filter(|l| l.contains(".file")).collect();
    assert!(files.len() > 1, "{files:?}");
    assert!(files.iter().all(|f| !f.contains("\"/")), "{files:?}");
}

/// CUB's headers include Thrust's headers by the names of macros.
#[test]
#[ignore = "needs NVRTC, with the headers of CUDA's runtime and of CCCL"]
fn nvrtc_is_given_the_headers_that_it_asks_for() {
    let source = source(
        "#include <cub/block/block_scan.cuh>\nextern \"C\" __global__ void scan(int *x) {\n    \
         __shared__ typename cub::BlockScan<int, 128>::TempStorage shared;\n    int sum;\n    \
         cub::BlockScan<int, 128>(shared).InclusiveSum(x[threadIdx.x], sum);\n    x[threadIdx.x] = sum;\n}\n",
    );
    let compiled = kernels::ptx_for(&source, (8, 0)).map_err(|error| error.to_string()).unwrap();
    assert!(compiled.ptx.contains("shfl.sync"), "{}", compiled.ptx);
    assert!(!compiled.ptx.contains("site-packages"), "a path of this computer in {}", compiled.ptx);
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_says_where_headers_are_looked_for() {
    let log = |include: &str| {
        let error = kernels::ptx_for(&source(&format!("#include {include}\n{GOOD}")), (8, 0));
        let Err(Error::Compile { log, .. }) = error else { panic!("{include}: {error:?}") };
        log
    };
    let missing = log("<no_such_header.h>");
    assert!(missing.contains("searched next to NVRTC"), "{missing}");
    // A user's own header is not part of NVIDIA's packages.
    let own = log("\"no_such_header.h\"");
    assert!(!own.contains("searched next to NVRTC"), "{own}");
    assert!(own.contains("no header `no_such_header.h`") && own.contains("index.cuh"), "{own}");
    let host = log("<type_traits>");
    assert!(host.contains("<type_traits> belongs to the host's library"), "{host}");
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_is_said_to_compile_kernels_only() {
    for text in ["int main() { return 0; }", "void helper(int *x) {}", "float table[4];"] {
        let Err(Error::Compile { log, .. }) = kernels::ptx_for(&source(&format!("{GOOD}{text}\n")), (8, 0)) else {
            panic!("{text} compiles")
        };
        assert!(log.contains("the lab itself has main"), "{log}");
        assert!(!log.contains("-default-device"), "{log}");
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_warns_about_a_file_that_it_accepts() {
    let header = Header {
        name: "mine.cuh".into(),
        path: "labs/mine/kernels/mine.cuh".into(),
        text: "__device__ inline int one() {\n    int unused;\n    return 1;\n}\n".into(),
    };
    let text = format!("#include \"mine.cuh\"\n#pragma unknown\n{GOOD}");
    let source = KernelSource { headers: vec![header].into(), ..source(&text) };
    // The second time it comes from the cache.
    for _ in 0..2 {
        let warnings = kernels::ptx_for(&source, (8, 0)).unwrap().warnings;
        let found: Vec<_> = warnings.iter().map(|w| (w.file.as_str(), w.line, w.number.as_str())).collect();
        assert_eq!(
            found,
            [("labs/mine/kernels/mine.cuh", 2, "177-D"), ("exercises/mine.cu", 2, "161-D")],
            "{warnings:?}"
        );
        assert!(warnings[0].message.contains("\"unused\" was declared but never referenced"), "{warnings:?}");
        assert!(warnings[0].text.contains("\n      int unused;"), "{warnings:?}");
    }
    assert!(kernels::ptx_for(&self::source(GOOD), (8, 0)).unwrap().warnings.is_empty());
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_errors_name_the_users_file_and_line() {
    let error = kernels::ptx_for(&source(&GOOD.replace("*= 2;", "*= two;")), (8, 0)).unwrap_err();
    let Error::Compile { log, .. } = &error else { panic!("{error}") };
    assert!(log.contains("exercises/mine.cu(3): error: identifier \"two\" is undefined"), "{log}");
    assert!(!log.contains("Architectures prior"), "{log}");
    let error = kernels::ptx_for(&source(&format!("{GOOD}\0")), (8, 0)).unwrap_err();
    assert!(matches!(&error, Error::Compile { log, .. } if log.contains("holds a zero byte")), "{error}");
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_makes_committed_ptx_that_is_seen_to_be_stale_after_an_edit() {
    let nvrtc = kernels::nvrtc().unwrap().expect("NVRTC");
    let folder = tempfile::tempdir().unwrap();
    let kernels = folder.path().join("labs/mine/kernels");
    std::fs::create_dir_all(&kernels).unwrap();
    std::fs::write(kernels.join("mine.cu"), GOOD).unwrap();
    let read = || kernels::sources_in(&kernels, folder.path()).unwrap().remove(0);
    assert!(matches!(kernels::check(Some(nvrtc), &read()).unwrap(), Outcome::Stale(_)), "there is none yet");

    let file = kernels.join("mine.cu");
    assert_eq!(kernels::generate(nvrtc, &read(), &file).unwrap(), Outcome::Written);
    assert_eq!(read().path, "labs/mine/kernels/mine.cu");
    assert_eq!(kernels::check(Some(nvrtc), &read()).unwrap(), Outcome::Current);
    assert_eq!(kernels::generate(nvrtc, &read(), &file).unwrap(), Outcome::Current);
    assert!(matches!(kernels::check(None, &read()).unwrap(), Outcome::CurrentByHash { .. }));
    assert_eq!(kernels::committed_for(&read(), (8, 0)).unwrap().origin, PtxOrigin::Committed);

    // Change the PTX by hand.
    let changed = CommittedPtx::read(&file).text().replace("mul.f32", "add.f32").replace("add.f32", "sub.f32");
    let ptx = CommittedPtx::file(&file);
    std::fs::write(&ptx, CommittedPtx::file_content(&ptx, &changed)).unwrap();
    assert!(matches!(kernels::check(Some(nvrtc), &read()).unwrap(), Outcome::Stale(_)));
    // Change the source and not the PTX.
    std::fs::write(kernels.join("mine.cu"), GOOD.replace("2;", "3;")).unwrap();
    assert!(matches!(kernels::check(None, &read()).unwrap(), Outcome::Stale(_)));
    assert!(matches!(kernels::committed_for(&read(), (8, 0)), Err(Error::Stale { .. })));
}

#[test]
fn a_device_older_than_the_committed_ptx_is_said() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut vecadd = kernels::sources_in(&root.join("labs/vecadd/kernels"), root).unwrap().remove(0);
    assert!(kernels::committed_for(&vecadd, (7, 0)).is_ok());
    // Nothing in it needs 7.0, so a Maxwell gets the same text with its own target.
    let older = kernels::committed_for(&vecadd, (5, 2)).unwrap().ptx;
    assert_eq!(older.replace(".target sm_52", ".target sm_70"), vecadd.ptx.text());
    assert!(older.contains(".target sm_52"));
    let error = kernels::committed_for(&vecadd, (3, 5)).unwrap_err();
    assert!(error.to_string().contains("for compute capability 7.0 and later, this device has 3.5"), "{error}");
    vecadd.cuda = (vecadd.cuda.to_string() + "// edited\n").into();
    let error = kernels::committed_for(&vecadd, (7, 0)).unwrap_err();
    assert!(error.to_string().contains("`warplab setup`"), "{error}");
    vecadd.ptx = CommittedPtx::NONE;
    assert!(matches!(kernels::committed_for(&vecadd, (7, 0)), Err(Error::NoCompiler { .. })));
}

/// A header of the lab's own is compiled from the text inside the binary, named by its path, and part of the hash.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_a_labs_own_header() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = folder.path().join("labs/mine/kernels");
    let mended = folder.path().join("labs/mine/tests/mended");
    std::fs::create_dir_all(&kernels).unwrap();
    std::fs::create_dir_all(&mended).unwrap();
    let cuda = GOOD.replace("index.cuh", "mine.cuh");
    std::fs::write(kernels.join("mine.cu"), &cuda).unwrap();
    std::fs::write(mended.join("mine.cu"), &cuda).unwrap();
    std::fs::write(kernels.join("mine.cuh"), "__device__ int grid_index() { return threadIdx.x; }\n").unwrap();
    let read = |of: &Path| kernels::sources_in(of, folder.path()).unwrap().remove(0);
    let own = read(&kernels);
    std::fs::remove_file(kernels.join("mine.cuh")).unwrap();

    let compiled = kernels::ptx_for(&own, (8, 6)).unwrap();
    assert!(compiled.ptx.contains(".file\t2 \"labs/mine/kernels/mine.cuh\""), "{}", compiled.ptx);
    assert!(own.text("labs/mine/kernels/mine.cuh").unwrap().contains("grid_index"));

    // An error in a header names the header by its path.
    std::fs::write(kernels.join("mine.cuh"), "\n__device__ int grid_index() { return two; }\n").unwrap();
    let wrong = read(&mended);
    let Err(Error::Compile { log, .. }) = kernels::ptx_for(&wrong, (8, 6)) else { panic!("it compiles") };
    assert!(log.contains("labs/mine/kernels/mine.cuh(2): error: identifier \"two\" is undefined"), "{log}");
    assert_ne!(own.hash(), wrong.hash());

    // A file of that name on disk does not replace it: the tests run in a folder that contains include/index.cuh.
    let header = Header {
        name: "index.cuh".into(),
        path: "include/index.cuh".into(),
        text: "__device__ int grid_index() { return 12345; }\n".into(),
    };
    assert!(Path::new(header.path.as_ref()).exists());
    let own = KernelSource { path: "include/mine.cu".into(), headers: vec![header].into(), ..source(GOOD) };
    assert!(kernels::ptx_for(&own, (8, 6)).unwrap().ptx.contains("+49380]"), "the address of x[12345]");
}

/// nvcc accepts headers of the host's library, and so does NVRTC here.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_is_given_stand_ins_for_headers_of_the_host() {
    let kernel = |statements: &str| format!("extern \"C\" __global__ void k(float *x, int n) {{ {statements} }}\n");
    for (headers, statements) in [
        (&["stdio.h", "cstdio"][..], "printf(\"%d\", n);"),
        (&["cstdio"], "std::printf(\"%d\", n);"),
        (&["math.h", "cmath"], "*x = sqrtf(*x) + fmaxf(*x, INFINITY) + M_PI; if (isnan(*x)) *x = NAN;"),
        (
            &["cmath"],
            "*x = std::sqrt(*x) + std::abs(*x) + std::fmax(*x, 1.0f) + std::pow(*x, 2.0f); double d = std::exp(*x); *x += d;",
        ),
        (
            &["cstdint", "stdint.h", "inttypes.h"],
            "uint64_t a = n; std::uint32_t b = UINT32_MAX; *x = a + b + INT64_MAX;",
        ),
        (&["assert.h", "cassert"], "assert(n > 0);"),
        (&["limits.h", "climits"], "*x = INT_MAX + UINT_MAX + LLONG_MIN;"),
        (&["float.h", "cfloat"], "*x = FLT_MAX + DBL_EPSILON;"),
        (&["stddef.h", "cstddef"], "size_t a = n; std::ptrdiff_t b = a; void *p = NULL; *x = b + (p == nullptr);"),
        (&["string.h", "cstring"], "memset(x, 0, n); std::memcpy(x, x + n, 4);"),
        (&["stdlib.h", "cstdlib"], "free(malloc(n));"),
        (&["stdbool.h", "time.h", "ctime", "iostream", "vector", "string", "algorithm"], "bool b = n; *x = b;"),
        (&["cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"], "*x = threadIdx.x;"),
        (&["cuda.h"], "CUtensorMap map; *x = sizeof map;"),
        (
            &[
                "cooperative_groups.h",
                "cstdint",
                "cuda_fp16.h",
                "cmath",
                "cuda/std/cstdint",
                "cuda/std/climits",
                "climits",
            ],
            "*x = n;",
        ),
    ] {
        let mut all: Vec<Vec<&str>> = headers.iter().map(|header| vec![*header]).collect();
        all.push(headers.to_vec());
        all.push(headers.iter().rev().copied().collect());
        for headers in all {
            let includes: Vec<String> = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
            let includes = includes.concat();
            let compiled = kernels::ptx_for(&source(&(includes + &kernel(statements))), (8, 0));
            let compiled = compiled.map_err(|error| format!("{headers:?}: {error}"));
            assert!(compiled.is_ok(), "{}", compiled.unwrap_err());
        }
    }
    // A user's own header takes precedence over a stand-in.
    let own = Header { name: "stdio.h".into(), path: "stdio.h".into(), text: "#define VALUE 4321\n".into() };
    let source = KernelSource {
        headers: vec![own].into(),
        ..source(&("#include \"stdio.h\"\n".to_string() + &kernel("*x = VALUE;")))
    };
    assert!(kernels::ptx_for(&source, (8, 0)).is_ok());
}
