//! The heading of a skill: what is done, in English as titles are written.

use super::Language;
use super::clause::Clause;
use crate::skill::name::titled;

/// Words that a title leaves small between others.
const SMALL: &[&str] = &[
    "a", "an", "the", "and", "or", "nor", "but", "of", "to", "in", "on", "at", "by", "for", "from", "with", "into",
    "as", "per", "via", "vs",
];

/// How many words a heading has at most.
const MOST: usize = 10;

/// The task as a heading; where no verb was understood or the task is long, the words of the name.
pub(super) fn heading(clause: &Clause, chosen: &[String], task: &str, language: Language) -> String {
    // "Extract tables" says little: what stands nearest belongs to it.
    let alone = clause.object_keys.len() == 1 && clause.tail.is_empty();
    let wide = if alone { format!("{task} {}", clause.near).trim_end().to_owned() } else { task.to_owned() };
    let fits = |text: &&str| text.split(' ').count() <= MOST;
    let said =
        [wide.as_str(), task].into_iter().find(fits).filter(|_| clause.verb.is_some() || language != Language::En);
    match (said, language) {
        (Some(said), Language::En) => {
            title_case(&said.replace(" the user's ", " the ").replace(" the team's ", " the "))
        }
        (Some(_), _) if fits(&task) => first_capital(task),
        _ => title_case(&chosen.join(" ")),
    }
}

/// Every word with a capital but the small ones between others.
fn title_case(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').map(|word| word.trim_matches('`')).filter(|word| !word.is_empty()).collect();
    let last = words.len().saturating_sub(1);
    let cased = words.iter().enumerate().map(|(i, word)| match *word {
        small if i > 0 && i < last && SMALL.contains(&small) => small.to_owned(),
        // The file's name is no shout.
        "CHANGELOG" => "Changelog".to_owned(),
        word => titled(word),
    });
    cased.collect::<Vec<_>>().join(" ")
}

fn first_capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::super::understand;

    #[test]
    fn headings_are_written_as_titles_are() {
        for (sentence, heading) in [
            ("Generate API documentation from OpenAPI specs", "Generate API Documentation"),
            ("Run jest tests", "Run Jest Tests"),
            ("Draft replies to customer complaints in a polite tone", "Draft Replies to Customer Complaints"),
            ("Keep our CHANGELOG up to date from merged pull requests", "Keep the Changelog Up to Date"),
            ("deploy to kubernetes", "Deploy to Kubernetes"),
            ("Extract tables from PDF invoices into CSV", "Extract Tables from PDF Invoices"),
            ("Set up a new Rust project with CI", "Set Up a New Rust Project"),
            ("Database migration skill", "Database Migration"),
            ("Gere relatórios de vendas", "Gerar relatórios de vendas"),
        ] {
            assert_eq!(understand(sentence).title, heading, "{sentence}");
        }
    }
}
