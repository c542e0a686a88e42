//! Bots that join, leave and are suspended while their tournament runs.

use super::Director;
use super::progress::DirectorStage;
use crate::error::{ArenaError, FIELD_CLOSED};
use crate::tournaments::tournament_handle::FieldRequest;
use lastnim_core::game::BotName;
use lastnim_store::{Change, StoreError, StoredTournament};
use lastnim_tournament::{FieldChange, FieldMovement, FormatVerdict, Suspension, TournamentState};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The director's record of the field, in addition to the one that the schedule keeps.
#[derive(Debug, Default)]
pub(super) struct FieldProgress {
    /// The number of stored changes to the field.
    changes: usize,
    /// The changes that an earlier server stored for the newest round.
    newest: Vec<FieldChange>,
    /// The suspended bots that have been notified of their suspension.
    suspended: BTreeMap<BotName, Suspension>,
    /// Bots that have returned or left but that the schedule still lists as suspended, because it applies these changes
    /// only in the next round.
    excused: BTreeSet<BotName>,
}

impl FieldProgress {
    /// Creates the state from the changes stored by an earlier server.
    pub(super) fn new(changes: &[FieldChange]) -> Self {
        let newest = changes.last().map_or(0, |last| last.round);
        let newest = changes.iter().filter(|change| change.round == newest).cloned().collect();
        Self { changes: changes.len(), newest, ..Self::default() }
    }

    /// Returns the bots that left in the newest round.
    pub(super) fn newest_leavers(&self) -> impl Iterator<Item = BotName> {
        let left = self.newest.iter().filter(|change| change.movement == FieldMovement::Leaves);
        left.map(|change| change.bot.clone())
    }

    /// Returns the number of stored changes to the field, all of which the schedule knows.
    pub(super) fn stored_change_count(&self) -> usize {
        self.changes
    }
}

impl Director {
    /// Lets a bot join or leave from the next round on, and sends the result to the caller. The director handles no
    /// match results in the meantime, so the change is stored before any match of that round. Returns `Break` if the
    /// server cannot continue.
    pub(super) async fn change_field(&mut self, request: FieldRequest) -> ControlFlow<()> {
        let FieldRequest { bot, movement, new, answer } = request;
        // The lock keeps the bot from being removed before it joins, and the name and token of a new bot free.
        let _names = tokio::select! {
            biased;
            names = self.arena.lock_names() => names,
            () = self.arena.wait_until_stopped() => return ControlFlow::Break(()),
        };
        let checked = match &new {
            None => self.arena.stored_bot(&bot).await.map(drop),
            Some(new) => new.check_may_register(&self.arena).await,
        };
        let done = match checked.and_then(|()| self.change_for_request(bot, movement)) {
            Err(error) => Err(error),
            Ok(None) => Ok(()),
            Ok(Some(change)) => {
                let (id, seq) = (self.stored.id, self.field.changes);
                let mut changes = new.as_ref().map_or_else(Vec::new, |new| new.changes(id));
                changes.push(Change::FieldChanged { id, seq, change: change.clone() });
                let stored = self.store(changes).await?;
                if stored.is_ok() {
                    if let Some(new) = &new {
                        self.arena.apply_registration(&self.handle, new);
                    }
                    self.apply_change(&change);
                }
                stored.map_err(ArenaError::from)
            }
        };
        // A failure to send is ignored, because the caller may be gone.
        let _ = answer.send(done);
        ControlFlow::Continue(())
    }

    /// Returns the change to make; `None` if the bot has already joined or left, which is harmless.
    fn change_for_request(
        &self,
        bot: BotName,
        movement: FieldMovement,
    ) -> Result<Option<FieldChange>, ArenaError> {
        self.check_may_enter(&bot, movement)?;
        let StoredTournament { id, ref field, .. } = self.stored;
        let round = self.schedule.lock().open_round().filter(|_| self.stage == DirectorStage::Playing);
        let Some(round) = round else {
            return Err(ArenaError::WrongState { id, state: TournamentState::Running, needed: FIELD_CLOSED });
        };
        let is_in = field.contains(&bot);
        let is_due = match movement {
            FieldMovement::Enters => !is_in || self.field.suspended.contains_key(&bot),
            FieldMovement::Leaves => is_in,
        };
        Ok(is_due.then_some(FieldChange { round, bot, movement }))
    }

    /// Stores changes, waiting for the store for as long as it takes. Returns the error if the store refuses the
    /// changes. Returns `Break` if this server can never store them.
    pub(super) async fn store(&self, changes: Vec<Change>) -> ControlFlow<(), Result<(), StoreError>> {
        let committed = tokio::select! {
            biased;
            committed = self.arena.inner.context.commits.commit(changes) => committed,
            () = self.arena.wait_until_stopped() => return ControlFlow::Break(()),
        };
        match committed {
            Ok(()) => ControlFlow::Continue(Ok(())),
            Err(refused @ StoreError::Refused(_)) => ControlFlow::Continue(Err(refused)),
            Err(error) => {
                tracing::error!(%error, tournament = %self.stored.id, "a change to the tournament was not stored");
                ControlFlow::Break(())
            }
        }
    }

    pub(super) fn apply_change(&mut self, change: &FieldChange) {
        let FieldChange { round, ref bot, movement } = *change;
        let id = self.stored.id;
        match movement {
            FieldMovement::Enters => tracing::info!(tournament = %id, %bot, round, "a bot enters a ladder"),
            FieldMovement::Leaves => tracing::info!(tournament = %id, %bot, round, "a bot leaves a ladder"),
        }
        self.field.changes += 1;
        if self.field.suspended.remove(bot).is_some() {
            self.field.excused.insert(bot.clone());
            self.arena.inner.roster.presence(bot).withdraw_suspension(id);
        }
        movement.apply_to_field(bot, Arc::make_mut(&mut self.stored.field));
        self.schedule.lock().change_field(change);
        if movement == FieldMovement::Leaves {
            self.handle.add_departing([bot.clone()]);
        }
        match movement {
            FieldMovement::Enters => self.handle.apply_join(bot, self.stored.clone()),
            FieldMovement::Leaves => self.handle.set_tournament(self.stored.clone()),
        }
        // If the schedule was waiting for bots, it may now have drawn a round.
        self.handle.update_from_schedule();
        self.notify_suspended_bots();
    }

    /// Notifies bots that have just been suspended.
    pub(super) fn notify_suspended_bots(&mut self) {
        if !self.stored.settings.format.has_open_field() {
            return;
        }
        let (round, verdict) = {
            let schedule = self.schedule.lock();
            (schedule.open_round(), schedule.format_verdict())
        };
        let FormatVerdict::Suspended(now) = verdict else { return };
        let (id, field) = (self.stored.id, &mut self.field);
        let now: BTreeMap<BotName, Suspension> =
            now.into_iter().map(|suspension| (suspension.bot.clone(), suspension)).collect();
        let still_to_come = field.newest.drain(..).filter(|change| Some(change.round) == round);
        field.excused.extend(still_to_come.map(|change| change.bot));
        field.excused.retain(|bot| now.contains_key(bot));
        for (bot, suspension) in now {
            if !field.excused.contains(&bot) && field.suspended.get(&bot) != Some(&suspension) {
                tracing::info!(tournament = %id, "{suspension}");
                self.arena.inner.roster.presence(&bot).send_suspension(id, suspension.clone());
                field.suspended.insert(bot, suspension);
            }
        }
    }

    /// Withdraws all suspensions at the end of the tournament.
    pub(super) fn withdraw_suspensions(&mut self) {
        for bot in std::mem::take(&mut self.field.suspended).into_keys() {
            self.arena.inner.roster.presence(&bot).withdraw_suspension(self.stored.id);
        }
    }
}
