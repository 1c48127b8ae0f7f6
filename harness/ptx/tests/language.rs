//! Tests of the language through its public interface, in a single test program, which is linked once.
mod characters;
mod fuzz;
mod golden;
mod print;
mod rules;
mod since;
