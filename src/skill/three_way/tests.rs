//! Merging by example, and the promise that no line of either side is lost.

use proptest::prelude::*;

use super::*;

const HEAD: &str = "---\nname: x\ndescription: \"Does x.\"\nmetadata:\n  author: a\n  version: \"1.0.0\"\n---\n";

fn skill(body: &str) -> Tree {
    let mut tree = Tree::new();
    tree.put("SKILL.md", format!("{HEAD}\n{body}"));
    tree
}

/// Merges three texts with this decision for all conflicts; returns the result and the conflicts.
fn merged(base: &Tree, ours: &Tree, theirs: &Tree, choice: Choice) -> (Tree, Vec<Conflict>) {
    let mut asked = Vec::new();
    let tree = merge(base, ours, theirs, &mut |conflict| {
        asked.push(conflict.clone());
        choice
    });
    (tree, asked)
}

fn text(tree: &Tree) -> &str {
    tree.text("SKILL.md").unwrap()
}

fn assert_says(tree: &Tree, parts: &[&str]) {
    for part in parts {
        assert_eq!(text(tree).matches(part).count(), 1, "{part}: {}", text(tree));
    }
}

const BODY: &str = "# X\n\n## Steps\n\n1. One.\n2. Two.\n\n## Limits\n\n- None.\n";

#[test]
fn edits_in_different_places_come_together() {
    let base = skill(BODY);
    let ours = skill(&BODY.replace("1. One.", "1. One, at once."));
    let mut theirs = skill(&BODY.replace("- None.", "- One a day.\n- Never two."));
    theirs.put("references/more.md", "More.\n");
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Ours);
    assert_eq!(asked, []);
    let expected = BODY.replace("1. One.", "1. One, at once.").replace("- None.", "- One a day.\n- Never two.");
    assert_eq!(text(&tree), format!("{HEAD}\n{expected}"));
    assert_eq!(tree.text("references/more.md"), Some("More.\n"));
    assert_eq!(merged(&base, &theirs, &ours, Choice::Ours).0, tree, "whichever side is ours");
}

#[test]
fn the_same_line_changed_twice_is_a_conflict_at_its_heading_and_the_rest_is_merged() {
    let base = skill(BODY);
    let ours = skill(&BODY.replace("2. Two.", "2. Two, slowly.").replace("- None.", "- Ours."));
    let theirs = skill(&BODY.replace("2. Two.", "2. Two, quickly.").replace("# X\n", "# X\n\nRead this.\n"));
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Theirs);
    let [conflict] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((conflict.path.as_str(), conflict.place.as_str(), conflict.both), ("SKILL.md", "Steps", true));
    assert_eq!(conflict.base.as_deref(), Some("2. Two.\n"));
    assert_eq!(conflict.ours.as_deref(), Some("2. Two, slowly.\n"));
    assert_eq!(conflict.theirs.as_deref(), Some("2. Two, quickly.\n"));
    assert_says(&tree, &["Read this.", "2. Two, quickly.", "- Ours."]);
    let both = merged(&base, &ours, &theirs, Choice::Both).0;
    assert!(text(&both).contains("2. Two, slowly.\n2. Two, quickly.\n"), "{}", text(&both));
}

#[test]
fn no_marker_of_a_conflict_is_ever_in_the_text_even_where_it_holds_some() {
    let marks = "<<<<<<< ours\n=======\n>>>>>>> theirs\n||||||| original\n<<<<<<<<<<<<\n";
    let base = skill(&format!("# X\n\n{marks}\nline\n"));
    let ours = skill(&format!("# X\n\n{marks}\nline one\n"));
    let theirs = skill(&format!("# X\n\n{marks}\nline two\n"));
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Ours);
    assert_eq!((text(&tree), asked.len()), (text(&ours), 1));
}

#[test]
fn sections_that_both_add_at_one_place_stand_one_after_the_other() {
    let base = skill("# X\n\n## Steps\n\n1. One.\n");
    let ours = skill("# X\n\n## Steps\n\n1. One.\n\n## Mine\n\nA.\n");
    let theirs = skill("# Another title\n\n## Steps\n\n1. One.\n\n## Theirs\n\nB.\n");
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Ours);
    assert_eq!(asked, [], "{}", text(&tree));
    assert_says(&tree, &["# Another title\n", "## Mine\n\nA.\n", "## Theirs\n\nB.\n"]);
}

#[test]
fn the_head_is_merged_by_keys_and_versions_are_never_asked_about() {
    let with = |description: &str, version: &str, more: &str| {
        let mut tree = skill(BODY);
        let head = HEAD.replace("Does x.", description).replace("1.0.0", version);
        let head = head.replacen("---\nname", &format!("---\n{more}name"), 1);
        tree.put("SKILL.md", format!("{head}\n{BODY}"));
        tree.put(FILE, format!("version: \"{version}\"\nupdated: \"{version}\"\ntags:\n  - a\n"));
        tree
    };
    let (base, ours) = (with("Does x.", "1.0.0", ""), with("Does x well.", "1.0.1", ""));
    let theirs = with("Does x.", "1.2.0", "license: MIT\n");
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Ours);
    assert_eq!(asked, []);
    assert_says(&tree, &["Does x well.", "version: \"1.2.0\"", "license: MIT"]);
    assert_eq!(tree.text(FILE), Some("version: \"1.2.0\"\nupdated: \"1.2.0\"\ntags:\n  - a\n"));
    let (_, asked) = merged(&base, &ours, &with("Does y.", "1.0.0", ""), Choice::Ours);
    assert_eq!(asked.iter().map(|one| one.place.as_str()).collect::<Vec<_>>(), ["frontmatter: description"]);
    assert!(!asked[0].both, "two lines of one key are no frontmatter");
}

#[test]
fn a_file_one_side_removed_and_the_other_changed_is_asked_about() {
    let mut base = skill(BODY);
    base.put("references/a.md", "a\n");
    base.put("references/b.md", "b\n");
    let (mut ours, mut theirs) = (skill(BODY), base.clone());
    ours.put("references/b.md", "b\n");
    assert_eq!(merged(&base, &ours, &theirs, Choice::Ours).0, ours, "what was removed stays removed");
    theirs.put("references/a.md", "a, changed\n");
    let (tree, asked) = merged(&base, &ours, &theirs, Choice::Theirs);
    assert_eq!((asked.len(), asked[0].ours.as_deref()), (1, None));
    assert_eq!(tree.text("references/a.md"), Some("a, changed\n"));
}

#[test]
fn bytes_that_are_no_text_and_executable_bits_are_merged_too() {
    let blob = |bytes: &[u8], executable| Blob { bytes: bytes.to_vec(), executable };
    let with = |bytes: &[u8], executable| {
        let mut tree = skill(BODY);
        tree.put_blob("assets/a.png", blob(bytes, false));
        tree.put_blob("scripts/run.sh", blob(b"run\n", executable));
        tree
    };
    let base = with(b"\xff1", false);
    let (tree, asked) = merged(&base, &with(b"\xff2", false), &with(b"\xff1", true), Choice::Ours);
    assert_eq!((asked.len(), tree), (0, with(b"\xff2", true)));
    let (tree, asked) = merged(&base, &with(b"\xff2", false), &with(b"\xff3", false), Choice::Theirs);
    assert_eq!((asked.len(), tree), (1, with(b"\xff3", false)));
}

#[test]
fn without_a_base_what_only_one_has_is_kept_and_the_rest_is_asked_about() {
    let ours = skill("# X\n\n## Steps\n\n1. One.\n\n## Mine\n\nA.\n");
    let theirs = skill("# X\n\n## Steps\n\n1. First.\n\n## Theirs\n\nB.\n");
    let (tree, asked) = merged(&Tree::new(), &ours, &theirs, Choice::Ours);
    assert!(!asked.is_empty());
    assert_says(&tree, &["1. One.", "## Mine\n\nA.\n", "## Theirs\n\nB.\n"]);
}

#[test]
fn a_blank_line_stays_between_a_section_that_one_changed_and_the_next_that_the_other_adds() {
    let base = skill("# X\n\n## Steps\n\n1. One.\n");
    let ours = skill("# X\n\n## Steps\n\n1. One, at once.\n");
    let theirs = skill("# X\n\n## Steps\n\n1. One.\n\n## Limits\n\n- None.\n");
    for choice in [Choice::Ours, Choice::Theirs, Choice::Both] {
        let (tree, asked) = merged(&base, &ours, &theirs, choice);
        assert_eq!(asked, []);
        let expected = "# X\n\n## Steps\n\n1. One, at once.\n\n## Limits\n\n- None.\n";
        assert_eq!(text(&tree), format!("{HEAD}\n{expected}"));
        assert_eq!(merged(&base, &theirs, &ours, choice).0, tree, "whichever side is ours");
    }
}

/// Numbered sections with their items.
type Parts = Vec<(u8, Vec<String>)>;

/// A body as people write it: blank lines around headings.
fn written(parts: &Parts) -> Tree {
    let part = |(n, items): &(u8, Vec<String>)| format!("\n## Part {n}\n\n{}", items.concat());
    skill(&format!("# X\n{}", parts.iter().map(part).collect::<String>()))
}

/// Changes of one side: which section, which item, what.
fn changes() -> impl Strategy<Value = Vec<(u8, usize, u8, String)>> {
    prop::collection::vec((0_u8..6, 0_usize..3, 0_u8..5, "[a-c]{1,3}"), 0..4)
}

fn changed(base: &Parts, changes: &[(u8, usize, u8, String)]) -> Parts {
    let mut parts = base.clone();
    for (n, item, how, word) in changes {
        let at = parts.iter().position(|(known, _)| known == n);
        match (at, how) {
            (Some(at), 0) => drop(parts.remove(at)),
            (Some(at), 1) => parts[at].1.push(format!("- {word}.\n")),
            (Some(at), 2) => parts[at].1.push(format!("\nThen {word}.\n")),
            (Some(at), _) if *item < parts[at].1.len() => parts[at].1[*item] = format!("- {word} {n}.\n"),
            (None, _) => parts.push((*n, vec![format!("- {word}.\n")])),
            _ => {}
        }
    }
    parts
}

/// Edits of numbered lines, each by one side or by both.
fn edits() -> impl Strategy<Value = Vec<(usize, u8, String)>> {
    prop::collection::vec((0_usize..12, 0_u8..3, "[a-z]{1,8}"), 0..10)
}

proptest! {
    #[test]
    fn nothing_of_either_side_is_lost(edits in edits()) {
        let lines: Vec<String> = (0..12).map(|n| if n % 4 == 0 { format!("## Part {n}\n") } else { format!("line {n}\n") }).collect();
        let (mut ours, mut theirs) = (lines.clone(), lines.clone());
        for (at, who, word) in &edits {
            if *who != 1 { ours[*at] = format!("{}{word} of ours\n", ours[*at]); }
            if *who != 0 { theirs[*at] = format!("{}{word} of theirs\n", theirs[*at]); }
        }
        let [base, ours, theirs] = [lines, ours, theirs].map(|lines| skill(&lines.concat()));
        let (tree, _) = merged(&base, &ours, &theirs, Choice::Both);
        for side in [&ours, &theirs] {
            for line in text(side).lines() {
                prop_assert!(text(&tree).lines().any(|known| known == line), "{line:?} is lost in\n{}", text(&tree));
            }
        }
        prop_assert_eq!(merged(&base, &base, &theirs, Choice::Ours).0, theirs.clone());
        prop_assert_eq!(merged(&base, &ours, &base, Choice::Theirs).0, ours.clone());
        prop_assert_eq!(merged(&base, &ours, &ours, Choice::Theirs).0, ours);
    }

    #[test]
    fn a_heading_stays_between_blank_lines(one in changes(), other in changes()) {
        let base: Parts = (0..4).map(|n| (n, vec![format!("- one {n}.\n"), format!("- two {n}.\n")])).collect();
        let [base, ours, theirs] = [base.clone(), changed(&base, &one), changed(&base, &other)].map(|parts| written(&parts));
        for choice in [Choice::Ours, Choice::Theirs, Choice::Both] {
            let (tree, _) = merged(&base, &ours, &theirs, choice);
            let lines: Vec<&str> = text(&tree).lines().collect();
            for pair in lines.windows(2) {
                let glued = pair.iter().any(|line| line.starts_with("## ")) && pair.iter().all(|line| !line.is_empty());
                prop_assert!(!glued, "{choice:?} {pair:?} in\n{}", text(&tree));
            }
        }
    }

    #[test]
    fn no_texts_make_it_panic(base in ".{0,200}", ours in "(---\n|# a\n|[a-z<=>|: ]{0,9}\n?){0,12}", theirs in "(---\n|# a\n|[a-z<=>|: ]{0,9}\n?){0,12}") {
        let tree = |text: &str| { let mut tree = Tree::new(); tree.put("SKILL.md", text); tree.put(FILE, text); tree };
        let (base, ours, theirs) = (tree(&base), tree(&ours), tree(&theirs));
        merged(&base, &ours, &theirs, Choice::Both);
    }
}

#[test]
fn items_of_a_list_that_stand_next_to_each_other_are_merged() {
    let with = |items: &str| {
        let items: String = items.split("; ").map(|item| format!("- {item}.\n")).collect();
        skill(&format!("# X\n\n## Limits\n\n{items}"))
    };
    let base = with("One; Two; Three");
    for (ours, theirs, expected, asked_about) in [
        ("One; Two, mine; Three", "One, new; Two; Three", "One, new; Two, mine; Three", 0),
        ("One; Two; Three; Mine", "One; Two; Three, new", "One; Two; Three, new; Mine", 0),
        ("One; Three", "One; Two; Three, new", "One; Three, new", 0),
        ("Mine; One; Two; Three", "New; Two, new; Three", "Mine; New; Two, new; Three", 0),
        ("One, mine; Two, mine; Three", "One, new; Two; Three, new", "One, mine; Two, mine; Three, new", 1),
        ("Two; Three", "One, new; Two, new; Three", "Two, new; Three", 1),
    ] {
        let (tree, asked) = merged(&base, &with(ours), &with(theirs), Choice::Ours);
        assert_eq!((text(&tree), asked.len()), (text(&with(expected)), asked_about), "{ours} {theirs} {asked:?}");
        let (other, asked) = merged(&base, &with(theirs), &with(ours), Choice::Theirs);
        assert_eq!((text(&other), asked.len()), (text(&tree), asked_about), "the other way round");
    }
    let (_, asked) = merged(&base, &with("One, mine; Two; Three"), &with("One, new; Two, new; Three"), Choice::Ours);
    assert_eq!((asked[0].base.as_deref(), asked[0].ours.as_deref()), (Some("- One.\n"), Some("- One, mine.\n")));
}

#[test]
fn lines_of_a_paragraph_that_stand_next_to_each_other_are_asked_about() {
    let base = skill("# X\n\nOne sentence\nover two lines.\n");
    let ours = skill("# X\n\nOne short sentence\nover two lines.\n");
    let theirs = skill("# X\n\nOne sentence\nover three lines.\n");
    assert_eq!(merged(&base, &ours, &theirs, Choice::Ours).1.len(), 1);
}
