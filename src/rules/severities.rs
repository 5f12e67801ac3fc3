//! Which findings are reported, and how severe: the severities that a project configures, profiles, and comments
//! `<!-- hefesto: ignore RULE, RULE reason: … -->` in a body.

use super::table::{self, Id, RULES};
use crate::client::target::{API, Client, clients};
use crate::rules::{Finding, FindingCollector, Layer, Page, Position, Severity, shown};

/// The configured severity of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Not reported.
    Off,
    /// Reported with this severity.
    At(Severity),
}

impl Level {
    /// The level for a word: `off`, `info`, `warning`, `error`.
    pub fn named(word: &str) -> Option<Self> {
        if word == "off" { Some(Self::Off) } else { word.parse().ok().map(Self::At) }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::At(severity) => severity.word(),
        }
    }
}

/// The levels in force, by rule id in the table's spelling.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Severities(Vec<(&'static str, Level)>);

/// Why a level is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

impl Severities {
    /// Sets the level of a rule, whose id may be in any case. A part (`T0-HEFESTO-11.pii`) is a rule of its own; the
    /// level of a rule with parts applies to them too. Returns the id in the table's spelling.
    ///
    /// # Errors
    /// When there is no such rule, or the level would lower a T0 rule.
    pub fn set(&mut self, id: &str, level: Level) -> Result<&'static str, Refused> {
        let Some(rule) = table::find(id) else {
            return Err(Refused(format!("there is no rule {id:?}; `hefesto explain` lists them")));
        };
        let lowers = |one: &table::Rule| !matches!(level, Level::At(wanted) if wanted <= one.severity);
        if rule.layer == Layer::T0 && RULES.iter().any(|one| speaks_for(rule.id, one.id) && lowers(one)) {
            return Err(Refused(format!("{} is a T0 rule: it cannot be lowered or switched off", rule.id)));
        }
        self.0.retain(|(known, _)| *known != rule.id);
        self.0.push((rule.id, level));
        Ok(rule.id)
    }

    /// The level of a rule: its own, else that of the rule it is part of.
    pub fn level(&self, rule: &str) -> Option<Level> {
        let own = self.0.iter().find(|(id, _)| *id == rule);
        own.or_else(|| self.0.iter().find(|(id, _)| speaks_for(id, rule))).map(|(_, level)| *level)
    }

    /// A finding at the configured level; `None` if it is switched off.
    pub(super) fn apply(&self, mut finding: Finding) -> Option<Finding> {
        finding.severity = match self.level(&finding.rule) {
            Some(Level::Off) => return None,
            // A T0 rule may report findings below its row's severity; a level only raises them.
            Some(Level::At(severity)) if finding.layer == Layer::T0 => finding.severity.min(severity),
            Some(Level::At(severity)) => severity,
            None => finding.severity,
        };
        Some(finding)
    }
}

/// Whether a rule is another or a part of it.
pub(super) fn speaks_for(whole: &str, part: &str) -> bool {
    part == whole || part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'))
}

/// The names of the profiles, as typed.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    every().map(Profile::name)
}

fn every() -> impl Iterator<Item = Profile> {
    let plain = [Profile::Spec, Profile::Strict, Profile::Portable];
    plain.into_iter().chain(clients().chain([&API]).map(Profile::Client))
}

/// The point of view of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Every rule, for the clients the skill is meant for.
    #[default]
    Default,
    /// The specification's own text, strictly, and T0-HEFESTO-11.
    Spec,
    /// The specification, every T0 rule, no field beside the six, and what validators disagree about.
    Strict,
    /// One client: what it drops is an error, what it loads is not.
    Client(&'static Client),
    /// Every client of the target table: what one would drop is an error.
    Portable,
}

impl Profile {
    /// The profile with a name of [`profiles`].
    pub fn named(name: &str) -> Option<Self> {
        every().find(|profile| profile.name() == name)
    }

    /// Its name; `default` for none.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Spec => "spec",
            Self::Strict => "strict",
            Self::Client(client) => client.profile,
            Self::Portable => "portable",
        }
    }

    /// The clients it names; `None` if it leaves them to the caller.
    pub fn clients(self) -> Option<Vec<&'static Client>> {
        match self {
            Self::Default => None,
            Self::Spec | Self::Strict => Some(Vec::new()),
            Self::Client(client) => Some(vec![client]),
            Self::Portable => Some(clients().collect()),
        }
    }

    /// The severity of a finding under this profile; `None` if the profile ignores it. `alone`: the skill is meant for
    /// one client; `read`: that client reads a frontmatter that hefesto cannot parse.
    pub(super) fn severity(self, finding: &Finding, alone: bool, read: bool) -> Option<Severity> {
        let rule = finding.rule.as_str();
        let t0_11 = rule.starts_with("T0-HEFESTO-11");
        let capped = Some(finding.severity.max(Severity::Warning));
        let as_found = Some(finding.severity);
        match (self, finding.layer) {
            (Self::Spec, _) if t0_11 => as_found,
            (Self::Spec | Self::Strict, Layer::Spec) if matches!(rule, "S11" | "S12") => Some(Severity::Error),
            (Self::Strict, Layer::Spec) if rule == "S3" => Some(Severity::Error),
            (Self::Spec | Self::Strict, Layer::Spec) | (Self::Strict, Layer::T0) => as_found,
            (Self::Strict, Layer::Portability) if rule == VALIDATORS => as_found,
            (Self::Spec | Self::Strict, _) => None,
            (_, Layer::Portability) if rule == VALIDATORS => None,
            (Self::Default, Layer::Portability) if !alone => capped,
            (Self::Client(one), Layer::Spec) => match rule {
                "S1" => as_found,
                "S2" if !read => as_found,
                "S3" if one.refuses_fields => None, // the portability rule says it as an error
                _ => capped,
            },
            (Self::Client(_), Layer::T0) if !t0_11 && rule != "T0-HEFESTO-09" => capped,
            _ => as_found,
        }
    }
}

/// The rule on differences between validators, which only `strict` applies.
const VALIDATORS: &str = "PORT-VALIDATORS";

const OPEN: &str = "<!-- hefesto: ignore";

/// A finding that the skill's author has accepted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Suppressed {
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why it is accepted, in the author's words.
    pub reason: String,
}

pub(super) struct Directive {
    rule: &'static str,
    reason: String,
    /// The line it applies to; `None` for all lines.
    line: Option<usize>,
}

/// The valid directives; invalid ones are findings.
pub(super) fn directives(page: &Page<'_>, report: &mut FindingCollector<'_>) -> Vec<Directive> {
    let doc = page.doc;
    let mut directives = Vec::new();
    if !doc.body().contains(OPEN) {
        return directives;
    }
    let lines: Vec<&str> = page.body_lines().map(|(_, line)| line).collect();
    let mut fence: Option<&str> = None;
    let first = lines.iter().position(|line| !line.trim().is_empty());
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                Some(open) if open == mark => None,
                None => Some(mark),
                open => open,
            };
        }
        let Some(rest) = trimmed.strip_prefix(OPEN).filter(|_| fence.is_none()) else { continue };
        let at = Position { line: doc.body_line + index, column: 1 };
        let mut refuse = |message: String, fix: String| {
            report.add(Id::Ignore.at(at, message).with_fix(fix));
        };
        let inside = rest.strip_suffix("-->").unwrap_or(rest);
        let (ids, reason) = inside.split_once("reason:").unwrap_or((inside, ""));
        let reason = reason.trim();
        if reason.is_empty() {
            let ids = if ids.trim().is_empty() { "RULE".to_owned() } else { shown(ids.trim()) };
            let fix = format!("Write `{OPEN} {ids} reason: why it is right here -->`.");
            refuse("The ignore comment gives no reason".to_owned(), fix);
            continue;
        }
        let behind = lines.iter().enumerate().skip(index + 1).find(|(_, line)| !line.trim().is_empty());
        let line = if Some(index) == first { None } else { behind.map(|(behind, _)| doc.body_line + behind) };
        for id in ids.split([',', ' ', '\t']).filter(|id| !id.is_empty()) {
            match table::find(id) {
                None => {
                    let message = format!("The ignore comment names `{}`, which is not a rule", shown(id));
                    refuse(message, "Use the id that the finding shows; `hefesto explain` lists all ids.".to_owned());
                }
                Some(rule) if rule.layer == Layer::T0 || rule.id == Id::Ignore.rule().id => {
                    let fix = format!("Remove it from the comment and fix what `{}` reports.", rule.id);
                    refuse(format!("`{}` cannot be ignored", rule.id), fix);
                }
                Some(rule) => directives.push(Directive { rule: rule.id, reason: shown(reason), line }),
            }
        }
    }
    directives
}

/// Separates the findings about SKILL.md (named `file`) that a directive accepts.
pub(super) fn suppress(
    directives: &[Directive],
    file: &str,
    findings: Vec<Finding>,
) -> (Vec<Finding>, Vec<Suppressed>) {
    let mut kept = Vec::new();
    let mut suppressed = Vec::new();
    for finding in findings {
        let speaks = |one: &&Directive| {
            finding.file == file && one.rule == finding.rule && one.line.is_none_or(|line| line == finding.line)
        };
        match directives.iter().find(speaks) {
            Some(directive) => suppressed.push(Suppressed { finding, reason: directive.reason.clone() }),
            None => kept.push(finding),
        }
    }
    (kept, suppressed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_t0_rule_is_raised_and_never_lowered() {
        let mut levels = Severities::default();
        for (id, word) in [("T0-HEFESTO-03", "off"), ("t0-hefesto-11.pii", "warning"), ("T0-HEFESTO-11", "warning")] {
            let level = Level::named(word).unwrap();
            assert!(levels.set(id, level).is_err_and(|why| why.0.contains("T0 rule")), "{id}");
        }
        assert!(levels.set("T0-HEFESTO-10", Level::At(Severity::Error)).is_ok());
        assert_eq!(levels.level("T0-HEFESTO-10"), Some(Level::At(Severity::Error)));
    }

    #[test]
    fn an_unknown_rule_is_refused_and_the_last_word_holds() {
        let mut levels = Severities::default();
        assert!(levels.set("S99", Level::Off).is_err());
        levels.set("s16", Level::Off).unwrap();
        levels.set("S16", Level::At(Severity::Info)).unwrap();
        assert_eq!(levels.level("S16"), Some(Level::At(Severity::Info)));
        assert_eq!(levels.level("S1"), None);
    }

    #[test]
    fn every_name_is_a_profile_and_says_its_name() {
        for name in profiles() {
            assert_eq!(Profile::named(name).map(Profile::name), Some(name));
        }
        assert_eq!(Profile::named("vim"), None);
    }
}
