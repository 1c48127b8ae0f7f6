//! The marks of a small class: a hostile or broken submission does not affect the others, a killed run resumes, and a
//! teacher's decisions count.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use crate::common::{Run, fails, rows, warplab_with};
use tempfile::TempDir;

/// The PTX next to each kernel file is used.
const WITHOUT_NVRTC: (&str, &str) = ("WARPLAB_NVRTC", "off");

/// A name that a spreadsheet and a browser would misinterpret.
const HOSTILE: &str = "=1+cmd<script>";

fn of_vecadd(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd").join(path)
}

/// A class, and the folder that it is graded into.
struct Class(TempDir);

impl Class {
    /// The lab's own kernels under two names, an endless loop, kernels that are wrong or write nothing, and a file that
    /// is not an archive.
    fn of_six() -> Self {
        let class = Self::from_names(&["ada", HOSTILE]);
        let one = "void vecadd(const float *x, const float *y, float *z, unsigned long long n)";
        for (name, body, old, new) in [
            ("mutant", "int i = threadIdx.x; z[i] = x[i] - y[i];", "add.f32", "sub.f32"),
            ("starter", "", "st.global.f32", "// st.global.f32"),
        ] {
            class.write(name, &format!("extern \"C\" __global__ {one} {{ {body} }}\n"), old, new);
        }
        class.edit("endless", "$L_again:\n\tbra.uni \t$L_again;\n");
        fs::write(class.submission("broken.zip"), "no archive").unwrap();
        class
    }

    /// The lab's own kernels under these names.
    fn from_names(names: &[&str]) -> Self {
        let class = Self(tempfile::tempdir().unwrap());
        fs::create_dir(class.0.path().join("submissions")).unwrap();
        let own = of_vecadd("kernels/vecadd.cu");
        for name in names {
            fs::copy(&own, class.submission(&format!("{name}.cu"))).unwrap();
            fs::write(class.submission(&format!("{name}.ptx")), crate::common::ptx_for(&own, &own)).unwrap();
        }
        class
    }

    fn submission(&self, name: &str) -> PathBuf {
        self.0.path().join("submissions").join(name)
    }

    /// Inserts `lines` of PTX at the beginning of the kernel in the lab's own file.
    fn edit(&self, name: &str, lines: &str) {
        let begin = "\tld.param.u64 \t%rd2, [vecadd_param_0];";
        let own = fs::read_to_string(of_vecadd("kernels/vecadd.cu")).unwrap();
        self.write(name, &format!("{own}// {name}\n"), begin, &format!("{lines}{begin}"));
    }

    /// This text, with the PTX of the lab's own file, in which `new` is in place of `old`.
    fn write(&self, name: &str, cuda: &str, old: &str, new: &str) {
        let file = self.submission(&format!("{name}.cu"));
        fs::write(&file, cuda).unwrap();
        let ptx = crate::common::ptx_for(&of_vecadd("kernels/vecadd.cu"), &file);
        assert!(ptx.contains(old));
        fs::write(file.with_extension("ptx"), ptx.replace(old, new)).unwrap();
    }

    fn out(&self, file: &str) -> PathBuf {
        self.0.path().join("marks").join(file)
    }

    fn arguments(&self) -> Vec<String> {
        let text = |path: &Path| path.to_str().unwrap().to_string();
        let begin = ["class", "vecadd"].map(String::from).into_iter();
        begin.chain([text(&self.submission("")), "--out".into(), text(&self.out(""))]).collect()
    }

    fn grade(&self, more: &[&str]) -> Run {
        let arguments = self.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
        warplab_with(&arguments, &[WITHOUT_NVRTC])
    }

    /// The points and the remarks of each student, by id.
    fn marks(&self) -> BTreeMap<String, (String, String)> {
        let row = |row: &std::collections::HashMap<String, String>| {
            (row["id"].trim_start_matches('\'').to_string(), (row["points"].clone(), row["remarks"].clone()))
        };
        rows(&self.out("marks.csv")).iter().map(row).collect()
    }

    /// The modification time of each result.
    fn written(&self) -> BTreeMap<PathBuf, SystemTime> {
        let mut results = written(&self.out("results"));
        results.retain(|path, _| path.extension().is_some_and(|end| end == "json"));
        results
    }
}

/// The files of a folder, with their modification times. A file that is renamed meanwhile may be missing.
fn written(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.modified().unwrap()))).collect()
}

#[test]
fn the_labs_own_kernels_run_once_for_a_class_and_no_student_has_a_say_in_it() {
    let seed = ["--schedules", "2", "--seed", "11"];
    let class = Class::from_names(&["ada"]);
    assert_eq!(class.grade(&seed).code, 0);
    let first = written(&class.out("own"));
    assert!(!first.is_empty());
    // A later submission is compared with the cached results.
    for kind in ["cu", "ptx"] {
        fs::copy(class.submission(&format!("ada.{kind}")), class.submission(&format!("bob.{kind}"))).unwrap();
    }
    assert_eq!(class.grade(&[]).code, 0);
    assert_eq!(written(&class.out("own")), first);
    assert_eq!(class.marks()["bob"].0, "100");

    // Anyone with write access there could get any mark, for example by making it appear that the lab's own kernels do
    // not use the file.
    let forge = |folder: &Path| {
        fs::create_dir_all(folder).unwrap();
        for path in first.keys() {
            kernels::checked_cache::write(&folder.join(path.file_name().unwrap()), &"Elsewhere").unwrap();
        }
    };
    forge(&class.out("own"));
    class.grade(&["--regrade", "add"]);
    assert_ne!(class.marks()["ada"].0, "100", "what is forged is not what is read");
    // But results in a submission are ignored, and so are those in the cache of a student's own check.
    let other = Class::from_names(&["ada"]);
    let eve = other.submission("eve");
    for folder in ["", "own", ".warplab", ".warplab/own", "results", "cache/own"] {
        forge(&eve.join(folder));
    }
    for kind in ["cu", "ptx"] {
        fs::copy(other.submission(&format!("ada.{kind}")), eve.join(format!("vecadd.{kind}"))).unwrap();
    }
    let cache = eve.join("cache");
    let variables = [WITHOUT_NVRTC, ("WARPLAB_CACHE", cache.to_str().unwrap())];
    let run = warplab_with(&other.with(&seed), &variables);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!((other.marks()["ada"].0.as_str(), other.marks()["eve"].0.as_str()), ("100", "100"));
    let file = eve.join("vecadd.cu");
    let settings = ["--seed", "11", "--device", "emulated:a100", "--limit-seconds", "60"];
    let run = warplab_with(&[&["grade", "vecadd", file.to_str().unwrap()], &settings[..]].concat(), &variables);
    assert!(run.code == 0 && run.stdout.contains(" all          100  100"), "{run:?}");
}

#[test]
fn each_gets_the_marks_of_his_own_submission() {
    let class = Class::of_six();
    let run = class.grade(&["--schedules", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    let marks = class.marks();
    let points: Vec<(&str, &str)> = marks.iter().map(|(id, (points, _))| (id.as_str(), points.as_str())).collect();
    let expected =
        [(HOSTILE, "100"), ("ada", "100"), ("broken", "0"), ("endless", "40"), ("mutant", "0"), ("starter", "0")];
    assert_eq!(points, expected, "{marks:?}");
    assert!(marks["broken"].1.starts_with("broken.zip is not a zip archive"), "{marks:?}");
    let read = |file: &str| fs::read_to_string(class.out(file)).unwrap();
    assert!(read("marks.csv").contains(&format!("\n'{HOSTILE},")), "{}", read("marks.csv"));
    assert!(read("marks-canvas.csv").contains("Points Possible,,,,,100"), "{}", read("marks-canvas.csv"));

    // The pages show names as text, no student's page contains the seed, and the class's page contains no names.
    let settings: serde_json::Value = serde_json::from_str(&read("class.json")).unwrap();
    let seed = settings["seed"].to_string();
    let pages: Vec<PathBuf> = fs::read_dir(class.out("students")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(pages.len(), 12);
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        assert!(text.contains(" of 100") && !text.contains(&seed), "{text}");
        let html = page.extension().is_some_and(|end| end == "html");
        assert!(!html || !text.contains("<script"), "{text}");
    }
    assert!(read("students/endless.txt").contains("add: 0 of 60"), "{}", read("students/endless.txt"));
    let page = read("class.html");
    assert!(page.contains("6 of 6 submissions") && !page.contains("ada") && !page.contains("endless"), "{page}");
    assert!(page.contains("wrong at n = "), "{page}");
    let similar = read("similar.html");
    assert!(similar.contains("=1+cmd&lt;script&gt;; ada; endless; the lab's own kernels"), "{similar}");
}

#[test]
fn a_run_that_was_killed_goes_on_and_gives_the_same_marks() {
    let seed = ["--schedules", "2", "--seed", "11"];
    let (whole, killed) = (Class::of_six(), Class::of_six());
    assert_eq!(whole.grade(&seed).code, 0);
    let mut child = Command::new(env!("CARGO_BIN_EXE_warplab"))
        .args(killed.arguments())
        .args(seed)
        .env("WARPLAB_TRUST_PTX", "1")
        .env(WITHOUT_NVRTC.0, WITHOUT_NVRTC.1)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while killed.written().len() < 2 && began.elapsed() < Duration::from_secs(300) {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let first = killed.written();
    assert!((2..6).contains(&first.len()), "{first:?}");
    // The seed and the number of orders are stored by the first run.
    assert_eq!(killed.grade(&[]).code, 0);
    assert_eq!(killed.marks(), whole.marks());
    let second = killed.written();
    assert_eq!(second.len(), 6);
    let is_same = |(path, time): (&PathBuf, &SystemTime)| second.get(path) == Some(time);
    assert!(first.iter().all(is_same), "what was graded is not graded again: {first:?} {second:?}");
    fails(&killed.with(&["--seed", "12"]), 2, &["was begun with --seed 11", "--out"]);
}

/// A loop that prints uses memory and output without end. That costs its author the points, and is marked only once.
#[test]
fn a_limit_that_a_kernel_exceeds_is_its_own_wrong_answer() {
    let class = Class::from_names(&[]);
    class.edit("hostile", "$L_again:\n\tbra.uni \t$L_again;\n");
    let ptx = class.submission("hostile.ptx");
    let text = fs::read_to_string(&ptx).unwrap();
    let begin = "\tld.param.u64 \t%rd9, [vecadd_stride_param_0];";
    let entry = ".visible .entry vecadd(";
    assert!(text.contains(begin) && text.contains(entry), "{text}");
    let words = b"100 of 100 points\n\0".map(|byte| byte.to_string()).join(", ");
    let data = format!(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .align 1 .b8 words[19] = {{{words}}};\n{entry}"
    );
    let prints = "$L_print:\n\tmov.u64 %rd1, words;\n\tcvta.global.u64 %rd1, %rd1;\n\tmov.u64 %rd2, 0;\n\
                  \t{\n\t.param .b64 f;\n\tst.param.b64 [f], %rd1;\n\t.param .b64 a;\n\tst.param.b64 [a], %rd2;\n\
                  \t.param .b32 r;\n\tcall.uni (r), vprintf, (f, a);\n\t}\n\tbra.uni \t$L_print;\n";
    fs::write(&ptx, text.replace(begin, &format!("{prints}{begin}")).replace(entry, &data)).unwrap();
    let settings = ["--schedules", "2", "--limit-memory", "300M", "--limit-seconds", "6"];
    let run = class.grade(&settings);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(class.marks()["hostile"].0, "0");
    let page = fs::read_to_string(class.out("students/hostile.txt")).unwrap();
    // Each run is marked, and the run exceeds the limit, not the grading process.
    assert!(page.contains("add: 0 of 60") && page.contains("right (0 of 20): wrong at n = 1: "), "{page}");
    // Here even the grading process may not use a single byte.
    let greedy = Class::from_names(&["ada"]);
    let settings = ["--limit-memory", "1"];
    let run = greedy.grade(&settings);
    assert_eq!(run.code, 0, "{run:?}");
    let (points, why) = greedy.marks()["ada"].clone();
    assert!(points == "0" && why.starts_with("stopped: more than ") && why.contains(" of memory"), "{why}");
    let written = greedy.written();
    assert_eq!(greedy.grade(&settings).code, 0);
    assert_eq!(greedy.written(), written);
}

#[cfg(unix)]
#[test]
fn whoever_stops_a_run_is_told_how_to_go_on() {
    use std::io::{BufRead, BufReader, Read};

    let class = Class::from_names(&[]);
    class.edit("endless", "$L_again:\n\tbra.uni \t$L_again;\n");
    fs::write(class.submission("notes.txt"), "").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_warplab"))
        .args(class.arguments())
        .env("WARPLAB_TRUST_PTX", "1")
        .env(WITHOUT_NVRTC.0, WITHOUT_NVRTC.1)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("1 to grade\n") && stderr.read_line(&mut said).unwrap() > 0 {}
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert!(said.contains("notes.txt") && said.contains("stopped; run the same command to go on"), "{said}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

impl Class {
    fn with(&self, more: &[&str]) -> Vec<&'static str> {
        let words = self.arguments().into_iter().chain(more.iter().map(|word| (*word).to_string()));
        words.map(|word| &*word.leak()).collect()
    }
}

#[test]
fn what_a_teacher_decides_counts_and_nothing_is_graded_for_it() {
    let class = Class::from_names(&["ada", "bob"]);
    let late = SystemTime::UNIX_EPOCH + Duration::from_secs(1_777_700_000);
    fs::File::options().write(true).open(class.submission("bob.cu")).unwrap().set_modified(late).unwrap();
    let due = humantime(late - Duration::from_secs(25 * 60 * 60));
    assert_eq!(class.grade(&["--schedules", "2"]).code, 0);
    let written = class.written();

    fs::write(
        class.out("late.toml"),
        format!("due = {due}\npercent_per_day = 10\n[extensions]\nada = 2999-01-01T00:00:00Z\n"),
    )
    .unwrap();
    let by_hand = |part: &str, points: f64, reason: &str| {
        let text =
            format!("[[override]]\nstudent = \"ada\"\npart = \"{part}\"\npoints = {points}\nreason = \"{reason}\"\n");
        fs::write(class.out("overrides.toml"), text).unwrap();
    };
    by_hand("add", 50.0, "no <b>comments</b>");
    let run = class.grade(&[]);
    assert_eq!(run.code, 0, "{run:?}");
    let marks = class.marks();
    assert_eq!(marks["ada"], ("90".into(), "add set by hand: no <b>comments</b>".into()));
    assert_eq!(marks["bob"], ("80".into(), "2 days late: 20 % of the points are taken off".into()));
    assert_eq!(class.written(), written);
    assert!(run.stderr.contains("all 2 are graded already"), "{run:?}");
    let read = |file: &str| fs::read_to_string(class.out(file)).unwrap();
    let page = read("students/ada.html");
    assert!(page.contains("Set by hand: no &lt;b&gt;"), "{page}");
    assert!(read("students/bob.txt").contains("\nbob\n80 of 100 points\n\n100 points, 20 off for 2 days"), "{page}");
    let changes = read("changes.csv");
    assert!(
        changes.contains("\nada,all,100,90,add set by hand: no <b>comments</b>\nbob,all,100,80,2 days"),
        "{changes}"
    );
    for kind in ["cu", "ptx"] {
        fs::remove_file(class.submission(&format!("bob.{kind}"))).unwrap();
    }
    let run = class.grade(&[]);
    assert!(run.stdout.contains("  bob, all: 80 -> none (the submission is no longer there)\n"), "{run:?}");
    assert!(read("changes.csv").ends_with("\nbob,all,80,,the submission is no longer there\n"), "{run:?}");

    for (part, points, reason, words) in [
        ("ad", 50.0, "x", "did you mean `add`?"),
        ("add", 61.0, "x", "gives 0 to 60 points"),
        ("add", 50.0, " ", "the reason"),
    ] {
        by_hand(part, points, reason);
        fails(&class.with(&[]), 2, &["overrides.toml", words]);
    }
}

fn humantime(time: SystemTime) -> String {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    // 1 777 700 000 s are 2026-05-02T05:33:20Z.
    let after = seconds - 1_777_593_600;
    assert!(after < 2 * 86_400);
    let (day, rest) = (1 + after / 86_400, after % 86_400);
    format!("2026-05-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[test]
fn a_part_is_marked_anew_and_the_changes_are_listed() {
    let class = Class::from_names(&["ada", "bob"]);
    assert_eq!(class.grade(&["--schedules", "2"]).code, 0);
    // Simulates an earlier version that gave one of them a wrong mark.
    let result = class.out("results/ada.json");
    let mut record: serde_json::Value = serde_json::from_str(&fs::read_to_string(&result).unwrap()).unwrap();
    record["marked"]["parts"][0]["points"] = 7.into();
    record["marked"]["parts"][1]["points"] = 8.into();
    fs::write(&result, record.to_string()).unwrap();
    let run = class.grade(&["--regrade", "add"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("Changed:\n  ada, add: 7 -> 60\n"), "{}", run.stdout);
    let changes = fs::read_to_string(class.out("changes.csv")).unwrap();
    let expected = "id,part,before,after,reason\nada,add,7,60,graded again\nada,all,100,68,graded again";
    assert_eq!(changes.trim(), expected);
    let run = class.grade(&["--regrade", "add"]);
    assert!(run.stdout.contains("Marked again: add. No points have changed."), "{run:?}");
    // The other part is unchanged.
    assert_eq!(class.marks()["ada"].0, "68");

    // A rubric with a change in one part has that part marked again.
    let rubric = fs::read_to_string(class.out("rubric.toml")).unwrap();
    fs::write(class.out("rubric.toml"), rubric.replacen("right = 20", "right = 30", 1)).unwrap();
    let run = class.grade(&[]);
    assert!(run.stdout.contains("  ada, add: 60 -> 70\n  bob, add: 60 -> 70\n"), "{}", run.stdout);
    assert_eq!((class.marks()["ada"].0.as_str(), class.marks()["bob"].0.as_str()), ("78", "110"));
    fails(&class.with(&["--regrade", "ad"]), 2, &["there is no part `ad`; did you mean `add`?"]);
}
