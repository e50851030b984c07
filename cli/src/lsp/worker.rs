//! The thread that assembles and checks documents. If a document changes before an older version has been checked, only
//! the newest version is checked.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use lsp_server::Notification;
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, Location, NumberOrString, PublishDiagnosticsParams, Uri};

use super::analysis::{Analysis, Note, analyze};
use super::document::{Document, directory};
use super::settings::Settings;
use super::text::Text;
use super::transport::Client;

/// The size of the thread's stack in bytes, which is that of a program's main thread.
const STACK: usize = 8 << 20;

/// The size of a source in bytes above which its errors are published before it is checked.
const LONG: usize = 1 << 18;

/// A version of a document.
struct Job {
    uri: Uri,
    version: i32,
    revision: u64,
    text: Arc<Text>,
    directory: Option<PathBuf>,
}

#[derive(Default)]
struct State {
    /// The versions that wait to be analyzed, by their documents.
    jobs: BTreeMap<String, Job>,
    /// The newest version of each document.
    newest: HashMap<String, u64>,
    /// The newest analysis of each document, and the version that it is about.
    done: HashMap<String, (u64, Arc<Analysis>)>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the results about a version, unless there is a newer one.
    fn finish(&self, client: &Client, job: &Job, analysis: Analysis) -> bool {
        let diagnostics = analysis.notes.iter().map(|note| diagnostic(&job.text, &job.uri, note)).collect();
        let key = job.uri.as_str();
        let mut state = self.lock();
        let is_newest = state.newest.get(key) == Some(&job.revision);
        if is_newest {
            state.done.insert(key.to_string(), (job.revision, Arc::new(analysis)));
            publish(client, job.uri.clone(), Some(job.version), diagnostics);
        }
        is_newest
    }
}

pub struct Worker {
    shared: Arc<Shared>,
    client: Client,
}

impl Worker {
    /// Starts the thread, which ends with the program.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(settings: Settings, client: Client) -> io::Result<Worker> {
        let worker = Worker { shared: Arc::default(), client };
        let (shared, client) = (worker.shared.clone(), worker.client.clone());
        let thread = thread::Builder::new().stack_size(STACK);
        thread.spawn(move || work(&shared, &settings, &client))?;
        Ok(worker)
    }

    /// Analyzes a document as soon as there is time.
    pub fn add(&self, document: &Document) {
        let Document { uri, version, revision, text, .. } = document;
        let key = uri.as_str().to_string();
        let mut state = self.shared.lock();
        state.newest.insert(key.clone(), *revision);
        let (uri, text, directory) = (uri.clone(), text.clone(), directory(uri));
        state.jobs.insert(key, Job { uri, version: *version, revision: *revision, text, directory });
        self.shared.wake.notify_one();
    }

    /// Forgets a document that was closed.
    pub fn forget(&self, document: Document) {
        let key = document.uri.as_str();
        let mut state = self.shared.lock();
        state.jobs.remove(key);
        state.newest.remove(key);
        state.done.remove(key);
        publish(&self.client, document.uri, None, Vec::new());
    }

    /// The analysis of this version of a document, if there is one.
    pub fn analysis(&self, document: &Document) -> Option<Arc<Analysis>> {
        let state = self.shared.lock();
        let (revision, analysis) = state.done.get(document.uri.as_str())?;
        (*revision == document.revision).then(|| analysis.clone())
    }
}

fn work(shared: &Shared, settings: &Settings, client: &Client) {
    loop {
        let mut state = shared.lock();
        let job = loop {
            match state.jobs.pop_first() {
                Some((_, job)) => break job,
                None => state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(state);
        // The check of a long source takes longer than its assembly, so the errors are published before it.
        let mut is_due = job.text.as_str().len() > LONG;
        let mut watch = |analysis: &Analysis| {
            if std::mem::take(&mut is_due) {
                return shared.finish(client, &job, analysis.clone());
            }
            shared.lock().newest.get(job.uri.as_str()) == Some(&job.revision)
        };
        let analysis = analyze(&job.text, settings, job.directory.clone(), &mut watch);
        shared.finish(client, &job, analysis);
    }
}

fn diagnostic(text: &Text, uri: &Uri, note: &Note) -> Diagnostic {
    let related = note.producer.iter().map(|(range, message)| DiagnosticRelatedInformation {
        location: Location::new(uri.clone(), text.range(range)),
        message: message.clone(),
    });
    Diagnostic {
        range: text.range(&note.range),
        severity: Some(note.severity),
        code: note.code.map(|code| NumberOrString::String(code.into())),
        source: Some(if note.code.is_some() { "amdgpu-isa lint" } else { "amdgpu-isa asm" }.into()),
        message: note.message.clone(),
        related_information: Some(related.collect::<Vec<_>>()).filter(|related| !related.is_empty()),
        ..Diagnostic::default()
    }
}

fn publish(client: &Client, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
    let params = PublishDiagnosticsParams { uri, diagnostics, version };
    client.send(Notification::new(PublishDiagnostics::METHOD.into(), params));
}
