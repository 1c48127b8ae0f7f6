//! Small pieces of PTX for the tests of single passes.

use crate::ptx::ast::{Body, Module, RegId};

/// Returns a module with a kernel `k(u64 p, u64 q)` of this code, and with `more` in front of it.
pub fn module(more: &str, code: &str) -> Module {
    let text = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n{more}\n.visible .entry k(.param .u64 p, .param .u64 q)\n{{\n\
         .reg .pred %p<9>;\n.reg .f32 %f<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
    );
    crate::ptx::parse(&text).unwrap()
}

/// Returns the body of a kernel of this code.
pub fn body(code: &str) -> Body {
    module("", code).functions.pop().and_then(|kernel| kernel.body).unwrap()
}

/// Returns the register of this name.
pub fn register(body: &Body, name: &str) -> RegId {
    RegId(body.regs.iter().position(|register| register.name == name).unwrap() as u32)
}
