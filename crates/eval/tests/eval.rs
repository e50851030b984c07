//! Tests of what operations compute, named after promises.

mod book;
mod examples;
mod known;
mod matrices;
mod folder;
mod proofs;
mod rules;
mod vectors;
