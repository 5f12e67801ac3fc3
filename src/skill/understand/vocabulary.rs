//! What people also call things, the fields words belong to, and the names of tools.

use std::sync::LazyLock;

use super::Language;
use super::lookup::Lookup;
use super::stopwords::grammar;
use super::words::Word;
use crate::skill::name::fold;

/// Subjects and the other words people use for them. Keys are ASCII and lowercase; a key of two words is a pair.
const ENGLISH: &[(&str, &str)] = &[
    ("pull request", "PR, diff, merge request"),
    ("merge request", "MR, diff, pull request"),
    ("email", "e-mail"),
    ("invoice", "bill"),
    ("kubernetes", "k8s, pods, cluster"),
    ("postgresql", "Postgres"),
    ("postgres", "PostgreSQL"),
    ("api documentation", "endpoint reference"),
    ("api key", "tokens, secrets"),
    ("api", "endpoints"),
    ("unit test", "test cases"),
    ("database migration", "schema change"),
    ("database", "DB, tables"),
    ("spreadsheet", "Excel, xlsx"),
    ("excel", "spreadsheet, xlsx"),
    ("resume", "CV"),
    ("accessibility", "a11y, screen reader, WCAG"),
    ("dependency", "packages, libraries"),
    ("changelog", "release notes"),
    ("release note", "changelog"),
    ("commit message", "what to write for this commit"),
    ("log", "log files"),
    ("incident", "outage, post-mortem"),
    ("expense report", "reimbursement, receipts"),
    ("support ticket", "customer requests, helpdesk queue"),
    ("meeting note", "minutes"),
    ("meeting", "minutes"),
    ("contract", "agreement, clauses"),
    ("translation", "localised text"),
    ("blog post", "article"),
    ("customer review", "ratings, feedback"),
    ("sales", "revenue"),
    ("docker image", "container"),
    ("dockerfile", "container image"),
    ("website", "site, pages"),
    ("web page", "site, HTML"),
    ("image", "pictures, photos"),
    ("phone number", "telephone"),
    ("password", "credentials"),
    ("secret", "API keys, tokens, credentials"),
    ("vulnerability", "CVE, security holes"),
    ("performance", "slow"),
    ("query", "SQL, select"),
    ("backend developer", "new hire, first week, starts on Monday"),
    ("lesson plan", "class, teaching"),
    ("recipe", "dish, cooking"),
    ("job", "vacancy, position"),
    ("candidate", "applicants, hiring"),
    ("terraform", "infrastructure as code, tf files"),
    ("backup", "copies, restore"),
    ("dataset", "data, rows"),
    ("typescript", "TS, types"),
    ("javascript", "JS"),
    ("rollback", "undo a release"),
    ("test coverage", "untested code"),
    ("flaky test", "tests that fail now and then"),
    ("architecture", "design decision, ADR"),
    ("subtitle", "captions, srt"),
    ("newsletter", "mailing"),
    ("budget", "costs, spending"),
    ("tax", "fiscal"),
];

const PORTUGUESE: &[(&str, &str)] = &[
    ("postgresql", "Postgres"),
    ("excel", "xlsx"),
    ("kubernetes", "k8s"),
    ("cpf", "documento do cliente"),
    ("relatorio", "resumo, números"),
    ("contrato", "acordo, cláusulas"),
    ("planilha", "Excel, xlsx"),
    ("nota fiscal", "NF-e, danfe"),
    ("chamado", "ticket, suporte"),
    ("curriculo", "CV, candidato"),
    ("reuniao", "ata"),
    ("banco dados", "BD, tabelas"),
    ("teste", "casos de teste"),
    ("documentacao", "docs, README"),
    ("consulta", "query lenta, SQL"),
    ("fatura", "cobrança, boleto"),
    ("despesa", "reembolso, gastos"),
    ("venda", "faturamento, receita"),
    ("aula", "turma, escola"),
    ("dependencia", "pacotes, bibliotecas"),
    ("senha", "credenciais"),
    ("segredo", "chaves de API, tokens, credenciais"),
    ("ferias", "afastamento, folga"),
];

const SPANISH: &[(&str, &str)] = &[
    ("postgresql", "Postgres"),
    ("excel", "xlsx"),
    ("kubernetes", "k8s"),
    ("correo", "e-mail, email"),
    ("factura", "recibo, cobro"),
    ("informe", "reporte, resumen"),
    ("prueba", "tests, casos de prueba"),
    ("curriculum", "CV, candidatos"),
    ("base datos", "BD, tablas"),
    ("microservicio", "servicios, contenedores"),
    ("hoja calculo", "Excel, xlsx"),
    ("reunion", "acta"),
    ("gasto", "reembolso, dieta"),
    ("consulta", "query lenta, SQL"),
    ("dependencia", "paquetes, librerías"),
    ("contrasena", "clave, credenciales"),
    ("secreto", "claves de API, tokens, credenciales"),
    ("venta", "ingresos, facturación"),
    ("subtitulo", "srt, vídeo"),
    ("receta", "plato, cocina"),
    ("imagen", "fotos"),
    ("pagina web", "sitio, HTML"),
    ("registro", "logs"),
    ("copia seguridad", "backup, restaurar"),
];

/// Fields of work and words that belong to them, singular, ASCII.
const DOMAINS: &[(&str, &str)] = &[
    (
        "finance",
        "invoice,expense,tax,accounting,budget,payment,payroll,bank,fatura,despesa,imposto,contabil,pagamento,nota,factura,\
         gasto,impuesto,pago,contabilidad,cnpj,cpf",
    ),
    ("law", "contract,legal,clause,gdpr,lgpd,privacy,contrato,clausula,ley,lei"),
    (
        "people",
        "onboard,candidate,resume,hiring,recruiting,employee,interview,curriculo,entrevista,curriculum,candidato,empleado,\
         funcionario,feria,vacacion",
    ),
    ("data", "csv,dataset,sql,postgresql,excel,spreadsheet,etl,pandas,analytics,planilha,dado,dato,tabla,tabela"),
    ("web", "html,css,react,vue,angular,browser,website,frontend,accessibility,seo,javascript,typescript"),
    ("cloud", "aws,azure,gcp,kubernetes,docker,terraform,lambda,helm,serverless,microservicio,microsservico"),
    ("mobile", "android,ios,swiftui,flutter,kotlin"),
    ("marketing", "marketing,newsletter,campaign,blog,social,campanha,campana,boletin"),
    ("support", "ticket,customer,helpdesk,support,chamado,suporte,soporte"),
    ("education", "lesson,student,course,teacher,quiz,aula,aluno,curso,clase,alumno"),
    ("health", "patient,clinical,medical,paciente,clinico,medico"),
    ("security", "security,vulnerability,secret,password,owasp,oauth,jwt,seguranca,seguridad,vulnerabilidade,senha"),
    ("software", "api,git,test,library,commit,pull,release,refactor,prueba,teste,rust,python,java,golang"),
];

/// Tools by the name they are called by, in lowercase ASCII.
const TOOLS: &[&str] = &[
    "airflow", "ansible", "argocd", "aws", "azure", "bash", "bigquery", "black", "cargo", "celery", "circleci",
    "confluence", "cypress", "dbt", "django", "docker", "eslint", "excel", "fastapi", "ffmpeg", "figma", "flask",
    "flyway", "gcp", "git", "github", "gitlab", "grafana", "gradle", "graphql", "helm", "heroku", "hubspot",
    "imagemagick", "jenkins", "jest", "jira", "jq", "junit", "k6", "kafka", "kubernetes", "lambda", "laravel",
    "linear", "locust", "markdown", "maven", "mkdocs", "mongodb", "mysql", "nginx", "notion", "npm", "numpy",
    "openapi", "oracle", "pandas", "pandoc", "pdfplumber", "playwright", "pnpm", "polars", "postgresql", "postgres",
    "power-bi", "powershell", "prettier", "prometheus", "pytest", "rabbitmq", "rails", "react", "redis", "ruff",
    "salesforce", "scrapy", "selenium", "sentry", "shellcheck", "shopify", "slack", "snowflake", "sonarqube", "sphinx",
    "spring", "sqlite", "stripe", "svelte", "tableau", "terraform", "testify", "trello", "trivy", "vault", "vite",
    "vitest", "vue", "webpack", "whisper", "wordpress", "yarn", "zendesk",
];

/// A word without the endings of plurals, so that "invoices" is found by "invoice".
fn singular(key: &str) -> Vec<String> {
    let mut forms = vec![key.to_owned()];
    for (end, by) in [
        ("ies", "y"),
        ("es", ""),
        ("s", ""),
        ("oes", "ao"),
        ("aes", "ao"),
        ("ns", "m"),
        ("ciones", "cion"),
        ("ais", "al"),
    ] {
        if let Some(stem) = key.strip_suffix(end).filter(|stem| stem.len() > 2) {
            forms.push(format!("{stem}{by}"));
        }
    }
    forms
}

/// What people also say for the subjects of these words, at most five, none that the words hold themselves.
pub(super) fn also(words: &[Word], language: Language) -> Vec<String> {
    let table = match language {
        Language::En => ENGLISH,
        Language::Pt => PORTUGUESE,
        Language::Es => SPANISH,
    };
    let own: Vec<&str> = words.iter().map(Word::key).collect();
    let telling: Vec<&str> = own.iter().copied().filter(|key| !grammar(key)).collect();
    let mut found: Vec<String> = Vec::new();
    let mut covered = 0;
    for (i, key) in telling.iter().enumerate() {
        if i < covered {
            continue;
        }
        let (forms, next) = (singular(key), telling.get(i + 1).map(|next| singular(next)).unwrap_or_default());
        let list = |form: &str| table.iter().find(|(name, _)| *name == form).map(|(_, list)| *list);
        let pair = |key: &str, next: &str| {
            let named = |name: &str| name.strip_prefix(key).and_then(|rest| rest.strip_prefix(' ')) == Some(next);
            table.iter().find(|(name, _)| named(name)).map(|(_, list)| *list)
        };
        let of_pair = next.iter().find_map(|next| forms.iter().find_map(|key| pair(key, next)));
        let hit = of_pair.map(|list| (list, 2));
        let hit = hit.or_else(|| forms.iter().find_map(|form| list(form)).map(|list| (list, 1)));
        if let Some((list, width)) = hit {
            covered = i + width;
            for word in list.split(", ") {
                let folded = fold(word).to_ascii_lowercase();
                let held = |part: &str| {
                    own.iter().any(|key| *key == part || key.strip_suffix('s') == Some(part)) || grammar(part)
                };
                let said = folded.split(' ').all(held) || found.iter().any(|one| one == word);
                if !said && found.len() < 5 {
                    found.push(word.to_owned());
                }
            }
        }
    }
    found
}

/// Which of [`DOMAINS`] a word belongs to.
static FIELDS: LazyLock<Lookup<usize>> = LazyLock::new(|| {
    let all = DOMAINS.iter().enumerate();
    Lookup::of(all.flat_map(|(field, (_, list))| list.split(',').map(move |word| (word, field))))
});

/// The field most of the words belong to, with those words; the first of the table where two have as many.
pub(super) fn domain(words: &[Word]) -> Option<(&'static str, Vec<String>)> {
    let mut said: Vec<Vec<&Word>> = vec![Vec::new(); DOMAINS.len()];
    for word in words {
        let forms: Vec<String> = word.parts.iter().flat_map(|part| singular(part)).collect();
        for (field, of_field) in said.iter_mut().enumerate() {
            if forms.iter().any(|form| FIELDS.all(form).any(|one| *one == field)) {
                of_field.push(word);
            }
        }
    }
    let mut best: Option<(&'static str, Vec<&Word>)> = None;
    for ((name, _), said) in DOMAINS.iter().zip(said) {
        if said.len() > best.as_ref().map_or(0, |(_, most)| most.len()) {
            best = Some((name, said));
        }
    }
    best.map(|(name, said)| (name, said.into_iter().map(|word| word.text.clone()).collect()))
}

/// The tools the words name: known ones, and what stands in backticks; each once, as written.
pub(super) fn tools(sentence: &str, words: &[Word]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for span in sentence.split('`').skip(1).step_by(2).filter(|span| !span.trim().is_empty()) {
        let first = span.split_whitespace().next().unwrap_or(span);
        if !found.iter().any(|one| one == first) {
            found.push(first.to_owned());
        }
    }
    for word in words {
        let text = word.text.trim_matches('`');
        let known = TOOLS.contains(&word.key());
        if known && !found.iter().any(|one| one.eq_ignore_ascii_case(text)) {
            found.push(text.to_owned());
        }
    }
    found.truncate(6);
    found
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn people_call_things_by_other_names() {
        assert_eq!(also(&words("Review pull requests"), Language::En), ["PR", "diff", "merge request"]);
        assert_eq!(also(&words("Valida planilhas de Excel"), Language::Pt), ["xlsx"]);
        assert_eq!(also(&words("Fold paper boats"), Language::En), [""; 0]);
    }

    #[test]
    fn fields_and_tools_are_named_by_words() {
        assert_eq!(domain(&words("Extract tables from PDF invoices")).map(|found| found.0), Some("finance"));
        assert_eq!(domain(&words("Fold paper boats")), None);
        assert_eq!(tools("Run `cargo fmt` on Docker", &words("Run `cargo fmt` on Docker")), ["cargo", "Docker"]);
    }
}
