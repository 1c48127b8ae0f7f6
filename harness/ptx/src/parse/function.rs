//! Functions and kernels: their heads, and the statements of their bodies.

use super::Parser;
use super::scope::{Name, Scopes, Target, Use};
use crate::ast::{Base, ClusterNeeds, Function, Inst, Operand, RegId, Space, Var};
use crate::error::{ParseError, Problem, Result};
use crate::lex::TokenKind;
use crate::opcode::{self, Opcode};

/// A target in a jump table that is not resolved yet.
const UNSETTLED: u32 = u32::MAX;

impl<'a> Parser<'a> {
    /// `.entry` or `.func`, declaration or definition.
    pub(super) fn function(&mut self) -> Result<()> {
        let entry = self.bump().text == "entry";
        self.debug.enter_function();
        let mut scopes = Scopes::default();
        scopes.enter();
        while self.tok.kind == TokenKind::Word && self.tok.text == "attribute" {
            self.attributes()?;
        }
        let returns = self.parameters(Some(&mut scopes))?;
        if entry && !returns.is_empty() {
            return Err(self.invalid("a kernel returns nothing"));
        }
        let ptx_line = self.tok.line;
        let name = self.name("a function's name")?;
        let params = self.parameters(Some(&mut scopes))?;
        let mut function = Function {
            name: name.to_owned(),
            entry,
            returns,
            params,
            max_ntid: None,
            req_ntid: None,
            min_ctas_per_sm: None,
            cluster: ClusterNeeds::default(),
            max_regs: None,
            body: None,
            ptx_line,
        };
        self.function_directives(&mut function)?;
        if !self.eat(b';') {
            self.expect(b'{')?;
            while !self.tok.is(b'}') {
                self.statement(&mut scopes)?;
            }
            self.bump();
            let open = scopes.leave().map_err(|(name, line)| misused(name, line))?;
            for (name, line) in open {
                if !self.globals.contains_key(name) && name != function.name {
                    self.open.push((name, line));
                }
            }
            function.body = Some(scopes.body);
        }
        self.add_function(name, function)
    }

    /// Reads `(.param .b32 a, .reg .b32 %b)` or nothing. The parameters are declared in `scopes` if a body may follow.
    fn parameters(&mut self, mut scopes: Option<&mut Scopes<'a>>) -> Result<Vec<Var>> {
        let mut all = Vec::new();
        if !self.eat(b'(') || self.eat(b')') {
            return Ok(all);
        }
        loop {
            let (name, mut var, register) = self.parameter()?;
            if let Some(scopes) = &mut scopes
                && name != "_"
            {
                let what = if register {
                    Name::Reg(var.ty, Some(scopes.new_reg(name, var.ty)))
                } else {
                    var.name = scopes.unique(name, false);
                    Name::Var(var.name.clone())
                };
                if !scopes.declare(name, what) {
                    return Err(self.duplicate("parameter", name));
                }
            }
            all.push(var);
            if self.eat(b')') {
                return Ok(all);
            }
            if !self.eat(b',') {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn function_directives(&mut self, function: &mut Function) -> Result<()> {
        while self.tok.kind == TokenKind::Word {
            match self.tok.text {
                "maxntid" => function.max_ntid = Some(self.extents()?),
                "reqntid" => function.req_ntid = Some(self.extents()?),
                "minnctapersm" => function.min_ctas_per_sm = Some(self.directive_count()?),
                "maxnreg" => function.max_regs = Some(self.directive_count()?),
                // Hints about occupancy and calling conventions, which do not matter here.
                "maxnctapersm" | "abi_preserve" | "abi_preserve_control" => {
                    self.directive_count()?;
                }
                "noreturn" => {
                    self.bump();
                }
                "maxclusterrank" => function.cluster.most = Some(self.directive_count()?),
                "reqnctapercluster" => function.cluster.required = Some(self.extents()?),
                "explicitcluster" => {
                    function.cluster.explicit = true;
                    self.bump();
                }
                "blocksareclusters" => {
                    function.cluster.grid_of_clusters = true;
                    self.bump();
                }
                "pragma" => drop(self.pragma()?),
                "attribute" => {
                    self.attributes()?;
                }
                _ => return Err(self.unexpected("a performance directive, `{` or `;`")),
            }
        }
        Ok(())
    }

    fn directive_count(&mut self) -> Result<u32> {
        self.bump();
        self.count("a number")
    }

    /// Reads up to three numbers; missing ones are 1.
    fn extents(&mut self) -> Result<[u32; 3]> {
        let mut all = [self.directive_count()?, 1, 1];
        for extent in &mut all[1..] {
            if !self.eat(b',') {
                break;
            }
            *extent = self.count("a number")?;
        }
        Ok(all)
    }

    fn statement(&mut self, scopes: &mut Scopes<'a>) -> Result<()> {
        match self.tok.kind {
            TokenKind::Mark(b'{') => {
                self.bump();
                self.nested(|p| {
                    scopes.enter();
                    while !p.tok.is(b'}') {
                        p.statement(scopes)?;
                    }
                    p.bump();
                    scopes.leave().map(drop).map_err(|(name, line)| misused(name, line))
                })
            }
            TokenKind::Mark(b';') => {
                self.bump();
                Ok(())
            }
            TokenKind::Mark(b'@') => {
                self.bump();
                let not = self.eat(b'!');
                let guard = self.register(scopes)?;
                self.instruction(scopes, Some((guard, not)))
            }
            TokenKind::Name if self.next.is(b':') => self.label(scopes),
            TokenKind::Name => self.instruction(scopes, None),
            TokenKind::Word => self.local_directive(scopes),
            TokenKind::End => Err(self.unexpected("`}` at the end of the function")),
            _ => Err(self.unexpected("an instruction, a label or a declaration")),
        }
    }

    fn register(&mut self, scopes: &mut Scopes<'a>) -> Result<RegId> {
        let name = self.name("a register")?;
        if let Some(Name::Reg(_, Some(reg))) = scopes.find(name) {
            return Ok(reg);
        }
        let (what, name) = ("register", name.to_owned());
        Err(self.error(Problem::Undeclared { what, name }))
    }

    fn label(&mut self, scopes: &mut Scopes<'a>) -> Result<()> {
        let name = self.bump().text;
        self.expect(b':')?;
        let taken = self.globals.contains_key(name);
        let target = if self.eat_word("branchtargets") {
            let table = scopes.body.branch_targets.len() as u32;
            let mut targets = Vec::new();
            loop {
                let line = self.tok.line;
                let target = self.name("a label")?;
                scopes.later(target, line, Use::Table(table, targets.len() as u32));
                targets.push(UNSETTLED);
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b';')?;
            let unique = scopes.unique(name, taken);
            scopes.body.branch_targets.push((unique.clone(), targets));
            Target::Named(unique)
        } else if self.eat_word("callprototype") {
            let returns = self.parameters(None)?;
            self.name("`_`")?;
            let params = self.parameters(None)?;
            while self.tok.kind == TokenKind::Word {
                match self.tok.text {
                    "noreturn" => drop(self.bump()),
                    "abi_preserve" | "abi_preserve_control" => drop(self.directive_count()?),
                    _ => return Err(self.unexpected("`;`")),
                }
            }
            self.expect(b';')?;
            let unique = scopes.unique(name, taken);
            let prototype = (unique.clone(), returns, params);
            scopes.body.prototypes.push(prototype);
            Target::Named(unique)
        } else if self.eat_word("calltargets") {
            let unique = scopes.unique(name, taken);
            let (returns, params) = self.call_targets()?;
            scopes.body.prototypes.push((unique.clone(), returns, params));
            Target::Named(unique)
        } else {
            let here = scopes.body.code.len() as u32;
            scopes.body.labels.push((name.to_owned(), here));
            Target::Code(here)
        };
        if scopes.label(name, target) { Ok(()) } else { Err(self.duplicate("label", name)) }
    }

    fn local_directive(&mut self, scopes: &mut Scopes<'a>) -> Result<()> {
        match self.tok.text {
            "reg" => self.registers(scopes),
            "loc" => self.loc(),
            "file" => self.file(),
            "pragma" => {
                let used = self.pragma()?;
                let next = scopes.body.code.len() as u32;
                scopes.body.used_bytes.extend(used.map(|mask| (next, mask)));
                Ok(())
            }
            "extern" | "global" | "const" | "shared" | "shared::cta" | "local" | "param" => {
                let external = self.eat_word("extern");
                let Some(space) = self.space() else {
                    return Err(self.unexpected("a state space"));
                };
                for (name, mut var) in self.variables(space)? {
                    if matches!(space, Space::Global | Space::Const) {
                        return Err(self.unsupported(format!(
                            "the `.{}` variable `{name}` inside a function",
                            if space == Space::Global { "global" } else { "const" }
                        )));
                    }
                    var.external = external;
                    var.name = scopes.unique(name, self.globals.contains_key(name));
                    if !scopes.declare(name, Name::Var(var.name.clone())) {
                        return Err(self.duplicate("variable", name));
                    }
                    scopes.body.vars.push(var);
                }
                Ok(())
            }
            _ => Err(self.unexpected("a declaration, an instruction or `}`")),
        }
    }

    /// `.reg .b32 %r<12>, %a;`
    fn registers(&mut self, scopes: &mut Scopes<'a>) -> Result<()> {
        self.bump();
        if self.tok.kind == TokenKind::Word && matches!(self.tok.text, "v2" | "v4") {
            return Err(self.unsupported("a vector register"));
        }
        let ty = self.ty()?;
        loop {
            let name = self.name("a register's name")?;
            let fresh = if self.eat(b'<') {
                let count = self.count("the number of registers")?;
                self.expect(b'>')?;
                scopes.declare_range(name, count, ty)
            } else {
                scopes.declare(name, Name::Reg(ty, None))
            };
            if !fresh {
                return Err(self.duplicate("register", name));
            }
            if !self.eat(b',') {
                return self.expect(b';');
            }
        }
    }

    fn instruction(&mut self, scopes: &mut Scopes<'a>, guard: Option<(RegId, bool)>) -> Result<()> {
        let mut loc = self.debug.now;
        loc.ptx_line = self.tok.line;
        let mut text = self.name("an instruction")?.to_owned();
        while self.tok.kind == TokenKind::Word {
            text.push('.');
            text.push_str(self.bump().text);
        }
        let opcode = match Opcode::of(&text) {
            Some(opcode) => opcode,
            None if self.out.version > opcode::KNOWN_VERSION => Opcode::Unknown,
            None => return Err(self.invalid(format!("`{text}` is not a PTX instruction"))),
        };
        (self.leaves, self.names_element) = (0, false);
        let mut operands = if opcode == Opcode::Call {
            self.call(scopes)?
        } else {
            let mut operands = Vec::new();
            while !self.tok.is(b';') {
                operands.push(self.operand(scopes)?);
                if !self.eat(b',') {
                    break;
                }
            }
            operands
        };
        if !self.eat(b';') {
            return Err(self.unexpected("`,` or `;`"));
        }
        if self.names_element {
            accesses_element(opcode, &mut operands);
        }
        let mut inst = Inst::new(opcode, text, operands);
        (inst.guard, inst.loc) = (guard, loc);
        scopes.body.code.push(inst);
        Ok(())
    }

    /// Reads the functions of a `.calltargets`. They have the same signature, so the first one determines what a call
    /// returns and takes.
    fn call_targets(&mut self) -> Result<(Vec<Var>, Vec<Var>)> {
        let mut first = None;
        loop {
            let name = self.name("a function")?;
            let Some(function) = self.out.functions.iter().find(|f| f.name == name && !f.entry) else {
                return Err(self.invalid(format!("`{name}` in `.calltargets` is not a function declared before")));
            };
            first.get_or_insert_with(|| (function.returns.clone(), function.params.clone()));
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b';')?;
        Ok(first.unwrap_or_default())
    }

    /// Reads `.alias name, function;`: the function gets a second name, which has been declared.
    pub(super) fn alias(&mut self) -> Result<()> {
        self.bump();
        let alias = self.name("a function's second name")?;
        self.expect(b',')?;
        let name = self.name("a function")?;
        self.expect(b';')?;
        let defined = |f: &&Function| f.name == name && !f.entry && f.body.is_some();
        let Some(body) =
            self.out.functions.iter().find(defined).map(|f| (f.params.clone(), f.returns.clone(), f.body.clone()))
        else {
            return Err(self.invalid(format!("`{name}` in `.alias` is not a function defined before")));
        };
        match self.out.functions.iter_mut().find(|f| f.name == alias && !f.entry && f.body.is_none()) {
            Some(function) => (function.params, function.returns, function.body) = body,
            None => return Err(self.invalid(format!("`{alias}` in `.alias` is not a function declared before"))),
        }
        Ok(())
    }

    /// Reads `call (returns), function, (arguments), prototype`. The tree always has at least the first three.
    fn call(&mut self, scopes: &mut Scopes<'a>) -> Result<Vec<Operand>> {
        let mut returns = Vec::new();
        if self.eat(b'(') {
            returns = self.operands(scopes, b')')?;
            self.expect(b',')?;
        }
        let function = self.operand(scopes)?;
        let mut all = vec![Operand::Vec(returns), function, Operand::Vec(Vec::new())];
        if !self.eat(b',') {
            return Ok(all);
        }
        if self.eat(b'(') {
            all[2] = Operand::Vec(self.operands(scopes, b')')?);
            if !self.eat(b',') {
                return Ok(all);
            }
        }
        all.push(self.operand(scopes)?);
        Ok(all)
    }
}

/// Where an instruction accesses memory, an element of an array names the memory and not its address: `ld.global.u32
/// %r, table[1];` is `ld.global.u32 %r, [table+4];`.
fn accesses_element(opcode: Opcode, operands: &mut [Operand]) {
    let at = match opcode {
        Opcode::Ld | Opcode::Ldu | Opcode::Atom => 1,
        Opcode::St | Opcode::Red => 0,
        _ => return,
    };
    if let Some(operand) = operands.get_mut(at)
        && let Operand::Sym(name, offset) = operand
    {
        *operand = Operand::Mem(Base::Sym(std::mem::take(name)), *offset);
    }
}

/// Returns the error for a label where only data is allowed, or for something else where only a label is.
fn misused(name: &str, line: u32) -> ParseError {
    let problem = Problem::Invalid(format!(
        "`{name}` is misused: a label can only be jumped to, and only a label can be jumped to"
    ));
    ParseError { line, problem }
}
