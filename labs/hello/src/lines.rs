//! The lines that the kernels should print, and the count of those that they did.
use std::collections::HashMap;

use crate::maps::{Dim3, coordinates, count, linear, warp_and_lane};

/// What came of the lines that a launch should print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines that begin as a hello does.
    pub printed: u64,
    /// Expected lines that were not printed.
    pub lost: u64,
    /// Printed lines that were not expected, or once too often.
    pub unexpected: u64,
    /// The first lost line.
    pub first_lost: Option<String>,
}

/// The lines of `variant` (`flat`, `blocks` or `grid3d`), one a thread, in no order that a device promises.
pub fn expected(variant: &str, grid: Dim3, block: Dim3) -> Vec<String> {
    let threads = count(block);
    (0..count(grid) * threads)
        .filter_map(|index| {
            let b = coordinates(index / threads, grid)?;
            let t = coordinates(index % threads, block)?;
            Some(match variant {
                "flat" => format!("Hello from thread {}!", t[0]),
                "blocks" => format!("Hello from thread {} in block {}!", t[0], b[0]),
                _ => {
                    let (warp, lane) = warp_and_lane(t, block);
                    let [[x, y, z], [bx, by, bz]] = [t, b];
                    format!(
                        "Hello from thread ({x},{y},{z}) in block ({bx},{by},{bz}): index {}, warp {warp}, lane {lane}",
                        linear(b, grid) * threads + linear(t, block)
                    )
                }
            })
        })
        .collect()
}

/// Counts the hellos of `text` against the `expected` lines; other lines are not the kernels'.
pub fn tally(text: &str, expected: Vec<String>) -> Tally {
    let mut tally = Tally::default();
    let mut seen: HashMap<&str, u64> = HashMap::new();
    for line in text.lines().filter(|l| l.starts_with("Hello from")) {
        *seen.entry(line).or_default() += 1;
        tally.printed += 1;
    }
    for line in expected {
        match seen.get_mut(line.as_str()) {
            Some(times) if *times > 0 => *times -= 1,
            _ => {
                tally.lost += 1;
                tally.first_lost.get_or_insert(line);
            }
        }
    }
    tally.unexpected = seen.values().sum();
    tally
}
