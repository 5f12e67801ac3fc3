//! package.json: scripts, package manager, frameworks and test tools with their versions.

use serde_json::{Map, Value};

use super::lines::{code, line_of};
use super::packages::{Packages, known, other, pairs};
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

const PACKAGES: &Packages = &[
    (
        Kind::TestPlugin,
        "jest=node.jest vitest=node.vitest @playwright/test=node.playwright cypress=node.cypress mocha=node.mocha \
         supertest msw @testing-library/react=testing-library @axe-core/playwright=axe jest-axe=axe \
         @pact-foundation/pact=pact fast-check nock jest-expo size-limit",
    ),
    (
        Kind::Framework,
        "react next vue nuxt svelte @angular/core=angular astro express fastify koa @nestjs/core=nestjs prisma \
         @prisma/client=prisma typeorm drizzle-orm=drizzle knex pg=postgres zod stripe react-hook-form dataloader \
         @apollo/server=apollo tailwindcss=tailwind vite webpack turbo nx @changesets/cli=changesets \
         semantic-release react-native expo @react-navigation/native=react-navigation next-intl i18next \
         @tanstack/react-query=react-query @reduxjs/toolkit=redux mongoose=mongodb mongodb redis ioredis=redis \
         bullmq mysql2=mysql sequelize graphql socket.io kafkajs=kafka express-rate-limit pino winston electron \
         storybook puppeteer openai @anthropic-ai/sdk=anthropic firebase aws-cdk-lib=aws-cdk serverless hono \
         @sveltejs/kit=sveltekit @remix-run/react=remix three",
    ),
    (Kind::LintConfig, "eslint eslint-plugin-jsx-a11y=jsx-a11y stylelint oxlint prettier @biomejs/biome=biome"),
];

/// Programs that packages bring: `PACKAGE=PROGRAM` where the program has another name.
const PROGRAMS: &str = "jest vitest @playwright/test=playwright cypress mocha eslint prettier typescript=tsc prisma knex \
    @changesets/cli=changeset";

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
        let text = format!("`{name}` {}", version.trim());
        let fact = known(PACKAGES, |package| package == *name)
            .map(|(id, kind)| Fact::new(kind, &*text).id(id).about(name).about(&format!("{id}.js")));
        if let Some(fact) = fact.or_else(|| other(name, &text)) {
            out.put(source, line_of(source.text, &["ependencies\"", &format!("\"{name}\"")]), fact);
        }
    }
    for (_, program) in pairs(PROGRAMS).filter(|(package, _)| has(package)) {
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
