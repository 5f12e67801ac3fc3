//! `--explain`: how the description was read and why: clauses, rules, name, category and tags.

use serde_json::{Value, json};

use super::Run;
use crate::skill::{Sentence, read};
use crate::terminal::ui::{Style, table};

/// With `--explain`, says how the description was read, and keeps it for the answer.
pub(super) fn tell(run: &mut Run<'_>, description: &str) {
    if !run.args.explain {
        return;
    }
    let understood = read(description);
    if !run.env.json && !run.args.dry_run {
        let said = text(run.env.err_style(), &understood);
        run.env.say(said.trim_end());
    }
    run.record.understood = Some(understood);
}

/// For people: every conclusion with its reason.
pub(super) fn text(style: Style, understood: &Sentence) -> String {
    let mut text = format!("{}\n", style.rule("Understood"));
    let cells = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
    let parts: Vec<_> =
        understood.because.iter().map(|part| cells(&[part.about, &part.concluded, &part.from])).collect();
    text.push_str(&table(style, &["Part", "Understood", "From"], &parts));
    text.push_str(&format!("{}\n", style.rule("end")));
    text
}

pub(super) fn json(understood: &Sentence) -> Value {
    json!({
        "language": understood.language, "archetype": understood.archetype, "head": understood.head,
        "clauses": understood.clauses, "rules": understood.rules, "parts": understood.because,
    })
}
