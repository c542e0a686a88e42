//! How many matches tell two bots apart, and what ratings cost: the tables of `docs/why/ratings.md`.
//!
//! `cargo bench --bench ratings` takes about a minute, `cargo bench --bench ratings -- --cost` prints only what they cost. All of it
//! but the times follows from seeds.

mod cost;
mod coverage;
mod play;
mod study;

fn main() {
    if !std::env::args().any(|argument| argument == "--cost") {
        study::print();
        coverage::print();
    }
    cost::print();
}
