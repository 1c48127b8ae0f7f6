//! Names inside a function: registers, variables and labels by brace, the inner hiding the outer.

use std::collections::HashMap;

use super::super::ast::{Body, Operand, Reg, RegId, Type};

/// What a name in a brace stands for.
#[derive(Clone)]
pub(super) enum Name {
    /// A register, made when it is first used: the compiler declares more than it needs.
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

/// Where a name is used that no declaration before it explains: a label further down, or a name of the module.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// In an instruction.
    Inst(u32),
    /// In a jump table: which, and the place in it.
    Table(u32, u32),
}

#[derive(Default)]
pub(super) struct Scope<'a> {
    names: HashMap<&'a str, Name>,
    /// `%r<12>`: by prefix.
    ranges: HashMap<&'a str, (u32, Type)>,
    labels: HashMap<&'a str, Target>,
    pending: Vec<(&'a str, u32, Use)>,
}

/// The braces open at a point of a function, outermost first, and its body so far.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    open: Vec<Scope<'a>>,
    /// The function's code.
    pub body: Body,
    /// How often each name of a variable or table was given in this function.
    given: HashMap<String, u32>,
}

impl<'a> Scopes<'a> {
    fn innermost(&mut self) -> &mut Scope<'a> {
        if self.open.is_empty() {
            self.open.push(Scope::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Opens a brace.
    pub fn enter(&mut self) {
        self.open.push(Scope::default());
    }

    /// Closes a brace: uses of its labels are settled, other open uses go to the brace around it. Returns what the outermost
    /// brace leaves open, the rest of the time nothing; the error is a label used as if it were data.
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

    /// Writes a label's target where it is used.
    fn settle(&mut self, name: &str, target: &Target, site: Use) -> Option<()> {
        match (site, target) {
            (Use::Table(table, place), Target::Code(index)) => {
                self.body.branch_targets[table as usize].1[place as usize] = *index;
                Some(())
            }
            (Use::Table(..), Target::Named(_)) => None,
            (Use::Inst(at), target) => {
                let operands = &mut self.body.code[at as usize].operands;
                operands
                    .iter_mut()
                    .try_for_each(|o| replace(o, name, target))
            }
        }
    }

    /// A name for a variable or table that no other of this function has.
    pub fn unique(&mut self, name: &str, taken_outside: bool) -> String {
        if !taken_outside && !self.given.contains_key(name) {
            self.given.insert(name.to_owned(), 0);
            return name.to_owned();
        }
        let count = self.given.entry(name.to_owned()).or_insert(0);
        *count += 1;
        // A dot cannot stand in a name of PTX, so nothing written there has this one.
        format!("{name}.{count}")
    }

    /// Declares a name in the innermost brace; false when it is taken there.
    pub fn declare(&mut self, name: &'a str, what: Name) -> bool {
        let scope = self.innermost();
        let taken = scope.names.contains_key(name) || in_range(&scope.ranges, name).is_some();
        if !taken {
            scope.names.insert(name, what);
        }
        !taken
    }

    /// Declares `prefix0` to `prefix{count-1}` in the innermost brace; false when the prefix is taken there.
    pub fn declare_range(&mut self, prefix: &'a str, count: u32, ty: Type) -> bool {
        let scope = self.innermost();
        scope.ranges.insert(prefix, (count, ty)).is_none()
    }

    /// Declares a label in the innermost brace; false when it is taken there.
    pub fn label(&mut self, name: &'a str, target: Target) -> bool {
        self.innermost().labels.insert(name, target).is_none()
    }

    /// Notes a use that only a later label, or the module, explains.
    pub fn later(&mut self, name: &'a str, line: u32, site: Use) {
        self.innermost().pending.push((name, line, site));
    }

    /// Makes a register.
    pub fn new_reg(&mut self, name: &str, ty: Type) -> RegId {
        let id = RegId(self.body.regs.len() as u32);
        let name = name.to_owned();
        self.body.regs.push(Reg { name, ty });
        id
    }

    /// What a name stands for here.
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

/// The type of `name` if a range declares it.
fn in_range(ranges: &HashMap<&str, (u32, Type)>, name: &str) -> Option<Type> {
    if ranges.is_empty() {
        return None;
    }
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    // A prefix may end in digits itself; no range counts past nine of them.
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
        Operand::Mem(super::super::ast::Base::Sym(symbol), _) if symbol == name => None,
        Operand::Vec(inner) => inner.iter_mut().try_for_each(|o| replace(o, name, target)),
        Operand::Pair(a, b) => {
            replace(a, name, target)?;
            replace(b, name, target)
        }
        _ => Some(()),
    }
}
