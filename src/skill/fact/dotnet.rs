//! Project files of .NET: the version, and important packages.

use super::lines::code;
use super::{Fact, Facts, Kind, Source};

/// Beginnings of package names, their fact ids and their kinds; the first match counts.
const PACKAGES: &[(&str, &str, Kind)] = &[
    ("FluentValidation", "fluentvalidation", Kind::Framework),
    ("MediatR", "mediatr", Kind::Framework),
    ("Microsoft.EntityFrameworkCore", "entity-framework", Kind::Framework),
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

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        if let Some(version) = between(line, "<TargetFramework>", "<") {
            let web = source.text.contains("Microsoft.NET.Sdk.Web");
            let kind = if web { ", ASP.NET Core" } else { "" };
            let fact = Fact::new(Kind::Language, format!("C#, {}{kind}", code(version))).id("lang-csharp");
            out.put(source, number + 1, fact.about("csharp dotnet aspnet"));
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
        assert_eq!(texts, ["C#, `net8.0`, ASP.NET Core", "`FluentValidation` 11.9.0"]);
    }
}
