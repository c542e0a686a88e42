//! Measures the time during which the server ran, without the gaps in which its process or runtime stalled.
//!
//! A process that is stopped, migrated or starved of CPU does not notice this while it happens. So the runtime sends a
//! heartbeat at short intervals, and time without heartbeats does not count: the first reading after a gap returns the
//! time at which the gap began. Time then stands still until the runtime has run for a while, so that everything that
//! arrived during the gap is treated as if it had arrived when the gap began.

use std::time::Duration;

/// The maximum time for catching up with the messages that arrived during a gap.
const MAX_CATCH_UP: Duration = Duration::from_secs(1);

/// Catching up takes the length of the gap divided by this number, because more messages arrive during a longer gap.
const CATCH_UP_DIVISOR: u32 = 8;

/// The maximum number of further gaps while catching up; after that, time runs again. A permanently overloaded server
/// never catches up, but its matches must end.
const MAX_GAPS_WHILE_CATCHING_UP: u32 = 8;

/// The shortest gap in which streams may be lost, because clients with keepalive checks drop a silent server.
const MIN_GAP_LOSING_STREAMS: Duration = Duration::from_secs(1);

/// How long after such a gap the server may still discover lost streams.
const LOSS_DETECTION_TIME: Duration = Duration::from_secs(5);

/// Counts the time during which the server ran. Instants are given as durations since a fixed starting point, measured
/// by a monotonic clock.
#[derive(Debug)]
pub(crate) struct RunningTime {
    /// The longest time without a heartbeat that still counts as running time.
    stall_threshold: Duration,
    /// The time of the last heartbeat that was not late.
    last_timely_heartbeat: Duration,
    /// The instant up to which time has been counted or left out.
    counted_until: Duration,
    /// The running time counted so far.
    running_total: Duration,
    /// Set from the first heartbeat after a gap until time runs again.
    recovery: Option<StallRecovery>,
    /// When time last resumed after a gap in which streams may have been lost.
    recovered_at: Option<Duration>,
}

/// Catching up after a gap.
#[derive(Debug, Clone, Copy)]
struct StallRecovery {
    /// The first heartbeat since the last gap.
    since: Duration,
    last_heartbeat: Duration,
    /// The number of further gaps while catching up.
    setbacks: u32,
}

impl RunningTime {
    /// Starts counting with a heartbeat at the fixed starting point.
    pub(crate) fn start(stall_threshold: Duration) -> Self {
        Self {
            stall_threshold,
            last_timely_heartbeat: Duration::ZERO,
            counted_until: Duration::ZERO,
            running_total: Duration::ZERO,
            recovery: None,
            recovered_at: None,
        }
    }

    /// Returns the running time at `at`, which never decreases.
    pub(crate) fn running_at(&mut self, at: Duration) -> Duration {
        if !self.is_stalled(at) {
            self.count_until(at);
        }
        self.running_total
    }

    /// Notes a heartbeat at `at`. If it ends a gap, returns for how long time stood still.
    pub(crate) fn note_heartbeat(&mut self, at: Duration) -> Option<Duration> {
        if !self.is_stalled(at) {
            self.last_timely_heartbeat = at;
            self.count_until(at);
            return None;
        }
        let mut recovery =
            self.recovery.unwrap_or(StallRecovery { since: at, last_heartbeat: at, setbacks: 0 });
        if at.saturating_sub(recovery.last_heartbeat) > self.stall_threshold {
            recovery.since = at;
            recovery.setbacks += 1;
        }
        recovery.last_heartbeat = at;
        let caught_up_for = at.saturating_sub(recovery.since);
        let gap = recovery.since.saturating_sub(self.counted_until);
        let has_caught_up =
            !caught_up_for.is_zero() && caught_up_for >= (gap / CATCH_UP_DIVISOR).min(MAX_CATCH_UP);
        if !has_caught_up && recovery.setbacks < MAX_GAPS_WHILE_CATCHING_UP {
            self.recovery = Some(recovery);
            return None;
        }
        let stood_still = at.saturating_sub(self.counted_until);
        self.counted_until = at;
        self.last_timely_heartbeat = at;
        self.recovery = None;
        if stood_still >= MIN_GAP_LOSING_STREAMS {
            self.recovered_at = Some(at);
        }
        Some(stood_still)
    }

    /// Returns whether a stream that ends at `at` may have been lost because the server stalled.
    pub(crate) fn may_lose_streams(&self, at: Duration) -> bool {
        let is_in_gap =
            self.is_stalled(at) && at.saturating_sub(self.counted_until) >= MIN_GAP_LOSING_STREAMS;
        let is_after_gap = self.recovered_at.is_some_and(|end| at.saturating_sub(end) < LOSS_DETECTION_TIME);
        is_in_gap || is_after_gap
    }

    fn count_until(&mut self, at: Duration) {
        self.running_total += at.saturating_sub(self.counted_until);
        self.counted_until = self.counted_until.max(at);
    }

    fn is_stalled(&self, at: Duration) -> bool {
        self.recovery.is_some() || at.saturating_sub(self.last_timely_heartbeat) > self.stall_threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const THRESHOLD: Duration = ms(100);
    const PERIOD: Duration = ms(25);

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Sends heartbeats that are not late, the last one at `until`, and returns the lengths of the gaps that they end.
    fn run(time: &mut RunningTime, from: Duration, until: Duration) -> Vec<Duration> {
        let mut gaps = Vec::new();
        let mut at = from;
        while at < until {
            at = (at + PERIOD).min(until);
            gaps.extend(time.note_heartbeat(at));
        }
        gaps
    }

    #[test]
    fn a_server_without_gaps_counts_all_time() {
        let mut time = RunningTime::start(THRESHOLD);
        assert_eq!(run(&mut time, ms(0), ms(10_000)), []);
        assert_eq!(time.running_at(ms(10_000)), ms(10_000));
        assert_eq!(time.running_at(ms(10_100)), ms(10_100));
        assert_eq!(time.running_at(ms(10_099)), ms(10_100), "time never runs backwards");
        assert_eq!(time.note_heartbeat(ms(10_100)), None, "late by no more than the threshold");
    }

    #[test]
    fn a_gap_is_excluded_whichever_call_comes_first() {
        for first_reader in [None, Some(ms(13_001)), Some(ms(13_030))] {
            let mut time = RunningTime::start(THRESHOLD);
            run(&mut time, ms(0), ms(1_000));
            assert_eq!(time.running_at(ms(1_005)), ms(1_005));
            if let Some(at) = first_reader {
                assert_eq!(time.running_at(at), ms(1_005), "no heartbeat has come since the gap");
            }
            assert_eq!(time.note_heartbeat(ms(13_031)), None);
            assert_eq!(time.running_at(ms(13_032)), ms(1_005), "the server is still catching up");
            // After a gap of 12 s, the server catches up for one second, the maximum.
            assert_eq!(run(&mut time, ms(13_031), ms(14_006)), []);
            assert_eq!(time.running_at(ms(14_030)), ms(1_005));
            assert_eq!(run(&mut time, ms(14_006), ms(14_031)), [ms(14_031 - 1_005)]);
            assert_eq!(time.running_at(ms(14_031)), ms(1_005));
            assert_eq!(time.running_at(ms(14_071)), ms(1_045), "time runs again");
        }
    }

    #[test]
    fn streams_may_be_lost_for_some_time_after_a_long_gap() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert!(!time.may_lose_streams(ms(1_000)));
        assert!(!time.may_lose_streams(ms(1_900)), "too short");
        assert!(time.may_lose_streams(ms(13_000)), "before the first heartbeat");
        run(&mut time, ms(13_000), ms(14_000));
        assert!(time.may_lose_streams(ms(14_000)), "while it catches up");
        assert_eq!(run(&mut time, ms(14_000), ms(14_500)).len(), 1);
        assert!(time.may_lose_streams(ms(14_500)));
        run(&mut time, ms(14_500), ms(20_000));
        assert!(!time.may_lose_streams(ms(20_000)), "the detection time is over");
    }

    #[test]
    fn the_server_catches_up_quickly_after_a_short_gap() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert_eq!(time.note_heartbeat(ms(1_160)), None);
        assert_eq!(time.note_heartbeat(ms(1_185)), Some(ms(185)));
        assert_eq!(time.running_at(ms(1_200)), ms(1_015));
    }

    #[test]
    fn a_gap_while_catching_up_is_also_excluded() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert_eq!(run(&mut time, ms(5_000), ms(5_200)), []);
        assert_eq!(run(&mut time, ms(9_000), ms(9_500)), [], "catching up starts again");
        assert_eq!(time.running_at(ms(9_500)), ms(1_000));
        assert_eq!(run(&mut time, ms(9_500), ms(10_025)).len(), 1);
        assert_eq!(time.running_at(ms(10_025)), ms(1_000));
    }

    #[test]
    fn running_time_advances_on_an_overloaded_server() {
        let mut time = RunningTime::start(THRESHOLD);
        let mut at = ms(0);
        while at < ms(60_000) {
            // Each heartbeat comes one and a half times the threshold after the last one.
            for _ in 0..3 {
                at += ms(50);
                time.running_at(at);
            }
            time.note_heartbeat(at);
        }
        let counted = time.running_at(at);
        assert!(counted > at / 30, "{counted:?} of {at:?}");
    }

    proptest! {
        #[test]
        fn time_is_monotone_and_no_faster_than_the_clock(
            steps in prop::collection::vec((0_u64..400, any::<bool>()), 1..200),
        ) {
            let mut time = RunningTime::start(THRESHOLD);
            let (mut at, mut last, mut counted, mut gaps) = (ms(0), ms(0), ms(0), ms(0));
            for (step, has_heartbeat) in steps {
                at += ms(step);
                if has_heartbeat {
                    gaps += time.note_heartbeat(at).unwrap_or_default();
                }
                let now = time.running_at(at);
                prop_assert!(now >= counted, "{now:?} after {counted:?}");
                let (passed, really) = (now.saturating_sub(counted), at.saturating_sub(last));
                prop_assert!(passed <= really, "{passed:?} in {really:?}");
                prop_assert!(now + gaps <= at);
                (last, counted) = (at, now);
            }
        }
    }
}
