//! From a syntax tree to programs: names become places, modifiers become functions, control flow becomes an order of blocks.
//! What is not supported is an error here, with its line, and never a surprise later.

mod alloc;
mod function;
mod ir;
mod joint;
mod matrix;
mod order;
mod origin;
mod packed;
mod params;
mod program;
mod select;

use crate::machine::{Kernel, LoadError, Param};
use crate::memory::{Kind, Memory};
use crate::ptx::ast::{self, Loc, Operand, Space};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Values of pointers to functions begin here; an address that nothing else has.
const FUNCTIONS: u64 = 4 << 56;

/// What is known of a module before its kernels are lowered.
pub struct Env {
    /// Addresses of its variables and values of pointers to its functions.
    pub addresses: HashMap<String, u64>,
    /// Functions whose address is taken.
    pub pointers: HashSet<usize>,
    /// The values of pointers to them, ascending.
    pub function_values: Vec<(u64, usize)>,
}

/// A place as errors say it: the function and the lines.
fn place((function, loc): (&str, Loc)) -> String {
    let mut text = format!("in {function}");
    if loc.ptx_line > 0 {
        text.push_str(&format!(", PTX line {}", loc.ptx_line));
    }
    if loc.line > 0 {
        text.push_str(&format!(", source line {}", loc.line));
    }
    text
}

/// An error: PTX, but not supported here.
fn unsupported(what: impl Into<String>, at: (&str, Loc)) -> LoadError {
    LoadError::Unsupported {
        what: what.into(),
        place: place(at),
    }
}

/// An error: against the rules of PTX.
fn invalid(what: String, at: (&str, Loc)) -> LoadError {
    LoadError::Invalid {
        what,
        place: place(at),
    }
}

/// Kernels, and variables with their addresses and sizes.
pub type Loaded = (Vec<Kernel>, Vec<(String, u64, u64)>);

/// Places a module's variables in memory and lowers its kernels.
pub fn load(ptx: &str, memory: &Memory) -> Result<Loaded, LoadError> {
    let module = crate::ptx::parse(ptx).map_err(|e| LoadError::Syntax(e.to_string()))?;
    let mut globals = Vec::new();
    let kernels = load_module(&module, memory, &mut globals);
    match kernels {
        Ok(kernels) => Ok((kernels, globals)),
        Err(error) => {
            for (_, address, _) in globals {
                // Its owner is this module, so nobody else can have freed it.
                let _ = memory.free(address);
            }
            Err(error)
        }
    }
}

fn load_module(
    module: &ast::Module,
    memory: &Memory,
    globals: &mut Vec<(String, u64, u64)>,
) -> Result<Vec<Kernel>, LoadError> {
    let mut env = Env {
        addresses: HashMap::new(),
        pointers: taken(module),
        function_values: Vec::new(),
    };
    let mut pointers: Vec<usize> = env.pointers.iter().copied().collect();
    pointers.sort_unstable();
    for (i, &f) in pointers.iter().enumerate() {
        let value = FUNCTIONS + 16 * (i as u64 + 1);
        env.function_values.push((value, f));
        env.addresses
            .insert(module.functions[f].name.clone(), value);
    }
    if module
        .functions
        .iter()
        .any(|f| f.body.is_none() && f.name == "malloc")
    {
        let heap = memory.ensure_heap();
        heap.map_err(|e| LoadError::Memory(format!("the heap of `malloc`: {e}")))?;
    }
    let mut const_bytes = 0;
    for var in &module.vars {
        if !matches!(var.space, Space::Global | Space::Const) {
            continue;
        }
        let constant = var.space == Space::Const;
        if constant {
            const_bytes += var.size as u32;
        }
        let at = (
            var.name.as_str(),
            Loc {
                ptx_line: var.ptx_line,
                ..Loc::default()
            },
        );
        if var.external && var.size == 0 {
            return Err(unsupported("a variable of another module", at));
        }
        let kind = if var.managed {
            Kind::Managed
        } else {
            Kind::Global(constant)
        };
        let size = var.size.max(1);
        let address = memory
            .alloc(size, u64::from(var.align.max(1)), kind, &var.name)
            .map_err(|e| LoadError::Memory(format!("`{}`: {e}", var.name)))?;
        globals.push((var.name.clone(), address, var.size));
        env.addresses.insert(var.name.clone(), address);
    }
    for var in &module.vars {
        let (Some(init), Some(&address)) = (&var.init, env.addresses.get(&var.name)) else {
            continue;
        };
        if !matches!(var.space, Space::Global | Space::Const) {
            continue;
        }
        let at = (
            var.name.as_str(),
            Loc {
                ptx_line: var.ptx_line,
                ..Loc::default()
            },
        );
        let mut bytes = init.bytes.clone();
        bytes.resize(var.size as usize, 0);
        for fix in &init.relocations {
            let Some(&target) = env.addresses.get(&fix.symbol) else {
                return Err(unsupported(
                    format!("the address of `{}` in an initialiser", fix.symbol),
                    at,
                ));
            };
            let value = target.wrapping_add(fix.addend as u64).to_le_bytes();
            let (start, size) = (fix.offset as usize, fix.size as usize);
            match bytes.get_mut(start..start + size) {
                Some(to) if size <= 8 => to.copy_from_slice(&value[..size]),
                _ => return Err(invalid("an initialiser that is too long".into(), at)),
            }
        }
        let host = memory
            .host(address, var.size)
            .map_err(|e| LoadError::Memory(e.to_string()))?;
        // SAFETY: the variable was allocated with this size above, and no kernel runs yet.
        unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    let mut kernels = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        if !function.entry || function.body.is_none() {
            continue;
        }
        let lowered = program::Builder::lower(module, &env, index)?;
        let mut params = Vec::new();
        let mut end = 0;
        for param in &function.params {
            let align = param.align.max(1);
            let offset = u32::next_multiple_of(end, align);
            let size = param.size as u32;
            params.push(Param {
                offset,
                size,
                align,
            });
            end = offset + size;
        }
        let digits: String = module.target.chars().filter(char::is_ascii_digit).collect();
        kernels.push(Kernel {
            name: function.name.clone(),
            params,
            param_bytes: end,
            static_shared: lowered.program.static_shared,
            local_bytes: lowered.program.local_bytes,
            const_bytes,
            registers: bounded(lowered.registers, function),
            max_threads: function
                .max_ntid
                .or(function.req_ntid)
                .map(|n| n.iter().product()),
            required_threads: function.req_ntid,
            target: digits.parse().unwrap_or(0),
            ptx_version: module.version.0 * 10 + module.version.1,
            program: Arc::new(lowered.program),
        });
    }
    Ok(kernels)
}

/// Functions whose address is taken, by code or by initialisers.
fn taken(module: &ast::Module) -> HashSet<usize> {
    let by_name: HashMap<&str, usize> = module
        .functions
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name.as_str(), i))
        .collect();
    let mut found = HashSet::new();
    let initial = module
        .vars
        .iter()
        .filter_map(|v| v.init.as_ref())
        .flat_map(|i| &i.relocations);
    found.extend(initial.filter_map(|r| by_name.get(r.symbol.as_str())));
    for inst in module
        .functions
        .iter()
        .filter_map(|f| f.body.as_ref())
        .flat_map(|b| &b.code)
    {
        if inst.op == "call" || inst.op.starts_with("call.") {
            continue;
        }
        for operand in &inst.operands {
            if let Operand::Sym(name, _) = operand {
                found.extend(by_name.get(name.as_str()));
            }
        }
    }
    found
}

/// Registers that a thread can name on any part.
const MOST_REGISTERS: u32 = 255;

/// Registers of a kernel: a compiler spills rather than use more than there are, or break a launch bound or `.maxnreg` that is
/// declared, so that a block of that size always fits the 64 Ki registers that every part has for one.
fn bounded(registers: u32, function: &ast::Function) -> u32 {
    let threads = function.max_ntid.or(function.req_ntid);
    let threads: u32 = threads.map_or(0, |n| n.iter().product());
    let registers = registers.min(MOST_REGISTERS);
    let registers = registers.min(function.max_regs.map_or(registers, |most| most.max(16)));
    match threads.next_multiple_of(32) {
        0 => registers,
        threads => registers.min((65536 / threads) & !7),
    }
}
