//! Which nouns are people, texts, forms and programs: what a part of a sentence leads to decides what it says.

use super::Language;
use super::leads::leads;
use super::words::Word;

/// "every month", "todos los meses", "cada semana".
pub(super) const EVERY: &[&str] = &["every", "each", "todo", "toda", "todos", "todas", "cada"];

/// What comes again and again.
pub(super) const TIMES: &[&str] = &[
    "hour", "day", "morning", "evening", "night", "week", "weekend", "month", "quarter", "year", "monday", "friday",
    "hora", "dia", "dias", "manha", "noite", "semana", "semanas", "mes", "meses", "trimestre", "ano", "anos", "noites",
    "manhas", "noche", "noches", "manana", "mananas", "sprint", "release",
];

/// Words for people; "for the accounting team".
pub(super) const PEOPLE: &[&str] = &[
    "team", "teams", "developer", "developers", "user", "users", "customer", "customers", "client", "clients",
    "student", "students", "beginner", "beginners", "manager", "managers", "engineer", "engineers", "people", "reader",
    "readers", "designer", "designers", "analyst", "analysts", "newcomers", "teacher", "teachers", "patients",
    "executives", "stakeholders", "lawyers", "department", "audience", "colleagues", "maintainers", "reviewers",
    "recruiters", "board", "investors", "freelancers", "founders", "subscribers", "candidates", "tenants",
    "volunteers", "donors", "parents", "children", "kids", "equipe", "time", "times", "desenvolvedores", "usuarios",
    "clientes", "alunos", "iniciantes", "gestores", "pessoas", "leitores", "diretoria", "funcionarios", "empleados",
    "employees", "staff", "newcomer", "professores", "pacientes", "leigos", "contadores", "equipo", "desarrolladores",
    "alumnos", "estudiantes", "principiantes", "directivos", "personas", "lectores", "profesores", "contables",
    "direccion", "programmers", "programadores", "hires", "newbies", "kids", "children", "parents", "adults",
    "learners", "seniors", "juniors", "investors", "journalists", "voters", "donors", "members", "attendees", "guests",
    "pupils", "graders", "undergraduates", "non-experts", "laypeople", "partners", "suppliers", "tenants",
    "subscribers", "leadership", "management", "everyone", "founders", "crianca", "criancas", "pais", "adultos",
    "turma", "turmas", "estudantes", "investidores", "jornalistas", "fornecedores", "moradores", "ninos", "padres",
    "inversores", "periodistas", "proveedores", "socios", "companeros", "desarrollador", "cliente", "tecnicos",
    "advogados", "abogados", "medicos",
];

/// The words of the noun phrase that begins a part: up to the next word that leads on.
pub(super) fn noun_phrase<'p, 'w>(part: &'p [&'w Word], language: Language) -> &'p [&'w Word] {
    let begin = part.iter().position(|word| !word.is_any(HELD)).unwrap_or(part.len());
    let part = part.get(begin..).unwrap_or_default();
    let ends = |word: &&Word| {
        leads(word.key(), language)
            || word.is_any(&["of", "who", "and", "or", "de", "do", "da", "dos", "das", "del", "e", "y", "ou"])
    };
    let end = part.iter().position(ends).unwrap_or(part.len());
    part.get(..end).unwrap_or_default()
}

/// What may stand before a noun and says nothing of it.
pub(super) const HELD: &[&str] = &[
    "a", "an", "the", "users", "teams", "its", "their", "all", "two", "three", "four", "dos", "tres", "cuatro", "dois",
    "duas", "quatro", "o", "os", "as", "um", "uma", "el", "la", "los", "las", "un", "una", "su", "sus", "seu", "sua",
    "todos", "todas",
];

/// Whether a noun phrase names people: by its last word in English ("junior developers", not "customer complaints"), by
/// its first in Portuguese and Spanish.
pub(super) fn people(noun: &[&Word], language: Language) -> bool {
    let first = noun.first().is_some_and(|word| word.is_any(PEOPLE));
    match language {
        Language::En => {
            noun.last().is_some_and(|word| word.is_any(PEOPLE))
                || (first && noun.get(1).is_some_and(|next| next.text.ends_with("ing")))
        }
        Language::Pt | Language::Es => {
            first
                || (noun.get(1).is_some_and(|word| word.is_any(PEOPLE))
                    && noun.first().is_some_and(|word| word.is_any(&["novos", "nuevos", "pequenos"])))
        }
    }
}

/// Whether a word is written as a name.
pub(super) fn named(word: &Word) -> bool {
    word.text.starts_with(char::is_uppercase)
}

/// Whether a noun phrase says how something is to sound: "a polite tone", "um tom formal"; not "APA style".
pub(super) fn toned(noun: &[&Word]) -> bool {
    let said = |word: &&Word| word.is_any(&["tone", "tom", "tono", "voice"]);
    let manner = |word: &&Word| word.is_any(&["style", "manner", "estilo", "linguagem", "lenguaje"]);
    let capitals = noun.iter().any(|word| word.text.starts_with(char::is_uppercase));
    noun.len() > 1 && (noun.iter().any(said) || (!capitals && noun.iter().any(manner)))
}

/// Texts that are about something.
pub(super) const TEXTS: &[&str] = &[
    "article", "articles", "essay", "essays", "post", "posts", "paper", "papers", "report", "reports", "presentation",
    "talk", "lecture", "lesson", "lessons", "lectures", "quiz", "quizzes", "questions", "story", "stories", "notes",
    "literature", "course", "workshop", "exercises", "memo", "briefing", "feedback",
];

/// Whether "in Markdown" names the form of what is made.
pub(super) fn formed(noun: &[&Word]) -> bool {
    const FORMS: &[&str] = &[
        "markdown", "latex", "html", "pdf", "json", "csv", "xml", "yaml", "word", "excel", "powerpoint", "svg",
        "bullets", "english", "spanish", "portuguese", "french", "german", "table", "tables", "docx", "xlsx",
    ];
    matches!(noun, [only] if only.is_any(FORMS)) || matches!(noun, [.., last] if last.is_any(&["format", "english"]))
}

/// Whether "in Excel" names the program the work is done with.
pub(super) fn program(noun: &[&Word]) -> bool {
    const PROGRAMS: &[&str] = &[
        "excel", "figma", "notion", "jira", "confluence", "airtable", "trello", "salesforce", "hubspot", "tableau",
        "word", "powerpoint", "outlook", "canva", "photoshop", "indesign", "obsidian", "zotero", "quickbooks",
        "looker", "matlab", "stata", "spss", "lightroom", "illustrator", "pandas", "asana", "gmail", "latex",
        "blender", "autocad", "moodle", "jupyter",
    ];
    match noun {
        [only] => only.is_any(PROGRAMS) && only.text.starts_with(char::is_uppercase),
        [maker, made] => {
            maker.is_any(&["google", "microsoft", "power", "adobe"])
                && maker.text.starts_with(char::is_uppercase)
                && !made.is_any(&["cloud", "azure", "play", "maps"])
        }
        _ => false,
    }
}
