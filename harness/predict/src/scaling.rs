//! Counts at a size that was not emulated: a curve through those of two sizes, checked at a third.
//!
//! A count is a sum of two powers of n: 1 and n where the work is proportional to n, 1 and n^2 where n is the side of a
//! square, n^2 and n^3 for a product of matrices, whose blocks grow with n^2 and whose loops with n.

use std::fmt;

use serde_json::{Map, Value};

use crate::launch_profile::{LaunchProfile, Repeated};

/// The two powers of n whose sum a count is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Powers(pub i32, pub i32);

/// What the launches of a case were counted to do at one problem size.
#[derive(Clone, Debug)]
pub struct Counted<'l> {
    /// The problem size.
    pub n: f64,
    /// The launches of a sample.
    pub launches: &'l [Repeated],
}

/// Why the counts at another size do not follow from those at the counted sizes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotScaled {
    /// The sizes differ in the number of launches, or in what they launch.
    #[error("it launches other kernels at other sizes")]
    OtherLaunches,
    /// A count is not such a sum.
    #[error("its {field} do not grow as expected with n")]
    Field {
        /// The count.
        field: String,
    },
}

/// The fields that a launch has for each thread or block. They must be the same at all sizes.
const FIXED: [&str; 6] = ["threads", "resident", "shared_bytes", "local_bytes", "flushed", "fills"];

/// The fields that are shares of one block in a total: they fall as the number of blocks grows.
const SHARES: [&str; 3] = ["chain_longest", "busiest_issue", "busiest_memory"];

/// The fields that a launch with loops that wait for other blocks has at random: how often they look.
const POLLED: [&str; 3] = ["global_load_requests", "global_load_ideal_sectors", "request_passes"];

/// The largest deviation from the curve at the smallest size, as a fraction of the count.
const TOLERANCE: f64 = 0.2;

/// Deviations of less than this fraction of all launches' instructions are ignored: they cannot decide the time.
const NEGLIGIBLE: f64 = 0.05;

/// Returns the launches at size `n`: each count is on the curve through the counts of the two larger sizes.
///
/// # Errors
/// [`NotScaled`] if the smallest size is not on that curve, or if the sizes differ in their launches.
pub fn scaled(sizes: [Counted<'_>; 3], n: f64, powers: Powers) -> Result<Vec<Repeated>, NotScaled> {
    let [check, low, high] = sizes;
    if check.launches.len() != high.launches.len() || low.launches.len() != high.launches.len() {
        return Err(NotScaled::OtherLaunches);
    }
    let negligible = NEGLIGIBLE * check.launches.iter().map(instructions).sum::<f64>();
    let launch = |((check_one, low_one), high_one): ((&Repeated, &Repeated), &Repeated)| {
        if [check_one.count, low_one.count] != [high_one.count; 2] {
            return Err(NotScaled::OtherLaunches);
        }
        let curve = Curve::through((low.n, &low_one.profile), (high.n, &high_one.profile), powers)?;
        curve.check(check.n, &check_one.profile, negligible)?;
        Ok(Repeated { count: high_one.count, profile: curve.at(n) })
    };
    check.launches.iter().zip(low.launches).zip(high.launches).map(launch).collect()
}

/// The curves through the counts of a launch at two sizes.
struct Curve {
    powers: Powers,
    low: (f64, Map<String, Value>),
    high: (f64, Map<String, Value>),
}

impl Curve {
    fn through(low: (f64, &LaunchProfile), high: (f64, &LaunchProfile), powers: Powers) -> Result<Self, NotScaled> {
        let curve = Self { powers, low: (low.0, fields(low.1)), high: (high.0, fields(high.1)) };
        if same_launch(&curve.low.1, &curve.high.1) { Ok(curve) } else { Err(NotScaled::OtherLaunches) }
    }

    /// Returns the launch at size `n`.
    fn at(&self, n: f64) -> LaunchProfile {
        let mut fields = self.high.1.clone();
        for (name, value) in &mut fields {
            if let Some(count) = self.count(name, n) {
                *value = Value::from(count);
            }
        }
        serde_json::from_value(Value::Object(fields)).expect("the fields are those of a profile")
    }

    /// Returns one count at size `n`; `None` for the kernel's name.
    fn count(&self, name: &str, n: f64) -> Option<f64> {
        let (low, high) = (number(&self.low.1, name)?, number(&self.high.1, name)?);
        if SHARES.contains(&name) {
            let blocks = number(&self.high.1, "blocks")? / self.count("blocks", n)?.max(1.0);
            return Some((high * blocks).min(1.0));
        }
        if low == high {
            return Some(high);
        }
        // Divided by the first power, the sum is a straight line in the quotient of the two.
        let Powers(first, second) = self.powers;
        let (line, scale) = (|n: f64| n.powi(second - first), |n: f64| n.powi(first));
        let (from, to) = (low / scale(self.low.0), high / scale(self.high.0));
        let (start, end) = (line(self.low.0), line(self.high.0));
        let there = from + (to - from) * (line(n) - start) / (end - start);
        Some((there * scale(n)).max(0.0))
    }

    /// Checks that the counts of a launch at another size are on the curves, but for deviations that are `negligible`.
    fn check(&self, n: f64, known: &LaunchProfile, negligible: f64) -> Result<(), NotScaled> {
        let known = fields(known);
        if !same_launch(&known, &self.high.1) {
            return Err(NotScaled::OtherLaunches);
        }
        let waits = number(&known, "flag_loops").is_some_and(|loops| loops > 0.0);
        let is_ignored = |name: &str| SHARES.contains(&name) || (waits && POLLED.contains(&name));
        for name in known.keys().filter(|name| !is_ignored(name)) {
            let (Some(expected), Some(counted)) = (self.count(name, n), number(&known, name)) else {
                continue;
            };
            let far = (expected - counted).abs();
            if far > TOLERANCE * counted.abs() && far > negligible {
                return Err(NotScaled::Field { field: in_words(name) });
            }
        }
        Ok(())
    }
}

/// Returns the instructions of these equal launches together.
fn instructions(Repeated { count, profile: one }: &Repeated) -> f64 {
    let arithmetic = one.single + one.integer + one.product + one.double + one.special + one.tensor;
    *count as f64 * (arithmetic + one.memory + one.exchange + one.control)
}

/// Whether two launches are of the same kernel with the same block, so that only the grid and the counts differ.
fn same_launch(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a.get("kernel") == b.get("kernel") && FIXED.iter().all(|name| a.get(*name) == b.get(*name))
}

/// Returns what a field counts, in the plural.
fn in_words(field: &str) -> String {
    let words = field.replace('_', " ");
    match field {
        _ if field.starts_with("chain") || field.ends_with('s') => words,
        _ => format!("{words} instructions"),
    }
}

fn fields(profile: &LaunchProfile) -> Map<String, Value> {
    match serde_json::to_value(profile) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("a profile is a structure of numbers and a name"),
    }
}

fn number(fields: &Map<String, Value>, name: &str) -> Option<f64> {
    fields.get(name).and_then(Value::as_f64)
}

impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curve").field("low", &self.low.0).field("high", &self.high.0).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(n: f64, change: impl Fn(&mut LaunchProfile)) -> Repeated {
        let mut profile = LaunchProfile {
            kernel: "k".into(),
            threads: 256.0,
            resident: 8.0,
            blocks: n / 256.0,
            integer: 3.0 * n + 100.0,
            memory: n / 8.0,
            chain_longest: 256.0 / n,
            ..LaunchProfile::default()
        };
        change(&mut profile);
        Repeated { count: 1, profile }
    }

    fn at(n: f64, sizes: [f64; 3], change: impl Fn(&mut LaunchProfile)) -> Result<LaunchProfile, NotScaled> {
        let launches = sizes.map(|n| [launch(n, &change)]);
        let counted = [0, 1, 2].map(|i| Counted { n: sizes[i], launches: &launches[i] });
        scaled(counted, n, Powers(0, 1)).map(|mut launches| launches.remove(0).profile)
    }

    const SIZES: [f64; 3] = [1024.0, 2048.0, 4096.0];

    #[test]
    fn counts_are_on_a_line_and_shares_fall_with_the_blocks() {
        let there = at(1048576.0, SIZES, |_| {}).unwrap();
        assert_eq!((there.blocks, there.integer, there.memory), (4096.0, 3145828.0, 131072.0));
        assert!((there.chain_longest - 1.0 / 4096.0).abs() < 1e-9, "{}", there.chain_longest);
        assert_eq!((there.threads, there.kernel.as_str()), (256.0, "k"));
    }

    #[test]
    fn what_does_not_grow_as_expected_is_named() {
        let square = at(1e6, SIZES, |p| p.integer = p.blocks * p.blocks * 1000.0).unwrap_err();
        assert_eq!(square.to_string(), "its integer instructions do not grow as expected with n");
        // A count that cannot decide the time may be anything.
        assert!(at(1e6, SIZES, |p| p.chain_fences = p.blocks * p.blocks % 7.0).is_ok());
    }

    #[test]
    fn a_product_of_matrices_has_blocks_by_the_square_and_loops_by_the_cube() {
        let launches = [128.0, 256.0, 512.0].map(|n: f64| {
            let profile = LaunchProfile {
                blocks: n * n / 256.0,
                single: n.powi(3) / 32.0,
                integer: n.powi(2) + n.powi(3) / 64.0,
                ..LaunchProfile::default()
            };
            [Repeated { count: 1, profile }]
        });
        let counted = [(0, 128.0), (1, 256.0), (2, 512.0)].map(|(i, n)| Counted { n, launches: &launches[i] });
        let there = scaled(counted.clone(), 4096.0, Powers(2, 3)).unwrap().remove(0).profile;
        assert_eq!(there.blocks, 65536.0);
        assert!((there.integer / (4096_f64.powi(2) + 4096_f64.powi(3) / 64.0) - 1.0).abs() < 1e-9);
        assert!(scaled(counted, 4096.0, Powers(0, 1)).is_err());
    }

    #[test]
    fn a_grid_that_does_not_grow_keeps_its_shares() {
        let uneven = |p: &mut LaunchProfile| (p.blocks, p.chain_longest) = (10.0, 0.1 + p.memory / 1e5);
        assert!((at(1e9, SIZES, uneven).unwrap().chain_longest - 0.10512).abs() < 1e-9);
    }

    #[test]
    fn other_launches_are_not_compared() {
        let grown = at(1e6, SIZES, |p| p.threads = if p.blocks > 4.0 { 512.0 } else { 256.0 });
        assert_eq!(grown.unwrap_err(), NotScaled::OtherLaunches);
        let (one, two) = (vec![launch(1024.0, |_| {})], vec![launch(2048.0, |_| {}), launch(2048.0, |_| {})]);
        let sizes = [(1024.0, &one), (1536.0, &one), (2048.0, &two)].map(|(n, launches)| Counted { n, launches });
        assert_eq!(scaled(sizes, 1e6, Powers(0, 1)).unwrap_err(), NotScaled::OtherLaunches);
    }
}
