//! The kernels of `harness/simt/tests/pass` on a GPU, if there is one: NVIDIA's driver must produce the values and
//! output in the machine's reports. Without a GPU, or if a kernel needs a newer one, a test is ignored with the reason.

mod kernels;

fn main() {
    let driver = kernels::nvidia();
    kernels::main(driver.as_ref().map_err(String::as_str))
}
