//! Names inside a function: registers, variables and labels by pair of braces, where inner names hide outer ones.

use std::collections::HashMap;

use crate::ast::{Body, Operand, Reg, RegId, Type};

/// What a name declared in a pair of braces stands for.
#[derive(Clone)]
pub(super) enum Name {
    /// A register. It is created on its first use, because the compiler declares more registers than it needs.
    Reg(Type, Option<RegId>),
    /// A variable, by its name in the tree.
    Var(String),
}

/// What a label stands for.
#[derive(Clone)]
pub(super) enum Target {
    /// An index into the code.
    Code(u32),
    /// A jump table or a prototype, by its name in the tree.
    Named(String),
}

/// The use of a name that has no declaration before it: a label further down, or a name of the module.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// In an instruction.
    Inst(u32),
    /// In a jump table: which table, and the position in it.
    Table(u32, u32),
}

#[derive(Default)]
pub(super) struct NameScope<'a> {
    names: HashMap<&'a str, Name>,
    /// `%r<12>`: by prefix.
    ranges: HashMap<&'a str, (u32, Type)>,
    labels: HashMap<&'a str, Target>,
    pending: Vec<(&'a str, u32, Use)>,
}

/// The braces that are open at a point of a function, outermost first, and the function's body so far.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    open: Vec<NameScope<'a>>,
    /// The function's code.
    pub body: Body,
    /// How often each name of a variable or table was declared in this function.
    given: HashMap<String, u32>,
}

impl<'a> Scopes<'a> {
    fn innermost(&mut self) -> &mut NameScope<'a> {
        if self.open.is_empty() {
            self.open.push(NameScope::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Opens a pair of braces.
    pub fn enter(&mut self) {
        self.open.push(NameScope::default());
    }

    /// Closes a pair of braces. Uses of its labels are resolved; other unresolved uses pass to the surrounding braces.
    /// When the outermost braces close, this returns the uses that are still unresolved, otherwise nothing. The error
    /// is a label that is used as data.
    pub fn leave(&mut self) -> Result<Vec<(&'a str, u32)>, (&'a str, u32)> {
        let Some(scope) = self.open.pop() else {
            return Ok(Vec::new());
        };
        let mut left = Vec::new();
        for (name, line, site) in scope.pending {
            match scope.labels.get(name) {
                Some(target) => self.settle(name, target, site).ok_or((name, line))?,
                None => match self.open.last_mut() {
                    Some(outer) => outer.pending.push((name, line, site)),
                    None if matches!(site, Use::Table(..)) => return Err((name, line)),
                    None => left.push((name, line)),
                },
            }
        }
        Ok(left)
    }

    /// Writes a label's target into the place of its use.
    fn settle(&mut self, name: &str, target: &Target, site: Use) -> Option<()> {
        match (site, target) {
            (Use::Table(table, place), Target::Code(index)) => {
                self.body.branch_targets[table as usize].1[place as usize] = *index;
                Some(())
            }
            (Use::Table(..), Target::Named(_)) => None,
            (Use::Inst(at), target) => {
                let operands = &mut self.body.code[at as usize].operands;
                operands.iter_mut().try_for_each(|o| replace(o, name, target))
            }
        }
    }

    /// A name for a variable or table that is unique in this function.
    pub fn unique(&mut self, name: &str, taken_outside: bool) -> String {
        if !taken_outside && !self.given.contains_key(name) {
            self.given.insert(name.to_owned(), 0);
            return name.to_owned();
        }
        let count = self.given.entry(name.to_owned()).or_insert(0);
        *count += 1;
        // PTX names cannot contain a dot, so no name in the text equals this one.
        format!("{name}.{count}")
    }

    /// Declares a name in the innermost braces; returns false if they already declare it.
    pub fn declare(&mut self, name: &'a str, what: Name) -> bool {
        let scope = self.innermost();
        let taken = scope.names.contains_key(name) || in_range(&scope.ranges, name).is_some();
        if !taken {
            scope.names.insert(name, what);
        }
        !taken
    }

    /// Declares `prefix0` to `prefix{count-1}` in the innermost braces; returns false if they already declare the
    /// prefix.
    pub fn declare_range(&mut self, prefix: &'a str, count: u32, ty: Type) -> bool {
        let scope = self.innermost();
        scope.ranges.insert(prefix, (count, ty)).is_none()
    }

    /// Declares a label in the innermost braces; returns false if they already declare it.
    pub fn label(&mut self, name: &'a str, target: Target) -> bool {
        self.innermost().labels.insert(name, target).is_none()
    }

    /// Records a use that only a later label or the module can resolve.
    pub fn later(&mut self, name: &'a str, line: u32, site: Use) {
        self.innermost().pending.push((name, line, site));
    }

    /// Creates a register.
    pub fn new_reg(&mut self, name: &str, ty: Type) -> RegId {
        let id = RegId(self.body.regs.len() as u32);
        let name = name.to_owned();
        self.body.regs.push(Reg { name, ty });
        id
    }

    /// What a name stands for at this point.
    pub fn find(&mut self, name: &'a str) -> Option<Name> {
        for depth in (0..self.open.len()).rev() {
            let scope = &self.open[depth];
            let ty = match scope.names.get(name) {
                Some(Name::Reg(ty, None)) => *ty,
                Some(known) => return Some(known.clone()),
                None => match in_range(&scope.ranges, name) {
                    Some(ty) => ty,
                    None => continue,
                },
            };
            let made = Name::Reg(ty, Some(self.new_reg(name, ty)));
            self.open[depth].names.insert(name, made.clone());
            return Some(made);
        }
        None
    }
}

/// The type of `name` if a declared range contains it.
fn in_range(ranges: &HashMap<&str, (u32, Type)>, name: &str) -> Option<Type> {
    if ranges.is_empty() {
        return None;
    }
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    // A prefix may itself end in digits; a range's number has at most nine digits.
    for length in 1..=digits.min(9) {
        let (prefix, number) = name.split_at(name.len() - length);
        if length > 1 && number.starts_with('0') {
            continue;
        }
        if let Some(&(count, ty)) = ranges.get(prefix)
            && number.parse::<u32>().is_ok_and(|n| n < count)
        {
            return Some(ty);
        }
    }
    None
}

fn replace(operand: &mut Operand, name: &str, target: &Target) -> Option<()> {
    match operand {
        Operand::Sym(symbol, offset) if symbol == name => {
            match target {
                Target::Code(index) if *offset == 0 => *operand = Operand::Label(*index),
                Target::Code(_) => return None,
                Target::Named(table) => table.clone_into(symbol),
            }
            Some(())
        }
        Operand::Mem(crate::ast::Base::Sym(symbol), _) if symbol == name => None,
        Operand::Vec(inner) => inner.iter_mut().try_for_each(|o| replace(o, name, target)),
        Operand::Pair(a, b) => {
            replace(a, name, target)?;
            replace(b, name, target)
        }
        _ => Some(()),
    }
}
