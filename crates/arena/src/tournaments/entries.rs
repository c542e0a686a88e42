//! Bots that enter and leave tournaments.

use crate::arena::{Arena, HeldLock};
use crate::error::{ArenaError, FIELD_CLOSED};
use crate::tournaments::changes::{is_ready_to_start, plan_in_background};
use crate::tournaments::entry_codes::NewEntrant;
use crate::tournaments::interventions::Intervention;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::record_text::Utc;
use lastnim_store::{Change, StoredTournament};
use lastnim_tournament::{FieldMovement, TournamentState, count_matches};
use std::sync::Arc;

pub(super) const JOIN_CONDITION: &str =
    "bots can join only before a tournament starts, or while a ladder runs";
const LEAVE_CONDITION: &str = "bots can leave only before a tournament is over";

/// Fails if no bot may enter any more.
pub(super) fn check_entries_open(stored: &StoredTournament, date: Timestamp) -> Result<(), ArenaError> {
    match stored.settings.entries_close_at {
        Some(close) if date >= close => {
            Err(ArenaError::EntriesClosed { id: stored.id, closed_at: Utc(close.as_micros()) })
        }
        _ => Ok(()),
    }
}

/// Fails if the settings do not allow the bot to enter.
pub(super) fn check_allowed(stored: &StoredTournament, bot: &BotName) -> Result<(), ArenaError> {
    if stored.settings.allow.admits(bot) {
        return Ok(());
    }
    Err(ArenaError::NotAllowed { id: stored.id, bot: bot.clone() })
}

/// Returns whether bots may join and leave after the start.
pub(super) fn allows_changes_while_running(stored: &StoredTournament) -> bool {
    stored.state == TournamentState::Running && stored.settings.format.has_open_field()
}

impl Arena {
    /// Enters a bot into a tournament. Joining twice is harmless. The tournament starts if this was the last bot that
    /// it was waiting for. In a running ladder, the bot plays from the next round on, and joining also ends a
    /// suspension.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament has started and is not a ladder, entries have closed, its
    /// settings do not allow the bot, or it would be too large with another bot.
    pub fn join_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        let bot = bot.clone();
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.join_tournament_locked(held, id, bot).await
        })
    }

    async fn join_tournament_locked(
        &self,
        _guard: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if !view.stored.state.is_over() && !view.stored.field.contains(&bot) {
            check_entries_open(&view.stored, self.inner.environment.date())?;
            check_allowed(&view.stored, &bot)?;
        }
        if allows_changes_while_running(&view.stored) {
            return self.change_running_field(view, bot, FieldMovement::Enters, None).await;
        }
        if view.stored.field.contains(&bot) {
            if view.stored.state == TournamentState::Open
                && is_ready_to_start(&view.stored)
                && let Some(handle) = self.live_tournament(id)
            {
                self.plan_and_start_tournament(&handle, view.stored).await?;
                return Ok(handle.view());
            }
            return Ok(view);
        }
        self.enter_before_start(view.stored, bot, None).await
    }

    /// Enters a bot that is not in the field of a tournament that has not started. The caller holds the tournament's
    /// lock.
    pub(super) async fn enter_before_start(
        &self,
        mut stored: StoredTournament,
        bot: BotName,
        new: Option<NewEntrant>,
    ) -> Result<TournamentView, ArenaError> {
        let id = stored.id;
        let handle = self.require_unfinished_tournament(id, JOIN_CONDITION).await?;
        Self::check_tournament_state(&stored, JOIN_CONDITION)?;
        Self::check_room_for_bot(&stored)?;
        if let Some(new) = &new {
            // This check comes before planning, so that nobody can make the server plan with a name that is taken.
            let _names = self.lock_names().await;
            new.check_may_register(self).await?;
        }
        let place = stored.field.len();
        Arc::make_mut(&mut stored.field).push(bot.clone());
        let mut changes = new.as_ref().map_or_else(Vec::new, |new| new.changes(id));
        changes.push(Change::TournamentJoined { id, place, bot: bot.clone() });
        let schedule = if is_ready_to_start(&stored) {
            Some(plan_in_background(&self.inner.environment, &handle, &stored).await?)
        } else {
            None
        };
        if schedule.is_some() {
            // The last bot's entry and the start are stored together. Otherwise a tournament could have all its bots
            // but never start, because no other bot could join and so start it.
            changes.push(Change::TournamentState { id, state: TournamentState::Running });
        }
        let names = self.lock_names().await;
        match &new {
            // These checks are repeated, because a bot may have been removed or registered in the meantime.
            None => self.stored_bot(&bot).await.map(drop)?,
            Some(new) => new.check_may_register(self).await?,
        }
        self.commit(changes).await?;
        if let Some(new) = &new {
            self.apply_registration(&handle, new);
        }
        handle.apply_join(&bot, stored.clone());
        drop(names);
        if let Some(schedule) = schedule {
            self.spawn_director(&handle, stored, schedule);
        }
        Ok(handle.view())
    }

    /// Removes a bot from a tournament. Leaving twice is harmless. A bot that leaves a running tournament finishes its
    /// open matches, or in a format with rounds the current round, and its results stand.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament is over or being cancelled, or it is a running one that the
    /// bot cannot leave: a knockout, a sequential test, a Swiss tournament whose last round has been drawn, a gauntlet of
    /// this bot, or one that has disqualified it.
    pub fn leave_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        let bot = bot.clone();
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.leave_tournament_locked(held, id, bot).await
        })
    }

    async fn leave_tournament_locked(
        &self,
        held: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if allows_changes_while_running(&view.stored) {
            return self.change_running_field(view, bot, FieldMovement::Leaves, None).await;
        }
        if view.stored.state == TournamentState::Running {
            let withdrawn = self.ask_director(held, id, Intervention::Withdraw { bot }).await;
            return withdrawn.map(|(view, _)| view);
        }
        let handle = self.require_unfinished_tournament(id, LEAVE_CONDITION).await?;
        let mut stored = view.stored.clone();
        Self::check_tournament_state(&stored, LEAVE_CONDITION)?;
        if !stored.field.contains(&bot) {
            return Ok(view);
        }
        FieldMovement::Leaves.apply_to_field(&bot, Arc::make_mut(&mut stored.field));
        self.commit(vec![Change::TournamentLeft { id, field: Arc::clone(&stored.field) }]).await?;
        handle.apply_departure(stored);
        Ok(handle.view())
    }

    /// Lets a bot join or leave a running tournament.
    pub(super) async fn change_running_field(
        &self,
        view: TournamentView,
        bot: BotName,
        movement: FieldMovement,
        new: Option<NewEntrant>,
    ) -> Result<TournamentView, ArenaError> {
        let id = view.stored.id;
        if movement == FieldMovement::Enters && !view.stored.field.contains(&bot) {
            Self::check_room_for_bot(&view.stored)?;
        }
        let handle = self.require_unfinished_tournament(id, FIELD_CLOSED).await?;
        match handle.request_field_change(bot, movement, new).await {
            Some(done) => done.map(|()| handle.view()),
            None if self.is_stopped() => Err(ArenaError::Stopping),
            None => handle.check_not_quarantined().and(Err(ArenaError::WrongState {
                id,
                state: TournamentState::Running,
                needed: FIELD_CLOSED,
            })),
        }
    }

    /// Checks that the tournament would not be too large with another bot. The minimum number of bots is checked only
    /// when the tournament starts.
    fn check_room_for_bot(stored: &StoredTournament) -> Result<(), ArenaError> {
        let (settings, field) = (&stored.settings, stored.field.len() + 1);
        match count_matches(&settings.format, settings.seats, settings.positions.count(), field) {
            Err(error) if !error.wants_more_bots() => Err(ArenaError::Field { id: stored.id, error }),
            _ => Ok(()),
        }
    }
}
