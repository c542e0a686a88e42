//! How many matches it takes to tell two bots apart, and the cost of ratings: the tables in the book's page on ratings.
//!
//! `cargo bench --bench ratings` takes about a minute; `-- --cost` prints only the cost. Everything but the times
//! derives from seeds.

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
