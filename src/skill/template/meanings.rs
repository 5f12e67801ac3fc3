//! What the variables of templates stand for, for people who write one.

/// Every variable with its meaning, in the order of the names.
pub const MEANINGS: &[(&str, &str)] = &[
    ("ARCHETYPE", "the kind of work, such as `validate`"),
    ("ARGUMENTS", "where the client puts the request: `$ARGUMENTS` or `{{args}}`"),
    ("ASSIGNMENT", "list: what the description says beside verb and object, one line for each fact"),
    ("AUDIENCE", "for whom; may be empty"),
    ("AUTHOR", "who makes the skill"),
    ("CATEGORY", "one of the six categories"),
    ("CREATED_DATE", "the day it is made, YYYY-MM-DD"),
    ("DEPENDENCIES", "list: what has to be installed; may be empty"),
    ("EXAMPLE_PROMPT", "something a person would ask"),
    ("FULL_DESCRIPTION", "the description as it was given"),
    ("INSTRUCTIONS", "the sections that belong to the kind of work"),
    ("LANGUAGE", "the language of the description: en, pt or es"),
    ("LICENSE", "the licence's id"),
    ("OBJECT", "what the work is done to"),
    ("OVERFLOW", "the whole description, where the frontmatter and ASSIGNMENT leave some of it out; mostly empty"),
    ("OVERVIEW", "what the skill does, in a sentence or two"),
    ("PLATFORMS", "list: the ids of the targets"),
    ("PURPOSE", "what the work is for; may be empty"),
    ("RESOURCES", "list: paths of files that come along; may be empty"),
    ("RESULT", "the form or place of the result; may be empty"),
    ("SKILL_BODY", "the person's own instructions; may be empty"),
    ("SKILL_DESCRIPTION", "the frontmatter's description"),
    ("SKILL_NAME", "the name"),
    ("SKILL_TITLE", "the name as a heading"),
    ("SOURCE", "where the input comes from; may be empty"),
    ("TAGS", "list: three to eight tags"),
    ("TASK", "the work, so that it can follow \"how to\""),
    ("TECHNIQUE", "by what means; may be empty"),
    ("TOOLS", "list: tools the description names; may be empty"),
    ("USE_WHEN", "the sentence that says when"),
    ("VERB", "the verb in its base form; may be empty"),
    ("VERSION", "the skill's version"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::template::VARIABLES;

    #[test]
    fn every_variable_has_a_meaning() {
        let names: Vec<&str> = MEANINGS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, VARIABLES);
    }
}
