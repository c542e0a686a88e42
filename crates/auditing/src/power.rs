//! The power of the tests.

/// The normal quantile of power 0.8.
const POWER_QUANTILE: f64 = 0.841_621;
/// The critical value to use if nothing was tested; it is the one for 40 independent tests.
const DEFAULT_CRITICAL: f64 = 3.0;

/// Returns the shift of the mean that makes a sum with this deviation significant with power 0.8.
pub(super) fn detectable_shift(deviation: f64, critical: f64) -> f64 {
    (usable_critical(critical) + POWER_QUANTILE) * deviation
}

/// Returns the share of groups in which putting another bot first would be detected with power 0.8; `None` if all
/// groups are not enough.
///
/// A group has one match per seat. Ranking a place first instead of at its average moves it by `n/2` ranks, and the
/// others by `-1/(n-1)`; permuted, the gain goes to each of the n-1 places equally. `deviation` is that of the sum over
/// the permutations without help.
pub(super) fn detectable_share(groups: f64, seats: f64, deviation: f64, critical: f64) -> Option<f64> {
    let gain = seats * (seats / 2.0 - 1.0 / (seats - 1.0));
    let critical = usable_critical(critical);
    let shortfall = |share: f64| {
        let permuted = deviation * deviation + share * groups * gain * gain / (seats - 2.0);
        let drawn = deviation * deviation + share * (1.0 - share) * groups * gain * gain;
        critical * permuted.sqrt() + POWER_QUANTILE * drawn.sqrt() - share * groups * gain
    };
    if !(groups > 0.0 && seats > 2.0 && shortfall(1.0) <= 0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if shortfall(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}

fn usable_critical(critical: f64) -> f64 {
    if critical.is_finite() { critical } else { DEFAULT_CRITICAL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_groups_detect_weaker_help() {
        let share = |groups| detectable_share(groups, 3.0, 0.0, 3.0);
        // Every group counts once, and nine of them are three standard deviations.
        assert_eq!(share(8.0), None);
        let shares: Vec<f64> =
            [10.0, 40.0, 160.0, 640.0].iter().filter_map(|&groups| share(groups)).collect();
        assert!(shares.len() == 4 && shares.is_sorted_by(|one, other| one > other), "{shares:?}");
        assert!(detectable_share(40.0, 3.0, 10.0, 3.0) > share(40.0));
        assert_eq!(detectable_share(100.0, 2.0, 1.0, 3.0), None);
    }
}
