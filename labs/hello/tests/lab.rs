//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod findings;
mod handout;
mod lines;
mod maps;
mod mutants;
mod runs;
