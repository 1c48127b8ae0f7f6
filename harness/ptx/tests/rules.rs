//! What the PTX parser rejects, and its error messages.

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn error(text: &str) -> String {
    match ptx::parse(text) {
        Ok(_) => panic!("was accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Returns the error of a module with these declarations, from line 4 on.
fn module(text: &str) -> String {
    error(&format!("{HEAD}{text}"))
}

/// Returns the error of a kernel with this body, from line 5 on.
fn kernel(body: &str) -> String {
    module(&format!(".entry k()\n{{ {body} }}"))
}

#[test]
fn errors_name_line_found_and_expected() {
    assert_eq!(error("int main() {}"), "PTX line 1: found `int`, expected `.version` (is this PTX?)");
    assert_eq!(error(""), "PTX line 1: found the end of the text, expected `.version` (is this PTX?)");
    for (body, expected) in [
        ("ret", "PTX line 5: found `}`, expected an operand"),
        (".reg .b32 %a; mov.u32 %a, %b;", "PTX line 5: register `%b` is not declared"),
        ("bra nowhere;", "PTX line 5: label, variable or function `nowhere` is not declared"),
        (".reg .b32 %r<3>;\n mov.u32 %r3, 0;", "PTX line 6: register `%r3` is not declared"),
        ("here: ret; here: ret;", "PTX line 5: label `here` is declared twice"),
        (".reg .b32 %a; .reg .b64 %a;", "PTX line 5: register `%a` is declared twice"),
        ("{ inner: ret; } bra inner;", "PTX line 5: label, variable or function `inner` is not declared"),
        (".reg .v4 .f32 %v;", "PTX line 5: a vector register is not supported by the SIMT machine"),
        (".reg .b32 %a; mov.u32 %a, \"text\";", "PTX line 5: found the string \"text\", expected an operand"),
        (".reg .b32 %a; mov.u32 %a, 0x;", "PTX line 5: found the malformed number `0x`, expected an operand"),
        (".reg .b32 %a; mov.u32 %a, 1/0;", "PTX line 5: a constant expression without a value"),
        (".reg .b32 %a; @%a ret;", "PTX line 5: the guard `%a` is not a predicate"),
        (".reg .b32 %a; adder.u32 %a, %a, 1;", "PTX line 5: `adder.u32` is not a PTX instruction"),
    ] {
        assert_eq!(kernel(body), expected, "{body}");
    }
}

#[test]
fn modules_that_no_driver_takes() {
    for (text, expected) in [
        (".entry k();", "PTX line 4: the kernel `k` has no body"),
        (".entry k() { ret; }\n.entry k() { ret; }", "PTX line 5: function `k` is declared twice"),
        (".global .b32 x;\n.global .b32 x;", "PTX line 5: variable `x` is declared twice"),
        (".global .b32 x[];", "PTX line 4: the array `x` has no size"),
        (".global .b32 x[2] = {1, 2, 3};", "PTX line 4: `x` has more initial values than elements"),
        (".global .b64 x = missing;", "PTX line 4: label, variable or function `missing` is not declared"),
        (".const .b8 big[65537];", "PTX line 4: 65537 bytes of constant memory, 65536 at most"),
        (".entry k() .maxntid 32 .reqntid 32 { ret; }", "PTX line 4: `k` has both `.maxntid` and `.reqntid`"),
        (
            ".func f(.param .b32 a) { ret; }\n.entry k() { call f; ret; }",
            "PTX line 5: a call of `f` with 0 returned and 0 given values; it has 0 and 1",
        ),
        (".entry f() { ret; }\n.entry k() { call f; ret; }", "PTX line 5: a call of the kernel `f`"),
        (".global .texref t;", "PTX line 4: a `.texref` variable is not supported by the SIMT machine"),
    ] {
        assert_eq!(module(text), expected, "{text}");
    }
    let kernel = ".entry k() { ret; }";
    for (head, expected) in [
        (
            ".version 7.0 .target sm_70 .address_size 32",
            "PTX line 1: 32-bit addresses: compile for 64 bits (`.address_size 64`)",
        ),
        (
            ".version 6.0 .target sm_80 .address_size 64",
            "PTX line 1: `.version 6.0` does not support `sm_80`: it needs 7.0 or later",
        ),
        (".version 7.0 .address_size 64", "PTX line 1: a module without `.target`"),
        (".version 7 .target sm_70 .address_size 64", "PTX line 1: found `7`, expected a version such as `8.0`"),
    ] {
        assert_eq!(error(&format!("{head} {kernel}")), expected);
    }
}

#[test]
fn declarations_may_come_before_definitions() {
    let text = format!(
        "{HEAD}.func f(.param .b32 a);\n.extern .global .b32 x;\n.entry k() {{ .reg .b64 %r; mov.u64 %r, x; mov.u64 %r, late; ret; }}
        .visible .global .b32 x = 5;\n.func f(.param .b32 a) {{ ret; }}\n.global .b32 late;"
    );
    let module = ptx::parse(&text).unwrap();
    assert_eq!(module.functions.len(), 2);
    assert!(module.functions.iter().all(|f| f.body.is_some()));
    assert_eq!(module.vars.len(), 2);
    assert!(module.vars[0].init.is_some() && !module.vars[0].external);
}

#[test]
fn what_is_ptx_but_not_modelled_is_distinguished() {
    let text = format!("{HEAD}.entry k() {{ .reg .b32 %a; .reg .v2 .b32 %v; ret; }}");
    assert!(ptx::parse(&text).unwrap_err().is_unsupported());
    let text = format!("{HEAD}.entry k() {{ mov.u32 %a, 0; }}");
    assert!(!ptx::parse(&text).unwrap_err().is_unsupported());
}
