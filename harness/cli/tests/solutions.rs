//! What students' solutions earn by a lab's rubric: right ones all points of the part that they solve, wrong ones half
//! at most. `solving/mod.rs` says how `labs/LAB/tests/solutions.cu` has them.
//!
//! CI marks some. All of them are a campaign before each release, which takes an hour on two cores. It can be stopped,
//! and goes on when it is started again with the same folder, which must be a new one where the program or a rubric has
//! changed; at its end it writes the table of `reports/robustness.md` there:
//! `WARPLAB_SOLUTIONS=FOLDER cargo test --release --test cheats -- --ignored --nocapture all_solutions`.
//! `WARPLAB_SOLUTIONS_LABS=hello,scan` chooses labs.
use std::{collections::HashSet, env, fs, path::Path, sync::Mutex, thread};

use crate::{
    marking::{is_chosen, lab::Lab, marks},
    solving::{Solution, Verdict},
};

/// The share of the part's points that `solution` has earned, and what is wrong with that.
fn graded(lab: &Lab, folder: &Path, solution: &Solution) -> (f64, Option<String>) {
    let name: String = solution.head.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let marked = marks(lab, Some(&solution.part), &folder.join(&lab.name).join(name), &solution.file(lab));
    let share = marked["points"].as_f64().unwrap() / marked["of"].as_f64().unwrap();
    let is_judged = marked["parts"][0]["unjudged"].is_null();
    let is_as_expected = match solution.verdict {
        Verdict::Right => share == 1.0,
        Verdict::Wrong => share <= 0.5,
        // Once these are marked as they should be, they are wrong and right ones.
        Verdict::Missed => share > 0.5,
        Verdict::Accused => share < 1.0,
    };
    let said = format!("{} {}: {:.0} % of {marked:#}", lab.name, solution.head, 100.0 * share);
    (share, (!is_as_expected || !is_judged).then_some(said))
}

#[test]
fn each_lab_has_solutions_that_fit_its_kernels() {
    for lab in Lab::all() {
        let all = Solution::all(&lab);
        let count = |verdict| all.iter().filter(|solution| solution.verdict == verdict).count();
        let (right, wrong) = (count(Verdict::Right), count(Verdict::Wrong));
        assert!(right >= 10 && wrong >= 20, "{}: {right} right ones, {wrong} wrong ones", lab.name);
        let heads: HashSet<&str> = all.iter().map(|solution| &*solution.head).collect();
        assert_eq!(heads.len(), all.len(), "{}: two solutions have one name", lab.name);
        for solution in &all {
            assert_ne!(solution.file(&lab), lab.right, "{}: {}", lab.name, solution.head);
            lab.rubric_of(&solution.part);
        }
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn right_solutions_have_all_points_and_wrong_ones_half_at_most_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for lab in [Lab::named("vecadd"), Lab::named("returning")] {
        let some = Solution::all(&lab).into_iter().step_by(4);
        failures.extend(some.filter_map(|solution| graded(&lab, folder.path(), &solution).1));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All of them, each with its verdict, on as many cores as there are.
fn graded_side_by_side(lab: &Lab, folder: &Path, all: Vec<Solution>) -> Vec<(Verdict, (f64, Option<String>))> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (left, done) = (Mutex::new(all.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some(solution) = next else { break };
                    let graded = graded(lab, folder, &solution);
                    done.lock().unwrap().push((solution.verdict, graded));
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// The row of the table for a lab, and what is not as expected.
fn row(lab: &Lab, folder: &Path) -> (String, Vec<String>) {
    let graded = graded_side_by_side(lab, folder, Solution::all(lab));
    let shares = |verdict| {
        let shares = graded.iter().filter(move |(of, _)| *of == verdict).map(|(_, (share, _))| 100.0 * share);
        shares.collect::<Vec<f64>>()
    };
    let [right, wrong] = [Verdict::Right, Verdict::Wrong].map(shares);
    let (least, most) = (right.iter().fold(100.0, |a, b| b.min(a)), wrong.iter().fold(0.0, |a, b| b.max(a)));
    let [missed, accused] = [Verdict::Missed, Verdict::Accused].map(|verdict| shares(verdict).len());
    let (name, right, wrong) = (&lab.name, right.len(), wrong.len());
    let row = format!("| {name} | {right} | {least:.0} % | {wrong} | {most:.0} % | {missed} | {accused} |\n");
    (row, graded.into_iter().filter_map(|(_, (_, failure))| failure).collect())
}

#[test]
#[ignore = "a campaign over all labs: see the head of this file"]
fn all_solutions_of_all_labs() {
    let folder = env::var_os("WARPLAB_SOLUTIONS").expect("WARPLAB_SOLUTIONS names a folder");
    let folder = Path::new(&folder);
    let mut table = "| lab | right | lowest mark | wrong | highest mark | missed | accused |\n\
                     | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_string();
    let mut failures = Vec::new();
    for lab in Lab::all().iter().filter(|lab| is_chosen("WARPLAB_SOLUTIONS_LABS", &lab.name)) {
        let (row, failed) = row(lab, folder);
        print!("{row}");
        table += &row;
        failures.extend(failed);
    }
    fs::write(folder.join("table.md"), table).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
