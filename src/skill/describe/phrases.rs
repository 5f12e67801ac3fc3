//! How people ask for a kind of work: other verbs for the same wish, and what is behind it, in three languages.

use crate::skill::understand::{Archetype, Language};

/// Verbs and the ones people use instead; they take the same object.
const ENGLISH: &[(&str, &str)] = &[
    ("validate verify confirm assert ensure enforce", "check or verify"),
    ("check", "check or validate"),
    ("reconcile", "reconcile, match or compare"),
    ("generate create produce compose", "create, write or draft"),
    ("write draft", "write, draft or compose"),
    ("build make scaffold implement bootstrap", "build, start or scaffold"),
    ("design", "design, plan or sketch"),
    ("prepare", "prepare or put together"),
    ("summarise summarize condense", "sum up, recap or shorten"),
    ("review critique inspect assess evaluate", "review, look over or give feedback on"),
    ("proofread", "proofread, correct or look over"),
    ("audit", "audit, check or go through"),
    ("test", "test or cover"),
    ("run", "run or repeat"),
    ("deploy release ship publish", "deploy, ship or release"),
    ("provision install configure", "set up, install or configure"),
    ("convert transform turn", "convert, change or turn"),
    ("translate localise localize", "translate or localise"),
    ("transcribe", "transcribe or write down"),
    ("resize compress", "shrink, resize or compress"),
    ("extract parse", "extract, pull or copy out"),
    ("scrape crawl collect gather harvest", "collect, scrape or get"),
    ("migrate port upgrade modernise modernize", "migrate, move or switch"),
    ("document", "document or describe"),
    ("explain describe", "explain or describe"),
    ("refactor clean restructure simplify", "refactor, clean up or simplify"),
    ("optimise optimize improve", "speed up, tune or improve"),
    ("fix", "fix or repair"),
    ("rename", "rename"),
    ("deduplicate", "deduplicate, merge or clean"),
    ("analyse analyze explore", "analyse, look into or make sense of"),
    ("investigate debug diagnose trace", "debug, look into or find the cause of"),
    ("find detect identify", "find, spot or detect"),
    ("monitor watch", "monitor, watch or keep an eye on"),
    ("compare", "compare or weigh up"),
    ("forecast predict estimate", "forecast, project or estimate"),
    ("scan", "scan or search"),
    ("profile benchmark measure", "measure, time or profile"),
    ("triage", "sort, prioritise or triage"),
    ("approve", "approve, sign off or reject"),
    ("onboard", "onboard, welcome or train"),
    ("plan schedule", "plan, schedule or organise"),
    ("rotate", "rotate, renew or replace"),
    ("organise organize", "organise, sort or tidy"),
    ("respond reply answer", "answer or reply to"),
    ("moderate", "moderate, check or remove"),
    ("format lint", "format, lint or tidy"),
    ("anonymise anonymize", "anonymise, mask or redact"),
    ("roll back", "roll back, revert or undo"),
    ("set up", "set up or configure"),
    ("clean up", "clean up, remove or tidy"),
    ("back up", "back up or save"),
];

const PORTUGUESE: &[(&str, &str)] = &[
    ("validar verificar checar conferir", "validar, conferir ou verificar"),
    ("gerar criar produzir", "gerar, criar ou montar"),
    ("escrever redigir elaborar", "escrever, redigir ou fazer"),
    ("preparar montar", "preparar, montar ou fazer"),
    ("resumir", "resumir, sintetizar ou dar os pontos principais de"),
    ("revisar avaliar auditar", "revisar, avaliar ou dar um parecer sobre"),
    ("testar", "testar ou cobrir com testes"),
    ("publicar implantar", "publicar, subir ou colocar no ar"),
    ("configurar instalar provisionar", "configurar, instalar ou preparar"),
    ("converter transformar exportar", "converter, transformar ou passar"),
    ("traduzir", "traduzir ou verter"),
    ("transcrever", "transcrever ou passar para texto"),
    ("extrair coletar raspar", "extrair, pegar ou copiar"),
    ("migrar", "migrar, mover ou trocar"),
    ("documentar descrever explicar", "documentar, explicar ou descrever"),
    ("refatorar simplificar", "refatorar, simplificar ou limpar"),
    ("otimizar melhorar", "otimizar, acelerar ou melhorar"),
    ("analisar investigar", "analisar, investigar ou entender"),
    ("depurar diagnosticar", "depurar, diagnosticar ou achar a causa de"),
    ("encontrar detectar identificar buscar", "encontrar, achar ou detectar"),
    ("monitorar acompanhar", "monitorar, acompanhar ou vigiar"),
    ("aprovar", "aprovar, liberar ou recusar"),
    ("integrar", "integrar, receber ou treinar"),
    ("planejar organizar", "planejar, organizar ou marcar"),
    ("padronizar", "padronizar ou uniformizar"),
    ("classificar priorizar triar", "classificar, separar ou priorizar"),
    ("responder", "responder ou atender"),
    ("corrigir", "corrigir ou consertar"),
    ("executar rodar", "executar ou rodar"),
    ("calcular", "calcular ou apurar"),
];

const SPANISH: &[(&str, &str)] = &[
    ("validar verificar comprobar chequear", "validar, comprobar o verificar"),
    ("conciliar", "conciliar, cuadrar o comparar"),
    ("generar crear producir", "generar, crear o hacer"),
    ("escribir redactar elaborar", "escribir, redactar o hacer"),
    ("preparar construir", "preparar, montar o hacer"),
    ("resumir", "resumir, sintetizar o sacar los puntos clave de"),
    ("revisar evaluar auditar", "revisar, evaluar o dar una opinión sobre"),
    ("probar", "probar o cubrir con pruebas"),
    ("desplegar publicar", "desplegar, publicar o subir"),
    ("configurar instalar aprovisionar", "configurar, instalar o preparar"),
    ("convertir transformar exportar", "convertir, transformar o pasar"),
    ("traducir", "traducir o verter"),
    ("transcribir", "transcribir o pasar a texto"),
    ("extraer recopilar recolectar", "extraer, sacar o copiar"),
    ("migrar", "migrar, mover o cambiar"),
    ("documentar describir explicar", "documentar, explicar o describir"),
    ("refactorizar simplificar", "refactorizar, simplificar o limpiar"),
    ("optimizar mejorar", "optimizar, acelerar o mejorar"),
    ("analizar investigar", "analizar, investigar o entender"),
    ("depurar diagnosticar", "depurar, diagnosticar o encontrar la causa de"),
    ("encontrar detectar identificar buscar", "encontrar, buscar o detectar"),
    ("monitorear", "monitorear, vigilar o seguir"),
    ("aprobar", "aprobar, autorizar o rechazar"),
    ("incorporar", "incorporar, recibir o formar"),
    ("planificar organizar", "planificar, organizar o programar"),
    ("estandarizar", "estandarizar o unificar"),
    ("clasificar priorizar", "clasificar, ordenar o priorizar"),
    ("responder", "responder o atender"),
    ("corregir", "corregir o arreglar"),
    ("ejecutar", "ejecutar o lanzar"),
    ("calcular", "calcular u obtener"),
];

/// The verb as people say it, with the ones they say instead.
pub(super) fn asked(verb: &str, language: Language) -> String {
    let table = match language {
        Language::En => ENGLISH,
        Language::Pt => PORTUGUESE,
        Language::Es => SPANISH,
    };
    let named =
        |(verbs, _): &&(&str, &str)| *verbs == verb || (!verb.contains(' ') && verbs.split(' ').any(|one| one == verb));
    table.iter().find(named).map_or_else(|| verb.to_owned(), |(_, said)| (*said).to_owned())
}

/// What is behind the wish, as it goes on after "Use when the user …", "Use quando alguém …", "Usar cuando alguien …".
pub(super) fn occasion(archetype: Archetype, language: Language) -> &'static str {
    let [en, pt, es] = match archetype {
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
        Archetype::General => ["", "", ""],
    };
    match language {
        Language::En => en,
        Language::Pt => pt,
        Language::Es => es,
    }
}
