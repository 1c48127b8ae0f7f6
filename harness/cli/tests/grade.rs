//! Grading: the labs' own kernels pass, their mutants do not. Most files have their PTX next to them, so no NVRTC
//! is needed.

use std::path::{Path, PathBuf};

use crate::common::{edited, fails, lab_file, warplab, warplab_with};

/// Grades `file` as `lab`'s without NVRTC; returns the exit status and the JSON.
fn grade(lab: &str, file: &Path, more: &[&str]) -> (i32, serde_json::Value) {
    grade_with(lab, file, more, &[("WARPLAB_NVRTC", "off")])
}

/// As [`grade`], with NVRTC.
fn grade_compiled(lab: &str, file: &Path, more: &[&str]) -> (i32, serde_json::Value) {
    grade_with(lab, file, more, &[])
}

fn grade_with(lab: &str, file: &Path, more: &[&str], variables: &[(&str, &str)]) -> (i32, serde_json::Value) {
    let args = [&["grade", lab, "--json", "--kernel", file.to_str().unwrap()], more];
    let run = warplab_with(&args.concat(), variables);
    let json = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    (run.code, json)
}

#[test]
fn a_labs_own_kernels_are_right() {
    let file = lab_file("vecadd", "kernels/vecadd.cu");
    let (code, json) = grade("vecadd", &file, &["--schedules", "3"]);
    assert_eq!((code, &json["passed"]), (0, &true.into()), "{json}");
    let variants = json["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 9);
    for variant in variants {
        assert_eq!(variant["verdict"], "right", "{variant}");
        assert_eq!(variant["sizes_run"], 5, "{variant}");
        let remarks = &variant["remarks"];
        assert_eq!(remarks[0], "counts as the lab's own kernel does, or better");
    }
}

/// A search asks Python for its packages. The result of a grading's search, found or not, is passed on to the processes
/// that it starts.
#[cfg(unix)]
#[test]
fn nvrtc_is_searched_for_once() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (python, asked) = (folder.path().join("python3"), folder.path().join("asked"));
    std::fs::write(&python, format!("#!/bin/sh\necho asked >> {}\n", asked.display())).unwrap();
    std::fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let file = lab_file("vecadd", "kernels/vecadd.cu");
    let args = ["grade", "vecadd", "--kernel", file.to_str().unwrap(), "-n", "33", "--variant", "pageable"];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", ""), ("PATH", &path)]);
    assert_eq!(run.code, 0, "{run:?}");
    // A compiler in another place is found before Python is asked.
    let asked = std::fs::read_to_string(asked).unwrap_or_default();
    assert!(asked.lines().count() <= 1, "Python was asked {} times", asked.lines().count());
}

/// A planted mistake is graded too: the lab's own file contains it, and a fixed file is right. The lab's own counters
/// are not a baseline for it.
#[test]
fn a_planted_mistake_must_be_mended() {
    for variant in ["bounds", "no-barrier", "wrong-launch", "leak"] {
        let more = ["--variant", variant, "--schedules", "2", "--seed", "1"];
        let (code, json) = grade("bughunt", &lab_file("bughunt", "kernels/bughunt.cu"), &more);
        assert_eq!((code, &json["variants"][0]["verdict"]), (1, &"wrong".into()), "{json}");
        let (code, json) = grade("bughunt", &lab_file("bughunt", "tests/fixed/bughunt.cu"), &more);
        let graded = &json["variants"][0];
        assert_eq!((code, &graded["verdict"]), (0, &"right".into()), "{json}");
        assert_eq!((&graded["sizes_run"], &graded["remarks"]), (&5.into(), &serde_json::json!([])), "{json}");
    }
}

#[test]
fn a_file_of_several_is_known_by_its_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let own = lab_file("trapezoid", "kernels/trapezoid.cu");
    let file = folder.path().join("mine.cu");
    std::fs::copy(&own, &file).unwrap();
    std::fs::write(file.with_extension("ptx"), crate::common::ptx_for(&own, &file)).unwrap();
    let more = ["--variant", "shuffle", "--variant", "serial", "-n", "1000"];
    let (code, json) = grade("trapezoid", &file, &more);
    assert_eq!(code, 2, "the CPU's variant was named: {json}");
    let graded = json["variants"].as_array().unwrap();
    // The CPU's variant has no kernel in the file.
    assert_eq!(graded.len(), 1, "{json}");
    assert_eq!(graded[0]["variant"], "shuffle");
    assert_eq!(graded[0]["verdict"], "right");
}

/// The verdict on a variant, and the kernels of it that are missing.
fn of_variant(json: &serde_json::Value, variant: &str) -> (String, Vec<String>) {
    let graded = json["variants"].as_array().unwrap();
    let graded = graded.iter().find(|v| v["variant"] == variant);
    let graded = graded.unwrap_or_else(|| panic!("no {variant} in {json}"));
    let missing = graded["missing_kernels"].as_array().unwrap();
    let missing = missing.iter().map(|k| k.as_str().unwrap().to_string());
    let verdict = graded["verdict"].as_str().unwrap().to_string();
    (verdict, missing.collect())
}

#[test]
fn a_file_with_a_part_of_the_kernels_is_judged_by_those() {
    let folder = tempfile::tempdir().unwrap();
    // Each of these variants lacks one kernel, which need not be the first that the lab launches.
    for (lab, stem, missing, part, none, whole) in [
        (
            "histogram",
            "histogram",
            &["lanes_letters", "wide_bytes", "atomic_letters", "atomic_bytes"][..],
            &["lanes", "wide"][..],
            "atomic",
            "privatized",
        ),
        (
            "reduction",
            "reduction",
            &["vectorized_sum", "shuffle_sum", "sequential_sum", "sequential_max", "sequential_dot"],
            &["vectorized", "shuffle"],
            "sequential",
            "interleaved",
        ),
        ("divergence", "cost", &["apart_odd"], &[], "apart", "together"),
        ("stencil", "jacobi", &["several"], &[], "jacobi-blocked", "jacobi-sync"),
        ("stencil", "jacobi", &["persistent"], &[], "jacobi-persistent", "jacobi-graph"),
    ] {
        let renamed: Vec<String> = missing.iter().map(|name| format!("no_{name}")).collect();
        let changes = missing.iter().copied().zip(renamed.iter().map(String::as_str));
        let file = edited(folder.path(), lab, stem, &changes.collect::<Vec<_>>());
        let variants = part.iter().chain([&none, &whole]);
        let mut more: Vec<&str> = variants.flat_map(|v| ["--variant", v]).collect();
        more.extend(["-n", "1000", "--schedules", "1"]);
        let (code, json) = grade(lab, &file, &more);
        // One of the named variants is missing.
        assert_eq!((code, &json["passed"]), (2, &false.into()), "{lab}: {json}");
        for variant in part {
            let (verdict, lacks) = of_variant(&json, variant);
            assert_eq!((verdict.as_str(), lacks.len()), ("right", 1), "{variant}: {json}");
            assert!(missing.contains(&lacks[0].as_str()), "{variant}: {json}");
        }
        let (verdict, lacks) = of_variant(&json, none);
        assert_eq!(verdict, "missing", "{none}: {json}");
        assert!(lacks.iter().all(|k| missing.contains(&k.as_str())), "{none}: {json}");
        assert!(!lacks.is_empty(), "{none}: {json}");
        assert_eq!(of_variant(&json, whole), ("right".into(), vec![]), "{whole}: {json}");
        let named = |name: &&str| ["--variant", *name].map(str::to_owned);
        let there: Vec<String> = part.iter().chain([&whole]).flat_map(named).collect();
        let there: Vec<&str> = there.iter().map(String::as_str).chain(["-n", "1000", "--schedules", "1"]).collect();
        let (code, json) = grade(lab, &file, &there);
        assert_eq!((code, &json["passed"]), (0, &true.into()), "{lab}: {json}");
    }
}

/// A file like a lab's own, in which `old` is `new` at its first place after `function`, and which has only the kernel
/// `only` of the lab, or all of them. It is compiled.
fn mutant(folder: &Path, lab: &str, [function, old, new]: [&str; 3], only: Option<&str>) -> PathBuf {
    let own = kernels::KernelSource::read(&lab_file(lab, &format!("kernels/{lab}.cu")), "x.cu").unwrap();
    let (before, after) = own.cuda.split_once(function).unwrap();
    assert!(after.contains(old), "{lab}: no `{old}` after `{function}`");
    let mut text = format!("{before}{function}{}", after.replacen(old, new, 1));
    for kernel in own.kernels().into_iter().filter(|kernel| only.is_some_and(|only| only != *kernel)) {
        text = text.replace(&format!(" {kernel}("), &format!(" other_{kernel}("));
    }
    let file = folder.join(format!("{lab}.cu"));
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
#[ignore = "needs NVRTC"]
fn a_mutant_of_one_kernel_is_wrong_and_the_rest_is_missing_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let letters = ["struct Letters", "letter < 26", "letter < 28"];
    for (edit, only, wrong, lacks) in [
        (letters, "lanes_letters", "lanes", "lanes_bytes"),
        (["void read_ahead(", "i < n;", "i < n / 16 * 16;"], "wide_bytes", "wide", "wide_letters"),
        (["void privatized(", "Kind::bins, 1", "1, 1"], "privatized_letters", "privatized", "privatized_bytes"),
        (["void add_up(", "__syncthreads();", ""], "privatized_bytes", "privatized", "privatized_letters"),
        (["void atomic(", "i < n;", "i < n && blockIdx.x == 0;"], "atomic_bytes", "atomic", "atomic_letters"),
    ] {
        let file = mutant(folder.path(), "histogram", edit, Some(only));
        let (code, json) = grade_compiled("histogram", &file, &["-n", "1001", "--schedules", "2"]);
        assert_eq!(code, 1, "{only}: {json}");
        for variant in json["variants"].as_array().unwrap() {
            let name = variant["variant"].as_str().unwrap();
            let (verdict, missing) = of_variant(&json, name);
            if name == wrong {
                assert!(["wrong", "finding"].contains(&verdict.as_str()), "{only}: {json}");
                assert_eq!(missing, [lacks], "{only}: {json}");
            } else {
                assert_eq!(verdict, "missing", "{only} {name}: {json}");
            }
        }
    }
    let file = mutant(folder.path(), "histogram", letters, Some("lanes_letters"));
    let run = warplab(&["grade", "histogram", "--kernel", file.to_str().unwrap(), "-n", "1000"]);
    for words in [
        "lanes: wrong\n  not in the file, and so not judged: lanes_bytes\n",
        "0 of 1 variants are right; 1 is in the file only in part; 6 are not in the file",
    ] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
}

#[test]
fn a_kernel_with_more_parameters_is_told_the_labs() {
    let folder = tempfile::tempdir().unwrap();
    let changes = [
        ("vecadd_param_3\n)", "vecadd_param_3,\n\t.param .u32 vecadd_param_4\n)"),
        ("float *z, unsigned long long n)", "float *z, unsigned long long n, int more)"),
    ];
    let file = edited(folder.path(), "vecadd", "vecadd", &changes);
    let (code, json) = grade("vecadd", &file, &["-n", "10"]);
    assert_eq!(code, 1, "{json}");
    for variant in json["variants"].as_array().unwrap() {
        assert_eq!(variant["verdict"], "wrong", "{variant}");
        let told = variant["failures"][0].as_str().unwrap();
        for words in [
            "takes 5 parameters of 8, 8, 8, 8 and 4 bytes",
            "the lab passes 4 parameters of 8, 8, 8 and 8 bytes",
            "void vecadd(const float *x, const float *y, float *z, unsigned long long n)",
        ] {
            assert!(told.contains(words), "no {words} in {told}");
        }
    }
}

#[test]
fn an_endless_kernel_is_found_soon() {
    let folder = tempfile::tempdir().unwrap();
    let endless = ("vecadd_param_3\n)\n{", "vecadd_param_3\n)\n{\n$L_again:\n\tbra.uni $L_again;");
    let file = edited(folder.path(), "vecadd", "vecadd", &[endless, ("// Vector", "// Endless vector")]);
    let more = ["-n", "33", "-n", "34", "--variant", "pageable"];
    let (code, json) = grade("vecadd", &file, &more);
    assert_eq!(code, 1, "{json}");
    let graded = &json["variants"][0];
    assert_eq!(graded["verdict"], "wrong", "{json}");
    let failed = graded["failures"][0].as_str().unwrap();
    assert!(failed.starts_with("n = 33: vecadd did not end: it was stopped after 20000000 warp ins"), "{failed}");
    assert!(failed.contains(", in a loop at ") && !failed.contains("CUDA_ERROR"), "{failed}");
    // One mistake, at any size.
    let findings = graded["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{json}");
    let text = findings[0].as_str().unwrap();
    assert!(text.contains("did not end within its budget of 20000000"), "{text}");
}

#[test]
fn a_kernel_that_changes_its_input_is_wrong_and_the_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let right = "\tst.global.f32 \t[%rd14], %f3;";
    // The answer is right, but the kernel writes the sum into an input too.
    for (input, address) in [("x", "%rd10"), ("y", "%rd12")] {
        let too = format!("{right}\n\tst.global.f32 \t[{address}], %f3;");
        let file =
            edited(folder.path(), "vecadd", "vecadd", &[(right, &too), ("// Vector", &format!("// {input} Vector"))]);
        for variant in ["pageable", "overlapped", "unified", "zero-copy"] {
            let (code, json) = grade("vecadd", &file, &["--variant", variant, "-n", "33"]);
            let words = format!("the kernel changed its input `{input}` at element 0, which it may only read");
            assert_eq!((code, &json["variants"][0]["verdict"]), (1, &"wrong".into()), "{variant}: {json}");
            assert!(json["variants"][0]["failures"].to_string().contains(&words), "{variant}: {json}");
        }
    }
}

/// A kernel of which warp 0 does not wait for the other warps' sums.
const MISSING_BARRIER: [&str; 3] = ["float block_reduce(", "__syncthreads();", ""];

#[test]
#[ignore = "needs NVRTC"]
fn mutants_are_rejected_and_told_why_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    for (lab, edit, variant, verdict) in [
        ("vecadd", ["void vecadd(", "z[i] = x[i]", "if (x[i] > 1e30f) z[i] = x[i]"], "pageable", "wrong"),
        ("vecadd", ["void vecadd(", "y[i]", "y[i + 1 < n ? i + 1 : i]"], "pageable", ""),
        ("reduction", MISSING_BARRIER, "shuffle", ""),
        ("reduction", ["void interleaved(", "if (t == 0)", "if (t == 1 && blockIdx.x > 0)"], "interleaved", "wrong"),
    ] {
        let file = mutant(folder.path(), lab, edit, None);
        let (code, json) = grade_compiled(lab, &file, &["--variant", variant]);
        assert_eq!(code, 1, "{lab} {edit:?}: {json}");
        let graded = &json["variants"][0];
        assert_ne!(graded["verdict"], "right", "{lab} {edit:?}: {json}");
        assert!(verdict.is_empty() || graded["verdict"] == verdict, "{json}");
        let told = [&graded["failures"], &graded["findings"]];
        let told: usize = told.iter().map(|t| t.as_array().unwrap().len()).sum();
        assert!(told > 0, "{lab} {edit:?}: {json}");
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn the_text_names_the_line_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let file = mutant(folder.path(), "reduction", MISSING_BARRIER, None);
    let run = warplab(&["grade", "reduction", "--variant", "shuffle", "--kernel", file.to_str().unwrap()]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in ["Race reported", "reduction.cu:", "__syncthreads()", "0 of 1 variants are right"] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
}

#[test]
fn what_cannot_be_graded_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "extern \"C\" __global__ void nothing() {}\n").unwrap();
    fails(&["grade", "vecad", "--kernel", path], 2, &["did you mean `vecadd`?"]);
    fails(&["grade", "vecadd", "--kernel", "no.cu"], 2, &["cannot read the kernel file no.cu"]);
    fails(&["grade", "vecadd"], 2, &["--kernel"]);
    let too_large = ["2^31 is too large: the most is 10000"];
    fails(&["grade", "vecadd", "--kernel", path, "--schedules", "2^31"], 2, &too_large);
    fails(&["class", "vecadd", ".", "--out", "out", "--schedules", "2^31"], 2, &too_large);
    fails(&["exec", "--schedules", "2^31", "true"], 2, &too_large);
    fails(&["grade", "vecadd", "--kernel", path, "--limit-seconds", "2^62"], 2, &["the most is 31536000"]);
    fails(&["grade", "trapezoid", "--kernel", path], 2, &["holds no kernel of lab trapezoid", "trapezoid.cu"]);
    fails(
        &["grade", "trapezoid", "--kernel", path, "--variant", "race"],
        2,
        &["variant `race` of trapezoid is wrong on purpose"],
    );
    fails(
        &["grade", "vecadd", "--kernel", path, "--device", "cuda:0"],
        2,
        &["grade --kernel needs the emulated device"],
    );
    let run = warplab_with(&["grade", "occupancy", "--kernel", path], &[("WARPLAB_NVRTC", "off")]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("NVRTC was not found"), "{run:?}");
    assert!(warplab(&["grade", "--help"]).stdout.contains("Example:"));
}

/// The sizes of a grading.
fn sizes(json: &serde_json::Value) -> Vec<String> {
    json["n"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_string()).collect()
}

/// A kernel file of vecadd with these lines of PTX at the beginning of the kernel.
fn with_ptx(folder: &Path, lines: &str) -> PathBuf {
    let begin = "\tld.param.u64 \t%rd2, [vecadd_param_0];";
    let words = format!("// Vector, and {}", lines.len());
    edited(folder, "vecadd", "vecadd", &[(begin, &format!("{lines}{begin}")), ("// Vector", &words)])
}

/// Each change runs `a_rubric_fits_its_lab_and_gives_100_points`, which judges the files of all assignments.
#[test]
#[ignore = "long: `.ci/run nvrtc` has it"]
fn every_file_of_every_lab_is_right() {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let mut graded = 0;
    for lab in std::fs::read_dir(labs).unwrap().map(|lab| lab.unwrap().path()).filter(|lab| lab.is_dir()) {
        let files = std::fs::read_dir(lab.join("kernels")).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|kind| kind == "cu")) {
            let lab = lab.file_name().unwrap().to_str().unwrap();
            let name = file.file_name().unwrap().to_str().unwrap().to_string();
            // No graded variant uses these files: some are wrong on purpose, the others are for --trace.
            if ["wrong.cu", "trace.cu"].contains(&&*name) {
                let args = ["grade", lab, "-n", "33", "--schedules", "1", "--kernel", file.to_str().unwrap()];
                let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
                assert_eq!(run.code, 2, "{run:?}");
                assert!(run.stderr.contains("but no default variant that is expected to pass uses it"), "{run:?}");
                continue;
            }
            // The lab's own kernels have their mistakes; the file in which these are fixed is right.
            let file = if lab == "bughunt" { lab_file(lab, "tests/fixed/bughunt.cu") } else { file };
            let size: &[&str] = match (lab, &*name) {
                ("returning", _) => &[],                         // It takes no size.
                ("reduction", _) => &["-n", "64"],               // One of its variants takes powers of two only.
                ("matmul", "float_hopper.cu") => &["-n", "129"], // float_even.cu has the tile for smaller matrices.
                _ => &["-n", "33"],
            };
            // Some instructions exist only for one compute capability.
            let is_for_hopper = std::fs::read_to_string(&file).unwrap().contains("// target: compute_90");
            let device: &[&str] = if is_for_hopper { &["--device", "emulated:h200"] } else { &[] };
            let (code, json) = grade(lab, &file, &[&["--schedules", "1"], size, device].concat());
            assert_eq!((code, &json["passed"]), (0, &true.into()), "{}: {json}", file.display());
            for variant in json["variants"].as_array().unwrap() {
                assert_eq!(variant["verdict"], "right", "{}: {variant}", file.display());
                assert_eq!(variant["missing_kernels"].as_array().unwrap().len(), 0, "{variant}");
            }
            graded += 1;
        }
    }
    assert!(graded >= 19, "{graded} files");
}

#[test]
fn what_is_not_judged_earns_nothing() {
    let own = lab_file("vecadd", "kernels/vecadd.cu");
    let (code, json) = grade("vecadd", &own, &["--variant", "pageable", "-n", "33", "-n", "2^40"]);
    let graded = &json["variants"][0];
    assert_eq!((code, &graded["verdict"]), (4, &"cannot judge".into()), "{json}");
    assert_eq!((&graded["sizes_tried"], &graded["sizes_run"]), (&2.into(), &1.into()), "{json}");
    assert!(graded["not_judged"][0].as_str().unwrap().starts_with("n = 1099511627776: "), "{json}");
    // The device has room for the lab's own kernel, but not for this one's variable.
    let folder = tempfile::tempdir().unwrap();
    let entry = ".visible .entry vecadd(";
    let huge = format!(".visible .global .align 4 .b8 huge[990000000000];\n\n{entry}");
    let file = edited(folder.path(), "vecadd", "vecadd", &[(entry, &huge), ("// Vector", "// Huge vector")]);
    let (code, json) = grade("vecadd", &file, &["--variant", "pageable", "-n", "33"]);
    assert_eq!((code, &json["variants"][0]["verdict"]), (1, &"wrong".into()), "{json}");
}

#[test]
fn a_kernel_that_knows_the_usual_sizes_is_wrong_and_the_seed_repeats_it() {
    let folder = tempfile::tempdir().unwrap();
    // Right at these sizes, and no work at others.
    let known = [4096, 65536, 1, 33, 1000, 100];
    let known = known.map(|n| format!("\tsetp.eq.or.u64 \t%p1, %rd3, {n}, %p1;\n")).concat();
    let lines = format!(
        "\tld.param.u64 \t%rd3, [vecadd_param_3];\n\tsetp.eq.u64 \t%p1, %rd3, 0;\n{known}\t@!%p1 bra \t$L__BB0_2;\n"
    );
    let file = with_ptx(folder.path(), &lines);
    let file = file.to_str().unwrap();
    let run = |more: &[&str]| {
        let args = [&["grade", "vecadd", "--json", "--kernel", file, "--variant", "pageable"], more].concat();
        let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
        (run.code, serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap())
    };
    let (code, json) = run(&[]);
    assert_eq!((code, &json["variants"][0]["verdict"]), (1, &"wrong".into()), "{json}");
    let seed = json["seed"].as_u64().unwrap().to_string();
    let repeat = json["repeat"].as_str().unwrap();
    assert!(repeat.starts_with("warplab grade vecadd") && repeat.ends_with(&format!("--seed {seed}")), "{repeat}");
    let (code, again) = run(&["--seed", &seed]);
    assert_eq!((code, &again["variants"], &again["n"]), (1, &json["variants"], &json["n"]), "{again}");
    let other = (1..9).map(|seed| run(&["--seed", &seed.to_string()]).1).find(|other| sizes(other) != sizes(&json));
    assert!(other.is_some(), "the seed does not decide the sizes");
}

#[test]
fn what_the_machine_does_not_model_cannot_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_ptx(folder.path(), "\ttxq.channel_order.b32 \t%r1, [%rd1];\n");
    let (code, json) = grade("vecadd", &file, &["-n", "33"]);
    assert_eq!((code, &json["passed"]), (4, &false.into()), "{json}");
    for variant in json["variants"].as_array().unwrap() {
        assert_eq!(variant["verdict"], "cannot judge", "{variant}");
        assert!(variant["not_judged"][0].as_str().unwrap().contains("txq"), "{variant}");
    }
    let args = ["grade", "vecadd", "--kernel", file.to_str().unwrap(), "-n", "33"];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    assert!(run.stdout.contains("0 of 9 variants are right; 9 cannot be judged here"), "{}", run.stdout);
    // A plain run accepts it too.
    let out = folder.path().join("out");
    let args = ["run", "vecadd", "--device", "emulated", "--quick", "--variant", "pageable", "--out"];
    let args = [&args[..], &[out.to_str().unwrap(), "--kernel", file.to_str().unwrap()]].concat();
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stdout.contains("not judged: ") && run.stdout.contains("1 skip"), "{}", run.stdout);
}

#[test]
fn a_limit_that_is_exceeded_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let endless = with_ptx(folder.path(), "$L_again:\n\tbra.uni \t$L_again;\n");
    let args = ["grade", "vecadd", "--json", "--kernel", endless.to_str().unwrap(), "--variant", "pageable"];
    let limits = ["-n", "33", "--limit-seconds", "5"];
    let unlimited = [("WARPLAB_NVRTC", "off"), ("WARPLAB_BUDGET", "1000000000000")];
    let run = warplab_with(&[&args[..], &limits].concat(), &unlimited);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &json["variants"][0]["verdict"]), (1, &"wrong".into()), "{json}");
    assert_eq!(
        json["variants"][0]["failures"][0],
        "n = 33: its kernels had not ended after 5 s, and were stopped: an endless loop, or far too much work",
        "{json}"
    );
    // A limit below what the lab's own kernels need says nothing about the submission.
    let own = lab_file("vecadd", "kernels/vecadd.cu");
    let limits = ["--variant", "pageable", "-n", "33", "--limit-memory", "1M"];
    let (code, json) = grade("vecadd", &own, &limits);
    assert_eq!((code, &json["variants"][0]["verdict"]), (4, &"cannot judge".into()), "{json}");
    let told = json["variants"][0]["not_judged"][0].as_str().unwrap();
    assert!(told.contains("the lab's own kernels were stopped: more than 1 MiB of memory"), "{told}");
}

#[test]
#[ignore = "needs NVRTC"]
fn a_flood_of_output_is_stopped_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flood.cu");
    let text = std::fs::read_to_string(lab_file("vecadd", "kernels/vecadd.cu")).unwrap();
    let flood = "{\n    for (int i = 0; i < 2000; i++) printf(\"%d of a long line that nobody reads\\n\", i);";
    std::fs::write(&file, text.replacen('{', flood, 1)).unwrap();
    let args = ["grade", "vecadd", "--json", "--variant", "pageable", "-n", "33", "--limit-output", "64K", "--kernel"];
    let run = warplab_with(&[&args[..], &[file.to_str().unwrap()]].concat(), &[]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    assert_eq!(run.code, 1, "{json}");
    assert_eq!(json["variants"][0]["failures"][0], "n = 33: stopped: more than 64 KiB of output", "{json}");
}

#[test]
fn launch_bounds_that_the_launch_exceeds_are_the_kernels_fault() {
    let folder = tempfile::tempdir().unwrap();
    let bound = ("vecadd_param_3\n)\n{", "vecadd_param_3\n)\n.maxntid 32, 1, 1\n{");
    let file = edited(folder.path(), "vecadd", "vecadd", &[bound, ("// Vector", "// Bound vector")]);
    let (code, json) = grade("vecadd", &file, &["-n", "1000", "--variant", "pageable"]);
    let graded = &json["variants"][0];
    assert_eq!((code, &graded["verdict"]), (1, &"wrong".into()), "{json}");
    let text = graded["findings"][0].as_str().unwrap();
    assert!(text.contains("__launch_bounds__") && text.contains("= fault: the kernel's"), "{text}");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_compilers_warnings_are_shown_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("warned.cu");
    let text = std::fs::read_to_string(lab_file("vecadd", "kernels/vecadd.cu")).unwrap();
    let local = "__device__ int *local() {\n    int kept = 3;\n    return &kept;\n}\n\nextern \"C\"";
    std::fs::write(&file, text.replacen("extern \"C\"", local, 1)).unwrap();
    let file = file.to_str().unwrap();
    let grade = warplab(&["grade", "vecadd", "--variant", "pageable", "-n", "33", "--kernel", file]);
    let out = folder.path().join("out");
    let run = ["run", "vecadd", "--device", "emulated", "--variant", "pageable", "-n", "33", "--kernel", file, "--out"];
    let run = warplab(&[&run[..], &[out.to_str().unwrap()]].concat());
    for shown in [grade, run] {
        assert_eq!(shown.code, 0, "{shown:?}");
        let warns = shown.stdout.matches("returning pointer to local variable").count();
        assert_eq!(warns, 1, "{}", shown.stdout);
        assert!(shown.stdout.contains("The compiler warns (1):\n") && shown.stdout.contains("warned.cu("), "{shown:?}");
    }
}

/// The message of an assertion comes from the kernel: it cannot add lines, control the terminal, or give commands to
/// continuous integration.
#[test]
#[ignore = "needs NVRTC"]
fn what_a_kernel_says_cannot_leave_its_place_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    let text = "extern \"C\" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);\n\
                extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {\n    \
                __assertfail(\"a\\n9 of 9 variants are right\\n::error::b\\n````\\n# heading\\x1b[2J\\u202e\", \"f\", 1, \"k\", 1);\n}\n";
    std::fs::write(&file, text).unwrap();
    let args = ["grade", "vecadd", "--variant", "pageable", "-n", "33", "--kernel", file.to_str().unwrap()];
    let run = warplab(&args);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("9 of 9 variants are right"), "it is shown: {run:?}");
    assert!(!run.stdout.lines().any(|line| line.trim_start().starts_with("9 of 9")), "{run:?}");
    assert!(!run.stdout.lines().any(|line| line.trim_start().starts_with("::")), "{run:?}");
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{run:?}");
    let out = folder.path().join("run");
    let args = ["run", "vecadd", "--variant", "pageable", "--n", "33", "--device", "emulated", "--kernel"];
    warplab(&[&args[..], &[file.to_str().unwrap(), "--out", out.to_str().unwrap()]].concat());
    let report = warplab(&["report", out.to_str().unwrap(), "--md", "--out", "-"]);
    assert!(report.stdout.contains("9 of 9 variants are right"), "{report:?}");
    assert!(!report.stdout.lines().any(|line| line.trim_start().starts_with("# heading")), "{report:?}");
    assert!(!report.stdout.contains(['\u{1b}', '\u{202e}']), "{report:?}");
}

/// A file's name is chosen by its author.
#[cfg(unix)]
#[test]
fn the_name_of_a_file_steers_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "\u{1b}]0;title\u{7}\u{202e}\n::error::mine.cu";
    let file = folder.path().join(name);
    std::fs::write(&file, "extern \"C\" __global__ void nothing() {}\n").unwrap();
    let path = file.to_str().unwrap();
    for args in [
        &["grade", "vecadd", "--kernel", path][..],
        &["grade", "vecadd", path],
        &["run", "vecadd", "--kernel", path, "--device", "emulated", "--quick"],
        &["grade", "vecadd", "no.cu", path],
        &["report", path],
        &["rubric", "vecadd", "--check", path],
        &["check", path],
        &["exec", path],
        &["class", "vecadd", path, "--out", path],
    ] {
        let run = warplab_with(args, &[("WARPLAB_NVRTC", "off")]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{args:?}: {run:?}");
        assert!(!said.lines().any(|line| line.trim_start().starts_with("::")), "{args:?}: {run:?}");
    }
}
