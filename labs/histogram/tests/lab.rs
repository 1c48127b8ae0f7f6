//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod any_text;
mod findings;
mod handout;
mod launches;
mod mutants;
mod reference;
mod refusals;
