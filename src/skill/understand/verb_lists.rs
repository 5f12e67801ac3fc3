//! The verbs that are known, by the kind of work each names; their forms follow by rule.

use super::Archetype;
use super::Archetype::{
    Analyse, Convert, Deploy, Document, Extract, General, Generate, Migrate, Monitor, Refactor, Review, Test, Validate,
    Workflow, WrapCliTool,
};

/// English verbs by kind of work: those that are verbs only, then those whose spelling is often a noun.
pub(super) const ENGLISH: &[(Archetype, &str, &str)] = &[
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
         take capture pick practise memorise curate renew cancel draw sell buy \
         let look carry figure give rephrase grade brief illustrate remember celebrate decorate arrange invite convince pack declutter clear cut \
         maintain water grow store visit narrate script moderate cite link credit score settle reconcile repair \
         nudge warm praise enrich append cover join",
        "model list \
         plot record sync sort filter alert log commit push patch cache index host label outline report tag bump post flag file \
         book order coach mentor budget",
    ),
];

/// Verbs of two words. The first is written in its base form.
pub(super) const PHRASAL: &[(Archetype, &str)] = &[
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
    (Analyse, "find out"),
    (Analyse, "figure out"),
    (Workflow, "look after"),
    (Workflow, "keep track"),
    (Workflow, "carry out"),
    (Document, "write down"),
    (Refactor, "cut down"),
    (Refactor, "sort out"),
];

/// Portuguese and Spanish verbs by kind of work and language, each with its third person singular.
pub(super) const ROMANCE: &[(Archetype, &str, &str)] = &[
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
    (
        General,
        "es",
        "ayudar/ayuda sugerir/sugiere listar/lista elegir/elige enseñar/enseña separar/separa guardar/guarda ordenar/ordena \
         cuidar/cuida practicar/practica reducir/reduce entrenar/entrena",
    ),
    (
        General,
        "pt",
        "guardar/guarda ordenar/ordena cuidar/cuida praticar/pratica reduzir/reduz treinar/treina arrumar/arruma",
    ),
    (Refactor, "pt", "manter/mantém reescrever/reescreve ajustar/ajusta adaptar/adapta reformular/reformula"),
    (Refactor, "es", "mantener/mantiene reescribir/reescribe ajustar/ajusta adaptar/adapta reformular/reformula"),
    (
        Generate,
        "pt",
        "desenhar/desenha compor/compõe produzir/produz sintetizar/sintetiza desenvolver/desenvolve agendar/agenda",
    ),
    (
        Generate,
        "es",
        "diseñar/diseña componer/compone producir/produce sintetizar/sintetiza desarrollar/desarrolla agendar/agenda",
    ),
    (Workflow, "pt es", "conciliar/concilia"),
    (Analyse, "pt", "pesquisar/pesquisa rastrear/rastreia"),
    (Analyse, "es", "rastrear/rastrea"),
    (Analyse, "pt es", "explorar/explora"),
    (Document, "pt es", "anotar/anota registrar/registra"),
    (General, "pt es", "indicar/indica marcar/marca destacar/destaca"),
    (General, "pt", "apontar/aponta sinalizar/sinaliza"),
    (General, "es", "señalar/señala llevar/lleva"),
];

/// Commands that are not the third person with an "e" at its end: what is written, and the verb.
pub(super) const COMMANDS: &[(&str, &str)] = &[
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
    ("rastreie", "rastrear"),
    ("mantenha", "manter"),
    ("mantenga", "mantener"),
    ("manten", "mantener"),
    ("reescreva", "reescrever"),
    ("reescriba", "reescribir"),
    ("componha", "compor"),
    ("produza", "produzir"),
    ("produzca", "producir"),
    ("reduza", "reduzir"),
    ("reduzca", "reducir"),
    ("desenvolva", "desenvolver"),
    ("garanta", "garantir"),
    ("preve", "prever"),
];

/// Commands that are nouns or names more often.
pub(super) const NO_COMMANDS: &[&str] = &["cheque", "monte"];
