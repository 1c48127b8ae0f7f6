//! Programs that ask NVRTC or nvJitLink for machine code, as `warplab exec` runs them. The libraries are small ones in
//! C, of harness/jit-audit, whose own tests have more programs.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::{path::Path, process::Command};

use crate::common::warplab_in;

/// Compiles a source of the tests of harness/jit-audit. `false` without a C compiler.
fn compiled(source: &str, folder: &Path, options: &[&str]) -> bool {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jit-audit/tests/clients");
    let mut cc = Command::new("cc");
    let Ok(status) = cc.arg(sources.join(source)).args(options).current_dir(folder).status() else { return false };
    assert!(status.success(), "{source}");
    true
}

#[test]
fn a_program_that_asks_for_machine_code_gets_ptx_and_parts_are_joined_by_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let library = |source, name: &str, version| {
        let soname = format!("-Wl,-soname,{name}");
        compiled(source, folder.path(), &["-shared", "-fPIC", &soname, "-o", name, version])
    };
    if !library("nvrtc.c", "libnvrtc.so.13", "-DVERSION=13") || !library("nvjitlink.c", "libnvJitLink.so.13", "-DX") {
        return;
    }
    let linked = ["-o", "linked", "-L.", "-l:libnvrtc.so.13", "-l:libnvJitLink.so.13", "-ldl", "-Wl,-rpath,$ORIGIN"];
    assert!(compiled("linked.c", folder.path(), &linked));
    let args = ["exec", "--device", "emulated", "./linked", "lto", "ptx", "cubin"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let (compiled, linked) = run.stdout.split_once("\n.version 8.0\n").unwrap();
    assert_eq!(compiled, "// nvrtc 13");
    // One text, of the LTO-IR and of the two inputs from NVRTC.
    assert_eq!(linked.matches(".version").count(), 1, "{linked}");
    assert!(!run.stdout.contains("ELF"), "{run:?}");
}
