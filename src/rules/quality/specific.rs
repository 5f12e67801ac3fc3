//! How much of a body is specific to the skill: lines with a command, a number, a name, a quoted form or a path.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::skill::Language;
use crate::skill::body;
use crate::skill::frontmatter;
use crate::skill::ranking::{Terms, stems};
use crate::skill::template::gaps;

/// With fewer specific lines and with open questions a skill tells a model nothing new.
pub const ENOUGH: usize = 6;

/// The similarity from which a line counts as a template's.
const SAME: f64 = 0.85;

/// The fixed lines of the built-in templates, by the language they are read in: most texts have lines of one.
static TEMPLATE: [LazyLock<Vec<Terms>>; 3] = [
    LazyLock::new(|| template(Language::En)),
    LazyLock::new(|| template(Language::Pt)),
    LazyLock::new(|| template(Language::Es)),
];

fn template(language: Language) -> Vec<Terms> {
    body::template_lines().filter(|line| Terms::language(line) == language).map(Terms::of).collect()
}

/// The counts over the lines of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Specificity {
    /// Lines with content: no heading, no table rule, no open question; a block of code is one line.
    pub content: usize,
    /// Those of them that are specific to the skill.
    pub specific: usize,
}

impl Specificity {
    /// Counts the lines below the frontmatter. Those of a template or of the description are not specific.
    pub fn of(text: &str) -> Self {
        let read = frontmatter::read(text.as_bytes()).ok();
        let description = read.as_ref().and_then(|doc| doc.field("description")?.value.scalar().map(str::to_owned));
        let body = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or(text, |(_, body)| body);
        let title = body.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        let said: BTreeSet<String> =
            stems(title).into_iter().chain(stems(description.as_deref().unwrap_or_default())).collect();
        let (mut counted, mut fenced) = (Self::default(), false);
        for line in body.lines().map(str::trim) {
            if line.starts_with("```") || line.starts_with("~~~") {
                fenced = !fenced;
                counted.add(fenced, true);
                continue;
            }
            let bare =
                line.trim_start_matches(['-', '*', '|', '>', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
            let bare = bare.trim_start_matches(['.', ')', ' ']);
            let content = !fenced && bare.contains(char::is_alphabetic) && !line.starts_with('#') && gaps(line) == 0;
            counted.add(content, content && tells(bare) && !repeats(bare, &said) && !of_template(bare));
        }
        counted
    }

    fn add(&mut self, content: bool, specific: bool) {
        self.content += usize::from(content);
        self.specific += usize::from(content && specific);
    }

    /// Whether at least half of the lines are specific.
    pub fn mostly(self) -> bool {
        self.specific * 2 >= self.content
    }
}

/// Whether a line has a code span, number, address, path, quoted form, capitalised name or `fooBar`.
fn tells(line: &str) -> bool {
    let enclosed = |mark: char| {
        let parts: Vec<&str> = line.split(mark).collect();
        parts.get(1..parts.len() - 1).is_some_and(|inside| inside.iter().any(|part| !part.is_empty()))
    };
    let chars: Vec<char> = line.chars().collect();
    let name = |pair: &[char]| {
        let [first, second] = pair else { return false };
        second.is_ascii_uppercase() && first.is_ascii_alphabetic()
    };
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let inside = |three: &[char]| match three {
        [before, '/', after] => word(*before) && word(*after),
        [before, ' ', capital] => {
            capital.is_uppercase() && (before.is_lowercase() || matches!(before, ',' | ';' | ':' | ')'))
        }
        _ => false,
    };
    enclosed('`')
        || enclosed('"')
        || line.contains("http://")
        || line.contains("https://")
        || chars.iter().any(|c| c.is_numeric())
        || chars.windows(2).any(name)
        || chars.windows(3).any(inside)
}

/// Whether a line without a command only repeats the title and the description.
fn repeats(line: &str, said: &BTreeSet<String>) -> bool {
    !line.contains('`')
        && !line.contains(|c: char| c.is_ascii_digit())
        && stems(line).iter().all(|stem| said.contains(stem))
}

fn of_template(line: &str) -> bool {
    let terms = Terms::of(line);
    let known = Terms::language(line).pick(TEMPLATE.each_ref());
    known.iter().any(|known| known.cosine(&terms) >= SAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matter_is_told_from_method() {
        let method = "---\nname: x\n---\n# Deploy 2\n\n1. Look at the input.\n- Decide what to do.\n\n[FILL IN: Which command?]\n";
        assert_eq!(Specificity::of(method), Specificity { content: 2, specific: 0 });
        let matter = "# X\n\n1. Run `make test`.\n2. Wait 30 days.\n3. Ask the Platform team.\n\n```sh\nmake\nmake x\n```\n\nThen stop.\n";
        assert_eq!(Specificity::of(matter), Specificity { content: 5, specific: 4 });
        assert!(Specificity::of(matter).mostly() && !Specificity::of(method).mostly());
    }

    #[test]
    fn a_line_of_a_template_and_a_repeated_description_are_filler() {
        let head =
            "---\nname: x\ndescription: Rotates AWS keys. Use when AWS keys are old.\n---\n# Rotate AWS keys\n\n";
        for filler in [
            "Input: $ARGUMENTS (what the request names)",
            "1. Rotate the AWS keys.",
            "- What exactly must the RESULT look like: format, version, names, conventions?",
            "Concluído quando `make x` termina com o código de saída 0.",
        ] {
            assert_eq!(Specificity::of(&format!("{head}{filler}\n")).specific, 0, "{filler}");
        }
        let own = "1. Deactivate the AWS keys of IAM users with `aws iam update-access-key`.";
        assert_eq!(Specificity::of(&format!("{head}{own}\n")).specific, 1);
    }
}
