//! A pack of the user's own, in the form that `docs/packs.md` describes.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::world::World;

/// The example of the document.
fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/packs.md");
    let text = fs::read_to_string(path).unwrap();
    let block = text.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).unwrap();
    block.0.to_owned()
}

#[test]
fn the_example_of_the_document_is_a_pack() {
    let world = World::two();
    world.write(".hefesto/templates/domains/label-printing.toml", example());
    world.write("CONTRIBUTING.md", "# Rules\n\n- Labels are printed on the Zebra printer, never on paper.\n");
    let sentence = "Print shipping labels for today's orders";
    let dry = world.data(&["create", sentence, "--dry-run"]);
    assert_eq!(dry["body"]["packs"][0]["id"], json!("label-printing"), "{dry}");
    assert_eq!(dry["body"]["questions"][0]["key"], json!("carrier"), "{dry}");
    world.create(&[sentence, "--answer", "carrier=DHL Freight", "--yes"]).is(0);
    let list = world.data(&["list"]);
    let text = world.read(&format!(".claude/skills/{}/SKILL.md", list["skills"][0]["name"].as_str().unwrap()));
    for said in ["the numbers of the orders", "1. Compare each address", "DHL Freight", "one barcode of each sheet"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let printed = text.lines().find(|line| line.starts_with("2. ")).unwrap();
    assert!(printed.contains("Zebra") && !text.contains("lp -d labels"), "the rule decides: {text}");
}
