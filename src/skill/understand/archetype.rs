//! The kinds of work a skill can be: each has its own way of being written down.

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;

use super::clause::Clause;
use super::lookup::Lookup;
use super::words::Word;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Archetype {
    /// Deciding whether something is right.
    Validate,
    Generate,
    Review,
    /// Finding out whether something works.
    Test,
    /// Putting something where it is used.
    Deploy,
    /// Bringing something into another form.
    Convert,
    /// Taking what is needed out of something larger.
    Extract,
    /// Moving something that is in use to another place or version.
    Migrate,
    Document,
    /// Changing something without changing what it does.
    Refactor,
    /// Finding out what something shows.
    Analyse,
    /// Watching something and telling when it changes.
    Monitor,
    /// Doing something with a program on the command line.
    WrapCliTool,
    Workflow,
    General,
}

impl Archetype {
    pub const ALL: &'static [Self] = &[
        Self::Validate,
        Self::Generate,
        Self::Review,
        Self::Test,
        Self::Deploy,
        Self::Convert,
        Self::Extract,
        Self::Migrate,
        Self::Document,
        Self::Refactor,
        Self::Analyse,
        Self::Monitor,
        Self::WrapCliTool,
        Self::Workflow,
        Self::General,
    ];

    /// The word that is printed, serialised and names the file of its text.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Generate => "generate",
            Self::Review => "review",
            Self::Test => "test",
            Self::Deploy => "deploy",
            Self::Convert => "convert",
            Self::Extract => "extract",
            Self::Migrate => "migrate",
            Self::Document => "document",
            Self::Refactor => "refactor",
            Self::Analyse => "analyse",
            Self::Monitor => "monitor",
            Self::WrapCliTool => "wrap-cli-tool",
            Self::Workflow => "workflow",
            Self::General => "general",
        }
    }

    /// The noun of the work, as a tag; `general` has none.
    pub(super) fn tag(self) -> Option<&'static str> {
        Some(match self {
            Self::Validate => "validation",
            Self::Generate => "generation",
            Self::Review => "review",
            Self::Test => "testing",
            Self::Deploy => "deployment",
            Self::Convert => "conversion",
            Self::Extract => "extraction",
            Self::Migrate => "migration",
            Self::Document => "documentation",
            Self::Refactor => "refactoring",
            Self::Analyse => "analysis",
            Self::Monitor => "monitoring",
            Self::WrapCliTool => "command-line",
            Self::Workflow => "workflow",
            Self::General => return None,
        })
    }

    /// The nouns that name it where no verb does, without accents.
    fn nouns(self) -> &'static str {
        match self {
            Self::Validate => "validation,validator,linting,verification,validacao,validacion",
            Self::Generate => "generation,generator,scaffolding,boilerplate,summary,geracao,generacion,resumo,resumen",
            Self::Review => "review,reviews,reviewer,audit,feedback,critique,revisao,revision",
            Self::Test => "test,tests,testing,coverage,benchmarks,teste,testes,prueba,pruebas",
            Self::Deploy => "deployment,deployments,release,releases,rollout,provisioning,implantacao,despliegue",
            Self::Convert => "conversion,converter,translation,conversao,traducao,conversion,traduccion",
            Self::Extract => "extraction,scraping,scraper,parser,parsing,extracao,extraccion",
            Self::Migrate => "migration,migrations,upgrade,migracao,migracoes,migracion,migraciones",
            Self::Document => "documentation,docs,readme,changelog,docstrings,tutorial,documentacao,documentacion",
            Self::Refactor => "refactoring,cleanup,optimization,optimisation,refatoracao,refactorizacion",
            Self::Analyse => "analysis,debugging,profiling,investigation,metrics,analise,analisis",
            Self::Monitor => {
                "monitoring,alerting,alerts,watchdog,surveillance,monitoramento,alertas,monitoreo,vigilancia"
            }
            Self::WrapCliTool => "cli,command,commands,terminal,comando,comandos",
            Self::Workflow => {
                "workflow,workflows,process,procedure,checklist,runbook,playbook,pipeline,approval,approvals,onboarding,\
                 triage,fluxo,flujo,processo,proceso,aprovacao,aprobacion,aprobaciones,aprovacoes"
            }
            Self::General => "",
        }
    }
}

impl fmt::Display for Archetype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a verb weighs: more than one noun, less than two that agree.
const VERB: u32 = 5;
/// What a noun that names a kind of work weighs.
const NOUN: u32 = 3;
/// What a sign of another sort weighs: a command in backticks, a sentence of several steps.
const SIGN: u32 = 2;

/// How strongly the words speak for one kind of work, and which words do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Score {
    pub archetype: Archetype,
    /// The sum of the weights of its words; comparable within one description only.
    pub score: u32,
    /// The words, in the order they were counted.
    pub words: Vec<String>,
}

/// The kinds of work by the nouns that name them; where two have a noun, the first of them is meant.
static BY_NOUN: LazyLock<Lookup<Archetype>> = LazyLock::new(|| {
    let all = Archetype::ALL.iter().copied();
    Lookup::of(all.flat_map(|kind| kind.nouns().split(',').map(move |noun| (noun, kind))))
});

/// Every archetype that a word speaks for, strongest first; nouns count in what the work is about only. A tie goes to
/// the verb's. Never empty.
pub(super) fn scores(clause: &Clause, words: &[Word], core: &[Word]) -> Vec<Score> {
    let mut found: Vec<Score> = Vec::new();
    let mut add = |archetype: Archetype, weight: u32, word: &str| count(&mut found, archetype, weight, word);
    let keys: Vec<String> = core.iter().flat_map(|word| word.parts.clone()).collect();
    let of_code = keys.iter().any(|key| matches!(key.as_str(), "code" | "codigo"));
    let verb = clause.verb.as_ref().map(|verb| match (verb.archetype, verb.base) {
        (Archetype::Convert, "format" | "formatar" | "formatear") if of_code => (Archetype::Refactor, verb.base),
        (archetype, base) => (archetype, base),
    });
    if let Some((archetype, base)) = verb {
        // Running something says less than what is run; a verb of no kind only breaks the silence.
        let weight = match archetype {
            Archetype::WrapCliTool => NOUN,
            Archetype::General => 1,
            _ => VERB,
        };
        add(archetype, weight, base);
    }
    let mut counted: Vec<Archetype> = Vec::new();
    for key in keys.iter().skip(usize::from(verb.is_some())) {
        let named = BY_NOUN.first(key).copied();
        if let Some(kind) = named.filter(|kind| !counted.contains(kind)) {
            // What is run or handled decides more than that it is; what a definite verb acts on decides less.
            let weak = verb.is_none_or(|(kind, _)| matches!(kind, Archetype::WrapCliTool | Archetype::General));
            add(kind, if weak { NOUN + 1 } else { NOUN }, key);
            counted.push(kind);
        }
    }
    if words.iter().any(|word| word.text.contains('`')) {
        add(Archetype::WrapCliTool, SIGN, "a command in backticks");
    }
    let runs = verb.is_none_or(|(kind, _)| matches!(kind, Archetype::WrapCliTool | Archetype::General));
    if runs && words.iter().any(|word| word.is_any(&["then", "steps", "depois", "pasos", "etapas", "luego"])) {
        add(Archetype::Workflow, SIGN, "several steps");
    }
    if found.is_empty() {
        count(&mut found, Archetype::General, 0, "no word that names a kind of work");
    }
    let own = verb.map(|(kind, _)| kind);
    found.sort_by_key(|one| (std::cmp::Reverse(one.score), Some(one.archetype) != own));
    found
}

fn count(found: &mut Vec<Score>, archetype: Archetype, weight: u32, word: &str) {
    match found.iter_mut().find(|one| one.archetype == archetype) {
        Some(one) => {
            one.score += weight;
            one.words.push(word.to_owned());
        }
        None => found.push(Score { archetype, score: weight, words: vec![word.to_owned()] }),
    }
}
