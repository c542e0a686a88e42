//! Resumes the unfinished matches and tournaments in the store.

use super::results::{CountedResults, CountingContext};
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

/// The number of bots or match results that are read from the store at a time.
pub(super) const PAGE_SIZE: usize = 10_000;
/// The maximum number of matches that are voided in one transaction.
const MAX_VOIDED_AT_ONCE: usize = 2_000;

impl Arena {
    /// Accepts the tokens of registered bots, and resumes all unfinished matches and tournaments. No bot is connected
    /// yet.
    pub(crate) async fn recover(&self, open: OpenRecords) -> Result<(), ArenaError> {
        self.recover_bots().await?;
        let OpenRecords { began, by_tournament: mut open, damaged } = open;
        self.quarantine_matches(damaged).await?;
        let (mut tournaments, mut matches) = (0, 0);
        let unfinished = self.inner.store.unfinished_tournaments().await?;
        let is_left = !(unfinished.is_empty() && open.is_empty());
        // The grace period starts now, because resumed tournaments begin matches before recovery is complete.
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
            // The grace period starts again, because bots cannot connect before this point.
            self.begin_return_grace();
            let took = began.elapsed();
            tracing::info!(tournaments, matches, ?took, "resuming unfinished matches and tournaments");
        }
        Ok(())
    }

    /// Quarantines matches that cannot be resumed. The store then lists them among the results of their tournaments
    /// without an outcome, so that this start and all later ones treat them in the same way.
    async fn quarantine_matches(&self, damaged: Vec<(MatchId, String)>) -> Result<(), ArenaError> {
        if damaged.is_empty() {
            return Ok(());
        }
        let at = self.now();
        for (id, why) in &damaged {
            tracing::error!(%id, %why, "a damaged match is quarantined: it does not count, and its data stays unchanged");
        }
        let quarantined = damaged.into_iter().map(|(id, why)| Change::MatchQuarantined { id, at, why });
        self.commit(quarantined.collect()).await
    }

    /// Quarantines a tournament that cannot be resumed, so that the others can. Its stored data stays unchanged, so it
    /// can be resumed after a repair or with another version of the program.
    fn quarantine_tournament(&self, id: TournamentId, error: &ArenaError) {
        let why = error.tournament_damage();
        tracing::error!(tournament = %id, %error, "a tournament is quarantined: it stays unchanged, and can only be cancelled");
        if let Some(handle) = self.live_tournament(id) {
            handle.quarantine(&why);
        }
    }

    /// Starts the grace period, during which the clocks of absent bots are not charged.
    fn begin_return_grace(&self) {
        self.inner.return_grace.begin(self.now() + self.inner.limits.return_grace);
    }

    async fn recover_bots(&self) -> Result<(), ArenaError> {
        let mut last: Option<BotName> = None;
        loop {
            let page = self.inner.store.bots(last.as_ref(), PAGE_SIZE).await?;
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
            // The server may have stopped after the last bot had joined, but before the tournament was started.
            if is_ready_to_start(&stored) {
                self.plan_and_start_tournament(&handle, stored).await?;
            } else {
                self.start_on_time(&handle);
            }
            return Ok(());
        }
        let FieldHistory { start, changes } = self.inner.store.field_history(id).await?;
        let initial = StoredTournament { field: Arc::new(start), ..stored.clone() };
        let rulings = self.recover_rulings(&handle, id, &open).await?;
        let (rulings, excluded) = (&rulings, &HashSet::new());
        let uncounted =
            CountingContext { handle: &handle, initial: &initial, changes: &changes, rulings, excluded };
        let CountedResults { fold, since_checkpoint } = self.count_results(uncounted).await?;
        let ResultFold { schedule, standings, evidence, cross_table, reported, rulings } = fold;
        handle.restore_counted_results(standings, evidence, cross_table);
        let oracle = stored.settings.oracle;
        let director = Director::new(self.clone(), handle, stored, schedule, &changes, rulings);
        let Some(mut director) = director else { return Ok(()) };
        director.restore_counted_results(reported, since_checkpoint);
        // All pairings are found before the first match resumes, so that no match of the tournament resumes if one is
        // missing.
        let open = open.into_iter().map(|open| Ok((open_pairing(&director, id, &open)?, open)));
        let open = open.collect::<Result<Vec<_>, ArenaError>>()?;
        for (pairing, open) in open {
            let begun = self.resume_match(open, oracle);
            director.resume_match(pairing, begun);
        }
        self.inner.tasks.spawn(director.run());
        Ok(())
    }

    /// Reads the organiser's rulings. A voided match gives up its number, so that its pairing can be played again. If
    /// the server stopped before it had stored this for some finished matches, it is stored now; open matches give up
    /// their numbers when they end.
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

    /// Resumes a match that has no director. An exhibition is played to its end; a match left over from a finished
    /// tournament is cancelled.
    fn recover_match(&self, stored: StoredMatch, tournament: Option<TournamentId>) {
        let begun = self.resume_match(stored, OracleAccess::Open);
        self.inner.tasks.spawn(play_unattended_match(begun.id, begun.play));
        if tournament.is_some() {
            begun.handle.send(MatchInput::Cancel);
        }
    }
}

/// Returns whether an error concerns only the data of one tournament, so that the others can still be resumed. After
/// other errors nothing can be resumed: the store cannot be used, or it belongs to another server.
fn is_damage(error: &ArenaError) -> bool {
    matches!(
        error,
        ArenaError::Recovery(..)
            | ArenaError::Field { .. }
            | ArenaError::Store(StoreError::Damaged { .. } | StoreError::Refused(_))
    )
}

/// Returns the pairing of an unfinished match.
fn open_pairing(director: &Director, id: TournamentId, open: &StoredMatch) -> Result<Pairing, ArenaError> {
    let setup = open.record.state().setup();
    let pairing = setup.origin.as_ref().and_then(|origin| director.pairing_of_number(origin.number));
    pairing.filter(|pairing| pairing.bots == setup.bots).ok_or_else(|| {
        let why = format!("match {} does not fit any of its pairings", open.record.id());
        ArenaError::Recovery(format!("tournament {id}"), why)
    })
}
