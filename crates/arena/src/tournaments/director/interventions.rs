//! Interventions in a running tournament, which are stored first and then applied.

use super::progress::DirectorStage;
use super::{Director, OpenPairing};
use crate::error::ArenaError;
use crate::matches::shard::MatchInput;
use crate::recovery::results::CountingContext;
use crate::tournaments::interventions::{Intervention, VoidTarget};
use crate::tournaments::tournament_handle::InterventionRequest;
use lastnim_core::game::{BotName, MatchId};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::{Change, FieldHistory, StoredTournament};
use lastnim_tournament::{
    DisqualifiedResults, FieldChange, FieldMovement, MatchLimiter, Pairing, Reason, ResultFold,
    SchedulingMode, TournamentEvent, TournamentFormat, TournamentState, VoidedMatch, group_size,
};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The maximum number of interventions of organisers in a tournament. All of its events are sent in one message.
const MAX_EVENTS: usize = 1_000;
/// The maximum number of voided matches in a tournament, all of which are listed in its events.
const MAX_VOIDED: usize = 32_000;
/// The maximum number of refused targets that an error message explains.
const MAX_REFUSALS: usize = 10;

/// An event that is about to be stored, and the changes to store with it.
struct EventWithChanges {
    event: TournamentEvent,
    changes: Vec<Change>,
}

impl From<TournamentEvent> for EventWithChanges {
    fn from(event: TournamentEvent) -> Self {
        Self { event, changes: Vec::new() }
    }
}

impl Director {
    /// Applies an intervention, and sends the result to the caller. The director handles no match results in the
    /// meantime. Returns `Break` if the server cannot continue.
    pub(super) async fn intervene(&mut self, request: InterventionRequest) -> ControlFlow<()> {
        let InterventionRequest { intervention, answer } = request;
        let done = match self.plan_intervention(intervention).await {
            Err(error) => Err(error),
            Ok(None) => Ok(None),
            Ok(Some(EventWithChanges { event, mut changes })) => {
                let (id, seq) = (self.stored.id, self.rulings.event_count());
                let timed = TimedTournamentEvent { at: self.arena.now(), event };
                changes.insert(0, Change::TournamentEvent { id, seq, event: timed.clone() });
                if let Err(error) = self.store(changes).await? {
                    Err(ArenaError::from(error))
                } else {
                    tracing::info!(tournament = %id, event = ?timed.event, "tournament event");
                    self.handle.add_events([timed.clone()]);
                    self.apply_event(&timed.event).await?;
                    Ok(Some(timed))
                }
            }
        };
        // A failure to send is ignored, because the caller may be gone.
        let _ = answer.send(done);
        ControlFlow::Continue(())
    }

    /// Returns the error for an intervention that is not possible.
    fn impossible(&self, why: impl Into<String>) -> ArenaError {
        ArenaError::Intervention { id: self.stored.id, why: why.into() }
    }

    /// Returns the event to apply; `None` if the intervention changes nothing, such as pausing twice.
    async fn plan_intervention(
        &self,
        intervention: Intervention,
    ) -> Result<Option<EventWithChanges>, ArenaError> {
        if self.stage != DirectorStage::Playing {
            return Err(self.impossible("it is being cancelled"));
        }
        // The limit on events does not apply to resuming, so that a paused tournament can always be resumed. Nor does it
        // apply to bots that withdraw, since each does so once.
        let is_unlimited = matches!(intervention, Intervention::Resume | Intervention::Withdraw { .. });
        if self.rulings.event_count() - self.rulings.withdrawn_bots().len() >= MAX_EVENTS && !is_unlimited {
            let reason = format!(
                "organisers have intervened {MAX_EVENTS} times, which is the limit, so it can only be resumed"
            );
            return Err(self.impossible(reason));
        }
        match intervention {
            Intervention::Pause(open) => {
                let is_due = self.rulings.pause() != Some(open);
                Ok(is_due.then_some(TournamentEvent::Paused { open }.into()))
            }
            Intervention::Resume => Ok(self.rulings.pause().map(|_| TournamentEvent::Resumed.into())),
            Intervention::Disqualify { bot, results, reason } => {
                self.disqualification(bot, results, reason).map(Some)
            }
            Intervention::Withdraw { bot } => self.withdrawal(bot),
            Intervention::Void { targets, reason } => self.voiding_event(&targets, reason).await.map(Some),
            Intervention::Finish => {
                let drawn_matches = self.schedule.lock().drawn_matches();
                let drawn_matches = drawn_matches.filter(|_| self.stored.settings.format.has_open_field());
                match (drawn_matches, self.rulings.closed_before()) {
                    (None, _) => Err(self
                        .impossible("only a ladder can be finished early; this tournament can be cancelled")),
                    (Some(_), Some(_)) => Ok(None),
                    (Some(before), None) => Ok(Some(TournamentEvent::Closed { before }.into())),
                }
            }
        }
    }

    fn disqualification(
        &self,
        bot: BotName,
        results: DisqualifiedResults,
        reason: Reason,
    ) -> Result<EventWithChanges, ArenaError> {
        if self.stored.settings.format.profile().scheduling == SchedulingMode::UntilDecided {
            let why = format!(
                "a sequential test compares bots over whole groups: cancel it, and start another without {bot}"
            );
            return Err(self.impossible(why));
        }
        if self.rulings.is_disqualified(&bot) {
            return Err(self.impossible(format!("{bot} is already disqualified")));
        }
        if !self.handle.standings().iter().any(|line| line.bot == bot) {
            return Err(self.impossible(format!("{bot} does not play in it")));
        }
        let leaves = self.departure(&bot);
        let StoredTournament { id, .. } = self.stored;
        let seq = self.field.stored_change_count();
        let changes = leaves.map(|change| Change::FieldChanged { id, seq, change }).into_iter().collect();
        Ok(EventWithChanges { event: TournamentEvent::Disqualified { bot, results, reason }, changes })
    }

    fn withdrawal(&self, bot: BotName) -> Result<Option<EventWithChanges>, ArenaError> {
        if self.rulings.is_withdrawn(&bot) {
            return Ok(None);
        }
        if self.rulings.is_disqualified(&bot) {
            return Err(self.impossible(format!("{bot} is disqualified")));
        }
        if !self.stored.field.contains(&bot) {
            return Err(self.impossible(format!("{bot} does not play in it")));
        }
        let profile = self.stored.settings.format.profile();
        if !profile.allows_withdrawal {
            return Err(self.impossible(format!("no bot can withdraw from a running {}", profile.title)));
        }
        if matches!(&self.stored.settings.format, TournamentFormat::Gauntlet { bot: host, .. } if *host == bot)
        {
            return Err(self.impossible(format!("{bot} sits at every table: cancel the tournament instead")));
        }
        let from_round = self.schedule.lock().open_round();
        if profile.scheduling == SchedulingMode::InRounds && from_round.is_none() {
            return Err(self.impossible("its last round has been drawn"));
        }
        Ok(Some(TournamentEvent::Withdrawn { bot, from_round }.into()))
    }

    /// Returns the change that removes a disqualified bot from the field of a ladder.
    fn departure(&self, bot: &BotName) -> Option<FieldChange> {
        if !self.stored.settings.format.has_open_field() {
            return None;
        }
        let round = self.schedule.lock().open_round().filter(|_| self.stored.field.contains(bot))?;
        Some(FieldChange { round, bot: bot.clone(), movement: FieldMovement::Leaves })
    }

    /// Returns one event that voids all targets.
    async fn voiding_event(
        &self,
        targets: &[VoidTarget],
        reason: Reason,
    ) -> Result<EventWithChanges, ArenaError> {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for &target in targets {
            match self.voidable_matches(target).await {
                Ok(matches) => found.extend(matches),
                Err(ArenaError::Intervention { why, .. }) if targets.len() > 1 => refused.push(why),
                Err(error @ ArenaError::NoSuchMatch(_)) if targets.len() > 1 => {
                    refused.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        if !refused.is_empty() {
            let count = refused.len();
            refused.truncate(MAX_REFUSALS);
            let more = if count > MAX_REFUSALS {
                format!("; and {} more", count - MAX_REFUSALS)
            } else {
                String::new()
            };
            return Err(self.impossible(format!("{}{more}: nothing was voided", refused.join("; "))));
        }
        let voided = self.rulings.voided().count();
        if voided + found.len() > MAX_VOIDED {
            return Err(self.impossible(format!(
                "at most {MAX_VOIDED} of its matches can be voided, and {voided} already are: name fewer matches"
            )));
        }
        let Some(event) = self.rulings.voiding_event(found, reason.clone()) else {
            return Err(self.impossible("name at least one match or group to void"));
        };
        let open = self.open_ids();
        let TournamentEvent::Voided { matches, .. } = &event else { return Ok(event.into()) };
        let over = matches.iter().filter(|voided| !open.contains(&voided.id));
        let changes =
            over.map(|voided| Change::MatchVoided { id: voided.id, reason: reason.clone() }).collect();
        Ok(EventWithChanges { event, changes })
    }

    /// Returns the matches of a target that are not voided yet; fails if all are voided.
    async fn voidable_matches(&self, target: VoidTarget) -> Result<Vec<VoidedMatch>, ArenaError> {
        let mut found = match target {
            VoidTarget::Match(id) => vec![VoidedMatch { number: self.match_number(id).await?, id }],
            VoidTarget::Group(group) => self.matches_of_group(group).await?,
        };
        let first = self.schedule.lock().first_replayable();
        let target_name = || match target {
            VoidTarget::Match(id) => format!("match {id}"),
            VoidTarget::Group(group) => format!("group {}", shown_number(group)),
        };
        if found.iter().any(|voided| voided.number < first) {
            return Err(self.impossible(format!(
                "{} has been played in an earlier round, on which later pairings depend: only matches of the current round can be voided",
                target_name()
            )));
        }
        found.retain(|voided| self.rulings.void_reason(voided.id).is_none());
        if found.is_empty() {
            return Err(self.impossible(match target {
                VoidTarget::Match(_) => format!("{} is already voided", target_name()),
                VoidTarget::Group(_) => format!("{} has no started match left to void", target_name()),
            }));
        }
        Ok(found)
    }

    /// Returns the number of a match in this tournament.
    async fn match_number(&self, id: MatchId) -> Result<u64, ArenaError> {
        if let Some(open) = self.open.values().find(|open| open.id == id) {
            return Ok(open.pairing.number);
        }
        let summary = self.arena.inner.store.match_summary(id).await?.ok_or(ArenaError::NoSuchMatch(id))?;
        let origin = summary.setup.as_ref().and_then(|setup| setup.origin.as_ref());
        let origin = origin.filter(|origin| origin.tournament == self.stored.id);
        origin
            .map(|origin| origin.number)
            .ok_or_else(|| self.impossible(format!("match {id} is not one of its matches")))
    }

    async fn matches_of_group(&self, group: u64) -> Result<Vec<VoidedMatch>, ArenaError> {
        let FieldHistory { start, .. } = self.arena.inner.store.field_history(self.stored.id).await?;
        let size = group_size(&self.stored.settings, start.len());
        let first = group.saturating_mul(size);
        let limit = usize::try_from(size).unwrap_or(usize::MAX);
        let results = self.arena.inner.store.match_results(self.stored.id, first, limit).await?;
        let over = results.into_iter().filter(|result| result.group == group);
        let over = over.map(|result| VoidedMatch { number: result.number, id: result.id });
        let open = self.open.values().filter(|open| open.pairing.group == group);
        let open = open.map(|open| VoidedMatch { number: open.pairing.number, id: open.id });
        Ok(over.chain(open).collect())
    }

    fn open_ids(&self) -> HashSet<MatchId> {
        self.open.values().map(|open| open.id).collect()
    }

    /// Applies a stored event.
    async fn apply_event(&mut self, event: &TournamentEvent) -> ControlFlow<()> {
        let left = match event {
            TournamentEvent::Disqualified { bot, .. } => self.departure(bot),
            _ => None,
        };
        self.rulings.add(event);
        if let TournamentEvent::Withdrawn { bot, from_round: Some(round) } = event {
            let change = FieldChange { round: *round, bot: bot.clone(), movement: FieldMovement::Leaves };
            self.schedule.lock().change_field(&change);
        }
        self.handle.set_rulings(&self.rulings, self.arena.now());
        self.apply_rulings();
        if let Some(change) = left {
            self.apply_change(&change);
        }
        let recounts = match event {
            TournamentEvent::Disqualified { results, .. } => *results == DisqualifiedResults::Annul,
            TournamentEvent::Voided { matches, .. } => {
                let open = self.open_ids();
                matches.iter().any(|voided| !open.contains(&voided.id))
            }
            _ => false,
        };
        if recounts { self.recount().await } else { ControlFlow::Continue(()) }
    }

    /// Applies the rulings to open matches. Idempotent.
    pub(super) fn apply_rulings(&self) {
        for OpenPairing { pairing, handle, id, .. } in self.open.values() {
            if self.rulings.void_reason(*id).is_some() {
                handle.send(MatchInput::Cancel);
            }
            for seat in self.rulings.disqualified_seats(pairing) {
                handle.send(MatchInput::Disqualify { seat });
            }
            if self.rulings.is_frozen() { handle.freeze() } else { handle.resume() }
        }
    }

    /// Returns whether a pairing can be skipped because its match would not count or one of its bots has withdrawn, and
    /// nothing depends on the result.
    pub(super) fn is_left_out(&self, pairing: &Pairing) -> bool {
        self.rulings.leaves_out(&pairing.bots) && !self.schedule.lock().depends_on_results()
    }

    /// Frees the number of a match that was voided while it was open, so that its pairing is played again. Returns
    /// `Break` if the store does not free the number.
    pub(super) async fn replay(&mut self, pairing: Pairing, id: MatchId, reason: Reason) -> ControlFlow<()> {
        if let Err(error) = self.store(vec![Change::MatchVoided { id, reason }]).await? {
            tracing::error!(%error, %id, "the store rejected the change that voids a match");
            return self.give_up(&format!(
                "match {id} was voided, but the store rejected this, so the match cannot be replayed"
            ));
        }
        self.replays.push(pairing);
        ControlFlow::Continue(())
    }

    /// Counts all results again, because a result that has been counted cannot be taken back on its own. Returns
    /// `Break` if the server stops before the store can be read.
    async fn recount(&mut self) -> ControlFlow<()> {
        let (fold, counted) = loop {
            match self.count_stored_results().await {
                Ok(counted) => break counted,
                Err(error) => self.pause_before_retry(error).await?,
            }
        };
        let ResultFold { mut schedule, standings, evidence, cross_table, reported, .. } = fold;
        self.match_limiter = MatchLimiter::new(self.stored.settings.bot_concurrency);
        for open in self.open.values() {
            schedule.skip_open_match(open.pairing.number);
            self.match_limiter.note_begun(&open.pairing);
        }
        // The new schedule returns these pairings again.
        (self.delayed_pairing, self.replays) = (None, Vec::new());
        *self.schedule.lock() = schedule;
        self.handle.restore_counted_results(standings, evidence, cross_table);
        self.handle.set_rulings(&self.rulings, self.arena.now());
        self.restore_counted_results(reported, counted);
        self.handle.update_from_schedule();
        ControlFlow::Continue(())
    }

    /// Counts the results in the store, except those of open matches, whose results this director will still receive.
    async fn count_stored_results(&self) -> Result<(ResultFold, u64), ArenaError> {
        let FieldHistory { start, changes } = self.arena.inner.store.field_history(self.stored.id).await?;
        let initial = StoredTournament { field: Arc::new(start), ..self.stored.clone() };
        let (excluded, rulings) = (self.open_ids(), &self.rulings);
        let uncounted = CountingContext {
            handle: &self.handle,
            initial: &initial,
            changes: &changes,
            rulings,
            excluded: &excluded,
        };
        let counted = self.arena.count_all_results(&uncounted).await?;
        Ok((counted.fold, counted.since_checkpoint))
    }
}

impl Director {
    /// Rejects a disqualified bot that wants to join again.
    pub(super) fn check_may_enter(&self, bot: &BotName, movement: FieldMovement) -> Result<(), ArenaError> {
        if movement == FieldMovement::Enters && self.rulings.is_disqualified(bot) {
            return Err(ArenaError::WrongState {
                id: self.stored.id,
                state: TournamentState::Running,
                needed: "this bot was disqualified and cannot join again",
            });
        }
        Ok(())
    }
}
