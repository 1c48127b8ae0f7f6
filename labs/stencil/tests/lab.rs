//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod cli;
mod findings;
mod handout;
mod mutants;
mod plans;
mod properties;
mod published;
mod reference;
