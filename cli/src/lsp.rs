//! `lsp`: a language server for sources, on standard input and output.

mod analysis;
mod answers;
mod completion;
mod document;
mod hover;
mod operands;
mod server;
mod settings;
mod structure;
mod text;
mod transport;
mod worker;

use std::io;
use std::path::PathBuf;

use amdgpu_asm::Processor;

use crate::error::{Error, Result};
use server::Server;
use settings::Settings;
use transport::{Client, Incoming};

/// Answer editors: errors and findings of sources, explanations of instructions, completion, definitions (the Language
/// Server Protocol on standard input and output)
#[derive(clap::Args)]
pub struct Args {
    /// The processor of sources that name none, such as gfx942 or mi300x
    #[arg(long, value_parser = str::parse::<Processor>)]
    target: Option<Processor>,
    /// Also report the hints of `lint --hints`
    #[arg(long)]
    hints: bool,
    /// Search this directory for included files, after the directory of the source
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// Has no effect: some editors pass this option to ask for standard input and output
    #[arg(long)]
    stdio: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let settings = Settings { target: args.target, hints: args.hints, include: args.include.clone() };
    let failed = |error: io::Error| Error::input(format!("the server cannot start: {error}"));
    let (client, writer) = Client::start().map_err(failed)?;
    let mut server = Server::new(settings, client.clone());
    let result = serve(&mut server);
    client.end();
    // The thread ends after the last message.
    let _ = writer.join();
    result
}

/// Takes messages until the editor leaves.
fn serve(server: &mut Server) -> Result<()> {
    let mut input = io::stdin().lock();
    let failed = |error: io::Error| Error::input(format!("the editor's message cannot be read: {error}"));
    while let Some(incoming) = transport::read(&mut input).map_err(failed)? {
        match incoming {
            Incoming::Message(message) => {
                if server.take(message) {
                    break;
                }
            }
            Incoming::Damaged(reason) => server.refuse(reason),
        }
    }
    match server.is_shut_down() {
        true => Ok(()),
        false => Err(Error::input("the editor left without the request `shutdown`")),
    }
}
