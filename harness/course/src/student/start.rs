//! The folder in which an assignment is solved.
use std::{fs, io, path::Path};

use harness::{Assignment, Error, Lab, Result};

use crate::assignment::{rubric::Rubric, starter::Starter};

/// Writes the folder of `lab`'s assignment, and says what is in it.
///
/// # Errors
/// [`Error::Usage`] when the folder is there and not empty, [`Error::Io`].
pub fn start(lab: &Lab, assignment: &Assignment, folder: &Path) -> Result<String> {
    let rubric = Rubric::read(assignment.rubric, lab).map_err(|mistakes| Error::usage(mistakes.join("\n")))?;
    let file = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    let starter = Starter::of(&file.cuda).map_err(Error::usage)?;
    let is_taken = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken {
        return Err(Error::usage(format!("{} is not empty: name a new folder", folder.display())));
    }
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let io = |source: io::Error| Error::Io { action: "write", path: path.clone(), source };
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(io)?;
        fs::write(&path, text).map_err(io)
    };
    write(&rubric.kernel, &starter.text)?;
    write("HANDOUT.md", assignment.handout)?;
    write("course.toml", assignment.rubric)?;
    for picture in assignment.pictures {
        write(picture.name, picture.svg)?;
    }
    Ok(format!("{}: write the parts marked TODO in {}", folder.display(), folder.join(&rubric.kernel).display()))
}
