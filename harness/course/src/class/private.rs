//! Removes paths of the grading computer from marks, since students read them.
use std::{env, path::Path};

use crate::judge::marks::marked::Marked;

/// Removes `folder` and temporary folders from all words of the marks.
pub fn without_folders(marked: &mut Marked, folder: &Path) {
    let temporary = env::temp_dir();
    let clean = |words: &mut String| *words = without(words, folder, &temporary);
    marked.fault.iter_mut().chain(&mut marked.warnings).chain(&mut marked.remarks).for_each(clean);
    for part in &mut marked.parts {
        part.unjudged.iter_mut().for_each(clean);
        for criterion in &mut part.criteria {
            clean(&mut criterion.words);
            clean(&mut criterion.raise);
            criterion.details.iter_mut().for_each(|detail| clean(&mut detail.text));
        }
    }
}

fn without(words: &str, folder: &Path, temporary: &Path) -> String {
    // The folder may lie in a temporary one.
    let folder = folder.display().to_string();
    let words =
        if folder.is_empty() || folder == "/" { words.into() } else { words.replace(&format!("{folder}/"), "") };
    let begin = format!("{}/.tmp", temporary.display());
    let mut pieces = words.split(begin.as_str());
    let mut clean = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        // Next come a few letters, the end of the folder's name, and a file's name.
        clean += piece.split_once('/').map_or(piece, |(_, file)| file);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_are_left() {
        let clean = |words| without(words, Path::new("/home/t/class"), Path::new("/var/tmp"));
        assert_eq!(
            clean("/var/tmp/.tmpAb12Cd/a.cu(1): error in \"/var/tmp/.tmpAb12Cd/a.cu\""),
            "a.cu(1): error in \"a.cu\""
        );
        assert_eq!(clean("/home/t/class/ada.zip is not a zip archive"), "ada.zip is not a zip archive");
        assert_eq!(clean("wrong at n = 3/4"), "wrong at n = 3/4");
    }
}
