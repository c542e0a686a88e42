//! Tests that audits have the stated error rates, with a fast part of the simulations in `benches/audits`.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers in these tests are small"
)]

#[path = "../../benches/audits/clusters.rs"]
mod clusters;
mod collusion;
#[path = "../../benches/audits/declares.rs"]
mod declares;
#[path = "../../benches/audits/fields.rs"]
mod fields;
#[path = "../../benches/audits/kinds.rs"]
mod kinds;
#[path = "../../benches/audits/plays.rs"]
mod plays;

use clusters::{Clustering, Scenario};

#[test]
fn intervals_have_the_stated_coverage() {
    let tournaments = 300;
    for clustering in Clustering::ALL {
        for (errors, groups) in [(0.005, 20), (0.01, 150), (0.03, 24), (0.03, 90), (0.1, 40), (0.3, 20)] {
            let scenario = Scenario { error_rate: errors, groups, clustering };
            let found = scenario.simulate(tournaments, 5);
            for coverage in [found.accuracy, found.regret] {
                // The allowed coverage is 93% to 97%, with three standard deviations for 300 tournaments added on
                // either side.
                let max = if scenario.expected_errors() >= 10.0 { 0.999 } else { 1.0 };
                let is_good = (0.88..=max).contains(&coverage.held) && coverage.width.is_finite();
                assert!(is_good, "{}: {scenario:?}: {coverage:?}", clustering.name());
            }
        }
    }
}

#[test]
fn intervals_of_many_errors_are_not_too_wide() {
    let scenario = Scenario { error_rate: 0.1, groups: 600, clustering: Clustering::Independent };
    let found = scenario.simulate(300, 6);
    // The expected width is 1.96 standard deviations on either side, which is 0.139 of the error rate.
    assert!(found.accuracy.width < 0.15, "{found:?}");
    assert!(found.accuracy.held < 0.99 && found.regret.held < 0.99, "{found:?}");
}
