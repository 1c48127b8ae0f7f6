//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod any_shape;
mod counts;
mod findings;
mod mutants;
mod reference;
mod refusals;
