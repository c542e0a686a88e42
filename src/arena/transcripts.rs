//! Transcripts of language models, published once nothing depends on them any more.

use super::arena::Arena;
use super::error::ArenaError;
use crate::game::{BotName, MatchId, Seat};
use crate::referee::MatchSetup;
use crate::store::{Change, QuestionPlace, StoredTranscript, TranscriptHead};
use std::sync::Arc;

/// What is to be published of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTranscript {
    /// The match.
    pub match_id: MatchId,
    /// The seat, by its number.
    pub seat: usize,
    /// The ply; none for a row.
    pub ply: Option<u32>,
    /// The lines, each with its line feed.
    pub lines: Arc<str>,
}

impl Arena {
    /// Publishes the lines of a question, for an admin or for a bot: its own, in a match of a tournament.
    ///
    /// # Errors
    /// If the match or its tournament is not over, the seat is not the bot's or was never asked, or there would be too much.
    pub async fn publish_transcript(
        &self,
        publisher: Option<&BotName>,
        transcript: NewTranscript,
    ) -> Result<(), ArenaError> {
        let NewTranscript { match_id, seat, ply, lines } = transcript;
        let (setup, plies) = self.finished_match(match_id).await?;
        let seat = find_seat(&setup, match_id, seat)?;
        check_may_publish(publisher, match_id, &setup, seat)?;
        self.check_tournament_over(match_id, &setup).await?;
        if let Some(ply) = ply.filter(|&ply| ply >= plies) {
            return Err(ArenaError::NoSuchQuestion {
                match_id,
                what: format!("ply {ply}: it has {plies} plies"),
            });
        }
        let place = QuestionPlace { seat, ply };
        // One after the other, so that all of them together keep to the bound.
        let _turn = self.inner.publishing.lock().await;
        let others = self.inner.store.transcripts(match_id).await?.into_iter();
        let others = others.filter(|head| head.place.seat == seat && head.place != place);
        let bytes = others.map(|head| head.bytes).sum::<u64>().saturating_add(lines.len() as u64);
        let most = self.limits().transcript_bytes as u64;
        if bytes > most {
            return Err(ArenaError::TranscriptSize { match_id, seat, bytes, most });
        }
        let published_at = self.now();
        let stored = StoredTranscript { match_id, place, published_at, lines };
        self.commit(vec![Change::TranscriptPublished(Arc::new(stored))]).await
    }

    /// Returns which questions of a match were published.
    ///
    /// # Errors
    /// If there is no such match, or the store cannot be read.
    pub async fn transcripts(&self, match_id: MatchId) -> Result<Vec<TranscriptHead>, ArenaError> {
        let published = self.inner.store.transcripts(match_id).await?;
        if published.is_empty() {
            // That nothing was published is said of matches that there are.
            self.match_summary(match_id).await?;
        }
        Ok(published)
    }

    /// Returns the lines of a question.
    ///
    /// # Errors
    /// If they were not published, or the store cannot be read.
    pub async fn transcript(
        &self,
        match_id: MatchId,
        seat: usize,
        ply: Option<u32>,
    ) -> Result<StoredTranscript, ArenaError> {
        let (summary, _) = self.match_summary(match_id).await?;
        let missing = || ArenaError::NoSuchTranscript { match_id, seat, ply };
        let seats = summary.setup.ok_or_else(missing)?.bots.seats();
        let seat = seats.seat(seat).map_err(|_| missing())?;
        let found = self.inner.store.transcript(match_id, QuestionPlace { seat, ply }).await?;
        found.ok_or_else(missing)
    }

    /// Removes what was published of a seat, and returns how many questions that were. Who may publish it may remove it.
    ///
    /// # Errors
    /// If the seat is not the bot's, or the store cannot be used.
    pub async fn remove_transcript(
        &self,
        caller: Option<&BotName>,
        match_id: MatchId,
        seat: usize,
    ) -> Result<usize, ArenaError> {
        let (setup, _) = self.finished_match(match_id).await?;
        let seat = find_seat(&setup, match_id, seat)?;
        check_may_publish(caller, match_id, &setup, seat)?;
        let _turn = self.inner.publishing.lock().await;
        let published = self.inner.store.transcripts(match_id).await?;
        let removed = published.iter().filter(|head| head.place.seat == seat).count();
        if removed > 0 {
            self.commit(vec![Change::TranscriptRemoved { match_id, seat }]).await?;
        }
        Ok(removed)
    }

    /// Returns the setup of a match that is over, and how many plies it has.
    async fn finished_match(&self, id: MatchId) -> Result<(Arc<MatchSetup>, u32), ArenaError> {
        let too_early = || ArenaError::TooEarly { match_id: id, awaited: "the match" };
        if self.open_match(id).is_some() {
            return Err(too_early());
        }
        let summary = self.inner.store.match_summary(id).await?.ok_or(ArenaError::NoSuchMatch(id))?;
        let setup = summary.setup.ok_or(ArenaError::NoSuchMatch(id))?;
        Ok((setup, summary.plies))
    }

    async fn check_tournament_over(&self, match_id: MatchId, setup: &MatchSetup) -> Result<(), ArenaError> {
        let Some(origin) = &setup.origin else { return Ok(()) };
        let tournament = self.inner.store.tournament(origin.tournament).await?;
        if tournament.is_some_and(|tournament| tournament.over.is_none()) {
            return Err(ArenaError::TooEarly { match_id, awaited: "its tournament" });
        }
        Ok(())
    }
}

fn find_seat(setup: &MatchSetup, match_id: MatchId, seat: usize) -> Result<Seat, ArenaError> {
    let seats = setup.bots.seats();
    seats.seat(seat).map_err(|error| ArenaError::NoSuchQuestion { match_id, what: error.to_string() })
}

fn check_may_publish(
    bot: Option<&BotName>,
    match_id: MatchId,
    setup: &MatchSetup,
    seat: Seat,
) -> Result<(), ArenaError> {
    let Some(bot) = bot else { return Ok(()) };
    // A bot begins matches of itself as it likes, and must not fill the store with what it says of them.
    if setup.bots[seat] == *bot && setup.origin.is_some() {
        Ok(())
    } else {
        Err(ArenaError::NotOwnSeat { bot: bot.clone(), match_id, seat })
    }
}
