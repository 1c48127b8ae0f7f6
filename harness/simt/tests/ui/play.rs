//! Runs a case and writes its outcome as text.

use crate::case::{Argument, Case, Contents};
use crate::values::{self, bytes_of, encode};
use gpu::Part;
use simt::finding::{Finding, Findings};
use simt::machine::{Fault, Geometry, Launch, Module, Settings, run};
use simt::memory::{Memory, MemoryKind, View};
use simt::report::{self, Sources};
use std::fmt::Write as _;
use std::sync::Arc;

/// The outcome of a case.
pub struct Play {
    /// Values, prints and findings, with addresses shown as buffer and offset.
    pub text: String,
    pub findings: Vec<Finding>,
    pub fault: Option<Fault>,
}

/// A buffer of a case.
struct Made {
    name: String,
    ty: String,
    count: usize,
    address: u64,
    contents: Contents,
    /// The memory of a buffer of the host.
    _host: Vec<u64>,
}

struct Bench {
    memory: Arc<Memory>,
    buffers: Vec<Made>,
}

impl Bench {
    fn make(&mut self, name: &str, ty: &str, count: usize, contents: Contents) -> u64 {
        let each = bytes_of(ty);
        let bytes = (count * each) as u64;
        let mut host = Vec::new();
        let address = if contents == Contents::Host {
            host = vec![0u64; (bytes as usize).div_ceil(8)];
            host.as_ptr() as u64
        } else {
            let at = self.memory.alloc(bytes, 256, MemoryKind::Device, name).expect("the buffer fits");
            let to = self.memory.host(at, bytes).expect("it is there");
            // SAFETY: inside the allocation, which nothing else uses.
            unsafe {
                to.copy_from_nonoverlapping(contents.bytes(ty, count).as_ptr(), count * each);
            }
            if contents != Contents::Raw {
                self.memory.wrote(at, bytes);
            }
            at
        };
        self.buffers.push(Made { name: name.into(), ty: ty.into(), count, address, contents, _host: host });
        address
    }

    fn argument(&mut self, argument: &Argument, size: u32) -> Vec<u8> {
        match argument {
            Argument::Null => vec![0; size as usize],
            Argument::Int(value) => value.to_le_bytes()[..size as usize].into(),
            Argument::Float(value) if size == 4 => encode("f32", *value),
            Argument::Float(value) => encode("f64", *value),
            Argument::New { name, ty, count, contents } => self.make(name, ty, *count, *contents).to_le_bytes().into(),
            Argument::Known { name, offset } => {
                let known = self.buffers.iter().find(|b| b.name == *name);
                let known = known.unwrap_or_else(|| panic!("no buffer `{name}` yet"));
                known.address.wrapping_add_signed(*offset).to_le_bytes().into()
            }
        }
    }

    /// Describes the contents of the buffers that kernels may have written.
    fn values(&self) -> String {
        let mut out = String::new();
        for b in &self.buffers {
            let bytes = b.count * bytes_of(&b.ty);
            let Ok(at) = self.memory.host(b.address, bytes as u64) else {
                continue;
            };
            // SAFETY: a live allocation of that size, which no kernel uses now.
            let bytes = unsafe { std::slice::from_raw_parts(at, bytes) };
            out.push_str(&values::line(&b.name, &b.ty, bytes));
        }
        out
    }

    /// Replaces addresses in a text by buffers and offsets, since they differ from run to run.
    fn named(&self, text: &str, view: &View) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("0x") {
            let (before, from) = rest.split_at(at);
            let digits = from[2..].find(|c: char| !c.is_ascii_hexdigit());
            let end = digits.map_or(from.len(), |n| n + 2);
            let (number, after) = from.split_at(end);
            out.push_str(before);
            match u64::from_str_radix(&number[2..], 16) {
                Ok(value) if value > u64::from(u32::MAX) => out.push_str(&self.name(value, view)),
                _ => out.push_str(number),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn name(&self, address: u64, view: &View) -> String {
        let made = self.buffers.iter().map(|b| (b.address, b.name.clone()));
        let known = view.ranges().iter();
        let known = known.filter_map(|r| Some((r.start, view.label(r.id)?.to_owned())));
        let near = made.chain(known).min_by_key(|(start, _)| start.abs_diff(address));
        match near {
            Some((start, name)) if start == address => format!("<{name}>"),
            Some((start, name)) if address > start && address - start < 1 << 32 => {
                format!("<{name}+{:#x}>", address - start)
            }
            Some((start, name)) if start > address && start - address < 1 << 20 => {
                format!("<{name}-{:#x}>", start - address)
            }
            _ => "<elsewhere>".into(),
        }
    }
}

/// Runs a case.
pub fn play(case: &Case, settings: &Settings) -> Play {
    let memory = Arc::new(Memory::new(1 << 30));
    memory.track_writes(true);
    let profile = Part::default_part();
    let module = Module::load(&case.ptx, &memory, profile).unwrap_or_else(|e| panic!("{}: {e}", case.name()));
    let mut bench = Bench { memory: Arc::clone(&memory), buffers: Vec::new() };
    let mut findings = Findings::default();
    let mut fault = None;
    let (mut printed, mut asserted) = (Vec::new(), Vec::new());
    for launched in &case.launches {
        let kernel = module
            .kernel(&launched.kernel)
            .unwrap_or_else(|| panic!("{}: no kernel `{}`", case.name(), launched.kernel));
        assert_eq!(kernel.params.len(), launched.arguments.len(), "arguments of {} in {}", kernel.name, case.name());
        let mut params = vec![0; kernel.param_bytes as usize];
        for (argument, param) in launched.arguments.iter().zip(&kernel.params) {
            let bytes = bench.argument(argument, param.size);
            params[param.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        for b in &mut bench.buffers {
            if b.contents == Contents::Freed {
                let _ = memory.free(b.address);
            }
        }
        let launch = Launch {
            kernel,
            geometry: Geometry {
                dynamic_shared: launched.shared,
                cooperative: case.cooperative(),
                ..Geometry::new(launched.grid, launched.block)
            },
            params: &params,
        };
        let report = run(&memory, profile, settings, &launch, &mut |piece| {
            printed.extend_from_slice(piece);
        });
        asserted.extend(report.asserted);
        findings.extend(report.findings);
        fault = report.fault;
        if fault.is_some() {
            break;
        }
    }
    let mut text = String::new();
    if !printed.is_empty() {
        let _ = writeln!(text, "printed:\n{}", String::from_utf8_lossy(&printed));
    }
    if !asserted.is_empty() {
        let _ = writeln!(text, "on standard error:\n{}", String::from_utf8_lossy(&asserted));
    }
    let mut sources = Sources::new();
    let file = case.path.file_name().unwrap_or_default().to_string_lossy();
    sources.add(file, case.source.as_str());
    if findings.is_empty() {
        text.push_str(&bench.values());
        text.push_str("no findings\n");
    } else {
        text.push_str(&report::text(&findings, &sources));
    }
    if let Some(fault) = fault {
        let _ = writeln!(text, "stopped by {fault:?}");
    }
    Play { text: bench.named(&text, &memory.view()), findings: findings.list, fault }
}
