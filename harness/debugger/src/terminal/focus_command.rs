//! `cuda block 1 thread 33`: shows and sets the focus.

use recording::LANES;

use crate::focus::{Focus, number_of, shown};
use crate::session::Session;
use crate::suggest::nearest;

/// Executes `cuda` with these arguments, and returns what to print.
///
/// # Errors
/// When a word is not known, or there is no such thread in the recording.
pub fn execute(session: &mut Session, arguments: &str) -> Result<String, String> {
    let spaced = arguments.replace('(', " (").replace(')', ") ");
    let text = joined(&spaced);
    let words: Vec<&str> = text.split_whitespace().collect();
    let header = session.timeline().header();
    let mut focus = session.focus();
    let (grid, block) = (header.grid, header.block);
    let mut words = words.iter().peekable();
    let mut is_set = false;
    while let Some(word) = words.next() {
        let value = words.next_if(|next| next.starts_with(|c: char| c == '(' || c.is_ascii_digit()));
        match (*word, value) {
            // One kernel of one grid on one device is recorded.
            ("device" | "sm" | "kernel" | "grid", _) => {}
            ("block" | "thread" | "warp" | "lane", None) => {}
            ("block", Some(value)) => {
                focus.block = match (parts(value)?, value.starts_with('(')) {
                    // A plain number is that of the block, as everywhere else in warplab.
                    ([number, ..], false) => number.into(),
                    (index, true) => number_of(index, grid)
                        .ok_or_else(|| format!("no block {value}; the grid is {}", shown(grid)))?,
                };
                is_set = true;
            }
            ("thread", Some(value)) => {
                let index = parts(value)?;
                let thread = number_of(index, block);
                let thread = thread.ok_or_else(|| format!("no thread {value}; a block is {}", shown(block)))?;
                focus = Focus::at_thread(focus.block, thread);
                is_set = true;
            }
            ("warp", Some(value)) => {
                focus = Focus { warp: parts(value)?[0], ..focus };
                is_set = true;
            }
            ("lane", Some(value)) => {
                let lane = parts(value)?[0] as usize;
                if lane >= LANES {
                    return Err(format!("no lane {lane}; a warp has lanes 0 to {}", LANES - 1));
                }
                focus.lane = lane;
                is_set = true;
            }
            (other, _) => {
                return Err(format!(
                    "`cuda` does not know `{other}`; {}",
                    nearest(other, &["block", "thread", "warp", "lane"])
                ));
            }
        }
    }
    if is_set {
        session.set_focus(focus).map_err(|error| error.to_string())?;
        return Ok(format!("[Switching focus to {}]", described(session, focus)));
    }
    Ok(described(session, focus))
}

/// Describes a thread.
pub fn described(session: &Session, focus: Focus) -> String {
    let [block, thread] = focus.indices(session.timeline().header());
    format!("block {}, thread {}, warp {}, lane {}", shown(block), shown(thread), focus.warp, focus.lane)
}

/// Removes the spaces inside of brackets, and the commas outside.
fn joined(text: &str) -> String {
    let mut depth = 0;
    let keep = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            ' ' if depth > 0 => None,
            ',' if depth == 0 => Some(' '),
            _ => Some(c),
        }
    };
    text.chars().filter_map(keep).collect()
}

/// Parses a number, or an index `(X,Y,Z)` whose last parts may be absent.
fn parts(text: &str) -> Result<[u32; 3], String> {
    let mut index = [0; 3];
    let wrong = || format!("`{text}` is not a number or an index; write 1 or (1,0,0)");
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    let words: Vec<&str> = inner.split(',').collect();
    if words.len() > 3 {
        return Err(wrong());
    }
    for (part, word) in index.iter_mut().zip(words) {
        *part = word.parse().map_err(|_| wrong())?;
    }
    Ok(index)
}
