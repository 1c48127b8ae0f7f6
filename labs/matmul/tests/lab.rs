//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod answer;
mod cli;
mod findings;
mod handout;
mod mutants;
mod plans;
mod properties;
mod reference;
