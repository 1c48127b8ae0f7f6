//! Every lab, in the order of the handouts.
use std::path::Path;

use clap::ArgMatches;
use course::student::folder::{COURSE, Folder};
use harness::{Error, Expect, Lab, suggest};

/// The labs in `warplab`. To add one, add a line here and in this package's dependencies.
pub static LABS: &[&Lab] = &[
    &hello::LAB,
    &returning::LAB,
    &vecadd::LAB,
    &trapezoid::LAB,
    &divergence::LAB,
    &histogram::LAB,
    &reduction::LAB,
    &scan::LAB,
    &stencil::LAB,
    &convolution::LAB,
    &matmul::LAB,
    &occupancy::LAB,
    &transpose::LAB,
    &sort::LAB,
    &sparse::LAB,
    &bughunt::LAB,
];

/// The lab of this name.
pub fn find(name: &str) -> Option<&'static Lab> {
    LABS.iter().copied().find(|l| l.name == name)
}

/// The names of all labs.
pub fn names() -> Vec<&'static str> {
    LABS.iter().map(|l| l.name).collect()
}

/// The lab given by the argument `lab`.
pub fn named(matches: &ArgMatches) -> Result<&'static Lab, Error> {
    known(matches.get_one::<String>("lab").expect("required"))
}

/// The lab of this name, or an error that lists the labs.
pub fn known(name: &str) -> Result<&'static Lab, Error> {
    find(name).ok_or_else(|| Error::usage(format!("no lab `{name}`; {}", suggest::among(name, &names()))))
}

/// The variants of a lab that are to be right, or to be corrected.
pub fn judged_variants(lab: &'static Lab) -> Vec<&'static str> {
    let is_right = |expect| matches!(expect, Expect::Right | Expect::Planted(_));
    lab.variants().iter().filter(|variant| is_right(variant.expect)).map(|variant| variant.name).collect()
}

/// The variant of this name among those that are to be right, or an error that lists them.
pub fn judged_variant(lab: &'static Lab, name: &str) -> Result<&'static str, Error> {
    let right = judged_variants(lab);
    right.iter().copied().find(|known| *known == name).ok_or_else(|| {
        let why = if lab.variants().iter().any(|variant| variant.name == name) {
            format!("variant `{name}` of {} is wrong on purpose", lab.name)
        } else {
            format!("no variant `{name}` in {}", lab.name)
        };
        Error::usage(format!("{why}; {}", suggest::among(name, &right)))
    })
}

/// Warns a user who runs a lab in its student's folder that these are not the student's own kernels.
pub fn tell_whose_kernels(chosen: &[&Lab]) {
    let Ok(Folder { lab, kernel }) = Folder::read(Path::new(".")) else { return };
    if chosen.iter().any(|one| one.name == lab) {
        let words = format!(
            "These are the lab's own kernels. Yours are run by `warplab run {lab} --kernel {kernel}`, and `warplab \
             check` judges them."
        );
        harness::print_error(&words);
    }
}

/// The lab of a student's folder.
pub fn of_folder(read: &Folder, folder: &Path) -> Result<&'static Lab, Error> {
    let name = &read.lab;
    find(name).ok_or_else(|| {
        let known = suggest::among(name, &names());
        Error::usage(format!("{}: no lab `{name}`; {known}", folder.join(COURSE).display()))
    })
}
