//! package.json: scripts, package manager, frameworks and test tools with their versions.

use serde_json::{Map, Value};

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Risk, Source, purpose};

/// Lock files, their package managers, and how a script and a package's program are run.
const MANAGERS: &[(&str, &str, &str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm", "pnpm run", "pnpm exec"),
    ("yarn.lock", "yarn", "yarn", "yarn"),
    ("bun.lockb", "bun", "bun run", "bunx"),
    ("bun.lock", "bun", "bun run", "bunx"),
    ("package-lock.json", "npm", "npm run", "npx"),
    ("npm-shrinkwrap.json", "npm", "npm run", "npx"),
];

/// Packages, their fact ids, and their kinds.
const PACKAGES: &[(&str, &str, Kind)] = &[
    ("jest", "node.jest", Kind::TestPlugin),
    ("vitest", "node.vitest", Kind::TestPlugin),
    ("@playwright/test", "node.playwright", Kind::TestPlugin),
    ("cypress", "node.cypress", Kind::TestPlugin),
    ("mocha", "node.mocha", Kind::TestPlugin),
    ("supertest", "supertest", Kind::TestPlugin),
    ("msw", "msw", Kind::TestPlugin),
    ("@testing-library/react", "testing-library", Kind::TestPlugin),
    ("@axe-core/playwright", "axe", Kind::TestPlugin),
    ("jest-axe", "axe", Kind::TestPlugin),
    ("@pact-foundation/pact", "pact", Kind::TestPlugin),
    ("fast-check", "fast-check", Kind::TestPlugin),
    ("nock", "nock", Kind::TestPlugin),
    ("jest-expo", "jest-expo", Kind::TestPlugin),
    ("size-limit", "size-limit", Kind::TestPlugin),
    ("react", "react", Kind::Framework),
    ("next", "next", Kind::Framework),
    ("vue", "vue", Kind::Framework),
    ("nuxt", "nuxt", Kind::Framework),
    ("svelte", "svelte", Kind::Framework),
    ("@angular/core", "angular", Kind::Framework),
    ("astro", "astro", Kind::Framework),
    ("express", "express", Kind::Framework),
    ("fastify", "fastify", Kind::Framework),
    ("koa", "koa", Kind::Framework),
    ("@nestjs/core", "nestjs", Kind::Framework),
    ("prisma", "prisma", Kind::Framework),
    ("@prisma/client", "prisma", Kind::Framework),
    ("typeorm", "typeorm", Kind::Framework),
    ("drizzle-orm", "drizzle", Kind::Framework),
    ("knex", "knex", Kind::Framework),
    ("pg", "postgres", Kind::Framework),
    ("zod", "zod", Kind::Framework),
    ("stripe", "stripe", Kind::Framework),
    ("react-hook-form", "react-hook-form", Kind::Framework),
    ("dataloader", "dataloader", Kind::Framework),
    ("@apollo/server", "apollo", Kind::Framework),
    ("tailwindcss", "tailwind", Kind::Framework),
    ("vite", "vite", Kind::Framework),
    ("webpack", "webpack", Kind::Framework),
    ("turbo", "turbo", Kind::Framework),
    ("nx", "nx", Kind::Framework),
    ("@changesets/cli", "changesets", Kind::Framework),
    ("semantic-release", "semantic-release", Kind::Framework),
    ("react-native", "react-native", Kind::Framework),
    ("expo", "expo", Kind::Framework),
    ("@react-navigation/native", "react-navigation", Kind::Framework),
    ("next-intl", "next-intl", Kind::Framework),
    ("i18next", "i18next", Kind::Framework),
    ("@tanstack/react-query", "react-query", Kind::Framework),
    ("@reduxjs/toolkit", "redux", Kind::Framework),
    ("mongoose", "mongodb", Kind::Framework),
    ("mongodb", "mongodb", Kind::Framework),
    ("redis", "redis", Kind::Framework),
    ("ioredis", "redis", Kind::Framework),
    ("bullmq", "bullmq", Kind::Framework),
    ("mysql2", "mysql", Kind::Framework),
    ("sequelize", "sequelize", Kind::Framework),
    ("graphql", "graphql", Kind::Framework),
    ("socket.io", "socket.io", Kind::Framework),
    ("kafkajs", "kafka", Kind::Framework),
    ("express-rate-limit", "express-rate-limit", Kind::Framework),
    ("pino", "pino", Kind::Framework),
    ("winston", "winston", Kind::Framework),
    ("electron", "electron", Kind::Framework),
    ("storybook", "storybook", Kind::Framework),
    ("puppeteer", "puppeteer", Kind::Framework),
    ("openai", "openai", Kind::Framework),
    ("@anthropic-ai/sdk", "anthropic", Kind::Framework),
    ("firebase", "firebase", Kind::Framework),
    ("aws-cdk-lib", "aws-cdk", Kind::Framework),
    ("serverless", "serverless", Kind::Framework),
    ("hono", "hono", Kind::Framework),
    ("@sveltejs/kit", "sveltekit", Kind::Framework),
    ("@remix-run/react", "remix", Kind::Framework),
    ("three", "three", Kind::Framework),
    ("eslint", "eslint", Kind::LintConfig),
    ("eslint-plugin-jsx-a11y", "jsx-a11y", Kind::LintConfig),
    ("stylelint", "stylelint", Kind::LintConfig),
    ("oxlint", "oxlint", Kind::LintConfig),
    ("prettier", "prettier", Kind::LintConfig),
    ("@biomejs/biome", "biome", Kind::LintConfig),
];

/// Programs that packages bring.
const PROGRAMS: &[(&str, &str)] = &[
    ("jest", "jest"),
    ("vitest", "vitest"),
    ("@playwright/test", "playwright"),
    ("cypress", "cypress"),
    ("mocha", "mocha"),
    ("eslint", "eslint"),
    ("prettier", "prettier"),
    ("typescript", "tsc"),
    ("prisma", "prisma"),
    ("knex", "knex"),
    ("@changesets/cli", "changeset"),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Ok(Value::Object(package)) = serde_json::from_str(source.text) else { return };
    let manager = manager(source, &package, out);
    let dependencies: Vec<(&str, &str)> = ["dependencies", "devDependencies", "peerDependencies"]
        .into_iter()
        .filter_map(|key| package.get(key)?.as_object())
        .flatten()
        .filter_map(|(name, version)| Some((name.as_str(), version.as_str()?)))
        .collect();
    let has = |name: &str| dependencies.iter().any(|(known, _)| *known == name);
    let all = package.get("scripts").and_then(Value::as_object);
    let compiled = all
        .into_iter()
        .flatten()
        .filter_map(|(_, runs)| runs.as_str())
        .any(|runs| runs.split_whitespace().any(|word| word == "tsc" || word == "tsx" || word.ends_with(".ts")));
    let typings = dependencies.iter().any(|(name, _)| name.starts_with("@types/"));
    let typed = has("typescript") || source.has("tsconfig.json") || compiled || typings;
    let (language, id) = if typed { ("TypeScript", "lang-typescript") } else { ("JavaScript", "lang-javascript") };
    let node = package.get("engines").and_then(|all| all.get("node")).and_then(Value::as_str);
    let node = node.map_or(String::new(), |node| format!(", Node {}", code(node)));
    let line = if node.is_empty() { 0 } else { line_of(source.text, &["\"engines\"", "\"node\""]) };
    out.put(source, line, Fact::new(Kind::Language, format!("{language}{node}")).id(id).about("node javascript"));
    for (name, version) in &dependencies {
        let Some((_, id, kind)) = PACKAGES.iter().find(|(known, ..)| known == name) else { continue };
        let quoted = format!("\"{name}\"");
        let line = line_of(source.text, &["ependencies\"", &quoted]);
        let fact =
            Fact::new(*kind, format!("`{name}` {}", version.trim())).id(*id).about(name).about(&format!("{id}.js"));
        out.put(source, line, fact);
    }
    for (_, program) in PROGRAMS.iter().filter(|(package, _)| has(package)) {
        out.run(program, format!("{} {program}", manager.3));
    }
    scripts(source, &package, manager.2, out);
    jest(source, &package, out);
}

/// The package manager of the repository.
fn manager(
    source: &Source<'_>,
    package: &Map<String, Value>,
    out: &mut Facts,
) -> &'static (&'static str, &'static str, &'static str, &'static str) {
    let field = package.get("packageManager").and_then(Value::as_str);
    let named = field.and_then(|field| MANAGERS.iter().find(|one| field.split('@').next() == Some(one.1)));
    let locked = MANAGERS.iter().find(|one| source.has(one.0));
    let npm = &MANAGERS[4];
    if let Some(one) = named.or(locked) {
        let (line, text) = match (named, field) {
            (Some(_), Some(field)) => {
                (line_of(source.text, &["\"packageManager\""]), format!("package manager {}", code(field)))
            }
            _ => (0, format!("package manager `{}`, locked in `{}`", one.1, one.0)),
        };
        out.put(source, line, Fact::new(Kind::PackageManager, text).id(one.1).about("install dependencies lock"));
    }
    let workspaces = package.get("workspaces").map(|all| all.get("packages").unwrap_or(all));
    let all: Vec<String> =
        workspaces.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(code).collect();
    if !all.is_empty() {
        let fact = Fact::new(Kind::PackageManager, format!("workspaces: {}", all.join(", "))).id("workspaces");
        out.put(source, line_of(source.text, &["\"workspaces\""]), fact.about("workspace package monorepo"));
    }
    named.or(locked).unwrap_or(npm)
}

fn scripts(source: &Source<'_>, package: &Map<String, Value>, run: &str, out: &mut Facts) {
    let Some(scripts) = package.get("scripts").and_then(Value::as_object) else { return };
    for (name, runs) in scripts {
        let Some(runs) = runs.as_str() else { continue };
        let hook =
            ["pre", "post"].iter().any(|hook| name.strip_prefix(hook).is_some_and(|of| scripts.contains_key(of)));
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        if hook || !plain || matches!(name.as_str(), "prepare" | "postinstall" | "preinstall" | "install") {
            continue;
        }
        let command = match (name.as_str(), run) {
            ("test" | "start", "npm run" | "pnpm run") => format!("{} {name}", run.trim_end_matches(" run")),
            _ => format!("{run} {name}"),
        };
        let line = line_of(source.text, &["\"scripts\"", &format!("\"{name}\"")]);
        let fact = Fact::new(purpose::of(name, runs), format!("`{command}`: {}", code(runs))).about(name).about(runs);
        let risk = Risk::of_name(name).max(Risk::of_command(runs));
        out.command(source, line, fact.risk(risk), &command);
    }
}

/// The settings of Jest in package.json.
fn jest(source: &Source<'_>, package: &Map<String, Value>, out: &mut Facts) {
    for (key, value) in package.get("jest").and_then(Value::as_object).into_iter().flatten() {
        if value.is_object() || value.is_array() && value.as_array().is_some_and(|all| all.len() > 3) {
            continue;
        }
        let line = line_of(source.text, &["\"jest\"", &format!("\"{key}\"")]);
        let fact = Fact::new(Kind::TestConfig, format!("Jest `{key}: {value}`")).id(format!("jest-{key}"));
        out.put(source, line, fact.about("jest test").about(key));
    }
}
