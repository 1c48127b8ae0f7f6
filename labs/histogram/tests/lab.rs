//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod any_text;
mod findings;
mod handout;
mod launches;
mod mutants;
mod reference;
mod refusals;
