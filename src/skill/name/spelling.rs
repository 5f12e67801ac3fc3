//! The proper spelling of names of products and languages.

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
