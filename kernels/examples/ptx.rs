//! Regenerates or checks the committed PTX of kernel folders without building any lab: `cargo run -p kernels --example
//! ptx -- [--check] labs/vecadd/kernels ...`, from the workspace's root.
use std::{path::Path, process::ExitCode};

use kernels::Outcome;

fn main() -> ExitCode {
    let (flags, folders): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let check = flags.iter().any(|f| f == "--check");
    let mut good = true;
    let mut work = || -> Result<(), kernels::Error> {
        let nvrtc = kernels::nvrtc()?;
        for folder in &folders {
            for source in kernels::sources_in(Path::new(folder), Path::new(""))? {
                let outcome = match nvrtc {
                    _ if check => kernels::check(nvrtc, &source)?,
                    Some(nvrtc) => kernels::generate(nvrtc, &source, Path::new(source.path.as_ref()))?,
                    None => {
                        return Err(kernels::Error::NoCompiler { file: source.path.to_string() });
                    }
                };
                good &= !matches!(outcome, Outcome::Stale(_));
                println!("{}: {outcome:?}", source.path);
            }
        }
        Ok(())
    };
    if let Err(error) = work() {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    if good { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
