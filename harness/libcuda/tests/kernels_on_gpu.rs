//! The kernels of `harness/simt/tests/pass` on a GPU, where there is one: NVIDIA's driver gives the values and prints
//! that the machine's reports show. Without a GPU, or if a kernel needs a newer one, a test is ignored and says why.

mod kernels;

fn main() {
    let driver = kernels::nvidia();
    kernels::main(driver.as_ref().map_err(String::as_str))
}
