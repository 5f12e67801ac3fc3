//! package.json: scripts, package manager, frameworks and test tools with their versions.

use serde_json::Value;

use super::effect::{Risk, purpose};
use super::formats::{code, codes, map, word};
use super::packages::{self, Packages, pairs};
use super::{Fact, Kind, Reading};

/// A lock file, its package manager, and how a script and a package's program are run.
type Manager = (&'static str, &'static str, &'static str, &'static str);

const NPM: Manager = ("package-lock.json", "npm", "npm run", "npx");
const MANAGERS: &[Manager] = &[
    ("pnpm-lock.yaml", "pnpm", "pnpm run", "pnpm exec"),
    ("yarn.lock", "yarn", "yarn", "yarn"),
    ("bun.lockb", "bun", "bun run", "bunx"),
    ("bun.lock", "bun", "bun run", "bunx"),
    NPM,
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

pub(super) fn read(file: &mut Reading<'_>) {
    let Some(package) = serde_json::from_str::<Value>(file.text).ok().filter(Value::is_object) else { return };
    let (.., run, execute) = manager(file, &package);
    let sections = ["dependencies", "devDependencies", "peerDependencies"].into_iter();
    let dependencies: Vec<(&str, &str)> = sections
        .flat_map(|section| map(&package, section))
        .filter_map(|(name, version)| Some((name.as_str(), version.as_str()?)))
        .collect();
    let has = |name: &str| dependencies.iter().any(|(known, _)| *known == name);
    let compiles = |word: &str| word == "tsc" || word == "tsx" || word.ends_with(".ts");
    let mut scripts = map(&package, "scripts").filter_map(|(_, runs)| runs.as_str());
    let compiled = scripts.any(|runs| runs.split_whitespace().any(compiles));
    let typings = dependencies.iter().any(|(name, _)| name.starts_with("@types/"));
    let typed = has("typescript") || file.has("tsconfig.json") || compiled || typings;
    let (language, id) = if typed { ("TypeScript", "lang-typescript") } else { ("JavaScript", "lang-javascript") };
    let node = package.get("engines").and_then(|all| word(all, "node"));
    let line = if node.is_some() { file.line_of(&["\"engines\"", "\"node\""]) } else { 0 };
    let node = node.map_or(String::new(), |node| format!(", Node {}", code(node)));
    file.put(line, Fact::new(Kind::Language, format!("{language}{node}")).id(id).about("node javascript"));
    for (name, version) in &dependencies {
        let text = format!("`{name}` {}", version.trim());
        let about = format!("{name} {{}}.js");
        if let Some(fact) = packages::fact(PACKAGES, &|package| package == *name, &text, &about, Some(name)) {
            file.put(file.line_of(&["ependencies\"", &format!("\"{name}\"")]), fact);
        }
    }
    for (_, program) in pairs(PROGRAMS).filter(|(package, _)| has(package)) {
        file.facts.run(program, format!("{execute} {program}"));
    }
    tasks(file, &package, run);
    jest(file, &package);
}

/// The package manager of the repository.
fn manager(file: &mut Reading<'_>, package: &Value) -> Manager {
    let field = word(package, "packageManager");
    let named = field.and_then(|field| MANAGERS.iter().find(|one| field.split('@').next() == Some(one.1)));
    let locked = MANAGERS.iter().find(|one| file.has(one.0));
    if let Some(one) = named.or(locked) {
        let (line, text) = match field.filter(|_| named.is_some()) {
            Some(field) => (file.line_of(&["\"packageManager\""]), format!("package manager {}", code(field))),
            None => (0, format!("package manager `{}`, locked in `{}`", one.1, one.0)),
        };
        file.put(line, Fact::new(Kind::PackageManager, text).id(one.1).about("install dependencies lock"));
    }
    let workspaces = package.get("workspaces").map(|all| all.get("packages").unwrap_or(all));
    let workspaces = workspaces.and_then(Value::as_array).into_iter().flatten();
    let all: Vec<&str> = workspaces.filter_map(Value::as_str).collect();
    if !all.is_empty() {
        let fact = Fact::new(Kind::PackageManager, format!("workspaces: {}", codes(&all))).id("workspaces");
        file.put(file.line_of(&["\"workspaces\""]), fact.about("workspace package monorepo"));
    }
    *named.or(locked).unwrap_or(&NPM)
}

fn tasks(file: &mut Reading<'_>, package: &Value, run: &str) {
    let has = |script: &str| package.get("scripts").and_then(|scripts| scripts.get(script)).is_some();
    for (name, runs) in map(package, "scripts") {
        let Some(runs) = runs.as_str() else { continue };
        let hook = ["pre", "post"].iter().any(|hook| name.strip_prefix(hook).is_some_and(has));
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        if hook || !plain || matches!(name.as_str(), "prepare" | "postinstall" | "preinstall" | "install") {
            continue;
        }
        let command = match (name.as_str(), run) {
            ("test" | "start", "npm run" | "pnpm run") => format!("{} {name}", run.trim_end_matches(" run")),
            _ => format!("{run} {name}"),
        };
        let fact = Fact::new(purpose(name, runs), format!("`{command}`: {}", code(runs))).about(name).about(runs);
        let risk = Risk::of_name(name).max(Risk::of_command(runs));
        file.command(file.line_of(&["\"scripts\"", &format!("\"{name}\"")]), fact.risk(risk), &command);
    }
}

/// The settings of Jest in package.json.
fn jest(file: &mut Reading<'_>, package: &Value) {
    const LONGEST: usize = 3;
    for (key, value) in map(package, "jest") {
        if !value.is_object() && value.as_array().is_none_or(|all| all.len() <= LONGEST) {
            let fact = Fact::new(Kind::TestConfig, format!("Jest `{key}: {value}`")).id(format!("jest-{key}"));
            file.put(file.line_of(&["\"jest\"", &format!("\"{key}\"")]), fact.about("jest test").about(key));
        }
    }
}
