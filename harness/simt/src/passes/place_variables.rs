//! Lays out the variables of a program in shared and local memory.

use super::error::invalid;
use super::frames::{Frames, take};
use super::ir::Result;
use crate::engine::warp::program::{SharedVar, Source};
use crate::finding::Space;
use crate::kernel::LoadError;
use ptx::ast::{self, Base, Loc, Operand};
use std::collections::{HashMap, HashSet};

/// Maximum static shared memory of a kernel, in bytes, as in the driver's own assembler.
const MAX_SHARED: u32 = 49_152;

/// The places of a program's variables in shared and local memory.
#[derive(Default)]
pub struct Variables {
    /// Shared variables by function (`None` for the module's) and name.
    shared: HashMap<(Option<usize>, String), SharedPlace>,
    /// Local variables.
    local: HashMap<(usize, String), u32>,
    /// Bytes of local memory.
    local_bytes: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes before it that the system reserves.
    pub reserved_shared: u32,
    /// Alignment of the dynamic shared memory.
    pub dynamic_align: u32,
    /// Names in shared memory.
    pub shared_vars: Vec<SharedVar>,
}

#[derive(Clone, Copy)]
enum SharedPlace {
    At(u32),
    Dynamic,
}

/// Lays out the variables of a program of these functions, of which the kernel is the last. The frames get those of
/// functions with frames; the others follow the `local_bytes` of local memory that are already used. The device
/// reserves `reserved` bytes of shared memory for kernels that ask for their location.
pub fn place_variables(
    module: &ast::Module,
    functions: &[usize],
    frames: &mut Frames,
    local_bytes: u32,
    reserved: u32,
) -> Result<Variables> {
    let asks = functions.iter().any(|&f| reads_reserved(&module.functions[f]));
    let reserved_shared = if asks { reserved } else { 0 };
    let mut variables = Variables { local_bytes, reserved_shared, dynamic_align: 16, ..Variables::default() };
    variables.place_local(module, functions, frames)?;
    variables.place_shared(module, functions)?;
    Ok(variables)
}

impl Variables {
    fn place_local(&mut self, module: &ast::Module, functions: &[usize], frames: &mut Frames) -> Result<()> {
        for &f in functions {
            let vars = module.functions[f].body.iter().flat_map(|body| &body.vars);
            for var in vars.filter(|var| var.space == Space::Local) {
                let at = if frames.has(f) {
                    frames.take(f, var.size, var.align)
                } else {
                    take(&mut self.local_bytes, var.size, var.align.clamp(1, 256))
                };
                self.local.insert((f, var.name.clone()), at.ok_or_else(|| too_large(module, f, var))?);
            }
        }
        Ok(())
    }

    fn place_shared(&mut self, module: &ast::Module, functions: &[usize]) -> Result<()> {
        let used = mentioned(module, functions);
        let of_module = module.vars.iter().filter(|var| used.contains(var.name.as_str())).map(|var| (None, var));
        let bodies = functions.iter().filter_map(|&f| Some((f, module.functions[f].body.as_ref()?)));
        let of_functions = bodies.flat_map(|(f, body)| body.vars.iter().map(move |var| (Some(f), var)));
        let (mut end, mut dynamic) = (self.reserved_shared, None);
        for (owner, var) in of_module.chain(of_functions).filter(|(_, var)| var.space == Space::Shared) {
            let key = (owner, var.name.clone());
            // An external array with a size is an array like any other: there is no other module to define it.
            if var.size == 0 {
                self.dynamic_align = self.dynamic_align.max(var.align);
                self.shared.insert(key, SharedPlace::Dynamic);
                dynamic = dynamic.or(Some(&var.name));
                continue;
            }
            let at = end.next_multiple_of(var.align.max(1));
            self.shared.insert(key, SharedPlace::At(at));
            let size = u32::try_from(var.size).unwrap_or(u32::MAX);
            end = at.saturating_add(size);
            let own = end - self.reserved_shared;
            if own > MAX_SHARED {
                let what =
                    format!("{own} bytes of static shared memory, {MAX_SHARED} at most: larger arrays must be dynamic");
                let kernel = functions.last().map_or("", |&f| module.functions[f].name.as_str());
                return Err(invalid(what, (kernel, Loc::default())));
            }
            self.shared_vars.push(SharedVar { name: var.name.clone(), offset: at, size });
        }
        self.static_shared = end - self.reserved_shared;
        // All dynamic arrays begin at the same address.
        if let Some(name) = dynamic {
            let offset = end.next_multiple_of(self.dynamic_align);
            self.shared_vars.push(SharedVar { name: name.clone(), offset, size: 0 });
        }
        Ok(())
    }

    /// Returns the offset of a local variable in local memory or, of a function with frames, in its frame.
    pub fn local_offset(&self, function: usize, name: &str) -> Option<u32> {
        self.local.get(&(function, name.to_string())).copied()
    }

    /// Returns the start of the stack in local memory.
    pub fn stack_start(&self) -> u32 {
        self.local_bytes.next_multiple_of(16)
    }

    /// Returns the address in its own space of a shared or local variable: of the given function, if it has one of that
    /// name, or of the module.
    pub fn address(&self, owner: Option<usize>, name: &str, offset: i64) -> Option<Source> {
        let with = |at: u32| Some(Source::Bits((i64::from(at) + offset) as u64));
        if let Some(at) = owner.and_then(|f| self.local_offset(f, name)) {
            return with(at);
        }
        let mut places = [owner, None].into_iter().map(|owner| self.shared.get(&(owner, name.to_string())));
        match places.find_map(|place| place)? {
            SharedPlace::At(at) => with(*at),
            SharedPlace::Dynamic => Some(Source::DynamicShared(i32::try_from(offset).ok()?)),
        }
    }
}

/// Returns the error for a local variable that is too large for any thread's memory.
fn too_large(module: &ast::Module, function: usize, var: &ast::Var) -> LoadError {
    let place = (module.functions[function].name.as_str(), Loc::default());
    invalid(format!("`{}` of {} bytes a thread", var.name, var.size), place)
}

/// Returns the names of variables and functions that the code of these functions mentions.
fn mentioned<'m>(module: &'m ast::Module, functions: &[usize]) -> HashSet<&'m str> {
    let mut found = Vec::new();
    for inst in functions.iter().filter_map(|&f| module.functions[f].body.as_ref()).flat_map(|body| &body.code) {
        inst.operands.iter().for_each(|operand| names(operand, &mut found));
    }
    found.into_iter().collect()
}

/// Collects the names of variables and functions that an operand mentions.
fn names<'o>(operand: &'o Operand, found: &mut Vec<&'o str>) {
    match operand {
        Operand::Sym(name, _) | Operand::Mem(Base::Sym(name), _) => found.push(name),
        Operand::Vec(list) => list.iter().for_each(|o| names(o, found)),
        Operand::Pair(a, b) => {
            names(a, found);
            names(b, found);
        }
        _ => {}
    }
}

/// Whether a function reads the location of the shared memory that the system reserves.
fn reads_reserved(function: &ast::Function) -> bool {
    let code = function.body.iter().flat_map(|body| &body.code);
    code.flat_map(|inst| &inst.operands).any(|o| matches!(o, Operand::Special(ast::Special::ReservedSmem(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(code: &str) -> Result<Variables> {
        let text = format!(
            ".version 8.1\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 unused[8];\n\
             .shared .align 4 .b8 first[6];\n.extern .shared .align 64 .b8 dynamic[];\n\
             .visible .entry k()\n{{\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n{code}\nret;\n}}\n"
        );
        let module = ptx::parse(&text).unwrap();
        place_variables(&module, &[0], &mut Frames::default(), 4, 1024)
    }

    #[test]
    fn shared_variables_follow_each_other_and_the_dynamic_part_comes_last() {
        let code = ".shared .align 8 .b8 second[16];\nmov.u64 %rd1, first; mov.u64 %rd2, dynamic;";
        let found = variables(code).unwrap();
        let names: Vec<_> = found.shared_vars.iter().map(|v| (v.name.as_str(), v.offset, v.size)).collect();
        assert_eq!(names, [("first", 0, 6), ("second", 8, 16), ("dynamic", 64, 0)]);
        assert_eq!((found.static_shared, found.dynamic_align), (24, 64));
        assert_eq!(found.address(Some(0), "second", 4), Some(Source::Bits(12)));
        assert_eq!(found.address(Some(0), "dynamic", 4), Some(Source::DynamicShared(4)));
        assert_eq!(found.address(Some(0), "unused", 0), None);
    }

    #[test]
    fn what_the_system_reserves_comes_first_if_the_kernel_asks_for_it() {
        let code = "mov.u64 %rd1, first; mov.u32 %r1, %reserved_smem_offset_begin;";
        let found = variables(code).unwrap();
        assert_eq!((found.shared_vars[0].offset, found.static_shared), (1024, 6));
    }

    #[test]
    fn local_variables_follow_what_is_used_already() {
        let found = variables(".local .align 8 .b8 mine[4];\n.local .align 4 .b8 next[4];").unwrap();
        assert_eq!(found.address(Some(0), "mine", 1), Some(Source::Bits(9)));
        assert_eq!(found.address(Some(0), "next", 0), Some(Source::Bits(12)));
        assert_eq!(found.address(None, "mine", 1), None);
        assert_eq!(found.stack_start(), 16);
    }

    #[test]
    fn too_much_static_shared_memory_is_refused() {
        assert!(variables(".shared .align 4 .b8 large[49152];").is_ok());
        let error = variables(".shared .align 4 .b8 large[49153];").err().unwrap().to_string();
        assert!(error.contains("49153 bytes of static shared memory") && error.contains("in k"), "{error}");
    }
}
