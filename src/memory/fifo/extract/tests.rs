//! What is an entity and what is not.

use super::*;
use EntityType::{Class, Concept, File, Method, Variable};

fn found(text: &str) -> Vec<(EntityType, String)> {
    extract(&[text]).into_iter().map(|one| (one.kind, one.name)).collect()
}

#[track_caller]
fn only(text: &str, kind: EntityType, names: &[&str]) {
    let wanted: Vec<(EntityType, String)> = names.iter().map(|name| (kind, (*name).to_owned())).collect();
    assert_eq!(found(text), wanted, "{text}");
}

#[test]
fn f13_f14_f15_files_classes_and_methods() {
    only("Update `governance.yaml` and `working_memory.py`", File, &["governance.yaml", "working_memory.py"]);
    only("Look at src/main.py, README.md and ./docs/a.md:12.", File, &["src/main.py", "README.md", "docs/a.md"]);
    only("The `Dockerfile` and `.gitignore` and `C:\\x\\y.py`", File, &["Dockerfile", ".gitignore", "C:\\x\\y.py"]);
    only("Sum up `invoices/2026.csv`, not 1/2.md", File, &["invoices/2026.csv"]);
    only("See [the guide](docs/guide.md) (or 'notes.txt').", File, &["docs/guide.md", "notes.txt"]);
    only("`GovernanceEngine` talks to `WorkingMemory`", Class, &["GovernanceEngine", "WorkingMemory"]);
    only("the UserManager class and a struct HttpClient", Class, &["UserManager", "HttpClient"]);
    only("UserManager calls PaymentService.", Class, &["UserManager", "PaymentService"]);
    only("`add_conversation()` and `extract_entities()`", Method, &["add_conversation", "extract_entities"]);
    only("call calculate_total() or parse(), then total_of(a, b)", Method, &["calculate_total", "parse", "total_of"]);
    only("the `process` function and the process_order method", Method, &["process", "process_order"]);
    let both = [(Class, "GovernanceEngine".into()), (Method, "validate_done".into())];
    assert_eq!(found("`GovernanceEngine.validate_done(x)`"), both);
}

#[test]
fn variables_are_snake_case_upper_case_dollars_and_what_is_assigned() {
    only("set user_id = 5 and MAX_RETRIES", Variable, &["user_id", "MAX_RETRIES"]);
    let dollars = "`user_id` in `self.order_total`, `$HOME`, ${API_URL}";
    only(dollars, Variable, &["user_id", "order_total", "HOME", "API_URL"]);
    only("let total = 3 and self.grand_total", Variable, &["total", "grand_total"]);
    only("the `count` variable and `userName`", Variable, &["count", "userName"]);
}

#[test]
fn concepts_are_known_terms_hashtags_and_phrases_that_return() {
    only("We use TDD and SOLID with `FIFO`.", Concept, &["FIFO", "TDD", "SOLID"]);
    only("Add Dependency Injection #Refactoring", Concept, &["refactoring", "dependency injection"]);
    let text = "The invoice parser is slow. An invoice parser should be fast. Test the invoice parser.";
    only(text, Concept, &["invoice parser"]);
    only("The invoice parser is slow. An invoice parser should be fast.", Concept, &[]);
}

#[test]
fn abbreviations_are_no_classes() {
    assert_eq!(found("`TDD` and `HTTP`, `XQZ`, `None`, `GET`"), [(Concept, "TDD".into()), (Concept, "HTTP".into())]);
}

#[test]
fn f26_plain_text_holds_nothing() {
    for text in [
        "",
        "This is a plain conversation without any code references.",
        "Hello! How are you today? I'd like to talk about the weather, e.g. rain and/or snow.",
        "On 2026-02-05 at 10:30 we paid $5 (50% off) for item(s) 1.2 and 3.4.",
        "GitHub, JavaScript, iPhone, PostgreSQL, Node.js and McDonald are names.",
        "Ask me@example.com or see https://example.com/src/main.py, www.a.org/x.md or example.com/index.html",
        "# A heading\n## Another #1 with a colour #ff00aa",
        "Every class is a class of its own; this function does that.",
        "A.B.C. Inc. in the U.S. and Mr. Smith",
        "_very_ *important* **words** a_b",
        "Use `cargo` and `git status`; press `y`.",
        "Olá, como vai? A função principal do texto é clara.",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn backticks_are_surer_than_prose_and_the_surest_counts() {
    let scores = |text: &str| extract(&[text]).iter().map(|one| one.relevance_score).collect::<Vec<_>>();
    assert_eq!(scores("a.py"), [0.6]);
    assert_eq!(scores("`a.py`"), [1.0]);
    assert_eq!(scores("a.py then `a.py` then a.py"), [1.0]);
    assert_eq!(scores("```\nload_all(1)\n```"), [0.6]);
}

#[test]
fn blocks_are_read_as_code_and_commands_give_their_files_only() {
    let text =
        "```python\nclass Order:\n    def add_item(self, item_id):\n        total = price_of(item_id)\n```\nDone.";
    let variables = [(Variable, "item_id".into()), (Variable, "total".into())];
    let expected = [[(Class, "Order".into()), (Method, "add_item".into())], variables].concat();
    assert_eq!(found(text), [expected, vec![(Method, "price_of".into())]].concat());
    only("run `python tools/check.py --fast` now", File, &["tools/check.py"]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_the_same_twice(text in "\\PC{0,200}", odd in "[`$#_.(){}=:/a-zA-Z0-9 \n]{0,120}") {
        for text in [text.as_str(), odd.as_str()] {
            let once = extract(&[text]);
            proptest::prop_assert_eq!(&once, &extract(&[text]));
            proptest::prop_assert!(once.len() <= MOST);
            let mut names: Vec<_> = once.iter().map(|one| (one.kind, one.name.clone())).collect();
            names.sort();
            names.dedup();
            proptest::prop_assert_eq!(names.len(), once.len());
        }
    }

    #[test]
    fn what_is_between_backticks_is_found_between_any_words(
        before in "[a-zé ,.]{0,30}", name in "[a-z]{2,8}_[a-z]{2,8}", after in "[a-zé ,.]{0,30}",
    ) {
        let text = format!("{before} `{name}()` {after}");
        let mentions = extract(&[&text]);
        let sure = mentions.iter().any(|one| one.kind == Method && one.name == name && one.relevance_score == SURE);
        proptest::prop_assert!(sure, "{}", text);
    }

    #[test]
    fn two_texts_hold_what_each_holds(one in "[a-z_.`() A-Z]{0,60}", other in "[a-z_.`() A-Z]{0,60}") {
        let both: Vec<_> = extract(&[&one, &other]).into_iter().map(|m| (m.kind, m.name)).collect();
        for text in [&one, &other] {
            for mention in extract(&[text]) {
                proptest::prop_assert!(both.contains(&(mention.kind, mention.name)));
            }
        }
    }
}
