//! A recursive-descent parser for a module: its directives and declarations.
//!
//! Nesting is bounded ([`MAX_DEPTH`]) and every step takes at least one token, so parsing any text takes time
//! proportional to its length.

mod debug;
mod expr;
mod function;
mod operand;
mod scope;
mod var;

use std::collections::HashMap;

use crate::ast::{Function, Module, Relocation, Space, Var};
use crate::error::{ParseError, Problem, Result};
use crate::lex::{Lexer, Token, TokenKind};

/// Deepest nesting of braces and parentheses.
const MAX_DEPTH: u32 = 64;

/// Reads a PTX module. Its names are resolved; nothing else is checked.
pub(super) fn parse(text: &str) -> Result<Module> {
    let mut parser = Parser::new(text);
    parser.module()?;
    parser.finish()
}

/// What a name at module level stands for.
#[derive(Clone, Copy)]
enum Global {
    /// Index into [`Module::vars`].
    Var(usize),
    /// Index into [`Module::functions`].
    Function(usize),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    tok: Token<'a>,
    next: Token<'a>,
    depth: u32,
    /// The number of operands of this instruction so far, including those inside lists.
    leaves: usize,
    /// Whether an operand of this instruction is an element of an array.
    names_element: bool,
    /// The number of bytes of zeros that short rows of initialisers were padded with.
    padding: usize,
    out: Module,
    globals: HashMap<&'a str, Global>,
    /// Uses of names that are not declared in the function. They are checked when the module is complete.
    open: Vec<(&'a str, u32)>,
    debug: debug::Debug<'a>,
}

/// Returns the mask of `used_bytes_mask 4095`, in any of PTX's notations; `None` for any other text.
fn used_bytes(pragma: &str) -> Option<u32> {
    let mask = pragma.trim().strip_prefix("used_bytes_mask")?.trim();
    match mask.strip_prefix("0x").or_else(|| mask.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => mask.parse().ok(),
    }
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let (tok, next) = (lexer.next_token(), lexer.next_token());
        Parser {
            lexer,
            tok,
            next,
            depth: 0,
            leaves: 0,
            names_element: false,
            padding: 0,
            out: Module::default(),
            globals: HashMap::new(),
            open: Vec::new(),
            debug: debug::Debug::default(),
        }
    }

    // Tokens

    fn bump(&mut self) -> Token<'a> {
        let next = self.lexer.next_token();
        std::mem::replace(&mut self.tok, std::mem::replace(&mut self.next, next))
    }

    fn eat(&mut self, mark: u8) -> bool {
        let is = self.tok.is(mark);
        if is {
            self.bump();
        }
        is
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.tok.kind == TokenKind::Word && self.tok.text == word;
        if is {
            self.bump();
        }
        is
    }

    fn expect(&mut self, mark: u8) -> Result<()> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(self.unexpected(format!("`{}`", mark as char)))
    }

    fn name(&mut self, expected: &str) -> Result<&'a str> {
        match self.tok.kind {
            TokenKind::Name => Ok(self.bump().text),
            _ => Err(self.unexpected(expected)),
        }
    }

    fn string(&mut self, expected: &str) -> Result<&'a str> {
        match self.tok.kind {
            TokenKind::Str => Ok(self.bump().text),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// A plain unsigned literal (no expression), as directives take them.
    fn count(&mut self, expected: &str) -> Result<u32> {
        match self.tok.kind {
            TokenKind::Int(value, _) if u32::try_from(value).is_ok() => {
                self.bump();
                Ok(value as u32)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    // Errors

    fn error(&self, problem: Problem) -> ParseError {
        let line = self.tok.line;
        ParseError { line, problem }
    }

    fn unexpected(&self, expected: impl Into<String>) -> ParseError {
        self.error(Problem::Syntax { found: self.tok.describe(), expected: expected.into() })
    }

    fn invalid(&self, what: impl Into<String>) -> ParseError {
        self.error(Problem::Invalid(what.into()))
    }

    fn unsupported(&self, what: impl Into<String>) -> ParseError {
        self.error(Problem::Unsupported(what.into()))
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(Problem::TooDeep(MAX_DEPTH)));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    // The module

    fn module(&mut self) -> Result<()> {
        if !self.eat_word("version") {
            return Err(self.unexpected("`.version` (is this PTX?)"));
        }
        let version = match self.tok.kind {
            TokenKind::F64(_) => self.tok.text.split_once('.'),
            _ => None,
        };
        self.out.version = version
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            .ok_or_else(|| self.unexpected("a version such as `8.0`"))?;
        self.bump();
        while self.tok.kind != TokenKind::End {
            self.top()?;
        }
        Ok(())
    }

    fn top(&mut self) -> Result<()> {
        if self.eat(b';') {
            return Ok(());
        }
        if self.tok.kind != TokenKind::Word {
            return Err(self.unexpected("a directive such as `.entry`, `.func` or `.global`"));
        }
        match self.tok.text {
            "target" => {
                self.bump();
                let target = self.name("an architecture such as `sm_70`")?;
                if self.out.target.is_empty() {
                    target.clone_into(&mut self.out.target);
                }
                while self.eat(b',') {
                    let option = self.name("a target option")?;
                    self.out.debug |= option == "debug";
                    if option == "map_f64_to_f32" {
                        return Err(self.unsupported("`.target map_f64_to_f32`"));
                    }
                }
                Ok(())
            }
            "address_size" => {
                self.bump();
                self.out.address_size = self.count("64")?;
                Ok(())
            }
            "file" => self.file(),
            "section" => self.section(),
            "pragma" => self.pragma().map(drop),
            "alias" => self.alias(),
            "version" => Err(self.unexpected("one `.version`, at the beginning")),
            _ => self.declaration(),
        }
    }

    /// Reads a `.pragma`. Returns the mask of a `used_bytes_mask`, which holds for the next instruction.
    fn pragma(&mut self) -> Result<Option<u32>> {
        self.bump();
        let mut used = None;
        loop {
            let text = self.string("a string")?;
            used = used.or(used_bytes(text));
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b';')?;
        Ok(used)
    }

    /// A variable or a function, with its linkage.
    fn declaration(&mut self) -> Result<()> {
        let (mut external, mut visible, mut common) = (false, false, false);
        while self.tok.kind == TokenKind::Word {
            match self.tok.text {
                "extern" => external = true,
                "visible" | "weak" => visible = true,
                "common" => (visible, common) = (true, true),
                _ => break,
            }
            self.bump();
        }
        if self.tok.kind == TokenKind::Word && matches!(self.tok.text, "entry" | "func") {
            return self.function();
        }
        let Some(space) = self.space() else {
            return Err(self.unexpected("`.entry`, `.func` or a variable's state space"));
        };
        if common && space != Space::Global {
            return Err(self.invalid("`.common` is for `.global` variables"));
        }
        if space == Space::Param {
            return Err(self.invalid("a `.param` variable must be inside a function"));
        }
        for (name, mut var) in self.variables(space)? {
            (var.external, var.visible) = (external, visible);
            self.add_var(name, var)?;
        }
        Ok(())
    }

    fn add_var(&mut self, name: &'a str, var: Var) -> Result<()> {
        match self.globals.get(name) {
            None => {
                self.globals.insert(name, Global::Var(self.out.vars.len()));
                self.out.vars.push(var);
            }
            // A declaration and its definition may come in either order.
            Some(&Global::Var(i)) if self.out.vars[i].external => self.out.vars[i] = var,
            Some(Global::Var(_)) if var.external => {}
            Some(_) => return Err(self.duplicate("variable", name)),
        }
        Ok(())
    }

    fn add_function(&mut self, name: &'a str, function: Function) -> Result<()> {
        match self.globals.get(name) {
            None => {
                let index = self.out.functions.len();
                self.globals.insert(name, Global::Function(index));
                self.out.functions.push(function);
            }
            Some(&Global::Function(i)) if self.out.functions[i].body.is_none() => {
                if self.out.functions[i].entry != function.entry {
                    return Err(self.duplicate("function", name));
                }
                self.out.functions[i] = function;
            }
            Some(Global::Function(_)) if function.body.is_none() => {}
            Some(_) => return Err(self.duplicate("function", name)),
        }
        Ok(())
    }

    fn duplicate(&self, what: &'static str, name: &str) -> ParseError {
        let name = name.into();
        self.error(Problem::Duplicate { what, name })
    }

    /// Runs the checks that need the whole module.
    fn finish(mut self) -> Result<Module> {
        let what = "label, variable or function";
        let undeclared = |name: &str, line| {
            let name = name.into();
            let problem = Problem::Undeclared { what, name };
            ParseError { line, problem }
        };
        for &(name, line) in &self.open {
            if !self.globals.contains_key(name) {
                return Err(undeclared(name, line));
            }
        }
        for var in &self.out.vars {
            let relocations: &[Relocation] = var.init.as_ref().map_or(&[], |i| &i.relocations);
            for relocation in relocations {
                if !self.globals.contains_key(&*relocation.symbol) {
                    return Err(undeclared(&relocation.symbol, var.ptx_line));
                }
            }
        }
        self.debug.finish(&mut self.out);
        Ok(self.out)
    }
}
