#!/usr/bin/env bash
# The steps of the GitHub Action: installs the release this action belongs to, checked by its sum, and runs one check.
set -euo pipefail

manifest=$(dirname "$0")/../Cargo.toml
HEFESTO_VERSION=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$manifest")
: "${HEFESTO_RELEASES:=$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/v$HEFESTO_VERSION}"
HEFESTO_BIN=$RUNNER_TEMP/hefesto-$HEFESTO_VERSION
export HEFESTO_VERSION HEFESTO_RELEASES HEFESTO_BIN
sh "$(dirname "$0")/install.sh"
echo "$HEFESTO_BIN" >>"$GITHUB_PATH"

# With nothing in it, the list would be an error in the bash of macOS.
read -ra more <<<"${ACTION_ARGS:-}"
case $ACTION_CHECK in
    validate) exec "$HEFESTO_BIN/hefesto" validate --no-input --format github ${more[@]+"${more[@]}"} ;;
    status) exec "$HEFESTO_BIN/hefesto" status --check --no-input ${more[@]+"${more[@]}"} ;;
    *) echo "check is \`validate\` or \`status\`, not \`$ACTION_CHECK\`" >&2 && exit 2 ;;
esac
