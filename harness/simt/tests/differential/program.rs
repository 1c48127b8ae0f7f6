//! Programs for one thread, in a small separate language in which each simple statement is one instruction.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Variables of each class. Each function has its own set.
pub const INTS: usize = 6;
pub const LONGS: usize = 3;
pub const FLOATS: usize = 4;
pub const DOUBLES: usize = 2;
pub const PREDS: usize = 4;
/// Words of a thread's array, in each space.
pub const WORDS: usize = 8;
/// Functions of a program.
pub const FUNCTIONS: usize = 2;

/// The operand of an integer instruction: a variable or a number.
#[derive(Clone, Copy, Debug)]
pub enum Int {
    Var(usize),
    Lit(u64),
}

/// The operand of a floating-point instruction.
#[derive(Clone, Copy, Debug)]
pub enum Num {
    Var(usize),
    Lit(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntOp {
    Add,
    Sub,
    MulLo,
    MulHiU,
    MulHiS,
    MadLo,
    DivU,
    RemS,
    And,
    Or,
    Xor,
    Not,
    Neg,
    Abs,
    Shl,
    ShrU,
    ShrS,
    MinS,
    MaxU,
    Sad,
    Brev,
    BfeU,
    BfeS,
    Bfi,
    Majority,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumOp {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
    Min,
    Max,
    Abs,
    Neg,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joined {
    No,
    And(usize),
    Or(usize),
    Xor(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convert {
    /// Sign-extended into a long.
    IntToLong,
    /// Zero-extended.
    UnsignedToLong,
    LongToInt,
    /// The low byte, sign-extended.
    ByteToInt,
    IntToFloat(Round),
    UnsignedToDouble,
    /// Towards zero, clamped to the range.
    FloatToInt,
    FloatToDouble,
    DoubleToFloat(Round),
    WideProduct,
    Popc,
    Clz,
    /// Carry of a sum of longs, computed by words.
    CarrySum,
}

/// The space of a thread's array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    Global,
    Shared,
    Local,
}

/// A statement that is one instruction, or a few.
#[derive(Clone, Debug)]
pub enum Simple {
    Int(IntOp, usize, [Int; 3]),
    Long(IntOp, usize, [Int; 3]),
    Float(NumOp, Round, bool, usize, [Num; 3]),
    Double(NumOp, Round, usize, [Num; 3]),
    Convert(Convert, usize, usize),
    /// Compares integers, signed if the flag is set.
    CompareInt(Relation, bool, Joined, usize, [Int; 2]),
    /// Compares numbers; true for NaN if the flag is set.
    CompareFloat(Relation, bool, Joined, usize, [Num; 2]),
    SelectInt(usize, usize, [Int; 2]),
    SelectFloat(usize, usize, [Num; 2]),
    NotPred(usize, usize),
    /// An element of the thread's array, by the low bits of an index.
    Load(Space, usize, usize),
    Store(Space, usize, usize),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    Simple(Simple),
    /// Executed under a predicate, negated if the flag is set.
    Guarded(usize, bool, Simple),
    If(usize, Vec<Stmt>, Vec<Stmt>),
    /// Iterated as often as the low bits of a variable say, or until the predicate holds after an iteration.
    Loop(usize, Option<usize>, Vec<Stmt>),
    /// A branch through a jump table, by the low bits of a variable.
    Switch(usize, Vec<Vec<Stmt>>),
    /// `ints[d] = function(ints[a], floats[b])`.
    Call(usize, usize, usize, usize),
    /// Ends the function, or the thread.
    Return(usize),
}

/// A kernel and the functions that it calls: each uses its own variables.
#[derive(Clone, Debug)]
pub struct Program {
    pub functions: Vec<Vec<Stmt>>,
    pub kernel: Vec<Stmt>,
}

fn int() -> impl Strategy<Value = Int> {
    let special = [0, 1, 2, 7, 31, 32, 63, 255, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    prop_oneof![
        4 => (0..INTS).prop_map(Int::Var),
        1 => select(special.to_vec()).prop_map(Int::Lit),
        1 => any::<u32>().prop_map(|x| Int::Lit(x.into())),
    ]
}

fn long() -> impl Strategy<Value = Int> {
    prop_oneof![
        4 => (0..LONGS).prop_map(Int::Var),
        1 => select(vec![0, 1, 40, 1 << 63, u64::MAX]).prop_map(Int::Lit),
        1 => any::<u64>().prop_map(Int::Lit),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(vec![0.0, -0.0, 1.0, -1.5, 0.1, 1e30, -1e-30, f64::INFINITY]),
        (-1000i32..1000).prop_map(|x| f64::from(x) / 8.0),
    ]
}

fn num(count: usize) -> impl Strategy<Value = Num> {
    prop_oneof![4 => (0..count).prop_map(Num::Var), 1 => number().prop_map(Num::Lit)]
}

fn int_op() -> impl Strategy<Value = IntOp> {
    use IntOp::*;
    select(vec![
        Add, Sub, MulLo, MulHiU, MulHiS, MadLo, DivU, RemS, And, Or, Xor, Not, Neg, Abs, Shl, ShrU, ShrS, MinS, MaxU,
        Sad, Brev, BfeU, BfeS, Bfi, Majority,
    ])
}

fn num_op() -> impl Strategy<Value = NumOp> {
    use NumOp::*;
    select(vec![Add, Sub, Mul, Fma, Div, Sqrt, Min, Max, Abs, Neg])
}

fn round() -> impl Strategy<Value = Round> {
    use Round::*;
    prop_oneof![3 => Just(Nearest), 1 => select(vec![Zero, Down, Up])]
}

fn relation() -> impl Strategy<Value = Relation> {
    use Relation::*;
    select(vec![Eq, Ne, Lt, Le, Gt, Ge])
}

fn joined() -> impl Strategy<Value = Joined> {
    prop_oneof![
        3 => Just(Joined::No),
        1 => (0..PREDS).prop_map(Joined::And),
        1 => (0..PREDS).prop_map(Joined::Or),
        1 => (0..PREDS).prop_map(Joined::Xor),
    ]
}

fn convert() -> impl Strategy<Value = Convert> {
    use Convert::*;
    prop_oneof![
        select(vec![
            IntToLong,
            UnsignedToLong,
            LongToInt,
            ByteToInt,
            UnsignedToDouble,
            FloatToInt,
            FloatToDouble,
            WideProduct,
            Popc,
            Clz,
            CarrySum,
        ]),
        round().prop_map(IntToFloat),
        round().prop_map(DoubleToFloat),
    ]
}

fn simple() -> impl Strategy<Value = Simple> {
    let floats = || [num(FLOATS), num(FLOATS), num(FLOATS)];
    let two = || [num(FLOATS), num(FLOATS)];
    let space = || select(vec![Space::Global, Space::Shared, Space::Local]);
    prop_oneof![
        6 => (int_op(), 0..INTS, [int(), int(), int()]).prop_map(|(o, d, s)| Simple::Int(o, d, s)),
        2 => (int_op(), 0..LONGS, [long(), long(), long()]).prop_map(|(o, d, s)| Simple::Long(o, d, s)),
        4 => (num_op(), round(), any::<bool>(), 0..FLOATS, floats())
            .prop_map(|(o, r, f, d, s)| Simple::Float(o, r, f, d, s)),
        1 => (num_op(), round(), 0..DOUBLES, [num(DOUBLES), num(DOUBLES), num(DOUBLES)])
            .prop_map(|(o, r, d, s)| Simple::Double(o, r, d, s)),
        3 => (convert(), 0..6usize, 0..6usize).prop_map(|(c, d, a)| Simple::Convert(c, d, a)),
        4 => (relation(), any::<bool>(), joined(), 0..PREDS, [int(), int()])
            .prop_map(|(r, s, j, p, x)| Simple::CompareInt(r, s, j, p, x)),
        2 => (relation(), any::<bool>(), joined(), 0..PREDS, two())
            .prop_map(|(r, u, j, p, x)| Simple::CompareFloat(r, u, j, p, x)),
        1 => (0..INTS, 0..PREDS, [int(), int()]).prop_map(|(d, p, x)| Simple::SelectInt(d, p, x)),
        1 => (0..FLOATS, 0..PREDS, two()).prop_map(|(d, p, x)| Simple::SelectFloat(d, p, x)),
        1 => (0..PREDS, 0..PREDS).prop_map(|(d, p)| Simple::NotPred(d, p)),
        1 => (space(), 0..INTS, 0..INTS).prop_map(|(s, d, i)| Simple::Load(s, d, i)),
        1 => (space(), 0..INTS, 0..INTS).prop_map(|(s, v, i)| Simple::Store(s, v, i)),
    ]
}

/// Generates statements, nested `depth` deep; calls to the first `callable` functions.
fn block(depth: u32, callable: usize) -> BoxedStrategy<Vec<Stmt>> {
    let leaf = prop_oneof![
        5 => simple().prop_map(Stmt::Simple),
        2 => (0..PREDS, any::<bool>(), simple()).prop_map(|(p, n, s)| Stmt::Guarded(p, n, s)),
    ];
    if depth == 0 {
        return vec(leaf, 0..6).boxed();
    }
    let inner = || block(depth - 1, callable);
    let call = (0..callable.max(1), 0..INTS, 0..INTS, 0..FLOATS);
    let stmt = prop_oneof![
        12 => leaf,
        3 => (0..PREDS, inner(), inner()).prop_map(|(p, a, b)| Stmt::If(p, a, b)),
        2 => (0..INTS, proptest::option::of(0..PREDS), inner())
            .prop_map(|(n, p, b)| Stmt::Loop(n, p, b)),
        1 => (0..INTS, vec(inner(), 2..5)).prop_map(|(x, arms)| Stmt::Switch(x, arms)),
        if callable > 0 { 2 } else { 0 } => call.prop_map(|(f, d, a, b)| Stmt::Call(f, d, a, b)),
        1 => (0..PREDS).prop_map(Stmt::Return),
    ];
    vec(stmt, 1..10).boxed()
}

/// Generates a program.
pub fn program() -> impl Strategy<Value = Program> {
    (block(1, 0), block(1, 1), block(3, FUNCTIONS))
        .prop_map(|(first, second, kernel)| Program { functions: vec![first, second], kernel })
}
