//! The verbs descriptions begin with, their forms, and the kind of work each one names.

use super::Archetype;
use super::Archetype::{
    Analyse, Convert, Deploy, Document, General, Generate, Refactor, Review, Test, Validate, Workflow, WrapCliTool,
};

/// How a verb stands in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `validate`, `validar`
    Base,
    /// `validates`, `valida`
    Third,
    /// `validating`
    Gerund,
}

/// A verb that was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verb {
    /// Its base form.
    pub(crate) base: &'static str,
    /// The form it was found in.
    pub(crate) form: Form,
    /// The work it names.
    pub(crate) archetype: Archetype,
    /// Whether the same spelling is often a noun (`test`, `build`).
    pub(crate) noun: bool,
}

/// A Portuguese or Spanish verb.
#[derive(Debug)]
pub(crate) struct Romance {
    /// The infinitive, without accents.
    pub(crate) base: &'static str,
    /// The third person singular, as it is spelled.
    pub(crate) third: &'static str,
    /// `pt`, `es` or `pt es`.
    pub(crate) languages: &'static str,
    /// The work it names.
    pub(crate) archetype: Archetype,
}

const ENGLISH: &[(Archetype, &str, &str)] = &[
    (Validate, "validate verify enforce ensure assert confirm", "check lint"),
    (
        Generate,
        "generate create write draft compose produce scaffold make add implement bootstrap prepare",
        "build design",
    ),
    (Review, "critique inspect assess evaluate", "review audit"),
    (Test, "fuzz", "test benchmark mock"),
    (Deploy, "deploy publish provision install configure upgrade", "release ship"),
    (
        Convert,
        "convert translate migrate parse extract normalise normalize encode decode render resize compress merge transcribe",
        "transform export import format map",
    ),
    (Document, "explain describe annotate summarise summarize", "document comment"),
    (
        Refactor,
        "refactor clean simplify rename optimise optimize restructure reorganise reorganize improve fix rewrite modernise modernize remove replace",
        "update",
    ),
    (
        Analyse,
        "analyse analyze investigate debug diagnose compare find identify detect classify explore",
        "profile measure scan monitor trace triage search query count research",
    ),
    (WrapCliTool, "execute invoke wrap automate", "run call"),
    (
        Workflow,
        "manage coordinate orchestrate standardise standardize rotate onboard organise organize",
        "plan process track schedule",
    ),
    (
        General,
        "handle apply support teach help use provide guide act serialize sanitize tokenize paginate notify visualize prioritize \
      calculate simulate integrate connect fetch download upload send restore collect gather choose select answer solve \
      respond prevent protect harden reduce train start stop restart show open read load save edit insert delete move \
      encrypt decrypt secure crawl scrape serve backup learn brainstorm proofread polish shorten paraphrase negotiate reply \
      forecast predict recommend prioritise serialise visualise anonymise cook bake",
        "model \
      plot record sync list sort filter split set alert log commit push pull tag bump patch port cache index host label estimate outline report",
    ),
];

const ROMANCE: &[(Archetype, &str, &str)] = &[
    (Validate, "pt es", "validar/valida verificar/verifica garantizar/garantiza"),
    (Validate, "pt", "checar/checa garantir/garante"),
    (Validate, "es", "comprobar/comprueba asegurar/asegura"),
    (Generate, "pt", "gerar/gera criar/cria escrever/escreve construir/constrói"),
    (Generate, "es", "generar/genera crear/crea escribir/escribe redactar/redacta"),
    (Review, "pt es", "revisar/revisa auditar/audita"),
    (Review, "pt", "avaliar/avalia"),
    (Review, "es", "evaluar/evalúa"),
    (Test, "pt", "testar/testa"),
    (Test, "es", "probar/prueba"),
    (Deploy, "pt es", "publicar/publica instalar/instala configurar/configura"),
    (Deploy, "pt", "implantar/implanta"),
    (Deploy, "es", "desplegar/despliega"),
    (Convert, "pt es", "transformar/transforma migrar/migra exportar/exporta importar/importa normalizar/normaliza"),
    (Convert, "pt", "converter/converte traduzir/traduz extrair/extrai formatar/formata"),
    (Convert, "es", "convertir/convierte traducir/traduce extraer/extrae formatear/formatea"),
    (Document, "pt es", "documentar/documenta explicar/explica"),
    (Refactor, "pt es", "simplificar/simplifica optimizar/optimiza"),
    (
        Refactor,
        "pt",
        "refatorar/refatora otimizar/otimiza corrigir/corrige limpar/limpa melhorar/melhora renomear/renomeia atualizar/atualiza",
    ),
    (
        Refactor,
        "es",
        "refactorizar/refactoriza corregir/corrige limpiar/limpia mejorar/mejora renombrar/renombra actualizar/actualiza",
    ),
    (
        Analyse,
        "pt es",
        "investigar/investiga depurar/depura encontrar/encuentra buscar/busca comparar/compara detectar/detecta",
    ),
    (Analyse, "pt", "analisar/analisa monitorar/monitora"),
    (Analyse, "es", "analizar/analiza monitorear/monitorea"),
    (WrapCliTool, "pt", "executar/executa"),
    (WrapCliTool, "es", "ejecutar/ejecuta"),
    (Workflow, "pt es", "organizar/organiza automatizar/automatiza"),
    (Workflow, "pt", "padronizar/padroniza gerenciar/gerencia planejar/planeja"),
    (Workflow, "es", "estandarizar/estandariza gestionar/gestiona planificar/planifica"),
    (General, "pt es", "aplicar/aplica"),
    (General, "pt", "ajudar/ajuda"),
    (General, "es", "ayudar/ayuda"),
];

/// Recognises an English verb by any of its forms.
pub(crate) fn english(word: &str) -> Option<Verb> {
    for (archetype, plain, nouns) in ENGLISH {
        for (list, noun) in [(plain, false), (nouns, true)] {
            for base in list.split(' ').filter(|base| !base.is_empty()) {
                let form = if word == base {
                    Form::Base
                } else if word == third(base) {
                    Form::Third
                } else if word == gerund(base) {
                    Form::Gerund
                } else {
                    continue;
                };
                return Some(Verb { base, form, archetype: *archetype, noun });
            }
        }
    }
    None
}

/// Recognises a Portuguese or Spanish verb, infinitive or third person (which is also the imperative).
pub(crate) fn romance(word: &str) -> Option<Romance> {
    ROMANCE.iter().find_map(|(archetype, languages, list)| {
        list.split(' ').filter_map(|pair| pair.split_once('/')).find_map(|(base, third)| {
            let spoken = crate::skill::name::fold(third);
            (word == base || word == spoken).then_some(Romance { base, third, languages, archetype: *archetype })
        })
    })
}

/// The third person singular of an English verb.
pub(crate) fn third(base: &str) -> String {
    let vowel_before_y = base.strip_suffix('y').is_some_and(|stem| stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    if let Some(stem) = base.strip_suffix('y')
        && !vowel_before_y
    {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end));
    format!("{base}{}", if hisses { "es" } else { "s" })
}

/// The `-ing` form of an English verb.
pub(crate) fn gerund(base: &str) -> String {
    const DOUBLED: &[&str] = &[
        "debug", "run", "wrap", "map", "scan", "ship", "plan", "plot", "split", "set", "stop", "log", "commit", "tag",
    ];
    if DOUBLED.contains(&base) {
        let last = base.chars().last().unwrap_or_default();
        return format!("{base}{last}ing");
    }
    match base.strip_suffix('e') {
        Some(stem) => format!("{stem}ing"),
        None => format!("{base}ing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_follow_english_spelling() {
        for (base, third_person, ing) in [
            ("validate", "validates", "validating"),
            ("fix", "fixes", "fixing"),
            ("query", "queries", "querying"),
            ("deploy", "deploys", "deploying"),
            ("publish", "publishes", "publishing"),
            ("run", "runs", "running"),
        ] {
            assert_eq!((third(base), gerund(base)), (third_person.to_owned(), ing.to_owned()));
        }
    }

    #[test]
    fn verbs_are_known_in_three_languages() {
        assert_eq!(english("reviews").map(|v| (v.base, v.form)), Some(("review", Form::Third)));
        assert_eq!(romance("evalua").map(|v| v.third), Some("evalúa"));
        assert_eq!(romance("padronizar").map(|v| v.archetype), Some(Workflow));
        assert!(english("email").is_none() && romance("email").is_none());
    }
}
