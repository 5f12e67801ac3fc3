//! Project files of .NET: the version, and important packages.

use serde_json::Value;

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Source};

/// Beginnings of package names, their fact ids and their kinds; the first match counts.
const PACKAGES: &[(&str, &str, Kind)] = &[
    ("FluentValidation", "fluentvalidation", Kind::Framework),
    ("MediatR", "mediatr", Kind::Framework),
    ("Microsoft.EntityFrameworkCore.SqlServer", "sql-server", Kind::Framework),
    ("Microsoft.EntityFrameworkCore", "entity-framework", Kind::Framework),
    ("Microsoft.Data.SqlClient", "sql-server", Kind::Framework),
    ("MassTransit", "masstransit", Kind::Framework),
    ("Polly", "polly", Kind::Framework),
    ("Serilog", "serilog", Kind::Framework),
    ("Hangfire", "hangfire", Kind::Framework),
    ("StackExchange.Redis", "redis", Kind::Framework),
    ("AspNetCore.HealthChecks", "health-checks", Kind::Framework),
    ("Dapper", "dapper", Kind::Framework),
    ("Npgsql", "postgres", Kind::Framework),
    ("Swashbuckle.AspNetCore", "swashbuckle", Kind::Framework),
    ("Microsoft.AspNetCore.OpenApi", "aspnet-openapi", Kind::Framework),
    ("Microsoft.AspNetCore.Mvc.Testing", "aspnet-testing", Kind::TestPlugin),
    ("Testcontainers", "testcontainers", Kind::TestPlugin),
    ("xunit", "xunit", Kind::TestPlugin),
    ("NUnit", "nunit", Kind::TestPlugin),
    ("MSTest", "mstest", Kind::TestPlugin),
    ("Moq", "moq", Kind::TestPlugin),
    ("NSubstitute", "nsubstitute", Kind::TestPlugin),
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
            let known = PACKAGES.iter().find(|(begin, ..)| name.starts_with(begin));
            let Some((_, id, kind)) = known.filter(|(_, id, _)| !out.has(id)) else { continue };
            let version = between(reference, "Version=\"", "\"").unwrap_or_default();
            let text = format!("{} {version}", code(name));
            let fact = Fact::new(*kind, text.trim()).id(*id).about(&name.replace('.', " "));
            // "FluentValidation" is about validation.
            out.put(source, number + 1, fact.about(name.trim_start_matches("Fluent")).about("aspnet dotnet"));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Source, read};

    #[test]
    fn a_project_says_its_version_and_its_packages() {
        let text = "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n <TargetFramework>net8.0</TargetFramework>\n <ItemGroup><PackageReference Include=\"FluentValidation\" Version=\"11.9.0\" /><PackageReference Include=\"Serilog\" Version=\"4.0.0\" /></ItemGroup>\n</Project>\n";
        let facts = read(&Source { path: "Api.csproj", text, beside: &BTreeSet::new() });
        let texts: Vec<&str> = facts.all.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts, ["C#, `net8.0`, ASP.NET Core", "`FluentValidation` 11.9.0", "`Serilog` 4.0.0"]);
    }

    #[test]
    fn what_holds_for_all_projects_is_read_too() {
        for (path, text, wanted) in [
            (
                "global.json",
                "{ \"sdk\": { \"version\": \"6.0.424\", \"rollForward\": \"latestFeature\" } }",
                &[".NET SDK `6.0.424`, `rollForward: latestFeature`"][..],
            ),
            (
                "Directory.Build.props",
                "<TargetFrameworks>net8.0;netstandard2.0</TargetFrameworks>\n<TreatWarningsAsErrors>true</TreatWarningsAsErrors>\n",
                &["C#, `net8.0`, `netstandard2.0`", "`TreatWarningsAsErrors: true`"],
            ),
            ("a/A.csproj", "<TargetFramework>$(Base)</TargetFramework>\n<Nullable>enable</Nullable>", &[]),
        ] {
            let facts = read(&Source { path, text, beside: &BTreeSet::new() });
            assert_eq!(facts.all.iter().map(|fact| fact.text.as_str()).collect::<Vec<_>>(), wanted);
            assert!(facts.all.iter().all(|fact| fact.words.contains(&"net".to_owned())));
        }
    }
}
