//! What is behind a wish, by its verb or else by its kind of work, in three languages.

use crate::skill::understand::{Archetype, Language};

/// What is behind the wish where the verb says more than its kind of work does: verbs of three languages, then the words.
const OWN_OCCASIONS: &[(&str, [&str; 3])] = &[
    (
        "answer respond reply responder",
        [
            "has a message that waits for an answer",
            "tiver uma mensagem à espera de resposta",
            "tenga un mensaje que espera respuesta",
        ],
    ),
    (
        "summarise summarize condense resumir",
        ["has more to read than time to read it", "tiver mais para ler do que tempo", "tenga más que leer que tiempo"],
    ),
    (
        "plan schedule planejar planificar",
        [
            "does not know where to begin or what fits in when",
            "não souber por onde começar ou o que cabe em que prazo",
            "no sepa por dónde empezar o qué cabe en qué plazo",
        ],
    ),
    (
        "forecast predict estimate calculate prever predecir estimar calcular",
        [
            "wants a number and how far it can be trusted",
            "quiser um número e saber até onde confiar nele",
            "quiera una cifra y saber hasta dónde fiarse de ella",
        ],
    ),
    (
        "find detect identify encontrar detectar identificar",
        [
            "suspects that there are some and wants them listed",
            "suspeitar que existam e quiser a lista",
            "sospeche que los hay y quiera la lista",
        ],
    ),
    (
        "scan",
        [
            "wants to know what hides in there before it does harm",
            "quiser saber o que se esconde ali antes que faça estrago",
            "quiera saber qué se esconde ahí antes de que haga daño",
        ],
    ),
    (
        "compare comparar",
        [
            "has to choose between two or more",
            "precisar escolher entre dois ou mais",
            "tenga que elegir entre dos o más",
        ],
    ),
    (
        "classify categorise categorize classificar clasificar",
        [
            "has an unsorted pile and wants each one in its place",
            "tiver uma pilha sem ordem e quiser cada um no seu lugar",
            "tenga un montón sin orden y quiera cada uno en su sitio",
        ],
    ),
    (
        "translate localise localize traduzir traducir",
        [
            "has a text in one language and needs it in another",
            "tiver um texto em um idioma e precisar dele em outro",
            "tenga un texto en un idioma y lo necesite en otro",
        ],
    ),
    (
        "anonymise anonymize redact anonimizar",
        [
            "has to pass data on without giving anyone away",
            "precisar repassar dados sem expor ninguém",
            "tenga que pasar datos sin delatar a nadie",
        ],
    ),
    (
        "optimise optimize tune otimizar optimizar",
        [
            "complains that it takes too long or costs too much",
            "reclamar que demora ou custa demais",
            "se queje de que tarda o cuesta demasiado",
        ],
    ),
    (
        "fix corrigir corregir",
        [
            "reports that something does not work as it should",
            "relatar que algo não funciona como deveria",
            "informe de que algo no funciona como debería",
        ],
    ),
];

/// What is behind the wish, as it goes on after "Use when the user …", "Use quando alguém …", "Usar cuando alguien …".
pub(super) fn occasion(verb: &str, archetype: Archetype, language: Language) -> &'static str {
    let own = OWN_OCCASIONS.iter().find(|(verbs, _)| verbs.split(' ').any(|one| one == verb)).map(|(_, said)| *said);
    let [en, pt, es] = match (own, archetype) {
        (Some(own), _) => own,
        (None, archetype) => of_kind(archetype),
    };
    match language {
        Language::En => en,
        Language::Pt => pt,
        Language::Es => es,
    }
}

/// What is behind a kind of work, in three languages.
fn of_kind(archetype: Archetype) -> [&'static str; 3] {
    match archetype {
        Archetype::Validate => [
            "reports that something wrong got through or something right was refused",
            "relatar que algo errado passou ou algo certo foi recusado",
            "informe de que algo incorrecto pasó o algo correcto fue rechazado",
        ],
        Archetype::Generate => [
            "needs a first version or a fresh one",
            "precisar de uma primeira versão ou de uma nova",
            "necesite una primera versión o una nueva",
        ],
        Archetype::Review => [
            "wants a second opinion or a verdict before going on",
            "quiser uma segunda opinião ou um parecer antes de seguir",
            "quiera una segunda opinión o un veredicto antes de seguir",
        ],
        Archetype::Test => [
            "wants proof that a change works and nothing else broke",
            "quiser a prova de que uma mudança funciona e nada mais quebrou",
            "quiera la prueba de que un cambio funciona y nada más se rompió",
        ],
        Archetype::Deploy => [
            "wants a new version live or the old one back",
            "quiser uma versão nova em uso ou a anterior de volta",
            "quiera una versión nueva en uso o la anterior de vuelta",
        ],
        Archetype::Convert => [
            "has the content but in the wrong form",
            "tiver o conteúdo, mas na forma errada",
            "tenga el contenido, pero en la forma equivocada",
        ],
        Archetype::Extract => [
            "needs single values out of something larger",
            "precisar de valores que estão dentro de algo maior",
            "necesite valores que están dentro de algo mayor",
        ],
        Archetype::Migrate => [
            "wants to leave an old system or version without losing anything",
            "quiser deixar um sistema ou uma versão antiga sem perder nada",
            "quiera dejar un sistema o una versión antigua sin perder nada",
        ],
        Archetype::Document => [
            "has to make it understandable to others",
            "precisar tornar isso compreensível para outros",
            "tenga que hacerlo comprensible para otros",
        ],
        Archetype::Refactor => [
            "complains that it is messy, slow or hard to change",
            "reclamar que está confuso, lento ou difícil de mudar",
            "se queje de que está desordenado, lento o difícil de cambiar",
        ],
        Archetype::Analyse => [
            "asks why something happens or what the evidence says",
            "perguntar por que algo acontece ou o que os dados mostram",
            "pregunte por qué ocurre algo o qué muestran los datos",
        ],
        Archetype::WrapCliTool => [
            "wants the command run or its error message understood",
            "quiser executar o comando ou entender a mensagem de erro",
            "quiera ejecutar el comando o entender su mensaje de error",
        ],
        Archetype::Workflow => [
            "asks what comes next, who decides or what is still open",
            "perguntar qual é o próximo passo, quem decide ou o que falta",
            "pregunte cuál es el siguiente paso, quién decide o qué falta",
        ],
        Archetype::Monitor => [
            "wants to hear of a change before it does harm",
            "quiser saber de uma mudança antes que faça estrago",
            "quiera enterarse de un cambio antes de que haga daño",
        ],
        Archetype::General => ["", "", ""],
    }
}
