//! Programs whose variables are so large that sizes and offsets overflow, or that the host does not have enough memory.

use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::sync::Arc;

/// Loads a program with these declarations and a kernel with this body into a device of 1 TiB.
fn load(declarations: &str, body: &str) -> Result<(Module, Arc<Memory>), String> {
    load_kernel(declarations, "", body)
}

fn load_kernel(declarations: &str, parameters: &str, body: &str) -> Result<(Module, Arc<Memory>), String> {
    let memory = Arc::new(Memory::new(1 << 40));
    let head = ".version 8.0 .target sm_80 .address_size 64";
    let text = format!("{head} {declarations} .entry k({parameters}) {{ {body} ret; }}");
    let module = Module::load(&text, &memory, Part::default_part());
    module.map(|module| (module, memory)).map_err(|error| error.to_string())
}

/// The place of the declaration does not matter: the module's arrays count for the kernels that use them.
#[test]
fn static_shared_memory_ends_at_48_kib() {
    let f = ".shared .b8 one[40000]; .func f() { .shared .b8 two[9152]; .reg .b32 %r; ld.shared.b8 %r, [one]; ret; }";
    assert!(load(f, "call f;").is_ok());
    assert!(load(&format!(".shared .b8 unused[40000]; {f}"), "call f;").is_ok());
    let own = ".shared .b8 own[1];";
    let error = load(f, &format!("{own} call f;")).expect_err("too much");
    assert_eq!(error, "49153 bytes of static shared memory, 49152 at most: larger arrays must be dynamic (in k)");
    for size in [49_153u64, 300_000, 1 << 40] {
        assert!(load("", &format!(".shared .b8 s[{size}];")).is_err(), "{size}");
    }
}

#[test]
fn local_variables_that_fill_32_bits_are_refused() {
    for body in [
        ".local .b8 x[4294967295];",
        ".local .b8 x[4294967281];",
        ".local .b8 x[4294967295]; .local .align 8 .b8 y[8];",
        ".local .b8 x[4294967280]; .local .align 16 .b8 y[16];",
    ] {
        let error = load("", body).expect_err(body);
        assert!(error.contains("bytes a thread"), "{body}: {error}");
    }
}

#[test]
fn so_are_they_in_functions_that_call_themselves() {
    let text = ".func f(.param .b32 n) { .local .b8 x[4294967295]; .param .b32 a; .reg .b32 %r; ld.param.b32 %r, [n]; \
        st.param.b32 [a], %r; call f, (a); ret; }";
    let error = load(text, ".param .b32 a; st.param.b32 [a], 1; call f, (a);").expect_err("too large");
    assert!(error.contains("bytes a thread"), "{error}");
}

/// Parameters that are passed in memory, because they are accessed in overlapping parts.
#[test]
fn parameters_of_functions_that_fill_32_bits_are_refused() {
    for bytes in [4294967295u64, 4294967296, 1 << 40] {
        let text = format!(
            ".func f(.param .b8 p[{bytes}]) {{ .reg .b32 %r; ld.param.b32 %r, [p]; ld.param.b32 %r, [p+2]; ret; }}"
        );
        let body = format!(".param .b8 a[{bytes}]; st.param.b32 [a], 1; call f, (a);");
        let error = load(&text, &body).expect_err("too large");
        assert!(error.contains("1 GiB a thread"), "{bytes}: {error}");
    }
}

/// Does not test whether such a program is rejected: it may end in an error, but not in a panic.
#[test]
fn offsets_may_be_as_large_as_numbers() {
    let declarations = ".global .align 8 .b8 g[8]; .func f(.param .align 8 .b8 p[8]) { ret; }";
    let spaces = ["param", "global", "shared", "local", "const", "param::entry"];
    let offsets =
        ["+4294967292", "+4294967296", "+9223372036854775807", "+9223372036854775804", "-9223372036854775808"];
    for (space, name) in spaces.iter().flat_map(|space| ["a", "p", "g", "s", "l", "%d"].map(|name| (space, name))) {
        for offset in offsets {
            let place = format!("{name}{offset}");
            for access in [
                format!("ld.{space}.v2.b32 {{%r0, %r1}}, [{place}]; call f, (a);"),
                format!("ld.{space}.b64 %d, [{place}]; call f, (a);"),
                format!("st.{space}.v2.b32 [{place}], {{1, 2}}; call f, (a);"),
                format!("mov.b64 %d, {place};"),
                format!("mov.b32 %r0, {place};"),
                format!("atom.{space}.add.u32 %r0, [{place}], 1;"),
            ] {
                let body = format!(
                    ".reg .b32 %r<2>; .reg .b64 %d; .param .align 8 .b8 a[8]; .shared .align 8 .b8 s[8]; \
                     .local .align 8 .b8 l[8]; st.param.v2.b32 [a], {{1, 2}}; {access}"
                );
                let _ = load_kernel(declarations, ".param .align 8 .b8 p[8]", &body);
            }
        }
    }
}

#[test]
fn an_initial_value_costs_what_is_written_of_it() {
    // 64 GiB, of which only four bytes are nonzero.
    let loaded = load(".global .b32 x[17179869184] = {1};", "");
    let (module, memory) = loaded.expect("the host maps pages when they are touched");
    let (address, bytes) = module.global("x").expect("it is there");
    assert_eq!(bytes, 1 << 36);
    let host = memory.host(address, bytes).expect("it is there").cast::<u32>();
    // SAFETY: both are in the variable, and no kernel runs.
    assert_eq!(unsafe { (host.read(), host.add((1 << 34) - 1).read()) }, (1, 0));
}
