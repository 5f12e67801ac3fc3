//! CODEOWNERS, the templates of pull requests and issues, and labels.

use serde_json::Value;

use super::formats::{code, codes, document, list, name, parsed, scalars, word};
use super::{Fact, Kind, Reading, rule_form};

pub(super) fn read(file: &mut Reading<'_>) {
    for (number, line) in file.lines() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        let Some(pattern) = words.next().filter(|word| !word.starts_with(['#', '['])) else { continue };
        // An e-mail address is personal data.
        let owners: Vec<&str> = words.filter(|word| word.starts_with('@')).collect();
        if !owners.is_empty() {
            let text = format!("{} belongs to {}", code(pattern), owners.join(", "));
            file.put(number, Fact::new(Kind::Owners, text).id("codeowners").about("owner review").about(pattern));
        }
    }
}

/// The headings and checkboxes of a pull request template.
pub(super) fn pr_template(file: &mut Reading<'_>) {
    let (lines, names): (Vec<usize>, Vec<String>) = headings(file).into_iter().unzip();
    if let Some(line) = lines.first() {
        let fact = Fact::new(Kind::PrTemplate, format!("a pull request has the sections {}", names.join(", ")));
        file.put(*line, fact.id("pr-template").about("pull request pr description").about(&names.join(" ")));
    }
    orders(file);
    for (number, line) in file.lines() {
        let line = line.trim();
        let tick = ["- [ ]", "* [ ]", "- [x]"].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim);
        if let Some(tick) = tick.filter(|tick| !tick.is_empty()) {
            let fact = Fact::new(Kind::PrTemplate, format!("checklist of a pull request: {tick}"));
            file.put(number, fact.about("pull request pr checklist").about(tick));
        }
    }
}

/// What the comments of a template order: "link the issue as \"Part of #12\"; we close issues by hand". Phrases that invite
/// to describe the change say nothing of this repository.
fn orders(file: &mut Reading<'_>) {
    let mut at = 0;
    while let Some((from, to)) = file.text.get(at..).and_then(|rest| {
        let from = at + rest.find("<!--")? + "<!--".len();
        Some((from, from + file.text.get(from..)?.find("-->")?))
    }) {
        let comment = file.text.get(from..to).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let line = file.text.get(..from).unwrap_or_default().lines().count();
        for sentence in rule_form::sentences(&comment) {
            let telling = sentence.contains(['`', '"', '#']) || rule_form::is_measured(sentence);
            if telling || rule_form::binds(sentence, true) {
                let fact = Fact::new(Kind::Rule, sentence).about("pull request pr description").about(sentence);
                file.put(line, Fact { work: Some("pull request".to_owned()), ..fact });
            }
        }
        at = to;
    }
}

/// The fields of an issue template.
pub(super) fn issue_template(file: &mut Reading<'_>) {
    let own = name(file.path);
    if own.starts_with("config.") {
        return;
    }
    let bare = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let front = |most: usize, key: &str| file.text.lines().take(most).find_map(|line| line.strip_prefix(key));
    let form = if own.ends_with(".md") { None } else { parsed(file.text) };
    let (fields, title, labels): (Vec<String>, String, Vec<String>) = match &form {
        Some(form) => {
            let fields = list(form, "body").filter_map(|field| {
                let label = field.pointer("/attributes/label")?.as_str()?;
                let must = field.pointer("/validations/required").and_then(Value::as_bool) == Some(true);
                Some(format!("\"{label}\"{}", if must { " (required)" } else { "" }))
            });
            (fields.collect(), word(form, "name").unwrap_or(own).to_owned(), scalars(form, "labels"))
        }
        None => {
            let fields = headings(file).into_iter().map(|(_, name)| name);
            let labels = front(12, "labels:").unwrap_or_default().split([',', '[', ']']).map(bare);
            (fields.collect(), bare(front(8, "name:").unwrap_or(own)), labels.collect())
        }
    };
    if !fields.is_empty() {
        let text = format!("issue template {} asks for {}", code(&title), fields.join(", "));
        let fact = Fact::new(Kind::IssueTemplate, text).id("issue-template").about("issue template");
        file.put(0, fact.about(&title).about(&fields.join(" ")));
    }
    let labels = labels.iter().flat_map(|one| one.split(',')).map(str::trim).filter(|one| !one.is_empty());
    let labels: Vec<&str> = labels.collect();
    if !labels.is_empty() {
        let text = format!("issue template {} sets the label {}", code(&title), codes(&labels));
        let fact = Fact::new(Kind::Labels, text).about("issue label labels").about(&labels.join(" "));
        file.put(file.line_of(&["labels:"]), fact);
    }
}

/// `.github/labels.yml`: the labels with their descriptions.
pub(super) fn labels(file: &mut Reading<'_>) {
    let root = document(file.text);
    for label in root.iter().filter_map(Value::as_array).flatten() {
        let Some(name) = word(label, "name") else { continue };
        let meaning = word(label, "description").map_or(String::new(), |text| format!(": {text}"));
        let fact = Fact::new(Kind::Labels, format!("label {}{meaning}", code(name))).id("labels");
        file.put(file.line_of(&[name]), fact.about("issue label labels").about(name).about(&meaning));
    }
}

/// The headings of a Markdown file in quotes with their lines, at most ten.
fn headings(file: &Reading<'_>) -> Vec<(usize, String)> {
    let names = file.lines().filter_map(|(number, line)| Some((number, line.strip_prefix('#')?)));
    let names = names.map(|(number, name)| (number, name.trim_start_matches('#').trim()));
    let names = names.filter(|(_, name)| !name.is_empty()).take(10);
    names.map(|(number, name)| (number, format!("\"{name}\""))).collect()
}
