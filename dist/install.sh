#!/bin/sh
# Installs hefesto @VERSION@: fetches the archive for this machine and the sums, compares them, and only then unpacks.
#
#   HEFESTO_BIN       where the program goes [default: ~/.local/bin]
#   HEFESTO_RELEASES  where the archives are, an https:// or file:// address [default: @RELEASES@]
#   HEFESTO_SHA256    the sum the archive must have, instead of that in SHA256SUMS
set -eu

version=${HEFESTO_VERSION:-@VERSION@}
releases=${HEFESTO_RELEASES:-@RELEASES@}
bin=${HEFESTO_BIN:-$HOME/.local/bin}

fail() {
    echo "hefesto: $1" >&2
    exit 1
}

case $releases in
    https://* | file://*) ;;
    *) fail "HEFESTO_RELEASES has to say where the archives are, as an https:// or file:// address" ;;
esac

case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    *) fail "there is no program for $(uname -s) on $(uname -m); with Rust: cargo install --path . in the sources" ;;
esac

fetch() {
    if command -v curl >/dev/null; then
        curl --proto '=https,file' --proto-redir '=https' --silent --show-error --fail --location "$releases/$1" --output "$1"
    elif command -v wget >/dev/null; then
        wget --https-only --quiet "$releases/$1" --output-document "$1"
    else
        fail "curl or wget is needed"
    fi || fail "$releases/$1 cannot be fetched"
}

sum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

name=hefesto-$version-$target
fetch "$name.tar.gz"
if [ -n "${HEFESTO_SHA256:-}" ]; then
    wanted=$HEFESTO_SHA256
else
    fetch SHA256SUMS
    wanted=$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' SHA256SUMS)
fi
[ "$(sum "$name.tar.gz")" = "$wanted" ] || fail "$name.tar.gz does not have the sum ${wanted:-that SHA256SUMS leaves out}; nothing was installed"

tar -xzf "$name.tar.gz"
mkdir -p "$bin"
# In two steps, so that a program that is running is replaced and not written over.
cp "$name/hefesto" "$bin/.hefesto.$$"
mv -f "$bin/.hefesto.$$" "$bin/hefesto"
echo "$("$bin/hefesto" --version) is in $bin" >&2
case :$PATH: in
    *:"$bin":*) ;;
    *) echo "$bin is not on PATH" >&2 ;;
esac
