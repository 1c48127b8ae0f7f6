//! Real PTX, parsed and verified: each file of `tests/modules/` has a summary of its syntax tree next to it.
//!
//! `UPDATE_EXPECTED=1 cargo test -p ptx golden` rewrites the summaries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ptx::ast::{Body, Function, Module, Operand, Var};

fn var(out: &mut String, indent: &str, var: &Var) {
    let _ = write!(out, "{indent}{:?} {} {:?} align {} size {}", var.space, var.name, var.ty, var.align, var.size);
    for (flag, word) in [(var.external, "extern"), (var.visible, "visible"), (var.managed, "managed")] {
        if flag {
            let _ = write!(out, " {word}");
        }
    }
    if let Some(init) = &var.init {
        let _ = write!(out, " = {:02x?}", init.bytes);
        for r in &init.relocations {
            let generic = if r.generic { " generic" } else { "" };
            let _ = write!(out, " @{}:{}{:+}({}{generic})", r.offset, r.symbol, r.addend, r.size);
        }
    }
    out.push('\n');
}

fn operand(body: &Body, operand: &Operand) -> String {
    let reg = |r: &ptx::ast::RegId| format!("{}#{}", body.regs[r.0 as usize].name, r.0);
    match operand {
        Operand::Reg(r) => reg(r),
        Operand::NotReg(r) => format!("!{}", reg(r)),
        Operand::Label(index) => format!("->{index}"),
        Operand::Mem(ptx::ast::Base::Reg(r), offset) => format!("[{}{offset:+}]", reg(r)),
        Operand::Vec(list) => {
            let list: Vec<_> = list.iter().map(|o| self::operand(body, o)).collect();
            format!("{{{}}}", list.join(", "))
        }
        Operand::Pair(a, b) => {
            let (a, b) = (self::operand(body, a), self::operand(body, b));
            format!("{a}|{b}")
        }
        other => format!("{other:?}"),
    }
}

fn function(out: &mut String, f: &Function, whole: bool) {
    let kind = if f.entry { "entry" } else { "func" };
    let _ = writeln!(out, "{kind} {} line {}", f.name, f.ptx_line);
    for (name, value) in [("maxntid", f.max_ntid), ("reqntid", f.req_ntid)] {
        if let Some(value) = value {
            let _ = writeln!(out, "  {name} {value:?}");
        }
    }
    for (name, value) in [("min blocks", f.min_ctas_per_sm), ("max regs", f.max_regs)] {
        if let Some(value) = value {
            let _ = writeln!(out, "  {name} {value}");
        }
    }
    for v in &f.returns {
        var(out, "  return ", v);
    }
    for v in &f.params {
        var(out, "  param ", v);
    }
    let Some(body) = &f.body else {
        out.push_str("  declared only\n");
        return;
    };
    for v in &body.vars {
        var(out, "  ", v);
    }
    let mut types = BTreeMap::new();
    for reg in &body.regs {
        *types.entry(format!("{:?}", reg.ty)).or_insert(0) += 1;
    }
    let _ = writeln!(out, "  registers {types:?}");
    let _ = writeln!(out, "  labels {:?}", body.labels);
    for table in &body.branch_targets {
        let _ = writeln!(out, "  table {table:?}");
    }
    for (name, returns, params) in &body.prototypes {
        let _ = writeln!(out, "  prototype {name} {} {}", returns.len(), params.len());
    }
    if whole {
        for (index, inst) in body.code.iter().enumerate() {
            let guard = inst.guard.map_or(String::new(), |(r, not)| {
                let not = if not { "!" } else { "" };
                format!("@{not}{}#{} ", body.regs[r.0 as usize].name, r.0)
            });
            let operands: Vec<_> = inst.operands.iter().map(|o| operand(body, o)).collect();
            let (op, line) = (inst.text(), inst.loc.ptx_line);
            let _ = writeln!(out, "  {index:3} line {line:3}: {guard}{op} {}", operands.join(", "));
        }
        return;
    }
    let mut counts = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for inst in &body.code {
        *counts.entry(inst.text()).or_insert(0) += 1;
        let loc = inst.loc;
        let place = (loc.file, loc.line, loc.column, loc.inlined);
        *lines.entry(place).or_insert(0) += 1;
    }
    let _ = writeln!(out, "  {} instructions {counts:?}", body.code.len());
    if lines.len() > 1 {
        let _ = writeln!(out, "  by file, line, column, inline {lines:?}");
    }
}

fn summary(module: &Module, whole: bool) -> String {
    let (major, minor) = module.version;
    let mut out = format!("version {major}.{minor} target {} address size {}\n", module.target, module.address_size);
    for (index, name) in &module.files {
        let _ = writeln!(out, "file {index} {name}");
    }
    for (index, inline) in module.inlines.iter().enumerate() {
        let _ = writeln!(out, "inline {} {} at {:?}", index + 1, inline.function, inline.at);
    }
    for v in &module.vars {
        var(&mut out, "", v);
    }
    for f in &module.functions {
        function(&mut out, f, whole);
    }
    out
}

#[test]
fn real_ptx_is_read_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    let mut seen = 0;
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for path in files {
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let module = ptx::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let whole = path.ends_with("rules.ptx") || path.ends_with("trapezoid_lines_12.ptx");
        let summary = summary(&module, whole);
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&golden, summary).unwrap();
        } else {
            let expected = std::fs::read_to_string(&golden).unwrap_or_default();
            assert_eq!(summary, expected, "{}", golden.display());
        }
        seen += 1;
    }
    assert!(seen >= 12, "only {seen} files in {}", folder.display());
}
