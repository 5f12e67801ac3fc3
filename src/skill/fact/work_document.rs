//! Documents that may hold rules: those of the root and of the directories for documents. Their names say the work they
//! are about: `docs/migrations.md`, `RELEASING.md`.

use super::formats::{directory, name};

/// The directories of such documents; they may have one level of directories below them.
pub(super) const DIRECTORIES: &[&str] = &[
    "docs", "doc", "documentation", "wiki", "handbook", "manual", "process", "processes", "procedure", "procedures",
    "policy", "policies", "rules", "standards", "conventions", "guides", "sop", "sops", ".github", "runbooks",
    "runbook", "playbook", "playbooks", "documentacao", "documentacion", "normas", "regras", "reglas", "politicas",
    "políticas", "procedimentos", "procedimientos", "guias", "guías",
];

/// Documents for users, records, and the files of this program.
const OTHERS: &[&str] = &[
    "authors", "changelog", "changes", "code_of_conduct", "code-of-conduct", "constitution", "faq", "funding",
    "getting-started", "glossary", "history", "index", "install", "installation", "installing", "license", "licence",
    "memory", "news", "notes", "overview", "quickstart", "readme", "reference", "roadmap", "skill", "support", "todo",
    "tutorial", "usage",
];

/// Documents of the root about everything; in a folder without code, of the folder where they lie.
pub(super) const NOTES: &[&str] = &["notes", "notas"];

/// Words of a name that say nothing of the work.
const GENERAL: &[&str] = &[
    "and", "checklist", "conventions", "for", "guide", "guideline", "guidelines", "how", "of", "our", "playbook",
    "policy", "process", "rules", "runbook", "the", "to", "architecture", "code", "coding", "design", "engineering",
    "house", "team", "style", "tone", "voice", "standards", "estilo", "tom", "tono", "casa", "da", "de", "del", "la",
    "normas", "reglas", "regras", "politica", "política", "readme", "agents", "claude", "gemini", "contributing",
    "notes", "notas", "care", "people", "staff", "secretary", "reception", "front", "desk", "office", "shop", "store",
    "clinic", "practice", "school", "club", "branch", "company", "department", "handbook", "recepcao", "recepção",
    "recepcion", "recepción", "loja", "tienda", "clinica", "clínica", "escola", "escuela", "secretaria", "secretaría",
    "atendimento", "equipe", "equipo", "pessoal", "personal", "empresa", "oficina", "escritorio", "escritório",
];

/// A longer one is a manual.
const LINES: usize = 120;

/// The words for the work that the document at this path is about, none if it is about all; `None` if it is no such
/// document.
pub(super) fn work(path: &str) -> Option<String> {
    let lower = path.to_lowercase();
    let at = directory(&lower);
    let (top, below) = at.split_once('/').unwrap_or((at, ""));
    let known = at.is_empty() || (DIRECTORIES.contains(&top) && !below.contains('/'));
    let file = name(&lower);
    let plain = file.strip_suffix(".txt").filter(|_| !at.is_empty() && at != ".github");
    let stem = file.strip_suffix(".md").or(plain).filter(|_| known)?;
    if at.is_empty() && NOTES.contains(&stem) {
        return Some(String::new());
    }
    if stem == "readme" {
        return part_of(at).map(str::to_owned);
    }
    let stem = Some(stem).filter(|stem| !is_record(stem))?;
    (!stem.contains("template")).then(|| telling(stem))
}

/// The part of the documents that a directory holds, which is what its README is about: `docs/runbooks`.
fn part_of(directory: &str) -> Option<&str> {
    const ALL: &[&str] = &["docs", "doc", "documentation", "wiki", "handbook", "manual", ".github"];
    let part = name(directory);
    (!part.is_empty() && !ALL.contains(&part)).then_some(part)
}

/// Whether a document of this name, without its ending, is a record, or for users.
pub(super) fn is_record(stem: &str) -> bool {
    // "2025-11", "2025-11-session-leak"
    let of_year = stem.split_once('-').is_some_and(|(year, _)| year.len() == 4 && year.starts_with("20"));
    let dated = stem.chars().all(|c| !c.is_alphabetic()) || of_year;
    dated || OTHERS.contains(&stem.split('.').next().unwrap_or_default())
}

/// Whether a word is a year of this century.
pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.starts_with("20") && word.parse::<u16>().is_ok()
}

/// The words of a name that say something of the work.
pub(super) fn telling(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| word.contains(char::is_alphabetic) && !GENERAL.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether it is short enough for rules.
pub(super) fn is_short(text: &str) -> bool {
    text.lines().count() <= LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_work() {
        for (path, wanted) in [
            ("docs/migrations.md", Some("migrations")),
            ("RELEASING.md", Some("releasing")),
            ("runbooks/restore-db.md", Some("restore db")),
            (".github/CI.md", Some("ci")),
            ("docs/incident-guide.md", Some("incident")),
            ("docs/architecture.md", Some("")),
            ("docs/rules.md", Some("")),
            ("docs/usage.md", None),
            ("docs/README.md", None),
            ("README.md", None),
            ("docs/runbooks/README.md", Some("runbooks")),
            ("MEMORY.md", None),
            ("SECURITY.md", Some("security")),
            ("README.pt.md", None),
            ("docs/security.md", Some("security")),
            ("docs/process/hotfix.md", Some("hotfix")),
            ("docs/a/b/hotfix.md", None),
            ("docs/team.txt", Some("")),
            ("robots.txt", None),
            ("docs/perf/2025-09-dates.md", None),
            ("docs/adr/0007-money.md", Some("money")),
            ("src/parser.md", None),
            (".github/pull_request_template.md", None),
        ] {
            assert_eq!(work(path).as_deref(), wanted, "{path}");
        }
    }
}
