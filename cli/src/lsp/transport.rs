//! Messages on standard input and output. Memory is allocated only for bytes that arrive.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use lsp_server::Message;

/// The length of the longest line of a header in bytes.
const LONGEST_HEADER: u64 = 1 << 12;
/// The length of the longest message in bytes.
const LONGEST_MESSAGE: u64 = 1 << 30;

/// A message of the editor.
pub enum Incoming {
    Message(Message),
    /// Bytes that are not a message, and the reason.
    Damaged(String),
}

/// Reads the next message; `None` at the end of the input.
///
/// # Errors
/// The header is damaged, so that the next message cannot be found, or the input ends in a message.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let damaged = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_string());
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() && length.is_none() {
            return Ok(None);
        }
        let line = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let line = line.ok_or_else(|| damaged("a header has no end"))?.trim();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| damaged("a header has no colon"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| damaged("the length of a message is not a number"))?);
        }
    }
    let length = length.ok_or_else(|| damaged("a message has no length"))?;
    if length > LONGEST_MESSAGE {
        return Err(damaged("a message is too long"));
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(damaged("a message is cut off"));
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Damaged(error.to_string()),
    }))
}

/// A message to the editor, or the end of the output.
enum Outgoing {
    Message(Message),
    /// A text that is not a [`Message`].
    Text(String),
    End,
}

/// The editor, to which any thread can send messages. A thread does not wait until the editor reads them.
#[derive(Clone)]
pub struct Client(Sender<Outgoing>);

impl Client {
    /// Starts the thread that writes, which ends after [`Client::end`].
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start() -> io::Result<(Client, JoinHandle<()>)> {
        let (sender, receiver) = mpsc::channel();
        let writer = thread::Builder::new().spawn(move || {
            let mut out = io::stdout().lock();
            for outgoing in receiver {
                // An error is ignored: an editor that has ended closes the input, too.
                let _ = match outgoing {
                    Outgoing::Message(message) => message.write(&mut out),
                    Outgoing::Text(text) => {
                        write!(out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.flush())
                    }
                    Outgoing::End => return,
                };
            }
        })?;
        Ok((Client(sender), writer))
    }

    pub fn send(&self, message: impl Into<Message>) {
        let _ = self.0.send(Outgoing::Message(message.into()));
    }

    /// Sends an error about bytes that are not a message, and so have no number.
    pub fn send_damaged(&self, code: i32, message: &str) {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
        let _ = self.0.send(Outgoing::Text(body.to_string()));
    }

    /// Ends the output: no more messages are written.
    pub fn end(&self) {
        let _ = self.0.send(Outgoing::End);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_each_other() {
        let mut input = &b"Content-Length: 2\r\n\r\n{}content-length:18\r\nX: y\r\n\r\n{\"method\": \"exit\"}"[..];
        assert!(matches!(read(&mut input), Ok(Some(Incoming::Damaged(_)))));
        assert!(
            matches!(read(&mut input), Ok(Some(Incoming::Message(Message::Notification(n)))) if n.method == "exit")
        );
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn a_damaged_header_is_an_error() {
        let long = "x".repeat(5000);
        for input in
            [&long, "x\n", "\n", "Content-Length: x\n\n", "Content-Length: 99999999999\n\n", "Content-Length: 3\n\n{}"]
        {
            assert!(read(&mut input.as_bytes()).is_err(), "{input}");
        }
    }
}
