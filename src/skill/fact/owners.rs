//! CODEOWNERS, the templates of pull requests and issues, and labels.

use serde_json::Value;

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Source, rule_form, yaml};

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        let Some(pattern) = words.next().filter(|word| !word.starts_with(['#', '['])) else { continue };
        // An e-mail address is personal data.
        let owners: Vec<&str> = words.filter(|word| word.starts_with('@')).collect();
        if !owners.is_empty() {
            let fact =
                Fact::new(Kind::Owners, format!("{} belongs to {}", code(pattern), owners.join(", "))).id("codeowners");
            out.put(source, number + 1, fact.about("owner review").about(pattern));
        }
    }
}

/// The headings and checkboxes of a pull request template.
pub(super) fn pr_template(source: &Source<'_>, out: &mut Facts) {
    let headings = headings(source.text);
    if let Some((line, _)) = headings.first() {
        let names: Vec<String> = headings.iter().map(|(_, name)| format!("\"{name}\"")).collect();
        let fact = Fact::new(Kind::PrTemplate, format!("a pull request has the sections {}", names.join(", ")));
        out.put(source, *line, fact.id("pr-template").about("pull request pr description").about(&names.join(" ")));
    }
    orders(source, out);
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        let tick = ["- [ ]", "* [ ]", "- [x]"].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim);
        if let Some(tick) = tick.filter(|tick| !tick.is_empty()) {
            let fact = Fact::new(Kind::PrTemplate, format!("checklist of a pull request: {tick}"));
            out.put(source, number + 1, fact.about("pull request pr checklist").about(tick));
        }
    }
}

/// What the comments of a template order: "link the issue as \"Part of #12\"; we close issues by hand". Phrases that invite
/// to describe the change say nothing of this repository.
fn orders(source: &Source<'_>, out: &mut Facts) {
    let mut at = 0;
    while let Some((from, to)) = source.text.get(at..).and_then(|rest| {
        let from = at + rest.find("<!--")? + "<!--".len();
        Some((from, from + source.text.get(from..)?.find("-->")?))
    }) {
        let comment = source.text.get(from..to).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let line = source.text.get(..from).unwrap_or_default().lines().count();
        for sentence in rule_form::sentences(&comment) {
            let telling = sentence.contains(['`', '"', '#']) || rule_form::is_measured(sentence);
            if telling || rule_form::binds(sentence, true) {
                let fact = Fact::new(Kind::Rule, sentence).about("pull request pr description").about(sentence);
                out.put(source, line, Fact { work: Some("pull request".to_owned()), ..fact });
            }
        }
        at = to;
    }
}

/// The fields of an issue template.
pub(super) fn issue_template(source: &Source<'_>, out: &mut Facts) {
    let name = super::lines::name(source.path);
    if name.starts_with("config.") {
        return;
    }
    let form = if name.ends_with(".md") { None } else { yaml::parsed(source.text) };
    let (fields, title) = match &form {
        Some(form) => {
            let fields = yaml::list(form, "body").filter_map(|field| {
                let label = field.pointer("/attributes/label")?.as_str()?;
                let must = field.pointer("/validations/required").and_then(Value::as_bool) == Some(true);
                Some(format!("\"{label}\"{}", if must { " (required)" } else { "" }))
            });
            (fields.collect::<Vec<_>>(), form.get("name").and_then(Value::as_str).unwrap_or(name).to_owned())
        }
        None => {
            let named = source.text.lines().take(8).find_map(|line| line.strip_prefix("name:")).unwrap_or(name);
            (
                headings(source.text).into_iter().map(|(_, name)| format!("\"{name}\"")).collect(),
                named.trim().trim_matches(['"', '\'']).to_owned(),
            )
        }
    };
    if !fields.is_empty() {
        let text = format!("issue template {} asks for {}", code(&title), fields.join(", "));
        let fact = Fact::new(Kind::IssueTemplate, text).id("issue-template").about("issue template");
        out.put(source, 0, fact.about(&title).about(&fields.join(" ")));
    }
    let labels: Vec<String> = match &form {
        Some(form) => yaml::list(form, "labels").filter_map(yaml::scalar).collect(),
        None => {
            let front = source.text.lines().take(12).find_map(|line| line.strip_prefix("labels:")).unwrap_or_default();
            front.split([',', '[', ']']).map(|one| one.trim().trim_matches(['"', '\'']).to_owned()).collect()
        }
    };
    let labels: Vec<String> =
        labels.iter().flat_map(|one| one.split(',')).map(str::trim).filter(|one| !one.is_empty()).map(code).collect();
    if !labels.is_empty() {
        let text = format!("issue template {} sets the label {}", code(&title), labels.join(", "));
        let fact = Fact::new(Kind::Labels, text).about("issue label labels").about(&labels.join(" "));
        out.put(source, line_of(source.text, &["labels:"]), fact);
    }
}

/// `.github/labels.yml`: the labels with their descriptions.
pub(super) fn labels(source: &Source<'_>, out: &mut Facts) {
    let root = yaml::document(source.text);
    for label in root.iter().filter_map(Value::as_array).flatten() {
        let Some(name) = label.get("name").and_then(Value::as_str) else { continue };
        let meaning =
            label.get("description").and_then(Value::as_str).map_or(String::new(), |text| format!(": {text}"));
        let fact = Fact::new(Kind::Labels, format!("label {}{meaning}", code(name))).id("labels");
        out.put(source, line_of(source.text, &[name]), fact.about("issue label labels").about(name).about(&meaning));
    }
}

/// The headings of a Markdown file with their lines, at most ten.
fn headings(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with('#'));
    let names = lines.map(|(at, line)| (at + 1, line.trim_start_matches('#').trim()));
    names.filter(|(_, name)| !name.is_empty()).take(10).collect()
}
