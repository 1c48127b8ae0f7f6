//! The cache of compilation results, in the user's cache folder: one file for each compiler and each whole input,
//! CUDA's headers included. If the cache cannot be used, the kernel is compiled again.
use std::path::{Path, PathBuf};

use crate::{
    checked_cache,
    input::{Answer, Input},
};

/// The folder of compilation results in the cache folder.
pub const ANSWERS: &str = "answers";

/// Returns the cache folder: `WARPLAB_CACHE`, or the user's own (`~/.cache/warplab` on Linux).
pub fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("WARPLAB_CACHE") {
        return Some(folder.into());
    }
    Some(directories::ProjectDirs::from("", "", "warplab")?.cache_dir().to_path_buf())
}

/// Returns the result of `compiler` for `input`: from the cache in `folder`, or from `ask`, in which case it is stored
/// there. A damaged entry is replaced.
///
/// # Errors
/// Those of `ask`.
pub(crate) fn or_ask<E>(
    folder: Option<&Path>,
    compiler: &str,
    input: &Input,
    ask: impl FnOnce() -> Result<Answer, E>,
) -> Result<Answer, E> {
    let Some(folder) = folder.map(|folder| folder.join(ANSWERS)) else { return ask() };
    let file = folder.join(input.digest(compiler));
    if let Some(answer) = checked_cache::read(&file) {
        return Ok(answer);
    }
    let answer = ask()?;
    // If the folder is full or read-only, the next run compiles again.
    if !matches!(answer, Answer::Failed { .. }) {
        let _ = checked_cache::write(&file, &answer);
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, convert::Infallible, fs};

    use super::*;

    fn input(text: &str) -> Input {
        Input { name: "x.cu".into(), text: text.into(), headers: Vec::new(), options: Vec::new() }
    }

    fn compiled(ptx: &str) -> Answer {
        Answer::Compiled { ptx: ptx.into(), log: "a warning".into() }
    }

    /// Requests `input`, and returns the answer and the number of compilations.
    fn ask(folder: &Path, compiler: &str, input: &Input, answer: &Answer) -> (Answer, u32) {
        let asked = Cell::new(0);
        let given = or_ask(Some(folder), compiler, input, || {
            asked.set(asked.get() + 1);
            Ok::<_, Infallible>(answer.clone())
        });
        let Ok(given) = given;
        (given, asked.get())
    }

    #[test]
    fn an_answer_is_asked_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |compiler: &str, text: &str, answer: &Answer| ask(folder.path(), compiler, &input(text), answer);
        assert_eq!(ask("12.9", "a", &compiled("first")), (compiled("first"), 1));
        assert_eq!(ask("12.9", "a", &compiled("second")), (compiled("first"), 0));
        assert_eq!(ask("12.8", "a", &compiled("second")), (compiled("second"), 1));
        assert_eq!(ask("12.9", "b", &compiled("third")), (compiled("third"), 1));
        let rejected = Answer::Rejected { log: "x.cu(1): error".into() };
        assert_eq!(ask("12.9", "c", &rejected), (rejected.clone(), 1));
        assert_eq!(ask("12.9", "c", &compiled("fourth")), (rejected, 0));
        // The failure may be this computer's.
        let failed = Answer::Failed { call: "nvrtcCompileProgram".into(), reason: "out of memory".into() };
        assert_eq!(ask("12.9", "d", &failed), (failed, 1));
        assert_eq!(ask("12.9", "d", &compiled("fifth")), (compiled("fifth"), 1));
    }

    #[test]
    fn a_damaged_entry_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |answer: &Answer| ask(folder.path(), "12.9", &input("a"), answer);
        assert_eq!(ask(&compiled("mul")), (compiled("mul"), 1));
        let file = fs::read_dir(folder.path().join("answers")).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read_to_string(&file).unwrap();
        for damaged in
            [whole.replace("mul", "add"), whole[..whole.len() - 1].to_string(), String::new(), "\n".repeat(9)]
        {
            fs::write(&file, &damaged).unwrap();
            assert_eq!(ask(&compiled("mul")), (compiled("mul"), 1), "{damaged:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), whole);
            assert_eq!(ask(&compiled("mul")), (compiled("mul"), 0));
        }
    }
}
