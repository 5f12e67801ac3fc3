//! The packs that come with hefesto: one line for each file of `templates/domains/`.

macro_rules! packs {
    ($($id:literal),* $(,)?) => {
        /// Id and text of each built-in pack, by id.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../templates/domains/", $id, ".toml")))),*];
    };
}

packs![
    "ab-tests", "abstracts", "accessibility", "ads", "airflow", "alt-texts", "angular", "anonymization", "ansible",
    "api-clients", "api-reference", "api-sync", "apps-script", "aspnet", "audio-transcripts", "authorization",
    "aws-access-keys", "aws-lambda", "background-jobs", "bank-reconciliation", "bash-scripts", "benchmarks",
    "bibliography", "bigquery", "blog-posts", "brand-voice", "browser-extensions", "budgets", "bug-reports",
    "bundle-size", "business-plans", "caching", "canned-replies", "cargo", "case-studies", "cash-flow", "changesets",
    "charts", "chat-bots", "churn", "ci-workflows", "cli-design", "cloud-costs", "cloud-run", "code-base",
    "code-review", "cold-outreach", "commit-messages", "competitor-analysis", "complaint-replies", "contract-tests",
    "contracts", "cover-letters", "crm-cleaning", "css", "csv", "customer-onboarding", "cypress", "dark-mode",
    "dashboards", "data-cleaning", "data-retention", "data-subject-requests", "database-design", "dbt", "debugging",
    "decision-records", "dependencies", "deploy", "design-tokens", "diagrams", "discovery-calls", "django",
    "django-admin", "django-commands", "doc-comments", "docker", "document-translation", "email-addresses",
    "email-authentication", "embedded", "employee-onboarding", "environments", "eslint-flat-config", "estimates",
    "event-run-sheets", "exams", "executive-summaries", "exit-interviews", "fastapi", "feature-flags", "fiction",
    "figma-components", "file-organization", "file-uploads", "flaky-tests", "flask", "flutter-layout", "forecasts",
    "form-validation", "formal-letters", "framework-upgrade", "git", "git-bisect", "git-branches", "git-hooks",
    "git-secrets", "github-issues", "gitlab-ci", "go-concurrency", "go-tests", "grading-rubrics", "grants", "graphql",
    "grpc-services", "helm", "household-budget", "hr-policies", "html-emails", "i18n", "iam-policies", "identifiers",
    "image-scanning", "images", "incidents", "insurance-claims", "interview-preparation", "interviews", "invoices",
    "jenkins", "jest-vitest", "jetpack-compose", "job-descriptions", "job-interviews", "jq", "json-yaml", "junit",
    "keyword-research", "kubernetes", "landing-pages", "laravel", "latex", "leases", "legal-notices", "lesson-plans",
    "lint-warnings", "linux-servers", "literature-reviews", "llm-evals", "load-tests", "log-analysis",
    "logging-observability", "login", "machine-learning", "makefiles", "mcp-servers", "meeting-agendas",
    "meeting-notes", "menu-costing", "merge-conflicts", "mongodb", "monorepos", "month-end-close", "moving-house",
    "mysql-backup", "mysql-queries", "newsletters", "nextjs-pages", "nfe", "nginx-tls", "notebooks", "npm", "okrs",
    "online-reviews", "openapi", "orm-queries", "pandas", "paper-summaries", "parties", "patient-letters",
    "payment-reminders", "payments", "payroll", "pdf", "pdf-summaries", "peer-reviews", "performance-reviews",
    "personal-messages", "personas", "pivot-tables", "play-store", "playwright", "poems-lyrics", "postgres-backup",
    "postgres-queries", "powershell", "presentations", "press-releases", "price-quotes", "procedures",
    "product-descriptions", "product-naming", "profiling", "project-plans", "prometheus-alerts", "prompts",
    "proofreading", "property-listings", "protobuf", "pull-requests", "push-notifications", "pytest",
    "python-packaging", "python-types", "queues", "rag", "rails", "rate-limiting", "react", "react-native", "readme",
    "recipes", "recommendation-letters", "redis", "refactoring", "regex", "rejection-letters", "release-binaries",
    "release-mobile", "releases", "rest-endpoints", "resumes", "retrospectives", "rfcs", "risk-assessments",
    "rust-errors", "salary-negotiation", "sales-calls", "scheduled-jobs", "search-indices", "secret-rotation",
    "security-review", "selling-used-items", "seo", "service-contracts", "shift-rotas", "shopify", "snowflake",
    "social-media", "speeches", "spreadsheets", "spring-boot", "spring-openapi", "sql-migrations", "sql-server",
    "staff-letters", "status-reports", "stock-control", "student-feedback", "study-plans", "subscriptions",
    "subtitles", "supplier-comparison", "support-tickets", "surveys", "swiftui", "tax-returns", "team-events",
    "technical-docs", "tender-answers", "terraform", "test-plans", "thematic-analysis", "threat-models",
    "ticket-statistics", "training-plans", "translation", "travel-plans", "typescript", "unit-tests", "unity", "urls",
    "user-stories", "vba-macros", "video-scripts", "vue", "web-analytics", "web-scraping", "web-vitals", "webhooks",
    "websockets", "weekly-menus", "weekly-planning", "whatsapp-replies", "word-documents", "wordpress", "work-emails",
    "xcode-tests",
];
