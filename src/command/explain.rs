//! `explain CODE`: the long form of an error code or a rule.

use serde_json::json;

use super::help::nearest;
use crate::error::{Code, Error, Result};
use crate::report::Report;
use crate::rules::{self, Enforced, fix};
use crate::terminal::ui::{self, Style};

/// Runs `hefesto explain`. Errors: E-EXPLAIN-001 for an unknown id.
pub(super) fn explain(style: Style, id: Option<&str>) -> Result<Report> {
    let Some(id) = id else { return Ok(all_codes(style)) };
    if let Some(code) = Code::find(id) {
        return Ok(explain_code(style, code));
    }
    if let Some(rule) = rules::find(id) {
        return Ok(explain_rule(style, rule));
    }
    let ids: Vec<String> = ids().map(str::to_owned).collect();
    let error = Error::new(Code::Explain, format!("there is no code or rule {id:?}"));
    let begins = |one: &&String| one.get(..id.len()).is_some_and(|start| start.eq_ignore_ascii_case(id));
    let family: Vec<&str> = ids.iter().filter(begins).map(String::as_str).collect();
    if !id.is_empty() && family.len() > 1 {
        return Err(error.suggest(format!("These begin so: {}.", family.join(", "))));
    }
    Err(match nearest(&id.to_uppercase(), &ids) {
        Some(near) => {
            error.suggest(format!("Did you mean `hefesto explain {near}`? `hefesto explain` lists them all."))
        }
        None => error,
    })
}

pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.entry().id).chain(rules::RULES.iter().map(|rule| rule.id))
}

fn all_codes(style: Style) -> Report {
    let codes = Code::ALL.iter().map(|code| [code.entry().id, code.entry().when]);
    let rules = rules::RULES.iter().map(|rule| [rule.id, rule.title]);
    let text =
        format!("{}\n{}", ui::table(style, &["CODE", "WHEN"], codes), ui::table(style, &["RULE", "WHAT"], rules));
    let data = json!({
        "codes": Code::ALL.iter().map(|code| json!({ "code": code, "when": code.entry().when })).collect::<Vec<_>>(),
        "rules": rules::RULES.iter().map(|rule| json!({ "rule": rule.id, "title": rule.title })).collect::<Vec<_>>(),
    });
    Report::done(data, text)
}

fn explain_code(style: Style, code: Code) -> Report {
    let entry = code.entry();
    let text = format!(
        "{}\n{}\n\n{}\n\nExample:\n  {}\n\nWhat to do: {}\nExit: {}\n",
        style.head(entry.id),
        entry.when,
        entry.cause,
        entry.example,
        entry.cure,
        entry.exit.number()
    );
    let data = json!({
        "code": entry.id, "when": entry.when, "cause": entry.cause, "example": entry.example, "cure": entry.cure,
        "exit": entry.exit.number(),
    });
    Report::done(data, style.fold(&text, 2))
}

fn explain_rule(style: Style, rule: &rules::Rule) -> Report {
    let enforced = match rule.enforced {
        Enforced::OnFiles => "checked on the files of every skill",
        Enforced::ByProcedure => "ensured by the way the program works",
    };
    let edits: Vec<&str> = fix::of(rule.id).collect();
    let fixed = match (rule.enforced, edits.as_slice()) {
        (Enforced::ByProcedure, _) => String::new(),
        (Enforced::OnFiles, []) => "What `validate --fix` does: nothing; there is no certain fix.\n".to_owned(),
        (Enforced::OnFiles, edits) => {
            format!("What `validate --fix` does if the fix is certain: {}.\n", edits.join("; "))
        }
    };
    let text = format!(
        "{}\n{} ({})\n\nWhy: {}\n\nExample:\n  {}\n\nWhat to do: {}\n{fixed}Source: {}\nHow it is enforced: {enforced}\n",
        style.head(rule.id),
        rule.title,
        rule.severity.word(),
        rule.why,
        rule.example.replace('\n', "\n  "),
        rule.fix,
        rule.source
    );
    let data = json!({
        "rule": rule.id, "layer": rule.layer, "severity": rule.severity, "title": rule.title, "why": rule.why,
        "example": rule.example, "fix": rule.fix, "mended": edits, "source": rule.source, "enforced": enforced,
    });
    Report::done(data, style.fold(&text, 2))
}
