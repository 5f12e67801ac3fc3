//! Writes MEMORY.md: hefesto's frontmatter and block are rewritten, every other byte is preserved.

use super::parse::{DELETED, INITIALIZED, UPDATED, VERSION};
use super::split::{BEGIN, CLIS, END, SKILLS, STATE};
use super::table::{CLI_COLUMNS, SKILL_COLUMNS, escape};
use super::{Registry, Shell, Status};

const OURS: [&str; 4] = [VERSION, INITIALIZED, UPDATED, DELETED];

impl Registry {
    /// The whole file. Equal registries, equal texts.
    pub fn render(&self) -> String {
        let (Shell { before, after, bom, .. }, nl) = (&self.shell, self.shell.nl());
        let (mark, head) = (if *bom { "\u{feff}" } else { "" }, frontmatter(self));
        let block = block(self).replace('\n', nl);
        format!("{mark}---{nl}{head}---{nl}{before}{BEGIN}{nl}{block}{END}{after}")
    }
}

fn frontmatter(registry: &Registry) -> String {
    let nl = registry.shell.nl();
    let mut text = String::new();
    let head = &registry.head;
    for key in OURS.iter().take(3).filter(|key| head.get(key).is_none()) {
        text.push_str(&own(registry, key));
    }
    for entry in &head.entries {
        text.push_str(&entry.lead);
        if OURS.contains(&entry.key.as_str()) {
            text.push_str(&own(registry, &entry.key));
            continue;
        }
        text.push_str(&entry.raw);
        if !entry.raw.ends_with('\n') {
            text.push_str(nl);
        }
    }
    if head.get(DELETED).is_none() && !registry.deleted.is_empty() {
        text.push_str(&own(registry, DELETED));
    }
    text.push_str(&head.tail);
    if !text.ends_with('\n') {
        text.push_str(nl);
    }
    text
}

/// One of hefesto's own entries. The three scalars are validated and need no quotes.
fn own(registry: &Registry, key: &str) -> String {
    let nl = registry.shell.nl();
    match key {
        VERSION => format!("{key}: {}{nl}", registry.version),
        INITIALIZED => format!("{key}: {}{nl}", registry.initialized),
        UPDATED => format!("{key}: {}{nl}", registry.updated),
        _ if registry.deleted.is_empty() => format!("{key}: []{nl}"),
        _ => {
            let mut text = format!("{key}:{nl}");
            for note in &registry.deleted {
                let clis: Vec<String> = note.clis.iter().map(|id| quoted(id)).collect();
                let backup = note.backup.as_deref().map_or_else(|| "null".to_owned(), quoted);
                let (name, clis, at) = (quoted(&note.name), clis.join(", "), quoted(&note.at));
                text.push_str(&format!("  - {{name: {name}, clis: [{clis}], at: {at}, backup: {backup}}}{nl}"));
            }
            text
        }
    }
}

/// A JSON string, which is a YAML string as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn block(registry: &Registry) -> String {
    let mut text = format!("{CLIS}\n\n");
    row(&mut text, &CLI_COLUMNS);
    row(&mut text, &CLI_COLUMNS.map(|_| "---"));
    for cli in &registry.clis {
        let version = cli.version.as_deref().map_or_else(|| "null".to_owned(), escape);
        let cells = [&escape(&cli.id), cli.method.word(), &escape(&cli.skills_dir), &version, cli.status.word()];
        row(&mut text, &cells);
    }
    text.push_str(&format!("\n{SKILLS}\n\n"));
    row(&mut text, &SKILL_COLUMNS);
    row(&mut text, &SKILL_COLUMNS.map(|_| "---"));
    for skill in &registry.skills {
        let clis = skill.clis.iter().map(|id| escape(id)).collect::<Vec<_>>().join(", ");
        row(&mut text, &[skill.name.as_str(), &clis, &skill.created, &skill.modified]);
    }
    let active = registry.clis.iter().filter(|cli| cli.status == Status::Active).count();
    text + &format!(
        "\n{STATE}\n\n- **Total Skills:** {}\n- **Active CLIs:** {active}\n- **Last Validation:** {}\n",
        registry.skills.len(),
        registry.updated
    )
}

fn row(text: &mut String, cells: &[&str]) {
    text.push_str(&format!("| {} |\n", cells.join(" | ")));
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOW, sample};
    use super::*;
    use crate::registry::Parsed;
    use proptest::prelude::*;

    #[test]
    fn a_new_project_reads_well() {
        let text = Registry::fresh("0.1.0", NOW).render();
        assert!(text.starts_with("---\nhefesto_version: 0.1.0\ninitialized: 2026-02-04T10:00:00Z\n"), "{text}");
        let begun = "---\n\n# Project state\n\n<!-- hefesto:begin -->\n## Detected CLIs\n\n| CLI |";
        assert!(text.contains(begun), "{text}");
        assert!(text.ends_with("- **Last Validation:** 2026-02-04T10:00:00Z\n<!-- hefesto:end -->\n"), "{text}");
    }

    #[test]
    fn what_was_read_is_written_to_the_byte() {
        let mut text = sample().render();
        text = text.replace("# Project state", "# Ours\n\n```\n<!-- hefesto:end -->\n```").replace('\n', "\r\n");
        text = text.replace("hefesto_version", "# note\r\nteam: [a,  b] # kept\r\nhefesto_version");
        text = format!("\u{feff}{text}tail without newline");
        let Parsed::Good(registry) = Registry::parse(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(registry.render(), text);
    }

    proptest! {
        #[test]
        fn any_text_around_the_block_survives(before in "[a-z#|` \n-]{0,60}", after in "[a-z#|` \n-]{0,60}") {
            let text = sample().render();
            let text = text.replace("# Project state", &format!("# T\n{before}\n")) + &after;
            if let Parsed::Good(registry) = Registry::parse(text.as_bytes()) {
                prop_assert_eq!(registry.render(), text);
            }
        }

        #[test]
        fn no_bytes_make_it_panic_and_all_text_can_be_repaired(noise in "(?s).{0,40}", at in 0usize..900, cut in 0usize..60) {
            let text = sample().render();
            let (start, end) = (at.min(text.len()), (at + cut).min(text.len()));
            let torn = format!("{}{noise}{}", &text[..start], &text[end..]);
            let kept = match Registry::parse(torn.as_bytes()) {
                Parsed::Damaged { kept, .. } | Parsed::Foreign(kept) => kept,
                _ => return Ok(()),
            };
            let mended = Registry::rebuild(*kept, &crate::registry::Found::default(), "0.1.0", NOW).render();
            let again = Registry::parse(mended.as_bytes());
            prop_assert!(matches!(again, Parsed::Good(_)), "{mended}\n{again:?}");
        }
    }
}
