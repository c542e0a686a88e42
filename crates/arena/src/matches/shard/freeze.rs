//! What becomes of the time and the messages of a match that the organiser lets wait.

use super::input::MatchInput;
use lastnim_core::referee::Timestamp;
use std::collections::VecDeque;

/// Whether a match waits. Its clocks stand still meanwhile, and afterwards play goes on where it stood.
#[derive(Debug)]
pub(super) struct MatchFreeze<S> {
    frozen: Option<Frozen<S>>,
    /// What seats sent to the match while it waited, once it goes on.
    thawed: VecDeque<MatchInput<S>>,
}

#[derive(Debug)]
struct Frozen<S> {
    /// Up to when the time is excused.
    excused_until: Timestamp,
    /// What seats have sent since, at most what each may have unread, in the order of its arrival.
    inputs: VecDeque<MatchInput<S>>,
}

impl<S> Default for MatchFreeze<S> {
    fn default() -> Self {
        Self { frozen: None, thawed: VecDeque::new() }
    }
}

impl<S> MatchFreeze<S> {
    /// Returns whether the match waits.
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Returns up to when the time of a match that waits is excused.
    pub(super) fn excused_until(&self) -> Option<Timestamp> {
        self.frozen.as_ref().map(|frozen| frozen.excused_until)
    }

    /// Lets the match wait from now on; one that waits already goes on waiting.
    pub(super) fn begin(&mut self, now: Timestamp) {
        self.frozen.get_or_insert_with(|| Frozen { excused_until: now, inputs: VecDeque::new() });
    }

    /// Lets the match go on.
    pub(super) fn end(&mut self) {
        self.thawed.extend(self.frozen.take().into_iter().flat_map(|frozen| frozen.inputs));
    }

    /// Returns from when to when a match that waits has still to be excused, and takes it as excused.
    #[must_use = "the clocks run unless the span is excused"]
    pub(super) fn take_span_until(&mut self, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let frozen = self.frozen.as_mut()?;
        Some((std::mem::replace(&mut frozen.excused_until, now), now))
    }

    /// Takes note that the time up to a moment was excused for another reason.
    pub(super) fn note_excused_until(&mut self, until: Timestamp) {
        if let Some(frozen) = &mut self.frozen {
            frozen.excused_until = until;
        }
    }

    /// Keeps what a seat sends to a match that waits, and gives all else back.
    pub(super) fn hold_back(&mut self, input: MatchInput<S>) -> Option<MatchInput<S>> {
        match (&mut self.frozen, input) {
            (Some(frozen), input @ MatchInput::Seat { .. }) => {
                frozen.inputs.push_back(input);
                None
            }
            (_, input) => Some(input),
        }
    }

    /// Returns what a seat sent while the match waited, in the order of its arrival, once it goes on.
    pub(super) fn next_thawed(&mut self) -> Option<MatchInput<S>> {
        self.thawed.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Seat;
    use lastnim_core::referee::SeatAction;

    fn at(micros: u64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    fn resignation(micros: u64) -> MatchInput<()> {
        MatchInput::Seat { seat: Seat::FIRST, action: SeatAction::Resign, at: at(micros) }
    }

    fn time_of(input: Option<MatchInput<()>>) -> Option<u64> {
        match input? {
            MatchInput::Seat { at, .. } => Some(at.as_micros()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn seats_are_heard_in_their_order_once_the_match_goes_on() {
        let mut freeze = MatchFreeze::<()>::default();
        assert_eq!(time_of(freeze.hold_back(resignation(1))), Some(1), "it does not wait yet");
        freeze.begin(at(2));
        assert!(freeze.hold_back(resignation(3)).is_none() && freeze.hold_back(resignation(4)).is_none());
        assert!(matches!(freeze.hold_back(MatchInput::Cancel), Some(MatchInput::Cancel)));
        freeze.begin(at(5));
        assert!(freeze.is_frozen() && freeze.next_thawed().is_none());
        freeze.end();
        assert!(!freeze.is_frozen());
        let heard = [freeze.next_thawed(), freeze.next_thawed(), freeze.next_thawed()].map(time_of);
        assert_eq!(heard, [Some(3), Some(4), None]);
    }

    #[test]
    fn each_moment_is_excused_once() {
        let mut freeze = MatchFreeze::<()>::default();
        assert_eq!(freeze.take_span_until(at(1)), None);
        freeze.begin(at(2));
        assert_eq!(freeze.take_span_until(at(5)), Some((at(2), at(5))));
        freeze.note_excused_until(at(7));
        assert_eq!(freeze.take_span_until(at(9)), Some((at(7), at(9))));
        freeze.end();
        assert_eq!(freeze.take_span_until(at(11)), None);
    }
}
