//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod counting;
mod findings;
mod machine;
mod mutants;
mod reference;
mod runs;
