//! `warplab check --show`: the case that fails as a page, in the student's own kernel.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use course::student::check::{Checked, Workspace};
use harness::Error;
use recording::{Recording, lanes_of};

use crate::shared::{output_options::to_file, recording_file, scratch};

/// The most launches of the case that are searched for the finding.
const LAUNCHES: u64 = 8;
/// The prefix of the folder that holds recordings meanwhile.
const SCRATCH: &str = ".warplab-check-";
/// All blocks of any grid.
const ALL_BLOCKS: &str = "0..4294967295";

/// Writes the page of the failing case of the exercise at hand; returns what it shows, in words.
///
/// # Errors
/// When the case cannot be run again or the page cannot be written.
pub fn show(workspace: &Workspace, checked: &Checked) -> Result<String, Error> {
    let Some(words) = workspace.failing_run(checked) else {
        return Ok("Nothing to show: no case has a wrong answer or a finding.".into());
    };
    let temporary = env::temp_dir();
    let folder = scratch::Folder::new_in(&temporary, SCRATCH);
    let folder = folder.map_err(|source| Error::Io { action: "create a folder in", path: temporary, source })?;
    let page = workspace.page();
    // The finding may be in any launch and in any block.
    for launch in 1..=LAUNCHES {
        let file = folder.path().join(format!("{launch}.wlr"));
        let launch = launch.to_string();
        let Some(recording) = record(&["--launch", &launch, "--blocks", ALL_BLOCKS], &words, &file)? else {
            break;
        };
        let Some(step) = recording.steps.iter().find(|step| step.finding.is_some()) else { continue };
        let header = &recording.header;
        let finding = &header.findings[step.finding.map_or(0, |finding| finding as usize)];
        let lane = lanes_of(step.mask).next().unwrap_or(0);
        let thread = u64::from(step.warp) * recording::LANES as u64 + lane as u64;
        // A page of one block has room for all its steps.
        let block = format!("{0}..{0}", step.block);
        let file = folder.path().join("block.wlr");
        let recording = record(&["--launch", &launch, "--blocks", &block], &words, &file)?.ok_or_else(no_launch)?;
        to_file(&page, &report::page::of_recording(&recording))?;
        let name = &header.kernel_name;
        let place = format!("block {}, thread {thread} of {name}, launch {launch}", step.block);
        return Ok(format!("{} opens at the finding in {place}: {}", page.display(), finding.title));
    }
    let file = folder.path().join("start.wlr");
    let recording = record(&[], &words, &file)?.ok_or_else(no_launch)?;
    to_file(&page, &report::page::of_recording(&recording))?;
    Ok(format!("{} shows {}, launch 1, from its start.", page.display(), recording.header.kernel_name))
}

fn no_launch() -> Error {
    Error::CannotRun("the failing case launches no kernel to show".into())
}

/// Records a launch of the case; `None` if there is no such launch.
fn record(options: &[&str], words: &[String], file: &Path) -> Result<Option<Recording>, Error> {
    let program = env::current_exe().map_err(|source| Error::Io { action: "find", path: "warplab".into(), source })?;
    let mut process = Command::new(&program);
    process.arg("record").args(options).arg("-o").arg(file).args(words).stdin(Stdio::null());
    // A case that fails has a bad exit code, and what it prints has been shown.
    process.output().map_err(|source| Error::Io { action: "start", path: program, source })?;
    if !file.exists() {
        return Ok(None);
    }
    recording_file::read("show", file).map(|(recording, _)| Some(recording))
}
