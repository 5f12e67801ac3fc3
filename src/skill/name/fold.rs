//! From any script to ASCII words: transliteration, compound words, capital letters in titles; the proper spelling of names
//! of products and languages.

use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization;

/// Single words written with a capital inside.
const COMPOUNDS: &[&str] = &[
    "BigQuery", "BitBucket", "CloudFormation", "CloudFront", "CloudWatch", "CoffeeScript", "DevOps", "DevSecOps",
    "DynamoDB", "FastAPI", "GitHub", "GitLab", "GitOps", "GraphQL", "JavaScript", "JetBrains", "LaTeX", "LinkedIn",
    "MariaDB", "MongoDB", "MySQL", "NoSQL", "NumPy", "OAuth", "OpenAI", "OpenAPI", "PostgreSQL", "PowerPoint",
    "PowerShell", "PyTorch", "RabbitMQ", "SciPy", "SQLite", "SwiftUI", "TypeScript", "WebAssembly", "WebSocket",
    "WebSockets", "WordPress", "YouTube",
];

/// Words that a title writes in capitals.
const ACRONYMS: &[&str] = &[
    "ai", "api", "apis", "aws", "ci", "cd", "cli", "css", "csv", "cpu", "dns", "gcp", "gdpr", "gpu", "html", "http",
    "https", "id", "ide", "ip", "json", "jwt", "llm", "mcp", "orm", "pdf", "php", "pr", "prs", "qa", "rest", "rfc",
    "sdk", "seo", "sla", "sql", "ssh", "ssl", "svg", "tls", "ui", "uri", "url", "urls", "ux", "xml", "xss", "yaml",
];

/// Spells Latin, Greek and Cyrillic letters in ASCII, keeping their case.
///
/// Every other character outside ASCII becomes a space; combining marks and apostrophes leave nothing.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return if text.contains('\'') { text.replace('\'', "") } else { text.to_owned() };
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfkc() {
        match c {
            '\'' | '\u{2018}' | '\u{2019}' | '\u{02bc}' | '\u{0300}'..='\u{036f}' | '\u{00ad}' => {}
            c if c.is_ascii() => out.push(c),
            c if is_spelled(c) => out.push_str(deunicode_char(c).unwrap_or(" ")),
            _ => out.push(' '),
        }
    }
    out
}

/// Whether this is a letter of the scripts that have a customary Latin spelling.
fn is_spelled(c: char) -> bool {
    c.is_alphabetic()
        && matches!(c, '\u{00aa}'..='\u{024f}' | '\u{0370}'..='\u{052f}' | '\u{1e00}'..='\u{1fff}' | '\u{a640}'..='\u{a69f}')
}

/// Splits an ASCII word at capitals, and lowercases: `HTMLParser` gives `html`, `parser`.
pub(super) fn humps(word: &str) -> Vec<String> {
    let compound = COMPOUNDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let bytes = word.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
    let mut words = Vec::new();
    let mut start = 0;
    for i in 1..bytes.len() {
        let plural = at(i + 1) == b's' && !at(i + 2).is_ascii_lowercase();
        let after_small = at(i - 1).is_ascii_digit() || (at(i - 1).is_ascii_lowercase() && i - start >= 2);
        let ends_capitals = at(i - 1).is_ascii_uppercase() && at(i + 1).is_ascii_lowercase() && !plural;
        if !compound && at(i).is_ascii_uppercase() && (after_small || ends_capitals) {
            words.push(word.get(start..i).unwrap_or_default().to_ascii_lowercase());
            start = i;
        }
    }
    words.push(word.get(start..).unwrap_or_default().to_ascii_lowercase());
    words
}

/// One word in title case.
pub(crate) fn titled(word: &str) -> String {
    if ACRONYMS.contains(&word) {
        return word.to_uppercase();
    }
    let lower = word.bytes().all(|b| b.is_ascii_lowercase());
    if let Some(known) = COMPOUNDS.iter().find(|known| known.eq_ignore_ascii_case(word)) {
        return (*known).to_owned();
    }
    if let Some(known) = spelled(word).filter(|_| lower) {
        return known.to_owned();
    }
    let version = word.strip_prefix('v').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    let mut chars = word.chars();
    match chars.next() {
        Some(first) if !version => first.to_uppercase().chain(chars).collect(),
        _ => word.to_owned(),
    }
}

/// Names without another meaning in lowercase, in their proper spelling.
const NAMES: &[&str] = &[
    "Airtable", "Ansible", "Apache", "ArgoCD", "Azure", "BigQuery", "BitBucket", "Celery", "CircleCI", "Cloudflare",
    "CloudFormation", "CloudFront", "CloudWatch", "COBOL", "CoffeeScript", "Confluence", "CSV", "Databricks",
    "Datadog", "Debian", "DevOps", "Discord", "Django", "Docker", "Dockerfile", "DynamoDB", "Elasticsearch", "ESLint",
    "FastAPI", "Figma", "Firebase", "GitHub", "GitLab", "Gmail", "Grafana", "GraphQL", "HTML", "HubSpot", "InDesign",
    "Instagram", "Java", "JavaScript", "JetBrains", "Jira", "JSON", "Jupyter", "Kafka", "Keycloak", "Kotlin",
    "Kubernetes", "Laravel", "LaTeX", "LinkedIn", "Linux", "Magento", "Mailchimp", "MariaDB", "Markdown", "MongoDB",
    "MySQL", "Netlify", "NoSQL", "NumPy", "OAuth", "OpenAI", "OpenAPI", "PDF", "PHP", "Photoshop", "PostgreSQL",
    "PowerPoint", "PowerShell", "Prometheus", "PyTorch", "Python", "QuickBooks", "RabbitMQ", "Redis", "Salesforce",
    "SciPy", "Shopify", "Snowflake", "SolidJS", "SQL", "SQLite", "SVG", "SwiftUI", "Tableau", "TensorFlow",
    "Terraform", "TikTok", "Trello", "TypeScript", "Ubuntu", "Vercel", "WebAssembly", "WebSocket", "WebSockets",
    "WhatsApp", "WordPress", "XML", "YAML", "YouTube", "Zendesk", "AWS", "GCP",
];

/// The proper spelling of a lowercase word; `None` if it is no known name.
pub(crate) fn spelled(word: &str) -> Option<&'static str> {
    let begins = word.bytes().next()?;
    let one = |name: &&&str| name.as_bytes().first().is_some_and(|b| b.eq_ignore_ascii_case(&begins));
    NAMES.iter().filter(one).find(|name| name.eq_ignore_ascii_case(word)).copied()
}

/// A line with names in their proper spelling; paths, URLs and code spans are unchanged.
pub(crate) fn names_spelled(line: &str) -> String {
    let mut code = false;
    let spelled = line.split(' ').map(|token| {
        let ticks = token.matches('`').count();
        let inside = code || ticks > 0;
        code ^= ticks % 2 == 1;
        let bare = token.trim_matches(['(', ')', ',', '.', ';', ':', '!', '?', '"']);
        let plain = !inside && !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_lowercase());
        match spelled(bare).filter(|_| plain) {
            Some(name) => token.replacen(bare, name, 1),
            None => token.to_owned(),
        }
    });
    spelled.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_their_makers_do() {
        assert_eq!(names_spelled("deploy to kubernetes, then github."), "deploy to Kubernetes, then GitHub.");
        assert_eq!(names_spelled("run `python x.py` in ./docker with word"), "run `python x.py` in ./docker with word");
        assert_eq!((spelled("postgresql"), spelled("rust")), (Some("PostgreSQL"), None));
    }
}
