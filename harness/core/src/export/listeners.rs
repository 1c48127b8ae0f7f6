//! The listeners of a run.
use std::cell::RefCell;

use crate::{
    error::Result,
    export::{
        chart::Drawings,
        csv::{CsvFiles, CsvStream},
        details::DetailsFile,
        ending::Ending,
        event::{Event, Listener},
        json::JsonLines,
        notes::Notes,
        outputs::Outputs,
        records::RecordLines,
        session_writer::SessionListener,
        table::Tables,
    },
};

/// Returns the requested listeners. Each event goes to them in this order. To add a listener, add a file here and a
/// line to this list.
///
/// # Errors
/// [`crate::Error::Io`].
fn listeners(outputs: &Outputs) -> Result<Vec<Box<dyn Listener>>> {
    let Outputs { folder, terminal, wanted, labs, session, settings, .. } = outputs;
    let folder = folder.as_ref();
    let session = |folder| SessionListener::open(folder, labs, session.clone(), settings.clone());
    let all = [
        wanted.records.clone().map(|path| boxed(RecordLines::new(path))),
        folder.map(session).transpose()?.map(boxed),
        folder.map(|folder| boxed(CsvFiles::new(folder))),
        folder.map(|folder| boxed(DetailsFile::new(folder))),
        wanted.csv.then(|| boxed(CsvStream::new(terminal, labs, wanted.counters))),
        wanted.json.then(|| boxed(JsonLines::new(terminal, wanted.hot))),
        Some(boxed(Tables::new(terminal, wanted))),
        folder.map(|folder| boxed(Drawings::new(folder, terminal))),
        Some(boxed(Notes::new(terminal))),
        Some(boxed(Ending::new(outputs))),
    ];
    Ok(all.into_iter().flatten().collect())
}

fn boxed<L: Listener + 'static>(listener: L) -> Box<dyn Listener> {
    Box::new(listener)
}

/// The events of a run, which go to its listeners.
#[derive(Debug, Default)]
pub(crate) struct Events(RefCell<Vec<Box<dyn Listener>>>);

impl Events {
    /// Starts the listeners of these outputs.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(crate) fn open(outputs: &Outputs) -> Result<Self> {
        Ok(Self::to(listeners(outputs)?))
    }

    /// Returns events that go to these listeners.
    pub(crate) fn to(listeners: Vec<Box<dyn Listener>>) -> Self {
        Self(RefCell::new(listeners))
    }

    /// Passes an event to each listener, until one fails.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a listener cannot write.
    pub(crate) fn emit(&self, event: Event<'_>) -> Result<()> {
        self.0.borrow_mut().iter_mut().try_for_each(|listener| listener.hear(event))
    }

    /// As [`Events::emit`], for what is only printed, which cannot fail: a text, or what is going on.
    pub(crate) fn show(&self, event: Event<'_>) {
        self.emit(event).ok();
    }
}
