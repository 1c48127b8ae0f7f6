//! Integer arithmetic.

crate::alu! { INTEGER;
    /// Sum, modulo 2^32.
    AddB32 ["add.u32" "add.s32"] (a: u32, b: u32) -> u32 { a.wrapping_add(b) }
    /// Fused multiply-add, rounded to nearest even.
    FmaF32 ["fma.rn.f32"] (a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    /// Signed less-than.
    SetpLtS32 ["setp.lt.s32"] (a: i32, b: i32) -> bool { a < b }
    /// Select.
    SelpB32 ["selp.b32" "selp.u32" "selp.s32"] (a: u32, b: u32, p: bool) -> u32 { if p { a } else { b } }
    /// Widening product.
    MulWideS32 ["mul.wide.s32"] (a: i32, b: i32) -> i64 { i64::from(a) * i64::from(b) }
    /// And of predicates
    AndPred ["and.pred"] (a: bool, b: bool) -> bool { a & b }
}
