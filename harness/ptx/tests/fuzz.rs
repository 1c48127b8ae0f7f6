//! No text makes the PTX parser panic, hang or exhaust memory.

use crate::characters::{self, piece};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Parses a text; an error must name a line that the text has.
fn read(text: &str) {
    if let Err(error) = ptx::parse(text) {
        let lines = text.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        assert!((1..=lines).contains(&error.line), "{error}");
        assert!(error.to_string().len() < 100_000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_ptx(text in characters::program()) {
        read(&text);
    }

    #[test]
    fn soup_of_words(pieces in prop::collection::vec(piece(), 0..60)) {
        let head = ".version 8.0 .target sm_80 .address_size 64 ";
        read(&pieces.join(" "));
        read(&format!("{head}{}", pieces.join(" ")));
        read(&format!("{head}.entry k(.param .u64 a) {{ .reg .b32 %r<4>; .reg .pred %p<2>; {} ", pieces.join(" ")));
        read(&format!("{head}.global .b32 x[4] = {{ {} ", pieces.join(" ")));
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&String::from_utf8_lossy(&bytes));
    }
}

/// Texts designed to cost more than they should: each has a few megabytes, and is parsed in time proportional to that.
#[test]
fn cost_grows_with_length_only() {
    let head = ".version 8.0 .target sm_80 .address_size 64 ";
    let many = 200_000;
    let body = |text: String| format!("{head}.entry k() {{ .reg .b32 %r<4>; .reg .pred %p<2>; {text} }}");
    let numbered = |f: &dyn Fn(usize) -> String| (0..many).map(f).collect::<String>();
    let texts = [
        ("braces", body("{".repeat(many))),
        ("parentheses", body(format!("mov.u32 %r1, {}", "(".repeat(many)))),
        ("minus signs", body(format!("mov.u32 %r1, {}", "-".repeat(many)))),
        ("conditions", body(format!("mov.u32 %r1, {}", "1?".repeat(many)))),
        ("a long sum", body(format!("mov.u32 %r1, 1{};", "+1".repeat(many)))),
        ("a long list", body(format!("mov.b32 %r1, {{{}}};", "a,".repeat(many)))),
        ("lists of lists", body("mov {a,b,{c,d},{e,{f,g}},h};".repeat(many / 8))),
        ("labels", body(numbered(&|i| format!("l{i}: bra l{};", many - 1 - i)))),
        ("one target", body(format!("{} end:", "bra end;".repeat(many)))),
        ("shadowing", body("{ .param .b32 x; st.param.b32 [x], %r1; }".repeat(many / 4))),
        (
            "scopes with open uses",
            body(format!("{}{}{}: ret;", "{".repeat(60), "bra out;".repeat(many), "}".repeat(60) + "out")),
        ),
        ("ranges", body(numbered(&|i| format!(".reg .b32 %q{i}<4294967295>;")))),
        ("a table", body(format!("end: t: .branchtargets {}end;", "end,".repeat(many)))),
        ("sections", format!("{head}{}", ".section .debug_str { l: .b8 1 }".repeat(many / 4))),
        (
            "places",
            body(numbered(&|i| format!(".loc 1 {i} 1, function_name f, inlined_at 1 {} 1 ret;", i.saturating_sub(1)))),
        ),
        (
            "functions",
            numbered(&|i| format!(".func f{i} {{ .loc 1 1 1 ret; }}"))
                .split_inclusive('}')
                .take(many / 4)
                .fold(head.to_owned(), |t, f| t + f),
        ),
        (
            "padding",
            format!("{head}{}", numbered(&|i| format!(".global .b8 x{i}[4][1048576] = {{{{1}},{{1}},{{1}},{{1}}}};"))),
        ),
        ("sizes", format!("{head}{}", numbered(&|i| format!(".global .b64 y{i}[1099511627776];")))),
        ("comments", format!("{head}{}", "/* */ //\n".repeat(many))),
        ("an open comment", format!("{head}{}", "/* ".repeat(many))),
        ("quotes", format!("{head}{}", "\"".repeat(many))),
        ("undeclared names", body(numbered(&|i| format!("mov.u32 %r1, n{i};")))),
    ];
    for (name, text) in texts {
        let start = Instant::now();
        read(&text);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "{name}: {took:?} for {} bytes", text.len());
    }
}
