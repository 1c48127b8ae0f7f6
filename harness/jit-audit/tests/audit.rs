//! Programs in C, with small libraries that have the functions of NVRTC and nvJitLink: what the programs get with the
//! audit library, and what they get without it.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the C sources.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// Compiles a source of that folder; `options` follow it on the command line.
fn compile(source: &str, to: &Path, options: &[&str]) {
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Werror"]).arg(sources().join(source)).arg("-o").arg(to).args(options);
    assert!(cc.status().unwrap().success(), "{source}");
}

fn library(source: &str, to: &Path, options: &[&str]) {
    let name = format!("-Wl,-soname,{}", to.file_name().unwrap().display());
    compile(source, to, &[&["-shared", "-fPIC", &name], options].concat());
}

/// What a program prints in this folder, with or without the audit library.
fn printed(program: &str, arguments: &[&str], folder: &Path, is_audited: bool) -> String {
    let mut process = Command::new(folder.join(program));
    process.args(arguments).current_dir(folder).env("LD_LIBRARY_PATH", folder);
    if is_audited {
        let test = env::current_exe().unwrap();
        process.env("LD_AUDIT", test.with_file_name("libjit_audit.so"));
    }
    let output = process.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && words.is_empty(), "{arguments:?}: {}\n{words}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_version_of_nvrtc_gives_its_own_ptx() {
    let folder = tempfile::tempdir().unwrap();
    compile("dlopens.c", &folder.path().join("dlopens"), &["-ldl"]);
    let names = ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc-0123abcd.so.11.2", "libnvrtc.alt.so.13"];
    for (name, version) in names.iter().zip(["12", "13", "11", "130"]) {
        library("nvrtc.c", &folder.path().join(name), &[&format!("-DVERSION={version}")]);
    }
    // By their paths, as Python's packages load them, and by a name.
    let paths: Vec<_> = names.iter().map(|name| format!("{}/{name}", folder.path().display())).collect();
    let mut arguments: Vec<&str> = paths.iter().map(String::as_str).collect();
    arguments[1] = names[1];
    let gives = |is_audited| printed("dlopens", &arguments, folder.path(), is_audited);
    let ptx = |version: &str| {
        let text = format!("// nvrtc {version}\n.version 8.0\n");
        format!("{} 0 {text}\n", text.len() + 1)
    };
    assert_eq!(gives(true), ["12", "13", "11", "130"].map(ptx).concat());
    assert_eq!(gives(false), "18 0 \x7fELF machine code\n".repeat(4));
}

#[test]
fn a_linked_program_gets_ptx_of_lto_ir_and_of_ptx_and_else_the_machine_code() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    library("nvrtc.c", &at("libnvrtc.so.13"), &["-DVERSION=13"]);
    library("nvjitlink.c", &at("libnvJitLink.so.13"), &[]);
    library("driver.c", &at("libcuda.so.1"), &[]);
    let search = format!("-L{}", folder.path().display());
    // Calls are bound when they are first made, or all at the start.
    for (program, binding) in [("lazy", "-Wl,-z,lazy"), ("now", "-Wl,-z,now")] {
        compile("linked.c", &at(program), &[&search, "-l:libnvrtc.so.13", "-l:libnvJitLink.so.13", "-ldl", binding]);
        let ptx = "// nvrtc 13\n.version 8.0\n";
        let gives = |inputs: &[&str]| {
            let printed = printed(program, inputs, folder.path(), true);
            printed.strip_prefix(ptx).unwrap_or_else(|| panic!("{printed}")).to_owned()
        };
        assert_eq!(gives(&["lto", "lto"]), "// 2 of LTO-IR\n.version 8.0\n\n");
        assert_eq!(gives(&["ptx"]), format!("{ptx}\n"));
        // The linker is given the PTX in place of a cubin as PTX.
        assert_eq!(gives(&["lto", "ptx", "cubin"]), format!("// 1 of LTO-IR\n.version 8.0\n{ptx}{ptx}\n"));
        // A bound on registers, which the linker would have followed, is written into the PTX by the driver.
        assert_eq!(gives(&["-maxrregcount=38", "ptx"]), format!("{ptx}// 38 registers\n\n"));
        // The device runtime is the machine's own; another archive is machine code.
        for (archive, linked) in [("libcudadevrt.a", "// 1 of LTO-IR\n.version 8.0\n\n"), ("libx.a", "\x7fELF 1\n")] {
            fs::write(at(archive), "!<arch>\n").unwrap();
            assert_eq!(gives(&["lto", archive]), linked);
        }
        assert_eq!(printed(program, &["lto"], folder.path(), false), "\x7fELF machine code\x7fELF 1\n");
    }
}
