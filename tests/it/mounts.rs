//! Projects on file systems that are not one plain disk: an overlay, a mount inside a skill, and files of another user.
//!
//! They need a mount namespace of their own, or to be root. Where that is not permitted the tests say so and pass.

use std::process::Command;

/// Two stub CLIs, a home, and a project holding one skill in both, in `$W/lower`.
const BEGIN: &str = r#"
set -eu
W=$1 H=$2
NAME=validate-email-addresses
export HOME="$W/home" PATH="$W/bin:/usr/bin:/bin"
fail() { echo "FAILED: $*"; exit 1; }
hefesto() { "$H" -C . "$@" -q > "$W/said" 2>&1; }
ends() { want=$1; shift; got=0; hefesto "$@" || got=$?; [ "$got" = "$want" ] || fail "$* ends with $got: $(cat "$W/said")"; }
mkdir -p "$W/home" "$W/bin" "$W/lower"
for cli in claude gemini; do printf '#!/bin/sh\necho 1.2.3\n' > "$W/bin/$cli"; chmod +x "$W/bin/$cli"; done
cd "$W/lower"
ends 0 init --yes
ends 0 create "Validate email addresses" --name $NAME --yes
skills() { cat .claude/skills/$NAME/SKILL.md .gemini/skills/$NAME/SKILL.md 2>/dev/null | sha256sum; }
OLD=$(skills)
"#;

const OVERLAY: &str = r#"
mkdir -p "$W/merged" "$W/tmpfs"
mount -t tmpfs none "$W/tmpfs" && mkdir "$W/tmpfs/u" "$W/tmpfs/w" || exit 77
laid() {
    cd "$W"; if mountpoint -q merged; then umount merged; fi
    rm -rf tmpfs/u tmpfs/w; mkdir tmpfs/u tmpfs/w
    mount -t overlay overlay -o "lowerdir=$W/lower,upperdir=$W/tmpfs/u,workdir=$W/tmpfs/w" merged || exit 77
    cd merged
}
over() { "$@" create "Check postal codes" --name $NAME --on-collision overwrite --yes; }
laid; over ends 0; NEW=$(skills); [ "$NEW" != "$OLD" ] || fail "nothing is replaced"
ends 0 undo --yes; [ "$(skills)" = "$OLD" ] || fail "undo brings something else"
laid; ends 0 delete $NAME --yes; [ ! -e .claude/skills/$NAME ] || fail "the skill is still there"
GONE=$(skills)
ends 0 undo --yes; [ "$(skills)" = "$OLD" ] || fail "undo brings something else"
points=0; olds=0; news=0
for what in overwrite delete; do
    for at in $(seq 20 200); do
        laid
        export HEFESTO_FAILPOINT="$at:after"
        got=0
        if [ $what = delete ]; then hefesto delete $NAME --yes || got=$?; else over hefesto || got=$?; fi
        unset HEFESTO_FAILPOINT
        [ $got != 0 ] || break
        [ $got = 137 ] || fail "$what is killed at $at and ends with $got"
        ends 0 list
        now=$(skills)
        case $now in
            "$OLD") olds=$((olds + 1)) ;;
            "$NEW" | "$GONE") news=$((news + 1)) ;;
            *) fail "$what, killed at $at: neither old nor new" ;;
        esac
        [ -z "$(ls .hefesto/txn)" ] || fail "$what, killed at $at: $(ls .hefesto/txn)"
        points=$((points + 1))
    done
done
echo "overlay: $points points, $olds old, $news new"
[ $points -ge 40 ] && [ $olds -ge 10 ] && [ $news -ge 10 ] || fail "$points points"
"#;

const MOUNTED: &str = r#"
mkdir -p "$W/elsewhere" .claude/skills/$NAME/data
echo precious > "$W/elsewhere/f"
for at in .claude/skills/$NAME/data .gemini/skills/$NAME; do
    mount --bind "$W/elsewhere" $at || exit 77
    ends 1 delete $NAME --yes
    grep -q "mount point" "$W/said" || fail "the mount is not named: $(cat "$W/said")"
    umount $at
done
[ "$(cat "$W/elsewhere/f")" = precious ] && [ "$(skills)" = "$OLD" ] || fail "something was changed"
"#;

const FOREIGN: &str = r#"
[ "$(id -u)" = 0 ] && command -v setpriv > /dev/null || exit 77
mkdir -p .claude/skills/$NAME/scripts/__pycache__
echo x > .claude/skills/$NAME/scripts/__pycache__/run.pyc
chown -R 65534:65534 "$W"; chmod 755 "$W"; chown -R 0:0 .claude/skills/$NAME/scripts/__pycache__
setpriv --reuid=65534 --regid=65534 --clear-groups "$H" --version > /dev/null 2>&1 || exit 77
hefesto() { setpriv --reuid=65534 --regid=65534 --clear-groups "$H" -C . "$@" > "$W/said" 2>&1; }
ends 0 create "Check postal codes" --name $NAME --on-collision overwrite --yes
grep -q "WARN-016.*trash" "$W/said" || fail "nothing is said: $(cat "$W/said")"
[ -z "$(ls .hefesto/txn)" ] && [ -n "$(ls .hefesto/trash)" ] || fail "$(ls .hefesto/txn .hefesto/trash)"
echo edited >> .claude/skills/$NAME/SKILL.md
EDITED=$(skills)
for again in 1 2; do
    ends 0 list
    if grep -q "WARN-016\|INFO-006" "$W/said"; then fail "said again: $(cat "$W/said")"; fi
    [ "$(skills)" = "$EDITED" ] || fail "the edit is lost"
done
ends 0 delete $NAME --yes
ends 0 recover
ends 0 list --skills
if grep -q $NAME "$W/said"; then fail "the deleted skill is back: $(cat "$W/said")"; fi
chown -R 65534:65534 .hefesto/trash
ends 0 list
[ ! -e .hefesto/trash ] || fail "the trash is not removed"
"#;

/// Runs a script in a mount namespace of its own.
fn run(name: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    let namespace: &[&str] = if rustix::process::getuid().is_root() { &["-m"] } else { &["-Urm"] };
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", &format!("{BEGIN}{script}"), "sh"]).arg(dir.path());
    let done = command.arg(env!("CARGO_BIN_EXE_hefesto")).env_clear().env("PATH", "/usr/bin:/bin").output();
    let said = done.as_ref().map(|done| String::from_utf8_lossy(&[&done.stdout[..], &done.stderr[..]].concat()).into());
    let said: String = said.unwrap_or_default();
    match done.map(|done| done.status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(77)) => eprintln!("SKIPPED {name}: not permitted here\n{said}"),
        Ok(_) if said.starts_with("unshare:") => eprintln!("SKIPPED {name}: {said}"),
        Err(error) => eprintln!("SKIPPED {name}: unshare: {error}"),
        Ok(code) => panic!("{name} ends with {code:?}\n{said}"),
    }
}

#[cfg(debug_assertions)]
#[test]
fn an_overlay_is_written_to_and_a_kill_leaves_old_or_new() {
    run("overlay", OVERLAY);
}

#[test]
fn a_mount_point_is_neither_replaced_nor_removed() {
    run("mounted", MOUNTED);
}

/// `/etc` is an empty directory with what whoever looks after the machine would lay down.
const MANAGED: &str = r#"
mount -t tmpfs none /etc || exit 77
lists() { want=$1; shift; hefesto "$@" why $NAME --cli $CLI; grep -q "$want" "$W/said" || fail "$CLI: $(cat "$W/said")"; }
hefesto() { "$H" -C . "$@" > "$W/said" 2>&1; }
CLI=claude; lists "lists it: .claude"
mkdir -p /etc/claude-code/managed-settings.d "$HOME/.claude"
echo "{\"skillOverrides\": {\"$NAME\": \"off\"}}" > /etc/claude-code/managed-settings.json
echo "{\"skillOverrides\": {\"$NAME\": \"on\"}}" > .claude/settings.local.json
lists "cause: /etc/claude-code/managed-settings.json holds"
echo "{\"skillOverrides\": {\"$NAME\": \"name-only\"}}" > /etc/claude-code/managed-settings.d/10-skills.json
echo "not for JSON" > /etc/claude-code/managed-settings.d/README
lists "cause: /etc/claude-code/managed-settings.d/10-skills.json holds"
rm -r /etc/claude-code/managed*
mkdir -p /etc/claude-code/.claude/skills "$HOME/.claude/skills"
cp -r .claude/skills/$NAME /etc/claude-code/.claude/skills/
cp -r .claude/skills/$NAME "$HOME/.claude/skills/"
echo more >> /etc/claude-code/.claude/skills/$NAME/SKILL.md
lists "uses /etc/claude-code/.claude/skills/$NAME: the skills for everybody on this machine win"
CLI=gemini; lists "lists it"
mkdir /etc/gemini-cli; echo '{"skills": {"enabled": false}}' > /etc/gemini-cli/settings.json
lists "cause: /etc/gemini-cli/settings.json holds"
CLI=opencode; lists "lists it"
mkdir /etc/opencode; echo '{"permission": {"skill": {"*": "deny"}}}' > /etc/opencode/opencode.json
lists "cause: /etc/opencode/opencode.json holds"
CLI=codex; mkdir -p .codex/skills /etc/codex/skills; cp -r .claude/skills/$NAME .codex/skills/; lists "lists it"
echo '[skills]' > /etc/codex/managed_config.toml; echo 'include_instructions = false' >> /etc/codex/managed_config.toml
lists "cause: /etc/codex/managed_config.toml holds"
cp -r .claude/skills/$NAME /etc/codex/skills/
lists "lists it twice, as /etc/codex/skills/$NAME is there too"
"#;

#[test]
fn what_is_laid_down_for_the_machine_decides_what_clients_list() {
    run("managed", MANAGED);
}

#[test]
fn files_of_another_user_in_the_old_skill_block_nothing() {
    run("foreign", FOREIGN);
}
