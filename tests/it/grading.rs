//! What a skill is graded, written by hand and made from a sentence alone.

use hefesto::client::target::Arguments;
use hefesto::rules::quality::checklist::{Grade, checklist};
use hefesto::rules::{self, Subject};
use hefesto::skill::Tree;
use hefesto::skill::template::gaps;

use crate::support::made::made;

/// Skills as people write them who know the work: what to run, what to look at, what goes wrong.
const WRITTEN: &[(&str, &str)] = &[
    (
        "restore-vault-backup",
        "---\nname: restore-vault-backup\ndescription: Restores the HashiCorp Vault of the payments cluster from a Raft \
         snapshot. Use when Vault is sealed for good, or when somebody asks to bring secrets back.\n---\n\n\
         # Restore a Vault snapshot\n\n\
         1. Find the newest snapshot: `aws s3 ls s3://vault-snapshots/payments/ | tail -3`.\n\
         2. Compare its checksum with `snapshots.sha256`; a mismatch ends the work here.\n\
         3. Ask Platform in the incident channel before anything is written.\n\
         4. Restore it: `vault operator raft snapshot restore -force payments.snap`.\n\
         5. Unseal with three of the five key holders, one command each: `vault operator unseal`.\n\n\
         Leases older than 32 days are gone afterwards; services that hold one are restarted with\n\
         `kubectl rollout restart -n payments deploy`.\n\n\
         Done when `vault status` says `Sealed false` on all three nodes and `payments-api` answers 200 on `/health`.\n",
    ),
    (
        "price-a-kitchen",
        "---\nname: price-a-kitchen\ndescription: Prices a fitted kitchen from a drawing. Use when a customer sends a plan, \
         a sketch or measurements and wants an offer.\n---\n\n# Price a kitchen from a drawing\n\n\
         1. Read widths in millimetres; the wall units of our line are 300, 450 and 600 wide, nothing between.\n\
         2. Add 60 mm of filler at every corner and 20 mm at every window.\n\
         3. Take prices from `prices/2026-02.csv`; a unit that is not in it is offered without a price.\n\
         4. Fitting is 85 EUR an hour, one hour for two units, four for a sink.\n\
         5. The offer follows `assets/offer.md` and stays valid for 30 days.\n\n\
         Oak of the series Nordic is no longer made: offer Birch and say so.\n\n\
         Done when every unit of the drawing is a row and the sum is 19 % above the net price.\n",
    ),
];

fn graded(name: &str, text: &str) -> Grade {
    let mut tree = Tree::new();
    tree.put("SKILL.md", text);
    let findings = rules::check(&Subject::new(name, &tree));
    Grade::of(&checklist(&findings, true, text), gaps(text))
}

#[test]
fn what_an_expert_wrote_is_graded_better_than_what_a_sentence_alone_gives() {
    for (name, text) in WRITTEN {
        let grade = graded(name, text);
        assert_eq!(grade.verdict, "PASS", "{name}: {grade:?}");
    }
    for sentence in
        ["Triage museum donations", "Tune a harpsichord", "Restore the Vault snapshot", "Voice a clavichord"]
    {
        let made = made(sentence, Arguments::Dollar);
        assert!(made.packs.is_empty(), "{sentence} is in a pack");
        let grade = graded(&made.name, &made.text);
        assert_eq!(grade.verdict, "FAIL", "{sentence}: {grade:?}");
        // With the questions gone it still says nothing of its own.
        let filled: String = made.text.lines().filter(|line| gaps(line) == 0).map(|line| format!("{line}\n")).collect();
        assert_ne!(graded(&made.name, &filled).verdict, "PASS", "{sentence}");
    }
}
