//! What is decided about a program before its functions are translated.

use super::error::unsupported;
use super::frames::Frames;
use super::ir::Result;
use super::place_globals::Env;
use super::place_params::Slots;
use super::place_variables::Variables;
use crate::engine::warp::program::Source;
use crate::lane::HostVectors;
use ptx::ast::{Body, Function, Loc, Module};
use std::collections::HashMap;

/// The functions of a program and the places of their data.
pub struct Plan<'m> {
    /// The module.
    pub module: &'m Module,
    /// Addresses of its variables.
    pub env: &'m Env,
    /// Functions of the program (indices in the module), callees before callers; the kernel is the last.
    pub functions: Vec<usize>,
    /// The functions that may be active more than once in a thread.
    pub frames: Frames,
    /// The kernel's parameters and their offsets.
    pub params: HashMap<String, u32>,
    /// Places of the parameters of other functions.
    pub slots: Slots,
    /// Places of variables.
    pub variables: Variables,
    /// The target processor.
    pub vectors: HostVectors,
}

/// A function of a program.
#[derive(Clone, Copy)]
pub struct Member<'m> {
    /// Its index in the module.
    pub index: usize,
    /// Its index in the program.
    pub number: u32,
    /// The function.
    pub function: &'m Function,
    /// Its body.
    pub body: &'m Body,
}

impl<'m> Plan<'m> {
    /// Returns the functions of the program, in order; an error for one without a body.
    pub fn members(&self) -> Result<Vec<Member<'m>>> {
        let member = |(number, &index): (u32, &usize)| {
            let function = &self.module.functions[index];
            let lacking = || {
                let what = format!("`{}`, a function without a body,", function.name);
                unsupported(what, (function.name.as_str(), Loc::default()))
            };
            Ok(Member { index, number, function, body: function.body.as_ref().ok_or_else(lacking)? })
        };
        (0u32..).zip(&self.functions).map(member).collect()
    }

    /// Returns the index in the program of a function with this index in the module.
    pub fn number_of(&self, index: usize) -> Option<usize> {
        self.functions.iter().position(|&own| own == index)
    }

    /// Whether a call of a function (by its index in the program) may enter the function with this index in the module.
    pub fn enters_again(&self, callee: usize, index: usize) -> bool {
        let callee = self.functions[callee];
        callee == index || self.frames.reaches[&callee].contains(&index)
    }

    /// Returns the address of a variable (of the given function, if it has one of that name) or of a function.
    pub fn symbol(&self, owner: Option<usize>, name: &str, offset: i64) -> Option<Source> {
        self.variables.address(owner, name, offset).or_else(|| {
            let address = self.env.addresses.get(name)?;
            Some(Source::Bits(address.wrapping_add(offset as u64)))
        })
    }

    /// Returns the values of pointers to functions in ascending order, each with the function's index in the program if
    /// it is part of the program.
    pub fn pointers(&self) -> Vec<(u64, Option<usize>)> {
        self.env.function_values.iter().map(|&(value, f)| (value, self.number_of(f))).collect()
    }
}
