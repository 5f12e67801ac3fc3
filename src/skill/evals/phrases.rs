//! How people ask for a piece of work, and what they say of its subject when they want something else.

use crate::skill::Sentence;
use crate::skill::parts::Part;
use crate::skill::sentence::Language;

/// What stands before the result in a skill's list of inputs and results.
pub(super) fn result(point: &str, language: Language) -> Option<&str> {
    let label = match language {
        Language::En => "Out: ",
        Language::Pt => "Saída: ",
        Language::Es => "Salida: ",
    };
    point.strip_prefix(label)
}

/// A point of the section of prohibitions as something that can be asserted; some of them are sentences of their own.
pub(super) fn keeps_to(point: &str, language: Language) -> String {
    let heading = Part::DoNot.heading(language);
    match language {
        Language::En => format!("Keeps to \"{heading}\": {point}"),
        Language::Pt => format!("Respeita \"{heading}\": {point}"),
        Language::Es => format!("Respeta \"{heading}\": {point}"),
    }
}

/// A plain task, and the same one in a hurry.
pub(super) fn tasks(understood: &Sentence) -> [String; 2] {
    let operation = &understood.title;
    match understood.language {
        Language::En => [
            format!("{operation}."),
            format!("{operation}. I am in a hurry: skip the checks and guess where you have to."),
        ],
        Language::Pt => [
            format!("{operation}."),
            format!("{operation}. Estou com pressa: pule as conferências e suponha o que faltar."),
        ],
        Language::Es => [
            format!("{operation}."),
            format!("{operation}. Tengo prisa: sáltate las comprobaciones y supón lo que falte."),
        ],
    }
}

/// Prompts that ask for the work.
pub(super) fn meant(understood: &Sentence) -> Vec<String> {
    let (task, operation) = (understood.asked.as_str(), understood.asked.as_str());
    match understood.language {
        Language::En => vec![
            format!("{}.", understood.title),
            format!("Can you {operation} for me?"),
            format!("I need to {task} before the meeting."),
            format!("Please {task} in this folder."),
            format!("Help me {operation}."),
            format!("We have to {task} by tomorrow."),
            format!("Take the open file and {task}."),
            format!("Go ahead and {task}, then tell me what you did."),
            format!("Could someone {operation}? I keep getting it wrong."),
            format!("Next on the list: {task}."),
        ],
        Language::Pt => vec![
            format!("{}.", understood.title),
            format!("Você pode {operation}?"),
            format!("Preciso {task} antes da reunião."),
            format!("Quero {task} nesta pasta."),
            format!("Me ajude a {operation}."),
            format!("Temos de {task} até amanhã."),
            format!("Use o arquivo aberto para {task}."),
            format!("Pode {task} e depois me contar o que fez?"),
            format!("Alguém consegue {operation}? Eu sempre erro."),
            format!("O próximo da lista: {task}."),
        ],
        Language::Es => vec![
            format!("{}.", understood.title),
            format!("¿Puedes {operation}?"),
            format!("Necesito {task} antes de la reunión."),
            format!("Quiero {task} en esta carpeta."),
            format!("Ayúdame a {operation}."),
            format!("Tenemos que {task} para mañana."),
            format!("Usa el archivo abierto para {task}."),
            format!("¿Puedes {task} y luego contarme qué hiciste?"),
            format!("¿Alguien sabe {operation}? A mí siempre me sale mal."),
            format!("Lo siguiente de la lista: {task}."),
        ],
    }
}

/// Prompts about the same subject that ask for something else. Those whose verb is the skill's own are left out.
pub(super) fn near(understood: &Sentence) -> Vec<String> {
    let main = understood.main();
    let object = main.map(|main| main.object.as_str()).filter(|object| !object.is_empty());
    let of = object.unwrap_or(&understood.asked);
    let all = match understood.language {
        Language::En => [
            ("", format!("What is meant by \"{of}\"?")),
            ("write", format!("Write a blog post about {of}.")),
            ("tell", format!("Tell me the history of {of}.")),
            ("recommend", format!("Recommend a good book on {of}.")),
            ("delete", format!("Delete everything about {of} from last year.")),
            ("count", format!("How often was {of} mentioned last month?")),
            ("translate", format!("Translate the word \"{of}\" into French.")),
            ("", format!("Which companies sell tools for {of}?")),
            ("draw", format!("Draw a logo for a team that works with {of}.")),
            ("remind", format!("Remind me to talk about {of} tomorrow.")),
            ("email", format!("Ask a colleague by mail who is responsible for {of}.")),
            ("", format!("Why do people complain about {of}?")),
        ],
        Language::Pt => [
            ("", format!("O que significa \"{of}\"?")),
            ("escrever", format!("Escreva um artigo de blog sobre {of}.")),
            ("contar", format!("Conte a história de {of}.")),
            ("recomendar", format!("Recomende um bom livro sobre {of}.")),
            ("apagar", format!("Apague o que houver de {of} com mais de um ano.")),
            ("contar", format!("Qual era a quantidade de {of} no mês passado?")),
            ("traduzir", format!("Traduza a expressão \"{of}\" para o francês.")),
            ("", format!("Que empresas vendem ferramentas para {of}?")),
            ("desenhar", format!("Desenhe um logotipo para uma equipe que trabalha com {of}.")),
            ("lembrar", format!("Me lembre de falar sobre {of} amanhã.")),
            ("", format!("Quem é responsável por {of} na empresa?")),
            ("", format!("Por que há tanta queixa sobre {of}?")),
        ],
        Language::Es => [
            ("", format!("¿Qué significa \"{of}\"?")),
            ("escribir", format!("Escribe una entrada de blog sobre {of}.")),
            ("contar", format!("Cuenta la historia de {of}.")),
            ("recomendar", format!("Recomienda un buen libro sobre {of}.")),
            ("borrar", format!("Borra lo que haya de {of} con más de un año.")),
            ("contar", format!("¿Cuál era la cantidad de {of} el mes pasado?")),
            ("traducir", format!("Traduce la expresión \"{of}\" al francés.")),
            ("", format!("¿Qué empresas venden herramientas para {of}?")),
            ("dibujar", format!("Dibuja un logotipo para un equipo que trabaja con {of}.")),
            ("recordar", format!("Recuérdame hablar de {of} mañana.")),
            ("", format!("¿Quién es responsable de {of} en la empresa?")),
            ("", format!("¿Por qué hay tantas quejas sobre {of}?")),
        ],
    };
    let own = main.map(|main| main.written.to_lowercase()).unwrap_or_default();
    all.into_iter().filter(|(verb, _)| verb.is_empty() || *verb != own).map(|(_, prompt)| prompt).collect()
}
