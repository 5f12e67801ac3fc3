//! Converts a skill between the common form and the copy of each client.

use super::target::{Arguments, Target};
use crate::skill::{Blob, Tree, metadata, template};

const FILE: &str = "SKILL.md";

/// The files with the common placeholder for arguments, so that the copies of different clients can be compared and
/// merged.
pub fn neutral(tree: &Tree) -> Tree {
    with_text(tree, |text| template::adapt(text, Arguments::Dollar))
}

/// The files in the form for this target's client. If a copy goes to the shared directory, which clients with either
/// placeholder read, none has one.
pub fn adapted(neutral: &Tree, target: &Target, shared: bool) -> Tree {
    with_text(neutral, |text| if shared { template::unprompted(text) } else { template::adapt(text, target.arguments) })
}

/// The files in a form that is the same in every copy of one text.
pub fn comparable(tree: &Tree, shared: bool) -> Tree {
    essence(&if shared { with_text(tree, template::unprompted) } else { neutral(tree) })
}

/// What makes a copy the text it is: arguments in one form, and metadata.yaml without when it was made and for which
/// clients. Copies that agree in this are one text.
pub fn essence(tree: &Tree) -> Tree {
    let mut tree = neutral(tree);
    if let Some(text) =
        tree.text(metadata::FILE).map(|text| metadata::without(text, &["created", "updated", "platforms"]))
    {
        tree.put(metadata::FILE, text);
    }
    tree
}

pub fn shared<'t>(targets: impl IntoIterator<Item = &'t Target>) -> bool {
    targets.into_iter().any(|target| target.id == "agents")
}

fn with_text(tree: &Tree, change: impl FnOnce(&str) -> String) -> Tree {
    let mut tree = tree.clone();
    let text = tree.text(FILE).map(change);
    if let (Some(text), Some(blob)) = (text, tree.get(FILE)) {
        let executable = blob.executable;
        tree.put_blob(FILE, Blob { bytes: text.into_bytes(), executable });
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::super::target::Targets;
    use super::*;

    #[test]
    fn a_copy_made_for_a_client_comes_back_to_the_same_text() {
        let mut tree = Tree::new();
        tree.put(FILE, "---\nname: x\n---\n\nInput: $ARGUMENTS\n");
        tree.put("references/a.md", "$ARGUMENTS stays\n");
        let targets = Targets::with(Vec::new());
        for target in targets.iter() {
            assert_eq!(neutral(&adapted(&tree, target, false)), tree, "{}", target.id);
        }
        let gemini = adapted(&tree, targets.get("gemini").unwrap(), false);
        assert!(gemini.text(FILE).unwrap().contains("{{args}}"));
        let common = adapted(&tree, targets.get("claude").unwrap(), true);
        assert!(!common.text(FILE).unwrap().contains("$ARGUMENTS"));
    }
}
