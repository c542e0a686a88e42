//! Joining a tournament over the bot's own stream: asking until it is in.

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

/// The tournament that a bot is to play in, and whether it is in it yet.
#[derive(Debug)]
pub(super) struct JoinState {
    tournament: String,
    is_in: bool,
    /// When to ask again, after a refusal that passes.
    again_at: Option<Instant>,
    refused_since: Option<Instant>,
    backoff: Backoff,
    give_up_after: Duration,
}

impl JoinState {
    /// Begins with a bot that is not known to be in the tournament.
    pub(super) fn new(tournament: String, give_up_after: Duration) -> Self {
        let backoff = Backoff::new();
        Self { tournament, is_in: false, again_at: None, refused_since: None, backoff, give_up_after }
    }

    /// Returns what to ask in a session that was opened; nothing where the bot is known to be in it.
    pub(super) fn action_in_new_session(&mut self) -> Option<Action> {
        self.again_at = None;
        (!self.is_in).then(|| self.join_action())
    }

    fn join_action(&self) -> Action {
        Action::JoinTournament(JoinTournament { tournament_id: self.tournament.clone() })
    }

    /// Hears that the bot is in a tournament.
    pub(super) fn note_joined(&mut self, joined: &JoinedTournament) {
        if joined.tournament == self.tournament && !std::mem::replace(&mut self.is_in, true) {
            tracing::info!(tournament = joined.tournament, bots = joined.bots, "joined");
        }
    }

    /// Hears that the bot is not in a tournament.
    ///
    /// # Errors
    /// If asking again cannot help, or has not helped for long enough.
    pub(super) fn note_refused(&mut self, refused: JoinRefused) -> Result<(), Error> {
        let JoinRefused { tournament, reason, message } = refused;
        if tournament != self.tournament || self.is_in {
            return Ok(());
        }
        let now = Instant::now();
        let too_long = now - *self.refused_since.get_or_insert(now) > self.give_up_after;
        if too_long || !reason.is_some_and(JoinRefusal::is_transient) {
            return Err(Error::NotJoined { id: tournament, reason, message });
        }
        tracing::warn!(refusal = message, "not joined yet: asking again");
        self.again_at = Some(now + self.backoff.next_pause(getrandom::u32().unwrap_or(u32::MAX)));
        Ok(())
    }

    /// Waits until it is time to ask again, and returns what to ask. Safe to cancel.
    pub(super) async fn wait_to_retry(&mut self) -> Action {
        match self.again_at {
            Some(at) => sleep_until(at).await,
            None => pending().await,
        }
        self.again_at = None;
        self.join_action()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(reason: Option<JoinRefusal>) -> JoinRefused {
        JoinRefused { tournament: "cup".into(), reason, message: "no".into() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_bot_asks_until_it_is_in_and_then_no_more() {
        let mut joining = JoinState::new("cup".into(), Duration::from_secs(9));
        let ask = Action::JoinTournament(JoinTournament { tournament_id: "cup".into() });
        assert_eq!(joining.action_in_new_session(), Some(ask.clone()));
        assert_eq!(
            joining.action_in_new_session(),
            Some(ask.clone()),
            "the session was lost before the answer"
        );
        joining.note_refused(refused(Some(JoinRefusal::Unavailable))).unwrap();
        assert_eq!(joining.wait_to_retry().await, ask);
        let elsewhere = JoinRefused { tournament: "other".into(), ..refused(Some(JoinRefusal::Over)) };
        joining.note_refused(elsewhere).unwrap();
        joining.note_joined(&JoinedTournament { tournament: "cup".into(), bots: 2, is_over: false });
        assert_eq!(joining.action_in_new_session(), None);
        joining.note_refused(refused(Some(JoinRefusal::Over))).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_bot_gives_up_where_asking_again_does_not_help() {
        let new = || JoinState::new("cup".into(), Duration::from_secs(9));
        for reason in [None, Some(JoinRefusal::UnknownTournament), Some(JoinRefusal::Started)] {
            let error = new().note_refused(refused(reason)).unwrap_err();
            assert_eq!(error.to_string(), "tournament \"cup\": no");
        }
        let mut joining = new();
        let error = loop {
            if let Err(error) = joining.note_refused(refused(Some(JoinRefusal::Busy))) {
                break error;
            }
            joining.wait_to_retry().await;
        };
        assert!(matches!(error, Error::NotJoined { reason: Some(JoinRefusal::Busy), .. }), "{error}");
    }
}
