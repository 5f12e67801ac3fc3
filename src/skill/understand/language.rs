//! Which of three languages a description is written in.

use serde::Serialize;

use super::verbs;
use super::words::Word;

/// The languages that descriptions are understood in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English; also whatever is none of the other two.
    En,
    Pt,
    Es,
}

impl Language {
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Pt => "pt",
            Self::Es => "es",
        }
    }
}

const ENGLISH: &[&str] = &[
    "the", "and", "of", "for", "to", "with", "using", "from", "in", "into", "that", "when", "on", "or", "is", "are",
    "this", "by",
];
const PORTUGUESE: &[&str] = &[
    "e", "o", "os", "as", "um", "uma", "da", "do", "das", "dos", "em", "na", "nos", "nas", "com", "para", "de", "que",
    "ao", "pelo", "pela", "seguindo", "usando", "boas", "nao", "ou", "conforme", "arquivos", "testes", "dados",
    "codigo", "usuarios", "por", "meu", "minha", "meus", "minhas", "vendas", "relatorios", "planilhas", "imagens",
    "reunioes", "aulas", "receitas", "funcionarios", "precos", "aluguel", "locacao",
];
const SPANISH: &[&str] = &[
    "y", "el", "la", "los", "las", "un", "una", "del", "al", "en", "con", "para", "de", "que", "siguiendo", "usando",
    "buenas", "segun", "o", "archivos", "pruebas", "datos", "codigo", "usuarios", "correos", "por", "mediante",
    "paginas", "mi", "mis", "ventas", "facturas", "informes", "alquiler", "imagenes", "reuniones", "clases", "recetas",
    "empleados", "precios",
];

/// Small words of neighbours that share letters with the two: French, Italian, German.
const NEITHER: &[&str] =
    &["les", "des", "une", "du", "et", "pour", "avec", "dans", "il", "della", "gli", "und", "der", "die", "mit", "von"];

/// Counts the words that only one language uses, its letters and its verbs; a tie goes to English, then Portuguese.
pub(super) fn language(text: &str, found: &[Word]) -> Language {
    let count = |list: &[&str]| found.iter().filter(|word| word.is_any(list)).count();
    let letters = |set: &[char]| usize::from(text.chars().any(|c| set.contains(&c)));
    let commands = || found.first().and_then(|word| verbs::command(word.key()));
    let verb = commands().or_else(|| found.iter().take(6).find_map(|word| verbs::romance(word.key())));
    // "resume" is a word of all three.
    let weight = if found.first().is_some_and(|word| word.is_any(&["resume"])) { 1 } else { 2 };
    let spoken = |code: &str| verb.as_ref().map_or(0, |verb| if verb.languages.contains(code) { weight } else { 0 });
    let english =
        count(ENGLISH) + if found.first().is_some_and(|word| verbs::english(word.key()).is_some()) { 2 } else { 0 };
    let ending = |ends: &[&str]| found.iter().filter(|word| ends.iter().any(|end| word.text.ends_with(end))).count();
    let portuguese = count(PORTUGUESE)
        + ending(&["ção", "ções", "ário", "ários", "ório", "órios"])
        + 2 * letters(&['ã', 'õ', 'ç', 'ê', 'ô', 'â', 'à'])
        + spoken("pt");
    let spanish = count(SPANISH)
        + ending(&["ción", "ciones", "ía", "ías", "ículos", "ículo"])
        + 2 * letters(&['ñ', '¿', '¡'])
        + letters(&['ó'])
        + spoken("es");
    let best = portuguese.max(spanish);
    let known = count(PORTUGUESE).max(count(SPANISH)) + spoken("pt").max(spoken("es"));
    if count(NEITHER) > known || best < 2 || best <= english {
        Language::En
    } else if spanish > portuguese {
        Language::Es
    } else {
        Language::Pt
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn three_languages_are_told_apart() {
        for (text, expected) in [
            ("Validate email addresses using regex patterns", Language::En),
            ("Kotlin 1.x e 2.x fundamentals", Language::En),
            ("Padroniza code reviews seguindo boas práticas", Language::Pt),
            ("Uma skill para padronizar commits seguindo conventional commits", Language::Pt),
            ("Validar correos electrónicos con expresiones regulares", Language::Es),
            ("Genera documentación de la API", Language::Es),
            ("Gera documentação da API", Language::Pt),
            ("日本語", Language::En),
            ("Gere relatórios", Language::Pt),
            ("Revisa contratos de alquiler", Language::Es),
            ("Organize meus recibos por mês", Language::Pt),
            ("Revise contracts of lease", Language::En),
            ("Optimiser les requêtes SQL", Language::En),
        ] {
            assert_eq!(language(text, &words(text)), expected, "{text}");
        }
    }
}
