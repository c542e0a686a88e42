//! Measures how many matches it takes to tell two bots apart, how often intervals contain the true value, and the cost
//! of ratings. It prints the tables in the book's page on ratings.
//!
//! `cargo bench -p lastnim-bots --bench ratings` takes some minutes; `-- --cost` prints only the cost, `-- --ladders`
//! only the coverage in ladders, `-- --resolution` only the chances of the best bot. Everything but the times derives
//! from seeds.

mod cost;
mod coverage;
mod ladders;
mod play;
mod resolution;
mod study;

fn main() {
    if std::env::args().any(|argument| argument == "--ladders") {
        return ladders::print();
    }
    if std::env::args().any(|argument| argument == "--resolution") {
        return resolution::print();
    }
    if !std::env::args().any(|argument| argument == "--cost") {
        study::print();
        coverage::print();
        ladders::print();
        resolution::print();
    }
    cost::print();
}
