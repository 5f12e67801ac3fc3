//! The kinds of work a skill can be: each has its own way of being written down.

use std::fmt;

use serde::Serialize;

use super::clause::Clause;
use super::words::Word;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Archetype {
    /// Deciding whether something is right.
    Validate,
    /// Making something new.
    Generate,
    /// Judging someone's work.
    Review,
    /// Finding out whether something works.
    Test,
    /// Putting something where it is used.
    Deploy,
    /// Bringing something into another form.
    Convert,
    /// Explaining something in writing.
    Document,
    /// Changing something without changing what it does.
    Refactor,
    /// Finding out what something shows.
    Analyse,
    /// Doing something with a program on the command line.
    WrapCliTool,
    /// Following steps in order.
    Workflow,
    /// Anything else.
    General,
}

impl Archetype {
    /// Every archetype.
    pub const ALL: &'static [Self] = &[
        Self::Validate,
        Self::Generate,
        Self::Review,
        Self::Test,
        Self::Deploy,
        Self::Convert,
        Self::Document,
        Self::Refactor,
        Self::Analyse,
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
            Self::Document => "document",
            Self::Refactor => "refactor",
            Self::Analyse => "analyse",
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
            Self::Document => "documentation",
            Self::Refactor => "refactoring",
            Self::Analyse => "analysis",
            Self::WrapCliTool => "command-line",
            Self::Workflow => "workflow",
            Self::General => return None,
        })
    }

    /// The nouns that name it where no verb does, without accents.
    fn nouns(self) -> &'static str {
        match self {
            Self::Validate => "validation,validator,linting,verification,validacao,validacion",
            Self::Generate => "generation,generator,scaffolding,boilerplate,geracao,generacion",
            Self::Review => "review,reviews,reviewer,audit,feedback,critique,revisao,revision",
            Self::Test => "test,tests,testing,coverage,benchmarks,teste,testes,prueba,pruebas",
            Self::Deploy => "deployment,deployments,release,releases,rollout,provisioning,implantacao,despliegue",
            Self::Convert => {
                "conversion,converter,migration,migrations,parser,parsing,translation,conversao,migracao,migracion"
            }
            Self::Document => "documentation,docs,readme,changelog,docstrings,tutorial,documentacao,documentacion",
            Self::Refactor => "refactoring,cleanup,optimization,optimisation,refatoracao",
            Self::Analyse => "analysis,debugging,profiling,monitoring,investigation,triage,metrics,analise,analisis",
            Self::WrapCliTool => "cli,command,commands,terminal,comando,comandos",
            Self::Workflow => {
                "workflow,workflows,process,procedure,checklist,runbook,playbook,pipeline,fluxo,flujo,processo"
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

/// The archetype and the word that decided it.
pub(super) fn archetype(clause: &Clause, words: &[Word]) -> (Archetype, Option<String>) {
    let keys: Vec<String> = words.iter().flat_map(|word| word.parts.clone()).collect();
    let named = || {
        keys.iter().find_map(|key| {
            let found = Archetype::ALL.iter().find(|kind| kind.nouns().split(',').any(|noun| noun == key))?;
            Some((*found, Some(key.clone())))
        })
    };
    let Some(verb) = &clause.verb else { return named().unwrap_or((Archetype::General, None)) };
    let from_verb = (verb.archetype, Some(verb.base.to_owned()));
    match (verb.archetype, verb.base) {
        (Archetype::WrapCliTool, _) => match named() {
            Some((Archetype::Test, noun)) => (Archetype::Test, noun),
            _ => from_verb,
        },
        (Archetype::Convert, "format" | "formatar" | "formatear")
            if keys.iter().any(|key| key == "code" || key == "codigo") =>
        {
            (Archetype::Refactor, from_verb.1)
        }
        (Archetype::General, _) => named().unwrap_or(from_verb),
        _ => from_verb,
    }
}
