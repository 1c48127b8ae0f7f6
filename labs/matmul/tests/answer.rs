//! A product's complete answer and its partial answer find the same mistakes.
use matmul::{Arithmetic, Shape, answer::Answer, reference::multiply};

fn matrix(elements: usize) -> Vec<f32> {
    (0..elements as u64).map(|i| (i.wrapping_mul(2_654_435_761) >> 7 & 1023) as f32 / 512.0 - 1.0).collect()
}

/// Both kinds of answer accept the right product, and reject any product with one mistake.
#[test]
fn whole_and_sampled_answers_find_the_same_mistakes() {
    let shape = Shape { m: 60, k: 50, n: 70 };
    let (a, b) = (matrix(shape.m * shape.k), matrix(shape.k * shape.n));
    let right: Vec<f32> = multiply(&a, &b, shape).into_iter().map(|c| c as f32).collect();
    for answer in [Answer::whole(&a, &b, shape), Answer::sampled(&a, &b, shape, 7)] {
        assert!(answer.check(&right, Arithmetic::Float).passed());
        for place in [0, 69, 70 * 31 + 5, 60 * 70 - 1] {
            for wrong in [f32::NAN, f32::INFINITY, right[place] + 1.0] {
                let mut c = right.clone();
                c[place] = wrong;
                assert!(!answer.check(&c, Arithmetic::Float).passed(), "{wrong} at {place}");
            }
        }
        assert!(!answer.check(&right[1..], Arithmetic::Float).passed());
    }
}

#[test]
fn only_large_products_are_sampled() {
    let (a, b) = (matrix(12), matrix(12));
    assert!(Answer::new(&a, &b, Shape { m: 3, k: 4, n: 3 }, 1).partly().is_none());
    let one = Answer::sampled(&a, &b, Shape { m: 1, k: 12, n: 1 }, 1);
    assert_eq!(one.rows, [0]);
    assert!(one.partly().is_some());
}
