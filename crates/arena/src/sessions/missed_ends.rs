//! Sends a bot the ends that it missed, at the start of a session.

use crate::accounts::keyring::Principal;
use crate::arena::Arena;
use crate::matches::open_matches::audit_of_record;
use crate::sessions::roster::Presence;
use crate::sessions::session_link::SessionLink;
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::{MatchEvent, MissedEnd, ServerEvent};
use lastnim_store::{StoreError, StoredMatch};
use std::sync::Arc;
use std::time::Duration;

/// The pause after a failed read of the store.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of missed tournament ends that are sent to a session.
const MAX_TOURNAMENT_ENDS: usize = 16;

/// Sends a session the ends that its bot missed, then `caught_up`. Each end is sent only once the session's queue is
/// empty, so that the queue of a bot that does not read holds only one of them.
pub(crate) async fn send_missed_ends(
    arena: Arena,
    bot: BotName,
    presence: Arc<Presence>,
    session: SessionLink,
) {
    let since = arena.oldest_notified_end_time();
    while !presence.has_loaded_unacknowledged() {
        let from = MatchId::new(since.as_micros() / 1_000, &[0; 10]);
        match arena.inner.store.unacknowledged_matches(&bot, from, arena.limits().missed_ends).await {
            Ok(found) => presence.add_unacknowledged(&found),
            Err(error) => wait_after_store_error(&bot, &error).await,
        }
    }
    let mut sent_ends = 0;
    while let Some(id) = presence.next_match_end(&session) {
        session.wait_until_drained().await;
        match arena.missed_end_event(id, &bot).await {
            Ok(Some(event)) => {
                presence.send_match_end(id, event, &session);
                sent_ends += 1;
            }
            Ok(None) => presence.skip_match_end(id),
            Err(error @ StoreError::Unavailable(_)) => wait_after_store_error(&bot, &error).await,
            Err(error) => {
                tracing::warn!(%error, %bot, %id, "a missed match end cannot be sent to a bot");
                presence.skip_match_end(id);
            }
        }
    }
    let ends = loop {
        match arena.inner.store.unacknowledged_tournament_ends(&bot, since, MAX_TOURNAMENT_ENDS).await {
            Ok(ends) => break ends,
            Err(error @ StoreError::Unavailable(_)) => wait_after_store_error(&bot, &error).await,
            Err(error) => {
                tracing::warn!(%error, %bot, "missed tournament ends cannot be sent to a bot");
                break Vec::new();
            }
        }
    };
    for end in ends {
        session.wait_until_drained().await;
        presence.send_tournament_end(end);
    }
    session.wait_until_drained().await;
    presence.send_caught_up(sent_ends, &session);
}

async fn wait_after_store_error(bot: &BotName, error: &StoreError) {
    tracing::debug!(%error, %bot, "ends that a bot missed cannot be read yet");
    tokio::time::sleep(RETRY_INTERVAL).await;
}

impl Arena {
    /// Returns the time before which missed ends are too old to be sent.
    fn oldest_notified_end_time(&self) -> Timestamp {
        let age = self.limits().missed_ends_age.as_micros();
        let age = u64::try_from(age).unwrap_or(u64::MAX);
        Timestamp::from_micros(self.now().as_micros().saturating_sub(age))
    }

    /// Returns the missed end of a match as an event; `None` if the match is no longer stored. Limits the number of
    /// concurrent reads across all bots.
    async fn missed_end_event(&self, id: MatchId, bot: &BotName) -> Result<Option<ServerEvent>, StoreError> {
        let _turn = self.inner.missed_end_permits.acquire().await;
        let Some(StoredMatch { record, .. }) = self.inner.store.match_record(id).await? else {
            return Ok(None);
        };
        let state = record.state();
        let (setup, forfeits) = (state.setup().clone(), state.forfeits().clone());
        let (Some(seat), Some((reason, winner))) = (setup.seat_of(bot), state.end()) else { return Ok(None) };
        let own_row = state.dealt_rows().map(|matrix| matrix.rows()[seat].clone());
        let dealt = own_row.map(|row| (row, state.opened_rows().cloned()));
        let tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        let caller = Principal::Bot(bot.clone());
        let audit = if tournament.is_some_and(|id| self.withholds_audits(id, Some(&caller))) {
            None
        } else {
            self.inner
                .environment
                .spawn_computation(move || audit_of_record(&record))
                .await
                .unwrap_or_default()
        };
        let end = MissedEnd { seat, setup, dealt, forfeits, reason, winner, audit };
        Ok(Some(ServerEvent::InMatch { match_id: id, event: MatchEvent::MissedEnd(Box::new(end)) }))
    }
}
