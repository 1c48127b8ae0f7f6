//! The reference, the host's sums in float, and the places at which a probe has its ones.
use reduction::{
    Op, edges,
    reference::{kahan, pairwise, reference, serial},
};

/// Elements that one reference task takes.
const CHUNK: usize = 1 << 20;

#[test]
fn references_of_little() {
    assert_eq!(reference(Op::Sum, &[], &[]).value, 0.0);
    assert_eq!(reference(Op::Max, &[], &[]).value, f64::NEG_INFINITY);
    let dot = reference(Op::Dot, &[1.0, -2.0], &[3.0, 4.0]);
    assert_eq!((dot.value, dot.magnitude), (-5.0, 11.0));
    assert_eq!(reference(Op::Max, &[-3.0, -2.0], &[]).value, -2.0);
}

#[test]
fn parallel_parts_add_up() {
    let x = vec![1.0f32; 2 * CHUNK + 3];
    assert_eq!(reference(Op::Sum, &x, &[]).value, (2 * CHUNK + 3) as f64);
}

#[test]
fn a_serial_float_sum_stands_still_and_the_others_do_not() {
    let x = vec![1.0f32; (1 << 24) + 1000];
    assert_eq!(serial(&x), 16_777_216.0);
    assert_eq!(pairwise(&x), x.len() as f32);
    assert_eq!(kahan(&x), x.len() as f32);
}

#[test]
fn edges_are_within_n() {
    assert_eq!(edges(0, 32), [0usize; 0]);
    assert_eq!(edges(1, 32), [0]);
    assert_eq!(edges(5, 32), [0, 1, 2, 3, 4]);
    let edges = edges((1 << 30) + 1, 256);
    assert!(edges.contains(&(1 << 30)) && edges.contains(&255) && edges.contains(&256));
    assert!(edges.is_sorted() && edges.len() < 200);
}
