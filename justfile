# Short names for long commands; every check itself lives in `cargo test` and `.ci/run`.

# Lists what there is.
default:
    @just --list

# Plays a tournament of house bots and explains it.
demo *args:
    cargo run --release -- demo {{ args }}

# Runs the tests.
test *args:
    cargo test {{ args }}

# Accepts what the command line prints now; `git diff` shows what has changed.
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

# Measures what a long history costs.
bench-history *args:
    cargo bench --bench history {{ args }}

# Measures how soon every page begins to come, with a million stored matches.
bench-pages *args:
    cargo bench --bench pages {{ args }}

# Measures the audit of a million records; `-- --matches 100000` makes it fewer.
bench-audit *args:
    cargo bench --bench audit {{ args }}

# Studies how many matches tell two bots apart, and what ratings cost.
bench-ratings *args:
    cargo bench --bench ratings {{ args }}

# Repeats the property tests with more cases and new seeds, for so many seconds.
properties seconds="180":
    .ci/properties {{ seconds }}

# Fuzzes a target of `fuzz`, for so many seconds, and keeps what it finds worth keeping; needs a nightly toolchain and cargo-fuzz.
fuzz target seconds="600":
    cargo +nightly fuzz run -s none {{ target }} -- -max_total_time={{ seconds }}
    cargo +nightly fuzz cmin -s none {{ target }}

# Runs everything that a change must pass.
ci:
    .ci/run

# Counts the lines of code of the product by folder: no tests, no blank lines, no comments.
loc:
    .ci/loc
