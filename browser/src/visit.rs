//! One report, opened as often as the checks need it.

use crate::page::{Page, Setup};
use anyhow::{Context, Result};
use headless_chrome::Browser;
use headless_chrome::protocol::cdp::Log::LogEntryLevel;
use headless_chrome::protocol::cdp::Runtime::ConsoleAPICalledEventTypeOption as Console;
use headless_chrome::protocol::cdp::types::Event;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// What the browser told of the pages that it showed.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Errors, warnings and uncaught exceptions, each in a line.
    pub complaints: Vec<String>,
    /// Addresses that were asked for.
    pub requests: Vec<String>,
}

/// A file, in a browser.
pub struct Visit {
    browser: Browser,
    url: String,
    heard: Arc<Mutex<Heard>>,
}

impl Visit {
    /// Of a file that is there; the browser is started if it is.
    ///
    /// # Errors
    ///
    /// If it is not, or what the browser does not start with.
    pub fn new(browser: impl FnOnce() -> Result<Browser>, file: &Path) -> Result<Self> {
        let cannot_open = || format!("{}: cannot be opened", file.display());
        let path = file.canonicalize().with_context(cannot_open)?;
        let url = Url::from_file_path(&path).ok().with_context(cannot_open)?;
        Ok(Self { browser: browser()?, url: url.into(), heard: Arc::default() })
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens it anew.
    ///
    /// # Errors
    ///
    /// If the browser does not answer.
    pub fn open(&self, setup: Setup) -> Result<Page> {
        self.open_url(&self.url, setup)
    }

    /// Opens another address the same way.
    pub(crate) fn open_url(&self, url: &str, setup: Setup) -> Result<Page> {
        let heard = Arc::clone(&self.heard);
        Page::open(&self.browser, url, setup, move |event| lock(&heard).hear(event))
    }

    /// What was heard of all pages since the first was opened.
    pub fn heard(&self) -> Heard {
        lock(&self.heard).clone()
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    // A list of texts is whole whatever went wrong elsewhere.
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heard {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::RuntimeConsoleAPICalled(event) => {
                let call = &event.params;
                if matches!(call.Type, Console::Error | Console::Warning | Console::Assert) {
                    let said = call.args.iter().map(|argument| match &argument.value {
                        Some(value) => value.to_string(),
                        None => argument.description.clone().unwrap_or_default(),
                    });
                    let said: Vec<String> = said.collect();
                    self.complaints.push(format!("console: {}", said.join(" ")));
                }
            }
            Event::RuntimeExceptionThrown(event) => {
                let details = &event.params.exception_details;
                let what = details.exception.as_ref().and_then(|object| object.description.clone());
                let what = what.unwrap_or_else(|| details.text.clone());
                self.complaints.push(format!("exception: {what}"));
            }
            Event::LogEntryAdded(event) => {
                let entry = &event.params.entry;
                if matches!(entry.level, LogEntryLevel::Error | LogEntryLevel::Warning) {
                    self.complaints.push(format!("log: {}", entry.text));
                }
            }
            Event::NetworkRequestWillBeSent(event) => {
                self.requests.push(event.params.request.url.clone());
            }
            Event::NetworkWebSocketCreated(event) => {
                self.requests.push(event.params.url.clone());
            }
            _ => {}
        }
    }
}
