//! What a run stores, and the folder that holds it.
//!
//! A [`Record`] is what is known of a case. One table ([`columns`]) declares the columns of its row, and the functions
//! that write and read their cells. [`Folder`] and [`SessionFile`] write the files of a run, and [`Run`] reads them: no
//! other crate spells the name of a file, a column or a key.
//!
//! | file | contents |
//! | --- | --- |
//! | `session.json` | a [`Session`] for each command: device, settings, ceilings, how each lab ended |
//! | `LAB.csv` | a row for each case |
//! | `LAB.counters.csv` | what the embedded machine counted in each case; absent if nothing was counted |
//! | `LAB.jsonl` | [`Details`] that do not fit into a row: samples, findings, costs of lines |
//! | `LAB.story.json` | the [`StorySummary`] of the rows |

mod ceilings;
mod column;
pub mod columns;
mod completeness;
mod counters;
mod counters_file;
mod csv_line;
mod csv_table;
mod details;
mod device;
pub mod drawn;
mod error;
#[doc(hidden)]
pub mod fixtures;
mod folder;
mod hot;
mod kernel;
mod machine_report;
mod prediction;
mod problems;
mod program;
mod record;
mod row;
mod run;
mod session;
mod session_file;
mod story;
mod times;
mod verdict;

pub use ceilings::{Ceiling, Ceilings};
pub use column::{Column, column};
pub use columns::{COMMON, Cell, Columns, KERNEL, PREDICTED, SCHEMA};
pub use completeness::{gaps, words as gaps_text};
pub use counters::{Counter, Counters};
pub use counters_file::{counters_header, counters_line};
pub use csv_line::csv_line;
pub use details::{Details, FindingText};
pub use device::{DeviceInfo, Snapshot};
pub use error::{Error, Result};
pub use folder::{Folder, counters_of, csv_of, details_of, outlive_file_limits, story_of};
pub use hot::{HotLine, lines as hot_lines};
pub use kernel::{Peak, RegisterSource, Resources};
pub use machine_report::{MachineReport, same_value_lines};
pub use prediction::{Beside, Predicted};
pub use problems::problems;
pub use program::{ProcessRun, ProgramRun, Shape, predicted_launches, shape_of};
pub use record::{Record, Value, case_key, dims, is_unmodelled};
pub use row::{Header, Row};
pub use run::{LabRows, Run, sessions_in};
pub use session::{LabRun, Session, read as read_sessions};
pub use session_file::SessionFile;
pub use story::{Bar, Holds, Source, StorySummary, count, three, time, times as ratio, unit};
pub use times::{Times, times};
pub use verdict::{Expectation, Verdict};

/// Asserts that the schema of this type is the published one, `reports/schemas/NAME`.
/// `UPDATE_EXPECTED=1 cargo test -p record --lib schema` regenerates it.
#[cfg(test)]
fn assert_published<T: schemars::JsonSchema>(name: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/schemas/").to_owned() + name;
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(T)).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(published, schema, "{path}: refresh with UPDATE_EXPECTED=1");
}
