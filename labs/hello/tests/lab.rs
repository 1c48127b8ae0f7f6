//! All tests of the lab's programs and kernels, in a single test program, which is linked only once.
mod findings;
mod handout;
mod lines;
mod maps;
mod mutants;
mod runs;
