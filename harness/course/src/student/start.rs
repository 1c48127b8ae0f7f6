//! The folder in which an assignment is solved.
use std::path::Path;

use harness::{Assignment, Error, Lab, Result};
use kernels::KernelSource;

use super::{
    folder::{self, COURSE, Entry, Folder},
    handout,
};
use crate::assignment::{rubric::Rubric, starter::Starter};

/// The folder of the headers that the kernel file includes. They are not beside the file, where they would be taken for
/// the student's own.
const INCLUDE: &str = "include";

/// Writes the folder of `lab`'s assignment, and says what is in it.
///
/// # Errors
/// [`Error::Usage`] when the folder is there and not empty, [`Error::Io`]; nothing is written then.
pub fn start(lab: &Lab, assignment: &Assignment, folder: &Path) -> Result<String> {
    let rubric = Rubric::own(assignment, lab)?;
    let file = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    folder::write(folder, &entries(lab, assignment, &rubric, file)?)?;
    Ok(format!("{}: write the parts marked TODO in {}", folder.display(), folder.join(&rubric.kernel).display()))
}

/// All files of the folder.
fn entries(lab: &Lab, assignment: &Assignment, rubric: &Rubric, file: &KernelSource) -> Result<Vec<Entry>> {
    macro_rules! template {
        ($name:literal) => {
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/student/", $name))
        };
    }
    let starter = Starter::of(&file.cuda).map_err(Error::usage)?;
    let pictures: Vec<&str> = assignment.pictures.iter().map(|picture| picture.name).collect();
    let readme = template!("README.md")
        .replace("@TITLE@", &rubric.title)
        .replace("@KERNEL@", &rubric.kernel)
        .replace("@LAB@", lab.name);
    let entry = |path: &str, text: &str| Entry { path: path.into(), text: text.into() };
    let mut entries = vec![
        entry(&rubric.kernel, &starter.text),
        entry("HANDOUT.md", &handout::without_lost_links(assignment.handout, &pictures)),
        entry(COURSE, &Folder::course(lab.name, assignment.rubric)),
        entry("README.md", &readme),
        entry("compile_flags.txt", template!("compile_flags.txt")),
        entry(".clangd", template!("clangd.yaml")),
        entry(".gitignore", template!("gitignore")),
        entry(&format!("{INCLUDE}/cuda_words.h"), template!("cuda_words.h")),
    ];
    entries.extend(assignment.pictures.iter().map(|picture| entry(picture.name, picture.svg)));
    // The first is the kernel file itself.
    entries.extend(file.files().skip(1).map(|(path, text)| {
        let name = path.rsplit('/').next().unwrap_or(path);
        entry(&format!("{INCLUDE}/{name}"), text)
    }));
    Ok(entries)
}
