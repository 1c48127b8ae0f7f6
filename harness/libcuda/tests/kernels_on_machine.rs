//! The kernels of `harness/simt/tests/pass` through the driver API: the same as the GPU's test, on the machine.

mod common;
mod kernels;

fn main() {
    common::library();
    let driver = kernels::opened().expect("the machine's driver is open");
    kernels::main(Ok(&driver))
}
