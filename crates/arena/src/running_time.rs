//! The time during which the server ran: all that passed, without the gaps in which its process or its runtime stood still.
//!
//! A process that is stopped, moved to another machine, or starved of its processor cannot notice that while it lasts. So
//! the runtime shows a sign of life at short intervals, and time without one does not count: whoever reads the time first
//! after a gap sees the time at which the gap began. It stays there until the runtime has gone round again for a while, and
//! with it all that arrived in the sockets meanwhile has been read as of the time before the gap.

use std::time::Duration;

/// The longest that time stands still while the server catches up with what arrived during a gap.
const MAX_CATCH_UP: Duration = Duration::from_secs(1);

/// Catching up lasts for this part of the gap: the longer a server stood still, the more has arrived.
const CATCH_UP_PART: u32 = 8;

/// Gaps within the time for catching up, after which it is over all the same. A server that is overloaded for good never
/// catches up, and its matches have to end as well.
const MAX_SETBACKS: u32 = 8;

/// The shortest gap by which streams are lost: clients that check them for signs of life give up a silent server.
const MIN_GAP_LOSING_STREAMS: Duration = Duration::from_secs(1);

/// For how long after such a gap the server still finds out which streams were lost.
const LOSS_DETECTION_TIME: Duration = Duration::from_secs(5);

/// Counts the time during which the server ran. Every instant is given as the time since one fixed instant, by a clock that
/// never stops and is never set.
#[derive(Debug)]
pub(crate) struct RunningTime {
    /// The longest time without a sign of life that still counts.
    stall_threshold: Duration,
    /// When the runtime last showed a sign of life in time.
    alive_at: Duration,
    /// Up to which instant time has been counted: the latest that anybody was shown.
    counted_until: Duration,
    /// How much time has been counted.
    ran_for: Duration,
    /// Set from the first sign of life after a gap until time runs again.
    catching_up: Option<StallRecovery>,
    /// When time last ran on after a gap by which streams are lost.
    recovered_at: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct StallRecovery {
    since: Duration,
    last_sign: Duration,
    setbacks: u32,
}

impl RunningTime {
    /// Starts at the fixed instant, with a sign of life.
    pub(crate) fn start(stall_threshold: Duration) -> Self {
        Self {
            stall_threshold,
            alive_at: Duration::ZERO,
            counted_until: Duration::ZERO,
            ran_for: Duration::ZERO,
            catching_up: None,
            recovered_at: None,
        }
    }

    /// Returns how long the server has run by `at`; never less than it returned before.
    pub(crate) fn running_at(&mut self, at: Duration) -> Duration {
        if !self.is_stalled(at) {
            self.count_until(at);
        }
        self.ran_for
    }

    /// Takes note that the runtime goes round at `at`. Returns the length of a gap that is over with that.
    pub(crate) fn note_heartbeat(&mut self, at: Duration) -> Option<Duration> {
        if !self.is_stalled(at) {
            self.alive_at = at;
            self.count_until(at);
            return None;
        }
        let mut catching_up =
            self.catching_up.unwrap_or(StallRecovery { since: at, last_sign: at, setbacks: 0 });
        if at.saturating_sub(catching_up.last_sign) > self.stall_threshold {
            catching_up.since = at;
            catching_up.setbacks += 1;
        }
        catching_up.last_sign = at;
        let caught_up_for = at.saturating_sub(catching_up.since);
        let gap = catching_up.since.saturating_sub(self.counted_until);
        let has_caught_up =
            !caught_up_for.is_zero() && caught_up_for >= (gap / CATCH_UP_PART).min(MAX_CATCH_UP);
        if !has_caught_up && catching_up.setbacks < MAX_SETBACKS {
            self.catching_up = Some(catching_up);
            return None;
        }
        let stood_still = at.saturating_sub(self.counted_until);
        self.counted_until = at;
        self.alive_at = at;
        self.catching_up = None;
        if stood_still >= MIN_GAP_LOSING_STREAMS {
            self.recovered_at = Some(at);
        }
        Some(stood_still)
    }

    /// Returns whether a stream that ends at `at` may have been lost because the server stood still.
    pub(crate) fn may_lose_streams(&self, at: Duration) -> bool {
        let in_gap = self.is_stalled(at) && at.saturating_sub(self.counted_until) >= MIN_GAP_LOSING_STREAMS;
        let after_gap = self.recovered_at.is_some_and(|end| at.saturating_sub(end) < LOSS_DETECTION_TIME);
        in_gap || after_gap
    }

    fn count_until(&mut self, at: Duration) {
        self.ran_for += at.saturating_sub(self.counted_until);
        self.counted_until = self.counted_until.max(at);
    }

    fn is_stalled(&self, at: Duration) -> bool {
        self.catching_up.is_some() || at.saturating_sub(self.alive_at) > self.stall_threshold
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

    /// Shows signs of life in time until `until`, the last of them then.
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
    fn a_server_that_runs_counts_all_of_its_time() {
        let mut time = RunningTime::start(THRESHOLD);
        assert_eq!(run(&mut time, ms(0), ms(10_000)), []);
        assert_eq!(time.running_at(ms(10_000)), ms(10_000));
        assert_eq!(time.running_at(ms(10_100)), ms(10_100));
        assert_eq!(time.running_at(ms(10_099)), ms(10_100), "time never runs backwards");
        assert_eq!(time.note_heartbeat(ms(10_100)), None, "late by no more than is borne");
    }

    #[test]
    fn a_gap_is_left_out_whoever_reads_the_time_first() {
        for first_reader in [None, Some(ms(13_001)), Some(ms(13_030))] {
            let mut time = RunningTime::start(THRESHOLD);
            run(&mut time, ms(0), ms(1_000));
            assert_eq!(time.running_at(ms(1_005)), ms(1_005));
            if let Some(at) = first_reader {
                assert_eq!(time.running_at(at), ms(1_005), "the sign of life comes later");
            }
            assert_eq!(time.note_heartbeat(ms(13_031)), None);
            assert_eq!(time.running_at(ms(13_032)), ms(1_005), "what has arrived is read");
            // It stood still for 12 s: it catches up for a second.
            assert_eq!(run(&mut time, ms(13_031), ms(14_006)), []);
            assert_eq!(time.running_at(ms(14_030)), ms(1_005));
            assert_eq!(run(&mut time, ms(14_006), ms(14_031)), [ms(14_031 - 1_005)]);
            assert_eq!(time.running_at(ms(14_031)), ms(1_005));
            assert_eq!(time.running_at(ms(14_071)), ms(1_045), "time runs on");
        }
    }

    #[test]
    fn a_long_gap_loses_streams_from_its_end_on_for_a_while() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert!(!time.may_lose_streams(ms(1_000)));
        assert!(!time.may_lose_streams(ms(1_900)), "too short");
        assert!(time.may_lose_streams(ms(13_000)), "before the first sign of life");
        run(&mut time, ms(13_000), ms(14_000));
        assert!(time.may_lose_streams(ms(14_000)), "while it catches up");
        assert_eq!(run(&mut time, ms(14_000), ms(14_500)).len(), 1);
        assert!(time.may_lose_streams(ms(14_500)));
        run(&mut time, ms(14_500), ms(20_000));
        assert!(!time.may_lose_streams(ms(20_000)), "that is over");
    }

    #[test]
    fn a_short_gap_is_soon_over() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert_eq!(time.note_heartbeat(ms(1_160)), None);
        assert_eq!(time.note_heartbeat(ms(1_185)), Some(ms(185)));
        assert_eq!(time.running_at(ms(1_200)), ms(1_015));
    }

    #[test]
    fn a_second_gap_while_it_catches_up_is_left_out_as_well() {
        let mut time = RunningTime::start(THRESHOLD);
        run(&mut time, ms(0), ms(1_000));
        assert_eq!(run(&mut time, ms(5_000), ms(5_200)), []);
        assert_eq!(run(&mut time, ms(9_000), ms(9_500)), [], "it catches up from the start");
        assert_eq!(time.running_at(ms(9_500)), ms(1_000));
        assert_eq!(run(&mut time, ms(9_500), ms(10_025)).len(), 1);
        assert_eq!(time.running_at(ms(10_025)), ms(1_000));
    }

    #[test]
    fn the_time_of_a_server_that_is_always_late_runs_on() {
        let mut time = RunningTime::start(THRESHOLD);
        let mut at = ms(0);
        while at < ms(60_000) {
            // Half as late again as is borne.
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
            for (step, shows_life) in steps {
                at += ms(step);
                if shows_life {
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
