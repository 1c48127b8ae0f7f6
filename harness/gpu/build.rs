//! Makes the table of parts from the files in `parts`: a part is added by adding its file.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use part_file::PartFile;

#[path = "src/model.rs"]
mod model;
#[path = "src/part_file.rs"]
mod part_file;

fn main() {
    println!("cargo::rerun-if-changed=parts");
    println!("cargo::rerun-if-changed=build.rs");
    let mut parts: Vec<PartFile> = files("parts").iter().map(|path| read(path)).collect();
    parts.sort_by(|a, b| (a.compute_capability, &a.name).cmp(&(b.compute_capability, &b.name)));
    let literals: String = parts.iter().map(literal).collect();
    let table = format!("&[\n{literals}]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("parts.rs"), table).expect("OUT_DIR is writable");
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of parts can be listed");
    let paths = entries.map(|entry| entry.expect("the folder of parts can be listed").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect()
}

fn read(path: &Path) -> PartFile {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let part = PartFile::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    assert_eq!(stem, Some(&*part.name), "{}: the file has the part's name", path.display());
    part
}

/// Returns the part as a Rust expression.
fn literal(part: &PartFile) -> String {
    let figures = &part.figures;
    let (major, minor) = part.compute_capability;
    let numbers = lines(figures.numbers().map(|(name, value)| format!("        {name}: {value},")));
    let sources = lines(figures.sources().map(|(name, source)| format!("            ({name:?}, {source:?}),")));
    let model = part.constants.as_ref().map_or_else(
        || "None".into(),
        |constants| {
            let constants = constants.constants().map(|(name, constant)| {
                let (value, source) = (constant.value, &constant.source);
                format!("            {name}: Constant {{ value: {value:?}, source: Cow::Borrowed({source:?}) }},")
            });
            format!("Some(&Model {{\n{}        }})", lines(constants))
        },
    );
    format!(
        "    Part {{\n        name: {:?},\n        full_name: {:?},\n{numbers}        sources: &[\n{sources}        ],\n        \
         model: {model},\n        ..Part::of(architecture::find({major}, {minor}))\n    }},\n",
        part.name, part.full_name
    )
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| line + "\n").collect()
}
