//! Project files of .NET: the version, and important packages.

use serde_json::Value;

use super::lines::{code, line_of};
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Source};

/// Beginnings of package names; the first match counts.
const PACKAGES: &Packages = &[
    (
        Kind::Framework,
        "FluentValidation=fluentvalidation MediatR=mediatr Microsoft.EntityFrameworkCore.SqlServer=sql-server \
         Microsoft.EntityFrameworkCore=entity-framework Microsoft.Data.SqlClient=sql-server \
         MassTransit=masstransit Polly=polly Serilog=serilog Hangfire=hangfire StackExchange.Redis=redis \
         AspNetCore.HealthChecks=health-checks Dapper=dapper Npgsql=postgres Swashbuckle.AspNetCore=swashbuckle \
         Microsoft.AspNetCore.OpenApi=aspnet-openapi",
    ),
    (
        Kind::TestPlugin,
        "Microsoft.AspNetCore.Mvc.Testing=aspnet-testing Testcontainers=testcontainers xunit NUnit=nunit \
         MSTest=mstest Moq=moq NSubstitute=nsubstitute",
    ),
];

/// Settings of all projects below a Directory.Build.props.
const SETTINGS: &[&str] = &["LangVersion", "Nullable", "TreatWarningsAsErrors", "AnalysisLevel", "ImplicitUsings"];

/// Words about any project of .NET; the name of the platform is one word of a text.
const ABOUT: &str = "csharp dotnet net aspnet";

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let of_all = source.path.to_ascii_lowercase().ends_with("directory.build.props");
    for (number, line) in source.text.lines().enumerate() {
        let versions = between(line, "<TargetFramework>", "<").or_else(|| between(line, "<TargetFrameworks>", "<"));
        if let Some(versions) = versions.filter(|versions| !versions.contains('$')) {
            let web = source.text.contains("Microsoft.NET.Sdk.Web");
            let kind = if web { ", ASP.NET Core" } else { "" };
            let all: Vec<String> = versions.split(';').map(code).collect();
            let fact = Fact::new(Kind::Language, format!("C#, {}{kind}", all.join(", "))).id("lang-csharp");
            out.put(source, number + 1, fact.about(ABOUT).about("target framework version"));
        }
        for key in SETTINGS.iter().filter(|_| of_all) {
            if let Some(value) = between(line, &format!("<{key}>"), "<") {
                let fact = Fact::new(Kind::LintConfig, code(&format!("{key}: {value}"))).id(format!("dotnet-{key}"));
                out.put(source, number + 1, fact.about(ABOUT).about("style warnings").about(key));
            }
        }
        // A line may hold several.
        for reference in line.split("<Package").skip(1) {
            let Some(name) = between(reference, "Include=\"", "\"") else { continue };
            let version = between(reference, "Version=\"", "\"").unwrap_or_default();
            let text = format!("{} {version}", code(name));
            let fact = match known(PACKAGES, |begin| name.starts_with(begin)) {
                Some((id, _)) if out.has(id) => continue,
                Some((id, kind)) => {
                    let fact = Fact::new(kind, text.trim()).id(id).about(&name.replace('.', " "));
                    // "FluentValidation" is about validation.
                    Some(fact.about(name.trim_start_matches("Fluent")).about("aspnet dotnet"))
                }
                None => other(name, &text),
            };
            if let Some(fact) = fact {
                out.put(source, number + 1, fact);
            }
        }
    }
}

/// global.json: the SDK that every command uses.
pub(super) fn sdk(source: &Source<'_>, out: &mut Facts) {
    let Ok(root) = serde_json::from_str::<Value>(source.text) else { return };
    let of = |key: &str| root.get("sdk").and_then(|sdk| sdk.get(key)).and_then(Value::as_str);
    let Some(version) = of("version") else { return };
    let forward =
        of("rollForward").map_or(String::new(), |policy| format!(", {}", code(&format!("rollForward: {policy}"))));
    let fact = Fact::new(Kind::Framework, format!(".NET SDK {}{forward}", code(version))).id("dotnet-sdk");
    out.put(source, line_of(source.text, &["\"sdk\"", "\"version\""]), fact.about(ABOUT).about("sdk version"));
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    text.split_once(begin)?.1.split_once(end).map(|(inner, _)| inner)
}
