//! All tests of the lab's programs and kernels, in one program, which is linked once.
mod any_size;
mod mutants;
mod runs;
mod units;
