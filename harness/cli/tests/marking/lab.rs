//! A lab's assignment, as far as the tests of marks need it.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A lab with an assignment.
pub struct Lab {
    pub name: String,
    pub folder: PathBuf,
    /// The name of the kernel file.
    pub kernel: String,
    /// Its kernels with all points.
    pub right: String,
    /// The sizes that a student knows.
    pub sizes: Vec<i64>,
    /// The number of hidden sizes.
    pub hidden: i64,
    rubric: String,
}

impl Lab {
    /// All labs.
    pub fn all() -> Vec<Self> {
        let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
        let folders = fs::read_dir(labs).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<Self> = folders.filter(|f| f.join("assignment").is_dir()).map(Self::from_folder).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(all.len() > 1, "the labs were not found");
        all
    }

    /// One of them.
    pub fn named(name: &str) -> Self {
        Self::from_folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs").join(name))
    }

    fn from_folder(folder: PathBuf) -> Self {
        let text = fs::read_to_string(folder.join("assignment/rubric.toml")).unwrap();
        let rubric: toml::Table = text.parse().unwrap();
        let kernel = rubric["kernel"].as_str().unwrap().to_string();
        let own = fs::read_to_string(folder.join("kernels").join(&kernel)).unwrap();
        // The lab's own kernels contain the planted mistakes.
        let fixed = fs::read_to_string(folder.join("tests/fixed").join(&kernel));
        let sizes = rubric["sizes"]["visible"].as_array().unwrap();
        Self {
            name: folder.file_name().unwrap().to_str().unwrap().into(),
            right: fixed.unwrap_or(own),
            sizes: sizes.iter().filter_map(toml::Value::as_integer).collect(),
            hidden: rubric["sizes"]["hidden"].as_integer().unwrap(),
            folder,
            kernel,
            rubric: text,
        }
    }

    /// The lab's rubric, of which `part` alone is left.
    pub fn rubric_of(&self, part: &str) -> String {
        let (head, parts) = self.rubric.split_once("\n[[part]]").unwrap();
        let is_meant = |text: &&str| text.starts_with(&format!("\nname = \"{part}\"\n"));
        let meant = parts.split("\n[[part]]").find(is_meant);
        format!("{head}\n[[part]]{}", meant.unwrap_or_else(|| panic!("{}: there is no part {part}", self.name)))
    }

    /// The lab's own kernels, in which each part that `others` has replaces the lab's own.
    pub fn with_parts(&self, others: &str) -> String {
        let (mut text, mut rest) = (self.right.clone(), others);
        let mut parts = 0;
        while let Some((_, part)) = rest.split_once("// [part ") {
            let (name, part) = part.split_once("]\n").expect("a marker ends its line");
            let (body, after) = part.split_once("// [end]").expect("a part has an end");
            let begin = text.find(&format!("// [part {name}] ")).unwrap_or_else(|| panic!("there is no part {name}"));
            let end = begin + text[begin..].find("// [end]").unwrap();
            text.replace_range(begin..end, body);
            rest = after;
            parts += 1;
        }
        assert!(parts > 0, "there is no part in {others}");
        let before = others.split("// [part ").next().unwrap();
        format!("{before}{text}")
    }
}
