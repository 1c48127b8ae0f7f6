//! Checks a module as the driver's own assembler does, independent of what its instructions do.
//!
//! The parser resolves names, and the instruction table checks the use of registers. Limits and versions are those of
//! the PTX ISA manual (chapters "PTX Module Directives" and "Kernel Function Parameters").

use std::collections::HashMap;

use crate::ast::{Body, Function, Inst, Module, Operand, Space, Type, Var};
use crate::error::{ParseError, Problem, Result};
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use crate::since::{Architectures, Since};
use crate::younger;

/// Largest constant memory of a module, in bytes.
const MAX_CONST: u64 = 65_536;

/// Largest size of a kernel's parameters, in bytes, since PTX 8.1 on Volta and later; before that it was 4352.
const MAX_PARAMS: u64 = 32_764;

/// Oldest PTX version of each architecture.
const TARGETS: [(u32, (u32, u32)); 27] = [
    (20, (2, 0)),
    (21, (2, 0)),
    (30, (3, 0)),
    (32, (4, 0)),
    (35, (3, 1)),
    (37, (4, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (72, (6, 1)),
    (75, (6, 3)),
    (80, (7, 0)),
    (86, (7, 1)),
    (87, (7, 4)),
    (88, (9, 0)),
    (89, (7, 8)),
    (90, (7, 8)),
    (100, (8, 6)),
    (101, (8, 6)),
    (103, (8, 8)),
    (110, (9, 0)),
    (120, (8, 7)),
    (121, (8, 8)),
];

fn fail<T>(line: u32, what: impl Into<String>) -> Result<T> {
    let problem = Problem::Invalid(what.into());
    Err(ParseError { line, problem })
}

/// Checks a module as a whole.
///
/// # Errors
/// The first rule that the module breaks, with its line in the PTX.
pub(super) fn verify(module: &Module) -> Result<()> {
    target(module)?;
    let mut constant = 0u64;
    for var in &module.vars {
        variable(var)?;
        if var.space == Space::Const {
            constant = constant.next_multiple_of(var.align as u64) + var.size;
        }
        if constant > MAX_CONST {
            return fail(var.ptx_line, format!("{constant} bytes of constant memory, {MAX_CONST} at most"));
        }
    }
    let by_name = module.functions.iter().map(|f| (&*f.name, f)).collect();
    for function in &module.functions {
        head(function, module)?;
        if let Some(code) = &function.body {
            body(code, &by_name)?;
            for inst in &code.code {
                has_instruction(inst, code, module)?;
                barrier(inst)?;
            }
        }
    }
    Ok(())
}

fn target(module: &Module) -> Result<()> {
    if module.target.is_empty() {
        return fail(1, "a module without `.target`");
    }
    match module.address_size {
        64 => {}
        32 => {
            return fail(1, "32-bit addresses: compile for 64 bits (`.address_size 64`)");
        }
        0 => {
            return fail(1, "a module without `.address_size 64`: its addresses have 32 bits");
        }
        other => return fail(1, format!("`.address_size {other}`: must be 64")),
    }
    let (major, minor) = module.version;
    let target = &module.target;
    let Some((number, _)) = architecture(target) else {
        return fail(1, format!("`.target {target}`: expected `sm_` and a number"));
    };
    // An architecture newer than those in this table is checked by its instructions only.
    let oldest = TARGETS.iter().find(|t| t.0 == number).map(|t| t.1);
    match oldest {
        Some((oldest_major, oldest_minor)) if (major, minor) < (oldest_major, oldest_minor) => fail(
            1,
            format!(
                "`.version {major}.{minor}` does not support `{target}`: it needs {oldest_major}.{oldest_minor} or later"
            ),
        ),
        None if number < TARGETS[0].0 => fail(1, format!("`.target {target}` is too old")),
        _ => Ok(()),
    }
}

fn variable(var: &Var) -> Result<()> {
    let name = &var.name;
    if var.ty == Type::Pred {
        return fail(var.ptx_line, format!("`{name}` is a predicate in memory"));
    }
    if var.size == 0 && !var.external {
        return fail(var.ptx_line, format!("the array `{name}` has no size"));
    }
    if var.external && var.init.is_some() {
        return fail(var.ptx_line, format!("`{name}` is `.extern` and has an initial value"));
    }
    Ok(())
}

fn head(function: &Function, module: &Module) -> Result<()> {
    let (name, line) = (&function.name, function.ptx_line);
    if function.entry && function.body.is_none() {
        return fail(line, format!("the kernel `{name}` has no body"));
    }
    if function.max_ntid.is_some() && function.req_ntid.is_some() {
        return fail(line, format!("`{name}` has both `.maxntid` and `.reqntid`"));
    }
    for (directive, extents) in [(".maxntid", function.max_ntid), (".reqntid", function.req_ntid)] {
        if extents.is_some_and(|e| e.contains(&0)) {
            return fail(line, format!("`{name}` has `{directive}` with an extent of 0"));
        }
    }
    for (directive, since) in younger::of_clusters(&function.cluster) {
        exists(line, since, module, || format!("directive `{directive}`"))?;
    }
    if function.entry {
        let bytes = function.params.iter().fold(0u64, |sum, p| {
            // The sum is bounded, so that absurd sizes cannot overflow it.
            sum.min(1 << 60).next_multiple_of(p.align.max(1) as u64) + p.size
        });
        let most = if module.version >= (8, 1) { MAX_PARAMS } else { 4352 };
        if bytes > most {
            return fail(line, format!("`{name}` has {bytes} bytes of parameters, {most} at most"));
        }
    }
    Ok(())
}

fn body(body: &Body, functions: &HashMap<&str, &Function>) -> Result<()> {
    body.vars.iter().try_for_each(variable)?;
    let prototypes = body.prototypes.iter();
    let prototypes: HashMap<&str, (usize, usize)> =
        prototypes.map(|(name, returns, params)| (&**name, (returns.len(), params.len()))).collect();
    for inst in &body.code {
        let predicate = |reg: crate::ast::RegId| body.regs[reg.0 as usize].ty == Type::Pred;
        if let Some((reg, _)) = inst.guard
            && !predicate(reg)
        {
            let name = &body.regs[reg.0 as usize].name;
            return fail(inst.loc.ptx_line, format!("the guard `{name}` is not a predicate"));
        }
        for operand in &inst.operands {
            if let Operand::NotReg(reg) = operand
                && !predicate(*reg)
            {
                let name = &body.regs[reg.0 as usize].name;
                return fail(inst.loc.ptx_line, format!("`!{name}` negates a register that is not a predicate"));
            }
        }
        if inst.opcode == Opcode::Call {
            call(inst, functions, &prototypes)?;
        }
    }
    Ok(())
}

/// Returns the architecture that `.target` names: its number, and whether the code is specific to it or its family
/// (`sm_90a`).
fn architecture(target: &str) -> Option<(u32, bool)> {
    let whole = target.strip_prefix("sm_")?;
    let number = whole.trim_end_matches(['a', 'f']);
    Some((number.parse().ok()?, number.len() < whole.len()))
}

/// Checks that the module's version and target have an instruction.
fn has_instruction(inst: &Inst, body: &Body, module: &Module) -> Result<()> {
    let is_special = |operand: &Operand| matches!(operand, Operand::Special(_));
    inst.since().try_for_each(|since| {
        exists(inst.loc.ptx_line, since, module, || match since.architectures {
            Architectures::From(_) if inst.operands.iter().any(is_special) => {
                format!("instruction `{}`", inst.display(body))
            }
            Architectures::From(_) => format!("instruction `{}`", inst.text()),
            // All forms need the architecture's specific code.
            Architectures::Specific(_) => {
                let name: Vec<&str> = inst.text().split('.').take(2).collect();
                format!("instruction `{}`", name.join("."))
            }
        })
    })
}

/// Checks that the module's version and target have what exists since then.
fn exists(line: u32, since: Since, module: &Module, what: impl Fn() -> String) -> Result<()> {
    let target = &module.target;
    let lacks = match (architecture(target), since.architectures) {
        (Some((here, _)), Architectures::From(least)) => (here < least).then(|| (format!("sm_{least}"), " or later")),
        (Some((here, is_specific)), Architectures::Specific(list)) => {
            (!is_specific || !list.contains(&here)).then(|| (format!("sm_{}a", list[0]), ""))
        }
        (None, _) => None,
    };
    if let Some((wanted, later)) = lacks {
        let what = what();
        return fail(
            line,
            format!(
                "{what} not supported on `.target {target}`: compile for {wanted}{later} (--gpu-architecture={wanted})"
            ),
        );
    }
    if module.version < since.version {
        let ((major, minor), (least, lesser), what) = (module.version, since.version, what());
        return fail(
            line,
            format!("{what} not supported in `.version {major}.{minor}`: it needs {least}.{lesser} or later"),
        );
    }
    Ok(())
}

/// The barriers of a block.
const BARRIERS: i64 = 16;

/// Checks the numbers of a barrier of the block, and of the threads that arrive at it, where they are literals.
fn barrier(inst: &Inst) -> Result<()> {
    if !matches!(inst.opcode, Opcode::Bar | Opcode::Barrier) {
        return Ok(());
    }
    let operands = match inst.operands.as_slice() {
        [_, inner @ .., _] if inst.has(Modifier::Red) => inner,
        all => all,
    };
    let line = inst.loc.ptx_line;
    if let Some(Operand::Int(number)) = operands.first()
        && !(0..BARRIERS).contains(number)
    {
        return fail(
            line,
            format!("barrier number {number} is out of range: a block has barriers 0 to {}", BARRIERS - 1),
        );
    }
    if let Some(Operand::Int(threads)) = operands.get(1)
        && threads % 32 != 0
    {
        return fail(
            line,
            format!("a barrier for {threads} threads: the number must be a multiple of the warp size, 32"),
        );
    }
    Ok(())
}

/// Checks that a call passes as many arguments as the function takes, and receives as many values as it returns.
fn call(inst: &Inst, functions: &HashMap<&str, &Function>, prototypes: &HashMap<&str, (usize, usize)>) -> Result<()> {
    let line = inst.loc.ptx_line;
    let [Operand::Vec(returns), function, Operand::Vec(arguments), rest @ ..] = &inst.operands[..] else {
        return fail(line, "a call without a function");
    };
    let (name, wanted) = match (function, rest) {
        (Operand::Sym(name, 0), []) => match functions.get(&**name) {
            Some(f) if f.entry => return fail(line, format!("a call of the kernel `{name}`")),
            Some(f) => (&**name, (f.returns.len(), f.params.len())),
            None => return fail(line, format!("a call of `{name}`, which is not a function")),
        },
        (Operand::Reg(_), [Operand::Sym(name, 0)]) => match prototypes.get(&**name) {
            Some(counts) => (&**name, *counts),
            None => return fail(line, format!("`{name}` is not a `.callprototype`")),
        },
        (Operand::Reg(_), []) => {
            return fail(line, "a call through a register without a `.callprototype`");
        }
        _ => return fail(line, "a call of something that is not a function"),
    };
    let given = (returns.len(), arguments.len());
    if given != wanted {
        return fail(
            line,
            format!(
                "a call of `{name}` with {} returned and {} given values; it has {} and {}",
                given.0, given.1, wanted.0, wanted.1
            ),
        );
    }
    Ok(())
}
