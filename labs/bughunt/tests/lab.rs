//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod findings;
mod fixed;
mod mutants;
mod reference;
