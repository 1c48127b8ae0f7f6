//! The kernel's arguments and its variables in shared memory. A recording has their values and places. Their names and
//! types come from the kernel's declaration in the source; a type that is not there, from the first access.

use recording::{AccessKind, Allocation, Header, Space, Step, lanes_of};

use crate::scalar::{Scalar, Value};
use crate::timeline::Timeline;

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// An argument that is a number.
    Argument(Value),
    /// An argument that is a pointer.
    Pointer {
        /// The address.
        address: u64,
        /// The type of what it points to, if it is known.
        scalar: Option<Scalar>,
    },
    /// A variable in shared memory.
    Shared {
        /// Its offset.
        offset: u32,
        /// Its bytes.
        bytes: u32,
        /// The type of its elements, if it is known.
        scalar: Option<Scalar>,
    },
}

/// The variables of a kernel, with their names.
#[derive(Clone, Debug, Default)]
pub struct Variables(Vec<(String, Variable)>);

impl Variables {
    /// Returns the variables of the recorded kernel.
    pub fn new(timeline: &Timeline) -> Self {
        let header = timeline.header();
        let declared = declaration(header);
        let mut variables = Vec::new();
        for (number, argument) in header.arguments.iter().enumerate() {
            let parameter = declared.as_ref().and_then(|list| list.get(number));
            let name = parameter.and_then(|parameter| parameter.name.clone());
            let name = name.unwrap_or_else(|| format!("arg{}", number + 1));
            let bits = argument.value.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            let is_pointer = match parameter {
                Some(parameter) => parameter.is_pointer,
                None => allocation_of(header, bits).is_some(),
            };
            let scalar = parameter.and_then(|parameter| parameter.scalar);
            let size = argument.value.len() as u64;
            let variable = if is_pointer && size == 8 {
                Variable::Pointer { address: bits, scalar }
            } else {
                let scalar = scalar.filter(|scalar| scalar.bytes() == size);
                let Some(scalar) = scalar.or_else(|| Scalar::from_size(size, false, true)) else { continue };
                Variable::Argument(Value::new(scalar, bits))
            };
            variables.push((name, variable));
        }
        for shared in &header.shared {
            let bytes =
                if shared.bytes == 0 { header.shared_bytes.saturating_sub(shared.offset) } else { shared.bytes };
            let variable = Variable::Shared { offset: shared.offset, bytes, scalar: None };
            variables.push((shared.name.clone(), variable));
        }
        infer_types(timeline, &mut variables);
        Self(variables)
    }

    /// Returns the variable of this name.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, variable)| variable)
    }

    /// Returns the names of all variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Returns the allocation that an address belongs to.
pub fn allocation_of(header: &Header, address: u64) -> Option<&Allocation> {
    let is_inside = |of: &&Allocation| address.checked_sub(of.start).is_some_and(|offset| offset < of.bytes);
    header.allocations.iter().find(is_inside)
}

/// Fills in the types of elements that are not known, from the first access to each.
fn infer_types(timeline: &Timeline, variables: &mut [(String, Variable)]) {
    let header = timeline.header();
    let mut missing: Vec<(bool, u64, u64, &mut Option<Scalar>)> = Vec::new();
    for (_, variable) in variables {
        match variable {
            Variable::Pointer { address, scalar } if scalar.is_none() => {
                let end = allocation_of(header, *address).map_or(*address, |of| of.start.saturating_add(of.bytes));
                missing.push((false, *address, end, scalar));
            }
            Variable::Shared { offset, bytes, scalar } => {
                missing.push((true, u64::from(*offset), u64::from(*offset) + u64::from(*bytes), scalar));
            }
            _ => {}
        }
    }
    for (number, step) in timeline.steps().iter().enumerate() {
        if missing.is_empty() {
            break;
        }
        let Some((access, lane)) = step.access.as_ref().zip(lanes_of(step.mask).next()) else { continue };
        let is_shared = match access.space {
            Space::Global => false,
            Space::Shared => true,
            _ => continue,
        };
        let address = access.addresses[lane];
        missing.retain_mut(|(of_shared, start, end, scalar)| {
            if *of_shared == is_shared && (*start..*end).contains(&address) {
                **scalar = accessed_type(timeline, number, step);
            }
            scalar.is_none()
        });
    }
}

/// Returns the type of the elements that a step accesses.
fn accessed_type(timeline: &Timeline, number: usize, step: &Step) -> Option<Scalar> {
    let access = step.access.as_ref()?;
    let bytes = u64::from(access.bytes) / access.elements.len().max(1) as u64;
    let instruction = timeline.instruction(number);
    let opcode = instruction.text.split_whitespace().find(|word| !word.starts_with('@'))?;
    let suffix = opcode.rsplit('.').next().unwrap_or_default();
    let is_float_register = |name: &str| {
        let register = timeline.register_named(&instruction.function, name);
        register.is_some_and(|register| timeline.is_float(register))
    };
    let is_float = suffix.starts_with('f')
        || if access.kind == AccessKind::Load {
            step.changes.first().is_some_and(|change| timeline.is_float(change.register))
        } else {
            let stored = instruction.text.rsplit([',', '{', '}', ';', ' ', '\t']);
            stored.filter(|word| word.starts_with('%')).take(1).any(is_float_register)
        };
    Scalar::from_size(bytes, is_float, !suffix.starts_with('u'))
}

/// A parameter of the kernel's declaration.
struct Parameter {
    name: Option<String>,
    is_pointer: bool,
    scalar: Option<Scalar>,
}

/// Returns the parameters of the kernel as its source declares them; `None` if no declaration is found.
fn declaration(header: &Header) -> Option<Vec<Parameter>> {
    let name = header.kernel_name.split(['(', '<']).next()?;
    let name = name.rsplit([':', ' ']).next()?;
    let texts = header.sources.iter().filter_map(|source| source.text.as_deref());
    let list = texts.flat_map(|text| declarations(text, name)).find(|list| list.len() == header.arguments.len())?;
    Some(list)
}

/// Returns the lists of parameters of the kernels with this name in a source.
fn declarations<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Vec<Parameter>> + 'a {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        let is_whole = !before.ends_with(is_part) && after.starts_with('(');
        let start = before.rfind([';', '}', '{']).map_or(0, |end| end + 1);
        if !is_whole || !before[start..].contains("__global__") {
            return None;
        }
        let inner = &after[1..];
        let mut depth = 0i32;
        let end = inner.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth < 0
        })?;
        let mut depth = 0i32;
        let list = inner[..end].split(|c| {
            depth += i32::from(matches!(c, '<' | '(')) - i32::from(matches!(c, '>' | ')'));
            c == ',' && depth == 0
        });
        Some(list.filter(|text| !text.trim().is_empty()).map(parameter).collect())
    })
}

/// Parses a parameter such as `const float* __restrict__ x`.
fn parameter(text: &str) -> Parameter {
    let is_pointer = text.contains(['*', '[']);
    let text = text.split(['=', '[']).next().unwrap_or_default();
    let mut words: Vec<&str> = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':'))).collect();
    words
        .retain(|word| !matches!(*word, "" | "const" | "volatile" | "__restrict__" | "__grid_constant__" | "restrict"));
    let scalar_of = |words: &[&str]| {
        let words: Vec<&str> = words.iter().map(|word| word.trim_start_matches("std::")).collect();
        Scalar::from_words(&words)
    };
    // A parameter without a name is its type alone.
    if scalar_of(&words).is_some() || words.len() < 2 {
        return Parameter { name: None, is_pointer, scalar: scalar_of(&words) };
    }
    let name = words.pop().map(str::to_owned);
    let pointers = text.matches('*').count();
    let scalar = if pointers > 1 { Some(Scalar::UNSIGNED_LONG) } else { scalar_of(&words) };
    Parameter { name, is_pointer, scalar }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_of_the_kernel_s_declaration() {
        let text = "void sum(int);\n__device__ int presum(int a);\nextern \"C\" __global__ void\n\
                    sum(const float* __restrict__ x, unsigned long long n, Pair<int, 2> pair, T *out, bool) {\n  sum(1);\n}";
        let lists: Vec<_> = declarations(text, "sum").collect();
        assert_eq!(lists.len(), 1);
        let [x, n, pair, out, last] = lists[0].as_slice() else { panic!("{} parameters", lists[0].len()) };
        assert_eq!((x.name.as_deref(), x.is_pointer, x.scalar), (Some("x"), true, Some(Scalar::Float)));
        assert_eq!((n.name.as_deref(), n.is_pointer, n.scalar), (Some("n"), false, Some(Scalar::UNSIGNED_LONG)));
        assert_eq!((pair.name.as_deref(), pair.scalar), (Some("pair"), None));
        assert_eq!((out.name.as_deref(), out.is_pointer, out.scalar), (Some("out"), true, None));
        assert_eq!((last.name.as_deref(), last.scalar), (None, Some(Scalar::Bool)));
    }
}
