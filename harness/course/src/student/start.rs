//! Creates the folder in which an assignment is solved.
use std::path::Path;

use harness::{Assignment, Example, Lab, Result};
use kernels::{GET_NVRTC, KernelSource};

use super::{
    folder::{self, COURSE, Entry},
    handout::{self, Moved},
};
use crate::assignment::rubric::Rubric;

/// What follows the lab's name in `course.toml`.
const NOTE: &str =
    "\n# Each [[part]] is an exercise, and each [[part.goal]] below it is what its counters must keep to.\n";

/// The folder of the headers that the kernel file includes. They are not next to the file, where they would be taken
/// for the student's own.
const INCLUDE: &str = "include";

/// The folder of the wrong kernel files that the handout has a student run, in the student's folder and in that of the
/// assignment.
const WRONG: &str = "wrong";

/// Writes the folder of `lab`'s assignment by `rubric`, whose source is `text`, and returns the instructions for it.
///
/// # Errors
/// [`harness::Error::Usage`] when the folder exists and is not empty, [`harness::Error::Io`]; nothing is written then.
pub fn start(lab: &'static Lab, assignment: &Assignment, rubric: &Rubric, text: &str, folder: &Path) -> Result<String> {
    let course = Rubric::own(assignment, lab)?.without_own_hints(&rubric.with_lab(text, lab)).replacen('\n', NOTE, 1);
    let file = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    let mut entries = entries(lab, assignment, rubric, file)?;
    entries.push(Entry { path: COURSE.into(), text: course });
    folder::write(folder, &entries)?;
    let mut said =
        format!("{}: solve the exercises marked TODO in {}", folder.display(), folder.join(&rubric.kernel).display());
    if kernels::nvrtc().is_ok_and(|nvrtc| nvrtc.is_none()) {
        said += &format!("\nNVRTC, the compiler, was not found. {GET_NVRTC}");
    }
    let there = if folder == Path::new(".") { String::new() } else { format!("cd {}; ", folder.display()) };
    Ok(format!("{said}\nNext: {there}warplab check"))
}

/// The files of the folder besides `course.toml`.
fn entries(lab: &Lab, assignment: &Assignment, rubric: &Rubric, file: &KernelSource) -> Result<Vec<Entry>> {
    macro_rules! template {
        ($name:literal) => {
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/student/", $name))
        };
    }
    let starter = rubric.starter(&file.cuda)?;
    let include = |path: &str| format!("{INCLUDE}/{}", path.rsplit('/').next().unwrap_or(path));
    // The first is the kernel file itself.
    let headers: Vec<(&str, &str)> = file.files().skip(1).collect();
    let mut moved: Vec<Moved> = headers.iter().map(|(path, _)| (in_kernels(path), include(path))).collect();
    moved.push((format!("labs/{}/kernels/{}", lab.name, rubric.kernel), rubric.kernel.clone()));
    moved.push((format!("kernels/{}", rubric.kernel), rubric.kernel.clone()));
    moved.extend(
        assignment
            .examples
            .iter()
            .map(|example| (format!("labs/{}/assignment/{WRONG}/{}", lab.name, example.name), example_path(example))),
    );
    let pictures: Vec<&str> = assignment.pictures.iter().map(|picture| picture.name).collect();
    let readme = template!("README.md")
        .replace("@TITLE@", &rubric.title)
        .replace("@KERNEL@", &rubric.kernel)
        .replace("@LAB@", lab.name);
    let entry = |path: &str, text: &str| Entry { path: path.into(), text: text.into() };
    let mut entries = vec![
        entry(&rubric.kernel, &starter.text),
        entry("HANDOUT.md", &handout::of_student(assignment.handout, &pictures, &moved)),
        entry("README.md", &readme),
        entry("compile_flags.txt", template!("compile_flags.txt")),
        entry(".clangd", template!("clangd.yaml")),
        entry(".gitignore", template!("gitignore")),
        entry(&format!("{INCLUDE}/cuda_words.h"), template!("cuda_words.h")),
    ];
    entries.extend(assignment.pictures.iter().map(|picture| entry(picture.name, picture.svg)));
    entries.extend(assignment.examples.iter().map(|example| entry(&example_path(example), example.cuda)));
    entries.extend(headers.iter().map(|(path, text)| entry(&include(path), text)));
    Ok(entries)
}

/// A header's path in handouts.
fn in_kernels(path: &str) -> String {
    format!("kernels/{}", path.rsplit('/').next().unwrap_or(path))
}

/// Where a wrong kernel file lies in the student's folder.
fn example_path(example: &Example) -> String {
    format!("{WRONG}/{}", example.name)
}
