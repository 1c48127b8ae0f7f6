//! From a meaning in one lane to a function that executes a whole warp.

use crate::exec::{Flow, Warp};
use crate::lane::{ALL, LANES, Lane};
use crate::program::Op;
use crate::ptx::ast::Type;

/// Executes one decoded instruction for a warp.
///
/// # Safety
/// `op`'s register offsets lie inside the warp's register file, which the decoder guarantees.
pub type Handler = unsafe fn(&mut Warp, &Op) -> Flow;

/// The two ways to execute an instruction: all lanes live, or those of the warp's mask.
#[derive(Clone, Copy)]
pub struct Handlers {
    /// All 32 lanes.
    pub full: Handler,
    /// The lanes of `Warp::mask`.
    pub part: Handler,
}

/// How wide the host's vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of the target has.
    Baseline,
    /// x86-64-v3: AVX2 and fused multiply-add.
    V3,
    /// x86-64-v4: AVX-512.
    V4,
}

impl Isa {
    /// The best of this processor.
    pub fn detect() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            let v3 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let v4 = v3
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if v4 {
                return Isa::V4;
            }
            if v3 {
                return Isa::V3;
            }
        }
        Isa::Baseline
    }
}

/// An instruction's meaning in one lane. Unused operands have type `()`.
pub trait Alu {
    /// First source.
    type A: Lane;
    /// Second source.
    type B: Lane;
    /// Third source.
    type C: Lane;
    /// Destination.
    type D: Lane;
    /// The result.
    fn eval(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// A row of the table.
pub struct Form {
    /// Every spelling that means this: `add.s32`, `add.u32`.
    pub names: &'static [&'static str],
    /// Type of the destination.
    pub dst: Type,
    /// Types of the sources, in order.
    pub src: &'static [Type],
    /// The executable form for a processor.
    pub handlers: fn(Isa) -> Handlers,
}

/// # Safety
/// See [`Handler`].
#[inline(always)]
unsafe fn body<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the decoder gives offsets of registers of these types inside the register file.
    unsafe {
        let regs = warp.regs();
        let a = &*regs.add(op.a as usize).cast::<<O::A as Lane>::Reg>();
        let b = &*regs.add(op.b as usize).cast::<<O::B as Lane>::Reg>();
        let c = &*regs.add(op.c as usize).cast::<<O::C as Lane>::Reg>();
        let mut out = O::D::start();
        for i in 0..LANES {
            O::D::set(
                &mut out,
                i,
                O::eval(O::A::get(a, i), O::B::get(b, i), O::C::get(c, i)),
            );
        }
        let out = O::D::finish(out);
        let d = regs.add(op.d as usize).cast::<<O::D as Lane>::Reg>();
        *d = if FULL {
            out
        } else {
            O::D::blend(&*d, &out, warp.mask())
        };
    }
    Flow::Next
}

unsafe fn base<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, FULL>(warp, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, FULL>(warp, op) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
)]
unsafe fn v4<O: Alu, const FULL: bool>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { body::<O, FULL>(warp, op) }
}

/// The executable forms of one meaning.
pub fn handlers<O: Alu>(isa: Isa) -> Handlers {
    debug_assert!(ALL.count_ones() as usize == LANES);
    match isa {
        Isa::Baseline => Handlers {
            full: base::<O, true>,
            part: base::<O, false>,
        },
        #[cfg(target_arch = "x86_64")]
        Isa::V3 => Handlers {
            full: v3::<O, true>,
            part: v3::<O, false>,
        },
        #[cfg(target_arch = "x86_64")]
        Isa::V4 => Handlers {
            full: v4::<O, true>,
            part: v4::<O, false>,
        },
        #[cfg(not(target_arch = "x86_64"))]
        _ => Handlers {
            full: base::<O, true>,
            part: base::<O, false>,
        },
    }
}

/// The PTX type that a lane type stands for in signatures; signedness is the row's own affair.
pub const fn ptx_type<T: TypeOf>() -> Type {
    T::TYPE
}

/// Lane types and the register types that hold them.
pub trait TypeOf {
    /// The register type.
    const TYPE: Type;
}
macro_rules! type_of {
    ($($t:ty => $p:ident),*) => {$(impl TypeOf for $t { const TYPE: Type = Type::$p; })*};
}
type_of!(u16 => B16, i16 => B16, u32 => B32, i32 => B32, f32 => F32, u64 => B64, i64 => B64, f64 => F64, bool => Pred);

/// Declares rows: names, a Rust name, operands, result, meaning.
#[macro_export]
macro_rules! alu {
    ($table:ident; $( $(#[$m:meta])* $name:ident [$($spelling:literal)+] ($($arg:ident : $ty:ty),*) -> $ret:ty $body:block )*) => {
        $( $crate::alu!(@row $(#[$m])* $name ($($arg : $ty),*) -> $ret $body); )*
        /// The rows declared here.
        pub static $table: &[$crate::isa::dispatch::Form] = &[$( $crate::isa::dispatch::Form {
            names: &[$($spelling),+],
            dst: $crate::isa::dispatch::ptx_type::<$ret>(),
            src: &[$($crate::isa::dispatch::ptx_type::<$ty>()),*],
            handlers: $crate::isa::dispatch::handlers::<$name>,
        } ),*];
    };
    (@row $(#[$m:meta])* $name:ident ($a:ident : $A:ty) -> $D:ty $body:block) => {
        $crate::alu!(@impl $(#[$m])* $name ($a: $A, _b: (), _c: ()) -> $D $body);
    };
    (@row $(#[$m:meta])* $name:ident ($a:ident : $A:ty, $b:ident : $B:ty) -> $D:ty $body:block) => {
        $crate::alu!(@impl $(#[$m])* $name ($a: $A, $b: $B, _c: ()) -> $D $body);
    };
    (@row $(#[$m:meta])* $name:ident ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty) -> $D:ty $body:block) => {
        $crate::alu!(@impl $(#[$m])* $name ($a: $A, $b: $B, $c: $C) -> $D $body);
    };
    (@impl $(#[$m:meta])* $name:ident ($a:ident : $A:ty, $b:ident : $B:ty, $c:ident : $C:ty) -> $D:ty $body:block) => {
        $(#[$m])*
        pub struct $name;
        impl $crate::isa::dispatch::Alu for $name {
            type A = $A;
            type B = $B;
            type C = $C;
            type D = $D;
            #[inline(always)]
            fn eval($a: $A, $b: $B, $c: $C) -> $D $body
        }
    };
}
