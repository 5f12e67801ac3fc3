//! Working on a template that a stranger may have written: on a stack of its own, and no longer than a template may
//! take.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::client::target::Arguments;
use crate::skill::template::{Origin, Template, TemplateError, Values};

/// Enough for the longest tag and for the most tags that a template may have.
const STACK: usize = 64 << 20;
/// How long a template may take.
const TIME: Duration = Duration::from_millis(800);

/// [`Template::render`] within these limits; the program's own templates need none.
/// Errors: those of [`Template::render`], and [`TemplateError::Broken`] when it takes too long.
pub fn render(template: &Template, values: &Values, arguments: Arguments) -> Result<String, TemplateError> {
    if template.origin == Origin::BuiltIn {
        return template.render(values, arguments);
    }
    let (own, values) = (template.clone(), values.clone());
    within(&template.name, move || own.render(&values, arguments))?
}

/// Does something with a template within these limits.
/// Errors: [`TemplateError::Broken`] when it takes too long.
pub fn within<T: Send + 'static>(
    template: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TemplateError> {
    let broken =
        |why: &str| TemplateError::Broken { template: template.to_owned(), line: None, message: why.to_owned() };
    let (sender, receiver) = mpsc::channel();
    let done = move || {
        let _too_late = sender.send(work());
    };
    thread::Builder::new().stack_size(STACK).spawn(done).map_err(|_| broken("no thread can be started for it"))?;
    receiver.recv_timeout(TIME).map_err(|_| broken("it takes too long"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::sentence::read;

    #[test]
    fn a_template_that_costs_without_end_is_refused_in_no_time() {
        let text = "Validate email addresses";
        let values = Values::new("validate-emails", text, &read(text), &[], "2026-11-21");
        let loops = |depth: usize, inside: &str| {
            let open: String = (0..depth).map(|n| format!("{{% for x{n} in TAGS %}}")).collect();
            format!("{open}{inside}{}", "{% endfor %}".repeat(depth))
        };
        let doubled = |begin: &str, step: &str| format!("{begin}{}{{{{ x }}}}", step.repeat(60));
        for source in [
            format!("{{{{ {}1 }}}}", "-".repeat(50_000)),
            format!("{{{{ {}1 }}}}", "-".repeat(1_900)),
            format!("{{{{ {}1{} }}}}", "(".repeat(900), ")".repeat(900)),
            format!("{{{{ 1{} }}}}", "|string".repeat(280)),
            format!("{{% if NAME %}}{}{{% endif %}}", "{% elif NAME %}".repeat(1_990)),
            "{% if SKILL_NAME %}".repeat(1_990),
            "{{ SKILL_NAME|indent(1000000000) }}".into(),
            "{{ 'x' * 100000000 }}".into(),
            "{{ '%100000000s'|format(SKILL_NAME) }}".into(),
            "{{ [1]|batch(1000000000, 'x') }}".into(),
            loops(9, "x{{ SKILL_NAME }}"),
            format!("{{% set y %}}{}{{% endset %}}", loops(9, &"x".repeat(50_000))),
            doubled("{% set x = SKILL_NAME %}", "{% set x = x ~ x %}"),
            doubled("{% set x = SKILL_NAME %}", "{% set x %}{{ x }}{{ x }}{% endset %}"),
            doubled("{% set x = [SKILL_NAME] %}", "{% set x = [x, x] %}"),
            doubled("{% set x = SKILL_NAME %}", "{% set x = x|replace('', x) %}"),
            format!("{{% set x = '\\\\\\\\' %}}{}{{{{ x }}}}", "{% set x = x|yaml|yaml|yaml %}".repeat(20)),
            format!(
                "{}{{% if x == y %}}{{% endif %}}",
                doubled("{% set x = [1] %}{% set y = [1] %}", "{% set x = [x, x] %}{% set y = [y, y] %}")
            ),
        ] {
            let begin = std::time::Instant::now();
            let (name, version) = ("mine".to_owned(), "1".to_owned());
            let template = Template { name, source: source.clone(), version, origin: Origin::Project, above: 0 };
            let outcome = render(&template, &values, Arguments::Dollar);
            let start: String = source.chars().take(60).collect();
            let harmless =
                ["{{ 1|string", "{{ ----", "{% if NAME %}{% elif"].iter().any(|begin| start.starts_with(begin));
            assert!(outcome.is_err() || harmless, "{start}");
            assert!(begin.elapsed() < Duration::from_secs(30), "{start}: {:?}", begin.elapsed());
        }
    }
}
