//! Tests of the results of operations, named after promises.

mod book;
mod data;
mod examples;
mod folder;
mod known;
mod matrices;
mod proofs;
mod rules;
mod vectors;
