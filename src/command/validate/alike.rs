//! Findings that several clients share, told as one.

use crate::finding::Finding;

/// Findings with the other clients each is true of, in the order found. Only text for people is told this way.
pub(super) fn alike<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<(&'f Finding, Vec<&'f str>)> {
    let mut told: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for finding in findings {
        let place = |one: &Finding| (one.file.clone(), one.rule.clone(), one.line, one.column, one.severity);
        let same = told.iter_mut().find(|(one, _)| {
            finding.client.is_some() && one.client.is_some() && one.fix == finding.fix && place(one) == place(finding)
        });
        match (same, finding.client.as_deref()) {
            (Some((_, others)), Some(client)) => others.push(client),
            _ => told.push((finding, Vec::new())),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Layer, Severity};

    fn finding(rule: &str, column: usize, client: Option<&str>) -> Finding {
        Finding {
            layer: Layer::Portability,
            rule: rule.into(),
            severity: Severity::Warning,
            file: "SKILL.md".into(),
            line: 1,
            column,
            message: "m".into(),
            why: String::new(),
            fix: String::new(),
            client: client.map(str::to_owned),
        }
    }

    #[test]
    fn only_the_same_rule_at_the_same_place_for_other_clients_is_one() {
        let found = [
            finding("PORT-BOM", 1, Some("codex")),
            finding("PORT-BOM", 1, Some("gemini")),
            finding("PORT-BOM", 2, Some("qwen")),
            finding("S3", 1, None),
            finding("S3", 1, None),
        ];
        let told: Vec<_> = alike(found.iter()).into_iter().map(|(one, others)| (one.column, others)).collect();
        assert_eq!(told, [(1, vec!["gemini"]), (2, vec![]), (1, vec![]), (1, vec![])]);
    }
}
