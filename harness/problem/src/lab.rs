//! The lab of a problem: its function draws the inputs, launches the kernels, and compares the outputs.
use std::path::Path;

use cudarc::driver::{CudaFunction, CudaSlice, DevicePtr, LaunchConfig, PushKernelArg};
use harness::{
    Case, CaseContext, Check, Error, Lab, Result, Row, Run, Uploaded, VariantFilter, VariantTable, arguments, clap,
    poison, row,
};
use kernels::KernelSource;

use crate::{
    Problem,
    answers::Answers,
    expression::{Label, Values},
    launch::{Passed, PlannedLaunch},
    spec::{Buffer, Role, Spec, sizes_of},
};

/// The lab's only variant.
pub(crate) const VARIANT: &str = "kernels";

static ROWS: [Row; 1] = [row(VARIANT, "the kernels of the reference, or of a file in their place", ())];
static TABLES: [&dyn VariantTable; 1] = [&ROWS];

/// The option that sets a size of the only case: `--size rows=64`.
pub(crate) const SIZE: &str = "size";
/// The option that names the folder of the expected outputs.
pub(crate) const ANSWERS: &str = "answers";
/// The option that writes the outputs to a folder, as the expected ones.
pub(crate) const KEEP: &str = "keep-answers";

/// Returns the lab of the problem in the file `path`. Its texts are never freed.
pub(crate) fn declared(spec: &Spec, path: &Path, reference: KernelSource) -> Lab {
    fn leaked(text: String) -> &'static str {
        Box::leak(text.into_boxed_str())
    }
    Lab {
        name: leaked(spec.name.clone()),
        file: Some(leaked(path.display().to_string())),
        summary: leaked(format!("the problem of {}", path.display())),
        kernels: Box::leak(vec![reference].into_boxed_slice()),
        variants: &TABLES,
        options,
        ignored: &[(&["n", "blocks", "threads"], VariantFilter::Every)],
        run,
        ..Lab::DEFAULT
    }
}

fn options() -> Vec<clap::Arg> {
    vec![
        arguments::value(SIZE, "NAME=VALUE", "Run one case, with these sizes [default: all known cases]")
            .action(clap::ArgAction::Append),
        arguments::file(ANSWERS, "Folder of the expected outputs").hide(true),
        arguments::file(KEEP, "Folder to write the outputs to, as the expected ones").hide(true),
    ]
}

/// A case: its label and sizes.
struct SizedCase {
    label: String,
    sizes: Values,
    is_hidden: bool,
}

fn cases(problem: &Problem, run: &Run) -> Result<Vec<SizedCase>> {
    let words: Vec<&String> = run.args().get_many(SIZE).map(Iterator::collect).unwrap_or_default();
    if words.is_empty() {
        let known =
            |sizes: &Values| SizedCase { label: Label(sizes).to_string(), sizes: sizes.clone(), is_hidden: false };
        return Ok(problem.spec.sizes.iter().map(known).collect());
    }
    let sizes = sizes_of(words.iter().map(|word| word.as_str()), &problem.spec).map_err(Error::usage)?;
    // Each round has other sizes, and all rounds have one row.
    Ok(vec![SizedCase { label: "hidden sizes".into(), sizes, is_hidden: true }])
}

fn run(run: &Run) -> Result<()> {
    let problem = Problem::of_lab(run.lab());
    let [answers, keep] = [ANSWERS, KEEP].map(|option| run.file(option).map(Answers::new));
    if run.kernels().is_replaced() && answers.is_none() {
        let file = problem.path.display();
        return Err(Error::usage(format!("a file in place of the reference is judged by `warplab judge {file} FILE`")));
    }
    if problem.reference().cuda.is_empty() && !run.kernels().is_replaced() {
        return Err(Error::usage(format!("{}: the reference has no kernels to run", problem.path.display())));
    }
    let source = run.kernels().source(&problem.reference().name)?;
    let launches = problem.launches(&source).map_err(Error::usage)?;
    for case in cases(problem, run)? {
        let planned = problem.spec.plan(&launches, &case.sizes).map_err(Error::usage)?;
        let lengths = lengths(&problem.spec, &case.sizes)?;
        let expected = answers.as_ref().map(|answers| {
            let seed = run.options().seed;
            let read = |output: &Buffer| answers.read(seed, &case.sizes, &output.name);
            problem.spec.outputs().map(read).collect::<Result<Vec<_>>>()
        });
        let of_case = CaseOfProblem {
            spec: &problem.spec,
            file: &problem.reference().name,
            case: &case,
            planned: &planned,
            lengths: &lengths,
            expected: expected.transpose()?,
            keep: keep.as_ref(),
        };
        run.case(Case::new(VARIANT).label(&case.label), |context| of_case.run(run, context))?;
    }
    Ok(())
}

/// Returns the lengths of the buffers, in elements.
fn lengths(spec: &Spec, sizes: &Values) -> Result<Vec<usize>> {
    spec.buffers.iter().map(|buffer| buffer.length(sizes).map_err(Error::usage)).collect()
}

/// A case of a problem.
struct CaseOfProblem<'c> {
    spec: &'c Spec,
    /// The name of the kernel file.
    file: &'c str,
    case: &'c SizedCase,
    planned: &'c [PlannedLaunch],
    lengths: &'c [usize],
    /// The expected outputs; `None` if the outputs themselves are the expected ones.
    expected: Option<Vec<Vec<u8>>>,
    keep: Option<&'c Answers>,
}

/// A launch with its kernel, its arguments as words of 8 bytes.
struct ReadyLaunch {
    kernel: CudaFunction,
    config: LaunchConfig,
    arguments: Vec<u64>,
}

/// A buffer on the device.
enum DeviceBuffer {
    Input(Uploaded<u8>),
    /// The index among the buffers that kernels may write.
    Written(usize),
}

impl CaseOfProblem<'_> {
    fn run(&self, run: &Run, context: &mut CaseContext<'_>) -> Result<()> {
        self.planned.iter().try_for_each(|launch| run.check_launch(launch.config))?;
        context.launches_as(self.planned[0].config);
        let stream = run.stream();
        let (mut buffers, mut written): (Vec<DeviceBuffer>, Vec<CudaSlice<u8>>) = (Vec::new(), Vec::new());
        for (buffer, length) in self.spec.buffers.iter().zip(self.lengths) {
            if buffer.role == Role::Input {
                let bytes = buffer.draw(*length, run.options().seed);
                buffers.push(DeviceBuffer::Input(run.upload(&buffer.name, &bytes)?));
            } else {
                buffers.push(DeviceBuffer::Written(written.len()));
                // SAFETY: poisoned before each launch.
                written.push(unsafe { stream.alloc::<u8>(length * buffer.element.bytes()) }?);
            }
        }
        let addresses: Vec<u64> = buffers
            .iter()
            .map(|buffer| match buffer {
                DeviceBuffer::Input(input) => input.device_ptr(stream).0,
                DeviceBuffer::Written(at) => written[*at].device_ptr(stream).0,
            })
            .collect();
        let launches =
            self.planned.iter().map(|launch| self.ready(run, launch, &addresses)).collect::<Result<Vec<_>>>()?;
        context.measure(
            &mut written,
            |written| written.iter_mut().try_for_each(|buffer| poison(stream, buffer)),
            |_| launches.iter().try_for_each(|launch| launch.enqueue(run)),
            |written| self.compare(run, written),
        )?;
        Ok(())
    }

    fn ready(&self, run: &Run, launch: &PlannedLaunch, addresses: &[u64]) -> Result<ReadyLaunch> {
        let PlannedLaunch { kernel, config, arguments } = launch;
        let kernel = run.kernels().function_for(self.file, kernel, arguments.len(), config.shared_mem_bytes)?;
        // The machine is little-endian: an integer's first bytes are the integer of that size.
        let word = |passed: &Passed| match *passed {
            Passed::Buffer(at) => addresses[at],
            Passed::Integer(number) => number as u64,
            Passed::Float(number) => number.to_bits().into(),
            Passed::Double(number) => number.to_bits(),
        };
        Ok(ReadyLaunch { kernel, config: *config, arguments: arguments.iter().map(word).collect() })
    }

    /// Compares the outputs with the expected ones, or keeps them.
    fn compare(&self, run: &Run, written: &[CudaSlice<u8>]) -> Result<Check> {
        let stream = run.stream();
        let roles = self.spec.buffers.iter().filter(|buffer| buffer.role != Role::Input).zip(written);
        let outputs = roles.filter(|(buffer, _)| buffer.role == Role::Output);
        let mut all = Check::default();
        for (at, (buffer, slice)) in outputs.enumerate() {
            let found = stream.clone_dtoh(slice)?;
            stream.synchronize()?;
            let name = &buffer.name;
            if let Some(expected) = &self.expected {
                let check = buffer.element.compare(&found, &expected[at], buffer.tolerance(self.spec));
                let place =
                    if self.case.is_hidden { format!(" at {}", Label(&self.case.sizes)) } else { String::new() };
                all.merge(check.named(|index| format!("{name} {index}{place}")));
                continue;
            }
            let nan = buffer.element.first_nan(&found);
            let why = nan.map_or_else(String::new, |at| format!("{name}[{at}] is NaN, which no submission can match"));
            all.merge(Check::that(nan.is_none(), why));
            if let Some(keep) = self.keep {
                keep.write(run.options().seed, &self.case.sizes, name, &found)?;
            }
        }
        Ok(all)
    }
}

impl ReadyLaunch {
    fn enqueue(&self, run: &Run) -> Result<()> {
        let mut builder = run.stream().launch_builder(&self.kernel);
        for argument in &self.arguments {
            builder.arg(argument);
        }
        // SAFETY: the kernel takes as many parameters as there are arguments, of at most 8 bytes each; a judged kernel
        // that leaves its buffers does so in a process of its own.
        unsafe { builder.launch(self.config) }?;
        Ok(())
    }
}
