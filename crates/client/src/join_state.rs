//! Joins a tournament over the bot's session, and tries again after temporary refusals.

use super::{
    Error,
    backoff::Backoff,
    event::{JoinRefused, JoinedTournament},
};
use lastnim_proto::{
    JoinRefusal,
    pb::{JoinTournament, play_request::Action},
};
use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep_until};

/// The tournament to play, and whether the bot has joined it.
#[derive(Debug)]
pub(super) struct JoinState {
    tournament: String,
    has_joined: bool,
    /// When to retry after a temporary refusal.
    retry_at: Option<Instant>,
    refused_since: Option<Instant>,
    backoff: Backoff,
    give_up_after: Duration,
}

impl JoinState {
    pub(super) fn new(tournament: String, give_up_after: Duration) -> Self {
        let backoff = Backoff::new();
        Self { tournament, has_joined: false, retry_at: None, refused_since: None, backoff, give_up_after }
    }

    /// Returns the request to send in a new session, unless the bot has already joined.
    pub(super) fn action_in_new_session(&mut self) -> Option<Action> {
        self.retry_at = None;
        (!self.has_joined).then(|| self.join_action())
    }

    fn join_action(&self) -> Action {
        Action::JoinTournament(JoinTournament { tournament_id: self.tournament.clone() })
    }

    /// Notes that the bot has joined a tournament; ignores other tournaments.
    pub(super) fn note_joined(&mut self, joined: &JoinedTournament) {
        if joined.tournament == self.tournament && !std::mem::replace(&mut self.has_joined, true) {
            tracing::info!(tournament = joined.tournament, bots = joined.bots, "joined");
        }
    }

    /// Notes that a request to join was refused, and schedules a retry. Refusals for other tournaments, and refusals
    /// after the bot has joined, are ignored.
    ///
    /// # Errors
    /// If a retry cannot succeed, or the server has refused retries for too long.
    pub(super) fn note_refused(&mut self, refused: JoinRefused) -> Result<(), Error> {
        let JoinRefused { tournament, reason, message } = refused;
        if tournament != self.tournament || self.has_joined {
            return Ok(());
        }
        let now = Instant::now();
        let too_long = now - *self.refused_since.get_or_insert(now) > self.give_up_after;
        if too_long || !reason.is_some_and(JoinRefusal::is_transient) {
            return Err(Error::NotJoined { id: tournament, reason, message });
        }
        tracing::warn!(refusal = message, "not joined yet: retrying");
        self.retry_at = Some(now + self.backoff.next_pause(getrandom::u32().unwrap_or(u32::MAX)));
        Ok(())
    }

    /// Waits until the next retry is due, then returns the request to send. Waits forever if none is scheduled. Cancel
    /// safe.
    pub(super) async fn wait_to_retry(&mut self) -> Action {
        match self.retry_at {
            Some(at) => sleep_until(at).await,
            None => pending().await,
        }
        self.retry_at = None;
        self.join_action()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(reason: Option<JoinRefusal>) -> JoinRefused {
        JoinRefused { tournament: "cup".into(), reason, message: "no".into() }
    }

    #[tokio::test(start_paused = true)]
    async fn bot_retries_until_it_has_joined() {
        let mut joining = JoinState::new("cup".into(), Duration::from_secs(9));
        let ask = Action::JoinTournament(JoinTournament { tournament_id: "cup".into() });
        assert_eq!(joining.action_in_new_session(), Some(ask.clone()));
        assert_eq!(joining.action_in_new_session(), Some(ask.clone()), "a new session repeats the request");
        joining.note_refused(refusal(Some(JoinRefusal::Unavailable))).unwrap();
        assert_eq!(joining.wait_to_retry().await, ask);
        let elsewhere = JoinRefused { tournament: "other".into(), ..refusal(Some(JoinRefusal::Over)) };
        joining.note_refused(elsewhere).unwrap();
        joining.note_joined(&JoinedTournament { tournament: "cup".into(), bots: 2, is_over: false });
        assert_eq!(joining.action_in_new_session(), None);
        joining.note_refused(refusal(Some(JoinRefusal::Over))).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn bot_gives_up_after_a_permanent_refusal_or_at_the_time_limit() {
        let new_state = || JoinState::new("cup".into(), Duration::from_secs(9));
        for reason in [None, Some(JoinRefusal::UnknownTournament), Some(JoinRefusal::Started)] {
            let error = new_state().note_refused(refusal(reason)).unwrap_err();
            assert_eq!(error.to_string(), "tournament \"cup\": no");
        }
        let mut joining = new_state();
        let error = loop {
            if let Err(error) = joining.note_refused(refusal(Some(JoinRefusal::Busy))) {
                break error;
            }
            joining.wait_to_retry().await;
        };
        assert!(matches!(error, Error::NotJoined { reason: Some(JoinRefusal::Busy), .. }), "{error}");
    }
}
