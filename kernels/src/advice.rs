//! Advice on compiler errors that are caused by a wrong idea of what a kernel file is, or of where its headers are.
use std::{
    fs,
    path::{Component, Path},
};

use crate::{
    KernelSource,
    cuda::CudaHeaders,
    headers::{self, system},
    log,
};

/// Headers of the C++ library that have no stand-in: kernels would use their declarations, and CUDA has equivalents.
#[rustfmt::skip]
const OF_THE_HOST: &[&str] = &[
    "array", "atomic", "bits/stdc++.h", "complex", "initializer_list", "limits", "optional", "ratio", "span", "tuple",
    "type_traits", "utility", "variant",
];

/// The rule for kernel files, as a sentence without its end.
const KERNELS_ONLY: &str = "A kernel file must contain only kernels and their __device__ functions: the lab itself has main, \
     the host's memory and the launches";

/// The maximum number of headers of a folder that are listed.
const MOST_NAMED: usize = 8;

/// Returns advice on the `log` with which `source` was rejected; empty, or on its own line.
pub(crate) fn on(log: &str, source: &KernelSource, cuda: &CudaHeaders) -> String {
    if let Some(name) = log::missing(log) {
        return format!("\n{}", on_header(name, source, cuda));
    }
    if log.contains("namespace \"std\" has no member") {
        return format!("\nNVRTC has no library of the host. {KERNELS_ONLY}.");
    }
    if log.contains("host functions are not allowed in JIT mode")
        || log.contains("host variables are not allowed in JIT mode")
    {
        return format!(
            "\nNVRTC compiles device code only: a function needs __global__ or __device__, a global variable __device__ or \
             __constant__. {KERNELS_ONLY}."
        );
    }
    String::new()
}

fn on_header(name: &str, source: &KernelSource, cuda: &CudaHeaders) -> String {
    if OF_THE_HOST.contains(&name) {
        let likewise = format!("cuda/std/{name}");
        let at_hand = cuda
            .find(&likewise)
            .map_or_else(String::new, |_| format!(" <{likewise}> is the equivalent for device code."));
        return format!(
            "<{name}> belongs to the host's library, and NVRTC compiles device code only. There printf, assert, malloc and \
             the mathematical functions need no header: remove the line.{at_hand} {KERNELS_ONLY}."
        );
    }
    if system(source).contains(name) && !cuda.has_all_of(source) {
        return "CUDA's headers are searched next to NVRTC, and are incomplete there: get both by `warplab setup` \
                (and unset WARPLAB_NVRTC if it is set)."
            .into();
    }
    format!("{} {}", why(name, source), places(source, cuda))
}

/// Why the compiler was not given the header `name`. Does not reveal whether such a file exists outside of the folder.
fn why(name: &str, source: &KernelSource) -> String {
    let parts = Path::new(name).components();
    let depth = parts.scan(0, |depth: &mut i32, part| {
        *depth += if part == Component::ParentDir { -1 } else { i32::from(part != Component::CurDir) };
        Some(*depth)
    });
    if Path::new(name).has_root() || depth.min().is_some_and(|least| least < 0) {
        return format!("`{name}` leads out of the kernel file's folder.");
    }
    let folder = headers::folder_of(Path::new(source.path.as_ref()));
    let is_bare = !name.contains(['/', '\\']);
    match folder.filter(|_| is_bare).map(|folder| folder.join(name)) {
        Some(file) if !headers::is_header(name) && file.is_file() => {
            format!("{} does not have a header's extension: name it {name}.inc, for example.", file.display())
        }
        Some(file) if headers::names(&source.cuda).contains(name) && fs::symlink_metadata(&file).is_ok() => {
            format!("{} is not a text file of at most 16 MiB in that folder.", file.display())
        }
        Some(file) if fs::symlink_metadata(&file).is_ok() => {
            format!("A macro puts the name `{name}` together; write it out in the #include.")
        }
        _ => format!("There is no header `{name}`."),
    }
}

/// Lists the folders in which headers may be, and the headers there.
fn places(source: &KernelSource, cuda: &CudaHeaders) -> String {
    let list = |names: Vec<String>| match names.len() {
        0 => "there are none".to_string(),
        count if count > MOST_NAMED => format!("{}, and {} more", names[..MOST_NAMED].join(", "), count - MOST_NAMED),
        _ => names.join(", "),
    };
    let own = headers::folder_of(Path::new(source.path.as_ref())).map_or_else(Vec::new, |folder| headers_in(&folder));
    let embedded = headers::known(source).into_keys().map(str::to_string).filter(|name| !own.contains(name)).collect();
    let of_cuda = cuda.folders().map(|folder| format!("in {}", folder.display())).collect();
    format!(
        "A kernel file may include headers in its own folder and the folders there ({}), the lab's and the shared ones ({}), \
         and CUDA's ({}).",
        list(own),
        list(embedded),
        list(of_cuda)
    )
}

/// The names of the headers in a folder, in order.
fn headers_in(folder: &Path) -> Vec<String> {
    let is_header =
        |name: &String| headers::is_header(name) && Path::new(name).extension().is_none_or(|end| end != "cu");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(is_header).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the advice on a header that `text` includes, in a folder with some files.
    fn advice(text: &str, missing: &str) -> String {
        let root = tempfile::tempdir().unwrap();
        for name in ["near.cuh", "pasted.cuh", "notes.txt"] {
            fs::write(root.path().join(name), "").unwrap();
        }
        fs::create_dir(root.path().join("folder.cuh")).unwrap();
        let file = root.path().join("x.cu");
        fs::write(&file, text).unwrap();
        let source = KernelSource::read(&file, "x.cu").unwrap();
        on(
            &format!("x.cu(1): catastrophic error: cannot open source file \"{missing}\"\n"),
            &source,
            &CudaHeaders::default(),
        )
    }

    #[test]
    fn a_header_that_is_unknown_brings_up_where_headers_lie() {
        let said = advice("#include \"neer.cuh\"", "neer.cuh");
        for words in
            ["no header `neer.cuh`", "folder.cuh, near.cuh, pasted.cuh", "index.cuh", "CUDA's (there are none)"]
        {
            assert!(said.contains(words), "no {words} in {said}");
        }
        assert!(!said.contains("notes.txt"), "{said}");
    }

    #[test]
    fn the_reason_why_a_header_was_not_given_is_named() {
        for (text, name, reason) in [
            ("#include \"../up.cuh\"", "../up.cuh", "`../up.cuh` leads out of the kernel file's folder"),
            ("#include \"/etc/passwd\"", "/etc/passwd", "`/etc/passwd` leads out"),
            ("#include \"folder.cuh\"", "folder.cuh", "folder.cuh is not a text file"),
            ("#include \"notes.txt\"", "notes.txt", "notes.txt does not have a header's extension"),
            ("#define S(x) #x\n#include S(pasted.cuh)", "pasted.cuh", "A macro puts the name `pasted.cuh` together"),
        ] {
            let said = advice(text, name);
            assert!(said.contains(reason), "no {reason} in {said}");
        }
    }

    #[test]
    fn what_belongs_to_the_host_is_said() {
        for name in ["type_traits", "limits", "bits/stdc++.h"] {
            let said = advice(&format!("#include <{name}>"), name);
            assert!(said.contains(&format!("<{name}> belongs to the host's library")), "{said}");
            assert!(said.contains("only kernels and their __device__ functions"), "{said}");
        }
    }
}
