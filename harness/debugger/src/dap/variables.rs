//! Scopes and variables of a lane.

use recording::{Field, LANES};
use serde_json::{Value, json};

use crate::expression::{ExpressionError, Quantity, Scope, ValueFormat, parse};
use crate::focus::Focus;
use crate::scalar::Scalar;
use crate::session::Session;
use crate::timeline::Memory;
use crate::variables::allocation_of;

/// The most elements that are shown at a time.
const MOST_ELEMENTS: u64 = 1000;

/// What a reference to variables stands for.
#[derive(Clone, Copy, Debug)]
pub enum Reference {
    /// The registers of a lane.
    Registers(Focus),
    /// The indices of the thread, and the sizes of the launch.
    Indices(Focus),
    /// The local variables that are in scope.
    Locals(Focus),
    /// The members of a structure, by its address and type.
    Members(Focus, Memory, u64, u32),
    /// The kernel's arguments and shared variables.
    Variables(Focus),
    /// The registers of all lanes of the warp.
    Lanes(Focus),
    /// A register in all lanes.
    RegisterLanes(Focus, u32),
    /// The elements of an array.
    Elements(Focus, Memory, u64, Scalar, u64),
}

/// The references that a client has since the last stop.
#[derive(Default)]
pub struct References(Vec<Reference>);

impl References {
    /// Forgets all references.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, reference: Reference) -> usize {
        self.0.push(reference);
        self.0.len()
    }

    /// Returns what a reference stands for.
    pub fn get(&self, reference: u64) -> Option<Reference> {
        self.0.get(usize::try_from(reference).ok()?.checked_sub(1)?).copied()
    }

    /// Returns the scopes of a lane.
    pub fn scopes(&mut self, focus: Focus, has_locals: bool) -> Value {
        let mut scope = |name: String, reference| json!({"name": name, "variablesReference": self.add(reference), "expensive": false});
        let locals = has_locals.then(|| scope("Locals".into(), Reference::Locals(focus)));
        let others = [
            scope("Arguments and shared memory".into(), Reference::Variables(focus)),
            scope(format!("Registers of lane {}", focus.lane), Reference::Registers(focus)),
            scope("Thread and launch".into(), Reference::Indices(focus)),
            scope("Registers of all lanes".into(), Reference::Lanes(focus)),
        ];
        locals.into_iter().chain(others).collect()
    }

    /// Returns a quantity as a variable: value, type, and a reference to its elements.
    pub fn value(&mut self, scope: Scope<'_>, quantity: &Quantity) -> Result<Value, String> {
        let printed = scope.printed(quantity, ValueFormat::Natural).map_err(|error| error.to_string())?;
        let (mut reference, mut count) = (0, 0);
        if let Quantity::Array { memory, address, scalar: Some(scalar), bytes, .. } = *quantity {
            let allocation = allocation_of(scope.timeline.header(), address).filter(|_| memory == Memory::Device);
            let rest = allocation.map(|of| of.start.saturating_add(of.bytes).saturating_sub(address));
            count = bytes.or(rest).unwrap_or(0) / scalar.bytes();
            if count > 0 {
                reference = self.add(Reference::Elements(scope.focus, memory, address, scalar, count));
            }
        }
        if let Quantity::Structure { memory, address, type_index } = *quantity {
            reference = self.add(Reference::Members(scope.focus, memory, address, type_index));
        }
        Ok(json!({
            "value": printed.text, "type": printed.type_name, "variablesReference": reference, "indexedVariables": count
        }))
    }

    /// Returns a named quantity as a variable; one without a value as the reason for that.
    fn row(&mut self, scope: Scope<'_>, name: &str, quantity: Result<Quantity, ExpressionError>) -> Value {
        let value = quantity.map_err(|error| error.to_string()).and_then(|quantity| self.value(scope, &quantity));
        let mut row = value.unwrap_or_else(|error| json!({"value": format!("<{error}>"), "variablesReference": 0}));
        row["name"] = name.into();
        row["evaluateName"] = name.into();
        row
    }

    /// Returns the variables behind a reference, from one of its elements on.
    pub fn variables(&mut self, session: &Session, of: Reference, start: u64, count: u64) -> Vec<Value> {
        let scope = |focus| Scope { focus, ..session.scope() };
        let header = session.timeline().header();
        let leaf = |name: String, value: String, type_name: String| json!({"evaluateName": name, "name": name, "value": value, "type": type_name, "variablesReference": 0});
        match of {
            Reference::Registers(focus) => written(scope(focus))
                .map(|(register, value)| {
                    let name = header.registers[register as usize].name.clone();
                    leaf(name, value.to_string(), value.scalar.to_string())
                })
                .collect(),
            Reference::Indices(focus) => ["threadIdx", "blockIdx", "blockDim", "gridDim"]
                .into_iter()
                .filter_map(|name| {
                    let printed = scope(focus).print(name, ValueFormat::Natural).ok()?;
                    Some(leaf(name.into(), printed.text, printed.type_name))
                })
                .collect(),
            Reference::Locals(focus) => {
                let locals = scope(focus).locals().into_iter();
                locals.map(|local| self.row(scope(focus), &local.name, scope(focus).local_value(local))).collect()
            }
            Reference::Members(focus, memory, address, type_index) => {
                let fields = scope(focus).fields(type_index).iter();
                let row = |field: &Field| {
                    let at = address.wrapping_add(field.offset.into());
                    let quantity = scope(focus).typed(&field.name, memory, at, field.type_index);
                    let mut row = self.row(scope(focus), &field.name, quantity);
                    // A member has no expression without its structure.
                    row["evaluateName"] = Value::Null;
                    row
                };
                fields.map(row).collect()
            }
            Reference::Variables(focus) => {
                let mut rows = Vec::new();
                for name in session.variables().names() {
                    let found = parse(name).ok().and_then(|(parsed, _)| scope(focus).quantity(&parsed).ok());
                    let Some(Ok(mut row)) = found.map(|quantity| self.value(scope(focus), &quantity)) else { continue };
                    row["name"] = name.into();
                    row["evaluateName"] = name.into();
                    rows.push(row);
                }
                rows
            }
            Reference::Lanes(focus) => {
                let mut rows = Vec::new();
                for (register, _) in written(scope(focus)) {
                    let reference = self.add(Reference::RegisterLanes(focus, register));
                    let name = &header.registers[register as usize].name;
                    rows.push(
                        json!({"name": name, "value": "", "variablesReference": reference, "indexedVariables": LANES}),
                    );
                }
                rows
            }
            Reference::RegisterLanes(focus, register) => (0..LANES)
                .map(|lane| {
                    let value = scope(Focus { lane, ..focus }).register(register);
                    let text = value.map_or_else(|| "?".into(), |value| value.to_string());
                    json!({"name": format!("lane {lane}"), "value": text, "variablesReference": 0})
                })
                .collect(),
            Reference::Elements(focus, memory, address, scalar, all) => {
                let end = all.min(start.saturating_add(count.min(MOST_ELEMENTS)));
                (start..end)
                    .map(|at| {
                        let address = address.wrapping_add(at * scalar.bytes());
                        let quantity = Quantity::Place { memory, address, scalar };
                        let printed = scope(focus).printed(&quantity, ValueFormat::Natural);
                        let text = printed.map_or_else(|_| "?".into(), |printed| printed.text);
                        let name = format!("[{at}]");
                        let expression = element(memory, address, scalar);
                        json!({
                            "name": name, "evaluateName": expression, "value": text, "type": scalar.to_string(),
                            "variablesReference": 0
                        })
                    })
                    .collect()
            }
        }
    }
}

/// Returns the expression of a scalar in memory.
pub fn element(memory: Memory, address: u64, scalar: Scalar) -> String {
    let space = match memory {
        Memory::Device => "",
        Memory::Block(_) => "@shared ",
        Memory::Lane(..) => "@local ",
    };
    format!("*({space}{scalar}*){address:#x}")
}

/// Returns the registers of the lane's function that a step has written, with their values.
fn written(scope: Scope<'_>) -> impl Iterator<Item = (u32, crate::scalar::Value)> {
    crate::terminal::written_registers(scope)
}
