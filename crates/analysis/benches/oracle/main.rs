//! Benchmarks that compare the oracle with memoised search, plain backward induction, the paper's explicit tree and the
//! crate `extensive-form` on the same positions, and that measure the time per pile and the throughput of the batch
//! solver.
//!
//! Before anything is measured, all solvers must agree on the winners. At the end, the benchmark prints a summary of
//! the ratios between solvers in this run, and of the times on this machine.

mod batches;
mod contenders;
mod explicit_tree;
mod numbers;
mod piles;
mod samples;

use criterion::Criterion;
use samples::Samples;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .configure_from_args();
    let samples = Samples::default();
    let solved = contenders::measure(&mut criterion, &samples);
    piles::measure(&mut criterion, &samples);
    batches::measure(&mut criterion, &samples);
    criterion.final_summary();
    contenders::summarise(&samples, &solved);
    piles::summarise(&samples);
    batches::summarise(&samples);
}
