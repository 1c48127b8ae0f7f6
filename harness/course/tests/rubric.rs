//! A rubric's mistakes are reported with the nearest valid word.
use course::assignment::rubric::Rubric;

const RUBRIC: &str = include_str!("../../../labs/vecadd/assignment/rubric.toml");

/// The mistakes in vecadd's rubric after this change.
fn mistakes(old: &str, new: &str) -> String {
    assert!(RUBRIC.contains(old), "{old}");
    Rubric::read(&RUBRIC.replacen(old, new, 1), &vecadd::LAB).unwrap_err().join("\n")
}

#[test]
fn the_labs_own_rubric_fits_and_a_speed_counts_only_where_it_is_measured() {
    let rubric = Rubric::read(RUBRIC, &vecadd::LAB).unwrap();
    assert_eq!(rubric.points(), 100.0);
    let speed = "[part.speed]\npoints = 9\nof = \"ceiling\"\nfraction = 0.8\n\n[[part]]\nname = \"stride\"";
    let with = RUBRIC.replacen("[[part]]\nname = \"stride\"", speed, 1);
    assert_eq!(Rubric::read(&with, &vecadd::LAB).unwrap().points(), 100.0);
}

#[test]
fn an_instruction_is_asked_for_of_kernels_that_are_there() {
    let end = "words = \"neighbouring threads read neighbouring elements: each sector of 32 bytes is read once\"\n";
    let asked = |name: &str, kernels: &str, points: &str| {
        let keys = format!("points = {points}\nname = \"{name}\"\nkernels = [{kernels}]\nwords = \"w\"\n");
        format!("{end}\n[[part.instruction]]\n{keys}")
    };
    let right = RUBRIC.replacen(end, &asked("ld.global", "\"vecadd\"", "5"), 1);
    assert_eq!(Rubric::read(&right, &vecadd::LAB).unwrap().points(), 105.0);
    for (name, kernels, points, words) in [
        ("ld.global", "\"vecad\"", "5", "instruction `ld.global`: no kernel `vecad`; did you mean `vecadd`"),
        ("ld.global", "", "5", "kernels = [] names none"),
        ("ld..global", "\"vecadd\"", "5", "not the name of an instruction"),
        ("", "\"vecadd\"", "5", "not the name of an instruction"),
        ("ld", "\"vecadd\"", "-5", "points must not be negative"),
    ] {
        let told = mistakes(end, &asked(name, kernels, points));
        assert!(told.contains(words), "{name} {kernels}: {told}");
    }
}

#[test]
fn an_unknown_word_is_told_the_nearest() {
    for (old, new, words) in [
        ("clean = 10", "claen = 10", "did you mean `clean`"),
        ("at_most =", "atmost =", "did you mean `at_most`"),
        ("hidden = 2", "hiden = 2", "did you mean `hidden`"),
        ("[\"pageable\"]", "[\"pagable\"]", "did you mean `pageable`"),
        ("\"global_load_sectors\"", "\"global_load_sector\"", "did you mean `global_load_sectors`"),
        ("* global_load_ideal_sectors", "* global_load_ideal_sector", "did you mean `global_load_ideal_sectors`"),
        ("kernel = \"vecadd.cu\"", "kernel = \"vecad.cu\"", "did you mean `vecadd.cu`"),
        ("name = \"stride\"", "name = \"strides\"", "marks no part `strides`; did you mean `stride`?"),
        ("name = \"stride\"", "name = \"add\"", "two parts called `add`"),
        ("right = 20", "right = -1", "points must not be negative"),
        ("visible = [1,", "visible = [0,", "a size must be at least 1"),
        ("hidden = 2", "hidden = 20000", "sizes.hidden: 100 at most"),
    ] {
        let told = mistakes(old, new);
        assert!(told.contains(words), "{new}: {told}");
    }
}
