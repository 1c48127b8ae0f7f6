//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod any_matrix;
mod findings;
mod forms;
mod market;
mod mutants;
mod reference;
mod refusals;
mod searches;
