//! The effect of only the order of summation on a float sum, on the host.
use harness::{Case, Check, Input, Result, Row, Run, Tolerance, row};

use crate::{
    Op,
    experiment::set_result,
    reference::{self, reference},
};

pub(crate) static ROWS: [Row; 1] = [row("host-orders", "the host's sums in float: serial, by halves, compensated", ())];

/// The largest size of the host's float sums: a serial sum is slow, and 2^26 elements show the whole effect.
const MOST: usize = 1 << 26;

/// A row for each order of summing the first elements of `x`.
pub(crate) fn run(run: &Run, x: &Input<'_, f32>) -> Result<()> {
    if !run.wants(ROWS[0].name()) {
        return Ok(());
    }
    let all = x.host();
    let x = &all[..all.len().min(MOST)];
    let n = x.len();
    let reference = reference(Op::Sum, x, &[]);
    let order = |label: &str, sum: fn(&[f32]) -> f32, chain: usize| {
        run.case(Case::new(ROWS[0].name()).label(format!("sum, {label}")).n(n), |case| {
            let result = f64::from(sum(x));
            let bound = Tolerance::sum(chain, reference.magnitude, f64::from(f32::EPSILON));
            case.check(Check::scalar("sum", result, reference.value, bound));
            set_result(case, Op::Sum, result, reference, chain);
            if bound.absolute.is_infinite() {
                case.note("n roundings in a row bound nothing here: any sum passes");
            }
            Ok(())
        })
    };
    order("one after another", reference::serial, n.saturating_sub(1))?;
    order("by halves", reference::pairwise, n.next_power_of_two().ilog2() as usize)?;
    // Kahan's bound is 2u + O(n u^2) (Higham, section 4.3); the second term is the part that depends on n.
    order("compensated", reference::kahan, 4 + (n >> 20))?;
    Ok(())
}
