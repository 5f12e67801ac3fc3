//! Skills that a client drops, alters or hides although others load them.

mod body;

use super::spec::{KNOWN, meant};
use crate::client::target::{Client, Effect, NameForm, ReservedNames, TABLE, clients};
use crate::rules::{
    Finding, FindingCollector, Id, Layer, Lines, Page, Position, Profile, Severity, Subject, shown, text_of,
};
use crate::skill::Tree;
use crate::skill::frontmatter::{Document, Field, ReadError, ReadErrorKind, Value};

/// Reports how the clients treat a skill whose frontmatter can be parsed.
pub(super) fn check(
    subject: &Subject<'_>,
    page: &Page<'_>,
    profile: Profile,
    clients: &[&'static Client],
    report: &mut FindingCollector<'_>,
) {
    let Page { doc, lines, .. } = page;
    if profile == Profile::Strict {
        validators(doc, lines, report);
    }
    if clients.is_empty() {
        return;
    }
    let syntax = body::Syntax::of(doc);
    for client in clients {
        let mut client_report = ClientReport { client, findings: &mut *report };
        client_report.place(subject);
        client_report.name(subject, doc);
        client_report.description(doc);
        client_report.fields(doc);
        if doc.bom {
            let what = "a file that begins with a byte order mark";
            client_report.effect(Id::PortBom, client.mark, Position::START, what);
        }
        client_report.body(&syntax, profile, lines);
    }
}

/// Reports how the clients treat a frontmatter that cannot be parsed; returns whether all of them read it.
pub(super) fn unreadable(error: &ReadError, clients: &[&'static Client], report: &mut FindingCollector<'_>) -> bool {
    let colon = match error.kind {
        ReadErrorKind::UnquotedColon => true,
        ReadErrorKind::Syntax => false,
        _ => return false,
    };
    let mut read = !clients.is_empty();
    for client in clients {
        let (id, effect, what) = if colon {
            (Id::PortColon, client.loose_colon, "a value that holds a colon and is not quoted")
        } else {
            (Id::PortYaml, client.no_yaml, "a frontmatter that is not YAML")
        };
        read &= matches!(effect, Some(Effect::Accepts | Effect::Alters));
        ClientReport { client, findings: &mut *report }.effect(id, effect, error.at, what);
    }
    read
}

/// Whether a client does not load a skill because of its name, its description or a byte order mark.
pub(super) fn drops(doc: &Document, directory: &str, client: &'static Client) -> bool {
    let (tree, mut findings) = (Tree::new(), FindingCollector::new(""));
    let mut report = ClientReport { client, findings: &mut findings };
    report.name(&Subject::new(directory, &tree), doc);
    report.description(doc);
    let marked = doc.bom && client.mark == Some(Effect::Drops);
    marked || findings.finish().iter().any(|finding| stops(finding, client))
}

/// Whether a finding about a client says that it does not load the skill. A description that its present version only
/// cuts is an error all the same, for the sake of older ones.
pub(super) fn stops(finding: &Finding, client: &Client) -> bool {
    let cut = finding.rule == Id::PortDescriptionLength.rule().id && client.shown_description.is_some();
    finding.severity == Severity::Error && finding.layer == Layer::Portability && !cut
}

struct ClientReport<'r, 'a> {
    client: &'static Client,
    findings: &'r mut FindingCollector<'a>,
}

impl ClientReport<'_, '_> {
    fn report(&mut self, finding: Finding) {
        self.findings.add(finding.for_client(self.client.id));
    }

    fn effect(&mut self, id: Id, effect: Option<Effect>, at: Position, what: &str) {
        let title = self.client.title;
        let (severity, message) = match effect {
            Some(Effect::Drops) => (Severity::Error, format!("{title} does not load {what}")),
            Some(Effect::Alters) => (Severity::Warning, format!("{title} changes {what}")),
            Some(Effect::Accepts) | None => return,
        };
        self.report(id.at(at, message).weighed(severity));
    }

    fn place(&mut self, subject: &Subject<'_>) {
        let Some(target) = TABLE.iter().find(|row| row.id == self.client.id) else { return };
        let below = subject.prefix.split_once(&format!("{}/", target.skills_dir)).map(|(_, below)| below);
        if !self.client.nested && below.is_some_and(|below| below.trim_end_matches('/').contains('/')) {
            let message = format!("{} looks for skills directly below {} only", self.client.title, target.skills_dir);
            self.report(Id::PortNested.at(Position::START, message));
        }
    }

    fn name(&mut self, subject: &Subject<'_>, doc: &Document) {
        let client = self.client;
        let Some((field, name)) = text_of(doc, "name").filter(|(_, name)| !name.trim().is_empty()) else {
            return self.effect(Id::PortNameMissing, Some(client.no_name), Position::START, "a skill without a name");
        };
        let at = field.value_at;
        let length = name.chars().count();
        if let Some(most) = client.max_name.filter(|most| length > *most) {
            let message = format!("{} does not load a name of {length} characters; it takes {most}", client.title);
            self.report(Id::PortNameLength.at(at, message));
        }
        if !client.name_form.holds(name) {
            let takes = match client.name_form {
                NameForm::Kebab => "lowercase ASCII letters, digits and hyphens",
                NameForm::Word => "letters, digits, `_`, `:`, `.` and `-`",
                NameForm::FileName | NameForm::Any => "no character that file systems refuse",
            };
            let what = format!("the name `{}`: it takes {takes}", shown(name));
            self.effect(Id::PortNameForm, Some(client.other_name), at, &what);
        }
        let (severity, reserved) = match client.reserved_names {
            ReservedNames::Containing(words) => (Severity::Error, words.iter().find(|word| name.contains(**word))),
            ReservedNames::Exact(names) => (Severity::Warning, names.iter().find(|word| name == **word)),
            ReservedNames::None => (Severity::Info, None),
        };
        if let Some(word) = reserved {
            let message = format!("{} reserves names with `{word}`", client.title);
            self.report(Id::PortReserved.at(at, message).weighed(severity));
        }
        if client.refuses_tags && tag(name) {
            self.report(Id::PortTags.at(at, format!("{} refuses tags in a name", client.title)));
        }
        if !subject.directory.is_empty() && name != subject.directory && client.other_folder != Effect::Accepts {
            let (folder, name) = (shown(subject.directory), shown(name));
            let message = format!("{} goes by the folder's name `{folder}`, not by `{name}`", client.title);
            self.report(Id::PortFolder.at(at, message));
        }
    }

    fn description(&mut self, doc: &Document) {
        let client = self.client;
        let Some((field, text)) = text_of(doc, "description").filter(|(_, text)| !text.trim().is_empty()) else {
            let (id, effect) = (Id::PortDescriptionMissing, Some(client.no_description));
            return self.effect(id, effect, Position::START, "a skill without a description");
        };
        let at = field.value_at;
        let length = text.chars().count();
        if let Some(most) = client.max_description.filter(|most| length > *most) {
            let what = match client.shown_description {
                Some(_) => {
                    format!("cuts a description after {most} characters or skips the skill, depending on its version")
                }
                None => format!("does not load a description of more than {most} characters"),
            };
            let message = format!("{} {what}; this one has {length}", client.title);
            return self.report(Id::PortDescriptionLength.at(at, message));
        }
        let listed = length + added_to_listing(client, doc).map_or(0, |more| more.chars().count());
        if let Some(shown) = client.shown_description.filter(|shown| listed > *shown) {
            let message = format!("{} shows {shown} of {listed} characters when it chooses a skill", client.title);
            self.report(Id::PortDescriptionCut.at(at, message));
        }
        if client.refuses_tags && tag(text) {
            let message = format!("{} refuses tags in a description", client.title);
            self.report(Id::PortTags.at(at, message));
        }
    }

    fn fields(&mut self, doc: &Document) {
        let client = self.client;
        for field in &doc.fields {
            let known = KNOWN.contains(&field.key.as_str());
            if client.refuses_fields && !known {
                let message = format!("{} refuses the field `{}`", client.title, shown(&field.key));
                let fix = meant(&field.key).map(|meant| format!("Write `{meant}`."));
                let fix = fix.unwrap_or_else(|| Id::PortFieldRefused.rule().fix.to_owned());
                self.report(Id::PortFieldRefused.at(field.key_at, message).with_fix(fix));
            } else if client.list_fields.contains(&field.key.as_str()) {
                self.list(field);
            } else if field.key == "disable-model-invocation" && is_true(&field.value) && !client.reads(&field.key) {
                let what = "ignores `disable-model-invocation`: it may use the skill without being asked";
                self.report(Id::PortInvocation.at(field.key_at, format!("{} {what}", client.title)));
            } else if (!known || field.key == "allowed-tools")
                && !client.reads(&field.key)
                && clients().any(|other| other.reads(&field.key))
                && !client.refuses_fields
            {
                let message = format!("{} ignores the field `{}`", client.title, shown(&field.key));
                self.report(Id::PortField.at(field.key_at, message));
            }
        }
    }

    /// A field that the client reads as a list, and paths only inside the project.
    fn list(&mut self, field: &Field) {
        let message = match &field.value {
            Value::List(items) if field.key == "paths" => {
                let outside = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
                let Some(path) = items.iter().filter_map(|item| item.value.scalar()).find(|path| outside(path)) else {
                    return;
                };
                format!("{} ignores the path `{}`: it points outside the project", self.client.title, shown(path))
            }
            Value::List(_) => return,
            other => format!("{} reads `{}` as a list; this is {}", self.client.title, field.key, other.kind()),
        };
        self.report(Id::PortList.at(field.value_at, message));
    }
}

/// The text a client lists after the description.
pub(super) fn added_to_listing<'d>(client: &Client, doc: &'d Document) -> Option<&'d str> {
    doc.field(client.listed_field?)?.value.scalar()
}

/// Whether a flag is on: YAML's `true` or a word that Claude Code accepts for it.
pub fn is_true(value: &Value) -> bool {
    value.scalar().is_some_and(|word| matches!(word.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1"))
}

/// Whether a text contains a tag: `<word…>` or `</word>`.
pub(super) fn tag(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or("");
        rest.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('>')
    })
}

/// Reports what some validators of skills refuse and others accept.
fn validators(doc: &Document, lines: &Lines<'_>, report: &mut FindingCollector<'_>) {
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

#[cfg(test)]
mod tests;
