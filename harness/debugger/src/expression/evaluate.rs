//! Evaluates expressions for the lane in focus, at a position of the timeline.

use std::collections::HashSet;
use std::fmt;

use recording::{Field, VariableType};

use super::parse::{Expression, PointerSpace};
use super::{ExpressionError, parse};
use crate::focus::{Focus, shown};
use crate::scalar::{Scalar, Value};
use crate::suggest::nearest;
use crate::timeline::{KnownByte, Memory, Timeline};
use crate::variables::{Variable, Variables};

/// The most elements that are shown of an array.
const MOST_ELEMENTS: u64 = 200;
/// The deepest nesting of structures that is shown.
const DEEPEST_STRUCTURE: usize = 4;

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A value that is computed.
    Value(Value),
    /// An index in three dimensions.
    Index([u32; 3]),
    /// A register, with its value.
    Register {
        /// The register: an index into the header's registers.
        register: u32,
        /// Its value.
        value: Value,
    },
    /// A scalar in memory.
    Place {
        /// Its memory.
        memory: Memory,
        /// Its address.
        address: u64,
        /// Its type.
        scalar: Scalar,
    },
    /// A structure in memory.
    Structure {
        /// Its memory.
        memory: Memory,
        /// Its address.
        address: u64,
        /// Its type: an index into the header's types.
        type_index: u32,
    },
    /// A pointer, or an array.
    Array {
        /// Its name.
        name: String,
        /// The memory that it points to.
        memory: Memory,
        /// The address of its first element.
        address: u64,
        /// Its elements' type, if it is known.
        scalar: Option<Scalar>,
        /// The elements that an array has; `None` for a pointer.
        bytes: Option<u64>,
    },
}

/// Where and when an expression is evaluated.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The recording.
    pub timeline: &'a Timeline,
    /// The variables of the kernel.
    pub variables: &'a Variables,
    /// The thread.
    pub focus: Focus,
    /// The number of steps that have been executed.
    pub position: usize,
}

/// A printed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The value.
    pub text: String,
    /// Its type.
    pub type_name: String,
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How an integer or a number is printed, as after the slash of `print/x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ValueFormat {
    /// As its type says.
    #[default]
    Natural,
    /// `x`: its bits, hexadecimal.
    Hexadecimal,
    /// `d`: its bits, as a number with a sign.
    Signed,
    /// `u`: its bits, as a number without a sign.
    Unsigned,
    /// `f`: its bits, as a floating-point number.
    Float,
    /// `t`: its bits, binary.
    Binary,
}

impl ValueFormat {
    /// Returns the format of this letter.
    pub fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'x' => Self::Hexadecimal,
            'd' => Self::Signed,
            'u' => Self::Unsigned,
            'f' => Self::Float,
            't' => Self::Binary,
            _ => return None,
        })
    }

    /// Returns a value in this format.
    pub fn text(self, value: Value) -> String {
        let bytes = value.scalar.bytes();
        let as_integer =
            |is_signed| Value::new(Scalar::Integer { bytes: bytes as u8, is_signed }, value.bits).to_string();
        match self {
            Self::Natural => value.to_string(),
            Self::Hexadecimal => format!("{:#x}", value.bits),
            Self::Binary => format!("{:b}", value.bits),
            Self::Signed => as_integer(true),
            Self::Unsigned => as_integer(false),
            Self::Float => match Scalar::from_size(bytes, true, false) {
                Some(scalar) if scalar.is_float() => Value::new(scalar, value.bits).to_string(),
                _ => value.to_string(),
            },
        }
    }
}

impl<'a> Scope<'a> {
    /// Returns what a text stands for, printed.
    ///
    /// # Errors
    /// When it is not an expression, or has no value here.
    pub fn print(self, text: &str, format: ValueFormat) -> Result<Printed, ExpressionError> {
        let (expression, count) = parse(text)?;
        let quantity = self.quantity(&expression)?;
        let Some(count) = count else { return self.printed(&quantity, format) };
        let Quantity::Place { memory, address, scalar } = quantity else {
            return Err(ExpressionError::Operands("`@` follows an element of memory, such as x[0]@8".into()));
        };
        let count = self.value(&count)?.integer().clamp(1, i128::from(MOST_ELEMENTS)) as u64;
        Ok(self.elements(memory, address, scalar, count, format))
    }

    /// Returns a quantity, printed.
    ///
    /// # Errors
    /// When it has no value here.
    pub fn printed(self, quantity: &Quantity, format: ValueFormat) -> Result<Printed, ExpressionError> {
        match quantity {
            Quantity::Value(value) | Quantity::Register { value, .. } => {
                Ok(Printed { text: format.text(*value), type_name: value.scalar.to_string() })
            }
            Quantity::Index([x, y, z]) => {
                Ok(Printed { text: format!("{{x = {x}, y = {y}, z = {z}}}"), type_name: "dim3".into() })
            }
            Quantity::Place { memory, address, scalar } => {
                let (value, is_later) = self.read(*memory, *address, *scalar)?;
                let later = if is_later { " (read later)" } else { "" };
                Ok(Printed { text: format.text(value) + later, type_name: scalar.to_string() })
            }
            Quantity::Structure { memory, address, type_index } => {
                Ok(self.structure(*memory, *address, *type_index, (format, 0)))
            }
            Quantity::Array { memory, address, scalar: Some(scalar), bytes: Some(bytes), .. } => {
                Ok(self.elements(*memory, *address, *scalar, bytes / scalar.bytes(), format))
            }
            Quantity::Array { address, scalar, .. } => {
                let type_name = scalar.map_or("void*".into(), |scalar| format!("{scalar}*"));
                Ok(Printed { text: format!("({type_name}) {address:#x}"), type_name })
            }
        }
    }

    /// Returns the elements of an array, printed; runs of the same value once.
    fn elements(self, memory: Memory, address: u64, scalar: Scalar, count: u64, format: ValueFormat) -> Printed {
        let shown_count = count.min(MOST_ELEMENTS);
        let each = (0..shown_count).map(|at| {
            let value = self.read(memory, address.wrapping_add(at * scalar.bytes()), scalar);
            value.map_or_else(|_| "?".into(), |(value, _)| format.text(value))
        });
        let each: Vec<String> = each.collect();
        let run = |same: &[String]| match same.len() {
            0..4 => same.join(", "),
            length => format!("{} <repeats {length} times>", same[0]),
        };
        let mut text = each.chunk_by(|a, b| a == b).map(run).collect::<Vec<_>>().join(", ");
        if shown_count < count {
            text += "...";
        }
        Printed { text: format!("{{{text}}}"), type_name: format!("{scalar}[{count}]") }
    }

    /// Returns a structure, printed. `depth` counts the structures around it.
    fn structure(
        self,
        memory: Memory,
        address: u64,
        type_index: u32,
        (format, depth): (ValueFormat, usize),
    ) -> Printed {
        let type_name = match &self.timeline.header().types[type_index as usize] {
            VariableType::Structure { name, .. } => name.clone(),
            _ => String::new(),
        };
        if depth == DEEPEST_STRUCTURE {
            return Printed { text: "{...}".into(), type_name };
        }
        let field = |field: &Field| {
            let at = address.wrapping_add(field.offset.into());
            let quantity = self.typed(&field.name, memory, at, field.type_index);
            let printed = quantity.and_then(|quantity| match quantity {
                Quantity::Structure { memory, address, type_index } => {
                    Ok(self.structure(memory, address, type_index, (format, depth + 1)))
                }
                other => self.printed(&other, format),
            });
            format!("{} = {}", field.name, printed.map_or_else(|_| "?".into(), |printed| printed.text))
        };
        let fields: Vec<String> = self.fields(type_index).iter().take(MOST_ELEMENTS as usize).map(field).collect();
        Printed { text: format!("{{{}}}", fields.join(", ")), type_name }
    }

    /// Returns the value of a condition.
    ///
    /// # Errors
    /// When it has no value here.
    pub fn holds(self, condition: &Expression) -> Result<bool, ExpressionError> {
        self.value(condition).map(Value::is_true)
    }

    /// Returns the value of an expression.
    ///
    /// # Errors
    /// When it has none here.
    pub fn value(self, expression: &Expression) -> Result<Value, ExpressionError> {
        let quantity = self.quantity(expression)?;
        self.value_of(&quantity)
    }

    fn value_of(self, quantity: &Quantity) -> Result<Value, ExpressionError> {
        match *quantity {
            Quantity::Value(value) | Quantity::Register { value, .. } => Ok(value),
            Quantity::Place { memory, address, scalar } => Ok(self.read(memory, address, scalar)?.0),
            Quantity::Array { address, .. } => Ok(Value::new(Scalar::UNSIGNED_LONG, address)),
            Quantity::Structure { .. } => {
                Err(ExpressionError::Operands("a structure is not a number: add .MEMBER".into()))
            }
            Quantity::Index(index) => {
                Err(ExpressionError::Operands(format!("{} has three parts: add .x, .y or .z", shown(index))))
            }
        }
    }

    /// Reads a scalar from memory; also returns whether only a later step shows it.
    ///
    /// # Errors
    /// When the recording does not have it.
    pub fn read(self, memory: Memory, address: u64, scalar: Scalar) -> Result<(Value, bool), ExpressionError> {
        let bytes = scalar.bytes();
        let (mut bits, mut is_later) = (0, false);
        for at in (0..bytes).rev() {
            let byte = self.timeline.byte(memory, address.wrapping_add(at), self.position);
            let byte = byte.ok_or(ExpressionError::UnknownMemory { address, bytes })?;
            is_later |= matches!(byte, KnownByte::ReadLater(_));
            bits = bits << 8 | u64::from(byte.value());
        }
        Ok((Value::new(scalar, bits), is_later))
    }

    /// Returns what an expression stands for.
    ///
    /// # Errors
    /// When it stands for nothing here.
    pub fn quantity(self, expression: &Expression) -> Result<Quantity, ExpressionError> {
        match expression {
            Expression::Constant(value) => Ok(Quantity::Value(*value)),
            Expression::Name(name) => self.named(name),
            Expression::Cast(scalar, operand) => Ok(Quantity::Value(self.value(operand)?.cast(*scalar))),
            Expression::PointerCast(scalar, space, operand) => {
                let operand = self.quantity(operand)?;
                let Focus { block, warp, lane } = self.focus;
                let memory = match (space, &operand) {
                    (PointerSpace::Shared, _) => Memory::Block(block),
                    (PointerSpace::Local, _) => Memory::Lane(block, warp, lane),
                    (PointerSpace::Global, Quantity::Array { memory, .. }) => *memory,
                    (PointerSpace::Global, _) => Memory::Device,
                };
                let address = self.value_of(&operand)?.integer() as u64;
                Ok(Quantity::Array { name: String::new(), memory, address, scalar: Some(*scalar), bytes: None })
            }
            Expression::Dereference(operand) => element(self.quantity(operand)?, 0),
            Expression::Element(array, index) => {
                let index = self.value(index)?.integer() as i64;
                element(self.quantity(array)?, index)
            }
            Expression::Address(operand) => match self.quantity(operand)? {
                Quantity::Place { memory, address, scalar } => {
                    Ok(Quantity::Array { name: String::new(), memory, address, scalar: Some(scalar), bytes: None })
                }
                Quantity::Array { address, .. } => Ok(Quantity::Value(Value::new(Scalar::UNSIGNED_LONG, address))),
                _ => Err(ExpressionError::Operands("`&` needs something in memory".into())),
            },
            Expression::Unary(sign, operand) => unary(sign, self.value(operand)?).map(Quantity::Value),
            Expression::Binary(sign, left, right) => self.binary(sign, left, right),
        }
    }

    fn binary(self, sign: &str, left: &Expression, right: &Expression) -> Result<Quantity, ExpressionError> {
        // The second operand of these may have no value.
        let decides = match sign {
            "&&" => Some(false),
            "||" => Some(true),
            _ => None,
        };
        let left = self.quantity(left)?;
        if let Some(decides) = decides {
            let left = self.value_of(&left)?.is_true();
            let holds = if left == decides { left } else { self.value(right)?.is_true() };
            return Ok(Quantity::Value(Value::truth(holds)));
        }
        let right = self.value(right)?;
        if let (Quantity::Array { name, memory, address, scalar, .. }, "+" | "-") = (&left, sign) {
            let scalar = scalar.ok_or_else(|| ExpressionError::UntypedArray(name.clone()))?;
            let distance = (right.integer() as i64).wrapping_mul(scalar.bytes() as i64);
            let distance = if sign == "-" { distance.wrapping_neg() } else { distance };
            let (name, address) = (name.clone(), address.wrapping_add_signed(distance));
            return Ok(Quantity::Array { name, memory: *memory, address, scalar: Some(scalar), bytes: None });
        }
        arithmetic(sign, self.value_of(&left)?, right).map(Quantity::Value)
    }

    fn named(self, name: &str) -> Result<Quantity, ExpressionError> {
        let header = self.timeline.header();
        let [block, thread] = self.focus.indices(header);
        let number = |value: u64| Ok(Quantity::Value(Value::new(Scalar::UNSIGNED, value)));
        let (base, part) = name.split_once('.').map_or((name, None), |(base, part)| (base, Some(part)));
        let index = match base {
            "threadIdx" | "%tid" => Some(thread),
            "blockIdx" | "%ctaid" => Some(block),
            "blockDim" | "%ntid" => Some(header.block),
            "gridDim" | "%nctaid" => Some(header.grid),
            _ => None,
        };
        match (index, part) {
            (Some(index), None) => return Ok(Quantity::Index(index)),
            (Some([x, ..]), Some("x")) => return number(x.into()),
            (Some([_, y, _]), Some("y")) => return number(y.into()),
            (Some([.., z]), Some("z")) => return number(z.into()),
            _ => {}
        }
        match name {
            "%laneid" => return number(self.focus.lane as u64),
            "%warpid" => return number(self.focus.warp.into()),
            "warpSize" => return number(recording::LANES as u64),
            _ => {}
        }
        let (local, variable) = (self.local(name), self.variables.find(name));
        match (local, variable) {
            (Some(Err(_)) | None, Some(variable)) => return Ok(self.variable(name, variable)),
            (Some(local), _) => return local,
            (None, None) => {}
        }
        let function = self.function();
        let register = match name.strip_prefix(['%', '$']) {
            Some(bare) => self.timeline.register_named(function, &format!("%{}", bare.to_lowercase())),
            None => None,
        };
        let Some(register) = register else {
            let registers = header.registers.iter().filter(|register| register.function == function);
            let registers = registers.map(|register| register.name.as_str());
            let locals = self.locals().into_iter().map(|local| local.name.as_str());
            let variables = self.variables.names().chain(["threadIdx", "blockIdx"]);
            let mut known: Vec<&str> = locals.chain(variables).chain(registers).collect();
            // The kernel's parameters are among its local variables, too.
            let mut seen = HashSet::new();
            known.retain(|name| seen.insert(*name));
            return Err(ExpressionError::UnknownName { name: name.into(), suggestion: nearest(name, &known) });
        };
        let value = self.register(register).ok_or_else(|| ExpressionError::UnwrittenRegister(name.into()))?;
        Ok(Quantity::Register { register, value })
    }

    /// Returns the value of a register of the lane; `None` if no step has written it.
    pub fn register(self, register: u32) -> Option<Value> {
        let bits = self.timeline.register(self.focus, register, self.position)?;
        let bytes = u64::from(self.timeline.header().registers[register as usize].bytes);
        let is_float = self.timeline.is_float(register);
        let scalar = if bytes == 0 { Some(Scalar::Bool) } else { Scalar::from_size(bytes, is_float, true) };
        Some(Value::new(scalar.unwrap_or(Scalar::UNSIGNED_LONG), bits))
    }

    /// Returns the function in which the lane is.
    pub fn function(self) -> &'a str {
        let next = self.timeline.lane_after(self.focus, self.position).next();
        let step = next.or_else(|| self.timeline.lane_before(self.focus, self.position).next());
        step.map_or(&self.timeline.header().kernel_name, |step| &self.timeline.instruction(step).function)
    }

    fn variable(self, name: &str, variable: &Variable) -> Quantity {
        let name = name.to_owned();
        match *variable {
            Variable::Argument(value) => Quantity::Value(value),
            Variable::Pointer { address, scalar } => {
                Quantity::Array { name, memory: Memory::Device, address, scalar, bytes: None }
            }
            Variable::Shared { offset, bytes, scalar } => {
                let (memory, address) = (Memory::Block(self.focus.block), u64::from(offset));
                match scalar {
                    Some(scalar) if scalar.bytes() == u64::from(bytes) => Quantity::Place { memory, address, scalar },
                    _ => Quantity::Array { name, memory, address, scalar, bytes: Some(bytes.into()) },
                }
            }
        }
    }
}

/// Returns an element of an array.
fn element(array: Quantity, index: i64) -> Result<Quantity, ExpressionError> {
    let Quantity::Array { name, memory, address, scalar, .. } = array else {
        return Err(ExpressionError::Operands("only a pointer or an array has elements; cast it: *(float*)x".into()));
    };
    let scalar = scalar.ok_or(ExpressionError::UntypedArray(name))?;
    let address = address.wrapping_add_signed(index.wrapping_mul(scalar.bytes() as i64));
    Ok(Quantity::Place { memory, address, scalar })
}

fn unary(sign: &str, value: Value) -> Result<Value, ExpressionError> {
    match sign {
        "!" => Ok(Value::truth(!value.is_true())),
        "-" if value.scalar.is_float() => Ok(Value::from_float(value.scalar, -value.float())),
        "~" if value.scalar.is_float() => Err(ExpressionError::Operands("`~` needs an integer".into())),
        _ => {
            let scalar = wider(value.scalar, Scalar::INT);
            let integer = value.integer() as u64;
            Ok(Value::new(scalar, if sign == "-" { integer.wrapping_neg() } else { !integer }))
        }
    }
}

/// Returns the type that C computes in.
fn wider(a: Scalar, b: Scalar) -> Scalar {
    let rank = |scalar: Scalar| match scalar {
        Scalar::Double => 6,
        Scalar::Float => 5,
        Scalar::Integer { bytes: 8, is_signed } => 4 - u8::from(is_signed),
        Scalar::Integer { bytes: 4, is_signed: false } => 2,
        _ => 1,
    };
    let widest = if rank(a) >= rank(b) { a } else { b };
    if rank(widest) == 1 { Scalar::INT } else { widest }
}

fn arithmetic(sign: &str, left: Value, right: Value) -> Result<Value, ExpressionError> {
    let scalar = wider(left.scalar, right.scalar);
    if scalar.is_float() {
        let (a, b) = (left.float(), right.float());
        let result = match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            "==" => return Ok(Value::truth(a == b)),
            "!=" => return Ok(Value::truth(a != b)),
            "<" => return Ok(Value::truth(a < b)),
            "<=" => return Ok(Value::truth(a <= b)),
            ">" => return Ok(Value::truth(a > b)),
            ">=" => return Ok(Value::truth(a >= b)),
            _ => return Err(ExpressionError::Operands(format!("`{sign}` needs integers"))),
        };
        return Ok(Value::from_float(scalar, result));
    }
    let (a, b) = (left.cast(scalar).integer(), right.cast(scalar).integer());
    if matches!(sign, "/" | "%") && b == 0 {
        return Err(ExpressionError::Operands("division by zero".into()));
    }
    let shift = (b & 63) as u32;
    let result = match sign {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a / b,
        "%" => a % b,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a << shift,
        ">>" => a >> shift,
        "==" => return Ok(Value::truth(a == b)),
        "!=" => return Ok(Value::truth(a != b)),
        "<" => return Ok(Value::truth(a < b)),
        "<=" => return Ok(Value::truth(a <= b)),
        ">" => return Ok(Value::truth(a > b)),
        _ => return Ok(Value::truth(a >= b)),
    };
    Ok(Value::new(scalar, result as u64))
}
