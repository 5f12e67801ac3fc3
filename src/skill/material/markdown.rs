//! Notes and READMEs: numbered steps, commands in code blocks, warnings, points, links.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{Found, Kind, one_line};

/// What a warning begins with, in three languages.
const WARNS: &[&str] = &[
    "warning", "caution", "danger", "never ", "do not ", "don't ", "must not ", "avoid ", "beware", "important:",
    "nunca ", "não ", "evite ", "cuidado", "atenção", "aviso", "no ", "evita ", "evitar ", "jamás ", "advertencia",
    "atención",
];

/// Headings below which every point of a list is a step.
const STEPS: &[&str] =
    &["step", "how to", "workflow", "procedure", "process", "passo", "procedimento", "paso", "procedimiento"];

/// Languages of code blocks that hold command lines.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "fish", "shell", "console", "shell-session", "terminal"];

/// What is being read and which text belongs to it.
#[derive(Default)]
struct Reader {
    /// For each open list: whether it is numbered.
    lists: Vec<bool>,
    /// The text of the open point, and of the paragraph or heading.
    item: String,
    text: String,
    /// Whether a heading is open, and the last one.
    heading: bool,
    under: String,
    /// The language of an open code block, and its text.
    code: Option<String>,
    block: String,
    /// Where an open link leads, and whether a picture is open.
    link: Option<String>,
    image: bool,
    /// Paragraphs, in case there is nothing else.
    loose: Vec<String>,
}

/// Takes what the text says in its structure; short paragraphs only where it has none.
pub(super) fn read(text: &str, found: &mut Found) {
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS) {
        reader.step(event, found);
    }
    if found.pieces.iter().all(|piece| piece.kind == Kind::Link) {
        for paragraph in reader.loose {
            found.take(Kind::Note, &paragraph, "");
        }
    }
}

impl Reader {
    fn step(&mut self, event: Event<'_>, found: &mut Found) {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => self.code = Some("metadata".to_owned()),
            Event::End(TagEnd::MetadataBlock(_)) => self.code = None,
            Event::Start(Tag::Heading { .. }) => {
                self.heading = true;
                self.text.clear();
            }
            Event::End(TagEnd::Heading(_)) => {
                self.heading = false;
                self.under = one_line(&std::mem::take(&mut self.text));
            }
            Event::Start(Tag::List(first)) => {
                if self.lists.is_empty() {
                    self.item.clear();
                }
                self.lists.push(first.is_some());
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) if self.lists.len() == 1 => self.item.clear(),
            Event::End(TagEnd::Item) if self.lists.len() == 1 => self.point(found),
            Event::End(TagEnd::Item) => self.item.push(' '),
            Event::Start(Tag::Item) => self.item.push_str(" - "),
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some(language);
                self.block.clear();
            }
            Event::End(TagEnd::CodeBlock) => {
                let language = self.code.take().unwrap_or_default();
                code(&language, &self.block, &self.under, found);
            }
            Event::Start(Tag::Paragraph) if self.lists.is_empty() => self.text.clear(),
            Event::End(TagEnd::Paragraph) if self.lists.is_empty() => self.paragraph(found),
            Event::Start(Tag::Link { dest_url, .. }) => self.link = Some(dest_url.into_string()),
            // A badge: what it leads to is no source.
            Event::Start(Tag::Image { .. }) => {
                self.link = None;
                self.image = true;
            }
            Event::End(TagEnd::Image) => self.image = false,
            Event::End(TagEnd::Link) => {
                if let Some(url) = self.link.take().filter(|url| crate::skill::sources::check(url).is_ok()) {
                    found.take(Kind::Link, &url, "");
                }
            }
            _ if self.image => {}
            Event::Text(text) if self.code.is_some() => self.block.push_str(&text),
            Event::Text(text) => {
                bare(&text, found);
                self.say(&text);
            }
            Event::Code(code) => self.say(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        let to = if self.lists.is_empty() || self.heading { &mut self.text } else { &mut self.item };
        to.push_str(text);
    }

    fn point(&mut self, found: &mut Found) {
        let text = std::mem::take(&mut self.item);
        let under = self.under.to_lowercase();
        let numbered = self.lists.last() == Some(&true);
        let steps = numbered || STEPS.iter().any(|word| under.contains(word));
        let kind = match (warns(&text), steps) {
            (_, true) if numbered => Kind::Step,
            (true, _) => Kind::Warning,
            (false, true) => Kind::Step,
            (false, false) if only_a_link(&text) => return,
            (false, false) => Kind::Note,
        };
        found.take(kind, &text, "");
    }

    fn paragraph(&mut self, found: &mut Found) {
        let text = one_line(&std::mem::take(&mut self.text));
        if text.is_empty() {
            return;
        }
        if warns(&text) {
            found.take(Kind::Warning, &text, "");
        } else {
            found.about(&text);
            self.loose.push(text);
        }
    }
}

fn warns(text: &str) -> bool {
    let lower = text.trim_start_matches(['*', '_', '[', '!', ' ', '>']).to_lowercase();
    WARNS.iter().any(|word| lower.starts_with(word))
}

/// A list of links is no list of points; the links themselves were taken.
fn only_a_link(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("http://") || text.starts_with("https://")
}

/// The command lines of a code block: all of a shell's, those behind a prompt of any other without a language.
fn code(language: &str, text: &str, under: &str, found: &mut Found) {
    let shell = SHELLS.contains(&language);
    if !shell && !language.is_empty() {
        return;
    }
    let prompted = text.lines().any(|line| line.trim_start().starts_with("$ "));
    let mut begun = String::new();
    for line in text.lines().map(str::trim) {
        let line = match line.strip_prefix("$ ") {
            Some(typed) => typed,
            None if begun.is_empty() && (prompted || !shell) => continue, // output
            None => line,
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        begun.push_str(line.trim_end_matches('\\'));
        if !line.ends_with('\\') {
            found.take(Kind::Command, &std::mem::take(&mut begun), under);
        }
    }
}

/// Addresses that stand in the text without being marked as links.
fn bare(text: &str, found: &mut Found) {
    for word in text.split_whitespace().filter(|word| word.contains("://")) {
        let from = word.find("http").unwrap_or(0);
        let url =
            word.get(from..).unwrap_or_default().trim_end_matches(['.', ',', ';', ':', ')', '>', '!', '?', '"', '\'']);
        if crate::skill::sources::check(url).is_ok() {
            found.take(Kind::Link, url, "");
        }
    }
}
