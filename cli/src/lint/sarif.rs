//! Findings as a SARIF document (OASIS, version 2.1.0), which editors and code hosts show.

use serde_json::{Value, json};

use amdgpu_lint::check::Severity;

use super::report::Report;

pub fn document(file: &str, findings: &[Report]) -> String {
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule })).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(file, finding)).collect();
    let driver = json!({ "name": "amdgpu-isa", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    })
    .to_string()
}

fn result(file: &str, finding: &Report) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "note",
    };
    let location = |address: u64, text: &str| {
        json!({
            "physicalLocation": {
                "artifactLocation": { "uri": file },
                "address": { "absoluteAddress": address, "kind": "instruction" },
            },
            "logicalLocations": [{ "fullyQualifiedName": finding.function, "kind": "function" }],
            "message": { "text": text },
        })
    };
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level,
        "message": { "text": finding.message },
        "locations": [location(finding.address, &finding.instruction)],
    });
    if let (Some(producer), Some(result)) = (&finding.producer, result.as_object_mut()) {
        let related = vec![location(producer.address, &producer.instruction)];
        result.insert("relatedLocations".into(), related.into());
    }
    if let (false, Some(result)) = (finding.source.is_empty(), result.as_object_mut()) {
        result.insert("properties".into(), json!({ "source": finding.source, "path": finding.path }));
    }
    result
}
