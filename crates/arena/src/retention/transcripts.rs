//! Published transcripts of language models.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::game::{BotName, MatchId, Seat};
use lastnim_core::referee::{EndReason, MatchSetup, TalkPrivacy};
use lastnim_core::shown_number::shown_number;
use lastnim_store::{Change, MatchSummary, QuestionPlace, StoredTranscript, TranscriptHead};
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// A transcript to publish for one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTranscript {
    /// The match in which the question was asked.
    pub match_id: MatchId,
    /// The index of the seat that was asked.
    pub seat: usize,
    /// The ply of the take that was asked for; `None` if the question asked for a row.
    pub ply: Option<u32>,
    /// The lines of the transcript, each ending with a line feed.
    pub lines: Arc<str>,
}

impl Arena {
    /// Publishes the transcript of a question. An admin, for whom `publisher` is `None`, may publish every transcript;
    /// a bot may publish only those of its own seats in tournament matches.
    ///
    /// # Errors
    /// If the match or its tournament is not over, private messages of the match stay private, the record of the match
    /// was pruned, the seat is not the bot's, there was no such question, or the size limit is exceeded.
    pub async fn publish_transcript(
        &self,
        publisher: Option<&BotName>,
        transcript: NewTranscript,
    ) -> Result<(), ArenaError> {
        let NewTranscript { match_id, seat, ply, lines } = transcript;
        let (setup, summary) = self.finished_match(match_id).await?;
        let seat = find_seat(&setup, match_id, seat)?;
        check_may_publish(publisher, match_id, &setup, seat)?;
        self.check_tournament_over(match_id, &setup).await?;
        check_talk_is_public(&setup, &summary)?;
        let place = QuestionPlace { seat, ply };
        check_question(&setup, &summary, place)?;
        // Transcripts are published one at a time, so that the total stays within the limit.
        let publish =
            move |arena: Self, held| async move { arena.publish_locked(held, match_id, place, lines).await };
        self.run_locked(&self.inner.record_lock, publish).await
    }

    async fn publish_locked(
        &self,
        _guard: OwnedMutexGuard<()>,
        match_id: MatchId,
        place: QuestionPlace,
        lines: Arc<str>,
    ) -> Result<(), ArenaError> {
        let others = self.inner.store.other_transcript_bytes(match_id, place).await?;
        let bytes = others.saturating_add(lines.len() as u64);
        let limit = self.limits().transcript_bytes as u64;
        if bytes > limit {
            return Err(ArenaError::TranscriptSize { match_id, seat: place.seat, bytes, limit });
        }
        let published_at = self.now();
        let stored = StoredTranscript { match_id, place, published_at, lines };
        self.commit(vec![Change::TranscriptPublished(Arc::new(stored))]).await
    }

    /// Returns the published transcripts of a match, without their lines.
    ///
    /// # Errors
    /// If there is no such match, or the store cannot be read.
    pub async fn transcripts(&self, match_id: MatchId) -> Result<Vec<TranscriptHead>, ArenaError> {
        let published = self.inner.store.transcripts(match_id).await?;
        if published.is_empty() {
            // If the match does not exist, this returns an error instead of an empty list.
            self.match_summary(match_id).await?;
        }
        Ok(published)
    }

    /// Returns the published transcript of a question.
    ///
    /// # Errors
    /// If it was not published, or the store cannot be read.
    pub async fn transcript(
        &self,
        match_id: MatchId,
        seat: usize,
        ply: Option<u32>,
    ) -> Result<StoredTranscript, ArenaError> {
        let (summary, _) = self.match_summary(match_id).await?;
        let missing_error = || ArenaError::NoSuchTranscript { match_id, seat, ply };
        let seats = summary.setup.ok_or_else(missing_error)?.bots.seats();
        let seat = seats.seat(seat).map_err(|_| missing_error())?;
        let found = self.inner.store.transcript(match_id, QuestionPlace { seat, ply }).await?;
        found.ok_or_else(missing_error)
    }

    /// Removes the published transcripts of a seat, and returns their number. The caller needs the same rights as for
    /// publishing them.
    ///
    /// # Errors
    /// If the match does not exist or is not over, the seat is not the bot's, or the store cannot be used.
    pub async fn remove_transcript(
        &self,
        caller: Option<&BotName>,
        match_id: MatchId,
        seat: usize,
    ) -> Result<usize, ArenaError> {
        let (setup, _) = self.finished_match(match_id).await?;
        let seat = find_seat(&setup, match_id, seat)?;
        check_may_publish(caller, match_id, &setup, seat)?;
        let remove = move |arena: Self, held| async move {
            arena.remove_transcript_locked(held, match_id, seat).await
        };
        self.run_locked(&self.inner.record_lock, remove).await
    }

    async fn remove_transcript_locked(
        &self,
        _guard: OwnedMutexGuard<()>,
        match_id: MatchId,
        seat: Seat,
    ) -> Result<usize, ArenaError> {
        let published = self.inner.store.transcripts(match_id).await?;
        let removed = published.iter().filter(|head| head.place.seat == seat).count();
        if removed > 0 {
            self.commit(vec![Change::TranscriptRemoved { match_id, seat }]).await?;
        }
        Ok(removed)
    }

    /// Returns the setup and the summary of a finished match.
    async fn finished_match(&self, id: MatchId) -> Result<(Arc<MatchSetup>, MatchSummary), ArenaError> {
        let too_early = || ArenaError::TooEarly { match_id: id, awaited: "the match" };
        if self.open_match(id).is_some() {
            return Err(too_early());
        }
        let summary = self.inner.store.match_summary(id).await?.ok_or(ArenaError::NoSuchMatch(id))?;
        let setup = summary.setup.clone().ok_or(ArenaError::NoSuchMatch(id))?;
        Ok((setup, summary))
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

/// Checks that everybody may read all messages of the talk, since the prompts of a seat quote what it heard.
pub(crate) fn check_talk_is_public(setup: &MatchSetup, summary: &MatchSummary) -> Result<(), ArenaError> {
    let reason = match setup.terms.talk.map(|talk| talk.privacy) {
        None | Some(TalkPrivacy::Open) => return Ok(()),
        Some(TalkPrivacy::Published) if matches!(summary.end, Some((_, Some(_)))) => return Ok(()),
        Some(TalkPrivacy::Published) => "the match has no winner",
        Some(TalkPrivacy::Private) => "the privacy of its talk is \"private\", not \"open\" or \"published\"",
    };
    Err(ArenaError::PrivateTalk { match_id: summary.id, reason })
}

/// Checks that the seat was asked this question in the match.
fn check_question(
    setup: &MatchSetup,
    summary: &MatchSummary,
    place: QuestionPlace,
) -> Result<(), ArenaError> {
    let refusal = |what: String| Err(ArenaError::NoSuchQuestion { match_id: summary.id, what });
    let QuestionPlace { seat, ply } = place;
    let Some(ply) = ply else {
        let is_assigned = setup.assigned.is_some();
        return if is_assigned {
            refusal("its rows were assigned, so no seat was asked for a row".to_owned())
        } else {
            Ok(())
        };
    };
    let plies = summary.plies;
    let questions = match summary.end {
        Some((EndReason::Finished | EndReason::PlyLimit, _)) => plies,
        // The match ended while a seat was being asked, so there was one more question than there are takes.
        Some((EndReason::AllForfeited | EndReason::Cancelled, _)) | None => plies.saturating_add(1),
    };
    if ply >= questions {
        return refusal(format!(
            "take {}: expected 1 to {questions}: no seat was asked for a later take",
            shown_number(ply)
        ));
    }
    let mover = setup.seats().seat_at_offset(setup.first, ply as usize);
    if seat != mover {
        return refusal(format!(
            "take {}: it was the turn of seat {mover}, not of seat {seat}",
            shown_number(ply)
        ));
    }
    Ok(())
}

fn check_may_publish(
    bot: Option<&BotName>,
    match_id: MatchId,
    setup: &MatchSetup,
    seat: Seat,
) -> Result<(), ArenaError> {
    let Some(bot) = bot else { return Ok(()) };
    // A bot can start practice matches at will, and must not fill the store with their transcripts.
    if setup.bots[seat] == *bot && setup.origin.is_some() {
        Ok(())
    } else {
        Err(ArenaError::NotOwnSeat { bot: bot.clone(), match_id, seat })
    }
}
