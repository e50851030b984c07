//! The server: takes messages in their order, and answers requests about the newest version of a document.

use std::collections::HashMap;

use lsp_server::{ErrorCode, Message, Notification, Request, Response, ResponseError};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as _, ShowMessage,
};
use lsp_types::request::{
    Completion, DocumentSymbolRequest, FoldingRangeRequest, GotoDefinition, HoverRequest, Initialize, References,
    Request as _, Shutdown,
};
use lsp_types::{
    CompletionParams, CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeParams,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams, InitializeParams, Location,
    MarkupContent, MarkupKind, MessageType, ReferenceParams, ShowMessageParams, TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::document::Document;
use super::settings::Settings;
use super::text::{Encoding, Text};
use super::transport::Client;
use super::worker::Worker;
use super::{answers, completion, hover, structure};

type Answer = Result<Value, ResponseError>;

/// The state of the server after the request `initialize`.
struct Session {
    encoding: Encoding,
    markup: MarkupKind,
    worker: Worker,
    documents: HashMap<String, Document>,
    /// The number of versions so far.
    revisions: u64,
    is_shut_down: bool,
}

pub struct Server {
    settings: Settings,
    client: Client,
    session: Option<Session>,
}

/// Reads the parameters of a message.
fn params<P: DeserializeOwned>(params: Value) -> Result<P, ResponseError> {
    serde_json::from_value(params).map_err(|error| answers::error(ErrorCode::InvalidParams, error.to_string()))
}

fn value(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| answers::error(ErrorCode::InternalError, error.to_string()))
}

impl Server {
    pub fn new(settings: Settings, client: Client) -> Server {
        Server { settings, client, session: None }
    }

    pub fn is_shut_down(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_shut_down)
    }

    /// Answers bytes that are not a message.
    pub fn refuse(&self, reason: String) {
        self.client.send_damaged(ErrorCode::ParseError as i32, &reason);
    }

    /// Takes a message. Returns whether it is the last one.
    pub fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) => {
                let id = request.id.clone();
                let response_result = self.answer(request);
                self.client.send(Response { id, response_result });
            }
            Message::Notification(notification) if notification.method == Exit::METHOD => return true,
            Message::Notification(notification) => {
                if let Some(session) = self.session.as_mut().filter(|session| !session.is_shut_down) {
                    // A notification has no answer that could have the error.
                    let _ = session.notice(notification);
                }
            }
            // The server sends no requests, so this is not an answer to one.
            Message::Response(_) => {}
        }
        false
    }

    fn answer(&mut self, request: Request) -> Answer {
        match (&mut self.session, request.method.as_str()) {
            (None, Initialize::METHOD) => self.initialize(request.params),
            (None, _) => Err(answers::error(ErrorCode::ServerNotInitialized, "the request `initialize` comes first")),
            (Some(session), _) if session.is_shut_down => {
                Err(answers::error(ErrorCode::InvalidRequest, "the server has been shut down"))
            }
            (Some(_), Initialize::METHOD) => {
                Err(answers::error(ErrorCode::InvalidRequest, "the server has been initialized"))
            }
            (Some(session), Shutdown::METHOD) => {
                session.is_shut_down = true;
                Ok(Value::Null)
            }
            (Some(session), _) => session.answer(&self.settings, request),
        }
    }

    fn initialize(&mut self, given: Value) -> Answer {
        let InitializeParams { capabilities, initialization_options, .. } = params(given)?;
        for wrong in self.settings.add(&initialization_options.unwrap_or_default()) {
            let params = ShowMessageParams { typ: MessageType::ERROR, message: format!("amdgpu-isa: {wrong}") };
            self.client.send(Notification::new(ShowMessage::METHOD.into(), params));
        }
        let encoding = answers::encoding(&capabilities);
        let worker = Worker::start(self.settings.clone(), self.client.clone());
        let worker = worker.map_err(|error| answers::error(ErrorCode::InternalError, error.to_string()))?;
        self.session = Some(Session {
            encoding,
            markup: answers::markup(&capabilities),
            worker,
            documents: HashMap::new(),
            revisions: 0,
            is_shut_down: false,
        });
        value(answers::initialized(encoding))
    }
}

impl Session {
    fn notice(&mut self, notification: Notification) -> Result<(), ResponseError> {
        let Notification { method, params: given } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => self.open(params(given)?),
            DidChangeTextDocument::METHOD => self.change(params(given)?),
            DidCloseTextDocument::METHOD => self.close(params(given)?),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, DidOpenTextDocumentParams { text_document: new }: DidOpenTextDocumentParams) {
        self.revisions += 1;
        let key = new.uri.as_str().to_string();
        let text = Text::new(new.text, self.encoding);
        let document = Document::new(new.uri, new.version, self.revisions, text);
        self.worker.add(&document);
        self.documents.insert(key, document);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let of = params.text_document;
        self.revisions += 1;
        if let Some(document) = self.documents.get_mut(of.uri.as_str()) {
            document.change(of.version, self.revisions, params.content_changes);
            self.worker.add(document);
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        if let Some(document) = self.documents.remove(params.text_document.uri.as_str()) {
            self.worker.forget(document);
        }
    }

    fn answer(&mut self, settings: &Settings, request: Request) -> Answer {
        let Request { method, params: given, .. } = request;
        match method.as_str() {
            HoverRequest::METHOD => value(self.hover(settings, params(given)?)?),
            Completion::METHOD => value(self.completion(settings, params(given)?)?),
            GotoDefinition::METHOD => value(self.definition(params(given)?)?),
            References::METHOD => value(self.references(params(given)?)?),
            DocumentSymbolRequest::METHOD => value(self.symbols(params(given)?)?),
            FoldingRangeRequest::METHOD => value(self.folds(params(given)?)?),
            _ => Err(answers::error(ErrorCode::MethodNotFound, format!("there is no request {method:?}"))),
        }
    }

    fn document(&self, uri: &Uri) -> Result<&Document, ResponseError> {
        let missing = || answers::error(ErrorCode::InvalidParams, format!("{} is not open", uri.as_str()));
        self.documents.get(uri.as_str()).ok_or_else(missing)
    }

    /// The document and the byte of a position.
    fn place(&self, at: &TextDocumentPositionParams) -> Result<(&Document, usize), ResponseError> {
        let document = self.document(&at.text_document.uri)?;
        Ok((document, document.text.offset(at.position)))
    }

    fn hover(&self, settings: &Settings, params: HoverParams) -> Result<Option<Hover>, ResponseError> {
        let (document, at) = self.place(&params.text_document_position_params)?;
        let analysis = self.worker.analysis(document);
        let found = hover::hover(document, analysis.as_deref(), settings, at);
        Ok(found.map(|(value, range)| Hover {
            contents: HoverContents::Markup(MarkupContent { kind: self.markup.clone(), value }),
            range: Some(document.text.range(&range)),
        }))
    }

    fn completion(&self, settings: &Settings, params: CompletionParams) -> Result<CompletionResponse, ResponseError> {
        let (document, at) = self.place(&params.text_document_position)?;
        Ok(CompletionResponse::Array(completion::complete(document, settings, at)))
    }

    fn definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>, ResponseError> {
        let (document, at) = self.place(&params.text_document_position_params)?;
        Ok(structure::definition(document, at).map(GotoDefinitionResponse::Scalar))
    }

    fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>, ResponseError> {
        let (document, at) = self.place(&params.text_document_position)?;
        Ok(structure::references(document, at, params.context.include_declaration))
    }

    fn symbols(&self, params: DocumentSymbolParams) -> Result<DocumentSymbolResponse, ResponseError> {
        let document = self.document(&params.text_document.uri)?;
        Ok(DocumentSymbolResponse::Nested(structure::symbols(document)))
    }

    fn folds(&self, params: FoldingRangeParams) -> Result<Vec<FoldingRange>, ResponseError> {
        Ok(structure::folds(self.document(&params.text_document.uri)?))
    }
}
