//! Findings as a SARIF document (OASIS, version 2.1.0), which editors and code hosts show.

use std::io;

use serde_json::{Map, Value, json};

use amdgpu_lint::check::Severity;
use amdgpu_lint::rules::{self, RuleInfo};

use super::report::{Report, Source};

/// Writes the document with all findings. `troubles`: the reasons why files were not checked, or only partly.
pub fn write(out: &mut Vec<u8>, findings: &[Report], troubles: &[String]) -> io::Result<()> {
    let mut ids: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids.iter().map(|id| rules::find(id).map_or_else(|| json!({ "id": id }), rule)).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &ids)).collect();
    let driver = json!({ "name": "amdgpu-isa", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let notification = |text: &String| json!({ "level": "error", "message": { "text": text } });
    let invocation = json!({
        "executionSuccessful": troubles.is_empty(),
        "toolExecutionNotifications": troubles.iter().map(notification).collect::<Vec<Value>>(),
    });
    let run = json!({
        "tool": { "driver": driver },
        "invocations": [invocation],
        "columnKind": "utf16CodeUnits",
        "results": results,
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    crate::json::write(out, &document)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    }
}

fn rule(rule: RuleInfo) -> Value {
    let sources: String = rule.sources.iter().map(|source| format!("\n\nSource: {source}")).collect();
    let mut title = rule.title.to_string();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    json!({
        "id": rule.id,
        "name": camel(rule.id, rule.hazard.is_some()),
        "shortDescription": { "text": title },
        "fullDescription": { "text": rule.text },
        "help": { "text": format!("{}{sources}", rule.help) },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

/// The name of a rule in the style of SARIF: `MissingWait` for `missing-wait`, and `HazardF01` for rules that have
/// numbers.
fn camel(id: &str, is_hazard: bool) -> String {
    let word = |word: &str| {
        let mut word = word.to_string();
        if let Some(first) = word.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        word
    };
    let name: String = id.split('-').map(word).collect();
    if is_hazard { format!("Hazard{name}") } else { name }
}

/// A place in the file, or in the source if the finding is from one.
fn location(finding: &Report, address: u64, place: Option<&Source>, text: &str) -> Map<String, Value> {
    let mut physical = Map::new();
    physical.insert("address".into(), json!({ "absoluteAddress": address, "kind": "instruction" }));
    let in_file = place.map(Source::in_file);
    let file = in_file.map_or(&finding.file, |place| &place.file);
    physical.insert("artifactLocation".into(), json!({ "uri": uri(file) }));
    if let Some(place) = in_file {
        let mut region = json!({ "startLine": place.line });
        if let (Some(region), Some(column)) = (region.as_object_mut(), place.utf16_column) {
            region.insert("startColumn".into(), column.into());
        }
        physical.insert("region".into(), region);
    }
    let mut location = Map::new();
    location.insert("physicalLocation".into(), physical.into());
    location.insert("message".into(), json!({ "text": text }));
    location
}

/// A path as a URI.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'+' | b'=' | b',' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn result(finding: &Report, ids: &[&str]) -> Value {
    let text = match &finding.advice {
        Some(advice) => format!("{}; {advice}", finding.message),
        None => finding.message.clone(),
    };
    let mut own = location(finding, finding.address, finding.place.as_ref(), &finding.instruction);
    let function = json!([{ "fullyQualifiedName": finding.function, "kind": "function" }]);
    own.insert("logicalLocations".into(), function);
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": ids.binary_search(&finding.rule).ok(),
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [own],
    });
    let Some(all) = result.as_object_mut() else { return result };
    // The path through the code: the producer, the blocks from there on, and the calls of macros.
    let mut related = Vec::new();
    if let Some(producer) = &finding.producer {
        let text = format!("it depends on {}", producer.instruction);
        related.push(location(finding, producer.address, producer.place.as_ref(), &text));
    }
    for (address, place) in finding.path.iter().zip(&finding.path_places) {
        related.push(location(finding, *address, place.as_ref(), "through this block"));
    }
    if let Some(place) = finding.place.as_ref().filter(|place| !place.from.is_empty()) {
        let inner = std::iter::once(place).chain(&place.from);
        for Source { file, line, .. } in inner {
            let text = json!({ "text": format!("in line {line} of {file}") });
            related.push(Map::from_iter([("message".into(), text)]));
        }
    }
    for (n, one) in related.iter_mut().enumerate() {
        one.insert("id".into(), n.into());
    }
    if !related.is_empty() {
        all.insert("relatedLocations".into(), related.into());
    }
    if !finding.source.is_empty() {
        all.insert("properties".into(), json!({ "source": finding.source, "path": finding.path }));
    }
    result
}
