//! The interface that all stores implement.

use super::{
    Change, FieldHistory, HeadsPage, LaterTimes, LostSeat, MatchFilter, MatchHead, MatchSummary, NewestIds,
    PrunePage, QuestionPlace, SeenVersion, StoreError, StoredBot, StoredClock, StoredMatch, StoredRequest,
    StoredResult, StoredTournament, StoredTranscript, TranscriptHead, UnacknowledgedMatches,
};
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, Standing, TournamentEnd};
use std::fmt;
use std::time::Duration;

/// A store of durable data. Reads return only data that has been written completely, and never wait for a writer.
///
/// All methods fail with [`StoreError::Unavailable`] while the database cannot be used, and with
/// [`StoreError::Damaged`] if the stored data differs from what was written.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns whether the data survives the end of the process.
    fn is_durable(&self) -> bool;

    /// Writes the changes in order, either all or none of them. When this returns, they are durable. There is only one
    /// writer at a time.
    ///
    /// Writing the same changes again is harmless. A caller may need to, because after a lost connection it is unknown
    /// whether they were written.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another server has opened the database since this one did; [`StoreError::Refused`] if a
    /// retry cannot help. In both cases nothing was written, except that a store in memory keeps the changes before the
    /// rejected one.
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Checks quickly that the written data still exists.
    ///
    /// # Errors
    /// [`StoreError::Gone`] or [`StoreError::Corrupt`] if it does not.
    async fn check_intact(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns how long ago the database last confirmed that it belongs to this server, by a clock that also counts
    /// while the machine is suspended. `None` if no other server can take the database over.
    fn time_since_confirmed(&self) -> Option<Duration> {
        None
    }

    /// Replaces this server's [description](crate::OpenOptions::holder) of itself.
    async fn set_holder_description(&self, _holder: &str) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the names of the servers that wait for the database, in alphabetical order. Empty if no other server can
    /// take the database over.
    async fn standby_servers(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Closes the database after the last write. Afterwards the main database file contains all data.
    async fn close(&self);

    /// Returns the state of the clock.
    async fn clock(&self) -> Result<StoredClock, StoreError>;

    /// Returns the greatest match id and the greatest tournament id.
    async fn newest_ids(&self) -> Result<NewestIds, StoreError>;

    /// Counts the timestamps that are later than a given one.
    async fn later_times(&self, at: Timestamp) -> Result<LaterTimes, StoreError>;

    /// Returns the requests that their callers may repeat, the oldest first; they may include some that are too old.
    async fn requests(&self) -> Result<Vec<StoredRequest>, StoreError>;

    /// Returns the bot with this name.
    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError>;

    /// Returns up to `limit` bots in the order of their names, starting after `after`.
    async fn bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<StoredBot>, StoreError>;

    /// Returns the versions that a bot has reported, the most recent first.
    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError>;

    /// Returns up to `limit` seats that a bot lost in finished matches older than `before`, the newest first. If a
    /// tournament is given, only seats lost in that tournament are returned.
    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, StoreError>;

    /// Returns whether a bot has a seat in any match, or any standings count a match that it played.
    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError>;

    /// Returns the tournament with this id.
    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError>;

    /// Returns up to `limit` tournaments that are older than `before`, the newest first.
    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<StoredTournament>, StoreError>;

    /// Returns the tournaments whose [`over`](StoredTournament::over) has not been written yet, the oldest first.
    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError>;

    /// Returns how the field of bots in a tournament changed over time; empty if the tournament does not exist.
    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError>;

    /// Returns the organisers' interventions in a tournament, in order; empty if the tournament does not exist.
    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError>;

    /// Returns the final standings of a tournament, by place; empty if it is not over.
    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError>;

    /// Returns the newest checkpoint of a tournament. For a finished tournament, that is the stored comparison of its
    /// bots. The caller must verify the hash of the checkpoint.
    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError>;

    /// Returns the results of up to `limit` finished matches of a tournament, in the order of their numbers, starting
    /// at number `from`. Quarantined matches are included, without an outcome; voided ones are not.
    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredResult>, StoreError>;

    /// Returns those of the given matches that exist and are not voided.
    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError>;

    /// Returns the unfinished matches, the oldest first.
    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError>;

    /// Returns the summaries of up to `limit` finished matches that the filter admits and that are older than `before`,
    /// the newest first.
    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, StoreError>;

    /// Returns the summary of a finished match.
    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError>;

    /// Returns a match with its record, after checking that its events fit the stored hashes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the events do not fit the hashes, [`StoreError::Quarantined`] if the match was
    /// quarantined, and [`StoreError::Pruned`] if the events were removed.
    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError>;

    /// Returns the record hashes of a tournament's finished matches, including those of voided matches and of matches
    /// whose records were removed. No hash reveals anything about unrevealed rows.
    ///
    /// # Errors
    /// [`StoreError::Forgotten`] if matches of the tournament were dropped.
    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError>;

    /// Returns the published transcripts of a match, ordered by seat and then by ply; the one for the row comes before
    /// those for the takes.
    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError>;

    /// Returns the total size, in bytes, of the transcripts that a question's seat has for its other questions.
    ///
    /// # Errors
    /// [`StoreError::Pruned`] if the events of the match were removed.
    async fn other_transcript_bytes(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError>;

    /// Returns the transcript of a question.
    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError>;

    /// Returns finished matches whose records may be removed, in the order of their ids.
    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError>;

    /// Returns the newest finished matches of a bot whose ends it has not acknowledged, up to `limit` of them, and
    /// counts the others. Matches with ids below `from` are ignored.
    async fn unacknowledged_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        limit: usize,
    ) -> Result<UnacknowledgedMatches, StoreError>;

    /// Returns up to `limit` tournament ends since `since` that a bot has not acknowledged. If there are more, the most
    /// recently created tournaments are chosen. The oldest tournament comes first.
    async fn unacknowledged_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError>;
}
