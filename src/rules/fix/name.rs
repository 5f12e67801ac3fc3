//! Makes the name of a skill and the name of its folder agree on one valid name.

use crate::skill::frontmatter::{self, Field, Value};
use crate::skill::{Name, Tree};

use super::{Proposal, edit};

/// Name and folder take the one valid name that either of them has, or else the one that both sanitise to. Two valid
/// names that differ only in hyphens become the folder's; other differences are left to the author. A folder is never
/// renamed onto an existing entry.
pub(super) fn agree(directory: &str, tree: &Tree, taken: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = edit::document(tree)?;
    let field = doc.field("name")?;
    let name = field.value.scalar()?;
    let right = right_name(directory, name)?;
    let moves = right != directory;
    if moves && taken(&right) {
        return None;
    }
    let is_text = matches!(field.value, Value::Text(_));
    let mut changes = Vec::new();
    let mut fixed = tree.clone();
    if name != right || !is_text {
        let text = renamed(&doc.text, field, &right)?;
        fixed = edit::with(&fixed, "SKILL.md", &text)?;
        let now = edit::document(&fixed)?;
        if now.field("name").map(|field| &field.value) != Some(&Value::Text(right.clone())) {
            return None;
        }
        changes.push(("SKILL.md".to_owned(), format!("`name` is changed to `{right}`")));
        let sidecar = tree.text("metadata.yaml").and_then(|text| {
            let fields = frontmatter::read_yaml(text).ok()?;
            let field = fields.iter().find(|field| field.key == "name" && field.value.scalar() == Some(name))?;
            renamed(text, field, &right)
        });
        if let Some(text) = sidecar {
            fixed = edit::with(&fixed, "metadata.yaml", &text)?;
            changes.push(("metadata.yaml".to_owned(), format!("`name` is changed to `{right}`")));
        }
    }
    if moves {
        let what = format!("the folder `{directory}` is renamed to `{right}`");
        match changes.first_mut() {
            Some((_, said)) => *said = format!("{said}, and {what}"),
            None => changes.push(("SKILL.md".to_owned(), what)),
        }
    }
    let directory = moves.then_some(right);
    (!changes.is_empty()).then_some(Proposal { directory, tree: fixed, changes, unseen: None })
}

fn right_name(directory: &str, name: &str) -> Option<String> {
    let valid = |text: &str| Name::parse(text).ok().map(|name| name.to_string());
    if let (Some(one), Some(other)) = (valid(directory), valid(name)) {
        // If only hyphens differ, the folder decides: a client finds the skill by it.
        return (one.replace('-', "") == other.replace('-', "")).then_some(one);
    }
    valid(directory).or_else(|| valid(name)).or_else(|| {
        let (one, other) = (Name::sanitise(directory)?, Name::sanitise(name)?);
        let cut = directory.chars().count() > crate::skill::name::MAX_NAME;
        (one == other && !cut).then(|| one.to_string())
    })
}

/// The text with a new value for the field, in its present quotes, or in new ones if it needs them.
fn renamed(text: &str, field: &Field, to: &str) -> Option<String> {
    let from = edit::offset(text, field.value_at)?;
    let range = edit::scalar(text, from)?;
    let quote = match text.get(range.clone())?.chars().next()? {
        quote @ ('"' | '\'') => quote.to_string(),
        _ if reads_as_text(to) => String::new(),
        _ => "\"".to_owned(),
    };
    edit::replaced(text, &range, &format!("{quote}{to}{quote}"))
}

fn reads_as_text(name: &str) -> bool {
    let fields = frontmatter::read_yaml(&format!("name: {name}")).unwrap_or_default();
    fields.first().is_some_and(|field| field.value == Value::Text(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_valid_name_wins_then_what_both_make_and_two_valid_names_are_left_to_the_author() {
        for (directory, name, right) in [
            ("review-code", "Review", Some("review-code")),
            ("review-code", "lint-code", None),
            ("pdf-tools", "pdftools", Some("pdf-tools")),
            ("review-code", "review-code", Some("review-code")),
            ("Review_Code", "review-code", Some("review-code")),
            ("Code-Review", "Code_Review", Some("code-review")),
            ("Code-Review", "Lint Code", None),
            ("日本", "日本", None),
        ] {
            assert_eq!(right_name(directory, name).as_deref(), right, "{directory} {name}");
        }
        assert_eq!(right_name(&"A".repeat(65), &"A".repeat(65)), None, "where to cut is not certain");
    }
}
