//! Local variables at a position, where the kernel's debug information (`-G`) describes them.

use recording::{LocalVariable, ScalarEncoding, VariableLocation, VariableType};

use crate::expression::{ExpressionError, Quantity, Scope};
use crate::scalar::{Scalar, Value};
use crate::timeline::Memory;

/// The most arrays that an array may consist of, one in another.
const MOST_DIMENSIONS: usize = 16;

impl<'a> Scope<'a> {
    /// Returns the local variables that are in scope, each name once: that of the innermost block.
    pub fn locals(self) -> Vec<&'a LocalVariable> {
        let function = self.function();
        let Some(line) = self.ptx_line() else { return Vec::new() };
        let variables = self.timeline.header().variables.iter();
        let mut found: Vec<&LocalVariable> = Vec::new();
        // An inner block follows the one around it.
        for variable in variables.filter(|of| of.function == function && of.scope.contains(line)) {
            match found.iter_mut().find(|outer| outer.name == variable.name) {
                Some(outer) => *outer = variable,
                None => found.push(variable),
            }
        }
        found
    }

    /// Returns the line in the PTX of the instruction that the lane executes next, or of its last one.
    fn ptx_line(self) -> Option<u32> {
        let next = self.timeline.lane_after(self.focus, self.position).next();
        let step = next.or_else(|| self.timeline.lane_before(self.focus, self.position).next())?;
        Some(self.timeline.instruction(step).ptx_line)
    }

    /// Returns the local variable of a name such as `pair`, or the member that one such as `pair.key` names; `None` if
    /// there is no such variable.
    pub fn local(self, name: &str) -> Option<Result<Quantity, ExpressionError>> {
        let mut parts = name.split('.');
        let first = parts.next()?;
        let variable = self.locals().into_iter().find(|variable| variable.name == first)?;
        let whole = self.local_value(variable);
        Some(parts.fold(whole, |structure, member| self.member(&structure?, member)))
    }

    /// Returns what a local variable stands for.
    ///
    /// # Errors
    /// When it has no value here.
    pub fn local_value(self, variable: &LocalVariable) -> Result<Quantity, ExpressionError> {
        let no_value = |reason: &str| ExpressionError::LocalWithoutValue(variable.name.clone(), reason.into());
        let line = self.ptx_line().unwrap_or(0);
        let place = variable.places.iter().find(|place| place.range.contains(line));
        let place = place.ok_or_else(|| no_value("the compiler keeps it nowhere at this line"))?;
        let header = self.timeline.header();
        let of = &header.types[variable.type_index as usize];
        let register = |name: &str| {
            let register = self.timeline.register_named(&variable.function, name);
            let bits = register.and_then(|at| Some((at, self.timeline.register(self.focus, at, self.position)?)));
            bits.ok_or_else(|| no_value("it is not set yet"))
        };
        match &place.location {
            VariableLocation::Register(name) => {
                let (register, bits) = register(name)?;
                match scalar_of(of) {
                    Some(scalar) => Ok(Quantity::Register { register, value: Value::new(scalar, bits) }),
                    None => self.of_bits(&variable.name, of, bits),
                }
            }
            VariableLocation::Local { base, offset } => {
                let address = register(base)?.1.wrapping_add(u64::from(*offset));
                let memory = Memory::Lane(self.focus.block, self.focus.warp, self.focus.lane);
                self.typed(&variable.name, memory, address, variable.type_index)
            }
            VariableLocation::Shared { name, offset } => {
                let known = header.shared.iter().find(|shared| shared.name == *name);
                let start = known.ok_or_else(|| no_value("its place in shared memory is not recorded"))?.offset;
                let address = u64::from(start) + u64::from(*offset);
                self.typed(&variable.name, Memory::Block(self.focus.block), address, variable.type_index)
            }
            VariableLocation::Argument { index, offset } => {
                let argument = header.arguments.get(*index as usize);
                let bytes = argument.and_then(|argument| argument.value.get(*offset as usize..));
                let bytes = bytes.ok_or_else(|| no_value("the kernel has no such argument"))?;
                let bits = bytes.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                self.of_bits(&variable.name, of, bits)
            }
            VariableLocation::Unknown(reason) => Err(no_value(reason)),
        }
    }

    /// Returns the scalar or pointer of these bits.
    fn of_bits(self, name: &str, of: &VariableType, bits: u64) -> Result<Quantity, ExpressionError> {
        match (of, scalar_of(of)) {
            (_, Some(scalar)) => Ok(Quantity::Value(Value::new(scalar, bits))),
            (VariableType::Pointer(to), _) => Ok(self.pointer(name, *to, bits)),
            _ => {
                let reason = "only numbers and pointers are shown outside of memory".into();
                Err(ExpressionError::LocalWithoutValue(name.into(), reason))
            }
        }
    }

    fn pointer(self, name: &str, to: Option<u32>, address: u64) -> Quantity {
        let scalar = to.and_then(|to| scalar_of(&self.timeline.header().types[to as usize]));
        Quantity::Array { name: name.into(), memory: Memory::Device, address, scalar, bytes: None }
    }

    /// Returns what a type and an address stand for.
    ///
    /// # Errors
    /// When it is a pointer that the recording does not know, or a type that cannot be shown.
    pub fn typed(self, name: &str, memory: Memory, address: u64, type_index: u32) -> Result<Quantity, ExpressionError> {
        let types = &self.timeline.header().types;
        let of = &types[type_index as usize];
        if let Some(scalar) = scalar_of(of) {
            return Ok(Quantity::Place { memory, address, scalar });
        }
        let no_value = |reason: &str| ExpressionError::LocalWithoutValue(name.into(), reason.into());
        match of {
            VariableType::Pointer(to) => {
                let (value, _) = self.read(memory, address, Scalar::UNSIGNED_LONG)?;
                Ok(self.pointer(name, *to, value.bits))
            }
            VariableType::Structure { .. } => Ok(Quantity::Structure { memory, address, type_index }),
            VariableType::Array { .. } => {
                let (mut of, mut count) = (of, 1u64);
                for _ in 0..MOST_DIMENSIONS {
                    let VariableType::Array { element, count: elements } = of else { break };
                    count = count.saturating_mul(*elements);
                    of = &types[*element as usize];
                }
                let scalar = match of {
                    VariableType::Pointer(_) => Some(Scalar::UNSIGNED_LONG),
                    of => scalar_of(of),
                };
                let scalar = scalar.ok_or_else(|| no_value("its elements are not numbers"))?;
                let bytes = Some(count.saturating_mul(scalar.bytes()));
                Ok(Quantity::Array { name: name.into(), memory, address, scalar: Some(scalar), bytes })
            }
            VariableType::Other(name) => Err(no_value(&format!("its type `{name}` cannot be shown"))),
            VariableType::Scalar { .. } => Err(no_value("numbers of its size cannot be shown")),
        }
    }

    /// Returns the member of a structure.
    fn member(self, structure: &Quantity, member: &str) -> Result<Quantity, ExpressionError> {
        let Quantity::Structure { memory, address, type_index } = *structure else {
            return Err(ExpressionError::Operands(format!("only a structure has a member `{member}`")));
        };
        let fields = self.fields(type_index);
        let found = fields.iter().find(|field| field.name == member);
        let found = found.ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            ExpressionError::Operands(format!("there is no member `{member}`; there are: {}", names.join(", ")))
        })?;
        self.typed(member, memory, address.wrapping_add(found.offset.into()), found.type_index)
    }

    /// Returns the members of a structure; none of another type.
    pub fn fields(self, type_index: u32) -> &'a [recording::Field] {
        match &self.timeline.header().types[type_index as usize] {
            VariableType::Structure { fields, .. } => fields,
            _ => &[],
        }
    }
}

/// Returns the scalar that a type is.
fn scalar_of(of: &VariableType) -> Option<Scalar> {
    let VariableType::Scalar { encoding, bytes } = *of else { return None };
    let bytes = u64::from(bytes);
    match encoding {
        ScalarEncoding::Bool => (bytes == 1).then_some(Scalar::Bool),
        ScalarEncoding::Float => Scalar::from_size(bytes, true, true).filter(|scalar| scalar.is_float()),
        ScalarEncoding::Signed => Scalar::from_size(bytes, false, true),
        ScalarEncoding::Unsigned => Scalar::from_size(bytes, false, false),
    }
}
