//! Divergence.
pub mod counting;
pub static LAB: harness::Lab = harness::Lab{name:"divergence",summary:"",kernels:&[],variants:&[],columns:&[],args:harness::no_args,run:|_|Ok(()),exercises:None};
