//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod calculator;
mod cli;
mod mutants;
mod reference;
mod units;
