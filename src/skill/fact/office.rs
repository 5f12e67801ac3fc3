//! Folders of documents without code: every short document may hold rules, and templates and tables are named.

use super::document::{COLUMNS, located, rows};
use super::formats::{code, codes, directory, name};
use super::rule_form::{binds, is_measured, is_routed};
use super::work_document::{DIRECTORIES, NOTES, is_record, is_year, telling};
use super::{Fact, Facts, Kind, Reading, Source, rules, source};
use crate::skill::prose::{BlockKind, blocks};

/// Names of the document that says what a folder holds.
const README: &[&str] = &["readme", "leiame", "leeme", "leia-me"];

/// Folders of what was written or came in, which are no rules for it.
const WRITINGS: &[&str] = &[
    "ads", "anuncios", "anúncios", "aulas", "clases", "cartas", "ejemplos", "enquiries", "entrevistas", "examples",
    "exemplos", "feedback", "inbox", "incoming", "received", "recebidos", "recibidos", "interviews", "lecciones",
    "lessons", "letters", "newsletters", "outbox", "past", "quizzes", "reviews", "samples", "sent", "stories",
    "submissions", "articles", "artigos", "articulos", "artículos", "posts", "blog", "reports", "informes",
    "relatorios", "relatórios", "archive", "archivo", "arquivo", "minutes", "atas", "actas", "drafts", "rascunhos",
    "borradores", "transcripts", "transcrições", "transcripciones", "contracts", "contratos", "agreements", "cases",
    "casos", "claims", "emails", "e-mails", "invoices", "facturas", "faturas", "orders", "pedidos", "proposals",
    "propuestas", "propostas", "quotes", "orcamentos", "orçamentos", "presupuestos", "tickets", "apontamentos",
    "apuntes", "transcriptions", "applications", "cvs", "resumes",
];

/// Endings of files with code.
const CODE: &[&str] = &[
    "c", "cc", "clj", "cpp", "cs", "css", "dart", "erl", "ex", "exs", "go", "gradle", "h", "hpp", "hs", "html",
    "ipynb", "java", "jl", "js", "jsx", "kt", "lua", "ml", "php", "pl", "proto", "ps1", "py", "r", "rb", "rs", "scala",
    "sh", "sln", "sql", "svelte", "swift", "tf", "ts", "tsx", "vue", "zig",
];

/// Files that tell of code by their name.
const OF_CODE: &[&str] = &["changelog.md", "cmakelists.txt", "releasing.md"];
/// Words in the names of templates and of their directories.
const TEMPLATES: &[&str] = &["template", "templates", "modelo", "modelos", "plantilla", "plantillas"];

/// Whether a text has gaps to fill in: `{{name}}`, "artigo ___". A line of underscores alone is a rule of Markdown.
fn has_gaps(text: &str) -> bool {
    named_gaps(text) >= GAPS
        || text.contains("{{")
        || text.lines().any(|line| line.contains("___") && line.contains(char::is_alphabetic))
}

/// So many names in braces are gaps: `{client}`, `{date}`.
const GAPS: usize = 2;

fn named_gaps(text: &str) -> usize {
    let inside = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let named = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '_' || c == ' ');
    inside.filter(named).count()
}

/// The endings of templates.
const FORMS: &[&str] = &["md", "txt", "docx", "odt", "xlsx", "ods", "csv", "html", "pptx", "eml"];
/// How deep documents lie at most.
const DEEP: usize = 2;
/// How much of a README says what the folder holds.
const MOST_OF_FOLDER: usize = 6;
/// The longest name of a column.
const LONGEST: usize = 40;

/// Whether this name in a directory says that the directory holds code.
pub fn is_code(name: &str) -> bool {
    let lower = name.to_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    CODE.contains(&ending) || OF_CODE.contains(&lower.as_str()) || (source::is_known(&lower) && ending != "md")
}

/// Whether the whole file is read: a document, not a table or a template.
pub fn is_document(path: &str) -> bool {
    let lower = path.to_lowercase();
    lower.ends_with(".md") || (lower.ends_with(".txt") && !is_template(&lower))
}

/// Whether the file at this path is read in such a folder.
pub fn reads(path: &str) -> bool {
    let lower = path.to_lowercase();
    let shallow = path.matches('/').count() <= DEEP;
    shallow && (is_template(&lower) || lower.ends_with(".csv") || work(&lower).is_some())
}

/// The facts of such a file. Only the first line of a table is read.
pub fn read(source: &Source<'_>) -> Facts {
    let mut file = Reading::of(source);
    let lower = source.path.to_lowercase();
    if is_template(&lower) || (is_document(&lower) && has_gaps(source.text)) {
        file.put(0, Fact::new(Kind::Template, format!("template {}", code(source.path))).about(&subject(&lower)));
    } else if lower.ends_with(".csv") {
        file.facts.all.extend(columns(source));
    } else if let Some(work) = work(&lower).filter(|_| !is_minutes(source)) {
        rules::read_document(&mut file, &work);
        if !name(&lower).rsplit_once('.').is_some_and(|(stem, _)| README.contains(&stem)) {
            rows(&mut file, &work);
        } else if directory(&lower).is_empty() {
            // A table of it says what lies where.
            file.facts.all.extend(folder(source));
        }
    }
    file.facts
}

/// What the README says of the folder: its figures in the first paragraph, and what lies where, "`receipts/` PDFs named …".
fn folder(source: &Source<'_>) -> Vec<Fact> {
    let path = |item: &str| {
        let coded = item.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        coded.is_some_and(|(path, rest)| path.contains(['/', '.']) && !path.contains(' ') && !rest.trim().is_empty())
    };
    let fact = |text: &str, line| Fact::new(Kind::Note, text.trim_end_matches('.')).about(text).at(source.path, line);
    let mut found = Vec::new();
    for block in blocks(source.text) {
        let text = block.text.trim();
        let rules = |said: &str| binds(said, false) || is_routed(said);
        match block.kind {
            BlockKind::Paragraph if block.titled => {
                let figures = located(source.text, &block).into_iter();
                let figures = figures.filter(|(_, said)| is_measured(said) && !rules(said));
                found.extend(figures.map(|(line, said)| fact(&said, line)));
            }
            BlockKind::Point(_) if path(text) && !rules(text) => found.push(fact(text, block.line)),
            _ => {}
        }
    }
    found.truncate(MOST_OF_FOLDER);
    found
}

/// The words for the work that a document is about, as of [`super::work_document::work`]; here the name of every directory is one
/// of them: `onboarding/policy.md`.
fn work(lower: &str) -> Option<String> {
    let of_all = |stem: &str| README.contains(&stem) || NOTES.contains(&stem);
    let is_record = |stem: &str| is_record(stem) || (is_numbered(stem) && !DIRECTORIES.contains(&directory(lower)));
    let file = name(lower);
    let stem = file.strip_suffix(".md").or_else(|| file.strip_suffix(".txt"));
    let stem = stem.filter(|stem| of_all(stem) || !is_record(stem))?;
    // "contracts/review-rules.md" is none of the contracts.
    if !rules::is_of_rules(lower) && directory(lower).split('/').any(|part| WRITINGS.contains(&part)) {
        return None;
    }
    let folder = subject(directory(lower));
    let words: Vec<&str> = folder.split(' ').filter(|word| !DIRECTORIES.contains(word)).collect();
    let parts = [telling(&words.join(" ")), telling(stem)];
    Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "))
}

/// Whether these are notes of one day rather than of how things are done: a year stands at their beginning.
fn is_minutes(source: &Source<'_>) -> bool {
    const BEGINNING: usize = 3;
    let lower = source.path.to_lowercase();
    let notes = name(&lower).rsplit_once('.').is_some_and(|(stem, _)| NOTES.contains(&stem));
    let mut first = source.text.lines().take(BEGINNING);
    notes && first.any(|line| line.split(|c: char| !c.is_alphanumeric()).any(is_year))
}

/// Whether a name begins or ends with a number or a date, as those of one of many do: `07-photosynthesis`, `cleaning-2024`.
fn is_numbered(stem: &str) -> bool {
    let last = stem.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    stem.starts_with(|c: char| c.is_ascii_digit()) || last.parse::<u32>().is_ok()
}

fn is_template(lower: &str) -> bool {
    let named = |part: &str| part.split(|c: char| !c.is_alphanumeric()).any(|word| TEMPLATES.contains(&word));
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    FORMS.contains(&ending) && lower.split('/').any(named)
}

/// The words of a path that say what the file is for.
fn subject(lower: &str) -> String {
    let stem = lower.rsplit_once('.').map_or(lower, |(stem, _)| stem);
    let words = stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !TEMPLATES.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// The names of a table's columns, if its first line holds names.
fn columns(source: &Source<'_>) -> Option<Fact> {
    let first = source.text.lines().next()?;
    let separator = [';', '\t', ','].into_iter().max_by_key(|one| first.matches(*one).count())?;
    let cells: Vec<&str> = first.split(separator).map(|cell| cell.trim().trim_matches('"')).collect();
    let is_name = |cell: &&str| {
        cell.starts_with(char::is_alphabetic) && cell.chars().count() <= LONGEST && !cell.contains(['@', '/', '`'])
    };
    let named = COLUMNS.contains(&cells.len()) && cells.iter().all(is_name);
    named.then(|| {
        let text = format!("{} has the columns {}", code(source.path), codes(&cells));
        Fact::new(Kind::Columns, text).about(&subject(&source.path.to_lowercase())).at(source.path, 1)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn facts(path: &str, text: &str) -> Vec<Fact> {
        read(&Source { path, text, beside: &BTreeSet::new() }).all
    }

    #[test]
    fn documents_tables_and_templates_are_read_and_code_is_told() {
        assert!(["main.py", "package.json", "Makefile", "mix.exs", "CMakeLists.txt"].iter().all(|name| is_code(name)));
        let papers = ["README.md", "prices.csv", "AGENTS.md", "CONTRIBUTING.md", "notes.txt", "src"];
        assert!(!papers.iter().any(|name| is_code(name)));
        assert!(reads("normas/turnos.md") && reads("templates/note.md") && reads("a/b/c.csv"));
        assert!(!reads("a/b/c/d.md") && !reads("LICENSE.md") && !reads("photo.jpg"));
    }

    #[test]
    fn name_and_directories_say_the_work() {
        for (path, wanted) in [
            ("onboarding/policy.md", Some("onboarding")),
            ("procedures/handover.md", Some("handover")),
            ("hr/leave.md", Some("hr; leave")),
            ("style-guide.md", Some("")),
            ("readme.md", Some("")),
            ("shop/faq.md", None),
            ("notes.md", Some("")),
            ("hr/notes.md", Some("hr")),
            ("lessons/cells.md", None),
            ("contracts/cleaning.md", None),
            ("lessons/history-of-rome.md", None),
            ("contracts/review-rules.md", Some("contracts; review")),
            ("cleaning-2024.md", None),
            ("units/07-cells.md", None),
            ("rules/07-dates.md", Some("dates")),
        ] {
            assert_eq!(work(path).as_deref(), wanted, "{path}");
        }
    }

    #[test]
    fn notes_in_a_folder_are_its_rules_unless_they_are_of_one_day() {
        let texts = |text: &str| facts("bulletin/notes.txt", text).len();
        assert_eq!(texts("Never print an address.\n"), 1);
        assert_eq!(texts("Meeting, 3 March 2025\n\nNever print an address.\n"), 0);
    }

    #[test]
    fn a_title_without_a_mark_says_the_work() {
        let found = facts("transport.txt", "Coaches\n\nTwo quotes are asked for.\n\nNever in a minibus.\n");
        assert!(found.iter().all(|fact| fact.work.as_deref() == Some("transport; coaches")), "{found:?}");
    }

    #[test]
    fn a_table_is_named_by_its_columns_and_a_template_by_its_subject() {
        let table = facts("sales.csv", "date;shop;amount\n2026-01-02;Rua A;3,50\n");
        assert_eq!(table[0].text, "`sales.csv` has the columns `date`, `shop`, `amount`");
        assert!(facts("sales.csv", "2026-01-02,Rua A,3\n").is_empty());
        let template = facts("modelos/recibo.docx", "");
        let letter = facts("letter.md", "Dear {{name}},\n\nPlease call us on 555-0199.\n");
        assert!(letter.iter().all(|fact| fact.kind == Kind::Template));
        assert_eq!((template[0].kind, &template[0].words[..]), (Kind::Template, &["recibo".to_owned()][..]));
    }

    #[test]
    fn a_form_with_blanks_is_a_template_and_a_text_with_a_break_is_none() {
        let kinds = |text: &str| facts("papers/reply.md", text).iter().map(|fact| fact.kind).collect::<Vec<_>>();
        assert_eq!(kinds("We refuse it under article ___.\n"), [Kind::Template]);
        assert_eq!(kinds("Never promise a date.\n\n___\n"), [Kind::Rule]);
    }

    #[test]
    fn a_readme_says_what_lies_where_and_the_figures_of_the_folder() {
        let text =
            "# Cards\n\nReceipts of 12 cards. Ask Ann.\n\n- `receipts/` PDFs named `DATE.pdf`\n- `a.md`\n- Tea\n";
        let of = |path| {
            let all = facts(path, text).into_iter().filter(|fact| fact.kind == Kind::Note);
            all.map(|fact| fact.text).collect::<Vec<_>>()
        };
        assert_eq!(of("README.md"), ["Receipts of 12 cards", "`receipts/` PDFs named `DATE.pdf`"]);
        assert!(of("cards/README.md").is_empty());
    }

    #[test]
    fn lists_conditions_and_rows_of_a_document_are_rules_for_its_work() {
        let text = "# Returns\n\nIf a parcel is open, ask for a photo. We like parcels.\n\n- 14 days from delivery\n\n\
                    | Item | Within | Never |\n|---|---|---|\n| Shoes | 30 days | worn |\n| Food | - | - |\n";
        let found = facts("desk/returns.md", text);
        let texts: Vec<&str> = found.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(
            texts,
            ["If a parcel is open, ask for a photo.", "14 days from delivery", "Shoes – Within: 30 days / Never: worn"]
        );
        assert!(found.iter().all(|fact| fact.work.as_deref().is_some_and(|work| work.contains("returns"))));
        assert_eq!(facts("README.md", "Rules:\n\n- Write dates in full.\n")[0].work, None);
    }
}
