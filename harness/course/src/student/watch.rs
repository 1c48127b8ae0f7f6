//! Waits for changes in a folder: a file that is saved in place, replaced by another one of its name, or deleted and
//! rewritten.
use std::{
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

use harness::{Error, Result};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// An editor saves a file in several steps, followed by quiet.
const QUIET: Duration = Duration::from_millis(40);
/// The longest duration of the steps of one save.
const SAVE: Duration = Duration::from_millis(400);
/// Some file systems (networks, folders of another system) report no changes: then the state is polled at this
/// interval.
const LOOK: Duration = Duration::from_secs(1);

/// Why the wait has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// Something has changed.
    Changed,
    /// The caller has stopped it.
    Stopped,
}

enum Message {
    Touched,
    Stop,
}

/// A watched folder.
#[derive(Debug)]
pub struct Watch {
    messages: Receiver<Message>,
    sender: Sender<Message>,
    /// It reports changes until it is dropped; `None` if the system has no more watches.
    _watcher: Option<RecommendedWatcher>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Touched => "touched",
            Self::Stop => "stop",
        })
    }
}

impl Watch {
    /// Watches `folder` and its subfolders.
    ///
    /// # Errors
    /// [`Error::Usage`] when it is not a folder.
    pub fn start(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            return Err(Error::usage(format!("{} is not a folder that can be watched", folder.display())));
        }
        let (sender, messages) = mpsc::channel();
        let told = sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading is not a change.
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = told.send(Message::Touched);
            }
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        Ok(Self { messages, sender, _watcher: watcher.ok() })
    }

    /// Returns a function that ends the wait, for a Ctrl-C handler for example.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let sender = self.sender.clone();
        move || {
            let _ = sender.send(Message::Stop);
        }
    }

    /// Waits until `state` differs from `before`. While it is `None`, as between the deletion of a file and its return,
    /// the file gets time to come back.
    pub fn wait<S: PartialEq>(&self, before: Option<&S>, state: impl Fn() -> Option<S>) -> Happened {
        loop {
            match self.messages.recv_timeout(LOOK) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return Happened::Stopped,
                Ok(Message::Touched) => {
                    if self.settle() == Happened::Stopped {
                        return Happened::Stopped;
                    }
                }
                Err(RecvTimeoutError::Timeout) => (),
            }
            let mut now = state();
            if now.is_none() && before.is_some() {
                std::thread::sleep(SAVE);
                now = state();
            }
            if now.as_ref() != before {
                return Happened::Changed;
            }
        }
    }

    /// Waits until no more changes arrive.
    fn settle(&self) -> Happened {
        let begun = Instant::now();
        while begun.elapsed() < SAVE {
            match self.messages.recv_timeout(QUIET) {
                Ok(Message::Touched) => (),
                Ok(Message::Stop) => return Happened::Stopped,
                Err(_) => break,
            }
        }
        Happened::Changed
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::*;

    /// The result of a change of the file in a folder, well before the next poll.
    fn after(change: impl Fn(&Path) + Send + 'static) -> (Happened, Option<String>) {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.cu");
        fs::write(&file, "old").unwrap();
        let watch = Watch::start(place.path()).unwrap();
        let state = || fs::read_to_string(&file).ok();
        let (begun, before, changed) = (Instant::now(), state(), file.clone());
        let writer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            change(&changed);
        });
        let happened = watch.wait(before.as_ref(), state);
        writer.join().unwrap();
        assert!(begun.elapsed() < LOOK, "{:?}", begun.elapsed());
        (happened, state())
    }

    #[test]
    fn a_file_may_be_saved_in_any_way() {
        let write = |file: &Path| fs::write(file, "new").unwrap();
        let rename = |file: &Path| {
            fs::write(file.with_extension("tmp"), "new").unwrap();
            fs::rename(file.with_extension("tmp"), file).unwrap();
        };
        let anew = |file: &Path| {
            fs::remove_file(file).unwrap();
            thread::sleep(Duration::from_millis(100));
            fs::write(file, "new").unwrap();
        };
        for seen in [after(write), after(rename), after(anew)] {
            assert_eq!(seen, (Happened::Changed, Some("new".into())));
        }
        assert_eq!(after(|file| fs::remove_file(file).unwrap()), (Happened::Changed, None));
    }

    #[test]
    fn what_changes_nothing_is_no_change_and_waiting_can_be_stopped() {
        let place = tempfile::tempdir().unwrap();
        let watch = Watch::start(place.path()).unwrap();
        let stop = watch.stopper();
        let other = place.path().join("b.txt");
        let writer = thread::spawn(move || {
            fs::write(other, "x").unwrap();
            thread::sleep(Duration::from_millis(200));
            stop();
        });
        assert_eq!(watch.wait(Some(&1), || Some(1)), Happened::Stopped);
        writer.join().unwrap();
        assert!(Watch::start(&place.path().join("none")).is_err());
    }
}
