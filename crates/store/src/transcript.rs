//! Transcripts of language models that were published, by question.

use lastnim_core::game::{MatchId, Seat};
use lastnim_core::referee::Timestamp;
use std::sync::Arc;

/// A question of a match that a bot was asked: for its row, or for the take of a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionPlace {
    /// The seat that was asked.
    pub seat: Seat,
    /// The ply of the take; none for a row.
    pub ply: Option<u32>,
}

/// What was published of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTranscript {
    /// The match.
    pub match_id: MatchId,
    /// The question.
    pub place: QuestionPlace,
    /// When it was published.
    pub published_at: Timestamp,
    /// The lines, each with its line feed.
    pub lines: Arc<str>,
}

/// That something was published of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptHead {
    /// The question.
    pub place: QuestionPlace,
    /// When it was published.
    pub published_at: Timestamp,
    /// How many bytes its lines have.
    pub bytes: u64,
}
