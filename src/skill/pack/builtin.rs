//! The packs that come with hefesto: one line for each file of `templates/domains/`.

macro_rules! packs {
    ($($id:literal),* $(,)?) => {
        /// Id and text of each built-in pack, by id.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../templates/domains/", $id, ".toml")))),*];
    };
}

packs![
    "aws-access-keys", "ci-workflows", "contract-tests", "csv", "email-addresses", "git", "github-issues",
    "jest-vitest", "json-yaml", "junit", "kubernetes", "npm", "pdf", "playwright", "postgres-backup",
    "postgres-queries", "pull-requests", "pytest", "regex", "releases", "sql-migrations", "urls",
];
