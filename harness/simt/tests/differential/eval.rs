//! Evaluates a program thread by thread, from the meaning of the operations: with the host's arithmetic for rounding to
//! nearest, and `rustc_apfloat` for the other rounding modes.

use super::program::*;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert};

/// A deliberate mistake of the evaluator, to show that the comparison finds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mistake {
    None,
    /// Right shifts fill with zeros.
    LogicalShift,
    /// Guards are ignored.
    Unguarded,
    /// Both sides of a branch are taken.
    BothSides,
    /// Loops execute one iteration less.
    ShortLoop,
    /// A multiply-add rounds twice.
    Unfused,
    /// Subnormal numbers are not flushed to zero where they should be.
    NoFlush,
    /// Comparisons of NaN are false even where they should be true.
    Ordered,
    /// A returning function changes the caller's variables.
    SharedFrame,
    /// The high half of a signed product is that of the unsigned one.
    UnsignedHigh,
}

/// A thread's variables in one function.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub ints: [u32; INTS],
    pub longs: [u64; LONGS],
    pub floats: [f32; FLOATS],
    pub doubles: [f64; DOUBLES],
    pub preds: [bool; PREDS],
}

/// A thread.
pub struct Thread<'p> {
    program: &'p Program,
    mistake: Mistake,
    /// Its arrays: global, shared, local.
    pub arrays: [[u32; WORDS]; 3],
}

enum Flow {
    On,
    Return,
}

impl<'p> Thread<'p> {
    pub fn new(program: &'p Program, mistake: Mistake) -> Self {
        Thread { program, mistake, arrays: [[0; WORDS]; 3] }
    }

    /// Runs the kernel on these variables.
    pub fn run(&mut self, frame: &mut Frame) {
        self.block(&self.program.kernel, frame);
    }

    fn block(&mut self, block: &'p [Stmt], f: &mut Frame) -> Flow {
        for stmt in block {
            if let Flow::Return = self.stmt(stmt, f) {
                return Flow::Return;
            }
        }
        Flow::On
    }

    fn stmt(&mut self, stmt: &'p Stmt, f: &mut Frame) -> Flow {
        match stmt {
            Stmt::Simple(simple) => self.simple(simple, f),
            Stmt::Guarded(p, not, simple) => {
                if f.preds[*p] != *not || self.mistake == Mistake::Unguarded {
                    self.simple(simple, f);
                }
            }
            Stmt::If(p, yes, no) => {
                let holds = f.preds[*p];
                if holds && self.mistake == Mistake::BothSides {
                    self.block(no, f);
                }
                return self.block(if holds { yes } else { no }, f);
            }
            Stmt::Loop(count, until, body) => {
                let mut left = f.ints[*count] & 7;
                if self.mistake == Mistake::ShortLoop {
                    left = left.saturating_sub(1);
                }
                while left > 0 {
                    if let Flow::Return = self.block(body, f) {
                        return Flow::Return;
                    }
                    if until.is_some_and(|p| f.preds[p]) {
                        break;
                    }
                    left -= 1;
                }
            }
            Stmt::Switch(x, arms) => {
                let arm = f.ints[*x] as usize % arms.len();
                return self.block(&arms[arm], f);
            }
            Stmt::Call(function, d, a, b) => {
                let mut own = Frame::default();
                own.ints[0] = f.ints[*a];
                own.floats[0] = f.floats[*b];
                self.block(&self.program.functions[*function], &mut own);
                if self.mistake == Mistake::SharedFrame {
                    f.ints = own.ints;
                }
                f.ints[*d] = own.ints[0];
            }
            Stmt::Return(p) if f.preds[*p] => return Flow::Return,
            Stmt::Return(_) => {}
        }
        Flow::On
    }

    fn simple(&mut self, simple: &Simple, f: &mut Frame) {
        let int = |f: &Frame, x: Int| match x {
            Int::Var(v) => f.ints[v],
            Int::Lit(x) => x as u32,
        };
        let long = |f: &Frame, x: Int| match x {
            Int::Var(v) => f.longs[v],
            Int::Lit(x) => x,
        };
        let float = |f: &Frame, x: Num| match x {
            Num::Var(v) => f.floats[v],
            Num::Lit(x) => x as f32,
        };
        let double = |f: &Frame, x: Num| match x {
            Num::Var(v) => f.doubles[v],
            Num::Lit(x) => x,
        };
        match simple {
            Simple::Int(op, d, s) => {
                let s = s.map(|x| u64::from(int(f, x)));
                f.ints[*d] = self.integer(*op, s, 32) as u32;
            }
            Simple::Long(op, d, s) => {
                let s = s.map(|x| long(f, x));
                f.longs[*d] = self.integer(*op, s, 64);
            }
            Simple::Float(op, round, ftz, d, s) => {
                let ftz = *ftz && self.mistake != Mistake::NoFlush;
                let s = s.map(|x| flush(float(f, x), ftz));
                f.floats[*d] = flush(self.float(*op, *round, s), ftz);
            }
            Simple::Double(op, round, d, s) => {
                let s = s.map(|x| double(f, x));
                f.doubles[*d] = self.double(*op, *round, s);
            }
            Simple::Convert(kind, d, a) => convert(*kind, *d, *a, f),
            Simple::CompareInt(relation, signed, join, p, x) => {
                let [a, b] = x.map(|x| int(f, x));
                let order = if *signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) };
                f.preds[*p] = joined(*join, holds(*relation, order), f);
            }
            Simple::CompareFloat(relation, unordered, join, p, x) => {
                let [a, b] = x.map(|x| float(f, x));
                let unordered = *unordered && self.mistake != Mistake::Ordered;
                let result = a.partial_cmp(&b).map_or(unordered, |o| holds(*relation, o));
                f.preds[*p] = joined(*join, result, f);
            }
            Simple::SelectInt(d, p, x) => f.ints[*d] = int(f, x[usize::from(!f.preds[*p])]),
            Simple::SelectFloat(d, p, x) => f.floats[*d] = float(f, x[usize::from(!f.preds[*p])]),
            Simple::NotPred(d, p) => f.preds[*d] = !f.preds[*p],
            Simple::Load(space, d, i) => {
                f.ints[*d] = self.arrays[*space as usize][f.ints[*i] as usize % WORDS];
            }
            Simple::Store(space, v, i) => {
                self.arrays[*space as usize][f.ints[*i] as usize % WORDS] = f.ints[*v];
            }
        }
    }

    /// Computes an operation on `bits` bits.
    fn integer(&self, op: IntOp, [a, b, c]: [u64; 3], bits: u32) -> u64 {
        let all = u64::MAX >> (64 - bits);
        let signed = |x: u64| i128::from((x << (64 - bits)) as i64 >> (64 - bits));
        let (sa, sb, sc) = (signed(a), signed(b), signed(c));
        let (ua, ub) = (u128::from(a), u128::from(b));
        // Positions and lengths are a byte (on an H200 only for words); shift amounts are a word.
        let amount = (b as u32).min(bits);
        let field = |x: u64| match bits {
            32 => (x & 255) as u32,
            _ => (x as u32).min(64),
        };
        let (pos, len) = (field(b), field(c));
        let shift = |x: i128, n: u32| x >> n.min(127);
        let r: i128 = match op {
            IntOp::Add => sa + sb,
            IntOp::Sub => sa - sb,
            IntOp::MulLo => sa.wrapping_mul(sb),
            IntOp::MulHiS if self.mistake == Mistake::UnsignedHigh => ((ua * ub) >> bits) as i128,
            IntOp::MulHiS => (sa * sb) >> bits,
            IntOp::MulHiU => ((ua * ub) >> bits) as i128,
            IntOp::MadLo => sa.wrapping_mul(sb).wrapping_add(sc),
            // The printer generates nonzero divisors.
            IntOp::DivU => (ua / (ub | 1)) as i128,
            IntOp::RemS => sa % ((ub | 1) & u128::from(all >> 1)) as i128,
            IntOp::And => sa & sb,
            IntOp::Or => sa | sb,
            IntOp::Xor => sa ^ sb,
            IntOp::Not => !sa,
            IntOp::Neg => -sa,
            IntOp::Abs => sa.abs(),
            IntOp::Shl => (ua << amount) as i128,
            IntOp::ShrU => (ua >> amount) as i128,
            IntOp::ShrS if self.mistake == Mistake::LogicalShift => (ua >> amount) as i128,
            IntOp::ShrS => shift(sa, amount),
            IntOp::MinS => sa.min(sb),
            IntOp::MaxU => ua.max(ub) as i128,
            IntOp::Sad => sc + (sa - sb).abs(),
            IntOp::Brev => i128::from(a.reverse_bits() >> (64 - bits)),
            IntOp::BfeU | IntOp::BfeS => {
                let sign = op == IntOp::BfeS && len > 0 && shift(sa, (pos + len - 1).min(bits - 1)) & 1 != 0;
                (0..bits).fold(0, |r, i| {
                    let bit = if i < len && pos + i < bits { (ua >> (pos + i)) & 1 != 0 } else { sign };
                    r | (i128::from(bit) << i)
                })
            }
            // Six bits from bit 4 on: the other operands are words.
            IntOp::Bfi => i128::from((b & !(63 << 4)) | ((a & 63) << 4)),
            IntOp::Majority => i128::from((a & b) | (b & c) | (a & c)),
        };
        r as u64 & all
    }

    fn float(&self, op: NumOp, round: Round, [a, b, c]: [f32; 3]) -> f32 {
        let r = match (op, round) {
            (NumOp::Min, _) => least(a.into(), b.into()) as f32,
            (NumOp::Max, _) => -least((-a).into(), (-b).into()) as f32,
            (NumOp::Abs, _) => a.abs(),
            (NumOp::Neg, _) => -a,
            (NumOp::Fma, _) if self.mistake == Mistake::Unfused => a * b + c,
            (NumOp::Add, Round::Nearest) => a + b,
            (NumOp::Sub, Round::Nearest) => a - b,
            (NumOp::Mul, Round::Nearest) => a * b,
            (NumOp::Fma, Round::Nearest) => a.mul_add(b, c),
            (NumOp::Div, Round::Nearest) => a / b,
            (NumOp::Sqrt, _) => a.sqrt(),
            _ => {
                let [a, b, c] = [a, b, c].map(|x| Single::from_bits(x.to_bits().into()));
                f32::from_bits(directed(op, round, [a, b, c]) as u32)
            }
        };
        if r.is_nan() { f32::NAN } else { r }
    }

    fn double(&self, op: NumOp, round: Round, [a, b, c]: [f64; 3]) -> f64 {
        let r = match (op, round) {
            (NumOp::Min, _) => least(a, b),
            (NumOp::Max, _) => -least(-a, -b),
            (NumOp::Abs, _) => a.abs(),
            (NumOp::Neg, _) => -a,
            (NumOp::Fma, _) if self.mistake == Mistake::Unfused => a * b + c,
            (NumOp::Add, Round::Nearest) => a + b,
            (NumOp::Sub, Round::Nearest) => a - b,
            (NumOp::Mul, Round::Nearest) => a * b,
            (NumOp::Fma, Round::Nearest) => a.mul_add(b, c),
            (NumOp::Div, Round::Nearest) => a / b,
            (NumOp::Sqrt, _) => a.sqrt(),
            _ => {
                let [a, b, c] = [a, b, c].map(|x| Double::from_bits(x.to_bits().into()));
                f64::from_bits(directed(op, round, [a, b, c]) as u64)
            }
        };
        if r.is_nan() { f64::NAN } else { r }
    }
}

fn flush(x: f32, ftz: bool) -> f32 {
    if ftz && x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Returns the lesser, minus zero before zero, a number before NaN.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

fn theirs(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Zero => rustc_apfloat::Round::TowardZero,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Up => rustc_apfloat::Round::TowardPositive,
    }
}

fn directed<F: Float>(op: NumOp, round: Round, [a, b, c]: [F; 3]) -> u128 {
    let round = theirs(round);
    let r = match op {
        NumOp::Add => a.add_r(b, round),
        NumOp::Sub => a.sub_r(b, round),
        NumOp::Mul => a.mul_r(b, round),
        NumOp::Fma => a.mul_add_r(b, c, round),
        _ => a.div_r(b, round),
    };
    r.value.to_bits()
}

fn holds(relation: Relation, order: std::cmp::Ordering) -> bool {
    match relation {
        Relation::Eq => order.is_eq(),
        Relation::Ne => order.is_ne(),
        Relation::Lt => order.is_lt(),
        Relation::Le => order.is_le(),
        Relation::Gt => order.is_gt(),
        Relation::Ge => order.is_ge(),
    }
}

fn joined(join: Joined, t: bool, f: &Frame) -> bool {
    match join {
        Joined::No => t,
        Joined::And(p) => t && f.preds[p],
        Joined::Or(p) => t || f.preds[p],
        Joined::Xor(p) => t != f.preds[p],
    }
}

fn convert(kind: Convert, d: usize, a: usize, f: &mut Frame) {
    let int = f.ints[a % INTS];
    match kind {
        Convert::IntToLong => f.longs[d % LONGS] = i64::from(int as i32) as u64,
        Convert::UnsignedToLong => f.longs[d % LONGS] = int.into(),
        Convert::LongToInt => f.ints[d % INTS] = f.longs[a % LONGS] as u32,
        Convert::ByteToInt => f.ints[d % INTS] = i32::from(int as i8) as u32,
        Convert::IntToFloat(round) => {
            let x = Single::from_i128_r((int as i32).into(), theirs(round)).value;
            f.floats[d % FLOATS] = f32::from_bits(x.to_bits() as u32);
        }
        Convert::UnsignedToDouble => f.doubles[d % DOUBLES] = int.into(),
        // Rust's `as` clamps to the range, and turns NaN into zero, too.
        Convert::FloatToInt => f.ints[d % INTS] = f.floats[a % FLOATS] as i32 as u32,
        Convert::FloatToDouble => f.doubles[d % DOUBLES] = f.floats[a % FLOATS].into(),
        Convert::DoubleToFloat(round) => {
            let x = Double::from_bits(f.doubles[a % DOUBLES].to_bits().into());
            let x: Single = x.convert_r(theirs(round), &mut false).value;
            f.floats[d % FLOATS] = f32::from_bits(x.to_bits() as u32);
        }
        Convert::WideProduct => {
            f.longs[d % LONGS] = (i64::from(int as i32) * i64::from(f.ints[d % INTS] as i32)) as u64;
        }
        Convert::Popc => f.ints[d % INTS] = f.longs[a % LONGS].count_ones(),
        Convert::Clz => f.ints[d % INTS] = int.leading_zeros(),
        Convert::CarrySum => {
            f.longs[d % LONGS] = f.longs[d % LONGS].wrapping_add(f.longs[a % LONGS]);
        }
    }
}
