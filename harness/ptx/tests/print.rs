//! What is printed is parsed again: each instruction of the committed PTX, with the names of its body.

use lzma_rust2::LzmaReader;
use ptx::ast::{Body, Function, Inst, Loc, Module, Operand, Var};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Adds the PTX files under a folder, also compressed ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if [".ptx", ".ptx.lzma"].iter().any(|end| path.to_string_lossy().ends_with(end)) {
            files.push(path);
        }
    }
}

/// Returns the text of a PTX file.
fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("a file");
    let mut text = String::new();
    let is_compressed = path.extension().is_some_and(|extension| extension == "lzma");
    let length = if is_compressed {
        LzmaReader::new_mem_limit(&*bytes, u32::MAX, None).expect("a header").read_to_string(&mut text)
    } else {
        (&*bytes).read_to_string(&mut text)
    };
    length.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text
}

/// Returns as many parameters, whose names begin with a word.
fn parameters(list: &[Var], word: &str) -> String {
    let list: Vec<String> = (0..list.len()).map(|number| format!(".param .b32 {word}{number}")).collect();
    format!("({})", list.join(", "))
}

/// Returns a module with the instructions of a body, and whatever else they name.
fn text(module: &Module, of: &Function, body: &Body) -> String {
    let (major, minor) = module.version;
    let mut out = format!(".version {major}.{minor}\n.target {}\n.address_size 64\n", module.target);
    for var in &module.vars {
        let _ = writeln!(out, ".extern .global .b8 {}[1];", var.name);
    }
    for function in module.functions.iter().filter(|function| function.name != of.name) {
        let (name, params) = (&function.name, parameters(&function.params, "given"));
        let _ = match function.entry {
            true => writeln!(out, ".entry {name}{params} {{ ret; }}"),
            false if function.returns.is_empty() => writeln!(out, ".func {name}{params};"),
            false => {
                writeln!(out, ".func {} {name}{params};", parameters(&function.returns, "returned"))
            }
        };
    }
    let _ = if of.entry {
        writeln!(out, ".entry {}() {{", of.name)
    } else {
        let returns = if of.returns.is_empty() { String::new() } else { parameters(&of.returns, "returned") };
        writeln!(out, ".func {returns} {}{} {{", of.name, parameters(&of.params, "given"))
    };
    for register in &body.regs {
        let _ = writeln!(out, ".reg .{} {};", register.ty.word(), register.name);
    }
    for var in body.vars.iter().chain(&of.params).chain(&of.returns) {
        if !body.regs.iter().any(|register| register.name == var.name) {
            let _ = writeln!(out, ".local .b8 {}[1];", var.name);
        }
    }
    for (name, targets) in &body.branch_targets {
        let targets: Vec<String> = targets.iter().map(|at| Operand::Label(*at).display(body).to_string()).collect();
        let _ = writeln!(out, "{name}: .branchtargets {};", targets.join(", "));
    }
    for (name, returns, params) in &body.prototypes {
        let returns = if returns.is_empty() { String::new() } else { parameters(returns, "returned") };
        let _ = writeln!(out, "{name}: .callprototype {returns} _ {};", parameters(params, "given"));
    }
    for (at, inst) in body.code.iter().enumerate() {
        for (label, _) in body.labels.iter().filter(|(_, place)| *place as usize == at) {
            let _ = writeln!(out, "{label}:");
        }
        let _ = writeln!(out, "{};", inst.display(body));
    }
    for (label, _) in body.labels.iter().filter(|(_, place)| *place as usize == body.code.len()) {
        let _ = writeln!(out, "{label}:");
    }
    out + "}\n"
}

/// Gives each register a name of its own, and each label of several scopes.
fn rename(body: &mut Body) {
    for (number, register) in body.regs.iter_mut().enumerate() {
        register.name = format!("%q{number}");
    }
    for (number, (label, _)) in body.labels.iter_mut().enumerate() {
        *label = format!("label{number}");
    }
}

/// Returns an instruction without its place, and with registers by their names.
fn plain(inst: &Inst, body: &Body) -> (Inst, String) {
    let mut inst = inst.clone();
    inst.loc = Loc::default();
    let shown = inst.display(body).to_string();
    inst.guard = None;
    inst.operands.clear();
    (inst, shown)
}

#[test]
fn printed_instructions_are_parsed_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/modules", "../simt/tests", "../libcuda", "../cli/templates", "../../labs"] {
        collect(&root.join(folder), &mut files);
    }
    let mut instructions = 0;
    for path in &files {
        let mut module = ptx::parse(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let functions = module.functions.clone();
        module.functions.iter_mut().for_each(|function| function.body = None);
        for mut of in functions {
            let Some(mut body) = of.body.take() else {
                continue;
            };
            // Variables of the same name get names that PTX cannot spell.
            if body.vars.iter().any(|var| var.name.contains('.')) {
                continue;
            }
            rename(&mut body);
            let text = text(&module, &of, &body);
            let again = ptx::parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", path.display()));
            let again = again.functions.iter().find(|function| function.name == of.name).expect("the function");
            let again = again.body.as_ref().expect("a body");
            assert_eq!(again.code.len(), body.code.len(), "{}: {}", path.display(), of.name);
            for (one, other) in body.code.iter().zip(&again.code) {
                assert_eq!(plain(one, &body), plain(other, again), "{}", path.display());
                instructions += 1;
            }
        }
    }
    assert!(files.len() > 250 && instructions > 14_000, "{} files, {instructions} instructions", files.len());
}

#[test]
fn instructions_are_printed_as_written() {
    let lines = [
        "@!%p1 add.s32 %r1, %r2, -7",
        "ld.shared.v2.f32 {%f1, _}, [sh+8]",
        "setp.lt.f32 %p1|%p2, %f1, 0f3F800000",
        "mov.u32 %r1, %tid.x",
        "mov.u32 %r1, %laneid",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}]",
        "vadd.u32.u32.u32 %r1, %r2.b3, -%r3.h1, %r4",
        "ret",
    ];
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; \
         .reg .pred %p<9>; .shared .b32 sh[4];\n{};\n}}",
        lines.join(";\n")
    );
    let module = ptx::parse(&text).expect("a module");
    let body = module.functions[0].body.as_ref().expect("a body");
    let printed: Vec<String> = body.code.iter().map(|inst| inst.display(body).to_string()).collect();
    assert_eq!(printed, lines);
}
