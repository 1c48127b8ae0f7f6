//! `branch`: the steps of a warp at a branch, as a textbook draws them; with the threads of both sides in one warp, and
//! in separate warps.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Result, Run, launch_1d};

/// The kinds of steps, as numbered by `steps.cu`; an active lane shows its letter, an idle lane a point.
const LETTERS: [char; 3] = ['?', '+', '-'];
/// The number of recorded steps of a warp.
const PLACES: usize = 4;

/// A way to put threads with x >= 0 and threads with x < 0 on the GPU.
struct Placing {
    label: &'static str,
    blocks: u32,
    threads: u32,
    /// Whether each warp contains both kinds.
    is_mixed: bool,
    /// The number of steps in the text, and its table.
    published: Option<(u32, &'static str)>,
    expected: u32,
}

const PLACINGS: [Placing; 3] = [
    Placing {
        label: "both sides in one warp",
        blocks: 1,
        threads: 32,
        is_mixed: true,
        published: Some((3, "Pacheco and Malensek, table 6.1")),
        expected: 3,
    },
    Placing {
        label: "one SM, a warp for each side",
        blocks: 1,
        threads: 64,
        is_mixed: false,
        published: None,
        expected: 2,
    },
    Placing {
        label: "two blocks, one for each side",
        blocks: 2,
        threads: 32,
        is_mixed: false,
        published: Some((2, "Pacheco and Malensek, table 6.2")),
        expected: 2,
    },
];

/// A row for each placing.
pub(crate) fn run(run: &Run) -> Result<()> {
    if run.wants("branch") {
        run.say("\nA branch, step by step: ? tests x >= 0, + adds 1, - subtracts 2, and a point is an idle lane");
    }
    for placing in &PLACINGS {
        let launch = launch_1d(placing.blocks, placing.threads);
        let case = Case::new("branch").label(placing.label).kernel("steps.cu", "branch").launch(launch);
        run.case(case, |case| {
            let (stream, n) = (run.stream(), (placing.blocks * placing.threads) as usize);
            let is_negative = |i: usize| if placing.is_mixed { i % 4 > 1 } else { i >= n / 2 };
            let x: Vec<f32> = (0..n).map(|i| if is_negative(i) { -1.0 - i as f32 } else { i as f32 }).collect();
            let right: Vec<f32> = x.iter().map(|&x| if x >= 0.0 { x + 1.0 } else { x - 2.0 }).collect();
            let warps = n / 32;
            let (input, mut output) = (run.upload("in", &x)?, stream.clone_htod(&vec![f32::NAN; n])?);
            let mut counts = stream.alloc_zeros::<u32>(2 * warps)?;
            let mut steps = stream.alloc_zeros::<u32>(2 * PLACES * warps)?;
            let kernel = case.kernel()?;
            let mut builder = stream.launch_builder(&kernel);
            builder.arg(&*input).arg(&mut output).arg(&mut counts).arg(&mut steps);
            // SAFETY: the kernel's parameters: n floats each, and for each warp two counts and PLACES steps.
            unsafe { builder.launch(case.launch()) }?;
            case.check(Check::equal(&stream.clone_dtoh(&output)?, &right));

            let (counts, steps) = (stream.clone_dtoh(&counts)?, stream.clone_dtoh(&steps)?);
            run.say(&format!("  {}", placing.label));
            for (warp, count) in counts.chunks_exact(2).enumerate() {
                let taken = &steps[2 * PLACES * warp..][..2 * PLACES.min(count[0] as usize)];
                for (time, step) in (1..).zip(taken.chunks_exact(2)) {
                    let letter = LETTERS.get(step[0] as usize).copied().unwrap_or('!');
                    let lane = |lane: u32| if step[1] >> lane & 1 == 1 { letter } else { '.' };
                    let lanes: String = (0..32).map(lane).collect();
                    run.say(&format!("    warp {warp} on SM {:<3}  time {time}  {lanes}", count[1]));
                }
                case.check(Check::equal(&[count[0]], &[placing.expected]));
            }
            case.set("steps", counts[0]);
            if let Some((steps, text)) = placing.published {
                case.set("published_steps", steps);
                case.set("published_in", text);
            }
            Ok(())
        })?;
    }
    Ok(())
}
