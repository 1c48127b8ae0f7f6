//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod any_size;
mod counts;
mod element;
mod findings;
mod handout;
mod mutants;
mod refusals;
