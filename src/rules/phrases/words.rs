//! The words of prompt injection: lower case, without accents.

/// Verbs of dropping.
pub(super) const DROP: &str = "\
    ignore disregard disregards forget override bypass ignorar ignora ignorem desconsidere desconsiderar \
    desconsidera esqueca esquecer olvida olvide olvidar descarta descarte overrule";
/// Verbs that also have honest uses with instructions of any kind.
pub(super) const STRICT: &str = "override overrule bypass";
/// Objects that only an agent has.
pub(super) const INSTRUCTIONS: &str = "\
    instruction instructions prompt prompts directive directives instrucao instrucoes instruccion \
    instrucciones diretrizes directrices indicaciones";
/// Objects that need a qualifier.
pub(super) const RULES: &str = "\
    rules guidelines context commands constraints messages conversation orders training safeguards regras \
    ordens comandos contexto reglas ordenes programming";
/// Qualifiers: the initial instructions.
pub(super) const FIRST: &str = "system original initial sistema antes";
/// Qualifiers: instructions given earlier.
pub(super) const BEFORE: &str = "\
    previous prior above earlier preceding foregoing anterior anteriores previa previas previos acima";
/// Objects that bind an agent.
pub(super) const BINDING: &str = "\
    rules guidelines constraints orders safeguards regras ordens reglas ordenes";
/// Words after a phrase that is mentioned, not given.
pub(super) const TALKED_OF: &str = "\
    attack attacks style injection injections pattern patterns phrase phrases prompts etc";
/// Qualifiers: all of them, or the agent's own.
pub(super) const ANY: &str = "\
    all any every your these those todas todos suas seus tus sus qualquer cualquier";
/// Verbs of revealing.
pub(super) const REVEAL: &str = "\
    reveal reveals show print output repeat display leak expose dump tell mostre mostrar revele revelar exiba \
    muestra muestre revela imprima repita";
/// Words for what only the agent knows.
pub(super) const OWN: &str = "\
    system initial hidden original secret internal sistema inicial oculto ocultas";
/// Words that say whose.
pub(super) const WHOSE: &str = "your you seu suas tu tus the o el me us its";
/// Verbs of telling.
pub(super) const TELL: &str = "\
    tell inform mention reveal notify alert telling informing notifying alerting conte informe avise diga \
    digas informes avises";
/// Words for the user.
pub(super) const USER: &str = "user users usuario usuarios";
/// Words for an agent without rules.
pub(super) const UNBOUND: &str = "\
    dan jailbroken unrestricted unfiltered uncensored unbound restrictions limitations filters";
/// Objects for all of it.
pub(super) const EVERYTHING: &str = "everything tudo todo";
/// Qualifiers: everything an agent knows.
pub(super) const KNOWN: &str = "before told know learned";
/// What joins a thing to whose it is.
pub(super) const OF: &str = "do de del";
/// Words before a verb that make it a statement instead of an order.
pub(super) const SUBJECTS: &str = "attackers may might could would never not or t";
/// Negations after an auxiliary verb: "do not", "don't".
pub(super) const NOT: &str = "not t";
/// What is denied with them.
pub(super) const DENIED: &str = "do don should must";
/// What denies a verb alone.
pub(super) const NEVER: &str = "never without nao no sin sem";
