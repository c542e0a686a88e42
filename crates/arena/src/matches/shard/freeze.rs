//! Clocks and messages of a match that the organiser has paused.

use super::input::MatchInput;
use lastnim_core::referee::Timestamp;
use std::collections::VecDeque;

/// The pause of a match, if the organiser has paused it. During the pause, clocks stand still and messages from seats
/// are held back. Afterwards the match continues as if it had not been paused.
#[derive(Debug)]
pub(super) struct MatchFreeze<S> {
    frozen: Option<Frozen<S>>,
    /// Messages that arrived during a pause that is now over, and that have not been handled yet.
    thawed_inputs: VecDeque<MatchInput<S>>,
}

/// A pause that is not over.
#[derive(Debug)]
struct Frozen<S> {
    /// The time up to which the pause has already been excluded from the clocks.
    excused_until: Timestamp,
    /// Messages that arrived during the pause, in order, at most `unread_per_seat` per seat.
    inputs: VecDeque<MatchInput<S>>,
}

impl<S> Default for MatchFreeze<S> {
    fn default() -> Self {
        Self { frozen: None, thawed_inputs: VecDeque::new() }
    }
}

impl<S> MatchFreeze<S> {
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Returns the time up to which the pause has been excluded from the clocks; `None` if the match is not paused.
    pub(super) fn excused_until(&self) -> Option<Timestamp> {
        self.frozen.as_ref().map(|frozen| frozen.excused_until)
    }

    /// Pauses the match; no effect if it is already paused.
    pub(super) fn begin(&mut self, now: Timestamp) {
        self.frozen.get_or_insert_with(|| Frozen { excused_until: now, inputs: VecDeque::new() });
    }

    /// Ends the pause.
    pub(super) fn end(&mut self) {
        self.thawed_inputs.extend(self.frozen.take().into_iter().flat_map(|frozen| frozen.inputs));
    }

    /// Returns the part of the pause that has not been excluded from the clocks yet, and marks it as excluded.
    #[must_use = "a pause is charged to the clocks unless it is excused"]
    pub(super) fn take_unexcused_span(&mut self, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let frozen = self.frozen.as_mut()?;
        Some((std::mem::replace(&mut frozen.excused_until, now), now))
    }

    /// Notes that the time up to `until` has already been excluded from the clocks for another reason.
    pub(super) fn note_excused_until(&mut self, until: Timestamp) {
        if let Some(frozen) = &mut self.frozen {
            frozen.excused_until = until;
        }
    }

    /// Holds back a seat's message while the match is paused; returns any other input.
    pub(super) fn queue_if_frozen(&mut self, input: MatchInput<S>) -> Option<MatchInput<S>> {
        match (&mut self.frozen, input) {
            (Some(frozen), input @ MatchInput::Seat { .. }) => {
                frozen.inputs.push_back(input);
                None
            }
            (_, input) => Some(input),
        }
    }

    /// Removes and returns the next message from a pause that is now over, in order of arrival.
    pub(super) fn next_thawed(&mut self) -> Option<MatchInput<S>> {
        self.thawed_inputs.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Seat;
    use lastnim_core::referee::SeatAction;

    fn time_at(micros: u64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    fn resignation(micros: u64) -> MatchInput<()> {
        MatchInput::Seat { seat: Seat::FIRST, action: SeatAction::Resign, at: time_at(micros) }
    }

    fn time_of(input: Option<MatchInput<()>>) -> Option<u64> {
        match input? {
            MatchInput::Seat { at, .. } => Some(at.as_micros()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn held_messages_are_handled_in_order_after_the_pause() {
        let mut freeze = MatchFreeze::<()>::default();
        assert_eq!(time_of(freeze.queue_if_frozen(resignation(1))), Some(1), "it is not paused yet");
        freeze.begin(time_at(2));
        assert!(
            freeze.queue_if_frozen(resignation(3)).is_none()
                && freeze.queue_if_frozen(resignation(4)).is_none()
        );
        assert!(matches!(freeze.queue_if_frozen(MatchInput::Cancel), Some(MatchInput::Cancel)));
        freeze.begin(time_at(5));
        assert!(freeze.is_frozen() && freeze.next_thawed().is_none());
        freeze.end();
        assert!(!freeze.is_frozen());
        let heard = [freeze.next_thawed(), freeze.next_thawed(), freeze.next_thawed()].map(time_of);
        assert_eq!(heard, [Some(3), Some(4), None]);
    }

    #[test]
    fn each_moment_of_a_freeze_is_excused_once() {
        let mut freeze = MatchFreeze::<()>::default();
        assert_eq!(freeze.take_unexcused_span(time_at(1)), None);
        freeze.begin(time_at(2));
        assert_eq!(freeze.take_unexcused_span(time_at(5)), Some((time_at(2), time_at(5))));
        freeze.note_excused_until(time_at(7));
        assert_eq!(freeze.take_unexcused_span(time_at(9)), Some((time_at(7), time_at(9))));
        freeze.end();
        assert_eq!(freeze.take_unexcused_span(time_at(11)), None);
    }
}
