//! The documented forms of PTX's instructions: each is loaded, or refused by its name.
//!
//! `forms/documented.txt` has the forms, which ptxas accepts; `forms/refused.txt` has those that the machine does not
//! model.
//! The ignored test runs ptxas, which `warplab setup --ptxas` installs:
//! `WARPLAB_PTXAS=FILE cargo test -p simt --test machine -- --ignored forms::ptxas`.

use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

const DOCUMENTED: &str = include_str!("forms/documented.txt");
const REFUSED: &str = include_str!("forms/refused.txt");

/// Returns the kind of register that holds a type.
fn kind(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "pred" => "p",
        "b8" | "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16" => "h",
        "b32" | "u32" | "s32" | "f16x2" | "bf16x2" | "u16x2" | "s16x2" => "r",
        "b64" | "u64" | "s64" => "rd",
        "f32" => "f",
        "f64" => "d",
        "b128" => "q",
        _ => return None,
    })
}

/// Returns a line with each choice of its alternatives.
fn alternatives(line: &str) -> Vec<String> {
    let is_choice = |words: &&str| words.contains(',') && !words.contains([' ', '%', '@']);
    let groups = line.match_indices('{').filter_map(|(at, _)| Some((at, line[at + 1..].split_once('}')?.0)));
    match groups.into_iter().find(|(_, words)| is_choice(words)) {
        Some((at, words)) => {
            let rest = &line[at + words.len() + 2..];
            words.split(',').flat_map(|word| alternatives(&format!("{}{word}{rest}", &line[..at]))).collect()
        }
        None => vec![line.to_owned()],
    }
}

/// Returns a statement with its registers.
fn with_registers(line: &str) -> String {
    let opcode = line.split(' ').next().unwrap_or_default();
    let kinds: Vec<&str> = opcode.split('.').filter_map(kind).collect();
    let mut used = 0;
    let mut register = |kind: Option<&&str>| {
        used += 1;
        format!("%{}{used}", kind.unwrap_or_else(|| panic!("a type in {line}")))
    };
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('@') {
        out += before;
        rest = after;
        if after.starts_with(['%', '!']) {
            out.push('@');
        } else if let Some(after) = after.strip_prefix('1') {
            out += &register(kinds.first());
            rest = after;
        } else if let Some(after) = after.strip_prefix('v') {
            let count = if opcode.contains(".v4") { 4 } else { 2 };
            let parts: Vec<String> = (0..count).map(|_| register(kinds.last())).collect();
            out += &format!("{{{}}}", parts.join(", "));
            rest = after;
        } else {
            out += &register(kinds.last());
        }
    }
    out + rest
}

/// Returns all statements.
fn statements() -> Vec<String> {
    let lines = DOCUMENTED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.flat_map(alternatives).map(|line| with_registers(&line)).collect()
}

/// Returns a kernel of this name with a statement.
fn kernel(name: &str, statement: &str) -> String {
    let vector = if statement.contains("%v1") { ".reg .v4 .u32 %v1;" } else { "" };
    let table = if statement.starts_with("brx") { "T: .branchtargets L, M;" } else { "" };
    format!(
        ".visible .entry {name}(.param .u64 p)\n{{ .reg .pred %p<9>; .reg .b16 %h<12>; .reg .b32 %r<40>; .reg .b64 %rd<12>; \
         .reg .f32 %f<16>; .reg .f64 %d<12>; .reg .b128 %q<5>; .reg .b8 %c<6>; {vector} .shared .align 16 .b32 sh[64]; \
         {table}\n{statement}\nL: ret; M: ret; }}\n"
    )
}

const HEAD: &str =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.global .align 16 .b32 tab[64];\n.func f() { ret; }\n";

#[test]
fn each_form_is_loaded_or_refused_by_name() {
    let memory = Arc::new(Memory::new(1 << 30));
    let part = Part::find("h200").expect("a part");
    let statements = statements();
    let mut refused = BTreeSet::new();
    let mut wrong = Vec::new();
    for statement in &statements {
        match Module::load(&format!("{HEAD}{}", kernel("k", statement)), &memory, part) {
            Ok(_) => {}
            Err(simt::kernel::LoadError::Unsupported { .. }) => drop(refused.insert(statement.as_str())),
            Err(error) => wrong.push(format!("{statement}\n    {error}")),
        }
    }
    assert!(wrong.is_empty(), "valid, and called invalid:\n{}", wrong.join("\n"));
    let known: BTreeSet<&str> = REFUSED.lines().filter(|line| !line.starts_with('#')).collect();
    let new: Vec<_> = refused.difference(&known).collect();
    let gone: Vec<_> = known.difference(&refused).collect();
    assert!(new.is_empty() && gone.is_empty(), "refused.txt lacks {new:#?}, and has {gone:#?} for nothing");
    assert!(statements.len() > 1480, "{} forms", statements.len());
}

#[test]
#[ignore = "needs ptxas"]
fn ptxas_accepts_each_form() {
    let ptxas = std::env::var("WARPLAB_PTXAS").expect("WARPLAB_PTXAS names ptxas");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("forms.ptx");
    let statements = statements();
    let kernels: String =
        (0..).zip(&statements).map(|(at, statement): (u32, _)| kernel(&format!("k{at}"), statement)).collect();
    std::fs::write(&file, format!("{HEAD}{kernels}")).expect("it is written");
    let run = Command::new(ptxas).args(["-arch=sm_90a", "-o", "/dev/null"]).arg(&file).output().expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
