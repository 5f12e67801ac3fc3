//! What each client accepts in a skill, how it treats the rest, and how much of it it lists.

/// What a client does with a skill that has some property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Accepts,
    /// It loads the skill and changes, cuts or hides a part of it.
    Alters,
    Drops,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    Any,
    /// Lowercase ASCII letters, digits and hyphens.
    Kebab,
    /// Letters, digits, `_`, `:`, `.` and `-`.
    Word,
    /// Everything but characters that file systems refuse.
    FileName,
}

impl NameForm {
    pub fn holds(self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Kebab => name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            Self::Word => name.chars().all(|c| c.is_alphanumeric() || "_:.-".contains(c)),
            Self::FileName => !name.contains([':', '\\', '/', '<', '>', '*', '?', '"', '|']),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The limits of the list by model; the client's default model first.
    pub limits: &'static [Limit],
    /// Characters of the list that the client's own skills take.
    pub own: usize,
    /// Characters of an entry beside its name and description.
    pub around: usize,
    pub beyond: Beyond,
    /// The source of the figures, for people.
    pub basis: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub model: &'static str,
    pub chars: usize,
}

/// What a client does with a list of skills that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// It leaves out the descriptions of the least used skills.
    LeastUsed,
    /// It sorts by name and leaves out every description from the first that does not fit.
    InOrder,
    Evenly,
}

impl Budget {
    /// Characters of the list left for skills other than the client's own.
    pub fn available(&self, limit: &Limit) -> usize {
        limit.chars.saturating_sub(self.own)
    }

    pub fn least_room(&self) -> usize {
        self.limits.iter().map(|limit| self.available(limit)).min().unwrap_or(usize::MAX)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// The id in the target table; `claude-api` for the upload, which is no target.
    pub id: &'static str,
    pub profile: &'static str,
    pub title: &'static str,
    pub fields: &'static [&'static str],
    pub refuses_fields: bool,
    pub no_name: Effect,
    pub no_description: Effect,
    /// The most characters a name may have before the skill is dropped.
    pub max_name: Option<usize>,
    pub name_form: NameForm,
    pub other_name: Effect,
    /// What it does if the name differs from the folder's.
    pub other_folder: Effect,
    /// The most characters a description may have before the skill is dropped.
    pub max_description: Option<usize>,
    /// How many characters of the description the list shows.
    pub shown_description: Option<usize>,
    /// What it does with a byte order mark; `None` if unknown.
    pub mark: Option<Effect>,
    /// What it does with an unquoted `a: b` in a value; `None` if unknown.
    pub loose_colon: Option<Effect>,
    /// What it does with a frontmatter that is not YAML; `None` if unknown.
    pub no_yaml: Option<Effect>,
    /// Whether it finds a skill below a folder that groups skills.
    pub nested: bool,
    pub linked_file: bool,
    /// The fields it reads as lists and ignores otherwise.
    pub list_fields: &'static [&'static str],
    /// The field it shows after the description in its list of skills.
    pub listed_field: Option<&'static str>,
    pub reserved_names: ReservedNames,
    pub refuses_tags: bool,
    /// Whether it lists the first line of the body for a skill without a description.
    pub lists_body: bool,
    /// The syntax in a body that it replaces or runs.
    pub replaces: &'static [&'static str],
    /// The syntax in a body that it replaces by `undefined`.
    pub breaks: &'static [&'static str],
    pub budget: Option<Budget>,
    pub evidence: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservedNames {
    None,
    /// These names; a skill with one of them is hidden.
    Exact(&'static [&'static str]),
    /// Every name with one of these words; such a skill is refused.
    Containing(&'static [&'static str]),
}

pub fn client(target: &str) -> Option<&'static Client> {
    super::record(target)?.client.as_ref()
}

impl Client {
    pub fn reads(&self, field: &str) -> bool {
        self.fields.contains(&field)
    }

    /// The properties of most clients; a record names the differences of its client.
    pub(super) const fn typical(id: &'static str, profile: &'static str, title: &'static str) -> Self {
        Self {
            id,
            profile,
            title,
            fields: &["name", "description"],
            refuses_fields: false,
            no_name: Effect::Drops,
            no_description: Effect::Drops,
            max_name: None,
            name_form: NameForm::Any,
            other_name: Effect::Accepts,
            other_folder: Effect::Accepts,
            max_description: None,
            shown_description: None,
            mark: None,
            loose_colon: None,
            no_yaml: None,
            nested: false,
            linked_file: true,
            list_fields: &[],
            listed_field: None,
            reserved_names: ReservedNames::None,
            refuses_tags: false,
            lists_body: false,
            replaces: &[],
            breaks: &[],
            budget: None,
            evidence: "measured with its command line, 2026",
        }
    }
}

/// The upload of claude.ai and of the Claude API: it refuses what others ignore.
pub static API: Client = Client {
    fields: &["name", "description", "license", "compatibility", "metadata", "allowed-tools"],
    refuses_fields: true,
    max_name: Some(64),
    name_form: NameForm::Kebab,
    other_name: Effect::Drops,
    max_description: Some(1024),
    no_yaml: Some(Effect::Drops),
    reserved_names: ReservedNames::Containing(&["claude", "anthropic"]),
    refuses_tags: true,
    evidence: "its documentation, 2026",
    ..Client::typical("claude-api", "claude-api", "The Claude API")
};

#[cfg(test)]
mod tests {
    use crate::client::target::clients;

    #[test]
    fn names_are_held_to_each_clients_own_form() {
        let taken = |name: &str| -> Vec<&str> {
            clients().filter(|client| client.name_form.holds(name)).map(|client| client.id).collect()
        };
        assert_eq!(taken("review-code").len(), clients().count());
        assert_eq!(taken("Review_Code"), ["claude", "gemini", "codex", "opencode", "qwen"]);
        assert_eq!(taken("team:review"), ["claude", "codex", "opencode", "qwen"]);
        assert_eq!(taken("revisão"), ["claude", "gemini", "codex", "opencode", "qwen"]);
        assert_eq!(taken("my review"), ["claude", "gemini", "codex", "opencode"]);
    }
}
