//! What every store can do.

use super::{
    Change, FieldHistory, HeadsPage, LostSeat, MatchFilter, MatchHead, MatchSummary, PrunePage,
    QuestionPlace, SeenVersion, StoreError, StoredBot, StoredMatch, StoredResult, StoredTournament,
    StoredTranscript, TranscriptHead, UnheardMatches,
};
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, Standing, TournamentEnd};
use std::fmt;

/// Keeps what must last. Reading shows what was written and nothing else, and never waits for a writer.
///
/// All methods fail with [`StoreError::Unavailable`] while the database cannot be used, and with [`StoreError::Damaged`]
/// if what is kept is nothing that was ever written.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns whether what is written outlasts the process.
    fn is_durable(&self) -> bool;

    /// Writes changes, all or none, in their order; they last when this returns. There is one writer at a time.
    ///
    /// To write the same changes again does no harm: after a lost connection nobody can say whether they were written.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another server has opened the database since; [`StoreError::Refused`] if no repetition will help.
    /// Nothing was written then; a store in memory keeps what stood before the change that it refuses.
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Checks that what was written is still there, as far as that can be told in no time.
    ///
    /// # Errors
    /// [`StoreError::Gone`] or [`StoreError::Corrupt`] if it is not.
    async fn check_intact(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Lets go of the database, once nothing is written any more. What is there is then complete in its own file.
    async fn close(&self);

    /// Returns a bot.
    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError>;

    /// Returns up to `most` bots in the order of their names, those behind `after`.
    async fn bots(&self, after: Option<&BotName>, most: usize) -> Result<Vec<StoredBot>, StoreError>;

    /// Returns the versions that a bot has said, the one that was seen last first.
    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError>;

    /// Returns up to `most` seats that a bot has lost in matches that are over, those of the newest matches first, in matches
    /// before `before`; only in matches of a tournament, if one is given.
    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<LostSeat>, StoreError>;

    /// Returns whether a bot has a seat in a match, over or not, or a match in any standings.
    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError>;

    /// Returns a tournament.
    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError>;

    /// Returns up to `most` tournaments, the newest first, those before `before`.
    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> Result<Vec<StoredTournament>, StoreError>;

    /// Returns the tournaments whose [`over`](StoredTournament::over) is not written yet, the oldest first.
    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError>;

    /// Returns who was in a tournament when; nothing of one that there is not.
    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError>;

    /// Returns what organisers did to a tournament, in its order; nothing of one that there is not.
    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError>;

    /// Returns the last standings of a tournament, by place; none of one that is not over.
    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError>;

    /// Returns the newest checkpoint of a tournament; of one that is over how its bots compare, if that was written. Whether it is
    /// what was written is for the reader to check.
    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError>;

    /// Returns the results of up to `most` matches of a tournament that are over, by number, from number `from` on. A
    /// quarantined match is among them, without an outcome; a voided one is not.
    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        most: usize,
    ) -> Result<Vec<StoredResult>, StoreError>;

    /// Returns those of some matches that there are and that have not been voided, over or not.
    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError>;

    /// Returns the matches that are not over, the oldest first.
    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError>;

    /// Returns up to `most` matches that are over and that the filter admits, the newest first, those before `before`.
    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<MatchSummary>, StoreError>;

    /// Returns a match that is over, in brief.
    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError>;

    /// Returns all that is kept of a match, over or not. The hashes that are kept fit the events.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if they do not, [`StoreError::Quarantined`] if that was found before, and
    /// [`StoreError::Pruned`] if its events were removed.
    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError>;

    /// Returns what stands for the records of matches of a tournament that are over, also of those whose records were removed,
    /// voided ones included. No hash is among them that says anything of rows which were never revealed.
    ///
    /// # Errors
    /// [`StoreError::Forgotten`] if the tournament had matches of which nothing is kept.
    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError>;

    /// Returns what was published of the transcripts of a match, by seat and ply, rows before takes.
    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError>;

    /// Returns how many bytes were published of the seat of a question, without those of the question itself.
    ///
    /// # Errors
    /// [`StoreError::Pruned`] if the events of the match were removed.
    async fn transcript_bytes_besides(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError>;

    /// Returns what was published of a question.
    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError>;

    /// Returns matches that are over and whose records may be removed, in the order of their ids.
    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError>;

    /// Returns up to `most` matches of a bot that are over and of whose ends it has not heard, of those from `from` on.
    async fn unheard_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        most: usize,
    ) -> Result<UnheardMatches, StoreError>;

    /// Returns up to `most` ends of tournaments of which a bot has not heard, of those that ended at `since` or later: those
    /// of the tournaments that were created last, the oldest first.
    async fn unheard_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError>;
}
