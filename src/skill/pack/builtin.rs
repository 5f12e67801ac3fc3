//! The packs that come with hefesto: one line for each file of `templates/domains/`.

macro_rules! packs {
    ($($id:literal),* $(,)?) => {
        /// Id and text of each built-in pack, by id.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../templates/domains/", $id, ".toml")))),*];
    };
}

packs![
    "accessibility", "alt-texts", "anonymization", "audio-transcripts", "aws-access-keys", "bash-scripts",
    "blog-posts", "cargo", "ci-workflows", "code-base", "contract-tests", "contracts", "css", "csv",
    "customer-onboarding", "data-subject-requests", "dependencies", "design-tokens", "docker", "document-translation",
    "email-addresses", "employee-onboarding", "git", "git-secrets", "github-issues", "grants", "identifiers", "images",
    "incidents", "interviews", "invoices", "jest-vitest", "job-descriptions", "job-interviews", "json-yaml", "junit",
    "kubernetes", "legal-notices", "lesson-plans", "literature-reviews", "logging-observability", "meeting-notes",
    "newsletters", "npm", "online-reviews", "openapi", "orm-queries", "pdf", "playwright", "postgres-backup",
    "postgres-queries", "presentations", "press-releases", "procedures", "proofreading", "pull-requests", "pytest",
    "python-packaging", "react", "readme", "redis", "regex", "release-mobile", "releases", "resumes", "sales-calls",
    "security-review", "social-media", "spreadsheets", "sql-migrations", "status-reports", "subtitles",
    "support-tickets", "surveys", "technical-docs", "terraform", "translation", "travel-plans", "urls", "user-stories",
    "webhooks", "word-documents",
];
