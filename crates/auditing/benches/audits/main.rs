//! Measures the error rates of audits, for the tables on the book's page about audits.
//!
//! `cargo bench --bench audits` takes an hour; with `-- honest --count 10 --groups 150 --seed 5000` added, it runs only
//! a part of the simulations. All results derive from the seed. Do not use seeds that were used to choose a rule of the
//! audits.
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

/// The name of a part of the simulations, and the function that runs it.
type BenchmarkPart = (&'static str, fn(&Options));

fn main() {
    let options = Options::from_args();
    let parts: [BenchmarkPart; 5] = [
        ("coverage", coverage::print_coverage),
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
