//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod calculator;
mod cli;
mod mutants;
mod reference;
mod units;
