//! Marking a kernel file by a lab's rubric.
#![allow(dead_code, reason = "each test file uses its part")]
pub mod lab;

use std::{env, fs, path::Path};

use serde_json::Value;

use crate::common::warplab_with;
use lab::Lab;

/// Grades `text` as a submission to `lab`, with all that belongs to it in `folder`: by all of the lab's rubric, or by
/// one part of it.
pub fn marks(lab: &Lab, part: Option<&str>, folder: &Path, text: &str) -> Value {
    fs::create_dir_all(folder).unwrap();
    let (file, rubric, marks) = (folder.join(&lab.kernel), folder.join("rubric.toml"), folder.join("marks.json"));
    // An interrupted campaign leaves only whole files of marks.
    if !marks.exists() {
        fs::write(&file, text).unwrap();
        let [file, out] = [&file, &marks].map(|path| path.to_str().unwrap());
        let mut args =
            vec!["grade", &lab.name, file, "--format", "json", "--out", out, "--schedules", "2", "--seed", "7"];
        if let Some(part) = part {
            fs::write(&rubric, lab.rubric_of(part)).unwrap();
            args.extend(["--rubric", rubric.to_str().unwrap()]);
        }
        let run = warplab_with(&args, &[("WARPLAB_TRUST_PTX", "0")]);
        assert!([0, 4].contains(&run.code), "{file}: {run:?}");
    }
    let all: Value = serde_json::from_str(&fs::read_to_string(&marks).unwrap()).unwrap();
    all["submissions"][0].clone()
}

/// Whether this variable of the environment has `name`, or nothing.
pub fn is_chosen(variable: &str, name: &str) -> bool {
    let chosen = env::var(variable).unwrap_or_default();
    chosen.is_empty() || chosen.split(',').any(|one| one == name)
}
