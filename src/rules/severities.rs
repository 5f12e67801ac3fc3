//! The severities that a project configures. T0 rules are never lowered and never switched off.

use crate::rules::{Finding, Layer, Severity};

use super::table::{self, RULES};

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

fn speaks_for(whole: &str, part: &str) -> bool {
    part == whole || part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'))
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
}
