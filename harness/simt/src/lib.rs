//! A SIMT machine.
pub mod exec;
pub mod finding;
pub mod isa;
pub mod lane;
pub mod memory;
pub mod profile;
pub mod program;
pub mod ptx;
pub mod counters;
pub mod machine;
/// The device's address space: its own files replace this module.
pub mod memory {
    /// Stands for it in signatures until then.
    #[derive(Debug)]
    pub struct Memory;
    impl Memory {
        /// Nothing to free.
        ///
        /// # Errors
        /// Never.
        pub fn free(&self, _: u64) -> Result<(), ()> {
            Ok(())
        }
    }
}
/// Profiles of parts: their own files replace this module.
pub mod profile {
    /// Stands for it in signatures until then.
    #[derive(Debug)]
    pub struct Profile;
}
