//! Tests of plans. No device is needed.
use std::collections::HashSet;

use harness::DeviceChoice;

use super::*;

fn request() -> JudgeRequest {
    JudgeRequest {
        lab: &vecadd::LAB,
        variants: vec!["pageable", "stride", "pinned"],
        options: vec!["--x={-9999..9999}".into(), "--stride".into()],
        choice: DeviceChoice::Emulated("a100".into()),
        schedules: 5,
        seed: 7,
        sizes: vec![Some(1), Some(33), Some(1000)],
        needs_sizes: false,
        hidden: 2,
    }
}

fn fact(variant: &'static str, uses_file: bool, is_long: bool) -> VariantFacts {
    VariantFacts { variant, uses_file, is_long }
}

/// `VARIANT@SIZE` of each run of each wave; a hidden size is `?`.
fn listed(plan: &Plan) -> Vec<Vec<String>> {
    let name = |run: &PlannedRun| {
        let size = if run.is_hidden { "?".into() } else { run.size.map_or("quick".into(), |n| n.to_string()) };
        format!("{}@{size}", run.variant)
    };
    plan.waves.iter().map(|wave| wave.iter().map(name).collect()).collect()
}

/// What is wrong with a plan for this request: a run that is missing, twice there, at a size that is not asked for, or
/// before a run that decides whether it is tried.
fn mistakes(plan: &Plan) -> Vec<String> {
    let mut wrong = Vec::new();
    let all: Vec<&PlannedRun> = plan.runs().collect();
    let of = |variant: &str| all.iter().filter(|run| run.variant == variant).copied().collect::<Vec<_>>();
    for variant in &plan.variants {
        let known: Vec<_> = of(variant).iter().filter(|run| !run.is_hidden).map(|run| run.size).collect();
        if known != plan.request.sizes {
            wrong.push(format!("{variant}: known sizes {known:?}"));
        }
        let hidden: Vec<_> = of(variant).iter().filter(|run| run.is_hidden).map(|run| run.size).collect();
        if hidden.len() != plan.request.hidden || hidden.contains(&None) {
            wrong.push(format!("{variant}: hidden sizes {hidden:?}"));
        }
        let questions = of(variant).iter().filter(|run| plan.request.asks_questions(run.size)).count();
        if questions != 1 {
            wrong.push(format!("{variant}: questions {questions} times"));
        }
        if plan.waves[0].iter().filter(|run| run.variant == *variant).count() != 1 {
            wrong.push(format!("{variant}: the first wave decides whether it is tried at larger sizes"));
        }
    }
    if let Some(other) = all.iter().find(|run| !plan.variants.contains(&run.variant)) {
        wrong.push(format!("{}: does not use the file", other.variant));
    }
    let seeds: HashSet<u64> = plan.rounds.iter().map(|round| round.seed).collect();
    if seeds.len() != plan.rounds.len() || plan.rounds.len() < 2 {
        wrong.push(format!("rounds with the seeds {seeds:?}"));
    }
    wrong
}

#[test]
fn a_plan_lists_each_variant_that_uses_the_file_at_each_size() {
    let request = request();
    let facts = [fact("pageable", true, false), fact("stride", false, true), fact("pinned", true, false)];
    let planned = plan(&request, &facts);
    let expected = [
        vec!["pageable@1", "pinned@1"],
        vec!["pageable@33", "pageable@1000", "pinned@33", "pinned@1000"],
        vec!["pageable@?", "pageable@?", "pinned@?", "pinned@?"],
    ];
    assert_eq!(listed(&planned), expected);
    assert_eq!(planned.sizes, [&request.sizes[..], &hidden_sizes(&request, &facts)].concat());
    assert_eq!(mistakes(&planned), Vec::<String>::new());
    // One size of a check. Only the first size has the questions.
    assert_eq!(listed(&plan_at(&request, Some(33), &facts)), [["pageable@33", "pinned@33"]]);
    assert_eq!([Some(1), Some(33), None].map(|size| request.asks_questions(size)), [true, false, false]);
}

#[test]
fn a_planted_mistake_in_a_plan_is_noticed() {
    let request = request();
    let facts = [fact("pageable", true, false), fact("pinned", true, false)];
    let planted = |change: &dyn Fn(&mut Plan)| {
        let mut planned = plan(&request, &facts);
        change(&mut planned);
        mistakes(&planned)
    };
    assert!(planted(&|_| ()).is_empty());
    let first_size_twice = planted(&|plan| {
        let again = plan.waves[0].clone();
        plan.waves[1].extend(again);
    });
    assert!(first_size_twice.iter().any(|words| words.contains("known sizes")), "{first_size_twice:?}");
    let known = planted(&|plan| plan.waves[2].iter_mut().for_each(|run| run.is_hidden = false));
    assert!(known.iter().any(|words| words.contains("hidden sizes []")), "{known:?}");
    let early = planted(&|plan| {
        let second = plan.waves.remove(1);
        plan.waves[0].extend(second);
    });
    assert!(early.iter().any(|words| words.contains("the first wave decides")), "{early:?}");
    let other = planted(&|plan| plan.waves[0][0].variant = "stride");
    assert!(other.iter().any(|words| words.contains("does not use the file")), "{other:?}");
    let same_seed = planted(&|plan| plan.rounds[1].seed = plan.rounds[0].seed);
    assert!(same_seed.iter().any(|words| words.contains("seeds")), "{same_seed:?}");
}

#[test]
fn hidden_sizes_are_small_if_a_variant_that_uses_the_file_takes_long() {
    let request = JudgeRequest { hidden: 20, sizes: vec![Some(1), Some(33)], ..request() };
    let most = |is_long, uses_file| {
        hidden_sizes(&request, &[fact("pageable", true, false), fact("pinned", uses_file, is_long)]).into_iter().max()
    };
    let small = most(true, true).flatten().unwrap();
    assert!(small <= sizes::LONGEST, "{small}");
    assert!(most(false, true).flatten().unwrap() > sizes::LONGEST);
    assert!(most(true, false).flatten().unwrap() > sizes::LONGEST);
    assert!(hidden_sizes(&JudgeRequest { hidden: 0, ..request.clone() }, &[]).is_empty());
}

#[test]
fn each_round_has_a_seed_and_numbers_of_its_own() {
    let rounds = |seed| JudgeRequest { schedules: 3, seed, ..request() }.rounds();
    let all = rounds(7);
    let [first, second, third] = &all[..] else { panic!("{all:?}") };
    assert_eq!((first.seed, first), (7, &request().own_round()));
    assert!(first.options[0].starts_with("--x=") && first.options[1] == "--stride", "{first:?}");
    for (one, other) in [(first, second), (second, third), (first, third)] {
        assert!(one.seed != other.seed && one.options[0] != other.options[0], "{one:?} {other:?}");
    }
    assert_eq!(rounds(7), all);
    assert_ne!(rounds(8), all);
}

#[test]
fn the_device_decides_the_orders_and_the_number_of_rounds() {
    let of = |choice, schedules| {
        let request = JudgeRequest { choice, schedules, ..request() };
        let planned = plan(&request, &[]);
        (planned.orders, planned.rounds.len(), request.timed_rounds().len())
    };
    let emulated = || DeviceChoice::Emulated("a100".into());
    assert_eq!(of(emulated(), 5), (Some(5), 5, 5));
    // With a single order there are still two rounds, so that a stored answer is wrong in the second one.
    assert_eq!(of(emulated(), 1), (Some(1), 2, 5));
    assert_eq!(of(DeviceChoice::Cuda(0), 5), (None, 3, 5));
}

#[test]
fn a_speed_is_timed_with_what_it_is_a_fraction_of() {
    let exercise =
        |speed: &str| toml::from_str(&format!("name = \"p\"\nvariants = [\"v\", \"w\"]\nright = 1\n{speed}")).unwrap();
    let listed = |speed: &str| {
        let of = |timing: PlannedTiming| (timing.variant, timing.is_own, timing.n);
        timings(&exercise(speed)).into_iter().map(of).collect::<Vec<_>>()
    };
    let [v, w, fast] = ["v", "w", "fast"].map(String::from);
    assert_eq!(listed(""), []);
    let ceiling = "[speed]\npoints = 1\nof = \"ceiling\"\nfraction = 0.5\nn = 9\n";
    assert_eq!(listed(ceiling), [(v.clone(), false, Some(9)), (w.clone(), false, Some(9))]);
    let variant = "[speed]\npoints = 1\nof = \"fast\"\nfraction = 0.5\n";
    assert_eq!(listed(variant), [(v, false, None), (w, false, None), (fast, true, None)]);
}
