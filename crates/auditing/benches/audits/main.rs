//! How often what audits infer is wrong: the tables of `docs/audits.md`.
//!
//! `cargo bench --bench audits` takes an hour; `-- honest --count 10 --groups 150 --seed 5000` a part of it. All of
//! it follows from the seed: what a rule was chosen with must not be what proves it.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers of a benchmark are small"
)]

mod clusters;
mod collusion;
mod coverage;
mod declares;
mod fields;
mod kinds;
mod options;
mod plays;

use options::Options;

/// A part of the simulations, by its name.
type Part = (&'static str, fn(&Options));

fn main() {
    let options = Options::from_args();
    let parts: [Part; 5] = [
        ("coverage", coverage::print),
        ("level", collusion::print_level),
        ("honest", collusion::print_honest),
        ("colluding", collusion::print_colluding),
        ("power", collusion::print_power),
    ];
    for (part, print) in parts {
        if options.wants(part) {
            print(&options);
        }
    }
}
