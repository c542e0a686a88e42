//! Prints the coverage and the width of confidence intervals.

use crate::{
    clusters::{Clustering, Scenario},
    options::Options,
};

/// The error rates that are simulated.
const ERROR_RATES: [f64; 5] = [0.005, 0.01, 0.03, 0.1, 0.3];
/// The numbers of duplicate groups that are simulated.
const GROUPS: [u32; 4] = [20, 40, 150, 600];
/// The number of tournaments of each kind that are simulated by default.
const DEFAULT_TOURNAMENTS: u64 = 2_000;

/// Prints a table for each dependence between errors.
pub fn print_coverage(options: &Options) {
    let tournaments = options.count.unwrap_or(DEFAULT_TOURNAMENTS);
    println!(
        "How often 95% intervals contain the true value, in percent of {tournaments} tournaments: accuracy per take / regret per match"
    );
    println!(
        "(in parentheses: the median width relative to the error rate and to the regret; * means that ten or more errors are expected)"
    );
    for clustering in Clustering::ALL {
        let columns = GROUPS.map(|groups| format!(" {groups} groups |"));
        println!("\n| {} |{}", clustering.name(), columns.concat());
        println!("|---|{}", "---|".repeat(GROUPS.len()));
        for errors in ERROR_RATES {
            let cells = GROUPS.map(|groups| {
                let scenario = Scenario { error_rate: errors, groups, clustering };
                let found = scenario.simulate(tournaments, options.seed);
                format!(
                    " {:.1} / {:.1}{} ({:.2}, {:.2}) |",
                    100.0 * found.accuracy.held,
                    100.0 * found.regret.held,
                    if scenario.expected_errors() >= 10.0 { "*" } else { "" },
                    found.accuracy.width,
                    found.regret.width,
                )
            });
            println!("| {}% |{}", 100.0 * errors, cells.concat());
        }
    }
}
