//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod any_shape;
mod counts;
mod findings;
mod mutants;
mod reference;
mod refusals;
