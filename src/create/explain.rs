//! What was understood of the description and why: every part with its words, and which kind of work won over which.

use serde_json::{Value, json};

use super::Run;
use crate::skill::{Understanding, understand};
use crate::terminal::ui::{Style, table};

/// Says what is understood of a description where `--explain` asks for it, and keeps it for the answer.
pub(super) fn tell(run: &mut Run<'_>, description: &str) {
    if !run.request.args.explain {
        return;
    }
    let understood = understand(description);
    if !run.env.json && !run.request.args.dry_run {
        let said = text(run.env.style, &understood);
        run.env.say(said.trim_end());
    }
    run.record.understood = Some(understood);
}

/// For people: the parts, then the kinds of work by score.
#[must_use]
pub(super) fn text(style: Style, understood: &Understanding) -> String {
    let mut text = format!("{}\n", style.rule("Understood"));
    let cells = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
    let parts: Vec<_> =
        understood.because.iter().map(|part| cells(&[part.about, &part.concluded, &part.from])).collect();
    text.push_str(&table(style, &["Part", "Understood", "From"], &parts));
    let scores: Vec<_> = understood
        .scores
        .iter()
        .map(|one| cells(&[one.archetype.word(), &one.score.to_string(), &one.words.join(", ")]))
        .collect();
    text.push('\n');
    text.push_str(&table(style, &["Archetype", "Score", "Words"], &scores));
    text.push_str(&format!("{}\n", style.rule("end")));
    text
}

#[must_use]
pub(super) fn json(understood: &Understanding) -> Value {
    json!({
        "language": understood.language,
        "archetype": understood.archetype,
        "scores": understood.scores,
        "parts": understood.because,
    })
}
