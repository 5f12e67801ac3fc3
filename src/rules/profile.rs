//! Profiles: the point of view of a check, and the severity it gives to a finding.

use crate::client::target::{API, Client, clients};
use crate::rules::{Finding, Layer, Severity};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_profile_and_says_its_name() {
        for name in profiles() {
            assert_eq!(Profile::named(name).map(Profile::name), Some(name));
        }
        assert_eq!(Profile::named("vim"), None);
    }
}
