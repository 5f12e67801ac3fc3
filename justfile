# What is done often. `just` alone lists it.
_default:
    @just --list --unsorted

# The one gate: format, lints, tests
ci:
    .ci/run

# All tests, or the ones named
test *ARGS:
    cargo test {{ ARGS }}

# Format and lints
lint:
    cargo fmt --check
    cargo clippy --all-targets --quiet -- -D warnings

# Make a skill in ./demo
run-demo:
    cargo run --release -- -C demo create "Validate email addresses using regex patterns" --target claude,gemini --yes

# Write README, docs and hefesto's own plugin anew from what the program says
update:
    HEFESTO_UPDATE=1 cargo test --test it -- documents:: readme:: own::
    HEFESTO_UPDATE=1 cargo test --lib -- project::facts::

# How long things take
bench:
    cargo bench --bench forge
