//! The atomic operations available for each type: each is launched, and its effect checked.
use cudarc::driver::PushKernelArg;
use harness::{Case, Result, Row, Run, launch_1d, row};

/// A type, as rows name it, and the operations that CUDA C++ has for it.
struct Type {
    name: &'static str,
    bytes: usize,
    operations: &'static [&'static str],
    /// The operations that a course listed for it in 2013 (Stanford CME213, lecture 9).
    in_2013: &'static str,
}

const INTEGER: &str = "add, sub, min, max, and, or, xor";

const TYPES: [Type; 6] = [
    Type {
        name: "u32",
        bytes: 4,
        operations: &["add", "sub", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"],
        in_2013: INTEGER,
    },
    Type {
        name: "i32",
        bytes: 4,
        operations: &["add", "sub", "min", "max", "exch", "cas", "and", "or", "xor"],
        in_2013: INTEGER,
    },
    Type {
        name: "u64",
        bytes: 8,
        operations: &["add", "min", "max", "exch", "cas", "and", "or", "xor"],
        in_2013: "add",
    },
    Type { name: "i64", bytes: 8, operations: &["min", "max", "and", "or", "xor"], in_2013: "none" },
    Type { name: "f32", bytes: 4, operations: &["add", "exch"], in_2013: "add" },
    Type { name: "f64", bytes: 8, operations: &["add"], in_2013: "none" },
];

pub(crate) static ROWS: [Row; 1] = [row("atomics", "each atomic operation there is, by type, with its effect", ())];

/// The number of lanes that apply an operation, lane t with the number t + 1, or with bit t.
const LANES: u64 = 32;

/// The word before an operation, and the sum of both words after it, in a type of `bits` bits.
///
/// ```
/// assert_eq!(histogram::effect("add", 32), (0, 528)); // 1 + 2 + ... + 32
/// assert_eq!(histogram::effect("dec", 32), (0, 8)); // 32 steps down, from 0 to 9 each tenth time
/// ```
pub fn effect(operation: &str, bits: u32) -> (u64, u64) {
    let ones = u64::MAX >> (64 - bits);
    let sum = LANES * (LANES + 1) / 2;
    match operation {
        "sub" => (sum, 0),
        "min" => (100, 1),
        "max" => (0, LANES),
        "inc" => (0, LANES % 10),
        "dec" => (0, (100 - LANES) % 10),
        "cas" => (0, LANES),
        "and" => (ones, ones << LANES & ones),
        "or" | "xor" => (0, u64::MAX >> LANES),
        _ => (0, sum), // add; exch, which loses nothing
    }
}

/// A row for each type.
pub(crate) fn run(run: &Run) -> Result<()> {
    for of in &TYPES {
        run.case(Case::new(ROWS[0].name()).label(of.name).launch(launch_1d(1, LANES as u32)), |case| {
            let worked = of.operations.iter().map(|operation| Ok((*operation, works(run, of, operation)?)));
            let worked = worked.collect::<Result<Vec<_>>>()?;
            let worked: Vec<&str> = worked.into_iter().filter(|(_, right)| *right).map(|(name, _)| name).collect();
            let (expected, obtained) = (of.operations.join(", "), worked.join(", "));
            case.note(format!("{obtained}; in 2013: {}", of.in_2013));
            case.answer(format!("Which atomic operations are there for {}?", of.name), expected, obtained);
            Ok(())
        })?;
    }
    Ok(())
}

/// Whether `operation` has the right effect on a word of this type.
fn works(run: &Run, of: &Type, operation: &str) -> Result<bool> {
    let (before, after) = effect(operation, 8 * of.bytes as u32);
    let bytes = |number: u64| match of.name {
        "f32" => (number as f32).to_le_bytes().to_vec(),
        "f64" => (number as f64).to_le_bytes().to_vec(),
        _ => number.to_le_bytes()[..of.bytes].to_vec(),
    };
    let number = |bytes: &[u8]| match (of.name, bytes.len()) {
        ("f32", _) => f32::from_le_bytes(bytes.try_into().expect("four bytes")) as u64,
        ("f64", _) => f64::from_le_bytes(bytes.try_into().expect("eight bytes")) as u64,
        (_, 4) => u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        _ => u64::from_le_bytes(bytes.try_into().expect("eight bytes")),
    };
    let stream = run.stream();
    let kernel = run.function("atomics.cu", &format!("{operation}_{}", of.name))?;
    let mut words = stream.clone_htod(&[bytes(before), bytes(0)].concat())?;
    // SAFETY: the kernels take two words of their type.
    unsafe { stream.launch_builder(&kernel).arg(&mut words).launch(launch_1d(1, LANES as u32)) }?;
    let words = stream.clone_dtoh(&words)?;
    Ok(words.chunks_exact(of.bytes).map(number).fold(0, u64::wrapping_add) == after)
}
