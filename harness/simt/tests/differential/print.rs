//! Prints programs as PTX: the kernel reads a thread's variables, runs, and writes them and its arrays.

use super::program::*;
use std::fmt::Write;

/// 32-bit words of a thread's input.
pub const INPUT: usize = INTS + 2 * LONGS + FLOATS + 2 * DOUBLES;
/// 32-bit words of its output: the same, the predicates, the arrays.
pub const OUTPUT: usize = INPUT + PREDS + 3 * WORDS;
/// Threads of a block: the last warp is not full.
pub const BLOCK: usize = 80;

/// Returns the text of a program's module.
pub fn module(program: &Program) -> String {
    let mut p = Printer::default();
    p.out += ".version 7.8\n.target sm_80\n.address_size 64\n";
    for (i, function) in program.functions.iter().enumerate() {
        p.function(i, function);
    }
    p.kernel(&program.kernel);
    p.out
}

#[derive(Default)]
struct Printer {
    out: String,
    labels: usize,
    /// The label to which a return jumps.
    end: String,
}

macro_rules! line {
    ($p:expr, $($arg:tt)*) => {{
        $p.out.push_str("  ");
        writeln!($p.out, $($arg)*).expect("a string takes it");
    }};
}

fn round(r: Round) -> &'static str {
    match r {
        Round::Nearest => "rn",
        Round::Zero => "rz",
        Round::Down => "rm",
        Round::Up => "rp",
    }
}

fn relation(r: Relation) -> &'static str {
    match r {
        Relation::Eq => "eq",
        Relation::Ne => "ne",
        Relation::Lt => "lt",
        Relation::Le => "le",
        Relation::Gt => "gt",
        Relation::Ge => "ge",
    }
}

fn join(j: Joined) -> (&'static str, String) {
    match j {
        Joined::No => ("", String::new()),
        Joined::And(p) => (".and", format!(", %p{p}")),
        Joined::Or(p) => (".or", format!(", %p{p}")),
        Joined::Xor(p) => (".xor", format!(", %p{p}")),
    }
}

fn int(x: Int) -> String {
    match x {
        Int::Var(v) => format!("%r{v}"),
        Int::Lit(x) => format!("{:#x}", x as u32),
    }
}

fn long(x: Int) -> String {
    match x {
        Int::Var(v) => format!("%l{v}"),
        Int::Lit(x) => format!("{x:#x}"),
    }
}

fn float(x: Num) -> String {
    match x {
        Num::Var(v) => format!("%f{v}"),
        Num::Lit(x) => format!("0f{:08x}", (x as f32).to_bits()),
    }
}

fn double(x: Num) -> String {
    match x {
        Num::Var(v) => format!("%d{v}"),
        Num::Lit(x) => format!("0d{:016x}", x.to_bits()),
    }
}

impl Printer {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn declare(&mut self) {
        line!(self, ".reg .b32 %r<{INTS}>, %t<4>, %shared, %index;");
        line!(self, ".reg .b64 %l<{LONGS}>, %u<4>, %in, %out, %global, %local;");
        line!(self, ".reg .f32 %f<{FLOATS}>;\n  .reg .f64 %d<{DOUBLES}>;");
        line!(self, ".reg .pred %p<{PREDS}>, %q;");
    }

    fn function(&mut self, index: usize, body: &[Stmt]) {
        let places = "(.param .b32 a, .param .b32 b, .param .b64 g, .param .b32 s, .param .b64 l)";
        writeln!(self.out, ".func (.param .b32 result) function_{index} {places}\n{{").expect("a string");
        self.declare();
        line!(self, "ld.param.u64 %global, [g];\n  ld.param.u32 %shared, [s];\n  ld.param.u64 %local, [l];");
        self.clear();
        line!(self, "ld.param.b32 %r0, [a];\n  ld.param.f32 %f0, [b];");
        self.end = self.label();
        self.block(body);
        let end = self.end.clone();
        self.out += &format!("{end}:\n");
        line!(self, "st.param.b32 [result], %r0;\n  ret;");
        self.out += "}\n";
    }

    /// Sets all variables to zero.
    fn clear(&mut self) {
        (0..INTS).for_each(|v| line!(self, "mov.u32 %r{v}, 0;"));
        (0..LONGS).for_each(|v| line!(self, "mov.u64 %l{v}, 0;"));
        (0..FLOATS).for_each(|v| line!(self, "mov.f32 %f{v}, 0f00000000;"));
        (0..DOUBLES).for_each(|v| line!(self, "mov.f64 %d{v}, 0d0000000000000000;"));
        (0..PREDS).for_each(|v| line!(self, "setp.ne.u32 %p{v}, 0, 0;"));
    }

    fn kernel(&mut self, body: &[Stmt]) {
        self.out += ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u64 arrays)\n{\n";
        self.declare();
        let bytes = WORDS * 4;
        line!(self, ".shared .align 4 .b8 array[{}];", BLOCK * bytes);
        line!(self, ".local .align 4 .b8 own[{bytes}];");
        line!(self, "mov.u32 %t0, %ctaid.x;\n  mov.u32 %t1, %ntid.x;\n  mov.u32 %t2, %tid.x;");
        line!(self, "mad.lo.u32 %index, %t0, %t1, %t2;");
        line!(self, "ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n  ld.param.u64 %global, [arrays];");
        line!(self, "mul.wide.u32 %u0, %index, {};\n  add.u64 %in, %in, %u0;", INPUT * 4);
        line!(self, "mul.wide.u32 %u0, %index, {};\n  add.u64 %out, %out, %u0;", OUTPUT * 4);
        line!(self, "mul.wide.u32 %u0, %index, {bytes};\n  add.u64 %global, %global, %u0;");
        line!(self, "mov.u32 %shared, array;\n  mad.lo.u32 %shared, %t2, {bytes}, %shared;");
        line!(self, "mov.u64 %local, own;");
        for k in 0..WORDS {
            line!(self, "st.shared.u32 [%shared+{}], 0;\n  st.local.u32 [%local+{}], 0;", 4 * k, 4 * k);
        }
        self.clear();
        self.variables("ld.global", "%in");
        self.end = self.label();
        self.block(body);
        let end = self.end.clone();
        self.out += &format!("{end}:\n");
        self.variables("st.global", "%out");
        for p in 0..PREDS {
            line!(self, "selp.u32 %t0, 1, 0, %p{p};\n  st.global.u32 [%out+{}], %t0;", 4 * (INPUT + p));
        }
        for k in 0..WORDS {
            for (space, base) in [("global", "%global"), ("shared", "%shared"), ("local", "%local")] {
                let at = INPUT
                    + PREDS
                    + k
                    + WORDS * ["global", "shared", "local"].iter().position(|s| *s == space).unwrap_or(0);
                line!(self, "ld.{space}.u32 %t0, [{base}+{}];\n  st.global.u32 [%out+{}], %t0;", 4 * k, 4 * at);
            }
        }
        line!(self, "ret;");
        self.out += "}\n";
    }

    /// Reads or writes every variable. The longs are at odd word offsets, so they are accessed by words.
    fn variables(&mut self, access: &str, base: &str) {
        let mut at = 0;
        let load = access.starts_with("ld");
        let mut one = |this: &mut Self, ty: &str, register: String| {
            if load {
                line!(this, "{access}.{ty} {register}, [{base}+{at}];");
            } else {
                line!(this, "{access}.{ty} [{base}+{at}], {register};");
            }
            at += 4;
        };
        (0..INTS).for_each(|v| one(self, "u32", format!("%r{v}")));
        (0..FLOATS).for_each(|v| one(self, "f32", format!("%f{v}")));
        let wide = (0..LONGS).map(|v| format!("%l{v}")).chain((0..DOUBLES).map(|v| format!("%d{v}")));
        for register in wide {
            if !load {
                line!(self, "mov.b64 {{%t0, %t1}}, {register};");
            }
            one(self, "u32", "%t0".into());
            one(self, "u32", "%t1".into());
            if load {
                line!(self, "mov.b64 {register}, {{%t0, %t1}};");
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Simple(simple) => self.simple("", simple),
            Stmt::Guarded(p, not, simple) => {
                let guard = format!("@{}%p{p} ", if *not { "!" } else { "" });
                // The guard may be the destination of one of several instructions.
                line!(self, "mov.pred %q, %p{p};");
                self.simple(&guard.replace(&format!("%p{p}"), "%q"), simple);
            }
            Stmt::If(p, yes, no) => {
                let (other, end) = (self.label(), self.label());
                line!(self, "@!%p{p} bra {other};");
                self.block(yes);
                line!(self, "bra.uni {end};");
                self.out += &format!("{other}:\n");
                self.block(no);
                self.out += &format!("{end}:\n");
            }
            Stmt::Loop(count, until, body) => {
                let (top, end) = (self.label(), self.label());
                let left = format!("%left_{top}");
                self.out += "  {\n";
                line!(self, ".reg .u32 {left};\n  .reg .pred %more;");
                line!(self, "and.b32 {left}, %r{count}, 7;");
                line!(self, "setp.eq.u32 %more, {left}, 0;\n  @%more bra {end};");
                self.out += &format!("{top}:\n");
                self.block(body);
                if let Some(p) = until {
                    line!(self, "@%p{p} bra {end};");
                }
                line!(self, "sub.u32 {left}, {left}, 1;");
                line!(self, "setp.ne.u32 %more, {left}, 0;\n  @%more bra {top};");
                self.out += &format!("{end}:\n  }}\n");
            }
            Stmt::Switch(x, arms) => {
                let end = self.label();
                let labels: Vec<String> = arms.iter().map(|_| self.label()).collect();
                line!(self, "rem.u32 %t0, %r{x}, {};", arms.len());
                line!(self, "table_{end}: .branchtargets {};", labels.join(", "));
                line!(self, "brx.idx %t0, table_{end};");
                for (label, arm) in labels.iter().zip(arms) {
                    self.out += &format!("{label}:\n");
                    self.block(arm);
                    line!(self, "bra.uni {end};");
                }
                self.out += &format!("{end}:\n");
            }
            Stmt::Call(function, d, a, b) => {
                self.out += "  {\n";
                line!(self, ".param .b32 arg0, arg1, arg3, back;\n  .param .b64 arg2, arg4;");
                line!(self, "st.param.b32 [arg0], %r{a};\n  st.param.f32 [arg1], %f{b};");
                line!(
                    self,
                    "st.param.b64 [arg2], %global;\n  st.param.b32 [arg3], %shared;\n  st.param.b64 [arg4], %local;"
                );
                line!(self, "call.uni (back), function_{function}, (arg0, arg1, arg2, arg3, arg4);");
                line!(self, "ld.param.b32 %r{d}, [back];");
                self.out += "  }\n";
            }
            Stmt::Return(p) => {
                let end = self.end.clone();
                line!(self, "@%p{p} bra {end};");
            }
        }
    }

    fn simple(&mut self, guard: &str, simple: &Simple) {
        match simple {
            Simple::Int(op, d, s) => {
                let text = s.map(int);
                self.integer(guard, *op, &format!("%r{d}"), text, "%t0", 32);
            }
            Simple::Long(op, d, s) => {
                let text = s.map(long);
                self.integer(guard, *op, &format!("%l{d}"), text, "%u0", 64);
            }
            Simple::Float(op, r, ftz, d, s) => {
                let ftz = if *ftz { ".ftz" } else { "" };
                self.number(guard, *op, *r, ftz, "f32", &format!("%f{d}"), s.map(float));
            }
            Simple::Double(op, r, d, s) => {
                self.number(guard, *op, *r, "", "f64", &format!("%d{d}"), s.map(double));
            }
            Simple::Convert(kind, d, a) => self.convert(guard, *kind, *d, *a),
            Simple::CompareInt(r, signed, j, p, x) => {
                let ((word, with), ty) = (join(*j), if *signed { "s32" } else { "u32" });
                let [a, b] = x.map(int);
                line!(self, "{guard}setp.{}{word}.{ty} %p{p}, {a}, {b}{with};", relation(*r));
            }
            Simple::CompareFloat(r, unordered, j, p, x) => {
                let ((word, with), u) = (join(*j), if *unordered { "u" } else { "" });
                let [a, b] = x.map(float);
                line!(self, "{guard}setp.{}{u}{word}.f32 %p{p}, {a}, {b}{with};", relation(*r));
            }
            Simple::SelectInt(d, p, x) => {
                let [a, b] = x.map(int);
                line!(self, "{guard}selp.b32 %r{d}, {a}, {b}, %p{p};");
            }
            Simple::SelectFloat(d, p, x) => {
                let [a, b] = x.map(float);
                line!(self, "{guard}selp.f32 %f{d}, {a}, {b}, %p{p};");
            }
            Simple::NotPred(d, p) => line!(self, "{guard}not.pred %p{d}, %p{p};"),
            Simple::Load(space, d, i) => {
                let at = self.element(*space, *i);
                line!(self, "{guard}ld.{at};", at = at.replace('?', &format!("u32 %r{d}, ")));
            }
            Simple::Store(space, v, i) => {
                let at = self.element(*space, *i).replace('?', "u32 ");
                line!(self, "{guard}st.{at}, %r{v};");
            }
        }
    }

    /// Computes an element's address: returns its space, a temporary for intermediate values, and the address.
    fn element(&mut self, space: Space, index: usize) -> String {
        line!(self, "and.b32 %t0, %r{index}, {};\n  shl.b32 %t0, %t0, 2;", WORDS - 1);
        match space {
            Space::Shared => {
                line!(self, "add.u32 %t0, %t0, %shared;");
                "shared.?[%t0]".into()
            }
            Space::Global | Space::Local => {
                let name = if space == Space::Global { "global" } else { "local" };
                line!(self, "cvt.u64.u32 %u0, %t0;\n  add.u64 %u0, %u0, %{name};");
                format!("{name}.?[%u0]")
            }
        }
    }

    fn integer(&mut self, guard: &str, op: IntOp, d: &str, s: [String; 3], temp: &str, bits: u32) {
        let [a, b, c] = s;
        // Shift amounts and positions are words; of a long, the lower one.
        let amount = |this: &mut Self, x: &str, to: &str| {
            if bits == 64 {
                line!(this, "mov.b64 %u1, {x};\n  cvt.u32.u64 {to}, %u1;");
                to.to_string()
            } else {
                x.to_string()
            }
        };
        let two = |name: &str| format!("{name}{bits} {d}, {a}, {b};");
        let text = match op {
            IntOp::Add => two("add.s"),
            IntOp::Sub => two("sub.s"),
            IntOp::MulLo => two("mul.lo.s"),
            IntOp::MulHiU => two("mul.hi.u"),
            IntOp::MulHiS => two("mul.hi.s"),
            IntOp::MadLo => format!("mad.lo.s{bits} {d}, {a}, {b}, {c};"),
            IntOp::DivU => {
                line!(self, "or.b{bits} {temp}, {b}, 1;");
                format!("div.u{bits} {d}, {a}, {temp};")
            }
            IntOp::RemS => {
                line!(self, "or.b{bits} {temp}, {b}, 1;");
                let positive = u64::MAX >> (65 - bits);
                line!(self, "and.b{bits} {temp}, {temp}, {positive:#x};");
                format!("rem.s{bits} {d}, {a}, {temp};")
            }
            IntOp::And => two("and.b"),
            IntOp::Or => two("or.b"),
            IntOp::Xor => two("xor.b"),
            IntOp::Not => format!("not.b{bits} {d}, {a};"),
            IntOp::Neg => format!("neg.s{bits} {d}, {a};"),
            IntOp::Abs => format!("abs.s{bits} {d}, {a};"),
            IntOp::Shl | IntOp::ShrU | IntOp::ShrS => {
                let b = amount(self, &b, "%t1");
                let name = match op {
                    IntOp::Shl => "shl.b",
                    IntOp::ShrU => "shr.u",
                    _ => "shr.s",
                };
                format!("{name}{bits} {d}, {a}, {b};")
            }
            IntOp::MinS => two("min.s"),
            IntOp::MaxU => two("max.u"),
            IntOp::Sad => format!("sad.s{bits} {d}, {a}, {b}, {c};"),
            IntOp::Brev => format!("brev.b{bits} {d}, {a};"),
            IntOp::BfeU | IntOp::BfeS => {
                let (b, c) = (amount(self, &b, "%t1"), amount(self, &c, "%t2"));
                // A literal must be in range; a register need not be.
                line!(self, "mov.u32 %t1, {b};\n  mov.u32 %t2, {c};");
                let (b, c) = ("%t1", "%t2");
                let sign = if op == IntOp::BfeS { 's' } else { 'u' };
                format!("bfe.{sign}{bits} {d}, {a}, {b}, {c};")
            }
            IntOp::Bfi => format!("bfi.b{bits} {d}, {a}, {b}, 4, 6;"),
            IntOp::Majority if bits == 32 => format!("lop3.b32 {d}, {a}, {b}, {c}, 0xe8;"),
            IntOp::Majority => {
                line!(self, "and.b64 %u1, {a}, {b};\n  and.b64 %u2, {b}, {c};\n  and.b64 %u3, {a}, {c};");
                line!(self, "or.b64 %u1, %u1, %u2;");
                format!("or.b64 {d}, %u1, %u3;")
            }
        };
        line!(self, "{guard}{text}");
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of an instruction")]
    fn number(&mut self, guard: &str, op: NumOp, r: Round, ftz: &str, ty: &str, d: &str, s: [String; 3]) {
        let ([a, b, c], r) = (s, round(r));
        let text = match op {
            NumOp::Add => format!("add.{r}{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Sub => format!("sub.{r}{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Mul => format!("mul.{r}{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Fma => format!("fma.{r}{ftz}.{ty} {d}, {a}, {b}, {c};"),
            NumOp::Div => format!("div.{r}{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Sqrt => format!("sqrt.rn{ftz}.{ty} {d}, {a};"),
            NumOp::Min => format!("min{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Max => format!("max{ftz}.{ty} {d}, {a}, {b};"),
            NumOp::Abs => format!("abs{ftz}.{ty} {d}, {a};"),
            NumOp::Neg => format!("neg{ftz}.{ty} {d}, {a};"),
        };
        line!(self, "{guard}{text}");
    }

    fn convert(&mut self, guard: &str, kind: Convert, d: usize, a: usize) {
        let (ri, li, fi, di) = (d % INTS, d % LONGS, d % FLOATS, d % DOUBLES);
        let (ra, la, fa, da) = (a % INTS, a % LONGS, a % FLOATS, a % DOUBLES);
        let text = match kind {
            Convert::IntToLong => format!("cvt.s64.s32 %l{li}, %r{ra};"),
            Convert::UnsignedToLong => format!("cvt.u64.u32 %l{li}, %r{ra};"),
            Convert::LongToInt => format!("cvt.u32.u64 %r{ri}, %l{la};"),
            Convert::ByteToInt => format!("cvt.s32.s8 %r{ri}, %r{ra};"),
            Convert::IntToFloat(r) => format!("cvt.{}.f32.s32 %f{fi}, %r{ra};", round(r)),
            Convert::UnsignedToDouble => format!("cvt.rn.f64.u32 %d{di}, %r{ra};"),
            Convert::FloatToInt => format!("cvt.rzi.s32.f32 %r{ri}, %f{fa};"),
            Convert::FloatToDouble => format!("cvt.f64.f32 %d{di}, %f{fa};"),
            Convert::DoubleToFloat(r) => format!("cvt.{}.f32.f64 %f{fi}, %d{da};", round(r)),
            Convert::WideProduct => format!("mul.wide.s32 %l{li}, %r{ra}, %r{ri};"),
            Convert::Popc => format!("popc.b64 %r{ri}, %l{la};"),
            Convert::Clz => format!("clz.b32 %r{ri}, %r{ra};"),
            Convert::CarrySum => {
                line!(self, "mov.b64 {{%t0, %t1}}, %l{li};\n  mov.b64 {{%t2, %t3}}, %l{la};");
                line!(self, "add.cc.u32 %t0, %t0, %t2;\n  addc.u32 %t1, %t1, %t3;");
                format!("mov.b64 %l{li}, {{%t0, %t1}};")
            }
        };
        line!(self, "{guard}{text}");
    }
}
