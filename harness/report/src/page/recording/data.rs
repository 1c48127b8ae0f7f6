//! The data of the page: the recording as JSON, deflated, in base64.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use recording::{Access, Event, Header, Lanes, Recording, Space, Step, float_registers, lanes_of};
use serde_json::{Value, json};

/// The bytes of JSON that a browser steps through without delay.
const MOST_JSON: usize = 16 << 20;
/// The largest integer that a number of JavaScript represents together with all smaller ones.
const LARGEST_NUMBER: u64 = 1 << 53;

/// Returns the data of a recording in at most `room` characters, and the number of steps in it.
pub fn packed(recording: &Recording, room: usize) -> (String, usize) {
    let head = head(&recording.header).to_string();
    let mut steps = Vec::new();
    let mut length = head.len();
    for step in &recording.steps {
        let text = step_json(step).to_string();
        length += text.len() + 1;
        if length > MOST_JSON {
            break;
        }
        steps.push(text);
    }
    loop {
        let text = format!("{{\"launch\":{head},\"steps\":[{}]}}", steps.join(","));
        let data = base64(&deflated(text.as_bytes()));
        if data.len() <= room || steps.is_empty() {
            return (data, steps.len());
        }
        let share = room as f64 / data.len() as f64;
        steps.truncate((steps.len() as f64 * share * 0.95) as usize);
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let all = (0..3).fold(0u32, |all, at| all << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for digit in 0..4 {
            let is_there = digit <= three.len();
            let at = (all >> (18 - 6 * digit) & 63) as usize;
            text.push(if is_there { char::from(DIGITS[at]) } else { '=' });
        }
    }
    text
}

/// Returns what the page needs of the header.
fn head(header: &Header) -> Value {
    let floats = float_registers(header);
    let line = |line: &recording::SourceLine| json!([line.file, line.line]);
    json!({
        "block": header.block,
        "blocks": [header.blocks.first, header.blocks.last],
        "sharedBytes": header.shared_bytes,
        "shared": header.shared.iter().map(|var| json!([var.name, var.offset, var.bytes])).collect::<Vec<_>>(),
        "allocations": header.allocations.iter()
            .map(|of| json!([of.name, number(of.start), of.bytes])).collect::<Vec<_>>(),
        "sources": header.sources.iter().map(|file| json!([file.name, file.text])).collect::<Vec<_>>(),
        "code": header.instructions.iter().map(|instruction| {
            let callers: Vec<Value> = instruction.callers.iter().map(line).collect();
            json!([instruction.text, instruction.ptx_line, instruction.source.as_ref().map(line), callers])
        }).collect::<Vec<_>>(),
        "registers": header.registers.iter().zip(floats)
            .map(|(register, is_float)| json!([register.name, register.bytes, u8::from(is_float)])).collect::<Vec<_>>(),
        "findings": header.findings.iter().map(|finding| json!([finding.title, finding.text])).collect::<Vec<_>>(),
    })
}

/// Returns a step as a list. The script names its parts.
fn step_json(step: &Step) -> Value {
    let changes: Vec<Value> =
        step.changes.iter().map(|change| json!([change.register, values(&change.values, step.mask)])).collect();
    let (event, number) = match step.event {
        Event::None => ("", 0),
        Event::Diverge => ("diverge", 0),
        Event::WaitAtBarrier(number) => ("wait", number),
        Event::WaitForLanes => ("lanes", 0),
        Event::WaitForPhase => ("phase", 0),
        Event::WaitForCluster => ("cluster", 0),
        Event::Retry => ("retry", 0),
        Event::Released => ("release", 0),
        Event::Passed => ("pass", 0),
        Event::Exit => ("exit", 0),
        Event::Fault => ("fault", 0),
    };
    json!([
        step.block,
        step.warp,
        step.instruction,
        step.mask,
        event,
        number,
        u8::from(step.reconverged),
        changes,
        step.access.as_ref().map(|access| access_json(access, step.mask)),
        step.finding,
    ])
}

fn access_json(access: &Access, mask: u32) -> Value {
    let kind = match access.kind {
        recording::AccessKind::Load => "load",
        recording::AccessKind::Store => "store",
        recording::AccessKind::Atomic => "atomic",
    };
    let space = match access.space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
        Space::Parameter => "param",
        Space::Constant => "const",
    };
    let elements: Vec<Value> = access.elements.iter().map(|element| values(element, mask)).collect();
    json!([kind, space, access.bytes, values(&access.addresses, mask), elements, access.traffic, access.ideal])
}

/// Returns the values of the lanes of a mask: one value if it is that of all, or the list.
fn values(values: &Lanes, mask: u32) -> Value {
    let mut all = lanes_of(mask).map(|lane| values[lane]);
    match all.next() {
        Some(first) if all.all(|value| value == first) => number(first),
        _ => lanes_of(mask).map(|lane| number(values[lane])).collect(),
    }
}

/// Returns a number, as text if JavaScript has none that is exact.
fn number(value: u64) -> Value {
    if value < LARGEST_NUMBER { json!(value) } else { json!(format!("{value:#x}")) }
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in known {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
