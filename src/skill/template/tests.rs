//! Tests with the built-in template and with hostile ones.

use super::*;
use crate::skill::sentence::read;

const TEXT: &str = "Validate email addresses using regex patterns";

fn values(text: &str) -> Values {
    let mut values = Values::new("validate-email-addresses", text, &read(text), &[], "2026-11-21");
    values.input = "Input: $ARGUMENTS (what the request names)".to_owned();
    values.instructions = "## Steps\n\n1. Split at the last `@`.".to_owned();
    values
}

fn custom(source: &str) -> Template {
    Template { name: "mine".into(), source: source.into(), version: "1".into(), origin: Origin::Project, above: 0 }
}

fn rendered(source: &str, values: &Values) -> String {
    custom(source).render(values, Arguments::Dollar).unwrap()
}

fn base(values: &Values) -> String {
    built_in("base").unwrap().render(values, Arguments::Dollar).unwrap()
}

fn front(text: &str) -> serde_yaml::Value {
    let (head, _) = front::split(text).unwrap();
    serde_yaml::from_str(head.trim_end().trim_end_matches("---")).unwrap()
}

#[test]
fn the_built_in_texts_name_nothing_unknown() {
    // Rendering relies on this.
    for language in Language::ALL {
        engine::check("base", &front::quoting(frame(language))).unwrap();
    }
}

#[test]
fn the_frontmatter_has_the_specifications_keys_and_strings_only() {
    let text = base(&values(TEXT));
    assert_eq!(text, base(&values(TEXT)), "the same values give the same bytes");
    let front = front(&text);
    let keys: Vec<_> = front.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect();
    assert_eq!(keys, ["name", "description", "license", "metadata"]);
    assert!(front["metadata"].as_mapping().unwrap().values().all(serde_yaml::Value::is_string));
    assert_eq!(front["metadata"]["tags"], "email-addresses, regex, patterns, validation");
}

#[test]
fn every_variable_has_a_value_and_a_meaning() {
    let context = values(TEXT).context(Arguments::Dollar);
    let names: Vec<String> = context.try_iter().unwrap().map(|name| name.to_string()).collect();
    let args = names.iter().filter(|name| *name != values::ARGS).collect::<Vec<_>>();
    assert_eq!(args, MEANINGS.map(|(name, _)| name));
}

#[test]
fn arguments_are_written_as_the_client_reads_them() {
    let dollar = rendered("Take {{ARGUMENTS}} or {{args}} or {{ args }}.\n", &values(TEXT));
    assert!(dollar.contains("Take $ARGUMENTS or $ARGUMENTS or $ARGUMENTS."));
    let with_body = Values { body: "Read $ARGUMENTS, keep $ARGUMENTS_FILE.".into(), ..values(TEXT) };
    let braces = built_in("base").unwrap().render(&with_body, Arguments::Braces).unwrap();
    assert!(braces.contains("Read {{args}}, keep $ARGUMENTS_FILE."));
    assert!(braces.contains("Input: {{args}}"));
    assert_eq!(adapt(&braces, Arguments::Braces), braces);
}

#[test]
fn unknown_variables_are_all_named_before_rendering() {
    let error = custom("{{ZEBRA}} {% if APPLE %}{{SKILL_NAME}}{% endif %}").check().unwrap_err();
    assert_eq!(error, TemplateError::Unknown { template: "mine".into(), names: vec!["APPLE".into(), "ZEBRA".into()] });
    let coded = Error::from(error);
    assert!(coded.message().contains("APPLE, ZEBRA") && coded.suggestion().contains("SKILL_DESCRIPTION"));
    assert_eq!(coded.code(), Code::CreateTemplate);
    assert!(custom("{% for i in range(9) %}x{% endfor %}").check().is_err());
}

#[test]
fn broken_and_blank_templates_are_errors() {
    assert!(matches!(custom("a\n{% if %}").check(), Err(TemplateError::Broken { line: Some(2), .. })));
    for blank in ["", " \n\n", "{{SKILL_BODY}}", "---\nname: x\n---\n\n"] {
        let error = custom(blank).render(&values(TEXT), Arguments::Dollar);
        assert_eq!(error, Err(TemplateError::Blank { template: "mine".into() }), "{blank:?}");
    }
}

#[test]
fn four_braces_are_two_literal_ones() {
    let text = rendered("Write {{{{EXAMPLE}}}} and {{SKILL_NAME}}\n", &values(TEXT));
    assert!(text.ends_with("Write {{EXAMPLE}} and validate-email-addresses\n"));
}

#[test]
fn user_text_is_never_read_as_template() {
    let hostile = "Explain {{SKILL_BODY}} and {% raw %} and {{{{X}}}} in \"quotes\": #1 --- {# no #}";
    let text = rendered("{{SKILL_DESCRIPTION}}\n", &values(hostile));
    assert!(text.contains("Explains {{SKILL_BODY}} and {% raw %} and {{{{X}}}} in \"quotes\": #1 --- {# no #}."));
    assert!(front(&text)["description"].as_str().unwrap().contains("in \"quotes\": #1 ---"));
}

#[test]
fn values_in_a_custom_frontmatter_are_quoted() {
    let source = "---\nname: {{SKILL_NAME}}\ndescription: \"{{SKILL_DESCRIPTION}}\"\nlicense: 'by {{AUTHOR}} it''s'\n\
                  compatibility: needs {{AUTHOR}} # {{{{X}}}}\nmetadata:\n  tags: {{ TAGS }}\n---\nBody\n";
    let mut values = values(TEXT);
    values.description = "a: \"b\"\n---\nname: evil".into();
    values.author = "O'Neil \\ \"x\"".into();
    let text = rendered(source, &values);
    let front = front(&text);
    assert_eq!(front["name"], "validate-email-addresses");
    assert_eq!(front["description"], values.description.as_str());
    assert_eq!(front["license"], "by O'Neil \\ \"x\" it's");
    assert_eq!(front["compatibility"], "needs O'Neil \\ \"x\" # {{X}}");
    assert_eq!(front["metadata"]["tags"], values.tags.join(", ").as_str());
    assert!(text.ends_with("---\n\nBody\n"));
}

#[test]
fn a_copy_for_everybody_has_no_placeholder() {
    let text = "# Title\n\nRequest: $ARGUMENTS\n\nRead {{args}} first, not $ARGUMENTS_FILE.\n";
    let plain = unprompted(text);
    assert_eq!(plain, "# Title\n\nRead the request first, not $ARGUMENTS_FILE.\n");
    assert_eq!(unprompted("Request: $ARGUMENTS (what the user asks for)\n"), "Request: what the user asks for\n");
    assert_eq!(unprompted(&plain), plain);
    for base in [base(&values(TEXT)), base(&values("Valida CPF e CNPJ em formulários de cadastro"))] {
        let plain = unprompted(&base);
        assert!(!plain.contains("$ARGUMENTS") && !plain.contains("{{args}}") && !plain.contains("\n\n\n"), "{plain}");
        assert_eq!(plain.lines().count(), base.lines().count(), "the line says in words what the request is");
    }
}

#[test]
fn a_template_without_frontmatter_gets_the_own_one_and_a_body_cannot_pass_for_it() {
    let text = rendered("# {{SKILL_TITLE}}\n", &values(TEXT));
    assert_eq!(front(&text), front(&base(&values(TEXT))));
    assert!(text.ends_with("---\n\n# Validate email addresses using regex patterns\n"));
    let hostile = Values { body: "---\nname: other\n---\nText".into(), ..values(TEXT) };
    assert_eq!(front(&rendered("{{SKILL_BODY}}\n", &hostile))["name"], "validate-email-addresses");
}

#[test]
fn own_instructions_stand_in_place_of_assembled_ones() {
    let mut own = values(TEXT);
    own.body = "# Rules\r\nFollow RFC 5322. Refuse what fails.\n```sh\n# not a heading\n```\n".into();
    own.resources = vec!["scripts/check.sh".into(), "references/rfc.md".into()];
    own.dependencies = vec!["jq".into(), "rg".into()];
    let text = base(&own);
    assert!(text.contains("\n## Rules\nFollow RFC 5322. Refuse what fails.\n```sh\n# not a heading\n```\n"), "{text}");
    assert!(text.contains("Input: $ARGUMENTS") && !text.contains("last `@`") && text.contains("Needs: jq, rg\n"));
    assert!(text.ends_with("## Files\n\n- `scripts/check.sh`: run\n- `references/rfc.md`: read\n"), "{text}");
    assert!(!text.contains("\n\n\n"));
}

#[test]
fn own_text_answers_the_gaps_of_a_template() {
    for (body, count) in [("", 1), ("Follow RFC 5322.", 0)] {
        let own = Values { body: body.into(), ..values(TEXT) };
        assert_eq!(gaps(&rendered("# X\n\n{{gap(\"Which rule?\", \"rule,rfc\")}}\n", &own)), count);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn any_text_in_any_place_keeps_the_frontmatter_whole(text in "(\\PC|[\"'{}%#:\n-]){0,80}", body in "(\\PC|[`#{}%\n]){0,80}") {
        let mut values = values(&text);
        values.body = body;
        values.author = text.clone();
        let rendered = base(&values);
        let front = front(&rendered);
        assert_eq!(front["description"].as_str(), Some(values.description.as_str()));
        assert_eq!(front["name"], "validate-email-addresses");
    }

    #[test]
    fn any_template_renders_or_says_why(source in "([A-Z{}%\n#'\"| -]|\\{\\{|\\}\\}|SKILL_NAME|---\n|a: ){0,40}") {
        let _ = custom(&source).render(&values(TEXT), Arguments::Dollar);
    }
}

#[test]
fn a_template_too_large_to_be_rendered_uses_no_name() {
    assert!(uses(&custom("{{skill_name}}"), "skill_name"));
    let tags = "{{skill_name}}".repeat(100_000);
    assert!(!uses(&custom(&tags), "skill_name"));
}
