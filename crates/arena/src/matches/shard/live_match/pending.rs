//! Inputs that arrive before the start of a match or during a commit.

use super::{DecisionContext, LiveMatch, MatchStage};
use crate::matches::shard::input::MatchInput;

impl<S: Clone> LiveMatch<S> {
    /// Queues an input for later. Only the newest unhandled session of a seat is kept, so that repeated reconnects do
    /// not accumulate.
    pub(super) fn add_pending(&mut self, input: MatchInput<S>) {
        match &input {
            MatchInput::Joined { seat: joined, .. } => {
                self.pending
                    .retain(|waiting| !matches!(waiting, MatchInput::Joined { seat, .. } if seat == joined));
            }
            MatchInput::Left { session: left, seat: of_seat, .. } => {
                let before = self.pending.len();
                self.pending.retain(|waiting| {
                    !matches!(waiting, MatchInput::Joined { seat, session, .. }
                        if seat == of_seat && session.id == *left)
                });
                let is_known = self.seats[*of_seat].session.as_ref().is_some_and(|known| known.id == *left);
                if self.pending.len() < before || !is_known {
                    return;
                }
            }
            MatchInput::Lag { .. } | MatchInput::Feed { .. } => return self.update_session(&input),
            _ => {}
        }
        self.pending.push_back(input);
    }

    /// Applies a change of lag or feed to the session that it names, even if the match has not handled the arrival of
    /// that session yet.
    pub(super) fn update_session(&mut self, input: &MatchInput<S>) {
        let &(MatchInput::Lag { seat, session: id, .. } | MatchInput::Feed { seat, session: id, .. }) = input
        else {
            return;
        };
        let waiting = self.pending.iter_mut().find_map(|waiting| match waiting {
            // Session numbers are unique only among the sessions of one bot.
            MatchInput::Joined { seat: joined, session, .. } if (*joined, session.id) == (seat, id) => {
                Some(session)
            }
            _ => None,
        });
        let Some(session) = self.seats[seat].session_with_id(id).or(waiting) else { return };
        match input {
            MatchInput::Lag { lag, .. } => session.lag = *lag,
            MatchInput::Feed { feed, .. } => session.feed = *feed,
            _ => {}
        }
    }

    /// Handles pending inputs until the match waits again.
    pub(super) fn handle_pending(&mut self, context: &mut DecisionContext<'_, S>) {
        while matches!(self.stage, MatchStage::Running)
            && let Some(input) = self.freeze.next_thawed().or_else(|| self.pending.pop_front())
        {
            self.handle_input(input, context);
        }
    }
}
