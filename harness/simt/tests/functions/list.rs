//! The functions: the declarations in the `.cu` files next to this file, and the kernels' PTX.
#![allow(dead_code, reason = "the test and the recorder each use what they need")]

use std::sync::LazyLock;

use kernels::CommittedPtx;

use super::suite::file::Column;
use super::suite::values::ValueKind;
use super::suite::{Case, Source};

/// A file of kernels: its name, its text and its PTX.
pub struct File {
    pub name: &'static str,
    pub cuda: &'static str,
    pub ptx: LazyLock<String>,
}

macro_rules! file {
    ($name:literal) => {
        File {
            name: $name,
            cuda: include_str!(concat!($name, ".cu")),
            ptx: LazyLock::new(|| decompress(include_bytes!(concat!($name, ".ptx.lzma")))),
        }
    };
}

fn decompress(bytes: &'static [u8]) -> String {
    let text = CommittedPtx::Lzma(bytes).text().into_owned();
    assert!(!text.is_empty(), "committed PTX is compressed text");
    text
}

pub static FILES: [File; 5] = [file!("single"), file!("double"), file!("integer"), file!("half"), file!("groups")];

/// A type of the `.cu` files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    I32,
    U32,
    I64,
    U64,
    F16,
    F16x2,
    F32,
    F64,
}

impl Type {
    fn parse(text: &str) -> Type {
        match text {
            "i32" => Type::I32,
            "u32" => Type::U32,
            "i64" => Type::I64,
            "u64" => Type::U64,
            "f16" => Type::F16,
            "f16x2" => Type::F16x2,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => panic!("`{text}` is no type of a function"),
        }
    }

    fn kind(self) -> ValueKind {
        match self {
            Type::I32 | Type::U32 => ValueKind::Int(32),
            Type::I64 | Type::U64 => ValueKind::Int(64),
            Type::F16 => ValueKind::Half,
            Type::F16x2 => ValueKind::Halves,
            Type::F32 => ValueKind::Single,
            Type::F64 => ValueKind::Double,
        }
    }
}

/// A function: a kernel with operands and one result.
pub struct Function {
    /// The case; its name is that of the kernel, and of the recorded case.
    pub case: Case,
    pub result: Type,
    pub arguments: Vec<Type>,
    /// Whether some of its instructions are approximations, so that its result may differ from the hardware's.
    pub approximate: bool,
}

impl Function {
    /// `sinf` of the kernel `of_sinf`.
    pub fn name(&self) -> &str {
        self.case.name.trim_start_matches("of_")
    }

    /// Whether it has a barrier of the grid, which needs all blocks to be resident.
    pub fn cooperative(&self) -> bool {
        self.case.text.contains("across")
    }

    /// Returns the kept part of a device's results: all of them if they are approximations, otherwise the first ones
    /// and hashes of the others.
    pub fn kept(&self, results: &Column) -> Column {
        match results {
            Column::Full(values) if !self.approximate => {
                let values = values.iter().map(|v| self.canonical(*v)).collect();
                Column::Full(values).compact(self.case.results[0])
            }
            other => other.clone(),
        }
    }

    /// Returns a result with a canonical NaN, where the hardware keeps the payload of one of several.
    pub fn canonical(&self, bits: u64) -> u64 {
        let several = self.arguments.iter().filter(|t| **t == Type::F64).count() > 1;
        if several && self.result == Type::F64 && f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits }
    }
}

/// Returns the functions of a file, in its order.
pub fn functions(file: &File) -> Vec<Function> {
    let lines = file.cuda.lines();
    lines.filter_map(|line| function(file, line)).collect()
}

fn function(file: &File, line: &str) -> Option<Function> {
    let (form, rest) = line.split_once("(of_")?;
    let count = ["ONE", "TWO", "THREE"].iter().position(|f| *f == form)? + 1;
    let rest = rest.strip_suffix(')')?;
    let parts: Vec<&str> = rest.splitn(count + 3, ", ").collect();
    let types: Vec<Type> = parts[1..count + 2].iter().map(|t| Type::parse(t)).collect();
    let (result, arguments) = (types[0], types[1..].to_vec());
    let name = format!("of_{}", parts[0]);
    let mut case = Case::new(&name, parts[count + 2], &[], &[result.kind().bits()]);
    case.sources = arguments.iter().map(|t| Source::new(t.kind())).collect();
    Some(Function { approximate: approximates(&file.ptx, &name), case, result, arguments })
}

/// Returns the text of an entry or a function of a module.
fn body<'a>(ptx: &'a str, name: &str) -> &'a str {
    let declared = [format!(".entry {name}("), format!(" {name}\n(")];
    let start = declared.iter().find_map(|d| {
        let starts = ptx.match_indices(d.as_str()).map(|(at, _)| at);
        // The definition, not a declaration or a call.
        starts.map(|at| &ptx[at..]).find(|rest| rest.find('{') < rest.find(';'))
    });
    let text = start.unwrap_or_default();
    text.split("\n}\n").next().unwrap_or_default()
}

fn approximates(ptx: &str, kernel: &str) -> bool {
    let mut text = body(ptx, kernel).to_owned();
    assert!(!text.is_empty(), "no PTX of {kernel}");
    for line in ptx.lines().filter(|line| line.starts_with(".func")) {
        let name = line.rsplit([' ', '(']).find(|word| !word.is_empty());
        let name = name.unwrap_or_default();
        if text.contains(name) {
            text.push_str(body(ptx, name));
        }
    }
    text.contains(".approx") || text.contains("div.full") || text.contains("tanh.")
}
