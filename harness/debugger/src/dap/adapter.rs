//! Answers a client's requests.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::breakpoints::ClientBreakpoints;
use super::sources;
use super::variables::{Reference, References, element};
use super::{LaunchTarget, Launched};
use crate::expression::parse;
use crate::focus::{Focus, index_of, shown};
use crate::session::{Session, SessionError, StopReason};
use crate::stepping::StepSize;
use crate::stops::Direction;
use crate::terminal::{Interpreter, frames};

/// The most warps that are listed as threads.
const MOST_THREADS: usize = 1024;
/// Frames of a thread: the frame's id is the thread's times this, plus its level.
const MOST_FRAMES: u64 = 1 << 16;
/// The filter of exceptions by which a client turns stops at findings on and off.
const FINDINGS: &str = "findings";

/// The adapter of one client.
pub struct Adapter<Open> {
    open: Open,
    session: Option<Session>,
    interpreter: Interpreter,
    breakpoints: ClientBreakpoints,
    references: References,
    /// The lane that is shown of a warp.
    lanes: HashMap<(u64, u32), usize>,
    finding: Option<u32>,
    stops_on_entry: bool,
    last_seq: u64,
    /// Events to send after the response.
    events: Vec<(&'static str, Value)>,
}

impl<Open: FnMut(&LaunchTarget) -> Result<Launched, String>> Adapter<Open> {
    /// Creates an adapter that has not launched anything.
    pub fn new(open: Open) -> Self {
        Self {
            open,
            session: None,
            interpreter: Interpreter::default(),
            breakpoints: ClientBreakpoints::default(),
            references: References::default(),
            lanes: HashMap::new(),
            finding: None,
            stops_on_entry: false,
            last_seq: 0,
            events: Vec::new(),
        }
    }

    /// Answers a request: returns the response with the events that follow it, and whether the client has disconnected.
    pub fn answer(&mut self, request: &Value) -> (Vec<Value>, bool) {
        // A client answers no requests here, since none are sent.
        if request["type"] != "request" {
            return (Vec::new(), false);
        }
        let command = request["command"].as_str().unwrap_or_default();
        let result = self.request(command, &request["arguments"]);
        let mut response = json!({
            "type": "response", "request_seq": request["seq"], "command": command, "success": result.is_ok()
        });
        match result {
            // Some client libraries expect an object in every response.
            Ok(Value::Null) => response["body"] = json!({}),
            Ok(body) => response["body"] = body,
            Err(message) => {
                response["body"] = json!({"error": {"id": 1, "format": message, "showUser": true}});
                response["message"] = message.into();
            }
        }
        let events = std::mem::take(&mut self.events).into_iter();
        let events = events.map(|(event, body)| json!({"type": "event", "event": event, "body": body}));
        let mut messages: Vec<Value> = std::iter::once(response).chain(events).collect();
        for message in &mut messages {
            self.last_seq += 1;
            message["seq"] = self.last_seq.into();
        }
        (messages, matches!(command, "disconnect" | "terminate"))
    }

    fn request(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "initialize" => Ok(capabilities()),
            "launch" | "attach" => self.launch(arguments),
            "disconnect" | "terminate" => {
                self.events.push(("terminated", json!({})));
                Ok(Value::Null)
            }
            _ => self.request_of_session(command, arguments),
        }
    }

    fn request_of_session(&mut self, command: &str, arguments: &Value) -> Result<Value, String> {
        match command {
            "configurationDone" => {
                if self.stops_on_entry {
                    self.stopped("entry", "Before the first step", &[]);
                } else {
                    self.moved(Session::run)?;
                }
                Ok(Value::Null)
            }
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => {
                let focus = self.select_frame(arguments)?;
                let has_locals = !self.session()?.timeline().header().variables.is_empty();
                Ok(json!({"scopes": self.references.scopes(focus, has_locals)}))
            }
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "setBreakpoints" => {
                let session = self.session.as_mut().ok_or(NOT_LAUNCHED)?;
                Ok(json!({"breakpoints": self.breakpoints.set_lines(session, arguments)}))
            }
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments),
            "setDataBreakpoints" => {
                let session = self.session.as_mut().ok_or(NOT_LAUNCHED)?;
                Ok(json!({"breakpoints": self.breakpoints.set_data(session, arguments)}))
            }
            "setExceptionBreakpoints" => {
                let is_on = list(&arguments["filters"]).iter().any(|filter| filter == FINDINGS);
                self.session()?.stop_at_findings(is_on);
                Ok(Value::Null)
            }
            "exceptionInfo" => {
                let number = self.finding.ok_or("the launch has not stopped at a finding")?;
                let finding = &self.session()?.timeline().header().findings[number as usize];
                Ok(json!({"exceptionId": finding.title, "description": finding.text, "breakMode": "always"}))
            }
            "source" => {
                let reference =
                    arguments["sourceReference"].as_u64().or(arguments["source"]["sourceReference"].as_u64());
                let text = sources::text(self.session()?.timeline().header(), reference.unwrap_or(0));
                Ok(json!({"content": text.ok_or("the recording has no text of this source")?}))
            }
            "continue" => self.resume(arguments, Direction::Forward).map(|()| json!({"allThreadsContinued": true})),
            "reverseContinue" => self.resume(arguments, Direction::Reverse).map(|()| Value::Null),
            "next" => self.step(arguments, StepSize::LineOver, Direction::Forward),
            "stepIn" => self.step(arguments, StepSize::Line, Direction::Forward),
            "stepOut" => self.step(arguments, StepSize::Out, Direction::Forward),
            "stepBack" => self.step(arguments, StepSize::LineOver, Direction::Reverse),
            // The launch has always stopped before the next request is read.
            "pause" => Ok(Value::Null),
            _ => Err(format!("`{command}` is not supported")),
        }
    }

    fn session(&mut self) -> Result<&mut Session, String> {
        self.session.as_mut().ok_or_else(|| NOT_LAUNCHED.into())
    }

    fn launch(&mut self, arguments: &Value) -> Result<Value, String> {
        let target = LaunchTarget::from_arguments(arguments)?;
        let launched = (self.open)(&target)?;
        self.session = Some(Session::new(launched.recording).map_err(|error| error.to_string())?);
        self.stops_on_entry = target.stops_on_entry;
        if !launched.output.is_empty() {
            self.events.push(("output", json!({"category": "stdout", "output": launched.output})));
        }
        // Only now can breakpoints be compared with the lines that have code.
        self.events.push(("initialized", json!({})));
        Ok(Value::Null)
    }

    fn threads(&mut self) -> Result<Value, String> {
        let session = self.session()?;
        let grid = session.timeline().header().grid;
        let name = |(block, warp)| format!("block {} warp {warp}", shown(index_of(block, grid)));
        let all = session.timeline().warps().take(MOST_THREADS);
        let all = (1..).zip(all).map(|(id, warp): (u64, _)| json!({"id": id, "name": name(warp)}));
        Ok(json!({"threads": all.collect::<Vec<_>>()}))
    }

    /// Sets the focus to the lane that is shown of a thread.
    fn select(&mut self, thread: u64) -> Result<Focus, String> {
        let session = self.session.as_mut().ok_or(NOT_LAUNCHED)?;
        let index = usize::try_from(thread).ok().and_then(|thread| thread.checked_sub(1));
        let warp = index.and_then(|index| session.timeline().warps().nth(index));
        let (block, warp) = warp.ok_or_else(|| format!("there is no thread {thread}"))?;
        let steps = session.timeline().steps_of(block, warp);
        let next = steps.partition_point(|step| (*step as usize) < session.position()).min(steps.len() - 1);
        let first = session.timeline().steps()[steps[next] as usize].mask.trailing_zeros() as usize % 32;
        let lane = self.lanes.get(&(block, warp)).copied().unwrap_or(first);
        let focus = Focus { block, warp, lane };
        session.set_focus(focus).map_err(|error| error.to_string())?;
        Ok(focus)
    }

    fn select_frame(&mut self, arguments: &Value) -> Result<Focus, String> {
        match arguments["frameId"].as_u64() {
            Some(frame) => self.select(frame / MOST_FRAMES),
            None => Ok(self.session()?.focus()),
        }
    }

    fn stack_trace(&mut self, arguments: &Value) -> Result<Value, String> {
        let thread = arguments["threadId"].as_u64().unwrap_or(0);
        self.select(thread)?;
        let session = self.session()?;
        let header = session.timeline().header();
        let all = frames(session);
        let row = |(level, frame): (u64, &crate::terminal::Frame)| {
            let (source, line) = sources::place(header, frame.line, frame.instruction);
            let id = thread * MOST_FRAMES + level;
            json!({"id": id, "name": frame.function, "source": source, "line": line, "column": 1})
        };
        let start = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"].as_u64().filter(|levels| *levels > 0).unwrap_or(MOST_FRAMES - 1) as usize;
        let rows: Vec<Value> = (0..).zip(&all).skip(start).take(levels).map(row).collect();
        Ok(json!({"stackFrames": rows, "totalFrames": all.len()}))
    }

    fn variables(&mut self, arguments: &Value) -> Result<Value, String> {
        let reference = self.references.get(arguments["variablesReference"].as_u64().unwrap_or(0));
        let reference = reference.ok_or("these variables are outdated")?;
        let session = self.session.as_ref().ok_or(NOT_LAUNCHED)?;
        let start = arguments["start"].as_u64().unwrap_or(0);
        let count = arguments["count"].as_u64().filter(|count| *count > 0).unwrap_or(u64::MAX);
        let is_empty = arguments["filter"] == "named" && matches!(reference, Reference::Elements(..));
        let rows = if is_empty { Vec::new() } else { self.references.variables(session, reference, start, count) };
        Ok(json!({"variables": rows}))
    }

    fn evaluate(&mut self, arguments: &Value) -> Result<Value, String> {
        self.select_frame(arguments)?;
        let session = self.session.as_mut().ok_or(NOT_LAUNCHED)?;
        let scope = session.scope();
        let text = arguments["expression"].as_str().ok_or("`expression` is missing")?;
        let value = match parse(text) {
            Ok((expression, None)) => match scope.quantity(&expression) {
                Ok(quantity) => self.references.value(scope, &quantity),
                Err(error) => Err(error.to_string()),
            },
            Ok((_, Some(_))) => {
                let printed = scope.print(text, crate::expression::ValueFormat::Natural);
                let printed = printed.map_err(|error| error.to_string());
                printed
                    .map(|printed| json!({"value": printed.text, "type": printed.type_name, "variablesReference": 0}))
            }
            Err(error) => Err(error.to_string()),
        };
        let error = match value {
            Ok(mut value) => {
                value["result"] = value["value"].take();
                if let Value::Object(parts) = &mut value {
                    parts.remove("value");
                }
                return Ok(value);
            }
            Err(error) => error,
        };
        if arguments["context"] != "repl" {
            return Err(error);
        }
        // What is not an expression may be a command of the terminal.
        let reply = self
            .interpreter
            .execute(session, text)
            .map_err(|wrong| if wrong.starts_with("Undefined command") { error } else { wrong })?;
        let focus = session.focus();
        self.lanes.insert((focus.block, focus.warp), focus.lane);
        if reply.has_moved {
            self.stopped("step", "", &[]);
        } else {
            self.events.push(("invalidated", json!({"areas": ["variables", "stacks"]})));
        }
        Ok(json!({"result": reply.text, "variablesReference": 0}))
    }

    fn data_breakpoint_info(&mut self, arguments: &Value) -> Result<Value, String> {
        let name = arguments["name"].as_str().ok_or("`name` is missing")?;
        let parent = arguments["variablesReference"].as_u64().and_then(|reference| self.references.get(reference));
        let expression = match parent {
            Some(Reference::Elements(focus, memory, address, scalar, _)) => {
                let session = self.session.as_mut().ok_or(NOT_LAUNCHED)?;
                session.set_focus(focus).map_err(|error| error.to_string())?;
                let index = name.trim_matches(['[', ']']).parse::<u64>();
                let index = index.map_err(|_| format!("`{name}` is not an element"))?;
                element(memory, address.wrapping_add(index.wrapping_mul(scalar.bytes())), scalar)
            }
            _ => {
                self.select_frame(arguments)?;
                name.to_owned()
            }
        };
        match self.session()?.watched_by(&expression) {
            Ok(_) => Ok(json!({
                "dataId": expression, "description": expression, "accessTypes": ["read", "write", "readWrite"]
            })),
            Err(error) => Ok(json!({"dataId": null, "description": error.to_string()})),
        }
    }

    fn resume(&mut self, arguments: &Value, direction: Direction) -> Result<(), String> {
        self.select(arguments["threadId"].as_u64().unwrap_or(0))?;
        self.moved(|session| session.resume(direction))
    }

    fn step(&mut self, arguments: &Value, size: StepSize, direction: Direction) -> Result<Value, String> {
        self.select(arguments["threadId"].as_u64().unwrap_or(0))?;
        let size = if arguments["granularity"] == "instruction" { StepSize::Instruction } else { size };
        self.moved(|session| session.step(size, direction))?;
        Ok(Value::Null)
    }

    /// Moves the session, and announces where and why it stopped.
    fn moved(&mut self, run: impl FnOnce(&mut Session) -> Result<StopReason, SessionError>) -> Result<(), String> {
        let reason = run(self.session()?).map_err(|error| error.to_string())?;
        self.finding = None;
        match reason {
            StopReason::Stepped => self.stopped("step", "", &[]),
            StopReason::Breakpoint(number) => self.stopped("breakpoint", "", &[number]),
            StopReason::Watchpoint(number, _) => self.stopped("data breakpoint", "", &[number]),
            StopReason::Finding(number) => {
                self.finding = Some(number);
                let title = self.session()?.timeline().header().findings[number as usize].title.clone();
                self.stopped("exception", &title, &[]);
            }
            StopReason::Start => self.stopped("entry", "The start of the recording", &[]),
            StopReason::LaneEnded => self.stopped("pause", "The thread has no further step", &[]),
            StopReason::End => self.stopped("pause", "The end of the recording", &[]),
        }
        Ok(())
    }

    fn stopped(&mut self, reason: &str, description: &str, breakpoints: &[usize]) {
        self.references.clear();
        let Some(session) = &self.session else { return };
        let focus = session.focus();
        self.lanes.insert((focus.block, focus.warp), focus.lane);
        let index = session.timeline().warps().position(|warp| warp == (focus.block, focus.warp));
        let thread = index.map_or(1, |index| index + 1);
        let mut body = json!({"reason": reason, "threadId": thread, "allThreadsStopped": true});
        if !description.is_empty() {
            body["description"] = description.into();
            body["text"] = description.into();
        }
        if !breakpoints.is_empty() {
            body["hitBreakpointIds"] = breakpoints.into();
        }
        self.events.push(("stopped", body));
    }
}

/// Why a request that needs a recording fails.
const NOT_LAUNCHED: &str = "nothing is debugged yet: send a launch request first";

/// Returns the items of a list; none if it is absent.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsEvaluateForHovers": true,
        "supportsDataBreakpoints": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [{"filter": FINDINGS, "label": "Findings of warplab's checks", "default": true}],
    })
}
