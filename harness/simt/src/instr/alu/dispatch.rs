//! Turns the meaning of an instruction in one lane into functions that execute a whole warp.

use crate::engine::warp::handler::{Handler, Handlers};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::Field;
use crate::lane::{ALL, HostVectors, LANES, Lane};

/// An instruction's meaning in one lane. Unused operands have type `()`.
pub trait Alu {
    /// First source.
    type A: Lane;
    /// Second source.
    type B: Lane;
    /// Third source.
    type C: Lane;
    /// Fourth source.
    type E: Lane;
    /// Destination.
    type D: Lane;
    /// Second destination.
    type D2: Lane;
    /// Computes the results. `imm` is `Op::imm`, the same in every lane.
    fn eval(a: Self::A, b: Self::B, c: Self::C, e: Self::E, imm: u64) -> (Self::D, Self::D2);
}

/// An instruction on predicates, which computes all 32 lanes as the bits of a word.
pub trait Bitwise {
    /// Sources: 1 or 2.
    const SOURCES: usize;
    /// The result.
    fn eval(a: u32, b: u32) -> u32;
}

/// The fields of an instruction's sources, in order. The functions below read `Op::a`, `b`, `c` and `e` accordingly.
pub const SOURCES: [Field; 4] = [Field::A, Field::B, Field::C, Field::E];
/// The field of its destination, `Op::d`.
pub const TO: Field = Field::D;
/// The field of its second destination, `Op::d2`.
pub const SECOND: Field = Field::D2;

/// # Safety
/// See [`Handler`]; the processor supports what `W` requires.
#[inline(always)]
unsafe fn body<O: Alu, const W: u8, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the decoder gives offsets of registers of these types inside the register file.
    unsafe {
        let regs = warp.regs();
        let a = O::A::view::<W>(regs.add(op.a as usize));
        let b = O::B::view::<W>(regs.add(op.b as usize));
        let c = O::C::view::<W>(regs.add(op.c as usize));
        let e = O::E::view::<W>(regs.add(op.e as usize));
        let imm = op.imm;
        let mut out = O::D::start();
        let mut out2 = O::D2::start();
        for i in 0..LANES {
            let (x, y) = O::eval(O::A::get(&a, i), O::B::get(&b, i), O::C::get(&c, i), O::E::get(&e, i), imm);
            O::D::set(&mut out, i, x);
            O::D2::set(&mut out2, i, y);
        }
        let d = regs.add(op.d as usize);
        let d2 = regs.add(op.d2 as usize);
        if FULL {
            O::D::write(d, out);
            O::D2::write(d2, out2);
        } else {
            O::D::blend::<W>(d, out, warp.mask());
            O::D2::blend::<W>(d2, out2, warp.mask());
        }
    }
    Flow::Next
}

unsafe fn base<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, 0, FULL>(warp, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, 3, FULL>(warp, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn v4<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, 4, FULL>(warp, op) }
}

/// Executes one lane after another, only those of the mask: small code for rare instructions.
///
/// # Safety
/// See [`Handler`].
unsafe fn scalar<O: Alu>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the decoder gives offsets of registers of these types inside the register file. A destination may be one
    // of the sources; then it has the same shape, and a lane is read before it is written.
    unsafe {
        let regs = warp.regs();
        let mut live = warp.mask();
        while live != 0 {
            let i = live.trailing_zeros() as usize;
            live &= live - 1;
            let (x, y) = O::eval(
                O::A::load(regs.add(op.a as usize), i),
                O::B::load(regs.add(op.b as usize), i),
                O::C::load(regs.add(op.c as usize), i),
                O::E::load(regs.add(op.e as usize), i),
                op.imm,
            );
            O::D::store(regs.add(op.d as usize), i, x);
            O::D2::store(regs.add(op.d2 as usize), i, y);
        }
    }
    Flow::Next
}

/// # Safety
/// See [`Handler`].
unsafe fn bitwise<O: Bitwise>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the decoder gives offsets of predicate registers inside the register file.
    unsafe {
        let regs = warp.regs();
        let a = *regs.add(op.a as usize).cast::<u32>();
        let b = *regs.add(op.b as usize).cast::<u32>();
        let d = regs.add(op.d as usize).cast::<u32>();
        let mask = warp.mask();
        *d = (*d & !mask) | (O::eval(a, b) & mask);
    }
    Flow::Next
}

/// Handlers for frequent instructions: vector code for each kind of processor, with a separate function for whole
/// warps.
pub fn hot<O: Alu>(vectors: HostVectors) -> Handlers {
    debug_assert!(ALL.count_ones() as usize == LANES);
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => Handlers { full: v3::<O, true>, part: v3::<O, false> },
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => Handlers { full: v4::<O, true>, part: v4::<O, false> },
        // x86 processors without AVX2 are more than ten years old, and a second function is not worth its size.
        _ => Handlers {
            full: base::<O, true>,
            part: if cfg!(target_arch = "x86_64") { scalar::<O> } else { base::<O, false> },
        },
    }
}

/// Handlers for instructions with the same function for whole and partial warps: either they compute so much that
/// masked writes add little, or their result is a predicate, for which a mask costs nothing.
pub fn warm<O: Alu>(vectors: HostVectors) -> Handlers {
    let both = |handler: Handler| Handlers { full: handler, part: handler };
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => both(v3::<O, false>),
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => both(v4::<O, false>),
        _ if cfg!(target_arch = "x86_64") => both(scalar::<O>),
        _ => both(base::<O, false>),
    }
}

/// Handlers for rare instructions: one function for every processor, lane by lane.
pub fn cold<O: Alu>(_: HostVectors) -> Handlers {
    Handlers { full: scalar::<O>, part: scalar::<O> }
}

/// Handlers for instructions on predicates.
pub fn bits<O: Bitwise>(_: HostVectors) -> Handlers {
    Handlers { full: bitwise::<O>, part: bitwise::<O> }
}

/// Declares instructions: a name, operands, results, and their values in one lane.
///
/// `op! { /// Sum. Add<T: Int>(a: T, b: T) -> T { a.wrapping_add(b) } }` declares the type `Add<T>` and implements
/// [`Alu`] for it. `Name(a: u32) [imm] -> u32 {..}` takes an immediate, and `-> u32, bool {..}` gives a second result.
macro_rules! op {
    () => {};
    (
        $(#[$m:meta])*
        $name:ident $(<$($T:ident : $bound:path),+>)? ($($args:tt)*) $([$imm:ident])?
            -> $D:ty $(, $D2:ty)? $body:block
        $($rest:tt)*
    ) => {
        $(#[$m])*
        pub struct $name $(<$($T),+>(std::marker::PhantomData<($($T,)+)>))?;
        impl $(<$($T: $bound),+>)? $crate::instr::alu::dispatch::Alu for $name $(<$($T),+>)? {
            op!(@args ($($args)*) [$($imm)?] ($D $(, $D2)?) $body);
        }
        op!($($rest)*);
    };
    (@args ($a:ident : $A:ty) $($t:tt)*) => { op!(@imm ($a: $A, _b: (), _c: (), _e: ()) $($t)*); };
    (@args ($a:ident : $A:ty, $b:ident : $B:ty) $($t:tt)*) => { op!(@imm ($a: $A, $b: $B, _c: (), _e: ()) $($t)*); };
    (@args ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty) $($t:tt)*) => {
        op!(@imm ($a: $A, $b: $B, $c: $C, _e: ()) $($t)*);
    };
    (@args ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty, $e:ident : $E:ty) $($t:tt)*) => {
        op!(@imm ($a: $A, $b: $B, $c: $C, $e: $E) $($t)*);
    };
    (@imm ($($args:tt)*) [] $($t:tt)*) => { op!(@body ($($args)*) [_imm] $($t)*); };
    (@imm ($($args:tt)*) [$imm:ident] $($t:tt)*) => { op!(@body ($($args)*) [$imm] $($t)*); };
    (
        @body ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty, $e:ident : $E:ty)
        [$imm:ident] ($D:ty) $body:block
    ) => {
        type A = $A;
        type B = $B;
        type C = $C;
        type E = $E;
        type D = $D;
        type D2 = ();
        #[inline(always)]
        fn eval($a: $A, $b: $B, $c: $C, $e: $E, $imm: u64) -> ($D, ()) {
            ($body, ())
        }
    };
    (
        @body ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty, $e:ident : $E:ty)
        [$imm:ident] ($D:ty, $D2:ty) $body:block
    ) => {
        type A = $A;
        type B = $B;
        type C = $C;
        type E = $E;
        type D = $D;
        type D2 = $D2;
        #[inline(always)]
        fn eval($a: $A, $b: $B, $c: $C, $e: $E, $imm: u64) -> ($D, $D2) $body
    };
}
pub(crate) use op;
