//! What some validators of skills refuse and others accept; checked by the profile `strict`.

use crate::rules::{FindingCollector, Id, Lines, Position, shown};
use crate::skill::frontmatter::{Document, Value};

use super::tag;

pub(super) fn check(doc: &Document, lines: &Lines<'_>, report: &mut FindingCollector<'_>) {
    let mut say = |validator: &str, at: Position, message: String, fix: &str| {
        report.add(Id::PortValidators.at(at, message).with_fix(fix).for_client(validator));
    };
    for (start, line) in lines.iter() {
        if !doc.head.contains(&start) {
            continue;
        }
        if let Some(at) = line.find("---") {
            let message = "skills-ref ends the frontmatter at the first `---`, which is inside a value here";
            say("skills-ref", lines.position(start + at), message.into(), "Write a dash or two instead of three.");
        }
        let value = line.split_once(':').map_or("", |(_, value)| value.trim());
        if value.starts_with(['[', '{']) {
            let message = "skills-ref refuses lists and maps in brackets";
            say("skills-ref", lines.position(start), message.into(), "Write one entry on each line.");
        }
    }
    for field in &doc.fields {
        let text_wanted = matches!(field.key.as_str(), "name" | "description");
        if text_wanted && matches!(field.value, Value::Number(_) | Value::Bool(_)) {
            let message = format!("quick_validate refuses `{}`: it is {}, not text", field.key, field.value.kind());
            say("quick_validate", field.value_at, message, "Put it in quotes.");
        }
        let Some(text) = field.value.scalar() else { continue };
        if field.key == "description" && (tag(text) || text.contains(['<', '>'])) {
            let message = "quick_validate refuses `<` and `>` in a description";
            say("quick_validate", field.value_at, message.into(), "Use words instead of the tag.");
        }
        if field.key == "name" && !text.is_ascii() {
            let message = format!("quick_validate and agent-skills disagree with skills-ref about `{}`", shown(text));
            say("quick_validate", field.value_at, message, "Use ASCII letters.");
        }
        if text_wanted && text.trim() != text {
            let message = format!("agent-skills counts the spaces around the {}", field.key);
            say("agent-skills", field.value_at, message, "Remove the spaces.");
        }
    }
}
