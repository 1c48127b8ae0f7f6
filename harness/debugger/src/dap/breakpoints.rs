//! Breakpoints and data breakpoints of a client.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::sources::{NamedSource, named};
use crate::session::{Session, SessionError};
use crate::stops::{Location, WatchedAccess};

/// The numbers of the breakpoints that a client has set, by the source's name.
#[derive(Default)]
pub struct ClientBreakpoints {
    lines: HashMap<String, Vec<usize>>,
    data: Vec<usize>,
}

impl ClientBreakpoints {
    /// Replaces the breakpoints of a source; returns them as the protocol wants them.
    pub fn set_lines(&mut self, session: &mut Session, arguments: &Value) -> Vec<Value> {
        let source = &arguments["source"];
        let name = source["path"].as_str().or(source["name"].as_str()).unwrap_or_default();
        let key = format!("{name}#{}", source["sourceReference"]);
        let numbers = self.lines.entry(key).or_default();
        for number in numbers.drain(..) {
            // The user may have deleted it by a command.
            let _ = session.delete(Some(number));
        }
        let wanted = arguments["breakpoints"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(found) = named(session.timeline().header(), source) else {
            let message = format!("the recording has no source file {name}");
            return wanted.iter().map(|_| json!({"verified": false, "message": message})).collect();
        };
        let mut set = |breakpoint: &Value| match set_line(session, found, breakpoint) {
            Ok((number, line)) => {
                numbers.push(number);
                json!({"id": number, "verified": true, "line": line})
            }
            Err(error) => json!({"verified": false, "message": error.to_string(), "line": breakpoint["line"]}),
        };
        wanted.iter().map(&mut set).collect()
    }

    /// Replaces all data breakpoints; returns them as the protocol wants them.
    pub fn set_data(&mut self, session: &mut Session, arguments: &Value) -> Vec<Value> {
        for number in self.data.drain(..) {
            let _ = session.delete(Some(number));
        }
        let mut set = |breakpoint: &Value| {
            let access = match breakpoint["accessType"].as_str() {
                Some("read") => WatchedAccess::Read,
                Some("readWrite") => WatchedAccess::Any,
                _ => WatchedAccess::Change,
            };
            match session.set_watchpoint(breakpoint["dataId"].as_str().unwrap_or_default(), access) {
                Ok(number) => {
                    self.data.push(number);
                    json!({"id": number, "verified": true})
                }
                Err(error) => json!({"verified": false, "message": error.to_string()}),
            }
        };
        arguments["breakpoints"].as_array().map_or(&[][..], Vec::as_slice).iter().map(&mut set).collect()
    }
}

fn set_line(session: &mut Session, source: NamedSource, breakpoint: &Value) -> Result<(usize, u64), SessionError> {
    let line = breakpoint["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(u32::MAX);
    let (location, line) = match source {
        NamedSource::File(file) => {
            let found = session.line_or_next(file, line)?;
            (Location::Line(found), found.line)
        }
        NamedSource::Instructions => {
            let index = line.saturating_sub(1);
            if index as usize >= session.timeline().header().instructions.len() {
                return Err(SessionError::NoSuchInstruction(line));
            }
            (Location::Instruction(index), line)
        }
    };
    let condition = breakpoint["condition"].as_str().filter(|condition| !condition.trim().is_empty());
    Ok((session.set_breakpoint(location, condition, &format!("line {line}"))?, line.into()))
}
