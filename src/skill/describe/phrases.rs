//! How people ask for a kind of work: other verbs for the same wish, in three languages.

use crate::skill::understand::Language;

/// Verbs and the ones people use instead; they take the same object.
const ENGLISH: &[(&str, &str)] = &[
    ("validate verify confirm assert ensure enforce", "check or verify"),
    ("check", "check or validate"),
    ("reconcile", "reconcile, match or compare"),
    ("generate create produce compose", "create, write or draft"),
    ("write draft", "write, draft or compose"),
    ("build scaffold implement bootstrap", "build, start or scaffold"),
    ("make", "make, create or prepare"),
    ("improve polish", "improve, refine or polish"),
    ("update", "update or refresh"),
    ("design", "design, plan or sketch"),
    ("prepare", "prepare or put together"),
    ("summarise summarize condense", "summarise, recap or shorten"),
    ("review critique inspect assess evaluate", "review, look over or give feedback on"),
    ("proofread", "proofread, correct or look over"),
    ("audit", "audit, check or go through"),
    ("test", "test or cover"),
    ("run", "run or repeat"),
    ("deploy release ship publish", "deploy, ship or release"),
    ("provision install configure", "set up, install or configure"),
    ("convert transform turn", "convert, change or turn>"),
    ("translate localise localize", "translate or localise"),
    ("transcribe", "transcribe or write down"),
    ("resize compress", "shrink, resize or compress"),
    ("extract parse", "extract, pull or copy out"),
    ("scrape crawl collect gather harvest", "collect, scrape or get"),
    ("migrate port upgrade modernise modernize", "migrate, move or switch"),
    ("document", "document or describe"),
    ("explain describe", "explain or describe"),
    ("refactor clean restructure simplify", "refactor, clean up or simplify"),
    ("optimise optimize", "optimise, speed up or tune"),
    ("fix", "fix or repair"),
    ("rename", "rename"),
    ("deduplicate", "deduplicate, merge or clean"),
    ("analyse analyze explore", "analyse, look into or make sense of"),
    ("investigate debug diagnose trace", "debug, look into or find the cause of"),
    ("find detect identify", "find, spot or detect"),
    ("monitor watch observe", "monitor, watch or keep an eye on"),
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
    ("choose pick select", "choose, pick or recommend"),
    ("brainstorm", "brainstorm, come up with or list ideas for"),
    ("teach explain", "teach, explain or practise"),
    ("book order", "book, order or reserve"),
    ("adjust adapt revise", "adjust, revise or adapt"),
    ("categorise categorize classify", "sort, label or classify"),
    ("sort", "sort, order or group"),
    ("moderate", "moderate, check or remove"),
    ("format lint", "format, lint or tidy"),
    ("anonymise anonymize", "anonymise, mask or redact"),
];

/// The same for verbs of several words.
const OF_SEVERAL_WORDS: &[(&str, &str)] = &[
    ("keep an eye on", "monitor, watch or keep an eye on"),
    ("roll back", "roll back, revert or undo"),
    ("set up", "set up or configure"),
    ("clean up", "clean up, remove or tidy"),
    ("back up", "back up or save"),
    ("make sure", "check, confirm or make sure"),
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
    ("converter transformar exportar", "converter, transformar ou passar>"),
    ("traduzir", "traduzir ou verter"),
    ("transcrever", "transcrever ou passar para texto"),
    ("extrair coletar raspar", "extrair, pegar ou copiar"),
    ("migrar", "migrar, mover ou trocar"),
    ("documentar descrever", "documentar ou descrever"),
    ("explicar", "explicar ou esclarecer"),
    ("refatorar simplificar", "refatorar, simplificar ou limpar"),
    ("otimizar melhorar", "otimizar, acelerar ou melhorar"),
    ("analisar investigar", "analisar, investigar ou entender"),
    ("depurar diagnosticar", "depurar, diagnosticar ou achar a causa de"),
    ("encontrar detectar identificar buscar", "encontrar, achar ou detectar"),
    ("monitorar vigiar observar", "monitorar, acompanhar ou vigiar"),
    ("aprovar", "aprovar, liberar ou recusar"),
    ("integrar", "integrar, receber ou treinar"),
    ("planejar", "planejar, organizar ou marcar"),
    ("organizar", "organizar, arrumar ou separar"),
    ("padronizar", "padronizar ou uniformizar"),
    ("classificar priorizar triar", "classificar, separar ou priorizar"),
    ("responder", "responder ou atender"),
    ("corrigir", "corrigir ou consertar"),
    ("executar rodar", "executar ou rodar"),
    ("calcular estimar", "calcular, estimar ou apurar"),
    ("escolher", "escolher, comparar ou recomendar"),
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
    ("convertir transformar exportar", "convertir, transformar o pasar>"),
    ("traducir", "traducir o verter"),
    ("transcribir", "transcribir o pasar a texto"),
    ("extraer recopilar recolectar", "extraer, sacar o copiar"),
    ("migrar", "migrar, mover o cambiar"),
    ("documentar describir", "documentar o describir"),
    ("explicar", "explicar o aclarar"),
    ("refactorizar simplificar", "refactorizar, simplificar o limpiar"),
    ("optimizar mejorar", "optimizar, acelerar o mejorar"),
    ("analizar investigar", "analizar, investigar o entender"),
    ("depurar diagnosticar", "depurar, diagnosticar o encontrar la causa de"),
    ("encontrar detectar identificar buscar", "encontrar, buscar o detectar"),
    ("monitorear monitorizar vigilar observar", "monitorear, vigilar o seguir"),
    ("aprobar", "aprobar, autorizar o rechazar"),
    ("incorporar", "incorporar, recibir o formar"),
    ("planificar", "planificar, organizar o programar"),
    ("organizar ordenar", "organizar, ordenar o separar"),
    ("estandarizar", "estandarizar o unificar"),
    ("clasificar priorizar", "clasificar, ordenar o priorizar"),
    ("responder", "responder o atender"),
    ("corregir", "corregir o arreglar"),
    ("ejecutar", "ejecutar o lanzar"),
    ("calcular estimar", "calcular, estimar u obtener"),
    ("elegir", "elegir, comparar o recomendar"),
];

/// The verb as people say it, with the ones they say instead.
///
/// Some fit only where the sentence says what becomes of the object: nobody asks to "turn documents".
pub(super) fn asked(verb: &str, language: Language, becomes: bool) -> String {
    let table = match language {
        Language::En => ENGLISH,
        Language::Pt => PORTUGUESE,
        Language::Es => SPANISH,
    };
    let several = OF_SEVERAL_WORDS.iter().find(|(verbs, _)| *verbs == verb);
    let one = || table.iter().find(|(verbs, _)| verbs.split(' ').any(|one| one == verb));
    let Some((_, said)) = several.or_else(one) else { return verb.to_owned() };
    match said.strip_suffix('>') {
        Some(said) if becomes => said.to_owned(),
        // "convert, change or turn" without its last: "convert or change".
        Some(said) => [" or ", " ou ", " o "]
            .iter()
            .find_map(|or| Some(said.rsplit_once(or)?.0.replacen(", ", or, 1)))
            .unwrap_or_else(|| said.to_owned()),
        None => (*said).to_owned(),
    }
}
