//! The capabilities of the server, and the errors of requests.

use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{
    ClientCapabilities, CompletionOptions, FoldingRangeProviderCapability, HoverProviderCapability, InitializeResult,
    MarkupKind, OneOf, PositionEncodingKind, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

use super::text::Encoding;

/// The encoding of positions: UTF-8, if the editor can count bytes.
pub fn encoding(client: &ClientCapabilities) -> Encoding {
    let offered = client.general.as_ref().and_then(|general| general.position_encodings.as_ref());
    match offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8)) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

/// The form of explanations. Editors that name none get Markdown.
pub fn markup(client: &ClientCapabilities) -> MarkupKind {
    let hover = client.text_document.as_ref().and_then(|document| document.hover.as_ref());
    let forms = hover.and_then(|hover| hover.content_format.as_ref());
    match forms.is_none_or(|forms| forms.contains(&MarkupKind::Markdown)) {
        true => MarkupKind::Markdown,
        false => MarkupKind::PlainText,
    }
}

pub fn initialized(encoding: Encoding) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = [".", "(", ",", ":", "\""].map(str::to_string).to_vec();
    let capabilities = ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_string());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: env!("CARGO_PKG_NAME").into(), version }) }
}

pub fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
