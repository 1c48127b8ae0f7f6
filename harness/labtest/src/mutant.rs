//! Mutants: a lab's own kernel files with a planted mistake, which the lab's check must reject.
use std::{collections::BTreeMap, fs, path::Path};

use tempfile::TempDir;

use crate::{Lab, Ran, run_in};

/// A mistake in one of a lab's kernel files.
#[derive(Debug, Clone, Copy)]
pub struct Mutant<'m> {
    /// Its name in messages.
    pub name: &'m str,
    /// The kernel file, by its name in the lab's `kernels` folder.
    pub file: &'m str,
    /// What is edited in the file, or in the lab's headers.
    pub edits: &'m [Edit<'m>],
}

/// An edit: (function, old, new). `function` is where a function, kernel or variable begins, such as `void vecadd(`: a
/// text that occurs once in the kernel file and the lab's headers. The function ends at the first line that is `}`.
/// `old` occurs once in it, and `new` takes its place.
pub type Edit<'m> = (&'m str, &'m str, &'m str);

impl<'m> Mutant<'m> {
    /// The mutant `name` of the kernel file `file`.
    pub const fn new(name: &'m str, file: &'m str, edits: &'m [Edit<'m>]) -> Self {
        Self { name, file, edits }
    }
}

impl Lab {
    /// Runs the lab with the mutant in place of its own kernel file.
    ///
    /// # Panics
    /// When an edit does not fit the lab's files.
    pub fn run_mutant(&self, mutant: Mutant<'_>, arguments: &[&str]) -> Ran {
        let folder = TempDir::new().unwrap();
        for (name, text) in mutated(Path::new(self.folder), mutant) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        // The file's path is part of what is compiled. From inside its folder, it is the same each time, so that the
        // compiler's answer is kept.
        run_in(Some(folder.path()), "", self.program, &[&["--kernel", mutant.file][..], arguments].concat())
    }

    /// The lab must reject the mutant, with a row whose note contains `says`.
    ///
    /// # Panics
    /// When it does not, and when an edit does not fit the lab's files.
    pub fn rejects(&self, mutant: Mutant<'_>, arguments: &[&str], says: &str) -> Ran {
        let ran = self.run_mutant(mutant, arguments);
        ran.is_rejected(mutant.name, says);
        ran
    }

    /// The text of the mutant's kernel file.
    ///
    /// # Panics
    /// When an edit does not fit the lab's files.
    pub fn mutated(&self, mutant: Mutant<'_>) -> String {
        mutated(Path::new(self.folder), mutant).remove(mutant.file).unwrap()
    }
}

/// The mutant's kernel file and the headers of the lab in `lab`, by name.
fn mutated(lab: &Path, mutant: Mutant<'_>) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(lab.join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == mutant.file || path.extension().is_some_and(|extension| extension == "cuh") {
            files.insert(name.to_string(), fs::read_to_string(&path).unwrap());
        }
    }
    assert!(files.contains_key(mutant.file), "mutant {}: the lab has no kernels/{}", mutant.name, mutant.file);
    for edit in mutant.edits {
        let files = files.values_mut();
        apply(edit, files).unwrap_or_else(|wrong| panic!("mutant {}: {wrong}; fix its edit", mutant.name));
    }
    files
}

/// Applies the edit to the one text that has its function; what is wrong if it does not fit.
fn apply<'t>(edit: &Edit<'_>, texts: impl Iterator<Item = &'t mut String>) -> Result<(), String> {
    let once = |count: usize, text: &str, place: &str| match count {
        1 => Ok(()),
        _ => Err(format!("`{text}` occurs {count} times in {place}, not once")),
    };
    let &(function, old, new) = edit;
    let mut with: Vec<&mut String> = texts.filter(|text| text.contains(function)).collect();
    let count = with.iter().map(|text| text.matches(function).count()).sum();
    once(count, function, "the kernel file and its headers")?;
    let text = &mut *with[0];
    let begin = text.find(function).unwrap();
    let end = text[begin..].find("\n}\n").map_or(text.len(), |length| begin + length + 1);
    once(text[begin..end].matches(old).count(), old, &format!("`{function}`"))?;
    let edited = text[begin..end].replace(old, new);
    text.replace_range(begin..end, &edited);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "void a(int i) {\n    x[i] = 1;\n}\nvoid b(int i) {\n    x[i] = 1;\n    y[i] = 1;\n}\nint c;\n";

    fn edited(edit: Edit<'_>) -> Result<String, String> {
        let (mut file, mut header) = (FILE.to_string(), "void h() { z; }\n".to_string());
        apply(&edit, [&mut file, &mut header].into_iter())?;
        Ok(file + &header)
    }

    #[test]
    fn an_edit_changes_one_place_of_one_function() {
        let whole = |old: &str, new: &str| Ok(FILE.replace(old, new) + "void h() { z; }\n");
        assert_eq!(edited(("void a(", "= 1", "= 2")), whole("{\n    x[i] = 1;\n}", "{\n    x[i] = 2;\n}"));
        assert_eq!(
            edited(("void b(", "    y[i] = 1;\n", "")),
            Ok(FILE.replace("    y[i] = 1;\n", "") + "void h() { z; }\n")
        );
        assert_eq!(edited(("int c", "c", "d")), whole("int c", "int d"));
        assert_eq!(edited(("void h(", "z", "")), Ok(format!("{FILE}void h() {{ ; }}\n")));
    }

    #[test]
    fn an_edit_that_does_not_fit_is_an_error() {
        for (edit, wrong) in [
            (("void e(", "x", "y"), "`void e(` occurs 0 times in the kernel file and its headers, not once"),
            (("void", "x", "y"), "`void` occurs 3 times in the kernel file and its headers, not once"),
            (("void a(", "y[i]", "y[0]"), "`y[i]` occurs 0 times in `void a(`, not once"),
            (("void b(", "= 1", "= 2"), "`= 1` occurs 2 times in `void b(`, not once"),
        ] {
            assert_eq!(edited(edit), Err(wrong.to_string()));
        }
    }

    #[test]
    #[should_panic(expected = "mutant off_by_one: `i <= n` occurs 0 times in `void k(`, not once; fix its edit")]
    fn the_message_names_the_mutant() {
        let lab = TempDir::new().unwrap();
        fs::create_dir(lab.path().join("kernels")).unwrap();
        fs::write(lab.path().join("kernels/k.cu"), "void k(int n) { i < n }\n").unwrap();
        mutated(lab.path(), Mutant::new("off_by_one", "k.cu", &[("void k(", "i <= n", "i < n")]));
    }
}
