//! The labs' assignments: each rubric fits its lab, and a student gets everything that the handout mentions, but no
//! solution. With NVRTC: the handed-out files compile, none of their parts is solved, and each part can be solved
//! alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{Run, warplab};
use course::assignment::{random_options::drawn, starter::HEAD};

/// A lab's assignment.
struct Assignment {
    lab: String,
    /// The lab's folder.
    folder: PathBuf,
    rubric: toml::Table,
}

/// The assignments of all labs.
fn assignments() -> Vec<Assignment> {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let folders = fs::read_dir(labs).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<Assignment> = folders.filter_map(Assignment::from_folder).collect();
    all.sort_by(|a, b| a.lab.cmp(&b.lab));
    assert!(all.len() > 1, "the labs were not found");
    all
}

impl Assignment {
    fn from_folder(folder: PathBuf) -> Option<Self> {
        let text = fs::read_to_string(folder.join("assignment/rubric.toml")).ok()?;
        let lab = folder.file_name()?.to_str()?.to_string();
        Some(Self { lab, rubric: text.parse().unwrap(), folder })
    }

    /// The name of its kernel file.
    fn kernel(&self) -> &str {
        self.rubric["kernel"].as_str().unwrap()
    }

    /// The lab's own kernel file.
    fn solution(&self) -> String {
        fs::read_to_string(self.folder.join("kernels").join(self.kernel())).unwrap()
    }

    fn parts(&self) -> impl Iterator<Item = &toml::Value> {
        self.rubric["part"].as_array().unwrap().iter()
    }

    /// Whether its kernels have planted mistakes for students to fix: then the file is handed out unchanged.
    fn is_hunt(&self) -> bool {
        self.folder.join("tests/fixed").is_dir()
    }

    /// The kernel file of a student who has solved only part `name`.
    fn with_one_part(&self, name: &str) -> String {
        if self.is_hunt() { self.with_one_mend(name) } else { with_one_part(&self.solution(), name) }
    }

    /// The lab's own kernel file, fixed by the diff in the teacher's key for part `name`.
    fn with_one_mend(&self, name: &str) -> String {
        let key = fs::read_to_string(self.folder.join("ANSWERS.md")).unwrap();
        let (_, answer) = key.split_once(&format!("## {name}\n")).unwrap();
        let (diff, _) = answer.split_once("```diff\n").unwrap().1.split_once("```").unwrap();
        let side = |drop: char| -> String {
            let kept = diff.lines().filter(|line| !line.starts_with(drop));
            kept.map(|line| line.get(1..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
        };
        let (own, mistake) = (self.solution(), side('+'));
        assert_eq!(own.matches(&mistake).count(), 1, "{name}: {diff}");
        own.replace(&mistake, &side('-'))
    }

    /// Runs `warplab start`.
    fn start(&self, folder: &Path) {
        let run = warplab(&["start", &self.lab, folder.to_str().unwrap()]);
        assert_eq!(run.code, 0, "{}: {run:?}", self.lab);
    }

    /// Runs the variants of a part with `file` in place of the lab's own kernels, at a size that distinguishes right
    /// from wrong.
    fn run(&self, part: &toml::Value, file: &Path) -> Run {
        let words = |key: &str| part.get(key).map_or_else(Vec::new, texts);
        let variants = words("variants").into_iter().flat_map(|variant| ["--variant".to_string(), variant]);
        let mut arguments: Vec<String> = ["run", &self.lab, "--quick", "--device", "emulated"].map(String::from).into();
        arguments.extend(["--check", "all", "--kernel", file.to_str().unwrap()].map(String::from));
        arguments.extend(variants.chain(drawn(&words("options"), 1)));
        // If only size 1 is visible, the launches are the same at every size.
        let sizes = self.rubric["sizes"]["visible"].as_array().unwrap().iter().filter_map(toml::Value::as_integer);
        if let Some(n) = sizes.filter(|n| (2..=1000).contains(n)).max() {
            arguments.extend(["-n".into(), n.to_string()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        warplab(&arguments)
    }
}

fn texts(list: &toml::Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_string()).collect()
}

fn name(part: &toml::Value) -> &str {
    part["name"].as_str().unwrap()
}

/// The file of a student who has solved one part: `solution` with only the regions of `part` between its markers.
fn with_one_part(solution: &str, part: &str) -> String {
    let (mut text, mut leaves_out) = (String::new(), false);
    for line in solution.lines() {
        let comment = line.trim_start().strip_prefix("// ").unwrap_or_default();
        if comment == "[not handed out]" || comment.starts_with("[part ") {
            leaves_out = !comment.starts_with(&format!("[part {part}] "));
        } else if comment == "[end]" {
            leaves_out = false;
        } else if !leaves_out {
            text += line;
            text.push('\n');
        }
    }
    text
}

#[test]
fn a_rubric_fits_its_lab_and_gives_100_points() {
    for assignment in assignments() {
        let file = assignment.folder.join("assignment/rubric.toml");
        let run = warplab(&["rubric", &assignment.lab, "--check", file.to_str().unwrap()]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.trim_end().ends_with(", 100 points in all"), "{}: {}", assignment.lab, run.stdout);
        let bare = warplab(&["rubric", &assignment.lab]).stdout;
        let parts: toml::Table = bare.parse().unwrap();
        assert!(parts["part"].as_array().unwrap().iter().all(|part| part.get("hints").is_none()), "{bare}");
        assert!(bare.contains("`warplab check --hint` gives one at a time"), "{bare}");
        let shown = warplab(&["rubric", &assignment.lab, "--hints"]).stdout;
        let expected = format!("lab = \"{}\"\n{}", assignment.lab, fs::read_to_string(file).unwrap());
        assert_eq!(shown.trim_end(), expected.trim_end());
    }
}

#[test]
fn every_part_says_what_it_wants_and_has_hints() {
    for assignment in assignments() {
        let markers = assignment.solution();
        for part in assignment.parts() {
            let name = name(part);
            let is_marked = markers.contains(&format!("// [part {name}] "));
            assert_ne!(is_marked, assignment.is_hunt(), "{}: markers of {name}", assignment.lab);
            let hints = part.get("hints").map_or_else(Vec::new, texts);
            assert!((2..=4).contains(&hints.len()), "{}: {name} has {} hints", assignment.lab, hints.len());
        }
    }
}

fn is_svg(link: &str) -> bool {
    Path::new(link).extension().is_some_and(|end| end == "svg")
}

#[test]
fn a_student_gets_the_handout_with_its_pictures_and_a_file_with_each_part_to_do() {
    for assignment in assignments() {
        let folder = tempfile::tempdir().unwrap();
        let lab = &assignment.lab;
        assignment.start(folder.path());
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();

        let handout = read("HANDOUT.md");
        assert!(!handout.contains("cargo run"), "{lab}: a student has no checkout");
        assert!(!handout.contains("labs/") && !handout.contains("(src/"), "{lab}: a student has no checkout");
        for file in handout.split(|c: char| c.is_whitespace() || "`()".contains(c)).filter(|w| w.starts_with("wrong/"))
        {
            assert!(!read(file).is_empty(), "{lab}: {file} is not handed out");
        }
        // A student who opens it must not find the solution.
        let course: toml::Table = read("course.toml").parse().unwrap();
        assert!(course["part"].as_array().unwrap().iter().all(|part| part.get("hints").is_none()), "{lab}");
        let pictures = handout.split("](").skip(1).filter_map(|link| link.split(')').next());
        for picture in pictures.filter(|link| is_svg(link) && !link.contains('/')) {
            let own = fs::read_to_string(assignment.folder.join(picture)).unwrap();
            assert_eq!(read(picture), own, "{lab}: {picture} is not what the handout shows");
        }
        let starter = read(assignment.kernel());
        let solution = assignment.solution();
        if assignment.is_hunt() {
            assert_eq!(starter, solution, "{lab}");
            continue;
        }
        assert!(starter.len() < solution.len(), "{lab}");
        for part in assignment.parts() {
            assert!(
                starter.contains(&format!("// TODO (exercise {}): ", name(part))),
                "{lab}: {} is not to do",
                name(part)
            );
        }
        let is_marker = |line: &&str| line.starts_with("// [") || line.contains("[part");
        let marker = starter.lines().map(str::trim_start).find(is_marker);
        assert!(marker.is_none(), "{lab}: a marker is handed out: {marker:?}");
    }
}

#[test]
fn the_head_of_a_file_with_parts_says_so() {
    for assignment in assignments().into_iter().filter(|assignment| !assignment.is_hunt()) {
        let solution = assignment.solution();
        let head: Vec<&str> = solution.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
        assert!(head.join(" ").contains(HEAD), "{}: {head:?}", assignment.kernel());
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn what_is_handed_out_compiles_and_no_part_of_it_is_solved_nvrtc() {
    for assignment in assignments() {
        let folder = tempfile::tempdir().unwrap();
        assignment.start(&folder.path().join("mine"));
        let file = folder.path().join("mine").join(assignment.kernel());
        for part in assignment.parts() {
            let run = assignment.run(part, &file);
            assert_eq!(run.code, 1, "{} {}: {run:?}", assignment.lab, name(part));
        }
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn each_part_can_be_solved_alone_nvrtc() {
    for assignment in assignments() {
        let folder = tempfile::tempdir().unwrap();
        for part in assignment.parts() {
            let file = folder.path().join(assignment.kernel());
            fs::write(&file, assignment.with_one_part(name(part))).unwrap();
            let run = assignment.run(part, &file);
            assert_eq!(run.code, 0, "{} {}: {run:?}", assignment.lab, name(part));
        }
    }
}
