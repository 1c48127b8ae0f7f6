//! Writes the session of this command to `session.json`.
use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use record::{Columns, Folder, LabRun, SessionFile};
use serde_json::{Value, json};
use wire::Checks;

use crate::{
    device::{machine::VARIABLES, session::Session},
    error::Result,
    export::event::{Event, Listener},
    revision,
};

/// Writes the file when a lab starts and when it has ended.
#[derive(Debug)]
pub(crate) struct SessionListener {
    writer: SessionWriter,
    session: Arc<Session>,
    settings: SessionSettings,
    /// The entries of the completed labs.
    done: Vec<LabRun>,
}

impl SessionListener {
    /// Reads the existing file in `folder`, for a command that runs the labs with these columns.
    ///
    /// # Errors
    /// Those of [`SessionWriter::open`].
    pub(crate) fn open(
        folder: &Folder,
        labs: &[Columns],
        session: Arc<Session>,
        settings: SessionSettings,
    ) -> Result<Self> {
        let names: Vec<&str> = labs.iter().map(|columns| columns.lab).collect();
        Ok(Self { writer: SessionWriter::open(folder, &names)?, session, settings, done: Vec::new() })
    }
}

impl Listener for SessionListener {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        let running = match event {
            Event::LabStarted { lab } => Some(lab),
            Event::LabEnded(lab) => {
                self.done.push(lab.clone());
                None
            }
            _ => return Ok(()),
        };
        self.writer.write(&self.session, &self.settings, &self.done, running)
    }
}

/// The options that the file records.
#[derive(Debug, Clone)]
pub(crate) struct SessionSettings {
    /// The seed of the inputs.
    pub(crate) seed: u64,
    /// The requested checks of the emulated device.
    pub(crate) check: Option<Checks>,
    /// The schedules of each case on the emulated device.
    pub(crate) schedules: u32,
    /// Small sizes and few samples (`--quick`).
    pub(crate) quick: bool,
    /// The requested number of samples.
    pub(crate) samples: Option<u32>,
}

/// The file, and what stays the same in all versions of this session.
#[derive(Debug)]
pub(crate) struct SessionWriter {
    file: SessionFile,
    /// The labs that the command runs: those that have no entry at its end were not run to completion.
    asked: Vec<String>,
    began: SystemTime,
    /// The branch and the commit of the checkout in which the command runs.
    branch: Option<String>,
    commit: Option<String>,
}

impl SessionWriter {
    /// Reads the existing file in `folder`, for a command that runs these labs.
    ///
    /// # Errors
    /// Those of [`SessionFile::open`].
    pub(crate) fn open(folder: &Folder, asked: &[&str]) -> Result<Self> {
        Ok(Self {
            file: SessionFile::open(folder)?,
            asked: asked.iter().map(|lab| (*lab).into()).collect(),
            began: SystemTime::now(),
            branch: revision::branch_here(),
            commit: revision::commit_here(),
        })
    }

    /// Writes this session with the labs that have ended so far, and the one that is `running`.
    pub(crate) fn write(
        &mut self,
        session: &Session,
        settings: &SessionSettings,
        labs: &[LabRun],
        running: Option<&str>,
    ) -> Result<()> {
        let this = record::Session {
            program: concat!("warplab ", env!("CARGO_PKG_VERSION")).into(),
            argv: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            started: humantime::format_rfc3339_seconds(self.began).to_string(),
            git_revision: revision::of_this_program(),
            git_branch: self.branch.clone(),
            git_commit: self.commit.clone(),
            seed: Some(settings.seed),
            quick: Some(settings.quick),
            // See `device::blocking_kernel`.
            device_kept_busy: Some(!session.device.is_emulated),
            samples: settings.samples,
            device: session.device.clone(),
            device_reason: session.reason.clone(),
            machine_settings: machine_settings(session, settings),
            nvml: session.snapshot(),
            nvml_missing: session.no_nvml().map(Into::into),
            ceilings: session.ceilings,
            asked: self.asked.clone(),
            labs: labs.to_vec(),
            ..record::Session::default()
        };
        Ok(self.file.write(&this, running)?)
    }
}

/// Returns the embedded machine's settings, from options and from the environment.
fn machine_settings(session: &Session, asked: &SessionSettings) -> Option<BTreeMap<String, Value>> {
    session.device.is_emulated.then(|| {
        let variable = |name: &str| (name.to_string(), json!(std::env::var(name).ok()));
        let mut settings: BTreeMap<String, Value> =
            VARIABLES.into_iter().chain(["WARPLAB_PROFILE"]).map(variable).collect();
        settings.insert("check".into(), json!(asked.check.map(|checks| checks.to_string())));
        settings.insert("schedules".into(), json!(asked.schedules));
        settings
    })
}
