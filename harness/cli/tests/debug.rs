//! `warplab debug`: the debugger of recorded launches, on a lab's kernel.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{Run, warplab_in};

/// Runs `warplab debug` in this folder with commands on standard input.
fn debug(folder: &Path, args: &[&str], commands: &[&str]) -> Run {
    let mut process = Command::new(env!("CARGO_BIN_EXE_warplab"))
        .arg("debug")
        .args(args)
        .env("WARPLAB_PTXAS", "off")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments reads no commands.
    let _ = process.stdin.take().unwrap().write_all((commands.join("\n") + "\n").as_bytes());
    Run::from_output(&process.wait_with_output().unwrap())
}

/// Records `interleaved_sum` of the lab reduction as run.wlr.
fn recorded(folder: &Path) {
    let args = ["record", "reduction", "--variant", "interleaved", "-n", "700", "--blocks", "0..0", "-o", "run.wlr"];
    let run = warplab_in(folder, &args, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
}

/// Returns what each command printed.
fn replies(run: &Run) -> Vec<&str> {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    run.stdout
        .split("(warplab) ")
        .skip(1)
        .map(|reply| reply.split_once('\n').map_or("", |(_, text)| text.trim()))
        .collect()
}

#[test]
fn a_recording_is_debugged_forwards_and_back() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let commands = [
        "break reduction.cu:66 if threadIdx.x == 33",
        "run",
        "print threadIdx",
        "print n",
        "watch s[32]",
        "continue",
        "print s[32]",
        "reverse-continue",
        "print s[32]",
        "delete",
        "next",
        "print s[32]",
        "reverse-next",
        "print s[32]",
        "cuda thread 0",
        "backtrace",
        "until divergence",
        "info cuda lanes",
        "continue",
    ];
    let run = debug(folder.path(), &["run.wlr"], &commands);
    let replies = replies(&run);
    let value = |at: usize| replies[at].split_once(" = ").unwrap_or_else(|| panic!("{}", replies[at])).1;
    assert_eq!(replies[0], "Breakpoint 1 at labs/reduction/kernels/reduction.cu:66 if threadIdx.x == 33");
    assert!(replies[1].contains("[Switching focus to block (0,0,0), thread (33,0,0), warp 1, lane 1]"), "{run:?}");
    assert!(
        replies[1].contains("Breakpoint 1, interleaved_sum () at labs/reduction/kernels/reduction.cu:66"),
        "{run:?}"
    );
    assert_eq!((value(2), value(3)), ("{x = 33, y = 0, z = 0}", "700"));
    // Thread 32 adds s[33] to s[32]; back before that, the old value is there again.
    let (new, old) = (value(6), value(8));
    assert_ne!(old, new);
    assert!(replies[5].contains(&format!("Old value = {old}\nNew value = {new}\nby ptx:")), "{run:?}");
    assert!(replies[7].ends_with("s[t] = Op::combine(s[t], s[t + stride]);"), "{run:?}");
    assert!(replies[10].ends_with("__syncthreads();"), "{run:?}");
    assert_eq!((value(11), value(13)), (new, old));
    assert!(replies[12].starts_with("67\t"), "{run:?}");
    let last = replies[15].lines().last().unwrap();
    assert!(last.contains("interleaved_sum<<<(1,1,1),(1024,1,1)>>> () at"), "{run:?}");
    assert!(replies[15].starts_with("#0  inlined in interleaved_sum () at"), "{run:?}");
    // The lanes are at different lines now.
    let lines = replies[17].lines().skip(1).map(|line| line.rsplit(':').next().unwrap());
    assert!(lines.collect::<std::collections::BTreeSet<_>>().len() > 1, "{run:?}");
    assert_eq!(replies[18], "[The launch has ended]");
}

#[test]
fn a_lab_is_recorded_before_it_is_debugged() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        debug(folder.path(), &["--check", "all", "bughunt", "--quick", "--variant", "no-barrier"], &["continue", "q"]);
    assert!(run.stdout.contains("mirror<<<"), "{run:?}");
    assert!(run.stdout.contains("CUDA Exception: "), "{run:?}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the recording is left behind");
    let run = debug(folder.path(), &["--kernel", "nosuch", "vecadd", "-n", "64"], &["run"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("launch 1 of kernel nosuch did not happen"), "{run:?}");
}

#[test]
fn wrong_commands_and_places_say_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    for (command, words) in [
        ("brake", "did you mean `break`?"),
        ("break 5000", "the lines with code are"),
        ("break other.cu:3", "there is no source file `other.cu`"),
        ("break nosuch", "there is no function `nosuch`"),
        ("break *1", "line 1 of the PTX is not an instruction"),
        ("cuda block 7", "the recording has block 0 of 1"),
        ("cuda thread 5000", "a block is (1024,1,1)"),
        ("print nosuch", "there is no variable or register `nosuch`"),
        ("print *(float*)16", "no step has read or written the 4 bytes at 0x10"),
        ("print n +", "the expression is incomplete"),
        ("watch n", "is not stored anywhere"),
        ("delete 9", "there is no breakpoint or watchpoint 9"),
        ("until tomorrow", "there are: divergence, barrier, finding"),
        ("info weather", "there is nothing to show about `weather`"),
    ] {
        let run = debug(folder.path(), &["run.wlr"], &[command]);
        assert!(replies(&run)[0].contains(words), "{command}: {run:?}");
    }
}

#[test]
fn a_file_that_cannot_be_debugged_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let bytes = std::fs::read(folder.path().join("run.wlr")).unwrap();
    let mut other = bytes.clone();
    other[8] = 1;
    for (bytes, words) in [
        (&b"hello"[..], "it is not a recording"),
        (&bytes[..bytes.len() / 2], "it is incomplete"),
        (&other, "it has version 1 of the format"),
    ] {
        std::fs::write(folder.path().join("x.wlr"), bytes).unwrap();
        let run = debug(folder.path(), &["x.wlr"], &["run"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(&format!("cannot debug x.wlr: {words}")), "{run:?}");
    }
}
