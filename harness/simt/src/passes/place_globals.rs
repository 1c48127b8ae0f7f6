//! Places a module's variables in memory: gives them and functions their addresses, and variables their contents.

use super::error::{invalid, unsupported};
use super::ir::Result;
use crate::kernel::LoadError;
use crate::memory::{Memory, MemoryKind};
use ptx::ast::{self, Loc, Operand, Space, Var};
use ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// Values of pointers to functions begin here. No memory has such addresses.
const FUNCTIONS: u64 = 4 << 56;
/// Values of pointers to kernels begin here.
const KERNELS: u64 = 5 << 56;

/// What is known about a module before its kernels are lowered.
#[derive(Default)]
pub struct Env {
    /// Addresses of its variables and values of pointers to its functions.
    pub addresses: HashMap<String, u64>,
    /// Functions whose address is taken.
    pub pointers: HashSet<usize>,
    /// The values of pointers to those functions, in ascending order.
    pub function_values: Vec<(u64, usize)>,
    /// Kernels by name, and the values of pointers to them. Kernels use them to launch each other; no kernel is called.
    pub kernel_values: Vec<(String, u64)>,
    /// Bytes of its constant variables.
    pub const_bytes: u32,
    /// The initial values of the variables that have one, by address.
    pub initial: Vec<(u64, Vec<u8>)>,
}

/// Gives a module's functions and variables their addresses, and its variables their values. `globals` receives the
/// name, address and size of each variable that was allocated, even if there is an error.
pub fn place_globals(module: &ast::Module, memory: &Memory, globals: &mut Vec<(String, u64, u64)>) -> Result<Env> {
    let (kernels, functions) = taken(module).into_iter().partition(|&f: &usize| module.functions[f].entry);
    let mut env = Env { pointers: functions, ..Env::default() };
    env.number_functions(module);
    env.number_kernels(module, kernels);
    let provided = |f: &ast::Function| f.body.is_none() && f.name == "malloc";
    if module.functions.iter().any(provided) {
        let heap = memory.ensure_heap();
        heap.map_err(|e| LoadError::Memory(format!("the heap of `malloc`: {e}")))?;
    }
    for var in module.vars.iter().filter(|var| is_global(var)) {
        let address = env.allocate(var, memory)?;
        globals.push((var.name.clone(), address, var.size));
    }
    for var in module.vars.iter().filter(|var| is_global(var)) {
        env.initialise(var, memory)?;
    }
    Ok(env)
}

impl Env {
    /// Gives the functions whose address is taken their pointer values.
    fn number_functions(&mut self, module: &ast::Module) {
        let mut pointers: Vec<usize> = self.pointers.iter().copied().collect();
        pointers.sort_unstable();
        for (f, i) in pointers.into_iter().zip(1..) {
            let value = FUNCTIONS + 16 * i;
            self.function_values.push((value, f));
            let name = module.functions[f].name.clone();
            self.addresses.insert(name, value);
        }
    }

    /// Gives the kernels whose address is taken their pointer values.
    fn number_kernels(&mut self, module: &ast::Module, kernels: HashSet<usize>) {
        let mut kernels: Vec<usize> = kernels.into_iter().collect();
        kernels.sort_unstable();
        for (f, i) in kernels.into_iter().zip(1..) {
            let value = KERNELS + 16 * i;
            let name = &module.functions[f].name;
            self.kernel_values.push((name.clone(), value));
            self.addresses.insert(name.clone(), value);
        }
    }

    /// Allocates a variable. Returns its address.
    fn allocate(&mut self, var: &Var, memory: &Memory) -> Result<u64> {
        let constant = var.space == Space::Const;
        if constant {
            self.const_bytes += var.size as u32;
        }
        if var.external && var.size == 0 {
            return Err(unsupported("a variable of another module", at(var)));
        }
        let kind = if var.managed { MemoryKind::Managed } else { MemoryKind::Global(constant) };
        let size = var.size.max(1);
        let address = memory
            .alloc(size, u64::from(var.align.max(1)), kind, &var.name)
            .map_err(|e| LoadError::Memory(format!("`{}`: {e}", var.name)))?;
        self.addresses.insert(var.name.clone(), address);
        Ok(address)
    }

    /// Writes a variable's initial value, if it has one. The remaining bytes are already zero, because new memory is.
    fn initialise(&mut self, var: &Var, memory: &Memory) -> Result<()> {
        let (Some(init), Some(&address)) = (&var.init, self.addresses.get(&var.name)) else {
            return Ok(());
        };
        let mut bytes = init.bytes.clone();
        for fix in &init.relocations {
            let Some(&target) = self.addresses.get(&fix.symbol) else {
                let what = format!("the address of `{}` in an initialiser", fix.symbol);
                return Err(unsupported(what, at(var)));
            };
            let value = target.wrapping_add(fix.addend as u64).to_le_bytes();
            let (start, size) = (fix.offset as usize, fix.size as usize);
            match bytes.get_mut(start..start + size) {
                Some(to) if size <= 8 => to.copy_from_slice(&value[..size]),
                _ => return Err(invalid("an initialiser that is too long".into(), at(var))),
            }
        }
        let host = memory.host(address, var.size).map_err(|e| LoadError::Memory(e.to_string()))?;
        // SAFETY: the variable was allocated above, it has at least as many bytes as its value, and no kernel runs yet.
        unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.initial.push((address, bytes));
        Ok(())
    }
}

/// Whether a variable lies in global or constant memory.
fn is_global(var: &Var) -> bool {
    matches!(var.space, Space::Global | Space::Const)
}

/// A variable's place in the source, for errors.
fn at(var: &Var) -> (&str, Loc) {
    let loc = Loc { ptx_line: var.ptx_line, ..Loc::default() };
    (&var.name, loc)
}

/// The functions whose address is taken by code or by initialisers.
fn taken(module: &ast::Module) -> HashSet<usize> {
    let by_name: HashMap<&str, usize> =
        module.functions.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
    let mut found = HashSet::new();
    let initial = module.vars.iter().filter_map(|v| v.init.as_ref()).flat_map(|i| &i.relocations);
    found.extend(initial.filter_map(|r| by_name.get(r.symbol.as_str())));
    for inst in module.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|b| &b.code) {
        if inst.opcode == Opcode::Call {
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
