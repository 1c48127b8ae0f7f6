//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod findings;
mod mended;
mod mutants;
mod reference;
