//! NVIDIA's libraries that the embedded machine cannot run: they contain or generate machine code for GPUs, or use
//! undocumented functions of NVIDIA's own driver. NVRTC and nvJitLink are not among them: they generate PTX, see
//! harness/jit-audit.
use std::{fs, path::Path};

use super::linked;

/// The beginnings of the libraries' names, as `-l` takes them. Headers begin alike, some with other capitalisation.
const NAMES: [&str; 16] = [
    "cublas",
    "cudnn",
    "cudss",
    "cufft",
    "cufile",
    "cupti",
    "curand",
    "cusolver",
    "cusparse",
    "cutensor",
    "nccl",
    "npp",
    "nvcomp",
    "nvjpeg",
    "nvptxcompiler",
    "nvshmem",
];

/// The header of random numbers that kernels generate without cuRAND's library.
const DRAWN_BY_KERNELS: &str = "curand_kernel.h";

/// Whether a file name, such as `libcublas.so.13`, is that of such a library.
pub fn is_file(name: &str) -> bool {
    name.strip_prefix("lib").is_some_and(is_name)
}

fn is_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    NAMES.iter().any(|closed| lower.starts_with(closed)) && !name.starts_with(DRAWN_BY_KERNELS)
}

/// Returns the first such library that a compilation with these options needs: by `-l`, or by a header that a source
/// includes.
pub fn asked_for(options: &[String]) -> Option<String> {
    let linked = linked::names(options).into_iter().find(|name| is_name(name)).map(String::from);
    linked.or_else(|| options.iter().filter(|option| is_source(option)).find_map(|option| included(option)))
}

fn is_source(option: &str) -> bool {
    Path::new(option).extension().is_some_and(|end| end == "cu" || end == "cpp" || end == "cc")
}

/// The header of such a library that a source includes directly.
fn included(source: &str) -> Option<String> {
    let text = fs::read_to_string(source).ok()?;
    let header = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let name = rest.strip_prefix(['<', '"'])?;
        is_name(name).then(|| name.chars().take_while(|c| !"\">".contains(*c)).collect())
    };
    text.lines().find_map(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_file_by_option_and_by_header() {
        assert!(is_file("libcublasLt.so.13") && !is_file("libcudart.so.13") && !is_file("cublas"));
        let asked = |words: &[&str]| asked_for(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(asked(&["x.cu", "-lcublas"]), Some("cublas".into()));
        assert_eq!(asked(&["x.cu", "-l", "cufft"]), Some("cufft".into()));
        for closed in ["cufile", "cupti", "cutensor", "cudss", "nvcomp", "nvptxcompiler_static", "nvshmem_host"] {
            assert_eq!(asked(&["--library", closed]), Some(closed.into()));
        }
        assert_eq!(
            asked(&["-lm", "-lcudadevrt", "-lineinfo", "-lnvrtc", "-lnvJitLink", "-lnvidia-ml", "-lcuda", "-lcudart"]),
            None
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.cu");
        let name = file.to_str().unwrap();
        fs::write(&file, "#include <cstdio>\n# include \"curand.h\"\n").unwrap();
        assert_eq!(asked(&[name]), Some("curand.h".into()));
        fs::write(&file, "#include <nvPTXCompiler.h>\n").unwrap();
        assert_eq!(asked(&[name]), Some("nvPTXCompiler.h".into()));
        fs::write(&file, "#include <curand_kernel.h>\n").unwrap();
        assert_eq!(asked(&[name]), None);
        fs::write(&file, "// #include <cublas_v2.h>\n#include <cuda.h>\n").unwrap();
        assert_eq!(asked(&[name, "none.cu"]), None);
    }
}
