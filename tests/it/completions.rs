//! What a shell is offered at Tab.

use crate::support::stage::Stage;

/// The candidates for the last of these words, typed in the stage's project.
fn offered(stage: &mut Stage, words: &[&str]) -> Vec<String> {
    stage.set("HEFESTO_COMPLETE", "bash");
    stage.set("_CLAP_COMPLETE_INDEX", &words.len().to_string());
    stage.set("_CLAP_IFS", "\n");
    let ran = stage.hefesto(&[&["--", "hefesto"], words].concat(), b"");
    stage.unset("HEFESTO_COMPLETE");
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran.stdout.lines().filter(|one| !one.starts_with('-')).map(str::to_owned).collect()
}

#[test]
fn what_is_installed_and_what_was_done_is_offered() {
    let mut stage = Stage::new(&["claude=2.1.0"]);
    for sentence in ["Merge several PDF files into one", "Name commits"] {
        stage.hefesto(&["create", sentence, "--yes"], b"").exits(0);
    }
    assert_eq!(offered(&mut stage, &["show", "mer"]), ["merge-pdf-files"]);
    assert_eq!(offered(&mut stage, &["pack", "mer"]), ["merge-pdf-files"]);
    assert_eq!(offered(&mut stage, &["delete", ""]).len(), 2);
    assert_eq!(offered(&mut stage, &["undo", ""]).len(), 2);
    let before: Vec<_> = offered(&mut stage, &["show", ""]);
    assert_eq!(offered(&mut stage, &["show", ""]), before, "nothing is changed by asking");
}

#[test]
fn ids_are_offered_and_a_list_is_completed_behind_its_comma() {
    let mut stage = Stage::new(&[]);
    assert_eq!(offered(&mut stage, &["create", "x", "--target", "cl"]), ["claude"]);
    assert_eq!(offered(&mut stage, &["create", "x", "--target", "claude,qw"]), ["claude,qwen"]);
    assert_eq!(offered(&mut stage, &["create", "x", "--pack", "dock"]), ["docker"]);
    assert!(offered(&mut stage, &["explain", "e-create-01"]).contains(&"E-CREATE-010".to_owned()));
    assert_eq!(offered(&mut stage, &["sync", "--from", "cl"]), ["claude"]);
    assert_eq!(offered(&mut stage, &["sync", "--on-conflict", "ours=cl"]), ["ours=claude"]);
    assert_eq!(offered(&mut stage, &["vali"]), ["validate"]);
    assert_eq!(offered(&mut stage, &["adap"]), ["adapt"]);
}

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    let stage = Stage::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = stage.hefesto(&["completions", shell], b"");
        assert!(ran.exit == Some(0) && ran.stdout.contains("HEFESTO_COMPLETE"), "{shell}: {ran:?}");
    }
}
