//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod any_size;
mod findings;
mod handout;
mod mutants;
mod reference;
mod refusals;
