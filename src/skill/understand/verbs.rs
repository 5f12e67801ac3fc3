//! The verbs descriptions begin with, their forms, and the kind of work each one names.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::Archetype;
use super::Archetype::{
    Analyse, Convert, Deploy, Document, Extract, General, Generate, Migrate, Monitor, Refactor, Review, Test, Validate,
    Workflow, WrapCliTool,
};
use super::lookup::Lookup;
use crate::skill::name::fold;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    (Validate, "validate verify enforce ensure assert confirm reconcile", "check lint"),
    (
        Generate,
        "generate create write draft compose produce scaffold make add implement bootstrap prepare summarise summarize invent \
         condense rewrite paraphrase respond reply answer",
        "build design sketch plan schedule",
    ),
    (Review, "critique inspect assess evaluate proofread appraise shortlist", "review audit screen"),
    (Test, "fuzz", "test benchmark mock"),
    (Deploy, "deploy publish provision install configure roll rollback promote", "release ship"),
    (
        Convert,
        "convert translate normalise normalize encode decode render resize compress merge transcribe turn localise localize \
         subtitle transpile anonymise anonymize redact standardise standardize",
        "transform export import format map",
    ),
    (Extract, "extract parse scrape crawl collect gather harvest", "pull"),
    (Migrate, "migrate upgrade modernise modernize", "port"),
    (Document, "explain describe annotate illustrate", "document comment"),
    (
        Refactor,
        "refactor clean simplify rename optimise optimize restructure reorganise reorganize improve fix remove replace \
         deduplicate shorten polish tidy split revise adjust adapt tune trim",
        "update",
    ),
    (
        Analyse,
        "analyse analyze investigate debug diagnose compare find identify detect classify explore forecast predict calculate \
         estimate categorise categorize",
        "profile measure scan trace query count research",
    ),
    (Monitor, "watch observe remind", "monitor alert"),
    (WrapCliTool, "execute invoke wrap automate", "run call"),
    (
        Workflow,
        "manage coordinate orchestrate rotate onboard offboard organise organize approve triage \
         escalate assign hire moderate reject",
        "process track",
    ),
    (
        General,
        "handle apply support teach help use provide guide act serialize sanitize tokenize paginate notify visualize prioritize \
         simulate integrate connect fetch download upload send restore choose select solve keep mark highlight \
         prevent protect harden reduce train start stop restart show open read load save edit insert delete move \
         encrypt decrypt secure serve backup learn brainstorm negotiate attach tell inform suggest ask warn stage group \
         recommend prioritise serialise visualise cook bake set recover store rank propose \
         take capture pick practise memorise curate renew cancel draw sell buy",
        "model list \
         plot record sync sort filter alert log commit push patch cache index host label outline report tag bump post flag file \
         book order coach mentor budget",
    ),
];

/// Verbs of two words. The first is written in its base form.
const PHRASAL: &[(Archetype, &str)] = &[
    (Deploy, "roll back"),
    (Deploy, "roll out"),
    (Deploy, "set up"),
    (Deploy, "spin up"),
    (Deploy, "scale down"),
    (Deploy, "scale up"),
    (Refactor, "clean up"),
    (Refactor, "tidy up"),
    (Refactor, "break up"),
    (Workflow, "follow up"),
    (Workflow, "sign off"),
    (Workflow, "hand over"),
    (Workflow, "shut down"),
    (Workflow, "back up"),
    (Extract, "pull out"),
    (Monitor, "watch over"),
    (Validate, "make sure"),
    (Generate, "fill in"),
    (Generate, "fill out"),
    (Generate, "write up"),
    (Analyse, "track down"),
    (Analyse, "look up"),
];

const ROMANCE: &[(Archetype, &str, &str)] = &[
    (Validate, "pt es", "validar/valida verificar/verifica"),
    (Validate, "pt", "checar/checa garantir/garante conferir/confere"),
    (Validate, "es", "comprobar/comprueba asegurar/asegura garantizar/garantiza chequear/chequea conciliar/concilia"),
    (Generate, "pt es", "preparar/prepara resumir/resume responder/responde"),
    (
        Generate,
        "pt",
        "gerar/gera fazer/faz criar/cria escrever/escreve construir/constrói redigir/redige planejar/planeja elaborar/elabora montar/monta",
    ),
    (
        Generate,
        "es",
        "generar/genera hacer/hace crear/crea escribir/escribe redactar/redacta planificar/planifica elaborar/elabora construir/construye",
    ),
    (Review, "pt es", "revisar/revisa auditar/audita"),
    (Review, "pt", "avaliar/avalia"),
    (Review, "es", "evaluar/evalúa"),
    (Test, "pt", "testar/testa"),
    (Test, "es", "probar/prueba"),
    (Deploy, "pt es", "publicar/publica instalar/instala configurar/configura"),
    (Deploy, "pt", "implantar/implanta provisionar/provisiona"),
    (Deploy, "es", "desplegar/despliega aprovisionar/aprovisiona"),
    (Convert, "pt es", "transformar/transforma exportar/exporta importar/importa normalizar/normaliza"),
    (
        Convert,
        "pt",
        "converter/converte traduzir/traduz formatar/formata padronizar/padroniza anonimizar/anonimiza transcrever/transcreve",
    ),
    (
        Convert,
        "es",
        "convertir/convierte traducir/traduce formatear/formatea estandarizar/estandariza anonimizar/anonimiza transcribir/transcribe",
    ),
    (Extract, "pt", "extrair/extrai coletar/coleta raspar/raspa"),
    (Extract, "es", "extraer/extrae recopilar/recopila recolectar/recolecta"),
    (Migrate, "pt es", "migrar/migra"),
    (Document, "pt es", "documentar/documenta explicar/explica"),
    (Document, "pt", "descrever/descreve"),
    (Document, "es", "describir/describe"),
    (Refactor, "pt es", "simplificar/simplifica reorganizar/reorganiza"),
    (
        Refactor,
        "pt",
        "refatorar/refatora otimizar/otimiza corrigir/corrige limpar/limpa melhorar/melhora renomear/renomeia \
         atualizar/atualiza remover/remove",
    ),
    (
        Refactor,
        "es",
        "refactorizar/refactoriza optimizar/optimiza corregir/corrige limpiar/limpia mejorar/mejora renombrar/renombra \
         actualizar/actualiza eliminar/elimina",
    ),
    (
        Analyse,
        "pt es",
        "investigar/investiga depurar/depura buscar/busca comparar/compara estimar/estima detectar/detecta calcular/calcula clasificar/clasifica",
    ),
    (
        Analyse,
        "pt",
        "analisar/analisa encontrar/encontra diagnosticar/diagnostica identificar/identifica prever/prevê classificar/classifica",
    ),
    (
        Analyse,
        "es",
        "analizar/analiza encontrar/encuentra diagnosticar/diagnostica identificar/identifica \
         predecir/predice",
    ),
    (Monitor, "pt es", "observar/observa avisar/avisa alertar/alerta"),
    (Monitor, "pt", "monitorar/monitora vigiar/vigia supervisionar/supervisiona"),
    (Monitor, "es", "monitorear/monitorea monitorizar/monitoriza vigilar/vigila supervisar/supervisa"),
    (WrapCliTool, "pt", "executar/executa rodar/roda"),
    (WrapCliTool, "es", "ejecutar/ejecuta"),
    (Workflow, "pt es", "organizar/organiza automatizar/automatiza coordinar/coordina"),
    (
        Workflow,
        "pt",
        "gerenciar/gerencia aprovar/aprova coordenar/coordena integrar/integra \
         acompanhar/acompanha priorizar/prioriza triar/tria",
    ),
    (
        Workflow,
        "es",
        "gestionar/gestiona aprobar/aprueba incorporar/incorpora \
         tramitar/tramita priorizar/prioriza",
    ),
    (General, "pt es", "aplicar/aplica enviar/envía asignar/asigna"),
    (
        General,
        "pt",
        "ajudar/ajuda sugerir/sugere atribuir/atribui listar/lista escolher/escolhe ensinar/ensina separar/separa",
    ),
    (General, "es", "ayudar/ayuda sugerir/sugiere listar/lista elegir/elige enseñar/enseña separar/separa"),
];

/// Recognises a verb of two words by its first word's base form and its second word.
pub(crate) fn phrasal(base: &str, particle: &str) -> Option<(&'static str, Archetype)> {
    PHRASAL
        .iter()
        .find(|(_, verb)| verb.split_once(' ') == Some((base, particle)))
        .map(|(archetype, verb)| (verb.rsplit(' ').next().unwrap_or(verb), *archetype))
}

/// An English verb as the table has it.
#[derive(Debug, Clone, Copy)]
struct English {
    base: &'static str,
    archetype: Archetype,
    noun: bool,
    /// Its place in the table: where a word could be a form of two verbs, the first is meant.
    place: usize,
}

/// The English verbs by their base form.
static BY_BASE: LazyLock<Lookup<English>> = LazyLock::new(|| {
    let lists =
        ENGLISH.iter().flat_map(|(archetype, plain, nouns)| [(archetype, plain, false), (archetype, nouns, true)]);
    let bases = lists.flat_map(|(archetype, list, noun)| list.split(' ').map(move |base| (*archetype, base, noun)));
    let bases = bases.filter(|(_, base, _)| !base.is_empty()).enumerate();
    Lookup::of(bases.map(|(place, (archetype, base, noun))| (base, English { base, archetype, noun, place })))
});

/// Recognises an English verb by any of its forms.
pub(crate) fn english(word: &str) -> Option<Verb> {
    let known = bases(word).filter_map(|base| BY_BASE.first(&base));
    let formed = known.filter_map(|verb| form(verb.base, word).map(|form| (verb, form)));
    formed.min_by_key(|(verb, _)| verb.place).map(|(verb, form)| Verb {
        base: verb.base,
        form,
        archetype: verb.archetype,
        noun: verb.noun,
    })
}

/// The base forms a word could be made from; most are no words.
fn bases(word: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let stem = word.strip_suffix("ing");
    let doubled = stem.and_then(|stem| stem.strip_suffix(|_: char| true));
    let as_it_is = [Some(word), word.strip_suffix('s'), word.strip_suffix("es"), stem, doubled];
    let with_end = [(word.strip_suffix("ies"), 'y'), (stem, 'e')];
    let with_end = with_end.into_iter().filter_map(|(stem, end)| stem.map(|stem| Cow::Owned(format!("{stem}{end}"))));
    as_it_is.into_iter().flatten().map(Cow::Borrowed).chain(with_end)
}

/// Which form of this verb the word is.
fn form(base: &str, word: &str) -> Option<Form> {
    if word == base {
        Some(Form::Base)
    } else if word == third(base) {
        Some(Form::Third)
    } else {
        (word == gerund(base)).then_some(Form::Gerund)
    }
}

/// The Portuguese and Spanish verbs by both their forms, without accents.
static BY_FORM: LazyLock<Lookup<Romance>> = LazyLock::new(|| {
    let pairs = ROMANCE.iter().flat_map(|(archetype, languages, list)| {
        let pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
        pairs.map(|(base, third)| Romance { base, third, languages, archetype: *archetype })
    });
    let spoken = |third: &'static str| if third.is_ascii() { Cow::Borrowed(third) } else { Cow::Owned(fold(third)) };
    Lookup::of(pairs.flat_map(|verb| [(Cow::Borrowed(verb.base), verb), (spoken(verb.third), verb)]))
});

/// Recognises a Portuguese or Spanish verb, infinitive or third person (which is also the imperative).
pub(crate) fn romance(word: &str) -> Option<Romance> {
    BY_FORM.first(word).copied()
}

/// Commands that are not the third person with an "e" at its end: what is written, and the verb.
const COMMANDS: &[(&str, &str)] = &[
    ("haz", "hacer"),
    ("haga", "hacer"),
    ("faca", "fazer"),
    ("escreva", "escrever"),
    ("construa", "construir"),
    ("redija", "redigir"),
    ("resuma", "resumir"),
    ("responda", "responder"),
    ("converta", "converter"),
    ("traduza", "traduzir"),
    ("transcreva", "transcrever"),
    ("extraia", "extrair"),
    ("descreva", "descrever"),
    ("corrija", "corrigir"),
    ("remova", "remover"),
    ("confira", "conferir"),
    ("preveja", "prever"),
    ("sugira", "sugerir"),
    ("atribua", "atribuir"),
    ("escolha", "escolher"),
    ("escriba", "escribir"),
    ("construya", "construir"),
    ("convierta", "convertir"),
    ("traduzca", "traducir"),
    ("transcriba", "transcribir"),
    ("extraiga", "extraer"),
    ("describa", "describir"),
    ("corrija", "corregir"),
    ("prediga", "predecir"),
    ("sugiera", "sugerir"),
    ("elija", "elegir"),
    ("renomeie", "renomear"),
];

/// Commands that are nouns or names more often.
const NO_COMMANDS: &[&str] = &["cheque", "monte"];

/// Recognises a Portuguese or Spanish verb that commands: "extraia", "genere", "revise". The third person, which
/// Spanish commands with as well, is told by [`romance`].
pub(crate) fn command(word: &str) -> Option<Romance> {
    let known = |base: &str, third: &str| {
        COMMANDS.iter().any(|(said, of)| *said == word && *of == base)
            || (base.ends_with("ar") && subjunctive(&fold(third)).contains(&word.to_owned()))
    };
    if !word.ends_with(['e', 'a', 'z']) || NO_COMMANDS.contains(&word) {
        return None;
    }
    ROMANCE.iter().find_map(|(archetype, languages, list)| {
        let pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
        let (base, third) = pairs.into_iter().find(|(base, third)| known(base, third))?;
        Some(Romance { base, third, languages, archetype: *archetype })
    })
}

/// "gera" as a command: "gere", and where the spelling keeps the sound, "publique", "despliegue", "utilice".
fn subjunctive(third: &str) -> Vec<String> {
    let Some(stem) = third.strip_suffix('a') else { return Vec::new() };
    match stem.chars().last() {
        Some('c') => vec![format!("{}que", stem.trim_end_matches('c'))],
        Some('g') => vec![format!("{stem}ue")],
        Some('z') => vec![format!("{stem}e"), format!("{}ce", stem.trim_end_matches('z'))],
        _ => vec![format!("{stem}e")],
    }
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
        "trim", "transfer", "submit", "refer",
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
        assert_eq!(romance("padronizar").map(|v| v.archetype), Some(Convert));
        for (word, base) in [
            ("extraia", "extrair"),
            ("gere", "gerar"),
            ("revise", "revisar"),
            ("crie", "criar"),
            ("publique", "publicar"),
            ("despliegue", "desplegar"),
            ("organice", "organizar"),
            ("organize", "organizar"),
            ("haz", "hacer"),
            ("corrija", "corrigir"),
        ] {
            assert_eq!(command(word).map(|verb| verb.base), Some(base), "{word}");
        }
        assert!(command("monte").is_none() && command("invoice").is_none() && command("gera").is_none());
        assert!(english("email").is_none() && romance("email").is_none());
    }

    /// What a word is, read off the table from its beginning: the definition that looking up must agree with.
    fn read_through(word: &str) -> Option<(&'static str, Form, Archetype, bool)> {
        let lists =
            ENGLISH.iter().flat_map(|(archetype, plain, nouns)| [(archetype, plain, false), (archetype, nouns, true)]);
        lists.into_iter().find_map(|(archetype, list, noun)| {
            let mut bases = list.split(' ').filter(|base| !base.is_empty());
            bases.find_map(|base| form(base, word).map(|form| (base, form, *archetype, noun)))
        })
    }

    #[test]
    fn every_form_is_found_as_by_reading_the_table() {
        for base in ENGLISH.iter().flat_map(|(_, plain, nouns)| plain.split(' ').chain(nouns.split(' '))) {
            for word in [base.to_owned(), third(base), gerund(base), format!("{base}s"), format!("{base}es")] {
                let found = english(&word).map(|verb| (verb.base, verb.form, verb.archetype, verb.noun));
                assert_eq!(found, read_through(&word), "{word}");
            }
        }
        for (_, _, list) in ROMANCE {
            for (base, spoken) in list.split(' ').filter_map(|pair| pair.split_once('/')) {
                for word in [base.to_owned(), fold(spoken)] {
                    let first = ROMANCE.iter().find_map(|(archetype, languages, list)| {
                        let mut pairs = list.split(' ').filter_map(|pair| pair.split_once('/'));
                        let of = pairs.find(|(base, third)| word == *base || word == fold(third));
                        of.map(|(base, third)| Romance { base, third, languages, archetype: *archetype })
                    });
                    assert_eq!(romance(&word), first, "{word}");
                }
            }
        }
    }
}
