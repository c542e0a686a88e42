//! How often what audits infer is wrong: the tables of `docs/audits.md`.
//!
//! `cargo bench -p lastnim-core --bench audits` takes minutes. All of it follows from seeds.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers of a benchmark are small"
)]

mod clusters;
mod collusion;
mod coverage;
mod fields;

fn main() {
    coverage::print();
    collusion::print();
}
