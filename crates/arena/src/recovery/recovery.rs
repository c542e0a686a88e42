//! Carrying on what a server before this one has left in the store.

use super::results::{CountedResults, UncountedTournament};
use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::open_matches::play_unattended_match;
use crate::matches::shard::MatchInput;
use crate::recovery::open_records::OpenRecords;
use crate::tournaments::changes::is_ready_to_start;
use crate::tournaments::director::Director;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_store::{Change, FieldHistory, StoreError, StoredMatch, StoredTournament};
use lastnim_tournament::{OracleAccess, Pairing, ResultFold, Rulings, TournamentState};
use std::collections::HashSet;
use std::sync::Arc;

/// Bots, or results of matches, that are read from the store in one go.
pub(super) const PAGE: usize = 10_000;
/// Voided matches that are looked up, and lose their numbers, by one transaction.
const MAX_VOIDED_AT_ONCE: usize = 2_000;

impl Arena {
    /// Lets the registered bots in, and carries on every match and tournament that is not over. Nobody is connected yet.
    pub(crate) async fn recover(&self, open: OpenRecords) -> Result<(), ArenaError> {
        self.recover_bots().await?;
        let OpenRecords { began, by_tournament: mut open, damaged } = open;
        self.quarantine_matches(damaged).await?;
        let (mut tournaments, mut matches) = (0, 0);
        let unfinished = self.inner.store.unfinished_tournaments().await?;
        let is_left = !(unfinished.is_empty() && open.is_empty());
        // Tournaments begin matches before all is done.
        if is_left {
            self.begin_return_grace();
        }
        for stored in unfinished {
            let own = open.remove(&Some(stored.id)).unwrap_or_default();
            tournaments += 1;
            matches += own.len();
            let id = stored.id;
            match self.recover_tournament(stored, own).await {
                Err(error) if is_damage(&error) => self.quarantine_tournament(id, &error),
                done => done?,
            }
        }
        for (tournament, open) in open {
            matches += open.len();
            for stored in open {
                self.recover_match(stored, tournament);
            }
        }
        if is_left {
            // Only now can anybody connect.
            self.begin_return_grace();
            let took = began.elapsed();
            tracing::info!(tournaments, matches, ?took, "carrying on what was left");
        }
        Ok(())
    }

    /// Quarantines matches that nobody can carry on. From now on the store gives them among the results of their
    /// tournaments, as matches without an outcome: this start and every later one goes on in the same way.
    async fn quarantine_matches(&self, damaged: Vec<(MatchId, String)>) -> Result<(), ArenaError> {
        if damaged.is_empty() {
            return Ok(());
        }
        let at = self.now();
        for (id, why) in &damaged {
            tracing::error!(%id, %why, "a damaged match is quarantined: it counts for nobody, and what is kept of it stays as it is");
        }
        let quarantined = damaged.into_iter().map(|(id, why)| Change::MatchQuarantined { id, at, why });
        self.commit(quarantined.collect()).await
    }

    /// Quarantines a tournament that nobody can carry on, so that the others are. Nothing of it is changed in the store: whoever
    /// mends that, or brings a program that can carry it on, starts the server again.
    fn quarantine_tournament(&self, id: TournamentId, error: &ArenaError) {
        let why = error.tournament_damage();
        tracing::error!(tournament = %id, %error, "a tournament is quarantined: it stays as it is, and can only be cancelled");
        if let Some(handle) = self.live_tournament(id) {
            handle.quarantine(&why);
        }
    }

    /// Starts the grace period in which no absent bot is charged.
    fn begin_return_grace(&self) {
        self.inner.return_grace.begin(self.now() + self.inner.limits.return_grace);
    }

    async fn recover_bots(&self) -> Result<(), ArenaError> {
        let mut last: Option<BotName> = None;
        loop {
            let page = self.inner.store.bots(last.as_ref(), PAGE).await?;
            let Some(bot) = page.last() else { return Ok(()) };
            last = Some(bot.name.clone());
            for bot in &page {
                self.accept_bot_token(bot);
            }
        }
    }

    async fn recover_tournament(
        &self,
        stored: StoredTournament,
        open: Vec<StoredMatch>,
    ) -> Result<(), ArenaError> {
        let id = stored.id;
        let handle = Arc::new(TournamentHandle::new(&stored));
        self.inner.tournaments.insert(id, Arc::clone(&handle));
        if stored.state == TournamentState::Open {
            // The server died between the last bot's joining and the start.
            if is_ready_to_start(&stored) {
                self.plan_and_start_tournament(&handle, stored).await?;
            }
            return Ok(());
        }
        let FieldHistory { start, changes } = self.inner.store.field_history(id).await?;
        let at_the_start = StoredTournament { field: Arc::new(start), ..stored.clone() };
        let rulings = self.recover_rulings(&handle, id, &open).await?;
        let (rulings, unheard) = (&rulings, &HashSet::new());
        let uncounted = UncountedTournament {
            handle: &handle,
            at_the_start: &at_the_start,
            changes: &changes,
            rulings,
            unheard,
        };
        let CountedResults { fold, since_checkpoint } = self.count_results(uncounted).await?;
        let ResultFold { schedule, standings, evidence, cross_table, reported, rulings } = fold;
        handle.restore_counted(standings, evidence, cross_table);
        let oracle = stored.settings.oracle;
        let director = Director::new(self.clone(), handle, stored, schedule, &changes, rulings);
        let Some(mut director) = director else { return Ok(()) };
        director.restore_counted(reported, since_checkpoint);
        // All of them before the first is carried on: none is if the tournament cannot be.
        let open = open.into_iter().map(|open| Ok((open_pairing(&director, id, &open)?, open)));
        let open = open.collect::<Result<Vec<_>, ArenaError>>()?;
        for (pairing, open) in open {
            let begun = self.resume_match(open, oracle);
            director.resume_match(pairing, begun);
        }
        self.inner.tasks.spawn(director.run());
        Ok(())
    }

    /// Reads what the organiser has ruled. A match that was voided loses its number now if the server died before it did;
    /// one that is open loses it when it has ended.
    async fn recover_rulings(
        &self,
        handle: &TournamentHandle,
        id: TournamentId,
        open: &[StoredMatch],
    ) -> Result<Rulings, ArenaError> {
        let events = self.inner.store.tournament_events(id).await?;
        let rulings = Rulings::of(events.iter().map(|timed| &timed.event));
        let open: HashSet<MatchId> = open.iter().map(|open| open.record.id()).collect();
        let over: Vec<_> = rulings.voided().filter(|(id, _)| !open.contains(id)).collect();
        for voided in over.chunks(MAX_VOIDED_AT_ONCE) {
            let ids: Vec<_> = voided.iter().map(|(id, _)| *id).collect();
            let left: HashSet<_> = self.inner.store.unvoided_matches(&ids).await?.into_iter().collect();
            let left = voided.iter().filter(|(id, _)| left.contains(id));
            let changes: Vec<_> =
                left.map(|&(id, reason)| Change::MatchVoided { id, reason: reason.clone() }).collect();
            if !changes.is_empty() {
                self.commit(changes).await?;
            }
        }
        handle.add_events(events);
        Ok(rulings)
    }

    /// Carries on a match without a director: an exhibition, or one that was left behind by a tournament that is over
    /// without it, which is called off.
    fn recover_match(&self, stored: StoredMatch, tournament: Option<TournamentId>) {
        let begun = self.resume_match(stored, OracleAccess::Open);
        self.inner.tasks.spawn(play_unattended_match(begun.id, begun.play));
        if tournament.is_some() {
            begun.handle.send(MatchInput::Cancel);
        }
    }
}

/// Returns whether an error comes from what is kept of one tournament. Where the store cannot be used or belongs to another server, none
/// can be carried on.
fn is_damage(error: &ArenaError) -> bool {
    matches!(
        error,
        ArenaError::Recovery(..)
            | ArenaError::Field { .. }
            | ArenaError::Store(StoreError::Damaged { .. } | StoreError::Refused(_))
    )
}

/// Returns the pairing of a match that a server before this one has left open.
fn open_pairing(director: &Director, id: TournamentId, open: &StoredMatch) -> Result<Pairing, ArenaError> {
    let setup = open.record.state().setup();
    let pairing = setup.origin.as_ref().and_then(|origin| director.pairing_of_number(origin.number));
    pairing.filter(|pairing| pairing.bots == setup.bots).ok_or_else(|| {
        let why = format!("match {} is none of its pairings", open.record.id());
        ArenaError::Recovery(format!("tournament {id}"), why)
    })
}
