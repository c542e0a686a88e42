//! Error rates of audits: the tables in the book's page on audits.
//!
//! `cargo bench --bench audits` takes an hour; `-- honest --count 10 --groups 150 --seed 5000` runs a part. Everything
//! derives from the seed. Do not use the seeds with which a rule was chosen.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark's numbers are small"
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

/// A part of the simulations, with its name.
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
