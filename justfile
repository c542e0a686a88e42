# Short names for long commands; every check itself lives in `cargo test` and `.ci/run`.

# Lists the recipes.
default:
    @just --list

# Plays and explains a tournament of house bots.
demo *args:
    cargo run --release -- demo {{ args }}

# Runs the tests.
test *args:
    cargo test {{ args }}

# Accepts the current output of the command line; `git diff` shows the changes.
accept-snapshots:
    INSTA_UPDATE=always cargo test --test cli_snapshots

# Checks format and lints.
lint:
    cargo fmt --all --check
    cargo clippy --all-targets -- -D warnings

# Measures the oracle.
bench-oracle *args:
    cargo bench --bench oracle {{ args }}

# Measures the server; at most two minutes, `-- --quick` for 15 seconds.
bench-arena *args:
    cargo bench --bench arena {{ args }}

# Measures the cost of a long history.
bench-history *args:
    cargo bench --bench history {{ args }}

# Measures how soon every page starts to arrive, with a million stored matches.
bench-pages *args:
    cargo bench --bench pages {{ args }}

# Measures the audit of a million records; `-- --matches 100000` audits fewer.
bench-audit *args:
    cargo bench --bench audit {{ args }}

# Measures how many matches tell two bots apart, and the cost of ratings.
bench-ratings *args:
    cargo bench -p lastnim-bots --bench ratings {{ args }}

# Repeats the property tests with more cases and new seeds, for the given seconds.
properties seconds="180":
    .ci/properties {{ seconds }}

# Fuzzes a target of `fuzz` for the given seconds and keeps new inputs; needs a nightly toolchain and cargo-fuzz.
fuzz target seconds="600":
    cargo +nightly fuzz run -s none {{ target }} -- -max_total_time={{ seconds }}
    cargo +nightly fuzz cmin -s none {{ target }}

# Runs everything that a change must pass.
ci:
    .ci/run

# Counts the lines of product code by folder, without tests, blank lines and comments.
loc:
    .ci/loc
