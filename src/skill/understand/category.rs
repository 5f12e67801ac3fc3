//! The six categories (T2-HEFESTO-01) and the words that name them.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Serialize;

use super::lookup::Lookup;
use super::words::Word;

/// What a skill is about, as far as the recommended categories go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Writing and changing code; also whatever names no other category.
    Development,
    Testing,
    Documentation,
    /// Building, shipping and running software.
    Devops,
    /// Judging the work of others.
    Review,
    Security,
}

impl Category {
    /// Every category, as the constitution lists them.
    pub const ALL: &'static [Self] =
        &[Self::Development, Self::Testing, Self::Documentation, Self::Devops, Self::Review, Self::Security];

    /// The word that is printed and serialised.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Testing => "testing",
            Self::Documentation => "documentation",
            Self::Devops => "devops",
            Self::Review => "review",
            Self::Security => "security",
        }
    }

    /// The words that name it, without accents; two words are joined by a space.
    fn keywords(self) -> &'static str {
        match self {
            Self::Development => "lint,linting,linter,format,formatting,formatter,prettier,refactor,refactoring",
            Self::Testing => {
                "test,tests,testing,tested,pytest,jest,mocha,vitest,junit,cypress,playwright,selenium,coverage,unittest,tdd,\
                 teste,testes,testar,testa,prueba,pruebas"
            }
            Self::Documentation => {
                "doc,docs,document,documents,documenting,documentation,readme,guide,guides,changelog,changelogs,release notes,\
                 tutorial,tutorials,docstring,docstrings,adr,documentar,documenta,documentacao,documentacion,guia"
            }
            Self::Devops => {
                "deploy,deploys,deploying,deployment,deployments,docker,dockerfile,kubernetes,k8s,helm,terraform,ansible,lambda,\
                 ci,cd,pipeline,pipelines,release,releases,rollout,infrastructure,provision,devops,aws,gcp,azure,\
                 github actions,implantar,implanta,implantacao,desplegar,despliega,despliegue"
            }
            Self::Review => {
                "review,reviews,reviewing,reviewer,pr,prs,pull request,pull requests,merge,merge request,merge requests,\
                 critique,code review,revisar,revisa,revisao,revision"
            }
            Self::Security => {
                "security,secure,auth,authentication,authorization,authorisation,oauth,jwt,vulnerability,vulnerabilities,cve,\
                 cves,secret,secrets,credential,credentials,password,passwords,encryption,encrypt,owasp,xss,csrf,injection,\
                 pentest,threat,threats,api keys,seguranca,seguridad,senha,senhas,contrasena,contrasenas,autenticacao,\
                 autenticacion,vulnerabilidade,vulnerabilidades,vulnerabilidad"
            }
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Category {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|category| category.word() == text).ok_or(())
    }
}

/// The categories by the words that name them; where two have a word, the first of them is meant.
static BY_KEYWORD: LazyLock<Lookup<Category>> = LazyLock::new(|| {
    let all = Category::ALL.iter().copied();
    Lookup::of(all.flat_map(|category| category.keywords().split(',').map(move |known| (known, category))))
});

/// The category of the first word (or pair of words) that names one, with that word.
pub(super) fn category(words: &[Word]) -> Option<(Category, String)> {
    let keys: Vec<String> = words.iter().flat_map(|word| word.parts.clone()).collect();
    let named = |phrase: &str| BY_KEYWORD.first(phrase).copied();
    keys.iter().enumerate().find_map(|(i, key)| {
        let pair = keys.get(i + 1).map(|next| format!("{key} {next}"));
        pair.and_then(|pair| named(&pair).map(|category| (category, pair)))
            .or_else(|| named(key).map(|category| (category, key.clone())))
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn whole_words_name_the_category() {
        for (text, expected) in [
            ("Run Jest tests with coverage reporting", Some(Category::Testing)),
            ("Deploy application to AWS Lambda", Some(Category::Devops)),
            ("Review pull requests for security issues", Some(Category::Review)),
            ("Generate API documentation from OpenAPI specs", Some(Category::Documentation)),
            ("Format Python code with black and lint with ruff", Some(Category::Development)),
            ("Write release notes", Some(Category::Documentation)),
            ("Scan dependencies for vulnerabilities", Some(Category::Security)),
            ("Authentication skill", Some(Category::Security)),
            ("improve express checkout latest information", None),
            ("Validate email addresses using regex patterns", None),
        ] {
            assert_eq!(category(&words(text)).map(|found| found.0), expected, "{text}");
        }
    }
}
