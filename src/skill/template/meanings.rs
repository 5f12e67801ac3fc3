//! The documentation of template variables.

/// Every variable with its meaning, in the order of the names.
pub const MEANINGS: [(&str, &str); 23] = [
    ("ARCHETYPE", "the kind of work, such as `validate`"),
    ("ARGUMENTS", "where the client puts the request: `$ARGUMENTS` or `{{args}}`"),
    ("AUTHOR", "who makes the skill"),
    ("CATEGORY", "one of the six categories"),
    ("CREATED_DATE", "the day it is made, YYYY-MM-DD"),
    ("DEPENDENCIES", "list: what has to be installed; may be empty"),
    ("FULL_DESCRIPTION", "the description as it was given"),
    ("INPUT", "the line that names the request: label, placeholder and what a request names"),
    (
        "INSTRUCTIONS",
        "what follows that line: made of the sentence, the repository, domain packs and answers, or drafted",
    ),
    ("LANGUAGE", "the language of the description: en, pt or es"),
    ("LICENSE", "the licence's id"),
    ("OBJECT", "what the work is done to"),
    ("PLATFORMS", "list: the ids of the targets"),
    ("RESOURCES", "list: paths of files that come along; may be empty"),
    ("RULES", "list: what must hold, in the author's words; may be empty"),
    ("SKILL_BODY", "the person's own instructions; may be empty"),
    ("SKILL_DESCRIPTION", "the frontmatter's description"),
    ("SKILL_NAME", "the name"),
    ("SKILL_TITLE", "the first sentence of the description as a heading"),
    ("TAGS", "list: three to eight tags"),
    ("TASK", "the first thing that is to be done"),
    ("VERB", "the verb in its base form; may be empty"),
    ("VERSION", "the skill's version"),
];
