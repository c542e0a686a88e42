//! How the capital of each bet in a sequential test changes over time.

use super::BetCapitals;
use serde::{Deserialize, Serialize};

/// Maximum number of stored points. When it is reached, every second point is dropped and the interval doubles, so
/// memory is bounded and the same groups always give the same points.
const MAX_POINTS: usize = 128;

/// The capital of each bet after a number of groups.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CapitalPoint {
    /// Number of groups judged.
    pub groups: u64,
    /// The capitals of the bets.
    pub capitals: BetCapitals,
}

/// The capital of each bet over time, with points for only some of the groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CapitalPath {
    points: Vec<CapitalPoint>,
    /// A point is kept whenever the number of groups is a multiple of this number.
    interval: u64,
}

impl Default for CapitalPath {
    fn default() -> Self {
        Self { points: Vec::new(), interval: 1 }
    }
}

impl CapitalPath {
    /// Adds a point, which must have one group more than the previous one. Not every point is kept.
    pub(super) fn push(&mut self, point: CapitalPoint) {
        if !point.groups.is_multiple_of(self.interval) {
            return;
        }
        if self.points.len() >= MAX_POINTS {
            self.interval *= 2;
            let interval = self.interval;
            self.points.retain(|point| point.groups.is_multiple_of(interval));
            if !point.groups.is_multiple_of(interval) {
                return;
            }
        }
        self.points.push(point);
    }

    /// Returns the kept points before `last`, then `last` itself.
    pub(super) fn points_through(&self, last: CapitalPoint) -> Vec<CapitalPoint> {
        let before = self.points.iter().filter(|point| point.groups < last.groups);
        before.copied().chain((last.groups > 0).then_some(last)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{decode_state, encode_state};

    fn point(groups: u64) -> CapitalPoint {
        let better = f64::from(u32::try_from(groups).unwrap()) / 8.0;
        CapitalPoint { groups, capitals: BetCapitals { better, no_better: -2.0 * better } }
    }

    #[test]
    fn a_long_path_keeps_a_limited_number_of_evenly_spread_points() {
        let (mut path, mut kept) = (CapitalPath::default(), CapitalPath::default());
        for groups in 1..=100_000 {
            path.push(point(groups));
            kept.push(point(groups));
            if groups % 997 == 0 {
                kept = decode_state(&encode_state(&kept)).unwrap();
            }
            assert!(path.points.len() <= MAX_POINTS);
        }
        assert_eq!(kept, path, "the restored state continues identically");
        let points = path.points_through(point(100_000));
        assert!(points.len() >= MAX_POINTS / 2, "{}", points.len());
        let steps = points.windows(2).map(|pair| pair[1].groups - pair[0].groups);
        assert!(steps.clone().all(|step| step > 0 && step <= path.interval), "{points:?}");
        assert_eq!(points.last(), Some(&point(100_000)));
        assert!(points.iter().all(|kept| *kept == point(kept.groups)));
    }

    #[test]
    fn a_short_path_has_all_points() {
        let mut path = CapitalPath::default();
        assert_eq!(path.points_through(point(0)), []);
        for groups in 1..=3 {
            path.push(point(groups));
        }
        assert_eq!(path.points_through(point(3)), [point(1), point(2), point(3)]);
    }
}
