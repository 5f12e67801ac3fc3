//! What a client sees of a skill: its name, the text it is chosen by, and what is lost.

use serde::Serialize;

use crate::client::target::{self, Beyond, Client, Effect, Limit};
use crate::rules::{Finding, Policy, Profile, Severity, Subject, check_for, text_of};
use crate::skill::frontmatter::{self, Document, ReadErrorKind};
use crate::skill::tokens;

pub use super::portability::is_true as is_on;
use super::portability::{self, added_to_listing};

/// Fields that are for people and other tools; no client promises to do anything with them.
const FOR_PEOPLE: &[&str] = &["license", "compatibility", "metadata"];

/// A line of a client's list of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The name the client lists.
    pub name: String,
    /// The part of the description it shows.
    pub text: String,
    /// The length of the description in characters.
    pub whole: usize,
}

impl Listing {
    /// The length of the line in characters.
    pub fn chars(&self) -> usize {
        self.name.chars().count() + 2 + self.text.chars().count()
    }

    /// The tokens of the line.
    pub fn tokens(&self) -> usize {
        tokens::count(&self.name) + tokens::count(&self.text)
    }
}

/// The size of a client's list of skills, and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The limit of the list; `None` if there is none.
    pub of: Option<target::Budget>,
    /// The number of listed skills, without the client's own.
    pub skills: usize,
    /// The characters of the list.
    pub chars: usize,
    /// The tokens of the list.
    pub tokens: usize,
}

impl Budget {
    /// The budget of a client whose list has these lines, each with its characters and tokens.
    pub fn of(client: &Client, lines: impl Iterator<Item = (usize, usize)>) -> Self {
        let of = client.budget;
        let around = of.map_or(0, |budget| budget.around);
        lines.fold(Self { of, skills: 0, chars: 0, tokens: 0 }, |sum, (chars, tokens)| Self {
            skills: sum.skills + 1,
            chars: sum.chars + chars + around,
            tokens: sum.tokens + tokens,
            ..sum
        })
    }

    /// The models for which the list is longer than the client shows.
    pub fn short(&self) -> impl Iterator<Item = &'static Limit> {
        let (of, chars) = (self.of, self.chars);
        let limits = of.map(|of| of.limits).unwrap_or_default().iter();
        limits.filter(move |limit| of.is_some_and(|of| chars > of.available(limit)))
    }

    /// Whether the list is too long for some model.
    pub fn over(&self) -> bool {
        self.short().next().is_some()
    }

    /// The size of the list, its limit, and the models for which it is too long; none if there is no limit.
    pub fn amount(&self) -> Option<String> {
        let of = self.of?;
        let models: Vec<&str> = self.short().map(|limit| limit.model).collect();
        let limit = self.short().next().or(of.limits.first())?;
        let said = format!("{} of {} characters", self.chars, of.available(limit));
        Some(if models.is_empty() { said } else { format!("{said}, too many for {}", models.join(", ")) })
    }

    /// What the client does with a list that is too long; none if it is not.
    pub fn beyond(&self) -> Option<&'static str> {
        let beyond = self.of.filter(|_| self.over())?.beyond;
        Some(match beyond {
            Beyond::LeastUsed => "skills used least are listed by name alone",
            Beyond::InOrder => "from the first that does not fit, in the order of the names, only names are listed",
            Beyond::Evenly => "every description is cut",
        })
    }

    /// The JSON used in every answer.
    pub fn json(&self) -> serde_json::Value {
        let limits = self.of.map(|of| of.limits).unwrap_or_default();
        let own = self.of.map(|of| of.own);
        let models = limits.iter().map(|limit| {
            let over = self.of.is_some_and(|of| self.chars > of.available(limit));
            serde_json::json!({ "model": limit.model, "chars": limit.chars, "over": over })
        });
        serde_json::json!({
            "chars": limits.first().map(|limit| limit.chars), "own_chars": own, "basis": self.of.map(|of| of.basis),
            "skills": self.skills, "used_chars": self.chars, "used_tokens": self.tokens, "over": self.over(),
            "models": models.collect::<Vec<_>>(),
        })
    }
}

/// How one client treats one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// The id in the target table.
    pub client: &'static str,
    /// The product's name.
    pub title: &'static str,
    /// Whether it loads the skill.
    pub loaded: bool,
    /// Why not.
    pub reasons: Vec<String>,
    /// Whether hefesto can parse the frontmatter; a client may still read it in its own way.
    #[serde(skip)]
    pub read: bool,
    /// The name it lists the skill by.
    pub name: String,
    /// The text it lists; `None` if the skill is not listed.
    pub listing: Option<String>,
    /// Characters of that text.
    pub listing_chars: usize,
    /// Characters the description has before it is cut.
    pub whole_chars: usize,
    /// Fields of the frontmatter it does not read.
    pub ignored: Vec<String>,
}

impl Fit {
    /// The last words a client shows of a description that it cuts.
    pub fn end_of_cut(&self) -> Option<String> {
        /// How many characters of them are shown.
        const SHOWN: usize = 40;
        let listing = self.listing.as_ref().filter(|_| self.loaded && self.listing_chars < self.whole_chars)?;
        let skipped = self.listing_chars.saturating_sub(SHOWN);
        Some(format!("…{}", listing.chars().skip(skipped).collect::<String>().trim()))
    }
}

/// What a client lists of a skill; `None` if it does not load the skill or does not offer it to the model.
pub fn listing(bytes: &[u8], directory: &str, client: &Client) -> Option<Listing> {
    listing_of(&readable(bytes)?, directory, client)
}

/// A SKILL.md as most clients read it: a value with a colon needs no quotes.
fn readable(bytes: &[u8]) -> Option<Document> {
    let (doc, defects) = frontmatter::examine(bytes).ok()?;
    defects.iter().all(|defect| defect.kind == ReadErrorKind::UnquotedColon).then_some(doc)
}

/// [`listing`] of a parsed skill.
pub fn listing_of(doc: &Document, directory: &str, client: &Client) -> Option<Listing> {
    let text = |key: &str| text_of(doc, key).map(|(_, text)| text).filter(|text| !text.trim().is_empty());
    let hidden = doc.field("disable-model-invocation").is_some_and(|field| is_on(&field.value));
    if hidden && client.reads("disable-model-invocation") {
        return None;
    }
    let name = match text("name") {
        Some(_) if client.other_folder == Effect::Alters && !directory.is_empty() => directory,
        Some(name) => name,
        None if client.no_name == Effect::Accepts => directory,
        None => return None,
    };
    let mut whole = match text("description") {
        Some(text) => text.to_owned(),
        None if client.lists_body => {
            let line = doc.body().lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
            line.unwrap_or("").trim().to_owned()
        }
        None => return None,
    };
    if let Some(more) = added_to_listing(client, doc) {
        whole = format!("{whole} {more}");
    }
    let shown = client.shown_description.unwrap_or(usize::MAX);
    let text = whole.chars().take(shown).collect();
    Some(Listing { name: name.to_owned(), text, whole: whole.chars().count() })
}

/// Whether a client drops a skill for its frontmatter. `loose_colon`: a value with a colon is not quoted.
pub fn is_dropped(doc: &Document, loose_colon: bool, directory: &str, client: &'static Client) -> bool {
    (loose_colon && client.loose_colon == Some(Effect::Drops)) || portability::drops(doc, directory, client)
}

/// How each of these clients treats a skill.
pub fn fit(subject: &Subject<'_>, clients: &[&'static Client]) -> Vec<Fit> {
    let doc = subject.tree.get("SKILL.md").and_then(|blob| readable(&blob.bytes));
    clients.iter().map(|client| one(subject, doc.as_ref(), client)).collect()
}

fn one(subject: &Subject<'_>, doc: Option<&Document>, client: &'static Client) -> Fit {
    let policy = Policy { profile: Profile::Client(client), ..Policy::default() };
    let findings = check_for(subject, &policy).findings;
    let unread = |one: &&Finding| one.severity == Severity::Error && matches!(one.rule.as_str(), "S1" | "S2");
    let stops = findings.iter().filter(|one| portability::stops(one, client) || unread(one));
    let reasons: Vec<String> = stops.map(|one| one.message.clone()).collect();
    let listed = doc.and_then(|doc| listing_of(doc, subject.directory, client)).filter(|_| reasons.is_empty());
    let ignored = doc.map(|doc| {
        let is_ignored = |key: &&str| !client.reads(key) && !FOR_PEOPLE.contains(key);
        doc.fields.iter().map(|field| field.key.as_str()).filter(is_ignored).map(str::to_owned).collect()
    });
    let name = doc.and_then(|doc| text_of(doc, "name")).map(|(_, name)| name);
    Fit {
        client: client.id,
        title: client.title,
        loaded: reasons.is_empty(),
        reasons,
        read: doc.is_some(),
        name: listed.as_ref().map_or_else(|| name.unwrap_or(subject.directory).to_owned(), |one| one.name.clone()),
        listing_chars: listed.as_ref().map_or(0, |one| one.text.chars().count()),
        whole_chars: listed.as_ref().map_or(0, |one| one.whole),
        listing: listed.map(|one| one.text),
        ignored: ignored.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::clients;
    use crate::skill::Tree;

    fn fits(head: &str, body: &str) -> Vec<Fit> {
        let mut tree = Tree::new();
        tree.put("SKILL.md", format!("---\n{head}\n---\n{body}\n"));
        fit(&Subject::new("review-code", &tree), &clients().collect::<Vec<_>>())
    }

    fn of<'f>(fits: &'f [Fit], id: &str) -> &'f Fit {
        fits.iter().find(|fit| fit.client == id).unwrap()
    }

    #[test]
    fn claude_code_counts_when_to_use_into_its_cut_and_others_do_not() {
        let head = format!("name: review-code\ndescription: {}\nwhen_to_use: {}", "d".repeat(1000), "w".repeat(1000));
        let fits = fits(&head, "Body.");
        let claude = of(&fits, "claude");
        assert_eq!((claude.listing_chars, claude.whole_chars), (1536, 2001));
        let codex = of(&fits, "codex");
        assert_eq!((codex.listing_chars, codex.whole_chars), (1000, 1000));
        assert_eq!((codex.ignored.as_slice(), of(&fits, "qwen").ignored.len()), (&["when_to_use".to_owned()][..], 0));
    }

    #[test]
    fn a_skill_kept_for_people_is_listed_only_where_that_is_ignored() {
        let fits = fits("name: review-code\ndescription: d\ndisable-model-invocation: true", "Body.");
        let listed: Vec<_> = fits.iter().filter(|fit| fit.listing.is_some()).map(|fit| fit.client).collect();
        assert_eq!(listed, ["gemini", "codex", "opencode"]);
        assert!(fits.iter().all(|fit| fit.loaded));
    }

    #[test]
    fn each_client_has_its_own_name_for_it_and_its_own_way_without_a_description() {
        let fits = fits("name: review", "# Title\n\nReads the diff.");
        let names = |id| (of(&fits, id).name.as_str(), of(&fits, id).loaded);
        assert_eq!((names("claude"), names("codex")), (("review-code", true), ("review", false)));
        assert_eq!(of(&fits, "claude").listing.as_deref(), Some("Reads the diff."));
        assert_eq!((of(&fits, "opencode").loaded, of(&fits, "opencode").listing.as_deref()), (true, None));
    }
}
