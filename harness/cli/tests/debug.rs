//! `warplab debug`: the debugger of recorded launches, on a lab's kernel.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use dap_types::requests::{
    Continue, DataBreakpointInfo, Evaluate, ExceptionInfo, Initialize, Next, Request, ReverseContinue, Scopes,
    SetBreakpoints, SetDataBreakpoints, Source, StackTrace, StepBack, Threads, Variables,
};
use serde_json::{Value, json};

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
    assert!(run.stdout.starts_with("mirror, launch 1: ") && !run.stdout.contains("run.wlr"), "{run:?}");
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

/// A client of the Debug Adapter Protocol, with the messages of `dap-types`.
struct Client {
    process: std::process::Child,
    output: BufReader<std::process::ChildStdout>,
    last_seq: u64,
    events: Vec<Value>,
}

impl Client {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_warplab"))
            .args(["debug", "--dap"])
            .args(args)
            .env("WARPLAB_PTXAS", "off")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output, last_seq: 0, events: Vec::new() }
    }

    fn read(&mut self) -> Value {
        let mut header = String::new();
        self.output.read_line(&mut header).unwrap();
        let length = header.trim().strip_prefix("Content-Length: ").unwrap_or_else(|| panic!("{header:?}"));
        let mut empty = String::new();
        self.output.read_line(&mut empty).unwrap();
        assert_eq!(empty, "\r\n");
        let mut body = vec![0; length.parse().unwrap()];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request, and returns the whole response.
    fn send(&mut self, command: &str, arguments: &Value) -> Value {
        self.last_seq += 1;
        let request = json!({"seq": self.last_seq, "type": "request", "command": command, "arguments": arguments});
        let (request, input) = (request.to_string(), self.process.stdin.as_mut().unwrap());
        write!(input, "Content-Length: {}\r\n\r\n{request}", request.len()).unwrap();
        loop {
            let message = self.read();
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            assert_eq!((&message["request_seq"], &message["command"]), (&json!(self.last_seq), &json!(command)));
            return message;
        }
    }

    /// Sends a request that succeeds, and returns its response as the protocol's schema has it.
    fn request<R: Request>(&mut self, arguments: &Value) -> R::Response {
        let mut response = self.send(R::COMMAND, arguments);
        assert_eq!(response["success"], true, "{response}");
        serde_json::from_value(response["body"].take()).unwrap_or_else(|error| panic!("{}: {error}", R::COMMAND))
    }

    /// Returns the next event, which must have this name.
    fn event(&mut self, name: &str) -> Value {
        let mut event = if self.events.is_empty() { self.read() } else { self.events.remove(0) };
        assert_eq!(event["event"], name, "{event}");
        event["body"].take()
    }

    /// Sends a request that runs; returns why it stopped, and the thread.
    fn run<R: Request>(&mut self, thread: u64) -> (String, u64) {
        let response = self.send(R::COMMAND, &json!({"threadId": thread}));
        assert_eq!(response["success"], true, "{response}");
        let stopped = self.event("stopped");
        (stopped["reason"].as_str().unwrap().into(), stopped["threadId"].as_u64().unwrap())
    }

    fn line(&mut self, thread: u64) -> u64 {
        self.request::<StackTrace>(&json!({"threadId": thread})).stack_frames[0].line
    }

    fn evaluate(&mut self, frame: u64, expression: &str) -> String {
        self.request::<Evaluate>(&json!({"expression": expression, "frameId": frame, "context": "watch"})).result
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn an_editor_debugs_by_the_protocol() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let mut client = Client::start(folder.path(), &[]);
    let early = client.send("threads", &json!({}));
    assert_eq!((&early["success"], early["message"].as_str().unwrap().contains("launch")), (&json!(false), true));
    let able = client.request::<Initialize>(&json!({"adapterID": "warplab"}));
    assert!(able.supports_step_back == Some(true) && able.supports_conditional_breakpoints == Some(true));
    client.send("launch", &json!({"program": "run.wlr"}));
    client.event("initialized");
    let source = json!({"name": "reduction.cu", "path": "/somewhere/labs/reduction/kernels/reduction.cu"});
    let wanted =
        json!([{"line": 66, "condition": "threadIdx.x == 33"}, {"line": 9999}, {"line": 66, "condition": "1 +"}]);
    let set = client.request::<SetBreakpoints>(&json!({"source": source, "breakpoints": wanted})).breakpoints;
    assert_eq!(set.iter().map(|set| set.verified).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(set[0].line, Some(66));
    assert!(set[1].message.as_ref().unwrap().contains("the lines with code are"));
    client.send("configurationDone", &json!({}));
    let stopped = client.event("stopped");
    assert_eq!((&stopped["reason"], &stopped["hitBreakpointIds"]), (&json!("breakpoint"), &json!([set[0].id])));
    let thread = stopped["threadId"].as_u64().unwrap();
    let threads = client.request::<Threads>(&json!({})).threads;
    assert_eq!(threads.len(), 32);
    let own = threads.iter().find(|known| known.id == thread).unwrap();
    assert_eq!(own.name, "block (0,0,0) warp 1");

    // The stack, and the lane's variables.
    let stack = client.request::<StackTrace>(&json!({"threadId": thread})).stack_frames;
    assert_eq!((stack[0].line, stack.last().unwrap().name.as_str()), (66, "interleaved_sum"));
    let reference = stack[0].source.as_ref().unwrap().source_reference;
    let text = client.request::<Source>(&json!({"sourceReference": reference})).content;
    assert!(text.lines().nth(65).unwrap().contains("stride < blockDim.x"));
    let frame = stack[0].id;
    assert_eq!(client.evaluate(frame, "threadIdx.x"), "33");
    let scopes = client.request::<Scopes>(&json!({"frameId": frame})).scopes;
    assert_eq!(scopes[1].name, "Registers of lane 1");
    let of = |client: &mut Client, reference: u64| {
        client.request::<Variables>(&json!({"variablesReference": reference})).variables
    };
    let registers = of(&mut client, scopes[1].variables_reference);
    assert!(registers.iter().any(|register| register.name == "%f9" || register.type_.as_deref() == Some("float")));
    let arguments = of(&mut client, scopes[0].variables_reference);
    let named = |name: &str| arguments.iter().find(|known| known.name == name).unwrap();
    assert_eq!((named("n").value.as_str(), named("s").type_.as_deref()), ("700", Some("float[1024]")));
    let elements =
        json!({"variablesReference": named("s").variables_reference, "start": 32, "count": 2, "filter": "indexed"});
    let elements = client.request::<Variables>(&elements).variables;
    assert_eq!((elements.len(), elements[0].name.as_str()), (2, "[32]"));
    let old = client.evaluate(frame, "s[32]");
    assert_eq!(elements[0].value, old);

    // A watchpoint on the array's element, a step back over the store, and forwards again.
    let info = json!({"variablesReference": named("s").variables_reference, "name": "[32]"});
    let info = client.request::<DataBreakpointInfo>(&info);
    let data = json!({"breakpoints": [{"dataId": info.data_id.unwrap(), "accessType": "write"}]});
    assert!(client.request::<SetDataBreakpoints>(&data).breakpoints[0].verified);
    assert_eq!(client.run::<Continue>(thread), ("data breakpoint".into(), thread));
    let new = client.evaluate(frame, "s[32]");
    assert_ne!(new, old);
    client.request::<SetDataBreakpoints>(&json!({"breakpoints": []}));
    assert_eq!(client.line(thread), 68);
    assert_eq!(client.run::<StepBack>(thread), ("step".into(), thread));
    assert_eq!((client.line(thread), client.evaluate(frame, "s[32]")), (67, old));
    assert_eq!(client.run::<Next>(thread), ("step".into(), thread));
    assert_eq!((client.line(thread), client.evaluate(frame, "s[32]")), (68, new));
    assert_eq!(client.run::<ReverseContinue>(thread), ("breakpoint".into(), thread));
    assert_eq!(client.run::<ReverseContinue>(thread).0, "entry");

    // Commands of the terminal in the editor's console, and what is wrong.
    let command = json!({"expression": "cuda thread 40", "frameId": frame, "context": "repl"});
    assert!(client.request::<Evaluate>(&command).result.contains("thread (40,0,0), warp 1, lane 8"));
    client.event("invalidated");
    assert_eq!(client.evaluate(frame, "threadIdx.x"), "40");
    let wrong = client.send("evaluate", &json!({"expression": "nosuch", "frameId": frame}));
    assert!(wrong["message"].as_str().unwrap().contains("no variable or register `nosuch`"), "{wrong}");
    let wrong = client.send("readMemory", &json!({}));
    assert_eq!((&wrong["success"], &wrong["message"]), (&json!(false), &json!("`readMemory` is not supported")));
    assert_eq!(client.send("disconnect", &json!({}))["success"], true);
    assert!(client.process.wait().unwrap().success());
}

#[test]
fn an_editor_stops_at_a_finding_of_a_lab() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(folder.path(), &[]);
    client.request::<Initialize>(&json!({"adapterID": "warplab"}));
    let missing = client.send("launch", &json!({"program": "no-such-program"}));
    assert!(missing["message"].as_str().unwrap().contains("no-such-program"), "{missing}");
    client.send("launch", &json!({"program": "bughunt", "args": ["--quick", "--variant", "bounds"]}));
    assert!(client.event("output")["output"].as_str().unwrap().contains("differences, launch 1"));
    client.event("initialized");
    client.send("configurationDone", &json!({}));
    let stopped = client.event("stopped");
    assert_eq!(stopped["reason"], "exception");
    assert!(stopped["text"].as_str().unwrap().contains("Invalid __global__ read"));
    let info = client.request::<ExceptionInfo>(&json!({"threadId": stopped["threadId"]}));
    assert!(info.description.unwrap().contains("index 1001"));
}

#[test]
fn a_client_that_speaks_no_protocol_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (input, words) in [
        ("GET / HTTP\n", "a line of its header has no colon"),
        ("Content-Length: 99999999999\n\n", "at most 16 MiB"),
        ("Content-Length: 3\r\n\r\nabc", "not a message of the protocol"),
    ] {
        let run = debug(folder.path(), &["--dap"], &[input]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(words), "{run:?}");
    }
}

/// Records a kernel that `-G` has compiled, as run.wlr.
fn recorded_locals(folder: &Path) {
    let file = folder.join("locals.cu");
    std::fs::write(&file, include_str!("debugging/locals.cu")).unwrap();
    let hash = kernels::KernelSource::read(&file, "locals.cu").unwrap().hash();
    let committed = kernels::CommittedPtx::Lzma(include_bytes!("debugging/locals.ptx.lzma"));
    let ptx = committed.text();
    let ptx = format!("// source sha256 {hash}\n// compiler NVRTC 12.9, compute_80\n\n{ptx}");
    std::fs::write(folder.join("locals.ptx"), ptx).unwrap();
    let args = ["record", "vecadd", "--kernel", "locals.cu", "--variant", "pageable", "-n", "32"];
    let run = warplab_in(folder, &args, &[("WARPLAB_NVRTC", "off")]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn local_variables_are_shown_by_name_and_type() {
    let folder = tempfile::tempdir().unwrap();
    recorded_locals(folder.path());
    let commands = [
        "break 11 if threadIdx.x == 5 && value > 8",
        "run",
        "info locals",
        "next",
        "print product",
        "finish",
        "info locals",
        "delete",
        "break 33 if threadIdx.x == 6",
        "continue",
        "print i",
        "print pair",
        "print recent[2] + pair.key",
        "watch pair.key",
        "continue",
        "reverse-continue",
        "print pair.key",
        "print pair.kex",
        "print twice",
        "print tile",
    ];
    let run = debug(folder.path(), &["run.wlr"], &commands);
    let replies = replies(&run);
    let value = |at: usize| replies[at].split_once(" = ").unwrap_or_else(|| panic!("{}", replies[at])).1;
    // A called function's parameters are what the caller has passed.
    assert!(replies[1].contains("Breakpoint 1, scaled () at locals.cu:11"), "{run:?}");
    assert!(replies[2].starts_with("float value = 9\nint factor = 4\n"), "{run:?}");
    assert_eq!(value(4), "36");
    for row in [
        "unsigned long long n = 32",
        "int[3] recent = {5, 7, 9}",
        "Pair pair = {key = 105, weight = 0.5}",
        "unsigned i = 5",
        "unsigned char small = 200",
        "double sum = 48",
        "is_even = <it is not set yet>",
        "int k = 2",
        "int twice = 9",
    ] {
        assert!(replies[6].lines().any(|line| line == row), "{row}: {run:?}");
    }
    // In the inner block, `i` is another variable.
    assert_eq!((value(10), value(11), value(12)), ("106", "{key = 106, weight = 0.5}", "116"), "{run:?}");
    assert!(replies[14].contains("Old value = 106\nNew value = 212"), "{run:?}");
    assert_eq!(value(16), "106");
    assert_eq!(replies[17], "there is no member `kex`; there are: key, weight");
    assert!(replies[18].starts_with("there is no variable or register `twice` here"), "{run:?}");
    assert!(value(19).starts_with("{? <repeats 32 times>, 4, 5, 6, "), "{run:?}");
}

#[test]
fn an_editor_shows_local_variables() {
    let folder = tempfile::tempdir().unwrap();
    recorded_locals(folder.path());
    let mut client = Client::start(folder.path(), &[]);
    client.request::<Initialize>(&json!({"adapterID": "warplab"}));
    client.send("launch", &json!({"program": "run.wlr"}));
    client.event("initialized");
    let wanted = json!([{"line": 26, "condition": "threadIdx.x == 5 && k == 2"}]);
    client.request::<SetBreakpoints>(&json!({"source": {"name": "locals.cu"}, "breakpoints": wanted}));
    client.send("configurationDone", &json!({}));
    let stopped = client.event("stopped");
    assert_eq!(stopped["reason"], "breakpoint");
    let frame = client.request::<StackTrace>(&json!({"threadId": stopped["threadId"]})).stack_frames[0].id;
    let scopes = client.request::<Scopes>(&json!({"frameId": frame})).scopes;
    assert_eq!(scopes[0].name, "Locals");
    let of = |client: &mut Client, reference: u64| {
        client.request::<Variables>(&json!({"variablesReference": reference})).variables
    };
    let locals = of(&mut client, scopes[0].variables_reference);
    let named = |name: &str| locals.iter().find(|known| known.name == name).unwrap();
    let shown = |name: &str| (named(name).type_.as_deref().unwrap_or_default(), named(name).value.as_str());
    assert_eq!(shown("k"), ("int", "2"));
    assert_eq!(shown("sum"), ("double", "48"));
    assert_eq!(shown("recent"), ("int[3]", "{5, 7, 9}"));
    assert_eq!(shown("pair"), ("Pair", "{key = 105, weight = 0.5}"));
    assert_eq!(shown("is_even").1, "<`is_even` has no value here: it is not set yet>");
    let members = of(&mut client, named("pair").variables_reference);
    assert_eq!((members[0].name.as_str(), members[0].value.as_str()), ("key", "105"));
    let elements = of(&mut client, named("recent").variables_reference);
    assert_eq!(elements.iter().map(|element| element.value.as_str()).collect::<Vec<_>>(), ["5", "7", "9"]);
    assert_eq!(client.evaluate(frame, "recent[1] + pair.weight"), "7.5");
}
