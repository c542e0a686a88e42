//! Published transcripts of language models, by question.

use lastnim_core::game::{MatchId, Seat};
use lastnim_core::referee::Timestamp;
use std::sync::Arc;

/// Identifies a question that a bot was asked in a match, either for its row or for a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionPlace {
    /// The seat of the bot.
    pub seat: Seat,
    /// The ply of the take; `None` for a row.
    pub ply: Option<u32>,
}

/// The published transcript of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTranscript {
    /// The match.
    pub match_id: MatchId,
    /// The question.
    pub place: QuestionPlace,
    /// When it was published.
    pub published_at: Timestamp,
    /// The lines, each ending with a line feed.
    pub lines: Arc<str>,
}

/// A published transcript without its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptHead {
    /// The question.
    pub place: QuestionPlace,
    /// When it was published.
    pub published_at: Timestamp,
    /// The size of its lines in bytes.
    pub bytes: u64,
}
