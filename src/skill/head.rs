//! Name and description of a SKILL.md, and changing the name.

use super::frontmatter;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The `name` field; empty when there is none.
    pub name: String,
    /// The `description` field; empty when there is none.
    pub description: String,
}

/// Reads the head of a text. `None` when it has no readable one.
pub fn head(text: &str) -> Option<Head> {
    let document = frontmatter::read(text.as_bytes()).ok()?;
    let field = |key: &str| document.field(key).and_then(|field| field.value.scalar()).unwrap_or_default().to_owned();
    Some(Head { name: field("name"), description: field("description") })
}

/// The text with another `name`.
/// Every other byte is unchanged.
pub fn with_name(text: &str, name: &str) -> String {
    let Ok(document) = frontmatter::read(text.as_bytes()) else { return text.to_owned() };
    let Some(field) = document.field("name") else { return text.to_owned() };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(line) = lines.get_mut(field.key_at.line.saturating_sub(1)) {
        let (bare, end) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
        let indent: String = bare.chars().take_while(|c| c.is_whitespace()).collect();
        *line = format!("{indent}name: \"{name}\"{end}");
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: old\ndescription: \"d: e\"\n---\n# Old\n\nname: old\n";

    #[test]
    fn the_name_changes_in_the_head_and_nowhere_else() {
        let renamed = with_name(TEXT, "new");
        assert_eq!(renamed, TEXT.replacen("name: old", "name: \"new\"", 1));
        assert_eq!(head(&renamed), Some(Head { name: "new".into(), description: "d: e".into() }));
    }

    #[test]
    fn a_text_without_a_head_stays_as_it_is() {
        assert_eq!(with_name("# No head\n", "new"), "# No head\n");
        assert_eq!(head("# No head\n"), None);
    }
}
