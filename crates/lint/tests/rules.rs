//! The list of rules is complete: each possible finding has an entry, and each unchecked rule is listed.

use std::collections::BTreeSet;

use amdgpu_isa::facts::Purpose;
use amdgpu_isa::hazards::Rule;
use amdgpu_isa::{Opcode, Target, parse};
use amdgpu_lint::check::{self, Severity};
use amdgpu_lint::rules;
use amdgpu_object::{Image, TargetId};

#[test]
fn each_rule_has_words() {
    let all = rules::every();
    let ids: BTreeSet<&str> = all.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), all.len(), "a name stands for one rule");
    for rule in &all {
        assert!(rule.text.ends_with('.') && rule.help.ends_with('.'), "{}", rule.id);
        assert!(!rule.title.is_empty() && !rule.title.ends_with('.'), "{}", rule.id);
        assert_eq!(rules::find(rule.id).as_ref(), Some(rule));
    }
    assert_eq!(all.iter().filter(|rule| rule.hazard.is_some()).count(), Rule::all().count());
    assert_eq!(rules::find("no such rule"), None);
}

#[test]
fn rules_of_a_target_have_distances_and_sources() {
    let all = rules::all(Target::Gfx942);
    assert!(all.len() > 60, "{}", all.len());
    for target in Target::ALL {
        let all = rules::all(*target);
        assert_eq!(all.iter().map(|rule| rule.id).collect::<BTreeSet<_>>().len(), all.len(), "{target}");
    }
    assert!(all.iter().all(|rule| rule.hazard.is_some() || rule.distance.is_none()));
    let of = |id: &str| all.iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("{id}"));
    assert_eq!(of("F01").needs().unwrap(), "5 wait states");
    assert_eq!(of("F02").needs().unwrap(), "wait states: 0 (5 if strict)");
    assert!(of("F02").is_strict && !of("F01").is_strict);
    assert!(of("missing-wait").sources.iter().any(|source| source.contains("CDNA")));
    assert!(all.iter().all(|rule| rule.id != "T01"), "RDNA1 has that");
}

#[test]
fn severities_are_those_of_findings() {
    let target = Target::Gfx942;
    let texts =
        ["s_waitcnt vmcnt(0)", "global_load_dword v0, v1, s[0:1]", "v_add_f32_e32 v2, v0, v2", "s_setpc_b64 s[8:9]"];
    let words = texts.iter().flat_map(|text| parse(target, text).expect(text).words().to_vec());
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let found = check::image(&Image::bare(TargetId::parse("gfx942"), 0x1000, &code), target);
    let kinds: BTreeSet<Severity> = found.iter().map(|finding| finding.severity()).collect();
    assert_eq!(kinds.len(), 2, "{found:?}");
    for finding in &found {
        let rule = rules::find(finding.rule()).expect("the list has it");
        assert_eq!(rule.severity, finding.severity(), "{finding}");
    }
}

/// tests/hazards/others.txt lists hazards without a test program. The list of unchecked faults has exactly those of
/// these hazards that can occur on a target of this build, and that no rule and no counter covers.
#[test]
fn what_is_not_checked_is_said() {
    let others = include_str!("../../../tests/hazards/others.txt");
    let lines =
        others.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once(": ").expect("a reason"));
    let is_checked = |reason: &str| {
        reason.contains("see `") || reason.contains("counter") || reason.contains("the library has the rule")
    };
    let cannot_be = |reason: &str| reason.starts_with("no operation") || reason.starts_with("no two operations");
    let open: BTreeSet<&str> = lines
        .filter(|(_, reason)| !is_checked(reason) && !cannot_be(reason))
        .map(|(id, _)| id.split(' ').next().unwrap())
        .collect();
    let said: BTreeSet<&str> = rules::every_unchecked().filter_map(|unchecked| unchecked.id).collect();
    let of_build: BTreeSet<&str> =
        distances().into_iter().filter(|(target, _)| target.is_some()).flat_map(|(_, ids)| ids).collect();
    assert_eq!(said, open.into_iter().filter(|id| of_build.contains(id)).collect());
    assert!(rules::every_unchecked().all(|unchecked| unchecked.what.ends_with('.')));
    assert!(said.iter().all(|id| rules::find(id).is_none()), "{said:?}");
}

/// The target and the hazards of each column of tests/hazards/distances.tsv; `None` for a target that this build lacks.
fn distances() -> Vec<(Option<Target>, BTreeSet<&'static str>)> {
    let table = include_str!("../../../tests/hazards/distances.tsv");
    let mut lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let names: Vec<&str> = lines.next().expect("the names of the columns").collect();
    let rows: Vec<Vec<&str>> = lines.map(Iterator::collect).collect();
    let ids = |column: usize| rows.iter().filter(move |row| !matches!(row[column], "0" | "-")).map(|row| row[0]);
    names.iter().enumerate().skip(1).map(|(column, name)| (name.parse().ok(), ids(column).collect())).collect()
}

/// The list of unchecked faults of a target has exactly the unchecked faults that this target can have.
#[test]
fn only_faults_of_the_target_are_said_to_be_unchecked() {
    let every: BTreeSet<&str> = rules::every_unchecked().filter_map(|fault| fault.id).collect();
    for (target, has) in distances() {
        let Some(target) = target else { continue };
        let said: BTreeSet<&str> = rules::unchecked(target).filter_map(|fault| fault.id).collect();
        assert_eq!(said, every.intersection(&has).copied().collect(), "{target}");
    }
    for target in Target::ALL {
        let is_said = rules::unchecked(*target).any(|fault| fault.what.contains("upper bits"));
        assert_eq!(is_said, Opcode::has_purpose(*target, Purpose::VgprMsb), "{target}");
    }
}
