//! The template language: values, conditions and loops, without access to the outside, and bounded.

use std::sync::atomic::{AtomicUsize, Ordering};

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};

use super::values::ARGS;
use super::{MEANINGS, TemplateError, gap, limits};
use crate::skill::sentence::begun;
use crate::skill::yaml;

/// Functions a template may call.
const FUNCTIONS: &[&str] = &["gap"];

fn environment(own: String) -> Result<Environment<'static>, Error> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_syntax(SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build()?);
    env.set_recursion_limit(50);
    for global in ["range", "dict", "namespace", "debug", "cycler", "joiner", "lipsum"] {
        env.remove_global(global);
    }
    // Filters that pad a text to a width given by the template.
    for filter in ["batch", "slice", "format", "indent", "pprint", "zip", "chain", "groupby"] {
        env.remove_filter(filter);
    }
    env.add_filter("join", |value: &Value, between: Option<&str>| limits::join(value, between.unwrap_or_default()));
    env.add_filter("replace", |text: &str, from: &str, to: &str| limits::replace(text, from, to));
    env.add_filter("yaml", |value: &Value| limited(yaml::quoted(&joined(value)?)));
    env.add_filter("yaml_part", |value: &Value| limited(yaml::escaped(&joined(value)?)));
    env.add_filter("begin", |text: &str| begun(text));
    env.add_function("gap", move |question: &str, subjects: &str| gap::gap(question, subjects, &own));
    let written = AtomicUsize::new(0);
    env.set_formatter(move |out, _, value| {
        let text = joined(value)?;
        // `set` writes too, so this bounds what a template can accumulate.
        if written.fetch_add(text.len(), Ordering::Relaxed) > 4 * limits::MAX_TEXT {
            return Err(limits::too_large());
        }
        out.write_str(&text).map_err(Error::from)
    });
    Ok(env)
}

/// A value as text; lists are joined by commas.
fn joined(value: &Value) -> Result<String, Error> {
    limits::join(value, ", ")
}

/// A text, if it is not too large.
fn limited(text: String) -> Result<String, Error> {
    if text.len() > limits::MAX_TEXT { Err(limits::too_large()) } else { Ok(text) }
}

/// `{{{{NAME}}}}` becomes an expression for the literal `{{NAME}}`.
fn literals(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, from)) = rest.split_once("{{{{") {
        out.push_str(before);
        match from.split_once("}}}}") {
            Some((name, after)) if !name.contains(['{', '}', '\'', '\n', '\\']) => {
                out.push_str(&format!("{{{{'{{{{{name}}}}}'}}}}"));
                rest = after;
            }
            _ => {
                out.push_str("{{'{{{{'}}");
                rest = from;
            }
        }
    }
    out.push_str(rest);
    out
}

fn broken(template: &str, error: &Error) -> TemplateError {
    let kind = error.kind().to_string();
    let message = error.detail().map_or_else(|| kind.clone(), |detail| format!("{kind}: {detail}"));
    TemplateError::Broken { template: template.to_owned(), line: error.line(), message }
}

/// Parses the template and finds every unknown name.
pub(super) fn check(template: &str, source: &str) -> Result<(), TemplateError> {
    examine(template, source).map_err(|(error, _)| error)
}

/// [`check`], with the byte offset of a syntax error in the source.
pub(super) fn examine(template: &str, source: &str) -> Result<(), (TemplateError, Option<usize>)> {
    limits::check(source).map_err(|(at, message)| {
        let line = Some(source.get(..at).unwrap_or_default().matches('\n').count() + 1);
        (TemplateError::Broken { template: template.to_owned(), line, message }, Some(at))
    })?;
    let written = literals(source);
    let mut env = environment(String::new()).map_err(|error| (broken(template, &error), None))?;
    env.set_debug(true);
    let parsed = env.template_from_named_str(template, &written).map_err(|error| {
        let at = error.range().map(|range| origin(source, range.start));
        (broken(template, &error), at)
    })?;
    let variable = |name: &str| name == ARGS || MEANINGS.iter().any(|(known, _)| *known == name);
    let known = |name: &str| variable(name) || FUNCTIONS.contains(&name);
    let mut names: Vec<String> = parsed.undeclared_variables(false).into_iter().filter(|name| !known(name)).collect();
    names.sort();
    if names.is_empty() { Ok(()) } else { Err((TemplateError::Unknown { template: template.to_owned(), names }, None)) }
}

/// Maps a byte offset in the output of [`literals`] to the source.
fn origin(source: &str, at: usize) -> usize {
    let begins = source.match_indices("{{{{").map(|(begin, _)| begin);
    let before = |begin: &usize| source.get(..*begin).is_some_and(|head| literals(head).len() < at);
    let last = begins.filter(before).last();
    let grown = last.map_or(0, |begin| {
        let end = source.get(begin..).and_then(|rest| rest.find("}}}}")).map_or(begin + 4, |end| begin + end + 4);
        let head = source.get(..end).unwrap_or(source);
        literals(head).len() - head.len()
    });
    at.saturating_sub(grown)
}

/// Renders templates whose names are known.
pub(super) struct Engine(Environment<'static>);

impl Engine {
    /// `own` is the person's text, which answers gaps; `template` is the name in errors.
    pub(super) fn new(template: &str, own: String) -> Result<Self, TemplateError> {
        environment(own).map(Self).map_err(|error| broken(template, &error))
    }

    pub(super) fn render(&mut self, template: &str, source: &str, context: &Value) -> Result<String, TemplateError> {
        let broken = |error| broken(template, &error);
        self.0.set_fuel(Some(limits::fuel(source)));
        let source = literals(source);
        let parsed = self.0.template_from_named_str(template, &source).map_err(broken)?;
        let mut text = limits::Bounded::default();
        parsed.render_captured_to(context.clone(), &mut text).map_err(|error| match error.kind() {
            ErrorKind::WriteFailure => broken(limits::too_large()),
            ErrorKind::OutOfFuel => broken(Error::new(ErrorKind::InvalidOperation, "it takes too many steps")),
            _ => broken(error),
        })?;
        Ok(text.0)
    }
}
