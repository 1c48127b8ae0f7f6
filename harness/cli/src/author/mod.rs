//! For people who change warplab, in a checkout: new labs, their PTX, and checks of runs and of the documentation.
pub mod check_run;
mod checkout;
pub mod figures;
pub mod new_lab;
pub mod ptx;
