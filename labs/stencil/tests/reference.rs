//! The stencils on the CPU: results worked out by hand, and Jacobi's method against the solution.
use stencil::reference::*;

#[test]
fn blurs_and_means_by_hand() {
    assert_eq!(blur(&[4.0_f32]), [2.0]);
    assert_eq!(blur(&[4.0_f32, 8.0, 4.0]), [4.0, 6.0, 4.0]);
    assert_eq!(average5(&[5.0, 10.0, 15.0]), [6.0, 6.0, 6.0]);
    assert!(blur::<f32>(&[]).is_empty() && average5(&[]).is_empty());
    let plane = [1., 2., 3., 4., 5., 6., 7., 8., 9.];
    assert_eq!(mean(&plane, 3)[4], 5.0);
    assert_eq!(mean(&plane, 3)[5], 6.0);
    assert_eq!(mean(&plane, 9), plane.map(f64::from), "a plane of one row is all border");
}

#[test]
fn jacobi_tends_to_the_solution() {
    let (w, h) = (24, 16);
    let u: Vec<f64> = start(w, h).into_iter().map(f64::from).collect();
    let done = jacobi(u, w, 100_000, 10, 1e-9);
    assert!(done.steps < 10_000 && done.steps % 10 == 0 && done.change <= 1e-9);
    let distance = done.u.iter().zip(solution(w, h)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // The error of the five-point formula itself, of order (pi / 23)^2.
    assert!(distance < 0.01, "{distance}");
}

#[test]
fn planes_without_an_inside_do_not_move() {
    for (w, h) in [(1, 1), (2, 2), (5, 1), (1, 5), (2, 9)] {
        let u = start(w, h);
        let done = jacobi(u.clone(), w, 7, 3, 0.0);
        assert_eq!((done.u, done.steps), (u, 3));
    }
}

#[test]
fn a_fixed_number_of_steps_is_all_done() {
    assert_eq!(jacobi(start(9, 9), 9, 12, 0, 1.0).steps, 12);
    assert_eq!(jacobi(start(9, 9), 9, 0, 0, 1.0).steps, 0);
}
